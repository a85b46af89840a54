"""Following and changing names: definition, references, highlight, rename, links."""

from __future__ import annotations

import pytest

from tests.lsp.marked import edited, marked, shown
from tfdsl.lsp.features.navigation import definition, highlight, links, references, renamable, rename

COMMON = {
    "common.tfjob": 'param workers: int = 4\nlet registry = "r"\nlet base = "${registry}/b"\n'
    "template gpus { gpu = 1, min_available = roles.worker.replicas, on worker failed => restart pod }\n",
    "other.tfjob": 'include "common.tfjob"\njob o { image = "${registry}/o:1", role chief { use gpus } }\n',
}
JOB = """\
include "common.tfjob"
profile big { workers = 8 }
job a {
  image = "${registry}/a:${len(base)}"
  role worker { use gpus, replicas = workers }
  role ps { after = ["worker"] }
  output "/x" to "/y" from worker[0]
  on worker completed => complete job
  args = ["${roles.worker.replicas}"]
  target volcano { role worker { cpu = 1 } }
}
job b { image = "b:1", role worker { } }
"""


def at(before: str, behind: str, text: str = JOB) -> str:
    """``text`` with the mark between two pieces of it."""
    assert text.count(before + behind) == 1
    return text.replace(before + behind, f"{before}▮{behind}")


@pytest.mark.parametrize(
    ("before", "behind", "place"),
    [
        ("${regi", "stry}", "common.tfjob:2:5 registry"),
        ("replicas = ", "workers }", "common.tfjob:1:7 workers"),
        ("big { wor", "kers", "common.tfjob:1:7 workers"),
        ("use gp", "us", "common.tfjob:4:10 gpus"),
        ('include "com', "mon", "common.tfjob:1:1"),
        ("on wor", "ker", "job.tfjob:5:8 worker"),
        ("from wor", "ker", "job.tfjob:5:8 worker"),
        ('["wor', "ker", "job.tfjob:5:8 worker"),
        ("roles.wor", "ker", "job.tfjob:5:8 worker"),
    ],
)
def test_definition(before: str, behind: str, place: str) -> None:
    assert place in shown(definition(*marked(at(before, behind), COMMON)))


FLOW = "job fetch { }\njob b-c { }\nflow nightly { run fetch, run b-c after [fet▮ch] }\n"


def test_a_job_in_a_flow() -> None:
    assert shown(definition(*marked(FLOW))) == ["job.tfjob:1:5 fetch"]
    assert shown(references(*marked(FLOW), declaration=True)) == [
        "job.tfjob:1:5 fetch",
        "job.tfjob:3:20 fetch",
        "job.tfjob:3:42 fetch",
    ]


def test_words_of_the_language_lead_to_what_they_speak_of() -> None:
    text = 'job a {\n namespace = "n"\n queue = "${job.na▮mespace}"\n role ps { }\n}\n'
    assert shown(definition(*marked(text))) == ["job.tfjob:2:2 namespace"]
    text = 'job a {\n role ps {\n  workdir = "${role.na▮me}"\n }\n}\n'
    assert shown(definition(*marked(text))) == ["job.tfjob:2:7 ps"]


@pytest.mark.parametrize("text", ["let x = ▮nothing", "▮", "job a { use ▮nothing }", "let x = ▮1"])
def test_no_definition(text: str) -> None:
    assert definition(*marked(text)) == []


def test_references_across_files_that_include_the_declaration() -> None:
    snap, offset = marked(at("${regi", "stry}"), COMMON)
    assert shown(references(snap, offset, declaration=True)) == [
        "job.tfjob:4:14 registry",
        "common.tfjob:2:5 registry",
        "common.tfjob:3:15 registry",
        "other.tfjob:2:20 registry",
    ]
    assert "common.tfjob:2:5 registry" not in shown(references(snap, offset, declaration=False))


def test_a_role_belongs_to_its_job_and_the_templates_that_it_uses() -> None:
    found = shown(references(*marked(at("role wor", "ker { use"), COMMON), declaration=True))
    assert found == [
        "job.tfjob:5:8 worker",
        "job.tfjob:6:23 worker",
        "job.tfjob:7:28 worker",
        "job.tfjob:8:6 worker",
        "job.tfjob:9:20 worker",
        "job.tfjob:10:25 worker",
        "common.tfjob:4:48 worker",
        "common.tfjob:4:68 worker",
    ]


def test_highlight_stays_in_the_text() -> None:
    snap, offset = marked(at("use gp", "us"), COMMON)
    assert shown(one.span for one in highlight(snap, offset)) == ["job.tfjob:5:21 gpus"]
    text = "let x = 1\nlet y = ▮x + x\n"
    found = highlight(*marked(text))
    assert [(one.span.start, one.declares) for one in found] == [(4, True), (18, False), (22, False)]


# --- renaming --------------------------------------------------------------------------------------------------


def renamed(text: str, name: str) -> dict[str, str]:
    edits = rename(*marked(text, COMMON), name)
    assert not isinstance(edits, str), edits
    return edited(edits)


def refused(text: str, name: str) -> str:
    why = rename(*marked(text, COMMON), name)
    assert isinstance(why, str)
    return why


def test_renaming_a_let_changes_every_file() -> None:
    texts = renamed(at("${regi", "stry}"), "reg")
    assert texts["common.tfjob"] == COMMON["common.tfjob"].replace("registry", "reg")
    assert texts["job.tfjob"] == JOB.replace("registry", "reg")
    assert texts["other.tfjob"] == COMMON["other.tfjob"].replace("registry", "reg")


def test_renaming_a_param_changes_profiles() -> None:
    texts = renamed(at("replicas = ", "workers }"), "count")
    assert "profile big { count = 8 }" in texts["job.tfjob"]
    assert "replicas = count }" in texts["job.tfjob"]
    assert "role worker" in texts["job.tfjob"]


def test_renaming_a_template() -> None:
    texts = renamed(at("use gp", "us"), "cards")
    assert "use cards" in texts["job.tfjob"]
    assert "template cards" in texts["common.tfjob"]
    assert "use cards" in texts["other.tfjob"]


def test_renaming_a_role_changes_after_on_from_and_interpolations() -> None:
    texts = renamed(at("role wor", "ker { use"), "evaluator")
    expected = JOB.replace("worker", "evaluator").replace(
        'job b { image = "b:1", role evaluator', 'job b { image = "b:1", role worker'
    )
    assert texts["job.tfjob"] == expected.replace("evaluators", "workers")
    assert "roles.evaluator.replicas, on evaluator failed" in texts["common.tfjob"]


STEPS = """\
template data { prepare fetch { command = ["./fetch"] } }
job a {
  image = "a:1"
  role worker { use data, prepare fetch { cpu = 1 } }
  role ps { unset prepare fetch }
}
job b { image = "b:1", prepare fetch { command = ["x"] }, sidecar "log-1" { image = "l" }, role worker { } }
"""


def test_a_step_belongs_to_its_job_and_the_templates_that_it_uses() -> None:
    place = at("unset prepare fe", "tch }", STEPS)
    assert shown(definition(*marked(place))) == ["job.tfjob:1:25 fetch", "job.tfjob:4:35 fetch"]
    text = renamed(place, "load")["job.tfjob"]
    assert text.count("load") == 3
    assert 'job b { image = "b:1", prepare fetch' in text


def test_renaming_a_step_in_quotes() -> None:
    place = at('sidecar "lo', 'g-1"', STEPS)
    assert 'sidecar "log-2" {' in renamed(place, "log-2")["job.tfjob"]
    assert refused(place, "fetch") == "there is a step fetch already"
    assert refused(place, "Log") == "Log cannot be the name of a step"


def test_renaming_a_job_keeps_its_quotes() -> None:
    assert renamed('job "a▮-1" { }\n', "b-2")["job.tfjob"] == 'job "b-2" { }\n'
    assert renamed("job a▮-1 { }\n", "b-2")["job.tfjob"] == "job b-2 { }\n"


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        (at("${regi", "stry}"), "workers", "there is a param or let workers already"),
        (at("${regi", "stry}"), "task", "a reserved word"),
        (at("${regi", "stry}"), "a b", "not a valid name"),
        (at("${regi", "stry}"), "true", "not a valid name"),
        (at("${regi", "stry}"), "", "not a valid name"),
        (at("${regi", "stry}"), "x}", "not a valid name"),
        (at("role wor", "ker { use"), "trainer", "a role must be one of chief"),
        (at("role wor", "ker { use"), "ps", "there is a role ps already"),
        ("let y = ▮nothing\n", "x", "nothing is not declared"),
        ("▮", "x", "there is nothing to rename here"),
        ("job a▮ { }\n", "x y", "cannot be the name of a job"),
        ("job a▮ { }\njob b { }\n", "b", "there is a job b already"),
    ],
)
def test_names_that_will_not_do(text: str, name: str, why: str) -> None:
    assert why in refused(text, name)


def test_what_can_be_renamed_is_told_before() -> None:
    span = renamable(*marked(at('["wor', "ker"), COMMON))
    assert span is not None
    assert span.text == "worker"
    assert renamable(*marked("let y = ▮nothing\n")) is None
    assert renamable(*marked("job a { ▮gpu = 1 }\n")) is None


def test_includes_are_links() -> None:
    snap, _ = marked('include "common.tfjob"\ninclude "sub/x.tfjob"\ninclude "${x}"\ninclude "/abs"\n▮', COMMON)
    assert [(span.text, path) for span, path in links(snap)] == [
        ("common.tfjob", "/work/common.tfjob"),
        ("sub/x.tfjob", "/work/sub/x.tfjob"),
    ]
