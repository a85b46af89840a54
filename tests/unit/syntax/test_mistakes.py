"""What people write who know another language: one report, at the place that the language names, a fix that works.

``»`` in a text marks where the report must be; it is taken out before the text is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tfdsl.syntax import ast, parse
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic

MARK = "»"

# slug, text, and the text after the first fix (None: there is no fix that can be made without knowing what is meant).
SLIPS = [
    ("colon-for-equals", 'job a { image»: "x" }', 'job a { image = "x" }'),
    ("colon-for-equals", "let a »: 3", "let a = 3"),
    ("colon-for-equals", 'let a = { "k"»: 1 }', 'let a = { "k" = 1 }'),
    ("double-equals", "let a »== 3", "let a = 3"),
    ("single-equals", "let a = b »= 3 ? 1 : 2", "let a = b == 3 ? 1 : 2"),
    ("missing-equals", "job a { gpu »1 }", "job a { gpu = 1 }"),
    ("missing-equals", "let a »[1]", "let a = [1]"),
    ("missing-value", "job a {\n  gpu =»\n}", None),
    ("missing-value", "job a { gpu = », cpu = 1 }", None),
    ("missing-separator", "job a { gpu = 1 »cpu = 2 }", "job a { gpu = 1, cpu = 2 }"),
    ("missing-separator", 'let a = ["x" »"y"]', 'let a = ["x", "y"]'),
    ("missing-separator", "let a = 1 »let b = 2", "let a = 1\nlet b = 2"),
    ("wrong-arrow", "job a { on failed »-> restart job }", "job a { on failed => restart job }"),
    ("unexpected-token", "job a { on failed »= restart job }", "job a { on failed => restart job }"),
    ("unexpected-token", "job a { on failed »restart job }", "job a { on failed => restart job }"),
    (
        "unexpected-token",
        "job a { on worker failed after 3m »ignore }",
        "job a { on worker failed after 3m => ignore }",
    ),
    ("unfinished-statement", 'job a { build { copy "a"», run ["x"] } }', None),
    ("unexpected-token", "job a { on worker».failed => ignore }", "job a { on worker failed => ignore }"),
    (
        "late-delay",
        "job a { on failed => restart  job »after 3m, gpu = 1 }",
        "job a { on failed after 3m => restart  job, gpu = 1 }",
    ),
    (
        "late-delay",
        "job a {\n  on worker[0] pending => ignore »after 10\n}",
        "job a {\n  on worker[0] pending after 10 => ignore\n}",
    ),
    ("late-delay", "job a { on failed after 1m => restart job »after 3m }", None),
    ("semicolon", "job a { gpu = 1»; cpu = 2 }", "job a { gpu = 1, cpu = 2 }"),
    ("semicolon", "let a = 1»;\nlet b = 2", "let a = 1\nlet b = 2"),
    ("semicolon", "let a = [1»; 2]", "let a = [1, 2]"),
    ("single-quotes", "let a = »'x'", 'let a = "x"'),
    ("single-quotes", "job a { name = »'x', cpu = 1 }", 'job a { name = "x", cpu = 1 }'),
    ("smart-quotes", "let a = »“x”", 'let a = "x"'),
    ("foreign-comment", "let a = 1 »// one", "let a = 1 # one"),
    ("foreign-comment", "»/* one */\nlet a = 1", "# one\nlet a = 1"),
    ("foreign-comment", "job a {\n  »/* one\n   * two */\n  gpu = 1\n}", "job a {\n  # one\n  # two\n  gpu = 1\n}"),
    ("unclosed-string", 'job a {\n  image = »"x\n  gpu = 1\n}', 'job a {\n  image = "x"\n  gpu = 1\n}'),
    ("unclosed-string", 'let a = { b = »"x, c = 1 }', 'let a = { b = "x", c = 1 }'),
    ("unclosed-string", 'job a { image = »"x }', 'job a { image = "x" }'),
    ("unclosed-text-block", 'job a {\n  b = »"""\n    x\n  gpu = 1\n}', None),
    (
        "text-block-not-opened",
        'job a {\n  b =»\n    set -e\n    """\n  gpu = 1\n}',
        'job a {\n  b = """\n    set -e\n    """\n  gpu = 1\n}',
    ),
    ("text-block-start", 'let a = """»x\n  """', None),
    ("missing-block", "job a»\n  gpu = 1\n", None),
    ("missing-block", "job a {\n  role ps»\n    gpu = 1\n  role worker { }\n}", None),
    ("missing-block", "job a {\n  build»\n  gpu = 1\n}", "job a {\n  build { }\n  gpu = 1\n}"),
    ("brace-on-next-line", "job a\n»{\n  gpu = 1\n}", "job a {\n  gpu = 1\n}"),
    ("unclosed-block", "job a »{\n  gpu = 1\n", "job a {\n  gpu = 1\n}\n"),
    (
        "unclosed-block",
        "job a {\n  role ps »{\n    gpu = 1\n  role worker { gpu = 1 }\n}",
        "job a {\n  role ps {\n    gpu = 1\n  }\n  role worker { gpu = 1 }\n}",
    ),
    ("unclosed-block", "job a »{\n  gpu = 1\njob b { gpu = 2 }", "job a {\n  gpu = 1\n}\njob b { gpu = 2 }"),
    ("unclosed-block", "job a {\n  role ps »{ gpu = 1\n  cpu = 1\n}", "job a {\n  role ps { gpu = 1 }\n  cpu = 1\n}"),
    ("unclosed-bracket", 'job a {\n  args = »["x", "y"\n  gpu = 1\n}', 'job a {\n  args = ["x", "y"]\n  gpu = 1\n}'),
    ("unclosed-bracket", "job a {\n  cpu = max»(1, 2\n  gpu = 1\n}", "job a {\n  cpu = max(1, 2)\n  gpu = 1\n}"),
    ("wrong-bracket", "job a {\n  args = [1, 2»)\n  gpu = 1\n}", "job a {\n  args = [1, 2]\n  gpu = 1\n}"),
    ("stray-bracket", "job a {\n  gpu = 1»}\n  cpu = 1\n}", "job a {\n  gpu = 1\n  cpu = 1\n}"),
    ("stray-bracket", "job a { gpu = 1 }»}", "job a { gpu = 1 }"),
    ("unexpected-token", "job a {\n  role ps »gpu = 1 }\n  cpu = 1\n}", "job a {\n  role ps { gpu = 1 }\n  cpu = 1\n}"),
    ("unexpected-token", 'job a {\n  args = »"x", "y"]\n  cpu = 1\n}', 'job a {\n  args = ["x", "y"]\n  cpu = 1\n}'),
    ("yaml-list", 'job a {\n  args =\n    »- x\n    - "y"\n  gpu = 1\n}', 'job a {\n  args = ["x", "y"]\n  gpu = 1\n}'),
    (
        "yaml-map",
        "job a {\n  env =»\n    A = 1\n    B = 2\n  gpu = 1\n}",
        "job a {\n  env = {\n    A = 1\n    B = 2\n  }\n  gpu = 1\n}",
    ),
    ("broken-line", 'job a {\n  image =»\n    "x"\n}', None),
    ("quoted-key", 'job a { »"image" = "x" }', 'job a { image = "x" }'),
    ("word-operator", "let a = b »and c", "let a = b && c"),
    ("word-operator", "let a = b »or c", "let a = b || c"),
    ("word-operator", "let a = »not b", "let a = !b"),
    ("chained-comparison", "let a = 1 < b »< 3", None),
    ("split-unit", "job a { memory = »16 Gi }", "job a { memory = 16Gi }"),
    ("leading-dot", "let a = ».5", "let a = 0.5"),
    ("job-name-quotes", "job »my.job { }", 'job "my.job" { }'),
    ("job-name-quotes", "job »2nd-try { }", 'job "2nd-try" { }'),
    ("misspelt-keyword", "»jbo a { }", "job a { }"),
    ("misspelt-keyword", "job a { »rolle ps { } }", "job a { role ps { } }"),
    ("misspelt-keyword", '»import "x.tfjob"', 'include "x.tfjob"'),
    ("outside-job", '»image = "x"\ngpu = 1\njob a { }', None),
    ("outside-job", "»role ps { gpu = 1 }\njob a { }", None),
    ("repeated-word", "job a { role »role ps { } }", "job a { role ps { } }"),
    ("repeated-word", "let a = 1 + »+ 2", "let a = 1 + 2"),
    ("unquoted-text", "job a {\n  image = »reg.example.com/x:1.4\n}", 'job a {\n  image = "reg.example.com/x:1.4"\n}'),
    ("unquoted-text", "job a {\n  command = »python train.py\n}", 'job a {\n  command = "python train.py"\n}'),
    ("unquoted-text", 'job a { mount pvc "d" at »/data }', 'job a { mount pvc "d" at "/data" }'),
    ("unexpected-token", 'job a { mount pvc "d" »"/data" }', 'job a { mount pvc "d" at "/data" }'),
    ("misspelt-keyword", 'job a { mount pvc "d" »att "/data" }', 'job a { mount pvc "d" at "/data" }'),
    ("unfinished-statement", "let a = 1 +»\nlet b = 2", None),
    ("unfinished-statement", "job a { on failed =>» }".replace("» }", " »}"), None),
    ("unexpected-character", "let a = »@1", None),
    ("unexpected-character", "let a\u00a0= 1".replace("\u00a0", "»\u00a0"), "let a = 1"),
    ("forbidden-character", "let a = 1 »\x07", None),
    ("forbidden-character", "let a = 1»\rlet b = 2", None),
    ("forbidden-character", 'let a = "»\udcff"', None),
]


def apply(text: str, found: Diagnostic) -> str:
    for edit in sorted(found.fixes[0].edits, key=lambda each: -each.span.start):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


@pytest.mark.parametrize(
    ("slug", "marked", "fixed"), SLIPS, ids=[f"{slug}-{i}" for i, (slug, _, _) in enumerate(SLIPS)]
)
def test_one_report_at_the_right_place_with_a_fix_that_works(slug: str, marked: str, fixed: str | None) -> None:
    text = marked.replace(MARK, "")
    found = parse(Source("test", text)).diagnostics
    assert [(each.rule.slug, each.span.start) for each in found] == [(slug, marked.index(MARK))]
    if fixed is not None:
        assert found[0].fixes, "a fix was expected"
        assert apply(text, found[0]) == fixed
        assert parse(Source("fixed", fixed)).diagnostics == ()


@pytest.mark.parametrize(
    ("slug", "marked", "fixed"), SLIPS, ids=[f"{slug}-{i}" for i, (slug, _, _) in enumerate(SLIPS)]
)
def test_messages_are_in_the_words_of_the_language(slug: str, marked: str, fixed: str | None) -> None:
    for found in parse(Source("test", marked.replace(MARK, ""))).diagnostics:
        message = " ".join([found.message, *found.helps, *(fix.title for fix in found.fixes)])
        for term in ("NEWLINE", "$END", "LBRACE", "STRING", "NAME", "token", "{{", "}}"):
            assert term not in message


def test_each_slip_in_one_file_is_reported_once_in_order() -> None:
    text = (
        'job a {\n  image: "x"\n  gpu 1\n  args:\n    - a\n    - b\n  on failed -> restart job;\n'
        "  env = { A = 1 B = 2 }\n  x = 'y' // z\n}\n"
    )
    source = Source("test", text)
    found = [(source.position(each.span.start), each.rule.slug) for each in parse(source).diagnostics]
    assert found == [
        ((2, 8), "colon-for-equals"),
        ((3, 7), "missing-equals"),
        ((5, 5), "yaml-list"),
        ((7, 13), "wrong-arrow"),
        ((7, 27), "semicolon"),
        ((8, 17), "missing-separator"),
        ((9, 7), "single-quotes"),
        ((9, 11), "foreign-comment"),
    ]


def test_a_yaml_file_is_one_error() -> None:
    text = "apiVersion: kubeflow.org/v1\nkind: TFJob\nspec:\n  template:\n    a: 1\n  job:\n    - x\n"
    found = parse(Source("test", text)).diagnostics
    assert [each.span.start for each in found] == [0]


def test_what_is_read_around_an_error_is_kept() -> None:
    text = "job a {\n  gpu = = 1\n  role ps { cpu = @, memory = 8Gi }\n  x =\n}\nlet b = 2\n"
    parsed = parse(Source("test", text))
    job, let = parsed.file.declarations
    assert isinstance(job, ast.Job)
    assert isinstance(let, ast.Let)
    gpu, role, x = job.items
    assert isinstance(gpu, ast.Assign)
    assert isinstance(gpu.value, ast.Number)
    assert isinstance(role, ast.Role)
    assert [item.key.text for item in role.items if isinstance(item, ast.Assign)] == ["cpu", "memory"]
    assert isinstance(x, ast.Assign)
    assert isinstance(x.value, ast.ErrorExpr)


def test_nodes_without_their_name_are_left_out() -> None:
    parsed = parse(Source("test", "job a {\n  use\n  gpu = 1\n  on failed =>\n}\njob { cpu = 1 }\n"))
    first, second = parsed.file.declarations
    assert isinstance(first, ast.Job)
    assert isinstance(second, ast.Job)
    assert [type(item) for item in first.items] == [ast.Assign]
    assert len(parsed.diagnostics) == 3


def test_a_comparison_sign_that_closes_a_type_is_no_error() -> None:
    parsed = parse(Source("test", "param a: list<int>= [1]"))
    assert parsed.diagnostics == ()
    (param,) = parsed.file.declarations
    assert isinstance(param, ast.Param)
    assert param.type.of is not None
    assert isinstance(param.default, ast.ListExpr)
