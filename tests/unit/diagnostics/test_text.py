"""Messages for people. The first expected text is that of the language reference, "Diagnostics"."""

from __future__ import annotations

import pytest

from tests.unit.diagnostics.texts import SLOW, duplicate, place, source
from tfdsl.diagnostics.render import text
from tfdsl.text import Span

REFERENCE = """\
error[TFJ2104] duplicate-mount-path: role worker has two mounts at /data
  --> mnist.tfjob:9:33
   |
 7 |   mount pvc "mnist-data" at "/data" readonly
   |                             ------- first mounted here
 9 |   mount nfs "10.0.0.2:/data" at "/data"
   |                                 ^^^^^^^ mounted again here
   = help: give one of them another path

1 error
"""


def marks(line: str, marked: str, nth: int = 0) -> tuple[str, str]:
    """The shown source line and the row of marks below it, without the gutter."""
    of = source(line + "\n")
    shown = text.render([SLOW(place(of, marked, nth))]).splitlines()
    return shown[3].removeprefix(" 1 | "), shown[4].removeprefix("   | ")


def test_layout_of_the_reference() -> None:
    of = source("\n" * 6 + '  mount pvc "mnist-data" at "/data" readonly\n\n  mount nfs "10.0.0.2:/data" at "/data"\n')
    again = place(of, '"/data"', 1)
    found = duplicate(again).marked("mounted again here").note(place(of, '"/data"'), "first mounted here")
    assert text.render([found.help("give one of them another path")]) == REFERENCE


def test_label_at_the_place_itself_stands_beside_its_mark() -> None:
    of = source("a b\n")
    both = SLOW(place(of, "b")).marked("this").note(place(of, "b"), "and that")
    assert text.render([both]).splitlines()[4] == "   |   ^ this; and that"


def test_nothing_to_say_is_nothing() -> None:
    assert text.render([]) == ""


def test_count_has_singular_and_plural() -> None:
    of = source("a b c\n")
    errors = [duplicate(place(of, "a")), duplicate(place(of, "b"))]
    assert text.render([*errors, SLOW(place(of, "c"))]).endswith("\n2 errors, 1 warning\n")


@pytest.mark.parametrize(
    ("line", "marked", "shown", "below"),
    [
        ("\tgpu = 1", "1", "    gpu = 1", " " * 10 + "^"),
        ("a\tb", "b", "a    b", "     ^"),
        ('"数据" x', "x", '"数据" x', " " * 7 + "^"),
        ('x = "数据"', "数据", 'x = "数据"', " " * 5 + "^^^^"),
        ('"e\u0301" x', "x", '"e\u0301" x', "    ^"),
        ('"🎉" x', "x", '"🎉" x', "     ^"),
        ('"👩\u200d👩\u200d👧" x', "x", '"👩\u200d👩\u200d👧" x', "     ^"),
        ('"👍🏽" x', "x", '"👍🏽" x', "     ^"),
        ('"❤\ufe0f" x', "x", '"❤\ufe0f" x', "     ^"),
        ('"\x1b[31m" x', "x", '"\u241b[31m" x', " " * 8 + "^"),
        ('"\u202e" x', "x", '"\ufffd" x', "    ^"),
        ("# \ufeffgpu", "gpu", "# \ufeffgpu", "  ^^^"),
    ],
)
def test_mark_stands_below_what_it_marks(line: str, marked: str, shown: str, below: str) -> None:
    assert marks(line, marked) == (shown, below)


def test_carriage_return_is_not_shown() -> None:
    of = source("gpu = 1\r\nx\r\n")
    assert "\r" not in text.render([SLOW(place(of, "1"))])


def test_end_of_text_can_be_marked() -> None:
    of = source("job j {\n")
    end = len(of.text)
    assert text.render([SLOW(Span(of, end, end))]).splitlines()[1:5] == [
        "  --> mnist.tfjob:2:1",
        "   |",
        " 2 |",
        "   | ^",
    ]


def test_empty_text_can_be_marked() -> None:
    of = source("")
    assert "  --> mnist.tfjob:1:1" in text.render([SLOW(Span(of, 0, 0))])


def test_long_line_is_clipped_around_the_mark() -> None:
    line = "x = [" + ", ".join(f'"item{n:03}"' for n in range(200)) + "]"
    shown, below = marks(line, '"item150"')
    assert len(shown) <= 126
    assert shown.startswith("...")
    assert shown.endswith("...")
    start = below.index("^")
    assert shown[start : start + len(below.strip())] == '"item150"'


def test_long_mark_shows_its_start() -> None:
    shown, below = marks("a = " + "x" * 500, "x" * 500)
    assert shown.startswith("a = xxx")
    assert below == " " * 4 + "^" * (len(shown) - 4)


def test_label_outside_of_the_clipped_part_is_not_lost() -> None:
    of = source("first" + " " * 300 + "second" + " " * 300 + "third\n")
    found = SLOW(place(of, "second")).note(place(of, "first"), "begins here").note(place(of, "third"), "ends here")
    rows = text.render([found]).splitlines()
    assert [row.removeprefix("   | ").strip() for row in rows[4:7]] == ["--- begins here", "^^^^^^", "--- ends here"]


def test_several_lines_are_marked_at_both_ends() -> None:
    of = source("  role ps {\n    gpu = 1\n  }\n")
    rows = text.render([SLOW(place(of, "role ps {\n    gpu = 1\n  }"))]).splitlines()
    assert rows[3:7] == [" 1 |   role ps {", "   |   ^^^^^^^^^", " 3 |   }", "   |   ^"]


def test_place_in_another_file_has_a_picture_of_its_own() -> None:
    of, other = source("use gpu\n"), source("template gpu {\n", "common.tfjob")
    rows = text.render([SLOW(place(of, "gpu")).note(place(other, "gpu"), "declared here")]).splitlines()
    assert rows[5:9] == ["  --> common.tfjob:1:10", "   |", " 1 | template gpu {", "   |          --- declared here"]


def test_gutter_is_as_wide_as_the_largest_number() -> None:
    of = source("\n" * 99 + "gpu = 1\n")
    rows = text.render([SLOW(place(of, "gpu"))]).splitlines()
    assert rows[1:5] == ["    --> mnist.tfjob:100:1", "     |", " 100 | gpu = 1", "     | ^^^"]


def test_messages_cannot_act_on_the_terminal() -> None:
    of = source("x\n", "a\x1b]0;b.tfjob")
    shown = text.render([SLOW(place(of, "x")).help("write \x1b[2J").note(place(of, "x"), "a\rb")])
    assert not {"\x1b", "\r"} & set(shown)


def test_colour_is_only_added() -> None:
    of = source("gpu = 1\n")
    found = [SLOW(place(of, "1")).help("less")]
    coloured = text.render(found, colour=True)
    assert "\x1b[1;33m" in coloured
    import re

    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == text.render(found)
