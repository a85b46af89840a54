"""The readers of slider and yarn take any tree: what people could write at each place of what they do write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.importing.cases import cases
from tfdsl.backend.reading import Asked
from tfdsl.importing.manifests import documents_of
from tfdsl.manifest.nodes import Document, Entry, Mapping, Node, Scalar, Sequence, Step, walk
from tfdsl.record import replace
from tfdsl.text import Source, Span
from tfdsl_backends.slider import reading as slider
from tfdsl_backends.yarn import reading as yarn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Diagnostic

CASES = [case for case in cases() if case.name.startswith(("slider/", "yarn/"))]
WORDS = (
    "", " ", "0", "-1", "9" * 400, "1e9", "max", "true", "$X", "${USER_NAME}", "{{ x }}", "a,b:c=d", ":", ",", "=",
    "a\nb", "'", '"', "\0", "\u202e", "🙂", "hdfs://", "/", "..", "#archive", "x" * 70_000,
)  # fmt: skip
PLAIN: tuple[object, ...] = (None, True, False, 0, -1, 1.5, 10**40, float("inf"))


def replacements(span: Span) -> Iterator[Node]:
    """What can be at a place."""
    for value in (*WORDS, *PLAIN):
        yield Scalar(value, span)  # type: ignore[arg-type]  # the readers are given what no server takes
    yield Mapping({}, span)
    yield Sequence((), span)
    yield Sequence((Scalar(None, span), Mapping({}, span), Sequence((), span), Scalar("a", span)), span)
    yield Mapping({word: Entry(word, span, Scalar(word, span)) for word in ("name", "@x", "", "yarn.memory")}, span)


def with_value(node: Node, path: tuple[Step, ...], value: Node) -> Node:
    """``node`` with another value at ``path``."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(node, Mapping) and isinstance(step, str):
        entry = node.entries[step]
        changed = replace(entry, value=with_value(entry.value, rest, value))
        return Mapping({**node.entries, step: changed}, node.span)
    assert isinstance(node, Sequence)
    assert isinstance(step, int)
    items = list(node.items)
    items[step] = with_value(items[step], rest, value)
    return Sequence(tuple(items), node.span)


def read_all(documents: list[Document]) -> list[Diagnostic]:
    """Everything that the readers say about the documents, in which each place must be."""
    diagnostics: list[Diagnostic] = []
    for reading in (slider, yarn):
        for group in reading.groups(documents):
            reading.read(group, Asked({}, diagnostics.append))
    for one in diagnostics:
        assert 0 <= one.span.start <= one.span.end <= len(one.span.source.text)
    return diagnostics


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_any_value_anywhere(case: object) -> None:
    found = next(one for one in CASES if one is case)
    documents = documents_of(found.sources, lambda diagnostic: None)
    number = 0
    for at, document in enumerate(documents):
        if document.format == "text":
            continue
        for path, node in walk(document.node):
            for value in list(replacements(node.span))[number % 3 :: 3]:
                changed = replace(document, node=with_value(document.node, path, value))
                read_all([*documents[:at], changed, *documents[at + 1 :]])
            number += 1


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_any_part_of_a_script(case: object) -> None:
    found = next(one for one in CASES if one is case)
    for source in found.sources:
        if source.path.endswith(".sh"):
            for end in range(0, len(source.text), 7):
                for text in (source.text[:end], source.text[end:], source.text[:end] + source.text[end + 3 :]):
                    changed = Source(source.path, text)
                    read_all([Document(changed, Scalar(text, Span(changed, 0, len(text))), "text")])


@pytest.mark.slow
def test_what_tfdsl_wrote_may_be_damaged() -> None:
    from tests.importing.test_hadoop_round_trip import EXAMPLES, compiled

    text = (EXAMPLES / "mnist" / "main.tfjob").read_text("utf-8")
    (files,) = compiled(text, "yarn").values()
    for name, script in files.items():
        for end in range(0, len(script), 2503):
            changed = Source(name, script[:end] + script[end + 40 :])
            others = [Source(other, each) for other, each in files.items() if other != name]
            read_all(
                [Document(one, Scalar(one.text, Span(one, 0, len(one.text))), "text") for one in (changed, *others)]
            )
    (package,) = compiled(text, "slider").values()
    documents = documents_of([Source(name, each) for name, each in package.items()], lambda diagnostic: None)
    for at, document in enumerate(documents):
        if document.format == "text" or not document.source.path.endswith("job.json"):
            continue
        for number, (path, node) in list(enumerate(walk(document.node)))[::5]:
            value = list(replacements(node.span))[number % 30]
            read_all(
                [*documents[:at], replace(document, node=with_value(document.node, path, value)), *documents[at + 1 :]]
            )


@pytest.mark.parametrize("reading", [slider, yarn], ids=["slider", "yarn"])
def test_the_table_has_each_field_once(reading: object) -> None:
    fields = slider.FIELDS if reading is slider else yarn.FIELDS
    assert len({(one.form, one.path) for one in fields}) == len(fields)
    assert all(one.path and (one.word or one.note) for one in fields)
