"""What a job has that nobody wrote, where it follows from more than one of its parts; and the job without it.

The defaults of a role alone are its own (:meth:`tfdsl.ir.role.Role.derived`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tfdsl.ir.mounts import ClaimMount
from tfdsl.ir.policies import RESTARTS
from tfdsl.ir.policy import Policy
from tfdsl.ir.read_only import ReadOnlyMap
from tfdsl.ir.role import Claim, Role
from tfdsl.ir.step import Step
from tfdsl.ir.text import Text
from tfdsl.vocabulary.roles import ROLE_NAMES

if TYPE_CHECKING:
    from tfdsl.ir.build import Build
    from tfdsl.ir.model import Job

RETRIES = 3
CHECKPOINT_VARIABLE = "CHECKPOINT_DIR"


def completed(job: Job) -> dict[str, Any]:
    """The fields of ``job`` with its defaults filled in, its roles in order and every part in its place."""
    board = job.role("tensorboard")
    checkpoint = job.checkpoint if job.checkpoint is not None or board is None else board.logdir
    roles = sorted(job.roles, key=lambda role: ROLE_NAMES.index(role.name))
    policies = (*job.policies, *default_policies(roles, job.policies))
    return {
        "retries": job.retries if "retries" in job.model_fields_set else retries(policies),
        "checkpoint": checkpoint,
        "roles": tuple(_role(role, checkpoint) for role in roles),
        "policies": tuple(policy.placed(f"policies[{at}]") for at, policy in enumerate(policies)),
        "claims": tuple(_claims(job.claims, roles)),
        "cluster": job.cluster.placed("cluster"),
        "build": _build(job.build),
    }


def stated(job: Job) -> dict[str, Any]:
    """The fields of ``job`` in which :func:`completed` filled in something, as they were before."""
    fields: dict[str, Any] = {"roles": tuple(_bare_role(role, job) for role in job.roles)}
    if job.retries != retries(job.policies):
        fields["retries"] = job.retries
    if "checkpoint" in job.model_fields_set and job.checkpoint is not None:
        fields["checkpoint"] = job.checkpoint
    if job.claims:
        fields["claims"] = tuple(_bare_claims(job))
    policies = tuple(policy for policy in job.policies if policy.written)
    return fields | ({"policies": policies} if policies else {})


def retries(policies: Iterable[Policy]) -> int:
    """Retries of a job that has none written; tensorboard's own restarts count for nothing."""
    return RETRIES if any(policy.written and policy.action in RESTARTS for policy in policies) else 0


def default_policies(roles: Sequence[Role], written: Sequence[Policy]) -> list[Policy]:
    """The language's defaults that the written policies leave room for.

    The job completes when its chief (master) has, else when all workers that run the command have; any written
    ``completed => complete job`` replaces this, and so does a ``completed`` policy of that role. Any failure without
    subject fails the job. tensorboard restarts in place and never ends the job.
    """
    names = [role.name for role in roles]
    policies: list[Policy] = []
    if not any(p.event == "completed" and p.action == "complete job" for p in written):
        decider = next((name for name in ("chief", "master", "worker") if name in names), None)
        if decider is not None and not any(p.event == "completed" and p.role == decider for p in written):
            policies.append(Policy.default(role=decider, event="completed", action="complete job"))
    if not any(p.event == "failed" and p.role is None for p in written):
        policies.append(Policy.default(event="failed", action="fail job"))
    if "tensorboard" in names and not any(p.event == "failed" and p.role == "tensorboard" for p in written):
        policies.append(Policy.default(role="tensorboard", event="failed", action="restart container"))
    return policies


# --- roles -----------------------------------------------------------------------------------------------------


def _role(role: Role, checkpoint: Text | None) -> Role:
    """``role`` in its place, with what it has from its job."""
    path = f"roles[{role.name}]"
    fields: dict[str, object] = {
        "mounts": tuple(mount.placed(f"{path}.mounts[{at}]") for at, mount in enumerate(role.mounts)),
        "outputs": tuple(output.placed(f"{path}.outputs[{at}]") for at, output in enumerate(role.outputs)),
        "tolerations": tuple(one.placed(f"{path}.tolerations[{at}]") for at, one in enumerate(role.tolerations)),
    }
    if checkpoint is not None and CHECKPOINT_VARIABLE not in role.env:
        fields["env"] = ReadOnlyMap({**role.env, CHECKPOINT_VARIABLE: checkpoint})
    if role.steps:
        fields["steps"] = tuple(_step(step, checkpoint, at, path) for at, step in enumerate(role.steps))
    if role.name == "tensorboard":
        logdir = checkpoint if role.logdir is None else role.logdir
        fields["logdir"] = logdir
        if "command" not in role.model_fields_set:
            fields["command"] = board_command(logdir or "", role.port)
    return role.placed(path, **fields)


def _step(step: Step, checkpoint: Text | None, at: int, path: str) -> Step:
    """``step`` in its place, with the variable that its role has from its job."""
    own = {} if checkpoint is None or CHECKPOINT_VARIABLE in step.env else {CHECKPOINT_VARIABLE: checkpoint}
    return step.placed(f"{path}.steps[{at}]", env=ReadOnlyMap({**step.env, **own}))


def board_command(logdir: Text, port: int) -> tuple[Text, ...]:
    """What tensorboard runs unless it is told (language reference, "tensorboard")."""
    return ("tensorboard", "--logdir", logdir, "--bind_all", "--port", str(port))


def _bare_role(role: Role, job: Job) -> Role:
    """``role`` without what it has from its job."""
    fields = role.stated()
    env = fields.get("env", {})
    if next(reversed(env), None) == CHECKPOINT_VARIABLE and env[CHECKPOINT_VARIABLE] == job.checkpoint:
        fields["env"] = {name: value for name, value in env.items() if name != CHECKPOINT_VARIABLE}
    if role.name == "tensorboard":
        if "checkpoint" in job.model_fields_set and role.logdir == job.checkpoint:
            fields.pop("logdir", None)
        if role.command == board_command(role.logdir or "", role.port):
            fields.pop("command", None)
    return Role.model_validate(fields)


# --- claims ----------------------------------------------------------------------------------------------------


def _claims(claims: Iterable[Claim], roles: Iterable[Role]) -> Iterator[Claim]:
    """The claims in the places of their first mounts, with the access modes that their mounts ask for."""
    mounted = _mounted(roles)
    for claim in claims:
        path, replicas = mounted[claim.name]
        modes = claim.access_modes or _access_modes(replicas)
        yield claim.placed(path, access_modes=modes)


def _bare_claims(job: Job) -> Iterator[Claim]:
    mounted = _mounted(job.roles)
    for claim in job.claims:
        fields = claim.stated()
        if claim.access_modes == _access_modes(mounted[claim.name][1]):
            fields.pop("access_modes", None)
        yield Claim.model_validate(fields)


def _mounted(roles: Iterable[Role]) -> dict[str, tuple[str, int]]:
    """By the name of a claim its first mount, and how many replicas mount it."""
    mounted: dict[str, tuple[str, int]] = {}
    for role in roles:
        for at, mount in enumerate(role.mounts):
            if isinstance(mount, ClaimMount):
                path, replicas = mounted.get(mount.claim, (f"roles[{role.name}].mounts[{at}]", 0))
                mounted[mount.claim] = (path, replicas + role.replicas)
    return mounted


def _access_modes(replicas: int) -> tuple[str, ...]:
    return ("ReadWriteMany" if replicas > 1 else "ReadWriteOnce",)


# --- build -----------------------------------------------------------------------------------------------------


def _build(build: Build | None) -> Build | None:
    if build is None:
        return None
    steps = tuple(step.placed(f"build.steps[{at}]") for at, step in enumerate(build.steps))
    return build.placed("build", steps=steps)
