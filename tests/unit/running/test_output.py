"""What processes write, as lines."""

from __future__ import annotations

import pytest

from tfdsl.running.screen import LONGEST, Lines, shown_line


def test_lines_may_come_in_pieces() -> None:
    lines = Lines()
    assert lines.feed(b"one\ntw") == [b"one"]
    assert lines.feed(b"o") == []
    assert lines.feed(b"\n\nthree") == [b"two", b""]
    assert lines.end() == [b"three"]
    assert lines.end() == []


def test_a_line_without_end_does_not_grow() -> None:
    lines = Lines()
    pieces = [piece for number in range(100) for piece in lines.feed(b"%010d" % number * 1000)]
    assert {len(piece) for piece in pieces} == {LONGEST}
    assert sum(map(len, pieces)) + len(lines.end()[0]) == 1_000_000


def test_the_last_lines_are_kept_but_for_empty_ones() -> None:
    lines = Lines()
    for number in range(30):
        lines.feed(b"%d\n\n" % number)
    assert list(lines.last) == [b"%d" % number for number in range(20, 30)]
    lines.feed(b"".join(b"more %d\n" % number for number in range(30)))
    assert list(lines.last) == [b"more %d" % number for number in range(20, 30)]


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        ("a a b", "a a b"),
        ("a a a b", "a 2 b"),
        ("a a a", "a 2"),
        ("a b a b", "a b a b"),
        ("a " * 138 + "b", "a 10 100 137 b"),
        ("a " * 11 + "b", "a 10 b"),
    ],
)
def test_lines_that_follow_each_other_unchanged_are_folded(written: str, lines: str) -> None:
    """However they come; the first numbers are a sign of life."""
    expected = [b"(repeated %s times)" % word.encode() if word.isdigit() else word.encode() for word in lines.split()]
    data = written.replace(" ", "\n").strip().encode()
    for size in (1, 7, 1000):
        one = Lines()
        shown = [line for at in range(0, len(data), size) for line in one.feed(data[at : at + size])] + one.end()
        assert shown == expected
    assert list(one.last) == expected[-10:]


def test_empty_lines_are_not_folded() -> None:
    assert Lines().feed(b"a\n\n\n\nb\n") == [b"a", b"", b"", b"", b"b"]


@pytest.mark.parametrize(
    ("written", "on_the_screen"),
    [
        (b"plain", "plain"),
        (b"windows\r", "windows"),
        (b" 10%\r 50%\r100%", "100%"),
        (b"\x1b[32mgreen\x1b[0m\x1b[2K", "green"),
        (b"\x1b]0;title\x07text", "text"),
        (b"a\tb", "a    b"),
        (b"bell\x07", "bell␇"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        ("grüße ☕".encode(), "grüße ☕"),
        (b"##[error]no", "# #[error]no"),
        ("\u202eevil".encode(), "\ufffdevil"),
    ],
)
def test_a_line_on_a_screen_commands_nobody(written: bytes, on_the_screen: str) -> None:
    assert shown_line(written) == on_the_screen
