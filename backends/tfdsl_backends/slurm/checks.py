"""What Slurm or the scripts would refuse or do wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfdsl.backend import Unit
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.suggest import closest, listing
from tfdsl.emit.located import child
from tfdsl.ir.cluster_spec import SHORT_HOST, address_list
from tfdsl.ir.model import ConfigMapRef, Role, SecretRef
from tfdsl.ir.policies import on_eviction, on_exit
from tfdsl.patterns import regex
from tfdsl.text import Span
from tfdsl.vocabulary.statements import RESTARTS
from tfdsl_backends.scripts.roles import hides_gpus
from tfdsl_backends.scripts.texts import archive_suffix, own_long_strings, own_variables, shown
from tfdsl_backends.slurm import messages, sbatch_options
from tfdsl_backends.slurm.job_script import EARLY, UNSAFE, binds, minutes, warning
from tfdsl_backends.slurm.layout import components, largest, single, size_of
from tfdsl_backends.slurm.options import in_containers, port_range, time_limit
from tfdsl_backends.slurm.policies import decided

_PARTITION: Final = regex(r"[A-Za-z0-9_.][A-Za-z0-9_.,-]*\Z")
_CONSTRAINT: Final = regex(r"[A-Za-z0-9_.(\[][A-Za-z0-9_.:,&|*()\[\]-]*\Z")
_IMAGE: Final = regex(r"[A-Za-z0-9_./@:+-]+\Z")
_BEHIND: Final = "options of srun cannot be set; one that a plugin of your site adds goes to submit.sh behind --"
GOES_ON: Final = {*RESTARTS, "ignore", "abort job"}
"""Actions by which a job says that a lost replica does not simply fail it; Slurm ends all of them then."""
KILLED: Final = 137
"""128 + SIGKILL: with which a process ends that the kernel kills alone."""
MANY: Final = 200
"""Replicas of which the steps become a load for the first node."""


def check(unit: Unit) -> Iterator[Diagnostic]:
    """The job first, then role by role."""
    yield from _words(unit)
    yield from _ports(unit)
    yield from _layout(unit)
    yield from _ends(unit)
    yield from _options(unit)
    yield from _addresses(unit)
    hidden = [role.name for role in unit.job.roles if hides_gpus(unit.job, role)]
    if hidden:
        yield messages.GPUS_HIDDEN(unit.origins.span(f"roles[{hidden[0]}]"))
    for role in unit.job.roles:
        yield from _command(unit, role)
        yield from _variables(unit, role)
        yield from _strings(unit, role)
        yield from _containers(unit, role)
        yield from _archives(unit, role)


def _words(unit: Unit) -> Iterator[Diagnostic]:
    """Words of directives, which Slurm splits at blanks and reads like a shell."""
    if unit.job.queue is not None and _PARTITION.match(unit.job.queue) is None:
        place = unit.origins.span("queue")
        yield messages.WORD(place, what="the queue", value=repr(unit.job.queue), more="_ . , -")
    if isinstance(unit.job.priority, str) and _PARTITION.match(unit.job.priority) is None:
        place = unit.origins.span("priority")
        yield messages.WORD(place, what="the priority", value=repr(unit.job.priority), more="_ . -")
    for role in unit.job.roles:
        if role.node_label is not None and _CONSTRAINT.match(role.node_label) is None:
            place = unit.origins.span(child(role.path, "node_label"))
            yield messages.WORD(place, what="the node label", value=repr(role.node_label), more="_ . - & | ( ) [ ] *")
        if in_containers(unit) and role.image is not None and _IMAGE.match(role.image) is None:
            place = unit.origins.span(child(role.path, "image"))
            yield messages.WORD(place, what="the image", value=repr(role.image), more="_ . / @ : + -")


def _ports(unit: Unit) -> Iterator[Diagnostic]:
    first, last = port_range(unit)
    replicas = sum(role.replicas for role in unit.job.roles)
    if not 1024 <= first <= last <= 65535 or last - first + 1 < replicas:
        yield messages.PORT_RANGE(unit.option_place("port_range"), value=unit.text("port_range"))
    if replicas > MANY:
        largest_role = max(unit.job.roles, key=lambda role: role.replicas)
        place = unit.origins.span(child(largest_role.path, "replicas"))
        yield messages.MANY_STEPS(place, count=replicas).help("let one replica use more of a node")


def _layout(unit: Unit) -> Iterator[Diagnostic]:
    roles = unit.job.roles
    place = unit.option_place("allocation")
    if not single(unit):
        asked = components(unit)
        if not unit.text("allocation") and len(asked) > 1:
            yield messages.COMPONENTS(place, count=len(asked)).help(
                'write allocation = "single" to give all replicas the largest size'
            )
        return
    labels = {role.node_label or "none" for role in roles}
    if len(labels) > 1:
        yield messages.SIDE_BY_SIDE(place, what="node_label", values=" and ".join(sorted(labels))).help(
            'write allocation = "components"'
        )
    sizes = [size_of(unit, role) for role in roles]
    top = largest(sizes)
    if any(size != top for size in sizes):
        devices = f", {top.devices} GPUs" if top.devices else ""
        shown_size = f"{top.cpus} processors, {top.memory * top.cpus} MB{devices}"
        yield messages.WASTE(place, size=shown_size).help('write allocation = "components"')


def _ends(unit: Unit) -> Iterator[Diagnostic]:
    job = unit.job
    if not minutes(unit):
        yield messages.NO_LIMIT(unit.origins.job).help("write deadline = 12h, or what the job needs")
    goes_on = any(policy.action in GOES_ON and policy.role != "tensorboard" for policy in job.policies)
    goes_on = goes_on or bool(unit.text("time_limit"))
    if goes_on and not any(policy.event == "evicted" for policy in job.policies):
        what = "starts again from the queue" if decided(unit).evicted == "restart job" else "fails"
        yield messages.NODE_LOSS(unit.origins.job, what=what).help("write on evicted => restart job, or => fail job")
    yield from _killed(unit)


def _killed(unit: Unit) -> Iterator[Diagnostic]:
    """The policies that decide about another end than the language says, when the kernel kills a step."""
    told: set[str] = set()
    for role in unit.job.roles:
        killed, lost = on_exit(unit.job, role, KILLED), on_eviction(unit.job, role)
        if killed is lost or (killed and lost and (killed.action, killed.delay) == (lost.action, lost.delay)):
            continue
        if killed is not None and killed.event == "exit":
            place, what = killed.path, "this policy does not decide"
        else:
            place, what = (lost.path if lost is not None else role.path), "this policy decides"
        if place not in told:
            yield messages.LOST_FOR_MEMORY(unit.origins.span(place), what=what)
        told.add(place)


def _options(unit: Unit) -> Iterator[Diagnostic]:
    """The options time_limit and sbatch."""
    needed = warning(unit) + EARLY
    if 0 < time_limit(unit) <= needed:
        place = unit.option_place("time_limit")
        yield messages.SHORT_LIMIT(place, value=unit.text("time_limit"), seconds=needed).help(
            "write a longer one, or a shorter stop_grace"
        )
    for at, given in enumerate(sbatch_options.given(unit)):
        place = unit.option_place(f"sbatch[{at}]")
        option = f"--{given.name}"
        if not given.name:
            yield _unknown(given, place)
        elif given.instead is not None:
            yield messages.OWN_OPTION(place, option=option).help(given.instead)
        elif (since := sbatch_options.too_new(unit, given)) is not None:
            yield messages.NEW_OPTION(place, option=option, since=since, version=unit.shown_version)
        elif (problem := given.problem()) is not None:
            yield messages.OPTION_VALUE(place, option=option, problem=problem)
        elif given.name == "mem" and any(role.memory is not None for role in unit.job.roles):
            yield messages.TWO_MEMORIES(place).help("remove memory from the job, or --mem from sbatch")


def _unknown(given: sbatch_options.Given, place: Span) -> Diagnostic:
    word = given.written.strip().partition("=")[0].split(" ")[0]
    if not word.startswith("-"):
        return messages.UNKNOWN_OPTION(place, option=repr(given.written)).help(
            'write each option as a text of its own: "--mem=0"'
        )
    diagnostic = messages.UNKNOWN_OPTION(place, option=word)
    if given.near:
        return diagnostic.help(f"it may be {listing(f'--{name}' for name in given.near)}")
    near = closest(word.lstrip("-").replace("_", "-"), sbatch_options.FORMS)
    return diagnostic.help(f"did you mean --{near}?") if near is not None else diagnostic.help(_BEHIND)


def _addresses(unit: Unit) -> Iterator[Diagnostic]:
    addresses = address_list(unit.job)
    if addresses is not None and addresses.room < SHORT_HOST:
        place = unit.origins.span(child(addresses.role.path, "replicas"))
        yield messages.TOO_MANY_ADDRESSES(place, what=addresses.what, count=addresses.count).help(
            'lower replicas, or write cluster { discovery = "none" }'
        )


def _command(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    built = unit.job.build is not None and bool(unit.job.build.entrypoint)
    if not (role.command or role.server or role.is_board or built):
        yield messages.NO_COMMAND(unit.origins.span(role.path), role=role.name).help("write command = [...]")


def _variables(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    for path, name, value in own_variables(role):
        if isinstance(value, SecretRef | ConfigMapRef):
            yield messages.SECRET_VALUE(unit.origins.span(path), name=name).help(
                "read it from a file that only you can read"
            )


def _strings(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    for string in own_long_strings(role):
        place = unit.origins.span(string.path)
        yield messages.TOO_LONG(place, what=string.what, role=role.name, size=string.size).help(
            "put it in a file that the command reads"
        )


def _containers(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    if not in_containers(unit):
        return
    for mount in binds(role):
        for path in (shown(mount.source), mount.at):
            bad = UNSAFE.search(path)
            if bad is not None:
                yield messages.CONTAINER_PATH(unit.origins.span(mount.path), path=path, characters=repr(bad.group()))


def _archives(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    for mount in role.mounts:
        if mount.kind == "archive" and not archive_suffix(mount.source):
            yield messages.ARCHIVE_KIND(unit.origins.span(mount.path), source=shown(mount.source))
