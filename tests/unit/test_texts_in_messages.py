"""Names and texts as messages show them."""

import pytest

from tfdsl.rules.values import job_name, quoted


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a", '"a"'), ("a\nb", r'"a\nb"'), ('a"b', r'"a\"b"'), ("a\\b", r'"a\\b"'), ("a\tb\r", r'"a\tb\r"')],
)
def test_a_text_is_shown_as_it_is_written(text: str, shown: str) -> None:
    assert quoted(text) == shown


def test_a_name_stays_on_the_line_of_its_message() -> None:
    broken = job_name("n-a\nb")
    assert broken is not None
    assert broken.message.startswith(r'"n-a\nb" is not a valid job name')
