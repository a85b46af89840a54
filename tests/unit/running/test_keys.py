"""Nothing that a job says is lost by a local run without a word."""

from __future__ import annotations

from tests.unit.running.jobs import plain
from tfdsl.ir.fields import all_keys
from tfdsl.running.keys import TABLE, rows
from tfdsl.running.preparing import not_used


def test_the_table_has_every_key_once() -> None:
    assert [row.key for row in rows()] == list(TABLE)
    assert set(TABLE) == set(all_keys())


def test_what_is_told_has_a_reason_and_the_rest_needs_none() -> None:
    assert {row.key for row in rows() if bool(row.why) != (row.fate == "told")} == set()


def test_one_message_for_each_reason_at_its_first_place() -> None:
    one = plain(
        'command = ["true"]',
        'queue = "research"',
        "priority = 3",
        "role worker { run_as_user = 1000, ports = { metrics = 9090 } }",
    )
    told = {diagnostic.span.text: diagnostic.message for diagnostic in not_used(one.job, one.origins)}
    assert told == {
        '"registry.example.com/mnist:1.4"': "run does not use image: commands run in this environment",
        '"research"': "run does not use queue and priority: it is about a cluster",
        "{ metrics = 9090 }": "run does not use ports: replicas share the ports of this machine",
        "1000": "run does not use run_as_user: commands run as you",
    }


def test_defaults_are_not_told() -> None:
    one = plain('command = ["true"]', "role worker { }")
    assert [diagnostic.span.text for diagnostic in not_used(one.job, one.origins)] == [
        '"registry.example.com/mnist:1.4"'
    ]
