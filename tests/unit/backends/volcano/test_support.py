"""The support table: no holes, and every conditional row with a job that meets it and one that does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.backends.jobs import amount, job, policy, role, time, unit
from tests.unit.backends.verdicts import fate, holes, report
from tfdsl import targets
from tfdsl.ir import model
from tfdsl.ir.fields import all_keys
from tfdsl.ir.model import Cluster, Job
from tfdsl.vocabulary import versions

BACKEND = targets.find("volcano")
assert BACKEND is not None
SUPPORT = BACKEND.support


def test_every_key_has_an_answer_that_always_holds() -> None:
    assert holes("volcano") == []


def test_no_row_is_about_a_key_that_does_not_exist() -> None:
    assert {row.key for row in SUPPORT.rows} <= set(all_keys())


def test_a_code_says_one_thing() -> None:
    rules = {row.rule for row in SUPPORT.rows if row.rule is not None}
    assert len({rule.code for rule in rules}) == len({rule.slug for rule in rules}) == len(rules)


PS, WORKER, CHIEF = role("ps"), role("worker", 2), role("chief")


def with_policies(*written: model.Policy, roles: tuple[model.Role, ...] = (PS, WORKER), **fields: Any) -> Job:
    return job(*roles, policies=written, **fields)


IN_PLACE = policy("failed", "restart container")
GONE = policy("evicted", "restart job")
ONE_CLAIM = model.Claim(name="runs", size=amount("1Gi"), access_modes=("ReadWriteOnce",))
CLAIM_MOUNT = (model.ClaimMount(at="/runs", claim="runs"),)

KEYS = {
    "VOL110": "job.priority",
    "VOL112": "job.cleanup",
    "VOL114": "cluster.discovery",
    "VOL115": "roles[].min_available",
    "VOL117": "roles[].gpu_resource",
    "VOL118": "mounts[claim]",
    "VOL120": "policies[failed]",
    "VOL121": "policies[failed].restart container",
    "VOL122": "policies[failed].ignore",
    "VOL123": "policies[failed].delay",
    "VOL124": "policies[exit]",
    "VOL125": "policies[exit].restart container",
    "VOL126": "policies[exit].ignore",
    "VOL127": "policies[evicted]",
    "VOL132": "policies[restarted]",
    "VOL136": "job.scheduler",
    "VOL137": "job.deadline",
    "VOL138": "job.ttl",
    "VOL141": "policies[evicted]",
    "VOL142": "policies[evicted]",
    "VOL143": "policies[evicted]",
    "VOL146": "policies[restarted]",
}
REMAKE = policy("evicted", "restart pod")

CASES: list[tuple[str, Job, Job]] = [
    ("VOL110", job(WORKER, priority=5), job(WORKER, priority="high")),
    ("VOL112", job(WORKER, cleanup="none"), job(WORKER)),
    ("VOL112", job(WORKER, cleanup="all"), job(WORKER)),
    (
        "VOL115",
        job(role("ps", 3, min_available=1), role("worker", after=("ps",))),
        job(role("ps", 3, min_available=1), role("worker")),
    ),
    (
        "VOL117",
        job(role("worker", gpu_memory=amount("1Gi"), gpu_resource="a.com/x")),
        job(role("worker", gpu=1, gpu_resource="a.com/x")),
    ),
    (
        "VOL118",
        job(role("ps"), role("worker", mounts=CLAIM_MOUNT), claims=(ONE_CLAIM,)),
        job(role("worker", mounts=CLAIM_MOUNT), claims=(ONE_CLAIM,)),
    ),
    (
        "VOL118",
        job(role("ps"), role("worker", mounts=CLAIM_MOUNT), claims=(ONE_CLAIM,)),
        job(role("ps"), role("worker", mounts=CLAIM_MOUNT), claims=(ONE_CLAIM.but(keep=True),)),
    ),
    ("VOL120", with_policies(IN_PLACE), with_policies(IN_PLACE, GONE)),
    ("VOL120", with_policies(IN_PLACE), with_policies(policy("failed", "restart job"))),
    ("VOL121", with_policies(IN_PLACE), with_policies(IN_PLACE, roles=(WORKER,))),
    (
        "VOL121",
        with_policies(IN_PLACE, GONE, roles=(WORKER,)),
        with_policies(IN_PLACE, roles=(WORKER, role("tensorboard"))),
    ),
    ("VOL122", with_policies(policy("failed", "ignore")), with_policies(policy("failed", "ignore", role="ps"))),
    (
        "VOL123",
        with_policies(policy("failed", "restart container", delay=time("1m"))),
        with_policies(policy("failed", "restart job", delay=time("1m"))),
    ),
    (
        "VOL124",
        with_policies(IN_PLACE, policy("exit", "fail job", codes=(3,))),
        with_policies(
            policy("failed", "restart container", role="ps"), policy("exit", "fail job", role="worker", codes=(3,))
        ),
    ),
    (
        "VOL125",
        with_policies(policy("exit", "restart container", codes=(3,))),
        with_policies(IN_PLACE, policy("exit", "restart container", codes=(3,))),
    ),
    (
        "VOL126",
        with_policies(policy("exit", "ignore", role="ps", codes=(3,)), policy("failed", "abort job", role="worker")),
        with_policies(policy("exit", "ignore", role="ps", codes=(3,))),
    ),
    (
        "VOL126",
        with_policies(policy("exit", "ignore", role="ps", codes=(3,)), policy("failed", "restart job", role="worker")),
        with_policies(policy("exit", "ignore", role="ps", codes=(3,)), policy("failed", "ignore", role="ps")),
    ),
    ("VOL136", job(WORKER, scheduler="default-scheduler"), job(WORKER, scheduler="default-scheduler", gang=False)),
    ("VOL136", job(WORKER, scheduler="default-scheduler"), job(WORKER, scheduler="volcano")),
    (
        "VOL136",
        job(WORKER, scheduler="default-scheduler", gang=False, queue="q"),
        job(WORKER, scheduler="night-shift", gang=False, queue="q"),
    ),
    ("VOL137", with_policies(IN_PLACE, REMAKE, deadline=time("1h")), with_policies(IN_PLACE, deadline=time("1h"))),
    ("VOL137", with_policies(REMAKE, deadline=time("1h")), with_policies(deadline=time("1h"))),
    (
        "VOL137",
        with_policies(IN_PLACE, REMAKE, deadline=time("1h")),
        with_policies(IN_PLACE, policy("evicted", "fail job"), deadline=time("1h")),
    ),
    ("VOL138", with_policies(policy("failed", "abort job"), ttl=time("1h")), with_policies(ttl=time("1h"))),
    ("VOL141", with_policies(policy("exit", "fail job", codes=(143,)), REMAKE), with_policies(REMAKE)),
    (
        "VOL141",
        with_policies(policy("exit", "abort job", codes=(1,)), policy("evicted", "ignore")),
        with_policies(policy("evicted", "ignore")),
    ),
    ("VOL142", with_policies(GONE), with_policies(GONE, IN_PLACE)),
    ("VOL142", with_policies(GONE), with_policies(GONE, policy("failed", "restart job"))),
    (
        "VOL143",
        with_policies(policy("evicted", "restart job", role="worker"), policy("failed", "restart job")),
        with_policies(policy("evicted", "restart job", role="ps"), policy("failed", "restart job")),
    ),
    (
        "VOL146",
        with_policies(IN_PLACE, policy("restarted", "restart job", count=2)),
        with_policies(IN_PLACE, policy("restarted", "abort job", count=2)),
    ),
    (
        "VOL132",
        with_policies(IN_PLACE, policy("restarted", "abort job", count=4), retries=3),
        with_policies(IN_PLACE, policy("restarted", "abort job", count=3), retries=3),
    ),
]


@pytest.mark.parametrize(("code", "meets", "does_not"), CASES)
def test_a_conditional_row(code: str, meets: Job, does_not: Job) -> None:
    met = fate(unit(meets, "volcano"), KEYS[code])
    assert met.rule is not None
    assert met.rule.code == code
    other = fate(unit(does_not, "volcano"), KEYS[code])
    assert other.rule is None or other.rule.code != code


def test_building_tf_config_in_a_shell() -> None:
    def code(asked: Job, way: str) -> str | None:
        rule = fate(unit(asked, "volcano", tf_config=way), "cluster.discovery").rule
        return rule.code if rule is not None else None

    assert code(job(WORKER), "shell") == "VOL114"
    assert code(job(WORKER), "static") is None
    assert code(job(WORKER, cluster=Cluster(discovery="flags")), "shell") is None


def test_pressure_in_releases_that_do_not_look_at_deleted_pods() -> None:
    for version in ("1.9", "1.12.0", "1.13.0"):
        row = fate(unit(with_policies(GONE), "volcano", version), "policies[evicted]")
        assert row.rule is not None
        assert row.rule.code == "VOL127"
        assert fate(unit(with_policies(GONE, IN_PLACE), "volcano", version), "policies[evicted]").fate == "translated"


COUNTED = policy("failed", "restart container"), policy("restarted", "fail job", count=1)
INDEXED = role("worker", 2, args=(model.RunTimeText(parts=(model.TaskIndex(),)),))
BY_FLAGS = Cluster(discovery="flags")

LATER = [
    ("1.6", "VOL145", "policies[restarted]", with_policies(*COUNTED)),
    ("1.9", "VOL140", "roles[].args{task.index}", job(INDEXED)),
    ("1.9", "VOL139", "cluster.discovery", job(PS, WORKER, cluster=BY_FLAGS)),
    ("1.11", "VOL148", "policies[failed].restart role", with_policies(policy("failed", "restart role"))),
    ("1.9", "VOL116", "roles[].gpu_memory", job(role("worker", gpu_memory=amount("1Gi")))),
    ("1.11", "VOL119", "policies[failed].restart pod", with_policies(policy("failed", "restart pod"))),
    ("1.11", "VOL119", "policies[exit].restart pod", with_policies(policy("exit", "restart pod", codes=(3,)))),
    ("1.11", "VOL119", "policies[evicted].restart pod", with_policies(policy("evicted", "restart pod"))),
    ("1.11", "VOL130", "policies[pending]", with_policies(policy("pending", "abort job", delay=time("1m")))),
    ("1.11", "VOL135", "policies[failed].delay", with_policies(policy("failed", "fail job", delay=time("1m")))),
    ("1.11", "VOL135", "policies[evicted].delay", with_policies(policy("evicted", "fail job", delay=time("1m")))),
]


@pytest.mark.parametrize(("since", "code", "key", "asked"), LATER)
def test_what_came_with_a_version(since: str, code: str, key: str, asked: Job) -> None:
    assert BACKEND is not None
    for version in BACKEND.versions:
        row = fate(unit(asked, "volcano", version), key)
        old = versions.key(version) < versions.key(since)
        assert ((row.fate, row.rule and row.rule.code) == ("refused", code)) == old, version
        assert old or row.fate != "refused", version


@pytest.mark.parametrize("action", ["restart pod", "restart role"])
def test_restarts_of_less_than_the_job_before_1_14(action: str) -> None:
    for version, code in (("1.11", "VOL149"), ("1.13.2", "VOL149"), ("1.14", None), ("1.15", None)):
        row = fate(unit(with_policies(policy("failed", action)), "volcano", version), f"policies[failed].{action}")
        assert (row.rule.code if row.rule else None) == code, version


def test_the_event_unknown_is_as_old_as_the_releases_here() -> None:
    assert (
        fate(unit(with_policies(policy("unknown", "abort job")), "volcano", "1.5.0"), "policies[unknown]").fate
        == "kept"
    )


def test_an_index_that_is_a_constant_needs_no_version() -> None:
    asked = job(INDEXED.but(replicas=1))
    assert fate(unit(asked, "volcano", "1.5.0"), "roles[].args{task.index}").fate == "translated"


def test_ignoring_unknown_needs_no_version() -> None:
    assert (
        fate(unit(with_policies(policy("unknown", "ignore")), "volcano", "1.5"), "policies[unknown]").fate
        == "translated"
    )


@pytest.mark.parametrize("event", ["completed", "failed", "exit", "evicted", "pending", "restarted"])
def test_policies_about_one_replica(event: str) -> None:
    more = {"exit": {"codes": (3,)}, "pending": {"delay": time("1m")}, "restarted": {"count": 1}}.get(event, {})
    action = "complete job" if event == "completed" else "fail job"
    one = policy(event, action, role="worker", index=0, **more)
    beside = (policy("failed", "restart container"),) if event == "restarted" else ()
    assert fate(unit(with_policies(one, *beside), "volcano"), f"policies[{event}].index").fate == "refused"
    single = with_policies(one, *beside, roles=(PS, role("worker")))
    assert fate(unit(single, "volcano"), f"policies[{event}].index").fate == "translated"


REFUSED = [
    ("job.suspend", job(WORKER, suspend=True)),
    ("policies[evicted].restart container", with_policies(policy("evicted", "restart container"))),
]


@pytest.mark.parametrize(("key", "asked"), REFUSED)
def test_what_volcano_cannot(key: str, asked: Job) -> None:
    assert fate(unit(asked, "volcano"), key).fate == "refused"


APPROXIMATED = [
    ("job.deadline", job(WORKER, deadline=time("1h"))),
    ("policies[pending]", with_policies(policy("pending", "abort job", delay=time("1m")))),
    ("policies[failed].delay", with_policies(policy("failed", "restart pod", delay=time("1m")))),
    ("policies[evicted].delay", with_policies(policy("evicted", "restart pod", delay=time("1m")))),
    ("policies[failed].abort job", with_policies(policy("failed", "abort job"))),
    ("policies[exit].abort job", with_policies(policy("exit", "abort job", codes=(3,)))),
    ("policies[evicted].ignore", with_policies(policy("evicted", "ignore"))),
]


@pytest.mark.parametrize(("key", "asked"), APPROXIMATED)
def test_what_volcano_does_in_its_own_way(key: str, asked: Job) -> None:
    assert fate(unit(asked, "volcano"), key).fate == "approximated"


@pytest.mark.parametrize("asked", [case for _, *both in CASES for case in both])
def test_messages_say_the_value_and_what_to_do(asked: Job) -> None:
    for told in report(unit(asked, "volcano")):
        assert told.message.startswith("volcano: ")
        assert told.target == "volcano"
        assert "{" not in told.message.replace("${", "")
        assert all("{value}" not in text and "{role}" not in text for text in told.helps)
