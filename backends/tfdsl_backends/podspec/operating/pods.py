"""What pods and events say of the replicas of a job."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Final

from tfdsl.backend.cluster import End, Phase, Replica, ReplicaPhase, Sign
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl_backends.podspec.operating.kubectl import Object, conditions, items, mapping, number, text

_KILLED: Final = (137, 143)
"""Exit statuses of a container that was stopped."""


class Pod(Record):
    """A pod: its replica, and what it says. ``claims``: the names of those that it mounts."""

    replica: Replica
    uid: str
    created: str
    deleted: bool
    signs: tuple[Sign, ...]
    claims: tuple[str, ...] = ()

    @property
    def runs(self) -> bool:
        """Whether nothing keeps it."""
        return self.replica.phase in ("running", "succeeded")


def pod_of(row: Object, role: str, index: int) -> Pod:
    """The pod of a replica."""
    status = row["status"]
    steps, mains = (items(status, key) for key in ("initContainerStatuses", "containerStatuses"))
    deleted = bool(row["deleted"])
    end = _end(status, mains or steps)
    replica = Replica(
        role,
        index,
        _phase(status, steps, mains, deleted=deleted),
        str(row["name"]),
        str(row["node"]),
        sum(number(one, "restartCount") or 0 for one in mains),
        end,
        tuple(text(one, "name") for one in (*steps, *mains)),
        str(row["uid"]),
    )
    signs = tuple(_signs(row, replica, steps, mains, deleted=deleted))
    return Pod(replica, str(row["uid"]), str(row["created"]), deleted, signs, tuple(str(row["claims"]).split()))


def _phase(status: object, steps: Sequence[object], mains: Sequence[object], *, deleted: bool) -> ReplicaPhase:
    said = text(status, "phase")
    if said in ("Succeeded", "Failed"):
        evicted = text(status, "reason") in ("Evicted", "NodeLost", "Preempting", "Shutdown", "NodeAffinity")
        return "succeeded" if said == "Succeeded" else "lost" if evicted else "failed"
    if deleted:
        return "stopping"
    begins = all(mapping(one, "state", "waiting") and not mapping(one, "lastState", "terminated") for one in mains)
    if begins and any(mapping(one, "state", "running") for one in steps):  # beside what runs, it is a sidecar
        return "preparing"
    if any(_failed(one) for one in (*steps, *mains)):
        return "failed"
    if any(mapping(one, "state", "waiting") and mapping(one, "lastState", "terminated") for one in mains):
        return "waiting"
    phases: dict[str, ReplicaPhase] = {"Running": "running", "Pending": "waiting"}
    return phases.get(said, "unknown")


def _failed(container: object) -> bool:
    return number(container, "state", "terminated", "exitCode") not in (None, 0)


_WORDS: Final = {"OOMKilled": "out of memory", "Evicted": "evicted", "DeadlineExceeded": "deadline", "StartError": ""}


def _end(status: object, containers: Sequence[object]) -> End | None:
    for one in containers:
        for state in ("state", "lastState"):
            ended = mapping(one, state, "terminated")
            if ended:
                why = text(status, "reason") if state == "state" else ""
                word = _WORDS.get(why) or _WORDS.get(text(ended, "reason"), "")
                return End(number(ended, "exitCode"), word, text(ended, "finishedAt"))
    return None


def _signs(
    row: Object,
    replica: Replica,
    steps: Sequence[Mapping[str, object]],
    mains: Sequence[Mapping[str, object]],
    *,
    deleted: bool,
) -> Iterator[Sign]:
    status, name = row["status"], f"pod/{row['name']}"
    lost = conditions(row).get("DisruptionTarget")
    if text(status, "reason"):
        at = replica.end.at if replica.end is not None else ""
        yield Sign("pod", text(status, "reason"), text(status, "message"), name, replica, at=at)
    elif lost is not None:
        at = text(lost, "lastTransitionTime")
        yield Sign("disruption", text(lost, "reason"), text(lost, "message"), name, replica, at=at)
    elif deleted and replica.phase == "stopping":
        yield Sign("deleted", "Deleted", "", name, replica, at=str(row["deleted"]))
    else:
        for one in items(status, "conditions"):
            if text(one, "type") == "PodScheduled" and text(one, "status") == "False":
                yield Sign("scheduling", text(one, "reason"), text(one, "message"), name, replica)
        for source, containers in (("step", steps), ("command", mains)):
            for one in containers:
                sign = _of_container(one, source, name, replica)
                if sign is not None and not (deleted and sign.status in _KILLED and sign.reason != "OOMKilled"):
                    yield sign


def _of_container(one: Mapping[str, object], source: str, name: str, replica: Replica) -> Sign | None:
    part, waiting = text(one, "name") if source == "step" else "", mapping(one, "state", "waiting")
    ended = mapping(one, "state", "terminated") or mapping(one, "lastState", "terminated")
    status, at = number(ended, "exitCode"), text(ended, "finishedAt")
    if mapping(one, "state", "terminated") and mapping(one, "lastState", "terminated") and source == "command":
        waiting = {"reason": "CrashLoopBackOff"}  # it will say so in a moment
    if waiting:
        reason, words = text(waiting, "reason"), text(waiting, "message")
        if status is not None and reason == "CrashLoopBackOff" and text(ended, "reason") != "Error":
            return Sign(source, text(ended, "reason"), text(ended, "message"), name, replica, part, status, at)
        return Sign("waiting", reason, words, name, replica, part, status, at) if reason else None
    if mapping(one, "state", "running") or not status:
        return None
    return Sign(source, text(ended, "reason"), text(ended, "message"), name, replica, part, status, at)


def newest(pods: Iterable[Pod]) -> list[Pod]:
    """The present pod of each replica; an older one counts as a restart, and says how the replica ended."""
    found: dict[tuple[str, int], Pod] = {}
    for pod in sorted(pods, key=lambda pod: (pod.created, not pod.deleted)):
        before = found.get((pod.replica.role, pod.replica.index))
        if before is not None:
            restarts = (before.replica.restarts or 0) + 1 + (pod.replica.restarts or 0)
            end = pod.replica.end or before.replica.end
            pod = replace(pod, replica=replace(pod.replica, restarts=restarts, end=end))
        found[pod.replica.role, pod.replica.index] = pod
    return list(found.values())


def phase_of(pods: Sequence[Pod]) -> Phase:
    """The phase of a job that has not ended, by its pods."""
    phases = {pod.replica.phase for pod in pods}
    if "running" in phases or "succeeded" in phases:
        return "running"
    placed = any(pod.replica.node and pod.replica.phase in ("waiting", "preparing") for pod in pods)
    return "starting" if placed else "waiting" if phases <= {"waiting"} else "running"


_NOISE: Final = ("Pulling", "Pulled", "Created", "Started", "Scheduled", "SuccessfulCreate", "SuccessfulDelete")
NOT_NOISE: Final = ",".join(f"reason!={reason}" for reason in _NOISE)
"""A field selector for events."""


def event_signs(
    events: Iterable[Object],
    since: str,
    uids: Set[str],
    pods: Sequence[Pod],
    replica_of: Callable[[str], tuple[str, int] | None],
    *,
    ended: bool,
) -> Iterator[Sign]:
    """What the events of a job's objects say.

    ``since``: when the job was created; an older event is of another job of its name. ``uids``: of the
    objects. ``replica_of``: the replica of a pod's name, which may be gone: that
    matters when the job has ``ended``. What has happened to a pod that runs is over.
    """
    by_uid = {pod.uid: pod for pod in pods}
    claims = {name for pod in pods if not pod.replica.node for name in pod.claims}
    for event in events:
        whole = event["whole"]
        kind, name, uid = (text(whole, "involvedObject", key) for key in ("kind", "name", "uid"))
        times = (("lastTimestamp",), ("eventTime",), ("metadata", "creationTimestamp"))
        at = next(filter(None, (text(whole, *path) for path in times)), "")
        if at < since:
            continue
        known, who = by_uid.get(uid), None
        if kind == "Pod":
            found = replica_of(name)
            if found is None or (known is not None and (known.runs or known.deleted)):
                continue
            if known is None and (not ended or at == since):
                continue
            if known is not None and known.replica.node and text(whole, "reason") == "FailedScheduling":
                continue  # it was placed after all
            who = known.replica if known is not None else Replica(*found, "absent", name)
        elif uid not in uids and not (
            name in claims
            if kind == "PersistentVolumeClaim"
            else any(owner in name for owner in uids if owner and kind == "PodGroup")
        ):
            continue
        source = "event" if known is not None or kind != "Pod" else "gone"
        step = _STEP.fullmatch(text(whole, "involvedObject", "fieldPath"))
        part, words = step[1] if step else "", text(whole, "message")
        yield Sign(source, text(whole, "reason"), words, f"{kind.lower()}/{name}", who, part, at=at)


_STEP: Final = regex(r"spec\.initContainers\{([a-z0-9-]+)\}")
_BEFORE_PODS: Final = regex(r"FailedCreate.*|Unschedulable|NotEnoughResources|FailedScheduling")


def is_over(sign: Sign, *, ended: bool, complete: bool, seen: bool) -> bool:
    """Whether a sign is about what kept pods from being created or placed, and that is over.

    ``complete``: all pods are there, on their nodes. ``seen``: the job has or had a pod.
    """
    if sign.source == "event" and sign.who is None and _BEFORE_PODS.fullmatch(sign.reason):
        return seen if ended else complete
    return ended and sign.source in ("deleted", "scheduling")
