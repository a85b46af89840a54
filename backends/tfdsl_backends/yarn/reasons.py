"""Why YARN lets a job wait or has ended it, in the words of the language.

Sources of signs: ``report`` (the diagnostics of an application, by its state), ``memory`` and ``master`` (a container
that was killed for its memory; the application master's), ``containers`` (how many run), ``log`` (what the tasks have
logged: a verdict and why) and ``refusal`` (what the client says when it submits). The words are those of Hadoop 3.4.2
and were recorded (``tests/data/live/yarn.json``), except:

- ``starts``: the state ``LAUNCHED`` of ``AMState`` in Hadoop's scheduler;
- ``out-of-virtual-memory``: ``ContainersMonitorImpl`` of Hadoop; recorded is what it says of an application master;
- of the source ``log``: what our ``programs/coordinator.py`` and ``programs/task.py`` say, of which ``exited`` was
  recorded on a cluster;
- ``waits``, ``ended`` and ``script`` take what no other row knows.

Where the words of Hadoop 2.10 differ, they are matched as its source has them.
"""

from __future__ import annotations

from typing import Final

from tfdsl.backend.cluster import Row

_WAITS: Final = "ACCEPTED"
_ENDED: Final = "FAILED|KILLED"
_SHOWN: Final = "tfdsl logs shows what it printed"

ROWS: Final = (
    # --- applications that wait ---
    Row(
        "master-limit",
        ("report",),
        _WAITS,
        r"(?:Queue's|User's) AM resource limit exceeded",
        "its queue has too many application masters already, so it is not started",
        "wait until one of the queue's applications ends: tfdsl status --watch; or take another queue",
        "queue",
    ),
    Row(
        "no-room",
        ("report",),
        _WAITS,
        "waiting for resources to be assigned for AM",
        "its queue or its nodes have no room yet, not even for the application master",
        "wait: tfdsl status --watch; yarn queue -status says how full the queue is",
        "queue",
    ),
    Row("starts", ("report",), _WAITS, "AM container is launched", "its application master starts", tier=2),
    Row("waits", ("report",), _WAITS, r"\S", "YARN lets it wait: {said}", tier=2),
    Row(
        "no-room-for-tasks",
        ("containers",),
        "fewer",
        r"(?P<there>\d+) of (?P<wanted>\d+)",
        "{there} of {wanted} containers have a place, and the tasks wait for each other",
        "ask for less, or wait: tfdsl status --watch",
        "gpu|memory|cpu|queue",
    ),
    # --- why a task has ended ---
    Row(
        "out-of-memory",
        ("memory",),
        "physical",
        r"Current usage: (?P<used>[\d.]+ ?\w*B) of (?P<limit>[\d.]+ ?\w*B) physical",
        "{who} needed more memory than the limit: {used} of {limit}",
        "raise memory",
        "memory",
        event="failed",
    ),
    Row(
        "out-of-virtual-memory",
        ("memory",),
        "virtual",
        r"(?P<used>[\d.]+ ?\w*B) of (?P<limit>[\d.]+ ?\w*B) virtual",
        "{who} needed more virtual memory than its node allows: {used} of {limit}",
        "raise memory, of which the limit is a multiple, or ask for yarn.nodemanager.vmem-check-enabled = false",
        "memory",
        event="failed",
    ),
    Row(
        "outputs",
        ("log",),
        "fail",
        "exited with 0: its outputs could not be copied",
        "the outputs of {who} could not be copied",
        _SHOWN,
        "outputs",
        event="failed",
        basis="log",
    ),
    Row(
        "program-missing",
        ("log",),
        "fail",
        "exited with 127",
        "{who} exited with status 127: its program was not found",
        _SHOWN,
        "command",
        event="failed",
        basis="log",
    ),
    Row(
        "retries",
        ("log",),
        "fail",
        r"exited with (?P<status>\d+); all \d+ restarts are used up",
        "{who} exited with status {status}, and no retry is left",
        _SHOWN,
        "retries",
        event="failed",
        basis="log",
    ),
    Row(
        "exited",
        ("log",),
        "fail",
        r"exited with (?P<status>\d+)",
        "{who} exited with status {status}",
        _SHOWN,
        "command",
        event="failed",
        basis="log",
    ),
    Row(
        "tasks-missing",
        ("log",),
        "missing",
        r"(?P<there>\d+) of (?P<all>\d+) tasks registered within (?P<limit>[\d.]+) s; missing: (?P<names>.*)",
        "{names} had no container within {limit} s, which the others waited",
        "ask for less, or raise the option rendezvous_seconds",
        "gpu|memory|cpu|queue",
        basis="log",
    ),
    Row(
        "node-lost",
        ("report",),
        "FAILED",
        r"Container released on a \*lost\* node",
        "a node of the job was lost",
        "tfdsl submit starts it again",
        event="evicted",
    ),
    # --- why an application has ended ---
    Row(
        "master-memory",
        ("master",),
        "physical|virtual",
        "",
        "the application master needed more {reason} memory than its limit",
        "raise the option am_memory",
        "am_memory",
    ),
    Row(
        "file-missing",
        ("report",),
        "FAILED",
        r"(?:File does not exist|FileNotFoundException: (?:File )?): ?(?P<file>\S+)",
        "a file that its containers need is not in HDFS any more: {file}",
        "tfdsl submit copies it again",
    ),
    Row(
        "queue-stopped",
        ("report", "refusal"),
        "FAILED|",
        r"Queue (?P<queue>\S+) is STOPPED",
        "the queue {queue} is stopped",
        "take another queue, or wait",
        "queue",
    ),
    Row(
        "master-failed",
        ("report",),
        "FAILED",
        r"failed (?P<times>\d+) times.* exited with +exitCode: (?P<code>-?\d+)",
        "its application master ended {times} times, the last time with status {code}",
        "yarn logs with -am ALL shows what it printed",
        tier=2,
    ),
    Row("lost", ("log",), "fail", "was lost", "{who} was lost: its container or its node ended", tier=2, basis="log"),
    Row("script", ("log",), "fail|missing", r"\S", "the tasks say: {said}", tier=2, basis="log"),
    Row(
        "never-fits",
        ("report",),
        "FAILED",
        r"desired = [1-9]\d*, completed = 0, allocated = 0, failed = 0",
        "no container was given to the job: it asks for more than YARN ever gives to one",
        "yarn logs with -am ALL shows what YARN says of it",
        "gpu|memory|cpu",
        basis="inferred",
    ),
    Row(
        "deadline",
        ("report",),
        "DEADLINE",
        r"killed by user (?P<user>\S+)|killed by user",
        "it was ended about when its deadline passed, as submit.sh does",
        "raise deadline",
        "deadline",
        basis="inferred",
    ),
    Row("cancelled", ("report",), "KILLED", r"killed by user (?P<user>[^\s.]+)", "it was ended by user {user}"),
    Row("ended", ("report",), f"{_ENDED}|DEADLINE", r"\S", "YARN says: {said}", tier=2),
    # --- what submitting is refused for ---
    Row(
        "queue-missing",
        ("refusal",),
        "",
        r"Queue (?P<queue>\S+) not present in scheduler|unknown queue: ?(?P<other>\S+)",
        "there is no such queue",
        "yarn queue -list lists them; correct queue",
        "queue",
    ),
    Row(
        "queue-refused",
        ("refusal", "report"),
        "FAILED|",
        r"does not have permission to submit|cannot submit applications? to queue",
        "this user cannot submit to the queue",
        "take another queue, or ask who runs the cluster",
        "queue",
    ),
)
