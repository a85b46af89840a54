"""Trees with places from YAML texts, for tests of what works on trees: PyYAML's composer and its plain scalars."""

from __future__ import annotations

from typing import Any

import yaml

from tfdsl.manifest.nodes import Entry, Mapping, Node, Scalar, Sequence, plain
from tfdsl.text import Source, Span


def tree(text: str) -> Node:
    """The one document of ``text``."""
    source = Source("job.yaml", text)
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    assert root is not None, "no document"
    return _node(root, source)


def of(data: object) -> Node:
    """A tree of plain data; all of it has one place."""
    return _of(data, Span(Source("job.yaml", ""), 0, 0))


def _of(data: Any, span: Span) -> Node:
    if isinstance(data, dict):
        return Mapping({key: Entry(key, span, _of(value, span)) for key, value in data.items()}, span)
    if isinstance(data, list):
        return Sequence(tuple(_of(item, span) for item in data), span)
    return Scalar(data, span)


def data(node: Node) -> Any:
    """The data of ``node``."""
    return plain(node)


def _node(node: yaml.Node, source: Source) -> Node:
    span = Span(source, node.start_mark.index, node.end_mark.index)
    if isinstance(node, yaml.MappingNode):
        entries: dict[str, Entry] = {}
        for key, value in node.value:
            place = Span(source, key.start_mark.index, key.end_mark.index)
            entries[key.value] = Entry(key.value, place, _node(value, source))
        return Mapping(entries, span)
    if isinstance(node, yaml.SequenceNode):
        return Sequence(tuple(_node(item, source) for item in node.value), span)
    loader = yaml.CSafeLoader("")
    return Scalar(loader.construct_object(node), span)
