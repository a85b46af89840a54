"""The documents of what was read: YAML and JSON, XML, and the words of a command line, told apart by their content."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

from tfdsl import targets
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics import import_rules as rules
from tfdsl.diagnostics.suggest import enumeration
from tfdsl.manifest.documents import Document
from tfdsl.manifest.find import find
from tfdsl.manifest.foreign import Readable
from tfdsl.manifest.nodes import Scalar
from tfdsl.patterns import regex
from tfdsl.text import Source, Span

_FIRST_WORD: Final = regex(r"(?:\w+=\S*\s+)*(?:\S*/)?([\w.-]+)[ \t]")
LARGEST_SUM: Final = 4 * 1024 * 1024
"""The most characters of all manifests together: the API server takes objects of at most 1.5 MiB, and a tree with the
places of all its nodes needs about 80 times as much memory as its text."""
_SCRIPTS: Final = (".sh", ".bash", ".py")


def documents_of(sources: Sequence[Source], report: Callable[[Diagnostic], None]) -> list[Document]:
    """Every document of ``sources``, in order; what is wrong with their form goes to ``report``."""
    total = 0
    for source in sources:
        total += len(source.text)
        if total > LARGEST_SUM:
            error = rules.MANIFEST_TOO_LARGE(Span(source, 0, 0), limit=LARGEST_SUM // 1024 // 1024)
            report(error.help("import it in several parts; kubectl can get one kind, or one namespace, at a time"))
            return []
    known = targets.built_in()
    kinds = frozenset(kind.lower() for backend in known for kind in backend.kinds)
    readable = Readable(kinds, enumeration([words for backend in known for words in backend.reads]))
    commands = {command for backend in known for command in backend.commands}
    documents = (document for source in sources for document in _read(source, commands, report))
    return find(documents, readable, report)


def _read(source: Source, commands: Collection[str], report: Callable[[Diagnostic], None]) -> Sequence[Document]:
    start = source.text.lstrip()
    if start.startswith("<"):
        from tfdsl.manifest.xml import read_xml

        document = read_xml(source, report)
        return () if document is None else (document,)
    first = _FIRST_WORD.match(start)
    if source.path.endswith(_SCRIPTS) or start.startswith("#!") or (first is not None and first[1] in commands):
        return [Document(source, Scalar(source.text, Span(source, 0, len(source.text))), "text")]
    from tfdsl.manifest import yaml

    return yaml.read(source, report)
