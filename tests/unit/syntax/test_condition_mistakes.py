"""Conditions, ``unset``, steps and files of values as people first write them: one report, and a fix that works."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.diagnostics.pages import Example, diagnostics
from tfdsl.syntax import ast, parse
from tfdsl.syntax.parser import parse_values
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic

# slug, an item of a job with the place of the report, and the item after the fix (None: only the user can mend it).
ITEMS = [
    # --- another word for when ---
    ("condition-word", "gpu = 1 »if prod", "gpu = 1 when prod"),
    ("condition-word", "gpu = 1 »unless prod && n > 1", "gpu = 1 when !(prod && n > 1)"),
    ("condition-word", "gpu = 1 »only_if prod", "gpu = 1 when prod"),
    ("condition-word", "gpu = 1 »only if prod", "gpu = 1 when prod"),
    ("condition-word", "gpu = 1 »where prod", "gpu = 1 when prod"),
    ("condition-word", "gpu = 1 »if prod else 2", None),
    ("condition-word", "role ps »if (prod) { }", "role ps when (prod) { }"),
    ("condition-word", "use gpu_node »if prod", "use gpu_node when prod"),
    ("condition-word", "on failed »if prod => restart job", "on failed when prod => restart job"),
    ("condition-word", 'mount pvc "d" at "/d" »if prod { }', 'mount pvc "d" at "/d" when prod { }'),
    ("condition-word", "unset image »if prod", "unset image when prod"),
    ("misspelt-keyword", "gpu = 1 »wehn prod", "gpu = 1 when prod"),
    # --- in the wrong place ---
    ("condition-place", "on failed => restart job »when n > 4", "on failed when n > 4 => restart job"),
    ("condition-place", "on failed => restart job »if n > 4", "on failed when n > 4 => restart job"),
    ("condition-place", "role ps { cpu = 1 } »when prod", "role ps when prod { cpu = 1 }"),
    ("condition-place", "role ps { cpu = 1 } »if prod", "role ps when prod { cpu = 1 }"),
    ("condition-place", "role ps {\n    cpu = 1\n  } »when prod", "role ps when prod {\n    cpu = 1\n  }"),
    (
        "condition-place",
        'mount pvc "d" at "/d" { sub_path = "x" } »when prod',
        'mount pvc "d" at "/d" when prod { sub_path = "x" }',
    ),
    ("condition-place", 'mount pvc "d" »when prod at "/d"', 'mount pvc "d" at "/d" when prod'),
    ("condition-place", 'mount pvc "d" at "/d" »when prod readonly', 'mount pvc "d" at "/d" readonly when prod'),
    ("condition-place", 'output "/a" »when prod to "/b"', 'output "/a" to "/b" when prod'),
    ("condition-place", 'output "/a" to "/b" »when prod on always', 'output "/a" to "/b" on always when prod'),
    ("condition-place", "on failed »when prod after 3m => ignore", "on failed after 3m when prod => ignore"),
    ("condition-place", "role »when prod ps { }", "role ps when prod { }"),
    ("condition-place", "use »when prod gpu_node", "use gpu_node when prod"),
    ("condition-place", "»when prod gpu = 1", "gpu = 1 when prod"),
    ("condition-place", "»when prod role ps { }", "role ps when prod { }"),
    ("condition-place", "»when prod on failed => ignore", "on failed when prod => ignore"),
    ("condition-place", "»when prod\n  gpu = 1", "gpu = 1 when prod"),
    ("condition-place", "gpu = 1\n    »when prod", "gpu = 1 when prod"),
    ("condition-place", "»when prod {\n    gpu = 1\n  }", None),
    ("condition-place", 'patch "a" »when prod = 3', 'patch "a" = 3 when prod'),
    ("condition-place", "gpu »when prod = 1", "gpu = 1 when prod"),
    ("condition-place", "role ps { gpu »when prod = 1 }", "role ps { gpu = 1 when prod }"),
    ("no-condition", 'cluster { discovery »when prod = "dns" }', None),
    ("condition-place", 'patch "a" = 3 »when prod unchecked', 'patch "a" = 3 unchecked when prod'),
    ("unfinished-statement", "on failed when »=> restart job", None),
    # --- where there can be none ---
    ("no-condition", "target yarn »when prod { }", None),
    ("no-condition", "target yarn { } »when prod", None),
    ("no-condition", "cluster »when prod { }", None),
    ("no-condition", "matrix { lr = [1] } »when prod", None),
    ("no-condition", "matrix { lr = [1] »when prod }", None),
    # --- unset ---
    ("missing-separator", "unset image »unset command", "unset image, unset command"),
    ("unset-form", "»unset env.A", 'unset env["A"]'),
    ("unset-form", "»unset labels.app.kubernetes.io/name", 'unset labels["app.kubernetes.io/name"]'),
    ("unset-form", "»unset env.A when prod", 'unset env["A"] when prod'),
    ("unset-form", '»unset env "A"', 'unset env["A"]'),
    ("unset-form", "»unset env A", 'unset env["A"]'),
    ("unset-form", "unset image »command", "unset image, unset command"),
    ("unset-form", "unset image, »command", "unset image, unset command"),
    ("unset-form", '»unset mount pvc "x" at "/x"', 'unset mount "/x"'),
    ("unset-form", '»unset mount pvc "x" at "/x" readonly', 'unset mount "/x"'),
    ("unset-form", '»unset mount at "/x"', 'unset mount "/x"'),
    ("unset-form", '»unset mount pvc "x"', None),
    ("unset-form", "»unset policy failed", "unset on failed"),
    ("unset-form", "»unset policy on worker failed", "unset on worker failed"),
    ("unset-extra", "unset image »= 3", "unset image"),
    ("unset-extra", "unset image »{ }", "unset image"),
    ("unset-extra", "unset prepare fetch »{ }", "unset prepare fetch"),
    ("unset-extra", "unset on failed »=> restart job", "unset on failed"),
    ("unset-extra", "unset on failed »after 3m", "unset on failed"),
    ("unset-extra", "unset on restarted »3", "unset on restarted"),
    ("unset-kind", "»unset role ps", None),
    ("unset-kind", "»unset roles.ps", None),
    ("unset-kind", "»unset target yarn", None),
    ("unset-kind", "»unset use gpu_node", None),
    ("unset-kind", '»unset patch "a.b"', None),
    ("quoted-name", 'unset »"image"', "unset image"),
    ("unquoted-text", "unset mount »/data", 'unset mount "/data"'),
    ("misspelt-keyword", "»remove image", "unset image"),
    ("misspelt-keyword", '»delete env["A"]', 'unset env["A"]'),
    ("misspelt-keyword", '»del mount "/data"', 'unset mount "/data"'),
    ("misspelt-keyword", "»unste image", "unset image"),
    ("misspelt-keyword", "»Unset image", "unset image"),
    # --- matrix, prepare, sidecar ---
    ("block-form", "matrix »= { lr = [1, 2] }", "matrix { lr = [1, 2] }"),
    ("block-form", "matrix »lr = [1, 2]", "matrix { lr = [1, 2] }"),
    ("block-form", "prepare »= { command = 'x' }", None),
    ("block-form", 'prepare »= "x"', None),
    ("block-form", "sidecar»: x", None),
    ("unknown-statement", "»strategy {\n    matrix {\n      lr = [1]\n    }\n  }", None),
    ("unknown-statement", "»sweep { lr = [1] }", None),
    ("unknown-statement", '»init { command = "x" }', 'prepare fetch { command = "x" }'),
    ("unknown-statement", '»init_container "fetch" { command = "x" }', 'prepare "fetch" { command = "x" }'),
    ("unknown-statement", '»initContainers { command = "x" }', 'prepare fetch { command = "x" }'),
    ("unknown-statement", '»before fetch { command = "x" }', 'prepare fetch { command = "x" }'),
    ("unknown-statement", '»sidecars { image = "x" }', 'sidecar helper { image = "x" }'),
    ("unknown-statement", "»initContainers:\n    - name: x\n      image: 'y'", None),
    ("unfinished-statement", 'prepare »{ command = "x" }', None),
    ("unfinished-statement", "unset prepare»", None),
    ("unquoted-key", "prepare »fetch-data { }", 'prepare "fetch-data" { }'),
    ("misspelt-keyword", '»perpare x { command = "y" }', 'prepare x { command = "y" }'),
    ("misspelt-keyword", '»sidcar x { image = "y" }', 'sidecar x { image = "y" }'),
    ("misspelt-keyword", '»side_car x { image = "y" }', 'sidecar x { image = "y" }'),
    ("misspelt-keyword", "»martix { lr = [1] }", "matrix { lr = [1] }"),
]

# The same for files of values.
VALUES = [
    ("not-a-value", "»param n = 3", "n = 3"),
    ("not-a-value", "»param n: int = 3", "n = 3"),
    ("not-a-value", "»let n = 3", "n = 3"),
    ("not-a-value", "»export N=3", "N=3"),
    ("not-a-value", "»--set n=3", "n=3"),
    ("not-a-value", "»--n=3", "n=3"),
    ("not-a-value", "»profile p { n = 3 }", None),
    ("not-a-value", "»params {\n  n = 3\n}", None),
    ("not-a-value", "»job a { }", None),
    ("not-a-value", "»edition 1", None),
    ("not-a-value", '»{"n": 3, "m": [1]}', None),
    ("not-a-value", "»[params]", None),
    ("colon-for-equals", "n»: 3", "n = 3"),
    ("double-equals", "n »== 3", "n = 3"),
    ("no-condition", "n = 3 »when prod", None),
    ("semicolon", "n = 3»; m = 4", "n = 3, m = 4"),
    ("single-quotes", "n = »'a'", 'n = "a"'),
    ("unfinished-statement", "n»", None),
]


def whole(item: str) -> str:
    """The item in a job, with a good one behind it."""
    return f'job a {{\n  image = "r/x:1"\n  {item}\n  deadline = 2h\n  role chief {{ }}\n}}\n'


def apply(text: str, found: Diagnostic) -> str:
    for edit in sorted(found.fixes[0].edits, key=lambda each: -each.span.start):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


@pytest.mark.parametrize(("slug", "marked", "fixed"), ITEMS)
def test_one_report_and_the_next_item_is_kept(slug: str, marked: str, fixed: str | None) -> None:
    text = whole(marked.replace("»", "").replace("'", '"'))
    parsed = parse(Source("test", text))
    assert [(each.rule.slug, each.span.start) for each in parsed.diagnostics] == [(slug, whole(marked).index("»"))]
    (job,) = parsed.file.declarations
    assert isinstance(job, ast.Job)
    assert [item.span.text for item in job.items[-2:]] == ["deadline = 2h", "role chief { }"]
    (found,) = parsed.diagnostics
    if fixed is None:
        assert found.fixes == ()
        assert found.helps or "with the path" in found.message or slug == "block-form" or slug == "unfinished-statement"
    else:
        assert apply(text, found) == whole(fixed)
        assert parse(Source("fixed", whole(fixed))).diagnostics == ()


@pytest.mark.parametrize(("slug", "marked", "fixed"), VALUES)
def test_one_report_in_a_file_of_values(slug: str, marked: str, fixed: str | None) -> None:
    text = f"a = 1\n{marked.replace('»', '')}\nz = 9\n"
    entries, found = parse_values(Source("values", text))
    assert [(each.rule.slug, each.span.start) for each in found] == [(slug, len("a = 1\n") + marked.index("»"))]
    assert (entries[0].span.text, entries[-1].span.text) == ("a = 1", "z = 9")
    if fixed is not None:
        assert apply(text, found[0]) == f"a = 1\n{fixed}\nz = 9\n"


def test_a_condition_behind_an_action_may_look_like_a_part_of_it() -> None:
    for condition in ("when prod", "if prod", "when"):
        item = f"on failed => restart container {condition}"
        text = "param prod: bool = true\n" + whole(item)
        example = Example({"main.tfjob": text}, (), "")
        (found,) = [each for each in diagnostics(example) if each.level == "error"]
        assert (found.rule.slug, found.span.text) == ("condition-place", condition)
        if condition != "when":
            assert "on failed when prod => restart container\n" in apply(text, found)


def test_the_words_may_still_be_names() -> None:
    text = (
        "param when: int = 1\nlet matrix2 = 2\ntemplate unset { gpu = 1 }\njob prepare {\n  use unset\n"
        "  env = { when = 1, matrix = 2, unset = 3, prepare = 4, sidecar = 5 }\n  gpu = when when when > 0\n}\n"
    )
    assert parse(Source("test", text)).diagnostics == ()
    entries, found = parse_values(Source("values", "when = 1\nmatrix = 2\nrole = 3\nunset = 4\nparam = 5\n"))
    assert (len(entries), found) == (5, ())


def test_an_include_cannot_have_a_condition() -> None:
    diagnostics = parse(Source("a.tfjob", 'include "b.tfjob" when true\n')).diagnostics
    assert [(one.message, one.helps) for one in diagnostics] == [
        ("an include cannot have a condition", ("write when after what uses the templates of that file",))
    ]
