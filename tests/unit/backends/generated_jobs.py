"""Jobs that hypothesis makes up for the Kubernetes targets: hostile texts, all roles, policies that compile."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.unit.backends.jobs import amount, job, policy, role, time
from tfdsl.ir import model
from tfdsl.ir.model import Cluster, Job

HOSTILE = st.sampled_from(
    ["", "$(HOME)", "$$", "{{ x }}", "a\nb", "'", '"', "no", "012", "🙂", "\r\n", " x ", "#", "${A}", "\\", "x" * 300]
)
TOLERATION = model.Toleration(key="a", operator="Exists", toleration_seconds=3)
POD_IP = model.PodField(field="status.podIP")
INDEXED = model.RunTimeText(parts=("/data/$(run)-", model.TaskIndex()))
STEPS = (
    model.Step(kind="prepare", name="fetch", command=("./fetch", INDEXED), env={"PART": INDEXED}, cpu=amount("1")),
    model.Step(kind="sidecar", name="log", image="log:1", memory=amount("64Mi")),
)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True).filter(lambda name: name != "TF_CONFIG")


@st.composite
def roles(draw: st.DrawFn, name: str, most: int) -> model.Role:
    mounts = (
        model.PvcMount(at="/data", claim="data", sub_path="x y"),
        model.MemoryMount(at="/cache", size=amount("1Gi")),
        model.SecretMount(at="/keys", name="keys", mode="0400", items={"a": "b"}),
        model.NfsMount(at="/nfs", server="10.0.0.2", share="/x", readonly=True),
    )
    fields = {
        "env": draw(st.dictionaries(NAMES, HOSTILE | st.just(POD_IP), max_size=3)),
        "env_from": draw(st.sampled_from([(), (model.SecretKeys(name="keys"), model.ConfigMapKeys(name="settings"))])),
        "command": draw(st.lists(HOSTILE, min_size=1, max_size=3).map(tuple) | st.just('exec train --x=$HOME "$@"')),
        "mounts": draw(st.sampled_from([(), mounts[:1], mounts])),
        "port": draw(st.sampled_from([1, 2222, 65535])),
        "gpu": draw(st.sampled_from([0, 8])),
        "cpu": draw(st.sampled_from([None, amount("500m"), amount("4")])),
        "cpu_limit": draw(st.sampled_from([None, "none"])),
        "memory_limit": draw(st.sampled_from([None, amount("4Gi"), "none"])),
        "shm": draw(st.sampled_from([None, amount("8Gi")])),
        "tmp_size": draw(st.sampled_from([None, amount("4Gi")])),
        "spread": draw(st.sampled_from(["node", "none"])),
        "tolerations": draw(st.sampled_from([(), (TOLERATION,)])),
        "host_network": draw(st.booleans()),
        "run_as_user": draw(st.sampled_from([None, 0, 2**31 - 1])),
        "fs_group": draw(st.sampled_from([None, 0])),
        "privileged": draw(st.booleans()),
        "node_selector": draw(st.sampled_from([{}, {"zone": ("a", ""), "pool": "gpu"}])),
        "ports": draw(st.sampled_from([{}, {"a": 9090, "debug-2": 65534}])),
        "stop_grace": draw(st.sampled_from([None, time("0s"), time("1500ms"), time("10d")])),
        "steps": draw(st.sampled_from([(), STEPS[:1], STEPS])),
        "capabilities": draw(st.sampled_from([(), ("IPC_LOCK", "ALL")])),
    }
    if not isinstance(fields["command"], str):
        fields["args"] = draw(st.sampled_from([(), (INDEXED,), ("$(X)", INDEXED)]))
    if fields["mounts"] and draw(st.booleans()):
        fields["outputs"] = (model.Output(source="/tmp/x y", destination=INDEXED, when="always"),)
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
        cluster=Cluster(discovery=draw(st.sampled_from(["tf_config", "flags", "both", "none"]))),
        labels=draw(st.sampled_from([{}, {"team": "a"}])),
        annotations=draw(st.dictionaries(st.just("note"), HOSTILE)),
        priority=draw(st.sampled_from([None, "high"])),
        queue=draw(st.sampled_from([None, "research"])),
        cleanup=draw(st.sampled_from(["running", "all", "none"])),
        gang=draw(st.booleans()),
    )


def has_sidecar(made: Job) -> bool:
    """Whether only newer versions take the job."""
    return any(step.kind == "sidecar" for one in made.roles for step in one.steps)
