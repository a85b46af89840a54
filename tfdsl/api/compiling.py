"""Compiling and checking a job in one call."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias, Union, overload

from tfdsl.api.asking import target_of
from tfdsl.api.diagnostics import Diagnostic, public
from tfdsl.api.failing import compile_error
from tfdsl.api.loaded import Call, Loaded, load_job, load_text, outcome
from tfdsl.api.program import Program
from tfdsl.api.result import Result, result_of
from tfdsl.api.values import Value
from tfdsl.compiling import pipeline

if TYPE_CHECKING:
    from tfdsl.ir.model import Job

Source: TypeAlias = Union[str, "os.PathLike[str]", Program, "Job"]
"""What can be compiled: a file, a program that has been read, or a job made in Python."""


@overload
def compile(
    source: Source,
    target: str,
    *,
    profile: str | None = None,
    params: Mapping[str, Value] | None = None,
    params_file: str | os.PathLike[str] | None = None,
    options: Mapping[str, Value] | None = None,
    job: str | None = None,
    name: str | None = None,
    strict: bool = False,
) -> Result: ...
@overload
def compile(
    *,
    text: str,
    target: str,
    base: str | os.PathLike[str] | None = None,
    profile: str | None = None,
    params: Mapping[str, Value] | None = None,
    params_file: str | os.PathLike[str] | None = None,
    options: Mapping[str, Value] | None = None,
    job: str | None = None,
    name: str | None = None,
    strict: bool = False,
) -> Result: ...
def compile(
    source: Source | None = None,
    target: str | None = None,
    *,
    text: str | None = None,
    base: str | os.PathLike[str] | None = None,
    profile: str | None = None,
    params: Mapping[str, Value] | None = None,
    params_file: str | os.PathLike[str] | None = None,
    options: Mapping[str, Value] | None = None,
    job: str | None = None,
    name: str | None = None,
    strict: bool = False,
) -> Result:
    """Compile the jobs of a file, a text or a program, or a job made in Python, for one target.

    Args:
        source: A ``.tfjob`` file, a job as JSON in a file, what :func:`load` gave, or a :class:`tfdsl.ir.Job`.
        target: A target such as ``volcano``, with a version if need be: ``volcano@1.9``.
        text: A text instead of a file.
        base: The folder from which the includes of ``text`` are found; without it, it can have none.
        profile: Take the params of this profile.
        params: Values for params, over the profile. A ``str`` for a quantity or a duration is read as one.
        params_file: A file of ``NAME = VALUE`` lines, over the profile and below ``params``.
        options: Values for options of the target, over those of the text.
        job: Compile only the job of this name, or all jobs of its matrix.
        name: Give the one job that is compiled this name instead of its own.
        strict: Treat what the target only approximates as an error, as ``strict`` of the project does.

    Raises:
        CompileError: The job has errors, or the target refuses something.
        UsageError: There is no such target or version, or several jobs would get one name.
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
    """
    if target is None:
        raise TypeError("compile() needs a target")
    choice = target_of(target)
    loaded = loaded_of(source, text, base, profile, params, params_file)
    done = outcome(loaded, Call(choice, options or {}, job, name, strict))
    if pipeline.has_errors(done.diagnostics):
        raise compile_error(f"cannot compile {loaded.path} for {target}", done.diagnostics)
    version = done.made[0].unit.shown_version if done.made else choice.version or choice.backend.default_version
    return result_of(choice.backend.name, version, done.made, public(done.diagnostics))


def check(
    source: Source | None = None,
    target: str | None = None,
    *,
    text: str | None = None,
    base: str | os.PathLike[str] | None = None,
    profile: str | None = None,
    params: Mapping[str, Value] | None = None,
    params_file: str | os.PathLike[str] | None = None,
    options: Mapping[str, Value] | None = None,
    job: str | None = None,
    name: str | None = None,
    strict: bool = False,
) -> tuple[Diagnostic, ...]:
    """What is wrong with a job, and what ``target`` cannot do or does differently, in file order.

    The arguments are those of :func:`compile`. Without a target the rules of the language and of lint are checked, and
    the target blocks of the text.

    Raises:
        UsageError: There is no such target or version, or several jobs would get one name.
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
    """
    choice = None if target is None else target_of(target)
    if choice is None and options:
        raise TypeError("options= belongs to a target")
    loaded = loaded_of(source, text, base, profile, params, params_file)
    return public(outcome(loaded, Call(choice, options or {}, job, name, strict)).diagnostics)


def loaded_of(
    source: Source | None,
    text: str | None,
    base: str | os.PathLike[str] | None,
    profile: str | None,
    params: Mapping[str, Value] | None,
    params_file: str | os.PathLike[str] | None,
) -> Loaded:
    """What ``source``, or ``text``, is."""
    if source is None or isinstance(source, str | os.PathLike):
        return load_text(source, text, base, profile, params, params_file)
    if any(one is not None for one in (text, base, profile, params, params_file)):
        raise TypeError(
            "text=, base=, profile=, params= and params_file= are for a file or a text; give those of a program to "
            "load()"
        )
    if isinstance(source, Program):
        return source.loaded
    return load_job(_job(source))


def _job(source: object) -> Job:
    """``source``, which must be a job."""
    from tfdsl.ir.model import Job  # costs pydantic

    if isinstance(source, Job):
        return source
    raise TypeError(f"expected a path, a Program or a Job, not {type(source).__name__}")
