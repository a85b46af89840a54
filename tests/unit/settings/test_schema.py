"""The JSON Schema of tfdsl.toml: it takes what the compiler takes, and no more than it can know."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

import jsonschema
import pytest

from tests.unit.cli.shell import tfdsl
from tfdsl.settings.schema import schema
from tfdsl.settings.tables import KEYS, TABLES, read_settings
from tfdsl.text import Source

if TYPE_CHECKING:
    from pathlib import Path

VALIDATOR = jsonschema.Draft7Validator(schema())
SOUND = (
    "",
    'targets = ["tfjob", "volcano@1.9", "volcano@1.9.7", "mine"]',
    "strict = false",
    "gpus_per_node = 1000",
    '[lint]\nunused-let = "off"\nTFJ3002 = "error"',
    '[lint]\nvolcano-cleanup = "info"\nno-replicas = "off"\nKTF054 = "error"',
    '[labels]\nteam = "vision"\n"app.kubernetes.io/part-of" = "Digits_1.0"\nempty = ""',
)
WRONG = (
    "colour = 1",
    "targets = 'tfjob'",
    "targets = [1]",
    "strict = 1",
    "gpus_per_node = 0",
    "gpus_per_node = 1.5",
    "gpus_per_node = 1001",
    "gpus_per_node = true",
    "lint = 1",
    "[lint]\nunused-let = 'fatal'",
    "[lint]\nunused-lets = 'off'",
    "[lint]\nslurm-scheduler = 'off'",
    "[lint]\nstale-waiver = 'off'",
    "[labels]\nteam = 1",
    "[labels]\nteam = 'no blanks'",
    "[labels]\n'tfdsl/job' = 'x'",
    "[labels]\n'-x' = 'x'",
    "[labels]\n'UPPER.example/x' = 'x'",
    f"[labels]\nx = '{'x' * 64}'",
)


def test_it_is_a_schema() -> None:
    jsonschema.Draft7Validator.check_schema(schema())


@pytest.mark.parametrize("text", SOUND)
def test_it_takes_what_is_sound(text: str) -> None:
    found = read_settings(Source("tfdsl.toml", text), shared=False)
    assert found is not None
    assert found.problems == ()
    assert list(VALIDATOR.iter_errors(tomllib.loads(text))) == []


@pytest.mark.parametrize("text", WRONG)
def test_it_refuses_what_is_wrong(text: str) -> None:
    found = read_settings(Source("tfdsl.toml", text), shared=False)
    assert found is not None
    assert found.problems
    assert list(VALIDATOR.iter_errors(tomllib.loads(text)))


def test_it_has_every_setting() -> None:
    assert [*schema()["properties"]] == [*KEYS, *TABLES]


def test_the_command_prints_it(tmp_path: Path) -> None:
    ran = tfdsl("schema", "--settings", cwd=tmp_path)
    assert (ran.status, json.loads(ran.out)) == (0, schema())
