"""Write the tables of docs/normal-form.md from those that the normal form is made with.

``python docs/normal_form_page.py`` rewrites them, ``--check`` fails when they are stale.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

PAGE = Path(__file__).with_name("normal-form.md")
ROOT = PAGE.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "backends")]

from tfdsl_backends.jobset import normal as jobset  # noqa: E402
from tfdsl_backends.kubernetes import normal as kubernetes  # noqa: E402
from tfdsl_backends.podspec.normal import (  # noqa: E402
    documents,
    rules as pods,
    tables,
)
from tfdsl_backends.podspec.normal.walk import declared_defaults, joined  # noqa: E402
from tfdsl_backends.tfjob import normal as tfjob  # noqa: E402
from tfdsl_backends.volcano import normal  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tfdsl_backends.podspec.normal.walk import Rule

PART = re.compile(r"(<!-- table: ([^>]+) -->\n).*?(<!-- end -->)", re.S)
TARGETS = {"kubernetes": "plain Jobs", "tfjob": "TFJob", "volcano": "Volcano", "jobset": "JobSet"}


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    lines = [tuple(head), tuple("---" for _ in head), *map(tuple, rows)]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def server() -> str:
    """What the server writes into metadata."""
    rows = (("fields", pods.SERVERS), ("annotations", pods.ANNOTATIONS), ("finalizers", pods.FINALIZERS))
    return table(("", "left out"), ((what, ", ".join(f"`{name}`" for name in names)) for what, names in rows))


def defaults(given: Mapping[str, Mapping[str, object]], target: str = "") -> list[tuple[str, str, str]]:
    """A row for each type."""
    where = TARGETS.get(target, "")
    return [
        (f"`{kind}`", ", ".join(f"`{key}: {shown(value)}`" for key, value in fields.items() if value != ""), where)
        for kind, fields in sorted(given.items())
        if any(value != "" for value in fields.values())
    ]


def shown(value: object) -> str:
    """A value as YAML has it on one line."""
    return value if isinstance(value, str) else json.dumps(value)


def written() -> str:
    """Defaults that the server writes, of all targets."""
    rows = defaults(joined(declared_defaults(), tables.WRITTEN))
    rows += defaults(kubernetes.DEFAULTS, "kubernetes") + defaults(tfjob.DEFAULTS, "tfjob")
    rows += defaults(normal.DEFAULTS, "volcano") + defaults(jobset.DEFAULTS, "jobset")
    return table(("type", "where absent", "target"), rows)


def meant() -> str:
    """Values that say nothing."""
    return table(("type", "says nothing"), (row[:2] for row in defaults(tables.MEANT)))


def sets() -> str:
    """Lists that are sets."""
    found = joined(tables.SETS, pods.SETS, normal.SETS, jobset.SETS)
    rows = [
        (f"`{kind}.{field}`", ", ".join(f"`{key}`" for key in keys) or "–")
        for kind, fields in sorted(found.items())
        for field, keys in fields.items()
        if isinstance(keys, tuple)
    ]
    return table(("list", "sorted by"), rows)


def rules(given: Iterable[Rule]) -> str:
    """Rules with their sources."""
    return table(("type", "alike", "source"), ((f"`{rule.type}`", rule.says, rule.source) for rule in given))


PARTS = {
    "server": server,
    "written": written,
    "meant": meant,
    "sets": sets,
    "rules podspec": lambda: rules((*pods.RULES, *documents.OBJECT_RULES)),
    "rules kubernetes": lambda: rules(kubernetes.RULES),
    "rules tfjob": lambda: rules(tfjob.RULES),
    "rules volcano": lambda: rules(normal.RULES),
    "rules jobset": lambda: rules(jobset.RULES),
}


def main() -> int:
    """Write the page, or with ``--check`` only compare; 1 when it is stale."""
    old = PAGE.read_text(encoding="utf-8")
    new = PART.sub(lambda part: f"{part[1]}\n{PARTS[part[2]]()}\n{part[3]}", old)
    if new == old:
        return 0
    if "--check" in sys.argv:
        print("stale: docs/normal-form.md; run make generate")
        return 1
    PAGE.write_text(new, encoding="utf-8")
    print("wrote docs/normal-form.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
