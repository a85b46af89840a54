"""Whatever a manifest holds, import has words for it: cases with parts left out, copied or of another type."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from tests.importing.cases import cases
from tfdsl.importing.manifests import import_manifests
from tfdsl.manifest.nodes import plain
from tfdsl.manifest.yaml import read
from tfdsl.text import Source

if TYPE_CHECKING:
    from pathlib import Path

FILES = sorted({file for case in cases() for file in case.files if file.suffix in (".yaml", ".json")})
PARTS: list[Any] = [
    *(None, "", 0, -1, 1.5, True, [], {}, [None], [[]], [{}], {"a": None}, {"": ""}, [1, "a", None, {"name": 1}]),
    *("x" * 3000, "${x}", "{{a}}", 10**30, "\n", "é😀", "1e3", "-", '"', "'", "$(A)", "\\", "a\tb", {"name": "x"}),
]
SEED = 7


@pytest.mark.parametrize("file", FILES, ids=[f"{file.parent.name}-{file.stem}" for file in FILES])
def test_every_part_can_be_anything(file: Path) -> None:
    check(file, 1)


@pytest.mark.parametrize("rounds", [pytest.param(6, marks=pytest.mark.slow), pytest.param(60, marks=pytest.mark.long)])
@pytest.mark.parametrize("file", FILES, ids=[f"{file.parent.name}-{file.stem}" for file in FILES])
def test_every_part_can_be_anything_at_length(file: Path, rounds: int) -> None:
    check(file, rounds)


def check(file: Path, rounds: int) -> None:
    random = Random(f"{SEED} {file.name}")
    whole = json.dumps([plain(one.node) for one in read(Source(file.name, file.read_text("utf-8")), lambda _: None)])
    for number in range(rounds):
        documents = json.loads(whole)
        for _ in range(random.choice((1, 1, 2, 3))):
            change(random, documents)
        text = "\n---\n".join(json.dumps(one, indent=1) for one in documents)
        try:
            import_manifests([Source("job.yaml", text)])
        except Exception as error:
            raise AssertionError(f"round {number} of seed {SEED}: {text}") from error


def change(random: Random, documents: list[Any]) -> None:
    """Replace, leave out, copy or rename one part."""
    places = list(parts(documents))
    if not places:
        return
    holder, at = random.choice(places)
    action = random.random()
    if action < 0.6:
        holder[at] = json.loads(json.dumps(random.choice(PARTS)))
    elif action < 0.8:
        del holder[at]
    elif isinstance(holder, list):
        holder.append(json.loads(json.dumps(holder[at])))
    else:
        holder[random.choice(("x", "name", "", f"{at}X"))] = holder.pop(at)


def parts(value: Any) -> Any:
    """Every place below ``value``: what has it, and the key or index."""
    inner = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    for at, one in inner:
        yield value, at
        yield from parts(one)
