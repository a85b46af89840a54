"""Positions as the protocol counts them (Language Server Protocol 3.17, "Position")."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from tfdsl.lsp.documents import ENCODINGS, Change, Document, Documents, Encoding, Lines, negotiated, path_of, uri_of

TEXT = "aé\r\n𝒳𝒴 = 1\rend\n"


@pytest.mark.parametrize(
    ("encoding", "positions"),
    [
        # a é \r \n 𝒳 𝒴 ' ' = ' ' 1 \r e n d \n
        ("utf-8", [(0, 0), (0, 1), (0, 3), (0, 3), (1, 0), (1, 4), (1, 8), (1, 9), (1, 10), (1, 11), (1, 12), (2, 0)]),
        ("utf-16", [(0, 0), (0, 1), (0, 2), (0, 2), (1, 0), (1, 2), (1, 4), (1, 5), (1, 6), (1, 7), (1, 8), (2, 0)]),
        ("utf-32", [(0, 0), (0, 1), (0, 2), (0, 2), (1, 0), (1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (2, 0)]),
    ],
)
def test_offsets_and_positions(encoding: Encoding, positions: list[tuple[int, int]]) -> None:
    lines = Lines(TEXT, encoding)
    assert [lines.position(offset) for offset in range(len(positions))] == positions
    for offset, (line, character) in enumerate(positions):
        if TEXT[offset] != "\n":  # the middle of \r\n is the end of its line
            assert lines.offset(line, character) == offset


def test_what_is_outside_is_kept_inside() -> None:
    lines = Lines("ab\ncd", "utf-16")
    assert lines.offset(0, 99) == 2
    assert lines.offset(9, 0) == 5
    assert lines.offset(-1, 0) == 0
    assert lines.offset(1, -5) == 3


def test_a_position_within_a_character_is_before_it() -> None:
    assert Lines("𝒳", "utf-16").offset(0, 1) == 0
    assert Lines("é", "utf-8").offset(0, 1) == 0


@pytest.mark.parametrize("separator", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_only_the_line_ends_of_the_protocol_end_lines(separator: str) -> None:
    assert Lines(f"a{separator}b", "utf-16").position(2) == (0, 2)


@pytest.mark.slow
@given(st.text(alphabet="aé𝒳\r\n"), st.sampled_from(ENCODINGS))
def test_positions_lead_back(text: str, encoding: Encoding) -> None:
    lines = Lines(text, encoding)
    for offset in range(len(text) + 1):
        back = lines.offset(*lines.position(offset))
        assert back == offset or text[back : offset + 1] == "\r\n"


@pytest.mark.parametrize(
    ("offered", "taken"),
    [
        (None, "utf-16"),
        ([], "utf-16"),
        (["utf-32", "utf-8"], "utf-32"),
        (["utf-7", "utf-8"], "utf-8"),
        (["utf-7"], "utf-16"),
    ],
)
def test_encoding_is_the_first_that_is_known(offered: list[str] | None, taken: str) -> None:
    assert negotiated(offered) == taken


# --- changes ---------------------------------------------------------------------------------------------------


def test_changes_apply_one_after_the_other() -> None:
    document = Document("file:///a.tfjob", "one\n𝒳 two\n", 1)
    changes = [Change((1, 2, 1, 3), "-"), Change((0, 0, 0, 3), "1\n2"), Change((2, 0, 2, 2), "X")]
    document.change(changes, 2, "utf-16")
    assert (document.source.text, document.version) == ("1\n2\nX-two\n", 2)


def test_a_change_without_a_range_is_the_whole_text() -> None:
    document = Document("file:///a.tfjob", "old", 1)
    document.change([Change(None, "new")], 7, "utf-8")
    assert (document.source.text, document.version) == ("new", 7)


def test_a_range_that_runs_backwards_or_out_of_the_text_does_no_harm() -> None:
    document = Document("file:///a.tfjob", "abc", 1)
    document.change([Change((0, 2, 0, 1), "X"), Change((9, 9, 12, 0), "Y")], 2, "utf-16")
    assert document.source.text == "abXcY"


# --- names of files --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b.tfjob", "/a/b.tfjob"),
        ("file:///a%20b/%C3%A9%23.tfjob", "/a b/é#.tfjob"),
        ("file://localhost/a", "/a"),
        ("untitled:Untitled-1", None),
        ("file:///a%00b", None),
        ("http://[", None),
    ],
)
def test_paths_of_uris(uri: str, path: str | None) -> None:
    assert path_of(uri) == path


@given(st.text(alphabet="ab é#%?&+:@/𝒳", min_size=1).map(lambda text: f"/{text}"))
def test_uris_of_paths_lead_back(path: str) -> None:
    if not path.startswith("//"):
        assert path_of(uri_of(path)) == path


def test_an_open_text_counts_before_its_file_and_keeps_its_uri() -> None:
    documents = Documents()
    document = documents.open("file:///w/a%2Eb.tfjob", "let x = 1\n", 3)
    found = documents.read("/w/./a.b.tfjob", ("/w",))
    assert not isinstance(found, str)
    assert found.text == "let x = 1\n"
    assert documents.uri("/w/a.b.tfjob") == document.uri
    documents.close(document.uri)
    assert isinstance(documents.read("/w/a.b.tfjob", ("/w",)), str)
    assert documents.uri("/w/a.b.tfjob") == "file:///w/a.b.tfjob"
