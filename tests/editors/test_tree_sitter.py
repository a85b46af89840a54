"""The tree-sitter grammar against its corpus, the compiler's own parser and the words of the language."""

from __future__ import annotations

import hashlib
import random
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.editors.treesitter import Case, compiled, corpus, mistakes, nodes, normal
from tests.spec.page import examples
from tests.unit.syntax.programs import Writer
from tfdsl.syntax.parser import parse
from tfdsl.text import Source

if TYPE_CHECKING:
    from tree_sitter import Language, Parser, Tree

ROOT = Path(__file__).resolve().parents[2]
GRAMMAR = ROOT / "grammar/tree-sitter"
EXAMPLES = sorted((*ROOT.glob("examples/*/main.tfjob"), *ROOT.glob("tests/unit/syntax/data/*.tfjob")))
OTHERS = ("grammar/helix/queries/tfjob/*.scm", "grammar/zed/languages/tfjob/*.scm")
QUERIES = sorted((*GRAMMAR.glob("queries/*.scm"), *(path for places in OTHERS for path in ROOT.glob(places))))
PAGES = sorted((ROOT / "tests/spec").glob("[0-9]*.md"))


@pytest.fixture(scope="session")
def language(tmp_path_factory: pytest.TempPathFactory) -> Language:
    return compiled(GRAMMAR, tmp_path_factory.mktemp("tree-sitter"))


@pytest.fixture
def parser(language: Language) -> Parser:
    from tree_sitter import Parser

    return Parser(language)


def captures(language: Language, tree: Tree, query: Path) -> list[tuple[str, str]]:
    """(capture, text) of everything that a query of the grammar finds, in order of the text."""
    from tree_sitter import Query, QueryCursor

    rules = Query(language, query.read_text(encoding="utf-8"))
    found = QueryCursor(rules).captures(tree.root_node)
    places = sorted((node.start_byte, name, node.text or b"") for name, each in found.items() for node in each)
    return [(name, text.decode()) for _, name, text in places]


def test_parser_was_generated_from_this_grammar() -> None:
    # What `make parser` writes beside the parser, which it makes with the tree-sitter command.
    written = (GRAMMAR / "src/grammar.js.sha256").read_text(encoding="ascii").split()[0]
    assert written == hashlib.sha256((GRAMMAR / "grammar.js").read_bytes()).hexdigest()


def test_the_corpus_has_cases() -> None:
    assert len(corpus(GRAMMAR / "test/corpus")) > 15


@pytest.mark.parametrize("case", corpus(GRAMMAR / "test/corpus"), ids=lambda case: case.name)
def test_corpus(parser: Parser, case: Case) -> None:
    assert normal(str(parser.parse(case.text).root_node)) == case.tree


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_examples_parse(parser: Parser, path: Path) -> None:
    assert mistakes(parser.parse(path.read_bytes()).root_node) == []


def test_generated_programs_parse(parser: Parser) -> None:
    for seed in range(60):
        text = Writer(random.Random(seed)).program()
        assert mistakes(parser.parse(text.encode()).root_node) == [], text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_understands_whatever_the_compiler_understands(parser: Parser, page: Path) -> None:
    for example in examples(page):
        for name, text in example.files.items():
            if not name.endswith(".tfjob"):
                continue
            reports = parse(Source(name, text)).diagnostics
            if not any(report.rule.code.startswith("TFJ0") and report.level == "error" for report in reports):
                assert mistakes(parser.parse(text.encode()).root_node) == [], f"{page.name}: {example.title}"


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ('let a = "open', 2),
        ("let a = 1 +", 2),
        ("let = 3", 2),
        ("job a { role }", 2),
        ("let a = [1, 2", 2),
    ],
)
def test_a_mistake_is_seen_and_does_not_hide_the_rest(parser: Parser, line: str, place: int) -> None:
    tree = parser.parse(f"let before = 1\n{line}\nlet after = 2\n".encode())
    assert mistakes(tree.root_node)
    assert mistakes(tree.root_node)[0][0] in (place, place + 1)
    assert any(node.type == "let" and b"before" in (node.text or b"") for node in nodes(tree.root_node))


@pytest.mark.parametrize(
    "text", ["\0", "\ufeffjob a { }", "}" * 500, "{" * 500, "job 😀 {", '"' * 99, "'''\n", "$" * 99]
)
def test_hostile_texts_end(parser: Parser, text: str) -> None:
    assert parser.parse(text.encode()).root_node.end_byte <= len(text.encode())


@pytest.mark.parametrize("query", QUERIES, ids=lambda path: f"{path.parts[-4]}-{path.stem}")
def test_queries_find_something(language: Language, parser: Parser, query: Path) -> None:
    tree = parser.parse((ROOT / "examples/everything/main.tfjob").read_bytes())
    assert captures(language, tree, query)


def test_helix_has_the_same_injections() -> None:
    ours, helix = (path / "injections.scm" for path in (GRAMMAR / "queries", ROOT / "grammar/helix/queries/tfjob"))
    assert ours.read_bytes() == helix.read_bytes()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_each_place_has_one_colour_and_no_word_has_none(language: Language, parser: Parser, path: Path) -> None:
    from tree_sitter import Query, QueryCursor

    tree = parser.parse(path.read_bytes())
    rules = Query(language, (GRAMMAR / "queries/highlights.scm").read_text(encoding="utf-8"))
    found = QueryCursor(rules).captures(tree.root_node)
    colours: dict[int, set[str]] = {}
    for name, each in found.items():
        for node in each:
            colours.setdefault(node.id, set()).add(name)
    assert {node_id: names for node_id, names in colours.items() if len(names) > 1} == {}
    words = [
        node for node in nodes(tree.root_node) if re.fullmatch(rb"[a-z_]+", node.text or b"") and not node.children
    ]
    assert words
    bare = [(node.start_point.row + 1, node.text) for node in words if node.id not in colours]
    assert bare == []


def test_colours(language: Language, parser: Parser) -> None:
    text = b"""job a {
  image = "x-${job.name}"
  imagee = 4Gi
  on worker failed => restart pod
  role worker { replicas = max(1, n) }
}
"""
    found = captures(language, parser.parse(text), GRAMMAR / "queries/highlights.scm")
    assert ("property", "image") in found
    assert not any(text == "imagee" for _, text in found)
    assert ("keyword.conditional", "failed") in found
    assert [text for name, text in found if name == "keyword.return"] == ["restart", "pod"]
    assert found.count(("constant.builtin", "worker")) == 2
    assert ("function.builtin", "max") in found
    assert ("variable.builtin", "job") in found
    assert ("variable", "n") in found


def test_shell_is_found_in_commands_only(language: Language, parser: Parser) -> None:
    text = b"""job a {
  command = \"\"\"
    echo ${task.index} done
    \"\"\"
  workdir = "/elsewhere"
  build { run "pip install pandas" }
}
"""
    found = captures(language, parser.parse(text), GRAMMAR / "queries/injections.scm")
    assert [text for name, text in found if name == "injection.content"] == [
        "    echo ",
        " done\n    ",
        "pip install pandas",
    ]
