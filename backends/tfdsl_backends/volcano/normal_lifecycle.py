"""The policies of a whole job in one form: what follows what in each task, wherever it is written.

What all tasks do in the same way is a policy of the job, the rest are policies of the tasks. What never acts
(:mod:`.controller_policies`) is gone, and with it the numbers of starts and restarts that nothing looks at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.manifest.edits import child, items, scalar, with_value, without
from tfdsl.manifest.nodes import Mapping, Node, Scalar, Sequence, mapping
from tfdsl.manifest.view import view
from tfdsl_backends.volcano.controller_policies import (
    Decided,
    Reaction,
    Reactions,
    Task,
    Trigger,
    common,
    decided,
    reactions,
    triggers,
)
from tfdsl_backends.volcano.normal_policies import duration_of

if TYPE_CHECKING:
    from tfdsl.text import Span

_OF_JOB: Final = "Unknown"
_IS_COMPLETE: Final = ("CompleteJob", 0)


def policies(spec: Mapping) -> Mapping:
    """``spec`` with its policies in one form; as it is where a list of policies is not well-formed."""
    tasks = _tasks(spec)
    if tasks is None or not all(_is_well_formed(place) for place in (spec, *items(spec.get("tasks")))):
        return spec
    found = decided(list(tasks.values()), reactions(view(spec)["policies"]))
    shared = _shared(found)
    new = _with_policies(spec, shared | {key: one for key, one in found.job.items() if key == _OF_JOB})
    changed: list[Node] = []
    for task in items(spec.get("tasks")):
        assert isinstance(task, Mapping)
        own = found.tasks[str(scalar(task.get("name")))]
        kept = _with_policies(task, {key: one for key, one in own.items() if key not in shared})
        changed.append(kept if "TaskFailed" in own else without(kept, ("maxRetry",)))
    old = spec.get("tasks")
    assert old is not None
    new = with_value(new, "tasks", Sequence(tuple(changed), old.span))
    return new if found.restarts else without(new, ("maxRetry",))


def _tasks(spec: Mapping) -> dict[str, Task] | None:
    """The tasks by their names; ``None`` where they do not have one each."""
    found: dict[str, Task] = {}
    for task in items(spec.get("tasks")):
        name, policy = scalar(child(task, "name")), scalar(child(task, "template", "spec", "restartPolicy"))
        if not isinstance(task, Mapping) or not isinstance(name, str) or name in found:
            return None
        restarts = policy if isinstance(policy, str) and policy else "Always"
        found[name] = Task(name, reactions(view(task)["policies"]), restarts)
    return found or None


def _is_well_formed(place: Node) -> bool:
    """Whether every policy has an action, a timeout that is one, and either events or an exit status."""
    for policy in items(child(place, "policies")):
        if not isinstance(policy, Mapping) or not isinstance(scalar(policy.get("action")), str):
            return False
        timeout = policy.get("timeout")
        if timeout is not None and duration_of(scalar(timeout)) is None:
            return False
        asked = [*triggers(view(policy))]
        if not asked or (policy.get("exitCode") is not None and not isinstance(asked[0], int)):
            return False
    return True


def _shared(found: Decided) -> Reactions:
    """What the policies of the job say of every task.

    Exit statuses of the job would never be reached beside a PodFailed of a task. The one task of a job needs no policy
    to complete the job: it is complete anyway when all pods have ended.
    """
    if len(found.tasks) == 1:
        [own] = found.tasks.values()
        if own.get("TaskCompleted") is not None and own["TaskCompleted"].does == _IS_COMPLETE:
            del own["TaskCompleted"]
    shared = common(found.tasks.values())
    hides = any("PodFailed" in own for own in found.tasks.values()) and "PodFailed" not in shared
    return {key: one for key, one in shared.items() if not (hides and isinstance(key, int))}


def _with_policies(place: Mapping, said: Reactions) -> Mapping:
    if not said:
        return without(place, ("policies",))
    span = place.span
    entries = sorted(said.items(), key=lambda entry: (isinstance(entry[0], str), entry[0]))
    listed = tuple(_policy(trigger, one, one.span or span) for trigger, one in entries)
    return with_value(place, "policies", Sequence(listed, listed[0].span))


def _policy(trigger: Trigger, one: Reaction, span: Span) -> Node:
    entries: dict[str, Node] = {"event" if isinstance(trigger, str) else "exitCode": Scalar(trigger, span)}
    entries["action"] = Scalar(one.action, span)
    if one.timeout:
        entries["timeout"] = Scalar(_shown(one.timeout), span)
    return mapping(entries, span)


def _shown(milliseconds: int) -> str:
    unit, size = next((unit, size) for unit, size in _UNITS if milliseconds % size == 0)
    return f"{milliseconds // size}{unit}"


_UNITS: Final = (("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1))
