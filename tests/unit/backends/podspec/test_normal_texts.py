"""Texts that the kubelet expands (third_party/forked/golang/expansion, its examples in ``expand_test.go``)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.backends.trees import data, of
from tfdsl.manifest.nodes import Mapping
from tfdsl_backends.podspec.expansion import Reference, Scope, canonical, parts
from tfdsl_backends.podspec.normal.rules import expanded

VARIABLES = Scope(frozenset({"VAR_A", "VAR_B", "VAR_C", "VAR_REF"}))


@pytest.mark.parametrize(
    ("text", "process"),
    [
        ("$(VAR_A)", "A"),
        ("___$(VAR_B)___", "___B___"),
        ("$(VAR_A)-1", "A-1"),
        ("$(VAR_A)_$(VAR_B)_$(VAR_C)", "A_B_C"),
        ("f000-$$VAR_A", "f000-$VAR_A"),
        ("f000-$$(VAR_A)", "f000-$(VAR_A)"),
        ("$$(VAR_B)_$(VAR_A)", "$(VAR_B)_A"),
        ("$$$(VAR_A)", "$A"),
        ("$$$$(VAR_A)", "$$(VAR_A)"),
        ("foo$", "foo$"),
        ("$(VAR_", "$(VAR_"),
        ("$(nope)", "$(nope)"),
        ("$", "$"),
        ("$$", "$"),
        ("", ""),
    ],
)
def test_what_the_process_gets_and_the_one_way_to_write_it(text: str, process: str) -> None:
    def got(written: str) -> str:
        found = parts(written, VARIABLES)
        return "".join(part.name[-1] if isinstance(part, Reference) else part for part in found)

    assert got(text) == process
    assert got(canonical(text, VARIABLES)) == process
    assert canonical(canonical(text, VARIABLES), VARIABLES) == canonical(text, VARIABLES)


def test_what_is_never_closed_is_read_once() -> None:
    text = "$(" * 200_000
    assert parts(text, VARIABLES) == [text]
    assert parts(f"$(VAR_A){text}$$", VARIABLES) == [Reference("VAR_A"), f"{text}$"]


def container(**fields: Any) -> dict[str, Any]:
    tree = of(fields)
    assert isinstance(tree, Mapping)
    result: dict[str, Any] = data(expanded(tree))
    return result


def test_what_is_escaped_for_nothing_is_as_what_is_not() -> None:
    env = [{"name": "A", "value": "1"}]
    first = container(command=["sh", "-c", "echo $$x $(date) $(A)"], env=env)
    second = container(command=["sh", "-c", "echo $x $$(date) $(A)"], env=env)
    assert first == second
    assert container(args=["$(A)"], env=env) != container(args=["$$(A)"], env=env)


def test_a_name_that_a_secret_may_have_stays_a_reference() -> None:
    source = [{"secretRef": {"name": "s"}}]
    assert container(args=["$(date)"], envFrom=source) != container(args=["$$(date)"], envFrom=source)


def test_a_path_without_references_is_plain() -> None:
    mounts = [{"name": "v", "mountPath": "/m", "subPathExpr": "a$$b"}]
    assert container(volumeMounts=mounts) == {"volumeMounts": [{"name": "v", "mountPath": "/m", "subPath": "a$b"}]}
    mounts = [{"name": "v", "mountPath": "/m", "subPathExpr": "$(A)"}]
    assert container(volumeMounts=mounts) == {"volumeMounts": mounts}
