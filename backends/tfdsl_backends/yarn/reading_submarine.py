"""Submarine as it was part of Hadoop: its YAML job file, and its command line as the file that says the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence as Several
from typing import Final, TypeAlias

from tfdsl.backend.draft import Block, Draft, Mount
from tfdsl.diagnostics import command_rules as import_rules
from tfdsl.manifest.nodes import Document, Entry, Mapping, Node, Scalar, Sequence, View, view
from tfdsl.manifest.shell_words import Command, Word
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.text import Source, Span
from tfdsl_backends.hadoop.reading import UNKNOWN_COMMAND, Notes, command, commands_of, job_name, memory, roles_of
from tfdsl_backends.yarn.reading_fields import SUBMARINE_LEFT_OUT
from tfdsl_backends.yarn.reading_parts import read_mount, resources, set_resource

OF_ROLE: Final = frozenset(("resources", "replicas", "launch_cmd", "docker_image", "envs", "localizations", "mounts"))
OF_CONFIGS: Final = OF_ROLE | {"input_path", "checkpoint_path", "saved_model_path", "wait_job_finish", "quicklinks"}
PATHS: Final = ("input_path", "checkpoint_path", "saved_model_path")


def is_submarine(document: Document) -> bool:
    """Whether a document is a job of Submarine."""
    root = view(document.node)
    spec = root["spec"]
    return (
        document.format != "text"
        and not root["apiVersion"].present
        and isinstance(root["roles"].node, Mapping)
        and (spec["framework"].present or spec["job_type"].present)
    )


def read_submarine(root: View, notes: Notes) -> Draft | None:
    """The job of a file."""
    spec, configs = root["spec"], root["configs"]
    title = spec["name"].words or "the job of Submarine"
    framework = spec["framework"].text or "tensorflow"
    if framework.lower() != "tensorflow":
        reason = f"its framework is {framework}"
        notes.asked.report(import_rules.NOT_TENSORFLOW(spec["framework"].span, what=title, reason=reason))
        return None
    parts = dict(root["roles"].entries())
    roles = roles_of(title, {name: root["roles"].key(name) for name in parts}, notes, root.span)
    if roles is None:
        return None
    draft = Draft(job_name(title), "yarn", spec["name"].span, law=False)
    draft.renamed.update({name: role for name, role in roles.items() if name != role})
    draft.job.set("queue", root["scheduling"]["queue"].text, root["scheduling"]["queue"].span)
    draft.job.set("checkpoint", configs["checkpoint_path"].text, configs["checkpoint_path"].span)
    for name, role in roles.items():
        _role(draft.role(role), parts[name], configs, notes)
    _board(draft, root["tensorBoard"], configs, notes)
    _left_out(root, parts, notes)
    return draft


def _role(block: Block, entry: View, configs: View, notes: Notes) -> None:
    count = entry["replicas"]
    block.set("replicas", count.number if count.number not in (None, 1) else None, count.span)
    _size(block, entry["resources"], notes)
    image = entry["docker_image"] if entry["docker_image"].present else configs["docker_image"]
    block.set("image", image.text, image.span)
    line = entry["launch_cmd"]
    if line.text:
        block.set("command", command(_with_paths(line.text, configs), line.span), line.span)
    else:
        notes.differs(entry.span, "a role without launch_cmd", "command", "write the command")
        block.set("command", UNKNOWN_COMMAND, entry.span)
    _surroundings(block, entry, configs, notes)


def _surroundings(block: Block, entry: View, configs: View, notes: Notes) -> None:
    """Variables, mounts and files: those of all parts, and a part's own."""
    for name, value in {**dict(configs["envs"].entries()), **dict(entry["envs"].entries())}.items():
        block.entry("env", name, value.words or str(value.flag).lower(), value.span)
    for key in ("mounts", "localizations"):
        place = entry[key] if entry[key].present else configs[key]
        for each in place.items():
            if key == "mounts":
                read_mount(block, each.text or "", each.span, notes)
            else:
                _localize(block, each.text or "", each.span, notes)


def _with_paths(text: str, configs: View) -> str:
    for key in PATHS:
        text = text.replace(f"%{key}%", configs[key].text or f"%{key}%")
    return text


def _size(block: Block, place: View, notes: Notes) -> None:
    """Resources as Submarine writes them: ``memory=4G,vcores=2,gpu=1``."""
    for name, amount in resources(place.text or "").items():
        if name == "memory":
            block.set("memory", memory(amount), place.span)
        elif not set_resource(block, "yarn.io/gpu" if name == "gpu" else name, amount, place.span):
            notes.left_out(place.span, f"{name}={amount}", "an amount is a whole number")


def _localize(block: Block, text: str, span: Span, notes: Notes) -> None:
    """``REMOTE:LOCAL[:MODE]``, where REMOTE can be a URI."""
    words = text.removesuffix(":rw").removesuffix(":ro")
    remote, _, local = words.rpartition(":")
    if not remote or remote.endswith("//") or "/" in remote[-2:]:
        remote, local = words, words.rstrip("/").rpartition("/")[2]
    if remote.startswith("hdfs://"):
        block.add(Mount("hdfs", remote, local if local != "." else remote.rpartition("/")[2], span=span))
    else:
        notes.left_out(span, f"the localization {text}", "only hdfs:// is fetched; target yarn { files } sends files")


def _board(draft: Draft, entry: View, configs: View, notes: Notes) -> None:
    if not entry.present:
        return
    block = draft.role("tensorboard")
    image = entry["docker_image"] if entry["docker_image"].present else configs["docker_image"]
    block.set("image", image.text, image.span)
    for name, amount in resources(entry["resources"].text or "").items():
        if name == "memory":
            block.set("memory", memory(amount), entry["resources"].span)
        elif name == "vcores":
            set_resource(block, name, amount, entry["resources"].span)
    _surroundings(block, entry, configs, notes)
    if not configs["checkpoint_path"].present:
        block.set("logdir", configs["saved_model_path"].text or "hdfs:///tmp/logs", entry.span)


def _left_out(root: View, parts: dict[str, View], notes: Notes) -> None:
    sections = {"spec", "configs", "scheduling", "roles", "tensorBoard", *SUBMARINE_LEFT_OUT}
    for key, _ in root.entries():
        if key not in sections:
            notes.refused(root.key(key), key, "Submarine knows no such property")
        elif key in SUBMARINE_LEFT_OUT:
            notes.left_out(root.key(key), key, SUBMARINE_LEFT_OUT[key])
    for place, known in ((root["configs"], OF_CONFIGS), *((part, OF_ROLE) for part in parts.values())):
        for key, _ in place.entries():
            if key not in known:
                notes.refused(place.key(key), key, "Submarine knows no such property")
            elif key in SUBMARINE_LEFT_OUT:
                notes.left_out(place.key(key), key, SUBMARINE_LEFT_OUT[key])


Tree: TypeAlias = "dict[str, Tree | Scalar | list[Scalar]]"

SUBMITTER: Final = regex(r"(?i)tony[A-Za-z.]*\.(?:cli\.)?[A-Za-z]*Submitter\Z")
WITHOUT_VALUE: Final = frozenset(("tensorboard", "verbose", "wait_job_finish", "distribute_keytab", "insecure", "help"))
FIELDS_OF_OPTIONS: Final = {
    "name": ("spec", "name"),
    "framework": ("spec", "framework"),
    "input_path": ("configs", "input_path"),
    "checkpoint_path": ("configs", "checkpoint_path"),
    "saved_model_path": ("configs", "saved_model_path"),
    "docker_image": ("configs", "docker_image"),
    "wait_job_finish": ("configs", "wait_job_finish"),
    "queue": ("scheduling", "queue"),
    "worker_resources": ("roles", "worker", "resources"),
    "worker_launch_cmd": ("roles", "worker", "launch_cmd"),
    "worker_docker_image": ("roles", "worker", "docker_image"),
    "num_workers": ("roles", "worker", "replicas"),
    "ps_resources": ("roles", "ps", "resources"),
    "ps_launch_cmd": ("roles", "ps", "launch_cmd"),
    "ps_docker_image": ("roles", "ps", "docker_image"),
    "num_ps": ("roles", "ps", "replicas"),
    "tensorboard_resources": ("tensorBoard", "resources"),
    "tensorboard_docker_image": ("tensorBoard", "docker_image"),
    "keytab": ("security", "keytab"),
    "principal": ("security", "principal"),
}
"""Option of ``job run`` → the field of the job file."""

LISTS: Final = {"localization": "localizations", "quicklink": "quicklinks"}


class Option(Record):
    """An option of a command line; ``word``: its value, or the option itself where it has none."""

    name: str
    word: Word


def submarine_calls(source: Source) -> list[Command]:
    """The calls of ``job run``."""
    return [call for call in commands_of(source) if _run_at(call) >= 0]


def tony_calls(source: Source) -> list[Command]:
    """The calls of one of TonY's submitters."""
    return [call for call in commands_of(source) if any(SUBMITTER.search(word.text) for word in call.words)]


def arguments(call: Command) -> Several[Word]:
    """The words after the name of TonY's submitter."""
    at = next((at for at, word in enumerate(call.words) if SUBMITTER.search(word.text)), len(call.words))
    return call.words[at + 1 :]


def _run_at(call: Command) -> int:
    words = [word.text for word in call.words]
    places = [at for at in range(len(words) - 1) if words[at : at + 2] == ["job", "run"]]
    return places[0] + 2 if places and any("submarine" in word.lower() for word in words[: places[0]]) else -1


def options(words: Several[Word], switches: Iterable[str] = ()) -> Iterator[Option]:
    """``--x v``, ``-x v``, ``--x=v``; each option takes one word unless it is one of ``switches``."""
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.text.startswith("-"):
            continue
        name, equals, _ = word.text.lstrip("-").partition("=")
        first = word.parts[0] if word.parts else ""
        if equals and isinstance(first, str) and "=" in first:
            rest = (first.partition("=")[2], *word.parts[1:])
            yield Option(name, type(word)(tuple(part for part in rest if part != ""), word.span))
        elif name in switches or at >= len(words):
            yield Option(name, word)
        else:
            yield Option(name, words[at])
            at += 1


def submarine_file(call: Command, notes: Notes) -> View:
    """The job file with what ``job run`` says."""
    root: Tree = {"spec": {"framework": Scalar("tensorflow", call.span)}}
    for option in options(call.words[_run_at(call) :], WITHOUT_VALUE):
        text = notes.keep(option.word, f"--{option.name}")
        if option.name == "env" and "=" in text:
            name, _, value = text.partition("=")
            _put(root, ("configs", "envs", name), Scalar(value, option.word.span))
        elif option.name in LISTS:
            _append(root, ("configs", LISTS[option.name]), Scalar(text, option.word.span))
        elif option.name == "tensorboard":
            _put(root, ("tensorBoard", "enabled"), Scalar(True, option.word.span))
        elif option.name in ("num_workers", "num_ps"):
            number = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else text
            if number != 0:
                _put(root, FIELDS_OF_OPTIONS[option.name], Scalar(number, option.word.span))
        elif option.name in FIELDS_OF_OPTIONS and option.name not in WITHOUT_VALUE:
            _put(root, FIELDS_OF_OPTIONS[option.name], Scalar(text, option.word.span))
        elif option.name not in WITHOUT_VALUE and option.name not in ("f", "conf"):
            notes.left_out(option.word.span, f"--{option.name}", "it is about Submarine's client")
    roles = root.setdefault("roles", {})
    servers = roles.get("ps") if isinstance(roles, dict) else None
    if isinstance(roles, dict) and isinstance(servers, dict) and "replicas" not in servers:
        del roles["ps"]  # without --num_ps there is none
    return view(_node(root, call.words[0].span))


def _put(root: Tree, path: tuple[str, ...], value: Scalar) -> None:
    _below(root, path[:-1])[path[-1]] = value


def _append(root: Tree, path: tuple[str, ...], value: Scalar) -> None:
    items = _below(root, path[:-1]).setdefault(path[-1], [])
    if isinstance(items, list):
        items.append(value)


def _below(root: Tree, path: tuple[str, ...]) -> Tree:
    for step in path:
        below = root.setdefault(step, {})
        root = below if isinstance(below, dict) else {}
    return root


def _node(value: Tree | Scalar | list[Scalar], span: Span) -> Node:
    if isinstance(value, dict):
        nodes = {key: _node(item, span) for key, item in value.items()}
        return Mapping({key: Entry(key, node.span, node) for key, node in nodes.items()}, span)
    return Sequence(tuple(value), span) if isinstance(value, list) else value
