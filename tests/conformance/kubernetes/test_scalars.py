"""The words of YAML are read as the API server reads them.

Its answers are recorded in ``tests/unit/manifest/spellings.py``, where the reader of manifests is held to them.
"""

from __future__ import annotations

import time
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.conformance.kubernetes.api import YAML
from tests.unit.manifest.reading import values
from tests.unit.manifest.spellings import KEYS, VALUES
from tests.unit.manifest.test_scalars import as_in_the_server
from tfdsl.manifest.yaml import read
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conformance.kubernetes.api import Api
    from tfdsl.diagnostics import Diagnostic

GROUP = "scalars.tfdsl.example.com"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
HEADER = f"apiVersion: {GROUP}/v1\nkind: Tree\nmetadata: {{generateName: tree-}}\nspec:\n"
ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


@pytest.fixture(scope="module")
def ask(api: Api) -> Iterator[Callable[[str], object]]:
    """What the server reads below ``spec`` for a text; the reason in words where it refuses the text."""
    name = f"trees.{GROUP}"
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": ANYTHING}}},
    }
    names = {"plural": "trees", "singular": "tree", "kind": "Tree"}
    spec = {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]}
    kind = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": name}}
    api.delete(f"{DEFINITIONS}/{name}")
    while api.get(f"{DEFINITIONS}/{name}"):
        time.sleep(0.1)
    api.post(DEFINITIONS, {**kind, "spec": spec})
    place = f"/apis/{GROUP}/v1/namespaces/default/trees?dryRun=All&fieldValidation=Ignore"

    def asked(text: str) -> object:
        answer = api.call("POST", place, HEADER + text, YAML)
        return answer.data["spec"] if answer.fine else answer.message

    until = time.monotonic() + 30
    while asked("  a: 1\n") != {"a": 1}:
        assert time.monotonic() < until, "the new kind is not served"
        time.sleep(0.2)
    yield asked
    api.delete(f"{DEFINITIONS}/{name}")


def test_values(ask: Callable[[str], object]) -> None:
    wrong = []
    for written, value in VALUES:
        answer = ask(f"  a: {written}\n")
        if repr(answer) != repr({"a": value[0]}) if value is not None else not isinstance(answer, str):
            wrong.append((written, value, answer))
    assert wrong == []


def test_keys(ask: Callable[[str], object]) -> None:
    wrong = []
    for written, name in KEYS:
        answer = ask(f"  ? {written}\n  : 1\n")
        if answer != {name: 1} if name is not None else not isinstance(answer, str):
            wrong.append((written, name, answer))
    assert wrong == []


MERGED = """\
  a: &x {k: 1, m: 2}
  b: {k: 9, <<: *x}
  c: {<<: *x, k: 9}
  d: {<<: [*x, {k: 7, z: 1}]}
  e: {"<<": {k: 1}}
  f: {!!merge <<: {k: 1}, !!str <<: 3}
  g: {k: 1, k: 2}
  h: &x 1
  i: *x
  ? &k l
  : 1
  *k : 2
"""


def test_merge_keys_aliases_and_keys_set_twice(ask: Callable[[str], object]) -> None:
    (here,) = read(Source("x.yaml", f"spec:\n{MERGED}"), lambda _: None)
    assert {"spec": ask(MERGED)} == values(here.node)


@pytest.mark.parametrize(
    "text", ["  a: &x {b: *x}\n", "  a: *x\n", "  a: {<<: 1}\n", "  a: {<<: [1]}\n", "  a: !x!y z\n", "\ta: 1\n"]
)
def test_what_both_refuse(ask: Callable[[str], object], text: str) -> None:
    diagnostics: list[object] = []
    read(Source("x.yaml", f"spec:\n{text}"), diagnostics.append)
    assert diagnostics
    assert isinstance(ask(text), str)


def test_floats(ask: Callable[[str], object]) -> None:
    for written in ("123456789012345678.0", "1e18", "1.5e300", "9007199254740993.0", "-1e-300", "0.1e-5"):
        (here,) = read(Source("x.yaml", f"a: {written}\n"), lambda _: None)
        answer = ask(f"  a: {written}\n")
        assert isinstance(answer, dict)
        assert repr(as_in_the_server(answer["a"])) == repr(values(here.node)["a"])  # type: ignore[index]


PIECES = (
    *("a", "b", "1", "0x1", "1e3", "~", "é", "😀", "'b'", '"c"', "[1, 2]", "{k: v}"),
    *(" ", "  ", "\n", "\n  ", "\n    ", "\n- ", "\n  - ", "\r\n", "\t", "\u2028", "\x85"),
    *(": ", ":", "- ", "[", "]", "{", "}", ",", ", ", "? ", "?", "<<: ", "# c", "#", "|", "|-", ">"),
    *("&x ", "*x", "!!str ", "!t ", "'", '"', "\\", "\\n", "%", "@", "="),
)
SEED = 20
TEXTS = (400, pytest.param(2_000, marks=pytest.mark.long))


@pytest.mark.parametrize("texts", TEXTS)
def test_any_text_is_read_or_refused_as_by_the_server(ask: Callable[[str], object], texts: int) -> None:
    random = Random(SEED)
    wrong = []
    for _ in range(texts):
        text = f"  a: {''.join(random.choices(PIECES, k=random.randint(1, 12)))}\n"
        diagnostics: list[Diagnostic] = []
        found = read(Source("x.yaml", f"spec:\n{text}"), diagnostics.append)
        fatal = [one.message for one in diagnostics if one.level == "error" and one.rule.slug != "import-duplicate-key"]
        answer = ask(text)
        if fatal or isinstance(answer, str):
            alike = bool(fatal) and isinstance(answer, str)
        else:  # what is not indented stands beside spec
            here = values(found[0].node)
            alike = isinstance(here, dict) and here["spec"] == numbers(answer)
        if not alike:
            wrong.append((text, answer, fatal))
    assert wrong == [], SEED


def numbers(value: object) -> object:
    """An answer with the numbers as the server has them."""
    if isinstance(value, dict):
        return {key: numbers(one) for key, one in value.items()}
    return [numbers(one) for one in value] if isinstance(value, list) else as_in_the_server(value)
