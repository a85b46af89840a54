"""``tfdsl completion``: the script by which a shell completes words, and the answers that the script asks for."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from re import Match
from typing import Final

from tfdsl.cli.arguments import COLOUR, Arguments, Command, Flag, Positional, load, not_one_of, split_flag
from tfdsl.cli.commands import SUMMARIES
from tfdsl.cli.report import OK, end, refuse
from tfdsl.cli.streams import out
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT
from tfdsl.diagnostics.render.columns import visible
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.source_files import is_folder

_NUMBER = regex(r"[0-9]{1,9}")

COMMAND = Command(
    "completion",
    (
        Positional("SHELL", "bash, zsh or fish"),
        Positional("TYPED", "asked by the script: which word is typed, and all words", required=False, many=True),
    ),
    (),
    ("tfdsl completion bash", "tfdsl completion fish -- 1 compile mnist.tfjob"),
    "For bash, add  source <(tfdsl completion bash)  to ~/.bashrc.\n"
    "For zsh, add  source <(tfdsl completion zsh)  to ~/.zshrc, after compinit.\n"
    "For fish, run  tfdsl completion fish > ~/.config/fish/completions/tfdsl.fish  once.\n"
    "Commands, options, targets and versions are completed, and what is in the file on the line: its jobs, profiles,\n"
    "params with their values, roles and replicas.",
)


def run(arguments: Arguments) -> int:
    """Print the script, or what can follow."""
    shell, *typed = arguments.rest
    if shell.text not in SHELLS:
        refuse([not_one_of("SHELL", shell, SHELLS)], arguments)
    if not typed:
        out(script(shell.text))
        return OK
    place, *words = typed
    number = int(place.text) if _NUMBER.fullmatch(place.text) else None
    if number is None or not words or (shell.text != "bash" and number >= len(words)):
        error = BAD_ARGUMENT(place.span, what="the first word after -- says which of the words is typed, from 0")
        end([error.help("tfdsl completion --help lists the options")])
    out("".join(f"{line}\n" for line in SHELLS[shell.text](number, [word.text for word in words])))
    return OK


_LONGEST: Final = 90
"""Characters of a description."""
_BREAKS: Final = " \t\n\"'><=;|&(:@"
"""The COMP_WORDBREAKS of bash, where the script does not say them."""


def script(shell: str) -> str:
    """The script of a shell."""
    return Path(__file__).with_name(f"tfdsl.{shell}").read_text(encoding="utf-8")


# --- bash ------------------------------------------------------------------------------------------------------


def _bash(at: int, typed: Sequence[str]) -> Iterator[str]:
    """What bash puts in the place of its own current word. ``typed``: the line, in which the cursor is at ``at``."""
    line = "".join(typed[:1])
    separators = os.environ.get("TFDSL_WORDBREAKS", _BREAKS)
    before = split(line[:at], separators)
    if len(before) < 2:  # the name of the program itself
        return
    current = before[-1]
    whole = split(f"{current.raw}{line[at:]}", separators)
    after = whole[1:] if current.raw or line[at : at + 1].strip() else whole
    words = [word.text for word in (*before[1:], *after) if word.raw or word is current]
    answer = answered(words, len(before) - 2)
    lines = [*_bash_words(current, answer), *_bash_files(current, answer)]
    lone = len(lines) == 1 and not current.quote
    yield from (text + (" " if lone and not goes_on else "") for text, goes_on in lines)


def _bash_words(current: Word, answer: Answer) -> Iterator[tuple[str, bool]]:
    """Each candidate from where bash replaces, and whether the word goes on."""
    for candidate in answer.candidates:
        text = quoted(candidate.text[current.breaks[1] :], current.quote)
        if text is not None:
            yield text, candidate.open


def _bash_files(current: Word, answer: Answer) -> Iterator[tuple[str, bool]]:
    """Each path, with its folder as it was typed."""
    if answer.files is None:
        return
    raw = current.raw[current.breaks[0] :]
    kept = answer.files.prefix[current.breaks[1] :]
    typed = raw[: max(raw.rfind("/") + 1, len(kept))]
    for path in found(os.path.expandvars(current.text[len(answer.files.prefix) :]), answer.files):
        name = quoted(path.name, current.quote)
        if name is not None:
            yield f"{typed}{name}{'/' if path.folder else ''}", path.folder


# --- zsh -------------------------------------------------------------------------------------------------------


def _zsh(at: int, typed: Sequence[str]) -> Iterator[str]:
    """A line for each candidate: ``word`` or ``open``, the text, how it is shown; zsh finds files itself."""
    answer = answered(typed, at)
    width = max((len(one.text) for one in answer.candidates), default=0)
    for candidate in answer.candidates:
        described = _description(candidate)
        shown = f"{candidate.text:<{width}}  -- {described}" if described else candidate.text
        yield "\t".join(("open" if candidate.open else "word", candidate.text, shown))
    files = answer.files
    if files is not None:
        endings = "|".join(ending.removeprefix(".") for ending in files.endings)
        yield "\t".join(("folders" if files.folders else "files", files.prefix, f"*.({endings})" if endings else "*"))


# --- fish ------------------------------------------------------------------------------------------------------


def _fish(at: int, typed: Sequence[str]) -> Iterator[str]:
    """A line for each candidate, with its description; fish puts no space behind ``=``, ``@``, ``.`` and ``/``."""
    answer = answered(typed, at)
    for candidate in answer.candidates:
        yield f"{candidate.text}\t{_description(candidate)}"
    files = answer.files
    if files is not None:
        path = typed[at][len(files.prefix) :]
        folder = typed[at][: len(typed[at]) - len(os.path.basename(path))]
        for entry in found(path, files):
            yield f"{folder}{entry.name}{'/' if entry.folder else ''}\t"


def _description(candidate: Candidate) -> str:
    text = visible(" ".join(candidate.description.split()))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


SHELLS: Final[dict[str, Callable[[int, Sequence[str]], Iterator[str]]]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
"""Each shell, and what it is told."""


_PIECE: Final = regex(
    r"""(?s)(?P<blank>[ \t\n]+)|'(?P<single>[^']*)'?|"(?P<double>(?:\\.|[^"\\])*\\?)"?|\\(?P<escaped>.?)|(?P<plain>.)"""
)
_ESCAPED: Final = regex(r'\\(["\\$`!])')
"""What a backslash escapes inside of double quotes; ``!`` is history there."""
_KEPT: Final = "@"
"""Separators that belong to the word behind them, because names of hosts begin so for bash."""
_SPECIAL: Final = frozenset(" \t\n\\'\"`$&|;<>()[]{}*?!#~^")


class Word(Record):
    """A word of a line of bash. ``text``: without quotes; ``raw``: as typed; ``quote``: the open one.

    ``breaks``: where in ``raw`` the part begins that bash replaces, and the same place in ``text``.
    """

    text: str
    raw: str
    quote: str = ""
    breaks: tuple[int, int] = (0, 0)


def split(line: str, separators: str) -> list[Word]:
    """The words of ``line``; the last one is being typed, and empty behind a blank. ``$(…)`` is only text.

    ``separators``: the COMP_WORDBREAKS of the shell, at which it breaks a word for completion.
    """
    words = [Word("", "")]
    for piece in _PIECE.finditer(line):
        if piece.lastgroup == "blank":
            words.append(Word("", ""))
        else:
            words[-1] = _longer(words[-1], piece, separators)
    return [*(word for word in words[:-1] if word.raw), words[-1]]


def _longer(word: Word, piece: Match[str], separators: str) -> Word:
    """``word`` with a quoted part, an escaped character or a plain one at its end."""
    kind, raw = piece.lastgroup or "", word.raw + piece[0]
    inner = _ESCAPED.sub(r"\1", piece[kind]) if kind == "double" else piece[kind]
    text = word.text + inner
    if kind in ("single", "double") and len(piece[0]) < len(piece[kind]) + 2:  # the quote is not closed
        return Word(text, raw, piece[0][0], (len(word.raw) + 1, len(word.text)))
    if kind == "plain" and inner in separators:
        kept = inner in _KEPT
        return Word(text, raw, "", (len(raw) - kept, len(text) - kept))
    return Word(text, raw, "", word.breaks)


def quoted(text: str, quote: str) -> str | None:
    """``text`` for a place inside of ``quote``, or outside of quotes; ``None`` if it cannot be written there."""
    if quote == "'":
        return None if "'" in text else text
    if quote == '"':
        return "".join(f"\\{char}" if char in '"\\$`' else char for char in text)
    return "".join(f"\\{char}" if char in _SPECIAL else char for char in text)


MOST_PATHS: Final = 2000
"""The most entries of a folder that are looked at."""


class Found(Record):
    """An entry of the folder that is typed. ``folder``: it goes on behind its ``/``."""

    name: str
    folder: bool


def found(path: str, files: Files) -> list[Found]:
    """What can be the rest of ``path`` behind its last ``/``; all files where none has one of the endings."""
    folder, name = os.path.split(os.path.expanduser(path))
    entries = list(_entries(folder or os.curdir, name))
    if files.folders:
        return [entry for entry in entries if entry.folder]
    fitting = [entry for entry in entries if entry.folder or not files.endings or entry.name.endswith(files.endings)]
    return fitting if any(not one.folder for one in fitting) else entries


def _entries(folder: str, name: str) -> Iterator[Found]:
    try:
        with os.scandir(folder) as entries:
            known = [one for _, one in zip(range(MOST_PATHS), entries, strict=False)]
    except OSError:  # there is no such folder, or it may not be read
        return
    for entry in sorted(known, key=lambda item: item.name):
        hidden = entry.name.startswith(".") and not name.startswith(".")
        if entry.name.startswith(name) and not hidden and entry.name.isprintable():
            yield Found(entry.name, is_folder(entry))


# --- what can follow -------------------------------------------------------------------------------------------


class Candidate(Record):
    """A word that can be written where the cursor is. ``open``: it goes on, so no space follows it."""

    text: str
    description: str = ""
    open: bool = False


class Files(Record):
    """Files and folders can stand there. ``prefix``: what is before their path in the word, such as ``--output=``.

    ``endings``: only such files are meant; empty: all. ``folders``: only folders.
    """

    prefix: str = ""
    endings: tuple[str, ...] = ()
    folders: bool = False


class Answer(Record):
    """All that can stand where the cursor is."""

    candidates: tuple[Candidate, ...] = ()
    files: Files | None = None


def behind(prefix: str, answer: Answer) -> Answer:
    """``answer`` about the end of a word that begins with ``prefix``."""
    files = answer.files
    moved = None if files is None else Files(prefix + files.prefix, files.endings, files.folders)
    texts = tuple(
        Candidate(prefix + candidate.text, candidate.description, candidate.open) for candidate in answer.candidates
    )
    return Answer(texts, moved)


HELP = Flag("--help", "show the help of the command", short="-h")


class Typed(Record):
    """The words behind the name of a command.

    ``current``: the word before the cursor, which need not be whole. ``flags``: values that are typed elsewhere, in
    order; of a switch the empty text. ``before``: the arguments before the cursor, ``rest``: all arguments without the
    current word. ``awaiting``: the flag whose value the current word is. ``ended``: after ``--`` there are no flags.
    """

    command: Command
    current: str
    flags: dict[str, list[str]]
    before: tuple[str, ...]
    rest: tuple[str, ...]
    awaiting: Flag | None
    ended: bool

    def values(self, flag: str) -> Sequence[str]:
        """Every value of a flag."""
        return self.flags.get(flag, ())


def flags_of(command: Command) -> tuple[Flag, ...]:
    """All flags that a command takes."""
    return (*command.flags, COLOUR, HELP)


def typed(command: Command, words: Sequence[str], at: int) -> Typed:
    """``words`` come after the name of the command; the one at ``at`` is being completed."""
    known = {name: flag for flag in flags_of(command) for name in (flag.name, flag.short) if name is not None}
    flags: dict[str, list[str]] = {}
    before: list[str] = []
    after: list[str] = []
    awaiting: Flag | None = None
    here: Flag | None = None
    ended = ended_here = False
    for index, word in enumerate(words):
        waiting, awaiting = awaiting, None
        if index == at:
            here, ended_here = waiting, ended
        elif waiting is not None:
            flags.setdefault(waiting.name, []).append(word)
        elif ended or word == "-" or not word.startswith("-"):
            (before if index < at else after).append(word)
        elif word == "--":
            ended = True
        else:
            name, value = split_flag(word)
            flag = known.get(name)
            if flag is not None and flag.value is not None and value is None:
                awaiting = flag
            elif flag is not None:
                flags.setdefault(flag.name, []).append(value or "")
    return Typed(command, words[at], flags, tuple(before), (*before, *after), here, ended_here)


def unused(typed: Typed) -> Iterator[Flag]:
    """The flags that can still be written."""
    return (flag for flag in flags_of(typed.command) if flag.many or flag.name not in typed.flags)


_HELP = ("help", "--help", "-h")


def answered(words: Sequence[str], at: int) -> Answer:
    """What can stand for the word at ``at``; ``words`` come after the program's name.

    Only what begins with the word is in the answer, but files, which a shell knows better.
    """
    current = words[at]
    answer = _answer(words, at)
    fitting = {
        candidate.text: candidate
        for candidate in answer.candidates
        if candidate.text.startswith(current) and candidate.text.isprintable()
    }
    return Answer(tuple(fitting.values()), answer.files)


def _answer(words: Sequence[str], at: int) -> Answer:
    if at == 0:
        return Answer(tuple(_commands(words[0])))
    name = words[0]
    if name in _HELP:
        return Answer(tuple(Candidate(*row) for row in SUMMARIES.items()) if at == 1 else ())
    if name not in SUMMARIES:
        return Answer()
    return _of_command(typed(load(name).COMMAND, words[1:], at - 1))


def _commands(current: str) -> Iterator[Candidate]:
    if current.startswith("-"):
        yield Candidate("--help", "show the commands")
        yield Candidate("--version", "show the version")
    else:
        yield from (Candidate(*row) for row in SUMMARIES.items())


def _of_command(typed: Typed) -> Answer:
    if typed.awaiting is not None:
        return _value(typed, typed.awaiting, typed.current)
    if typed.ended or not typed.current.startswith("-"):
        return _argument(typed)
    name, value = split_flag(typed.current)
    flag = next((one for one in flags_of(typed.command) if name in (one.name, one.short)), None)
    if value is not None and flag is not None and flag.value is not None:
        return behind(typed.current[: len(typed.current) - len(value)], _value(typed, flag, value))
    return Answer(tuple(_flags(typed)))


def _flags(typed: Typed) -> Iterator[Candidate]:
    """The long names; a short one where it is typed, so that a space follows it."""
    for flag in unused(typed):
        yield Candidate(flag.name, flag.doc)
        if flag.short is not None and flag.short == typed.current:
            yield Candidate(flag.short, flag.doc)


def _value(typed: Typed, flag: Flag, word: str) -> Answer:
    """What can be the value of a flag; ``word``: what there is of it."""
    if flag.one_of:
        return Answer(tuple(map(Candidate, flag.one_of)))
    from tfdsl.cli.completion import values

    answer = values.NAMES.get(flag.name) or values.VALUES[flag.value or ""]
    return answer(values.Asked(typed, word, values.FileNames(typed)))


def _argument(typed: Typed) -> Answer:
    positional = _positional(typed)
    if positional is None:
        return Answer()
    from tfdsl.cli.completion import values

    return values.ARGUMENTS[positional.name](values.Asked(typed, typed.current, values.FileNames(typed)))


def _positional(typed: Typed) -> Positional | None:
    """The argument that the current word is."""
    declared = typed.command.positionals
    if len(typed.before) < len(declared):
        return declared[len(typed.before)]
    return declared[-1] if declared and declared[-1].many else None
