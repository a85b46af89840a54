"""What is in the file that a command line names. A file that is broken, huge or not there has fewer names, or none."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from tfdsl.compiling import pipeline
from tfdsl.compiling.front_end import is_json
from tfdsl.compiling.jobs import ParamInfo, ProfileInfo, params_of, profiles_of
from tfdsl.diagnostics import Diagnostic
from tfdsl.patterns import regex
from tfdsl.semantics import resolved
from tfdsl.semantics.derived import derive
from tfdsl.semantics.params import Given, Params
from tfdsl.semantics.project import Program
from tfdsl.source_files import STDIN, Inputs, contents, decode
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.cli.completing.typed import Typed

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
        """The params."""
        return () if self._program is None else params_of(self._program, self._plain, self._plain)

    @cached_property
    def profiles(self) -> Sequence[ProfileInfo]:
        """The profiles."""
        return () if self._program is None else tuple(profiles_of(self._program, self._plain))

    @cached_property
    def jobs(self) -> Sequence[str]:
        """The names of jobs, and of the blocks that make several."""
        if self._program is None:
            return ()
        names: dict[str, None] = {}
        for one in derive(self._program, self._asked, _unheard):
            if one.combination is not None and one.node.pattern is None:
                names[one.node.name.text] = None
            if one.known and not one.absent:
                names[one.name] = None
        return list(names)[:MOST_JOBS]

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
        request = pipeline.Request(self._profile, self._given, extent="sample")
        return pipeline.check(self._program, request).jobs

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
