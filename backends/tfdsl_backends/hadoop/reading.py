"""What yarn and slider share when they read what people have: roles, amounts, commands, what is said of the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from tfdsl.backend.draft import Attribute, Bare, Block, Draft, Policy, Statement, Text, Value
from tfdsl.backend.reading import Asked
from tfdsl.diagnostics import Diagnostic, command_rules
from tfdsl.manifest.nodes import Node, View
from tfdsl.manifest.shell_words import Command, Word, expanded, read_script, within
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.text import Source, Span
from tfdsl.vocabulary import quantities
from tfdsl.vocabulary.attributes import DEFAULT_RETRIES, ROLE_NAMES, decider
from tfdsl.vocabulary.statements import RESTARTS

_SAME: Final = {name: name for name in ROLE_NAMES} | {"chiefworker": "chief"}
"""What people call a role, in lowercase."""

UNIT_NAMES: Final = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
UNKNOWN_COMMAND: Final = ("sh", "-c", "echo 'write the command here' >&2; exit 1")
"""Where the manifest does not say what runs: a job that fails at once, and says why."""

MEBIBYTE: Final = 1 << 20

_NOT_IN_NAMES: Final = regex(r"[^a-z0-9]+")
_QUOTED: Final = regex(r"'[^']*'|\"[^\"$`\\]*\"")
_OF_A_SHELL: Final = regex(r"[;&|<>()$`*?\[\]{}~#!\n\\\"'%]|\A[A-Za-z_][A-Za-z0-9_]*=")
_TOKEN: Final = regex(r"\$\{([^{}$]*)\}")


class Notes(Record):
    """What there is to say about a manifest while it is read, each once: several roles can have one place."""

    asked: Asked
    known: dict[tuple[Span, str], bool] = {}  # noqa: RUF012  (each record gets a dict of its own)

    def tell(self, diagnostic: Diagnostic) -> None:
        """Report ``diagnostic``, unless it has been reported."""
        key = (diagnostic.span, diagnostic.message)
        if key not in self.known:
            self.known[key] = True
            self.asked.report(diagnostic)

    def left_out(self, span: Span, what: str, reason: str) -> None:
        """``what`` does not become part of the job."""
        self.tell(command_rules.NOT_KEPT(span, what=what, reason=reason))

    def refused(self, span: Span, what: str, reason: str) -> None:
        """The server would not take ``what``."""
        self.tell(command_rules.SERVER_REFUSES(span, what=what, reason=reason))

    def differs(self, span: Span, what: str, word: str, difference: str) -> None:
        """``what`` becomes ``word``, which does not mean quite the same."""
        self.tell(command_rules.READ_DIFFERENTLY(span, what=what, word=word, difference=difference))

    def keep(self, word: Word, place: str) -> str:
        """The text of ``word``; expansions without a value are reported."""
        for unknown in word.unknown:
            self.tell(command_rules.NO_VALUE(unknown.span, what=unknown.written, word=place))
        return word.text


@lru_cache(maxsize=8)
def commands_of(source: Source) -> tuple[Command, ...]:
    """The commands of a script or command line, which its readers ask for again and again."""
    return expanded(read_script(source.text, lambda start, end: Span(source, start, end)))


def normal(documents: Sequence[Node], version: str) -> Sequence[Node]:
    """The documents as they are: neither target has a normal form, what is kept is a table."""
    return documents


def aligned(documents: Sequence[Node], written: Sequence[Node]) -> Sequence[Node]:
    """The documents as they are."""
    return documents


def role_of(name: str, asked: Asked) -> str | None:
    """The role that a manifest calls ``name``; ``None`` if nobody says."""
    said = asked.roles.get(name)
    if said is not None:
        return said if said in ROLE_NAMES else None
    return _SAME.get(name.lower())


def job_name(text: str, otherwise: str = "job") -> str:
    """``text`` as the name of a job: lowercase letters, digits and ``-``."""
    return _NOT_IN_NAMES.sub("-", text.lower()).strip("-")[:63].rstrip("-") or otherwise


def megabytes(amount: int) -> Bare:
    """An amount of MB as people write it."""
    return amount_of_bytes(amount << 20)


def amount_of_bytes(size: int) -> Bare:
    """An amount of bytes in its largest whole unit."""
    return Bare(quantities.quantity(size * 1000).text)


def memory(text: str, unit: int = MEBIBYTE) -> Bare | None:
    """An amount such as ``4G``, ``20480M`` or a number of ``unit``, rounded up to MB; ``None`` for others."""
    amount = memory_in_mb(text, unit)
    return megabytes(amount) if amount is not None else None


def memory_in_mb(text: str, unit: int = MEBIBYTE) -> int | None:
    """The MB of such an amount."""
    word = text.strip().lower()
    number, letter = word.removesuffix("b").removesuffix("i"), ""
    if number[-1:] in UNIT_NAMES and number[-1:]:
        number, letter = number[:-1].rstrip(), number[-1]
    if not number.isdecimal() or not number.isascii() or len(number) > 15:
        return None
    size = int(number) * (UNIT_NAMES[letter] if letter else unit)
    return -(-size // MEBIBYTE) or None


def duration(milliseconds: int) -> Bare:
    """A time as people write it: ``1h30m``."""
    return Bare(quantities.duration(milliseconds).text)


def set_grace(block: Block, seconds: View, usual: int) -> None:
    """The time that the role's command has to stop, where it is not the ``usual`` one."""
    value = getattr(seconds.node, "value", usual)
    if isinstance(value, int | float) and value != usual:
        block.set("stop_grace", duration(round(value * 1000)), seconds.span)


def java_number(text: str) -> int | None:
    """A number as Java's ``Integer.decode`` reads it: ``010`` is 8, ``08`` is not a number."""
    word = text.strip()
    sign, digits = (-1, word[1:]) if word[:1] == "-" else (1, word.removeprefix("+"))
    base = 10
    for prefix, other in (("0x", 16), ("0X", 16), ("#", 16), ("0", 8)):
        if digits.startswith(prefix) and len(digits) > len(prefix):
            base, digits = other, digits[len(prefix) :]
            break
    if not digits.isascii() or not digits.isalnum() or len(digits) > 11:
        return None
    try:
        number = sign * int(digits, base)
    except ValueError:
        return None
    return number if -(2**31) <= number < 2**31 else None


def command(text: str, span: Span) -> Value | None:
    """A command line: a list of words, or the text itself where only a shell can run it. ``None`` if there is none."""
    line = text.strip()
    if not line:
        return None
    if _OF_A_SHELL.search(_QUOTED.sub("", line)):
        return line
    script = read_script(line, within(span, line))
    if script.problem is not None or len(script.commands) != 1:
        return line
    (one,) = script.commands
    return [word.text for word in one.words] if one.words and not one.assignments else line


def listed(value: Value | None) -> list[Value]:
    """The items of a value that is a list; of any other none."""
    return list(value) if isinstance(value, list | tuple) else []


def with_tokens(text: str, tokens: dict[str, str]) -> Value:
    """``text`` with each ``${NAME}`` of ``tokens`` as the value of the language; other ``${…}`` stay as they are."""
    parts: list[str | Bare] = []
    at = 0
    for match in _TOKEN.finditer(text):
        word = tokens.get(match[1])
        if word is not None:
            parts += [text[at : match.start()], Bare(word)]
            at = match.end()
    if not parts:
        return text
    return Text(tuple(part for part in (*parts, text[at:]) if part != ""))


def attribute(block: Block, name: str) -> Attribute | None:
    """The first statement ``name = …`` of a block."""
    return next(
        (statement for statement in block.statements if isinstance(statement, Attribute) and statement.name == name),
        None,
    )


def remove_attribute(block: Block, name: str) -> None:
    """Take every ``name = …`` out of a block."""
    block.statements = [
        statement for statement in block.statements if not (isinstance(statement, Attribute) and statement.name == name)
    ]


def each(blocks: Sequence[Block], name: str, value: Value | None, span: Span | None = None) -> None:
    """``name = value`` in each of ``blocks``."""
    for block in blocks:
        block.set(name, value, span)


def roles_of(title: str, names: Mapping[str, Span], notes: Notes, span: Span) -> dict[str, str] | None:
    """What a manifest calls its parts → the role of each; ``None``, with one error, if they are no TensorFlow job."""
    roles: dict[str, str] = {}
    unknown: list[str] = []
    for name in names:
        role = role_of(name, notes.asked)
        if role is None or role in roles.values():
            unknown.append(name)
        else:
            roles[name] = role
    if roles and not unknown and decider(roles.values()):
        return roles
    if unknown:
        listed = " and ".join((", ".join(unknown[:-1]), unknown[-1])) if len(unknown) > 1 else unknown[0]
        reason = f"{listed} {'is not a role' if len(unknown) == 1 else 'are not roles'} of the language"
        advice = f"say which role a part of it is: --role {unknown[0]}=worker"
        span = names[unknown[0]]
    else:
        reason = f"nothing in it trains: {', '.join(names) or 'it has no parts'}"
        advice = "a job has a chief, a master or a worker"
    notes.asked.report(command_rules.NOT_TENSORFLOW(span, what=title, reason=reason).help(advice))
    return None


def command_with_tokens(text: str, span: Span, tokens: Mapping[str, str]) -> Value | None:
    """A command line in which ``${NAME}`` of ``tokens`` is a value of the language."""
    marks = {name: chr(0xE000 + number) for number, name in enumerate(tokens)}
    marked = _TOKEN.sub(lambda match: marks.get(match[1], match[0]), text)
    words = {mark: tokens[name] for name, mark in marks.items()}
    line = command(marked, span)
    if isinstance(line, str):
        return _with_marks(line, words)
    return [_with_marks(word, words) for word in line if isinstance(word, str)] if isinstance(line, list) else line


def _with_marks(text: str, words: Mapping[str, str]) -> Value:
    parts: list[str | Bare] = [""]
    for char in text:
        if char in words:
            parts += [Bare(words[char]), ""]
        elif isinstance(parts[-1], str):
            parts[-1] += char
    return text if len(parts) == 1 else Text(tuple(part for part in parts if part != ""))


def board(block: Block, line: Value | None, span: Span) -> None:
    """TensorBoard's command: its folder and port, the rest is the language's own."""
    words = [word for word in line if isinstance(word, str)] if isinstance(line, list) else []
    if (
        not words
        or words[0].rpartition("/")[2] != "tensorboard"
        or len(words) != len(line if isinstance(line, list) else [])
    ):
        block.set("command", line, span)
        return
    said = _flags(words[1:])
    logdir, port = said.get("--logdir"), said.get("--port")
    if logdir is None:
        block.set("command", line, span)
        return
    block.set("logdir", logdir, span)
    if port is not None and port.isdecimal() and port != "6006":
        block.set("port", int(port), span)


def _flags(words: Sequence[str]) -> dict[str, str]:
    """``--name=value`` and ``--name value``."""
    said: dict[str, str] = {}
    for number, word in enumerate(words):
        name, equals, value = word.partition("=")
        if name.startswith("--"):
            said[name] = value if equals else (words[number + 1] if number + 1 < len(words) else "")
    return said


def read_discovery(draft: Draft, *, configured: bool, flags: bool, programs: bool) -> str:
    """How the tasks find each other. ``configured``: a program gets TF_CONFIG; ``programs``: not all are servers."""
    without_flags = "tf_config" if configured or not programs else "none"
    discovery = ("both" if configured else "flags") if flags else without_flags
    if discovery != "tf_config":
        draft.cluster["discovery"] = discovery
    return discovery


def subject(role: str, index: int) -> str:
    """A role or replica as the language names it: ``worker``, ``worker[0]``; ``index`` is negative for a role."""
    return role if index < 0 else f"{role}[{index}]"


def statuses(codes: Sequence[int]) -> str:
    """The exit statuses of an event: ``3``, ``3..5`` or ``[3, 5]``."""
    if len(codes) == 1:
        return str(codes[0])
    if len(codes) > 2 and list(codes) == list(range(codes[0], codes[-1] + 1)):
        return f"{codes[0]}..{codes[-1]}"
    return f"[{', '.join(map(str, codes))}]"


def add_policy(draft: Draft, role: str, index: int, event: str, action: str, span: Span) -> None:
    """``on EVENT => ACTION`` of a role, which stands in the role's block, or of a replica, which stands in the job."""
    if index < 0:
        draft.role(role).add(Policy(event, action, span))
    else:
        draft.job.add(Policy(f"{subject(role, index)} {event}", action, span))


def lift_policies(draft: Draft) -> None:
    """Put the policies that all roles but tensorboard have in common into the job, or into the target's block."""
    names = [name for name in draft.roles if name != "tensorboard"]
    for shared, blocks in ((draft.job, draft.roles), (draft.options, draft.role_options)):
        roles = [blocks.get(name, Block()) for name in names]
        own = [[statement for statement in block.statements if isinstance(statement, Policy)] for block in roles]
        if not own or any(_said(policies) != _said(own[0]) for policies in own[1:]):
            continue
        for block in roles:
            kept: list[Statement] = [statement for statement in block.statements if not isinstance(statement, Policy)]
            block.statements = kept
        shared.add(*own[0])


def add_completions(draft: Draft, deciding: Iterable[tuple[str, int]], span: Span) -> None:
    """What completes the job, where it is something other than the default."""
    found = list(deciding)
    if set(found) == {(default_decider(draft.roles), -1)}:
        return
    draft.job.add(*(Policy(f"{subject(role, index)} completed", "complete job", span) for role, index in found))


def default_decider(roles: Collection[str]) -> str:
    """The role whose end completes the job without a policy."""
    return decider(roles) or "worker"


def add_retries(draft: Draft, retries: int, span: Span) -> None:
    """``retries``, where it is something other than the default."""
    if retries != (DEFAULT_RETRIES if restarts(draft) else 0):
        draft.job.set("retries", retries, span)


def restarts(draft: Draft) -> bool:
    """Whether a policy restarts anything."""
    return any(
        isinstance(statement, Policy) and statement.action in RESTARTS
        for block in draft.blocks()
        for statement in block.statements
    )


def _said(policies: Sequence[Policy]) -> list[tuple[str, str]]:
    return [(policy.event, policy.action) for policy in policies]
