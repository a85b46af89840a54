"""Which runs of which programs ``logs --follow`` shows, with clients that answer at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from tfdsl import targets
from tfdsl.backend.cluster import Answer, Call, Live, LogOptions, Place, Replica
from tfdsl.operating.logs import Follower
from tfdsl.record import Record, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tfdsl.backend.cluster import ReplicaPhase
    from tfdsl.operating.session import Session


NO_RUN_BEFORE = "the log of a pod that was not started again"


class Client(Record):
    """One that runs."""

    call: Call


class Clients:
    """Each says its command line; one that stays ends when the job has ended, if ``ends``."""

    ends = True

    def __init__(self) -> None:
        self.running: dict[object, Client] = {}
        self.new: list[object] = []

    def start(self, key: object, call: Call) -> None:
        self.running[key] = Client(call)
        self.new.append(key)

    def wait(self, seconds: float, take: Callable[[object, bytes], None]) -> list[tuple[object, Answer]]:
        refused = {key for key in self.new if self.running[key].call.about == NO_RUN_BEFORE}
        for key in self.new:
            if key not in refused:
                take(key, " ".join(self.running[key].call.words).encode())
        self.new = []
        over = [key for key, one in self.running.items() if self.ends or not one.call.stays]
        for key in over:
            del self.running[key]
        return [(key, Answer(int(key in refused), "", "")) for key in over]

    def close(self) -> None:
        """Nothing is left to be ended."""


class Kubectl:
    """The ``cluster`` of a target with pods: a log is that of a run."""

    def log(self, place: Place, live: Live, replica: Replica, container: str, options: LogOptions) -> Call | None:
        run = f"before {replica.restarts}" if options.previous else f"{replica.restarts}"
        about = NO_RUN_BEFORE if options.previous and replica.id == "new" else "the log"
        return Call((replica.name, container, run), about, stays=options.follow) if replica.name else None


class Readings:
    """A session whose job is read again and again."""

    patience = 0.01
    is_over = False
    place = Place("train")

    def __init__(self, cluster: object, lives: list[Live]) -> None:
        self.cluster = cluster
        self.lives: Iterator[Live] = iter(lives)

    def left(self, seconds: float) -> float:
        return 0.001

    def read_again(self) -> Live:
        return next(self.lives)


def followed(monkeypatch: pytest.MonkeyPatch, cluster: object, replicas: list[Replica], *, ends: bool) -> list[str]:
    """What is shown of a job whose one replica is read as ``replicas``, and as the last when the job has ended."""
    monkeypatch.setattr("tfdsl.operating.logs.Streams", Clients)
    monkeypatch.setattr(Clients, "ends", ends)
    lives = [Live("volcano", "train", "", "1", "running", replicas=(one,)) for one in replicas]
    first, *others = [*lives, lives[-1], replace(lives[-1], phase="succeeded")]
    shown: list[str] = []
    session = cast("Session", Readings(cluster, others))

    def show(name: str, data: bytes) -> None:
        shown.append(f"{name} {data.decode().partition(' ')[2]}")

    Follower(session, [], LogOptions(follow=True), show, lambda text: None).run(first)
    return shown


def pod(restarts: int, phase: ReplicaPhase = "running", uid: str = "a") -> Replica:
    return Replica("worker", 0, phase, "train-worker-0", "", restarts, None, ("fetch", "main"), uid)


NONE = Replica("worker", 0, "absent")


@pytest.mark.parametrize(
    ("replicas", "runs"),
    [
        ([pod(0), pod(1)], "0, 1"),
        ([pod(0), pod(2)], "0, before 2, 2"),  # run 1 came and went between two readings
        ([pod(0), pod(2, "waiting")], "0, 2"),  # the log is that of the run that has just ended
        ([pod(0), pod(2, "waiting"), pod(3)], "0, 2, 3"),
        ([pod(3), pod(3)], "3"),  # what was before is not asked for
        ([NONE, pod(1)], "before 1, 1"),
        ([NONE, pod(0, "succeeded")], "0"),
        ([pod(0), pod(1, uid="new"), pod(0, uid="new")], "0, 0"),  # the pod that it replaced counts while it is listed
    ],
)
def test_each_run_is_shown_once_and_in_order(
    monkeypatch: pytest.MonkeyPatch, replicas: list[Replica], runs: str
) -> None:
    shown = followed(monkeypatch, Kubectl(), replicas, ends=True)
    steps = [line for line in shown if line.startswith("worker[0]/fetch ")]
    assert [line.removeprefix("worker[0] main ") for line in shown if line not in steps] == runs.split(", ")
    assert len(steps) == len({one.id for one in replicas if one.id})


def test_a_file_with_all_runs_is_followed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    slurm = targets.find("slurm")
    assert slurm is not None
    cluster = slurm.load_cluster()
    replicas = [Replica("worker", 0, "running", "/run/worker-0.log", "", count, id="/run") for count in (0, 1, 3)]
    shown = followed(monkeypatch, cluster, replicas, ends=False)
    assert shown == ["worker[0] -n +1 -F -- /run/worker-0.log"]
    later = [Replica("worker", 0, "absent"), replicas[-1]]
    assert followed(monkeypatch, cluster, later, ends=False) == shown
