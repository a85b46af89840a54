"""Scripts out of templates: what is inserted arrives as it is, or the rendering stops."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import jinja2
import pytest
from hypothesis import given, settings, strategies as st

from tests.pythons import pythons
from tfdsl.emit.located import Data, Located, plain
from tfdsl.emit.script import Quoted, UnquotedError, comment, py, render, sh
from tfdsl.vocabulary.quantities import Quantity

HOSTILE = [
    "",
    "'",
    '"',
    "\\",
    "$(x)`x`$X",
    "a\nb",
    "#",
    "é",
    "训练",
    "😀",
    "{{ x }}",
    "{% x %}",
    "\x1b",
    "\u2028",
    "%s",
    "\r\n",
    "-n",
]
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=15)


def made(folder: Path, template: str, values: dict[str, Data]) -> str:
    (folder / "t.j2").write_text(template, encoding="utf-8")
    from tfdsl.emit import script

    script._environment.cache_clear()
    return render(folder, "t.j2", values).text


def test_words_reach_a_program(tmp_path: Path) -> None:
    text = made(tmp_path, "#!/bin/sh\nexec printf '%s\\0' {{ argv | sh }} {{ n | sh }}\n", {"argv": HOSTILE, "n": 5})
    got = subprocess.run(["sh", "-c", text], capture_output=True, check=True).stdout
    assert got.decode().split("\0")[:-1] == [*HOSTILE, "5"]


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT | st.sampled_from(HOSTILE)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4))


@given(VALUES)
def test_python_literals_are_ascii_and_exact(value: object) -> None:
    literal = py(value)
    assert literal.isascii()
    assert "\n" not in literal
    assert eval(literal, {"__builtins__": {"float": float}}) == plain(value)


@pytest.mark.parametrize("python", pythons())
def test_python_literals_read_the_same_in_old_pythons(python: str) -> None:
    value = {"hosts": HOSTILE, "n": [1, -5, 10**25, 1.5, True, None, {"a": []}]}
    script = f"import json, sys\nsys.stdout.write(json.dumps({py(value)}))\n"
    process = subprocess.run([python, "-c", script], capture_output=True, check=True, text=True)
    assert json.loads(process.stdout) == {"hosts": HOSTILE, "n": [1, -5, 10**25, 1.5, True, {"a": []}]}


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        ("a", "'a'"),
        ("é", "u'\\xe9'"),
        ("😀", "u'\\U0001f600'"),
        (Quantity(1, "4Gi"), "'4Gi'"),
        (float("inf"), "float('inf')"),
        (Located({"a": None, "b": Located(("x", None), "p")}, "q"), "{'b': ['x']}"),
        (None, "None"),
        (Quoted('"$X"'), "'\"$X\"'"),
    ],
)
def test_literals(value: Data, literal: str) -> None:
    assert py(value) == literal


@settings(max_examples=200)
@given(TEXT)
def test_no_comment_reaches_the_code(text: str) -> None:
    line = f"# {comment(text)}\nx = 1\n"
    assert line.isascii()
    assert [type(node) for node in ast.parse(line).body] == [ast.Assign]
    assert line.count("\n") == 2
    assert "\r" not in line


@pytest.mark.parametrize(
    "template",
    [
        "{{ x }}",
        "{{ x ~ (x | sh) }}",
        "{{ 'constant' }}",
        "{{ (x | sh) + 'y' }}",
        "{% for y in [x] %}{{ y }}{% endfor %}",
        "{{ none }}",
        "{{ 5 }}",
        "{{ (x | py)[1:] }}",
        "{% macro m() %}a{% endmacro %}{{ m() }}",
        "{% set y %}{{ x | sh }}{% endset %}{{ y }}",
    ],
)
def test_what_passed_no_filter_stops_the_rendering(tmp_path: Path, template: str) -> None:
    with pytest.raises(UnquotedError):
        made(tmp_path, template, {"x": "a"})


@pytest.mark.parametrize(
    "template", ["{{ y | sh }}", "{{ y | py }}", "{{ y | comment }}", "{{ y }}", "{% if y %}{% endif %}"]
)
def test_a_name_that_was_not_given_stops_the_rendering(tmp_path: Path, template: str) -> None:
    with pytest.raises((UnquotedError, jinja2.UndefinedError)):
        made(tmp_path, template, {"x": "a"})


@pytest.mark.parametrize("name", ["upper", "e", "safe", "join", "default"])
def test_there_are_no_other_filters(tmp_path: Path, name: str) -> None:
    with pytest.raises(jinja2.TemplateAssertionError):
        made(tmp_path, "{{ x | NAME }}".replace("NAME", name), {"x": "a"})


def test_what_a_backend_quoted_itself_stays() -> None:
    assert sh(["/out", Quoted('"$TASK_INDEX"'), Located("a b", "x")]) == "/out \"$TASK_INDEX\" 'a b'"


@pytest.mark.parametrize("value", [None, {"a": 1}, [None], object()])
def test_what_is_no_word(value: Data) -> None:
    with pytest.raises(UnquotedError):
        sh(value)


def test_blocks_leave_no_lines_and_the_end_is_kept(tmp_path: Path) -> None:
    template = "a\n  {% if on %}\nb {{ x | sh }}\n  {% endif %}\n{% for y in ys %}\n- {{ y | sh }}\n{% endfor %}\nz\n"
    values: dict[str, Data] = {"on": Located(True, "on"), "x": "1", "ys": ["p", "q"]}
    assert made(tmp_path, template, values) == "a\nb 1\n- p\n- q\nz\n"
    assert made(tmp_path, template, {**values, "on": Located(False, "on")}) == "a\n- p\n- q\nz\n"


def test_every_line_knows_its_place(tmp_path: Path) -> None:
    (tmp_path / "lines.j2").write_text("#!/bin/sh\nA={{ a | sh }} B={{ b | sh }}\n{{ c | sh }} {{ d | sh }}\nend")
    values: dict[str, Data] = {
        "a": "plain",
        "b": Located("b", "roles[ps].env.B"),
        "c": Located("x\ny", "command"),
        "d": Located("d", "args"),
    }
    written = render(tmp_path, "lines.j2", values)
    assert list(zip(written.text.split("\n"), (*written.lines, None), strict=True)) == [
        ("#!/bin/sh", None),
        ("A=plain B=b", "roles[ps].env.B"),
        ("'x", "command"),
        ("y' d", "command"),
        ("end", None),
        ("", None),
    ]


def test_nothing_else_in_emit_loads_jinja_or_yaml() -> None:
    modules = ["dockerfile", "json", "located", "shell", "xml", "yaml"]
    heavy = ["dataclasses", "inspect", "jinja2", "lark", "pydantic", "yaml"]
    script = (
        f"import sys\nbefore = set(sys.modules)\nfor name in {modules}: __import__('tfdsl.emit.' + name)\n"
        f"print([name for name in {heavy} if name in sys.modules and name not in before])"
    )
    root = str(Path(__file__).parents[3])
    environment = {**os.environ, "PYTHONPATH": root}
    done = subprocess.run(
        [sys.executable, "-S", "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout == "[]\n"
