"""What ``compile`` writes is imported again: the same documents come of it, without a patch, and the same job.

The jobs are the examples and jobs that use everything the language has. What a manifest cannot say is not asked for:
where the command ends and its arguments begin behind a program of the compiler, ``${task.index}`` of a role of one
replica, parts of seconds, and what a target leaves out.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests import flows
from tests.conformance.kubernetes import generated
from tests.sampled import sampled
from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.emit.located import plain
from tfdsl.importing.manifests import import_manifests
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.backend import Backend
    from tfdsl.compiling.pipeline import Made
    from tfdsl.ir.model import Job

TARGETS = ("tfjob", "volcano", "kubernetes")
EXAMPLES = sorted(path.parent.name for path in (Path(__file__).parents[2] / "examples").glob("*/main.tfjob"))
PATCHED = {("everything", "volcano")}
"""The example has a patch of its own for this target."""

QUICK = 10
MANY = 300


def backend(name: str) -> Backend:
    found = targets.find(name)
    assert found is not None
    return found


def compiled(text: str, target: str) -> Made | None:
    made = pipeline.compile_source(Source("job.tfjob", text), backend(target))
    return made[0] if made else None


def manifest(made: Made) -> str:
    return "\n---\n".join(pipeline.written(document).text for document in made.documents)


def names(made: Made) -> list[tuple[str, str]]:
    documents: list[Any] = [plain(document.data) for document in made.documents]
    return sorted((document["kind"], document["metadata"]["name"]) for document in documents)


def check(text: str, target: str, *, patched: bool = False) -> bool:
    """Compile ``text``, import what comes of it, and compile that; whether the target takes it, and a server would."""
    made = compiled(text, target)
    if made is None:
        return False
    [result] = import_manifests([Source("manifest.yaml", manifest(made))], target=backend(target))
    warnings = [one.message for one in result.diagnostics if one.level != "info"]
    if any("the server refuses" in one for one in warnings):
        return False
    assert [(job.kept, bool(job.patches)) for job in result.jobs] == [(True, patched)], (warnings, result.text)
    again = compiled(result.text, target)
    assert again is not None
    assert names(again) == names(made)
    assert meaning(again.unit.job) == meaning(made.unit.job)
    return True


def meaning(job: Job) -> dict[str, Any]:
    """What a manifest says of a job, by role: its size, what runs in which image, and what each replica has."""
    return {role["name"]: _of_role(role, role.get("replicas", 1)) for role in job.model_dump(mode="json")["roles"]}


KEPT = ("replicas", "image", "image_pull_policy", "workdir", "env_from", "resources", "shm", "tmp_size", "port",
        "ports", "host_network", "service_account", "run_as_user", "run_as_group", "fs_group", "privileged",
        "capabilities", "restricted", "node_selector", "tolerations", "spread", "labels", "annotations")  # fmt: skip


def _of_role(role: dict[str, Any], replicas: int) -> dict[str, Any]:
    said = {name: role[name] for name in KEPT if role.get(name)}
    said["server"] = role.get("server", False)
    said["env"] = _texts(role.get("env", {}), replicas)
    if said["server"]:  # the compiler gives it the index that nothing of it uses
        said["env"] = {name: value for name, value in said["env"].items() if not name.endswith("_INDEX")}
    else:
        said["argv"] = _argv(role, replicas)
    said["mounts"] = sorted((mount["at"], mount.get("readonly", False)) for mount in role.get("mounts", ()))
    said["outputs"] = [(_text(one["source"], replicas), one.get("when")) for one in role.get("outputs", ())]
    said["steps"] = [
        {
            "name": step["name"],
            "kind": step["kind"],
            "argv": _argv(step, replicas),
            "env": _texts(step.get("env", {}), replicas),
        }
        for step in role.get("steps", ())
    ]
    return said


def _argv(holder: dict[str, Any], replicas: int) -> list[str]:
    command = holder.get("command", [])
    words = command if isinstance(command, list) else [command]
    return [_text(word, replicas) for word in (*words, *holder.get("args", ()))]


def _texts(values: dict[str, Any], replicas: int) -> dict[str, Any]:
    return {name: _text(value, replicas) for name, value in values.items()}


def _text(value: Any, replicas: int) -> Any:
    """A text with its run-time parts as they are written; the index of the only replica is known."""
    if not isinstance(value, dict) or value.get("kind") != "run_time":
        return value
    index = "0" if replicas == 1 else "${task.index}"
    return "".join(
        part if isinstance(part, str) else index if part["kind"] == "task_index" else f"${{{part['name']}}}"
        for part in value["parts"]
    )


@pytest.mark.parametrize("target", TARGETS)
def test_the_examples_that_a_target_takes(target: str) -> None:
    folder = Path(__file__).parents[2] / "examples"
    texts = {example: (folder / example / "main.tfjob").read_text("utf-8") for example in EXAMPLES}
    came_back = {name for name, text in texts.items() if check(text, target, patched=(name, target) in PATCHED)}
    assert came_back >= {path.parents[1].name for path in folder.glob(f"*/expected/{target}")} - flows.EXAMPLES


def taken(target: str, numbers: range) -> list[int]:
    return [number for number in numbers if check(generated.job(target, number), target)]


@pytest.mark.parametrize("target", TARGETS)
def test_jobs_with_everything(target: str) -> None:
    assert taken(target, range(QUICK))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("first", sampled(range(QUICK, MANY, QUICK), 10))
def test_many_jobs(target: str, first: int) -> None:
    for number in range(first, first + QUICK):  # of some ten a target takes none
        check(generated.job(target, number), target)
