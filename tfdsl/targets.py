"""Which targets there are: those of this repository, by the table here, and those of other installed packages.

The only place in ``tfdsl`` that names a target. A package adds one with an entry point in the group ``tfdsl.backends``
that has the target's name and leads to its :class:`~tfdsl.backend.Backend`. To read the metadata of all installed
packages costs more than most commands, so it is read only for a name that no target of the table has, and where all
targets are listed.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, cast

from tfdsl.patterns import regex
from tfdsl.record import Record

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

    from tfdsl.backend import Backend

BUILT_IN = {
    "tfjob": "tfdsl_backends.tfjob",
    "volcano": "tfdsl_backends.volcano",
    "kubernetes": "tfdsl_backends.kubernetes",
    "jobset": "tfdsl_backends.jobset",
    "slider": "tfdsl_backends.slider",
    "yarn": "tfdsl_backends.yarn",
    "slurm": "tfdsl_backends.slurm",
}
"""Name of a target → the package whose ``BACKEND`` it is, in the order in which targets are listed."""

GROUP = "tfdsl.backends"
"""The group of the entry points."""

_NAME = regex(r"[a-z][a-z0-9_]*")
_PREFIX = regex(r"(?!TFJ)[A-Z][A-Z0-9]{2}")


class Problem(Record):
    """Why an installed target cannot be used as it is. ``names``: the targets that it is about."""

    names: frozenset[str]
    text: str


class Installed(Record):
    """An entry point, and the package that declares it, with its version."""

    name: str
    package: str
    point: EntryPoint


class Registry:
    """The targets of a table and of the packages on a path.

    Of two with one name, alias or prefix the earlier is kept, and there is a problem.
    """

    def __init__(self, built_in: Mapping[str, str], path: Callable[[], list[str]]) -> None:
        self._modules = built_in
        self._path = path
        self._loaded: dict[str, Backend] = {}
        self._declared: list[Installed] | None = None
        self._every: tuple[Backend, ...] | None = None
        self._problems: list[Problem] = []

    def names(self) -> tuple[str, ...]:
        """Names of the built-in targets."""
        return tuple(self._modules)

    def every_name(self) -> tuple[str, ...]:
        """Names of the built-in targets, then of those that are installed beside them."""
        return tuple(dict.fromkeys((*self._modules, *(installed.name for installed in self._installed()))))

    def built_in(self) -> tuple[Backend, ...]:
        """The built-in targets, in the order in which targets are listed."""
        return tuple(map(self._built_in, self._modules))

    def every(self) -> tuple[Backend, ...]:
        """The built-in targets, then those that are installed beside them, by name."""
        if self._every is None:
            packages = dict.fromkeys(self._modules, "tfdsl")
            backends = list(self.built_in())
            for installed in self._installed():
                backend = _loaded(installed)
                if isinstance(backend, str):
                    self._problem(f"the target {installed.name} of {installed.package} {backend}", installed.name)
                elif self._is_alone(backend, installed.package, backends, packages):
                    backends.append(backend)
                    packages[backend.name] = installed.package
            self._every = tuple(backends)
        return self._every

    def known(self) -> tuple[Backend, ...]:
        """The built-in targets, and those that are installed beside them if something has asked for those before."""
        return self._every or self.built_in()

    def with_pods(self) -> tuple[str, ...]:
        """Names of the built-in targets whose documents have pod templates."""
        return tuple(backend.name for backend in self.built_in() if backend.pods)

    def find(self, name: str) -> Backend | None:
        """The target called ``name``, which may be an alias."""
        if name in self._modules:
            return self._built_in(name)
        known = (self._built_in(module) for module in self._modules)
        found = next((backend for backend in known if name in backend.aliases), None)
        if found is not None or not name:
            return found
        return next((backend for backend in self.every() if name in (backend.name, *backend.aliases)), None)

    def problems(self, name: str | None = None) -> tuple[str, ...]:
        """What is wrong with the target called ``name``; without a name, with any that is installed.

        Only what has been read so far is known.
        """
        return tuple(problem.text for problem in self._problems if name is None or name in problem.names)

    def _built_in(self, name: str) -> Backend:
        if name not in self._loaded:
            self._loaded[name] = cast("Backend", import_module(self._modules[name]).BACKEND)
        return self._loaded[name]

    def _installed(self) -> list[Installed]:
        """The entry points of other packages, each name once."""
        if self._declared is None:
            by_name: dict[str, Installed] = {}
            packages = dict.fromkeys(self._modules, "tfdsl")
            for point in sorted(self._points(), key=lambda installed: (installed.name, installed.package)):
                if point.name in packages:
                    self._problem(
                        f"two packages have a target {point.name}: {packages[point.name]} and {point.package}",
                        point.name,
                    )
                else:
                    by_name[point.name] = point
                    packages[point.name] = point.package
            self._declared = list(by_name.values())
        return self._declared

    def _points(self) -> Iterator[Installed]:
        from importlib.metadata import distributions  # 26 ms and more

        seen: set[str] = set()
        for distribution in distributions(path=self._path()):
            points = distribution.entry_points.select(group=GROUP)
            if points and _normal(distribution) not in seen:  # of a package that is on the path twice the first counts
                seen.add(_normal(distribution))
                for point in points:
                    if point.value != f"{self._modules.get(point.name)}:BACKEND":
                        yield Installed(point.name, f"{distribution.name} {distribution.version}", point)

    def _is_alone(self, backend: Backend, package: str, others: list[Backend], packages: Mapping[str, str]) -> bool:
        """Whether no target of ``others`` has a word or the prefix of ``backend``; else there is a problem."""
        for other in others:
            shared = {backend.name, *backend.aliases} & {other.name, *other.aliases}
            both = f"{other.name} ({packages[other.name]}) and {backend.name} ({package})"
            if shared:
                self._problem(f"two targets are called {min(shared)}: {both}", backend.name, other.name)
            elif other.prefix == backend.prefix:
                self._problem(f"two targets have the prefix {other.prefix}: {both}", backend.name, other.name)
            else:
                continue
            return False
        return True

    def _problem(self, text: str, *names: str) -> None:
        self._problems.append(Problem(frozenset(names), text))


def _loaded(installed: Installed) -> Backend | str:
    """The target that an entry point leads to, or what is wrong with it."""
    kind = cast("type[Backend]", import_module("tfdsl.backend").Backend)  # which stands above this module
    try:
        backend: object = installed.point.load()
    except Exception as error:  # whatever the package of somebody else does when it is imported
        return f"cannot be loaded: {type(error).__name__}: {error}"
    if not isinstance(backend, kind):
        return f"cannot be used: {installed.point.value} is not a tfdsl.backend.Backend"
    if backend.name != installed.name or _NAME.fullmatch(installed.name) is None:
        return f"cannot be used: its entry point is called {installed.name} and its Backend {backend.name}"
    if _PREFIX.fullmatch(backend.prefix) is None:
        return f"cannot be used: its prefix {backend.prefix} is not three uppercase letters or digits, or is TFJ"
    return backend


def _normal(distribution: Distribution) -> str:
    return re.sub(r"[-_.]+", "-", distribution.name).lower()


def installed_path() -> list[str]:
    """Where programs are installed: all of the path but the current folder, which may be a stranger's."""
    if _is_current(os.path.dirname(os.path.dirname(__file__))):
        return sys.path
    return [place for place in sys.path if not _is_current(place)]


def _is_current(folder: str) -> bool:
    try:
        return os.path.samefile(folder or os.curdir, os.curdir)
    except OSError:  # a folder of the path that is not there, or a current folder that has been removed
        return False


_REGISTRY = Registry(BUILT_IN, installed_path)
names, every_name = _REGISTRY.names, _REGISTRY.every_name
built_in, known, every = _REGISTRY.built_in, _REGISTRY.known, _REGISTRY.every
with_pods = _REGISTRY.with_pods
find, problems = _REGISTRY.find, _REGISTRY.problems
