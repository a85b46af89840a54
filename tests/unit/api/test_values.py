"""Python values for params and options reach the job as the values that they are."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, strategies as st

import tfdsl
from tfdsl.vocabulary.quantities import Duration, Quantity

if TYPE_CHECKING:
    from tfdsl import Value


def env(declared: str, value: Value) -> object:
    """What a param of this type puts into a job."""
    shown = "p" if declared == "string" else '"${p}"'
    text = f'param p: {declared}\njob j {{ image = "i", role worker {{ env = {{ P = {shown} }} }} }}'
    (job,) = tfdsl.load(text=text, params={"p": value}).jobs("volcano")
    return job.roles[0].env["P"]


@pytest.mark.parametrize(
    ("declared", "value", "written"),
    [
        ("int", 8, "8"),
        ("int", -8, "-8"),
        ("number", 0.5, "0.5"),
        ("number", 0.001, "0.001"),
        ("number", Decimal("1.10"), "1.10"),
        ("bool", True, "true"),
        ("bool", False, "false"),
        ("quantity", "16Gi", "16Gi"),
        ("quantity", 4, "4"),
        ("quantity", Quantity(1000, "1"), "1"),
        ("duration", "1h30m", "1h30m"),
        ("duration", "10m", "10m"),
        ("duration", Duration(60_000, "60s"), "60s"),
        ("string", "16Gi", "16Gi"),
        ("string", "true", "true"),
    ],
)
def test_a_value_is_read_as_the_type_of_its_param(declared: str, value: Value, written: str) -> None:
    assert env(declared, value) == written


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_a_text_arrives_as_it_is(text: str) -> None:
    """No character of a text is syntax: nothing in it is evaluated."""
    assert env("string", text) == text


@pytest.mark.parametrize(
    "text", ['${file("secret.txt")}', 'file("secret.txt")', '" + file("x") + "', "\\${p}", "$${p}"]
)
def test_a_text_that_looks_like_an_expression_is_not_one(text: str) -> None:
    assert env("string", text) == text


def test_lists_and_maps() -> None:
    text = """
      param hosts: list<string>
      param vars: map<string>
      job j { image = "i", args = hosts, env = vars, role worker { command = ["x"] } }
    """
    params: dict[str, Value] = {"hosts": ("a", "b"), "vars": {"A_B": "1"}}
    (job,) = tfdsl.load(text=text, params=params).jobs("volcano")
    assert job.roles[0].args == ("a", "b")
    assert dict(job.roles[0].env) == {"A_B": "1"}


@pytest.mark.parametrize(
    ("declared", "value", "help_text"),
    [
        ("int", "8", "write 8"),
        ("bool", "yes", "write true"),
        ("string", 8, 'write "8"'),
        ("list<string>", "a", 'write ["a"]'),
    ],
)
def test_a_value_of_another_type_is_a_message_at_the_value(declared: str, value: Value, help_text: str) -> None:
    program = tfdsl.load(text=f"param p: {declared}\n", params={"p": value})
    (found,) = (one for one in program.diagnostics if one.level == "error")
    assert (found.slug, found.span.path, found.help) == ("wrong-type", 'params["p"]', (help_text,))


class Whole:
    """A whole number of another library."""

    def __index__(self) -> int:
        return 3


def test_whole_numbers_of_other_libraries_are_numbers() -> None:
    number: Any = Whole()
    assert env("int", number) == "3"


@pytest.mark.parametrize("value", [None, b"8", object(), {1, 2}])
def test_what_has_no_literal_is_a_type_error_that_names_the_param(value: Any) -> None:
    with pytest.raises(TypeError, match=r'params\["p"\]'):
        tfdsl.load(text="param p: int\n", params={"p": value})


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_without_end_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        tfdsl.load(text="param p: number\n", params={"p": value})
