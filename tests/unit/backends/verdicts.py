"""What a target says of a job: the fate of a key, the codes of all that is reported, the finished documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.compiling.pipeline import judge, verdict
from tfdsl.emit.located import plain
from tfdsl.ir.fields import all_keys, walk

if TYPE_CHECKING:
    from tfdsl.backend import Row, Unit
    from tfdsl.diagnostics import Diagnostic

ADDITIONS = frozenset(
    f"{prefix}{number}"
    for prefix, numbers in {
        "KTF": range(107, 113),
        "K8S": range(105, 110),
        "VOL": range(160, 164),
        "JBS": (105, 106, 107, 111, 112),
        "YRN": range(140, 142),
        "SLI": range(140, 142),
    }.items()
    for number in numbers
)
"""What nearly every job is told of our defaults and additions; `test_additions.py` has them."""


def fate(unit: Unit, key: str, role: str | None = None) -> Row:
    """The row that decides for the first item of ``key`` (of ``role``)."""
    backend = targets.find(unit.target)
    assert backend is not None
    items = [i for i in walk(unit.job, unit.origins) if i.key == key and role in (None, i.role)]
    assert items, f"the job does not set {key}"
    row = backend.support.decide(unit, items[0])
    assert row is not None
    judge(backend, unit)  # what the row says can be said of this job
    return row


def report(unit: Unit) -> list[Diagnostic]:
    """Everything that is said about the job."""
    backend = targets.find(unit.target)
    assert backend is not None
    return verdict(backend, unit)


def codes(unit: Unit, level: str | None = None) -> list[str]:
    """The codes, sorted, of one level, or of all that is said but for the ``ADDITIONS``."""
    if level is None:
        return sorted(d.rule.code for d in report(unit) if d.rule.code not in ADDITIONS)
    return sorted(d.rule.code for d in report(unit) if d.level == level)


def documents(unit: Unit) -> list[dict]:
    """The documents as plain data; the job must have no errors."""
    errors = [d.message for d in report(unit) if d.level == "error"]
    assert not errors, errors
    backend = targets.find(unit.target)
    assert backend is not None
    made = [plain(document.data) for document in backend.load().generate(unit)]
    assert all(isinstance(document, dict) for document in made)
    return made  # type: ignore[return-value]  # asserted above


def holes(target: str) -> list[str]:
    """Keys for which the target's table can be left without an answer."""
    backend = targets.find(target)
    assert backend is not None
    last = {key: backend.support[key][-1:] for key in all_keys()}
    return [key for key, rows in last.items() if not rows or rows[0].when is not None or rows[0].since is not None]
