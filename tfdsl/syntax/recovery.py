"""Continues after an error: a tree for any text, with each error reported once, in its place.

Used only when the plain parse has failed. First, brackets are matched with the help of the indentation. Then the tokens
are read one by one. At a token that does not fit, known mistakes are tried (``mistakes``), then small repairs
(``repairs``); if neither helps, everything up to the end of the item is skipped.
"""

from __future__ import annotations

import re
from typing import NamedTuple, cast

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Diagnostic, Edit
from tfdsl.syntax import lexer, mistakes, repairs, wording
from tfdsl.syntax.brackets import UNCLOSED, Balance, close_texts, item_end, leave_out_manifests
from tfdsl.syntax.build import BUILDERS, Builder
from tfdsl.syntax.doubtful import doubtful, leave_out
from tfdsl.syntax.driver import MAX_STACK, Machine
from tfdsl.syntax.lexer import CLOSERS, COMMA, OPENERS, Lexed
from tfdsl.syntax.repairs import explain, resembling
from tfdsl.text import Span

# After this many errors the rest is skipped item by item, and after more it is not read at all: such a text is not a
# .tfjob file, and looking for repairs takes time.
MANY_ERRORS = 200
TOO_MANY_ERRORS = 1000

# How many places to continue from are tried when something is skipped.
SYNC_POINTS = 40

# How many states are kept when something is skipped: trying each of the deepest stacks takes time.
HIGHEST = MAX_STACK // 4


class Snapshot(NamedTuple):
    """The stacks before token ``at``, and how long the lists on them were (they grow in place)."""

    at: int

    states: list[int]
    values: list[object]
    firsts: list[int]
    lengths: list[int]


def recover(lexed: Lexed, start: int, builder: Builder, errors: int = 0) -> int:
    """Parse ``lexed``, changing its tokens on the way; all errors go to ``builder.diagnostics``.

    ``errors``: how many there were before this text; returns how many there are after it.
    """
    builder.repaired = True
    _join_line_ends(lexed)
    if not builder.inside:
        close_texts(lexed)
        leave_out_manifests(lexed)
    quiet = {
        lexed.source.position(diagnostic.span.start)[0]
        for diagnostic in lexed.diagnostics
        if diagnostic.rule in LINE_SPOILERS
    }
    balance = Balance(lexed)
    balance.run()
    quiet.update(lexed.source.position(diagnostic.span.start)[0] for diagnostic in balance.reports)
    deep = max(
        (diagnostic.span.start for diagnostic in lexed.diagnostics if diagnostic.rule is rules.NESTING_TOO_DEEP),
        default=-1,
    )
    # For brackets that are nested too deep, it does not help to hear which of them are not closed.
    builder.diagnostics.extend(each for each in balance.reports if each.rule not in UNCLOSED or each.span.start > deep)
    recovery = Recovery(lexed, start, builder, quiet)
    recovery.errors = errors
    recovery.run()
    places = [*builder.doubtful, *doubtful([*builder.diagnostics, *lexed.diagnostics])]
    builder.declarations = leave_out(builder.declarations, places)
    builder.values = leave_out(builder.values, places)
    return recovery.errors


# Lexical errors after which the rest of the line cannot be trusted.
LINE_SPOILERS = (
    rules.UNCLOSED_STRING,
    rules.SINGLE_QUOTES,
    rules.SMART_QUOTES,
    rules.UNCLOSED_TEXT,
    rules.FORBIDDEN_CHARACTER,
    rules.UNEXPECTED_CHARACTER,
    rules.BACKQUOTES,
    rules.HEREDOC,
    rules.ODD_NAME,
    rules.BARE_INTERPOLATION,
    rules.UNQUOTED_TEXT,
    rules.TARGET_VERSION,
)


def _join_line_ends(lexed: Lexed) -> None:
    """Remove line ends that follow a line end, which happens when what was between them is not a token."""
    types = lexed.types
    extra = [i for i in range(1, len(types)) if types[i] == lexer.NEWLINE == types[i - 1]]
    for i in reversed(extra):
        del lexed.types[i], lexed.starts[i], lexed.ends[i]


class Recovery:
    """One recovering parse. ``quiet`` has the lines for which nothing more is reported."""

    def __init__(self, lexed: Lexed, start: int, builder: Builder, quiet: set[int]) -> None:
        self.lexed = lexed
        self.builder = builder
        self.machine = Machine(lexed, start, builder, BUILDERS)
        self.quiet = quiet
        self.before: Snapshot | None = None
        self.before_line_end: Snapshot | None = None
        self.errors = 0
        self.stuck_at = (-1, 0)
        self.stepping_to = 0

    def run(self) -> None:
        """Read all tokens, and continue after each error."""
        machine, types = self.machine, self.lexed.types
        if types == [lexer.END]:
            return
        while machine.at < len(types):
            if types[machine.at] == lexer.END and len(machine.states) == 1:
                return
            if machine.at >= self.stepping_to and self._take_line():
                continue
            if len(machine.states) > MAX_STACK:
                self.builder.diagnostics.append(rules.NESTING_TOO_DEEP(self.span(machine.at), limit=lexer.MAX_NESTING))
                self.quiet.add(self.line_of(self.span(machine.at).start))
                if not self._skip(highest=MAX_STACK // 10):
                    return
            elif repairs.fits(machine.states, types[machine.at]):
                self.before = self._snapshot()
                if types[machine.at] == lexer.NEWLINE:
                    self.before_line_end = self.before
                machine.run(machine.at)
            elif self.errors > TOO_MANY_ERRORS or not self._repair():
                return

    def _take_line(self) -> bool:
        """Read the tokens up to the line end in one go; False, with nothing read, when one does not fit.

        Most lines are correct, and going token by token takes several times as long.
        """
        machine = self.machine
        end = self.line_end(machine.at)
        self.stepping_to = end + 1
        if end == machine.at:
            return False
        here, reports = self._snapshot(), len(self.builder.diagnostics)
        before, before_line_end = self.before, self.before_line_end
        if machine.run(end - 1):
            return True
        self._restore(here)
        self.before, self.before_line_end = before, before_line_end
        del self.builder.diagnostics[reports:]
        return False

    def _snapshot(self) -> Snapshot:
        machine = self.machine
        lengths = [len(cast("list[object]", value)) if isinstance(value, list) else -1 for value in machine.values]
        return Snapshot(machine.at, machine.states.copy(), machine.values.copy(), machine.firsts.copy(), lengths)

    def _repair(self) -> bool:
        """Recover from the error at the next token; False when nothing is left to read."""
        at = self.machine.at
        place = self.lexed.starts[at]
        self.stuck_at = (place, self.stuck_at[1] + 1 if self.stuck_at[0] == place else 1)
        self.errors += 1
        if self.stuck_at[1] <= 4 and self.errors < MANY_ERRORS:
            if mistakes.recognize(self):
                return True
            stacks = [self.machine.states] + ([self.before.states] if self.before else [])
            alike = [resembling(self, at - back) for back in range(len(stacks))]
            repair = repairs.find(stacks, self.lexed.types, at, alike)
            if repair is not None:
                self._apply(repair)
                return True
        return self._skip()

    def _apply(self, repair: repairs.Repair) -> None:
        diagnostic = explain(self, repair)
        self.report(diagnostic)
        if diagnostic.rule in (rules.UNEXPECTED, rules.STATEMENT_FORM):
            self.quiet.add(self.line_of(diagnostic.span.start))
        for _ in range(repair.back):
            self.step_back()
        at = self.machine.at
        if len(repair.types) == 1 and repair.out:
            self.replace(at, repair.types[0], repair.out)
            return
        self.delete(at, repair.out)
        for offset, type_ in enumerate(repair.types):
            self.insert(at + offset, type_)

    # --- what mistakes and repairs do ---

    def acceptable(self) -> set[int]:
        """The types of the tokens that could come next."""
        return repairs.acceptable(self.machine.states)

    def acceptable_before(self) -> set[int]:
        """The types of the tokens that could have come instead of the last one read."""
        return repairs.acceptable(self.before.states) if self.before else set()

    def step_back(self) -> None:
        """Undo the last token; possible once after each token."""
        assert self.before is not None
        self._restore(self.before)

    def back_to_line_end(self) -> None:
        """Undo everything since the last line end, including it."""
        assert self.before_line_end is not None
        self._restore(self.before_line_end)

    def cut_behind(self, token: int) -> bool:
        """Forget everything that was read after a token whose rule is not complete."""
        machine = self.machine
        for height, value in enumerate(machine.values):
            if isinstance(value, int) and value == token:
                del machine.states[height + 2 :], machine.values[height + 1 :], machine.firsts[height + 1 :]
                machine.at = token + 1
                self.before = self.before_line_end = None
                return True
        return False

    def cut_from(self, token: int) -> bool:
        """Forget everything that was read from a token on, if a value can stand there."""
        height = self._height_of(token)
        return repairs.fits(self.machine.states[: height + 1], lexer.ERROR) and self._cut(height, token)

    def _height_of(self, token: int) -> int:
        """The height of the stack before a token was read."""
        firsts = self.machine.firsts
        return next((height for height, first in enumerate(firsts) if first >= token), len(firsts))

    def _cut(self, height: int, at: int) -> bool:
        machine = self.machine
        del machine.states[height + 1 :], machine.values[height:], machine.firsts[height:]
        machine.at = at
        self.before = self.before_line_end = None
        return True

    def _restore(self, before: Snapshot) -> None:
        for value, length in zip(before.values, before.lengths, strict=True):
            if isinstance(value, list):
                del value[length:]
        machine = self.machine
        machine.states[:], machine.values[:], machine.firsts[:] = before.states, before.values, before.firsts
        machine.at = before.at
        self.before = self.before_line_end = None

    def insert(self, at: int, type_: int) -> None:
        """Insert an empty token before token ``at``, right after the previous one."""
        lexed = self.lexed
        place = lexed.ends[at - 1] if at else 0
        lexed.types.insert(at, type_)
        lexed.starts.insert(at, place)
        lexed.ends.insert(at, place)

    def delete(self, at: int, count: int = 1) -> None:
        """Remove ``count`` tokens from ``at`` on."""
        lexed = self.lexed
        del lexed.types[at : at + count], lexed.starts[at : at + count], lexed.ends[at : at + count]

    def drop_item(self, at: int) -> bool:
        """Remove the item of token ``at`` and the separator after it; False when there is nothing to remove."""
        types = self.lexed.types
        end = item_end(types, at)
        end += types[end] in (lexer.NEWLINE, COMMA)
        self.delete(at, end - at)
        return end > at

    def cut_item(self, at: int) -> bool:
        """Forget the item of token ``at``, as far as it was read, and remove it; False when that is not possible."""
        return self._cut(self._height_of(at), at) and self.drop_item(at)

    def replace(self, at: int, type_: int, count: int = 1) -> None:
        """Replace ``count`` tokens from ``at`` on with one token of another type."""
        lexed = self.lexed
        lexed.ends[at] = lexed.ends[at + count - 1]
        lexed.types[at] = type_
        self.delete(at + 1, count - 1)

    def report(self, diagnostic: Diagnostic | None) -> None:
        """Report ``diagnostic``, unless enough has been reported for its line."""
        if diagnostic is not None and self.line_of(diagnostic.span.start) not in self.quiet:
            self.builder.diagnostics.append(diagnostic)

    @property
    def types(self) -> list[int]:
        """The types of all tokens."""
        return self.lexed.types

    def text(self, at: int) -> str:
        """The characters of token ``at``."""
        return self.lexed.text(at)

    def span(self, at: int) -> Span:
        """The span of token ``at``; for the end of a line, the place after its last token."""
        lexed = self.lexed
        if lexed.types[at] in (lexer.NEWLINE, lexer.END) and at:
            return Span(lexed.source, lexed.ends[at - 1], lexed.ends[at - 1])
        return Span(lexed.source, lexed.starts[at], lexed.ends[at])

    def spanning(self, first: int, stop: int) -> Span:
        """The span of the tokens from ``first`` up to ``stop``, which is not included."""
        return Span(self.lexed.source, self.lexed.starts[first], self.lexed.ends[stop - 1])

    def expected(self) -> str:
        """What could come next, in words."""
        return wording.expected(self.acceptable(), self.text_before(self.machine.at))

    def text_before(self, at: int) -> str:
        """The text of the token before token ``at``; empty at the beginning of a line."""
        return self.lexed.text(at - 1).strip() if at else ""

    def removal(self, at: int) -> Edit:
        """An edit that removes token ``at`` and the spaces before it, unless it is joined to the next one.

        Two words that it separated stay separate.
        """
        lexed = self.lexed
        start, end = lexed.starts[at], lexed.ends[at]
        if re.fullmatch(r"\w\w", lexed.source.text[max(start - 1, 0) : start] + lexed.source.text[end : end + 1]):
            return Edit(Span(lexed.source, start, end), " ")
        if (
            at
            and lexed.source.text[end : end + 1] in " \t\r\n"
            and "\n" not in lexed.source.text[lexed.ends[at - 1] : start]
        ):
            start = lexed.ends[at - 1]
        return Edit(Span(lexed.source, start, end), "")

    def line_of(self, offset: int) -> int:
        """The number of the line of an offset."""
        return self.lexed.source.position(offset)[0]

    def column(self, at: int) -> int:
        """The column of token ``at``, from 1."""
        return self.lexed.source.position(self.lexed.starts[at])[1]

    def line_start(self, at: int) -> int:
        """The first token of the line of token ``at``."""
        types = self.lexed.types
        while at and types[at - 1] != lexer.NEWLINE:
            at -= 1
        return at

    def line_end(self, at: int) -> int:
        """The line end or text end after token ``at`` (or that token itself)."""
        types = self.lexed.types
        while types[at] not in (lexer.NEWLINE, lexer.END):
            at += 1
        return at

    # --- the last resort ---

    def _skip(self, highest: int = HIGHEST) -> bool:
        """Report the token and continue after its item; False when nothing is left.

        At most ``highest`` states are kept.
        """
        at = self.machine.at
        line = self.line_of(self.span(at).start)
        diagnostic = rules.UNEXPECTED(self.span(at), expected=self.expected(), found=wording.found(self.lexed, at))
        self.report(repairs.in_head(self, at, at + 1) or diagnostic)
        self.quiet.add(line)
        sync = self._sync_point(at, highest)
        if sync is None:
            return False
        next_, height, with_value = sync
        machine, lexed = self.machine, self.lexed
        first = machine.firsts[height - 1] if height - 1 < len(machine.firsts) else at
        start, end = lexed.starts[first], max(lexed.starts[first], lexed.ends[next_ - 1])
        del machine.states[height:], machine.values[height - 1 :], machine.firsts[height - 1 :]
        self.before = self.before_line_end = None
        self.delete(at, next_ - at)
        if with_value:
            self.insert(at, lexer.ERROR)
            lexed.starts[at], lexed.ends[at] = start, end
        return True

    def _sync_point(self, at: int, highest: int) -> tuple[int, int, bool] | None:
        """(token to continue from, height to cut the stack of states to, whether an error value is inserted first)."""
        machine, types = self.machine, self.lexed.types
        brackets = [self._bracket_step(value) for value in machine.values]
        level = depth = sum(brackets)
        tried = 0
        for next_ in range(at, len(types)):
            type_ = types[next_]
            if type_ in CLOSERS:
                level += 1
            if level <= depth and type_ in SYNC:
                tried += 1
                wanted = 0 if type_ == lexer.END else level
                found = self._height(next_, wanted, brackets, highest, moved=next_ > at)
                if found is not None:
                    return (next_, *found)
                if tried > SYNC_POINTS and type_ != lexer.END:
                    continue
            if type_ in OPENERS:
                level -= 1
        return None

    def _height(
        self, next_: int, wanted: int, brackets: list[int], highest: int, *, moved: bool
    ) -> tuple[int, bool] | None:
        machine, types = self.machine, self.lexed.types
        top = min(len(machine.states), highest)
        level = sum(brackets[: top - 1])
        for height in range(top, 0, -1):
            if height < top:
                level -= brackets[height - 1]
            if level != wanted:
                continue
            if height < top and machine.states[height - 1] == machine.states[height]:
                continue  # one of many signs before a value, and nothing fits after the next one either
            for with_value in (True, False):
                if not with_value and not moved and height == len(machine.states):
                    continue
                states = machine.states[:height]
                if with_value and not repairs.advance(states, lexer.ERROR):
                    continue
                if repairs.goes_on(states, types, next_):
                    return height, with_value
        return None

    def _bracket_step(self, value: object) -> int:
        if isinstance(value, int):
            type_ = self.lexed.types[value]
            return 1 if type_ in CLOSERS else -1 if type_ in OPENERS else 0
        return 0


SYNC = {lexer.NEWLINE, lexer.END, lexer.RBRACE, lexer.RSQB, lexer.RPAR, COMMA}
