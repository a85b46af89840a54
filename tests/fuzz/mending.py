"""What every fix has to keep: alone it leads to a text without a new error; a safe one to what was meant."""

from __future__ import annotations

import random
import re
from collections import Counter
from functools import cache, lru_cache
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from tests.fuzz.case import Finding
from tests.fuzz.mistakes import KINDS, Mistake, mistaken
from tests.fuzz.programs import ROOT
from tests.spec.page import MAIN, examples
from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.compiling.lower import flow, lower
from tfdsl.diagnostics.fixes import fixed, offered, texts_with
from tfdsl.semantics.request import Choice, Request
from tfdsl.semantics.values import ListData, MapData
from tfdsl.source_files import read
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.semantics import resolved
    from tfdsl.semantics.values import Value

MOST_ROUNDS = 10
MOST_TRIES = 30
"""Texts that are tried for a kind of mistake before another one has its turn."""
SEED_SHARE = 0.4


SEED = ROOT / "tests/fuzz/seed.tfjob"
"""Every construct that a fix is made for."""


class Offer(NamedTuple):
    """A rule that had a fix, and whether the fix was safe."""

    slug: str
    safe: bool


class Checked:
    """A text, what is told about it, and what its jobs mean (nothing when there is an error).

    Patches need documents, so a text that has some is also made for its targets.
    """

    def __init__(self, path: str, text: str) -> None:
        self.source = Source(path, text, path)
        program = pipeline.load(self.source, read)
        request = Request()
        names = re.findall(r"\btarget (\w+)", text) if "patch " in text else []
        choices = [Choice(found) for name in dict.fromkeys(names) if (found := targets.find(name))]
        told = pipeline.check(program, request, choices)
        outcome = pipeline.finish(program, request, choices, told)
        self.told: Sequence[Diagnostic] = pipeline.settle([outcome], [program], strict=False, paths=[path])
        self.errors = Counter((one.rule.code, one.message) for one in self.told if one.level == "error")
        made = (*map(meaning, told.jobs), *(flow(one)[0] for one in told.flows)) if not self.errors else None
        self.jobs: tuple[object, ...] | None = made

    def with_texts(self, texts: Mapping[str, str]) -> Checked:
        """The same, changed."""
        return checked(self.source.path, texts.get(self.source.path, self.source.text))

    def told_with(self, texts: Mapping[str, str]) -> Sequence[Diagnostic]:
        """What is told about the same, changed."""
        return self.with_texts(texts).told


@lru_cache(maxsize=256)
def checked(path: str, text: str) -> Checked:
    """A text; the same are asked for again and again."""
    return Checked(path, text)


def meaning(job: resolved.Job) -> tuple[object, ...]:
    patches = [(patch.op, patch.path, patch.value and _plain(patch.value)) for patch in job.patches]
    return job.name, job.target, job.version, lower(job)[0], dict(job.options), patches


def _plain(value: Value) -> object:
    data = value.data
    if isinstance(data, MapData):
        return {key: _plain(entry.value) for key, entry in data.entries.items()}
    return [_plain(item) for item in data.items] if isinstance(data, ListData) else data


@cache
def sound_texts() -> tuple[tuple[str, str], ...]:
    """The examples, and the examples of the specification, that have no error: path and text."""
    files = [SEED, *sorted((ROOT / "examples").rglob("*.tfjob"))]
    found = [(str(path), path.read_text(encoding="utf-8")) for path in files]
    for page in sorted((ROOT / "tests/spec").glob("[0-9]*.md")):
        found += [(MAIN, one.files[MAIN]) for one in examples(page) if len(one.files) == 1 and not one.options]
    return tuple((path, text) for path, text in found if Checked(path, text).jobs)


def endless(seed: int | str) -> Iterator[tuple[str, Mistake]]:
    """Paths and mistakes, one kind after the other, without an end."""
    for number in count():
        chance = random.Random(f"{seed} {number}")
        for _ in range(MOST_TRIES):
            path, text = a_text(chance)
            wrong = mistaken(text, KINDS[number % len(KINDS)], chance)
            if wrong is not None:
                yield path, wrong
                break


def a_text(chance: random.Random) -> tuple[str, str]:
    """A sound text and its path."""
    texts = sound_texts()
    path, text = texts[0] if chance.random() < SEED_SHARE else chance.choice(texts)
    return path, text.replace("\n", "\r\n") if chance.random() < 0.1 else text


def prove(path: str, wrong: Mistake) -> list[Offer]:
    """Prove every fix that is offered for a mistake, alone, and all safe ones together."""
    before, aim = checked(path, wrong.text), checked(path, wrong.meant)
    if not before.errors:
        aim = before  # it says something, right or not, so this is what it means
    offers: list[Offer] = []
    for told in offered(before.told, before.told, before.told_with):
        for fix in told.fixes:
            offers.append(Offer(told.rule.slug, fix.safe))
            after = before.with_texts(texts_with([fix]))
            _prove(f"{wrong.name}: {told.rule.slug}: {fix.title}", before, aim, after, safe=fix.safe)
    last = settled(before)
    _prove(f"{wrong.name}: all safe fixes together, which give {last.source.text!r},", before, aim, last, safe=True)
    return offers


def _prove(what: str, before: Checked, aim: Checked, after: Checked, *, safe: bool) -> None:
    new = after.errors - before.errors - aim.errors
    if new:
        raise Finding(f"{what} leads to {sorted(new)}")
    if after is not before and safe and None not in (after.jobs, aim.jobs) and after.jobs != aim.jobs:
        raise Finding(f"{what} is safe and changes the job")


def settled(now: Checked) -> Checked:
    """What is left when all safe fixes have been taken."""
    for _ in range(MOST_ROUNDS):
        changed = fixed(now.told, [now.source], now.told_with)
        if not changed:
            return now
        now = now.with_texts(changed)
    raise Finding(f"the safe fixes of {now.source.text!r} never settle")
