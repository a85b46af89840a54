"""What ``tfdsl where`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tfdsl.compiling.masking import Hidden, hide
from tfdsl.diagnostics.render.columns import line_of
from tfdsl.diagnostics.render.json import dumped

if TYPE_CHECKING:
    from tfdsl.tracing.back import Origin
    from tfdsl.tracing.forward import Answer
    from tfdsl.tracing.trace import Place

_VERSION = 1
"""Of the JSON form."""


def forward(asked: Place, answers: Sequence[Answer], hidden: Hidden, *, json: bool) -> str:
    """The lines that a line made, for each target."""
    if json:
        targets = [_target(answer, hidden) for answer in answers]
        return _document({**_asked(asked, hidden), "direction": "forward", "targets": targets})
    return "".join(f"{line_of(hide(line, hidden))}\n" for line in _forward_lines(asked, answers))


def back(asked: Place, origin: Origin, hidden: Hidden, *, json: bool) -> str:
    """The line that made a line."""
    if json:
        return _document(
            {
                **_asked(asked, hidden),
                "direction": "back",
                "target": origin.target,
                "target_version": origin.version,
                "source": _place(origin.place, hidden) if origin.place is not None else None,
                "uses": [_place(one, hidden) for one in origin.uses],
                "reason": origin.reason or None,
            }
        )
    return "".join(f"{line_of(hide(line, hidden))}\n" for line in _back_lines(asked, origin))


def _forward_lines(asked: Place, answers: Sequence[Answer]) -> Iterator[str]:
    yield _shown(asked)
    reasons = {answer.reason for answer in answers}
    if len(answers) > 1 and len(reasons) == 1 and (reason := reasons.pop()) is not None:
        yield from ("", f"# nothing, {reason}")
        return
    for answer in answers:
        yield ""
        head = f"# {answer.target} {answer.version}"
        if answer.reason is not None:
            yield f"{head}: nothing, {answer.reason}"
            continue
        yield head
        for group in answer.lines:
            if group.how == "decided":
                yield "# without it these lines would be different"
            elif group.by is not None:
                yield f"# through {_shown(group.by)}"
            yield from (_shown(line.place) for line in group.lines)


def _back_lines(asked: Place, origin: Origin) -> Iterator[str]:
    yield _shown(asked)
    yield ""
    if origin.target is not None:
        yield f"# {origin.target} {origin.version}"
    if origin.place is None:
        yield f"# {origin.reason}"
        return
    yield _shown(origin.place)
    if origin.uses:
        yield "# with"
        yield from map(_shown, origin.uses)


def _shown(place: Place) -> str:
    return f"{place.path}:{place.line}: {place.text}" if place.text is not None else f"{place.path}:{place.line}"


# --- JSON ------------------------------------------------------------------------------------------------------


def _document(data: dict[str, object]) -> str:
    return dumped({"version": _VERSION, **data})


def _asked(place: Place, hidden: Hidden) -> dict[str, object]:
    return {"asked": _place(place, hidden)}


def _place(place: Place, hidden: Hidden) -> dict[str, object]:
    return {
        "path": place.path,
        "line": place.line,
        "text": hide(place.text, hidden) if place.text is not None else None,
    }


def _target(answer: Answer, hidden: Hidden) -> dict[str, object]:
    lines = [
        {
            **_place(line.place, hidden),
            "how": group.how,
            "by": _place(group.by, hidden) if group.by is not None else None,
        }
        for group in answer.lines
        for line in group.lines
    ]
    return {
        "target": answer.target,
        "target_version": answer.version,
        "lines": lines,
        "reason": answer.reason,
    }
