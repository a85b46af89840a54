"""The shared support rows and checks, with the codes of each target."""

from __future__ import annotations

import pytest

from tests.unit.backends import jobs
from tests.unit.backends.jobs import NOWHERE, amount, role
from tfdsl.backend import Support, Unit
from tfdsl.ir import model
from tfdsl.ir.fields import Origins, all_keys, walk
from tfdsl.ir.model import Cluster, EnvVar, Job, RunTimeText, TaskIndex
from tfdsl_backends.podspec.checks import Name, check_first_letter, check_names, check_pods
from tfdsl_backends.podspec.messages import pod_rules
from tfdsl_backends.podspec.plan import Index, PodPlan, index_of
from tfdsl_backends.podspec.support import ROWS

OWN = ("queue", "priority", "scheduler", "gang", "retries", "deadline", "ttl", "cleanup", "suspend")
OWN_KEYS = {f"job.{name}" for name in OWN} | {
    "roles[].gpu_memory",
    "roles[].replicas",
    "roles[].min_available",
    "roles[].after",
    "mounts[claim].keep",
    "steps[prepare]",
    "steps[sidecar]",
}
RULES = pod_rules("volcano", "VOL", additions=160)


def unit(made: Job) -> Unit:
    return Unit("volcano", "1.15", made, Origins(NOWHERE), {})


def codes(made: Job) -> list[str]:
    table = Support("volcano", "VOL", *ROWS)
    decided = [(item, table.decide(unit(made), item)) for item in walk(made, Origins(NOWHERE))]
    return sorted({row.rule.code for _, row in decided if row is not None and row.rule is not None})


def refer(name: str) -> RunTimeText:
    return RunTimeText(parts=("x", EnvVar(name=name)))


def test_every_key_that_the_targets_do_alike_has_an_answer() -> None:
    table = Support("volcano", "VOL", *ROWS)
    wanted = {key for key in all_keys() if not key.startswith("policies")} - OWN_KEYS
    assert [key for key in sorted(wanted) if not table[key] or table[key][-1].when is not None] == []


def test_codes_and_slugs_tell_one_thing_and_name_their_target() -> None:
    table = Support("ext", "EXT", *ROWS)
    found = [row.rule for row in table.rows if row.rule is not None] + list(
        pod_rules("ext", "EXT", additions=160).all()
    )
    assert len({rule.code for rule in found}) == len({rule.slug for rule in found}) == len(set(found))
    assert all(rule.code.startswith("EXT") and rule.slug.startswith("ext-") for rule in found)


SECRET = model.SecretMount(at="/keys", name="keys", mode="0400")
FOLDER = model.HostMount(at="/data", source="/srv/data")
OF_GROUP = model.SecretMount(at="/keys", name="keys", mode="0440")
PLAIN = role("worker", 3)
BESIDE_CHIEF = (role("chief"), PLAIN)
FLAGS = Cluster(discovery="flags")
OUTPUT = {"source": "/m", "destination": "/runs/m", "index": 0}
KEPT: dict[str, object] = {"outputs": (OUTPUT,), "mounts": ({"kind": "pvc", "claim": "runs", "at": "/runs"},)}
HDFS = {"kind": "hdfs", "uri": "hdfs://x", "at": "/x"}
ARCHIVE = {"kind": "archive", "source": "a.zip", "at": "/x"}
PVC = {"kind": "pvc", "claim": "d", "at": "/d"}


@pytest.mark.parametrize(
    ("code", "meets", "does_not"),
    [
        ("VOL001", jobs.job(*BESIDE_CHIEF, cluster=FLAGS), jobs.job(PLAIN, cluster=FLAGS)),
        (
            "VOL001",
            jobs.job(role("master"), PLAIN, cluster=FLAGS),
            jobs.job(role("chief"), role("worker"), cluster=FLAGS),
        ),
        (
            "VOL001",
            jobs.job(*BESIDE_CHIEF, cluster=Cluster(discovery="both")),
            jobs.job(*BESIDE_CHIEF),
        ),
        (
            "VOL001",
            jobs.job(*BESIDE_CHIEF, cluster=FLAGS),
            jobs.job(role("chief"), role("worker", 2, server=True), cluster=FLAGS),
        ),
        ("VOL002", jobs.job(PLAIN, cluster=Cluster(protocol="grpc+verbs")), jobs.job(PLAIN)),
        ("VOL004", jobs.job(role("worker", node_label="gpu")), jobs.job(PLAIN)),
        (
            "VOL020",
            jobs.job(role("worker", fs_group=0, mounts=(model.HostMount(at="/h", source="/h"),))),
            jobs.job(role("worker", fs_group=0, mounts=(model.PvcMount(at="/d", claim="d"),))),
        ),
        (
            "VOL024",
            jobs.job(role("worker", run_as_user=7, mounts=(SECRET,))),
            jobs.job(role("worker", run_as_user=7, fs_group=8, mounts=(SECRET,))),
        ),
        (
            "VOL024",
            jobs.job(role("worker", run_as_user=7, run_as_group=8, mounts=(OF_GROUP,))),
            jobs.job(role("worker", run_as_user=7, mounts=(OF_GROUP,))),
        ),
        (
            "VOL024",
            jobs.job(role("worker", run_as_user=7, mounts=(SECRET,))),
            jobs.job(role("worker", run_as_user=0, mounts=(SECRET,))),
        ),
        (
            "VOL021",
            jobs.job(role("worker", run_as_user=7, capabilities=("IPC_LOCK",))),
            jobs.job(role("worker", run_as_user=0, capabilities=("IPC_LOCK",))),
        ),
        (
            "VOL013",
            jobs.job(role("worker", restricted=True, run_as_user=7, capabilities=("IPC_LOCK", "NET_BIND_SERVICE"))),
            jobs.job(role("worker", restricted=True, run_as_user=7, capabilities=("NET_BIND_SERVICE",))),
        ),
        *(
            (
                "VOL013",
                jobs.job(role("worker", **{"run_as_user": 7} | broken, restricted=True)),
                jobs.job(role("worker", **{"run_as_user": 7} | broken)),
            )
            for broken in ({"run_as_user": 0}, {"privileged": True}, {"host_network": True}, {"mounts": (FOLDER,)})
        ),
        (
            "VOL014",
            jobs.job(role("worker", restricted=True)),
            jobs.job(role("worker", restricted=True, run_as_user=7)),
        ),
        (
            "VOL005",
            jobs.job(role("worker", args=(refer("HOME"),))),
            jobs.job(role("worker", args=(refer("HOME"),), env={"HOME": "/h"})),
        ),
        (
            "VOL005",
            jobs.job(role("worker", command=("python", refer("HOME")))),
            jobs.job(role("worker", command=refer("HOME"))),
        ),
        (
            "VOL005",
            jobs.job(role("worker", env={"PATH": refer("PATH")})),
            jobs.job(role("worker", env={"B": refer("A"), "A": refer("CHECKPOINT_DIR")}), checkpoint="/c"),
        ),
        (
            "VOL005",
            jobs.job(role("worker", env={"A": refer("B"), "B": refer("A")})),
            jobs.job(role("worker", env={"A": refer("B"), "B": "x"})),
        ),
        (
            "VOL005",
            jobs.job(role("worker", **KEPT | {"outputs": ({**OUTPUT, "source": refer("HOME")},)})),
            jobs.job(role("worker", **KEPT | {"outputs": ({**OUTPUT, "source": refer("A")},)}, env={"A": "x"})),
        ),
        (
            "VOL005",
            jobs.job(role("worker", mounts=({**PVC, "sub_path": refer("HOME")},))),
            jobs.job(role("worker", mounts=({**PVC, "sub_path": refer("A")},), env={"A": "x"})),
        ),
        (
            "VOL006",
            jobs.job(role("worker", workdir=refer("A"), env={"A": "x"})),
            jobs.job(role("worker", workdir="/w")),
        ),
        (
            "VOL007",
            jobs.job(role("worker", mounts=({**PVC, "claim": RunTimeText(parts=(TaskIndex(),))},))),
            jobs.job(role("worker", mounts=(PVC,))),
        ),
        ("VOL008", jobs.job(role("worker", mounts=(HDFS,))), jobs.job(PLAIN)),
        ("VOL009", jobs.job(role("worker", mounts=(ARCHIVE,))), jobs.job(PLAIN)),
        (
            "VOL010",
            jobs.job(role("worker", outputs=({**OUTPUT, "destination": "hdfs://nn/x"},))),
            jobs.job(role("worker", **KEPT)),
        ),
        ("VOL011", jobs.job(role("worker", **KEPT)), jobs.job(PLAIN)),
    ],
)
def test_a_row_with_a_job_that_meets_it_and_one_that_does_not(code: str, meets: Job, does_not: Job) -> None:
    assert code in codes(meets)
    assert code not in codes(does_not)


# --- checks ----------------------------------------------------------------------------------------------------


def test_the_name_furthest_over_its_limit_is_shown() -> None:
    names = [Name("the pod", "p" * 63), Name("the Service", "s" * 66), Name("the volume", "v" * 64)]
    (found,) = check_names(unit(jobs.job(role("worker"), name="n" * 40)), RULES, names)
    assert found.rule.code == "VOL040"
    assert f"the Service would be named {'s' * 66}: 66 characters, but at most 63 are allowed" in found.message
    assert found.helps == ("shorten the job's name to at most 37 characters",)
    assert list(check_names(unit(jobs.job(role("worker"))), RULES, names[:1])) == []


@pytest.mark.parametrize(("name", "wrong"), [("2fast", True), ("fast2", False)])
def test_a_service_begins_with_a_letter(name: str, wrong: bool) -> None:
    assert len(list(check_first_letter(unit(jobs.job(role("worker"), name=name)), RULES, "a Service"))) == wrong


def test_a_program_needs_to_know_what_to_start() -> None:
    def found(worker: model.Role, **fields: object) -> list[str]:
        made = jobs.job(role("chief"), worker, **fields)
        hosts = {"worker": ["a:1"]} if made.cluster.discovery == "flags" else {}
        return [
            d.message for d in check_pods(unit(made), RULES, [(worker, PodPlan(index_of(worker, "f"), hosts=hosts))])
        ]

    silent = role("worker", 2, command=())
    assert found(silent) == []
    assert found(role("worker", 2, command=(), **KEPT)) == [
        "the program that copies its outputs has to start the command of role worker, but the entrypoint of "
        "its image is unknown"
    ]
    assert "computes --task_index" in found(silent, cluster=FLAGS)[0]
    assert (
        found(
            role("worker", 2, command=(), **KEPT),
            build=model.Build(base="x", entrypoint=("a",)),
        )
        == []
    )
    assert found(role("worker", 2, command=(), server=True, **KEPT)) == []


@pytest.mark.parametrize(("length", "wrong"), [(131_071 - len("DATA="), False), (131_072 - len("DATA="), True)])
def test_a_variable_that_linux_would_refuse(length: int, wrong: bool) -> None:
    worker = role("worker", env={"DATA": "x" * length})
    found = list(check_pods(unit(jobs.job(worker)), RULES, [(worker, PodPlan(Index(constant=0)))]))
    assert [d.rule.code for d in found] == ["VOL041"] * wrong
    if wrong:
        assert "variable DATA of role worker is 131072 bytes" in found[0].message


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"workdir": "/app"}, None),
        ({"workdir": "app"}, "workdir needs an absolute path on Kubernetes, but app is relative"),
        ({"mounts": ({"kind": "pvc", "at": "/data", "claim": "d"},)}, None),
        ({"mounts": ({"kind": "pvc", "at": "data/in", "claim": "d"},)}, "data/in is relative"),
        ({"mounts": ({"kind": "hdfs", "at": "data", "uri": "hdfs://n/x"},)}, None),
    ],
)
def test_paths_are_absolute(fields: dict[str, object], told: str | None) -> None:
    worker = role("worker", **fields)
    found = list(check_pods(unit(jobs.job(worker)), RULES, [(worker, PodPlan(Index(constant=0)))]))
    assert [d.rule.code for d in found] == ([] if told is None else ["VOL048"])
    assert all(told is not None and told in d.message for d in found)


def test_a_relative_path_of_the_job_is_told_once() -> None:
    mount = {"kind": "pvc", "at": "data", "claim": "d"}
    asked = unit(jobs.job(role("worker", mounts=(mount,)), role("ps", mounts=(mount,))))
    assert [d.rule.code for d in check_pods(asked, RULES, [])] == ["VOL048"]


def test_an_argument_that_linux_would_refuse() -> None:
    worker = role("worker", args=("é" * 65_536,))
    (found,) = check_pods(unit(jobs.job(worker)), RULES, [(worker, PodPlan(Index(constant=0)))])
    assert "an argument of role worker is 131072 bytes" in found.message


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"gpu": 1, "gpu_resource": "amd.com/gpu"}, None),
        ({"gpu": 1, "gpu_resource": "gpu"}, "as in example.com/gpu"),
        ({"gpu": 0, "gpu_resource": "gpu"}, None),
        ({"resources": {"rdma/hca": amount("1")}}, None),
        ({"resources": {"fpga": amount("1")}}, "as in example.com/fpga"),
        ({"resources": {"ephemeral-storage": amount("1000")}}, None),
        ({"resources": {"requests.nvidia.com/gpu": amount("1")}}, "belong to quotas"),
        ({"resources": {"hugepages-2Mi": amount("4194304")}, "cpu": amount("1")}, None),
        ({"resources": {"hugepages-2Mi": amount("4194304")}}, "together with cpu or memory"),
        ({"resources": {"hugepages-2Mi": amount("4")}, "cpu": amount("1")}, "whole pages of 2Mi"),
        ({"resources": {"hugepages-large": amount("4")}, "cpu": amount("1")}, "named by their size"),
    ],
)
def test_resources_that_no_node_can_have(fields: dict[str, object], part: str | None) -> None:
    """As API server 1.34.4 refuses them."""
    worker = role("worker", **fields)
    found = list(check_pods(unit(jobs.job(worker)), RULES, [(worker, PodPlan(Index(constant=0)))]))
    assert [d.rule.code for d in found] == ([] if part is None else ["VOL047"])
    assert all(part is not None and part in d.message for d in found)


@pytest.mark.parametrize(
    ("name", "command", "lost"),
    [
        ("a.b", "exec train", True),
        ("a-b", "exec train", True),
        ("A_B", "exec train", False),
        ("a.b", ("train",), False),
        ("a.b", (), False),
    ],
)
def test_variables_that_a_shell_drops(name: str, command: object, lost: bool) -> None:
    """Kubernetes takes . and - in a name; dash and busybox do not pass such a variable on (tried)."""
    member = role("worker", env={name: "x"}, command=command)
    found = list(check_pods(unit(jobs.job(member)), RULES, [(member, PodPlan(Index(constant=0)))]))
    assert [told.rule.code for told in found] == (["VOL049"] if lost else [])
