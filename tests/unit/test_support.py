"""The support tables themselves: what a row leaves out follows from its table and its key."""

from __future__ import annotations

import pytest

from tests.unit.backends.jobs import job, role, unit
from tfdsl.backend import Condition, Support, approximated, condition, kept, refused
from tfdsl.backend.conditions import off, sized
from tfdsl.ir.fields import Item


@pytest.mark.parametrize(
    ("key", "slug"),
    [
        ("job.cleanup", "volcano-cleanup"),
        ("roles[].cpu_limit", "volcano-cpu-limit"),
        ("mounts[pvc]", "volcano-mount-pvc"),
        ("outputs[]", "volcano-outputs"),
        ("policies[pending]", "volcano-pending"),
        ("policies[failed].restart pod", "volcano-restart-pod"),
    ],
)
def test_a_slug_follows_from_target_and_key(key: str, slug: str) -> None:
    (row,) = Support("volcano", "VOL", refused(key, "no", "VOL199")).rows
    assert row.rule is not None
    assert (row.rule.code, row.rule.slug, row.rule.level) == ("VOL199", slug, "error")


def test_a_shared_row_gets_the_prefix_and_name_of_its_table() -> None:
    shared = approximated("job.ttl", "", "near", "034", "ttl-rounded")
    rules = [row.rule for table in (("volcano", "VOL"), ("tfjob", "KTF")) for row in Support(*table, shared).rows]
    assert [(rule.code, rule.slug) for rule in rules if rule] == [
        ("VOL034", "volcano-ttl-rounded"),
        ("KTF034", "tfjob-ttl-rounded"),
    ]


def test_what_is_refused_as_a_whole_covers_its_parts() -> None:
    table = Support(
        "volcano",
        "VOL",
        refused("mounts[hdfs]", "no", "VOL008"),
        refused("policies[pending]", "not always", "VOL070", when=off),
        kept("policies[pending]", ""),
        refused("roles[].workdir", "no", "VOL006"),
    )
    for part in ("mounts[hdfs].readonly", "mounts[hdfs]{env}", "mounts[hdfs].sub_path{task.index}"):
        assert [row.key for row in table[part]] == ["mounts[hdfs]"]
        made = job(role("worker"))
        assert table.decide(unit(made, "volcano"), Item(part, "", made, "x")) is None
    assert not table["policies[pending].delay"]
    assert not table["roles[].image"]


def test_a_condition_is_said_and_asked() -> None:
    @condition("with a size")
    def decorated(unit: object, item: object) -> bool:
        return True

    assert isinstance(decorated, Condition)
    assert kept("mounts[scratch]", "", when=decorated).words == sized.words == "with a size"
    assert kept("mounts[scratch]", "").words == ""
    made = job(role("worker"))
    assert decorated(unit(made, "volcano"), Item("mounts[scratch]", "", made, None))
