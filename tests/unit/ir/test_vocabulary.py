"""The models follow the vocabulary: every field has its row, and no row has another type than its field."""

from __future__ import annotations

from typing import ClassVar, get_args

import pytest
from pydantic import BaseModel

import tfdsl.ir
from tfdsl.ir import flow, model, part
from tfdsl.vocabulary import attributes, statements

MODELS = [
    value
    for module in (model, flow)
    for name in dir(module)
    if isinstance(value := getattr(module, name), type) and issubclass(value, part.Part) and value.block
]


def test_a_field_of_another_type_than_its_row_is_refused_when_its_model_is_built() -> None:
    class Role(part.Part):
        block: ClassVar[str] = "role"
        replicas: str

    with pytest.raises(TypeError, match=r"role\.replicas is <class 'int'> in the vocabulary"):
        Role.model_validate({"replicas": "2"})


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.__name__)
def test_every_field_has_the_words_of_the_vocabulary_and_every_row_a_field(kind: type[part.Part]) -> None:
    assert kind.model_rebuild(force=True) in (True, None)  # types are compared when it is built
    rows = {row.name: row.doc for row in statements.BLOCKS[kind.block]}
    assert {name: field.description for name, field in kind.model_fields.items()} == {
        name: rows[name] for name in kind.model_fields
    }
    assert not [name for name, field in kind.model_fields.items() if not field.description]
    if kind not in (model.SecretKeys, model.ConfigMapKeys):
        assert rows.keys() == kind.model_fields.keys()


def test_every_block_has_a_model() -> None:
    assert {kind.block for kind in MODELS} == statements.BLOCKS.keys()


def test_sets_of_words_are_those_of_the_tables() -> None:
    assert get_args(attributes.RoleName) == attributes.ROLE_NAMES
    assert get_args(statements.EventName) == tuple(event.name for event in statements.EVENTS)
    assert get_args(statements.ActionName) == tuple(action.name for action in statements.ACTIONS)
    assert get_args(statements.StepKind) == tuple(statements.STEPS)


def test_the_json_schema_has_the_descriptions() -> None:
    schema = tfdsl.ir.Job.model_json_schema()
    assert issubclass(tfdsl.ir.Job, BaseModel)
    memory = schema["$defs"]["Role"]["properties"]["memory"]
    assert memory["description"] == attributes.BY_NAME["memory"].doc
