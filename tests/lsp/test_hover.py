"""What is said about a word."""

from __future__ import annotations

import pytest

from tests.lsp.long_text import long_text
from tests.lsp.marked import marked, snapshot
from tfdsl import targets
from tfdsl.lsp.features.hover import hover
from tfdsl.lsp.features.problems import problems
from tfdsl.lsp.snapshot import Settings

JOB = """\
param workers: int = 4 {{ description = "replicas" }}
let registry = "r.example.com"
template gpus {{ gpu = 1 }}
job a {{
  image = "${{registry}}/a:1"
  role worker {{ use gpus, replicas = workers }}
  role chief {{ }}
  {item}
}}
"""


def told(text: str) -> str:
    found = hover(*marked(text))
    assert found is not None
    return found.text


def in_job(item: str) -> str:
    return told(JOB.format(item=item))


def test_an_attribute_has_type_default_and_meaning() -> None:
    text = in_job("gp▮u = 1")
    assert text.startswith("**gpu** (job, role) `int ≥ 0`")
    assert "Whole devices per replica." in text
    assert "Default: 0" in text


def test_an_attribute_tells_what_each_target_does_with_it() -> None:
    text = in_job("pri▮ority = 7")
    lines = {line.split()[1]: line for line in text.splitlines() if line.startswith("- ")}
    assert set(lines) == set(targets.names())
    assert "**refused**" in lines["volcano"]  # docs/targets/volcano.md: a number is refused …
    assert "takes the name of a PriorityClass, not the number 7" in lines["volcano"]
    assert "kept as `spec.priorityClassName`" in in_job('pri▮ority = "high"')  # … and a name is kept


def test_notes_are_shown_where_they_are_and_are_no_problems() -> None:
    text = in_job('mount pvc "p" at "/p"\n  gpu = 0\n  out▮put "/a" to "/p/a"')
    assert "Notes" not in text  # no target is asked for
    asked = Settings(targets=("tfjob", "volcano"))
    there = snapshot(JOB.format(item='mount pvc "p" at "/p"\n  output "/a" to "/p/a"'), settings=asked)
    place = there.source.text.index('"/a"')
    while there.work():  # what is asked meanwhile is answered at once
        early = hover(there, place)
        assert not there.checked
        assert early is None or "Notes" not in early.text
    found = hover(there, place)
    assert found is not None
    assert "Notes:\n- on tfjob, volcano: role chief's command is wrapped in /bin/sh" in found.text
    told = problems(there)[there.source.path]
    assert {one.diagnostic.level for one in told if one.quiet} == {"info"}
    assert "info" not in {one.diagnostic.level for one in told if not one.quiet}


def test_a_job_with_errors_has_the_tables_in_general() -> None:
    text = in_job("pri▮ority = 7\n  gpu = nothing")
    assert "(a number) **refused**" in text
    assert "kept as `spec.priorityClassName`" in text


def test_a_job_of_a_flow_has_its_own_table() -> None:
    other = 'job b {\n  image = "b:1"\n  role worker { }\n}\nflow all {\n  run b after a\n}\n'
    item = "pri▮ority = 7"
    assert told(JOB.format(item=item) + other) == in_job(item)


@pytest.mark.parametrize(
    ("item", "parts"),
    [
        (
            'mount p▮vc "x" at "/x"',
            ["**pvc** kind of mount", "An existing PersistentVolumeClaim.", "- yarn 3.4 **refused**"],
        ),
        ('mo▮unt pvc "x" at "/x"', ["persistentVolumeClaim", "- yarn 3.4 **refused**"]),
        ('target volcano { pat▮ch pod "spec.x" = 1 }', ["patch [pod]", "Sets a field of the finished document"]),
        ('target volcano { unpatch "spe▮c.x" }', ["unpatch [pod]", "Removes a field"]),
        (
            "on fai▮led => restart pod",
            ["**failed** event", "A replica exited with", "- volcano 1.15 "],
        ),
        ("on failed => rest▮art pod", ["**restart pod** action", "The replica gets a new pod."]),
        ("on wor▮ker failed => fail job", ["**worker** role", "Trains."]),
        ("target vol▮cano { }", ["**volcano** target", "1.6, 1.9", "`tf_config`"]),
        ('target volcano { tf_con▮fig = "static" }', ["**tf_config** option of volcano", "Who sets TF_CONFIG"]),
        (
            'target volcano { ver▮sion = "1.9" }',
            ["**version** of volcano", "Any from 1.5.0 to 1.15", "default is 1.15"],
        ),
        ('cluster { disc▮overy = "flags" }', ["**discovery**", "How tasks find each other"]),
        ('mount claim 1Gi at "/x" { ke▮ep = true }', ["**keep**", "Keep the claim"]),
        ("retries = mi▮n(1, 2)", ["min(a, b, …)", "The smallest"]),
        ("retries = work▮ers", ["param, job.tfjob:1", "Value: `4`"]),
        ('queue = "${regis▮try}"', ["let, job.tfjob:2", 'Value: `"r.example.com"`']),
        ("use gp▮us", ["template, job.tfjob:3", "gpu = 1"]),
        ("gpu = 1 wh▮en workers > 1", ["ITEM when CONDITION", "the item is absent"]),
        ("gpu = 1 when work▮ers > 1", ["param, job.tfjob:1"]),
        ("role ps wh▮en workers > 1 { }", ["ITEM when CONDITION"]),
        ("uns▮et gpu", ["unset NAME", "Takes away what"]),
        ("mat▮rix { lr = [1] }", ["matrix { AXIS = [VALUES], … }", "Makes one job of each combination"]),
        ('prepare fe▮tch { command = "x" }', ["prepare NAME { … }"]),
        ('sidecar proxy { im▮age = "x" }', ["**image**"]),
    ],
)
def test_words(item: str, parts: list[str]) -> None:
    text = in_job(item)
    for part in parts:
        assert part in text


def test_a_param_is_told_with_the_value_that_holds() -> None:
    from tfdsl.lsp.snapshot import Settings

    text = "param n: int = 1\nprofile p { n = 2 }\nlet m = ▮n + 1\n"
    for settings, value in ((Settings(), "1"), (Settings(profile="p"), "2"), (Settings(params=(("n", "7"),)), "7")):
        found = hover(*marked(text, settings=settings))
        assert found is not None
        assert f"Value: `{value}`" in found.text


@pytest.mark.parametrize("text", ["▮", "job a ▮{ }", "job a { nothing▮ = 1 }", 'let x = "a▮b"', "# job▮", "edition ▮1"])
def test_nothing_to_say(text: str) -> None:
    assert hover(*marked(text)) is None


def test_hostile_text_stays_inside_its_code() -> None:
    text = told('let x = "``` `a` <b>\\n" + y▮\nlet y = "````"\n')
    assert "\n`````tfjob\n" in text or text.count("````") >= 2


def test_hover_works_around_errors() -> None:
    assert "**gpu**" in told("job a { image = , gp▮u = 1 }\njob b { role ps { )\n")


@pytest.mark.slow
def test_no_place_of_a_long_text_is_trouble() -> None:
    text = long_text(60)
    whole = snapshot(text)
    assert sum(hover(whole, offset) is not None for offset in range(len(text) + 1)) > 200


def test_a_step_and_what_is_in_it() -> None:
    text = in_job('prepare fe▮tch { command = ["x"] }')
    assert text.startswith("```\nprepare NAME { … }\n```\nRuns before the command of each replica")
    assert "template.spec.initContainers" in text
    assert in_job('prep▮are fetch { command = ["x"] }') == text
    lines = {line.split()[1] for line in text.splitlines() if line.startswith("- ")}
    assert lines == set(targets.names())
    inside = in_job('prepare fetch { com▮mand = ["x"] }')
    assert inside.startswith("**command** (job, role)")
    assert "kept as `template.spec.initContainers[].command`" in inside


def test_an_attribute_that_a_step_cannot_have_is_not_explained_there() -> None:
    assert hover(*marked(JOB.format(item='prepare fetch { re▮plicas = 2, command = ["x"] }'))) is None
