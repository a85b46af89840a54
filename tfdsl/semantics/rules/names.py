"""Names: of jobs, claims, secrets, config maps, hosts (language reference, "Attributes", names)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tfdsl.diagnostics import value_rules
from tfdsl.semantics.values import ListData, Reference

if TYPE_CHECKING:
    from collections.abc import Callable

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.semantics import resolved
    from tfdsl.semantics.values import Value

LONGEST_LABEL = 63
LONGEST_NAME = 253
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_QUALIFIED = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_DNS_MOUNTS = {"pvc": "claim", "configmap": "ConfigMap", "secret": "Secret"}
_DNS_SETTINGS = {"service_account": "ServiceAccount"}


def check(job: resolved.Job, report: Callable[[Diagnostic], None]) -> None:
    """The job's name and the names of the objects that it uses."""
    problem = label_problem(job.name)
    if problem is not None:
        found = value_rules.JOB_NAME(job.name_span, name=f'"{job.name}"', problem=problem)
        nearest = as_label(job.name)
        report(found.help(f"for example {nearest}") if nearest else found)
    namespace = job.settings.get("namespace")
    if namespace is not None and isinstance(namespace.value.data, str):
        _object(namespace.value, "namespace", report, label=True)
    for role in job.roles:
        _role(role, report)
    _labels(job.settings.get("labels"), job.settings.get("annotations"), report)


def _role(role: resolved.Role, report: Callable[[Diagnostic], None]) -> None:
    for mount in role.mounts:
        what = _DNS_MOUNTS.get(mount.kind.name)
        if what is not None and mount.source is not None:
            _object(mount.source, what, report)
    for name, what in _DNS_SETTINGS.items():
        if name in role.settings:
            _object(role.settings[name].value, what, report)
    secrets = role.data("image_pull_secrets")
    for item in secrets.items if isinstance(secrets, ListData) else ():
        _object(item, "Secret", report)
    for value in role.entries("env").values():
        if isinstance(value.data, Reference):
            _object(value.data.name, "Secret" if value.data.kind == "secret" else "ConfigMap", report)
    _labels(role.settings.get("labels"), role.settings.get("annotations"), report)
    _labels(role.settings.get("node_selector"), None, report)


def _object(value: Value, what: str, report: Callable[[Diagnostic], None], *, label: bool = False) -> None:
    if not isinstance(value.data, str):
        return
    problem = label_problem(value.data) if label else name_problem(value.data)
    if problem is not None:
        report(value_rules.OBJECT_NAME(value.span, name=f'"{value.data}"', what=what, problem=problem))


def _labels(
    labels: resolved.Setting | None, annotations: resolved.Setting | None, report: Callable[[Diagnostic], None]
) -> None:
    """Keys and values of labels, keys of annotations (Kubernetes, "Labels and Selectors", syntax)."""
    from tfdsl.semantics.values import MapData

    for setting, what in ((labels, "label"), (annotations, "annotation")):
        data = setting.value.data if setting is not None else None
        if not isinstance(data, MapData):
            continue
        for key, entry in data.entries.items():
            problem = qualified_problem(key)
            if problem is not None:
                report(value_rules.LABEL_SYNTAX(entry.key_span, given=f'"{key}"', what=f"{what} key", problem=problem))
            text = entry.value.data
            if what == "label" and isinstance(text, str):
                problem = label_value_problem(text)
                if problem is not None:
                    shown = f'"{text}"'
                    report(value_rules.LABEL_SYNTAX(entry.value.span, given=shown, what="label value", problem=problem))


def label_problem(name: str) -> str | None:
    """Why ``name`` is no DNS label (RFC 1123)."""
    if len(name) > LONGEST_LABEL:
        return f"it has {len(name)} characters, {LONGEST_LABEL} are allowed"
    return None if _LABEL.fullmatch(name) else "small letters, digits and -, with a letter or digit at both ends"


def name_problem(name: str) -> str | None:
    """Why ``name`` is no DNS subdomain (RFC 1123)."""
    if len(name) > LONGEST_NAME:
        return f"it has {len(name)} characters, {LONGEST_NAME} are allowed"
    if all(_LABEL.fullmatch(part) for part in name.split(".")):
        return None
    return "small letters, digits, - and ., with a letter or digit at both ends of each part"


def qualified_problem(key: str) -> str | None:
    """Why ``key`` is no label key: ``[prefix/]name``."""
    prefix, slash, name = key.rpartition("/")
    if slash and name_problem(prefix) is not None:
        return "the part before / is a DNS name"
    if len(name) > LONGEST_LABEL:
        return f"the name has {len(name)} characters, {LONGEST_LABEL} are allowed"
    return None if _QUALIFIED.fullmatch(name) else "letters, digits, -, _ and ., with a letter or digit at both ends"


def label_value_problem(text: str) -> str | None:
    """Why ``text`` is no label value."""
    if len(text) > LONGEST_LABEL:
        return f"it has {len(text)} characters, {LONGEST_LABEL} are allowed"
    return None if _LABEL_VALUE.fullmatch(text) else "letters, digits, -, _ and ., with a letter or digit at both ends"


def as_label(name: str) -> str:
    """The DNS label nearest to ``name``; empty when nothing is left of it."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower())[:LONGEST_LABEL].strip("-")
