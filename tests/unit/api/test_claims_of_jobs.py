"""Claims of a job that comes as data: each mount names one, and each is mounted."""

from __future__ import annotations

import json
from typing import Any

import pytest

import tfdsl

SOUND = """\
job digits {
  image = "r/x:1"
  command = ["python", "t.py"]
  mount claim 10Gi at "/work"
  role worker { }
}
"""


def codes(data: object) -> list[str]:
    return [one.code for one in tfdsl.load(text=json.dumps(data)).diagnostics if one.level == "error"]


@pytest.fixture
def data() -> dict[str, Any]:
    return json.loads(tfdsl.load(text=SOUND).jobs("volcano")[0].model_dump_json())


def test_a_job_with_its_claim_is_sound(data: dict[str, Any]) -> None:
    assert codes(data) == []


def test_a_mount_of_a_claim_that_is_not_there(data: dict[str, Any]) -> None:
    assert "TFJ1801" in codes({**data, "claims": []})


def test_a_claim_that_nothing_mounts(data: dict[str, Any]) -> None:
    roles = [{**role, "mounts": []} for role in data["roles"]]
    assert "TFJ1802" in codes({**data, "roles": roles})
