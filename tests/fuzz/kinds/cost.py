"""Texts of one pattern again and again: twice the text is about twice the work, and no answer is out of proportion."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING, NamedTuple

from tests.fuzz import programs
from tests.fuzz.case import Case, Finding, expect, kept
from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.diagnostics.render import FORMATS, render
from tfdsl.semantics.request import Choice, Request
from tfdsl.syntax.format import format_source
from tfdsl.text import Source

if TYPE_CHECKING:
    import random

SIZES = (100, 100, 100, 200, 200, 400, 1200)
"""Characters of the pattern's repetitions, before they are doubled."""
AT_ONCE = 0.02
"""Processor seconds below which nothing is said about the growth."""
SUSPICIOUS = 3.0
"""Growth of a doubled text for which it is doubled again; noise of the clock, mostly."""
WORST = 2.5
"""Growth of each doubling that is not believed to be linear."""
START, PER_CHARACTER = 1.0, 0.0005
"""Processor seconds that a text may take, and each of its characters."""
LEAST_OUTPUT, OUTPUT_PER_CHARACTER = 200_000, 4000
"""Characters that may be told of a text, and for each of its characters."""
PATH = "a.tfjob"
HEADS = (
    "",
    "",
    "let a = ",
    'let a = "',
    "job j { ",
    'job j { image = "i:1", role worker { }\n',
    "# ",
    "param p: int = ",
)
TAILS = ("", "", "\n", " }\n", '"\n', '}\njob k { image = "i:1", role worker { } }\n')
FORMS = ("{0} + {0}", "[{0}, {0}]", '"${{{0}}}${{{0}}}"', 'format("%s%s", {0}, {0})', 'join(",", [{0}, {0}])')


class Pattern(NamedTuple):
    """``head``, then ``unit`` as often as it fits, then ``tail``."""

    head: str
    unit: str
    tail: str
    size: int

    def text(self, times: int) -> str:
        """The text with ``times`` as many repetitions; ``%N`` in the unit is the number of the repetition."""
        count = max(1, self.size * times // max(len(self.unit), 1))
        if "%N" not in self.unit:
            return self.head + self.unit * count + self.tail
        return self.head + "".join(self.unit.replace("%N", str(at)) for at in range(count)) + self.tail


def make(chance: random.Random) -> Case:
    """A pattern of words, of a statement or of lines of a program."""
    pattern = Pattern(chance.choice(HEADS), _unit(chance), chance.choice(TAILS), chance.choice(SIZES))
    at = chance.random()
    return Case(lambda: prove(pattern, at), {".tfjob": kept(pattern.text(1))})


def _unit(chance: random.Random) -> str:
    match chance.randrange(6):
        case 0:
            return "".join(chance.choice(programs.NOISE) for _ in range(chance.choice((1, 1, 2, 3, 5))))
        case 1:
            return "".join(f"{chance.choice(programs.NOISE)} " for _ in range(chance.choice((1, 2, 3, 5))))
        case 2:
            form = chance.choice(FORMS)
            return f"let v%N = {form.format(chance.choice(('v0', 'w', 'v%N', chance.choice(programs.VALUES))))}\n"
        case 3:
            return f"{programs.item(chance)}{chance.choice((', ', chr(10)))}"
        case 4:
            lines = programs.program(chance).splitlines(keepends=True)
            at = chance.randrange(len(lines))
            return "".join(lines[at : at + chance.choice((1, 1, 2, 4))]).replace("mnist", "mnist%N")
        case _:
            return programs.mutated(programs.program(chance), chance)[: chance.choice((20, 60, 200))] or "x"


def prove(pattern: Pattern, at: float) -> None:
    """Prove the bound for the text, and the growth up to the doubled one; a doubt is settled by larger ones."""
    small, large = _work(pattern.text(1), at), _work(pattern.text(2), at)
    expect(large.told <= 2.5 * small.told + LEAST_OUTPUT / 10, f"what is told grows from {small.told} to {large.told}")
    if large.seconds < AT_ONCE or large.seconds < SUSPICIOUS * small.seconds:
        return
    for _ in range(3):  # a clock may be wrong once
        first, last = _work(pattern.text(2), at), _work(pattern.text(8), at)
        if last.seconds < 4 * first.seconds * (WORST / 2) ** 2 or last.seconds < AT_ONCE * 10:
            return
    raise Finding(f"four times the text is {last.seconds / first.seconds:.1f} times the work ({last.seconds:.2f} s)")


class _Cost(NamedTuple):
    seconds: float
    told: int


def _work(text: str, at: float) -> _Cost:
    """Processor time and output of all that is done with a text."""
    begin = process_time()
    source = Source(PATH, text, PATH)
    program = pipeline.load(source, lambda path: "there is no such file")
    names = targets.names()
    target = targets.find(names[int(at * len(names))])
    assert target is not None
    done = pipeline.run(program, Request(), [Choice(target)])
    told = pipeline.settle([done], [program], strict=False, paths=[PATH])
    texts = [render(form, told, [PATH]) for form in ("text", FORMATS[int(at * 997) % len(FORMATS)])]
    texts += [pipeline.written(document).text for made in done.made for document in made.documents]
    texts.append(format_source(source)[0])
    taken, size = process_time() - begin, sum(map(len, texts))
    expect(taken <= START + PER_CHARACTER * len(text), f"{taken:.1f} s for {len(text)} characters")
    expect(size <= LEAST_OUTPUT + OUTPUT_PER_CHARACTER * len(text), f"{size} characters told of {len(text)}")
    return _Cost(taken, size)
