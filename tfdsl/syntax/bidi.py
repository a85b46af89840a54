r"""Characters that display a text in a different order than it is read (CVE-2021-42574, "Trojan Source").

Where a comment or a string contains one, an editor can show code as a comment or a comment as code. As in Rust, they
are not allowed in a string, where ``\u{…}`` does the same visibly; in a comment they are a warning. In code such a
character has no meaning, which the lexer reports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Diagnostic, Edit
from tfdsl.patterns import regex
from tfdsl.syntax.lexer import Token
from tfdsl.syntax.parser import Parsed
from tfdsl.text import Source, Span

_NAMES: Final = {
    "\u202a": "left-to-right embedding",
    "\u202b": "right-to-left embedding",
    "\u202c": "pop directional formatting",
    "\u202d": "left-to-right override",
    "\u202e": "right-to-left override",
    "\u2066": "left-to-right isolate",
    "\u2067": "right-to-left isolate",
    "\u2068": "first strong isolate",
    "\u2069": "pop directional isolate",
}
_TURNING: Final = regex("[\u202a-\u202e\u2066-\u2069]")
_MOST_LABELS: Final = 8


def reordered(parsed: Parsed) -> Iterator[Diagnostic]:
    """One diagnostic for each string or comment of a text that contains such characters."""
    source = parsed.file.source
    if _TURNING.search(source.text) is None:
        return
    known = [diagnostic.span for diagnostic in parsed.diagnostics]
    for token in parsed.tokens:
        if token.type not in ("COMMENT", "STRING", "TEXT", "RAW"):
            continue
        places = [match.start() for match in _TURNING.finditer(source.text, token.start, token.end)]
        places = [at for at in places if not any(span.start <= at < span.end for span in known)]
        if places:
            yield _report(source, token, places)


def _report(source: Source, token: Token, places: list[int]) -> Diagnostic:
    spans = [Span(source, at, at + 1) for at in places]
    name = f"U+{ord(spans[0].text):04X} ({_NAMES[spans[0].text]})"
    if token.type == "COMMENT":
        diagnostic = rules.REORDERED_COMMENT(spans[0], name=name)
        title, edits = "remove it", [Edit(span, "") for span in spans]
    else:
        diagnostic = rules.REORDERED_STRING(spans[0], name=name)
        title, edits = _escaped(spans)
    for span in spans[1:_MOST_LABELS]:
        diagnostic = diagnostic.note(span, f"U+{ord(span.text):04X} ({_NAMES[span.text]})")
    if token.type == "RAW":
        return diagnostic.help(f"''' blocks have no escapes: write {edits[0].text} in a \"\"\" block")
    return diagnostic.fix(title, *edits, safe=token.type != "COMMENT")


def _escaped(spans: Iterable[Span]) -> tuple[str, list[Edit]]:
    edits = [Edit(span, f"\\u{{{ord(span.text):X}}}") for span in spans]
    return f"write {edits[0].text}", edits
