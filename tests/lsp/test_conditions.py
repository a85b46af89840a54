"""Conditions in an editor: their values, and the names in them."""

from __future__ import annotations

from tests.lsp import test_checking
from tests.lsp.marked import edited, marked, shown, snapshot
from tfdsl.lsp.features.hover import hover
from tfdsl.lsp.features.inlay_hints import inlay_hints
from tfdsl.lsp.features.navigation import definition, references, rename
from tfdsl.lsp.snapshot import Settings

TEXT = """\
param prod: bool = false
profile live { prod = true }
template big { gpu = 8 when prod, shm = 1Gi when job.name == "a" }
job a {
  image = "a:1"
  use big when prod
  memory_limit = 8Gi when !prod
  mount pvc "x" at "/x" when role.name == "ps"
  cpu = 1 when nope
  role ps when prod && role.name == "ps" { cpu = 2 when role.name == "ps" }
  role worker when true { }
  on failed when job.name == "a" => restart job
  output "/a" to "/x/a" when prod { overwrite = true }
}
"""


def hints(text: str, settings: Settings | None = None) -> list[str]:
    found = inlay_hints(snapshot(text, settings=settings), 0, len(text))
    return [f"{text[: hint.offset].rpartition('when ')[2]} {hint.text}: {hint.about}" for hint in found]


def test_hints_say_which_items_are_absent() -> None:
    assert hints(TEXT) == [
        "prod = false: this item is absent with the current settings",
        "prod = false: this item is absent with the current settings",
        "!prod = true: this item is there with the current settings",
        'role.name == "ps" = true: this item is there with the current settings',
        'job.name == "a" = true: this item is there with the current settings',
        "prod = false: this item is absent with the current settings",
    ]
    assert "prod = true: this item is there with the current settings" in hints(TEXT, Settings(profile="live"))


def told(text: str) -> str:
    found = hover(*marked(text))
    assert found is not None
    return found.text


def test_the_hover_of_a_condition_has_its_value() -> None:
    text = told(TEXT.replace("use big when", "use big wh▮en"))
    assert text.endswith("Value: `false`: the item is absent")
    assert told(TEXT.replace("8Gi when !", "8Gi when ▮!")).endswith("Value: `true`")
    assert "Value" not in told(TEXT.replace("when nope", "wh▮en nope"))
    assert "Value" not in told(TEXT.replace("shm = 1Gi when", "shm = 1Gi wh▮en"))
    assert "param prod: bool = false" in told(TEXT.replace("use big when prod", "use big when pr▮od"))


def test_names_in_conditions_are_names() -> None:
    snap, offset = marked(TEXT.replace("use big when prod", "use big when pr▮od"))
    assert shown(definition(snap, offset)) == ["job.tfjob:1:7 prod"]
    assert len(references(snap, offset, declaration=True)) == TEXT.count("prod")
    edits = rename(snap, offset, "big")
    assert not isinstance(edits, str)
    changed = edited(edits)["job.tfjob"]
    assert changed == TEXT.replace("prod", "big")


def test_a_waiver_at_what_is_absent_is_not_stale_after_edits_either() -> None:
    text = """\
param prod: bool = false
job a {
  image = "a:1" when !prod
  image = "a" when prod  # tfdsl: allow[floating-image-tag] the newest is good enough
  role worker { cpu = 1 }
}
"""
    for changed in (text, "# moved\n" + text, text):
        assert not test_checking.snapshot(changed).diagnostics
    true = text.replace("false", "true").replace('"a" when', '"a:2" when')
    assert [one.rule.slug for one in test_checking.snapshot(true).diagnostics] == ["stale-waiver"]
