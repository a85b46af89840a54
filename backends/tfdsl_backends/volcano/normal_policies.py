"""Policies, minimums and plugins of Volcano's jobs in one form each, as webhook, controller and scheduler read them.

The first policy of a list that matches decides. A policy on events matches by event alone, one on an exit status only
when a pod fails; the webhook allows each event and status once. So policies on events may change places, those on a
status too, and a status counts only before ``PodFailed`` or ``*``. Source: ``applyPolicies`` in
pkg/controllers/job/job_controller_util.go of Volcano 1.15.

What all tasks do in the same way is a policy of the job, the rest are policies of the tasks. What never acts
(:mod:`.controller`) is gone, and with it the numbers of starts and restarts that nothing looks at.

The scheduler looks at the minimums of tasks only where their sum is not above the job's (``checkTaskValid`` in
pkg/scheduler/api/job_info.go), the controller only then, too, when it decides whether a job that has ended has failed
(pkg/controllers/job/state/running.go). A task that waits for others always counts the minimums of those.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping as Map
from typing import Final

from tfdsl.manifest.nodes import (
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    child,
    items,
    mapping,
    scalar,
    text,
    view,
    with_value,
    without,
)
from tfdsl.record import Record
from tfdsl.text import Span
from tfdsl_backends.volcano.controller import (
    Decided,
    Minimums,
    Reaction,
    Reactions,
    Task,
    Trigger,
    canonical_duration,
    common,
    decided,
    minimums,
    of_task,
    reactions,
    triggers,
)
from tfdsl_backends.volcano.features import PLUGINS
from tfdsl_backends.volcano.policies import go_duration

NEVER: Final = ("JobUpdated",)
"""Events that no code emits."""

HIDES_STATUSES: Final = ("PodFailed", "*")


class _Policy(Record):
    """A policy on one event or one status."""

    node: Mapping
    event: str
    status: int | None
    span: Span


def in_their_order(policies: Sequence) -> Sequence:
    """The policies that can fire, each on one event or status, in one order; as they are, if one is malformed."""
    found: list[_Policy] = []
    for item in policies.items:
        parts = _parts(item)
        if parts is None:
            return policies
        found += parts
    firing: list[_Policy] = []
    statuses_count = True
    for policy in found:
        if policy.event in NEVER or (policy.event == "PodPending" and policy.node.get("timeout") is None):
            continue
        if policy.status is None or statuses_count:
            firing.append(policy)
        statuses_count = statuses_count and policy.event not in HIDES_STATUSES
    firing.sort(key=lambda policy: (policy.status is None, policy.status or 0, policy.event == "*", policy.event))
    return Sequence(tuple(_written(policy) for policy in firing), policies.span)


def _parts(node: Node) -> list[_Policy] | None:
    """One policy for each event of ``node``, or for its status."""
    if not isinstance(node, Mapping):
        return None
    events: dict[str, Span] = {}
    for item in (node.get("event"), *items(node.get("events"))):
        if isinstance(item, Scalar) and isinstance(item.value, str) and item.value:
            events.setdefault(item.value, item.span)
        elif item is not None:
            return None
    status = node.get("exitCode")
    code = scalar(status)
    if status is None:
        return [_Policy(node, event, None, span) for event, span in events.items()] or None
    if events or not isinstance(code, int) or isinstance(code, bool):
        return None
    return [_Policy(node, "", code, status.span)]


def _written(policy: _Policy) -> Mapping:
    node = policy.node
    if policy.status is None:
        node = without(with_value(node, "event", text(policy.event, policy.span)), ("events",))
    timeout = node.get("timeout")
    shown = canonical_duration(scalar(timeout))
    return node if timeout is None or shown is None else with_value(node, "timeout", text(shown, timeout.span))


_OF_JOB: Final = "Unknown"
_IS_COMPLETE: Final = ("CompleteJob", 0)


def policies(spec: Mapping) -> Mapping:
    """``spec`` with its policies in one form; as it is where a list of policies is not well-formed."""
    tasks = _tasks(spec)
    if tasks is None or not all(_is_well_formed(place) for place in (spec, *items(spec.get("tasks")))):
        return spec
    deciding = decided(list(tasks.values()), reactions(view(spec)["policies"]))
    shared = _shared(deciding)
    new = _with_policies(spec, shared | {key: reaction for key, reaction in deciding.job.items() if key == _OF_JOB})
    changed: list[Node] = []
    for task in items(spec.get("tasks")):
        assert isinstance(task, Mapping)
        own = deciding.tasks[str(scalar(task.get("name")))]
        kept = _with_policies(task, {key: reaction for key, reaction in own.items() if key not in shared})
        changed.append(kept if "TaskFailed" in own else without(kept, ("maxRetry",)))
    old = spec.get("tasks")
    assert old is not None
    new = with_value(new, "tasks", Sequence(tuple(changed), old.span))
    return new if deciding.restarts else without(new, ("maxRetry",))


def _tasks(spec: Mapping) -> dict[str, Task] | None:
    """The tasks by their names; ``None`` where they do not have one each."""
    by_name: dict[str, Task] = {}
    for task in items(spec.get("tasks")):
        name, policy = scalar(child(task, "name")), scalar(child(task, "template", "spec", "restartPolicy"))
        if not isinstance(task, Mapping) or not isinstance(name, str) or name in by_name:
            return None
        restarts = policy if isinstance(policy, str) and policy else "Always"
        by_name[name] = Task(name, reactions(view(task)["policies"]), restarts)
    return by_name or None


def _is_well_formed(place: Node) -> bool:
    """Whether every policy has an action, a timeout that is one, and either events or an exit status."""
    for policy in items(child(place, "policies")):
        if not isinstance(policy, Mapping) or not isinstance(scalar(policy.get("action")), str):
            return False
        timeout = policy.get("timeout")
        if timeout is not None and canonical_duration(scalar(timeout)) is None:
            return False
        asked = [*triggers(view(policy))]
        if not asked or (policy.get("exitCode") is not None and not isinstance(asked[0], int)):
            return False
    return True


def _shared(deciding: Decided) -> Reactions:
    """What the policies of the job say of every task.

    Exit statuses of the job would never be reached beside a PodFailed of a task. The one task of a job needs no policy
    to complete the job: it is complete anyway when all pods have ended.
    """
    if len(deciding.tasks) == 1:
        [own] = deciding.tasks.values()
        if own.get("TaskCompleted") is not None and own["TaskCompleted"].does == _IS_COMPLETE:
            del own["TaskCompleted"]
    shared = common(deciding.tasks.values())
    hides = any("PodFailed" in own for own in deciding.tasks.values()) and "PodFailed" not in shared
    return {key: reaction for key, reaction in shared.items() if not (hides and isinstance(key, int))}


def _with_policies(place: Mapping, said: Reactions) -> Mapping:
    if not said:
        return without(place, ("policies",))
    span = place.span
    entries = sorted(said.items(), key=lambda entry: (isinstance(entry[0], str), entry[0]))
    listed = tuple(_policy(trigger, reaction, reaction.span or span) for trigger, reaction in entries)
    return with_value(place, "policies", Sequence(listed, listed[0].span))


def _policy(trigger: Trigger, reaction: Reaction, span: Span) -> Node:
    entries: dict[str, Node] = {"event" if isinstance(trigger, str) else "exitCode": Scalar(trigger, span)}
    entries["action"] = Scalar(reaction.action, span)
    if reaction.timeout:
        entries["timeout"] = Scalar(go_duration(reaction.timeout), span)
    return mapping(entries, span)


def gang(spec: Mapping) -> Mapping:
    """``spec`` without minimums that nothing looks at, and without those that the webhook fills in."""
    tasks = items(spec.get("tasks"))
    if not all(isinstance(task, Mapping) for task in tasks):
        return spec
    least = minimums(view(spec))
    alone = len(tasks) == 1
    kept = _looked_at(spec, least)
    changed: list[Node] = []
    for task in tasks:
        assert isinstance(task, Mapping)
        usual = of_task(view(without(task, ("minAvailable",))))
        own = of_task(view(task))
        is_kept = not alone and own != usual and (kept is None or str(scalar(task.get("name"))) in kept)
        changed.append(task if is_kept else without(task, ("minAvailable",)))
    old = spec.get("tasks")
    new = with_value(spec, "tasks", Sequence(tuple(changed), old.span)) if old is not None and changed else spec
    usual = sum(minimums(view(new)).tasks.values())
    if least.job == usual:
        return without(new, ("minAvailable",))
    place = spec.get("minAvailable")
    return with_value(new, "minAvailable", Scalar(least.job, place.span if place is not None else spec.span))


def with_minimum_of(own: Mapping, other: Mapping, minimum: Callable[[Mapping], int]) -> Mapping:
    """``own`` with ``minAvailable`` as ``other`` has it, written or not, where both have the same ``minimum``.

    It is left out where it is what the replicas ask for, which can be so on one side only.
    """
    theirs = other.get("minAvailable")
    if minimum(own) != minimum(other):
        return own
    return without(own, ("minAvailable",)) if theirs is None else with_value(own, "minAvailable", theirs)


def _looked_at(spec: Mapping, least: Minimums) -> frozenset[str] | None:
    """The tasks whose minimums something looks at; ``None`` for all."""
    waited_for = frozenset(
        str(scalar(name)) for task in items(spec.get("tasks")) for name in items(child(task, "dependsOn", "name"))
    )
    total = sum(least.tasks.values())
    return waited_for if total > least.job or total == 0 else None


# Arguments of the plugins. Source: `pkg/controllers/job/plugins` of Volcano 1.15.

_FLAG: Final = re.compile(r"--?([A-Za-z0-9][^=]*)(?:=(.*))?", re.S)
_TRUE: Final = ("1", "t", "T", "TRUE", "true", "True")
_FALSE: Final = ("0", "f", "F", "FALSE", "false", "False")
_INT: Final = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,17})", re.ASCII)


def with_defaults(plugins: Mapping) -> Mapping:
    """``plugins`` with those that the webhook adds, and each with the arguments that are not the default."""
    entries = {key: Entry(key, entry.key_span, _arguments(key, entry.value)) for key, entry in plugins.entries.items()}
    for name in plugins.entries:
        for added in PLUGINS[name].adds if name in PLUGINS else ():
            place = plugins.entries[name]
            entries.setdefault(added, Entry(added, place.key_span, Sequence((), place.value.span)))
    return Mapping(dict(sorted(entries.items())), plugins.span)


def _arguments(plugin: str, node: Node) -> Node:
    """The arguments in one spelling and order; as they are, if the plugin does not know all of them."""
    flags = PLUGINS[plugin].flags if plugin in PLUGINS else None
    if flags is None or not isinstance(node, Sequence):
        return node
    values = _parsed(flags, [scalar(item) for item in node.items])
    if values is None:
        return node
    kept = [f"--{name}={_shown(value)}" for name, value in sorted(values.items()) if value != flags[name]]
    return Sequence(tuple(text(argument, node.span) for argument in kept), node.span)


def _parsed(flags: Map[str, bool | int | str], arguments: list[object]) -> dict[str, bool | int | str] | None:
    values: dict[str, bool | int | str] = {}
    waiting = [*arguments]
    while waiting:
        argument = waiting.pop(0)
        match = _FLAG.fullmatch(argument) if isinstance(argument, str) else None
        if match is None or match[1] not in flags:
            return None
        default, written = flags[match[1]], match[2]
        if written is None:
            if isinstance(default, bool):
                written = "true"
            elif waiting and isinstance(following := waiting.pop(0), str):
                written = following
            else:
                return None
        value = _value(default, written)
        if value is None:
            return None
        values[match[1]] = value
    return values


def _value(default: bool | int | str, written: str) -> bool | int | str | None:
    if isinstance(default, bool):
        return True if written in _TRUE else False if written in _FALSE else None
    if isinstance(default, int):
        return int(written) if _INT.fullmatch(written) else None
    return written


def _shown(value: bool | int | str) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
