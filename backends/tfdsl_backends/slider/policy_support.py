"""What the slider target does with policies.

The generated script knows a task's exit status and asks the application master to stop the application; Slider itself
only knows that a container is gone, and replaces it. There is no end with success for a component (SLIDER-494), and a
stop by request always ends as SUCCEEDED.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.backend import approximated, kept, refused, translated
from tfdsl_backends.slider import conditions as when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Row

SCRIPT = "package/files/job.json"
STOP = "POST /ws/v1/slider/application/action/stop"
REPLACED_FIRST = "Slider replaces a lost container first; the replacement then stops the application"


def _failures(event: str) -> Iterator[Row]:
    lost, fail, abort = ("", "SLI084", "SLI085") if event == "exit" else (f"; {REPLACED_FIRST}", "SLI070", "SLI071")
    word = "exit-" if event == "exit" else ""
    yield approximated(
        f"policies[{event}].fail job",
        STOP,
        f"the script stops the application, which YARN then shows as SUCCEEDED; task.log of the replica says why{lost}",
        fail,
        f"{word}fail-job",
    )
    yield approximated(
        f"policies[{event}].abort job",
        STOP,
        f"the application is stopped (slider start NAME resumes it){lost}",
        abort,
        f"{word}abort-job",
    )
    yield translated(
        f"policies[{event}].restart container",
        "metainfo autoStartOnFailure, " + SCRIPT,
        "the agent starts the task again in place, with the same host and port; a lost container is replaced",
    )
    yield refused(
        f"policies[{event}].restart pod",
        "a role is restarted either in place or in a new container; here another policy restarts it in place",
        "SLI072",
        "mixed-restarts",
        instead="use restart container for all of them",
        when=when.mixed,
    )
    yield approximated(
        f"policies[{event}].restart pod",
        "metainfo autoStartOnFailure false, " + SCRIPT,
        "Slider replaces the container, whose address is then another one: the other tasks start again with it",
        "SLI073",
        instead="restart container keeps host and port",
    )
    yield translated(f"policies[{event}].ignore", SCRIPT, "the replica counts as ended; its container stays")
    yield from _no_group_restart(event)
    yield kept(f"policies[{event}].index", SCRIPT)


def _no_group_restart(event: str) -> Iterator[Row]:
    for action, code in (("restart role", "SLI074"), ("restart job", "SLI075")):
        if action == "restart role" and event not in ("failed", "exit", "evicted"):
            continue
        yield refused(
            f"policies[{event}].{action}",
            "Slider restarts single containers only",
            code,
            instead="restart container, or target volcano",
        )


def _evictions() -> Iterator[Row]:
    yield kept("policies[evicted]", "")
    yield approximated("policies[evicted].fail job", STOP, REPLACED_FIRST, "SLI076", "evicted-stop")
    yield approximated("policies[evicted].abort job", STOP, REPLACED_FIRST, "SLI076", "evicted-stop")
    yield approximated(
        "policies[evicted].restart container",
        "",
        "the container is gone; Slider replaces it",
        "SLI077",
        "evicted-in-place",
        instead="write restart pod",
    )
    yield kept("policies[evicted].restart pod", "Slider replaces lost containers")
    yield refused(
        "policies[evicted].ignore",
        "Slider always replaces a lost container",
        "SLI078",
        "evicted-ignore",
        instead="write restart pod",
    )
    yield from _no_group_restart("evicted")
    yield kept("policies[evicted].index", SCRIPT)


def _no_delay(event: str) -> Row:
    return refused(
        f"policies[{event}].delay", "Slider acts at once", "SLI079", instead="leave after out, or use target volcano"
    )


def _pending() -> Iterator[Row]:
    yield kept("policies[pending]", "")
    for action in ("fail job", "abort job"):
        yield approximated(
            f"policies[pending].{action}",
            STOP,
            "a task that waits for the missing replica stops the application, so one of the others has to run",
            "SLI080",
            "pending",
        )
    yield refused(
        "policies[pending].restart pod",
        "a container that YARN has not given cannot be restarted",
        "SLI081",
        "pending-restart",
        instead="fail job or abort job",
    )
    yield from _no_group_restart("pending")
    yield kept("policies[pending].index", SCRIPT)
    yield kept("policies[pending].delay", SCRIPT)


def _restarted() -> Iterator[Row]:
    yield kept("policies[restarted]", "")
    for action in ("fail job", "abort job"):
        key = f"policies[restarted].{action}"
        yield translated(key, SCRIPT, "counted by the script", when=when.one_replica)
        yield approximated(
            key, SCRIPT, "restarts are counted for each replica, not for the role", "SLI082", "restarted-count"
        )
    yield from _no_group_restart("restarted")
    yield kept("policies[restarted].index", SCRIPT)


def _unknown() -> Iterator[Row]:
    yield kept("policies[unknown]", "")
    for action in ("fail job", "abort job", "restart job", "ignore"):
        yield refused(
            f"policies[unknown].{action}",
            "Slider does not say that a part of the job cannot be placed",
            "SLI083",
            "unknown",
            instead="on ROLE pending after DURATION => fail job",
        )


POLICIES: tuple[Row, ...] = (
    kept("policies[completed]", ""),
    translated(
        "policies[completed].complete job",
        STOP,
        "the replica that sees every one of its role ended asks for the stop; ended replicas keep their containers "
        "till then",
    ),
    *_no_group_restart("completed"),
    kept("policies[completed].index", SCRIPT),
    kept("policies[failed]", ""),
    *_failures("failed"),
    _no_delay("failed"),
    kept("policies[exit]", ""),
    *_failures("exit"),
    *_evictions(),
    _no_delay("evicted"),
    *_pending(),
    *_restarted(),
    *_unknown(),
)
