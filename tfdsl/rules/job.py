"""The rules between the values of a role and of a job, in the order in which they are reported at the end.

Source: language reference, "Attributes" and "Steps".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics import command_rules, name_rules, value_rules
from tfdsl.diagnostics.suggest import closest, enumeration, listing
from tfdsl.patterns import regex
from tfdsl.rules import mounts, policies
from tfdsl.rules.broken import KEY, Broken, Place
from tfdsl.rules.values import as_label, label_problem, literal, parts_of
from tfdsl.vocabulary import attributes
from tfdsl.vocabulary.attributes import BOARD, LEADERS
from tfdsl.vocabulary.names import LONGEST_PORT, PORT
from tfdsl.vocabulary.quantities import Quantity

if TYPE_CHECKING:
    from tfdsl.rules.protocols import Job, Role, Step


def replicas(role: Role) -> Iterator[Broken]:
    """The number of replicas, and how many of them must start together."""
    if attributes.ROLES_BY_NAME[role.name].single and role.replicas > 1:
        yield Broken(value_rules.SINGLE_REPLICA, ("replicas",), {"role": role.name, "given": role.replicas})
    least = role.min_available
    if least is not None and least > role.replicas:
        values = {"given": least, "role": role.name, "replicas": role.replicas}
        yield Broken(value_rules.MIN_AVAILABLE, ("min_available",), values)


def limits(role: Role) -> Iterator[Broken]:
    """No limit is below its request."""
    pairs = (("cpu", role.cpu, role.cpu_limit), ("memory", role.memory, role.memory_limit))
    for name, request, limit in pairs:
        if request is not None and isinstance(limit, Quantity) and limit.milli < request.milli:
            values = {"name": f"{name}_limit", "given": limit.text, "request": request.text}
            broken = Broken(value_rules.LIMIT_BELOW_REQUEST, (f"{name}_limit",), values)
            yield broken.note((name,), "the request").marked("the limit")


def training(job: Job, order: Iterable[int]) -> Iterator[Broken]:
    """A job has one chief or master at most, and something that trains."""
    leaders = [at for at in order if job.roles[at].name in LEADERS]
    for at in leaders[1:]:
        yield Broken(value_rules.CHIEF_AND_MASTER, ("roles", at)).note(("roles", leaders[0]), "the other one")
    if not any(attributes.ROLES_BY_NAME[role.name].trains for role in job.roles):
        yield Broken(value_rules.NO_TRAINING_ROLE, ()).help("add role worker { }")


def waiting(job: Job, order: Iterable[int]) -> Iterator[Broken]:
    """No roles wait for each other. ``order``: in which the roles are read; a cycle is reported where it closes."""
    names = [role.name for role in job.roles]
    waits: dict[str, list[str]] = {}
    for at in order:
        role = job.roles[at]
        for number, name in enumerate(role.after):
            place = ("roles", at, "after", number)
            if name is None:
                continue
            if name not in names:
                broken = Broken(name_rules.ROLE_NOT_IN_JOB, place, {"job": job.name, "name": name})
                near = closest(name, names)
                yield broken.help(f"did you mean {near}?" if near else f"its roles are {enumeration(names)}")
            elif name == role.name:
                yield Broken(value_rules.AFTER_CYCLE, place, {"roles": f"role {name}", "whom": "itself"})
            elif chain := _chain(waits, name, role.name):
                values = {"roles": enumeration([role.name, *chain]), "whom": "each other"}
                broken = Broken(value_rules.AFTER_CYCLE, place, values)
                yield broken.marked("this closes the cycle")
            else:
                waits.setdefault(role.name, []).append(name)


def _chain(waits: dict[str, list[str]], start: str, goal: str) -> list[str]:
    """The roles from ``start`` on, each waiting for the next and the last for ``goal``; empty when there are none."""
    chains, seen = [[start]], {start}
    for chain in chains:
        for name in waits.get(chain[-1], ()):
            if name == goal:
                return chain
            if name not in seen:
                seen.add(name)
                chains.append([*chain, name])
    return []


def servers(job: Job) -> Iterator[Broken]:
    """With all workers plain servers somebody else has to run the command."""
    places = {role.name: at for at, role in enumerate(job.roles)}
    worker = places.get("worker")
    if worker is not None and job.roles[worker].server and places.keys().isdisjoint(LEADERS):
        yield Broken(value_rules.SERVER_WITHOUT_CHIEF, ("roles", worker, "server")).help("add role chief { }")


def board(job: Job) -> Iterator[Broken]:
    """TensorBoard shows a folder."""
    for at, role in enumerate(job.roles):
        if role.name == BOARD and role.logdir is None and job.checkpoint is None:
            yield Broken(value_rules.MISSING_LOGDIR, ("roles", at)).help('for example logdir = "/logs"')


def placed(role: Role) -> Iterator[Broken]:
    """What only some roles have is in one of those."""
    for name, present in (("server", role.server), ("logdir", role.logdir is not None)):
        broken = misplaced(name, role.name) if present else None
        if broken is not None:
            yield broken


def misplaced(attribute: str, role: str) -> Broken | None:
    """``role`` takes the attribute."""
    only = attributes.BY_NAME[attribute].roles
    if not only or role in only:
        return None
    broken = Broken(name_rules.MISPLACED_ATTRIBUTE, (attribute,), {"name": attribute, "where": f"role {role}"})
    return broken.help(f"{attribute} is only for {enumeration(only)}")


def roles_apart(job: Job) -> Iterator[Broken]:
    """Every role is there once."""
    first: dict[str, int] = {}
    for at, role in enumerate(job.roles):
        before = first.setdefault(role.name, at)
        if before != at:
            broken = Broken(name_rules.DUPLICATE_BLOCK, ("roles", at), {"name": f"role {role.name}", "where": "job"})
            yield broken.note(("roles", before), "first here").marked("again here")


def images(job: Job) -> Iterator[Broken]:
    """Every role has an image, where the target needs one."""
    for at, role in enumerate(job.roles):
        if role.image is None:
            broken = Broken(value_rules.MISSING_IMAGE, ("roles", at), {"role": role.name})
            yield broken.help('for example image = "registry.example.com/mnist:1.4" in the job')


_USES_ARGS = regex(r"\$(?:[@*1-9#]|\{[@*1-9#])")


def commands(job: Job) -> Iterator[Broken]:
    """Commands that would lose their arguments, and reserved variables."""
    discovery = job.cluster.discovery
    for at, role in enumerate(job.roles):
        if not role.server:
            flags = discovery in ("flags", "both") and role.name != BOARD
            yield from (broken.below("roles", at) for broken in _arguments(role, flags=flags))
        for number, step in enumerate(role.steps):
            yield from (broken.below("roles", at, "steps", number) for broken in _arguments(step, flags=False))
        if discovery != "none":
            yield from (_reserved(discovery, "roles", at, *place) for place in _with_tf_config(role))


def _with_tf_config(role: Role) -> Iterator[Place]:
    """What sets TF_CONFIG; a step that inherits it does not."""
    if "TF_CONFIG" in role.env:
        yield ()
        return
    yield from (("steps", number) for number, step in enumerate(role.steps) if "TF_CONFIG" in step.env)


def _reserved(discovery: str | None, *place: str | int) -> Broken:
    broken = Broken(value_rules.TF_CONFIG_SET, (*place, "env", "TF_CONFIG", KEY))
    broken = broken.help('to set it yourself, write cluster { discovery = "none" }')
    return broken if discovery is None else broken.note(("cluster", "discovery"), "discovery is set here")


def uses_args(program: str) -> bool:
    """Whether the text of a shell program uses its arguments."""
    return _USES_ARGS.search(program) is not None


def _arguments(role: Role | Step, *, flags: bool) -> Iterator[Broken]:
    if parts_of(role.command) is None or uses_args(literal(role.command)):
        return
    if role.args:
        broken = Broken(value_rules.ARGS_IGNORED, ("command",), {"what": "args"})
        yield broken.note(("args",), "these args").help('end the text with "$@"')
    elif flags:
        broken = Broken(value_rules.ARGS_IGNORED, ("command",), {"what": "the discovery flags"})
        yield broken.help('end the text with "$@"')


OWN_NAMES = {"tfjob-port": "the port of the TensorFlow server", "http": "the port of TensorBoard"}
"""The names that targets give to ``port``, and what it is."""

_NAME = regex(PORT)


def default_port(role: str) -> int:
    """The port of a role that does not set one."""
    return 6006 if role == BOARD else 2222


def port_names(ports: Mapping[str, object]) -> Iterator[Broken]:
    """Names of ports (Kubernetes, IsValidPortName), other than that of the role's own."""
    for name in ports:
        problem = _problem(name)
        if problem is not None:
            values = {"name": f'"{name}"', "what": "port", "problem": problem}
            yield Broken(value_rules.OBJECT_NAME, (name, KEY), values)


def _problem(name: str) -> str | None:
    if len(name) > LONGEST_PORT:
        return f"it has {len(name)} characters; at most {LONGEST_PORT} are allowed"
    if name in OWN_NAMES:
        return f"{OWN_NAMES[name]} has this name"
    if not _NAME.fullmatch(name):
        return "use lowercase letters, digits and single -, with at least one letter"
    return None


def numbers(role: Role) -> Iterator[Broken]:
    """All containers of a replica share its address, so no port has two names."""
    own = role.port if role.port is not None else default_port(role.name)
    first: dict[int, tuple[str, Place | None]] = {own: ("port", None if role.port is None else ("port",))}
    for place, name, number in _named(role):
        words, before = first.setdefault(number, (name, place))
        if (words, before) != (name, place):
            values = {"role": role.name, "number": number, "first": words, "second": name}
            broken = Broken(value_rules.PORT_TWICE, place, values).marked("used again here")
            yield broken if before is None else broken.note(before, "first used here")


def _named(role: Role) -> Iterator[tuple[Place, str, int]]:
    for name, number in role.ports.items():
        yield ("ports", name), f"ports.{name}", number
    for at, step in enumerate(role.steps):
        for name, number in step.ports.items():
            yield ("steps", at, "ports", name), f"ports.{name} of {step.kind} {step.name}", number


def misplaced_ports(step: Step) -> Broken | None:
    """A prepare step has ended before anything could reach a port of it."""
    if step.kind == "sidecar" or not step.ports:
        return None
    broken = Broken(name_rules.MISPLACED_ATTRIBUTE, ("ports",), {"name": "ports", "where": f"{step.kind} block"})
    return broken.help("only a sidecar has ports")


RESERVED = "tensorflow"
"""The name of the container that runs the command."""


def step_name(name: str, kind: str) -> Broken | None:
    """The name of a step must be a DNS label, and another one than that of the command's container."""
    problem = "the container of the command has this name" if name == RESERVED else label_problem(name)
    if problem is None:
        return None
    broken = Broken(value_rules.STEP_NAME, (), {"name": f'"{name}"', "kind": kind, "problem": problem})
    near = as_label(name)
    return broken.help(f'write "{near}"') if near and near not in (name, RESERVED) else broken


def started(role: Role) -> Iterator[Broken]:
    """Every step has something to run: a command, or the entrypoint of another image than the role's."""
    for at, step in enumerate(role.steps):
        if not step.command and step.image in (None, role.image):
            values = {"kind": step.kind, "name": step.name}
            broken = Broken(value_rules.STEP_WITHOUT_COMMAND, ("steps", at, "name"), values)
            yield broken.help('for example command = ["python", "/app/fetch.py"]')


def steps_apart(steps: Sequence[Step]) -> Iterator[Broken]:
    """No two steps of a role have one name."""
    first: dict[str, int] = {}
    for at, step in enumerate(steps):
        before = first.setdefault(step.name, at)
        if before != at:
            kind = step.kind if step.kind == steps[before].kind else "a step"
            values = {"name": f"{kind} {step.name}", "where": "role"}
            broken = Broken(name_rules.DUPLICATE_BLOCK, ("steps", at, "name"), values)
            yield broken.note(("steps", before, "name"), "first here").marked("again here")


def both_kinds(name: str, kind: str, first: str) -> Broken:
    """A step is of another kind than in a lower layer."""
    broken = Broken(value_rules.STEP_OF_BOTH_KINDS, ("again",), {"name": name, "kind": kind, "first": first})
    broken = broken.note(("first",), f"a {first} step here").marked(f"a {kind} step here")
    return broken.help(f"give it another name, or take the other one away: unset {first} {_written(name)}")


def _written(name: str) -> str:
    """The name of a step as it is written."""
    return name if name.isidentifier() else f'"{name}"'


def matched(claims: Sequence[str], places: Iterable[tuple[Place, str]]) -> Iterator[Broken]:
    """Every mount of a claim names one of ``claims``, and each of them is mounted. ``places``: each with a claim."""
    mounted: set[str] = set()
    for place, name in places:
        mounted.add(name)
        if name not in claims:
            broken = Broken(command_rules.CLAIM_NOT_IN_JOB, place, {"name": name})
            yield broken.help(f"its claims are {listing(claims)}") if claims else broken
    for at, name in enumerate(claims):
        if name in claims[:at]:
            yield Broken(name_rules.DUPLICATE_NAME, ("claims", at, "name"), {"kind": "claim", "name": name})
        elif name not in mounted:
            yield Broken(command_rules.CLAIM_NOT_MOUNTED, ("claims", at, "name"), {"name": name})


def of_role(role: Role) -> Iterator[Broken]:
    """The rules of a single role."""
    yield from replicas(role)
    yield from limits(role)
    if role.ports or any(step.ports for step in role.steps):
        yield from numbers(role)
    yield from mounts.paths(role)
    if role.steps:
        yield from started(role)


def of_job(job: Job, order: Sequence[int]) -> Iterator[Broken]:
    """The rules between the roles and policies of a job. ``order``: of its roles in their text."""
    yield from training(job, order)
    yield from waiting(job, order)
    yield from servers(job)
    yield from board(job)
    yield from commands(job)
    yield from policies.restarts(job)


def apart_in_role(role: Role) -> Iterator[Broken]:
    """The rules that a text cannot break, or that merging its layers enforces: no duplicates, nothing misplaced."""
    yield from placed(role)
    yield from (broken.below("mounts") for broken in mounts.apart(role.name, role.mounts))
    yield from mounts.in_memory(role)
    yield from mounts.outputs_apart(role)
    if role.steps:
        yield from steps_apart(role.steps)


def apart_in_job(job: Job) -> Iterator[Broken]:
    """The same for a job: every policy has its own, existing subject."""
    yield from roles_apart(job)
    yield from policies.subjects(job)
    yield from policies.apart(job.policies)
