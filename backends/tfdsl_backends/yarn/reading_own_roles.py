"""A role of a job that tfdsl wrote for YARN: its parts of job.sh, and the options of the client that runs it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.draft import Attribute, Bare, Block, Draft, Mount, Output, Step, Text, Value
from tfdsl.manifest.shell_words import Command, Unknown, Word
from tfdsl.record import Record
from tfdsl.text import Span
from tfdsl_backends.hadoop.reading import duration
from tfdsl_backends.hadoop.reading_policies import default_decider
from tfdsl_backends.yarn.reading_resources import set_size
from tfdsl_backends.yarn.task_plan import STOP_GRACE

if TYPE_CHECKING:
    from tfdsl_backends.yarn.reading_options import Client
    from tfdsl_backends.yarn.reading_scripts import JobScript, SubmitScript

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
        by_role = getattr(self.script, parts)
        own: Sequence[Command] = by_role.get(self.name, ())
        return own


def read_role(draft: Draft, task: Task) -> None:
    """Add what the scripts say of a role."""
    block = draft.role(task.name)
    docker = task.client.docker
    image = docker.get("DOCKER_IMAGE")
    block.set("image", image[0] if image else None, image[1] if image else None)
    _command(block, task)
    hidden = _environment(block, task)
    set_size(block, task.client, hidden=hidden)
    label = task.client.options.get("node_label_expression")
    if label is not None:
        block.set("node_label", label.text, label.span)
    privileged = docker.get("DOCKER_RUN_PRIVILEGED_CONTAINER")
    block.set("privileged", True if privileged and privileged[0] == "true" else None)
    grace = task.script.plan["grace"][task.name]
    seconds = getattr(grace.node, "value", STOP_GRACE)
    if isinstance(seconds, int | float) and seconds != STOP_GRACE:
        block.set("stop_grace", duration(round(seconds * 1000)), grace.span)
    for mount in _mounts(block, task):
        block.add(mount)
    for step in _steps(task):
        block.add(step)
    _outputs(draft, task)


def _command(block: Block, task: Task) -> None:
    for one in task.part("commands"):
        words = [word for word in one.words if not (word.unknown and word.unknown[0].every)]
        text = [word.text for word in words]
        if text[:1] == ["cd"]:
            block.set("workdir", value_of(words[-1]), one.span)
        elif text[:1] == ["exec"] and text[-3:-1] == ["$TFJOB_PROGRAM", "server"]:
            block.set("server", True, one.span)
        elif text[:1] == ["exec"]:
            words = words[1:-1] if text[-1] == "$@" else words[1:]
            _set_command(block, task, words, one.span)


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
    for one in task.part("environment"):
        for assignment in one.assignments:
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
    for one in task.part("prepare"):
        words, text = one.words, [word.text for word in one.words]
        if text[:1] in (["there"], ["link"]):
            others.append(_host(task, one))
        elif text[:1] == ["scratch"]:
            others.append(Mount("scratch", None, text[1], span=one.span))
        elif text[:1] == ["memory"]:
            numbered[int(text[1])] = Mount("memory", _share(block), text[2], span=one.span)
        elif text[:1] == ["fetch"]:
            numbered[int(text[1])] = Mount("hdfs", value_of(words[2]), text[3], span=one.span)
        elif text[:1] == ["unpack"] and text[1] != "files":
            numbered[int(text[1])] = Mount("archive", _archive(task, words[2]), text[4], span=one.span)
    if task.script.given:
        others += [Mount("host", source, at) for source, at in task.client.linked]
    for at in task.client.tmpfs:
        if at == "/dev/shm":
            block.set("shm", _share(block))
        else:
            others.append(Mount("memory", _share(block), at))
    left = iter(others)
    made = [numbered.pop(number, None) or next(left, None) for number in range(1, len(numbered) + len(others) + 1)]
    return [*(one for one in made if one is not None), *numbered.values()]


def _archive(task: Task, word: Word) -> Value:
    name = word.text.rpartition("/")[2] if word.unknown and word.unknown[0].name == "TFJOB_STORE" else word.text
    return task.sent.sent.get(name, None) or value_of(word)


def _host(task: Task, one: Command) -> Mount:
    """``there AT`` for a path that docker mounts or that is the node's own, ``link SOURCE AT`` for a link."""
    words = one.words
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
    return Mount("host", source, at, readonly, options, one.span)


def _share(block: Block) -> Value:
    """The size of what is in memory, which YARN does not limit: that of the container."""
    found = next((one for one in block.statements if isinstance(one, Attribute) and one.name == "memory"), None)
    return found.value if found is not None else Bare("1Gi")


def _steps(task: Task) -> Iterator[Step]:
    for one in task.part("prepare"):
        if one.words and one.words[0].text == "step" and len(one.words) == 3:
            number, name = one.words[1].text, one.words[2].text
            yield Step("prepare", name, tuple(_step(task.script.steps.get(number, ()))), one.span)


def _step(commands: Iterable[Command]) -> Iterator[Attribute]:
    for one in commands:
        text = [word.text for word in one.words]
        if text[:1] == ["cd"]:
            yield Attribute("workdir", value_of(one.words[-1]), one.span)
        elif text[:4] == ["exec", "env", "-u", "TF_CONFIG"]:
            words = list(one.words[4:])
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
                yield Attribute(name, value, one.span)


def _outputs(draft: Draft, task: Task) -> None:
    index = ""
    for one in task.part("outputs"):
        text = [word.text for word in one.words]
        if text[:2] == ["[", "$TFJOB_INDEX"] and len(text) > 3:
            index = text[3]
        elif text[:1] == ["copy_out"] and len(text) == 5:
            usual = index == "0" and task.name == default_decider(
                [pair[0].text or "" for pair in task.script.plan["roles"].items()]
            )
            made = Output(
                value_of(one.words[2]),
                value_of(one.words[3]),
                text[1],
                overwrite=text[4] == "overwrite",
                of=f"{task.name}[{index}]" if index and not usual else "",
                span=one.span,
            )
            (draft.job if index else draft.role(task.name)).add(made)
            index = ""
    if task.script.given:
        for source, destination in task.client.copied:
            draft.role(task.name).add(Output(source, destination))


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
