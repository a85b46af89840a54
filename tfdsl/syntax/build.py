"""One small function for each rule of the grammar: children in, node of ``ast`` out.

The driver calls them while it parses, so there is no intermediate tree and nothing here is recursive. A child that is a
token is passed as its number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias, TypeVar

from tfdsl.diagnostics import syntax_rules as rules
from tfdsl.diagnostics.diagnostic import Diagnostic
from tfdsl.syntax import _tables as tables, ast, strings
from tfdsl.syntax.driver import Build
from tfdsl.syntax.lexer import STRING, Lexed, is_job_name
from tfdsl.text import Source, Span

# --- missing ---
#
# Nodes that error recovery has completed with empty tokens.

# The name of a job without a name. It is valid, so that the missing name is reported only once.
UNNAMED = "unnamed"


def is_whole(node: ast.Declaration | ast.Item | ast.Copy | ast.Run | ast.FlowRun | ast.Subject) -> bool:
    """Whether recovery had to insert none of the node's required parts; inserted ones have an empty text."""
    for field in type(node).__fields__:
        value: object = getattr(node, field)
        if isinstance(value, ast.Name):
            missing = not value.text and not value.quoted
        elif isinstance(value, ast.Event):
            missing = not value.name.text
        else:
            missing = isinstance(value, ast.Number | ast.Str) and value.span.start == value.span.end
        if missing:
            return False
    return True


def likely_type(default: ast.Expr | None) -> str:
    """The type of a param without a type, chosen so that its default does not cause a second error."""
    if isinstance(default, ast.Number):
        return "number" if "." in default.text else "int"
    if isinstance(default, ast.Bool):
        return "bool"
    return "quantity" if isinstance(default, ast.Unit) else "string"


# --- build values ---
#
# The builders of values, and what those of all rules share.

# The greatest depth of an expression, counting operators, brackets and interpolations. Later stages walk it
# recursively; ``a + b + c …`` is as deep as it is long.
MAX_DEPTH = 128

# Reads the expression between two offsets, inside this many interpolations.
ParsePart: TypeAlias = "Callable[[Source, int, int, int], tuple[ast.Expr, list[Diagnostic], int]]"


class ValueBuilder:
    """Builds the nodes of one text and collects what is wrong with its literals.

    ``repaired`` says that tokens were inserted, or words read as nothing; nodes whose name is such a token are left
    out. ``doubtful``: offsets in statements whose values were not read for sure.
    """

    def __init__(self, lexed: Lexed, parse_part: ParsePart, level: int) -> None:
        self.lexed = lexed
        self.source = lexed.source
        self.declarations: tuple[ast.Declaration, ...] = ()
        self.expression: ast.Expr | None = None
        self.values: tuple[ast.Assign, ...] = ()
        self.repaired = bool(lexed.meant)
        self._parse_part = parse_part
        self._level = level
        self.diagnostics: list[Diagnostic] = []
        self.doubtful: list[int] = []
        self._depths: dict[int, int] = {}
        self._kept: list[ast.Expr] = []

    @property
    def inside(self) -> bool:
        """Whether the text is inside a string."""
        return self._level > 0

    def _token(self, token: int) -> Span:
        lexed = self.lexed
        return Span(self.source, lexed.starts[token], lexed.ends[token])

    def _name(self, token: int) -> ast.Name:
        return ast.Name(self._word(token).strip('"'), self._token(token))

    def _word(self, token: int) -> str:
        """The text of a token, or what it is read as."""
        return self.lexed.meant.get(self.lexed.starts[token], self.lexed.text(token))

    def key_(self, _: Span, key: int) -> ast.Name:
        return self._key(key)

    def _key(self, token: int) -> ast.Name:
        span = self._token(token)
        if self.lexed.types[token] != STRING:
            return ast.Name(self._word(token), span)
        value = self._plain(span)
        for part in value.parts:
            if not isinstance(part, str):
                self.diagnostics.append(rules.INTERPOLATED_NAME(part.span))
                return ast.Name("", span)
        return ast.Name("".join(part for part in value.parts if isinstance(part, str)), span, quoted=True)

    def _measured(self, node: ast.Expr, *parts: ast.Expr) -> ast.Expr:
        """Record how deep ``node`` is, by its identity; one that is too deep is reported and becomes an error node."""
        depths = self._depths
        depth = 1 + max((depths.get(id(part), 0) for part in parts), default=0)
        if depth > MAX_DEPTH:
            if depth == MAX_DEPTH + 1:
                self.diagnostics.append(rules.EXPRESSION_TOO_DEEP(node.span, limit=MAX_DEPTH).help("split it with let"))
            node = ast.ErrorExpr(node.span)
        self._kept.append(node)
        depths[id(node)] = depth
        return node

    def depth(self, node: ast.Expr) -> int:
        """How many levels are below ``node``."""
        return self._depths.get(id(node), 0)

    def binary(self, op: str, span: Span, left: ast.Expr, right: ast.Expr) -> ast.Expr:
        """``left op right``."""
        return self._measured(ast.Binary(op, left, right, span), left, right)

    def choice_(self, span: Span, condition: ast.Expr, yes: ast.Expr, no: ast.Expr) -> ast.Expr:
        return self._measured(ast.Choice(condition, yes, no, span), condition, yes, no)

    def not_(self, span: Span, operand: ast.Expr) -> ast.Expr:
        return self._measured(ast.Unary("!", operand, span), operand)

    def negate_(self, span: Span, operand: ast.Expr) -> ast.Expr:
        return self._measured(ast.Unary("-", operand, span), operand)

    def member_(self, span: Span, base: ast.Expr, name: int) -> ast.Expr:
        member = self._name(name)
        return self._measured(ast.Member(base, member, span), base) if member.text else ast.ErrorExpr(span)

    def index_(self, span: Span, base: ast.Expr, index: ast.Expr) -> ast.Expr:
        return self._measured(ast.Index(base, index, span), base, index)

    def group_(self, _: Span, inner: ast.Expr) -> ast.Expr:
        return inner

    def list_(self, span: Span, *items: ast.Expr) -> ast.Expr:
        return self._measured(ast.ListExpr(items, span), *items)

    def map_(self, span: Span, entries: tuple[ast.Assign, ...]) -> ast.Expr:
        return self._measured(ast.MapExpr(entries, span), *[entry.value for entry in entries])

    def call_(self, span: Span, name: int, *arguments: ast.Expr) -> ast.Expr:
        return self._measured(ast.Call(self._name(name), arguments, span), *arguments)

    def _plain(self, span: Span) -> ast.Str:
        end = span.end if span.start in self.lexed.unclosed else span.end - 1
        body = self.source.text[span.start + 1 : end]
        if "\\" not in body and "${" not in body:
            return ast.Str((body,) if body else (), span)
        return strings.string(self, span, end)

    def string_(self, span: Span, _: int) -> ast.Expr:
        return self._interpolating(self._plain(span))

    def text_(self, span: Span, _: int) -> ast.Expr:
        return self._interpolating(strings.text_block(self, span))

    def _interpolating(self, value: ast.Str) -> ast.Expr:
        expressions = [part for part in value.parts if not isinstance(part, str)]
        return self._measured(value, *expressions) if expressions else value

    def raw_(self, span: Span, _: int) -> ast.Str:
        return strings.raw_block(self, span)

    def interpolated(self, start: int, end: int) -> ast.Expr:
        """The expression of a ``${…}``, read at its own place."""
        expression, diagnostics, depth = self._parse_part(self.source, start, end, self._level + 1)
        self.diagnostics.extend(diagnostics)
        self._depths[id(expression)] = depth
        self._kept.append(expression)
        return expression

    def number_(self, span: Span, token: int) -> ast.Number:
        return ast.Number(self.lexed.text(token), span)

    def unit_(self, span: Span, token: int) -> ast.Unit:
        return ast.Unit(self.lexed.text(token), span)

    def true_(self, span: Span) -> ast.Bool:
        return ast.Bool(True, span)

    def false_(self, span: Span) -> ast.Bool:
        return ast.Bool(False, span)

    def reference_(self, span: Span, token: int) -> ast.Ref | ast.ErrorExpr:
        return ast.Ref(name, span) if (name := self._word(token)) else ast.ErrorExpr(span)

    def error_(self, span: Span, _: int) -> ast.ErrorExpr:
        return ast.ErrorExpr(span)


T = TypeVar("T")

OPERATORS = {
    "or": "||",
    "and": "&&",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "modulo": "%",
}


def _find(kind: type[T], parts: Iterable[object]) -> T | None:
    """The first of ``parts`` of a kind."""
    return next((part for part in parts if isinstance(part, kind)), None)


class Builder(ValueBuilder):
    """Builds the nodes of one text."""

    # --- declarations ---

    def file_(self, _: Span, *declarations: ast.Declaration) -> None:
        self.declarations = declarations if not self.repaired else tuple(filter(is_whole, declarations))

    def expression_(self, _: Span, value: ast.Expr) -> None:
        self.expression = value

    def values_(self, _: Span, *entries: ast.Assign) -> None:
        self.values = entries if not self.repaired else tuple(filter(is_whole, entries))

    def edition_(self, span: Span, number: int) -> ast.Edition:
        return ast.Edition(self.number_(self._token(number), number), span)

    def include_(self, span: Span, path: int) -> ast.Include:
        return ast.Include(self._plain(self._token(path)), span)

    def param_(self, span: Span, name: int, type_: ast.TypeRef, *rest: ast.Expr | tuple[ast.Assign, ...]) -> ast.Param:
        default = next((each for each in rest if not isinstance(each, tuple)), None)
        settings = next((each for each in rest if isinstance(each, tuple)), ())
        if not type_.name.text:
            type_ = ast.TypeRef(ast.Name(likely_type(default), type_.name.span), None, type_.span)
        return ast.Param(self._name(name), type_, default, settings, span)

    def type_(self, span: Span, name: int, of: ast.TypeRef | None = None) -> ast.TypeRef:
        return ast.TypeRef(self._name(name), of, span)

    def let_(self, span: Span, name: int, value: ast.Expr) -> ast.Let:
        return ast.Let(self._name(name), value, span)

    def template_(self, span: Span, name: int, body: tuple[ast.Item, ...]) -> ast.Template:
        return ast.Template(self._name(name), body, span)

    def profile_(self, span: Span, name: int, settings: tuple[ast.Assign, ...]) -> ast.Profile:
        return ast.Profile(self._name(name), settings, span)

    def job_(self, span: Span, name: ast.Name | ast.Str, *rest: ast.Condition | tuple[ast.Item, ...]) -> ast.Job:
        pattern: ast.Str | None = None
        if isinstance(name, ast.Str):
            pattern = name
            name = ast.Name(name.span.text.strip('"'), name.span, quoted=True)
        elif not name.text and name.span.text != '""':
            name = ast.Name(UNNAMED, name.span)
        condition, body = self._conditional(rest)
        return ast.Job(name, body, span, condition, pattern)

    def job_name_(self, span: Span, name: int) -> ast.Name | ast.Str:
        """A name, or the text that it is made of."""
        if self.lexed.types[name] == STRING and any(not isinstance(part, str) for part in self._plain(span).parts):
            return self._plain(span)
        return self._key(name)

    def flow_(self, span: Span, name: ast.Name | ast.Str, items: tuple[ast.Assign | ast.FlowRun, ...]) -> ast.Flow:
        if isinstance(name, ast.Str):
            computed = next(part for part in name.parts if not isinstance(part, str))
            self.diagnostics.append(rules.INTERPOLATED_NAME(computed.span))
            name = ast.Name(UNNAMED, name.span)
        elif not name.text and name.span.text != '""':
            name = ast.Name(UNNAMED, name.span)
        return ast.Flow(name, items, span)

    def flow_body_(self, _: Span, *items: ast.Assign | ast.FlowRun) -> tuple[ast.Assign | ast.FlowRun, ...]:
        return items if not self.repaired else tuple(filter(is_whole, items))

    def flow_run_(self, span: Span, job: ast.Expr, *rest: ast.Expr | ast.Name | ast.Condition) -> ast.FlowRun:
        values = [each for each in rest if not isinstance(each, ast.Name | ast.Condition)]
        before = values[0].items if values and isinstance(values[0], ast.ListExpr) else values
        after = tuple(map(_as_name, before))
        return ast.FlowRun(_as_name(job), after, _find(ast.Name, rest), span, _find(ast.Condition, rest))

    # --- blocks ---

    def body_(self, _: Span, *items: ast.Item) -> tuple[ast.Item, ...]:
        return items if not self.repaired else tuple(filter(is_whole, items))

    def settings_(self, _: Span, *entries: ast.Assign) -> tuple[ast.Assign, ...]:
        return entries if not self.repaired else tuple(filter(is_whole, entries))

    def entry_(self, span: Span, key: ast.Name, value: ast.Expr) -> ast.Assign:
        return ast.Assign(key, value, span)

    def condition_(self, span: Span, value: ast.Expr) -> ast.Condition:
        return ast.Condition(value, span)

    def _conditional(
        self, rest: tuple[ast.Condition | tuple[ast.Item, ...], ...]
    ) -> tuple[ast.Condition | None, tuple[ast.Item, ...]]:
        """The condition and the body of a block."""
        return _find(ast.Condition, rest), next((each for each in rest if isinstance(each, tuple)), ())

    def attribute_(self, span: Span, key: int, value: ast.Expr, condition: ast.Condition | None = None) -> ast.Assign:
        return ast.Assign(self._name(key), value, span, condition)

    def role_(self, span: Span, name: int, *rest: ast.Condition | tuple[ast.Item, ...]) -> ast.Role:
        condition, body = self._conditional(rest)
        return ast.Role(self._name(name), body, span, condition)

    def prepare_(self, span: Span, name: ast.Name, *rest: ast.Condition | tuple[ast.Item, ...]) -> ast.Step:
        condition, body = self._conditional(rest)
        return ast.Step("prepare", name, body, span, condition)

    def sidecar_(self, span: Span, name: ast.Name, *rest: ast.Condition | tuple[ast.Item, ...]) -> ast.Step:
        condition, body = self._conditional(rest)
        return ast.Step("sidecar", name, body, span, condition)

    def matrix_(self, span: Span, word: int, axes: tuple[ast.Assign, ...]) -> ast.Matrix:
        return ast.Matrix(self._token(word), axes, span)

    def target_(self, span: Span, name: int, body: tuple[ast.Item, ...]) -> ast.Target:
        return ast.Target(self._name(name), body, span)

    def cluster_(self, span: Span, word: int, settings: tuple[ast.Assign, ...]) -> ast.Cluster:
        return ast.Cluster(self._token(word), settings, span)

    def use_(self, span: Span, name: int, condition: ast.Condition | None = None) -> ast.Use:
        return ast.Use(self._name(name), span, condition)

    def mount_(
        self, span: Span, kind: int, *rest: ast.Expr | int | ast.Condition | tuple[ast.Assign, ...]
    ) -> ast.Mount:
        values = [each for each in rest if not isinstance(each, (int, ast.Condition, tuple))]
        word = _find(int, rest)
        readonly = None if word is None else self._token(word)
        condition = _find(ast.Condition, rest)
        options = next((each for each in rest if isinstance(each, tuple)), ())
        source = values[0] if len(values) == 2 else None
        return ast.Mount(self._name(kind), source, values[-1], readonly, options, span, condition)

    def output_(
        self,
        span: Span,
        source: ast.Expr,
        destination: ast.Expr,
        *rest: ast.Name | ast.Subject | ast.Condition | tuple[ast.Assign, ...],
    ) -> ast.Output:
        subject = _find(ast.Subject, rest)
        if subject is not None and not is_whole(subject):
            subject = None
        options = next((each for each in rest if isinstance(each, tuple)), ())
        when, condition = _find(ast.Name, rest), _find(ast.Condition, rest)
        return ast.Output(source, destination, when, subject, options, span, condition)

    def moment_(self, _: Span, name: int) -> ast.Name:
        return self._name(name)

    def subject_(self, span: Span, role: int, index: int | None = None) -> ast.Subject:
        return ast.Subject(self._name(role), None if index is None else self.number_(self._token(index), index), span)

    def policy_(self, span: Span, *parts: ast.Subject | ast.Event | ast.Expr | ast.Condition | ast.Name) -> ast.Policy:
        event = _find(ast.Event, parts)
        known = (ast.Subject, ast.Event, ast.Condition, ast.Name)
        delay = next((part for part in parts[:-1] if not isinstance(part, known)), None)
        action = parts[-1]
        assert event is not None
        assert isinstance(action, ast.Name)
        return ast.Policy(_find(ast.Subject, parts), event, delay, action, span, _find(ast.Condition, parts))

    def event_(self, span: Span, name: int) -> ast.Event:
        return ast.Event(self._name(name), None, None, span)

    def exit_event_(self, span: Span, word: int, codes: ast.CodeRange | ast.Expr) -> ast.Event:
        if not isinstance(codes, (ast.CodeRange, ast.ListExpr)):
            codes = ast.ListExpr((), codes.span)
        return ast.Event(self._name(word), codes, None, span)

    def restarted_event_(self, span: Span, word: int, count: int) -> ast.Event:
        return ast.Event(self._name(word), None, self.number_(self._token(count), count), span)

    def codes_(self, span: Span, first: int, last: int | None = None) -> ast.CodeRange:
        end = None if last is None else self.number_(self._token(last), last)
        return ast.CodeRange(self.number_(self._token(first), first), end, span)

    def action_(self, span: Span, *words: int) -> ast.Name:
        return ast.Name(" ".join(self.lexed.text(word) for word in words), span)

    def build_(self, span: Span, word: int, *items: ast.Assign | ast.Copy | ast.Run) -> ast.Build:
        return ast.Build(self._token(word), items if not self.repaired else tuple(filter(is_whole, items)), span)

    def copy_(self, span: Span, source: ast.Expr, destination: ast.Expr) -> ast.Copy:
        return ast.Copy(source, destination, span)

    def run_(self, span: Span, command: ast.Expr) -> ast.Run:
        return ast.Run(command, span)

    def unset_attribute_(self, span: Span, name: int, condition: ast.Condition | None = None) -> ast.UnsetAttribute:
        return ast.UnsetAttribute(self._name(name), None, span, condition)

    def unset_entry_(
        self, span: Span, name: int, key: ast.Expr, condition: ast.Condition | None = None
    ) -> ast.UnsetAttribute:
        return ast.UnsetAttribute(self._name(name), key, span, condition)

    def unset_mount_(self, span: Span, path: ast.Expr, condition: ast.Condition | None = None) -> ast.UnsetMount:
        return ast.UnsetMount(path, span, condition)

    def unset_output_(
        self, span: Span, source: ast.Expr, destination: ast.Expr, condition: ast.Condition | None = None
    ) -> ast.UnsetOutput:
        return ast.UnsetOutput(source, destination, span, condition)

    def unset_policy_(self, span: Span, *parts: ast.Subject | ast.Event | ast.Condition) -> ast.UnsetPolicy:
        event = _find(ast.Event, parts)
        assert event is not None
        return ast.UnsetPolicy(_find(ast.Subject, parts), event, span, _find(ast.Condition, parts))

    def restarted_any_(self, span: Span, word: int) -> ast.Event:
        return ast.Event(self._name(word), None, None, span)

    def unset_prepare_(self, span: Span, name: ast.Name, condition: ast.Condition | None = None) -> ast.UnsetStep:
        return ast.UnsetStep("prepare", name, span, condition)

    def unset_sidecar_(self, span: Span, name: ast.Name, condition: ast.Condition | None = None) -> ast.UnsetStep:
        return ast.UnsetStep("sidecar", name, span, condition)

    def set_(self, span: Span, *rest: int | ast.Expr | ast.Condition) -> ast.Patch:
        return self._patch("set", span, rest)

    def merge_(self, span: Span, *rest: int | ast.Expr | ast.Condition) -> ast.Patch:
        return self._patch("merge", span, rest)

    def remove_(self, span: Span, *rest: int | ast.Condition) -> ast.Patch:
        return self._patch("remove", span, rest)

    def _patch(
        self, op: Literal["set", "merge", "remove"], span: Span, rest: tuple[int | ast.Expr | ast.Condition, ...]
    ) -> ast.Patch:
        """A patch. The words ``pod``, before the path, and ``unchecked``, after the value, are optional."""
        pod: Span | None = None
        unchecked: Span | None = None
        path: Span | None = None
        value: ast.Expr | None = None
        condition: ast.Condition | None = None
        for each in rest:
            if isinstance(each, ast.Condition):
                condition = each
            elif not isinstance(each, int):
                value = each
            elif self.lexed.types[each] == STRING:
                path = self._token(each)
            elif path is None:
                pod = self._token(each)
            else:
                unchecked = self._token(each)
        assert path is not None
        return ast.Patch(op, pod, self._plain(path), value, unchecked, span, condition)


def _as_name(value: ast.Expr) -> ast.Name | ast.Expr:
    """The name of a job that was read as a value: ``train-large`` is no subtraction."""
    if isinstance(value, ast.Str) and value.form == "string" and len(value.parts) == 1:
        return ast.Name(part, value.span, quoted=True) if isinstance(part := value.parts[0], str) else value
    return ast.Name(value.span.text, value.span) if is_job_name(value.span.text) else value


def _binary(op: str) -> Build:
    def build(builder: Builder, span: Span, left: ast.Expr, right: ast.Expr) -> ast.Expr:
        return builder.binary(op, span, left, right)

    return build


def _no_node(*_: object) -> object:
    raise AssertionError("only rules that make a node have a builder")


def _of_rule(name: str, way: str) -> Build:
    if way != "node":
        return _no_node
    if name in OPERATORS:
        return _binary(OPERATORS[name])
    build: Build = getattr(Builder, f"{name}_")
    return build


# The function that builds the node of each rule, in the order of the table of rules.
BUILDERS = tuple(_of_rule(name, way) for _, _, name, way, _ in tables.RULES)
