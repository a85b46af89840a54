"""Labels and annotations.

Source: Kubernetes `apimachinery/pkg/api/validation` and `apimachinery/pkg/apis/meta/v1/validation`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tfdsl_backends.podspec.patching import formats

if TYPE_CHECKING:
    from tfdsl.patch.rules import Complaint
    from tfdsl_backends.podspec.patching.walking import Node

_KEY: Final = "keys are letters, digits, '-', '_' and '.', at most 63, after a domain and a slash if there is one"
_VALUE: Final = "values are letters, digits, '-', '_' and '.', at most 63, and begin and end with a letter or digit"


def metadata(node: Node) -> Iterator[Complaint]:
    """What is wrong with labels and annotations."""
    yield from labels(node["labels"])
    for key, value in node["annotations"].entries():
        if not formats.is_qualified_name(key.lower()):
            yield value.complain(f"{key!r} is not the key of an annotation", _KEY, key=True)


def labels(node: Node, what: str = "label") -> Iterator[Complaint]:
    """What is wrong with labels, or a selector of them."""
    for key, value in node.entries():
        if not formats.is_qualified_name(key):
            yield value.complain(f"{key!r} is not the key of a {what}", _KEY, key=True)
        if not formats.is_label_value(value.data):
            yield value.complain(f"{value.data!r} is not the value of a {what}", _VALUE)
