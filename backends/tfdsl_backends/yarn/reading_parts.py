"""What every manifest of YARN says in words of its own: options, resources, the docker runtime."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tfdsl.backend.draft import Block, Mount
from tfdsl.manifest.shell_words import Word
from tfdsl.record import Record
from tfdsl.text import Span
from tfdsl.vocabulary.attributes import IN_MEMORY_AT
from tfdsl_backends.hadoop.reading import Notes, memory

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
        options: dict[str, tuple[str, str]] = {}
        for part in self.docker.get("DOCKER_MOUNTS", ("", None))[0].split(","):
            source, colon, rest = part.partition(":")
            at, _, mode = rest.partition(":")
            if colon and source and at:
                options[at] = (source, "ro" if mode.startswith("ro") else "rw")
        return options

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


GPU: Final = "yarn.io/gpu"


def set_size(block: Block, client: Client, *, hidden: bool = False) -> None:
    """``memory``, ``cpu``, ``gpu`` and ``resources`` of a role. ``hidden``: its devices are those of another role."""
    word = client.options.get("container_resources")
    if word is not None:
        for name, amount in resources(word.text).items():
            set_resource(block, name, amount, word.span, hidden=hidden)
        return
    for option, name in (("container_memory", "memory-mb"), ("container_vcores", "vcores")):
        value = client.options.get(option)
        if value is not None:
            set_resource(block, name, value.text, value.span)


def resources(text: str) -> dict[str, str]:
    """``memory-mb=3072,vcores=1,yarn.io/gpu=2`` by name; brackets around it are allowed."""
    found: dict[str, str] = {}
    for part in text.strip().removeprefix("[").removesuffix("]").split(","):
        name, equals, amount = part.strip().partition("=")
        if equals:
            found[name.strip()] = amount.strip()
    return found


def set_resource(block: Block, name: str, amount: str, span: Span, *, hidden: bool = False) -> bool:
    """One of the resources as an attribute; whether it is one."""
    if name in ("memory-mb", "memory"):
        size = memory(amount)
        block.set("memory", size, span)
        return size is not None
    if not (amount.isascii() and amount.isdecimal() and len(amount) < 12):
        return False
    count = int(amount)
    if name == "vcores":
        block.set("cpu", count if count > 0 else None, span)
    elif "gpu" in name:
        if count and not hidden:
            block.set("gpu", count, span)
            block.set("gpu_resource", name if name != GPU else None, span)
    elif count:
        block.entry("resources", name, count, span)
    return True


DOCKER_LEFT_OUT: Final = {
    "DOCKER_RUN_OVERRIDE_DISABLE": "the command of the role replaces the image's",
    "DOCKER_CONTAINER_HOSTNAME": "a task is found by its node",
    "DOCKER_DELAYED_REMOVAL": "it is for looking into ended containers",
    "DOCKER_CONTAINER_PID_NAMESPACE": "a task has its own processes",
    "DOCKER_PORTS_MAPPING": "each task takes a free port of its node",
    "DOCKER_RUNTIME": "the NodeManager chooses the runtime of devices",
    "DOCKER_SERVICE_MODE": "tfdsl starts the command itself",
    "DOCKER_CLIENT_CONFIG": "the nodes log in to the registry",
    "DOCKER_LOCAL_RESOURCE_MOUNTS": "the work folder is mounted by YARN",
    "YARN_SYSFS_ENABLE": "it is for YARN Services",
}


class Runtime(Record):
    """``variables``: name, value and place of each; ``memory``: that of the container, in MB or with a unit.

    ``sent``: the files that YARN puts into the work folder: their name there → where they are in HDFS.
    """

    variables: tuple[tuple[str, str, Span], ...]
    memory: str = ""
    sent: Mapping[str, str] = {}

    @property
    def mounted(self) -> set[str]:
        """Those of ``sent`` that docker mounts at another place."""
        said = self.docker.get("DOCKER_MOUNTS", ("", None))[0]
        return {part.partition(":")[0] for part in said.split(",")} & self.sent.keys()

    @property
    def docker(self) -> dict[str, tuple[str, Span]]:
        """Those of the runtime, without their common beginning."""
        return {
            name.removeprefix(PREFIX): (text, span) for name, text, span in self.variables if name.startswith(PREFIX)
        }


def read_runtime(block: Block, runtime: Runtime, notes: Notes, image: str = "") -> None:
    """Image, mounts and variables of a role; ``image``: one that is said elsewhere."""
    for name, text, span in runtime.variables:
        if not name.startswith(PREFIX):
            block.entry("env", name, text, span)
    docker = runtime.docker
    kind = docker.get("TYPE")
    if not image and kind is not None and kind[0] not in ("docker", "default"):
        notes.left_out(kind[1], f"{PREFIX}TYPE={kind[0]}", "tasks run in docker or as processes of the node")
    asked = docker.get("DOCKER_IMAGE")
    if asked is not None and not image:
        if kind is not None and kind[0] == "docker":
            block.set("image", asked[0], asked[1])
        else:
            notes.left_out(asked[1], f"{PREFIX}DOCKER_IMAGE", f"without {PREFIX}TYPE=docker nothing reads it")
    privileged = docker.get("DOCKER_RUN_PRIVILEGED_CONTAINER")
    if privileged is not None and privileged[0].lower() == "true":
        block.set("privileged", True, privileged[1])
    network = docker.get("DOCKER_CONTAINER_NETWORK")
    if network is not None and network[0] != "host":
        notes.left_out(network[1], f"network {network[0]}", "tasks find each other in the network of their nodes, host")
    _mounts(block, docker, notes, runtime.sent)
    _tmpfs(block, docker, runtime.memory)
    for name, (_, span) in docker.items():
        if name in DOCKER_LEFT_OUT:
            notes.left_out(span, f"{PREFIX}{name}", DOCKER_LEFT_OUT[name])


def _mounts(block: Block, docker: dict[str, tuple[str, Span]], notes: Notes, sent: Mapping[str, str]) -> None:
    said = docker.get("DOCKER_MOUNTS")
    for part in said[0].split(",") if said is not None else []:
        assert said is not None
        source, _, rest = part.partition(":")
        at = rest.partition(":")[0]
        if source in sent and at.startswith("/"):
            block.add(Mount("hdfs", sent[source], at, span=said[1]))
        else:
            read_mount(block, part, said[1], notes)


def read_mount(block: Block, text: str, span: Span, notes: Notes) -> None:
    """``SOURCE:AT[:MODE]`` as a mount."""
    words = text.split(":")
    source, at = words[0], words[1] if len(words) > 1 else ""
    mode = words[2] if len(words) > 2 else "rw"
    if len(words) not in (2, 3) or not source or not at:
        notes.refused(span, f"the mount {text}", "a mount is SOURCE:TARGET, with :ro or :rw behind it")
    elif not source.startswith("/"):
        notes.left_out(
            span, f"the mount {text}", "its source is a file that YARN sends; target yarn { files } sends one"
        )
    elif not at.startswith("/"):
        notes.refused(span, f"the mount {text}", "the target must be an absolute path")
    else:
        block.add(Mount("host", source, at, mode.startswith("ro"), span=span))


def _tmpfs(block: Block, docker: dict[str, tuple[str, Span]], size: str) -> None:
    said = docker.get("DOCKER_TMPFS_MOUNTS")
    amount = memory(size)
    for path in said[0].split(",") if said is not None and amount is not None else []:
        assert said is not None
        if path in IN_MEMORY_AT:
            block.set(IN_MEMORY_AT[path], amount, said[1])
        elif path:
            block.add(Mount("memory", amount, path, span=said[1]))
