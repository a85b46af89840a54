"""The pydantic models of the IR say what the records say, and refuse what breaks a constraint."""

from __future__ import annotations

import json

import jsonschema
import pytest
from pydantic import ValidationError

from tests.unit.backends.jobs import job, policy, role
from tfdsl.ir import model
from tfdsl.ir.schema import json_of, json_schema, models, validated
from tfdsl.record import fields_of


def test_every_record_has_a_model_with_the_same_fields() -> None:
    for name, made in models().items():
        assert tuple(made.model_fields) == fields_of(getattr(model, name))


def test_a_good_job_passes() -> None:
    mounts = (model.PvcMount(at="/data", claim="data"), model.ScratchMount(at="/tmp/x"))
    made = job(
        role("chief"), role("worker", 2, mounts=mounts, env={"A": "1"}), policies=(policy("evicted", "restart job"),)
    )
    assert json.loads(json_of(made))["roles"][1]["mounts"][0]["claim"] == "data"


@pytest.mark.parametrize(
    ("field", "value"),
    [("replicas", 0), ("port", 70000), ("gpu", -1), ("spread", "rack"), ("name", "boss"), ("replicas", "two")],
)
def test_a_constraint_that_is_broken_is_found(field: str, value: object) -> None:
    broken = role("worker").but(**{field: value})
    with pytest.raises(ValidationError) as caught:
        validated(job(role("chief")).but(roles=(broken,)))
    assert caught.value.errors()[0]["loc"][-1] == field


def test_a_job_needs_a_role() -> None:
    with pytest.raises(ValidationError):
        validated(job(role("worker")).but(roles=()))


def test_an_unknown_field_is_a_bug() -> None:
    with pytest.raises(TypeError):
        model.Role.of({"name": "worker", "replicas": 1, "min_available": 1, "replica": 2})


def test_the_json_schema_takes_the_json_of_a_job() -> None:
    schema = json_schema()
    made = json.loads(json_of(job(role("worker"))))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(made | {"gang": True}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(made | {"gangs": True}, schema)
