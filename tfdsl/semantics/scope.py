"""The names that an expression can use.

Params and lets are evaluated once, on first use; inside a job there are also ``job``, ``roles`` and, in a role,
``role``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Final, Protocol

from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.semantics.env_files import EnvFile
    from tfdsl.semantics.matrix import Combination
    from tfdsl.semantics.values import Poison, Value
    from tfdsl.syntax import ast
    from tfdsl.text import Span


class Pending(Record):
    """The answer for a value that is still being evaluated: whoever asks for it closes a cycle."""


PENDING: Final = Pending()


class Globals(Protocol):
    """Params and lets."""

    exhausted: bool
    """Whether the program needs too much work; then everything is poison."""

    conditions: dict[Span, bool]
    """Whether each condition that was evaluated, by its place, held for any job or role."""

    def spend(self, work: int) -> bool:
        """Account for ``work`` elements handled; false when that is too much for one program."""
        ...

    def closest(self, word: str, candidates: Collection[str]) -> str | None:
        """The candidate that was probably meant, or ``None``; always ``None`` after too many comparisons."""
        ...

    def lookup(self, name: str) -> Value | None:
        """The value of a param or let, poison when it is wrong, ``None`` when it does not exist."""
        ...

    def names(self) -> Collection[str]:
        """All params and lets."""
        ...

    def read_file(self, path: str, at: Span) -> str | Diagnostic:
        """Text of a file named relative to the source of ``at``."""
        ...

    def read_env_file(self, path: str, at: Span) -> EnvFile | Diagnostic:
        """The same, read as lines of ``KEY=VALUE``; secrets among its values are noted as such."""
        ...


class JobNames(Protocol):
    """The members of ``job`` and ``roles``. ``name_known``: whether the job's name could be evaluated."""

    name: str
    name_known: bool

    def namespace(self) -> Value | Pending | None:
        """The job's namespace, poison when it is wrong; ``None`` when it has none."""
        ...

    def knows_submitter(self, at: Span) -> bool:
        """Whether the target that ``at`` is read for (if any) knows the submitter."""
        ...

    def role_names(self) -> Iterable[str]:
        """The job's roles."""
        ...

    def replicas(self, role: str) -> int | Poison | Pending:
        """The number of replicas of ``role``."""
        ...


class Scope(Record):
    """The names at one place.

    ``role``: the name of the enclosing role, or ``None`` outside roles. ``owner``: the job that the place belongs to;
    a template belongs to the job that uses it. ``matrix``: what ``matrix.…`` is, if that job has a matrix.
    """

    globals: Globals
    report: Callable[[Diagnostic], None]
    job: JobNames | None = None
    role: str | None = None
    owner: ast.Job | None = None
    matrix: Combination | None = None
