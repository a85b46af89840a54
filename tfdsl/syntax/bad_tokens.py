"""Characters that do not form a token: each mistake is reported in its place and read as what was meant.

Loaded only for texts that contain such characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Edit
from tfdsl.patterns import regex
from tfdsl.syntax import lexer
from tfdsl.syntax.lexer import ARROW, COLON, COMMA, DOT, MINUS, NUMBER, RAW, SLASH, TEXT, UNIT, Lexed, is_word
from tfdsl.syntax.wording import shortened
from tfdsl.text import Span

# --- odd words ---
#
# Words with characters that are not allowed in names: letters of other alphabets, and control characters.
#
# The whole word is one report and one token. ``Lexed.meant`` says how to read it: as the Latin word where the letters
# look the same, else as nothing, and then the item that it names is left out.

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


# --- bare text ---
#
# Shell and template text outside strings: ``${x}``, ``$HOME/data``, backquotes, ``<<EOF``.

_VALUE = regex(r"\$(?:\{[ \t]*([^{}\n]*?)[ \t]*\}|\([^()\n]*+\)|([A-Za-z_]\w*+))")
_NAME = regex(r"[A-Za-z_][\w.]*+\Z")
# What can be joined to such a value to form a text.
_MORE = regex(r"(?:[\w./:@~-]|\$\{[^{}\n]*+\}|\$\w)*+")
_BACKQUOTED = regex(r"`([^`\n]*+)(?:`|(?=\n)|\Z)")
_HEREDOC = regex(r"<<[-~]?[ \t]*(['\"]?)([A-Za-z_]\w*+)\1[^\n]*+\n")

# How far to search for the last line; without a limit, many of them would take long.
LONGEST_HEREDOC = 20_000

_PIECES = {COLON, DOT, SLASH, MINUS, NUMBER, UNIT}
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
    if before == lexer.JOB:
        lexed.diagnostics.append(rules.JOB_NAME(span).fix("quote the name", Edit(span, f'"{span.text}"'), safe=True))
    elif before in _BEFORE_NAME:
        lexed.diagnostics.append(rules.INTERPOLATED_NAME(span))
    if before in _BEFORE_NAME:
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
    is_source = lexed.types[first - 2 : first - 1] == [lexer.MOUNT]
    if first == 0 or not (is_source or lexed.types[first - 1] in _BEFORE_VALUE | _BEFORE_NAME):
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


_SMART = "“”„‟«»"
_SMART_STRING = regex(rf'[{_SMART}"]([^\n"{_SMART}]*)[{_SMART}"]')
_SINGLE = regex(r"'((?:[^'\\\n]|\\[^\n]|'')*+)'")
_PLAIN = regex(r'"(?:[^"\\\n]|\\[^\n])*+"')
_LITERAL = regex(r"\|[-+0-9]*+[ \t]*+")
# A string whose lines end with a backslash, as in a shell.
_CONTINUED = regex(r'"(?:[^"\\\n]|\\[^\n])*+(?:\\\r?\n(?:[^"\\\n]|\\[^\n])*+){1,50}+"')
_LINE = regex(r"[^\r\n]*+")
# What can follow a // that divides in other languages: a number, a name or a parenthesis, and no further word.
_OPERAND = regex(r"[ \t]*(?:\(|\w+(?:\.\w+)*[ \t,})\]]*(?:$|[#\-+*/%]))")
_WORD = regex(r"\w")
_BLOCK_COMMENT = regex(r"/\*(?s:.*?)\*/")

# Where the code probably continues after a string without its closing quote: a closing bracket or a separator at the
# end of the line, the next key, the next part of a statement, a comment.
_GOES_ON = regex(
    r"""[ \t]*(?:[\]})][\]}), \t]*(?=\#|$)|,[ \t]*(?=\#|$)|,[ \t]*(?="|[A-Za-z_]\w*[ \t]*=)"""
    r"""|[ \t](?:at|to|readonly|on|from|after)[ \t]+|[ \t]=>?[ \t]|[ \t]\#[ \t]|[ \t]\{|$)"""
)

# Characters that look like another one, which is usually meant.
_LOOK_ALIKES = {"–": "-", "—": "-", "−": "-", "，": ",", "：": ":", "＝": "=", "；": ";", "…": "..", "×": "*"}
_INVISIBLE = {
    "\u00a0": "a no-break space",
    "\u200b": "a zero-width space",
    "\u200c": "a zero-width character",
    "\u200d": "a zero-width character",
    "\u2028": "a line separator",
    "\u2029": "a paragraph separator",
    "\u202f": "a narrow no-break space",
    "\u3000": "a wide space",
    "\ufeff": "a byte order mark",
}


def report_forbidden(lexed: Lexed, pattern: re.Pattern[str]) -> None:
    """Report each run of forbidden characters once, and all lone carriage returns together."""
    source = lexed.source
    stop = -1
    old_line_ends = False
    for match in pattern.finditer(source.text):
        start = match.start()
        if match[0] == "\r":
            if old_line_ends:
                continue
            old_line_ends = True
        if len(lexed.diagnostics) >= lexer.MAX_REPORTS:
            return
        if start != stop:
            lexed.diagnostics.append(rules.FORBIDDEN_CHARACTER(Span(source, start, start + 1), what=_named(match[0])))
        stop = match.end()


def _named(character: str) -> str:
    code = ord(character)
    if character == "\r":
        return "a carriage return without a newline"
    if code == 0:
        return "a NUL character (is the file UTF-16?)"
    if 0xDC80 <= code <= 0xDCFF:
        return f"the byte 0x{code - 0xDC00:02x}, which is not UTF-8,"
    if code >= 0xD800:
        return f"the lone surrogate U+{code:04X}"
    return f"the control character U+{code:04X}"


def recover_token(lexed: Lexed, at: int, stop: int) -> int:
    """Report what is at ``at`` and add the token that was probably meant, if any; returns the offset after it."""
    text = lexed.source.text
    if len(lexed.diagnostics) >= lexer.MAX_REPORTS:
        return max(at + 1, _line_end(text, at, stop))
    character = text[at]
    reader = _READERS.get(character)
    if reader is not None:
        return reader(lexed, at, stop)
    if character in _SMART:
        return _smart_quotes(lexed, at, stop)
    return _unknown(lexed, at, stop)


def _double_quote(lexed: Lexed, at: int, stop: int) -> int:
    if lexed.source.text.startswith('"""', at, stop):
        return _block(lexed, at, stop, '"""', TEXT)
    plain = _PLAIN.match(lexed.source.text, at, stop)
    if plain is not None:
        # The quotes match, so a ${ is not closed; the reader of strings reports it.
        lexed.add(lexer.STRING, at, plain.end())
        return plain.end()
    return _unclosed(lexed, at, stop)


def _unclosed(lexed: Lexed, at: int, stop: int) -> int:
    source = lexed.source
    text = source.text
    line_end = _line_end(text, at, stop)
    end = line_end
    continued = _CONTINUED.match(text, at, stop)
    if continued is not None:
        lexed.diagnostics.append(rules.HEREDOC(Span(source, at, line_end)))
        lexed.add(lexer.ERROR, at, continued.end())
        return continued.end()
    for place in range(at + 1, line_end):
        if text[place] in " \t,]})" and _GOES_ON.match(text, place, line_end):
            end = place
            break
    diagnostic = rules.UNCLOSED_STRING(Span(source, at, end))
    lexed.diagnostics.append(diagnostic.fix('close it with "', Edit(Span(source, end, end), '"')))
    # Most readers of strings drop the last character as the closing quote; there is none here to drop.
    lexed.unclosed.add(at)
    lexed.add(lexer.STRING, at, end)
    return end


def _single_quote(lexed: Lexed, at: int, stop: int) -> int:
    source = lexed.source
    text = source.text
    if text.startswith("'''", at, stop):
        return _block(lexed, at, stop, "'''", RAW)
    single = _SINGLE.match(text, at, stop)
    end = single.end() if single else _line_end(text, at, stop)
    diagnostic = rules.SINGLE_QUOTES(Span(source, at, end))
    if single and '"' not in single[1] and "$" not in single[1]:
        # The meaning of \n and of two quotes in single quotes differs between languages.
        safe = "\\" not in single[1] and "''" not in single[1]
        edit = Edit(diagnostic.span, '"' + single[1].replace("''", "'") + '"')
        diagnostic = diagnostic.fix("write it in double quotes", edit, safe=safe)
    lexed.diagnostics.append(diagnostic)
    if single is None:
        lexed.unclosed.add(at)
    lexed.add(lexer.STRING, at, end)
    return end


def _smart_quotes(lexed: Lexed, at: int, stop: int) -> int:
    source = lexed.source
    smart = _SMART_STRING.match(source.text, at, stop)
    end = smart.end() if smart else _line_end(source.text, at, stop)
    diagnostic = rules.SMART_QUOTES(Span(source, at, end))
    if smart:
        diagnostic = diagnostic.fix("write plain quotes", Edit(diagnostic.span, f'"{smart[1]}"'), safe=True)
    else:
        lexed.unclosed.add(at)
    lexed.diagnostics.append(diagnostic)
    lexed.add(lexer.STRING, at, end)
    return end


def _block(lexed: Lexed, at: int, stop: int, mark: str, type_: int) -> int:
    """A text or raw block that the pattern does not match: text after the opening mark, or no closing mark."""
    source = lexed.source
    text = source.text
    line_end = _line_end(text, at, stop)
    rest = text[at + 3 : line_end]
    closing = text.find(mark, at + 3, stop)
    if rest.strip():
        begin = at + 3 + len(rest) - len(rest.lstrip())
        end = closing + 3 if closing >= 0 else line_end
        place = Span(source, begin, line_end if closing < 0 or closing > line_end else closing)
        if not place.text:
            place = Span(source, at, end)
        lexed.diagnostics.append(rules.TEXT_STARTS_ON_NEW_LINE(place, mark=mark))
    else:
        return unclosed_block(lexed, at, stop)
    lexed.add(lexer.ERROR, at, end)
    return end


def unclosed_block(lexed: Lexed, at: int, stop: int) -> int:
    """A text or raw block without a closing mark: it ends where the lines are no deeper than its first."""
    source = lexed.source
    span = Span(source, at, at + 3)
    end = _dedent(source.text, at, _line_end(source.text, at, stop), stop)
    lexed.diagnostics.append(rules.UNCLOSED_TEXT(span, mark=span.text))
    lexed.add(lexer.ERROR, at, end)
    return end


def _dedent(text: str, at: int, line_end: int, stop: int) -> int:
    """The end of the last line that is indented more than the line of ``at``: the longest an unclosed text can be."""
    indent = len(_blanks(text, text.rfind("\n", 0, at) + 1))
    end = line_end
    place = line_end
    while place < stop:
        start = place + (2 if text.startswith("\r\n", place) else 1)
        finish = _line_end(text, start, stop)
        line = text[start:finish]
        if line.strip():
            if len(line) - len(line.lstrip()) <= indent:
                break
            end = finish
        if finish <= place:
            break
        place = finish
    return min(end, stop)


def _blanks(text: str, at: int) -> str:
    end = at
    while end < len(text) and text[end] in " \t":
        end += 1
    return text[at:end]


def _line_end(text: str, at: int, stop: int) -> int:
    match = _LINE.match(text, at, stop)
    return match.end() if match else at


def _slash(lexed: Lexed, at: int, stop: int) -> int:
    source = lexed.source
    text = source.text
    if text.startswith("//", at) and text[at - 1 : at] == ":" and lexed.types[-1:] == [COLON]:
        return _bare(lexed, at, at + 2, stop, "")  # hdfs://data without quotes
    if text.startswith("//", at):
        end = _line_end(text, at, stop)
        diagnostic = rules.FOREIGN_COMMENT(Span(source, at, at + 2), mark="//")
        is_division = _OPERAND.match(text, at + 2, end) is not None
        lexed.diagnostics.append(diagnostic.fix("write #", Edit(diagnostic.span, "#"), safe=not is_division))
    else:
        block = _BLOCK_COMMENT.match(text, at, stop)
        end = block.end() if block else _line_end(text, at, stop)
        diagnostic = rules.FOREIGN_COMMENT(Span(source, at, at + 2), mark="/*")
        if block and _line_end(text, end, stop) == end:
            inner = block[0][2:-2].strip().splitlines()
            indent = "\n" + text[text.rfind("\n", 0, at) + 1 : at] if not text[:at].rpartition("\n")[2].strip() else " "
            comment = indent.join(f"# {line.strip().lstrip('*').strip()}".rstrip() for line in inner)
            if "\n" in indent or len(inner) == 1:
                diagnostic = diagnostic.fix("write # before each line", Edit(Span(source, at, end), comment), safe=True)
        lexed.diagnostics.append(diagnostic)
    lexed.remarks.append((at, end))
    return end


def _arrow(lexed: Lexed, at: int, _: int) -> int:
    diagnostic = rules.WRONG_ARROW(Span(lexed.source, at, at + 2))
    start = max((i for i, type_ in enumerate(lexed.types) if type_ in lexer.ITEM_STARTS), default=-1) + 1
    if lexed.types[start : start + 1] == [lexer.KEYWORDS["run"]]:
        diagnostic = diagnostic.help("in a flow, write run NEXT after FIRST")
    else:
        diagnostic = diagnostic.fix("write =>", Edit(diagnostic.span, "=>"), safe=True)
    lexed.diagnostics.append(diagnostic)
    lexed.add(ARROW, at, at + 2)
    return at + 2


def _walrus(lexed: Lexed, at: int, _: int) -> int:
    """``n := 4``; after the name of a param both signs are right, and only the type between them is missing."""
    if lexed.types[-2:-1] == [lexer.KEYWORDS["param"]]:
        lexed.add(lexer.OPERATORS[":"], at, at + 1)
        lexed.add(lexer.OPERATORS["="], at + 1, at + 2)
        return at + 2
    diagnostic = rules.COLON_FOR_EQUALS(Span(lexed.source, at, at + 2), found=":=")
    lexed.diagnostics.append(diagnostic.fix("write =", Edit(diagnostic.span, "="), safe=True))
    lexed.add(lexer.OPERATORS["="], at, at + 2)
    return at + 2


def _semicolon(lexed: Lexed, at: int, stop: int) -> int:
    source = lexed.source
    end = at + 1
    while source.text.startswith(";", end, stop):
        end += 1
    span = Span(source, at, end)
    rest = source.text[end : _line_end(source.text, at, stop)].lstrip(" \t;")
    ends_line = not rest.strip() or rest.startswith(("#", "//"))
    diagnostic = rules.SEMICOLON(span)
    if ends_line:
        lexed.diagnostics.append(diagnostic.fix("remove it", Edit(span, ""), safe=True))
    else:
        lexed.diagnostics.append(diagnostic.fix("write a comma", Edit(span, ","), safe=True))
        lexed.add(COMMA, at, end)
    return end


def _hash(lexed: Lexed, at: int, stop: int) -> int:
    """A ``#`` inside ``${…}``; anywhere else it starts a comment."""
    lexed.diagnostics.append(rules.UNEXPECTED_CHARACTER(Span(lexed.source, at, at + 1), what="#"))
    return stop


def _unknown(lexed: Lexed, at: int, stop: int) -> int:
    source = lexed.source
    text = source.text
    character = text[at]
    if character in "$@":
        taken = (dollar if character == "$" else at_sign)(lexed, at, stop)
        if taken is not None:
            return taken
    if is_part(character) and character not in _INVISIBLE:
        return odd_word(lexed, at, stop)
    if lexer.is_forbidden(character):
        end = lexer.skip_forbidden(text, at, stop)
        if lexed.types and lexed.ends[-1] == at and is_word(lexed.types[-1]) and _WORD.match(text, end, stop):
            return odd_word(lexed, at, stop)
        if "\r" in text[at:end]:
            lexed.add(lexer.NEWLINE, at, end)
        return end
    line_end = _line_end(text, at, stop)
    if character == "|" and _LITERAL.fullmatch(text, at, line_end) and lexed.types[-1:] in ([lexer.EQUAL], [COLON]):
        end = _dedent(text, at, line_end, stop)
        lexed.diagnostics.append(rules.HEREDOC(Span(source, at, line_end)))
        lexed.add(lexer.ERROR, at, end)
        return end
    end = at + 1
    while end < stop and text[end] == character:
        end += 1
    span = Span(source, at, end)
    if character in _INVISIBLE:
        diagnostic = rules.UNEXPECTED_CHARACTER(span, what=f"U+{ord(character):04X} ({_INVISIBLE[character]})")
        blank = "" if character in "\u200b\u200c\u200d\ufeff" else " "
        lexed.diagnostics.append(diagnostic.fix("write an ordinary space" if blank else "remove it", Edit(span, blank)))
        return end
    diagnostic = rules.UNEXPECTED_CHARACTER(span, what=character)
    plain = _LOOK_ALIKES.get(character) or {"&": "&&", "|": "||"}.get(character)
    if plain is not None:
        diagnostic = diagnostic.fix(f"write {plain}", Edit(span, plain))
        if plain in lexer.OPERATORS:
            lexed.add(lexer.OPERATORS[plain], at, end)
    lexed.diagnostics.append(diagnostic)
    return end


def empty_deep_brackets(lexed: Lexed) -> None:
    """Report each bracket that opens inside too many others, and remove everything up to its closing bracket."""
    types = lexed.types
    kept = lexer.Lexed(lexed.source)
    depth = 0
    for i, type_ in enumerate(types):
        if type_ in (lexer.RBRACE, lexer.RSQB, lexer.RPAR):
            depth = max(0, depth - 1)
        if depth <= lexer.MAX_NESTING or type_ == lexer.END:
            kept.add(type_, lexed.starts[i], lexed.ends[i])
        if type_ in (lexer.LBRACE, lexer.LSQB, lexer.LPAR):
            depth += 1
            if depth == lexer.MAX_NESTING + 1:
                span = Span(lexed.source, lexed.starts[i], lexed.ends[i])
                lexed.diagnostics.append(rules.NESTING_TOO_DEEP(span, limit=lexer.MAX_NESTING))
                if type_ == lexer.LPAR:
                    kept.add(lexer.ERROR, lexed.ends[i], lexed.ends[i])
    lexed.types, lexed.starts, lexed.ends = kept.types, kept.starts, kept.ends


_READERS: dict[str, Callable[[Lexed, int, int], int]] = {
    '"': _double_quote,
    "'": _single_quote,
    "/": _slash,
    "-": _arrow,
    ";": _semicolon,
    "#": _hash,
    ":": _walrus,
    "`": backquote,
    "<": heredoc,
}
