"""The documents of what was read: YAML and JSON, XML, and the words of a command line, told apart by their content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.manifest.documents import Document
from tfdsl.manifest.find import find
from tfdsl.manifest.nodes import Scalar
from tfdsl.patterns import regex
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tfdsl.diagnostics import Diagnostic

_COMMAND: Final = regex(r"(?:#!|(?:\S+=\S*\s+)*(?:\S*/)?(?:yarn|hadoop|tony|submarine|slider)\s)")
_SCRIPTS: Final = (".sh", ".bash", ".py")


def documents_of(sources: Iterable[Source], report: Callable[[Diagnostic], None]) -> list[Document]:
    """Every document of ``sources``, in order; what is wrong with their form goes to ``report``."""
    return find((document for source in sources for document in _read(source, report)), report)


def _read(source: Source, report: Callable[[Diagnostic], None]) -> Sequence[Document]:
    start = source.text.lstrip()
    if start.startswith("<"):
        from tfdsl.manifest.xml import read_xml

        document = read_xml(source, report)
        return () if document is None else (document,)
    if source.path.endswith(_SCRIPTS) or _COMMAND.match(start):
        return [Document(source, Scalar(source.text, Span(source, 0, len(source.text))), "text")]
    from tfdsl.manifest import yaml

    return yaml.read(source, report)
