"""Applying the patches of a target block to the documents that a backend made."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from tfdsl.diagnostics.output_rules import PATCH_FITS_NOTHING
from tfdsl.emit.located import Located
from tfdsl.emit.patch import Patch, Problem, apply, parse_path
from tfdsl.semantics import values
from tfdsl.text import Span
from tfdsl.vocabulary.quantities import Duration, Quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.backend import Document
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.emit import located
    from tfdsl.ir.origins import Origins
    from tfdsl.semantics import resolved


def patched(
    documents: Sequence[Document], patches: Sequence[resolved.Patch], origins: Origins
) -> list[Document] | Diagnostic:
    """``documents`` after all ``patches`` in order, or what is wrong with the first that does not fit.

    Each patch gets a path in ``origins``, so that what it wrote leads back to it.
    """
    done = list(documents)
    for number, patch in enumerate(patches):
        origin = f"patches[{number}]"
        origins.record(origin, patch.span)
        path = parse_path(patch.path)
        if isinstance(path, Problem):
            return _report(patch, path)
        value = None if patch.value is None else Located(_data(patch.value.data), origin)
        changed = apply(done, Patch(path, patch.op, value, origin))
        if isinstance(changed, Problem):
            return _report(patch, changed)
        done = changed
    return done


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
