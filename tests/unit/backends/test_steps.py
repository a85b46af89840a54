"""What each target makes of prepare and sidecar: its rows, its checks, and patches of the containers they become."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.backends.jobs import amount, job, policy, role, unit
from tests.unit.backends.verdicts import codes, fate, report
from tests.unit.cli.shell import tfdsl
from tfdsl.ir.model import Claim, ClaimMount, EnvVar, Job, Role, RunTimeText, Step, TaskIndex

if TYPE_CHECKING:
    from pathlib import Path

KUBERNETES = ("kubernetes", "tfjob", "volcano")
IN_PLACE = policy("failed", "restart container")
NEW_PODS = policy("failed", "restart pod")
ABOVE_127 = (policy("exit", "fail job", codes=tuple(range(1, 128))), NEW_PODS)


def step(kind: str = "prepare", **fields: object) -> Step:
    return Step.model_validate({"kind": kind, "name": "fetch", "command": ("./fetch",), **fields})


def with_step(*policies: Any, kind: str = "prepare", count: int = 2, **fields: object) -> Job:
    return job(role("worker", count, steps=(step(kind, **fields),)), policies=policies)


@pytest.mark.parametrize(
    ("target", "version", "policies", "kind", "expected"),
    [
        ("kubernetes", "1.27", (), "prepare", "translated"),
        ("kubernetes", "1.34", (IN_PLACE,), "prepare", "translated"),
        ("kubernetes", "1.28", (), "sidecar", "refused"),
        ("kubernetes", "1.29", (), "sidecar", "translated"),
        ("kubernetes", "1.29", (NEW_PODS,), "sidecar", "translated"),
        ("kubernetes", "1.34", (IN_PLACE,), "sidecar", "approximated"),
        ("tfjob", "1.3", (), "prepare", "translated"),
        ("tfjob", "1.9", (IN_PLACE,), "prepare", "approximated"),
        ("tfjob", "1.9", ABOVE_127, "prepare", "approximated"),
        ("tfjob", "1.7", (), "sidecar", "refused"),
        ("tfjob", "1.8", (), "sidecar", "translated"),
        ("tfjob", "1.8", (IN_PLACE,), "sidecar", "approximated"),
        ("tfjob", "1.8", ABOVE_127, "sidecar", "translated"),
        ("volcano", "1.5.0", (NEW_PODS,), "prepare", "translated"),
        ("volcano", "1.15", (policy("exit", "restart job", codes=(3,)),), "prepare", "approximated"),
        ("volcano", "1.6", (), "sidecar", "refused"),
        ("volcano", "1.9", (), "sidecar", "translated"),
        ("volcano", "1.9", (IN_PLACE,), "sidecar", "approximated"),
        ("slider", None, (), "sidecar", "refused"),
        ("yarn", None, (), "sidecar", "refused"),
    ],
)
def test_a_step_on_each_target(
    target: str, version: str | None, policies: tuple[Any, ...], kind: str, expected: str
) -> None:
    made = with_step(*policies, kind=kind)
    assert fate(unit(made, target, version), f"steps[{kind}]").fate == expected


@pytest.mark.parametrize("target", KUBERNETES)
def test_restarts_of_tensorboard_are_not_counted(target: str) -> None:
    board = role("tensorboard", steps=(step("sidecar"),))
    made = job(role("worker"), board, policies=(IN_PLACE,))
    assert fate(unit(made, target), "steps[sidecar]", "tensorboard").fate == "translated"


def test_the_operator_reads_no_status_of_a_prepare_step() -> None:
    assert "KTF120" in codes(unit(with_step(*ABOVE_127), "tfjob"))
    assert "KTF121" in codes(unit(with_step(IN_PLACE), "tfjob"))
    assert not {"KTF120", "KTF121"} & set(codes(unit(with_step(), "tfjob")))


@pytest.mark.parametrize(("target", "prefix"), [("tfjob", "KTF"), ("volcano", "VOL")])
def test_the_nodes_that_a_sidecar_needs_are_told_once(target: str, prefix: str) -> None:
    steps = (step("sidecar"), step("sidecar", name="other"))
    found = [
        one.message for one in report(unit(job(role("worker", steps=steps)), target)) if one.rule.code == f"{prefix}035"
    ]
    assert found == [f"{target}: sidecar fetch needs nodes with Kubernetes 1.29 or newer"]


def size(made: Role, *written: str, target: str = "kubernetes", code: str = "K8S036") -> list[str]:
    paths = tuple(f"roles[worker].steps[0].{name}" for name in written)
    found = report(unit(job(made), target, written=paths))
    return [one.message.removeprefix(f"{target}: ") for one in found if one.rule.code == code]


@pytest.mark.parametrize(("target", "code"), [("kubernetes", "K8S036"), ("tfjob", "KTF036"), ("volcano", "VOL036")])
def test_each_target_with_pods_tells_what_a_step_adds(target: str, code: str) -> None:
    made = role("worker", steps=(step(memory=amount("16Gi")),), memory=amount("8Gi"))
    assert size(made, "memory", target=target, code=code) == [
        "for prepare fetch each replica of role worker asks for memory 16Gi, although the command needs 8Gi"
    ]


def test_what_a_step_adds_to_a_replica_is_told() -> None:
    big = {"cpu": amount("4"), "memory": amount("8Gi")}
    assert size(role("worker", steps=(step("sidecar"),), **big)) == [
        "for sidecar fetch each replica of role worker asks for cpu 4 more, like the role's own and memory 8Gi more, "
        "like the role's own"
    ]
    own = step("sidecar", cpu=amount("1"), memory=amount("1Gi"))
    assert size(role("worker", steps=(own,), **big), "cpu", "memory") == []
    assert size(role("worker", steps=(step(),), **big)) == []
    assert size(role("worker", steps=(step(memory=amount("16Gi")),), **big), "memory") == [
        "for prepare fetch each replica of role worker asks for memory 16Gi, although the command needs 8Gi"
    ]
    assert size(role("worker", steps=(step("sidecar"),))) == []


def test_a_pending_policy_counts_the_time_of_a_prepare_step(tmp_path: Path) -> None:
    text = 'job j { image = "i:1", command = ["x"], prepare fetch { command = ["y"] }, role worker { }\n'
    text += "on pending after 10m => fail job }\n"
    told = tfdsl("check", "-", "--notes", "-t", "volcano", cwd=tmp_path, stdin=text.encode()).err
    assert "info[VOL158]" in told
    assert "while the prepare steps of worker run, their pods count as pending" in told


def test_a_variable_of_a_plugin_is_none_of_a_step() -> None:
    assert "VOL155" in codes(unit(with_step(env={"VC_TASK_INDEX": "1"}), "volcano"))


def test_a_claim_of_a_volcano_job_with_steps_outlives_it() -> None:
    mount = ClaimMount(at="/work", claim="work")
    plain, stepped = role("worker", mounts=(mount,)), role("worker", mounts=(mount,), steps=(step(),))
    claims = (Claim(name="work", size=amount("1Gi")),)
    assert fate(unit(job(plain, claims=claims), "volcano"), "mounts[claim]").fate == "kept"
    assert "VOL171" in codes(unit(job(stepped, claims=claims), "volcano"))
    kept = (Claim(name="work", size=amount("1Gi"), keep=True),)
    assert fate(unit(job(stepped, claims=kept), "volcano"), "mounts[claim]").fate == "kept"


def test_a_claim_outlives_the_job_because_of_the_steps_of_another_role() -> None:
    mount = ClaimMount(at="/work", claim="work")
    roles = role("chief", mounts=(mount,)), role("worker", mounts=(mount,), steps=(step(),))
    told = {*codes(unit(job(*roles, claims=(Claim(name="work", size=amount("1Gi")),)), "volcano"))}
    assert told & {"VOL118", "VOL171"} == {"VOL171"}


def test_many_statuses_beside_a_sidecar() -> None:
    steps = [step(name=f"s{number}") for number in range(10)] + [step("sidecar", name="log")]
    policies = (policy("failed", "fail job"), policy("exit", "restart pod", codes=(3,)))
    assert "K8S115" in codes(unit(job(role("worker", steps=tuple(steps)), policies=policies), "kubernetes"))
    assert "K8S115" not in codes(unit(job(role("worker", steps=tuple(steps[:10])), policies=policies), "kubernetes"))


UNDEFINED = RunTimeText(parts=("x", EnvVar(name="NOWHERE")))
INDEXED = RunTimeText(parts=("x", TaskIndex()))


@pytest.mark.parametrize("kind", ["prepare", "sidecar"])
@pytest.mark.parametrize("target", KUBERNETES)
def test_run_time_values_in_a_step(target: str, kind: str) -> None:
    def refused(name: str, value: object, version: str | None = None, **more: object) -> str:
        written = (f"roles[worker].steps[0].{name}", f"roles[worker].steps[0].{name}[A]")
        made = with_step(kind=kind, **{name: value}, **more)
        found = report(unit(made, target, version, written=written))
        return " ".join(one.rule.slug.removeprefix(target) for one in found if one.level == "error")

    assert refused("args", (UNDEFINED,)) == refused("env", {"A": UNDEFINED}) == "-undefined-variable"
    assert refused("command", ("x", UNDEFINED)) == "-undefined-variable"
    assert refused("command", RunTimeText(parts=("echo ", EnvVar(name="HOME")))) == ""
    assert refused("args", (UNDEFINED,), env={"NOWHERE": "1"}) == ""
    assert refused("workdir", INDEXED) == "-run-time-workdir"
    assert refused("args", (INDEXED,)) == refused("env", {"A": INDEXED}) == ""
    if target == "volcano" and kind == "prepare":
        assert refused("args", (INDEXED,), "1.6") == "-index-version"


@pytest.mark.parametrize("target", KUBERNETES)
def test_patch_pod_reaches_the_container_of_a_step(tmp_path: Path, target: str) -> None:
    text = f"""job j {{
  image = "i:1"
  command = ["x"]
  prepare fetch {{ command = ["y"] }}
  role worker {{ }}
  target {target} {{
    patch pod "spec.initContainers[name=fetch].tty" = true
    role worker {{ patch pod "spec.initContainers[name=fetch].env" += [{{ name = "A", value = "1" }}] }}
  }}
}}
"""
    told = tfdsl("compile", "-", "-t", target, cwd=tmp_path, stdin=text.encode())
    assert told.status == 0, told.err
    assert "tty: true" in told.out
    assert "name: A" in told.out
    misspelt = text.replace("name=fetch].tty", "name=fetsh].tty").encode()
    wrong = tfdsl("compile", "-", "-t", target, cwd=tmp_path, stdin=misspelt)
    assert wrong.status == 1
    assert "fetch" in wrong.err.partition("error[")[2]


def test_the_shell_that_drops_a_variable_is_that_of_the_step() -> None:
    worker = role("worker", env={"a.b": "1"}, steps=(step(name="p", command="echo $MSG"),))
    told = [one.message for one in report(unit(job(worker), "kubernetes")) if one.rule.code == "K8S049"]
    assert told == [
        "kubernetes: /bin/sh starts prepare p of role worker and may drop a.b: "
        "many shells discard variables with . or - in their names"
    ]
