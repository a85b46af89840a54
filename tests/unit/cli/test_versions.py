"""Versions of targets, as they are given on the command line and in target blocks (language reference, section 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.headers import without_header
from tests.unit.cli.shell import JOB, tfdsl

if TYPE_CHECKING:
    from pathlib import Path


def listing(folder: Path) -> list[str]:
    """Files below ``folder``."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("target", "known", "given"),
    [
        ("volcano", "1.9", "1.10.1"),
        ("kubernetes", "1.30", "v1.30.5"),
        ("tfjob", "1.8", "v1.8.1"),
        ("yarn", "3.1", "3.2.4"),
        ("yarn", "3.4", "3.4.2"),
    ],
)
def test_version_between_known_ones(folder: Path, target: str, known: str, given: str) -> None:
    def files(*words: str) -> dict[str, str]:
        out = folder / "out"
        ran = tfdsl("compile", "job.tfjob", *words, "-o", str(out), cwd=folder)
        assert ran.status == 0, ran.err
        found = {name: without_header((out / name).read_text()) for name in listing(out)}
        for name in found:
            (out / name).unlink()
        return found

    (folder / "job.tfjob").write_text(JOB)
    expected = files("-t", f"{target}@{known}")
    assert expected
    assert files("-t", f"{target}@{given}") == expected
    assert files("-t", target, "-O", f"{target}.version={given}") == expected
    (folder / "job.tfjob").write_text(
        JOB.replace("  role chief", f'  target {target} {{ version = "{given}" }}\n  role chief')
    )
    assert files("-t", target) == expected


@pytest.mark.parametrize("given", ["1.16", "v2.0.1", "1.4", "newest", ""])
def test_unknown_version(folder: Path, given: str) -> None:
    ran = tfdsl("compile", "mnist.tfjob", "-t", f"volcano@{given}", cwd=folder)
    assert ran.status == 2
    assert f"volcano {given or '(none)'} is not a known version" in ran.err
    assert "tfdsl knows 1.5" in ran.err
    ran = tfdsl("compile", "mnist.tfjob", "-t", "volcano", "-O", f"volcano.version={given}", cwd=folder)
    assert ran.status == 1
    assert "is not a known version" in ran.err


def test_output_names_the_version_that_was_given(folder: Path) -> None:
    words = ("-t", "volcano@v1.9.1", "-t", "volcano@1.10", "-t", "tfjob", "-o", "out")
    assert tfdsl("compile", "mnist.tfjob", *words, cwd=folder).status == 0
    assert listing(folder / "out") == ["tfjob/mnist.yaml", "volcano-1.10/mnist.yaml", "volcano-1.9.1/mnist.yaml"]
    ran = tfdsl("tfconfig", "mnist.tfjob", "-t", "volcano@v1.10.1", cwd=folder)
    assert ran.out.startswith("# mnist on volcano 1.10.1\n")


@pytest.mark.parametrize("other", ["volcano@v1.14", "volcano@1.14.0", "volcano"])
def test_two_spellings_of_one_version_are_one_target(folder: Path, other: str) -> None:
    source = (folder / "mnist.tfjob").read_text()
    (folder / "mnist.tfjob").write_text(
        source.replace("  role chief", '  target volcano { version = "1.14" }\n  role chief')
    )
    ran = tfdsl("compile", "mnist.tfjob", "-t", "volcano@1.14", "-t", other, "-o", "out", cwd=folder)
    assert ran.status == 0, ran.err
    assert [name.rpartition("/")[2] for name in listing(folder / "out")] == ["mnist.yaml"]
