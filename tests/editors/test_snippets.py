"""The snippets of the VS Code extension: each, as it is inserted, is something that the compiler takes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.spec.running import run

SNIPPETS = json.loads(
    (Path(__file__).resolve().parents[2] / "grammar/vscode/snippets/tfjob.json").read_text(encoding="utf-8")
)
_PLACE = re.compile(r"\\(.)|\$\{\d+:([^}]*)\}|\$\{\d+\|([^}]*)\|\}|\$\d")
DECLARATIONS = "param workers: int = 4\n"
SHARED = 'template debug {\n  env = { DEBUG = "1", MODE = "slow" }\n}\n'
JOB = 'job around {\n  image = "x"\n  mount pvc "runs" at "/runs"\n%s\n}\n'
"""What stands around items. A mount that an output can lie in is there."""


def inserted(body: list[str]) -> list[str]:
    """What an editor inserts: once for each choice of each place, other places at their first."""
    text = "\n".join(body)
    most = max((len(found[3].split(",")) for found in _PLACE.finditer(text) if found[3] is not None), default=1)

    def fill(found: re.Match[str], nth: int) -> str:
        if found[3] is not None:
            choices = found[3].split(",")
            return choices[min(nth, len(choices) - 1)]
        return found[1] or found[2] or ""

    return [_PLACE.sub(lambda found, nth=nth: fill(found, nth), text) for nth in range(most)]


def whole(text: str) -> str:
    """A whole file out of what a snippet inserts."""
    if text.startswith("profile"):
        return f"{DECLARATIONS}{text}\n{JOB % '  role worker { }'}"
    if text.startswith(("param", "let", "template")):
        return f"{text}\n{JOB % '  role worker { }'}"
    if text.startswith("job"):
        return f"{text}\n"
    roles = [f"  role {name} {{ }}" for name in ("worker", "ps", "chief") if not re.match(rf"role {name}\b", text)]
    if "master" in text:
        roles.remove("  role chief { }")
        roles += [] if text.startswith("role") else ["  role master { }"]
    if text.startswith("unset"):
        return SHARED + JOB % "\n".join([*roles, "  use debug", text])
    known = DECLARATIONS if " when " in text else ""
    return known + JOB % "\n".join([*roles, text])


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippet(name: str) -> None:
    snippet = SNIPPETS[name]
    for text in inserted(snippet["body"]):
        done = run({"main.tfjob": whole(text)}, ())
        assert [found.rule.slug for found in done.diagnostics if found.level == "error"] == [], whole(text)


def test_places_are_taken_as_an_editor_takes_them() -> None:
    assert inserted(['a = "${1:x}" ${2|p,q|}$0', 'b = "\\${c}"']) == ['a = "x" p\nb = "${c}"', 'a = "x" q\nb = "${c}"']


def test_prefixes_are_unlike() -> None:
    prefixes = [snippet["prefix"] for snippet in SNIPPETS.values()]
    assert len(prefixes) == len(set(prefixes)) > 10
