"""The names that an expression can use.

Params and lets are evaluated once, on first use; inside a job there are also ``job``, ``roles`` and, in a role,
``role``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tfdsl.diagnostics import Diagnostic, Report, Rule
from tfdsl.diagnostics.suggest import closest
from tfdsl.record import Record
from tfdsl.semantics.project import Program
from tfdsl.semantics.values import Data, show
from tfdsl.syntax import ast
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.semantics.values import Poison, Value
    from tfdsl.vocabulary.types import Type


class Pending(Record):
    """The answer for a value that is still being evaluated: whoever asks for it closes a cycle."""


PENDING: Final = Pending()


class Combination(Record):
    """One value of each axis. ``matrix``: the word that its block begins with; ``count``: how many combinations it has.

    ``sampled``: the first combination, or one of the first that differ from it in one axis alone.

    ``broken``: the matrix has an error, so that no value is known of an axis that it does not have.
    """

    index: int
    values: Mapping[str, Value]
    matrix: Span
    count: int = 1
    sampled: bool = True
    broken: bool = False

    @property
    def suffix(self) -> str:
        """What it adds to a name: ``-02`` of 12, so that the names are in order."""
        return f"-{self.index:0{len(str(self.count - 1))}}"

    def shown(self) -> str:
        """``lr = 1e-3, size = "small"``."""
        return ", ".join(f"{name} = {_written(value.data)}" for name, value in self.values.items())


def _written(data: Data) -> str | None:
    return f'"{data}"' if isinstance(data, str) else show(data)


class EnvFile(Record):
    """What a file contains: ``values`` by key, what is wrong by line, and the ``quoted`` keys with their lines."""

    values: dict[str, str]
    problems: dict[int, str]
    quoted: dict[int, str]


MOST_COMPARISONS = 100_000
"""The most comparisons of misspelt names with existing ones."""

MOST_WORK = 6_000_000
"""The most list and map elements (or blocks of 128 characters) that all expressions together can handle."""


class Globals:
    """Params and lets, and what the expressions of a program have in common.

    ``used``: the names that some expression refers to. ``exhausted``: whether the program needs too much work; then
    everything is poison. ``conditions``: whether each condition that was evaluated, by its place, held for any job or
    role. ``files``, ``env_files``: what has been read so far.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.used: set[str] = set()
        self.exhausted = False
        self.conditions: dict[Span, bool] = {}
        self.values: dict[str, Value] = {}
        self.files: dict[str, str] = {}
        self.env_files: dict[str, EnvFile] = {}
        self._names = (*program.params, *program.lets)
        self._work = 0
        self._compared = 0

    def names(self) -> Collection[str]:
        """All params and lets."""
        return self._names

    def spend(self, work: int) -> bool:
        """Account for ``work`` elements handled; false when that is too much for one program."""
        self._work += work
        self.exhausted = self._work > MOST_WORK
        return not self.exhausted

    def closest(self, word: str, candidates: Collection[str]) -> str | None:
        """The candidate that was probably meant, or ``None``; always ``None`` after too many comparisons."""
        self._compared += len(candidates)
        return closest(word, candidates) if self._compared <= MOST_COMPARISONS else None

    def lookup(self, name: str) -> Value | None:
        """The value of a param or let, poison when it is wrong, ``None`` when it does not exist."""
        self.used.add(name)
        return self.values.get(name)


class JobNames:
    """The members of ``job`` and ``roles``: those of a job of which only the name is known.

    ``name_known``: whether the job's name could be evaluated.
    """

    def __init__(self, name: str, name_known: bool = True) -> None:
        self.name = name
        self.name_known = name_known

    def namespace(self) -> Value | Pending | None:
        """The job's namespace, poison when it is wrong; ``None`` when it has none."""
        return None

    def knows_submitter(self, at: Span) -> bool:
        """Whether the target that ``at`` is read for (if any) knows the submitter."""
        return False

    def without_run(self) -> tuple[str, ...]:
        """Why ``flow.run`` has no value in the job, and what to do; empty if it has one."""
        return ()

    def role_names(self) -> tuple[str, ...]:
        """The names of the roles of the job."""
        return ()

    def replicas(self, role: str) -> int | Poison | Pending:
        """The number of replicas of ``role``."""
        return 0


class Scope(Record):
    """The names at one place.

    ``role``: the name of the enclosing role, or ``None`` outside roles. ``owner``: the job that the place belongs to;
    a template belongs to the job that uses it. ``matrix``: what ``matrix.…`` is, if that job has a matrix.
    ``in_map``: the value of an entry of a map, which is most often a text. ``wanted``: the type of the value, where
    words of other languages are read as one.
    """

    globals: Globals
    report: Report
    job: JobNames | None = None
    role: str | None = None
    owner: ast.Job | None = None
    matrix: Combination | None = None
    in_map: bool = False
    wanted: Type | None = None


# --- what expressions refer to -----------------------------------------------------------------------------------


Uses: TypeAlias = Mapping[str, Sequence[ast.Ref]]
Dependence: TypeAlias = Literal["nothing", "job", "role"]
"""Whether a value is the same everywhere, may differ between jobs and targets, or also between roles."""


def in_order(uses: Uses, cycle: Rule, report: Report) -> tuple[list[str], set[str]]:
    """All names, each after those it uses; and the names to cut so that no cycle is left.

    ``uses``: name → the known names that it uses, in file order. A cycle is reported once (as ``cycle``), at the
    reference that closes it in file order. Nothing here is recursive: a chain of lets can be as long as the file.
    """
    order: list[str] = []
    cut: set[str] = set()
    done: set[str] = set()
    for start in uses:
        if start not in done:
            _walk(start, uses, done, order, cut, lambda ref: cycle(ref.span, name=ref.name), report)
    return order, cut


def _walk(
    start: str,
    uses: Uses,
    done: set[str],
    order: list[str],
    cut: set[str],
    found: Callable[[ast.Ref], Diagnostic],
    report: Report,
) -> None:
    path: dict[str, Iterator[ast.Ref]] = {start: iter(uses[start])}
    done.add(start)
    while path:
        name = next(reversed(path))
        ref = next(path[name], None)
        if ref is None:
            del path[name]
            order.append(name)
        elif ref.name in path:
            if ref.name not in cut:
                cut.add(ref.name)
                steps = list(path)
                way = " → ".join((*steps[steps.index(ref.name) :], ref.name))
                report(found(ref).marked("this closes the cycle").help(f"the cycle is {way}"))
        elif ref.name not in done:
            done.add(ref.name)
            path[ref.name] = iter(uses[ref.name])


def dependence(node: ast.Item) -> Dependence:
    """What the values in ``node`` depend on."""
    names = {ref.name for ref in references((node,), ("job", "role", "roles", "matrix", "flow"))}
    return "role" if "role" in names else "job" if names else "nothing"


def references(nodes: Sequence[ast.Expr | ast.Item], known: Collection[str]) -> list[ast.Ref]:
    """The references to any of ``known``, in text order."""
    refs = [node for node in _inside(nodes) if isinstance(node, ast.Ref) and node.name in known]
    return sorted(refs, key=lambda ref: ref.span.start)


def members(nodes: Sequence[ast.Job | ast.Template], base: str) -> set[str]:
    """The members of ``base`` that are used: ``lr`` for ``matrix.lr``."""
    return {
        node.name.text
        for node in _inside(nodes)
        if isinstance(node, ast.Member) and isinstance(node.base, ast.Ref) and node.base.name == base
    }


def _inside(nodes: Sequence[object]) -> Iterator[Record]:
    """All that may be or have an expression, without recursion."""
    todo: list[object] = [*nodes]
    while todo:
        node = todo.pop()
        if isinstance(node, tuple):
            todo.extend(node)  # pyright: ignore[reportUnknownArgumentType]  (children of any kind)
        elif isinstance(node, Record) and not isinstance(node, ast.Name | ast.Number | ast.Bool | ast.Unit):
            yield node
            todo.extend(getattr(node, field) for field in type(node).__fields__ if field != "span")
