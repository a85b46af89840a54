"""The documents that can be jobs: those of lists, and those inside strings or objects of other manifests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics import import_rules as rules
from tfdsl.manifest import foreign, yaml
from tfdsl.manifest.documents import Document
from tfdsl.manifest.foreign import Readable
from tfdsl.manifest.nodes import Entry, Mapping, Node, Scalar, Sequence, Step, walk
from tfdsl.manifest.places import Places
from tfdsl.manifest.view import view
from tfdsl.patterns import regex
from tfdsl.record import replace
from tfdsl.text import Source

if TYPE_CHECKING:
    Report = Callable[[Diagnostic], None]

MOST_EMBEDDED: Final = 1_000
"""The most documents of one other that are read out of it."""

_KIND_INSIDE = regex(r"\bkind[\"']?[ \t]*:[ \t]*[\"']?([A-Za-z]+)\b")
_PLACEHOLDER = regex(r"\{\{[^{}\n]*\}\}|\$\{[^{}\n]*\}")
_NAME = regex(r"[A-Za-z_][A-Za-z0-9_-]*")
# What the server or a controller adds, copies of the document itself among it.
_NOT_BY_THE_USER: Final = frozenset({("status",), ("metadata",)})


def find(documents: Iterable[Document], readable: Readable, report: Report) -> list[Document]:
    """``documents`` with those of lists and those found in others, which stand after what they were found in.

    Where none of them can be a job, one error names what they are.
    """
    found: list[Document] = []
    diagnostics: list[Diagnostic] = []
    for document in documents:
        for one in _flat(document):
            found.append(one)
            if foreign.is_foreign(one, readable):
                found += _inside(one, readable, diagnostics.append)
    if not diagnostics and found and all(foreign.is_foreign(one, readable) for one in found):
        diagnostics = [foreign.diagnostic(found, readable)]
    for diagnostic in diagnostics:
        report(diagnostic)
    return found


def _flat(document: Document) -> Iterator[Document]:
    """The items of a list of objects, also of a list in a list; any other document itself."""
    waiting = [document]
    while waiting:
        one = waiting.pop()
        items = _items(one)
        if items is None:
            yield one
        else:
            waiting += reversed(items)


def _items(document: Document) -> list[Document] | None:
    root = view(document.node)
    if isinstance(root.node, Sequence) and document.format in ("yaml", "json"):
        return [
            replace(document, node=one, within=(*document.within, f"[{number}]"))
            for number, one in enumerate(root.node.items)
            if isinstance(one, Mapping)
        ] or None
    kind, items = root["kind"].text, root["items"].node
    if kind is None or not kind.endswith("List") or not isinstance(items, Sequence):
        return None
    return [
        replace(
            document, node=_with_header(one, document.node, kind), within=(*document.within, f"{kind}.items[{number}]")
        )
        for number, one in enumerate(items.items)
        if isinstance(one, Mapping)
    ]


def _with_header(item: Mapping, parent: Node, kind: str) -> Mapping:
    """An item of a ``TFJobList`` with its kind, which the API leaves out there."""
    if "kind" in item.entries or kind == "List" or not isinstance(parent, Mapping):
        return item
    header = dict(parent.entries)
    entries = {key: header[key] for key in ("apiVersion",) if key in header}
    span = header["kind"].value.span
    entries["kind"] = Entry("kind", header["kind"].key_span, Scalar(kind.removesuffix("List"), span))
    return Mapping({**entries, **item.entries}, item.span)


def _inside(document: Document, readable: Readable, report: Report) -> Iterator[Document]:
    """The jobs in ``document``: objects with a kind, and strings that are YAML or JSON."""
    count = 0
    inner: tuple[Step, ...] | None = None  # the job whose parts are passed over
    for path, node in walk(document.node):
        if path[:1] in _NOT_BY_THE_USER or (inner is not None and path[: len(inner)] == inner):
            continue
        inner = None
        if isinstance(node, Mapping) and path and _is_job(node, readable):
            inner = path
            yield _told(document, path, node, report)
            count += 1
        elif isinstance(node, Scalar) and isinstance(node.value, str) and _has_job(node.value, readable):
            for one in _embedded(document, node, node.value, readable, report):
                yield _told(replace(document, comments=one.comments), path, one.node, report)
                count += 1
        if count >= MOST_EMBEDDED:
            reason = f"of one manifest, at most {MOST_EMBEDDED:,} jobs are imported"
            report(rules.NOT_KEPT(node.span, what="what follows", reason=reason))
            return


def _has_job(text: str, readable: Readable) -> bool:
    return any(found[1].lower() in readable.kinds for found in _KIND_INSIDE.finditer(text))


def _is_job(node: Node, readable: Readable) -> bool:
    root = view(node)
    return root["apiVersion"].text is not None and (root["kind"].text or "").lower() in readable.kinds


def _embedded(document: Document, string: Scalar, value: str, readable: Readable, report: Report) -> Iterator[Document]:
    """The jobs of a string. What the tool around it fills in (``{{inputs.parameters.x}}``) stays as text."""
    places = Places(string.span, value)
    inner = yaml.read_template(Source(document.source.path, value), lambda one: report(places.diagnostic(one)))
    for one in inner:
        for flat in _flat(one):
            if _is_job(flat.node, readable):
                comments = tuple(map(places.comment, flat.comments))
                yield replace(flat, node=places.node(flat.node), comments=comments)


def _told(document: Document, path: tuple[Step, ...], node: Node, report: Report) -> Document:
    where = _words(path)
    root = view(node)
    told = rules.EMBEDDED(root["kind"].span, kind=root["kind"].text, where=where, owner=foreign.owner(document))
    placeholder = _PLACEHOLDER.search(node.span.text)
    if placeholder is not None:
        told = told.help(f"what is filled in there stays as text: {placeholder[0]}")
    report(told)
    return replace(document, node=node, within=(*document.within, foreign.owner(document), where))


def _words(path: tuple[Step, ...]) -> str:
    """``spec.templates[0].resource.manifest``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _NAME.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]'
    return text
