"""What differs between two jobs as their cluster would see them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tfdsl import diagnostics
from tfdsl.api.asking import argument, options_of, params_of, secrets_in, target_of
from tfdsl.api.compiling import Source, loaded_of
from tfdsl.api.errors import UsageError
from tfdsl.api.failing import compile_error
from tfdsl.api.values import Value
from tfdsl.comparing.comparison import Result, changes, compared, targets_for
from tfdsl.comparing.sides import Side, open_side, path_of
from tfdsl.compiling import pipeline
from tfdsl.compiling.masking import masked
from tfdsl.compiling.pipeline import Request
from tfdsl.manifest.nodes import Node, plain
from tfdsl.semantics.derived import Asked


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference of two jobs.

    ``object``: whose, ``TFJob/mnist`` or a file; ``path``: where in it, as patches write paths; ``words``: the same in
    words of the language, where they are known. ``a``, ``b``: the values, ``None`` where a side has none;
    ``a_place``, ``b_place``: the path and line that each is from. A job that only one side has is a difference without
    ``object`` and ``path``, whose value is its name.
    """

    job: str
    target: str
    object: str
    path: str
    words: str | None
    a: Any
    b: Any
    a_place: tuple[str, int] | None = None
    b_place: tuple[str, int] | None = None


def diff(
    a: Source,
    b: Source,
    target: str | None = None,
    *,
    profile: str | None = None,
    params: Mapping[str, Value] | None = None,
    options: Mapping[str, Value] | None = None,
    job: str | None = None,
) -> tuple[Difference, ...]:
    """What differs between two jobs in the normal form of their target; empty when they are the same.

    A side is what :func:`compile` takes, a manifest (YAML or JSON), or ``FILE@REVISION`` of git. Without ``target``:
    that of a manifest, else those of the project, else those that ``a``, else ``b`` has blocks for. The other arguments
    are those of :func:`compile`, for both sides; params of a :class:`Program` do not count.

    Raises:
        CompileError: A side cannot be read or has errors, or they are for different targets.
        UsageError: There is no such target or version, or none is named.
    """
    found: list[diagnostics.Diagnostic] = []
    hidden = secrets_in({**(params or {}), **(options or {})})
    choices = [target_of(target)] if target is not None else []
    given = options_of(choices[0].backend.name, options or {}) if choices else ()
    sides = _side("a", a, found), _side("b", b, found)
    results: list[Result] | None = None
    if sides[0] is not None and sides[1] is not None:
        first, second = sides[0], sides[1]
        choices = targets_for(first, second, choices, argument("b", path_of(second)), found.append)
        if not choices and not found:
            raise UsageError("diff() needs a target: neither side names one")
        asked = None if job is None else Asked(job, argument("job", job))
        request = Request(profile, params_of(params or {}), given, asked)
        results = compared((first, second), choices, request, found.append) if choices else None
    if results is None or pipeline.has_errors(found):
        raise compile_error("cannot compare", masked(found, hidden))
    return tuple(one for result in results for one in _differences(result))


def _side(name: str, source: Source, found: list[diagnostics.Diagnostic]) -> Side | None:
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        return open_side(path, argument(name, path), (), found.append)
    return loaded_of(source, None, None, None, None, None).given


def _differences(result: Result) -> Iterator[Difference]:
    name = result.first or result.second or ""
    if result.compared is None:
        yield Difference(name, result.target, "", "", None, result.first, result.second)
        return
    for one in changes(result.compared):
        yield Difference(
            name,
            result.target,
            one.object,
            one.path,
            one.words,
            plain(one.first) if one.first is not None else None,
            plain(one.second) if one.second is not None else None,
            _place(one.first),
            _place(one.second),
        )


def _place(node: Node | None) -> tuple[str, int] | None:
    if node is None:
        return None
    source = node.span.source
    return source.path, source.position(node.span.start)[0]
