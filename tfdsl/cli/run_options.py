"""The options of ``tfdsl run`` that say how a job is run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.suggest import closest, enumeration
from tfdsl.diagnostics.usage_rules import BAD_ARGUMENT
from tfdsl.lifecycle import faults
from tfdsl.lifecycle.faults import Injected
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.running.mounts import Given, MountOptions, given_mount
from tfdsl.semantics import env_files
from tfdsl.source_files import is_file_name, read
from tfdsl.vocabulary.attributes import MOST_REPLICAS
from tfdsl.vocabulary.quantities import Duration
from tfdsl.vocabulary.roles import BY_NAME, ROLE_NAMES

if TYPE_CHECKING:
    from tfdsl.cli.arguments import Argument, Arguments
    from tfdsl.ir.model import Job

_NUMBER = regex(r"[0-9]{1,9}")


class Options(Record):
    """What the command line says.

    ``scaled``: the roles of ``scale``, each with its place. ``variables``: of ``--env-file``.
    """

    scale: Mapping[str, int]
    scaled: tuple[tuple[str, Argument], ...]
    injected: tuple[Injected, ...]
    cpu: bool
    parallel: int
    timeout: Duration | None
    restart_delay: Duration | None
    log_dir: Argument | None
    variables: Mapping[str, str]


def options_of(arguments: Arguments) -> tuple[Options, list[Diagnostic]]:
    """The options, and what is wrong with them."""
    errors: list[Diagnostic] = []
    scaled = [(pair, given) for given in arguments.values("--scale") if (pair := _scaled(given, errors))]
    injected = [one for given in arguments.values("--inject") if (one := _injected(given, errors))]
    options = Options(
        dict(one for one, _ in scaled),
        tuple((role, argument) for (role, _), argument in scaled),
        tuple(injected),
        arguments.on("--cpu"),
        _parallel(arguments.value("--parallel"), errors),
        _duration("--timeout", arguments.value("--timeout"), 1, errors),
        _duration("--restart-delay", arguments.value("--restart-delay"), 0, errors),
        _folder(arguments.value("--log-dir"), errors),
        {name: value for given in arguments.values("--env-file") for name, value in _variables(given, errors).items()},
    )
    return options, errors


def mount_options(arguments: Arguments, jobs: Sequence[Job]) -> tuple[MountOptions, list[Diagnostic]]:
    """What is mounted, and what is wrong with it; the paths of ``jobs`` tell how a ``PATH=DIR`` is read."""
    errors: list[Diagnostic] = []
    known = {mount.at for job in jobs for role in job.roles for mount in role.mounts}
    named: dict[str, Given] = {}
    for argument in arguments.values("--mount"):
        result = given_mount(argument.text, argument.span, known)
        if not isinstance(result, Given):
            errors.append(result)
        else:
            named[result.at] = result
    return MountOptions(named, arguments.on("--no-mounts")), errors


def _variables(argument: Argument, errors: list[Diagnostic]) -> Mapping[str, str]:
    """The variables of a file. No message shows a line of it, for such files are where people keep their secrets."""
    source = read(argument.text)
    if isinstance(source, str):
        errors.append(BAD_ARGUMENT(argument.span, what=f"--env-file {argument.text or '(no name)'}: {source}"))
        return {}
    file = env_files.read(source.text)
    for line, problem in file.problems.items():
        errors.append(BAD_ARGUMENT(argument.span, what=f"--env-file {argument.text}: line {line}: {problem}"))
    return file.values


def _scaled(argument: Argument, errors: list[Diagnostic]) -> tuple[str, int] | None:
    role, equals, number = argument.text.partition("=")
    if not equals or role not in ROLE_NAMES:
        error = BAD_ARGUMENT(argument.span, what=f"--scale needs ROLE=N, not {argument.text or '(nothing)'}")
        near = closest(role, ROLE_NAMES) if equals else None
        errors.append(error.help(f"did you mean {near}?" if near else f"the roles are {enumeration(ROLE_NAMES)}"))
        return None
    most = 1 if BY_NAME[role].single else MOST_REPLICAS
    if _NUMBER.fullmatch(number) is None:
        what = f"--scale {role} needs a number of replicas from 0 to {most:,}, not {number or '(nothing)'}"
        errors.append(BAD_ARGUMENT(argument.span, what=what).help(f"write --scale {role}=1"))
        return None
    replicas = int(number)
    if replicas > most:
        errors.append(BAD_ARGUMENT(argument.span, what=f"{role} can have at most {most} replicas, not {replicas}"))
        return None
    return role, replicas


def _injected(argument: Argument, errors: list[Diagnostic]) -> Injected | None:
    fault = faults.parse(argument.text, argument.span)
    if isinstance(fault, faults.Injected):
        return fault
    errors.append(fault)
    return None


def _parallel(argument: Argument | None, errors: list[Diagnostic]) -> int:
    if argument is None:
        return 1
    if _NUMBER.fullmatch(argument.text) is None or int(argument.text) < 1:
        errors.append(BAD_ARGUMENT(argument.span, what=f"--parallel needs a number from 1, not {argument.text}"))
        return 1
    return int(argument.text)


def _duration(name: str, argument: Argument | None, least: int, errors: list[Diagnostic]) -> Duration | None:
    """The value of an option, of ``least`` milliseconds or more."""
    if argument is None:
        return None
    try:
        length = Duration(argument.text)
    except ValueError:
        length = None
    if length is None or length.ms < least:
        errors.append(BAD_ARGUMENT(argument.span, what=f"{name} needs a duration such as 10m, not {argument.text}"))
        return None
    return length


def _folder(argument: Argument | None, errors: list[Diagnostic]) -> Argument | None:
    """The folder of ``--log-dir``; it is made when the job starts (:func:`made`)."""
    problem = _no_folder(argument.text) if argument is not None else None
    if argument is not None and problem is not None:
        errors.append(BAD_ARGUMENT(argument.span, what=f"--log-dir {argument.text or '(no name)'}: {problem}"))
    return argument if problem is None else None


def _no_folder(path: str) -> str | None:
    """Why ``path`` can be no folder; ``None`` if it is one or may become one."""
    if not is_file_name(path):
        return "it is not the name of a folder"
    there = os.path.abspath(path)
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if os.path.isdir(there):
        return None
    named = "it" if there == os.path.abspath(path) else os.path.relpath(there)
    return f"{named} is a file, not a folder" if os.path.exists(there) else f"{named} is a link that leads nowhere"


def made(folder: Argument) -> Diagnostic | None:
    """Make the folder of ``--log-dir``; why that cannot be done."""
    try:
        os.makedirs(folder.text, exist_ok=True)
        return None
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        return BAD_ARGUMENT(folder.span, what=f"--log-dir {folder.text}: the folder cannot be made: {why}")
