"""Constructors of the models: lists and texts, checked by type checkers and by the rules of the language.

The calls that type checkers have to refuse are marked for mypy, which reports a mark that nothing needs.
"""

from __future__ import annotations

import inspect

import pytest
from pydantic import ValidationError

import tfdsl.ir
from tfdsl.ir import making, model


def test_lists_and_texts() -> None:
    worker = tfdsl.ir.role(
        name="worker",
        image="r/x:1",
        command=["python", "t.py"],
        memory="16Gi",
        cpu=0.5,
        cpu_limit="none",
        env={"EPOCHS": 5, "MODE": "fast"},
        node_selector={"zone": ["a", "b"]},
        resources={"rdma/hca": 1},
        mounts=[tfdsl.ir.pvc_mount(at="/data", claim="data")],
        steps=[tfdsl.ir.step(kind="sidecar", name="log", command="tail -f x")],
        tolerations=[tfdsl.ir.toleration(operator="Exists")],
    )
    job = tfdsl.ir.job(name="mnist", roles=[worker], deadline="12h")
    assert job == tfdsl.ir.Job(
        name="mnist",
        roles=(
            tfdsl.ir.Role(
                name="worker",
                image="r/x:1",
                command=("python", "t.py"),
                memory=tfdsl.ir.Quantity("16Gi"),
                cpu=tfdsl.ir.Quantity("500m"),
                cpu_limit="none",
                env={"EPOCHS": "5", "MODE": "fast"},
                node_selector={"zone": ("a", "b")},
                resources={"rdma/hca": tfdsl.ir.Quantity("1")},
                mounts=(tfdsl.ir.PvcMount(at="/data", claim="data"),),
                steps=(tfdsl.ir.Step(kind="sidecar", name="log", command="tail -f x"),),
                tolerations=(tfdsl.ir.Toleration(operator="Exists"),),
            ),
        ),
        deadline=tfdsl.ir.Duration("12h"),
    )


def test_what_breaks_a_rule_is_at_its_field() -> None:
    with pytest.raises(ValidationError) as invalid:
        tfdsl.ir.role(name="worker", memory="16")
    assert [(one["type"], one["loc"]) for one in invalid.value.errors()] == [("TFJ2007", ("memory",))]


def test_what_type_checkers_refuse() -> None:
    wrong = (
        lambda: tfdsl.ir.role(name="boss"),  # type: ignore[arg-type]
        lambda: tfdsl.ir.role(name="worker", memory=16),  # type: ignore[arg-type]
        lambda: tfdsl.ir.role(name="worker", replicas="4"),  # type: ignore[arg-type]
        lambda: tfdsl.ir.role(name="worker", command=[1]),  # type: ignore[list-item]
        lambda: tfdsl.ir.pvc_mount(at="/a", name="c"),  # type: ignore[call-arg]
    )
    for call in wrong:
        with pytest.raises((ValidationError, TypeError)):
            call()


def test_a_mount_of_a_kind() -> None:
    assert tfdsl.ir.Mount(kind="pvc", at="/a", claim="c") == tfdsl.ir.PvcMount(at="/a", claim="c")  # type: ignore[operator]
    with pytest.raises(TypeError, match="one of the kinds pvc, claim, host"):
        tfdsl.ir.Mount(kind="pvz", at="/a")  # type: ignore[operator]


def test_the_package_shows_its_names() -> None:
    assert set(tfdsl.ir.__all__) <= set(dir(tfdsl.ir))


@pytest.mark.parametrize("name", [name for name in tfdsl.ir.__all__ if name.islower()])
def test_a_constructor_takes_every_field(name: str) -> None:
    function = getattr(making, name)
    kind = getattr(tfdsl.ir, inspect.signature(function).return_annotation.partition(".")[2])
    fields = {field for field in kind.model_fields if field != "kind" or kind is model.Step}
    assert set(inspect.signature(function).parameters) == fields
