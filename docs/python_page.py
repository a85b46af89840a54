"""Run the code of docs/python.md, in order, and write below each block what it prints.

``python docs/python_page.py`` rewrites the page, and the diff is reviewed like code; ``--check`` fails when what it
shows is stale. ``--types`` checks the code with mypy and pyright in their strict modes and without plugins, as the
programs of users are checked.
"""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).with_name("python.md")
ROOT = PAGE.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "backends")]

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```\n", re.M | re.S)
_NAMED = re.compile(r"`([\w./-]+)`:\n\n\Z")


class Block(NamedTuple):
    """A block of Python. ``output``: the place of the text that it prints, which the block below it holds."""

    line: int
    code: str
    output: tuple[int, int] | None


def files(text: str) -> dict[str, str]:
    """The files that the page shows, by the name that ends the sentence above each."""
    shown: dict[str, str] = {}
    for fence in _FENCE.finditer(text):
        name = _NAMED.search(text, 0, fence.start())
        if fence[1] not in ("", "python") and name is not None:
            shown[name[1]] = fence[2]
    return shown


def blocks(text: str) -> list[Block]:
    """The blocks of Python, in order."""
    fences = list(_FENCE.finditer(text))
    found: list[Block] = []
    for fence, after in zip(fences, [*fences[1:], None], strict=True):
        if fence[1] != "python":
            continue
        shows = after is not None and not after[1] and not text[fence.end() : after.start()].strip()
        output = after.span(2) if shows and after is not None else None
        found.append(Block(text.count("\n", 0, fence.start(2)) + 1, fence[2], output))
    return found


def printed(text: str) -> list[str]:
    """What each block prints; the files of the page are in the current folder meanwhile."""
    names: dict[str, object] = {"__name__": "page"}
    outputs: list[str] = []
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, content in files(text).items():
            Path(name).write_text(content, encoding="utf-8")
        for block in blocks(text):
            stream = io.StringIO()
            with contextlib.redirect_stdout(stream):
                exec(compile("\n" * (block.line - 1) + block.code, str(PAGE), "exec"), names)
            outputs.append(stream.getvalue())
    return outputs


def rewritten(text: str) -> str:
    """``text`` with what its blocks print now."""
    for block, output in reversed(list(zip(blocks(text), printed(text), strict=True))):
        if block.output is not None:
            start, end = block.output
            text = text[:start] + output + text[end:]
        elif output:
            raise SystemExit(f"{PAGE}:{block.line}: it prints something that the page does not show:\n{output}")
    return text


def check_types(text: str) -> int:
    """Check the blocks as one module; gives the exit status."""
    commands = [
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={ROOT / '.mypy_cache/page'}"],
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable],
    ]
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.py")
        page.write_text("# pyright: strict\n" + "".join(block.code for block in blocks(text)), encoding="utf-8")
        return max(subprocess.run([*words, page], cwd=folder, check=False).returncode for words in commands)


def main() -> int:
    """Rewrite, or with ``--check`` or ``--types`` check."""
    text = PAGE.read_text(encoding="utf-8")
    if "--types" in sys.argv:
        return check_types(text)
    fresh = rewritten(text)
    if fresh == text:
        return 0
    if "--check" in sys.argv:
        print(f"stale: {PAGE.relative_to(ROOT)}; run make generate")
        return 1
    PAGE.write_text(fresh, encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
