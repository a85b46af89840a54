"""Shell and template text outside strings: ``${x}``, ``$HOME/data``, backquotes, ``<<EOF``."""

from __future__ import annotations

import re

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.patterns import regex
from tfdsl.syntax import _tables as tables
from tfdsl.syntax import lexer
from tfdsl.syntax.lexer import Lexed
from tfdsl.syntax.odd_words import is_word
from tfdsl.syntax.wording import shortened
from tfdsl.text import Span

_VALUE = regex(r"\$(?:\{[ \t]*([^{}\n]*?)[ \t]*\}|\([^()\n]*+\)|([A-Za-z_]\w*+))")
_NAME = regex(r"[A-Za-z_][\w.]*+\Z")
# What can be joined to such a value to form a text.
_MORE = regex(r"(?:[\w./:@~-]|\$\{[^{}\n]*+\}|\$\w)*+")
_BACKQUOTED = regex(r"`([^`\n]*+)(?:`|(?=\n)|\Z)")
_HEREDOC = regex(r"<<[-~]?[ \t]*(['\"]?)([A-Za-z_]\w*+)\1[^\n]*+\n")

# How far to search for the last line; without a limit, many of them would take long.
LONGEST_HEREDOC = 20_000

COLON, DOT, SLASH, MINUS = map(lexer.OPERATORS.__getitem__, (":", ".", "/", "-"))
_PIECES = {COLON, DOT, SLASH, MINUS, tables.TERMINALS.index("NUMBER"), tables.TERMINALS.index("UNIT")}
_BEFORE_VALUE = {
    *(lexer.OPERATORS[sign] for sign in ("=", ":", ",", "[", "(", "?")),
    *(lexer.KEYWORDS[word] for word in ("at", "to", "run", "copy", "output")),
}
_BEFORE_NAME = {
    lexer.KEYWORDS[word] for word in ("job", "role", "target", "template", "profile", "param", "let", "use")
}


def dollar(lexed: Lexed, at: int, stop: int) -> int | None:
    """``${workers}``, ``$HOME``, ``$(pwd)`` and what follows them; returns the offset after, or None for a ``$``."""
    match = _VALUE.match(lexed.source.text, at, stop)
    return None if match is None else _bare(lexed, at, match.end(), stop, match[1] or match[2] or "")


def at_sign(lexed: Lexed, at: int, stop: int) -> int | None:
    """``target volcano@1.9`` and ``image = nginx@sha256:…``; None for any other ``@``."""
    text = lexed.source.text
    if lexed.types[-2:-1] == [lexer.KEYWORDS["target"]] and is_word(lexed.types[-1]):
        version = re.compile(r"@[ \t]*([\w.-]*+)").match(text, at, stop)
        assert version is not None
        number = version[1].removeprefix("v") or "1.9"
        lexed.diagnostics.append(
            rules.TARGET_VERSION(Span(lexed.source, at, version.end()), target=shortened(lexed.text(-1))).help(
                f'write version = "{number}" in the block'
            )
        )
        return version.end()
    if not lexed.types or lexed.ends[-1] != at or not is_word(lexed.types[-1]):
        return None
    return _bare(lexed, at, at + 1, stop, "")


def _bare(lexed: Lexed, at: int, end: int, stop: int, name: str) -> int:
    """One token for the text around the value from ``at`` to ``end``, which may be just ``name``."""
    source = lexed.source
    more = _MORE.match(source.text, end, stop)
    end = more.end() if more else end
    start = _pop_pieces(lexed, at)
    span = Span(source, start, end)
    before = lexed.types[-1] if lexed.types else lexer.NEWLINE
    if before in _BEFORE_NAME:
        lexed.diagnostics.append(rules.INTERPOLATED_NAME(span))
        lexed.meant[start] = ""
        lexed.add(lexer.NAME, start, end)
        return end
    value = _VALUE.fullmatch(span.text)
    if value is not None and name:
        diagnostic = rules.BARE_INTERPOLATION(span, name=shortened(name), found=shortened(span.text))
        diagnostic = diagnostic.fix(f"write {shortened(name)}", Edit(span, name)) if _NAME.match(name) else diagnostic
    else:
        diagnostic = rules.UNQUOTED_TEXT(span)
        diagnostic = (
            diagnostic.fix("write it in quotes", Edit(span, f'"{span.text}"')) if '"' not in span.text else diagnostic
        )
    lexed.diagnostics.append(diagnostic)
    lexed.add(lexer.ERROR, start, end)
    return end


def _pop_pieces(lexed: Lexed, at: int) -> int:
    """Remove the tokens joined to the one at ``at``, if they are the beginning of a value or a name."""
    first = len(lexed.types)
    start = at
    while (
        first
        and lexed.ends[first - 1] == start
        and (lexed.types[first - 1] in _PIECES or is_word(lexed.types[first - 1]))
    ):
        first -= 1
        start = lexed.starts[first]
    if first == 0 or lexed.types[first - 1] not in _BEFORE_VALUE | _BEFORE_NAME:
        return at
    del lexed.types[first:], lexed.starts[first:], lexed.ends[first:]
    return start


def backquote(lexed: Lexed, at: int, stop: int) -> int:
    """A text in backquotes, with what is joined to it."""
    source = lexed.source
    match = _BACKQUOTED.match(source.text, at, stop)
    inner, end = (match[1], match.end()) if match else ("", at + 1)
    diagnostic = rules.BACKQUOTES(Span(source, at, end))
    more = _MORE.match(source.text, end, stop)
    if more is not None and more.end() > end:
        end = more.end()
    elif inner and not set('"\\$') & set(inner):
        diagnostic = diagnostic.fix("write it in double quotes", Edit(diagnostic.span, f'"{inner}"'))
    lexed.diagnostics.append(diagnostic)
    lexed.add(lexer.ERROR, at, end)
    return end


def heredoc(lexed: Lexed, at: int, stop: int) -> int:
    """``<<EOF`` and the lines up to ``EOF``, or the rest of the line if there is no such line."""
    source = lexed.source
    text = source.text
    head = _HEREDOC.match(text, at, stop)
    if head is None:
        lexed.diagnostics.append(rules.UNEXPECTED_CHARACTER(Span(source, at, at + 2), what="<<"))
        lexed.add(lexer.OPERATORS["<"], at, at + 2)
        return at + 2
    closing = re.compile(rf"^([ \t]*+){re.escape(head[2])}[ \t]*+\r?$", re.M)
    last = closing.search(text, head.end(), min(stop, head.end() + LONGEST_HEREDOC))
    mark = text[at : head.end()].rstrip()
    diagnostic = rules.HEREDOC(Span(source, at, at + len(mark)))
    end = at + len(mark)
    if last is not None:
        end = last.start() + len(last[0].rstrip())
        body = text[head.end() : last.start()]
        fits = all(line.startswith(last[1]) for line in body.splitlines() if line.strip())
        if fits and "'''" not in body and "${" not in body:
            edits = (Edit(diagnostic.span, "'''"), Edit(Span(source, last.start() + len(last[1]), end), "'''"))
            diagnostic = diagnostic.fix("write a raw block", *edits)
    lexed.diagnostics.append(diagnostic)
    lexed.add(lexer.ERROR, at, end)
    return end
