"""Documents around pods: names and labels of a job's object, what belongs to a job, what the API server refuses.

The server drops a field that its schema does not know (and refuses it where the client asks for strict validation, as
``kubectl`` does today), and refuses a value of another type. A null is as good as nothing, but in a list. The schemas
are those with which patches are checked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from tfdsl.backend.draft import Draft
from tfdsl.backend.patch_rules import Node, Schemas, is_map, load_schemas
from tfdsl.backend.reading import Asked, Group
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import NOT_KEPT, READ_DIFFERENTLY, SERVER_REFUSES
from tfdsl.manifest import nodes
from tfdsl.manifest.nodes import Document, Mapping, Scalar, Sequence, View, view
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.text import Span
from tfdsl.vocabulary.names import LABEL, LONGEST_LABEL, LONGEST_NAME
from tfdsl_backends.podspec import SCHEMAS
from tfdsl_backends.podspec.objects import DIGEST, SUBMISSION

OF_CLIENTS: Final = frozenset({"kubectl.kubernetes.io/last-applied-configuration", SUBMISSION, DIGEST})
"""The annotations in which ``kubectl apply`` and ``tfdsl submit`` note what they were given."""

_LABEL: Final = regex(LABEL)
_NO_LABEL: Final = regex("[^a-z0-9]+")
_BARE: Final = regex(r"[-+.\w]+")
_WHOLE: Final = regex("0|-?[1-9][0-9]{0,17}")
Read: TypeAlias = Callable[[Group, Asked], Draft | None]


def unless_refused(read: Read) -> Read:
    """``read``, whose draft need not come back where the server refuses the manifest."""

    def reading(group: Group, asked: Asked) -> Draft | None:
        refused: list[Diagnostic] = []

        def report(diagnostic: Diagnostic) -> None:
            if diagnostic.rule is SERVER_REFUSES:
                refused.append(diagnostic)
            asked.report(diagnostic)

        draft = read(group, Asked(asked.roles, report))
        if draft is not None and refused:
            draft.law = False
        return draft

    return reading


def job_name(document: Document, metadata: View, asked: Asked, *, letter_first: bool = False) -> str:
    """The name for the job. It is told where that is not the object's own.

    ``letter_first``: the target's names cannot begin with a digit.
    """
    name, stem = metadata["name"].text, metadata["generateName"].text
    if name:
        own = _label(name, letter_first=letter_first)
        if own != name:
            reason = "a name has at most 63 lowercase letters, digits and -, with a letter or digit at both ends"
            if letter_first and _LABEL.fullmatch(name) and len(name) <= LONGEST_LABEL:
                reason = "it begins with a letter"
            asked.report(SERVER_REFUSES(metadata["name"].span, what=f"name {name}", reason=reason))
        return own
    if stem:
        own = _label(stem, letter_first=letter_first)
        changed = READ_DIFFERENTLY(
            metadata["generateName"].span,
            what=f"generateName {stem}",
            word=f"the name {own}",
            difference="the server makes another name of it each time",
        )
        asked.report(changed.help("write --name NAME to tfdsl compile for a name of its own for each run"))
        return own
    own = _label(_file_stem(document), letter_first=letter_first)
    if document.within:
        words = READ_DIFFERENTLY(
            metadata.span, what="a job without a name", word=f"job {own}", difference="it gets its name elsewhere"
        )
    else:
        words = SERVER_REFUSES(metadata.span, what="a job without a name", reason=f"it needs one; here it is {own}")
    asked.report(words)
    return own


def read_metadata(draft: Draft, metadata: View, *, without: frozenset[str] = frozenset()) -> None:
    """Namespace, labels and annotations of the object, but for the labels ``without``."""
    namespace = metadata["namespace"]
    draft.job.set("namespace", namespace.text or None, namespace.span)
    for name in ("labels", "annotations"):
        for key, value in metadata[name].entries():
            text = meant_text(value)
            if text is not None and key not in OF_CLIENTS and not (name == "labels" and key in without):
                draft.job.entry(name, key, text, metadata[name].key(key))


def meant_text(value: View) -> str | None:
    """The text of a scalar; of one that is written without quotes, what the author meant."""
    if value.text is None and value.present and _BARE.fullmatch(value.span.text):
        return value.span.text  # no is a bool, and 010 is 8
    return value.words if value.flag is None else str(value.flag).lower()


def _label(name: str, *, letter_first: bool) -> str:
    """``name`` if the server takes it, else one that is near it."""
    fine = _LABEL.fullmatch(name) and len(name) <= LONGEST_LABEL
    own = name if fine else _NO_LABEL.sub("-", name.lower()).strip("-")[:LONGEST_LABEL].rstrip("-") or "job"
    if letter_first and own[0].isdigit():
        own = f"job-{own}"[:LONGEST_LABEL].rstrip("-")
    return own


def _file_stem(document: Document) -> str:
    name = document.source.path.replace("\\", "/").rpartition("/")[2]
    return "job" if name.startswith("<") else name.partition(".")[0]


Path: TypeAlias = tuple[str | int, ...]
_WANTED: Final = {
    "s": "a text",
    "i": "a whole number",
    "n": "a number",
    "b": "true or false",
    "x": "a number or a text",
}


def schemas() -> Schemas:
    """The schemas of the family."""
    return load_schemas(*os.path.split(SCHEMAS))


class Unfit(Record):
    """A part of a manifest that is not as the schema asks.

    ``span``: of its key, for a field that the server does not know (``unknown``), else of its value. ``wanted``: what
    the value should be; nothing for an unknown field. ``meant``: the value in JSON that a text or a number stands for.
    """

    path: Path
    span: Span
    wanted: str = ""
    meant: str = ""

    @property
    def unknown(self) -> bool:
        """Whether the server drops it, and does not refuse it."""
        return not self.wanted

    @property
    def name(self) -> str:
        """The path in words: ``spec.runPolicy.cleanPodPolicy``."""
        return dotted(self.path)

    @property
    def refusal(self) -> Diagnostic:
        """That the server does not take the value."""
        refusal = SERVER_REFUSES(self.span, what=self.name, reason=f"it must be {self.wanted}")
        return refusal.replacing(f"write {self.meant}", self.meant) if self.meant else refusal

    def stranger(self, server: str) -> Diagnostic:
        """That ``server`` does not know the field, and what becomes of it."""
        if self.path[-3:-1] == ("template", "metadata") and self.path[-5:-4] != ("replicatedJobs",):
            reason = "controllers make pods with labels, annotations and finalizers only"
            return replace(NOT_KEPT(self.span, what=self.name, reason=reason), level="warning")
        reason = f"{server} has no such field here; its server drops it, or refuses it if kubectl validates"
        return READ_DIFFERENTLY(self.span, what=self.name, word="an unchecked patch", difference=reason)


def dotted(path: Path) -> str:
    """A path as people write it: ``spec.containers[0].image``."""
    words = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return words.removeprefix(".")


def unfit(document: nodes.Node, kind: str) -> Iterator[Unfit]:
    """The parts of ``document`` that do not fit the schema of ``kind``, the outermost of each, in their order."""
    yield from _unfit(schemas().kinds[kind], document, ())


def misfits(document: nodes.Node, kind: str, server: str) -> Iterator[Diagnostic]:
    """What does not fit the schema of ``kind``, but for the status; ``server``: whose API it is."""
    for problem in unfit(document, kind):
        if problem.path[0] != "status":
            yield problem.stranger(server) if problem.unknown else problem.refusal


def pruned(document: nodes.Node, kind: str, dropped: Callable[[Path], bool] = bool) -> nodes.Node:
    """``document`` without the ``dropped`` ones of the fields that the server does not know."""
    paths = frozenset(problem.path for problem in unfit(document, kind) if problem.unknown and dropped(problem.path))
    return _without(document, paths, ()) if paths else document


def _without(node: nodes.Node, paths: frozenset[Path], path: Path) -> nodes.Node:
    if isinstance(node, Mapping):
        entries = {
            key: replace(entry, value=_without(entry.value, paths, (*path, key)))
            for key, entry in node.entries.items()
            if (*path, key) not in paths
        }
        return Mapping(entries, node.span)
    if isinstance(node, Sequence):
        items = (_without(item, paths, (*path, number)) for number, item in enumerate(node.items))
        return Sequence(tuple(items), node.span)
    return node


def _unfit(wanted: Node, node: nodes.Node, path: Path) -> Iterator[Unfit]:
    if wanted == "a" or (isinstance(node, Scalar) and node.value is None):
        return
    if isinstance(wanted, list) and wanted[0] == "l":
        if isinstance(node, Sequence):
            for number, item in enumerate(node.items):
                if isinstance(item, Scalar) and item.value is None and wanted[1] != "a":
                    yield Unfit((*path, number), item.span, "a map" if is_map(wanted[1]) else _wanted(wanted[1]))
                else:
                    yield from _unfit(wanted[1], item, (*path, number))
        else:
            yield Unfit(path, node.span, "a list")
    elif is_map(wanted):
        if isinstance(node, Mapping):
            for key, entry in node.entries.items():
                below = schemas().below(wanted, key)
                if below is None:
                    yield Unfit((*path, key), entry.key_span)
                else:
                    yield from _unfit(below, entry.value, (*path, key))
        else:
            yield Unfit(path, node.span, "a map")
    elif not _fits(wanted, node):
        yield Unfit(path, node.span, _wanted(wanted), _meant(wanted, node))


def _meant(wanted: Node, node: nodes.Node) -> str:
    """In JSON, the value of the type ``wanted`` that was written with quotes, or without them; empty for none."""
    text = meant_text(view(node)) or ""
    if wanted == "s":
        return f'"{text}"' if text else ""
    fits = _WHOLE.fullmatch(text) if wanted in ("i", "n") else wanted == "b" and text in ("true", "false")
    return text if fits else ""


def _fits(wanted: Node, node: nodes.Node) -> bool:
    if not isinstance(node, Scalar):
        return False
    value = node.value
    if isinstance(wanted, list):
        return isinstance(value, str) and value in wanted[1:]
    whole = (isinstance(value, int) and not isinstance(value, bool)) or (
        isinstance(value, float) and value.is_integer()
    )
    return {
        "s": isinstance(value, str),
        "i": whole,
        "n": isinstance(value, int | float) and not isinstance(value, bool),
        "b": isinstance(value, bool),
        "x": isinstance(value, int | float | str) and not isinstance(value, bool),
    }.get(str(wanted), True)


def _wanted(node: Node) -> str:
    if isinstance(node, list):
        return " or ".join(f'"{word}"' for word in node[1:])
    return _WANTED.get(str(node), "another value")


class Neighbours:
    """Documents by their namespace and the beginnings of their names.

    All that a compiler writes beside a job is in the job's namespace, and is called as the job or begins with its name
    and a hyphen.
    """

    def __init__(self, documents: Iterable[Document]) -> None:
        self._near: dict[tuple[str, str], list[Document]] = {}
        for document in documents:
            metadata = view(document.node)["metadata"]
            name, namespace = metadata["name"].text or "", metadata["namespace"].text or ""
            if len(name) <= LONGEST_NAME:
                ends = [at for at, letter in enumerate(name) if letter == "-"]
                for end in (*ends, len(name)):
                    self._near.setdefault((namespace, name[:end]), []).append(document)

    def of(self, namespace: str | None, name: str | None) -> list[Document]:
        """The documents that may belong to the job ``name``, in their order; the job's own may be among them."""
        return self._near.get((namespace or "", name), []) if name else []
