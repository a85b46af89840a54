"""JUnit XML, for build servers: a suite per file, a case per diagnostic.

An error is a failure; a warning or an info is a passing case with the message in its output. A file without messages
has one passing case.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfdsl.diagnostics.diagnostic import Diagnostic
from tfdsl.diagnostics.order import count
from tfdsl.diagnostics.render.columns import visible
from tfdsl.diagnostics.render.excerpt import Lines
from tfdsl.diagnostics.render.text import render as as_text

_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;"}


def render(diagnostics: Sequence[Diagnostic], paths: Sequence[str] = ()) -> str:
    """The document."""
    suites: dict[str, list[Diagnostic]] = {path: [] for path in paths}
    for diagnostic in diagnostics:
        suites.setdefault(diagnostic.span.source.path, []).append(diagnostic)
    measured = Lines()
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites name="tfdsl">']
    for path, suite in suites.items():
        tests, failures = max(1, len(suite)), count(suite)[0]
        lines.append(f'  <testsuite name="{_escape(path)}" tests="{tests}" failures="{failures}" errors="0">')
        lines += [_case(path, diagnostic, measured) for diagnostic in suite] or [_passed(path)]
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>", ""])


def _case(path: str, diagnostic: Diagnostic, measured: Lines) -> str:
    line, column = diagnostic.span.source.position(diagnostic.span.start)
    rule = diagnostic.rule
    name = f"{line}:{column} {rule.code} {rule.slug}"
    head = f'    <testcase classname="{_escape(path)}" name="{_escape(name)}">'
    text = _escape(as_text([diagnostic], measured=measured))
    if diagnostic.level == "error":
        message = _escape(diagnostic.message)
        return f'{head}\n      <failure type="{rule.code}" message="{message}">{text}</failure>\n    </testcase>'
    return f"{head}\n      <system-out>{text}</system-out>\n    </testcase>"


def _passed(path: str) -> str:
    return f'    <testcase classname="{_escape(path)}" name="tfdsl"/>'


def _escape(text: str) -> str:
    """``text`` for XML 1.0 and those who display it: visible, with U+FFFD for what XML cannot contain."""
    text = "\n".join(map(visible, text.split("\n")))
    return "".join(_ESCAPES.get(char) or (char if _allowed(ord(char)) else "\ufffd") for char in text)


def _allowed(code: int) -> bool:
    return 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or code >= 0x10000
