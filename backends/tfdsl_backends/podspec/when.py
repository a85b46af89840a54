"""When the conditional rows of the family hold, and what they fill into their texts. The IR is not imported here."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tfdsl.backend import Condition, Unit, condition
from tfdsl.backend.conditions import fewer
from tfdsl.diagnostics.suggest import enumeration
from tfdsl.vocabulary.attributes import LEADERS

if TYPE_CHECKING:
    from tfdsl.ir.fields import Item
    from tfdsl.ir.model import BaseMount, ClaimMount, Job, Output, Role, RunTimeText, Step
    from tfdsl.vocabulary.quantities import Duration

part_of_second = Condition("not whole seconds", lambda unit, item: cast("Duration", item.value).ms % 1000 != 0)

all_replicas = Condition("= replicas", lambda unit, item: not fewer(unit, item))
"""Whether all replicas of the role are needed; TensorBoard never counts."""

first_replica = Condition("1", lambda unit, item: item.value == 1)
"""Whether the role needs no more than its first replica."""

of_tensorboard = Condition("tensorboard", lambda unit, item: item.role == "tensorboard")


@condition("keep = true")
def keeps(unit: Unit, item: Item) -> bool:
    """Whether a claim is meant to outlive the job."""
    name = cast("ClaimMount", item.node).claim
    return any(claim.keep for claim in unit.job.claims if claim.name == name)


def whole_seconds(unit: Unit, item: Item) -> dict[str, str]:
    """``value``: the duration that is written for one that is not whole seconds."""
    return {"value": f"{cast('Duration', item.value).seconds}s"} if part_of_second(unit, item) else {}


def namespace_flag(unit: Unit, item: Item) -> dict[str, str]:
    """``namespace``: what kubectl needs to find the job's objects."""
    return {"namespace": f" -n {unit.job.namespace}" if unit.job.namespace else ""}


def claim_and_namespace(unit: Unit, item: Item) -> dict[str, str]:
    """The same, and ``claim``: the name of the PersistentVolumeClaim of a ``mount claim``."""
    return {"claim": f"{unit.job.name}-{cast('ClaimMount', item.node).claim}", **namespace_flag(unit, item)}


@condition("flags, with several workers beside a chief or master")
def index_is_computed(unit: Unit, item: Item) -> bool:
    """Whether the workers' ``--task_index`` is not their own index, and has to be worked out at the start."""
    job = unit.job
    worker = job.role("worker")
    if job.cluster.discovery not in ("flags", "both") or worker is None or worker.server or worker.replicas == 1:
        return False
    return any(role.name in LEADERS for role in job.roles)


any_of_several = Condition(
    "with a list",
    lambda unit, item: any(isinstance(value, tuple) for value in cast("Role", item.node).node_selector.values()),
)
has_outputs = Condition("with outputs", lambda unit, item: bool(cast("Role", item.node).outputs))


mounts_folders = Condition("beside host or nfs mounts", lambda unit, item: bool(_folders(item)))
"""Whether the role mounts folders whose group the kubelet leaves as it is (volumes without SetUp ownership)."""


def folder_paths(unit: Unit, item: Item) -> dict[str, str]:
    """``paths``: where those folders are mounted."""
    return {"paths": ", ".join(_folders(item))}


def _folders(item: Item) -> list[str]:
    return [mount.at for mount in cast("Role", item.node).mounts if mount.kind in ("host", "nfs")]


runs_as_other_user = Condition(
    "with a run_as_user other than 0", lambda unit, item: bool(cast("Role", item.node).run_as_user and item.value)
)
"""Whether the command loses added capabilities when it starts, as those of any user but root (capabilities(7))."""


def user_and_capabilities(unit: Unit, item: Item) -> dict[str, str]:
    """``user``: the number of the role's user; ``value``: the names of its capabilities."""
    role = cast("Role", item.node)
    return {"user": str(role.run_as_user), "value": ", ".join(role.capabilities)}


breaks_restricted = Condition("beside what the standard forbids", lambda unit, item: bool(_forbidden(unit, item)))


def what_breaks_restricted(unit: Unit, item: Item) -> dict[str, str]:
    """``what``: what the role has that a restricted pod cannot have."""
    return {"what": enumeration(_forbidden(unit, item))}


def _forbidden(unit: Unit, item: Item) -> list[str]:
    """What the Pod Security Standard ``restricted`` forbids a pod, and the role has.

    Source: Pod Security Standards of Kubernetes 1.25 and newer, baseline and restricted.
    """
    role = cast("Role", item.node)
    if not role.restricted:
        return []
    more = [name for name in role.capabilities if name != "NET_BIND_SERVICE"]
    breaks = {
        "run_as_user = 0": role.run_as_user == 0,
        "privileged": role.privileged,
        f"capabilities {', '.join(more)}": bool(more),
        "host_network": role.host_network,
        "the option hosts": bool(unit.options.get("hosts")),
    }
    folders = [f"mount {mount.kind} at {mount.at}" for mount in role.mounts if mount.kind in ("host", "nfs")]
    return [*(what for what, has in breaks.items() if has), *folders]


has_the_images_user = Condition(
    "without run_as_user", lambda unit, item: bool(item.value) and cast("Role", item.node).run_as_user is None
)
"""Whether the kubelet looks for the user in the image."""


@condition("that run_as_user cannot read, without fs_group")
def mode_hides_files(unit: Unit, item: Item) -> bool:
    """Whether a ConfigMap's or Secret's files, which belong to root and its group, are hidden from the role's user.

    With ``fs_group`` the kubelet gives them to that group and lets it read them. Unless ``run_as_group`` names another
    group, a process may be in root's.
    """
    role, mode = unit.job.role(item.role), item.value
    if role is None or not role.run_as_user or role.fs_group is not None or not isinstance(mode, str):
        return False
    readers = 0o004 if role.run_as_group else 0o044
    return not int(mode, 8) & readers


def user_and_mode(unit: Unit, item: Item) -> dict[str, str]:
    """``user``: the number of the role's user; ``at``: where the files are; ``value``: their mode."""
    role = unit.job.role(item.role)
    user = role.run_as_user if role is not None else None
    return {"user": str(user), "at": cast("BaseMount", item.node).at, "value": str(item.value)}


@condition("to an hdfs:// destination")
def goes_to_hdfs(unit: Unit, item: Item) -> bool:
    """Whether an output is copied to HDFS."""
    destination = cast("Output", item.node).destination
    first = destination if isinstance(destination, str) else destination.parts[0]
    return isinstance(first, str) and first.startswith("hdfs://")


refers_to_undefined = Condition("a name that env does not define", lambda unit, item: bool(_undefined_in(unit, item)))
"""Whether a run-time text names a variable that Kubernetes would not replace."""


def undefined_names(unit: Unit, item: Item) -> dict[str, str]:
    """``names``: the variables that Kubernetes would not replace."""
    return {"names": ", ".join(f"${{env.{name}}}" for name in _undefined_in(unit, item))}


def _undefined_in(unit: Unit, item: Item) -> list[str]:
    """The names that the item refers to and that no env entry before it defines.

    ``env_from`` may define any name, and before all of ``env`` (kubelet, makeEnvironmentVariables).
    """
    role = unit.job.role(item.role)
    if role is None:
        return []
    holder = cast("Step", item.node) if item.key.startswith("steps") else role
    if item.key.endswith(".command{env}") and not isinstance(holder.command, tuple):
        return []
    if item.key.endswith(".env{env}"):
        undefined = _without_definition(unit.job, holder)
        return [name for name in undefined if name in holder.env] if holder.env_from else undefined
    if holder.env_from:
        return []
    known = _own_names(unit.job, holder)
    return list(dict.fromkeys(name for value in _values(item) for name in _names(value) if name not in known))


def _values(item: Item) -> list[object]:
    value: object = getattr(item.node, item.key.partition("{")[0].rpartition(".")[2])
    return list(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else [value]


def _own_names(job: Job, holder: Role | Step) -> set[str]:
    return set(holder.env) | ({"CHECKPOINT_DIR"} if job.checkpoint is not None else set())


def _names(value: object) -> list[str]:
    """Names of ``${env.NAME}`` in a run-time text, recognised by its parts: the IR is not imported here."""
    parts = cast("RunTimeText", value).parts if hasattr(value, "parts") else ()
    return [part.name for part in parts if not isinstance(part, str) and part.kind == "env"]


def _without_definition(job: Job, holder: Role | Step) -> list[str]:
    """Names that env entries refer to and that cannot be defined before them: missing, or in a cycle."""
    needs = {name: list(dict.fromkeys(_names(value))) for name, value in holder.env.items()}
    defined = _own_names(job, holder) - set(needs)
    ready = list(needs)
    while ready:
        ready = [name for name, wanted in needs.items() if set(wanted) <= defined]
        defined.update(ready)
        for name in ready:
            del needs[name]
    return list(dict.fromkeys(name for need in needs.values() for name in need if name not in defined))
