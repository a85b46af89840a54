"""What a file takes and makes: its params, profiles and jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tfdsl.api.compiling import Source, loaded_of
from tfdsl.api.failing import compile_error
from tfdsl.api.loaded import Call, asked_of
from tfdsl.api.values import Value
from tfdsl.compiling.front_end import hidden_with
from tfdsl.compiling.jobs import JobInfo as FoundJob
from tfdsl.compiling.jobs import ParamInfo, ProfileInfo, file_info
from tfdsl.compiling.masking import masked

if TYPE_CHECKING:
    import os


@dataclass(frozen=True, slots=True)
class Param:
    """A param of a file.

    ``default``: without profile; ``value``: with the profile and the values that were given; ``None`` where there is
    none. A quantity or a duration is a ``str``. ``min``, ``max``, ``one_of``, ``pattern``: ``None`` where nothing is
    asked. ``path``, ``line``: where it is declared, which may be in an included file.
    """

    name: str
    type: str
    required: bool
    default: Any
    value: Any
    description: str
    min: Any
    max: Any
    one_of: list[Any] | None
    pattern: str | None
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile, with the values that it gives to params."""

    name: str
    values: dict[str, Any]
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class JobInfo:
    """A job of a file.

    ``name``: ``None`` where it depends on a param without a value. ``block``: the name of its block, as written.
    ``index``: of its combination; ``None`` without a matrix. ``roles``: how many replicas each has, without target
    blocks; ``None`` where that is not known. ``targets``: those that it has blocks for.
    """

    name: str | None
    block: str
    index: int | None
    roles: dict[str, int | None]
    targets: tuple[str, ...]
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Info:
    """What a file takes and makes. ``includes``: the files that it includes, directly or indirectly."""

    path: str
    includes: tuple[str, ...]
    params: tuple[Param, ...]
    profiles: tuple[Profile, ...]
    jobs: tuple[JobInfo, ...]


def info(
    source: Source | None = None,
    *,
    text: str | None = None,
    base: str | os.PathLike[str] | None = None,
    profile: str | None = None,
    params: Mapping[str, Value] | None = None,
    params_file: str | os.PathLike[str] | None = None,
    job: str | None = None,
) -> Info:
    """The params, profiles, jobs and includes of a text, without compiling it.

    A param without a value is not an error here, nor is a mistake inside a job. The arguments are those of
    :func:`compile`.

    Raises:
        CompileError: The text has errors outside of its jobs.
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
    """
    loaded = loaded_of(source, text, base, profile, params, params_file)
    asked = asked_of(loaded, Call(job=job))
    found, errors = file_info(asked.given, asked.request)
    if found is None:
        raise compile_error(f"cannot read {loaded.path}", masked(errors, hidden_with(asked.given, asked.hidden)))
    return Info(
        found.path,
        found.includes,
        tuple(map(_param, found.params)),
        tuple(Profile(one.name, dict(one.values), *_place(one)) for one in found.profiles),
        tuple(map(_job, found.jobs)),
    )


def _param(one: ParamInfo) -> Param:
    asked = (one.low, one.high, one.one_of, one.pattern)
    return Param(one.name, one.type, one.required, one.default, one.value, one.description, *asked, *_place(one))


def _job(one: FoundJob) -> JobInfo:
    roles = {role.name: role.replicas for role in one.roles}
    return JobInfo(one.name, one.block, one.index, roles, one.targets, *_place(one))


def _place(one: ParamInfo | ProfileInfo | FoundJob) -> tuple[str, int]:
    return one.place.source.path, one.place.source.position(one.place.start)[0]
