"""What the yarn target does with policies.

Everything is done by the tasks themselves: the first one coordinates, all are connected with it for life. The stock
application master restarts nothing; the NodeManager relaunches a container in place, with its number and work folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.backend import approximated, kept, refused, translated
from tfdsl_backends.yarn import conditions as when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Row

PROGRAM = "the task program in job.sh"
RETRY = "-container_retry_policy, -container_max_retries"
GANG = "restart container and restart job start the whole gang again, in place"


def _failures(event: str) -> Iterator[Row]:
    key = f"policies[{event}]"
    for action in ("fail job", "restart container", "restart job", "ignore"):
        if action != "fail job":
            yield refused(
                f"{key}.{action}",
                "the modified client has no such policy",
                "YRN070",
                "tf-policy",
                instead='dialect = "stock"',
                when=when.yarn_tf,
            )
    yield translated(f"{key}.fail job", PROGRAM, "the others end within a second, with status 75")
    yield kept(f"{key}.restart container", PROGRAM, when=when.board_itself)
    yield approximated(
        f"{key}.restart container",
        RETRY,
        "the tasks have to meet again, so all containers of the job are relaunched in place with the failed one, which "
        "keeps its index; one that is killed as a whole (memory, node) is not relaunched, and the job fails",
        "YRN071",
        "restart-gang",
        instead="restart job says so",
    )
    yield approximated(
        f"{key}.restart job",
        RETRY,
        "all containers are relaunched in place, each with its index; one that is killed as a whole (memory, node) is "
        "not relaunched, and the job fails",
        "YRN087",
        "restart-killed",
    )
    yield approximated(
        f"{key}.ignore",
        PROGRAM,
        "a command's failure is ignored; a container that is lost altogether still fails the application in the end",
        "YRN072",
    )
    yield from _never(event, ("restart pod", "restart role", "abort job"))
    yield kept(f"{key}.index", PROGRAM)


def _never(event: str, actions: tuple[str, ...]) -> Iterator[Row]:
    reasons = {
        "restart pod": ("the application master gives no new container for a failed one", "YRN073", GANG),
        "restart role": ("a role cannot start again alone", "YRN074", GANG),
        "restart job": ("nothing starts the job again here", "YRN075", "on failed => restart job"),
        "abort job": ("an application that has stopped cannot be resumed", "YRN076", "fail job, and submit again"),
        "restart container": ("nothing starts the container again here", "YRN077", "on failed => restart job"),
        "ignore": ("the application master counts it as a failure", "YRN078", "on failed => ignore"),
    }
    for action in actions:
        why, code, instead = reasons[action]
        slug = f"{action.replace(' ', '-')}-event" if action in ("restart job", "restart container", "ignore") else ""
        yield refused(f"policies[{event}].{action}", why, code, slug, instead=instead)


def _delay(event: str) -> Row:
    return refused(
        f"policies[{event}].delay", "the tasks act at once", "YRN079", instead="leave after out, or use target volcano"
    )


def _board(event: str) -> Row:
    """Tensorboard is optional and looks after itself; only its ``failed`` policy changes that."""
    return refused(
        f"policies[{event}]",
        "tensorboard starts its command again whatever its status, and its loss ends nothing",
        "YRN088",
        "tensorboard-policy",
        instead="leave the policy out, or write one for all its failures: on tensorboard failed => fail job",
        when=when.board_starts_again,
    )


def _evicted() -> Iterator[Row]:
    yield _board("evicted")
    yield kept("policies[evicted]", "")
    yield translated("policies[evicted].fail job", PROGRAM, "a preempted or lost container is a failed one")
    for action in ("restart container", "restart pod", "restart role", "restart job"):
        yield refused(
            f"policies[evicted].{action}",
            "the application master does not replace a preempted or lost container",
            "YRN080",
            "evicted",
            instead="target volcano or tfjob can",
        )
    yield from _never("evicted", ("abort job", "ignore"))
    yield kept("policies[evicted].index", PROGRAM)
    yield _delay("evicted")


def _pending() -> Iterator[Row]:
    yield kept("policies[pending]", "")
    yield approximated(
        "policies[pending].fail job",
        PROGRAM,
        "the delay is the time limit of the rendezvous: it counts from the first task's start, and for all roles",
        "YRN081",
        "pending",
        when=when.subject,
    )
    yield approximated(
        "policies[pending].fail job",
        PROGRAM,
        "the delay is the time limit of the rendezvous: it counts from the start of the first task",
        "YRN082",
        "pending-start",
    )
    yield from _never("pending", ("abort job", "restart pod", "restart job"))
    yield kept("policies[pending].index", PROGRAM)
    yield kept("policies[pending].delay", PROGRAM)


def _restarted() -> Iterator[Row]:
    yield kept("policies[restarted]", "")
    for action in ("fail job", "abort job", "restart job"):
        yield refused(
            f"policies[restarted].{action}",
            "the NodeManager counts the restarts of each container, and all restart together",
            "YRN083",
            "restarted",
            instead="retries = N limits the restarts of the job",
        )
    yield kept("policies[restarted].index", "")


def _unknown() -> Iterator[Row]:
    yield kept("policies[unknown]", "")
    yield translated(
        "policies[unknown].fail job", PROGRAM, "tasks that are still missing at the time limit end the others"
    )
    yield from _never("unknown", ("abort job", "restart job"))
    yield refused(
        "policies[unknown].ignore",
        "the tasks wait rendezvous_seconds for each other and then end",
        "YRN084",
        "unknown-ignore",
        instead="a larger rendezvous_seconds",
    )


POLICIES: tuple[Row, ...] = (
    kept("policies[completed]", ""),
    approximated(
        "policies[completed].complete job",
        "",
        "the modified client decides when the job is complete",
        "YRN085",
        "tf-completed",
        when=when.yarn_tf,
        default="silent",
    ),
    translated(
        "policies[completed].complete job",
        PROGRAM,
        "the other tasks are stopped and exit 0, so the application ends SUCCEEDED",
    ),
    refused(
        "policies[completed].restart job",
        "a container that has exited 0 is not started again",
        "YRN086",
        "restart-completed",
        instead="submit the job again",
    ),
    kept("policies[completed].index", PROGRAM),
    kept("policies[failed]", ""),
    *_failures("failed"),
    _delay("failed"),
    _board("exit"),
    kept("policies[exit]", ""),
    *_failures("exit"),
    *_evicted(),
    *_pending(),
    *_restarted(),
    *_unknown(),
)
