"""The registry: built-in targets without metadata, installed ones by their entry points, and what may be wrong."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tfdsl.targets import BUILT_IN, Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MODULE = """\
from tfdsl.backend import Backend, Support

BACKEND = Backend(
    name="{name}", title="A title", prefix="{prefix}", versions=("1.0",), options=(), output="stream",
    lowering="nowhere", support=Support("{name}", "{prefix}"), aliases={aliases!r},
)
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Writes a package with the metadata that an installer leaves, into a folder of the path."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)

    def write(
        package: str, name: str, prefix: str, *aliases: str, point: str | None = None, text: str | None = None
    ) -> None:
        module = package.replace("-", "_")
        body = MODULE.format(name=name, prefix=prefix, aliases=aliases) if text is None else text
        (tmp_path / f"{module}.py").write_text(body)
        info = tmp_path / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[tfdsl.backends]\n{point or name} = {module}:BACKEND\n")

    yield write
    for module in set(sys.modules) - before:
        if module.startswith("ext_"):
            del sys.modules[module]


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Registry(BUILT_IN, lambda: [str(tmp_path)])


def names(registry: Registry) -> list[str]:
    """The targets that are there beside the built-in ones."""
    return [target.name for target in registry.every()][len(BUILT_IN) :]


def test_an_installed_target_is_found_by_name_and_alias(install: Callable[..., None], registry: Registry) -> None:
    install("ext-one", "one", "ONE", "first", "uno")
    for word in ("one", "first", "uno"):
        target = registry.find(word)
        assert target is not None
        assert target.name == "one"
    assert registry.find("two") is None
    assert registry.every_name() == (*BUILT_IN, "one")
    assert registry.problems() == ()


def test_built_in_names_and_aliases_do_not_read_the_metadata() -> None:
    def path() -> list[str]:
        raise AssertionError("the metadata was read")

    registry = Registry(BUILT_IN, path)
    for target in registry.built_in():
        for word in (target.name, *target.aliases):
            assert registry.find(word) is target
    assert registry.known() == registry.built_in()
    with pytest.raises(AssertionError):
        registry.find("other")


def test_installed_ones_are_known_once_they_were_asked_for(install: Callable[..., None], registry: Registry) -> None:
    install("ext-one", "one", "ONE")
    assert "one" not in [target.name for target in registry.known()]
    registry.every()
    assert "one" in [target.name for target in registry.known()]


def test_a_package_that_is_on_the_path_twice_counts_once(install: Callable[..., None], tmp_path: Path) -> None:
    install("ext-one", "one", "ONE")
    registry = Registry(BUILT_IN, lambda: [str(tmp_path), str(tmp_path)])
    assert names(registry) == ["one"]
    assert registry.problems() == ()


@pytest.mark.parametrize(
    ("first", "second", "kept", "problem"),
    [
        (("one", "ONE"), ("one", "TWO"), ["one"], "two packages have a target one: ext-a 1.0 and ext-b 1.0"),
        (
            ("one", "ONE"),
            ("two", "ONE"),
            ["one"],
            "two targets have the prefix ONE: one (ext-a 1.0) and two (ext-b 1.0)",
        ),
        (
            ("one", "ONE", "same"),
            ("two", "TWO", "same"),
            ["one"],
            "two targets are called same: one (ext-a 1.0) and two (ext-b 1.0)",
        ),
        (
            ("one", "ONE"),
            ("two", "TWO", "one"),
            ["one"],
            "two targets are called one: one (ext-a 1.0) and two (ext-b 1.0)",
        ),
        (
            ("volcano", "ONE"),
            ("two", "TWO"),
            ["two"],
            "two packages have a target volcano: tfdsl and ext-a 1.0",
        ),
        (
            ("one", "VOL"),
            ("two", "TWO"),
            ["two"],
            "two targets have the prefix VOL: volcano (tfdsl) and one (ext-a 1.0)",
        ),
        (
            ("one", "ONE", "kubeflow"),
            ("two", "TWO"),
            ["two"],
            "two targets are called kubeflow: tfjob (tfdsl) and one (ext-a 1.0)",
        ),
    ],
)
def test_two_of_one_name_alias_or_prefix(
    install: Callable[..., None], registry: Registry, first: tuple, second: tuple, kept: list[str], problem: str
) -> None:
    install("ext-a", *first)
    install("ext-b", *second)
    assert names(registry) == kept
    assert registry.problems() == (problem,)
    assert registry.problems("nothing") == ()


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        ({"text": "import nothing_of_this_name"}, "cannot be loaded: ModuleNotFoundError: No module named"),
        ({"text": ""}, "cannot be loaded: AttributeError: "),
        ({"text": "BACKEND = 1"}, "cannot be used: ext_a:BACKEND is not a tfdsl.backend.Backend"),
        ({"point": "other"}, "cannot be used: its entry point is called other and its Backend one"),
        ({"prefix": "one"}, "cannot be used: its prefix one is not three uppercase letters or digits"),
        ({"prefix": "TFJ"}, "cannot be used: its prefix TFJ is not three uppercase letters or digits, or is TFJ"),
    ],
)
def test_a_target_that_cannot_be_used(
    install: Callable[..., None], registry: Registry, how: dict[str, str], problem: str
) -> None:
    install("ext-a", "one", **{"prefix": "ONE"} | how)
    install("ext-b", "two", "TWO")
    assert names(registry) == ["two"]
    (found,) = registry.problems()
    assert found.startswith(f"the target {how.get('point', 'one')} of ext-a 1.0 {problem}")
    assert registry.problems(how.get("point", "one")) == (found,)
    assert registry.problems("two") == ()
