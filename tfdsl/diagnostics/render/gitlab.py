"""A Code Quality report, which GitLab shows in merge requests: beside the lines, and as what got better or worse.

The form: docs.gitlab.com, "Code Quality report format". Of several entries with one fingerprint GitLab keeps one, and
an entry whose fingerprint the target branch has too is not new. So it leaves out the line, which changes with every
line that is added above, and counts what would be the same otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

from tfdsl.diagnostics.diagnostic import Diagnostic
from tfdsl.diagnostics.render.columns import visible
from tfdsl.diagnostics.render.json import Json, dumped

_SEVERITIES = {"error": "major", "warning": "minor", "info": "info"}


def render(diagnostics: Sequence[Diagnostic], paths: Sequence[str] = ()) -> str:
    """The report, an empty list without diagnostics."""
    seen: Counter[tuple[str, ...]] = Counter()
    entries: list[Json] = []
    for diagnostic in diagnostics:
        identity = (_path(diagnostic), diagnostic.rule.code, diagnostic.target or "", diagnostic.message)
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
            "path": _path(diagnostic),
            "lines": {"begin": source.position(start)[0], "end": source.position(end)[0]},
        },
    }


def _path(diagnostic: Diagnostic) -> str:
    """The path as GitLab has it, which knows no ``./`` at the start."""
    return diagnostic.span.source.path.removeprefix("./")


def _fingerprint(*parts: str) -> str:
    return sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()
