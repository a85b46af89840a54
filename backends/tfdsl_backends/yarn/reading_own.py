"""A job that tfdsl wrote for YARN: what job.sh and submit.sh say of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeGuard

from tfdsl.backend.draft import Attribute, Bare, Block, Draft, Mount, Output, Policy, Statement, Step, Text, Value
from tfdsl.emit.shell import TENSORFLOW_SERVER
from tfdsl.grouping import grouped
from tfdsl.manifest import json
from tfdsl.manifest.nodes import Document, Scalar, View, view
from tfdsl.manifest.shell_words import Command, Unknown, Word, read_script
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.text import Source, Span
from tfdsl.vocabulary.attributes import IN_MEMORY_AT, ROLE_NAMES
from tfdsl_backends.hadoop.reading import (
    add_completions,
    add_policy,
    add_retries,
    attribute,
    default_decider,
    duration,
    job_name,
    lift_policies,
    read_discovery,
    remove_attribute,
    set_grace,
    statuses,
)
from tfdsl_backends.yarn.needs import AT_HOME
from tfdsl_backends.yarn.policies import STOP_GRACE
from tfdsl_backends.yarn.reading_parts import Client, client_of, set_size

PLAN: Final = "cat <<'TFJOB_PLAN'\n"
SUBMITS: Final = '-shell_env "TFJOB_RUN=$run"'
_CASES: Final = ("environment", "prepare", "command_of_step", "command_of_task", "outputs", "options_of")
"""Functions that are a ``case`` with what each role, step or application has."""

_PROGRAMS: Final = regex(r"\$\(first_program (.*)\)\Z")


class JobScript(Record):
    """job.sh. ``environment`` and the others: role → the commands of its part; ``steps``: number → commands."""

    plan: View
    environment: Mapping[str, Sequence[Command]]
    prepare: Mapping[str, Sequence[Command]]
    steps: Mapping[str, Sequence[Command]]
    commands: Mapping[str, Sequence[Command]]
    outputs: Mapping[str, Sequence[Command]]
    python: str
    hadoop_home: str
    given: bool


class SubmitScript(Record):
    """submit.sh. ``applications``: name (``job`` if there is one) → the options of the client.

    ``sent``: the name that a task sees → the archive here; ``files``: those of the option. ``tags``, ``localizes``:
    whether the client has application tags, and sends files itself.
    """

    applications: Mapping[str, Sequence[Word]]
    sent: Mapping[str, str]
    files: Sequence[str]
    tags: bool = True
    localizes: bool = True


def text_of(document: Document) -> str:
    """The text of a document that is one."""
    node = document.node
    return node.value if document.format == "text" and isinstance(node, Scalar) and isinstance(node.value, str) else ""


def is_job_script(document: Document) -> bool:
    """Whether a document is a job.sh."""
    text = text_of(document)
    return PLAN in text and "tfjob_state=" in text


def is_submit_script(document: Document) -> bool:
    """Whether a document is a submit.sh."""
    text = text_of(document)
    return SUBMITS in text and "options_of()" in text


def job_script(document: Document) -> JobScript | None:
    """The parts of a job.sh; ``None`` where it has no plan."""
    commands = _commands(document)
    plan = _plan(document, commands)
    if plan is None:
        return None
    parts = {name: _cases(commands, name) for name in _CASES}
    python, home = "", ""
    for command in commands:
        for assignment in command.assignments:
            if assignment.name == "TFJOB_PYTHON" and assignment.words:
                names = _PROGRAMS.match(assignment.words[0].text)
                words = _words(names[1]) if names else []
                python = words[0] if len(words) == 1 else ""
        words = [word.text for word in command.words]
        if words[:1] == ["export"] and len(words) == 2 and words[1].startswith("HADOOP_HOME="):
            home = words[1].removeprefix("HADOOP_HOME=")
    given = any([word.text for word in call.words[3:4]] == ["given"] for call in commands)
    return JobScript(
        plan,
        parts["environment"],
        parts["prepare"],
        parts["command_of_step"],
        parts["command_of_task"],
        parts["outputs"],
        python,
        home,
        given,
    )


def submit_script(document: Document | None) -> SubmitScript:
    """The parts of a submit.sh."""
    if document is None:
        return SubmitScript({}, {}, ())
    commands = _commands(document)
    applications: dict[str, Sequence[Word]] = {}
    for name, own in _cases(commands, "options_of").items():
        for call in own:
            for assignment in call.assignments:
                if assignment.name == "options":
                    applications[name] = assignment.words
    sent: dict[str, str] = {}
    files: list[str] = []
    for command in commands:
        words = [word.text for word in command.words]
        if words[:1] == ["send"] and len(words) == 3:
            sent[words[2]] = words[1]
        elif words[:1] == ["pack"] and len(words) == 3:
            files.append(words[1])
    text = text_of(document)
    return SubmitScript(applications, sent, tuple(files), "-application_tags" in text, "-localize_files" in text)


def _commands(document: Document) -> tuple[Command, ...]:
    source = document.source
    return read_script(text_of(document), lambda start, end: Span(source, start, end)).commands


def _words(text: str) -> list[str]:
    source = Source("", text)
    commands = read_script(text, lambda start, end: Span(source, start, end)).commands
    return [word.text for command in commands for word in command.words]


def _plan(document: Document, commands: Iterable[Command]) -> View | None:
    """The JSON of the here-document, with its places in the script."""
    here_documents = [
        here for command in commands for here in command.documents if here.text.startswith('{\n  "job": ')
    ]
    if not here_documents:
        return None
    start, text = here_documents[0].span.start, document.source.text
    # The reader of JSON reads a whole source: what is before the plan becomes blanks, so that places stay.
    blanks = "".join(char if char == "\n" else " " for char in text[:start])
    nodes = json.read(Source(document.source.path, blanks + here_documents[0].text), lambda diagnostic: None)
    return view(nodes[0]) if nodes else None


def _cases(commands: Iterable[Command], function: str) -> dict[str, list[Command]]:
    """What each pattern of the ``case`` in a function has."""
    parts: dict[str, list[Command]] = {}
    inside = case = False
    names: list[str] = []
    current: list[str] = []
    for command in commands:
        words = [word.text for word in command.words]
        if command.end == "(" and len(words) == 1:
            inside, case, names, current = words[0] == function, False, [], []
        elif not inside:
            continue
        elif words[:1] == ["case"]:
            case = True
        elif case and command.end in ("|", ")") and len(words) == 1 and not command.assignments:
            names = [*names, words[0]]
            if command.end == ")":
                current, names = names, []
        else:
            for name in current:
                parts.setdefault(name, []).append(command)
            if command.end == ";;":
                current = []
    return parts


HIDDEN: Final = "CUDA_VISIBLE_DEVICES"
INDEX: Final = "TFJOB_INDEX"
USER: Final = "USER"


class Task(Record):
    """What the script has for a role, and the options of the client that runs it."""

    name: str
    script: JobScript
    client: Client
    sent: SubmitScript

    def part(self, parts: str) -> Sequence[Command]:
        """The commands of one of the script's parts."""
        own: Sequence[Command] = getattr(self.script, parts).get(self.name, ())
        return own


def read_role(draft: Draft, task: Task) -> None:
    """Add what the scripts say of a role."""
    block = draft.role(task.name)
    docker = task.client.docker
    image = docker.get("DOCKER_IMAGE")
    block.set("image", image[0] if image else None, image[1] if image else None)
    _command(block, task)
    set_size(block, task.client, hidden=_environment(block, task))
    label = task.client.options.get("node_label_expression")
    if label is not None:
        block.set("node_label", label.text, label.span)
    privileged = docker.get("DOCKER_RUN_PRIVILEGED_CONTAINER")
    block.set("privileged", True if privileged and privileged[0] == "true" else None)
    set_grace(block, task.script.plan["grace"][task.name], STOP_GRACE)
    block.add(*_mounts(block, task))
    block.add(*_steps(task))
    _outputs(draft, task)


def _command(block: Block, task: Task) -> None:
    for command in task.part("commands"):
        words = [word for word in command.words if not (word.unknown and word.unknown[0].every)]
        text = [word.text for word in words]
        if text[:1] == ["cd"]:
            block.set("workdir", value_of(words[-1]), command.span)
        elif text[:1] == ["exec"] and (TENSORFLOW_SERVER in text or text[-3:-1] == ["$TFJOB_PROGRAM", "server"]):
            block.set("server", True, command.span)
        elif text[:1] == ["exec"]:
            words = words[1:-1] if text[-1] == "$@" else words[1:]
            _set_command(block, task, words, command.span)


def _set_command(block: Block, task: Task, words: list[Word], span: Span) -> None:
    text = [word.text for word in words]
    if text[:3] == ["nice", "-n", "0"]:
        words, text = words[3:], text[3:]
    board = text[:2] == ["tensorboard", "--logdir"] and text[3:6] == ["--bind_all", "--port", "$TFJOB_PORT"]
    if task.name == "tensorboard" and board:
        block.set("logdir", value_of(words[2]), words[2].span)
        block.set("args", [value_of(word) for word in words[6:]] or None, span)
        return
    for name, value in _split(words):
        block.set(name, value, span)


def _split(words: Sequence[Word]) -> Iterator[tuple[str, Value]]:
    """``command``, and ``args`` of a text that a shell runs."""
    text = [word.text for word in words]
    if text[:2] == ["/bin/sh", "-c"] and text[3:4] == ["sh"]:
        yield "command", value_of(words[2])
        if words[4:]:
            yield "args", [value_of(word) for word in words[4:]]
    elif words:
        yield "command", [value_of(word) for word in words]


def _environment(block: Block, task: Task) -> bool:
    """The variables; whether the script hides the devices from the role."""
    hidden = False
    for command in task.part("environment"):
        for assignment in command.assignments:
            for number, word in enumerate(assignment.words):
                name, value = _variable(word)
                if number == 0 and name == HIDDEN and value == "":
                    hidden = True
                elif name:
                    block.entry("env", name, value, word.span)
    return hidden


def _variable(word: Word) -> tuple[str, Value]:
    first = word.parts[0] if word.parts else ""
    name, _, rest = first.partition("=") if isinstance(first, str) else ("", "", "")
    return name, value_of(Word((rest, *word.parts[1:]), word.span))


def _mounts(block: Block, task: Task) -> list[Mount]:
    """The mounts in the order of their numbers; a folder of the node has none and takes the next place."""
    numbered: dict[int, Mount] = {}
    others: list[Mount] = []
    for command in task.part("prepare"):
        words, text = command.words, [word.text for word in command.words]
        if text[:1] in (["there"], ["link"]):
            others.append(_host(task, command))
        elif text[:1] == ["scratch"]:
            others.append(Mount("scratch", None, text[1], span=command.span))
        elif text[:1] == ["memory"]:
            numbered[int(text[1])] = Mount("memory", _share(block), text[2], span=command.span)
        elif text[:1] == ["fetch"]:
            numbered[int(text[1])] = Mount("hdfs", value_of(words[2]), text[3], span=command.span)
        elif text[:1] == ["unpack"] and text[1] != "files":
            numbered[int(text[1])] = Mount("archive", _archive(task, words[2]), text[4], span=command.span)
    if task.script.given:
        others += [Mount("host", source, at) for source, at in task.client.linked]
    for at in task.client.tmpfs:
        if at in IN_MEMORY_AT:
            block.set(IN_MEMORY_AT[at], _share(block))
        else:
            others.append(Mount("memory", _share(block), at))
    left = iter(others)
    made = [numbered.pop(number, None) or next(left, None) for number in range(1, len(numbered) + len(others) + 1)]
    return [*(mount for mount in made if mount is not None), *numbered.values()]


def _archive(task: Task, word: Word) -> Value:
    name = word.text.rpartition("/")[2] if word.unknown and word.unknown[0].name == "TFJOB_STORE" else word.text
    return task.sent.sent.get(name, None) or value_of(word)


def _host(task: Task, command: Command) -> Mount:
    """``there AT`` for a path that docker mounts or that is the node's own, ``link SOURCE AT`` for a link."""
    words = command.words
    linked = words[0].text == "link"
    at = words[2].text if linked else words[1].text
    source: Value = value_of(words[1])
    target = words[1].text if linked else at
    readonly = False
    if target in task.client.mounts:
        folder, mode = task.client.mounts[target]
        readonly = mode == "ro"
        source = source if linked else folder
    kind = [word.text for word in words[3 if linked else 2 :]]
    options: tuple[tuple[str, Value], ...] = (("type", kind[0]),) if kind else ()
    return Mount("host", source, at, readonly, options, command.span)


def _share(block: Block) -> Value:
    """The size of what is in memory, which YARN does not limit: that of the container."""
    memory = attribute(block, "memory")
    return memory.value if memory is not None else Bare("1Gi")


def _steps(task: Task) -> Iterator[Step]:
    for command in task.part("prepare"):
        if command.words and command.words[0].text == "step" and len(command.words) == 3:
            number, name = command.words[1].text, command.words[2].text
            yield Step("prepare", name, tuple(_step(task.script.steps.get(number, ()))), command.span)


def _step(commands: Iterable[Command]) -> Iterator[Attribute]:
    for command in commands:
        text = [word.text for word in command.words]
        if text[:1] == ["cd"]:
            yield Attribute("workdir", value_of(command.words[-1]), command.span)
        elif text[:4] == ["exec", "env", "-u", "TF_CONFIG"]:
            words = list(command.words[4:])
            hidden = True
            while words and "=" in words[0].text.partition(" ")[0] and words[0].text.partition("=")[0].strip():
                name, value = _variable(words[0])
                if not (hidden and name == HIDDEN and value == ""):
                    yield Attribute("env", value, words[0].span, name)
                hidden = False
                words.pop(0)
            if [word.text for word in words[:3]] == ["nice", "-n", "0"]:
                words = words[3:]
            for name, value in _split(words):
                yield Attribute(name, value, command.span)


def _outputs(draft: Draft, task: Task) -> None:
    index = ""
    for command in task.part("outputs"):
        text = [word.text for word in command.words]
        if text[:2] == ["[", "$TFJOB_INDEX"] and len(text) > 3:
            index = text[3]
        elif text[:1] == ["copy_out"] and len(text) == 5:
            usual = index == "0" and task.name == default_decider(
                [pair[0].text or "" for pair in task.script.plan["roles"].items()]
            )
            output = Output(
                value_of(command.words[2]),
                value_of(command.words[3]),
                text[1],
                overwrite=text[4] == "overwrite",
                of=f"{task.name}[{index}]" if index and not usual else "",
                span=command.span,
            )
            (draft.job if index else draft.role(task.name)).add(output)
            index = ""
    if task.script.given:
        draft.role(task.name).add(*(Output(source, destination) for source, destination in task.client.copied))


# --- values ----------------------------------------------------------------------------------------------------------


def value_of(word: Word) -> Value:
    """A word of the script: a text, with the values that it has when a task runs."""
    if not word.unknown:
        return word.text
    return Text(tuple(part if isinstance(part, str) else _run_time(part) for part in word.parts if part != ""))


def _run_time(part: Unknown) -> Bare:
    if part.name == INDEX:
        return Bare("task.index")
    return Bare("job.user" if part.name == USER else f"env.{part.name}")


CHECKPOINT: Final = "CHECKPOINT_DIR"
ACTIONS: Final = {"restart": "restart job", "ignore": "ignore", "fail": "fail job"}
USUAL_LIMIT: Final = 900
USUAL_PORTS: Final = [20000, 30000]
USUAL_STORE: Final = f"{AT_HOME}.tfjobs"

_PLACED: Final = regex(r"([^,(=]+)(?:\([0-9]+\)|=[0-9]+)(?:,(.*))?\Z")
_APART: Final = regex(r"AND\(NOTIN,NODE,([^:]+):(.*)\)\Z")


def read_own(script: JobScript, submit: SubmitScript) -> Draft:
    """The job of scripts that tfdsl wrote: of the plan in ``job.sh``, and the options of ``submit.sh``."""
    plan = script.plan
    draft = Draft(job_name(plan["job"].text or ""), "yarn", plan["job"].span, law=False)
    clients = {name: client_of(words) for name, words in submit.applications.items()}
    draft.version = _version(clients, submit)
    only = next(iter(clients.values()), Client({}, (), ()))
    roles = [(pair[0].text or "", pair[1].number or 0, pair.span) for pair in plan["roles"].items()]
    for name, replicas, span in roles:
        if name not in ROLE_NAMES:
            continue
        task = Task(name, script, clients.get(name, only), submit)
        draft.role(name).set("replicas", replicas if replicas != 1 else None, span)
        read_role(draft, task)
        _policies(draft, name, plan)
    _apart(draft)
    _checkpoint(draft)
    _job(draft, plan, only)
    _options(draft, script, submit, clients)
    return draft


def _version(clients: dict[str, Client], submit: SubmitScript) -> str | None:
    """The version, where the scripts are not those of the default."""
    if not submit.tags:
        return "2.10"
    specs = [client.options["placement_spec"].text for client in clients.values() if "placement_spec" in client.options]
    old = any("=" in spec.partition(",")[0] for spec in specs)
    return "3.1" if old or ((submit.sent or submit.files) and not submit.localizes) else None


# --- the job ---------------------------------------------------------------------------------------------------------


def _job(draft: Draft, plan: View, client: Client) -> None:
    for option in ("queue", "priority"):
        word = client.options.get(option)
        if word is not None:
            number = option == "priority" and word.text.isdecimal()
            draft.job.set(option, int(word.text) if number else word.text, word.span)
    timeout = client.options.get("timeout")
    if timeout is not None and timeout.text.isdecimal() and timeout.text != "2147483647":
        draft.job.set("deadline", duration(int(timeout.text)), timeout.span)
    for name, roles in plan["after"].entries():
        if name in draft.roles:
            draft.role(name).set("after", [role.text or "" for role in roles.items()], roles.span)
    lift_policies(draft)
    deciding = [(pair[0].text or "", pair[1].number or 0) for pair in plan["complete"].items()]
    add_completions(draft, deciding, plan.key("complete"))
    add_retries(draft, plan["restarts"].number or 0, plan["restarts"].span)
    programs = {
        name for name, block in draft.roles.items() if name != "tensorboard" and attribute(block, "server") is None
    }
    configured = bool(programs & {entry.text for entry in plan["tf_config"].items()})
    flags = next(plan["flags"].items(), None) is not None
    read_discovery(draft, configured=configured, flags=flags, programs=bool(programs))


def _options(draft: Draft, script: JobScript, submit: SubmitScript, clients: dict[str, Client]) -> None:
    plan, options = script.plan, draft.options
    only = next(iter(clients.values()), Client({}, (), ()))
    if script.given:
        options.set("dialect", "yarn-tf", plan.span)
    else:
        options.set("applications", _applications(draft, clients), plan.span)
    options.set("files", list(submit.files) or None, plan.span)
    for name, client in clients.items():
        spec = client.options.get("placement_spec")
        if spec is not None:
            _placement(draft, next(iter(draft.roles)) if name == "job" else name, spec)
    store = plan["store"].text
    options.set("store", store if store not in (None, USUAL_STORE) else None, plan["store"].span)
    options.set("hadoop_home", script.hadoop_home or None, plan.span)
    options.set("webhdfs", plan["webhdfs"].text or None, plan["webhdfs"].span)
    seconds = getattr(plan["limit"].node, "value", USUAL_LIMIT)
    if "." in plan["limit"].span.text:  # written so for the delay of a policy; the option is an int
        event = f"pending after {duration(round(float(seconds) * 1000)).words}"
        draft.job.add(Policy(event, "fail job", plan["limit"].span))
    elif isinstance(seconds, int) and seconds != USUAL_LIMIT:
        options.set("rendezvous_seconds", seconds, plan["limit"].span)
    ports = [entry.number for entry in plan["ports"].items()]
    if len(ports) == 2 and ports != USUAL_PORTS:
        options.set("port_range", f"{ports[0]}-{ports[1]}", plan["ports"].span)
    options.set("reuse_port", True if plan["reuse_port"].flag else None, plan["reuse_port"].span)
    memory = only.options.get("master_memory")
    if memory is not None and memory.text.isdecimal() and memory.text != "512":
        options.set("am_memory", int(memory.text), memory.span)
    options.set("python", script.python or None, plan.span)


def _applications(draft: Draft, clients: dict[str, Client]) -> str | None:
    """The option, where what the roles have would not give it."""
    if len(draft.roles) < 2:
        return None
    if len(clients) > 1:
        own = [parts.shape for parts in clients.values()]
        return "per-role" if all(shape == own[0] for shape in own) else None
    (client,) = clients.values() or (Client({}, (), ()),)
    return "one" if "placement_spec" in client.options or _hides(draft) else None


def _hides(draft: Draft) -> bool:
    """Whether one size is for roles with and without devices."""
    counts = [attribute(block, "gpu") is not None for block in draft.roles.values()]
    return any(counts) and not all(counts)


def _apart(draft: Draft) -> None:
    """``spread`` of a role that has a single replica means nothing."""
    for block in draft.roles.values():
        if attribute(block, "replicas") is None:
            remove_attribute(block, "spread")


def _placement(draft: Draft, role: str, spec: Word) -> None:
    """``-placement_spec``: a tag with the number, and the constraint, which names the tags of the job's roles."""
    match = _PLACED.match(spec.text)
    if match is None or not match[2] or role not in draft.roles:
        return
    tag, text = match[1], match[2]
    apart = _APART.match(text)
    if apart is not None and apart[1] == tag:
        draft.role(role).set("spread", "node", spec.span)
        text = apart[2]
    elif text == f"NOTIN,NODE,{tag}":
        draft.role(role).set("spread", "node", spec.span)
        return
    text = text.replace("all/", "\0") if "$run" in text else text
    for name in draft.roles:
        text = text.replace(f"\0{name}-$run", name)
    text = text.replace("\0", "all/")
    draft.options.entry("placement", role, text.replace(tag, role) if tag != role else text, spec.span)


def _checkpoint(draft: Draft) -> None:
    """The variable that every role has is the job's folder."""
    attributes = [
        next((statement for statement in block.statements if _is_checkpoint(statement)), None)
        for block in draft.roles.values()
    ]
    first = attributes[0] if attributes else None
    if first is None or any(
        attribute is None or repr(attribute.value) != repr(first.value) for attribute in attributes
    ):
        return
    for block in draft.roles.values():
        block.statements = [statement for statement in block.statements if not _is_checkpoint(statement)]
    draft.job.set("checkpoint", first.value, first.span)
    board = draft.roles.get("tensorboard")
    if board is not None:
        board.statements = [
            statement
            for statement in board.statements
            if not (
                isinstance(statement, Attribute)
                and statement.name == "logdir"
                and repr(statement.value) == repr(first.value)
            )
        ]


def _is_checkpoint(statement: Statement) -> TypeGuard[Attribute]:
    return isinstance(statement, Attribute) and statement.name == "env" and statement.key == CHECKPOINT


# --- policies --------------------------------------------------------------------------------------------------------


def _policies(draft: Draft, role: str, plan: View) -> None:
    if role in [entry.text for entry in plan["again"].items()]:
        return
    for name, rules in plan["actions"].entries():
        owner, _, place = name.partition("[")
        if owner != role:
            continue
        index = int(place.rstrip("]")) if place else -1
        otherwise = rules["0"].text or "fail"
        by_action = grouped((action.text or "", int(status)) for status, action in rules.entries() if status != "0")
        for what, codes in by_action.items():
            event = f"exit {statuses(sorted(codes))}"
            add_policy(draft, role, index, event, ACTIONS.get(what, "fail job"), rules.span)
        if otherwise != "fail" or role == "tensorboard" or index >= 0:
            add_policy(draft, role, index, "failed", ACTIONS.get(otherwise, "fail job"), rules.span)
