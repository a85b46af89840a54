"""A package that tfdsl wrote: the job is in package/files/job.json, sizes and options are in Slider's own files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfdsl.backend.draft import Attribute, Bare, Block, Draft, Mount, Output, Step, Text, Value
from tfdsl.manifest.nodes import Document, Mapping, View
from tfdsl.record import Record
from tfdsl.text import Span
from tfdsl.vocabulary.attributes import ROLE_NAMES
from tfdsl_backends.hadoop.reading import (
    Notes,
    add_completions,
    add_policy,
    add_retries,
    amount_of_bytes,
    commands_of,
    default_decider,
    duration,
    java_number,
    job_name,
    lift_policies,
    megabytes,
    read_discovery,
    set_grace,
    statuses,
)
from tfdsl_backends.slider.job_file import STOP_GRACE, TMPFS
from tfdsl_backends.slider.reading_files import Files, read_options, read_placement

BOARD: Final = ("tensorboard", "--logdir")
"""How TensorBoard's own command begins."""

USER: Final = "USER"
"""The variable that the job names as ``job.user``."""


_OF_TMPFS: Final = {at: name for name, at in TMPFS.items()}


class Submission(Record):
    """What submit.sh says: the queue, and what it adds to the package: name there → file here."""

    queue: str
    sent: dict[str, str]


def is_own(job: View) -> bool:
    """Whether a file is the job of a package that tfdsl wrote."""
    keys = ("roles", "completions", "pauses", "resourcemanagers", "wait_limit")
    return isinstance(job.node, Mapping) and all(key in job.node.entries for key in keys)


def read_own(files: Files, job: View, notes: Notes) -> Draft:
    """The job of such a package."""
    for file, name in (
        (files.resources, "resources.json"),
        (files.config, "appConfig.json"),
        (files.submit, "submit.sh"),
    ):
        if file is None or (isinstance(file, View) and not file.present):
            notes.left_out(job["name"].span, f"what {name} says", "import the folder of the package")
    submission = read_submission(files.submit)
    span = job["name"].span
    draft = Draft(job_name(job["name"].text or ""), "slider", span, law=False)
    if job["packages"].flag:
        draft.version = "0.91"
    resources = files.resources["components"]
    for name, role in job["roles"].entries():
        if name in ROLE_NAMES:
            _role(draft, name, role, job, submission)
            _size(draft.role(name), resources[name])
            read_placement(draft, name, resources[name])
    _order(draft, files)
    draft.job.set("queue", submission.queue or None, span)
    _job(draft, job)
    read_options(draft, files)
    _options(draft, job, submission)
    return draft


def read_submission(document: Document | None) -> Submission:
    """The words of submit.sh."""
    queue, sent = "", dict[str, str]()
    if document is not None:
        for command in commands_of(document.source):
            words = [word.text for word in command.words]
            if words[:1] == ["send"] and len(words) == 3:
                sent[words[2]] = words[1]
            if "--appdef" in words and "--queue" in words[:-1]:
                queue = words[words.index("--queue") + 1]
    return Submission(queue, sent)


# --- the job ---------------------------------------------------------------------------------------------------------


def _job(draft: Draft, job: View) -> None:
    roles = {name: role for name, role in job["roles"].entries() if name in ROLE_NAMES}
    draft.job.set("checkpoint", text_of(job["checkpoint"]) or None, job["checkpoint"].span)
    seconds = getattr(job["deadline"].node, "value", None)
    if isinstance(seconds, int | float) and not isinstance(seconds, bool):
        draft.job.set("deadline", duration(round(seconds * 1000)), job["deadline"].span)
    lift_policies(draft)
    deciding = [(view["role"].text or "", number(view["index"], -1)) for view in job["completions"].items()]
    add_completions(draft, deciding, job.key("completions"))
    add_retries(draft, number(job["retries"], 0), job["retries"].span)
    training = [role for name, role in roles.items() if name != "tensorboard"]
    configured = any(role["tf_config"].flag and not role["server"].flag for role in training)
    flags = any(role["flags"].flag for role in training)
    programs = not all(role["server"].flag for role in training)
    discovery = read_discovery(draft, configured=configured, flags=flags, programs=programs)
    if discovery == "none" and not any(role["meets"].flag for role in training):
        tasks = sum(number(role["replicas"], 1) for role in training)
        draft.job.set("gang", False if tasks > 1 else None, job.span)
    protocol = job["protocol"].text
    if protocol not in (None, "grpc"):
        draft.cluster["protocol"] = protocol


def _order(draft: Draft, files: Files) -> None:
    """What starts after what is in the metainfo alone."""
    for command_order in files.command_orders():
        name = (command_order["command"].text or "").removesuffix("-START")
        roles = [word.strip().removesuffix("-STARTED") for word in (command_order["requires"].text or "").split(",")]
        if name in draft.roles:
            draft.role(name).set(
                "after", [role for role in roles if role in draft.roles], command_order["requires"].span
            )


def _options(draft: Draft, job: View, submission: Submission) -> None:
    names = [view.text or "" for view in job["files"].items()]
    options = draft.options
    options.set("files", [submission.sent.get(name, name) for name in names] or None, job["files"].span)
    options.set("wait_limit", other_than(number(job["wait_limit"], 3600), 3600), job["wait_limit"].span)
    addresses = [view.text or "" for view in job["resourcemanagers"].items()]
    options.set("resourcemanager", addresses or None, job["resourcemanagers"].span)
    options.set("python", other_than(job["python"].text, "python"), job["python"].span)
    docker = [role["docker"] for _, role in job["roles"].entries() if role["docker"]["image"].present]
    for name, key, usual in (
        ("docker_network", "network", "host"),
        ("docker_user", "user", ""),
        ("cgroup_root", "cgroup_root", ""),
    ):
        said = next((view[key] for view in docker), None)
        if said is not None:
            options.set(name, other_than(said.text, usual), said.span)


# --- a role ----------------------------------------------------------------------------------------------------------


def _role(draft: Draft, name: str, role: View, job: View, submission: Submission) -> None:
    block = draft.role(name)
    block.set("replicas", other_than(number(role["replicas"], 1), 1), role["replicas"].span)
    block.set("server", True if role["server"].flag else None, role["server"].span)
    docker = role["docker"]
    block.set("image", text_of(docker["image"]), docker["image"].span)
    shm = docker["shm"].number
    block.set("shm", amount_of_bytes(shm) if shm else None, docker["shm"].span)
    if name == "tensorboard" and _is_board(role):
        _board(block, role, job)
    else:
        for word, said, span in _words(role):
            block.set(word, said, span)
    for key, variable in role["env"].entries():
        block.entry("env", key, text_of(variable) or "", variable.span)
    set_grace(block, role["stop_grace"], STOP_GRACE)
    for place in role["mounts"].items():
        mount = _mount(place, submission)
        sized = mount.kind == "memory" and mount.source is not None
        attribute = _OF_TMPFS.get(str(mount.at)) if sized and not mount.readonly else None
        if attribute is None:
            block.add(mount)
        else:
            block.set(attribute, mount.source, mount.span)
    block.add(*map(_step, role["steps"].items()))
    for output in role["outputs"].items():
        _output(draft, name, output)
    _policies(draft, name, role)


def _words(runs: View) -> Iterator[tuple[str, Value, Span]]:
    argv = [text_of(word) or "" for word in runs["argv"].items()]
    shell = text_of(runs["shell"])
    if argv or shell is not None:
        yield "command", argv or shell or "", (runs["argv"] if argv else runs["shell"]).span
    args = [text_of(word) or "" for word in runs["args"].items()]
    if args:
        yield "args", args, runs["args"].span
    workdir = text_of(runs["workdir"])
    if workdir:
        yield "workdir", workdir, runs["workdir"].span


def _is_board(role: View) -> bool:
    words = [text_of(word) for word in role["argv"].items()]
    return len(words) == 6 and tuple(words[:2]) == BOARD and words[3:5] == ["--bind_all", "--port"]


def _board(block: Block, role: View, job: View) -> None:
    words = list(role["argv"].items())
    if text_of(words[2]) != text_of(job["checkpoint"]):
        block.set("logdir", text_of(words[2]), words[2].span)
    port = words[5].text
    if port is not None and port.isdecimal() and port != "6006":
        block.set("port", int(port), words[5].span)


def _mount(mount: View, submission: Submission) -> Mount:
    kind, at = mount["kind"].text or "", mount["at"].text or ""
    readonly = bool(mount["readonly"].flag) and kind not in ("hdfs", "archive")  # theirs are copies
    source = text_of(mount["source"])
    options: tuple[tuple[str, Value], ...] = ()
    if kind == "archive" and mount["file"].text is not None:
        source = submission.sent.get(mount["file"].text, mount["file"].text)
    if kind == "host" and mount["type"].text:
        options = (("type", mount["type"].text),)
    size = mount["size"].number
    if kind == "memory" and size is not None:
        source = amount_of_bytes(size) if size else None
    return Mount(kind, source, at, readonly, options, mount.span)


def _step(step: View) -> Step:
    statements = [Attribute(name, value, span) for name, value, span in _words(step)]
    statements += [Attribute("env", text_of(view) or "", view.span, key) for key, view in step["env"].entries()]
    return Step("prepare", step["name"].text or "step", tuple(statements), step.span)


def _output(draft: Draft, name: str, output: View) -> None:
    index = number(output["index"], -1)
    made = Output(
        text_of(output["source"]) or "",
        text_of(output["destination"]) or "",
        output["when"].text or "success",
        overwrite=bool(output["overwrite"].flag),
        of="" if index < 0 or (index == 0 and name == default_decider(draft.roles)) else f"{name}[{index}]",
        span=output.span,
    )
    (draft.role(name) if index < 0 else draft.job).add(made)


# --- policies --------------------------------------------------------------------------------------------------------


def _policies(draft: Draft, name: str, role: View) -> None:
    decided: set[int] = set()
    for rule in role["failures"].items():
        index, action = number(rule["index"], -1), rule["action"].text or ""
        codes = [code.number or 0 for code in rule["codes"].items()]
        if index in decided or not rule["limited"].flag:
            continue  # tensorboard's own, or hidden by what is above it
        if codes:
            add_policy(draft, name, index, f"exit {statuses(codes)}", action, rule.span)
            continue
        decided.add(index)
        if index >= 0 or action != "fail job":
            add_policy(draft, name, index, "failed", action, rule.span)
    _evictions(draft, name, role)
    for rule in role["pending"].items():
        seconds = getattr(rule["seconds"].node, "value", 0)
        time = duration(round(seconds * 1000)) if isinstance(seconds, int | float) else Bare("0s")
        event = f"pending after {time.words}"
        add_policy(draft, name, number(rule["index"], -1), event, rule["action"].text or "", rule.span)
    for rule in role["restarted"].items():
        event = f"restarted {number(rule['count'], 0)}"
        add_policy(draft, name, number(rule["index"], -1), event, rule["action"].text or "", rule.span)


def _evictions(draft: Draft, name: str, role: View) -> None:
    """``evicted`` policies: where an eviction is something other than a failure."""
    failed: dict[int, str | None] = {}
    for rule in role["failures"].items():
        if not list(rule["codes"].items()):
            failed.setdefault(number(rule["index"], -1), rule["action"].text)
    evicted = {number(view["index"], -1): view for view in role["losses"]["evicted"].items()}
    usual = evicted[-1]["action"].text if -1 in evicted else None
    for index, view in evicted.items():
        action = view["action"].text
        if action != failed.get(index, failed.get(-1)) and (index < 0 or action != usual):
            add_policy(draft, name, index, "evicted", action or "", view.span)


# --- sizes -----------------------------------------------------------------------------------------------------------


def _size(block: Block, component: View) -> None:
    memory, cpu = component["yarn.memory"], component["yarn.vcores"]
    for name, said in (("memory", memory), ("cpu", cpu)):
        amount = java_number(said.words or "")
        if amount is not None:
            block.set(name, megabytes(amount) if name == "memory" else amount, said.span)
    label = component["yarn.label.expression"]
    block.set("node_label", label.text, label.span)


# --- values ----------------------------------------------------------------------------------------------------------


def text_of(value: View) -> Value | None:
    """A text of job.json: a string, or a list of its parts; ``None`` if there is none."""
    if value.text is not None:
        return value.text
    parts: list[str | Bare] = []
    for part in value.items():
        if part.text is not None:
            parts.append(part.text)
        elif part["is"].text == "index":
            parts.append(Bare("task.index"))
        elif part["is"].text == "env":
            name = part["name"].text or ""
            parts.append(Bare("job.user" if name == USER else f"env.{name}"))
    return Text(tuple(parts)) if parts else None


def number(value: View, otherwise: int) -> int:
    """The number at ``value``, or ``otherwise`` if there is no number."""
    return value.number if value.number is not None else otherwise


def other_than(value: Value | None, usual: Value) -> Value | None:
    """``value`` if it is not what the language gives anyway."""
    return None if value == usual else value
