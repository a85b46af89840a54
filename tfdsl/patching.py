"""Applying the patches of a target block to the documents that a backend made."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from tfdsl.diagnostics.output_rules import PATCH_FITS_NOTHING, PATCH_VALUE
from tfdsl.emit.located import Located
from tfdsl.emit.patch import Patch, apply, chosen
from tfdsl.emit.schema import kind_of, misfits, place
from tfdsl.semantics import values
from tfdsl.syntax.patch_path import Problem, parse_path
from tfdsl.text import Span
from tfdsl.vocabulary.quantities import Duration, Quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tfdsl.backend import Document
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.emit import located
    from tfdsl.emit.schema import Schemas
    from tfdsl.ir.origins import Origins
    from tfdsl.semantics import resolved
    from tfdsl.syntax.patch_path import Path


def patched(
    documents: Sequence[Document], patches: Sequence[resolved.Patch], origins: Origins, schemas: Schemas | None
) -> tuple[list[Document], list[Diagnostic]]:
    """``documents`` after all ``patches`` in order, and what is wrong with those that do not fit (left out).

    Each patch gets a path in ``origins``, so that what it wrote leads back to it. With ``schemas`` a wrong path is an
    error at the step, a wrong value at the value.
    """
    done = list(documents)
    found: list[Diagnostic] = []
    for number, patch in enumerate(patches):
        origin = f"patches[{number}]"
        origins.record(origin, patch.span)
        path = parse_path(patch.path)
        if isinstance(path, Problem):
            found.append(_report(patch, path))
            continue
        wrong = list(_against_schema(patch, path, done, schemas)) if schemas is not None else []
        value = None if patch.value is None else Located(_data(patch.value.data), origin)
        changed = apply(done, Patch(path, patch.op, value, origin))
        if isinstance(changed, Problem):
            found += wrong or [_report(patch, changed)]
        elif wrong:
            found += wrong
        else:
            done = changed
    return done, found


def _against_schema(
    patch: resolved.Patch, path: Path, documents: Sequence[Document], schemas: Schemas
) -> Iterator[Diagnostic]:
    """What the schema of the patched documents says of ``patch``."""
    kinds = {kind_of(documents[at].data, documents[at].file) for at in chosen(documents, path)}
    for kind in sorted(kinds):
        node = place(schemas, kind, path)
        if isinstance(node, Problem):
            yield _report(patch, node)
        elif node is not None and patch.value is not None:
            for misfit in misfits(schemas, node, patch.value, appended=patch.op == "merge"):
                diagnostic = PATCH_VALUE(misfit.span, problem=misfit.message)
                near = misfit.suggestion
                yield diagnostic if near is None else diagnostic.help(f"did you mean {near}?").replacing(near, near)


def _data(data: values.Data) -> located.Data:
    if isinstance(data, values.ListData):
        return [_data(item.data) for item in data.items]
    if isinstance(data, values.MapData):
        return {key: _data(entry.value.data) for key, entry in data.entries.items()}
    if isinstance(data, Decimal):
        return int(data) if data == data.to_integral_value() else float(data)
    if isinstance(data, str | int | Quantity | Duration):
        return data
    return values.show(data) or ""


def _report(patch: resolved.Patch, problem: Problem) -> Diagnostic:
    span = patch.path_span
    inner = span.text[1:-1]  # offsets count in the path; they are places in the source unless it has escapes
    if inner == patch.path:
        span = Span(span.source, span.start + 1 + problem.offset, span.start + 1 + max(problem.end, problem.offset + 1))
    found = PATCH_FITS_NOTHING(span, problem=problem.message)
    return found.help(f"did you mean {problem.suggestions[0]}?") if problem.suggestions else found
