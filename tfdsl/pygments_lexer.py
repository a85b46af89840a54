"""Colours for ``.tfjob`` in Pygments: for Sphinx, MkDocs, ``pygmentize`` and whatever else uses it.

Only Pygments imports this module (by its entry point ``pygments.lexers``); tfdsl itself does without Pygments. The
words of the language come from ``tfdsl/vocabulary/``. What no text of the language may hold is an ``Error``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from pygments.lexer import RegexLexer, default, include, words
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
    Whitespace,
)

from tfdsl.vocabulary import attributes, functions, statements
from tfdsl.vocabulary.attributes import ATTRIBUTES
from tfdsl.vocabulary.quantities import DURATION_UNITS, QUANTITY_UNITS

if TYPE_CHECKING:
    Kind: TypeAlias = tuple[str, ...]
    Action: TypeAlias = Callable[[RegexLexer, re.Match[str]], Iterator[tuple[int, Kind, str]]]
    Rules: TypeAlias = list[tuple[str | words, Kind | Action] | tuple[str | words, Kind | Action, str]]

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_ASSIGNED = r"(?=[ \t]*=(?![=>]))"
"""Before ``=`` every word is a name, also one that is a word of the language elsewhere."""


def _choice(words: Iterable[str]) -> str:
    """Words as a group of a regular expression, longer ones first."""
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


def _groups(*kinds: Kind) -> Action:
    """A kind for each group of the pattern."""

    def read(_lexer: RegexLexer, match: re.Match[str]) -> Iterator[tuple[int, Kind, str]]:
        for number, kind in enumerate(kinds, 1):
            yield match.start(number), kind, match[number]

    return read


_ROLES = _choice(attributes.ROLE_NAMES)
_EVENTS = _choice(row.name for row in statements.EVENTS)
_ACTIONS = _choice({word for row in statements.ACTIONS for word in row.name.split()})
_UNITS = _choice(unit for unit in {*QUANTITY_UNITS, *DURATION_UNITS} if unit)
_BLANK = r"([ \t]+)"

_DECLARATIONS: Rules = [
    (r"(edition|include)\b(?=[ \t]+[\"0-9])", Keyword.Namespace),
    (rf"(param){_BLANK}({_NAME})", _groups(Keyword.Declaration, Whitespace, Name.Variable), "type"),
    (rf"(let){_BLANK}({_NAME})", _groups(Keyword.Declaration, Whitespace, Name.Constant)),
    (rf"(template|profile){_BLANK}({_NAME})", _groups(Keyword.Declaration, Whitespace, Name.Function)),
    (rf"(job|flow){_BLANK}([A-Za-z_][A-Za-z0-9_-]*)", _groups(Keyword.Declaration, Whitespace, Name.Class)),
    (r"(job|flow)\b(?=[ \t]*\")", Keyword.Declaration),
]
_ITEMS: Rules = [
    (rf"(role){_BLANK}({_ROLES})\b", _groups(Keyword.Declaration, Whitespace, Name.Builtin)),
    (rf"(role|target){_BLANK}({_NAME})", _groups(Keyword.Declaration, Whitespace, Name.Class)),
    (r"(cluster|build|matrix)\b(?=[ \t]*\{)", Keyword.Declaration),
    (
        rf"(unset){_BLANK}(prepare|sidecar){_BLANK}({_NAME})",
        _groups(Keyword, Whitespace, Keyword, Whitespace, Name.Class),
    ),
    (rf"(prepare|sidecar){_BLANK}({_NAME})", _groups(Keyword.Declaration, Whitespace, Name.Class)),
    (r"(prepare|sidecar)\b(?=[ \t]*\")", Keyword.Declaration),
    (rf"(unset){_BLANK}(?!(?:mount|output|on)\b)({_NAME})", _groups(Keyword, Whitespace, Name.Attribute)),
    (r"when\b(?=[ \t]*[\"(!\[{-]|[ \t]+[A-Za-z0-9_])", Keyword),
    (rf"(use){_BLANK}({_NAME})", _groups(Keyword, Whitespace, Name.Function)),
    (
        rf"(mount){_BLANK}({_choice(row.name for row in statements.MOUNT_KINDS)})\b",
        _groups(Keyword, Whitespace, Name.Builtin),
    ),
    (
        rf"(on){_BLANK}({_choice(statements.OUTPUT_WHEN)})\b(?!\s*=>)",
        _groups(Keyword, Whitespace, Name.Builtin),
    ),
    (rf"(from){_BLANK}({_ROLES})\b", _groups(Keyword, Whitespace, Name.Builtin)),
    (r"(on)(?=[ \t])", Keyword, "event"),
    (rf"(=>)([ \t]*)((?:(?:{_ACTIONS})\b[ \t]*)+)", _groups(Operator, Whitespace, Name.Builtin)),
    (r"(mount|output|copy|run|patch|unpatch|unset|pod|unchecked|at|to|from|after|readonly)\b(?=[\s\"'{,#]|$)", Keyword),
]
_VALUES: Rules = [
    (rf"([0-9]+(?:\.[0-9]+)?)((?:{_UNITS})(?:[0-9]+(?:{_UNITS}))*)\b", _groups(Number, Keyword.Type)),
    (r"[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]+\b", Number.Float),
    (r"[0-9]+\.[0-9]+\b", Number.Float),
    (r"[0-9]+(?![0-9A-Za-z_])", Number.Integer),
    (r"(true|false)\b", Keyword.Constant),
    (words([row.name for row in functions.FUNCTIONS], suffix=r"\b(?=[ \t]*\()"), Name.Function.Magic),
    (words(statements.RESERVED_NAMES, suffix=r"\b(?=[ \t]*\.)"), Name.Variable.Magic),
    (_NAME, Name),
]
_MARKS: Rules = [
    (r"=>|\+=|==|!=|<=|>=|&&|\|\||\.\.|[-+*/%=<>!?:]", Operator),
    (r"[{}\[\](),.]", Punctuation),
]


class TfjobLexer(RegexLexer):
    """The lexer; Pygments finds it as ``tfjob`` and for files called ``*.tfjob``."""

    name = "tfjob"
    aliases: ClassVar[Sequence[str]] = ["tfjob"]
    filenames: ClassVar[Sequence[str]] = ["*.tfjob"]
    mimetypes: ClassVar[Sequence[str]] = ["text/x-tfjob"]

    tokens: ClassVar[dict[str, list[Any]]] = {
        "root": [
            include("blank"),
            include("text"),
            (words([row.name for row in ATTRIBUTES], prefix=r"\b", suffix=rf"\b{_ASSIGNED}"), Name.Attribute),
            (rf"{_NAME}{_ASSIGNED}", Name.Property),
            *_DECLARATIONS,
            *_ITEMS,
            *_VALUES,
            *_MARKS,
        ],
        "blank": [
            (r"^\ufeff", Text),
            (r"[ \t\r\n]+", Whitespace),
            (r"#[ \t]*tfdsl:[ \t]*allow\[[^\]\n]*\][^\n]*", Comment.Special),
            (r"#[^\n]*", Comment.Single),
        ],
        "type": [
            (r"[ \t]+", Whitespace),
            (r":", Punctuation),
            (words(statements.PARAM_TYPES, suffix=r"\b"), Keyword.Type),
            (r"[<>]", Punctuation),
            default("#pop"),
        ],
        "event": [
            (r"[ \t]+", Whitespace),
            (rf"({_ROLES})\b(?=[ \t]|\[)", Name.Builtin),
            (r"(\[)([0-9]+)(\])", _groups(Punctuation, Number.Integer, Punctuation)),
            (rf"({_EVENTS})\b", Name.Exception, "#pop"),
            default("#pop"),
        ],
        "text": [
            (r'"""[ \t]*\r?\n', String.Heredoc, "block"),
            (r"'''[ \t]*\r?\n", String.Heredoc, "raw"),
            (r'"', String.Double, "string"),
        ],
        "string": [
            (r'"', String.Double, "#pop"),
            include("in-text"),
            (r'[^"\\$\n]+|\$', String.Double),
            default("#pop"),
        ],
        "block": [
            (r'"""', String.Heredoc, "#pop"),
            include("in-text"),
            (r"\\\r?\n", String.Escape),
            (r'[^"\\$]+|[$"]', String.Heredoc),
        ],
        "raw": [
            (r"'''", String.Heredoc, "#pop"),
            (r"[^']+|'", String.Heredoc),
        ],
        "in-text": [
            (r'\\(?:[ntr"\\$]|u\{[0-9A-Fa-f]{1,6}\})', String.Escape),
            (r"\$\{", String.Interpol, "interpolation"),
        ],
        "interpolation": [
            (r"\}", String.Interpol, "#pop"),
            include("inside"),
        ],
        "map": [
            (r"\}", Punctuation, "#pop"),
            include("inside"),
        ],
        "inside": [
            (r"\{", Punctuation, "map"),
            include("blank"),
            include("text"),
            (rf"{_NAME}{_ASSIGNED}", Name.Property),
            *_VALUES,
            *_MARKS,
        ],
    }
