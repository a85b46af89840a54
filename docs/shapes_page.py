"""Write the table of docs/shapes.md: public job descriptions, and what says them in the language.

``python docs/shapes_page.py`` rewrites it from ``tests/migration/shapes``, ``--check`` fails when it is stale.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PAGE = Path(__file__).with_name("shapes.md")
ROOT = PAGE.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "backends")]

from tests.migration.shape import FOLDER, Shape, shapes  # noqa: E402

_PART = re.compile(r"(<!-- table of the shapes -->\n).*?(<!-- end of the table -->)", re.S)


def row(shape: Shape) -> str:
    """The line of one shape."""
    path = Path("..") / (FOLDER / f"{shape.name}.md").relative_to(ROOT)
    words = ", ".join(f"`{word}`" for word in shape.words if word != "patch")
    cells = (f"[{shape.title}]({path.as_posix()})", f"`{shape.target}`", words, str(shape.patches or ""))
    return f"| {' | '.join(cells)} |\n"


def table() -> str:
    """The figures and the table."""
    known = shapes()
    patched = sum(bool(shape.patches) for shape in known)
    told = f"{len(known)} shapes, {len(known) - patched} of them without a patch.\n\n"
    head = "| shape | target | attributes, options and statements | patches |\n| --- | --- | --- | --- |\n"
    return told + head + "".join(map(row, known))


def main() -> int:
    """Write the page, or with ``--check`` only compare; 1 when it is stale."""
    old = PAGE.read_text(encoding="utf-8")
    new = _PART.sub(lambda match: f"{match[1]}{table()}{match[2]}", old)
    if new == old:
        return 0
    if sys.argv[1:] == ["--check"]:
        print("docs/shapes.md: stale; run make generate", file=sys.stderr)
        return 1
    PAGE.write_text(new, encoding="utf-8", newline="\n")
    print("wrote docs/shapes.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
