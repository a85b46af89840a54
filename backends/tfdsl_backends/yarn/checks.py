"""What the client, YARN or the scripts would refuse or do wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfdsl.backend import Unit
from tfdsl.diagnostics import Diagnostic
from tfdsl.emit.located import child
from tfdsl.ir.model import BaseMount, Role, Text
from tfdsl.patterns import regex
from tfdsl.record import replace
from tfdsl.text import Span
from tfdsl_backends.hadoop.checks import (
    LEAST_MEMORY,
    check_addresses,
    check_environment,
    check_files,
    check_hidden_gpus,
    check_nesting,
    check_role_options,
    check_strings,
    check_virtual_memory,
)
from tfdsl_backends.hadoop.when import in_docker
from tfdsl_backends.scripts.texts import archive_suffix, is_sent
from tfdsl_backends.yarn import messages
from tfdsl_backends.yarn.applications import (
    DEFAULT_MEMORY,
    IMAGE,
    SAFE_PATH,
    Size,
    applications,
    differences,
    docker_mounts,
    per_role,
    size_of,
    tmpfs_mounts,
    waste,
)
from tfdsl_backends.yarn.needs import needs_hdfs
from tfdsl_backends.yarn.options import features, is_yarn_tf
from tfdsl_backends.yarn.placement import (
    OPTION,
    SELF,
    Constraint,
    ConstraintError,
    Near,
    all_near,
    beyond_first_form,
    constraints,
    other_roles,
    parse,
)
from tfdsl_backends.yarn.policies import rendezvous_seconds

TAKEN: Final = regex(
    r"(?:\.tfjob|ExecScript\.sh|container_tokens|launch_container\.sh|[a-z]+_container_executor.*\.sh|sysfs|tmp|"
    r"tfjob-.*|\..*\.crc)\Z"
)
"""Names in the work folder of a container that YARN, DistributedShell and the scripts use."""


def check(unit: Unit) -> Iterator[Diagnostic]:
    """The job first, then role by role."""
    yield from _client_words(unit)
    yield from _port_range(unit)
    yield from check_files(unit, messages.SHARED, TAKEN)
    yield from _layout(unit)
    yield from check_placement(unit)
    yield from _hdfs_client(unit)
    yield from _pending_limits(unit)
    yield from check_addresses(unit, messages.SHARED)
    yield from _default_memory(unit)
    yield from check_hidden_gpus(unit, messages.SHARED)
    little = [role for role in unit.job.roles if role.gpu or size_of(unit, role).memory < LEAST_MEMORY]
    yield from check_virtual_memory(unit, messages.SHARED, little)
    for role in unit.job.roles:
        yield from _command(unit, role)
        yield from check_environment(unit, messages.SHARED, role)
        yield from check_strings(unit, messages.SHARED, role)
        yield from _memory(unit, role)
        yield from _docker(unit, role)
        yield from _mounts(unit, role)
        yield from check_nesting(unit, messages.SHARED, role)
        yield from _archives(unit, role)
    if is_yarn_tf(unit):
        yield from _yarn_tf(unit)


def _client_words(unit: Unit) -> Iterator[Diagnostic]:
    """Words that start with ``-``: the client reads them as options wherever they are (commons-cli GnuParser)."""
    words = [("the queue", "queue", unit.job.queue)]
    words += [("the node label", child(role.path, "node_label"), role.node_label) for role in unit.job.roles]
    for what, path, word in words:
        if word is not None and (word.startswith("-") or not word.isprintable()):
            yield messages.QUEUE_NAME(unit.origins.span(path), what=what, value=repr(word))


def _port_range(unit: Unit) -> Iterator[Diagnostic]:
    """There must be enough ports even if all tasks run on one node."""
    first, last = (int(number) for number in unit.text("port_range").split("-"))
    tasks = sum(role.replicas for role in unit.job.roles)
    if not 1024 <= first <= last <= 65535 or last - first + 1 < tasks:
        yield messages.PORT_RANGE(unit.option_place("port_range"), value=unit.text("port_range"))


def _layout(unit: Unit) -> Iterator[Diagnostic]:
    """How many applications the job becomes, and what that costs."""
    differing = differences(unit)
    place = unit.option_place("applications")
    if is_yarn_tf(unit):
        if unit.text("applications") == "per-role":
            yield messages.YARN_TF_SIZES(place)
    elif per_role(unit):
        if not unit.text("applications"):
            yield messages.PER_ROLE(place, what=", ".join(differing)).help(
                'write applications = "one" to give all containers the largest size'
            )
        return
    if len(unit.job.roles) == 1:
        return
    apart = 'write dialect = "stock"' if is_yarn_tf(unit) else 'write applications = "per-role"'
    for what in ("runtime", "image", "docker mounts", "privileges"):
        if what in differing:
            values = sorted({_value(unit, role, what) for role in unit.job.roles})
            yield messages.ONE_IMAGE(place, what=what, values=" and ".join(values)).help(
                f"{apart} to give each role its own"
            )
    lost = waste(unit)
    if lost != Size(0, 0):
        diagnostic = messages.WASTE(place, size=_shown(applications(unit)[0].size), waste=_shown(lost))
        diagnostic = diagnostic.help(f"{apart} to request what each role needs")
        yield replace(diagnostic, approximation=True)


def _value(unit: Unit, role: Role, what: str) -> str:
    if what == "image":
        return str(role.image)
    if what == "runtime":
        return "docker" if in_docker(unit, role) else "native"
    if what == "privileges":
        return "privileged = true" if role.privileged else "false"
    return ",".join(map(str, docker_mounts(unit, role))) or "none"


def _shown(size: Size) -> str:
    parts = [f"{size.memory} MB"] if size.memory else []
    parts += [f"{size.vcores} vcores"] if size.vcores else []
    return ", ".join([*parts, *(f"{count} {name}" for name, count in size.others)])


def _hdfs_client(unit: Unit) -> Iterator[Diagnostic]:
    """Docker containers use the image's Hadoop client, a folder of the node, or WebHDFS; something must say which."""
    job = unit.job
    built = job.build is not None and job.build.hadoop is not None
    if unit.text("hadoop_home") or unit.text("webhdfs") or built or is_yarn_tf(unit):
        return
    uses = needs_hdfs(unit)
    docker = [role for role in job.roles if in_docker(unit, role)]
    if uses and docker:
        image = unit.origins.span(child(docker[0].path, "image"))
        diagnostic = messages.NO_CLIENT(unit.option_spans.get("runtime", image), what=", ".join(uses))
        diagnostic = diagnostic.help('to put a client into the image, write build { hadoop = "3.4.1" }')
        diagnostic = diagnostic.help('to use the nodes\' client, write target yarn { hadoop_home = "/opt/hadoop" }')
        diagnostic = diagnostic.help('to use no client, write target yarn { webhdfs = "http://namenode:9870" }')
        yield replace(diagnostic, approximation=True)


def _pending_limits(unit: Unit) -> Iterator[Diagnostic]:
    """Several ``pending`` policies share one limit."""
    delays = [policy for policy in unit.job.policies if policy.event == "pending" and policy.delay is not None]
    if len({policy.delay for policy in delays}) > 1:
        place = unit.origins.span(child(delays[-1].path, "delay"))
        yield messages.PENDING_LIMIT(place, limit=f"{rendezvous_seconds(unit):g} s")


def _default_memory(unit: Unit) -> Iterator[Diagnostic]:
    """Roles without memory; one diagnostic, at the first of them."""
    roles = [role for role in unit.job.roles if role.memory is None]
    if roles:
        names = ", ".join(role.name for role in roles)
        yield messages.DEFAULT_MEMORY(unit.origins.span(roles[0].path), roles=names, memory=DEFAULT_MEMORY).help(
            "write memory, e.g. memory = 4Gi"
        )


def _command(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    """The script starts the command and cannot know an image's entrypoint."""
    build = unit.job.build
    if not (role.server or role.is_board or role.command or (build is not None and build.entrypoint)):
        yield messages.NO_COMMAND(unit.origins.span(role.path), role=role.name).help(
            'write command = ["python", "/app/train.py"]'
        )


def _memory(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    """Memory that YARN would lower."""
    memory, maximum = size_of(unit, role).memory, unit.options["max_container_memory"]
    if isinstance(maximum, int) and memory > maximum:
        place = unit.origins.span(child(role.path, "memory"))
        lowered = messages.MEMORY_LOWERED(place, role=role.name, memory=memory, maximum=maximum)
        yield lowered.help(
            f"write memory = {maximum}Mi or less, or raise max_container_memory if the cluster allows more"
        )


def _docker(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    """The image's name and the paths of docker mounts, which pass through three shells and YARN's own syntax."""
    if not in_docker(unit, role):
        return
    if role.image is not None and not IMAGE.match(role.image):
        yield messages.IMAGE_NAME(unit.origins.span(child(role.path, "image")), image=role.image)
    if is_yarn_tf(unit):
        return
    for mount in docker_mounts(unit, role):
        for path in dict.fromkeys((mount.source, mount.target)):
            if not SAFE_PATH.match(path):
                place = unit.option_place(mount.path) if mount.path in unit.options else unit.origins.span(mount.path)
                yield messages.DOCKER_PATH(place, path=path, characters=_unsafe(path))
    for path in tmpfs_mounts(role):
        if not SAFE_PATH.match(path):
            yield messages.DOCKER_PATH(unit.origins.span(role.path), path=path, characters=_unsafe(path))


def _unsafe(path: str) -> str:
    """The characters of ``path`` that YARN's list of mounts cannot hold, in order."""
    return " ".join(repr(char) for char in dict.fromkeys(path) if not SAFE_PATH.match(char)) or "nothing"


def _mounts(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    """Places in which the script creates a link or a folder."""
    for mount in role.mounts:
        why = _misplaced(mount, linked=is_yarn_tf(unit) or not in_docker(unit, role))
        if why:
            yield messages.LINK_PLACE(unit.origins.span(mount.path), at=mount.at, why=why)


def _misplaced(mount: BaseMount, *, linked: bool) -> str:
    """Why a link or folder must not be created at the mount's path; empty if it may. Docker links no absolute path."""
    steps = mount.at.split("/")
    if ".." in steps:
        return "it is outside the work folder"
    if mount.at.startswith("~"):
        return "nothing replaces ~"
    if mount.at == "/":
        return "it is the root of the node"
    if mount.at in ("", ".") and getattr(mount, "kind", "") != "archive":
        return "it is the work folder itself"
    if steps[0] == ".tfjob":
        return "the task program keeps its files there"
    source = getattr(mount, "source", "")
    inside = linked and isinstance(source, str) and source.startswith(mount.at.rstrip("/") + "/")
    return f"{source} is inside it" if inside and mount.at.startswith("/") else ""


def _archives(unit: Unit, role: Role) -> Iterator[Diagnostic]:
    """An archive's kind is in its name; a file that is sent must have a name when the job is submitted."""
    for mount in role.mounts:
        if mount.kind != "archive":
            continue
        place = unit.origins.span(mount.path)
        if is_sent(mount.source) and not isinstance(mount.source, str):
            yield messages.SENT_ARCHIVE(place).help("only an hdfs:// URI can contain ${task.index}")
        elif not archive_suffix(mount.source):
            yield messages.ARCHIVE_KIND(place, source=mount.source if isinstance(mount.source, str) else "the archive")


def _yarn_tf(unit: Unit) -> Iterator[Diagnostic]:
    """The modified client has two roles, and pairs without ``,`` and ``:`` in them."""
    for role in unit.job.roles:
        if role.name not in ("ps", "worker"):
            yield messages.YARN_TF_ROLE(unit.origins.span(role.path), role=role.name)
        pairs: list[tuple[str, tuple[Text, ...]]]
        pairs = [(m.path, (m.source, m.at)) for m in role.mounts if m.kind == "host"]
        pairs += [(o.path, (o.source, o.destination)) for o in role.outputs]
        for path, texts in pairs:
            for text in texts:
                place = unit.origins.span(path)
                if not isinstance(text, str):
                    yield messages.YARN_TF_PAIR(place, path="the path", characters="a value known when the task runs")
                elif not SAFE_PATH.match(text.replace("hdfs://", "").replace(":", "", text.count("hdfs://"))):
                    yield messages.YARN_TF_PAIR(place, path=text, characters=_unsafe(text))


FORMS = (
    "write IN or NOTIN,NODE or RACK,TAG; CARDINALITY,NODE,TAG,MIN,MAX; NAME=VALUE or NAME!=VALUE of a node "
    "attribute; or AND(…:…), OR(…:…)"
)


def check_placement(unit: Unit) -> Iterator[Diagnostic]:
    """Each role's constraint, then what they are together."""
    given = unit.entries(OPTION)
    if not given:
        return
    have = features(unit.version)
    if is_yarn_tf(unit) or not have.placement:
        what = "the yarn-tf client" if is_yarn_tf(unit) else f"Hadoop {unit.shown_version}"
        yield messages.PLACEMENT_VERSION(unit.option_place(OPTION), what=what, part="constraints").help(
            'write dialect = "stock"' if is_yarn_tf(unit) else 'write version = "3.3", or node_label in the role'
        )
        return
    yield from check_role_options(unit, messages.SHARED, OPTION)
    for role, text in given.items():
        if unit.job.role(role) is not None:
            yield from _one(unit, role, str(text), first_form=have.placement == "tag=N")
    if len(unit.job.roles) > 1 and not per_role(unit) and unit.once(constraints):
        yield messages.PLACEMENT_ONE(unit.option_place(OPTION)).help('write applications = "per-role"')
    yield from _cycles(unit)


def _place(unit: Unit, role: str) -> Span:
    return unit.option_place(f"{OPTION}[{role}]")


def _one(unit: Unit, role: str, text: str, *, first_form: bool) -> Iterator[Diagnostic]:
    place = _place(unit, role)
    try:
        constraint = parse(text)
    except ConstraintError as error:
        yield messages.PLACEMENT_FORM(place, role=role, why=error).help(FORMS)
        return
    beyond = _beyond(unit, role, constraint) if first_form else ""
    if beyond:
        yield messages.PLACEMENT_VERSION(place, what=f"Hadoop {unit.shown_version}", part=beyond).help(
            'write version = "3.3"'
        )
        return
    for near in all_near(constraint):
        yield from _unknown_tags(unit, role, near)
    for near in all_near(constraint, certain=True):
        if near.needs_one and any(space in ("", SELF) and tag == role for space, tag in near.tags):
            yield messages.PLACEMENT_OF_ITSELF(place, role=role, word=near.word)


def _beyond(unit: Unit, role: str, constraint: Constraint) -> str:
    """What of a constraint Hadoop 3.1 does not know."""
    spread = unit.job.role(role)
    if spread is not None and spread.spread == "node" and spread.replicas > 1:
        return 'AND(…), which joins it with spread = "node"'
    others = [tag for near in all_near(constraint) for tag in other_roles(unit, role, near)]
    return beyond_first_form(constraint) or (
        f"tags of other applications, such as that of {others[0]}" if others else ""
    )


def _unknown_tags(unit: Unit, role: str, near: Near) -> Iterator[Diagnostic]:
    """Tags that no container of the application has, so that nothing or everything satisfies the constraint."""
    for space, tag in near.tags:
        if (not space and unit.job.role(tag) is None) or (space == SELF and tag != role):
            yield messages.PLACEMENT_TAG(_place(unit, role), tag=tag).help(
                f"write all/{tag} for containers of other applications, or the name of a role"
            )


def _cycles(unit: Unit) -> Iterator[Diagnostic]:
    """Roles whose first containers wait for each other."""
    waits = {
        role: {
            tag
            for near in all_near(constraint, certain=True)
            if near.needs_one
            for tag in other_roles(unit, role, near)
        }
        for role, constraint in unit.once(constraints).items()
    }
    for role in waits:
        reached: set[str] = set()
        todo = set(waits[role])
        while todo:
            reached |= todo
            todo = {after for one in todo for after in waits.get(one, ())} - reached
        if role in reached:
            yield messages.PLACEMENT_CYCLE(_place(unit, role), roles=" and ".join(sorted(reached)))
            return
