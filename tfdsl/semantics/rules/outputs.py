"""Outputs: where they may go (language reference, "Statements": output)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import value_rules
from tfdsl.diagnostics.suggest import listing
from tfdsl.semantics.mounts import pattern_of
from tfdsl.semantics.values import RunTime, RunTimeText

if TYPE_CHECKING:
    from collections.abc import Callable

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.semantics import resolved
    from tfdsl.semantics.values import Value

    Report = Callable[[Diagnostic], None]

_URI = ("hdfs://", "viewfs://")


def check(job: resolved.Job, report: Report) -> None:
    """Every destination is durable, and no two replicas write the same one."""
    for role in job.roles:
        for output in role.outputs:
            _destination(role, output, report)
            if output.index is None and role.replicas > 1 and not _has_index(output.destination):
                found = value_rules.OUTPUT_FROM_MANY(output.destination.span, role=role.name, replicas=role.replicas)
                report(found.help("put ${task.index} into the destination"))


def _destination(role: resolved.Role, output: resolved.Output, report: Report) -> None:
    path = pattern_of(output.destination.data) or ""
    if path.startswith(_URI):
        return
    span = output.destination.span
    if ".." in path.split("/"):
        report(value_rules.OUTPUT_PATH(span, path=span.text, problem="has a .. in it"))
        return
    if not role.mounted:
        return
    holders = [mount for mount in role.mounts if path.startswith(f"{mount.at}/")]
    holder = max(holders, key=lambda mount: len(mount.at), default=None)
    durable = [mount for mount in role.mounts if is_durable(mount)]
    if holder is None or holder not in durable or path.startswith("/dev/shm/"):
        found = value_rules.OUTPUT_NOT_DURABLE(span, path=span.text, role=role.name)
        if any(path.rstrip("/") == mount.at for mount in durable):
            report(found.help("the destination names the copy itself, which lies below the mount: add a name to it"))
        elif durable:
            report(found.help(f"those that do are mounted at {listing(mount.at for mount in durable)}"))
        else:
            report(found.help('mount a pvc, nfs, host or claim with keep = true, or write an "hdfs://…" URI'))
    elif holder.readonly is not None:
        found = value_rules.OUTPUT_PATH(span, path=span.text, problem="is in a mount that is readonly")
        report(found.note(holder.readonly, "readonly here"))


def is_durable(mount: resolved.Mount) -> bool:
    """Whether what is written into ``mount`` outlives the job."""
    keep = mount.options.get("keep")
    return mount.kind.durable or (keep is not None and keep.value.data is True)


def _has_index(value: Value) -> bool:
    parts = value.data.parts if isinstance(value.data, RunTimeText) else ()
    return any(isinstance(part, RunTime) and part.kind == "task.index" for part in parts)
