"""What can stand for the values of flags, and for arguments: for each name of a value in the help one function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final, TypeAlias

from tfdsl import targets
from tfdsl.cli.completing.candidate import Answer, Candidate, Files, behind
from tfdsl.vocabulary.types import choices, describe

if TYPE_CHECKING:
    from tfdsl.backend import Backend
    from tfdsl.cli.completing.file_names import FileNames
    from tfdsl.cli.completing.typed import Typed
    from tfdsl.compiling.jobs import ParamInfo, Plain
    from tfdsl.draft import Value

    Values: TypeAlias = Callable[["Asked"], Answer]

JOBS: Final = (".tfjob", ".json")
MANIFESTS: Final = (".yaml", ".yml", ".json", ".xml", ".sh", ".py")
FAULTS: Final = ("exit 1", "oom", "evicted", "preempted", "node lost", "completed", "pending")
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


def _any_file(asked: Asked) -> Answer:
    return Answer(files=Files())


def _folder(asked: Asked) -> Answer:
    return Answer(files=Files(folders=True))


def _job_file(asked: Asked) -> Answer:
    by_command = {"import": MANIFESTS, "fmt": (".tfjob",)}
    return Answer(files=Files(endings=by_command.get(asked.typed.command.name, JOBS)))


def _side(asked: Asked) -> Answer:
    """A job or a manifest of ``tfdsl diff``."""
    return Answer(files=Files(endings=(*JOBS, *MANIFESTS)))


# --- targets ---------------------------------------------------------------------------------------------------


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


def _plain_target(asked: Asked) -> Answer:
    return answer(Candidate(backend.name, backend.title) for backend in targets.every())


def _option(asked: Asked) -> Answer:
    """``volcano.``, ``volcano.queue=``, and behind it the values that the option can have."""
    name, dot, rest = asked.word.partition(".")
    if not dot:
        return answer(Candidate(f"{one.name}.", one.title, open=True) for one in _asked_targets(asked.typed))
    backend = targets.find(name)
    if backend is None:
        return Answer()
    key, equals, value = rest.partition("=")
    if not equals:
        version = Candidate(f"{name}.version=", f"{backend.versions[0]} to {backend.default_version}", open=True)
        others = (Candidate(f"{name}.{one.name}=", describe(one.type), open=True) for one in backend.options)
        return answer([version, *others])
    if value.startswith("@"):
        return behind(f"{name}.{key}=@", Answer(files=Files()))
    kinds = [one.type for one in backend.options if one.name == key]
    known = backend.versions if key == "version" else choices(kinds[0]) if kinds else ()
    return behind(f"{name}.{key}=", words(known))


def _asked_targets(typed: Typed) -> list[Backend]:
    """The targets that the command line names, else all."""
    named = [text.partition("@")[0] for value in typed.values("--target") for text in value.split(",")]
    found = [backend for name in named if (backend := targets.find(name)) is not None]
    return list({backend.name: backend for backend in found}.values()) or list(targets.every())


# --- what is in the file ---------------------------------------------------------------------------------------


def _param(asked: Asked) -> Answer:
    """``workers=``, and behind it the values that the file knows."""
    name, equals, value = asked.word.partition("=")
    if not equals:
        free = [one for one in asked.names.params if one.name not in _already_set(asked.typed)]
        return answer(Candidate(f"{one.name}=", _about(one), open=True) for one in free)
    if value.startswith("@"):
        return behind(f"{name}=@", Answer(files=Files()))
    param = next((one for one in asked.names.params if one.name == name), None)
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
        known += [(one.values[param.name], f"profile {one.name}") for one in names.profiles if param.name in one.values]
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
    from tfdsl.draft import Bare

    if isinstance(value, list):
        return [_drafted(item, bare=bare) for item in value]
    if isinstance(value, dict):
        return {key: _drafted(item, bare=bare) for key, item in value.items()}
    if isinstance(value, float) or value is None or (bare and isinstance(value, str)):
        return Bare(str(value))
    return value


def _profile(asked: Asked) -> Answer:
    return answer(Candidate(one.name, ", ".join(one.values)) for one in asked.names.profiles)


def _job(asked: Asked) -> Answer:
    return words(asked.names.jobs)


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
    """``worker[1]``, and in the same word what happens to it."""
    subject, space, _ = asked.word.partition(" ")
    if space:
        return answer(Candidate(f"{subject} {what}", open=True) for what in FAULTS)
    if "[" in subject:
        return answer(Candidate(f"{one.text} ", open=True) for one in _task(asked).candidates)
    return answer(Candidate(f"{name}[", _replicas(number), open=True) for name, number in asked.names.roles.items())


def _mount(asked: Asked) -> Answer:
    path, equals, _ = asked.word.partition("=")
    if equals:
        return behind(f"{path}=", Answer(files=Files()))
    return answer(Candidate(f"{one}=", open=True) for one in asked.names.mounts)


def _role_of_container(asked: Asked) -> Answer:
    """The role behind ``trainer=`` of ``tfdsl import``; the name is of the manifest."""
    from tfdsl.vocabulary.attributes import ROLES

    name, equals, _ = asked.word.partition("=")
    return behind(f"{name}=", answer(Candidate(one.name, one.doc) for one in ROLES)) if equals else Answer()


# --- words of the tool ------------------------------------------------------------------------------------------


def _example(asked: Asked) -> Answer:
    from tfdsl.cli import examples

    return answer(Candidate(name, examples.summary(examples.files(name)[examples.MAIN])) for name in examples.NAMES)


def _page(asked: Asked) -> Answer:
    """A word that has a page; codes and slugs of messages once their beginning is typed."""
    from tfdsl.cli.word_pages import words as pages

    found = [one for one in pages() if " " not in one]
    if asked.word:
        from tfdsl.compiling.pipeline import every_rule

        rules = every_rule()
        found += [name for name in rules if name.lower().startswith(asked.word.lower())]
    return words(found)


def _shell(asked: Asked) -> Answer:
    from tfdsl.cli.completing.shells import SHELLS

    return words(SHELLS)


def _nothing(asked: Asked) -> Answer:
    """A value that nobody but the user knows."""
    return Answer()


VALUES: Final[dict[str, Values]] = {
    "FILE": _any_file,
    "PATH": _any_file,
    "DIR": _folder,
    "TARGET[@VERSION]": _target,
    "TARGET": _plain_target,
    "TARGET.KEY=VALUE": _option,
    "PARAM=VALUE": _param,
    "ROLE=N": _scale,
    "EVENT": _fault,
    "PATH=DIR": _mount,
    "NAME=ROLE": _role_of_container,
    "EXAMPLE": _example,
    "N": _nothing,
    "DURATION": _nothing,
    "PID": _nothing,
}
"""By what the help calls the value of a flag."""

NAMES: Final[dict[str, Values]] = {"--job": _job, "--profile": _profile, "--name": _nothing}
"""By the flag, for those whose value is a ``NAME``."""

ARGUMENTS: Final[dict[str, Values]] = {
    "FILE": _job_file,
    "FILE:LINE": _side,
    "A": _side,
    "B": _side,
    "WORD": _page,
    "ROLE[INDEX]": _task,
    "SHELL": _shell,
    "NAME": _nothing,
    "TYPED": _nothing,
}
"""By what the help calls an argument."""
