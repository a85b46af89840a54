"""Shell and Python scripts out of templates, with nothing inserted that is not quoted.

The only module that loads jinja2. A template lies in its backend's ``templates`` folder and has loops and conditions,
no other logic. Every ``{{ … }}`` has to end in a filter that makes its value right for the language around it::

    exec {{ argv | sh }}                 one word per item, byte for byte
    HOSTS = {{ hosts | py }}             a literal of Python 2.6 and later and of Python 3
    # made from {{ name | comment }}     one line, ASCII

A value that passed no filter stops the rendering with :class:`UnquotedError`; so does a name that was not given. Both
are bugs of the template, which any test that renders it finds.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, cast

import jinja2

from tfdsl.emit import shell
from tfdsl.emit.located import Data, Located, Written, unwrap, without_exponent
from tfdsl.vocabulary.quantities import Duration, Quantity

if TYPE_CHECKING:
    from pathlib import Path


class UnquotedError(TypeError):
    """A template inserts a value without ``sh``, ``py`` or ``comment``."""


class Quoted(str):
    """A text that is right for the place where a template inserts it; ``path`` is the IR path it comes from.

    The filters make these. A backend may make one for a shell word with a variable in it, ``Quoted('"$TASK_INDEX"')``.
    """

    path: str | None

    def __new__(cls, text: str, path: str | None = None) -> Quoted:
        """Mark ``text`` as quoted, and as coming from the IR path ``path``."""
        made = super().__new__(cls, text)
        made.path = path
        return made

    def __str__(self) -> str:
        """Itself: the path has to survive what jinja2 does with an inserted value."""
        return self


def render(folder: Path, template: str, values: Mapping[str, Data], *, parts: Path | None = None) -> Written:
    """The script that ``folder / template`` makes with ``values``, and where each line comes from.

    ``parts``: a folder of what templates of several targets include. A macro would lose where its lines come from.
    A line comes from the first located value on it. Located bools are unwrapped, so that a condition sees the bool.
    """
    given = {name: unwrap(value) if isinstance(unwrap(value), bool) else value for name, value in values.items()}
    pieces: list[str] = []
    paths: list[str | None] = [None]
    for piece in _environment(folder, parts).get_template(template).generate(given):
        pieces.append(piece)
        path = piece.path if isinstance(piece, Quoted) else None
        if piece and paths[-1] is None:
            paths[-1] = path
        paths += [path] * piece.count("\n")
        if piece.endswith("\n"):
            paths[-1] = None
    text = "".join(pieces)
    if text and not text.endswith("\n"):
        text += "\n"
        paths.append(None)
    return Written(text, tuple(paths[:-1]))


@cache
def _environment(folder: Path, parts: Path | None) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([folder] if parts is None else [folder, parts]),
        undefined=jinja2.StrictUndefined,
        finalize=_finalize,
        autoescape=False,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = cast("dict[str, object]", environment.filters)
    filters.clear()  # jinja's own give texts that are right for HTML, if for anything
    filters.update(sh=sh, py=py, comment=comment)
    return environment


def _finalize(value: object) -> Quoted:
    if isinstance(value, Quoted):
        return value
    raise UnquotedError(f"inserted without a filter: {value!r}")


def sh(value: Data) -> Quoted:
    """A text or number as one word of a POSIX shell, a list as one word per item. What is quoted already stays."""
    data, path = _split(value)
    if isinstance(data, list | tuple):
        words = [sh(item) for item in data]
        return Quoted(" ".join(words), path or next((word.path for word in words if word.path is not None), None))
    if isinstance(data, Quoted):
        return Quoted(data, path or data.path)
    return Quoted(shell.quote(_text(data)), path)


def py(value: Data) -> Quoted:
    """A literal of ASCII characters that Python 2.6, 2.7 and 3.3 or later read as the same value.

    Text with other characters becomes ``u'…'``, which is ``unicode`` in Python 2. Absent values are left out of lists
    and maps; an absent value by itself is ``None``.
    """
    data, path = _split(value)
    return Quoted(_literal(data), path)


def comment(value: Data) -> Quoted:
    """A text or number for a comment: control and non-ASCII characters escaped, so that it cannot end the line."""
    data, path = _split(value)
    return Quoted(_text(data).encode("unicode_escape").decode("ascii"), path)


def _split(value: Data) -> tuple[Data, str | None]:
    path: str | None = None
    while isinstance(value, Located):
        value, path = value
    return value, path


def _text(data: Data) -> str:
    if isinstance(data, str):
        return str.__str__(data)
    if isinstance(data, Quantity | Duration):
        return data.text
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, int):
        return str(data)
    if isinstance(data, float):
        return without_exponent(data)
    raise UnquotedError(f"neither text nor number: {data!r}")


def _literal(data: Data) -> str:
    data = unwrap(data)
    if data is None or isinstance(data, bool | int):
        return repr(data)
    if isinstance(data, float):
        return repr(data) if isfinite(data) else f"float('{data}')"
    if isinstance(data, str | Quantity | Duration):
        text = _text(data)
        return ("" if text.isascii() else "u") + ascii(text)
    if isinstance(data, Mapping):
        entries = [(key, value) for key, value in data.items() if unwrap(value) is not None]
        return "{" + ", ".join(f"{_literal(key)}: {_literal(value)}" for key, value in entries) + "}"
    if isinstance(data, list | tuple):
        return "[" + ", ".join(_literal(value) for value in data if unwrap(value) is not None) + "]"
    raise UnquotedError(f"no Python literal: {data!r}")
