"""Write what the examples compile to, the copies of their programs, and ``examples/README.md``.

``examples/<name>/expected/<target>/``, for each target that the example is for, holds every file of the output and
``messages.txt``, all that ``tfdsl check --notes`` reports. ``python examples/generate.py`` rewrites them, and the diff
is reviewed like code; ``--check`` fails when they are stale.
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
from tfdsl.cli import new  # noqa: E402
from tfdsl.cli.main import main as tfdsl  # noqa: E402

NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/main.tfjob"))
MESSAGES = "messages.txt"
COPIES = {f"{name}/train.py": "mnist/train.py" for name in ("single-gpu", "evaluator")}
"""Programs that several examples have; ``tfdsl new --from`` takes each from its own folder."""

_INDEX = """\
# Examples

`tfdsl new --from NAME` writes a copy of an example, with its program if it has one, into a folder `NAME`; `tfdsl new`
lists them. Each compiles without an error for the targets that are named, and `expected/` beside it has the outputs.

| what you need | example | for |
| --- | --- | --- |
{rows}

`mnist`, `single-gpu`, `multi-worker` and `evaluator` are trained to the end by `make conformance-local`, with
TensorFlow 2.15, with the newest one, and, in `make conformance-long`, with the one of their images. Images, programs
and addresses with `example.com` in their name stand for your own.

The other folders are for the tests of tfdsl:

| folder | what it is | for |
| --- | --- | --- |
{others}
"""


def text_of(name: str) -> str:
    """The text of an example."""
    return (EXAMPLES / name / new.MAIN).read_text(encoding="utf-8")


def wanted(name: str) -> tuple[str, ...]:
    """The targets that an example is for."""
    return tuple(new.wanted_targets(text_of(name), targets.names()))


def index() -> str:
    """``examples/README.md``."""
    others = [name for name in NAMES if name not in new.NAMES]
    return _INDEX.format(rows="\n".join(map(_row, new.NAMES)), others="\n".join(map(_other, others)))


def _row(name: str) -> str:
    text = text_of(name)
    program = ", with its program" if (EXAMPLES / name / "train.py").exists() else ""
    return f"| {new.summary(text)}{program} | [`{name}`]({name}/main.tfjob) | {_scope(name)} |"


def _other(name: str) -> str:
    return f"| [`{name}`]({name}/main.tfjob) | {new.summary(text_of(name))} | {_scope(name)} |"


def _scope(name: str) -> str:
    chosen = wanted(name)
    return "every target" if set(chosen) == set(targets.names()) else ", ".join(chosen)


def produced(name: str, target: str) -> dict[str, str]:
    """All files that example ``name`` gives for ``target``, as in a repository: headers have the path in it."""
    with tempfile.TemporaryDirectory() as root, tempfile.TemporaryDirectory() as out:
        folder = Path(root, "examples", name)
        shutil.copytree(EXAMPLES / name, folder, ignore=shutil.ignore_patterns("expected"))
        Path(root, ".git").touch()
        return _produced(folder, target, out)


def _produced(folder: Path, target: str, out: str) -> dict[str, str]:
    with contextlib.chdir(folder):
        status, messages = _run("compile", "main.tfjob", "-t", target, "-o", f"{out}/")
        files = read(Path(out))
        if status != 0:
            raise RuntimeError(f"{folder.name} does not compile for {target}: {messages}")
        _, messages = _run("check", "main.tfjob", "-t", target, "--notes")  # compile only counts them
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


def text_at(path: Path) -> str | None:
    """The text of a file, if it is there."""
    return path.read_text(encoding="utf-8") if path.exists() else None


def write(folder: Path, files: dict[str, str]) -> None:
    """Replace ``folder`` by ``files``."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


def unwanted(fresh: dict[str, dict[str, str]]) -> list[str]:
    """Outputs that are there and that no example has any more."""
    there = (str(path.relative_to(EXAMPLES)) for path in EXAMPLES.glob("*/expected/*"))
    return sorted(set(there) - set(fresh))


def generated() -> dict[str, dict[str, str]]:
    """All that is generated: folder → its files. Of the folder of all examples, only some files are."""
    folders = {f"{name}/expected/{target}": produced(name, target) for name in NAMES for target in wanted(name)}
    copies = {copy: (EXAMPLES / original).read_text(encoding="utf-8") for copy, original in COPIES.items()}
    return {"": {"README.md": index(), **copies}, **folders}


def main() -> int:
    """Rewrite, or with ``--check`` compare."""
    os.environ["NO_COLOR"] = "1"
    fresh = generated()
    folders = [folder for folder in [*fresh, *unwanted(fresh)] if folder]
    stale = [EXAMPLES / name for name, text in fresh[""].items() if text_at(EXAMPLES / name) != text]
    stale += [EXAMPLES / folder for folder in folders if fresh.get(folder, {}) != read(EXAMPLES / folder)]
    for path in stale:
        shown = path.relative_to(EXAMPLES.parent)
        if "--check" in sys.argv:
            print(f"stale: {shown}; run make generate")
            continue
        name = str(path.relative_to(EXAMPLES))
        if name in fresh[""]:
            path.write_text(fresh[""][name], encoding="utf-8", newline="")
        else:
            write(path, fresh.get(name, {}))
        print(f"wrote {shown}")
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
