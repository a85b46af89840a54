"""Volcano jobs as jobs of the language; the inverse of :mod:`tfdsl_backends.volcano.lower`.

A CronJob makes jobs by the clock, a JobFlow makes them of JobTemplates. The job inside is the one that is read. Where a
shell builds TF_CONFIG from the hosts files of svc, as Volcano's own example does, the command is kept as it is; the
compiler can give the same TF_CONFIG, so the shorter job is offered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tfdsl.backend import Unit
from tfdsl.backend.draft import Attribute, Block, Draft, Step, Value
from tfdsl.backend.reading import Asked, Field, Group
from tfdsl.diagnostics.command_rules import NOT_KEPT, READ_DIFFERENTLY, SERVER_REFUSES
from tfdsl.ir.fields import Origins
from tfdsl.ir.model import Job
from tfdsl.manifest.nodes import (
    Document,
    Mapping as Map,
    Node,
    Scalar,
    Sequence as Listed,
    View,
    changed,
    child,
    view,
    with_value,
)
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.rules.job import OWN_NAMES, port_names
from tfdsl.text import Span
from tfdsl.vocabulary.attributes import BOARD
from tfdsl.vocabulary.names import LONGEST_PORT
from tfdsl_backends.podspec.plan import CONTAINER, PORT_NAME
from tfdsl_backends.podspec.reading.batch import schedule_of
from tfdsl_backends.podspec.reading.beside import kept_claims
from tfdsl_backends.podspec.reading.facts import ClaimFacts, PodFacts, PodsRead
from tfdsl_backends.podspec.reading.mounts import claim_spec_facts
from tfdsl_backends.podspec.reading.objects import Neighbours, job_name, read_metadata, unless_refused
from tfdsl_backends.podspec.reading.pods import add_missing_images, read_pods
from tfdsl_backends.podspec.reading.settings import plain
from tfdsl_backends.podspec.reading.values import seconds
from tfdsl_backends.volcano.controller import MAX_RETRY, Task, minimums, reactions
from tfdsl_backends.volcano.features import API_VERSION, PLUGINS, VERSIONS, plugin_variables
from tfdsl_backends.volcano.fields import SPEC
from tfdsl_backends.volcano.names import labels
from tfdsl_backends.volcano.normal import (
    HEADERS,
    TEMPLATES,
    JobVolume,
    aligned,
    by_task,
    held,
    in_templates,
    normal,
    without_generated_names,
)
from tfdsl_backends.volcano.options import OPTIONS
from tfdsl_backends.volcano.pods import VGPU_MEMORY, VGPU_NUMBER
from tfdsl_backends.volcano.reading_policies import JobPolicies, RoleTask, read_policies
from tfdsl_backends.volcano.reading_roles import (
    RoleOf,
    dead_policies,
    refusals,
    restart_policy,
    roles,
    task_name,
    unused_fields,
)
from tfdsl_backends.volcano.tfconfig import ADDRESSABLE, INDEX_FIELD, PLUGIN_ROLES, REACHABLE, shell_text

__all__ = ["FIELDS", "aligned", "groups", "normal", "read"]

_CRON: Final = "CronJob"
_TARGET: Final = "volcano"
_LOST_CONFIG: Final = "Volcano's tensorflow plugin sets TF_CONFIG itself, and the last one counts"

FIELDS: tuple[Field, ...] = (
    Field("metadata.name", "job NAME"),
    Field("metadata.namespace", "namespace"),
    Field("metadata.labels.<key>", "labels"),
    Field("metadata.annotations.<key>", "annotations"),
    Field("spec.schedulerName", "scheduler", "volcano is the default"),
    Field("spec.queue", "queue", "default is the default"),
    Field("spec.priorityClassName", "priority"),
    Field("spec.ttlSecondsAfterFinished", "ttl"),
    Field("spec.minAvailable", "gang", "1 is gang = false; any other than the sum of the tasks is gang_size"),
    Field("spec.maxRetry", "retries", "retries + 1; it counts starts; 3, its default, in target volcano"),
    Field("spec.minSuccess", "", "a patch"),
    Field("spec.networkTopology", "", "a patch"),
    Field("spec.runningEstimate", "", "left out: nothing in Volcano reads it"),
    Field("spec.plugins.<name>", "plugins", "an option of the target, where they are not env, svc and tensorflow"),
    Field("spec.plugins.tensorflow", "cluster { discovery }", "TF_CONFIG is the default of the language"),
    Field("spec.policies[].event", "on", "failed, pending, unknown, completed, restarted; evicted, in target volcano"),
    Field("spec.policies[].exitCode", "on exit", "a status after a policy for PodFailed never decides"),
    Field("spec.policies[].action", "on", "TerminateJob is fail job, RestartTask is restart role"),
    Field("spec.policies[].timeout", "after"),
    Field("spec.volumes[].volumeClaim", "mount claim"),
    Field("spec.volumes[].volumeClaimName", "mount pvc"),
    Field("spec.tasks[].name", "role", "the option task_names keeps a name on which addresses depend"),
    Field("spec.tasks[].replicas", "replicas", "a task with 0 is left out"),
    Field("spec.tasks[].minAvailable", "min_available"),
    Field("spec.tasks[].maxRetry", "on restarted N", "it is only looked at for TaskFailed"),
    Field("spec.tasks[].dependsOn.name", "after"),
    Field("spec.tasks[].dependsOn.iteration", "after_any", "an option of the target"),
    Field("spec.tasks[].policies", "on", "in the role"),
    Field("spec.tasks[].topologyPolicy", "", "a patch"),
    Field("spec.tasks[].partitionPolicy", "", "a patch"),
    Field("spec.tasks[].template.spec.restartPolicy", "on failed", "or the option restart_policy"),
    Field("status", "", "left out: it is the server's"),
    Field("spec.schedule", "", "left out: the job of the CronJob is read", _CRON),
    Field("spec.jobTemplate.spec", "job", form=_CRON),
)


def groups(documents: Sequence[Document]) -> Sequence[Group]:
    """Each Volcano job with the claims and the Service that the compiler would write beside it."""
    found: list[Group] = []
    neighbours = Neighbours(documents)
    for document in documents:
        kind = _kind(document.node)
        if kind:
            metadata = view(document.node)["metadata"]
            near = neighbours.of(metadata["namespace"].text, metadata["name"].text)
            beside = [other for other in near if other is not document and _belongs(other, document)]
            what = "Volcano Job" if kind == "Job" else f"job of a Volcano {kind}"
            found.append(Group(what, (document, *beside)))
    return found


def _kind(node: Node) -> str:
    """``Job``, or what holds one; empty for everything else."""
    root = view(node)
    version, kind = root["apiVersion"].text or "", root["kind"].text
    served = {"Job": HEADERS, "CronJob": (API_VERSION,), "JobTemplate": TEMPLATES}
    return kind if kind is not None and version in served.get(kind, ()) else ""


def report_holder(document: Document, asked: Asked) -> None:
    """Report that the object around a job is not read."""
    root = view(document.node)
    kind, spec = root["kind"].text, root["spec"]
    if kind == "CronJob":
        reason = "a job of the language has no schedule; to keep it, put the compiled job into spec.jobTemplate"
        for diagnostic in schedule_of(spec, reason):
            asked.report(diagnostic)
    elif kind == "JobTemplate":
        reason = "to start the job from a JobFlow, put the compiled spec into the JobTemplate"
        asked.report(NOT_KEPT(root["kind"].span, what="the JobTemplate around the job", reason=reason))


def _belongs(document: Document, job: Document) -> bool:
    """Whether ``document``, in the namespace of ``job``, is one that the compiler writes beside it."""
    root, other = view(document.node), view(job.node)
    name, of = root["metadata"]["name"].text or "", other["metadata"]["name"].text
    if root["kind"].text == "Service":
        return name == f"{of}-{BOARD}"
    return root["kind"].text == "PersistentVolumeClaim" and name.startswith(f"{of}-") and name in _claimed(other)


def _claimed(job: View) -> set[str]:
    """The claims that the pods of ``job`` name."""
    words: set[str] = set()
    for task in job["spec"]["tasks"].items():
        for volume in task["template"]["spec"]["volumes"].items():
            claim = volume["persistentVolumeClaim"]["claimName"].text
            if claim:
                words.add(claim)
    return words


class _Gang(Record):
    """What is said of a gang. ``size``: where the sum of the roles' minimums is not it; ``minimums``: by role."""

    minimums: Mapping[str, int]
    gang: bool = True
    size: int | None = None


def read_gang(draft: Draft, spec: View, roles: Sequence[RoleOf], asked: Asked) -> None:
    """Replicas, minimums, ``after``, and what the job says about its gang."""
    gang = _gang(spec, roles, _after(draft, roles, asked))
    place = spec["minAvailable"].span
    draft.job.set("gang", None if gang.gang else False, place)
    draft.options.set("gang_size", gang.size, place)
    for role in roles:
        block, number = draft.role(role.role), gang.minimums.get(role.role, role.replicas)
        block.set("replicas", role.replicas if role.replicas != 1 else None, role.task["replicas"].span)
        if number != role.replicas and role.role != "tensorboard":
            block.set("min_available", number, role.task["minAvailable"].span)


def _gang(spec: View, roles: Sequence[RoleOf], after: Mapping[str, Sequence[str]]) -> _Gang:
    least = minimums(spec)
    own = {role.role: least.tasks.get(role.name, role.replicas) for role in roles}
    total = sum(own.values())
    waited_for = {other for others in after.values() for other in others}
    of_waited_for = {role: number for role, number in own.items() if role in waited_for}
    none = all(number == 0 for role, number in own.items() if role not in waited_for)
    if least.job == 1 and (none or (total > 1 and not waited_for)):
        return _Gang(of_waited_for, gang=False)
    if len(roles) == 1:
        return _Gang({roles[0].role: min(least.job, roles[0].replicas)})
    at_once = [number for role, number in own.items() if role not in after and role != "tensorboard"]
    if least.job == max(1, sum(at_once)):
        return _Gang(own)
    return _Gang(own if least.job >= total else of_waited_for, size=least.job)


def _after(draft: Draft, roles: Sequence[RoleOf], asked: Asked) -> Mapping[str, Sequence[str]]:
    """Role → the roles that it starts after."""
    by_task = {part.name: part.role for part in roles}
    after: dict[str, list[str]] = {}
    for part in roles:
        place = part.task["dependsOn"]["name"]
        for other in place.items():
            role = by_task.get(other.text or "")
            if role is None or role == part.role:
                reason = "there is no other task of that name that has replicas"
                asked.report(SERVER_REFUSES(other.span, what=f"dependsOn {other.words or ''}".rstrip(), reason=reason))
            elif role not in after.setdefault(part.role, []):
                after[part.role].append(role)
        if after.get(part.role):
            draft.role(part.role).set("after", [*after[part.role]], place.span)
    any_of = [
        part.role
        for part in roles
        if len(after.get(part.role, ())) > 1 and part.task["dependsOn"]["iteration"].text == "any"
    ]
    draft.options.set("after_any", any_of or None)
    return after


def has_usual_containers(task: View) -> bool:
    """Whether the language can say the ports of every container of ``task``, and the first one runs the command."""
    spec = task["template"]["spec"]
    on_node = spec["hostNetwork"].flag is True
    if not _is_first(spec):
        return False
    containers = [*spec["containers"].items(), *spec["initContainers"].items()]
    if not all(_is_said(port, on_node=on_node) for container in containers for port in container["ports"].items()):
        return False
    names = [port["name"].text for container in containers[:1] for port in container["ports"].items()]
    return not on_node or PORT_NAME in names


def _is_first(spec: View) -> bool:
    """Whether the container that runs the command is the first, so that the others can be added to it."""
    containers = [*spec["containers"].items()]
    named = [container["name"].text == CONTAINER for container in containers]
    with_port = [any(port["name"].text == PORT_NAME for port in container["ports"].items()) for container in containers]
    marks = named if any(named) else with_port
    return not any(marks) or marks[0]


def _is_said(port: View, *, on_node: bool) -> bool:
    name, number = port["name"].text, port["containerPort"].number
    if port["hostPort"].present or port["protocol"].text not in (None, "TCP"):
        return False
    if not name or name == PORT_NAME:
        return not on_node or name == PORT_NAME
    return (
        name not in OWN_NAMES and len(name) <= LONGEST_PORT and number is not None and not [*port_names({name: number})]
    )


_SHELLS: Final = ("sh", "bash", "/bin/sh", "/bin/bash")
_HOSTS_FILE: Final = regex(
    r"""([A-Z_]+)=(?:`|\$\()cat /etc/volcano/([-_a-z0-9]+)\.host \| sed 's/\$/&:([0-9]{1,5})/g' \| """
    r"""sed 's/\^/"/;s/\$/"/' \| tr ['"]\\n['"] ['"],['"](?:`|\));?"""
)
_CONFIG: Final = regex(
    r"""export TF_CONFIG=\{\\"cluster\\":\{(.*)\},\\"task\\":\{\\"type\\":\\"([a-z]+)\\","""
    r"""\\"index\\":\$\{V[CK]_TASK_INDEX\}\},\\"environment\\":\\"cloud\\"\};?"""
)
_MEMBER: Final = regex(r"""\\"([a-z]+)\\":\[\$\{([A-Z_]+)\}\]""")
_LONGEST: Final = 10_000


class _Built(Record):
    """What a shell does: role → the file of its hosts and its port, the role of the task, and the command after it."""

    members: dict[str, tuple[str, int]]
    role: str
    command: str


def offer(draft: Draft, job: View, roles: Sequence[RoleOf], asked: Asked) -> None:
    """Suggest the plain command, if every role builds the TF_CONFIG that the compiler would give."""
    built = [(role, _built(role.task["template"]["spec"]["containers"][0])) for role in roles]
    cluster = {role.role: role.name.replace("-", "_") for role in roles if role.role != "evaluator"}
    for part, shell in built:
        if shell is None or shell.role != part.role:
            return
        if {role: file for role, (file, _) in shell.members.items()} != cluster:
            return
    ports = {port for _, shell in built if shell is not None for _, port in shell.members.values()}
    commands = list(dict.fromkeys(shell.command for _, shell in built if shell is not None))
    if len(ports) != 1 or not commands:
        return
    port = ports.pop()
    place = roles[0].task["template"]["spec"]["containers"][0]["command"]
    told = READ_DIFFERENTLY(
        place.span,
        what="the shell that builds TF_CONFIG",
        word="part of the command",
        difference="the compiler could set the same TF_CONFIG instead",
    )
    written = commands[0] if len(commands) == 1 else "the rest of each text"
    told = told.help(f'remove cluster {{ discovery = "none" }} and plugins, and write command = "exec {written}"')
    asked.report(told.help(f"write port = {port}") if port != 2222 else told)


def _built(container: View) -> _Built | None:
    """What the shell of ``container`` does, if it is all known but its last command."""
    words = [entry.text for entry in (*container["command"].items(), *container["args"].items())]
    if len(words) != 3 or words[0] not in _SHELLS or words[1] != "-c" or words[2] is None or len(words[2]) > _LONGEST:
        return None
    lines = [line.strip() for line in words[2].strip().split("\n")]
    lists: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(lines):
        match = _HOSTS_FILE.fullmatch(line)
        if match is not None:
            lists[match[1]] = (match[2], int(match[3]))
            continue
        config = _CONFIG.fullmatch(line)
        rest = lines[number + 1 :]
        if config is None or len(rest) != 1:
            return None
        return _cluster(config[1], config[2], lists, rest[0])
    return None


def _cluster(text: str, role: str, lists: dict[str, tuple[str, int]], command: str) -> _Built | None:
    members: dict[str, tuple[str, int]] = {}
    for part in text.split(","):
        match = _MEMBER.fullmatch(part)
        if match is None or match[2] not in lists:
            return None
        members[match[1]] = lists[match[2]]
    is_plain = not any(mark in command for mark in ";&|<>`$\"'\\(")
    return _Built(members, role, command) if command and is_plain else None


_LIST: Final = regex(r"hosts /etc/volcano/([-_a-z0-9]+)\.host ([0-9]{1,5}); (chief|master|ps|worker)=\$list")


class Plugins(Record):
    """The plugins of a job, each with its arguments, those that the webhook adds among them. ``span``: of all."""

    arguments: Mapping[str, tuple[str, ...]]
    span: Span

    def has(self, name: str) -> bool:
        """Whether the job has the plugin ``name``."""
        return name in self.arguments


def read_plugins(spec: View) -> Plugins:
    """The plugins of a job."""
    arguments_of: dict[str, tuple[str, ...]] = {}
    for name, arguments in spec["plugins"].entries():
        if name in PLUGINS:
            arguments_of[name] = tuple(argument.words or "" for argument in arguments.items())
    for added in [added for name in arguments_of for added in PLUGINS[name].adds]:
        arguments_of.setdefault(added, ())
    return Plugins(arguments_of, spec.key("plugins"))


def program_around(role: str, text: str) -> int | None:
    """The number of parameters of the compiler's own program that builds TF_CONFIG, if ``text`` is that."""
    lists = {role_: (file, int(port)) for file, port, role_ in _LIST.findall(text)}
    return 0 if lists and shell_text(lists, role) == text else None


def read_delivery(draft: Draft, plugins: Plugins, roles: Sequence[RoleOf], pods: PodsRead) -> None:
    """The options by which the compiler gives the tasks what the manifest gives them."""
    usual = "static" if _obstacle(roles, pods) else "plugin"
    delivers = draft.cluster.get("discovery", "tf_config") in ("tf_config", "both")
    chosen = "shell" if pods.around else "static" if pods.config or not plugins.has("tensorflow") else "plugin"
    if delivers and chosen != usual:
        draft.options.set("tf_config", chosen)
    expected: dict[str, tuple[str, ...]] = {"env": (), "svc": _svc(draft, pods)}
    own = _tensorflow(roles, pods) if delivers and chosen == "plugin" else None
    if own is not None:
        expected["tensorflow"] = own
    if dict(plugins.arguments) == expected:
        return
    value: dict[str, Value] = {
        name: [*arguments] for name, arguments in plugins.arguments.items() if name != "tensorflow" or arguments != own
    }
    draft.options.set("plugins", value, plugins.span)


def _obstacle(roles: Sequence[RoleOf], pods: PodsRead) -> bool:
    """Whether the compiler would not use the plugin by itself."""
    names = {role.role for role in roles}
    ports = {port for role, port in pods.ports.items() if role != BOARD}
    alone = len(roles) == 1 and roles[0].replicas == 1
    return alone or "evaluator" in names or "master" in names or len(ports) > 1


def _svc(draft: Draft, pods: PodsRead) -> tuple[str, ...]:
    """The arguments of svc as the compiler writes them."""
    blocks = [draft.job, *draft.roles.values()]
    reached = BOARD in draft.roles or any(_has_ports(block) for block in blocks)
    return (ADDRESSABLE, REACHABLE) if reached else (ADDRESSABLE,)


def _has_ports(block: Block) -> bool:
    statements = [statement for statement in block.statements if isinstance(statement, Attribute)]
    statements += [
        part for statement in block.statements if isinstance(statement, Step) for part in statement.statements
    ]
    return any(statement.name == "ports" for statement in statements)


def _tensorflow(roles: Sequence[RoleOf], pods: PodsRead) -> tuple[str, ...]:
    """The arguments of the tensorflow plugin as the compiler writes them."""
    named = {role.role: role.written_name for role in roles}
    if "master" in named:
        named["chief"] = named["master"]
    first = next((role for role in ("chief", "master", "ps", "worker", "evaluator") if role in named), "worker")
    port = pods.ports.get(first, 2222)
    return (*(f"--{role}={named[role]}" for role in PLUGIN_ROLES if role in named), f"--port={port}")


@unless_refused
def read(group: Group, asked: Asked) -> Draft | None:
    """The job that a Volcano job describes; ``None`` where its tasks cannot be roles (reported as an error).

    A job that the server refuses is read as far as it goes, and need not come back.
    """
    document, beside = group.documents[0], group.documents[1:]
    report_holder(document, asked)
    manifest = without_generated_names(held(document.node))
    for diagnostic in refusals(view(manifest)):
        asked.report(diagnostic)
    job, claims = _with_volumes(manifest, beside)
    spec = job["spec"]
    parts = roles(job, asked, board=any(view(near.node)["kind"].text == "Service" for near in beside))
    if parts is None:
        return None
    plugins = read_plugins(spec)
    draft = Draft(job_name(document, job["metadata"], asked, letter_first=plugins.has("svc")), _TARGET, job.span)
    draft.renamed = {part.name: part.role for part in parts if part.name != part.role}
    draft.places = {part.role: part.task.span for part in parts}
    draft.wanted = (_wanted(manifest, parts), *(near.node for near in beside))
    read_metadata(draft, job["metadata"])
    draft.job.add(*plain(spec, SPEC, filled_in=True))
    _read_deadline(draft, parts)
    read_gang(draft, spec, parts, asked)
    _read_pods(draft, job, parts, plugins, claims, asked)
    _read_policies(draft, job, parts, asked)
    kept = {part.role: part.name for part in parts if part.role != part.written_name}
    draft.options.set("task_names", kept or None, spec.key("tasks"))
    offer(draft, job, parts, asked)
    return draft


def _wanted(job: Node, parts: Sequence[RoleOf]) -> Node:
    """What the job has to compile to: without tasks that have no replicas, and with the names of roles."""
    names = {part.name: part.written_name for part in parts}
    tasks = child(job, "spec", "tasks")
    if not isinstance(tasks, Listed):
        return job
    kept: list[Node] = []
    for position, task in enumerate(tasks.items):
        name = names.get(task_name(view(task), position))
        if name is not None and isinstance(task, Map):
            kept.append(with_value(task, "name", Scalar(name, task.span)))
    return changed(job, ("spec", "tasks"), lambda _: Listed(tuple(kept), tasks.span))


def _read_deadline(draft: Draft, parts: Sequence[RoleOf]) -> None:
    """The time that every pod has, if it is the same for all."""
    places = [part.task["template"]["spec"]["activeDeadlineSeconds"] for part in parts]
    numbers = {place.number for place in places}
    number = numbers.pop() if len(numbers) == 1 else None
    if number is not None and number > 0:
        draft.job.set("deadline", seconds(number), places[0].span)


# --- pods --------------------------------------------------------------------------------------------------------


def _with_volumes(node: Node, beside: Sequence[Document]) -> tuple[View, Mapping[str, ClaimFacts]]:
    """The job with the volumes of the job as volumes of its pods, and what is known of the claims made for it."""
    claims = kept_claims(document.node for document in beside)
    tasks = view(node)["spec"]["tasks"].items()
    prepared = any([*task["template"]["spec"]["initContainers"].items()] for task in tasks)

    def chosen(volume: JobVolume) -> str | None:
        if volume.claim is not None:
            return volume.claim
        known = claim_spec_facts(view(volume.made)) if volume.made is not None and not prepared else None
        if known is None:
            return None
        name = f"claim of the job {len(claims)}".replace(" ", "-")
        claims[name] = known
        return name

    return view(in_templates(node, chosen)), claims


def _read_pods(
    draft: Draft, job: View, parts: Sequence[RoleOf], plugins: Plugins, claims: Mapping[str, ClaimFacts], asked: Asked
) -> None:
    names = {part.role: part.written_name for part in parts}
    sets_config = plugins.has("tensorflow") and all(
        has_usual_containers(part.task) for part in parts if part.role != BOARD
    )
    facts = PodFacts(
        replicas={part.role: part.replicas for part in parts},
        address=lambda role, index, port: f"{draft.name}-{names.get(role, role)}-{index}.{draft.name}:{port}",
        index_field=INDEX_FIELD,
        variables=plugin_variables(plugins.arguments, [part.name for part in parts]),
        spread_labels=lambda role: labels(draft.name, names.get(role, role)),
        claims=claims,
        shares=(VGPU_NUMBER, VGPU_MEMORY),
        index_of_servers=False,
        program_around=program_around,
        lost_config=_LOST_CONFIG if sets_config else "",
        discovery=("both", "tf_config") if sets_config else ("flags", "none"),
    )
    named = view(by_task(_wanted(job.node, parts))) if job.node is not None else job
    templates = {task["name"].text: task["template"] for task in named["spec"]["tasks"].items()}
    of_role = {part.role: templates.get(part.written_name, part.task["template"]) for part in parts}
    pods = read_pods(draft, of_role, facts, asked)
    add_missing_images(draft, of_role, facts, asked)
    read_delivery(draft, plugins, parts, pods)


# --- policies ----------------------------------------------------------------------------------------------------


def _read_policies(draft: Draft, job: View, parts: Sequence[RoleOf], asked: Asked) -> None:
    for diagnostic in (*dead_policies(job, parts), *unused_fields(job, parts)):
        asked.report(diagnostic)
    spec = job["spec"]
    tasks = [
        RoleTask(
            part.role,
            Task(part.name, reactions(part.task["policies"]), restart_policy(part.task)),
            part.replicas,
            part.task["maxRetry"].number or MAX_RETRY,
        )
        for part in parts
    ]
    said = JobPolicies(
        tasks,
        reactions(spec["policies"]),
        spec["maxRetry"].number or MAX_RETRY,
        _unit(job.span),
        [
            *((f"spec.{key}", spec[key]) for key in ("maxRetry", "policies")),
            *(
                (f"spec.tasks[name={part.written_name}].{key}", part.task[key])
                for part in parts
                for key in ("maxRetry", "policies")
            ),
        ],
        spec["maxRetry"].span,
        parts[0].task["template"]["spec"]["restartPolicy"].span,
    )
    read_policies(draft, said)


def _unit(span: Span) -> Callable[[Job, str], Unit]:
    """What the compiler would work on, of a job and the option ``policies``."""
    options = {option.name: option.default for option in OPTIONS}
    return lambda job, written: Unit(_TARGET, VERSIONS[-1], job, Origins(span), {**options, "policies": written})
