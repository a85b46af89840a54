"""The command line of DistributedShell, and of the modified client that knows parameter servers and trainers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tfdsl.backend.draft import Block, Draft, Mount, Output, Policy, Value
from tfdsl.diagnostics import command_rules
from tfdsl.manifest.nodes import Comment
from tfdsl.manifest.shell_words import Command, Word, read_script
from tfdsl.patterns import regex
from tfdsl.text import Source, Span
from tfdsl.vocabulary.attributes import MOST_RETRIES
from tfdsl_backends.hadoop.reading import (
    Notes,
    attribute,
    command,
    commands_of,
    duration,
    job_name,
    listed,
    remove_attribute,
    statuses,
)
from tfdsl_backends.yarn.reading_fields import LEFT_OUT
from tfdsl_backends.yarn.reading_parts import Client, Runtime, client_of, read_runtime, resources, set_resource

USUAL_TIMEOUT: Final = 600_000
"""Milliseconds after which the client ends an application unless it is told otherwise."""

SPREADS: Final = regex(r"([^,(=:]+)(?:\(([0-9]+)\)|=([0-9]+))(?:,(.*))?\Z")
_COMMENT: Final = regex(r"^[ \t]*#(?!!)(.*)$", re.MULTILINE)
_PLACE: Final = regex(r"(?:,|\A)NOTIN,NODE,([^,:()]+)\Z")


def calls(source: Source) -> list[Command]:
    """The calls of DistributedShell in a script or command line, with what the text itself gives to variables."""
    return [call for call in commands_of(source) if _is_call(call)]


def tell_problem(source: Source, notes: Notes) -> None:
    """Report why a shell could not read the text, if it could not."""
    problem = read_script(source.text, lambda start, end: Span(source, start, end)).problem
    if problem is not None:
        notes.tell(command_rules.BAD_WORDS(problem.span, problem=problem.message))


def comments(source: Source) -> tuple[Comment, ...]:
    """The lines that are comments, without the first one, which names the shell."""
    found = _COMMENT.finditer(source.text)
    return tuple(Comment(match[1].strip(), Span(source, *match.span()), alone=True) for match in found)


def _is_call(call: Command) -> bool:
    words = [word.text for word in call.words]
    starts = [at for at, word in enumerate(words) if word.rpartition("/")[2] in ("yarn", "hadoop")]
    if not starts:
        return False
    rest = words[starts[0] + 1 :]
    rest = rest[1:] if rest[:1] == ["jar"] else rest
    named = any("distributedshell" in word.lower() for word in rest[:2])
    return named or any(word.lstrip("-").partition("=")[0] in ("shell_command", "shell_script") for word in rest)


def _options(call: Command) -> Sequence[Word]:
    """The words after the jar, and after the class if there is one."""
    words = list(call.words)
    start = next(at for at, word in enumerate(words) if word.text.rpartition("/")[2] in ("yarn", "hadoop"))
    rest = words[start + 1 :]
    rest = rest[2:] if rest[:1] and rest[0].text == "jar" else rest
    return rest[1:] if rest and "distributedshell" in rest[0].text and not rest[0].text.startswith("-") else rest


def read_dshell(call: Command, notes: Notes) -> Draft:
    """The job of one call."""
    client = client_of(_options(call))
    name = client.options.get("appname")
    draft = Draft(job_name(_text(client, "appname", notes), "distributedshell"), "yarn", call.span, law=False)
    draft.span = name.span if name is not None else call.span
    roles = _roles(draft, client, notes)
    _checks(client, call.words[0].span, notes)
    for role in roles:
        _role(draft, draft.role(role), client, notes)
    _job(draft, client, call.words[0].span, notes)
    _placement(draft, client, roles, notes)
    _left_out(client, notes)
    return draft


def _text(client: Client, option: str, notes: Notes) -> str:
    word = client.options.get(option)
    return notes.keep(word, f"-{option}") if word is not None else ""


def _number(client: Client, option: str, notes: Notes) -> tuple[int, Span] | None:
    word = client.options.get(option)
    if word is None:
        return None
    text = notes.keep(word, f"-{option}").strip()
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 19):
        if not word.unknown:
            notes.refused(word.span, f"-{option} {text}", "it must be a number")
        return None
    return int(text), word.span


def _roles(draft: Draft, client: Client, notes: Notes) -> list[str]:
    """The roles with their replicas: workers, or what the modified client starts."""
    servers, trainers = (_number(client, option, notes) for option in ("num_parameter_servers", "num_trainers"))
    if servers is None and trainers is None and not {"mounts", "output", "tar"} & set(client.options):
        count = _number(client, "num_containers", notes)
        if count is not None and count[0] < 1:
            notes.refused(count[1], f"-num_containers {count[0]}", "there must be one or more")
            count = None
        draft.role("worker").set("replicas", count[0] if count and count[0] != 1 else None, count[1] if count else None)
        draft.cluster["discovery"] = "none"
        draft.options.set("gang", False if count and count[0] > 1 else None, count[1] if count else None)
        return ["worker"]
    draft.options.set("dialect", "yarn-tf", draft.span)
    draft.cluster["discovery"] = "flags"
    roles: list[str] = []
    for role, found in (("ps", servers), ("worker", trainers)):
        if found is not None and found[0] > 0:
            draft.role(role).set("replicas", found[0] if found[0] != 1 else None, found[1])
            roles.append(role)
    if "worker" not in roles:
        draft.role("worker")
        roles.append("worker")
    return roles


def _checks(client: Client, span: Span, notes: Notes) -> None:
    """What the client itself refuses, or ignores without a word."""
    options = client.options
    if "shell_command" in options and "shell_script" in options:
        place = options["shell_script"].span
        notes.refused(place, "-shell_script", "-shell_command and -shell_script cannot be specified at the same time")
    if not {"shell_command", "shell_script"} & set(options):
        notes.refused(span, "the command line", "it has neither -shell_command nor -shell_script")
    if "jar" not in options:
        notes.refused(span, "the command line", "-jar is missing: it names the jar of the application master")
    for word in client.stray:
        if word.text.startswith("-"):
            notes.refused(word.span, word.text, "the client has no such option")
        else:
            notes.left_out(word.span, word.text, "no option takes it, so the client ignores it; quote the command")
    for word in client.taken:
        reason = "the client takes it as its own option, although it is behind -shell_args"
        notes.differs(word.span, word.text, "an option of the client", reason)


def _role(draft: Draft, block: Block, client: Client, notes: Notes) -> None:
    _command(draft, block, client, notes)
    for name, amount, span in _amounts(client, notes):
        if not set_resource(block, name, amount, span):
            notes.left_out(span, f"{name}={amount}", "an amount is a whole number")
    variables = tuple((key, notes.keep(word, key), word.span) for key, word in client.variables)
    runtime = Runtime(variables, memory=next((a for n, a, _ in _amounts(client, None) if n == "memory-mb"), ""))
    read_runtime(block, runtime, notes)
    label = client.options.get("node_label_expression")
    if label is not None:
        block.set("node_label", notes.keep(label, "node_label"), label.span)
    archive = client.options.get("tar")
    if archive is not None:
        block.add(Mount("archive", notes.keep(archive, "mount archive"), ".", span=archive.span))
    mounts, output = client.options.get("mounts"), client.options.get("output")
    for source, at in client.linked:
        block.add(Mount("host", source, at.rstrip("/") or at, span=mounts.span if mounts else None))
    for source, destination in client.copied if output is not None and block is draft.roles.get("worker") else ():
        assert output is not None
        draft.job.add(Output(source, destination, span=output.span))
        difference = "every task copies to the one destination there, here the first worker does"
        notes.differs(output.span, f"-output {source}:{destination}", "output", difference)


def _amounts(client: Client, notes: Notes | None) -> list[tuple[str, str, Span]]:
    """Name and amount of each resource of a container."""
    word = client.options.get("container_resources")
    if word is not None:
        text = notes.keep(word, "-container_resources") if notes is not None else word.text
        return [
            ("memory-mb" if name == "memory" else name, amount, word.span) for name, amount in resources(text).items()
        ]
    found: list[tuple[str, str, Span]] = []
    for option, name in (("container_memory", "memory-mb"), ("container_vcores", "vcores")):
        value = client.options.get(option)
        if value is not None:
            text = notes.keep(value, f"-{option}") if notes is not None else value.text
            found.append((name, text, value.span))
    return found


def _command(draft: Draft, block: Block, client: Client, notes: Notes) -> None:
    """The command, which a shell of the container reads once more, or the script that is sent."""
    line, script = client.options.get("shell_command"), client.options.get("shell_script")
    arguments = [notes.keep(word, "-shell_args") for word in client.arguments]
    if script is not None:
        path = notes.keep(script, "-shell_script")
        name = path.rstrip("/").rpartition("/")[2]
        rest: Value | None = command(" ".join(arguments), script.span) if arguments else ()
        value: Value = f"exec bash {name} {rest}" if isinstance(rest, str) else ["bash", name, *listed(rest)]
        block.set("command", value, script.span)
        if attribute(draft.options, "files") is None:
            draft.options.set("files", [path, *_localized(client, notes)], script.span)
        return
    files = _localized(client, notes)
    if files and attribute(draft.options, "files") is None:
        draft.options.set("files", files, client.options["localize_files"].span)
    if line is not None:
        text = notes.keep(line, "-shell_command")
        if len(text) > 1 and text.startswith('"') and text.endswith('"'):
            text = text[1:-1]  # as the client does
        block.set("command", command(" ".join((text, *arguments)), line.span), line.span)


def _localized(client: Client, notes: Notes) -> list[str]:
    word = client.options.get("localize_files")
    if word is None:
        return []
    return [part.strip() for part in notes.keep(word, "-localize_files").split(",") if part.strip()]


def _job(draft: Draft, client: Client, span: Span, notes: Notes) -> None:
    queue = client.options.get("queue")
    if queue is not None:
        draft.job.set("queue", notes.keep(queue, "-queue"), queue.span)
    priority = _number(client, "priority", notes)
    if priority is not None:
        draft.job.set("priority", priority[0], priority[1])
    timeout = _number(client, "timeout", notes)
    if timeout is None and "timeout" not in client.options:
        difference = "the client ends an application after 10 minutes unless -timeout says otherwise"
        notes.differs(span, "a command line without -timeout", "deadline = 10m", difference)
        draft.options.set("deadline", duration(USUAL_TIMEOUT), span)
    elif timeout is not None and 0 < timeout[0] < 2**31 - 1:
        draft.job.set("deadline", duration(timeout[0]), timeout[1])
    memory = _number(client, "master_memory", notes)
    if memory is not None and memory[0] >= 64 and memory[0] != 512:
        draft.options.set("am_memory", memory[0], memory[1])
    _restarts(draft, client, notes)


def _restarts(draft: Draft, client: Client, notes: Notes) -> None:
    policy = _number(client, "container_retry_policy", notes)
    if policy is None or policy[0] not in (1, 2):
        return
    codes_word = client.options.get("container_retry_error_codes")
    codes = [int(code) for code in (codes_word.text if codes_word else "").split(",") if code.strip().isdecimal()]
    event = f"exit {statuses(codes)}" if policy[0] == 2 and codes else "failed"
    draft.job.add(Policy(event, "restart container", policy[1]))
    difference = "DistributedShell restarts the one container; here all of them restart, because they find each other"
    if draft.cluster.get("discovery") != "none":
        notes.differs(policy[1], f"-container_retry_policy {policy[0]}", "restart container", difference)
    most = _number(client, "container_max_retries", notes)
    if most is not None and most[0] != 3:
        draft.job.set("retries", most[0] if most[0] >= 0 else MOST_RETRIES, most[1])


def _placement(draft: Draft, client: Client, roles: list[str], notes: Notes) -> None:
    word = client.options.get("placement_spec")
    if word is None:
        return
    match = SPREADS.match(notes.keep(word, "-placement_spec"))
    if match is None or roles != ["worker"]:
        notes.left_out(word.span, "-placement_spec", "write it as target yarn { placement = { ROLE = … } }")
        return
    block = draft.role("worker")
    remove_attribute(block, "replicas")
    count = int(match[2] or match[3])
    block.set("replicas", count if count != 1 else None, word.span)
    if match[3]:
        draft.version = "3.1"
    text = match[4] or ""
    apart = _PLACE.match(text)
    if apart is not None and apart[1] == match[1]:
        block.set("spread", "node", word.span)
    elif text:
        draft.options.entry("placement", "worker", text.replace(f",{match[1]}", ",worker"), word.span)


def _left_out(client: Client, notes: Notes) -> None:
    for option, word in client.options.items():
        reason = LEFT_OUT.get(option)
        if reason is not None:
            notes.left_out(word.span, f"-{option}", reason)
