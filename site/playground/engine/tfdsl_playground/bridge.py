"""What the worker calls: texts go in and texts come out, so that nothing of Python is kept alive in JavaScript."""

from __future__ import annotations

import json
from time import perf_counter

from tfdsl import __version__
from tfdsl_playground.asked import input_of
from tfdsl_playground.session import Session

_session = Session()


def version() -> str:
    """Of tfdsl."""
    return __version__


def update(text: str) -> str:
    """Take over an ``Input`` as JSON; a line for people if it cannot be, else an empty text."""
    return _session.update(input_of(json.loads(text))) or ""


def work(milliseconds: float) -> bool:
    """Check the text alone for about so long; whether something is left to do."""
    end = perf_counter() + milliseconds / 1000
    while _session.work():
        if perf_counter() >= end:
            return True
    return False


def checked(diagnostics: bool) -> str:
    """``Checked`` as JSON."""
    return _written(_session.checked(diagnostics=diagnostics))


def prepare() -> None:
    """Load what compiling needs."""
    from tfdsl.compiling.lower import lower
    from tfdsl.lsp.features.previews import compile_text

    _ = lower, compile_text


def compiled() -> str:
    """``Compiled`` as JSON; ``{"says": …}`` when there is none."""
    found = _session.compiled()
    return _written({"says": found} if isinstance(found, str) else found)


def ask(question: str, about: str) -> str:
    """The answer of a question as JSON."""
    from tfdsl_playground.questions import ask as answer

    return _written(answer(_session, question, json.loads(about)))


def _written(data: object) -> str:
    # Halves of characters, which Python's strings can hold, do not reach JavaScript as they are.
    return json.dumps(data, separators=(",", ":"))
