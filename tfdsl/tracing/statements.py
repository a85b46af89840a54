"""What is written on a line: the statements of a text, each with those around it, and the names that they use.

:func:`without` is a program as it would be without one statement: what changes in the output is what that decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, cast

from tfdsl.compiling import pipeline
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.semantics.project import Program
from tfdsl.syntax import ast
from tfdsl.text import Source, Span
from tfdsl.tracing.trace import holds

Node: TypeAlias = "ast.Declaration | ast.Item | ast.Copy | ast.Run | ast.FlowRun"

_BLOCKS = (
    ast.Job,
    ast.Role,
    ast.Target,
    ast.Template,
    ast.Step,
    ast.Profile,
    ast.Cluster,
    ast.Build,
    ast.Matrix,
    ast.Flow,
)


class Statement(Record):
    """A declaration or an item of a block. ``head``: all of it, or of a block what is before the brace.

    ``above``: the blocks around it, outermost first.
    """

    node: Node
    span: Span
    head: Span
    above: tuple[Node, ...] = ()

    @property
    def is_block(self) -> bool:
        """Whether other statements are in it."""
        return isinstance(self.node, _BLOCKS)


def statements(file: ast.File) -> Iterator[Statement]:
    """All statements of a text, each block before what is in it."""
    todo: list[tuple[Node, tuple[Node, ...]]] = [(node, ()) for node in reversed(file.declarations)]
    while todo:
        node, above = todo.pop()
        yield Statement(node, node.span, _head(node), above)
        todo.extend((child, (*above, node)) for child in reversed(children(node)))


def children(node: Node) -> tuple[Node, ...]:
    """The statements in a block."""
    if isinstance(node, ast.Job | ast.Role | ast.Target | ast.Template | ast.Step | ast.Build | ast.Flow):
        return cast("tuple[Node, ...]", node.items)
    if isinstance(node, ast.Profile | ast.Cluster):
        return node.settings
    return node.axes if isinstance(node, ast.Matrix) else ()


def _head(node: Node) -> Span:
    span = node.span
    if not isinstance(node, _BLOCKS):
        return span
    if isinstance(node, ast.Cluster | ast.Build | ast.Matrix):
        return node.word
    condition = getattr(node, "condition", None)
    end = condition.span.end if isinstance(condition, ast.Condition) else node.name.span.end
    return Span(span.source, span.start, end)


def spoken(node: Node) -> str:
    """The words for a statement: ``let registry``, ``role worker``, ``image``."""
    if isinstance(node, ast.Assign):
        return node.key.text
    if isinstance(node, ast.Include):
        return f"include {node.path.span.text}"
    if isinstance(node, ast.FlowRun):
        return f"run {node.job.span.text}"
    if isinstance(node, ast.Use):
        return f"use {node.name.text}"
    if isinstance(node, ast.Mount):
        return f"the mount at {node.path.span.text}"
    if isinstance(node, ast.Policy):
        return f"the policy on {node.event.span.text}"
    if isinstance(node, ast.Step):
        return f"{node.kind} {node.name.text}"
    word = type(node).__name__.lower()
    name: object = getattr(node, "name", None)
    if word.startswith("unset"):
        return "unset"
    if word in ("output", "patch", "edition", "cluster", "build", "matrix", "copy", "run"):
        return f"the {word}" if word in ("output", "patch", "edition") else word
    return f"{word} {name.text}" if isinstance(name, ast.Name) else word


Name: TypeAlias = tuple[str, str]
"""``("value", NAME)`` of a param or let, ``("matrix", AXIS)``, ``("replicas", ROLE)`` or ``("job", "name")``."""


class Use(Record):
    """A name that is used. ``span``: what depends on it, the place itself or all of an item whose condition it is in.

    ``owner``: the param, let or axis whose value it is a part of.
    """

    name: Name
    span: Span
    statement: Statement
    owner: Name | None

    @property
    def is_whole(self) -> bool:
        """Whether all of its statement depends on it."""
        return self.span == self.statement.span


class Uses:
    """The uses of names in a program.

    ``profile``: the one that is chosen. ``outside``: the params whose values are from outside the program.
    """

    def __init__(self, program: Program, profile: str | None, outside: Iterable[str]) -> None:
        self.program = program
        self._outside = frozenset(outside)
        chosen = program.profiles.get(profile, ()) if profile is not None else ()
        self._profile: Mapping[str, ast.Assign] = {
            setting.key.text: setting for declaration in reversed(chosen) for setting in reversed(declaration.settings)
        }
        self._known = {*program.params, *program.lets}
        self._all: list[Use] = [
            use for file in program.files for statement in statements(file) for use in self._in(statement)
        ]
        self._by_name: dict[Name, list[Use]] = {}
        for use in self._all:
            self._by_name.setdefault(use.name, []).append(use)

    # --- from names to their uses ---

    def of(self, name: Name) -> Sequence[Use]:
        """The uses of ``name``, those in the values of other names too."""
        return self._by_name.get(name, ())

    def is_used(self, name: Name) -> bool:
        """Whether anything uses ``name``."""
        return name in self._by_name

    def value_of(self, param: str) -> ast.Param | ast.Assign | None:
        """The declaration or the line of the profile that gives ``param`` its value; ``None`` if that is outside."""
        if param in self._outside:
            return None
        return self._profile.get(param, self.program.params[param])

    # --- from a value to the names in it ---

    def at(self, spans: Iterable[Span]) -> list[Span]:
        """Where the names that are used at ``spans`` get their values, nearest first."""
        declared: dict[Span, None] = {}
        todo = list(spans)
        seen: set[Name] = set()
        while todo:
            place = todo.pop(0)
            for use in self._all:
                if use.name not in seen and holds(place, use.span):
                    seen.add(use.name)
                    given = self._given(use.name, use.statement)
                    if given is not None:
                        declared[given] = None
                        todo.append(given)
        return list(declared)

    def _given(self, name: Name, user: Statement) -> Span | None:
        kind, text = name
        if kind == "value":
            node = self.program.lets.get(text) or self.value_of(text)
            return node.span if node is not None else None
        job = next((one for one in user.above if isinstance(one, ast.Job)), None)
        if job is None:
            return None
        if kind == "matrix":
            axes = job.matrix.axes if job.matrix is not None else ()
            return next((axis.span for axis in axes if axis.key.text == text), None)
        if kind == "job":
            return job.name.span
        role = next((item for item in job.items if isinstance(item, ast.Role) and item.name.text == text), None)
        items = role.items if role is not None else ()
        return next((item.span for item in items if isinstance(item, ast.Assign) and item.key.text == "replicas"), None)

    # --- reading the tree ---

    def _in(self, statement: Statement) -> Iterator[Use]:
        """The uses in a statement, those of the statements in it left out."""
        owner = self._owner(statement)
        if owner is not None and not self._counts(statement, owner):
            return
        node = statement.node
        condition = getattr(node, "condition", None)
        if isinstance(condition, ast.Condition):
            for name, _ in names_in(condition.value, self._known, statement):
                yield Use(name, statement.span, statement, owner)
        for field in type(node).__fields__:
            if field not in ("span", "condition", "items", "word") and not statement.is_block:
                value: object = getattr(node, field)
                for name, span in names_in(value, self._known, statement):
                    yield Use(name, span, statement, owner)
        if isinstance(node, ast.Job) and node.pattern is not None:
            for name, _ in names_in(node.pattern, self._known, statement):
                yield Use(name, node.name.span, statement, None)

    def _owner(self, statement: Statement) -> Name | None:
        node = statement.node
        if isinstance(node, ast.Let | ast.Param):
            return "value", node.name.text
        above = statement.above[-1] if statement.above else None
        if isinstance(node, ast.Assign) and isinstance(above, ast.Profile):
            return "value", node.key.text
        return ("matrix", node.key.text) if isinstance(node, ast.Assign) and isinstance(above, ast.Matrix) else None

    def _counts(self, statement: Statement, owner: Name) -> bool:
        """Whether the value that is written here is the one that the param has."""
        if owner[0] != "value" or owner[1] not in self.program.params:
            return True
        return self.value_of(owner[1]) is statement.node


def names_in(node: object, known: Iterable[str], around: Statement) -> Iterator[tuple[Name, Span]]:
    """The names that are used in an expression, with their places."""
    todo: list[object] = [node]
    while todo:
        one = todo.pop()
        if isinstance(one, tuple):
            todo.extend(cast("tuple[object, ...]", one))
        elif isinstance(one, ast.Ref):
            if one.name in known:
                yield ("value", one.name), one.span
        elif isinstance(one, ast.Member) and (name := _member(one, around)) is not None:
            yield name, one.span
        elif isinstance(one, Record):
            todo.extend(getattr(one, field) for field in type(one).__fields__ if field != "span")


def _member(node: ast.Member, around: Statement) -> Name | None:
    """The name that ``matrix.lr``, ``roles.worker.replicas``, ``role.replicas`` or ``job.name`` is."""
    base, member = node.base, node.name.text
    if isinstance(base, ast.Ref):
        if base.name == "matrix":
            return "matrix", member
        if (base.name, member) == ("job", "name"):
            return "job", "name"
        if (base.name, member) == ("role", "replicas"):
            role = next((one.name.text for one in reversed(around.above) if isinstance(one, ast.Role)), None)
            return ("replicas", role) if role is not None else None
    if isinstance(base, ast.Member) and isinstance(base.base, ast.Ref) and base.base.name == "roles":
        return ("replicas", base.name.text) if member == "replicas" else None
    return None


_COMMA_AFTER = regex(r"[ \t]*,")
_COMMA_BEFORE = regex(r",[ \t]*$")
_NOT_LINE_ENDS = regex(r"[^\r\n]")


def without(program: Program, statement: Statement) -> Program | None:
    """``program`` without ``statement``, in whichever of its texts that is written; ``None`` where it breaks the text.

    Lines stay where they are, so that messages and places are those of the program.
    """
    source = statement.span.source
    changed = Source(source.path, blanked(source.text, statement.span.start, statement.span.end), source.origin)
    main = program.files[0].source

    def read(path: str) -> Source | str:
        found = program.read(path)
        return changed if isinstance(found, Source) and found.origin == source.origin else found

    other = pipeline.load(changed if source is main else main, read if source is not main else program.read)
    return None if other.syntax_errors else other


def blanked(text: str, start: int, end: int) -> str:
    """``text`` with blanks from ``start`` to ``end``, and the comma between the item there and the next one."""
    after = _COMMA_AFTER.match(text, end)
    if after is not None:
        end = after.end()
    else:
        before = _COMMA_BEFORE.search(text[text.rfind("\n", 0, start) + 1 : start])
        start -= len(before[0]) if before is not None else 0
    return text[:start] + _NOT_LINE_ENDS.sub(" ", text[start:end]) + text[end:]
