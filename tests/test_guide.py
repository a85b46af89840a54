"""Every block of every page of the guide is followed: commands print what is shown, files and edits are those used."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from docs import screens
from docs.page_blocks import Block, blocks, fences
from docs.page_session import PROGRAMS

ROOT = Path(__file__).resolve().parent.parent
GUIDE = [name for name in screens.pages() if name.startswith(screens.GUIDE)]

FOLLOWED = {"screen", "file", "written", "part", "below", "instead of"}
"""Kinds of blocks that ``docs/screens.py --check`` follows, which ``make static`` runs."""

SETTINGS = ("tfdsl.toml", "pyproject.toml")
"""Files that each command of tfdsl reads without being told their names."""


@pytest.mark.parametrize("name", GUIDE)
def test_every_block_is_executed(name: str) -> None:
    assert escaped(name, (ROOT / name).read_text(encoding="utf-8")) == []


def escaped(name: str, page: str) -> list[str]:
    """The blocks of a page that no test executes, each with its line and the reason."""
    held = blocks(page)
    missed = [] if fences(page) == 2 * len(held) else [f"{name}: a block that is not between ``` at the line's start"]
    for number, block in enumerate(held):
        reason = _escapes(name, block, held[number + 1 :])
        missed += [f"{name}:{block.line}: {reason}"] if reason else []
    return missed


def _escapes(page: str, block: Block, later: list[Block]) -> str:
    if block.test:
        return _not_a_test(block.test, page)
    if block.kind not in FOLLOWED:
        return "nothing says what this block is; docs/page_blocks.py has what can be said"
    lines = screens.commands(block.text) if block.kind == "screen" else []
    if block.kind == "screen" and not (block.text.startswith("$ ") and lines):
        return "it does not begin with a command"
    unknown = {line.split()[0] for line in lines} - PROGRAMS
    if unknown:
        return f"{', '.join(sorted(unknown))} cannot be run here; name the test that does"
    if block.kind == "file" and not any(_uses(block.path, other) for other in later):
        return f"{block.path} is used by nothing below it; name the test that uses it"
    return ""


def _not_a_test(test: str, page: str) -> str:
    """What is wrong with the name of a test that executes a block of a page."""
    file, _, function = test.partition("::")
    if not (ROOT / file).is_file():
        return f"there is no {file}"
    text = (ROOT / file).read_text(encoding="utf-8")
    if function not in {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}:
        return f"{file} has no {function}"
    return "" if Path(page).name in text else f"{file} does not name {Path(page).name}"


def _uses(path: str, block: Block) -> bool:
    if block.kind != "screen":
        return Path(path).name in block.text
    if path in SETTINGS:
        return any(line.startswith("tfdsl ") for line in screens.commands(block.text))
    return any(
        Path(path).name in line or Path(path).parent.as_posix() in line.split() for line in screens.commands(block.text)
    )


SAMPLE = """\
# Page

Write `hello.tfjob`:

```tfjob
job hello { }
```

```console
$ tfdsl check hello.tfjob
```
"""


def test_a_page_of_which_every_block_is_executed() -> None:
    assert escaped("page.md", SAMPLE) == []


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        ("```\nsome text\n```\n", "nothing says what this block is"),
        ("```tfjob\njob other { }\n```\n", "nothing says what this block is"),
        ("- ```console\n  $ ls\n  ```\n", "not between ```"),
        ("  ```console\n  $ ls\n  ```\n", "not between ```"),
        ("~~~\ntext\n~~~\n", "not between ```"),
        ("```console\nls\n```\n", "does not begin with a command"),
        ("```console\n$ kubectl get pods\n```\n", "kubectl cannot be run here"),
        ("`other.yaml`:\n\n```yaml\na: 1\n```\n", "other.yaml is used by nothing"),
        ("<!-- run by: tests/test_none.py::test_x -->\n```console\n$ kubectl\n```\n", "there is no tests/test_none.py"),
        ("<!-- run by: tests/test_guide.py::test_none -->\n```console\n$ kubectl\n```\n", "has no test_none"),
        (
            "<!-- run by: tests/test_lock.py::test_no_file_names_a_registry -->\n\n`x.yaml`:\n\n```yaml\na: 1\n```\n",
            "tests/test_lock.py does not name page.md",
        ),
    ],
)
def test_a_block_that_no_test_executes_is_found(block: str, reason: str) -> None:
    (missed,) = escaped("page.md", f"{SAMPLE}\n{block}")
    assert reason in missed
