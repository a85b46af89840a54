"""The options of DistributedShell's client, read as its own parser reads them (commons-cli, GnuParser)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.manifest.shell_words import Word
    from tfdsl.text import Span

# fmt: off
VALUES: Final = frozenset((
    "appname", "priority", "queue", "timeout", "master_memory", "master_vcores", "jar", "shell_command", "shell_script",
    "shell_env", "shell_cmd_priority", "container_memory", "container_vcores", "num_containers", "log_properties",
    "attempt_failures_validity_interval", "domain", "view_acls", "modify_acls", "node_label_expression", "flow_name",
    "flow_version", "flow_run_id", "container_retry_policy", "container_retry_error_codes", "container_max_retries",
    "container_retry_interval", "master_resources", "container_resources", "master_resource_profile",
    "container_resource_profile", "container_type", "docker_client_config", "placement_spec",
    "container_failures_validity_interval", "application_tags", "rolling_log_pattern", "localize_files",
    "mounts", "output", "tar", "num_parameter_servers", "num_trainers",
))
"""Options with a value; those of the modified client last."""

SWITCHES: Final = frozenset((
    "keep_containers_across_application_attempts", "debug", "help", "create", "promote_opportunistic_after_start",
    "enforce_execution_type",
))
# fmt: on
PREFIX: Final = "YARN_CONTAINER_RUNTIME_"


class Client(Record):
    """One call of the client.

    ``options``: by name, without ``shell_env`` and ``shell_args``; ``variables``: name and word of each ``shell_env``;
    ``arguments``: of ``shell_args``; ``taken``: options behind those that look as if they were the program's;
    ``stray``: words that belong to no option.
    """

    options: Mapping[str, Word]
    variables: tuple[tuple[str, Word], ...]
    arguments: tuple[Word, ...]
    stray: tuple[Word, ...] = ()
    taken: tuple[Word, ...] = ()

    @property
    def docker(self) -> dict[str, tuple[str, Span]]:
        """The variables of the docker runtime, without their common beginning."""
        return {
            name.removeprefix(PREFIX): (value.text, value.span)
            for name, value in self.variables
            if name.startswith(PREFIX)
        }

    @property
    def mounts(self) -> dict[str, tuple[str, str]]:
        """What docker mounts: path in the container → path on the node and mode."""
        found: dict[str, tuple[str, str]] = {}
        for part in self.docker.get("DOCKER_MOUNTS", ("", None))[0].split(","):
            source, colon, rest = part.partition(":")
            at, _, mode = rest.partition(":")
            if colon and source and at:
                found[at] = (source, "ro" if mode.startswith("ro") else "rw")
        return found

    @property
    def tmpfs(self) -> list[str]:
        """Where docker mounts a tmpfs."""
        return [path for path in self.docker.get("DOCKER_TMPFS_MOUNTS", ("", None))[0].split(",") if path]

    @property
    def linked(self) -> list[tuple[str, str]]:
        """Source and place of each of the modified client's ``-mounts``."""
        return _pairs(self.options.get("mounts"))

    @property
    def copied(self) -> list[tuple[str, str]]:
        """Source and destination of each of the modified client's ``-output``."""
        return _pairs(self.options.get("output"))

    @property
    def shape(self) -> list[tuple[str, str]]:
        """What the containers of an application have in common, without what differs between any two."""
        own = ("appname", "num_containers")
        options = [(name, word.text) for name, word in self.options.items() if name not in own]
        return [*options, *((name, value.text) for name, value in self.variables if name != "TFJOB_ROLE_ONLY")]


def _pairs(word: Word | None) -> list[tuple[str, str]]:
    """``a:b,c:d``; a destination can be a URI."""
    found: list[tuple[str, str]] = []
    for part in word.text.split(",") if word is not None else []:
        source, colon, other = part.partition(":")
        if colon and source and other:
            found.append((source, other))
    return found


def client_of(words: Sequence[Word]) -> Client:
    """The options among ``words``: ``-x v``, ``--x v``, ``-x=v``; each word that starts with an own one is one."""
    options: dict[str, Word] = {}
    variables: list[tuple[str, Word]] = []
    arguments: list[Word] = []
    stray: list[Word] = []
    taken: list[Word] = []
    dashes = ""  # of shell_args: options that are written like it are meant for the client
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        name, value = _option(word)
        if not name:
            stray.append(word)
            continue
        if arguments and word.text.startswith("--") and (dashes != "--" or "=" in word.text):
            taken.append(word)
        if name == "shell_args":
            dashes = "--" if word.text.startswith("--") else "-"
            arguments += [value] if value is not None else []
            while at < len(words) and not _option(words[at])[0]:
                arguments.append(words[at])
                at += 1
            continue
        if name in VALUES and value is None and at < len(words) and not _option(words[at])[0]:
            value = words[at]
            at += 1
        if name == "shell_env":
            variables += [_variable(value)] if value is not None and value.text.strip() else []
        else:
            options[name] = value if value is not None else word
    return Client(options, tuple(variables), tuple(arguments), tuple(stray), tuple(taken))


def _variable(word: Word) -> tuple[str, Word]:
    """``NAME=VALUE``; without ``=`` the value is empty."""
    first = word.parts[0] if word.parts else ""
    name, _, rest = first.partition("=") if isinstance(first, str) else (word.text, "", "")
    parts = [part for part in (rest, *word.parts[1:]) if part != ""] if isinstance(first, str) else []
    if parts and isinstance(parts[0], str):
        parts[0] = parts[0].lstrip()
    return name.strip(), type(word)(tuple(parts), word.span)


def _option(word: Word) -> tuple[str, Word | None]:
    """The option that a word is, and the value that it has itself; an empty name for another word."""
    first = word.parts[0] if word.parts else ""
    if not isinstance(first, str) or not first.startswith("-"):
        return "", None
    text = first[2:] if first.startswith("--") else first[1:]
    name, equals, rest = text.partition("=")
    if name not in VALUES and name not in SWITCHES and name != "shell_args":
        return "", None
    if not equals:
        return (name, None) if len(word.parts) == 1 else ("", None)
    parts = tuple(part for part in (rest, *word.parts[1:]) if part != "")
    return name, type(word)(parts, word.span)
