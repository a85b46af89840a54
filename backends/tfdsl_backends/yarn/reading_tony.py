"""TonY's tony.xml: the properties ``tony.ROLE.…`` are the roles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tfdsl.backend.draft import Bare, Block, Draft, Mount, Policy
from tfdsl.diagnostics import command_rules
from tfdsl.manifest.nodes import Document, View, view
from tfdsl.manifest.shell_words import Command
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.text import Span
from tfdsl_backends.hadoop.reading import (
    UNKNOWN_COMMAND,
    Notes,
    attribute,
    board,
    command,
    duration,
    job_name,
    listed,
    memory,
    memory_in_mb,
    remove_attribute,
    roles_of,
)
from tfdsl_backends.yarn.reading_fields import TONY_LEFT_OUT
from tfdsl_backends.yarn.reading_parts import read_mount
from tfdsl_backends.yarn.reading_submarine import arguments, options

INSTANCES: Final = regex(r"tony\.([a-z]+)\.instances\Z")
_OF_ROLE: Final = ("instances", "memory", "vcores", "gpus", "command", "resources", "node-label", "depends-on")
OPTIONS: Final = frozenset(
    ("executes", "task_params", "src_dir", "python_venv", "python_binary_path", "conf_file", "conf",
     "sidecar_tensorboard_log_dir")
)  # fmt: skip
"""Options of TonY's client that become a part of the job, or say where its configuration is."""

_DEFAULTS: Final = ("tony-default.xml", "programatically")
"""Where a property comes from that nobody has written, as a resolved configuration says it."""

_VENV: Final = "venv"
"""Where TonY unpacks ``-python_venv`` (``Constants.PYTHON_VENV_DIR``)."""
_SOURCES: Final = "-src_dir"
"""What the command line has as the folder of the program, among the properties."""

_ENDINGS: Final = (".zip", ".tar", ".tar.gz", ".tgz")


class Property(Record):
    """A value and its place; ``own``: somebody has written it."""

    text: str
    span: Span
    own: bool = True


def is_tony(document: Document) -> bool:
    """Whether a document is a configuration of TonY."""
    return document.format == "xml" and any(name.startswith("tony.") for name in properties(view(document.node)))


def properties(root: View) -> dict[str, Property]:
    """Name → value of a Hadoop configuration; the last one of a name counts."""
    found: dict[str, Property] = {}
    for entry in _each(root["configuration"]["property"]):
        name = entry["name"].text or ""
        sources = [source.text for source in _each(entry["source"])]
        value = entry["value"]
        if name:
            found[name] = Property(value.text or "", value.span, not sources or sources[0] not in _DEFAULTS)
    return found


def _each(place: View) -> Iterator[View]:
    """An element that is there once or several times."""
    items = list(place.items())
    if items:
        yield from items
    elif place.present:
        yield place


def read_tony(root: View | None, call: Command | None, notes: Notes, span: Span) -> Draft | None:
    """The job of a configuration, of a command line, or of both: the command line counts more."""
    said = properties(root) if root is not None else {}
    if call is not None:
        _submitted(said, call, notes)
    title = said["tony.application.name"].text if "tony.application.name" in said else "the job of TonY"
    framework = said.get("tony.application.framework")
    if framework is not None and framework.text.lower() != "tensorflow":
        reason = f"its framework is {framework.text}"
        notes.asked.report(command_rules.NOT_TENSORFLOW(framework.span, what=title, reason=reason))
        return None
    if call is not None and root is None and not _has_its_parts(said, call, title, notes):
        return None
    counts = {match[1]: entry for name, entry in said.items() if (match := INSTANCES.match(name)) and entry.text != "0"}
    roles = roles_of(title, {name: entry.span for name, entry in counts.items()}, notes, span)
    if roles is None:
        return None
    draft = Draft(job_name(title, "tony"), "yarn", span, law=False)
    draft.renamed.update({name: role for name, role in roles.items() if name != role})
    for name, role in roles.items():
        _role(draft, role, name, said, roles, notes)
    _board(draft, said)
    _job(draft, said, notes)
    _left_out(said, roles, notes)
    return draft


def _has_its_parts(said: Mapping[str, Property], call: Command, title: str, notes: Notes) -> bool:
    """Whether a command line without its configuration says what roles there are; what is missing is reported."""
    file = next((option.word for option in options(arguments(call)) if option.name == "conf_file"), None)
    name, span = (file.text, file.span) if file is not None else ("tony.xml", call.words[0].span)
    if any(map(INSTANCES.match, said)):
        if file is not None:
            notes.left_out(span, f"what {name} says", "it was not given; import it together with the command line")
        return True
    refused = command_rules.IMPORT_REFUSED(span, job=title, problem=f"its roles are in {name}, which was not given")
    notes.asked.report(refused.help("import it together with the command line: tfdsl import submit.sh tony.xml"))
    return False


def _submitted(said: dict[str, Property], call: Command, notes: Notes) -> None:
    """The options of TonY's client, as the properties that say the same."""
    own = list(options(arguments(call)))
    given = {option.name: notes.keep(option.word, f"-{option.name}") for option in own}
    places = {option.name: option.word.span for option in own}
    for option in own:
        name, equals, value = option.word.text.partition("=")
        if option.name == "conf" and equals:
            said[name] = Property(value, option.word.span)
        elif option.name in ("shell_env", "container_env"):
            before = said.get("tony.containers.envs")
            text = f"{before.text},{option.word.text}" if before is not None else option.word.text
            said["tony.containers.envs"] = Property(text, option.word.span)
        elif option.name not in OPTIONS:
            notes.left_out(option.word.span, f"-{option.name}", "it is about TonY's client")
    if "executes" in given:
        words = [_interpreter(given), given["executes"], given.get("task_params", "")]
        said.setdefault("tony.containers.command", Property(" ".join(filter(None, words)), places["executes"]))
    if "python_venv" in given:
        before = said.get("tony.containers.resources")
        archive = f"{given['python_venv']}::{_VENV}#archive"
        whole = f"{before.text},{archive}" if before is not None and before.text else archive
        said["tony.containers.resources"] = Property(whole, places["python_venv"])
    if "src_dir" in given:
        said[_SOURCES] = Property(given["src_dir"], places["src_dir"])
        folder = _folder(given["src_dir"])
        difference = "TonY puts what is in it beside the other files, which are in .. here"
        notes.differs(places["src_dir"], f"-src_dir {given['src_dir']}", f'workdir = "{folder}"', difference)
    if "sidecar_tensorboard_log_dir" in given:
        place = places["sidecar_tensorboard_log_dir"]
        said["tony.application.tensorboard-log-dir"] = Property(given["sidecar_tensorboard_log_dir"], place)


def _interpreter(given: Mapping[str, str]) -> str:
    """What runs the program: TonY looks for a relative path in the environment that it has unpacked."""
    path = given.get("python_binary_path", "python")
    if "python_venv" not in given or "python_binary_path" not in given or path.startswith("/"):
        return path
    return f"{'../' if 'src_dir' in given else ''}{_VENV}/{path}"


def _folder(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


# --- a role ----------------------------------------------------------------------------------------------------------


def _role(
    draft: Draft, role: str, name: str, said: Mapping[str, Property], roles: Mapping[str, str], notes: Notes
) -> None:
    block = draft.role(role)
    count = _whole(said.get(f"tony.{name}.instances"), notes)
    if count is not None:
        block.set("replicas", count[0] if count[0] != 1 else None, count[1])
    amount = said.get(f"tony.{name}.memory")
    size = memory(amount.text) if amount is not None else Bare("2Gi")
    if size is None and amount is not None:
        notes.refused(amount.span, f"tony.{name}.memory {amount.text}", "it must be an amount such as 4g")
    block.set("memory", size, amount.span if amount is not None else None)
    for key, word in (("vcores", "cpu"), ("gpus", "gpu")):
        number = _whole(said.get(f"tony.{name}.{key}"), notes)
        if number is not None and number[0]:
            block.set(word, number[0], number[1])
    _image(block, name, said)
    _command(block, role, name, said, notes)
    label = said.get(f"tony.{name}.node-label") or said.get("tony.application.node-label")
    if label is not None and label.text:
        block.set("node_label", label.text, label.span)
    after = said.get(f"tony.{name}.depends-on")
    if after is not None:
        waits = [roles[word.strip()] for word in after.text.split(",") if word.strip() in roles]
        block.set("after", waits or None, after.span)
    for key in ("tony.containers.envs", "tony.execution.envs"):
        _variables(block, said.get(key))
    for key in ("tony.containers.resources", f"tony.{name}.resources"):
        _resources(draft, block, said.get(key))
    sources = said.get(_SOURCES)
    if sources is not None and role != "tensorboard":
        _send(draft, sources.text.rstrip("/"), sources.span)
        block.set("workdir", _folder(sources.text) or None, sources.span)
    mounts = said.get("tony.docker.containers.mount")
    if mounts is not None and _in_docker(said):
        for part in mounts.text.split(","):
            if part.strip():
                read_mount(block, part.strip(), mounts.span, notes)


def _whole(value: Property | None, notes: Notes) -> tuple[int, Span] | None:
    if value is None or not value.text:
        return None
    if not (value.text.isascii() and value.text.isdecimal() and len(value.text) < 10):
        notes.refused(value.span, value.text, "it must be a whole number")
        return None
    return int(value.text), value.span


def _in_docker(said: Mapping[str, Property]) -> bool:
    return any(
        key in said and said[key].text.lower() == "true"
        for key in ("tony.docker.enabled", "tony.application.docker.enabled")
    )


def _image(block: Block, name: str, said: Mapping[str, Property]) -> None:
    keys = (f"tony.docker.{name}.image", "tony.docker.containers.image", "tony.application.docker.image")
    image = next((said[key] for key in keys if key in said), None)
    if image is not None and image.text and _in_docker(said):
        block.set("image", image.text, image.span)


def _command(block: Block, role: str, name: str, said: Mapping[str, Property], notes: Notes) -> None:
    line = said.get(f"tony.{name}.command") or said.get("tony.containers.command")
    if line is not None and line.text:
        value = command(line.text, line.span)
        if role == "tensorboard":
            board(block, value, line.span)
        else:
            block.set("command", value, line.span)
    elif role != "tensorboard":
        place = said[f"tony.{name}.instances"].span
        notes.differs(
            place, f"what role {name} runs", "command", "TonY's command line has it (-executes); write it here"
        )
        block.set("command", UNKNOWN_COMMAND, place)


def _variables(block: Block, value: Property | None) -> None:
    for part in value.text.split(",") if value is not None else ():
        name, equals, text = part.strip().partition("=")
        if equals and value is not None:
            block.entry("env", name, text, value.span)


def _resources(draft: Draft, block: Block, value: Property | None) -> None:
    """``PATH``, ``PATH::NAME`` and ``PATH#archive``: files of HDFS, and those that are sent."""
    for part in value.text.split(",") if value is not None and value.own else ():
        assert value is not None
        path, sharp, _ = part.strip().partition("#")
        path, _, name = path.partition("::")
        name = name or _folder(path)
        if not path or not name:
            continue
        if sharp or path.endswith(_ENDINGS):
            block.add(Mount("archive", path, name, span=value.span))
        elif "://" in path:
            block.add(Mount("hdfs", path, name, span=value.span))
        else:
            _send(draft, path, value.span)


def _send(draft: Draft, path: str, span: Span) -> None:
    """Add ``path`` to the option ``files``."""
    sent = attribute(draft.options, "files")
    files = listed(sent.value) if sent is not None else []
    if path not in files:
        remove_attribute(draft.options, "files")
        draft.options.set("files", [*files, path], span)


# --- the job ---------------------------------------------------------------------------------------------------------


def _board(draft: Draft, said: Mapping[str, Property]) -> None:
    """The folder that TensorBoard shows makes a role of it, as the sidecar is there."""
    folder = said.get("tony.application.tensorboard-log-dir")
    if folder is None or not folder.text:
        return
    block = draft.role("tensorboard")
    if attribute(block, "logdir") is None:
        block.set("logdir", folder.text, folder.span)
    if attribute(block, "memory") is None:
        block.set("memory", Bare("2Gi"), folder.span)


def _job(draft: Draft, said: Mapping[str, Property], notes: Notes) -> None:
    queue = said.get("tony.yarn.queue")
    if queue is not None and queue.own:
        draft.job.set("queue", queue.text or None, queue.span)
    timeout = _whole(said.get("tony.application.timeout"), notes)
    if timeout is not None and timeout[0]:
        draft.job.set("deadline", duration(timeout[0]), timeout[1])
    wait = said.get("tony.container.allocation.timeout")
    if wait is not None and wait.text.isdecimal() and int(wait.text):
        draft.job.add(Policy(f"pending after {duration(int(wait.text)).words}", "fail job", wait.span))
    amount = said.get("tony.am.memory")
    size = memory_in_mb(amount.text) if amount is not None and amount.own else None
    if amount is not None:
        draft.options.set("am_memory", size, amount.span)
    mode = said.get("tony.application.distributed-mode")
    if mode is not None and mode.text == "FCFS":
        draft.job.set("gang", False, mode.span)


def _left_out(said: Mapping[str, Property], roles: Mapping[str, str], notes: Notes) -> None:
    known = {f"tony.{name}.{key}" for name in roles for key in _OF_ROLE}
    for name, entry in said.items():
        if name in known or not entry.own or INSTANCES.match(name) or not name.startswith("tony."):
            continue
        reason = next((why for key, why in TONY_LEFT_OUT.items() if name == key or name.startswith(f"{key}.")), "")
        if reason:
            notes.left_out(entry.span, name, reason)
