"""Put the words of the language into the editor grammars.

``editors/*`` are the grammars without words: ``{{attributes}}`` stands for all names of attributes, as the grammar
writes words, and ``{{pattern attributes}}`` for a choice in a regular expression. Each is written to where its editor
reads it, with the words from ``tfdsl/vocabulary/`` and the targets. ``python grammar/editor_words.py`` writes;
``--check`` fails when a file is stale.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "backends")]

from tfdsl import targets  # noqa: E402
from tfdsl.syntax import _tables  # noqa: E402
from tfdsl.vocabulary import attributes, functions, quantities, statements  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

VERSION = "version"
"""The option that every target has without declaring it."""

_PLACE = re.compile(r"\{\{(pattern )?([a-z_]+)\}\}")


def target_options() -> set[str]:
    """The options of all targets."""
    backends = [targets.find(name) for name in targets.names()]
    return {VERSION, *(option.name for backend in backends if backend for option in backend.options)}


def settings() -> set[str]:
    """Everything that may stand in the braces of a statement, ``cluster``, ``build`` and params."""
    options = [option for kind in statements.MOUNT_KINDS for option in kind.options]
    rows = (*options, *statements.OUTPUT_OPTIONS, *statements.CLUSTER, *statements.BUILD, *statements.PARAM_SETTINGS)
    return {row.name for row in rows}


def words() -> dict[str, tuple[str, ...]]:
    """The kinds of words and their words; longer ones first, so that a regular expression finds the whole word."""
    kinds: dict[str, Iterable[str]] = {
        "keywords": (word for word, _ in _tables.KEYWORDS if word not in ("true", "false")),
        "attributes": (row.name for row in attributes.ATTRIBUTES),
        "options": target_options(),
        "settings": settings(),
        "roles": attributes.ROLE_NAMES,
        "events": (row.name for row in statements.EVENTS),
        "actions": {word for row in statements.ACTIONS for word in row.name.split()},
        "moments": statements.OUTPUT_WHEN,
        "mount_kinds": (row.name for row in statements.MOUNT_KINDS),
        "types": statements.PARAM_TYPES,
        "functions": (row.name for row in functions.FUNCTIONS),
        "target_names": targets.names(),
        "targets": [name for target in targets.built_in() for name in (target.name, *target.aliases)],
        "reserved": statements.RESERVED_NAMES,
        "units": {unit for unit in (*quantities.QUANTITY_UNITS, *quantities.DURATION_UNITS) if unit},
    }
    return {kind: tuple(sorted(found, key=lambda word: (-len(word), word))) for kind, found in kinds.items()}


def alternatives(found: tuple[str, ...]) -> str:
    """Words as a choice in a regular expression."""
    return "|".join(map(re.escape, found))


def quoted(found: tuple[str, ...]) -> str:
    """Words as arguments of a predicate of a tree-sitter query."""
    return " ".join(f'"{word}"' for word in found)


def listed(found: tuple[str, ...]) -> str:
    """Words as elements of a list in TypeScript."""
    return ", ".join(f'"{word}"' for word in sorted(found))


def items(found: tuple[str, ...]) -> str:
    """Words as the elements of a list in a syntax definition of KDE."""
    return "".join(f"<item>{word}</item>" for word in sorted(found))


GRAMMARS: dict[str, tuple[str, Callable[[tuple[str, ...]], str]]] = {
    "vscode/syntaxes/tfjob.tmLanguage.json": ("tfjob.tmLanguage.json", alternatives),
    "tree-sitter/queries/highlights.scm": ("highlights.scm", quoted),
    "helix/queries/tfjob/highlights.scm": ("highlights.scm", quoted),
    "zed/languages/tfjob/highlights.scm": ("highlights.scm", quoted),
    "kate/tfjob.xml": ("tfjob.xml", items),
    "vscode/src/targets.ts": ("targets.ts", listed),
    "../site/playground/ui/words.ts": ("words.ts", listed),
}
"""The file that is written → the grammar without words, and how words are written in it."""

HELIX = {
    "@boolean": "@constant.builtin.boolean",
    "@keyword.conditional.ternary": "@operator",
    "@keyword.conditional": "@keyword.control.conditional",
    "@keyword.import": "@keyword.control.import",
    "@keyword.return": "@keyword.control.return",
    "@keyword.type": "@keyword.storage.type",
    "@module": "@namespace",
    "@number": "@constant.numeric",
    "@property": "@variable.other.member",
    "@string.escape": "@constant.character.escape",
    "@type.definition": "@type",
    "@variable.member": "@variable.other.member",
}
"""What Helix calls the colours that it has other names for."""

_COLOUR = re.compile(r"@[a-z.]*[a-z]")


def filled(template: str, write: Callable[[tuple[str, ...]], str]) -> str:
    """The template with its words; one that names an unknown kind is an error."""
    kinds = words()
    return _PLACE.sub(lambda place: (alternatives if place[1] else write)(kinds[place[2]]), template)


def main(arguments: list[str]) -> int:
    """Write the grammars, or with ``--check`` only compare; 1 when one is stale."""
    stale: list[str] = []
    for target, (name, write) in GRAMMARS.items():
        text = filled((HERE / "editors" / name).read_text(encoding="utf-8"), write)
        if target.startswith("helix/"):
            text = _COLOUR.sub(lambda colour: HELIX.get(colour[0], colour[0]), text)
        path = HERE / target
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(target)
        if arguments != ["--check"]:
            path.write_text(text, encoding="utf-8", newline="\n")
    if stale and arguments == ["--check"]:
        print(f"{', '.join(stale)}: stale; run make generate", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
