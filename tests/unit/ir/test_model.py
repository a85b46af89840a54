"""The models of the IR: what they refuse, what they fill in, and that JSON leads there and back."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import jsonschema
import pytest
from pydantic import BaseModel, ValidationError

import tfdsl.ir
from tests.unit.backends.jobs import job, policy, role
from tfdsl.ir import model
from tfdsl.ir.model import Job, Role
from tfdsl.vocabulary.quantities import Duration, Quantity

INDEX = model.RunTimeText(parts=("runs/", model.TaskIndex()))


def broken(error: pytest.ExceptionInfo[ValidationError]) -> list[tuple[tuple[object, ...], str]]:
    """Place and type of every error."""
    return [(one["loc"], one["type"]) for one in error.value.errors()]


def test_the_public_names_are_the_models() -> None:
    assert issubclass(tfdsl.ir.Job, BaseModel)
    assert {name: getattr(tfdsl.ir, name) for name in tfdsl.ir.__all__}["Role"] is Role
    with pytest.raises(AttributeError):
        _ = getattr(tfdsl.ir, "Jobs")  # noqa: B009  (type checkers know that there is none)


# --- what is refused -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "value", "type_"),
    [
        ("replicas", 0, "greater_than_equal"),
        ("replicas", "2", "int_type"),
        ("replicas", True, "int_type"),
        ("port", 70_000, "less_than_equal"),
        ("gpu", 0.5, "int_type"),
        ("spread", "rack", "literal_error"),
        ("name", "boss", "literal_error"),
        ("memory", "16Gi", "is_instance_of"),
        ("memory", Quantity("0"), "TFJ2001"),
        ("cpu", Quantity("4Gi"), "TFJ1301"),
        ("image", "Mnist", "TFJ2502"),
        ("labels", {"a b": "c"}, "TFJ2503"),
        ("env", {"..": "x"}, "TFJ2006"),
        ("args", ("a\0",), "TFJ2009"),
        ("workdir", "", "string_too_short"),
        ("cpu_limit", "None", "limit_member"),
        ("memory_limit", Quantity("0"), "TFJ2001"),
        ("node_selector", {"zone": ()}, "TFJ2005"),
        ("node_selector", {"zone": ("a", "b c")}, "TFJ2503"),
        ("node_selector", {"zone": 3}, "union_member"),
        ("ports", {"a": 0}, "greater_than_equal"),
        ("ports", {"HTTP": 80}, "TFJ2502"),
        ("ports", {"debug": 2222}, "TFJ2118"),
        ("run_as_user", -1, "greater_than_equal"),
        ("run_as_group", 2**31, "less_than_equal"),
        ("fs_group", "0", "int_type"),
        ("privileged", 1, "bool_type"),
        ("capabilities", ("CAP_IPC_LOCK",), "TFJ2002"),
        ("min_available", 3, "TFJ2114"),
        ("cpu_limit", Quantity("500m"), "TFJ2119"),
        ("after", ("boss",), "literal_error"),
        ("replica", 1, "extra_forbidden"),
        ("path", "roles[worker]", "extra_forbidden"),
    ],
)
def test_a_role_refuses(field: str, value: object, type_: str) -> None:
    with pytest.raises(ValidationError) as error:
        role("worker", 2, cpu=Quantity("1")).but(**{field: value})
    [(place, found)] = broken(error)
    assert (place[0], found) == (field, type_)


def test_a_mistake_in_a_union_is_one_error() -> None:
    text = """{"name": "j", "roles": [{"name": "worker", "command": 3, "env": {"A": null}, "args": [{"kind": "x"}],
               "mounts": [{"kind": "pvz"}]}], "build": {"base": "b", "steps": [{"kind": "cpy"}]}}"""
    with pytest.raises(ValidationError) as error:
        Job.model_validate_json(text)
    assert [place for place, _ in broken(error)] == [
        ("roles", 0, "command"),
        ("roles", 0, "args", 0),
        ("roles", 0, "env", "A"),
        ("roles", 0, "mounts", 0),
        ("build", "steps", 0),
    ]


def test_several_broken_rules_are_told_at_once_each_at_its_place() -> None:
    with pytest.raises(ValidationError) as error:
        job(
            role("ps", after=("worker",)),
            role("worker", env={"TF_CONFIG": "x"}, after=("ps",)),
            role("master"),
            role("chief"),
            policies=(policy("failed", "restart pod"), policy("failed", "fail job")),
            retries=0,
        )
    assert broken(error) == [
        (("roles", 3), "TFJ2101"),
        (("roles", 1, "after", 0), "TFJ2115"),
        (("roles", 1, "env", "TF_CONFIG", "[key]"), "TFJ2113"),
        (("retries",), "TFJ2117"),
        (("policies", 1, "event"), "TFJ2106"),
    ]


CLAIM = model.Claim(name="runs", size=Quantity("1Gi"))


@pytest.mark.parametrize(
    ("fields", "place", "type_"),
    [
        ({"claims": (CLAIM,)}, ("claims", 0, "name"), "TFJ1802"),
        (
            {"roles": (role("worker", mounts=(model.ClaimMount(at="/a", claim="run"),)),)},
            ("roles", 0, "mounts", 0, "claim"),
            "TFJ1801",
        ),
        ({"roles": (role("ps"),)}, (), "TFJ2103"),
        ({"roles": ()}, (), "TFJ2103"),
        ({"roles": (role("worker"), role("worker"))}, ("roles", 1), "TFJ1507"),
        ({"policies": (policy("failed", "fail job", role="ps"),)}, ("policies", 0, "role"), "TFJ1516"),
        ({"policies": (policy("failed", "fail job", role="worker", index=1),)}, ("policies", 0, "index"), "TFJ2304"),
        ({"policies": (policy("restarted", "fail job", count=1),)}, ("policies", 0, "event"), "TFJ2408"),
    ],
)
def test_a_job_refuses(fields: dict[str, object], place: tuple[object, ...], type_: str) -> None:
    with pytest.raises(ValidationError) as error:
        Job.model_validate({"name": "mnist", "roles": (role("worker"),)} | fields)
    assert broken(error) == [(place, type_)]


@pytest.mark.parametrize(
    ("fields", "place", "type_"),
    [
        ({"event": "completed", "action": "complete job"}, "event", "TFJ2401"),
        ({"event": "unknown", "action": "ignore", "role": "ps"}, "role", "TFJ2403"),
        ({"event": "failed", "action": "complete job"}, "action", "TFJ2404"),
        ({"event": "exit", "action": "fail job"}, "codes", "TFJ2405"),
        ({"event": "exit", "action": "fail job", "codes": (256,)}, "codes", "TFJ2405"),
        ({"event": "pending", "action": "fail job"}, "event", "TFJ2406"),
        ({"event": "exit", "action": "fail job", "codes": (1,), "delay": Duration("1m")}, "delay", "TFJ2407"),
        ({"event": "failed", "action": "fail job", "index": 0}, "index", "TFJ1800"),
        ({"event": "failed", "action": "fail job", "codes": (1,)}, "codes", "TFJ1800"),
        ({"event": "restarted", "action": "fail job"}, "event", "TFJ1800"),
    ],
)
def test_a_policy_refuses(fields: dict[str, object], place: str, type_: str) -> None:
    with pytest.raises(ValidationError) as error:
        model.Policy.model_validate(fields)
    [(found, code)] = broken(error)
    assert (found[0], code) == (place, type_)


def test_an_error_knows_its_advice() -> None:
    with pytest.raises(ValidationError) as error:
        job(role("ps"))
    [one] = error.value.errors()
    assert one["ctx"]["about"]["help"] == ("add role worker { }",)


# --- what is filled in -----------------------------------------------------------------------------------------


def test_a_job_made_by_hand_has_the_defaults_of_the_language() -> None:
    """Language reference: the column of defaults of "Attributes", "tensorboard", and "Statements": on."""
    worker = Role(name="worker", replicas=4, cpu=Quantity("2"), memory=Quantity("4Gi"))
    made = Job(name="digits", roles=(Role(name="tensorboard", logdir="/logs"), worker))
    first, board = made.roles
    assert (first.name, first.min_available, first.port, first.cpu_limit) == ("worker", 4, 2222, Quantity("2"))
    assert (board.min_available, board.port, board.logdir, made.checkpoint) == (0, 6006, "/logs", "/logs")
    assert board.command == ("tensorboard", "--logdir", "/logs", "--bind_all", "--port", "6006")
    assert first.env == board.env == {"CHECKPOINT_DIR": "/logs"}
    assert made.retries == 0
    assert [(p.role, p.event, p.action, p.written) for p in made.policies] == [
        ("worker", "completed", "complete job", False),
        (None, "failed", "fail job", False),
        ("tensorboard", "failed", "restart container", False),
    ]
    assert job(role("worker"), policies=(policy("evicted", "restart pod"),)).retries == 3


@pytest.mark.parametrize(("replicas", "mode"), [(1, "ReadWriteOnce"), (2, "ReadWriteMany")])
def test_a_claim_is_written_by_all_who_mount_it(replicas: int, mode: str) -> None:
    mounts = (model.ScratchMount(at="/s"), model.ClaimMount(at="/runs/", claim="runs"))
    made = job(role("worker", replicas, mounts=mounts), claims=(CLAIM,))
    assert made.claims[0].access_modes == (mode,)
    assert made.claims[0].path == made.roles[0].mounts[1].path == "roles[worker].mounts[1]"
    assert made.roles[0].mounts[1].at == "/runs"


def test_values_of_env_are_texts() -> None:
    made = role("worker", env={"A": 5, "B": True, "C": 1.5e-7, "D": "x"})
    assert made.env == {"A": "5", "B": "true", "C": "0.00000015", "D": "x"}


def test_one_part_may_be_in_several_places() -> None:
    mount = model.PvcMount(at="/d", claim="d")
    made = job(role("chief", mounts=(mount,)), role("worker", mounts=(mount,)))
    assert [one.mounts[0].path for one in made.roles] == ["roles[chief].mounts[0]", "roles[worker].mounts[0]"]
    assert made.roles[0].mounts[0] == made.roles[1].mounts[0] == mount
    assert mount.path == ""


def test_but_makes_defaults_anew() -> None:
    made = job(role("worker", 2), checkpoint="/a")
    assert made.roles[0].but(replicas=3).min_available == 3
    assert made.but(checkpoint="/b").roles[0].env == {"CHECKPOINT_DIR": "/b"}
    assert made.but(policies=(policy("failed", "restart pod"),)).retries == 3


def test_nothing_can_be_changed() -> None:
    made = job(role("worker", env={"A": "x"}))
    with pytest.raises(ValidationError):
        made.name = "other"  # type: ignore[misc]  # what is tried
    with pytest.raises(TypeError):
        made.roles[0].env["A"] = "y"  # type: ignore[index]  # what is tried
    assert hash(made) == hash(job(role("worker", env={"A": "x"})))
    assert copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == made


# --- JSON ------------------------------------------------------------------------------------------------------

FETCH = model.Step(kind="prepare", name="fetch", command=("x",), env={"B": "own"})
FULL = job(
    role(
        "chief",
        1,
        server=False,
        mounts=(
            model.ClaimMount(at="/runs", claim="runs"),
            model.NfsMount(at="/n", server="s", share=model.RunTimeText(parts=("/x", model.TaskIndex()))),
        ),
    ),
    role(
        "worker",
        3,
        after=("ps",),
        command=INDEX,
        env={"A": model.SecretRef(name="s", key="k"), "B": INDEX},
        tolerations=(model.Toleration(operator="Exists"),),
        outputs=(model.Output(source="m", destination="hdfs:///m", index=1),),
        env_from=(model.SecretKeys(name="s"),),
        steps=(
            model.Step(kind="prepare", name="fetch", command=("x",), env={"B": "own"}, env_from=()),
            model.Step(kind="sidecar", name="log", image="log:1", cpu=Quantity("1"), gpu=1, workdir=INDEX),
        ),
    ),
    role("ps", 2, memory=Quantity("4Gi"), memory_limit=Quantity("8Gi"), resources={"a.b/c": Quantity("2")}),
    role("tensorboard", command=()),
    policies=(
        policy("exit", "ignore", role="worker", index=0, codes=(4, 3)),
        policy("failed", "restart job", delay=Duration("1m")),
    ),
    claims=(CLAIM.but(keep=True),),
    build=model.Build(base="python", steps=(model.CopyStep(source="a", destination="/a"), model.RunStep(command="x"))),
    priority="high",
    ttl=Duration("1h30m"),
)


@pytest.mark.parametrize("made", [FULL, job(role("worker")), job(role("worker"), retries=0, checkpoint="/c")])
def test_there_and_back(made: Job) -> None:
    text = made.model_dump_json()
    again = Job.model_validate_json(text)
    assert again == made
    assert again.model_dump_json() == text
    assert [policy.path for policy in again.policies] == [policy.path for policy in made.policies]
    assert [policy.written for policy in again.policies] == [policy.written for policy in made.policies]


def test_a_step_has_what_its_role_has_and_json_leaves_that_out() -> None:
    made = job(
        role(
            "worker",
            env={"A": "1"},
            env_from=(model.SecretKeys(name="s"),),
            memory_limit=Quantity("2Gi"),
            steps=(FETCH,),
        ),
        checkpoint="/c",
    )
    [step] = made.roles[0].steps
    assert step.path == "roles[worker].steps[0]"
    assert (step.image, step.memory, step.env_from) == (made.roles[0].image, Quantity("2Gi"), made.roles[0].env_from)
    assert step.env == {"A": "1", "B": "own", "CHECKPOINT_DIR": "/c"}
    written = {"kind": "prepare", "name": "fetch", "command": ["x"], "env": {"B": "own"}}
    assert json.loads(made.model_dump_json())["roles"][0]["steps"] == [written]
    assert made.roles[0].but(env={"C": "2"}).steps[0].env == {"C": "2", "B": "own"}
    assert job(made.roles[0], checkpoint="/d").roles[0].steps[0].env["CHECKPOINT_DIR"] == "/c"  # it is the role's now


def test_json_leaves_defaults_out() -> None:
    assert json.loads(Job(name="digits", roles=(Role(name="worker", image="r/x:1"),)).model_dump_json()) == {
        "name": "digits",
        "roles": [{"name": "worker", "image": "r/x:1"}],
    }
    dumped = json.loads(FULL.model_dump_json())
    assert dumped["policies"][0] == {"role": "worker", "index": 0, "event": "exit", "codes": [3, 4], "action": "ignore"}
    assert dumped["ttl"] == "1h30m"
    assert dumped["roles"][0] == {
        "name": "chief",
        "image": "registry.example.com/mnist:1.4",
        "command": ["python", "train.py"],
        "mounts": [
            {"kind": "claim", "at": "/runs", "claim": "runs"},
            {"kind": "nfs", "at": "/n", "server": "s",
             "share": {"kind": "run_time", "parts": ["/x", {"kind": "task_index"}]}},
        ],
    }  # fmt: skip
    assert dumped["roles"][3]["command"] == []
    assert dumped["claims"] == [{"name": "runs", "size": "1Gi", "keep": True}]


def test_the_json_schema_takes_the_json_of_a_job() -> None:
    schema = Job.model_json_schema()
    dumped = json.loads(FULL.model_dump_json())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(dumped | {"gang": True}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(dumped | {"gangs": True}, schema)


@pytest.mark.parametrize("text", ["16Gi", "500m", "4", "0.5", "1.5Gi"])
def test_a_quantity_is_made_of_its_text(text: str) -> None:
    assert str(Quantity(text)) == text


@pytest.mark.parametrize("text", ["", "Gi", "1h", "x", "-1", "1e3", "1.2.3", "٣Gi", "9" * 5000])
def test_what_is_not_a_quantity(text: str) -> None:
    with pytest.raises(ValueError, match="not a quantity such as 16Gi"):
        Quantity(text)


@pytest.mark.parametrize("number", [5, 0, float("nan"), None])
def test_an_amount_is_no_bare_number(number: Any) -> None:
    with pytest.raises(TypeError, match='write Quantity\\("16Gi"\\)'):
        Quantity(number)
    with pytest.raises(TypeError, match='write Duration\\("1h30m"\\)'):
        Duration(number)


def test_a_duration_is_made_of_its_text() -> None:
    assert Duration("1h30m") == Duration("90m") == Duration(5_400_000, "90m")
    with pytest.raises(ValueError, match="not a duration such as 1h30m"):
        Duration("16Gi")
