"""Nothing that is emitted can be refused: CRD structure, webhook, pod checks, and what hangs without a word."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.backends.jobs import amount, job, policy, role, unit
from tests.unit.backends.pod_validation import pod_problems
from tests.unit.backends.structural import schema, violations
from tests.unit.backends.tfjob.operator import never_checked, webhook
from tests.unit.backends.verdicts import documents, report
from tfdsl.ir import model
from tfdsl.ir.model import Cluster, Job

SCHEMA = schema("tfjob")
HOSTILE = st.sampled_from(
    ["", "$(HOME)", "$$", "{{ x }}", "a\nb", "'", '"', "no", "012", "🙂", "\r\n", " x ", "#", "${A}", "\\", "x" * 300]
)
TOLERATION = model.Toleration(key="a", operator="Exists", toleration_seconds=3)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True).filter(lambda name: name != "TF_CONFIG")


def problems(asked: object) -> list[str]:
    made = documents(asked)  # type: ignore[arg-type]  # a Unit
    tfjob = made[0]
    found = violations(tfjob, SCHEMA) + webhook(tfjob) + never_checked(tfjob)
    for spec in tfjob["spec"]["tfReplicaSpecs"].values():
        found += pod_problems(spec["template"])
    for other in made[1:]:
        if other["kind"] == "Deployment":
            found += pod_problems(other["spec"]["template"])
    return found


@st.composite
def roles(draw: st.DrawFn, name: str, most: int) -> model.Role:
    mounts = (
        model.PvcMount(path=f"roles[{name}].mounts[0]", at="/data", claim="data", readonly=True, sub_path="x y"),
        model.MemoryMount(path=f"roles[{name}].mounts[1]", at="/cache", size=amount("1Gi")),
        model.SecretMount(path=f"roles[{name}].mounts[2]", at="/keys", name="keys", mode="0400", items={"a": "b"}),
        model.NfsMount(path=f"roles[{name}].mounts[3]", at="/nfs", server="10.0.0.2", share="/x"),
    )
    fields = {
        "env": draw(st.dictionaries(NAMES, HOSTILE, max_size=3)),
        "command": draw(st.lists(HOSTILE, min_size=1, max_size=3).map(tuple) | st.just("exec train --x=$HOME")),
        "mounts": draw(st.sampled_from([(), mounts[:1], mounts])),
        "port": draw(st.sampled_from([1, 2222, 65535])),
        "gpu": draw(st.sampled_from([0, 8])),
        "cpu": draw(st.sampled_from([None, amount("500m"), amount("4")])),
        "memory_limit": draw(st.sampled_from([None, amount("4Gi")])),
        "shm": draw(st.sampled_from([None, amount("8Gi")])),
        "spread": draw(st.sampled_from(["node", "none"])),
        "tolerations": draw(
            st.sampled_from([(), (model.Toleration(key="a", operator="Exists", toleration_seconds=3),)])
        ),
        "host_network": draw(st.booleans()),
    }
    if isinstance(fields["command"], str):
        fields["args"] = ()
    return role(name, draw(st.integers(1, most)), **fields)


@st.composite
def jobs(draw: st.DrawFn) -> Job:
    has_chief = draw(st.booleans())
    members = [draw(roles("chief", 1))] if has_chief else []
    members += [draw(roles("ps", 3))] if draw(st.booleans()) else []
    members += [draw(roles("worker", 12))] if not has_chief or draw(st.booleans()) else []
    members += [draw(roles("evaluator", 1))] if draw(st.booleans()) else []
    members += [role("tensorboard")] if draw(st.booleans()) else []
    policies = draw(
        st.sampled_from(
            [
                (),
                (policy("failed", "restart container"),),
                (policy("failed", "restart pod"), policy("exit", "fail job", codes=tuple(range(1, 128)))),
                (policy("evicted", "restart pod"),),
            ]
        )
    )
    return job(
        *members,
        policies=policies,
        cluster=Cluster(path="cluster", discovery=draw(st.sampled_from(["tf_config", "flags", "both", "none"]))),
        labels=draw(st.sampled_from([{}, {"team": "a"}])),
        annotations=draw(st.dictionaries(st.just("note"), HOSTILE)),
        priority=draw(st.sampled_from([None, "high"])),
        queue=draw(st.sampled_from([None, "research"])),
        cleanup=draw(st.sampled_from(["running", "all", "none"])),
        gang=draw(st.booleans()),
    )


@settings(max_examples=150, deadline=None)
@given(
    jobs(),
    st.sampled_from(["1.5", "1.9"]),
    st.sampled_from(["operator", "static"]),
    st.sampled_from(["", "volcano"]),
    st.booleans(),
)
def test_whatever_compiles_is_admitted(made: Job, version: str, tf_config: str, gang: str, kueue: bool) -> None:
    asked = unit(made, "tfjob", version, tf_config=tf_config, gang_scheduler=gang, kueue=kueue)
    if not any(d.level == "error" for d in report(asked)):
        assert problems(asked) == []


@pytest.mark.parametrize("name", ["1a", "7", "0-0"])
def test_a_name_that_the_webhook_refuses_is_an_error_before(name: str) -> None:
    made = job(role("worker")).model_copy(update={"name": name})
    assert any(d.level == "error" for d in report(unit(made, "tfjob")))
