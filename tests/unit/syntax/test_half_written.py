"""Statements that somebody is still writing: each one of the language, cut off behind each of its tokens.

One error, at the end of what is there, that names what is missing; nothing follows from it, and the statement in the
next line is read as if the half-written one were not there.
"""

from __future__ import annotations

import pytest

from tests.unit.diagnostics.pages import Example, diagnostics
from tfdsl.syntax import parse, wording
from tfdsl.syntax.lexer import tokenize
from tfdsl.text import Source

pytestmark = pytest.mark.slow

CLOSERS = {"{": "}", "[": "]", "(": ")"}
KIND, SOURCE, AT, PATH = "a kind of mount such as pvc", "a source, at and a path", "at and a path", "a path"
EVENT, ACTION = "an event such as failed", "an action such as restart job"
ARROW = f"=> and {ACTION}"
TYPE, VALUE = "a type such as int or string", "a value"
SET = f"= and {VALUE}"
CONDITION, FILE, DESTINATION, TIME = "a condition", "a file or folder", "to and a destination", "a duration such as 10m"
OUTPUT_REST = ["", "success, failure or always", "", CONDITION]
NESTED = ["", TYPE, ">", TYPE, ">", ">", ""]  # behind each token of list<list<int>>

# The place, the statement, and what is missing behind each token ("": nothing, it may end there). Where a bracket is
# open, it is the bracket that is reported. A value that is missing behind = is a rule of its own, and so is a block.
STATEMENTS: list[tuple[str, str, list[str]]] = [
    ("file", "include 'c.tfjob'", ["a path in quotes"]),
    ("file", "let q = 4", ["the name of a constant", SET, "="]),
    ("file", "let q = -max(1, 2)", ["the name of a constant", SET, "=", VALUE, "", "(", "(", "(", "("]),
    ("file", "param q: int = 4 { min = 1 }", ["the name of a param", f": and {TYPE}", TYPE, "", "=", "", *"{{{{"]),
    ("file", "param q: list<list<int>> = []", ["the name of a param", f": and {TYPE}", TYPE, *NESTED, "=", "["]),
    ("file", "template q { gpu = 1 }", ["the name of a template", "block", *"{{{{"]),
    ("file", "profile q { n = 1 }", ["the name of a profile", "block", *"{{{{"]),
    ("file", "job q { image = 'x', role worker { } }", ["the name of the job", "block", *"{{{{{{{", "{{"]),
    ("job", "queue = 'x'", [SET, "="]),
    ("job", "role ps { cpu = 2 }", ["the name of a role", "block", *"{{{{"]),
    ("job", "target volcano { queue = 'x' }", ["the name of a target", "block", *"{{{{"]),
    ("job", "cluster { protocol = 'grpc' }", ["block", *"{{{{"]),
    ("job", "build { from = 'x', copy 'a' to '/b', run 'c' }", ["block", *"{{{{{{{{{{{{"]),
    ("job", "use gpu_node", ["the name of a template"]),
    ("job", "mount pvc 'd' at '/d' readonly { sub_path = 'x' }", [KIND, SOURCE, AT, PATH, "", "", *"{{{{"]),
    ("job", "mount scratch at '/s'", [KIND, SOURCE, PATH]),
    ("job", "mount claim 100Gi at '/d'", [KIND, SOURCE, AT, PATH]),
    (
        "job",
        "output '/a' to 'hdfs:///b' on success from worker[0] { overwrite = true }",
        [
            *("a file or folder", "to and a destination", "a destination", "", "success, failure or always", ""),
            *("a role", "", "[", "[", "", "{", "{", "{", "{"),
        ],
    ),
    (
        "job",
        "on worker[0] failed after 3m => restart job",
        [EVENT, EVENT, "[", "[", EVENT, ARROW, "a duration such as 10m", ARROW, ACTION, ""],
    ),
    ("job", "on worker completed => complete job", [EVENT, EVENT, ARROW, ACTION, ""]),
    ("job", "on failed => restart job", [EVENT, ARROW, ACTION, ""]),
    ("job", "on exit 3..7 => fail job", [EVENT, "an exit status", ARROW, "an exit status", ARROW, ACTION, ""]),
    ("job", "on exit [3, 7] => fail job", [EVENT, "an exit status", *"[[[[", ARROW, ACTION, ""]),
    ("job", "on worker restarted 3 => fail job", [EVENT, EVENT, "a number of restarts", ARROW, ACTION, ""]),
    (
        "job",
        "retries = n > 1 ? 2 : 3",
        [SET, "=", "", VALUE, "", VALUE, f": and {VALUE}", VALUE],
    ),
    (
        "job",
        "suspend = n > 1 && n < 3 || n == 2",
        [SET, "=", "", VALUE, "", VALUE, "", VALUE, "", VALUE, "", VALUE],
    ),
    ("job", "retries = 1 + n * 2 / 1 - 1 % 3", [SET, "=", *["", VALUE] * 5]),
    ("job", "suspend = !true", [SET, "=", VALUE]),
    ("job", "priority = (n + 1)", [SET, "=", "(", "(", "(", "("]),
    ("job", "labels = { a = 'x', 'b' = 'y' }", [SET, "=", *"{{{{{{{{"]),
    ("job", "args = ['a', 'b']", [SET, "=", *"[[[["]),
    ("job", "queue = m.a", [SET, "=", "", "the key of a map"]),
    ("job", "retries = xs[0]", [SET, "=", "", "[", "["]),
    ("job", "priority = 'x' when n > 1", [SET, "=", "", CONDITION, "", VALUE]),
    ("job", "role ps when true { cpu = 2 }", ["the name of a role", "block", CONDITION, "block", *"{{{{"]),
    ("job", "use gpu_node when true", ["the name of a template", "", CONDITION]),
    ("job", "mount scratch at '/s' readonly when true { }", [KIND, SOURCE, PATH, "", "", CONDITION, "", "{"]),
    ("job", "output '/a' to 'hdfs:///b' on success when true", [FILE, DESTINATION, "a destination", *OUTPUT_REST]),
    (
        "job",
        "on failed after 3m when n > 1 => ignore",
        [EVENT, ARROW, TIME, ARROW, CONDITION, ARROW, VALUE, ARROW, ACTION],
    ),
    ("job", "matrix { lr = [1, 2] }", ["block", *"{{{", *"[[[[", "{"]),
    (
        "job",
        "prepare fetch when true { command = 'x' }",
        ["the name of the step", "block", CONDITION, "block", *"{{{{"],
    ),
    ("job", "sidecar 'a-b' { image = 'x' }", ["the name of the sidecar", "block", *"{{{{"]),
    ("job", "unset priority when true", ["what to remove, such as an attribute", "", CONDITION]),
    ("job", "unset env['A']", ["what to remove, such as an attribute", "", "[", "["]),
    ("job", "unset mount '/d'", ["what to remove, such as an attribute", PATH]),
    ("job", "unset output '/a' to '/b'", ["what to remove, such as an attribute", FILE, DESTINATION, "a destination"]),
    ("job", "unset on failed", ["what to remove, such as an attribute", EVENT]),
    (
        "job",
        "unset on worker exit [1]",
        ["what to remove, such as an attribute", EVENT, "", "an exit status", "[", "["],
    ),
    ("job", "unset prepare fetch", ["what to remove, such as an attribute", "the name of the step"]),
    ("job", "unset sidecar proxy", ["what to remove, such as an attribute", "the name of the sidecar"]),
    (
        "target",
        "patch pod 'spec' = 1 unchecked when true",
        ["a path in quotes", "a path in quotes", SET, "=", "", "", CONDITION],
    ),
    ("target", "patch 'spec.suspend' = true", ["a path in quotes", SET, "="]),
    ("target", "patch 'spec' += { suspend = true }", ["a path in quotes", SET, VALUE, *"{{{{"]),
    ("target", "unpatch 'spec.suspend'", ["a path in quotes"]),
    ("build", "copy 'a' to '/b'", ["a file or folder", "to and a path in the image", "a path in the image"]),
    ("build", "run 'x'", ["a command, or in a flow a job"]),
    ("map", "a = 1", [SET, "="]),
    ("map", "'b' = 1 + 2", [SET, "=", "", VALUE]),
    ("list", "lower('a') + 'b'", ["", "(", "(", "", VALUE]),
]

AROUND = {
    "file": "{0}\n{1}param n: int = 1\njob a {{\n  image = 'r/x:1'\n  role worker {{ }}\n}}\n",
    "job": (
        "let n = 1\nlet xs = [1]\nlet m = {{ a = 'x' }}\ntemplate gpu_node {{ gpu = 1 }}\n"
        "job a {{\n  image = 'r/x:1'\n  role worker {{ replicas = n }}\n  {0}\n{1}}}\n"
    ),
    "target": "job a {{\n  image = 'r/x:1'\n  role worker {{ }}\n  target volcano {{\n    {0}\n{1}  }}\n}}\n",
    "build": "job a {{\n  build {{\n    from = 'y'\n    {0}\n{1}  }}\n  role worker {{ }}\n}}\n",
    "map": "job a {{\n  image = 'r/x:1'\n  role worker {{ }}\n  env = {{\n    {0}\n{1}  }}\n}}\n",
    "list": "job a {{\n  image = 'r/x:1'\n  role worker {{ }}\n  args = [\n    {0}\n{1}  ]\n}}\n",
}
NEXT = {
    "file": ("let zz = 3", "param z: int = 3", "template z { gpu = 1 }", "include 'z.tfjob'", "profile z { }"),
    "job": (
        *("deadline = 2h", "mount pvc 'z' at '/z'", "role evaluator { }", "on pending after 5m => fail job"),
        *("output '/z' to 'hdfs:///z'", "use gpu_node", "target yarn { }", "build { from = 'z' }", "cluster { }"),
    ),
    "target": ("    priority = 'x'", "    on failed => restart job", "    patch 'spec.y' = 1"),
    "build": ("    workdir = '/x'", "    copy 'z' to '/z'", "    run 'y'"),
    "map": ("    z = 3", "    'z' = 3"),
    "list": (),  # another value would go on
}


def cuts() -> list[tuple[str, str, str]]:
    """Each place with each beginning of a statement that is no statement, and what is missing there."""
    found: list[tuple[str, str, str]] = []
    for place, statement, missing in STATEMENTS:
        text = statement.replace("'", '"')
        ends = [token.end for token in tokenize(Source("statement", text)) if token.text.strip()]
        assert len(missing) <= len(ends) - 1
        missing = [*missing, *[""] * (len(ends) - len(missing))]
        found += [(place, text[:end], what) for end, what in zip(ends, missing, strict=True) if what]
    return list(dict.fromkeys(found))


def whole(place: str, cut: str, after: str = "") -> str:
    return AROUND[place].format(cut, after + "\n" if after else "").replace("'", '"')


def expected(text: str, cut: str, missing: str) -> tuple[str, int]:
    """The slug and the place of the one report."""
    begin = text.index(cut + "\n")
    if missing[-1] in CLOSERS:
        depth = 0
        at = begin + len(cut)
        while depth <= 0:
            at -= 1
            depth += (text[at] in CLOSERS) - (text[at] in CLOSERS.values())
        return ("unclosed-block" if text[at] == "{" else "unclosed-bracket"), at
    slug = {"block": "missing-block", "=": "missing-value"}.get(missing, "unfinished-statement")
    return slug, begin + len(cut)


@pytest.mark.parametrize(("place", "cut", "missing"), cuts())
def test_what_is_missing_is_named_once_and_the_next_statement_is_kept(place: str, cut: str, missing: str) -> None:
    alone = whole(place, cut)
    (found,) = parse(Source("test", alone)).diagnostics
    assert (found.rule.slug, found.span.start) == expected(alone, cut, missing)
    if found.rule.slug == "unfinished-statement":
        last = [token.text for token in tokenize(Source("cut", cut)) if token.text.strip()][-1]
        assert found.message == f"expected {missing} after {last}"
    for after in NEXT[place]:
        text = whole(place, cut, after if after.startswith(" ") or place == "file" else f"  {after}")
        parsed = parse(Source("test", text))
        assert [(each.rule.slug, each.span.start) for each in parsed.diagnostics] == [expected(text, cut, missing)]
        assert after.strip().replace("'", '"') in texts(parsed.file)


def texts(node: object) -> set[str]:
    """The texts of all nodes below ``node``."""
    if isinstance(node, tuple):
        return set().union(*map(texts, node))
    fields = getattr(type(node), "__fields__", ())
    found = {node.span.text} if "span" in fields else set()  # type: ignore[attr-defined]
    return found.union(*(texts(getattr(node, name)) for name in fields if name != "span"))


@pytest.mark.parametrize(("place", "cut", "missing"), cuts())
def test_nothing_follows_from_what_is_missing(place: str, cut: str, missing: str) -> None:
    text = whole(place, cut)
    errors = [each for each in diagnostics(Example({"main.tfjob": text}, (), "")) if each.level == "error"]
    assert [(each.rule.slug, each.span.start) for each in errors] == [expected(text, cut, missing)]


# Half-written items on one line with others, and in the middle of a value that may go on; ``»``: the place.
MORE = [
    ("job a { mount» }", KIND),
    ("job a { mount», gpu = 1 }", KIND),
    ("job a { role worker { replicas = n > 1 ? 2» } }", f": and {VALUE}"),
    ("job a { args = [1 +», 2] }", VALUE),
    ("job a { args = [1 +»] }", VALUE),
    ("job a { cpu = max(1, 2 *») }", VALUE),
    ("job a {\n  on worker =>»\n  on failed => restart job\n}", ACTION),
    ("job a {\n  cpu = n > 1 ? 2»\n  gpu = 1\n}", f": and {VALUE}"),
    ("job a {\n  cpu = 1 +»\n\n  # next\n  mount pvc \"d\" at \"/d\"\n}", VALUE),
    ("job a {\n  cpu = 1 +»\n}", VALUE),
    ("job a {\n  mount»\n  on»\n  role»\n  gpu = 1\n}", f"{KIND}|{EVENT}|the name of a role"),
    ("let»", "the name of a constant"),
    ("let a = \"${1 +» }\"", VALUE),
]  # fmt: skip


@pytest.mark.parametrize(("marked", "missing"), MORE)
def test_among_other_items(marked: str, missing: str) -> None:
    places = []
    text = marked
    while "»" in text:
        places.append(text.index("»"))
        text = text.replace("»", "", 1)
    found = parse(Source("test", text)).diagnostics
    assert [each.rule.slug for each in found] == ["unfinished-statement"] * len(places)
    assert [each.message.removeprefix("expected ").rpartition(" after ")[0] for each in found] == missing.split("|")
    assert [len(text[: each.span.start].rstrip()) for each in found] == [len(text[:at].rstrip()) for at in places]


@pytest.mark.parametrize("statement", wording.FORMS)
def test_the_forms_that_are_shown_are_right(statement: str) -> None:
    form = wording.FORMS[statement]
    declarations = ("edition", "include", "param", "let", "template", "profile", "job", "flow")
    text = form if statement in declarations else f"job a {{ {form} }}"
    if statement in ("copy", "run"):
        text = f"job a {{ build {{ {form} }} }}"
    if statement == "run job":
        text = f"flow a {{ {form} }}"
    assert parse(Source("form", text)).diagnostics == ()
