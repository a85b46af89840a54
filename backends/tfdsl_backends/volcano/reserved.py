"""What belongs to Volcano in a pod: its plugins and its controller write it over what the user has there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.emit.located import child, entry
from tfdsl_backends.volcano import messages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tfdsl.backend import Unit
    from tfdsl.diagnostics import Diagnostic, Rule
    from tfdsl.ir.model import Job, Role
    from tfdsl.text import Span

FOLDER: Final = "/etc/volcano"
"""Where the svc plugin mounts its host lists (seen: "must be unique", and the job is Pending for ever)."""

_BOTH = ("job-name", "queue-name", "task-index", "task-spec")
LABELS: Final = frozenset(f"volcano.sh/{name}" for name in (*_BOTH, "job-namespace"))
ANNOTATIONS: Final = frozenset(
    (
        "scheduling.k8s.io/group-name",
        *(f"volcano.sh/{name}" for name in (*_BOTH, "job-retry-count", "job-version", "template-uid")),
    )
)


def check(unit: Unit) -> Iterator[Diagnostic]:
    """An error for each thing that would be lost, once for all roles that inherit it."""
    told: set[tuple[str, Span]] = set()
    for rule, path, words in _found(unit.job):
        span = unit.origins.span(path)
        if (rule.code, span) not in told:
            told.add((rule.code, span))
            yield rule(span, **words)


def variables(job: Job) -> frozenset[str]:
    """The names that the env and svc plugins set in every container of ``job``."""
    roles = [role.name.upper() for role in job.roles]
    hosts = [f"VC_{role}_{what}" for role in roles for what in ("HOSTS", "NUM")]
    return frozenset(("VC_TASK_INDEX", "VK_TASK_INDEX", *hosts))


def _found(job: Job) -> Iterator[tuple[Rule, str, Mapping[str, str]]]:
    taken = variables(job)
    for role in job.roles:
        for mount in role.mounts:
            if mount.at == FOLDER or mount.at.startswith(f"{FOLDER}/"):
                yield messages.RESERVED_PATH, child(mount.path, "at"), {"path": mount.at}
        for name in role.env:
            if name in taken:
                yield messages.RESERVED_VARIABLE, entry(child(role.path, "env"), name), {"name": name}
        yield from _marks(role, "labels", role.labels, LABELS)
        yield from _marks(role, "annotations", role.annotations, ANNOTATIONS)


def _marks(
    role: Role, field: str, given: Mapping[str, str], taken: frozenset[str]
) -> Iterator[tuple[Rule, str, Mapping[str, str]]]:
    for name in given:
        if name in taken:
            yield messages.RESERVED_MARK, entry(child(role.path, field), name), {"name": name}
