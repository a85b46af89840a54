"""One draft becomes a text that compiles to the manifest: what is wrong is taken out, what is missing is patched.

The draft is compiled as it stands. Statements that are errors are left out; then every difference between the normal
forms of the output and the manifest becomes a patch. What cannot be patched is told, so nothing is lost silently.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.backend import Backend
from tfdsl.backend.draft import Draft, Patch, Statement
from tfdsl.compiling import pipeline
from tfdsl.compiling.pipeline import Made
from tfdsl.diagnostics import Diagnostic, Report
from tfdsl.diagnostics.command_rules import (
    IMPORT_DIFFERS,
    IMPORT_REFUSED,
    IMPORT_REWORDED,
    PATCH_FITS_NOTHING,
    PATCH_VALUE,
    PATCHED_DOCUMENT,
    SERVER_REFUSES,
)
from tfdsl.importing.compare import (
    Difference,
    Refused,
    add_patches,
    differences,
    explained,
    halves,
    name_of,
    pairs,
    path_text,
    residue,
)
from tfdsl.importing.lift import lifted, with_common_labels
from tfdsl.importing.write import Draught, examples, write
from tfdsl.lint.rules.commands import PLAIN_SECRET
from tfdsl.manifest.nodes import Mapping as Map, Node, plain, tree
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.semantics.project import Program
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from tfdsl.backend.reading import Group, Reading


def trees(made: Made) -> tuple[Node, ...]:
    """The documents of ``made``, without texts and Dockerfiles."""
    span_of = made.unit.origins.span
    return tuple(tree(document.data, span_of) for document in made.documents if document.format in ("yaml", "json"))


_ROUNDS: Final = 50
"""Each takes out at least one statement or patch; a manifest with more mistakes is told what the last round found."""
_PATCHINGS: Final = 4
"""So many times patches are looked for; one of them can uncover as many differences as it covers."""
_TRIALS: Final = 200
"""So many patches are tried one by one."""

_OF_NAME: Final = regex(r"metadata(?:\.name.*)?")
_FORK: Final = "A field that the schema does not know, of a fork or a newer server."


class Settled(Record):
    """A draft that compiles.

    ``made``: what it compiles to; ``patches``: how many it has; ``secrets``: those that it has in plain text, at their
    places in the manifest; ``refused``: why it has not all that it needs.
    """

    draft: Draft
    made: Made
    patches: int
    secrets: tuple[Diagnostic, ...]
    refused: tuple[Diagnostic, ...] = ()


class Compiled(Record):
    """A draft that was compiled: its text, its one job unless there is an error, the errors, and what else is said."""

    draught: Draught
    made: Made | None
    errors: tuple[Diagnostic, ...]
    others: tuple[Diagnostic, ...]

    @property
    def secrets(self) -> tuple[Diagnostic, ...]:
        """The secrets that were read from the manifest, at their places there."""
        found = ((one, self.draught.statement_at(one.span.start)) for one in self.others if one.rule is PLAIN_SECRET)
        return tuple(replace(one, span=at.span) for one, at in found if at is not None and at.span is not None)


def settle(
    draft: Draft, group: Group, backend: Backend, reading: Reading, report: Report, refused: Refused
) -> Settled | None:
    """``draft`` so that it compiles to the documents of ``group``; ``None`` when no job comes of it, which is told.

    ``refused``: the places of what the server does not take.
    """
    said: list[Diagnostic] = []
    shorter = lifted(draft)
    first, *less = {write([one]).text: one for one in (with_common_labels(shorter), shorter, draft)}.values()
    best = _worded(first, backend, said.append)
    if draft.compared:
        left = _missing(best, group, reading)
        for one in less:  # lifting must not cost a patch
            if not left:
                break
            others: list[Diagnostic] = []
            other = _worded(one, backend, others.append)
            fewer = _missing(other, group, reading)
            if fewer < left:
                best, said, left = other, others, fewer
        best = _with_patches(best, left, _Asked(group, backend, reading, refused)) if best is not None else None
    for diagnostic in (*said, *(best.secrets if best is not None else ())):
        report(diagnostic)
    return best


def _missing(settled: Settled | None, group: Group, reading: Reading) -> float:
    """At how many places a draft does not give the manifest; endless when no job comes of it."""
    if settled is None:
        return math.inf
    return len(unkept(asked_for(settled.draft, group), settled.made, reading))


def compile_draft(draft: Draft, backend: Backend) -> Compiled:
    """The text of ``draft``, and what it compiles to."""
    draught = write([draft])
    program = program_of(draft.name, draught.text)
    outcome = pipeline.run(program, Request(params=examples([draft])), [Choice(backend)])
    errors = tuple(diagnostic for diagnostic in outcome.diagnostics if diagnostic.level == "error")
    others = tuple(diagnostic for diagnostic in outcome.diagnostics if diagnostic.level != "error")
    return Compiled(draught, outcome.made[0] if outcome.made and not errors else None, errors, others)


def program_of(name: str, text: str) -> Program:
    """The program of a text that import has written, which includes nothing; ``name``: what messages call it."""
    return pipeline.load(Source(name, text), lambda path: "files are not included here")


def asked_for(draft: Draft, group: Group) -> Sequence[Node]:
    """The documents that ``draft`` must compile to."""
    return draft.wanted or [document.node for document in group.documents]


def law(documents: Sequence[Node], made: Made, reading: Reading) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """The normal forms of a manifest and of what its import compiles to, with the same names inside pods."""
    version = made.unit.version
    got = tuple(reading.normal(trees(made), version))
    wanted = reading.normal(documents, version)
    return tuple(reading.aligned(wanted, got)), got


def unkept(documents: Sequence[Node], made: Made, reading: Reading) -> list[Difference]:
    """Where the law does not hold; a document that only one side has differs as a whole."""
    wanted, got = law(documents, made, reading)
    found: list[Difference] = []
    for pair in pairs(wanted, got):
        if pair.first is not None and pair.second is not None:
            found += differences(pair.first, pair.second)
        else:
            found.append(Difference((pair.name,), pair.first, pair.second))
    return [one for one in found if not _is_made_up(one, wanted)]


def _is_made_up(difference: Difference, nodes: Sequence[Node]) -> bool:
    """Whether it is the name that import gave to a job without one, or all metadata that the job has for it."""
    of_name = difference.path in (("metadata", "name"), ("metadata", "generateName"))
    if not of_name and not (difference.path == ("metadata",) and difference.wanted is None):
        return False
    return not nodes or "/" not in name_of(nodes[0], 0)


def _compiling(
    draft: Draft, backend: Backend, mended: Callable[[Draft, Sequence[tuple[Statement, Diagnostic]]], Draft]
) -> tuple[Draft, Compiled]:
    """``draft``, ``mended`` as long as statements of it are errors, and what it compiles to in the end."""
    for _ in range(_ROUNDS):
        compiled = compile_draft(draft, backend)
        wrong = _wrong(compiled)
        if not wrong:
            return draft, compiled
        draft = mended(draft, wrong)
    return draft, compile_draft(draft, backend)


def _worded(draft: Draft, backend: Backend, report: Report) -> Settled | None:
    """``draft`` without the statements that are errors, which are told."""

    def without(draft: Draft, wrong: Sequence[tuple[Statement, Diagnostic]]) -> Draft:
        for statement, error in wrong:
            if not draft.compared and statement.span is not None:
                report(IMPORT_REWORDED(statement.span, problem=error.message))
        return _exchanged(draft, {id(statement): () for statement, _ in wrong})

    draft, compiled = _compiling(draft, backend, without)
    if compiled.made is not None:
        return Settled(draft, compiled.made, _count(draft), compiled.secrets)
    for error in compiled.errors:
        refused = IMPORT_REFUSED(draft.span, job=draft.name, problem=error.message)
        for text in error.helps:
            refused = refused.help(text)
        report(refused)
    return None


class _Asked(Record):
    """What is asked of a draft: the documents of ``group``, but for what is ``refused``, and who says what it gives."""

    group: Group
    backend: Backend
    reading: Reading
    refused: Refused


def _with_patches(settled: Settled, left: float, asked: _Asked) -> Settled:
    """``settled`` with patches for what its words do not give at ``left`` places, as far as patches can.

    A patch can uncover another difference: a request that is alone once the equal limit has gone is one of its own.
    """
    best, last = settled, settled
    refused: dict[Span, Diagnostic] = {}
    for _ in range(_PATCHINGS):
        patched = _patched(last, asked) if left else last
        refused |= {diagnostic.span: diagnostic for diagnostic in patched.refused}
        if patched.patches == last.patches:
            break
        last, rest = patched, _missing(patched, asked.group, asked.reading)
        if rest < left or best is settled:
            best, left = patched, rest
    return replace(best, draft=explained(best.draft), refused=tuple(refused.values()))


def _patched(settled: Settled, asked: _Asked) -> Settled:
    """``settled`` with a patch for each difference, without those that are refused."""
    wanted, got = law(asked_for(settled.draft, asked.group), settled.made, asked.reading)
    raw = [document.data for document in settled.made.documents if document.format in ("yaml", "json")]
    rest = residue(wanted, got, raw, asked.refused)
    made_up = "/" not in name_of(wanted[0], 0) if wanted else False
    patches = [(role, one) for role, one in rest if not (made_up and _OF_NAME.fullmatch(one.path))]
    if not patches:
        return settled
    together = _with(settled, patches, asked.backend)
    if together is not None and together.patches == settled.patches + len(patches):
        return together
    return _one_by_one(settled, patches, asked.backend)


def _one_by_one(settled: Settled, patches: Sequence[tuple[str | None, Patch]], backend: Backend) -> Settled:
    """``settled`` with those of ``patches``, or parts of them, that go with what is there by then.

    One that cannot be can take others with it: a mount is refused without its volume, whichever of them is wrong.
    """
    trials, left = 0, list(patches)
    while left and trials < _TRIALS:
        waiting: list[tuple[str | None, Patch]] = []
        for one in left:
            tried = _with(settled, [one], backend)
            goes = tried is not None and tried.patches > settled.patches
            settled, waiting = (tried, waiting) if goes and tried is not None else (settled, [*waiting, one])
        trials += len(left)
        smaller = [(role, half) for role, patch in waiting for half in halves(patch) or [patch]]
        if len(waiting) == len(left) == len(smaller):
            break
        left = waiting if len(waiting) < len(left) else smaller
    rest = _with(settled, left, backend) if left else None
    return settled if rest is None else replace(settled, refused=rest.refused)


def _with(settled: Settled, patches: Sequence[tuple[str | None, Patch]], backend: Backend) -> Settled | None:
    """``settled`` with those of ``patches`` that can be; ``None`` when it does not compile with them."""
    draft = settled.draft.copy()
    add_patches(draft, patches)
    refused = [*settled.refused]
    draft, compiled = _compiling(draft, backend, lambda draft, wrong: _mended(draft, wrong, refused))
    if compiled.made is None:
        return None
    return Settled(draft, compiled.made, _count(draft), compiled.secrets, tuple(refused))


def _mended(draft: Draft, wrong: Sequence[tuple[Statement, Diagnostic]], refused: list[Diagnostic]) -> Draft:
    """``draft`` with patches for a fork where the schema knows no such field, and without those that are refused."""
    new: dict[int, Sequence[Statement]] = {}
    for statement, error in wrong:
        unknown = error.rule in (PATCH_FITS_NOTHING, PATCH_VALUE, PATCHED_DOCUMENT)
        if isinstance(statement, Patch) and statement.operator and unknown and not statement.unchecked:
            new[id(statement)] = [replace(statement, unchecked=True, why=_FORK)]
            continue
        new[id(statement)] = []
        if isinstance(statement, Patch) and statement.operator and statement.span is not None and unknown:
            refused.append(SERVER_REFUSES(statement.span, what=statement.path, reason=error.message))
    return _exchanged(draft, new)


def differs(one: Difference, manifest: Span) -> Diagnostic:
    """That the job does not give what the manifest has at one place, with both places."""
    what = path_text(one.path)
    if one.wanted is None:
        assert one.got is not None
        diagnostic = IMPORT_DIFFERS(
            manifest, what=what, difference=f"is {_shown(one.got)}, which the manifest does not have"
        )
        return diagnostic.note(one.got.span, "from here")
    if one.got is None:
        return IMPORT_DIFFERS(one.wanted.span, what=what, difference=f"{_shown(one.wanted)} is missing")
    difference = f"is {_shown(one.got)} instead of {_shown(one.wanted)}"
    return IMPORT_DIFFERS(one.wanted.span, what=what, difference=difference).note(one.got.span, "from here")


def _shown(node: Node) -> str:
    value = plain(node)
    if isinstance(node, Map):
        return "{" + ", ".join(node.entries) + "}"
    return str(value) if not isinstance(value, list) else f"a list of {len(value)}"


def _wrong(compiled: Compiled) -> list[tuple[Statement, Diagnostic]]:
    """The statements at which there are errors."""
    found: dict[int, tuple[Statement, Diagnostic]] = {}
    for error in compiled.errors:
        places: list[Span] = [error.span, *(label.span for label in error.labels)]
        for place in places:
            statement = compiled.draught.statement_at(place.start)
            if statement is not None:
                found.setdefault(id(statement), (statement, error))
                break
    return list(found.values())


def _count(draft: Draft) -> int:
    return sum(isinstance(statement, Patch) for block in draft.target_blocks() for statement in block.statements)


def _exchanged(draft: Draft, new: Mapping[int, Sequence[Statement]]) -> Draft:
    """``draft`` with ``new`` statements for those that have these identities."""
    result = draft.copy()
    for block in result.blocks():
        block.statements = [one for old in block.statements for one in new.get(id(old), (old,))]
    return result
