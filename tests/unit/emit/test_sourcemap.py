"""The source map of an output file."""

from __future__ import annotations

import json

from tfdsl.emit import yaml
from tfdsl.emit.json import source_map
from tfdsl.emit.located import Located, Written
from tfdsl.ir.fields import Origins
from tfdsl.text import Source, Span

SOURCE = Source('dir/my "job".tfjob', 'job a {\n  queue = "gpu"\n  role ps { args = ["x", "y"] }\n}\n')
OTHER = Source("base.tfjob", 'template t {\n  image = "i"\n}\n')


def span(source: Source, text: str) -> Span:
    start = source.text.index(text)
    return Span(source, start, start + len(text))


def test_lines_lead_back_to_what_was_written() -> None:
    origins = Origins(span(SOURCE, "a {"))
    origins.record("queue", span(SOURCE, '"gpu"'))
    origins.record("roles[ps]", span(SOURCE, "ps"))
    origins.record("roles[ps].args", span(SOURCE, '["x"'))
    origins.record("roles[ps].image", span(OTHER, '"i"'))
    document = {
        "kind": "Job",
        "queue": Located("gpu", "queue"),
        "args": [Located("x", "roles[ps].args[0]"), Located("y", "roles[ps].args[1]")],
        "image": Located("i", "roles[ps].image"),
        "restart": Located("Never", "roles[ps].restart"),
        "retries": Located(3, "retries"),
    }
    assert json.loads(source_map(yaml.write([document]), 'a"b.yaml', origins.span)) == {
        "version": 1,
        "file": 'a"b.yaml',
        "sources": ['dir/my "job".tfjob', "base.tfjob"],
        "lines": [[2, 0, 2, 11], [4, 0, 3, 20], [5, 0, 3, 20], [6, 1, 2, 11], [7, 0, 3, 8], [8, 0, 1, 5]],
    }


def test_a_file_without_places_has_an_empty_map() -> None:
    mapped = json.loads(source_map(Written("a\n", (None,)), "x", Origins(span(SOURCE, "a")).span))
    assert mapped == {"version": 1, "file": "x", "sources": [], "lines": []}
