"""Words with characters that are not allowed in names: letters of other alphabets, and control characters.

The whole word is one report and one token. ``Lexed.meant`` says how to read it: as the Latin word where the letters
look the same, else as nothing, and then the item that it names is left out.
"""

from __future__ import annotations

import unicodedata

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.syntax import _tables as tables
from tfdsl.syntax import lexer
from tfdsl.syntax.lexer import Lexed
from tfdsl.syntax.wording import shortened
from tfdsl.text import Span

# Letters that look like Latin ones, in the order of the Latin letters below them.
_FOREIGN = (
    "\u0430\u0501\u0435\u04bb\u0456\u0458\u043a\u04cf\u043c\u0578\u043e\u0440\u051b\u0433\u0455\u0442"
    "\u0446\u03bd\u051d\u0445\u0443\u0410\u0412\u0415\u041d\u0406\u0408\u041a\u041c\u041e\u0420\u0405"
    "\u0422\u0425\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u03bf\u03b1"
)
_LATIN = "adehijklmnopqrstuvwxyABEHIJKMOPSTXABEZHIKMNOPTYXoa"
_LOOK_ALIKE = str.maketrans(_FOREIGN, _LATIN)


def is_part(character: str) -> bool:
    """Whether the character could be a part of a name in a language that allows all alphabets."""
    return f"a{character}".isidentifier()


def odd_word(lexed: Lexed, at: int, stop: int) -> int:
    """Make the whole word around the odd character at ``at`` one token; returns the offset after it."""
    text = lexed.source.text
    start, end = at, at + 1
    if lexed.types and lexed.ends[-1] == at and is_word(lexed.types[-1]):
        start = lexed.starts.pop()
        del lexed.types[-1], lexed.ends[-1]
    while end < stop and (is_part(text[end]) or (lexer.is_forbidden(text[end]) and is_part(text[end + 1 : end + 2]))):
        end += 1
    word = text[start:end]
    readable = "".join(letter for letter in word if not lexer.is_forbidden(letter))
    plain = unicodedata.normalize("NFKC", readable).translate(_LOOK_ALIKE)
    meant = plain if plain.isascii() and plain.isidentifier() else ""
    if readable == word and len(lexed.diagnostics) < lexer.MAX_REPORTS:
        diagnostic = rules.ODD_NAME(Span(lexed.source, start, end), found=shortened(word))
        if meant:
            odd = next(letter for letter in word if not letter.isascii())
            diagnostic = diagnostic.help(
                f"{odd} is not a Latin letter: {unicodedata.name(odd, 'it has no name').lower()}"
            )
            diagnostic = diagnostic.fix(f"write {meant}", Edit(diagnostic.span, meant))
        lexed.diagnostics.append(diagnostic)
    lexed.meant[start] = meant
    lexed.add(lexer.KEYWORDS.get(meant, lexer.NAME), start, end)
    return end


def is_word(type_: int) -> bool:
    """Whether tokens of this type are words."""
    return type_ == lexer.NAME or (type_ >= tables.FIRST_KEYWORD and type_ != lexer.END)
