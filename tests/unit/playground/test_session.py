"""What the playground's engine says of a text: checked alone, and compiled for a target."""

from __future__ import annotations

import pytest

from tests.unit.playground.page import JOB, Page

pytestmark = pytest.mark.filterwarnings("error")


def test_a_text_is_compiled_and_its_lines_lead_back() -> None:
    page = Page()
    assert page.update(JOB) is None
    found = page.compiled()
    assert (found["kind"], found["revision"], found["target"]) == ("compiled", 1, "kubernetes")
    output = found["outputs"][0]
    assert (output["job"], output["name"], output["language"]) == ("mnist", "mnist.yaml", "yaml")
    lines = output["text"].split("\n")
    image = next(number for number, line in enumerate(lines, 1) if "image: registry.example.com/mnist:1" in line)
    assert page.ask("origin", output="mnist.yaml", line=image)["place"] == {"file": "main.tfjob", "line": 4}


def test_an_error_gives_no_output_and_its_place_in_units_of_javascript() -> None:
    page = Page()
    text = '# 🙂\nlet x = "🙂" + nope\n' + JOB
    page.update(text)
    found = page.compiled()
    assert found["outputs"] is None
    place = next(one["place"] for one in found["diagnostics"] if one["level"] == "error")
    units = text.encode("utf-16-le")
    assert units[2 * place["from"] : 2 * place["to"]].decode("utf-16-le") == "nope"
    assert (place["file"], place["line"], place["column"]) == ("main.tfjob", 2, 16)


def test_the_text_alone_is_checked_in_pieces_before_a_target_is_loaded() -> None:
    page = Page()
    page.update(JOB.replace("worker", "wrker"))
    while page.session.work():
        pass
    (first, *_) = page.checked()["diagnostics"]
    assert (first["level"], first["target"]) == ("error", None)
    assert page.checked(diagnostics=False)["diagnostics"] is None


def test_values_options_and_the_job_of_the_page_count() -> None:
    page = Page()
    assert "--lr=0.1" in page.text_of(JOB)
    assert "--lr=0.5" in page.text_of(JOB, params={"lr": "0.5", "gone": "1"})
    profiled = JOB + "profile fast { lr = 0.9 }\n"
    assert "--lr=0.9" in page.text_of(profiled, profile="fast")
    assert "--lr=0.1" in page.text_of(profiled, profile="gone")
    assert "namespace: ml" not in page.text_of(JOB, target="tfjob")
    two = JOB + JOB[JOB.index("job") :].replace("mnist {", "other {")
    page.update(two, job="other")
    assert [one["job"] for one in page.compiled()["outputs"]] == ["other"]
    page.update(two, job="gone")
    assert [one["job"] for one in page.compiled()["outputs"]] == ["mnist", "other"]


def test_an_option_of_the_target_counts_and_a_wrong_one_is_told() -> None:
    page = Page()
    assert page.update(JOB, target="tfjob", options={"kueue": "true"}) is None
    assert page.compiled()["outputs"]
    page.update(JOB, target="tfjob", options={"kueu": "true"})
    found = page.compiled()
    assert found["outputs"] is None
    assert "kueu" in found["diagnostics"][0]["message"]


def test_settings_of_the_project_are_files_of_the_page() -> None:
    page = Page()
    page.update(JOB.replace(":1", ":latest"), files={"tfdsl.toml": '[lint]\nfloating-image-tag = "error"\n'})
    found = page.compiled()
    assert found["outputs"] is None
    assert [one["slug"] for one in found["diagnostics"] if one["level"] == "error"] == ["floating-image-tag"]
    page.update(JOB, files={"tfdsl.toml": "[lint]\nnothing = 1\n"})
    found = page.compiled()
    assert found["outputs"] is None
    assert [one["place"]["file"] for one in found["diagnostics"] if one["level"] == "error"] == ["tfdsl.toml"]


def test_the_project_can_be_strict() -> None:
    page = Page()
    text = JOB.replace("  role", "  on failed => restart container\n  role")
    page.update(text, target="tfjob")
    assert page.compiled()["outputs"]
    page.update(text, target="tfjob", strict=True)
    strict = page.compiled()
    assert strict["outputs"] is None
    page.update(text, target="tfjob", files={"tfdsl.toml": "strict = true\n"})
    assert page.compiled()["diagnostics"] == strict["diagnostics"]


def test_files_are_included_and_nothing_else_is_read() -> None:
    page = Page()
    text = 'include "common/values.tfjob"\n' + JOB.replace("param lr: number = 0.1\n", "")
    assert "--lr=7" in page.text_of(text, files={"common/values.tfjob": "let lr = 7\n"})
    page.update(text)
    assert "common/values.tfjob" in page.compiled()["diagnostics"][0]["message"]
    page.update('let x = file("/etc/hostname")\nlet y = file("../secret")\n' + JOB)
    assert sum(one["level"] == "error" for one in page.compiled()["diagnostics"]) == 2
    page.update('let x = file("note.txt")\n' + JOB.replace("train.py", "${x}"), files={"note.txt": "from a file"})
    assert "from a file" in page.compiled()["outputs"][0]["text"]


def test_what_the_text_declares_is_listed() -> None:
    page = Page()
    page.update(
        'param size: string = "s" { one_of = ["s", "l"], description = "how large" }\n'
        'param n: int = 2 { min = 1, max = 4 }\nparam must: int\nprofile big { size = "l" }\n'
        'job "run-${matrix.n}" {\n  image = "x:1"\n  matrix { n = [1, 2, 3] }\n  role worker {}\n'
        "  target slurm {}\n}\n",
        profile="big",
    )
    contents = page.checked(diagnostics=False)["contents"]
    size, n, must = contents["params"]
    assert (size["value"], size["default"], size["choices"]) == ('"l"', '"s"', ['"s"', '"l"'])
    assert (size["type"], size["description"]) == ("string", "how large")
    assert (n["min"], n["max"], n["value"]) == ("1", "4", "2")
    assert (must["default"], must["value"]) == (None, None)
    assert contents["profiles"] == ["big"]
    assert contents["jobCount"] == 3
    assert [one["name"] for one in contents["jobs"]] == ["run-1", "run-2", "run-3"]
    assert contents["targets"] == ["slurm"]


def test_names_have_tokens_in_every_file() -> None:
    page = Page()
    page.update(JOB, files={"common.tfjob": "let x = 1\n", "train.py": "import os\n"})
    tokens = page.checked(diagnostics=False)["tokens"]
    assert sorted(tokens) == ["common.tfjob", "main.tfjob"]
    assert tokens["common.tfjob"] == [{"from": 4, "to": 5, "type": "variable"}]


def test_the_version_is_the_one_that_was_compiled_for() -> None:
    page = Page()
    text = JOB.replace("  role", '  target volcano { version = "1.9" }\n  role')
    page.update(text, target="volcano")
    assert page.compiled()["version"] == "1.9"
    page.update(text, target="volcano@1.10")
    assert page.compiled()["version"] == "1.10"


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"target": "nowhere"}, "There is no target nowhere"),
        ({"target": "volcano@0"}, "There is no target volcano@0"),
    ],
)
def test_what_cannot_be_compiled_for_is_told(more: dict[str, str], says: str) -> None:
    page = Page()
    assert page.update(JOB, **more) is None
    assert page.compiled() == says


def test_what_is_too_large_is_refused() -> None:
    page = Page()
    assert page.update("#" * 2_000_001) == "The files are too large: together they may have 2,000,000 characters"
    assert page.update(JOB, main="gone.tfjob") == "There is no file gone.tfjob"


def test_too_many_diagnostics_are_cut_and_errors_stay() -> None:
    page = Page()
    page.update("".join(f"let unused{number} = {number}\n" for number in range(600)) + JOB)
    found = page.compiled()
    assert found["outputs"]
    assert len(found["diagnostics"]) == 500
    assert found["diagnosticCount"] > 600
    page.update("".join(f"let unused{number} = {number}\n" for number in range(600)) + JOB, options={"nope": "1"})
    assert {one["level"] for one in page.compiled()["diagnostics"]} >= {"error"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "\ud83d job \udc00 {",
        'job a { image = "\ud800" role worker {} }',
        "[" * 5000,
        'job a { command = "${' * 300,
        "edition 99\njob a {}",
        "\ufeff" + JOB,
        "job 🙂 { role 🙂 { 🙂 = 🙂 } }",
        "param x: int = 99999999999999999999999999999999999999\n" + JOB,
        "let a = b\nlet b = a\n" + JOB,
    ],
)
def test_hostile_texts_have_an_answer(text: str) -> None:
    page = Page()
    assert page.update(text) is None
    page.checked()
    assert page.compiled()["kind"] == "compiled"
    for question in ("hover", "complete", "signature", "definition"):
        page.ask(question, file="main.tfjob", offset=len(text) // 2)
    page.ask("actions", **{"file": "main.tfjob", "from": 0, "to": len(text) + 9})
    page.ask("format", file="main.tfjob")
    page.ask("made", file="main.tfjob", line=1)
    page.ask("graph", forTarget=True)
