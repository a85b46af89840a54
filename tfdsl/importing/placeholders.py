"""What a tool fills into a manifest before the server gets it (``${IMAGE}``, ``{{tag}}``) becomes a param.

The language takes any text in a command, in ``env``, in an annotation and in a path, so a placeholder stays there as it
is. Everywhere else a value of the right form stands in for it while the manifest is read, written and compared. In the
text that comes of it the param takes the place of that value, and of the same placeholder wherever it stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Final

from tfdsl.backend.draft import Attribute, Bare, Draft, Mount, Param, Patch, Statement, Step as Phase, Text, Value
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import READ_DIFFERENTLY
from tfdsl.manifest.nodes import Document, Node, Scalar, Step, view, walk, with_scalars
from tfdsl.manifest.templates import PLACEHOLDER, is_of_simpletfjob
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.text import Span
from tfdsl.vocabulary.statements import RESERVED_NAMES, TRUTH

_FREE: Final = frozenset({
    "command", "args", "annotations", "plugins", "workingDir", "mountPath", "subPath", "subPathExpr", "path",
})  # fmt: skip
"""Keys below which the language takes any text."""
_OWN_NAMES: Final = frozenset({"containers", "initContainers", "volumes", "volumeMounts", "ports", "tasks", "env"})
"""Lists whose items have names that the language chooses or that are words of it."""
_NUMBERS: Final = frozenset({
    "replicas", "completions", "parallelism", "minAvailable", "minSuccess", "maxRetry", "maxRestarts", "backoffLimit",
    "backoffLimitPerIndex", "maxFailedIndexes", "succeededCount",
    "containerPort", "ttlSecondsAfterFinished", "runAsUser", "runAsGroup", "fsGroup",
})  # fmt: skip
"""Keys whose value is a whole number, beside those that end in Seconds."""
_WORD: Final = regex(r"[A-Za-z0-9]+")
_OF_A_TOOL: Final = frozenset({"values", "params", "parameters", "inputs", "workflow", "trialparameters", "env", "var"})
_HUMP: Final = regex(r"(?<=[a-z0-9])(?=[A-Z])")
_TAKEN: Final = frozenset({*RESERVED_NAMES, *TRUTH, "shared_labels", "shared_annotations"})
_OF_KUBERNETES: Final = regex(r"\$\([^.]*\)")
"""What Kubernetes replaces itself in a command, from the variables of the container."""
_REST: Final = regex(r"(?:\||:-).*")
"""What follows a name in a placeholder: a filter, or the default of a shell."""
_TYPES: Final = {"cpus": "quantity"}
_FIRST_NUMBER: Final = 2
_DIGITS: Final = regex("[0-9]+")
_AMOUNT: Final = "70"
"""With what the amounts begin that stand in for others: such as hardly anybody writes."""


class _Filled(Record):
    """A placeholder that is a param. ``written``: the value of the param while the manifest is compared."""

    text: str
    name: str
    type: str
    written: str
    span: Span


class _Number(int):
    """The value of a param, or of a product with one, as far as it goes on as it is: into patches, for example.

    ``names``: what is multiplied, as it is written.
    """

    names: tuple[str, ...]

    def __mul__(self, other: int) -> int:
        product = _Number(int(self) * int(other))
        factor = other.names if isinstance(other, _Number) else (str(other),) if other != 1 else ()
        product.names = (*self.names, *factor)
        return product

    __rmul__ = __mul__

    @property
    def words(self) -> Bare:
        """The expression of the language."""
        return Bare(" * ".join(self.names))


class Placeholders:
    """The placeholders of some documents that are params. ``documents``: these, with values that stand in for them."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._known: dict[tuple[str, str], _Filled] = {}
        self._words: dict[str, _Filled] = {}
        self._numbers: dict[Span, _Filled] = {}
        self._used: set[str] = set()
        sources = {document.source for document in documents}
        written = {number for source in sources for number in _DIGITS.findall(source.text)}
        self._free = (number for number in count(_FIRST_NUMBER) if str(number) not in written)
        self._stem = "zq"
        while any(self._stem in source.text for source in sources):
            self._stem += "q"
        self._places = regex(f"{self._stem}[0-9]+z|\\b{_AMOUNT}[0-9]+(?:Mi|m)\\b|{PLACEHOLDER.pattern}")
        self.documents = [self._of(document) for document in documents]

    def _of(self, document: Document) -> Document:
        is_object = view(document.node)["apiVersion"].present and not is_of_simpletfjob(document.source.text)
        return replace(document, node=with_scalars(document.node, self._standing_in)) if is_object else document

    def _standing_in(self, path: tuple[Step, ...], scalar: Scalar) -> Scalar:
        """What is read instead of ``scalar``: itself, or a value of the form that the language needs there."""
        text = scalar.value
        if not isinstance(text, str) or PLACEHOLDER.search(text) is None or not _needs_a_form(path):
            return scalar
        kind = _kind(path) if PLACEHOLDER.fullmatch(text) else "string"
        if kind == "string":
            return Scalar(
                PLACEHOLDER.sub(lambda match: self._param(match[0], kind, scalar.span).written, text), scalar.span
            )
        param = self._numbers[scalar.span] = self._param(text, kind, scalar.span)
        if kind != "int":
            return Scalar(param.written, scalar.span)
        number = _Number(param.written)
        number.names = (param.name,)
        return Scalar(number, scalar.span)

    def _param(self, text: str, kind: str, span: Span) -> _Filled:
        known = self._known.get((text, kind))
        if known is None:
            number = next(self._free)
            written = {
                "string": f"{self._stem}{number}z",
                "quantity": f"{_AMOUNT}{number}Mi",
                "cpus": f"{_AMOUNT}{number}m",
            }.get(kind, str(number))
            known = self._known[text, kind] = _Filled(text, self._name(text), _TYPES.get(kind, kind), written, span)
            if kind != "int":
                self._words[written] = known
            if not _OF_KUBERNETES.fullmatch(text):
                self._words.setdefault(text, known)
        return known

    def _name(self, text: str) -> str:
        words = [word.lower() for part in _WORD.findall(_REST.sub("", text)) for word in _HUMP.split(part)]
        own = [word for word in words if word not in _OF_A_TOOL] or words or ["value"]
        name = "_".join(own)
        name = f"param_{name}" if name[0].isdigit() or name in _TAKEN else name
        taken = {filled.name for filled in self._known.values()}
        others = (f"{name}_{number}" for number in count(2))
        return name if name not in taken else next(other for other in others if other not in taken)

    # --- what was read

    def draft(self, draft: Draft) -> Draft:
        """``draft`` with params for its placeholders, and these params."""
        if not self._known:
            return draft
        used: set[str] = set()
        result = draft.copy()
        for block in result.blocks():
            block.statements = [self._statement(statement, used) for statement in block.statements]
        title = self._text(draft.name, used)
        result.title = Text((title,)) if isinstance(title, Bare) else title
        result.params += [
            Param(filled.name, filled.type, f"{filled.text} in the manifest", example=filled.written)
            for filled in self._known.values()
            if filled.name in used
        ]
        self._used |= used
        return result

    def _statement(self, statement: Statement, used: set[str]) -> Statement:
        """``statement`` with params; itself where it has none, because comments know statements by identity."""
        number = self._numbers.get(statement.span) if statement.span is not None else None
        if number is not None and isinstance(statement, Attribute) and not isinstance(statement.value, _Number):
            value = _number(statement.value, number)
            if value is not None:
                used.add(number.name)
                return replace(statement, value=value)
        new: dict[str, object] = {
            field: self._value(getattr(statement, field), used)
            for field in ("value", "at", "source", "destination")
            if getattr(statement, field, None) is not None
        }
        if isinstance(statement, Mount):
            new["options"] = tuple((name, self._value(value, used)) for name, value in statement.options)
        if isinstance(statement, Patch):  # the names of volumes follow from what is mounted
            path = self._text(statement.path, used)
            new["written"] = None if path == statement.path else path
        if isinstance(statement, Phase):
            new["statements"] = tuple(self._statement(each, used) for each in statement.statements)
        same = all(getattr(statement, field) == value for field, value in new.items())
        return statement if same else replace(statement, **new)

    def _value(self, value: Value, used: set[str]) -> Value:
        if isinstance(value, str):
            return self._text(value, used)
        if isinstance(value, Bare):  # an amount, or a call with texts: secret("name", "key")
            parts = _parts(self._text(value.words, used))
            if len(parts) == 1 and isinstance(parts[0], Bare):
                return parts[0]
            return Bare("".join(part if isinstance(part, str) else f"${{{part.words}}}" for part in parts))
        if isinstance(value, Text):
            return Text(tuple(piece for part in value.parts for piece in _parts(self._value(part, used))))
        if isinstance(value, Mapping):
            return {key: self._value(item, used) for key, item in value.items()}
        if isinstance(value, _Number):
            used.update(value.names)
            return value.words
        return value if isinstance(value, bool | int) else [self._value(item, used) for item in value]

    def _text(self, text: str, used: set[str]) -> str | Bare | Text:
        """``text`` with a param for each placeholder in it that is one, and for each value that stands in for one."""
        pieces = [piece if isinstance(piece, str) else Bare(piece.name) for piece in self._pieces(text)]
        used.update(piece.words for piece in pieces if isinstance(piece, Bare))
        if len(pieces) == 1:
            return pieces[0]
        return Text(tuple(pieces)) if pieces else text

    def _pieces(self, text: str) -> list[str | _Filled]:
        pieces: list[str | _Filled] = []
        end = 0
        for match in self._places.finditer(text):
            known = self._words.get(match[0])
            if known is not None:
                pieces += [text[end : match.start()], known]
                end = match.end()
        return [piece for piece in (*pieces, text[end:]) if piece]

    def _filled(self, text: str, field: str) -> str:
        return "".join(piece if isinstance(piece, str) else getattr(piece, field) for piece in self._pieces(text))

    def filled(self, nodes: Sequence[Node]) -> Sequence[Node]:
        """``nodes`` as the tool makes them if it fills in the values with which the params are compared."""

        def changed(_: tuple[Step, ...], scalar: Scalar) -> Scalar:
            return (
                Scalar(self._filled(scalar.value, "written"), scalar.span) if isinstance(scalar.value, str) else scalar
            )

        return [with_scalars(node, changed) for node in nodes] if self._known else nodes

    # --- what is said

    def named(self, name: str) -> str:
        """The name of a job with the names of its params."""
        return self._filled(name, "name")

    def diagnostics(self, problems: Sequence[Diagnostic]) -> list[Diagnostic]:
        """``problems`` about the placeholders, not about what stands in for them, and what became of each."""
        result = [*problems]
        if self._known:
            result = [
                replace(
                    diagnostic,
                    message=self._filled(diagnostic.message, "text"),
                    labels=tuple(
                        replace(label, message=self._filled(label.message, "text")) for label in diagnostic.labels
                    ),
                    helps=tuple(self._filled(text, "text") for text in diagnostic.helps),
                )
                for diagnostic in problems
            ]
        for filled in self._known.values():
            if filled.name in self._used:
                word, why = f"the param {filled.name}", "it is filled in elsewhere"
                advice = f"give its value with --set {filled.name}=VALUE, or give the param a default"
                result.append(READ_DIFFERENTLY(filled.span, what=filled.text, word=word, difference=why).help(advice))
        return result

    def lost(self, documents: Sequence[Document], draft: Draft) -> list[Diagnostic]:
        """Of each number in ``documents`` that no param of ``draft`` is: that what stood in for it has stayed."""
        kept = {param.name for param in draft.params}
        places = (node.span for document in documents for _, node in walk(document.node) if isinstance(node, Scalar))
        numbers = (self._numbers[place] for place in places if place in self._numbers)
        lost = {number.name: number for number in numbers if number.name not in kept}
        return [
            replace(
                READ_DIFFERENTLY(
                    filled.span, what=filled.text, word=filled.written, difference="a number has to be here"
                ),
                level="warning",
            ).help("write the number that is meant")
            for filled in lost.values()
        ]


def _parts(value: Value) -> tuple[str | Bare, ...]:
    return value.parts if isinstance(value, Text) else (value,) if isinstance(value, str | Bare) else ()


def _needs_a_form(path: tuple[Step, ...]) -> bool:
    """Whether the language asks more of what is at ``path`` than that it is a text."""
    own = path[-1:] == ("name",) and not _OWN_NAMES.isdisjoint(path[-3:-2])
    return not own and _FREE.isdisjoint(path) and not (path[-1:] == ("value",) and "env" in path)


def _kind(path: tuple[Step, ...]) -> str:
    """The type of the param for what is at ``path``; ``cpus`` are a quantity without a unit."""
    key = str(path[-1]) if path else ""
    if path[-2:-1] in (("requests",), ("limits",)):
        return {"cpu": "cpus", "memory": "quantity", "ephemeral-storage": "quantity"}.get(key, "int")
    return "int" if key in _NUMBERS or key.endswith("Seconds") else "string"


def _number(value: Value, param: _Filled) -> Value | None:
    """``value``, which was read from the value of ``param``, as it follows from that; ``None`` where it does not."""
    if isinstance(value, Bare):
        return Bare(f"{param.name} * 1s") if value.words == f"{param.written}s" else None
    if not isinstance(value, int) or param.type != "int":
        return None
    more = value - int(param.written)
    return Bare(f"{param.name} {'+' if more > 0 else '-'} {abs(more)}" if more else param.name)
