"""What processes write, as lines."""

from __future__ import annotations

import pytest

from tfdsl.running.output import LONGEST, Lines, shown


def test_lines_may_come_in_pieces() -> None:
    lines = Lines()
    assert lines.feed(b"one\ntw") == [b"one"]
    assert lines.feed(b"o") == []
    assert lines.feed(b"\n\nthree") == [b"two", b""]
    assert lines.end() == [b"three"]
    assert lines.end() == []


def test_a_line_without_end_does_not_grow() -> None:
    lines = Lines()
    pieces = [piece for _ in range(100) for piece in lines.feed(b"x" * 10_000)]
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
    assert shown(written) == on_the_screen
