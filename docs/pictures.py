"""Draw the pictures of docs/graph.md into docs/images, with the commands that the page shows.

``python docs/pictures.py`` writes them, and the diff is reviewed like code; ``--check`` fails when one is stale.
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/graph.md"
sys.path[:0] = [str(ROOT), str(ROOT / "backends")]

from tfdsl.cli.main import main as tfdsl  # noqa: E402

_COMMAND = re.compile(r"^\$ tfdsl (graph .* -o (\w[\w.-]*\.svg))$", re.M)


def pictures(page: str) -> dict[str, str]:
    """The text of each picture that a command of the page draws, by the name of its file."""
    drawn: dict[str, str] = {}
    with TemporaryDirectory() as folder:
        for words, name in _COMMAND.findall(page):
            place = Path(folder, name)
            command, file, *options = shlex.split(words)
            status = tfdsl([command, str(ROOT / file), *options[:-1], str(place)])
            if status:
                raise SystemExit(f"{PAGE}: tfdsl {words} ends with {status}")
            drawn[name] = place.read_text(encoding="utf-8")
    return drawn


def main() -> int:
    """Write the pictures, or compare them."""
    stale: list[str] = []
    for name, text in pictures(PAGE.read_text(encoding="utf-8")).items():
        path = PAGE.parent / "images" / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(str(path.relative_to(ROOT)))
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"stale, run make generate: {', '.join(stale)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
