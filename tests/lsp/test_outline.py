"""The shape of a text: symbols, folds, selections, colours."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.lsp.long_text import long_text
from tests.lsp.marked import marked, snapshot
from tfdsl.lsp.documents import Change
from tfdsl.lsp.features.layout import folding, selection, semantic_tokens
from tfdsl.lsp.features.navigation import Symbol, outline, search
from tfdsl.lsp.names import declared
from tfdsl.lsp.workspace import Workspace
from tfdsl.syntax import parse
from tfdsl.text import Source

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """\
param workers: int = 4
let registry = "r"
template gpus { gpu = 1 }
profile big { workers = 8 }
job mnist {
  image = "${registry}/a:1"
  mount pvc "x" at "/data"
  output "/tmp/a" to "/data/a"
  role worker { use gpus, replicas = workers }
  cluster { discovery = "flags" }
  on worker exit [137, 143]   =>   restart   pod
  target volcano { queue = "q" }
  matrix { lr = [1, 2] }
  prepare fetch when workers > 1 { command = "x" }
  role ps { unset prepare fetch, unset gpu }
}
"""


def lines(symbols: list[Symbol] | tuple[Symbol, ...], depth: int = 0) -> list[str]:
    found: list[str] = []
    for one in symbols:
        found.append(f"{'  ' * depth}{one.kind} {one.name} {one.detail}".rstrip())
        found += lines(one.children, depth + 1)
    return found


def test_the_outline_of_a_flow() -> None:
    flow = 'flow nightly { schedule = "@daily"\n run a\n run b-c after [a, d] failed }'
    named = ["flow nightly", '  attribute schedule "@daily"', "  run run a", "  run run b-c after a, d"]
    assert lines(outline(snapshot(flow).file)) == named


def test_outline() -> None:
    assert lines(outline(snapshot(TEXT).file)) == [
        "param workers int",
        'let registry "r"',
        "template gpus",
        "  attribute gpu 1",
        "profile big",
        "job mnist",
        '  attribute image "${registry}/a:1"',
        '  mount mount "/data" pvc',
        '  output output "/tmp/a"',
        "  role worker",
        "    attribute replicas workers",
        "  block cluster",
        "  policy on worker exit [137, 143] restart pod",
        "  target volcano",
        '    attribute queue "q"',
        "  block matrix",
        "  block prepare fetch",
        '    attribute command "x"',
        "  role ps",
    ]


def test_steps_are_in_the_outline_with_what_is_in_them() -> None:
    text = 'job a {\n sidecar "log-1" { image = "x" }\n}\n'
    assert lines(outline(snapshot(text).file)) == ["job a", "  block sidecar log-1", '    attribute image "x"']


def test_the_name_of_a_symbol_lies_within_it() -> None:
    def check(symbols: tuple[Symbol, ...]) -> int:
        for one in symbols:
            assert one.span.start <= one.name_span.start <= one.name_span.end <= one.span.end
        return len(symbols) + sum(check(one.children) for one in symbols)

    for text in (long_text(100), TEXT, "job { ", "job a { role { } }", "let = 1", "template"):
        check(tuple(outline(snapshot(text).file)))
    assert check(tuple(outline(snapshot(TEXT).file))) == 19


def test_outline_works_around_errors() -> None:
    found = lines(outline(snapshot(TEXT.replace('image = "', 'image = = "')).file))
    assert "  role worker" in found
    assert "  target volcano" in found


def test_search_finds_declarations_by_letters_in_order() -> None:
    files = [parse(Source(f"/w/{name}", TEXT.replace("mnist", name), f"/w/{name}")).file for name in "ab"]
    found = [declared(file) for file in files]
    assert [one.name for one in search(found, "wrk")] == ["workers", "worker", "workers", "worker"]
    assert [one.name for one in search(found, "GPUS")] == ["gpus", "gpus"]
    assert search(found, "krw") == []
    assert search(found, "a.b[") == []
    assert len(search(found, "")) == 16


def test_a_search_never_takes_long() -> None:
    """A pattern that goes back would try every choice of letters."""
    found = declared(parse(Source("/w/a", f"let {'a' * 5000} = 1\n", "/w/a")).file)
    assert search([found], "a" * 40 + "b") == []
    assert len(search([found], "a" * 40)) == 1


def test_what_is_found_follows_an_open_text(tmp_path: Path) -> None:
    path = tmp_path / "job.tfjob"
    path.write_text("let first = 1\n")
    workspace = Workspace()
    workspace.change_folders([tmp_path.as_uri()], ())
    assert [one.name for one in search(workspace.declared(), "")] == ["first"]
    document = workspace.documents.open(path.as_uri(), "let second = 1\n", 1)
    assert [one.name for one in search(workspace.declared(), "")] == ["second"]
    document.change([Change((0, 4, 0, 10), "third")], 2, "utf-16")
    assert [one.name for one in search(workspace.declared(), "")] == ["third"]
    workspace.documents.close(path.as_uri())
    assert [one.name for one in search(workspace.declared(), "")] == ["first"]
    path.write_text("let fourth = 1\n")
    assert [one.name for one in search(workspace.declared(), "")] == ["fourth"]


def test_folds() -> None:
    listed = "# one\n# two\nlet a = [\n  1,\n  2\n]\n"
    text = listed + 'job b {\n  command = """\n    x\n    y\n    """\n  # alone\n  role ps { }\n}\n'
    found = [(fold.first, fold.last, fold.kind) for fold in folding(snapshot(text))]
    assert found == [(0, 1, "comment"), (2, 4, "region"), (6, 12, "region"), (7, 10, "region")]


@pytest.mark.parametrize("text", ["job a {\n", "}\n}\n", "job a {\n)\n\n]\n", "", "#"])
def test_folds_of_broken_texts(text: str) -> None:
    count = text.count("\n") + 1
    assert all(0 <= fold.first < fold.last <= count for fold in folding(snapshot(text)))


def test_selection_grows_from_the_word_to_the_file() -> None:
    snap, offset = marked(TEXT.replace("{registry}", "{regi▮stry}"))
    texts = [span.text for span in selection(snap, offset)]
    assert texts[0] == "registry"
    assert texts[1] == '"${registry}/a:1"'
    assert texts[2] == 'image = "${registry}/a:1"'
    assert texts[3].startswith("job mnist {")
    assert texts[-1] == snap.source.text
    spans = selection(snap, offset)
    assert all(a.start >= b.start and a.end <= b.end and a != b for a, b in pairwise(spans))


@pytest.mark.parametrize("text", ["▮", "job a {▮", "let x = ▮", "# c▮"])
def test_selection_anywhere(text: str) -> None:
    snap, offset = marked(text)
    assert selection(snap, offset)[-1].text == snap.source.text


def test_colours() -> None:
    found = {(token.span.text, token.type, *token.modifiers) for token in semantic_tokens(snapshot(TEXT))}
    assert {
        ("workers", "parameter", "declaration"),
        ("workers", "parameter"),
        ("registry", "variable", "declaration", "readonly"),
        ("registry", "variable", "readonly"),
        ("gpus", "struct", "declaration"),
        ("gpus", "struct"),
        ("mnist", "class", "declaration"),
        ("worker", "class"),
        ("pvc", "type"),
        ("exit", "event"),
        ("restart   pod", "enumMember"),
        ("volcano", "namespace"),
        ("queue", "property"),
        ("int", "type"),
        ("lr", "property"),
        ("fetch", "class", "declaration"),
        ("fetch", "class"),
        ("gpu", "property"),
    } <= found


@pytest.mark.parametrize(
    "text", [TEXT, long_text(80), 'let x = "${x + "${x}"}"\nlet y = """\n  ${x}\n  """\n', "job a { on x => a\nb c }"]
)
def test_colours_do_not_overlap_and_keep_to_lines(text: str) -> None:
    tokens = semantic_tokens(snapshot(text))
    assert tokens
    for one, other in pairwise(tokens):
        assert one.span.end <= other.span.start
    assert not any("\n" in token.span.text for token in tokens)
