"""The command lines of Submarine and TonY, as the files that say the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Several
from typing import Final, TypeAlias

from tfdsl.manifest.nodes import Entry, Mapping, Node, Scalar, Sequence, View, view
from tfdsl.manifest.shell_words import Command, Word
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.text import Source, Span
from tfdsl_backends.hadoop.reading import Notes, commands_of

Tree: TypeAlias = "dict[str, Tree | Scalar | list[Scalar]]"

SUBMITTER: Final = regex(r"(?i)tony[A-Za-z.]*\.(?:cli\.)?[A-Za-z]*Submitter\Z")
WITHOUT_VALUE: Final = frozenset(("tensorboard", "verbose", "wait_job_finish", "distribute_keytab", "insecure", "help"))
PATHS: Final = {
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
    return [one for one in commands_of(source) if _run_at(one) >= 0]


def tony_calls(source: Source) -> list[Command]:
    """The calls of one of TonY's submitters."""
    return [one for one in commands_of(source) if any(SUBMITTER.search(word.text) for word in one.words)]


def arguments(call: Command) -> Several[Word]:
    """The words after the name of TonY's submitter."""
    at = next((at for at, word in enumerate(call.words) if SUBMITTER.search(word.text)), len(call.words))
    return call.words[at + 1 :]


def _run_at(one: Command) -> int:
    words = [word.text for word in one.words]
    found = [at for at in range(len(words) - 1) if words[at : at + 2] == ["job", "run"]]
    return found[0] + 2 if found and any("submarine" in word.lower() for word in words[: found[0]]) else -1


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


def submarine_file(one: Command, notes: Notes) -> View:
    """The job file with what ``job run`` says."""
    root: Tree = {"spec": {"framework": Scalar("tensorflow", one.span)}}
    for option in options(one.words[_run_at(one) :], WITHOUT_VALUE):
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
                _put(root, PATHS[option.name], Scalar(number, option.word.span))
        elif option.name in PATHS and option.name not in WITHOUT_VALUE:
            _put(root, PATHS[option.name], Scalar(text, option.word.span))
        elif option.name not in WITHOUT_VALUE and option.name not in ("f", "conf"):
            notes.left_out(option.word.span, f"--{option.name}", "it is about Submarine's client")
    roles = root.setdefault("roles", {})
    servers = roles.get("ps") if isinstance(roles, dict) else None
    if isinstance(roles, dict) and isinstance(servers, dict) and "replicas" not in servers:
        del roles["ps"]  # without --num_ps there is none
    return view(_node(root, one.words[0].span))


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
        nodes = {key: _node(one, span) for key, one in value.items()}
        return Mapping({key: Entry(key, node.span, node) for key, node in nodes.items()}, span)
    return Sequence(tuple(value), span) if isinstance(value, list) else value
