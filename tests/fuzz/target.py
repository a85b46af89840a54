"""One input on the whole way: read, check, compile for every target, tell in every format, mend and format."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, TypeVar
from xml.etree import ElementTree

from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.diagnostics.fixes import fixed
from tfdsl.diagnostics.render import FORMATS, render
from tfdsl.semantics.request import Choice, Request
from tfdsl.source_files import decode
from tfdsl.syntax import parse
from tfdsl.syntax.format import format_source
from tfdsl.text import Source

T = TypeVar("T")

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tfdsl.compiling.pipeline import Outcome
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.semantics.project import Program

MAIN = "fuzz.tfjob"
INCLUDED = {
    "common.tfjob": 'param tag: string = "1"\ntemplate base { cpu = 1 }\nprofile prod { tag = "2" }\n',
    "cycle.tfjob": f'include "{MAIN}"\n',
    "broken.tfjob": "let x = [\njob {",
    "train.sh": "exec python train.py\n",
}
SLOWEST = 2.0
"""Seconds of processor time for any step over 100 kB or less; a step over more may take as much longer."""
SHOWN = 200
"""Diagnostics that are shown: what a format does with the first, it does with the rest."""


class Slow(Exception):  # noqa: N818  (it is a finding, not an error of the program)
    """A step took longer than it may."""


def run(data: bytes) -> None:
    """Raises whatever goes wrong: any exception is a bug."""
    source = decode(data, MAIN, MAIN)
    if isinstance(source, str):
        return
    clock = _Clock(len(data))
    program = clock.time("load", lambda: pipeline.load(source, _read))
    outcomes = [clock.time("check", lambda: pipeline.run(program, Request()))]
    outcomes += [clock.time(name, lambda name=name: _compiled(program, name)) for name in targets.names()]
    told = clock.time("settle", lambda: pipeline.settle(outcomes, [program], strict=False, paths=[MAIN]))
    _places(told)
    for form in FORMATS:
        _well_formed(form, clock.time(form, lambda form=form: render(form, told[:SHOWN], [MAIN])))
    clock.time("fix", lambda: fixed(told, [source], lambda texts: _retold(source, texts)))
    if not any(found.level == "error" for found in parse(source).diagnostics):
        once, _ = clock.time("format", lambda: format_source(source))
        assert format_source(Source(MAIN, once))[0] == once, "formatting twice is not formatting once"


def _retold(source: Source, texts: Mapping[str, str]) -> list[Diagnostic]:
    program = pipeline.load(Source(MAIN, texts.get(MAIN, source.text), MAIN), _read)
    outcome = pipeline.run(program, Request())
    return pipeline.settle([outcome], [program], strict=False, paths=[MAIN])


def _read(path: str) -> Source | str:
    return Source(path, INCLUDED[path], path) if path in INCLUDED else "there is no such file"


def _compiled(program: Program, name: str) -> Outcome:
    target = targets.find(name)
    assert target is not None
    outcome = pipeline.run(program, Request(), [Choice(target)])
    for made in outcome.outputs:
        for document in made.documents:
            pipeline.written(document).text.encode()
    return outcome


def _places(told: Sequence[Diagnostic]) -> None:
    """Every place lies within its text."""
    for found in told:
        edits = [edit.span for fix in found.fixes for edit in fix.edits]
        for span in [found.span, *(label.span for label in found.labels), *edits]:
            assert 0 <= span.start <= span.end <= len(span.source.text), f"{found.rule.slug} is nowhere"


def _well_formed(form: str, text: str) -> None:
    data = text.encode("utf-8", "backslashreplace")
    if form in ("json", "sarif", "gitlab"):
        json.loads(data)
    elif form == "junit":
        ElementTree.fromstring(data)
    else:
        assert not {"\x1b", "\r", "\0"} & set(text), f"{form} lets control characters through"


class _Clock:
    def __init__(self, size: int) -> None:
        self.limit = SLOWEST * max(1.0, size / 100_000)

    def time(self, step: str, work: Callable[[], T]) -> T:
        """What ``work`` gives; raises :class:`Slow` when it took too long."""
        begin = time.process_time()
        result = work()
        taken = time.process_time() - begin
        if taken > self.limit:
            raise Slow(f"{step} took {taken:.1f} s")
        return result
