"""What can be said about the form of a text: the rows TFJ0xxx of the registry.

``TFJ00xx`` is about characters, strings and nesting, ``TFJ01xx`` about what stands where.
"""

from __future__ import annotations

from tfdsl.diagnostics.diagnostic import Rule


def _error(code: str, slug: str, message: str) -> Rule:
    return Rule(code, slug, "error", message)


# --- characters, strings, nesting ------------------------------------------------------------------------------

FORBIDDEN_CHARACTER = _error("TFJ0001", "forbidden-character", "{what} may not stand in a file")
UNEXPECTED_CHARACTER = _error("TFJ0002", "unexpected-character", "the character {what} has no meaning here")
SMART_QUOTES = _error("TFJ0003", "smart-quotes", 'strings are written in plain quotes: "…"')
SINGLE_QUOTES = _error("TFJ0004", "single-quotes", 'strings are written in double quotes: "…"')
FOREIGN_COMMENT = _error("TFJ0005", "foreign-comment", "comments start with #, not with {mark}")
SEMICOLON = _error("TFJ0006", "semicolon", "items are separated by a newline or a comma, not by a semicolon")
WRONG_ARROW = _error("TFJ0017", "wrong-arrow", "an action follows =>, not ->")
UNCLOSED_STRING = _error("TFJ0007", "unclosed-string", 'this string is not closed; a " is missing')
UNCLOSED_TEXT = _error("TFJ0008", "unclosed-text-block", "this block of text is not closed; {mark} is missing")
TEXT_STARTS_ON_NEW_LINE = _error("TFJ0009", "text-block-start", "the text after {mark} begins on the next line")
BAD_ESCAPE = _error("TFJ0010", "bad-escape", "{what} is not an escape")
UNDER_INDENTED_TEXT = _error("TFJ0011", "under-indented-text", "this line is indented less than the closing {mark}")
UNCLOSED_INTERPOLATION = _error("TFJ0012", "unclosed-interpolation", "this ${{ has no closing }}")
EMPTY_INTERPOLATION = _error("TFJ0013", "empty-interpolation", "there is no expression inside ${{}}")
INTERPOLATED_NAME = _error("TFJ0014", "interpolated-name", "a quoted name is taken as it is; ${{…}} cannot stand in it")
NESTING_TOO_DEEP = _error("TFJ0015", "nesting-too-deep", "more than {limit} brackets are open here")
EXPRESSION_TOO_DEEP = _error(
    "TFJ0016", "expression-too-deep", "this expression is nested more than {limit} levels deep; split it with let"
)

# --- what stands where -----------------------------------------------------------------------------------------

UNEXPECTED = _error("TFJ0101", "unexpected-token", "expected {expected}, found {found}")
