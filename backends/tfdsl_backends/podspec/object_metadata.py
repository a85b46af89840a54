"""The ``metadata`` of the object that is a job, as the name, namespace, labels and annotations of the language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics.import_rules import READ_DIFFERENTLY, SERVER_REFUSES
from tfdsl.patterns import regex

if TYPE_CHECKING:
    from tfdsl.draft import Draft
    from tfdsl.manifest.documents import Document
    from tfdsl.manifest.view import View
    from tfdsl.reading import Asked

LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"
"""The annotation in which ``kubectl apply`` keeps what it was given."""

LONGEST_NAME: Final = 63
_LABEL: Final = regex("[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_NO_LABEL: Final = regex("[^a-z0-9]+")


def job_name(document: Document, metadata: View, asked: Asked, *, letter_first: bool = False) -> str:
    """The name for the job. It is told where that is not the object's own.

    ``letter_first``: the target's names cannot begin with a digit.
    """
    name, stem = metadata["name"].text, metadata["generateName"].text
    if name:
        own = _label(name, letter_first=letter_first)
        if own != name:
            reason = "a name has at most 63 lowercase letters, digits and -, with a letter or digit at both ends"
            if letter_first and _LABEL.fullmatch(name) and len(name) <= LONGEST_NAME:
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
            text = _text(value)
            if text is not None and key != LAST_APPLIED and not (name == "labels" and key in without):
                draft.job.entry(name, key, text, metadata[name].key(key))


def _text(value: View) -> str | None:
    """The text of a label; of one that is written without quotes, what the author meant."""
    if value.flag is not None:
        return "true" if value.flag else "false"
    return value.words


def _label(name: str, *, letter_first: bool) -> str:
    """``name`` if the server takes it, else one that is near it."""
    fine = _LABEL.fullmatch(name) and len(name) <= LONGEST_NAME
    own = name if fine else _NO_LABEL.sub("-", name.lower()).strip("-")[:LONGEST_NAME].rstrip("-") or "job"
    if letter_first and own[0].isdigit():
        own = f"job-{own}"[:LONGEST_NAME].rstrip("-")
    return own


def _file_stem(document: Document) -> str:
    name = document.source.path.replace("\\", "/").rpartition("/")[2]
    return "job" if name.startswith("<") else name.partition(".")[0]
