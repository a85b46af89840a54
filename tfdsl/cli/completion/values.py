"""What can stand for the values of flags, and for arguments: what is typed, and what the file on the line knows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

from tfdsl import targets
from tfdsl.backend import Backend
from tfdsl.cli.completion import Answer, Candidate, Files, Typed, behind
from tfdsl.compiling import pipeline
from tfdsl.compiling.front_end import is_json
from tfdsl.compiling.jobs import ParamInfo, Plain, ProfileInfo, params_of, profiles_of
from tfdsl.diagnostics import Diagnostic
from tfdsl.patterns import regex
from tfdsl.semantics import resolved
from tfdsl.semantics.derived import derive
from tfdsl.semantics.params import Params
from tfdsl.semantics.project import Program
from tfdsl.semantics.request import Given, Request
from tfdsl.source_files import MANIFESTS, STDIN, Inputs, contents, decode
from tfdsl.text import Source
from tfdsl.vocabulary.types import choices, describe

if TYPE_CHECKING:
    from tfdsl.backend.draft import Value


LARGEST: Final = 256 * 1024
"""Bytes of a file that is looked into: more than that takes longer than a person waits for a word."""
_BEHIND: Final = regex(r"(?::[0-9:]*|@.*)\Z")
MOST_JOBS: Final = 200
"""The most names of jobs that are offered."""


class FileNames:
    """The names in the file of a command line; each is looked for when it is first asked for."""

    def __init__(self, typed: Typed) -> None:
        self._typed = typed

    @cached_property
    def params(self) -> Sequence[ParamInfo]:
        """The params of the file, without targets or values."""
        return () if self._program is None else params_of(self._program, self._plain, self._plain)

    @cached_property
    def profiles(self) -> Sequence[ProfileInfo]:
        """The profiles of the file, with their values."""
        return () if self._program is None else tuple(profiles_of(self._program, self._plain))

    @cached_property
    def jobs(self) -> Sequence[str]:
        """The names of jobs, and of the blocks that make several."""
        if self._program is None:
            return ()
        names: dict[str, None] = {}
        for derived in derive(self._program, self._asked, _unheard):
            if derived.combination is not None and derived.node.pattern is None:
                names[derived.node.name.text] = None
            if derived.known and not derived.absent:
                names[derived.name] = None
        return list(names)[:MOST_JOBS]

    @property
    def flows(self) -> Sequence[str]:
        """The flows of the file."""
        return () if self._program is None else [flow.name.text for flow in self._program.flows]

    @cached_property
    def roles(self) -> dict[str, int]:
        """The roles of its jobs, and how many replicas each has at most."""
        found: dict[str, int] = {}
        for job in self._resolved:
            for role in job.roles:
                found[role.name] = max(found.get(role.name, 0), role.replicas)
        return found

    @cached_property
    def mounts(self) -> Sequence[str]:
        """The paths at which its jobs mount something."""
        paths = (mount.at for job in self._resolved for role in job.roles for mount in role.mounts)
        return list(dict.fromkeys(paths))

    @cached_property
    def _resolved(self) -> Sequence[resolved.Job]:
        if self._program is None:
            return ()
        return pipeline.check(self._program, Request(self._profile, self._given, extent="sample")).jobs

    @cached_property
    def _program(self) -> Program | None:
        named = (*self._typed.values("--source"), *self._typed.rest[:1])
        source = _read(_path(named[0]), None) if named else STDIN
        if isinstance(source, str) or is_json(source):
            return None
        return pipeline.load(source, Inputs(source, self._typed.values("--allow-read"), _read))

    @property
    def _plain(self) -> Params:
        assert self._program is not None
        return Params(self._program, None, (), _unheard)

    @cached_property
    def _asked(self) -> Params:
        assert self._program is not None
        return Params(self._program, self._profile, self._given, _unheard)

    @property
    def _profile(self) -> str | None:
        return next(iter(self._typed.values("--profile")), None)

    @property
    def _given(self) -> tuple[Given, ...]:
        pairs = (text.partition("=") for text in self._typed.values("--set"))
        return tuple(Given(name.strip(), Source("--set", text)) for name, _, text in pairs if not text.startswith("@"))


def _unheard(diagnostic: Diagnostic) -> None:
    """Whoever completes a word does not want to hear about others."""


def _path(word: str) -> str:
    """The file that a word names; one of ``FILE:LINE`` (where) or ``FILE@REVISION`` (diff) as well."""
    path = os.path.expanduser(word)
    return path if os.path.lexists(path) else _BEHIND.sub("", path)


def _read(path: str, roots: Sequence[str] | None) -> Source | str:
    """The text of a small file, or why it is not read."""
    data = contents(path, LARGEST, roots) if path != STDIN else STDIN
    return data if isinstance(data, str) else decode(data, path, path)


Values: TypeAlias = "Callable[[Asked], Answer]"

JOBS: Final = (".tfjob", ".json")
FAULTS: Final = ("exit 1", "oom", "evicted", "preempted", "node lost", "completed", "pending")
FAULTS_OF_JOB: Final = ("preempted", "time limit", "unknown")
"""What can happen to a replica."""
MOST_TASKS: Final = 32
"""The most replicas of one role that are offered one by one."""


class Asked:
    """A word that is to be completed. ``word``: what there is of the value; ``names``: those of the file."""

    def __init__(self, typed: Typed, word: str, names: FileNames) -> None:
        self.typed = typed
        self.word = word
        self.names = names


def answer(candidates: Iterable[Candidate]) -> Answer:
    """An answer without files."""
    return Answer(tuple(candidates))


def words(texts: Iterable[str]) -> Answer:
    """An answer of finished words."""
    return answer(map(Candidate, texts))


# --- files -----------------------------------------------------------------------------------------------------


def _job_file(asked: Asked) -> Answer:
    by_command = {"import": MANIFESTS, "fmt": (".tfjob",)}
    return Answer(files=Files(endings=by_command.get(asked.typed.command.name, JOBS)))


# --- targets ---------------------------------------------------------------------------------------------------


def _target_name(asked: Asked) -> Answer:
    return answer(Candidate(backend.name, backend.title) for backend in targets.every())


def _target(asked: Asked) -> Answer:
    """``volcano``, or behind ``volcano@`` a version; several stand in one word with commas."""
    done, comma, last = asked.word.rpartition(",")
    name, at, _ = last.partition("@")
    if not at:
        return behind(done + comma, answer(_targets(name)))
    backend = targets.find(name)
    versions = () if backend is None else backend.versions
    return behind(f"{done}{comma}{name}@", words(reversed(versions)))


def _targets(typed: str) -> Iterator[Candidate]:
    for backend in targets.every():
        names = [backend.name, *(alias for alias in backend.aliases if typed)]
        yield from (Candidate(name, backend.title) for name in names)


def _option(asked: Asked) -> Answer:
    """``volcano.``, ``volcano.queue=``, and behind it the values that the option can have."""
    name, dot, rest = asked.word.partition(".")
    if not dot:
        return answer(
            Candidate(f"{asked_target.name}.", asked_target.title, open=True)
            for asked_target in _asked_targets(asked.typed)
        )
    backend = targets.find(name)
    if backend is None:
        return Answer()
    key, equals, value = rest.partition("=")
    if not equals:
        version = Candidate(f"{name}.version=", f"{backend.versions[0]} to {backend.default_version}", open=True)
        others = (Candidate(f"{name}.{option.name}=", describe(option.type), open=True) for option in backend.options)
        return answer([version, *others])
    if value.startswith("@"):
        return behind(f"{name}.{key}=@", Answer(files=Files()))
    kinds = [option.type for option in backend.options if option.name == key]
    known = backend.versions if key == "version" else choices(kinds[0]) if kinds else ()
    return behind(f"{name}.{key}=", words(known))


def _asked_targets(typed: Typed) -> list[Backend]:
    """The targets that the command line names, else all."""
    named = [text.partition("@")[0] for value in typed.values("--target") for text in value.split(",")]
    backends = [backend for name in named if (backend := targets.find(name)) is not None]
    return list({backend.name: backend for backend in backends}.values()) or list(targets.every())


# --- what is in the file ---------------------------------------------------------------------------------------


def _param(asked: Asked) -> Answer:
    """``workers=``, and behind it the values that the file knows."""
    name, equals, value = asked.word.partition("=")
    if not equals:
        free = [param_info for param_info in asked.names.params if param_info.name not in _already_set(asked.typed)]
        return answer(Candidate(f"{param_info.name}=", _about(param_info), open=True) for param_info in free)
    if value.startswith("@"):
        return behind(f"{name}=@", Answer(files=Files()))
    param = next((param_info for param_info in asked.names.params if param_info.name == name), None)
    known = () if param is None else _known_values(param, asked.names)
    return behind(f"{name}=", answer(known))


def _already_set(typed: Typed) -> set[str]:
    return {text.partition("=")[0].strip() for text in typed.values("--set")}


def _about(param: ParamInfo) -> str:
    required = ", required" if param.required else ""
    return f"{param.type}{required}{': ' if param.description else ''}{param.description}"


def _known_values(param: ParamInfo, names: FileNames) -> Iterator[Candidate]:
    """What ``one_of`` allows, else the default and the values of profiles, each as ``--set`` takes it."""
    found: dict[str, str] = {}
    if param.one_of is not None:
        known = [(value, "") for value in param.one_of]
    elif param.type == "bool":
        known = [(True, ""), (False, "")]
    else:
        known = [(param.default, "default")]
        known += [
            (profile.values[param.name], f"profile {profile.name}")
            for profile in names.profiles
            if param.name in profile.values
        ]
    for value, origin in known:
        text = as_set(value, param.type)
        if text is not None and not text.startswith("@"):
            found.setdefault(text, origin)
    return (Candidate(text, origin) for text, origin in found.items())


def as_set(value: Plain, kind: str) -> str | None:
    """A value as ``--set`` takes it for a param of the type ``kind``; ``None`` when it is not known."""
    if value is None:
        return None
    if isinstance(value, str):
        return value
    from tfdsl.importing.write import literal

    return literal(_drafted(value, bare="quantity" in kind or "duration" in kind))


def _drafted(value: Plain, *, bare: bool) -> Value:
    """A value for the writer of literals. ``bare``: texts in it are quantities or durations."""
    from tfdsl.backend.draft import Bare

    if isinstance(value, list):
        return [_drafted(item, bare=bare) for item in value]
    if isinstance(value, dict):
        return {key: _drafted(item, bare=bare) for key, item in value.items()}
    if isinstance(value, float) or value is None or (bare and isinstance(value, str)):
        return Bare(str(value))
    return value


def _task(asked: Asked) -> Answer:
    """A role, or behind ``worker[`` one of its replicas."""
    role, bracket, _ = asked.word.partition("[")
    if bracket:
        return words(f"{role}[{index}]" for index in range(min(asked.names.roles.get(role, 0), MOST_TASKS)))
    return answer(Candidate(name, _replicas(number)) for name, number in asked.names.roles.items())


def _replicas(number: int) -> str:
    return "1 replica" if number == 1 else f"{number} replicas"


def _scale(asked: Asked) -> Answer:
    role, equals, _ = asked.word.partition("=")
    if equals:
        number = asked.names.roles.get(role)
        return words([] if number is None else [f"{role}={number}"])
    return answer(Candidate(f"{name}=", _replicas(number), open=True) for name, number in asked.names.roles.items())


def _fault(asked: Asked) -> Answer:
    """``worker[1]``, and in the same word what happens to it; in a flow behind ``train: ``."""
    job, colon, event = asked.word.partition(": ")
    if colon:
        return behind(f"{job}: ", _fault(Asked(asked.typed, event, asked.names)))
    subject, space, _ = asked.word.partition(" ")
    if space:
        return answer(Candidate(f"{subject} {what}", open=True) for what in FAULTS)
    if "[" in subject:
        return answer(Candidate(f"{candidate.text} ", open=True) for candidate in _task(asked).candidates)
    replicas = [Candidate(f"{name}[", _replicas(number), open=True) for name, number in asked.names.roles.items()]
    in_flow = [Candidate(f"{name}: ", "a job of a flow", open=True) for name in asked.names.jobs if asked.names.flows]
    return answer([*replicas, *(Candidate(what, "the whole job", open=True) for what in FAULTS_OF_JOB), *in_flow])


def _mount(asked: Asked) -> Answer:
    path, equals, _ = asked.word.partition("=")
    if equals:
        return behind(f"{path}=", Answer(files=Files()))
    return answer(Candidate(f"{mount}=", open=True) for mount in asked.names.mounts)


def _role_of_container(asked: Asked) -> Answer:
    """The role behind ``trainer=`` of ``tfdsl import``; the name is of the manifest."""
    from tfdsl.vocabulary.attributes import ROLES

    name, equals, _ = asked.word.partition("=")
    return (
        behind(f"{name}=", answer(Candidate(role_row.name, role_row.doc) for role_row in ROLES)) if equals else Answer()
    )


# --- words of the tool ------------------------------------------------------------------------------------------


def _example(asked: Asked) -> Answer:
    from tfdsl.cli import new

    return answer(Candidate(name, new.summary(new.files(name)[new.MAIN])) for name in new.NAMES)


def _page(asked: Asked) -> Answer:
    """A word that has a page; codes and slugs of messages once their beginning is typed."""
    from tfdsl.cli.explain import words as pages

    topics = [page for page in pages() if " " not in page]
    if asked.word:
        topics += [name for name in pipeline.every_rule() if name.lower().startswith(asked.word.lower())]
    return words(topics)


def _shell(asked: Asked) -> Answer:
    from tfdsl.cli.completion import SHELLS

    return words(SHELLS)


def _side(asked: Asked) -> Answer:
    """A job or a manifest of ``tfdsl diff``."""
    return Answer(files=Files(endings=(*JOBS, *MANIFESTS)))


def _nothing(asked: Asked) -> Answer:
    """A value that nobody but the user knows."""
    return Answer()


VALUES: Final[dict[str, Values]] = {
    "FILE": lambda _: Answer(files=Files()),
    "PATH": lambda _: Answer(files=Files()),
    "DIR": lambda _: Answer(files=Files(folders=True)),
    "TARGET[@VERSION]": _target,
    "TARGET": _target_name,
    "TARGET.KEY=VALUE": _option,
    "PARAM=VALUE": _param,
    "ROLE=N": _scale,
    "EVENT": _fault,
    "PATH=DIR": _mount,
    "NAME=ROLE": _role_of_container,
    "EXAMPLE": _example,
    "N": _nothing,
    "DURATION": _nothing,
    "ID": _nothing,
    "PID": _nothing,
}
"""By what the help calls the value of a flag."""

NAMES: Final[dict[str, Values]] = {
    "--job": lambda asked: words(asked.names.jobs),
    "--flow": lambda asked: words(asked.names.flows),
    "--profile": lambda asked: answer(
        Candidate(profile.name, ", ".join(profile.values)) for profile in asked.names.profiles
    ),
    "--name": _nothing,
    "--namespace": _nothing,
    "--context": _nothing,
}
"""By the flag, for those whose value is a ``NAME``."""

ARGUMENTS: Final[dict[str, Values]] = {
    "FILE": _job_file,
    "FILE|TARGET/NAME": _job_file,
    "TASK": _nothing,
    "OPTION": _nothing,
    "FILE:LINE": _side,
    "A": _side,
    "B": _side,
    "WORD": _page,
    "ROLE[INDEX]": _task,
    "SHELL": _shell,
    "TARGET": _target_name,
    "NAME": _nothing,
    "TYPED": _nothing,
}
"""By what the help calls an argument."""
