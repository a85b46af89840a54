"""Comments are what follows a ``#`` outside of the values."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

from tests.unit.manifest.reading import document, documents, found, values
from tfdsl.manifest.yaml import read
from tfdsl.text import Source

TEXT = """\
#!first
# second
a: b#c   # after b
"d # e": 'f # g' # after g
h: | # after the header
  # not this
  i
# before j
j: >-
    k # not this
    l
    # nor this
  # but this
m: [n,# in a list
    'o''#', p # after p
    ]
q: &r#s
  t
u: v
  w # after w
x: "y
  # z"   ## end ##
---
#
a: 1 #last"""


def told(text: str) -> list[str]:
    return [comment.text for comment in document(text).comments]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_comments(end: str) -> None:
    text = TEXT.replace("q: &r#s\n  t\n", "").replace("\n", end)
    one, two = documents(text)
    assert one.comments is two.comments
    assert [(comment.text, comment.alone) for comment in one.comments] == [
        ("!first", True),
        ("second", True),
        ("after b", False),
        ("after g", False),
        ("after the header", False),
        ("before j", True),
        ("but this", True),
        ("in a list", False),
        ("after p", False),
        ("after w", False),
        ("end ##", False),
        ("", True),
        ("last", False),
    ]
    for comment in one.comments:
        assert comment.span.text.startswith("#")
        assert comment.span.text.lstrip("#").strip() == comment.text


def test_json_has_none() -> None:
    assert document('{"a": "# b"}').comments == ()


def test_comments_of_a_job_in_a_string_have_their_places_in_the_file() -> None:
    text = """\
apiVersion: v1
kind: ConfigMap  # outside
data:
  a: |
    # inside
    apiVersion: batch/v1
    kind: Job  # too
"""
    (job,), _ = found(text)
    assert [(one.text, one.span.start) for one in job.comments] == [
        ("inside", text.index("# inside")),
        ("too", text.index("# too")),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "a: '#'\n" * 50_000,
        "# x\n" * 100_000 + "a: 1",
        pytest.param("- a # b\n" * 200_000, marks=pytest.mark.slow),
        "a: [" + "'#', " * 50_000 + "]",
        "a: " + "#" * 300_000,
        pytest.param("a: b\n\n# c\n" * 100_000, marks=pytest.mark.slow),
    ],
)
def test_many_are_found_in_linear_time(text: str) -> None:
    begin = time.process_time()
    read(Source("x", text), lambda _: None)
    assert time.process_time() - begin < 5


LINES = st.lists(
    st.sampled_from(["a: b # c", "  - 'd # e'", "# f", "g: |", "  # h", "i#j: k", "- [l, # m", "n] # o", '"#": #', ""])
)


@given(LINES)
def test_what_is_left_without_the_comments_has_the_same_values(lines: list[str]) -> None:
    text = "\n".join(lines)
    diagnostics: list[object] = []
    whole = read(Source("x", text), diagnostics.append)
    if diagnostics:
        return
    bare = text
    for comment in reversed(whole[0].comments):
        bare = bare[: comment.span.start] + " " * len(comment.span.text) + bare[comment.span.end :]
    assert [values(one.node) for one in documents(bare)] == [values(one.node) for one in whole]
    assert all("#" in comment.span.text for comment in whole[0].comments)
