"""A matrix in an editor: its axes as names, what is said and offered about them, and how much is checked."""

from __future__ import annotations

import random

import pytest

from tests.lsp import test_checking
from tests.lsp.marked import edited, marked, shown, snapshot
from tests.lsp.test_checking import edit_and_compare
from tfdsl.lsp.features.completion import complete
from tfdsl.lsp.features.hover import hover
from tfdsl.lsp.features.inlay_hints import inlay_hints
from tfdsl.lsp.features.layout import semantic_tokens
from tfdsl.lsp.features.navigation import definition, highlight, outline, references, rename
from tfdsl.lsp.features.previews import Compiled, Preview, compile_text
from tfdsl.lsp.features.problems import code_lens
from tfdsl.lsp.snapshot import Settings
from tfdsl.semantics import resolve

SWEEP = """\
param run: string = "a"
let rates = [0.1, 1e-3]
template rate { args = ["--lr=${matrix.lr}"] }
job "digits-${run}-${matrix.index}" {
  image = "i:1"
  matrix {
    lr = rates
    batch = [32, 64, 128]
  }
  use rate
  role worker { memory = matrix.batch > 32 ? 8Gi : 4Gi, cpu = 1 + 1 }
}
job other {
  image = "i:1"
  matrix { size = [1, 2] }
  role worker { cpu = matrix.size }
}
"""


def at(before: str, behind: str, text: str = SWEEP) -> str:
    assert text.count(before + behind) == 1
    return text.replace(before + behind, f"{before}▮{behind}")


def told(text: str) -> str:
    found = hover(*marked(text))
    assert found is not None
    return found.text


# --- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "behind", "place"),
    [
        ("matrix.ba", "tch", "job.tfjob:8:5 batch"),
        ("{matrix.l", "r}", "job.tfjob:7:5 lr"),
        ("matrix.si", "ze", "job.tfjob:15:12 size"),
        ("-${ru", "n}", "job.tfjob:1:7 run"),
        ("lr = rat", "es", "job.tfjob:2:5 rates"),
    ],
)
def test_an_axis_and_what_is_in_a_name_are_followed(before: str, behind: str, place: str) -> None:
    assert shown(definition(*marked(at(before, behind)))) == [place]


def test_an_axis_is_renamed_in_the_job_and_the_templates_that_it_uses() -> None:
    snap, offset = marked(at("    l", "r = rates"))
    changed = rename(snap, offset, "rate")
    assert not isinstance(changed, str)
    text = edited(changed)["job.tfjob"]
    assert text == SWEEP.replace("matrix.lr", "matrix.rate").replace("lr = rates", "rate = rates")
    assert len(highlight(snap, offset)) == 2
    assert len(references(snap, offset, declaration=False)) == 1


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("batch", "there is an axis batch already"),
        ("index", "matrix.index counts the jobs"),
        ("a-b", "a-b is not a valid name"),
    ],
)
def test_an_axis_cannot_have_any_name(name: str, why: str) -> None:
    assert rename(*marked(at("    l", "r = rates")), name) == why


def test_a_name_that_is_evaluated_is_not_renamed() -> None:
    assert isinstance(rename(*marked(at("digi", "ts-")), "b"), str)
    snap, offset = marked(at("-${ru", "n}"))
    changed = rename(snap, offset, "what")
    assert not isinstance(changed, str)
    assert edited(changed)["job.tfjob"].count("what") == 2


# --- what is said --------------------------------------------------------------------------------------------------


def test_an_axis_is_told_with_its_values() -> None:
    for text in (at("matrix.ba", "tch"), at("    ba", "tch =")):
        assert told(text).startswith("**batch** axis of the matrix of digits-")
        assert told(text).endswith("\n\nValues: `32`, `64`, `128`")
    assert "Values: `0.1`, `1e-3`" in told(at("{matrix.l", "r}"))
    assert told(at("{matrix.in", "dex}")).startswith("**matrix.index**: the number of the job")
    assert "matrix { AXIS = [VALUES], … }" in told(at("cpu = mat", "rix.size"))
    many = SWEEP.replace("[32, 64, 128]", str(list(range(50))))
    assert told(at("matrix.ba", "tch", many)).endswith("`9`, … (50 in all)")
    assert "unknown" in told(at("matrix.ba", "tch", SWEEP.replace("[32, 64, 128]", "32")))


def test_hints_show_the_names_and_no_value_that_differs() -> None:
    found = [hint.text for hint in inlay_hints(snapshot(SWEEP), 0, len(SWEEP))]
    assert found == ["6 jobs: digits-a-0 … digits-a-5", "= 2", "2 jobs: other-0 … other-1"]
    one = 'param run: string = "a"\njob "d-${run}" { image = "i:1", role worker { } }\n'
    assert [hint.text for hint in inlay_hints(snapshot(one), 0, len(one))] == ["= d-a"]


def test_outline_and_colours() -> None:
    snap = snapshot(SWEEP)
    assert [one.name for one in outline(snap.file)][-2:] == ["digits-${run}-${matrix.index}", "other"]
    assert "run" in [token.span.text for token in semantic_tokens(snap) if token.span.start > SWEEP.index("job ")]


# --- what is offered -----------------------------------------------------------------------------------------------


def offered(text: str) -> list[str]:
    return sorted(item.label for item in complete(*marked(text)).items)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (at("cpu = matrix.", "size"), ["index", "size"]),
        (
            SWEEP.replace("[32, 64, 128]\n", "[32, 64, 128]\n  }\n  env = { A = matrix.▮ }\n  labels = {\n", 1),
            ["batch", "index", "lr"],
        ),
        (at("{matrix.", "lr}"), ["batch", "index", "lr", "size"]),
        (at("-${matrix.", "index}"), ["batch", "index", "lr", "size"]),
        ('job a { image = "i:1", args = ["${matrix.▮}"] }', []),
        ("let a = matrix.▮", []),
    ],
)
def test_members_of_matrix(text: str, labels: list[str]) -> None:
    assert offered(text) == labels


def test_names_in_an_axis_are_those_of_the_file() -> None:
    labels = offered(at("lr = ", "rates"))
    assert {"rates", "run"} <= set(labels)
    assert not [label for label in labels if label.startswith(("job.", "matrix.", "roles."))]
    assert "matrix.size" in offered(at("cpu = ", "matrix.size"))


# --- what is checked and compiled -------------------------------------------------------------------------------------


def test_the_first_job_and_one_for_each_further_value_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    real = resolve.Resolver.present_roles

    def spy(resolver: resolve.Resolver) -> tuple[str, ...]:
        made.append(resolver.name)
        return real(resolver)

    monkeypatch.setattr(resolve.Resolver, "present_roles", spy)
    assert not [one for one in snapshot(SWEEP).diagnostics if one.level == "error"]
    assert sorted(set(made)) == ["digits-a-0", "digits-a-1", "digits-a-2", "digits-a-3", "other-0", "other-1"]


def test_a_value_that_is_wrong_in_one_job_is_told() -> None:
    text = SWEEP.replace("[1, 2]", "[1, 2, 0, -1]")
    found = [one for one in snapshot(text).diagnostics if one.level == "error"]
    assert [(one.rule.slug, one.span.text) for one in found] == [("out-of-range", "matrix.size")]
    assert found[0].labels[0].message == "job other-2, where size = 0"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_edits_are_told_as_a_fresh_check_tells(seed: int) -> None:
    edit_and_compare(SWEEP, random.Random(seed), 60)


def test_a_text_is_checked_again_where_it_changed() -> None:
    assert not [one for one in test_checking.snapshot(SWEEP).diagnostics if one.level == "error"]
    changed = SWEEP.replace('param run: string = "a"', 'param run: string = "A"')
    assert [one.span.text for one in test_checking.snapshot(changed).diagnostics if one.level == "error"] == ["run"]


def test_all_jobs_are_compiled() -> None:
    snap = snapshot(SWEEP)
    done = compile_text(snap, Preview("tfjob"))
    assert isinstance(done, Compiled)
    assert len(done.outputs) == 8
    one = compile_text(snap, Preview("tfjob", job="digits-${run}-${matrix.index}"))
    assert isinstance(one, Compiled)
    assert len(one.outputs) == 6
    lenses = code_lens(snapshot(SWEEP, settings=Settings(targets=("tfjob",))))
    assert [lens.job for lens in lenses] == ["digits-${run}-${matrix.index}", "other"]
