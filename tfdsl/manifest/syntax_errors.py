"""What the parser says about a text that is not YAML, in words that name the user's mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics import import_rules as rules
from tfdsl.record import Record
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from yaml import Mark, MarkedYAMLError


class _Words(Record):
    """``reason``: what is wrong. ``advice``: what to write. ``within``: what the label at the parser's context says.

    ``at_context``: the mistake is where the parser's context begins, not where it gave up.
    """

    reason: str
    advice: str = ""
    within: str = ""
    at_context: bool = False


_TAB = _Words("a tab is part of the indentation", "indent with spaces")
_UNCLOSED = _Words("this text has no closing quote", at_context=True)
_QUOTE = "put the text in quotes"
# What the two parsers of PyYAML say, and where: the first line whose words are in theirs.
_KNOWN: Final[tuple[tuple[str, str, _Words], ...]] = (
    ("", "found a tab character", _TAB),
    ("", "found character '\\t' that cannot start", _TAB),
    ("quoted scalar", "found unexpected end of stream", _UNCLOSED),
    ("quoted scalar", "found unexpected document", _UNCLOSED),
    ("quoted scalar", "found unknown escape character", _Words("this is not an escape", "write \\\\ for a backslash")),
    ("quoted scalar", "did not find expected hexdecimal number", _Words("an escape lacks hexadecimal digits")),
    ("quoted scalar", "expected escape sequence", _Words("an escape lacks hexadecimal digits")),
    ("quoted scalar", "found invalid Unicode character", _Words("this escape is not a character")),
    (
        "",
        "mapping values are not allowed",
        _Words(
            "a key and its colon cannot follow here", f"{_QUOTE}, or indent the line like the keys that it belongs to"
        ),
    ),
    (
        "simple key",
        "could not find expected ':'",
        _Words(
            "this line is neither a key with a value nor a list item",
            "write key: value, with a blank after the colon",
            at_context=True,
        ),
    ),
    (
        "",
        "block sequence entries are not allowed",
        _Words("a list item cannot begin here", "begin each item on a line of its own"),
    ),
    (
        "",
        "sequence entries are not allowed",
        _Words("a list item cannot begin here", "begin each item on a line of its own"),
    ),
    ("", "mapping keys are not allowed", _Words("a key cannot begin here")),
    (
        "block mapping",
        "",
        _Words(
            "this does not continue the map that it is indented for",
            "indent all keys of a map alike",
            "the map begins here",
        ),
    ),
    (
        "block collection",
        "",
        _Words(
            "this does not continue the list that it is indented for",
            "indent all items of a list alike",
            "the list begins here",
        ),
    ),
    ("flow mapping", "", _Words("expected a comma or }", within="this { is still open")),
    ("flow sequence", "", _Words("expected a comma or ]", within="this [ is still open")),
    ("scanning an alias", "", _Words("* begins the name of an alias", _QUOTE, at_context=True)),
    ("scanning an anchor", "", _Words("& begins the name of an anchor", _QUOTE, at_context=True)),
    ("", "found undefined tag handle", _Words("no %TAG line declares this tag")),
    ("tag", "", _Words("! begins the name of a tag", _QUOTE, at_context=True)),
    ("block scalar", "", _Words("a line end must follow | or >", at_context=True)),
    ("directive", "", _Words("% begins a directive of YAML", _QUOTE, at_context=True)),
    ("", "found incompatible YAML document", _Words("its version of YAML is not 1.1 or 1.2")),
    ("", "nesting depth", _Words("values are nested too deep")),
    ("", "<document start>", _Words("the document ends before this", "check the indentation of this line")),
    ("", "expected node content", _Words("a value is missing here")),
    ("", "expected the node content", _Words("a value is missing here")),
)


def diagnostic(source: Source, error: MarkedYAMLError) -> Diagnostic:
    """The message for ``error``."""
    context, problem = error.context or "", error.problem or ""
    words = _words(source, context, problem, error.problem_mark)
    context_mark = error.context_mark if context else None
    mark = context_mark if words.at_context and context_mark is not None else error.problem_mark
    found = rules.MANIFEST_SYNTAX(_span(source, mark), form="YAML", reason=words.reason)
    if words.within and context_mark is not None:
        found = found.note(_span(source, context_mark), words.within)
    return found.help(words.advice) if words.advice else found


def _words(source: Source, context: str, problem: str, mark: Mark | None) -> _Words:
    text = source.text
    at = mark.index if mark is not None else 0
    if "cannot start any token" in problem:
        character = text[at : at + 1]
        return _TAB if character == "\t" else _Words(f"a text without quotes cannot begin with {character}", _QUOTE)
    if "flow" in context and not text[at:].strip():
        return _Words("it ends before the last bracket is closed", within="this bracket is still open")
    if "parsing a block" in context and text[text.rfind("\n", 0, at) + 1 : at].strip(" -"):
        return _Words("the value ends before this", _QUOTE)
    for where, what, words in _KNOWN:
        if where in context and what in problem:
            return words
    return _Words(problem or "it has no form")


def _span(source: Source, mark: Mark | None) -> Span:
    """The character at ``mark``; where only blanks follow, the last one before them."""
    at = mark.index if mark is not None else 0
    if source.text[at:].strip():
        return Span(source, at, at + 1)
    end = len(source.text.rstrip())
    return Span(source, max(0, end - 1), end)
