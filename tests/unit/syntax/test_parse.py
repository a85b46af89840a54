"""What texts mean: the tree that the later stages get."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.unit.syntax.shapes import shape
from tfdsl.syntax import ast, parse, parse_expression, tokenize
from tfdsl.text import Source


def declarations(text: str) -> tuple[ast.Declaration, ...]:
    parsed = parse(Source("test", dedent(text)))
    assert parsed.diagnostics == ()
    return parsed.file.declarations


def items(text: str) -> tuple[ast.Item, ...]:
    (job,) = declarations(f"job a {{\n{text}\n}}")
    assert isinstance(job, ast.Job)
    return job.items


def expression(text: str) -> object:
    value, diagnostics = parse_expression(Source("test", text))
    assert diagnostics == ()
    return brief(value)


def brief(value: object) -> object:
    """An expression as nested tuples, shorter than ``shape``."""
    match value:
        case ast.Binary():
            return (value.op, brief(value.left), brief(value.right))
        case ast.Unary():
            return (value.op, brief(value.operand))
        case ast.Choice():
            return ("?", brief(value.condition), brief(value.yes), brief(value.no))
        case ast.Member():
            return (".", brief(value.base), value.name.text)
        case ast.Index():
            return ("[]", brief(value.base), brief(value.index))
        case ast.Call():
            return (value.name.text, *(brief(each) for each in value.arguments))
        case ast.ListExpr():
            return [brief(each) for each in value.items]
        case ast.MapExpr():
            return {each.key.text: brief(each.value) for each in value.entries}
        case ast.Number() | ast.Unit():
            return value.text
        case ast.Ref():
            return value.name
        case ast.Bool():
            return value.value
    return shape(value)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("1 + 2 * 3", ("+", "1", ("*", "2", "3"))),
        ("1 - 2 - 3", ("-", ("-", "1", "2"), "3")),
        ("(1 + 2) * 3", ("*", ("+", "1", "2"), "3")),
        ("-a * b", ("*", ("-", "a"), "b")),
        ("!a && b || c", ("||", ("&&", ("!", "a"), "b"), "c")),
        ("a == 1 && b < 2", ("&&", ("==", "a", "1"), ("<", "b", "2"))),
        ("a ? b : c ? d : e", ("?", "a", "b", ("?", "c", "d", "e"))),
        ("a.b[0].c", (".", ("[]", (".", "a", "b"), "0"), "c")),
        ("-a.b", ("-", (".", "a", "b"))),
        ("max(1, len([a]),)", ("max", "1", ("len", ["a"]))),
        ("f()", ("f",)),
        ("[a\nb, c\n]", ["a", "b", "c"]),
        ("{ role = 1, at = 2\non = true }", {"role": "1", "at": "2", "on": True}),
        ("[]", []),
        ("{}", {}),
        ("1h30m + 500m", ("+", "1h30m", "500m")),
        ("a +\n b", ("+", "a", "b")),
        ("[a\n-b]", ["a", ("-", "b")]),
        ("yes", "yes"),
    ],
)
def test_expressions(text: str, tree: object) -> None:
    assert expression(text) == tree


def test_the_span_of_an_operation_covers_its_parentheses() -> None:
    source = Source("test", "(a + b) * c")
    value, _ = parse_expression(source)
    assert isinstance(value, ast.Binary)
    assert value.span.text == "(a + b) * c"
    assert value.left.span.text == "a + b"


def test_declarations() -> None:
    edition, include, param, plain, let, template, profile, job = declarations(
        """
        # head
        edition 1
        include "x.tfjob"
        param p: list<int> = [1] { min = 1 }
        param q: string
        let l = p
        template t { gpu = 1 }
        profile p { role = 1, "q" = "x" }
        job "a.b" { }
        """
    )
    assert isinstance(edition, ast.Edition)
    assert edition.number.text == "1"
    assert isinstance(include, ast.Include)
    assert include.path.parts == ("x.tfjob",)
    assert isinstance(param, ast.Param)
    assert param.type.name.text == "list"
    assert param.type.of is not None
    assert param.type.of.name.text == "int"
    assert isinstance(param.default, ast.ListExpr)
    assert [each.key.text for each in param.settings] == ["min"]
    assert isinstance(plain, ast.Param)
    assert (plain.default, plain.settings, plain.type.of) == (None, (), None)
    assert isinstance(let, ast.Let)
    assert isinstance(let.value, ast.Ref)
    assert isinstance(template, ast.Template)
    assert isinstance(template.items[0], ast.Assign)
    assert isinstance(profile, ast.Profile)
    assert [(each.key.text, each.key.quoted) for each in profile.settings] == [("role", False), ("q", True)]
    assert isinstance(job, ast.Job)
    assert (job.name.text, job.name.quoted, job.items) == ("a.b", True, ())


def test_mounts() -> None:
    full, bare = items('mount pvc "d" + x at "/d" readonly { sub_path = "s" }\nmount scratch at "/s"')
    assert isinstance(full, ast.Mount)
    assert full.kind.text == "pvc"
    assert isinstance(full.source, ast.Binary)
    assert isinstance(full.path, ast.Str)
    assert full.readonly is not None
    assert full.readonly.text == "readonly"
    assert [each.key.text for each in full.options] == ["sub_path"]
    assert isinstance(bare, ast.Mount)
    assert (bare.source, bare.readonly, bare.options) == (None, None, ())


def test_outputs() -> None:
    full, bare = items('output "a" to "b" on always from worker[1] { overwrite = true }\noutput a to b')
    assert isinstance(full, ast.Output)
    assert full.when is not None
    assert full.when.text == "always"
    assert full.subject is not None
    assert full.subject.role.text == "worker"
    assert full.subject.index is not None
    assert full.subject.index.text == "1"
    assert isinstance(bare, ast.Output)
    assert (bare.when, bare.subject, bare.options) == (None, None, ())


@pytest.mark.parametrize(
    ("text", "subject", "event", "codes", "count", "delay", "action"),
    [
        ("on failed => restart container", None, "failed", None, None, None, "restart container"),
        ("on worker[2] completed => complete job", "worker[2]", "completed", None, None, None, "complete job"),
        ("on exit 137 => ignore", None, "exit", "137", None, None, "ignore"),
        ("on ps exit 1..9 => fail job", "ps", "exit", "1..9", None, None, "fail job"),
        ("on exit [1, 2] => fail job", None, "exit", "[1, 2]", None, None, "fail job"),
        ("on restarted 5 => fail   job", None, "restarted", None, "5", None, "fail job"),
        ("on chief pending after 2 * 5m => abort job", "chief", "pending", None, None, "2 * 5m", "abort job"),
        ("on role target => on role", "role", "target", None, None, None, "on role"),
    ],
)
def test_policies(
    text: str, subject: str | None, event: str, codes: str | None, count: str | None, delay: str | None, action: str
) -> None:
    (policy,) = items(text)
    assert isinstance(policy, ast.Policy)
    assert (policy.subject and policy.subject.span.text) == subject
    assert policy.event.name.text == event
    assert (policy.event.codes and policy.event.codes.span.text) == codes
    assert (policy.event.count and policy.event.count.text) == count
    assert (policy.delay and policy.delay.span.text) == delay
    assert policy.action.text == action
    assert policy.span.text == text


def test_blocks_in_a_job() -> None:
    role, cluster, build, target = items(
        """
        role ps { use t, cpu = 1, on failed => ignore }
        cluster { discovery = "both" }
        build { from = "x"
          copy "a" to "b", run "c"
        }
        target volcano {
          patch "a" = 1, patch "b" += { c = 1 } unchecked
          unpatch "d"
          patch pod "e" = unchecked unchecked
          unpatch pod "pod"
        }
        """
    )
    assert isinstance(role, ast.Role)
    assert [type(each) for each in role.items] == [ast.Use, ast.Assign, ast.Policy]
    assert isinstance(cluster, ast.Cluster)
    assert cluster.word.text == "cluster"
    assert isinstance(build, ast.Build)
    assert [type(each) for each in build.items] == [ast.Assign, ast.Copy, ast.Run]
    assert isinstance(target, ast.Target)
    assert [
        (each.op, bool(each.pod), each.path.parts[0], each.value and each.value.span.text, bool(each.unchecked))
        for each in target.items
        if isinstance(each, ast.Patch)
    ] == [
        ("set", False, "a", "1", False),
        ("merge", False, "b", "{ c = 1 }", True),
        ("remove", False, "d", None, False),
        ("set", True, "e", "unchecked", True),
        ("remove", True, "pod", None, False),
    ]


def test_comments_are_kept_in_order() -> None:
    parsed = parse(Source("test", "# a\nlet a = [ # b\r\n  1, # c\n]\n\n  # d\n# e"))
    assert [each.text for each in parsed.file.comments] == ["# a", "# b", "# c", "# d", "# e"]
    assert all(each.span.text == each.text for each in parsed.file.comments)


def test_tokens_cover_all_but_blanks() -> None:
    text = 'job a-b { # c\n\n  x = "s" // t\n}\n'
    tokens = tokenize(Source("test", text))
    assert "".join(token.text for token in tokens) == text.replace(" ", "").replace("#c", "# c").replace("//t", "// t")
    assert all(text[token.start : token.end] == token.text for token in tokens)
    assert [token.type for token in tokens][:6] == ["JOB", "NAME", "LBRACE", "COMMENT", "_NEWLINE", "NAME"]


def test_a_sound_text_needs_neither_recovery_nor_heavy_modules() -> None:
    text = (Path(__file__).with_name("data") / "everything.tfjob").read_text(encoding="utf-8")
    code = (
        "import sys; before = set(sys.modules)\n"
        "from tfdsl.text import Source\nfrom tfdsl.syntax import parse\n"
        "assert not parse(Source('x', sys.stdin.read())).diagnostics\n"
        "print(' '.join(sorted(set(sys.modules) - before)))"
    )
    root = Path(__file__).parents[3]
    result = subprocess.run(
        [sys.executable, "-c", code], input=text, capture_output=True, text=True, cwd=root, check=True
    )
    loaded = result.stdout.split()
    assert {name for name in loaded if name.startswith("tfdsl")} == {
        "tfdsl",
        "tfdsl.diagnostics",
        "tfdsl.diagnostics.diagnostic",
        "tfdsl.diagnostics.syntax_rules",
        "tfdsl.gc_pause",
        "tfdsl.patterns",
        "tfdsl.record",
        "tfdsl.syntax",
        "tfdsl.syntax._tables",
        "tfdsl.syntax.ast",
        "tfdsl.syntax.build",
        "tfdsl.syntax.driver",
        "tfdsl.syntax.lexer",
        "tfdsl.syntax.parser",
        "tfdsl.syntax.strings",
        "tfdsl.text",
    }
    assert not {"lark", "dataclasses", "inspect", "json", "logging", "pydantic"} & set(loaded)
