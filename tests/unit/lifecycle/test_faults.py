"""What ``--inject`` takes, and what it says about the rest."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from tests.unit.lifecycle.jobs import CHIEF, job
from tfdsl.diagnostics import Diagnostic
from tfdsl.lifecycle.behaviour import Exited, Lost, Split, Task
from tfdsl.lifecycle.faults import Injected, missing, parse
from tfdsl.record import replace
from tfdsl.text import Source, Span


def read(text: str) -> Injected:
    found = parse(text)
    assert isinstance(found, Injected), found
    return found


def wrong(text: str) -> tuple[str, str, str, tuple[str, ...]]:
    """The slug, what is marked, the message and the advice."""
    found = parse(text)
    assert isinstance(found, Diagnostic), found
    return found.rule.slug, found.span.text, found.message, found.helps


W1 = Task("worker", 1)
FETCH = 'prepare fetch { command = ["true"] }'


@pytest.mark.parametrize(
    ("text", "event", "after", "always"),
    [
        ("worker[1] exit 137 after 20s", Exited(W1, 137), 20_000, False),
        ("worker[1]  exit   137  after 1h30m ", Exited(W1, 137), 5_400_000, False),
        ("worker[1] exit 1", Exited(W1, 1), None, False),
        ("worker[1] exit 0", Exited(W1, 0), None, False),
        ("worker[1] completed after 2m", Exited(W1, 0), 120_000, False),
        ("worker[1] oom", Exited(W1, 137, oom=True), None, False),
        ("worker[1] evicted", Lost(W1, 143), None, False),
        ("worker[1] evicted exit 0 after 5s", Lost(W1, 0), 5000, False),
        ("worker[1] preempted", Lost(W1, deleted=True), None, False),
        ("worker[1] preempted exit 3 always", Lost(W1, 3, deleted=True), None, True),
        ("worker[1] node lost after 5s", Lost(W1, deleted=True, with_node=True), 5000, False),
        ("worker[1] exit 1 always", Exited(W1, 1), None, True),
        ("worker[1] evicted always after 5s", Lost(W1), 5000, True),
        ("worker[1] evicted after 5s always", Lost(W1), 5000, True),
        ("worker[1] pending", None, None, False),
        ("worker[1]/fetch exit 5", Exited(W1, 5, step="fetch"), None, False),
        ("worker[1]/fetch oom always after 5s", Exited(W1, 137, oom=True, step="fetch"), 5000, True),
    ],
)
def test_events(text: str, event: object, after: int | None, always: bool) -> None:
    found = read(text)
    assert (found.event(W1), found.after_ms, found.always) == (event, after, always)
    assert found.tasks(job(CHIEF, FETCH)) == [W1]


@pytest.mark.parametrize("text", ["train: worker[1] exit 1 after 2s", "train:worker[1] exit 1 after 2s"])
def test_a_job_of_a_flow_is_before_the_event(text: str) -> None:
    found = read(text)
    assert (found.job, found.event(W1), found.after_ms, found.subject.text) == (
        "train",
        Exited(W1, 1),
        2000,
        "worker[1]",
    )
    assert found.text == text
    assert read("train: preempted").job == "train"


@pytest.mark.parametrize(
    ("text", "flow", "message", "advice"),
    [
        (
            "mnist: ps[0] oom",
            "",
            "an event names a job only in a flow",
            "choose a flow with --flow, or write --job mnist",
        ),
        ("ps[0] oom", "nightly", "flow nightly has several jobs", "write the job first: mnist: ps[0] oom"),
        ("preempted", "nightly", "flow nightly has several jobs", "write the job first: mnist: preempted"),
        ("mnits: ps[0] oom", "nightly", "flow nightly has no job mnits", "did you mean mnist?"),
        ("x: ps[0] oom", "nightly", "flow nightly has no job x", "its jobs are mnist and other"),
        ("other: ps[1] oom", "nightly", "role ps of job other has no replica 1", "its only replica is 0"),
    ],
)
def test_which_job_of_a_flow_is_meant_is_said(text: str, flow: str, message: str, advice: str) -> None:
    jobs = [job(CHIEF), job(CHIEF).but(name="other")]
    found = missing(read(text), jobs, flow=flow)
    assert found is not None
    assert (found.message, found.helps[0][: len(advice)]) == (message, advice)
    assert missing(read("other: ps[0] oom"), jobs, flow="nightly") is None
    assert missing(read("ps[0] oom"), jobs[:1], flow="nightly") is None


def test_what_is_about_the_whole_job() -> None:
    found = read("unknown after 3s")
    assert (found.role, found.event(None), found.after_ms) == (None, Split(), 3000)
    assert list(found.tasks(job(CHIEF))) == []
    for text in ("preempted exit 0 after 3s", "time limit exit 0 after 3s"):
        found = read(text)
        assert (found.role, found.event(W1), found.after_ms) == (None, Lost(W1, 0, deleted=True), 3000)
        assert list(map(str, found.tasks(job(CHIEF)))) == ["chief[0]", "ps[0]", "worker[0]", "worker[1]"]


@pytest.mark.parametrize(
    ("text", "indexes"),
    [("worker exit 1", [0, 1]), ("worker[0..1] exit 1", [0, 1]), ("worker[1..1] exit 1", [1]), ("ps oom", [0])],
)
def test_replicas(text: str, indexes: list[int]) -> None:
    found = read(text)
    assert [task.index for task in found.tasks(job(CHIEF))] == indexes


@pytest.mark.parametrize(
    ("text", "slug", "marked", "message", "advice"),
    [
        ("", "inject-form", "", "there is nothing to play", "write for example worker[1] exit 137 after 20s"),
        ("exit 1", "inject-form", "exit", "exit needs a replica", "write worker[0] exit 1"),
        ("worker", "inject-form", "worker", "worker needs something that happens to it", "use exit STATUS, oom"),
        ("worker[1]", "inject-form", "worker[1]", "worker[1] needs something that happens to it", "use exit STATUS"),
        ("worker[x] exit 1", "inject-form", "worker[x]", "worker[x] does not name replicas", "write ROLE, ROLE[INDEX]"),
        ("worker[2..1] oom", "inject-form", "worker[2..1]", "the range 2..1 is empty", "write worker[1..2]"),
        (
            "ps[0] evictd",
            "inject-event",
            "evictd",
            "evictd is not something that can be played",
            "did you mean evicted",
        ),
        ("ps[0] drained", "inject-event", "drained", "drained is not something", "did you mean preempted?"),
        ("ps[0] OOMKilled", "inject-event", "OOMKilled", "OOMKilled is not something", "did you mean oom?"),
        ("ps[0] failed", "inject-event", "failed", "failed is not something", "did you mean exit 1?"),
        ("ps[0] 137", "inject-event", "137", "137 is not something that can be played", "use exit STATUS, oom"),
        ("ps[0] exit", "inject-form", "exit", "exit needs a status", "write exit 1"),
        ("ps[0] exit after 3s", "inject-form", "exit", "exit needs a status", "write exit 1"),
        ("ps[0] exit -1", "inject-status", "-1", "an exit status must be a number from 0 to 255, not -1", ""),
        ("ps[0] exit 256", "inject-status", "256", "an exit status must be a number from 0 to 255, not 256", ""),
        ("ps[0] exit ١", "inject-status", "١", "an exit status must be a number from 0 to 255, not ١", ""),
        ("ps[0] node", "inject-form", "node", "node needs lost", "write node lost"),
        ("ps[0] evicted exit", "inject-form", "exit", "exit needs a status", "write exit 1"),
        ("ps[0] unknown", "inject-form", "unknown", "unknown is about the whole job", "write unknown without"),
        ("ps[0] oom after", "inject-form", "after", "after needs a time", "write after 20s"),
        ("ps[0] oom after 20", "inject-time", "20", "20 is not a time", "write a number and a unit"),
        ("ps[0] oom after 9Gi", "inject-time", "9Gi", "9Gi is not a time", "write a number and a unit"),
        ("ps[0] oom after soon", "inject-time", "soon", "soon is not a time", "write a number and a unit"),
        ("ps[0] oom twice", "inject-form", "twice", "twice is not expected here", "after the event, write always"),
        ("ps[0] oom always always", "inject-form", "always", "always is repeated", "after the event"),
        ("ps[0] pending after 5s", "inject-form", "after", "pending cannot have a delay", "a replica that is pending"),
        ("ps[0] exit 0 always", "inject-form", "always", "exit 0 cannot happen always", "always goes with a failure"),
        ("time", "inject-form", "time", "time needs limit", "write time limit"),
        ("time limit always", "inject-form", "always", "time limit cannot happen always", "always goes with a failure"),
        ("preempted always", "inject-form", "always", "preempted cannot happen always", "always goes with a failure"),
        ("ps[0] time limit", "inject-form", "time", "time limit is about the whole job", "write time limit without"),
        ("ps[0]/fetch evicted", "inject-form", "evicted", "evicted cannot happen to a step", "a step can exit STATUS"),
        ("ps[0]/fetch exit 0", "inject-form", "exit", "a step that exits with 0 changes nothing", "write exit 1"),
        ("ps[0]/a/b exit 1", "inject-form", "ps[0]/a/b", "ps[0]/a/b does not name replicas", "write ROLE, ROLE[INDEX]"),
        (": ps[0] oom", "inject-form", ":", "there is no job before the colon", "write train: worker[0] exit 1"),
        ("train:", "inject-form", "train:", "there is nothing to play", "write for example worker[1] exit 137"),
        ("train: exit 1", "inject-form", "exit", "exit needs a replica", "write worker[0] exit 1"),
        ("train: ps[0] evictd", "inject-event", "evictd", "evictd is not something that can be played", "did you mean"),
        ("ps[0]: oom", "inject-form", "ps[0]:", "ps[0]: does not name replicas", "write ROLE, ROLE[INDEX]"),
        ("unknown always", "inject-form", "always", "unknown cannot happen always", "always goes with a failure"),
    ],
)
def test_what_is_wrong_is_marked(text: str, slug: str, marked: str, message: str, advice: str) -> None:
    found = wrong(text)
    assert found[:2] == (slug, marked)
    assert found[2].startswith(message)
    assert "".join(found[3]).startswith(advice)


@pytest.mark.parametrize("text", ["\n", "🙂 exist", "worker[99999999999999999999] oom", "$(x)", "{{ x }} oom", "'"])
def test_hostile_texts_get_a_message(text: str) -> None:
    assert wrong(text)[0].startswith("inject-")
    assert isinstance(parse(text * 10_000), Diagnostic)


@pytest.mark.parametrize(
    ("text", "slug", "marked", "advice"),
    [
        ("wroker[1] oom", "inject-no-role", "wroker[1]", "did you mean worker?"),
        ("Worker oom", "inject-no-role", "Worker", "did you mean worker?"),
        ("🙂 oom", "inject-no-role", "🙂", "its roles are chief, ps and worker"),
        ("evaluator oom", "inject-no-role", "evaluator", "its roles are chief, ps and worker"),
        ("worker[2] oom", "inject-no-replica", "worker[2]", "its replicas are 0 to 1"),
        ("worker[0..7] oom", "inject-no-replica", "worker[0..7]", "its replicas are 0 to 1"),
        ("ps[1] oom", "inject-no-replica", "ps[1]", "its only replica is 0"),
        ("worker[1]/fecth exit 1", "inject-no-step", "worker[1]/fecth", "did you mean fetch?"),
        ("worker/log exit 1", "inject-no-step", "worker/log", "its steps are fetch"),
        ("worker[7]/fetch exit 1", "inject-no-replica", "worker[7]/fetch", "its replicas are 0 to 1"),
        ("tensorboard/log exit 1", "inject-no-step", "tensorboard/log", "it has no steps"),
    ],
)
def test_what_no_job_has(text: str, slug: str, marked: str, advice: str) -> None:
    made = job(CHIEF, FETCH, 'role tensorboard { logdir = "/runs" }' if "tensorboard" in text else "")
    found = missing(read(text), [made])
    assert found is not None
    assert (found.rule.slug, found.span.text, found.helps) == (slug, marked, (advice,))
    assert missing(read("worker[1] oom"), [job(CHIEF)]) is None
    assert missing(read("unknown"), [job(CHIEF)]) is None


def test_the_mark_is_inside_of_the_quotes_of_a_shell() -> None:
    line = "tfdsl simulate mnist.tfjob --inject='worker[1] exiit 1'"
    place = Span(Source("<command line>", line), line.index("--"), len(line))
    found = parse("worker[1] exiit 1", place)
    assert isinstance(found, Diagnostic)
    assert found.span.text == "exiit"


WORDS = st.sampled_from(
    (
        *("worker", "worker[1]", "ps[0..7]", "unknown", "exit", "1", "137", "999", "oom", "evicted", "preempted"),
        *(
            "train:",
            ":",
            "node",
            "lost",
            "time",
            "limit",
            "worker/fetch",
            "completed",
            "pending",
            "after",
            "20s",
            "1h30m",
            "20",
            "always",
            "[",
            "🙂",
            "\0",
            "'",
            "\u202e",
        ),
    )
)


@given(st.lists(WORDS, max_size=8), st.sampled_from((" ", "  ", "\t", "")))
def test_whatever_is_written_is_read_or_marked(words: list[str], space: str) -> None:
    text = space.join(words)
    found = parse(text)
    if isinstance(found, Diagnostic):
        assert found.helps or found.rule.slug == "inject-status"
        assert 0 <= found.span.start <= found.span.end <= len(text)
        return
    again = read(found.text)
    assert replace(found, place=again.place, subject=again.subject) == again
