"""Nothing that is emitted can be refused, or hang: CRD, webhook, pod checks, and what was seen to hang."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings, strategies as st

from tests.unit.backends.jobs import amount, job, policy, role, time, unit
from tests.unit.backends.pod_validation import pod_problems
from tests.unit.backends.structural import schema, violations
from tests.unit.backends.verdicts import documents, report
from tests.unit.backends.volcano.webhook import refusals
from tfdsl.ir import model
from tfdsl.ir.model import Cluster, Job, Policy, Role

pytestmark = pytest.mark.slow

SCHEMA = schema("volcano-job")
HOSTILE = st.sampled_from(
    ["", "$(HOME)", "$$", "{{ x }}", "a\nb", "'", '"', "no", "012", "🙂", "\r\n", " x ", "#", "${A}", "\\", "x" * 300]
)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True).filter(lambda name: name != "TF_CONFIG")
CLAIM = model.Claim(name="runs", size=amount("1Gi"), access_modes=("ReadWriteMany",))


@st.composite
def roles(draw: st.DrawFn, name: str, most: int, after: tuple[str, ...] = ()) -> Role:
    mounts = (
        model.PvcMount(at="/data", claim="data", readonly=True, sub_path="x y"),
        model.MemoryMount(at="/cache", size=amount("1Gi")),
        model.SecretMount(at="/keys", name="keys", mode="0400", items={"a": "b"}),
        model.ClaimMount(at="/runs", claim="runs"),
    )
    replicas = draw(st.integers(1, most))
    fields: dict[str, Any] = {
        "env": draw(st.dictionaries(NAMES, HOSTILE, max_size=2)),
        "command": draw(st.lists(HOSTILE, min_size=1, max_size=3).map(tuple) | st.just('exec train --x=$HOME "$@"')),
        "mounts": draw(st.sampled_from([(), mounts[:2], mounts, mounts[3:]])),
        "port": draw(st.sampled_from([1, 2222, 65535])),
        "gpu": draw(st.sampled_from([0, 8])),
        "gpu_memory": draw(st.sampled_from([None, amount("8Gi")])),
        "memory_limit": draw(st.sampled_from([None, amount("4Gi")])),
        "shm": draw(st.sampled_from([None, amount("8Gi")])),
        "spread": draw(st.sampled_from(["node", "none"])),
        "host_network": draw(st.booleans()),
        "after": after,
        "min_available": draw(st.integers(0, replicas)),
        "labels": draw(st.sampled_from([{}, {"team": "a.b_c"}])),
    }
    return role(name, replicas, **fields)


WRITTEN: list[tuple[Policy, ...]] = [
    (),
    (policy("failed", "restart container"), policy("evicted", "restart pod")),
    (policy("failed", "restart pod"), policy("exit", "fail job", codes=tuple(range(1, 128)))),
    (policy("failed", "ignore", role="ps"), policy("unknown", "abort job")),
    (policy("pending", "restart job", delay=time("1d")), policy("evicted", "fail job", delay=time("90s"))),
    (policy("failed", "restart container", role="worker"), policy("restarted", "restart job", role="worker", count=3)),
]


@st.composite
def jobs(draw: st.DrawFn) -> Job:
    has_ps = draw(st.booleans())
    waits = ("ps",) if has_ps and draw(st.booleans()) else ()
    members = [draw(roles("ps", 3))] if has_ps else []
    members += [draw(roles("worker", 12, waits))]
    members += [draw(roles("evaluator", 1))] if draw(st.booleans()) else []
    members += [role("tensorboard")] if draw(st.booleans()) else []
    keep = draw(st.booleans())
    claimed = any(mount.kind == "claim" for member in members for mount in member.mounts)
    return job(
        *members,
        policies=draw(st.sampled_from([some for some in WRITTEN if has_ps or all(one.role != "ps" for one in some)])),
        claims=(CLAIM.but(keep=keep),) if claimed else (),
        gang=draw(st.booleans()),
        deadline=draw(st.sampled_from([None, time("1h")])),
        ttl=draw(st.sampled_from([None, time("1d")])),
        priority=draw(st.sampled_from([None, "high"])),
        cluster=Cluster(discovery=draw(st.sampled_from(["tf_config", "flags", "both", "none"]))),
    )


def problems(found: list[dict[str, Any]]) -> list[str]:
    volcano = found[0]
    wrong = violations(volcano, SCHEMA) + refusals(volcano)
    for task in volcano["spec"]["tasks"]:
        wrong += pod_problems(task["template"])
    return wrong


@settings(max_examples=100, deadline=None)
@given(jobs(), st.sampled_from([None, "plugin", "static", "shell"]))
def test_nothing_that_is_emitted_is_refused(asked: Job, way: str | None) -> None:
    wanted = unit(asked, "volcano", tf_config=way)
    assume(not any(told.level == "error" for told in report(wanted)))
    found = documents(wanted)
    assert problems(found) == []
    assert [document["kind"] for document in found[1:]] in (
        [],
        ["PersistentVolumeClaim"],
        ["Service"],
        ["PersistentVolumeClaim", "Service"],
    )


def test_the_webhook_of_these_tests_refuses() -> None:
    """The checks above would be worth nothing if they took everything."""
    found = documents(unit(job(role("ps"), role("worker", 2)), "volcano"))
    assert problems(found) == []
    spec = found[0]["spec"]
    spec["minAvailable"] = 9
    spec["policies"][0]["event"] = "NodeFailed"
    spec["policies"].append({"exitCode": 3, "action": "CompleteJobs"})
    spec["plugins"]["gang"] = []
    spec["tasks"][0]["restartPolicy"] = "Never"
    text = "\n".join(problems(found))
    for part in ("minAvailable", "NodeFailed", "CompleteJobs", "gang", "restartPolicy"):
        assert part in text
