"""Brackets that do not match: which one is missing or superfluous?

Indentation decides. A line that is not deeper than the line that opened a block ends the block, and a ``}`` closes too
early if the text after it is deeper than the block. Only declarations whose brackets do not match are examined, so
oddly indented but correct texts are never changed. Afterwards the brackets of every declaration match.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from typing import NamedTuple

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Diagnostic, Edit, Fix
from tfdsl.patterns import regex
from tfdsl.record import replace
from tfdsl.syntax import _tables as tables, lexer
from tfdsl.syntax.lexer import (
    CLOSERS,
    COLON,
    COMMA,
    DECLARATIONS,
    EQUAL,
    MINUS,
    NAMED_BLOCKS,
    OPENERS,
    PLAIN_BLOCKS,
    RAW,
    TEXT,
    WHEN,
    Lexed,
)
from tfdsl.syntax.wording import shortened
from tfdsl.text import Span

# --- items ---
#
# Where an item of a block begins and ends, among tokens whose brackets match.

ENDS = {lexer.NEWLINE, COMMA, lexer.END}


def item_start(types: Sequence[int], at: int) -> int:
    """The first token, on its line, of the item that ends before token ``at``."""
    depth = 0
    while at and types[at - 1] != lexer.NEWLINE:
        type_ = types[at - 1]
        depth += (type_ in OPENERS) - (type_ in CLOSERS)
        if depth < 0 or (depth == 0 and type_ == COMMA):
            break
        at -= 1
    return at


def item_end(types: Sequence[int], at: int, also: Collection[int] = ()) -> int:
    """The token that ends the item of token ``at``, or the first one of a type in ``also`` outside of its brackets."""
    depth = 0
    while types[at] != lexer.END:
        type_ = types[at]
        if depth == 0 and (type_ in ENDS or type_ in OPENERS or type_ in also):
            break
        depth += (type_ in CLOSERS) - (type_ in OPENERS)
        at += 1
    return at


def block_end(types: Sequence[int], at: int) -> int:
    """The bracket that closes what token ``at`` is in, or the end of the text."""
    depth = 0
    while types[at] != lexer.END:
        depth += (types[at] in CLOSERS) - (types[at] in OPENERS)
        if depth < 0:
            break
        at += 1
    return at


def around(types: Sequence[int], at: int) -> int | None:
    """The bracket that is open at token ``at``."""
    depth = 0
    for place in range(at - 1, -1, -1):
        if types[place] in CLOSERS and depth == 0:
            return place
        depth += (types[place] in OPENERS) - (types[place] in CLOSERS)
    return None


def opening(types: Sequence[int], closing: int) -> int:
    """The bracket that the one at ``closing`` closes."""
    depth = 0
    for at in range(closing, -1, -1):
        depth += (types[at] in OPENERS) - (types[at] in CLOSERS)
        if depth == 0:
            return at
    return closing


# --- manifest ---
#
# Kubernetes manifests in a text: one report for each, and none about their content.

# Each manifest takes a walk over all tokens; for a text with more of them, this many reports are enough.
MOST_MANIFESTS = 50

_ADVICE = "tfdsl import FILE writes the job that a manifest describes"
_FIRST_LINE = regex(r"^[ \t]*(apiVersion|kind)[ \t]*:", re.M)
_JSON = regex(r'\s*\{\s*"(?:apiVersion|kind|metadata|spec)"\s*:')


def leave_out_manifests(lexed: Lexed) -> None:
    """Remove the tokens of all manifests, and what the lexer has reported about them."""
    text = lexed.source.text
    if _JSON.match(text):
        start = text.index("{")
        lexed.diagnostics[:] = [rules.MANIFEST(Span(lexed.source, start, start + 1)).help(_ADVICE)]
        del lexed.types[:-1], lexed.starts[:-1], lexed.ends[:-1]
        return
    if "apiVersion" not in text:
        return
    parts: list[tuple[int, int]] = []
    for match in _FIRST_LINE.finditer(text):
        first = bisect_left(lexed.starts, match.start(1))
        inside = bool(parts) and first < parts[-1][1]
        if not inside and lexed.starts[first] == match.start(1) and _begins_line(lexed, first):
            parts.append((first, _end(lexed, first)))
        if len(parts) == MOST_MANIFESTS:
            break
    for first, end in reversed(parts):
        _leave_out(lexed, first, end)


def _begins_line(lexed: Lexed, first: int) -> bool:
    return lexed.types[first] == lexer.NAME and (first == 0 or lexed.types[first - 1] in (lexer.NEWLINE, lexer.LBRACE))


def _end(lexed: Lexed, first: int) -> int:
    """The token after the last line that is at least as deep as the first and does not start a declaration."""
    types, position = lexed.types, lexed.source.position
    indent = position(lexed.starts[first])[1]
    end = first
    while True:
        while types[end] not in (lexer.NEWLINE, lexer.END):
            end += 1
        if types[end] == lexer.END or types[end + 1] == lexer.END:
            return end
        following = end + 1
        ours = types[following] in DECLARATIONS and types[following + 1] != COLON
        if ours or types[following] == lexer.RBRACE or position(lexed.starts[following])[1] < indent:
            return end
        end = following


def _leave_out(lexed: Lexed, first: int, end: int) -> None:
    types = lexed.types
    start, stop = lexed.starts[first], lexed.ends[end - 1]
    lexed.diagnostics[:] = [each for each in lexed.diagnostics if not start <= each.span.start < stop]
    lexed.diagnostics.append(rules.MANIFEST(Span(lexed.source, start, lexed.ends[first])).help(_ADVICE))
    while first >= 4 and types[first - 4 : first] == [MINUS, MINUS, MINUS, lexer.NEWLINE]:
        first -= 4
    if types[end] == lexer.NEWLINE:
        end += 1
    del types[first:end], lexed.starts[first:end], lexed.ends[first:end]


# --- text blocks ---
#
# Text blocks without an opening or a closing mark.
#
# Without its closing mark, a block extends to the opening mark of the next one, and everything in between is lost;
# without an opening mark, its lines are read as code. Indentation shows where the mark is missing.

# The last line of a block that ends at the opening mark of the next block.
_OPENS = regex(r"[ \t]*(?:[A-Za-z_]\w*[ \t]*(?:=|:)|run|copy)[ \t]*\Z")


def close_texts(lexed: Lexed) -> None:
    """Lex again a text whose text blocks are not closed, or not opened, where they should be."""
    distrusted = set(_swallowing(lexed))
    while distrusted:
        again = lexer.lex(lexed.source, unclosed=frozenset(distrusted))
        for slot in lexed.__slots__:
            setattr(lexed, slot, getattr(again, slot))
        more = set(_swallowing(lexed)) - distrusted
        if not more:
            break
        distrusted |= more
    for diagnostic in [each for each in lexed.diagnostics if each.rule is rules.UNCLOSED_TEXT]:
        _open_text(lexed, diagnostic.span)


def _swallowing(lexed: Lexed) -> list[int]:
    """The starts of blocks that end at what looks like the opening mark of the next one."""
    text = lexed.source.text
    starts: list[int] = []
    for i, type_ in enumerate(lexed.types):
        if type_ in (TEXT, RAW):
            end = lexed.ends[i] - 3
            if _OPENS.match(text, text.rfind("\n", 0, end) + 1, end):
                starts.append(lexed.starts[i])
    return starts


def _open_text(lexed: Lexed, mark: Span) -> None:
    """If the mark is alone on its line, read the lines above it that are at least as deep as its text."""
    text = lexed.source.text
    line = text.rfind("\n", 0, mark.start) + 1
    indent = mark.start - line
    if text[line : mark.start].strip(" \t") or not indent:
        return
    start = line
    while start:
        above = text.rfind("\n", 0, start - 1) + 1
        content = text[above : start - 1].rstrip("\r")
        if content.strip() and len(content) - len(content.lstrip(" \t")) < indent:
            break
        start = above
    if start < line and start:
        _replace_lines(lexed, start, mark)


def _replace_lines(lexed: Lexed, start: int, mark: Span) -> None:
    """Replace the tokens from ``start`` to the mark with one error value, if a value belongs there."""
    first = next(i for i, begin in enumerate(lexed.starts) if begin >= start)
    last = next(i for i, begin in enumerate(lexed.starts) if begin == mark.start)
    if first < 2 or lexed.types[first - 1] != lexer.NEWLINE or lexed.types[first - 2] != EQUAL:
        return
    place = lexed.ends[first - 2]
    span = Span(lexed.source, place, place)
    kept = [each for each in lexed.diagnostics if not start <= each.span.start < lexed.ends[last]]
    diagnostic = rules.TEXT_NOT_OPENED(span, mark=mark.text).note(mark, "the text ends here")
    lexed.diagnostics[:] = [*kept, diagnostic.fix(f"add {mark.text}", Edit(span, f" {mark.text}"))]
    end = mark.end
    for column in (lexed.types, lexed.starts, lexed.ends):
        del column[first - 1 : last + 1]
    lexed.types.insert(first - 1, lexer.ERROR)
    lexed.starts.insert(first - 1, place)
    lexed.ends.insert(first - 1, end)


TEXTS = {number: text for text, number in tables.OPERATORS}
UNCLOSED = (rules.UNCLOSED_BLOCK, rules.UNCLOSED_BRACKET)

# How many outer brackets without a closing one are shown.
MOST_LABELS = 3

# The most tokens of a line among which a missing opening bracket is searched: each stray closing one looks at all.
LONGEST_LINE = 400


# So many closing brackets too many are told of one line: what else is wrong there is known when they are gone.
MOST_STRAYS = 5


class Opening(NamedTuple):
    """An open bracket: its token in the new list, and the indentation and number of its line."""

    type: int
    token: int
    indent: int
    line: int


class Balance:
    """Copies the tokens of a text, adding or removing brackets where they do not match."""

    def __init__(self, lexed: Lexed) -> None:
        self.lexed = lexed
        self.source = lexed.source
        self.new = lexer.Lexed(lexed.source)
        self.reports: list[Diagnostic] = []
        self.open: list[Opening] = []
        self.heads: dict[int, int] = {}  # an opening bracket that was added, and the report of it
        self.indent = 1
        self.strays = (0, 0)  # the last line with a closing bracket too many, and how many it has so far

    def run(self) -> None:
        """Replace the tokens of ``lexed`` with tokens whose brackets match."""
        bounds = self._declarations()
        for start, end in zip(bounds, [*bounds[1:], len(self.lexed.types) - 1], strict=True):
            if self._matches(start, end) and not any(self._is_open_head(i, start) for i in range(start, end)):
                for i in range(start, end):
                    self._keep(i)
            else:
                self._repair(start, end)
        self._keep(len(self.lexed.types) - 1)
        lexed, new = self.lexed, self.new
        lexed.types, lexed.starts, lexed.ends = new.types, new.starts, new.ends

    def _declarations(self) -> list[int]:
        """The first token of each part that begins with a declaration at the left edge."""
        types = self.lexed.types
        return [0] + [
            i
            for i in range(1, len(types) - 1)
            if types[i] in DECLARATIONS and types[i - 1] == lexer.NEWLINE and self._column(i) == 1
        ]

    def _line(self, i: int) -> int:
        return self.source.position(self.lexed.starts[i])[0]

    def _column(self, i: int) -> int:
        return self.source.position(self.lexed.starts[i])[1]

    def _matches(self, start: int, end: int) -> bool:
        waiting: list[int] = []
        for type_ in self.lexed.types[start:end]:
            if type_ in CLOSERS:
                waiting.append(CLOSERS[type_])
            elif type_ in OPENERS and (not waiting or waiting.pop() != type_):
                return False
        return not waiting

    def _keep(self, i: int) -> None:
        lexed = self.lexed
        self.new.add(lexed.types[i], lexed.starts[i], lexed.ends[i])

    def _repair(self, start: int, end: int) -> None:
        types = self.lexed.types
        first = True
        for i in range(start, end):
            type_ = types[i]
            if type_ == lexer.NEWLINE:
                first = True
                self._keep(i)
                continue
            if first:
                self.indent = self._column(i)
                self._close_by_indentation(type_)
            if self._is_doubled(i, end):
                self._doubled(i)
            elif type_ in CLOSERS:
                self.open.append(Opening(type_, len(self.new.types), self.indent, self._line(i)))
                self._keep(i)
            elif type_ in OPENERS:
                self._closer(i, end)
            else:
                self._keep(i)
                self._open_block(i, start)
            first = False
        while self.open:
            self._close(self.open.pop())

    # --- openings that are written twice ---

    def _is_doubled(self, i: int, end: int) -> bool:
        """Whether ``i`` is the second of two ``{`` that nothing on the line closes, which no statement begins with."""
        types = self.lexed.types
        if types[i] != lexer.LBRACE or i + 1 >= end or not self.new.types or self.new.types[-1] != lexer.LBRACE:
            return False
        return types[i - 1] == lexer.LBRACE and types[i + 1] == lexer.NEWLINE

    def _doubled(self, i: int) -> None:
        span = Span(self.source, self.lexed.starts[i], self.lexed.ends[i])
        removed = Edit(Span(self.source, self.lexed.ends[i - 1], span.end), "")
        self.reports.append(rules.REPEATED_WORD(span, found="{").fix("remove it", removed))

    # --- openings that lack their closing bracket ---

    def _close_by_indentation(self, type_: int) -> None:
        """Close what cannot continue on a line with this indentation and this first token."""
        while self.open:
            top = self.open[-1]
            if self.indent > top.indent or (self.indent == top.indent and type_ == CLOSERS[top.type]):
                return
            if self.indent == top.indent and type_ in OPENERS and len(self.open) > 1:
                under = self.open[-2]
                if under.indent == top.indent and type_ != CLOSERS[under.type]:
                    return
            self._close(self.open.pop())

    def _close(self, opening: Opening) -> None:
        """Add the missing bracket after the last token of the line before, and report the opening one."""
        new = self.new
        at = len(new.types)
        while at > opening.token + 1 and new.types[at - 1] == lexer.NEWLINE:
            at -= 1
        place = new.ends[at - 1]
        self._insert(at, CLOSERS[opening.type], place)
        if new.ends[opening.token] == new.starts[opening.token]:
            self._close_added(opening, place)
            return  # the opening bracket itself was missing, which has been reported
        span = Span(self.source, new.starts[opening.token], new.ends[opening.token])
        closer = TEXTS[CLOSERS[opening.type]]
        if self._joins(opening, span, place):
            return
        rule = rules.UNCLOSED_BLOCK if opening.type == lexer.LBRACE else rules.UNCLOSED_BRACKET
        diagnostic = rule(span, opener=TEXTS[opening.type], closer=closer)
        if self.source.position(place)[0] != opening.line:
            diagnostic = diagnostic.note(Span(self.source, place, place), f"{closer} is probably missing after this")
        self.reports.append(diagnostic.fix(f"add {closer}", self._closing_edit(opening, place)))

    def _close_added(self, opening: Opening, place: int) -> None:
        """The fix that adds the opening bracket adds the closing one too."""
        head = self.heads.pop(opening.token, None)
        if head is not None:
            fix = self.reports[head].fixes[0]
            both = Fix("add { and }", (*fix.edits, self._closing_edit(opening, place)))
            self.reports[head] = replace(self.reports[head], fixes=(both,))

    def _joins(self, opening: Opening, span: Span, place: int) -> bool:
        """Whether a bracket inside it is missing in the same place: then one message reports both."""
        reports = self.reports
        inner = reports[-1].fixes[0].edits[0] if reports and reports[-1].rule in UNCLOSED else None
        if inner is None or inner.span.start != place:
            return False
        diagnostic = reports[-1]
        if len(diagnostic.labels) < MOST_LABELS:
            diagnostic = diagnostic.note(span, f"this {span.text} is not closed either")
        closing = self._closing_edit(opening, place)
        both = Edit(closing.span, inner.text + closing.text)
        reports[-1] = replace(diagnostic, fixes=(Fix("add the closing brackets", (both,)),))
        return True

    def _closing_edit(self, opening: Opening, place: int) -> Edit:
        closer = TEXTS[CLOSERS[opening.type]]
        if self.source.position(place)[0] == opening.line:
            closer = f" {closer}" if opening.type == lexer.LBRACE else closer
        else:
            closer = "\n" + " " * (opening.indent - 1) + closer
        return Edit(Span(self.source, place, place), closer)

    def _insert(self, at: int, type_: int, place: int) -> None:
        new = self.new
        new.types.insert(at, type_)
        new.starts.insert(at, place)
        new.ends.insert(at, place)

    # --- closing brackets ---

    def _closer(self, i: int, end: int) -> None:
        type_ = self.lexed.types[i]
        line = self._line(i)
        if not self.open:
            self._stray(i)
            return
        top = self.open[-1]
        if CLOSERS[top.type] == type_:
            if top.line != line and self._goes_on_deeper(i, end, top.indent):
                self._stray(i)
            else:
                self.open.pop()
                self._keep(i)
            return
        below = next((each for each in reversed(self.open) if CLOSERS[each.type] == type_), None)
        if below is None or (top.line == line and below.line != line):
            self._wrong(i, top)
            return
        while self.open[-1] is not below:
            self._close(self.open.pop())
        self._closer(i, end)

    def _goes_on_deeper(self, i: int, end: int, indent: int) -> bool:
        """Whether the next line is deeper than the block that a bracket at ``i`` would close."""
        types = self.lexed.types
        for j in range(i + 1, end - 1):
            if types[j] == lexer.NEWLINE:
                return self._column(j + 1) > indent
        return False

    def _wrong(self, i: int, top: Opening) -> None:
        """A closing bracket of the wrong kind: read as the right one if its line opened one, else removed."""
        if top.line != self._line(i):
            self._stray(i)
            return
        self.open.pop()
        lexed = self.lexed
        span = Span(self.source, lexed.starts[i], lexed.ends[i])
        right = TEXTS[CLOSERS[top.type]]
        opening = Span(self.source, self.new.starts[top.token], self.new.ends[top.token])
        diagnostic = rules.WRONG_BRACKET(span, closer=right, found=shortened(span.text)).note(opening, "opened here")
        self.reports.append(diagnostic.fix(f"write {right}", Edit(span, right)))
        self.new.add(CLOSERS[top.type], span.start, span.end)

    def _stray(self, i: int) -> None:
        """An unmatched closing bracket: if its opening one is not missing on this line, it is removed."""
        line, before = self.strays
        self.strays = (self._line(i), before + 1 if line == self._line(i) else 1)
        if len(self.reports) >= lexer.MAX_REPORTS or self.strays[1] > MOST_STRAYS:
            return
        lexed, new = self.lexed, self.new
        type_ = lexed.types[i]
        at = self._missing_opening(type_)
        span = Span(self.source, lexed.starts[i], lexed.ends[i])
        if at is None:
            diagnostic = rules.STRAY_BRACKET(span, found=shortened(span.text))
            self.reports.append(diagnostic.fix("remove it", Edit(span, "")))
            return
        opener = TEXTS[OPENERS[type_]]
        place = Span(self.source, new.starts[at], new.ends[at])
        diagnostic = rules.UNEXPECTED(place, expected=opener, found=shortened(place.text)).note(
            span, f"unmatched {span.text}"
        )
        blank = " " if opener == "{" else ""
        edit = Edit(Span(self.source, place.start, place.start), opener + blank)
        self.reports.append(diagnostic.fix(f"add {opener}", edit))
        self._insert(at, OPENERS[type_], place.start)
        self._keep(i)

    def _missing_opening(self, type_: int) -> int | None:
        """The token of this line before which the opening bracket is missing."""
        types = self.new.types
        begin = stop = len(types)
        while begin and types[begin - 1] != lexer.NEWLINE:
            begin -= 1
            if stop - begin > LONGEST_LINE:
                return None
        level = 0
        last = None
        for at in range(begin, stop):
            if at > begin and level == 0:
                if type_ == lexer.RBRACE and types[at] != EQUAL and types[at + 1 : at + 2] == [EQUAL]:
                    return at
                if type_ == lexer.RSQB and types[at - 1] == EQUAL:
                    last = at
            level += (types[at] in CLOSERS) - (types[at] in OPENERS)
        return last

    # --- blocks without braces ---

    def _is_open_head(self, i: int, start: int) -> bool:
        """Whether ``i`` is the last token of the head of a block, and deeper lines follow without a brace."""
        types = self.lexed.types
        if types[i + 1 : i + 2] != [lexer.NEWLINE] or types[i + 2] in (lexer.END, lexer.LBRACE):
            return False
        head = self._head_before(i, start)
        if head is None or (head > start and types[head - 1] != lexer.NEWLINE):
            return False
        return self._column(i + 2) > self._column(head)

    def _head_before(self, i: int, start: int) -> int | None:
        """The same as :meth:`_head`, where the head may end with the colon of Python and YAML: ``job mnist:``."""
        if self.lexed.types[i] != COLON:
            return self._head(i, start)
        return i - 2 if i > start + 1 and self.lexed.types[i - 2] in NAMED_BLOCKS else None

    def _head(self, i: int, start: int) -> int | None:
        """The keyword of a block whose head may end with token ``i``: with its name, or with a condition."""
        types = self.lexed.types
        if types[i] in PLAIN_BLOCKS and not (i > start and types[i - 1] in NAMED_BLOCKS):
            return i
        if i > start and types[i - 1] in NAMED_BLOCKS:
            is_name = types[i] in (lexer.NAME, lexer.STRING) or types[i] >= tables.FIRST_KEYWORD
            return i - 1 if is_name else None
        if types[i] in lexer.INFIX:
            return None
        line = i
        while line > start and types[line - 1] != lexer.NEWLINE:
            line -= 1
        conditional = types[line] in NAMED_BLOCKS and types[line + 2 : line + 3] == [WHEN] and line + 2 < i
        return line if conditional and lexer.LBRACE not in types[line:i] and types[i] != lexer.RBRACE else None

    def _open_block(self, i: int, start: int) -> None:
        """Add the brace after the head of a block that continues on deeper lines without one."""
        if not self._is_open_head(i, start):
            return
        head = self._head_before(i, start)
        assert head is not None
        colon = self.lexed.types[i] == COLON
        place = Span(self.source, self.lexed.starts[i] if colon else self.lexed.ends[i], self.lexed.ends[i])
        what = Span(self.source, self.lexed.starts[head], self.lexed.ends[i - colon])
        if colon:
            for kept in (self.new.types, self.new.starts, self.new.ends):
                kept.pop()
        diagnostic = rules.MISSING_BLOCK(place, what=shortened(what.text))
        self.heads[len(self.new.types)] = len(self.reports)
        self.reports.append(diagnostic.fix("write {" if colon else "add {", Edit(place, " {")))
        self.open.append(Opening(lexer.LBRACE, len(self.new.types), self._column(head), self._line(i)))
        self.new.add(lexer.LBRACE, place.end, place.end)  # empty: that it is not closed is no further mistake
