"""Names: of jobs, claims, secrets, config maps, hosts (language reference, "Attributes", names)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tfdsl.diagnostics import value_rules
from tfdsl.semantics.values import ListData, MapData, Reference
from tfdsl.vocabulary.quantities import Quantity

if TYPE_CHECKING:
    from collections.abc import Callable

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.semantics import resolved
    from tfdsl.semantics.values import Value
    from tfdsl.text import Span

LONGEST_LABEL = 63
LONGEST_NAME = 253
LONGEST_PROPOSED = 40
"""Characters of a job's name that leave room for what each target adds: role, index, a suffix of its own."""
_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_QUALIFIED = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_DNS_MOUNTS = {"pvc": "claim", "configmap": "ConfigMap", "secret": "Secret"}
_DATA_KEY = re.compile(r"[-._A-Za-z0-9]+")
_KINDS = {"secret": "Secret", "configmap": "ConfigMap"}
_ATTRIBUTES_OF = {"cpu": "cpu", "memory": "memory", "nvidia.com/gpu": "gpu"}


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
    priority = job.settings.get("priority")
    if priority is not None:
        _object(priority.value, "PriorityClass", report)
    for role in job.roles:
        _image(role, report)
        _role(role, report)
        _resources(role, report)
    _labels(job.settings.get("labels"), job.settings.get("annotations"), report)


def _image(role: resolved.Role, report: Callable[[Diagnostic], None]) -> None:
    image = role.settings.get("image")
    if image is None or not isinstance(image.value.data, str):
        return
    problem = _image_problem(image.value.data)
    if problem is not None:
        shown = f'"{image.value.data}"'
        report(value_rules.OBJECT_NAME(image.value.span, name=shown, what="container image", problem=problem))


def _image_problem(image: str) -> str | None:
    """What is wrong with an image (github.com/distribution/reference, whose rules kubelet and docker have)."""
    if re.search(r"\s", image):
        return "it has blanks"
    name, _, digest = image.partition("@")
    host, slash, path = name.partition("/")
    if not slash or not (re.search(r"[.:A-Z]", host) or host == "localhost"):
        path = name
    repository, colon, tag = path.partition(":")
    if re.search(r"[A-Z]", repository):
        return "the repository behind the host has capital letters"
    if not all(re.fullmatch(r"[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*", part) for part in repository.split("/")):
        return "the repository is letters, digits and single . _ - between them, in parts with / between"
    if colon and not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}", tag):
        return "a tag is at most 128 letters, digits, _ . and -"
    if "@" in image and not re.fullmatch(r"[A-Za-z][A-Za-z0-9+._-]*:[0-9a-fA-F]{32,}", digest):
        return "the digest behind @ is an algorithm, : and hexadecimal digits"
    return None


def _role(role: resolved.Role, report: Callable[[Diagnostic], None]) -> None:
    for mount in role.mounts:
        what = _DNS_MOUNTS.get(mount.kind.name)
        if what is not None and mount.source is not None:
            _object(mount.source, what, report)
        storage_class = mount.options.get("storage_class")
        if storage_class is not None:
            _object(storage_class.value, "StorageClass", report)
    if "service_account" in role.settings:
        _object(role.settings["service_account"].value, "ServiceAccount", report)
    secrets = role.data("image_pull_secrets")
    for item in secrets.items if isinstance(secrets, ListData) else ():
        _object(item, "Secret", report)
    for value in role.entries("env").values():
        if isinstance(value.data, Reference):
            kind = _KINDS[value.data.kind]
            _object(value.data.name, kind, report)
            _data_key(value.data.key, kind, report)
    _labels(role.settings.get("labels"), role.settings.get("annotations"), report)
    _labels(role.settings.get("node_selector"), None, report)


def _resources(role: resolved.Role, report: Callable[[Diagnostic], None]) -> None:
    """Names and amounts of extended resources: whole numbers (Kubernetes, "Extended resources"; YARN the same)."""
    device = role.settings.get("gpu_resource")
    if device is not None and isinstance(device.value.data, str):
        _resource_name(device.value.data, device.value.span, report)
    setting = role.settings.get("resources")
    data = setting.value.data if setting is not None else None
    for key, entry in data.entries.items() if isinstance(data, MapData) else ():
        own = _ATTRIBUTES_OF.get(key)
        if own is not None:
            found = value_rules.BAD_KEY(entry.key_span, name=f'"{key}"', what="resources")
            report(found.help(f"it has an attribute of its own: {own} = …"))
        elif _resource_name(key, entry.key_span, report):
            amount = entry.value.data
            if isinstance(amount, Quantity) and amount.milli % 1000:
                what = f"resources.{key}"
                report(
                    value_rules.OUT_OF_RANGE(entry.value.span, what=what, expected="a whole number", given=amount.text)
                )


def _resource_name(name: str, span: Span, report: Callable[[Diagnostic], None]) -> bool:
    problem = qualified_problem(name)
    if problem is not None:
        report(value_rules.LABEL_SYNTAX(span, given=f'"{name}"', what="resource name", problem=problem))
    return problem is None


def _data_key(value: Value, kind: str, report: Callable[[Diagnostic], None]) -> None:
    key = value.data
    if not isinstance(key, str):
        return
    problem = None
    if len(key) > LONGEST_NAME or not _DATA_KEY.fullmatch(key):
        problem = f"letters, digits, -, _ and ., at most {LONGEST_NAME} of them"
    elif key == "." or key.startswith(".."):
        problem = "neither . nor two dots at the start"
    if problem is not None:
        report(value_rules.OBJECT_NAME(value.span, name=f'"{key}"', what=f"key of a {kind}", problem=problem))


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
    """The name of a job nearest to ``name`` that every target takes; empty when nothing is left of it."""
    label = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if label[:1].isdigit():
        label = f"job-{label}"
    return label[:LONGEST_PROPOSED].strip("-")
