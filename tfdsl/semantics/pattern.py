r"""Regular expressions of params, matched in time linear in the text.

A file must not be able to hang a check, and Python's ``re`` tries all ways through ``(a+)+b``. Therefore a pattern
is compiled to a nondeterministic automaton that follows all ways at once. The syntax is what most dialects share:
characters, ``.``, ``[a-z]``, ``\d \w \s``, groups, ``|``, ``* + ? {2} {2,} {2,5}``, ``^`` and ``$``, without lookaround
and backreferences. ``re`` still matches single character classes, which is fast.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable

from tfdsl.patterns import regex

MOST_STATES = 2000
MOST_STEPS = 200_000
DEEPEST_GROUP = 20

_CLASS = regex(r"\[\^?\]?(?:\\.|[^\]\\])*\]|\\[dDwWsSntrfv]|\\[^A-Za-z0-9]|\.")
_COUNT = regex(r"\{(\d{1,4})(?:(,)(\d{0,4}))?\}")
_START, _END = "^", "$"


class PatternError(Exception):
    """Why a text is not a valid pattern."""


class Pattern:
    """A compiled pattern: states of an automaton, the last of which accepts.

    ``tests``: for each state, what the next character must be (``None``: the state consumes nothing); ``nexts``: the
    states that follow; ``anchors``: state → ``^`` or ``$``.
    """

    def __init__(self) -> None:
        self.tests: list[Callable[[str], object] | None] = []
        self.nexts: list[list[int]] = []
        self.anchors: dict[int, str] = {}

    def state(self, test: Callable[[str], object] | None, *nexts: int) -> int:
        """Add a state; returns its number."""
        if len(self.tests) >= MOST_STATES:
            raise PatternError("it is too long")
        self.tests.append(test)
        self.nexts.append(list(nexts))
        return len(self.tests) - 1

    def fits(self, text: str) -> bool:
        """Whether all of ``text`` matches; a text that would take too long does not."""
        accepting = len(self.tests) - 1
        steps = 0
        here = self._reached([0], text, 0)
        for at, character in enumerate(text):
            steps += len(here)
            if not here or steps > MOST_STEPS:
                return False
            after = [
                follower
                for state in here
                if (test := self.tests[state]) is not None and test(character)
                for follower in self.nexts[state]
            ]
            here = self._reached(after, text, at + 1)
        return accepting in here

    def _reached(self, states: Iterable[int], text: str, at: int) -> set[int]:
        """``states`` and those reachable from them without a character."""
        found: set[int] = set()
        todo = list(states)
        while todo:
            state = todo.pop()
            if state in found or (state in self.anchors and at != {_START: 0, _END: len(text)}[self.anchors[state]]):
                continue
            found.add(state)
            if self.tests[state] is None:
                todo.extend(self.nexts[state])
        return found


def compile_pattern(text: str) -> Pattern:
    """The automaton of ``text``; raises :class:`PatternError`."""
    return _Compiler(text).compile()


class _Compiler:
    """Builds the automaton from left to right; a piece is its first and its last state, and the last one is empty."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.pattern = Pattern()

    def compile(self) -> Pattern:
        start = self.pattern.state(None)
        first, last = self._branches()
        if self.at < len(self.text):
            raise PatternError(f"unmatched ) at character {self.at + 1}")
        self.pattern.nexts[start].append(first)
        self.pattern.nexts[last].append(self.pattern.state(None))
        return self.pattern

    def _branches(self) -> tuple[int, int]:
        first, last = self.pattern.state(None), self.pattern.state(None)
        while True:
            begin, end = self._sequence()
            self.pattern.nexts[first].append(begin)
            self.pattern.nexts[end].append(last)
            if not self._take("|"):
                return first, last

    def _sequence(self) -> tuple[int, int]:
        first = last = self.pattern.state(None)
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            begin, end = self._repeated()
            self.pattern.nexts[last].append(begin)
            last = end
        return first, last

    def _repeated(self) -> tuple[int, int]:
        start = self.at
        piece = self._atom()
        behind = self.at
        least, most = self._quantifier()
        if (least, most) == (1, 1):
            return piece
        after = self.at
        first = last = self.pattern.state(None)
        for copy in range(max(least, most or 0, 1)):
            if copy:
                self.at = start
                piece = self._atom()
            if copy >= least:
                self.pattern.nexts[last].append(end := self.pattern.state(None))
                self.pattern.nexts[piece[1]].append(end)
                self.pattern.nexts[last].append(piece[0])
                last = end
            else:
                self.pattern.nexts[last].append(piece[0])
                last = piece[1]
        if most is None:
            self.pattern.nexts[piece[1]].append(piece[0])
        if most == 0:
            return (empty := self.pattern.state(None)), empty
        self.at = max(after, behind)
        return first, last

    def _quantifier(self) -> tuple[int, int | None]:
        """The least and most repeats (``None``: any number)."""
        found: tuple[int, int | None] = (1, 1)
        if self._take("*"):
            found = (0, None)
        elif self._take("+"):
            found = (1, None)
        elif self._take("?"):
            found = (0, 1)
        elif count := _COUNT.match(self.text, self.at):
            self.at = count.end()
            least = int(count[1])
            found = (least, least) if count[2] is None else (least, int(count[3]) if count[3] else None)
            if found[1] is not None and found[1] < least:
                raise PatternError(f"{count[0]} has its limits in the wrong order")
        else:
            return found
        self._take("?")  # the lazy form matches the same whole texts
        if self.at < len(self.text) and self.text[self.at] in "*+?":
            raise PatternError(f"{self.text[self.at]} cannot follow another repeat")
        return found

    def _atom(self) -> tuple[int, int]:
        character = self.text[self.at]
        if character == "(":
            return self._group()
        if character in "*+?":
            raise PatternError(f"there is nothing before {character} to repeat")
        if character in (_START, _END):
            self.at += 1
            state = self.pattern.state(None)
            self.pattern.anchors[state] = character
            return state, state
        if character in "[\\.":
            test = self._class()
        else:
            self.at += 1
            test = character.__eq__
        last = self.pattern.state(None)
        return self.pattern.state(test, last), last

    def _class(self) -> Callable[[str], object]:
        match = _CLASS.match(self.text, self.at)
        if match is None:
            what = (
                "a [ has no closing ]" if self.text[self.at] == "[" else f"{self.text[self.at :][:2]} is not supported"
            )
            raise PatternError(what)
        self.at = match.end()
        with warnings.catch_warnings():  # about the meaning that "[[" and "--" in a class may get in a later Python
            warnings.simplefilter("ignore", FutureWarning)
            try:
                return re.compile(match[0], re.DOTALL).match
            except re.error as problem:
                raise PatternError(problem.msg) from None

    def _group(self) -> tuple[int, int]:
        if self.depth >= DEEPEST_GROUP:
            raise PatternError(f"groups can be nested at most {DEEPEST_GROUP} deep")
        self.at += 1
        if self._take("?") and not self._take(":"):
            raise PatternError("of the groups with (? only (?: ) is supported")
        self.depth += 1
        piece = self._branches()
        self.depth -= 1
        if not self._take(")"):
            raise PatternError("a ( has no closing )")
        return piece

    def _take(self, character: str) -> bool:
        if self.text.startswith(character, self.at):
            self.at += 1
            return True
        return False
