"""Write what the examples compile to.

``examples/<name>/expected/<target>/`` holds every file of the output and ``messages.txt``, all that ``tfdsl check``
reports; for a target that refuses the example, only the messages. ``python examples/generate.py`` rewrites them, and
the diff is reviewed like code; ``--check`` fails when they are stale.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
import tempfile
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent
sys.path[:0] = [str(EXAMPLES.parent), str(EXAMPLES.parent / "backends")]

from tfdsl import targets  # noqa: E402
from tfdsl.cli.main import main as tfdsl  # noqa: E402

NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/main.tfjob"))
MESSAGES = "messages.txt"


def produced(name: str, target: str) -> dict[str, str]:
    """All files that example ``name`` gives for ``target``."""
    with tempfile.TemporaryDirectory() as out, contextlib.chdir(EXAMPLES / name):
        status, _ = _run("compile", "main.tfjob", "-t", target, "-o", f"{out}/")
        files = read(Path(out))
        if status not in (0, 1) or bool(files) != (status == 0):
            raise RuntimeError(f"{name} for {target} ended with status {status} and {len(files)} files")
        _, messages = _run("check", "main.tfjob", "-t", target)  # compile only counts the infos
    return files | {MESSAGES: messages}


def _run(*words: str) -> tuple[int, str]:
    """The exit status of a command line, and what it writes to standard error."""
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        status = tfdsl(words)
    return status, errors.getvalue()


def read(folder: Path) -> dict[str, str]:
    """All files below ``folder``."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in paths}


def write(folder: Path, files: dict[str, str]) -> None:
    """Replace ``folder`` by ``files``."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


def main() -> int:
    """Rewrite, or with ``--check`` compare."""
    os.environ["NO_COLOR"] = "1"
    stale = 0
    for name in NAMES:
        for target in targets.names():
            expected = EXAMPLES / name / "expected" / target
            files = produced(name, target)
            if files == read(expected):
                continue
            if "--check" in sys.argv:
                print(f"stale: {expected.relative_to(EXAMPLES.parent)}; run make generate")
                stale = 1
            else:
                write(expected, files)
                print(f"wrote {expected.relative_to(EXAMPLES.parent)}")
    return stale


if __name__ == "__main__":
    sys.exit(main())
