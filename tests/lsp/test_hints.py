"""What is shown between and above the lines: inlay hints, signatures, lenses, and the compiled output."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.lsp.long_text import long_text
from tests.lsp.marked import marked, snapshot
from tfdsl.lsp.features.hover import signature_help
from tfdsl.lsp.features.inlay_hints import inlay_hints
from tfdsl.lsp.features.previews import Compiled, Preview, compile_text
from tfdsl.lsp.features.problems import code_lens
from tfdsl.lsp.snapshot import Settings, read_settings

TEXT = """\
param workers: int = 4
param size: quantity
profile big { workers = 8 }
let registry = "r"
let image = "${registry}/a:1"
let plain = 3
job mnist {
  image = image
  checkpoint = "/runs/${job.name}"
  args = ["--n=${workers}", "--plain"]
  env = { N = "${role.replicas}", I = "${task.index}" }
  mount pvc "runs" at "/runs"
  role worker { replicas = workers * 2, cpu = 1 }
  role tensorboard { }
  on failed => restart pod
}
"""


def hints(text: str, settings: Settings | None = None) -> list[str]:
    snap = snapshot(text, settings=settings)
    found = inlay_hints(snap, 0, len(text))
    return [f"{text[: hint.offset].splitlines()[-1].strip()} ⟦{hint.text}⟧" for hint in found]


def test_computed_values_and_defaults_are_shown() -> None:
    assert hints(TEXT.replace("param size: quantity\n", "")) == [
        'let image = "${registry}/a:1" ⟦= "r/a:1"⟧',
        "job mnist ⟦retries = 3⟧",  # 3 if a policy restarts anything (docs/language.md)
        'image = image ⟦= "r/a:1"⟧',
        'checkpoint = "/runs/${job.name}" ⟦= "/runs/mnist"⟧',
        'args = ["--n=${workers}" ⟦= "--n=4"⟧',
        'env = { N = "${role.replicas}" ⟦= "8"⟧',
        "role worker { replicas = workers * 2 ⟦= 8⟧",
        'role tensorboard ⟦logdir = "/runs/mnist"⟧',
    ]


def test_params_have_the_values_of_the_settings() -> None:
    settings = Settings(profile="big", params=(("size", "2Gi"),))
    found = hints(TEXT, settings)
    assert "param workers: int = 4 ⟦= 8⟧" in found
    assert "param size: quantity ⟦= 2Gi⟧" in found
    assert "role worker { replicas = workers * 2 ⟦= 16⟧" in found


def test_hints_can_be_turned_off_and_keep_to_the_range() -> None:
    assert hints(TEXT, Settings(inlay_hints=False)) == []
    snap = snapshot(TEXT)
    start = TEXT.index("  role worker")
    assert [hint.text for hint in inlay_hints(snap, start, TEXT.index("  role tensor"))] == ["= 8"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "let a = b\n",
        "job a { image = x }",
        "let a = \njob b { role worker { replicas = 1 + 1 }",
        "edition 9\nlet a = 1 + 1\n",
    ],
)
def test_broken_texts_have_what_can_be_known(text: str) -> None:
    hints(text)


def test_hostile_values_stay_in_one_short_line() -> None:
    found = hints('let a = "x\\n\\u{0}\\u{1F600}`" + "\\${y}"\nlet b = join("", ["' + "z" * 500 + '"])\n')
    assert found[0].endswith('⟦= "x\\n\\u{0}😀`\\${y}"⟧')
    assert len(found[1].partition("⟦")[2]) < 70


# --- signatures ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "function", "parameter"),
    [
        ("let a = min(▮", "min", "a"),
        ("let a = min(1, ▮", "min", "b"),
        ("let a = min(1, max(2, 3), ▮)", "min", "…"),
        ("let a = min(1, max(2▮", "max", "a"),
        ("let a = min(1, 2, 3, 4, ▮", "min", "…"),
        ('let a = "x ${join(", ", ▮', "join", "list"),
        ('let a = replace("a, b", ▮', "replace", "old"),
        ('let a = format("%s", ▮)', "format", "…"),
        ("let a = len([1, 2, ▮", "len", "list|map|string"),
    ],
)
def test_signatures(text: str, function: str, parameter: str) -> None:
    found = signature_help(*marked(text))
    assert found is not None
    assert found.text.startswith(f"{function}(")
    start, end = found.parameters[found.active]
    assert found.text[start:end] == parameter


@pytest.mark.parametrize("text", ["let a = ▮min(1)", "let a = min(1)▮", "let a = nothing(▮", "let a = (▮", "# min(▮"])
def test_no_signature(text: str) -> None:
    assert signature_help(*marked(text)) is None


# --- lenses and the output -------------------------------------------------------------------------------------


JOB = "job b { role worker { } }\n"


@pytest.mark.parametrize(
    ("text", "settings", "titles"),
    [
        (JOB, Settings(), ["compile to …"]),
        (JOB, Settings(targets=("yarn",)), ["compile to yarn"]),
        (
            "job a { target volcano { }\n target kubeflow { } }\n",
            Settings(),
            ["compile to volcano", "compile to tfjob"],
        ),
        ("job a { target volcano { } }\n", Settings(targets=("yarn",)), ["compile to volcano"]),
        (JOB, Settings(code_lens=False), []),
    ],
    ids=["a pick", "what it is checked for", "its blocks", "its blocks first", "none"],
)
def test_lenses(text: str, settings: Settings, titles: list[str]) -> None:
    assert [lens.title for lens in code_lens(snapshot(text, settings=settings))] == titles
    more = [lens.title for lens in code_lens(snapshot(text, settings=settings), ["tfdsl.run"])]
    assert more == [*titles, *(["run"] if titles else [])]


def compiled(text: str, target: str, **more: Any) -> Compiled:
    done = compile_text(snapshot(text), Preview(target, **more))
    assert isinstance(done, Compiled)
    return done


def test_the_output_is_that_of_the_command_line_with_its_map(tmp_path: object) -> None:
    from tests.unit.cli.shell import tfdsl

    text = long_text(60)
    done = compiled(text, "tfjob", job="mnist0")
    from pathlib import Path

    folder = Path(str(tmp_path))
    (folder / "job.tfjob").write_text(text)
    words = ("compile", "job.tfjob", "-t", "tfjob", "--job", "mnist0", "-o", "out", "--source-map")
    assert tfdsl(*words, cwd=folder).status == 0
    assert [output.name for output in done.outputs] == ["mnist0.yaml"]
    assert done.outputs[0].text == (folder / "out" / "mnist0.yaml").read_text()
    theirs = json.loads((folder / "out" / "mnist0.yaml.map").read_text())
    assert done.outputs[0].map["lines"] == theirs["lines"]
    assert done.outputs[0].map["sources"] == ["/work/job.tfjob"]


def test_a_target_that_is_a_set_of_files() -> None:
    text = 'job a {\n  image = "x:1"\n  command = ["true"]\n  role worker { memory = 1Gi, cpu = 1 }\n}\n'
    done = compiled(text, "yarn@3.3")
    assert (done.target, done.version) == ("yarn", "3.3")
    assert len(done.outputs) > 1
    assert all(output.name.startswith("a/") and output.text for output in done.outputs)
    assert {output.language for output in done.outputs} & {"shellscript"}
    assert any(output.executable for output in done.outputs)


@pytest.mark.parametrize(("asked", "version"), [("volcano", "1.9"), ("volcano@1.10", "1.10")])
def test_the_version_is_the_one_of_the_block_if_none_is_asked_for(asked: str, version: str) -> None:
    block = 'target volcano { version = "1.9" }'
    done = compiled(f'job a {{\n  image = "x:1"\n  command = ["true"]\n  role worker {{ }}\n  {block}\n}}\n', asked)
    assert done.outputs
    assert done.version == version


def test_with_an_error_there_is_no_output_but_the_reason() -> None:
    done = compiled("job a { role worker { } }\n", "volcano")
    assert done.outputs == ()
    assert any(one.level == "error" for one in done.problems)


def test_profile_and_params_are_taken() -> None:
    job = 'job a { image = "x:1", command = ["true"], role worker { replicas = n } }\n'
    text = f"param n: int = 1\nprofile p {{ n = 2 }}\n{job}"
    for more, replicas in (({}, 1), ({"profile": "p"}, 2), ({"params": {"n": "5"}}, 5)):
        done = compile_text(snapshot(text), Preview("volcano", **more))  # type: ignore[arg-type]
        assert isinstance(done, Compiled)
        assert f"replicas: {replicas}\n" in done.outputs[0].text


@pytest.mark.parametrize(
    ("target", "job", "why"),
    [
        ("nothing", None, "there is no target nothing"),
        ("volcano@0", None, "no target"),
        ("", None, "no target"),
        ("volcano", "b", "there is no job b"),
    ],
)
def test_what_cannot_be_asked_for(target: str, job: str | None, why: str) -> None:
    done = compile_text(snapshot("job a { role worker { } }\n"), Preview(target, job))
    assert isinstance(done, str)
    assert why in done


# --- settings --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data", [None, 1, "x", [], {"tfdsl": []}, {"targets": "volcano", "params": [], "profile": 3, "strict": "yes"}]
)
def test_settings_that_are_not_of_their_type_are_passed_over(data: object) -> None:
    assert read_settings(data) == Settings()


def test_settings_are_read_also_from_their_section() -> None:
    data = {
        "targets": ["volcano@1.9", 3, "yarn"],
        "profile": "big",
        "params": {"n": 1, "s": "x", "b": True},
        "strict": True,
        "inlayHints": False,
        "codeLens": False,
    }
    expected = Settings(("volcano@1.9", "yarn"), "big", (("n", "1"), ("s", "x"), ("b", "true")), True, False, False)
    assert read_settings(data) == expected
    assert read_settings({"tfdsl": data}) == expected


def test_settings_that_the_program_does_not_know_are_passed_over() -> None:
    settings = Settings(targets=("nothing", "volcano@0"), profile="none", params=(("other", "1"),))
    snap = snapshot('job a { image = "x:1", role worker { } }\n', settings=settings)
    assert snap.choices == ()
    assert not [one for one in snap.diagnostics if one.level == "error"]


def test_a_file_that_is_there_to_be_included_is_checked_for_no_target() -> None:
    assert snapshot("let a = 1\n", settings=Settings(targets=("volcano",))).choices == ()


@pytest.mark.parametrize(
    ("target", "first", "language"),
    [
        ("slurm", "a/job.sbatch", "shellscript"),
        ("volcano", "a.yaml", "yaml"),
        ("slider", "a/package/files/job.json", "json"),
    ],
)
def test_the_file_with_most_of_what_is_written_is_the_first(target: str, first: str, language: str) -> None:
    text = 'job a { image = "x:1", command = ["c"], role worker { cpu = 1, memory = 1Gi } }\n'
    files = compiled(text, target).outputs
    assert (files[0].name, files[0].language) == (first, language)


def test_a_preview_can_be_without_the_profile_of_the_settings() -> None:
    snap = snapshot("param n: int = 1\nprofile p { n = 2 }\n" + RUNS, settings=Settings(profile="p"))
    texts = [compile_text(snap, Preview("volcano", profile=profile)) for profile in (None, "", "p")]
    found = [one.outputs[0].text.count("replicas: 2") for one in texts if isinstance(one, Compiled)]
    assert found == [1, 0, 1]


RUNS = 'job a { image = "x:1", command = ["c"], role worker { replicas = n } }\n'
