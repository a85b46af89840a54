"""The prepare steps of a job as a script runs them."""

from __future__ import annotations

from typing import cast

from tfdsl.emit import shell
from tfdsl.emit.located import Data, Located, unwrap
from tfdsl.emit.script import Quoted
from tfdsl.ir.model import Job, Role, Step
from tfdsl_backends.scripts.commands import step_command, variable_word, workdir
from tfdsl_backends.scripts.roles import hides_gpus_from_step


def script_steps(job: Job) -> Data:
    """The prepare steps: each once, and for the roles with the same steps their numbers; empty without any."""
    numbers: dict[tuple[str, ...], int] = {}
    made: list[Data] = []
    by_role: dict[tuple[tuple[int, str], ...], list[str]] = {}
    for role in job.roles:
        own: list[tuple[int, str]] = []
        for step in role.steps:
            values = step_values(job, role, step)
            key = (step.name, *(str(unwrap(part)) for part in cast("list[Data]", values["all"])))
            if key not in numbers:
                numbers[key] = len(numbers) + 1
                made.append({**values, "number": str(numbers[key])})
            own.append((numbers[key], step.name))
        if own:
            by_role.setdefault(tuple(own), []).append(role.name)
    groups: list[Data] = [
        {"names": Quoted(" | ".join(names)), "steps": [{"number": str(number), "name": name} for number, name in own]}
        for own, names in by_role.items()
    ]
    return {"each": made, "groups": groups} if made else []


def step_values(job: Job, role: Role, step: Step) -> dict[str, Data]:
    """What the template needs for one step. It gets no TF_CONFIG but its own."""
    variables: list[Data] = [
        Located(Quoted(f"{shell.quote(name)}={variable_word(step, name)}"), f"{owner.path}.env[{name}]")
        for name in step.env
        for owner in (role if role.env.get(name) == step.env[name] else step,)
    ]
    hidden: list[Data] = [Quoted("CUDA_VISIBLE_DEVICES=''")] if hides_gpus_from_step(job, role, step) else []
    words: list[Data] = ["env", "-u", "TF_CONFIG", *hidden, *variables, *step_command(step)]
    folder = workdir(step)
    return {"name": step.name, "workdir": folder, "words": words, "all": [folder, *words]}
