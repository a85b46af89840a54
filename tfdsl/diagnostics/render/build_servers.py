"""Reports for build servers: annotations of GitHub, a report of GitLab, JUnit's XML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256

from tfdsl.diagnostics.diagnostic import Diagnostic, count
from tfdsl.diagnostics.render.columns import visible
from tfdsl.diagnostics.render.json import Json, dumped
from tfdsl.diagnostics.render.text import Lines, render as as_text

# --- github ---
#
# Workflow commands that GitHub shows as annotations.
#
# The form and its escapes: docs.github.com, "Workflow commands for GitHub Actions", and ``escapeData`` and
# ``escapeProperty`` of github.com/actions/toolkit, ``packages/core/src/command.ts``.

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def github(diagnostics: Sequence[Diagnostic], paths: Sequence[str] = ()) -> str:
    """One command per line."""
    return "".join(_command(diagnostic) for diagnostic in diagnostics)


def _command(diagnostic: Diagnostic) -> str:
    source, start, end = diagnostic.span
    line, column = source.position(start)
    end_line, end_column = source.position(end)
    properties = {
        "file": source.path,
        "line": str(line),
        "endLine": str(end_line),
        "title": f"{diagnostic.rule.code} {diagnostic.rule.slug}",
    }
    if line == end_line:  # GitHub accepts columns only within one line, and its last column is inclusive
        properties |= {"col": str(column), "endColumn": str(max(column, end_column - 1))}
    written = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    text = "\n".join([diagnostic.message, *_notes(diagnostic), *(f"help: {text}" for text in diagnostic.helps)])
    return f"::{_COMMANDS[diagnostic.level]} {written}::{_data(text)}\n"


def _notes(diagnostic: Diagnostic) -> Iterable[str]:
    """The labels: an annotation has only one place, so the others are described in words."""
    for label in diagnostic.labels:
        line, column = label.span.source.position(label.span.start)
        yield f"{label.message}: {label.span.source.path}:{line}:{column}"


def _data(text: str) -> str:
    """Escaped as in the toolkit, after making visible what a terminal would act on."""
    text = "\n".join(visible(line.rstrip("\r")) for line in text.split("\n"))
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


# --- gitlab ---
#
# A Code Quality report, which GitLab shows in merge requests: beside the lines, and as what got better or worse.
#
# The form: docs.gitlab.com, "Code Quality report format". Of several entries with one fingerprint GitLab keeps one, and
# an entry whose fingerprint the target branch has too is not new. So it leaves out the line, which changes with every
# line that is added above, and counts what would be the same otherwise.

_SEVERITIES = {"error": "major", "warning": "minor", "info": "info"}


def gitlab(diagnostics: Sequence[Diagnostic], paths: Sequence[str] = ()) -> str:
    """The report, an empty list without diagnostics."""
    seen: Counter[tuple[str, ...]] = Counter()
    entries: list[Json] = []
    for diagnostic in diagnostics:
        identity = (_gitlab_path(diagnostic), diagnostic.rule.code, diagnostic.target or "", diagnostic.message)
        entries.append(_entry(diagnostic, _fingerprint(*identity, str(seen[identity]))))
        seen[identity] += 1
    return dumped(entries)


def _entry(diagnostic: Diagnostic, fingerprint: str) -> Json:
    source, start, end = diagnostic.span
    rule = diagnostic.rule
    return {
        "description": visible(" ".join("; ".join([diagnostic.message, *diagnostic.helps]).split())),
        "check_name": f"{rule.code} {rule.slug}",
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[diagnostic.level],
        "location": {
            "path": _gitlab_path(diagnostic),
            "lines": {"begin": source.position(start)[0], "end": source.position(end)[0]},
        },
    }


def _gitlab_path(diagnostic: Diagnostic) -> str:
    """The path as GitLab has it, which knows no ``./`` at the start."""
    return diagnostic.span.source.path.removeprefix("./")


def _fingerprint(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()


# --- junit ---
#
# JUnit XML, for build servers: a suite per file, a case per diagnostic.
#
# An error is a failure; a warning or an info is a passing case with the message in its output. A file without messages
# has one passing case.

_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;"}


def junit(diagnostics: Sequence[Diagnostic], paths: Sequence[str] = ()) -> str:
    """The diagnostics as JUnit's XML, a test case for each checked file."""
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
