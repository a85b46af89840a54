"""Params and lets: their values, from the command line, a profile or the default, and what bounds them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, name_rules, value_rules
from tfdsl.record import Record
from tfdsl.semantics import operators
from tfdsl.semantics.conform import conform
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.scope import Scope
from tfdsl.semantics.suggest import alias_table, closest, listing
from tfdsl.semantics.values import POISON, ListData, Poison, Value
from tfdsl.syntax import ast, parse_expression
from tfdsl.vocabulary.statements import PARAM_SETTINGS, PARAM_TYPES
from tfdsl.vocabulary.types import (
    BOOL,
    COUNT,
    DURATION,
    INT,
    NUMBER,
    STRING,
    ListType,
    MapType,
    StringType,
    Type,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tfdsl.semantics.project import Program
    from tfdsl.text import Source, Span

LARGEST_FILE = 1 << 20
"""Bytes that ``file()`` reads at most."""

_SIMPLE: dict[str, Type] = {
    "int": INT,
    "number": NUMBER,
    "string": STRING,
    "bool": BOOL,
    "quantity": COUNT,
    "duration": DURATION,
}
_TYPE_ALIASES = {
    "str": "string",
    "text": "string",
    "integer": "int",
    "float": "number",
    "boolean": "bool",
    "array": "list",
    "object": "map",
    "dict": "map",
    "memory": "quantity",
    "time": "duration",
}
_ORDERED = ("int", "number", "quantity", "duration")


class Given(Record):
    """A value for a param from outside: its text, or (``lines``) a list with one item a line."""

    name: str
    source: Source
    lines: bool = False


class Params:
    """Values of the params and lets of a program under one profile (the :class:`~tfdsl.semantics.scope.Globals`).

    ``used``: the names that some expression refers to.
    """

    def __init__(
        self, program: Program, profile: str | None, given: Iterable[Given], report: Callable[[Diagnostic], None]
    ) -> None:
        self.program = program
        self.report = report
        self.scope = Scope(self, report)
        self.given: dict[str, Given] = {}
        self.profile: dict[str, ast.Assign] = {}
        self.used: set[str] = set()
        self._values: dict[str, Value] = {}
        self._busy: list[str] = []
        self._files: dict[str, str | None] = {}
        for one in given:
            self._take(one)
        self._take_profile(profile)

    def names(self) -> Iterable[str]:
        """All params and lets."""
        return (*self.program.params, *self.program.lets)

    def lookup(self, name: str) -> Value | None:
        """Value of a param or let, poison when it is wrong, ``None`` when there is none of that name."""
        self.used.add(name)
        return self._value(name)

    def _value(self, name: str) -> Value | None:
        value = self._values.get(name)
        if value is not None:
            return value
        let, param = self.program.lets.get(name), self.program.params.get(name)
        if let is None and param is None:
            return None
        if name in self._busy:
            return Value(POISON, (let or param).name.span)  # type: ignore[union-attr]  # one of them is there  # pyright: ignore
        self._busy.append(name)
        value = self._let(let) if let is not None else self._param(param)  # type: ignore[arg-type]  # pyright: ignore
        self._busy.pop()
        self._values[name] = value
        return value

    def check_all(self) -> None:
        """Evaluate everything, used or not, and look for cycles.

        What a definition uses is evaluated before it, so a long chain of lets does not nest.
        """
        for name in self._ordered():
            self._value(name)
        self._check_profiles()

    def read_file(self, path: str, at: Span) -> str | Diagnostic:
        """Text of a file named relative to the source of ``at``."""
        import posixpath

        if posixpath.isabs(path) or path.startswith("~") or "\0" in path or not path:
            return value_rules.FILE_PROBLEM(at, path=path or '""', reason="a path is relative to the source")
        if at.source.origin is None:
            return value_rules.FILE_PROBLEM(at, path=path, reason="the source is in no folder")
        full = posixpath.normpath(posixpath.join(posixpath.dirname(at.source.origin), path))
        read = self.program.read(full)
        if isinstance(read, str):
            return value_rules.FILE_PROBLEM(at, path=path, reason=read)
        if len(read.text.encode("utf-8", "surrogatepass")) > LARGEST_FILE:
            return value_rules.FILE_PROBLEM(at, path=path, reason="it is larger than 1 MiB")
        return read.text

    # --- where values come from ---

    def _take(self, one: Given) -> None:
        from tfdsl.text import Span

        if one.name in self.program.params:
            self.given[one.name] = one
            return
        span = Span(one.source, 0, len(one.source.text))
        self.report(_unknown_param(one.name, span, self.program.params))

    def _take_profile(self, profile: str | None) -> None:
        if profile is None:
            return
        if profile not in self.program.profiles:
            self.report(_unknown_profile(profile, self.program.profiles))
        for declaration in self.program.profiles.get(profile, ()):
            for setting in declaration.settings:
                self.profile.setdefault(setting.key.text, setting)

    def _let(self, let: ast.Let) -> Value:
        return evaluate(let.value, self.scope)

    def _param(self, param: ast.Param) -> Value:
        name = param.name.text
        to = read_type(param.type, self.report)
        given = self.given.get(name)
        if given is not None:
            value = self._given(given, to)
        elif name in self.profile:
            value = evaluate(self.profile[name].value, self.scope)
        elif param.default is not None:
            value = evaluate(param.default, self.scope)
        else:
            self.report(
                name_rules.MISSING_PARAM(param.name.span, name=name).help(
                    f"give it with --set {name}=… or in a profile"
                )
            )
            value = Value(POISON, param.name.span)
        value = conform(value, to, f"param {name}", self.report) if to is not None else Value(POISON, value.span)
        return self._bounded(param, value, to)

    def _given(self, given: Given, to: Type | None) -> Value:
        from tfdsl.text import Span

        whole = Span(given.source, 0, len(given.source.text))
        if given.lines:
            lines = [line.strip() for line in given.source.text.splitlines()]
            return Value(ListData(tuple(Value(line, whole) for line in lines if line)), whole)
        if isinstance(to, StringType):
            return Value(given.source.text, whole)
        expr, found = parse_expression(given.source)
        for diagnostic in found:
            self.report(diagnostic)
        if found:
            return Value(POISON, whole)
        return evaluate(expr, self.scope)

    # --- what bounds them ---

    def _bounded(self, param: ast.Param, value: Value, to: Type | None) -> Value:
        seen: dict[str, ast.Name] = {}
        for setting in param.settings:
            key = setting.key.text
            if key in seen:
                self.report(name_rules.DUPLICATE_KEY(setting.key.span, name=key).note(seen[key].span, "first set here"))
                continue
            seen[key] = setting.key
            if self._setting_fits(param, setting) and not self._holds(param, setting, value, to):
                value = Value(POISON, value.span)
        return value

    def _setting_fits(self, param: ast.Param, setting: ast.Assign) -> bool:
        key, kind = setting.key, param.type.name.text
        if key.text not in (row.name for row in PARAM_SETTINGS):
            near = closest(
                key.text,
                [row.name for row in PARAM_SETTINGS],
                alias_table((row.name, row.aliases) for row in PARAM_SETTINGS),
            )
            found = name_rules.UNKNOWN_SETTING(key.span, where="a param", name=key.text)
            self.report(found.help(f"did you mean {near}?").replacing(f"write {near}", near) if near else found)
            return False
        if (key.text in ("min", "max") and kind not in _ORDERED) or (key.text == "pattern" and kind != "string"):
            self.report(name_rules.SETTING_HERE(key.span, name=key.text, type=kind))
            return False
        return True

    def _holds(self, param: ast.Param, setting: ast.Assign, value: Value, to: Type | None) -> bool:
        """Whether ``value`` keeps within ``setting``; the setting itself is checked whatever the value is."""
        key, name = setting.key.text, param.name.text
        limit = evaluate(setting.value, self.scope)
        what = f"{key} of param {name}"
        if key in ("description", "pattern"):
            limit = conform(limit, STRING, what, self.report)
            return key == "description" or self._matches(name, limit, value)
        if to is None:
            return True
        limit = conform(limit, ListType(to) if key == "one_of" else to, what, self.report)
        if isinstance(limit.data, Poison) or isinstance(value.data, Poison):
            return True
        if key == "one_of":
            choices = limit.data.items if isinstance(limit.data, ListData) else ()
            if any(operators.binary("==", value.data, choice.data, value.span) is True for choice in choices):
                return True
            expected = listing(_shown(choice) for choice in choices)
        else:
            op = ">=" if key == "min" else "<="
            if operators.binary(op, value.data, limit.data, value.span) is not False:
                return True
            expected = f"at {'least' if key == 'min' else 'most'} {_shown(limit)}"
        found = value_rules.PARAM_RANGE(value.span, name=name, expected=expected, given=_shown(value))
        self.report(found.note(setting.span, "set here"))
        return False

    def _matches(self, name: str, pattern: Value, value: Value) -> bool:
        if not isinstance(pattern.data, str):
            return True
        try:
            compiled = re.compile(pattern.data)
        except (re.error, OverflowError, RecursionError) as problem:
            self.report(value_rules.BAD_PATTERN(pattern.span, reason=problem))
            return True
        if isinstance(value.data, str) and compiled.fullmatch(value.data) is None:
            found = value_rules.PATTERN(value.span, given=f'"{value.data}"', pattern=pattern.data, what=f"param {name}")
            self.report(found.note(pattern.span, "set here"))
            return False
        return True

    # --- cycles, profiles ---

    def _ordered(self) -> list[str]:
        """All names, each after what it uses.

        A cycle is reported once, at the reference that closes it in file order, and its members are poisoned.
        """
        uses = {name: _references(expr, self.names()) for name, expr in self._definitions()}
        done: set[str] = set()
        order: list[str] = []
        for start in uses:
            self._walk(start, uses, done, order)
        return order

    def _walk(self, start: str, uses: dict[str, list[ast.Ref]], done: set[str], order: list[str]) -> None:
        path: list[tuple[str, list[ast.Ref]]] = [(start, list(uses[start]))] if start not in done else []
        on_path = {start}
        done.add(start)
        while path:
            name, rest = path[-1]
            if not rest:
                path.pop()
                on_path.discard(name)
                order.append(name)
                continue
            ref = rest.pop(0)
            if ref.name in on_path:
                self._report_cycle([step for step, _ in path], ref)
            elif ref.name not in done:
                done.add(ref.name)
                on_path.add(ref.name)
                path.append((ref.name, list(uses[ref.name])))

    def _report_cycle(self, path: list[str], ref: ast.Ref) -> None:
        cycle = path[path.index(ref.name) :]
        way = " → ".join((*cycle, ref.name))
        self.report(name_rules.NAME_CYCLE(ref.span, name=ref.name).help(f"the way around: {way}"))
        for name in cycle:
            self._values[name] = Value(POISON, ref.span)

    def _definitions(self) -> Iterable[tuple[str, ast.Expr]]:
        for name, param in self.program.params.items():
            value = self.profile[name].value if name in self.profile else param.default
            if name not in self.given and value is not None:
                yield name, value
            else:
                yield name, ast.Bool(True, param.span)
        yield from ((name, let.value) for name, let in self.program.lets.items())

    def _check_profiles(self) -> None:
        for name, parts in self.program.profiles.items():
            seen: dict[str, ast.Name] = {}
            for setting in (setting for part in parts for setting in part.settings):
                key = setting.key
                param = self.program.params.get(key.text)
                if param is None:
                    self.report(_unknown_param(key.text, key.span, self.program.params))
                elif key.text in seen:
                    found = name_rules.DUPLICATE_KEY(key.span, name=f"{key.text} of profile {name}")
                    self.report(found.note(seen[key.text].span, "first set here"))
                elif self.profile.get(key.text) is not setting or key.text in self.given:
                    self._check_setting(param, setting)
                seen.setdefault(key.text, key)

    def _check_setting(self, param: ast.Param, setting: ast.Assign) -> None:
        to = read_type(param.type, lambda diagnostic: None)
        value = evaluate(setting.value, self.scope)
        if to is not None:
            value = conform(value, to, f"param {param.name.text}", self.report)
            quiet = [setting for setting in param.settings if setting.key.text in ("min", "max", "one_of", "pattern")]
            for bound in quiet:
                self._holds(param, bound, value, to)


def _references(expr: ast.Expr, names: Iterable[str]) -> list[ast.Ref]:
    """The references in ``expr`` to any of ``names``, in text order, found without recursion."""
    known = set(names)
    found: list[ast.Ref] = []
    todo: list[object] = [expr]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Ref):
            if node.name in known:
                found.append(node)
        elif isinstance(node, tuple):
            todo.extend(reversed(node))  # pyright: ignore[reportUnknownArgumentType]  (children of any kind)
        elif isinstance(node, Record) and not isinstance(node, ast.Name):
            todo.extend(getattr(node, field) for field in reversed(type(node).__fields__) if field != "span")
    return sorted(found, key=lambda ref: ref.span.start)


def _unknown_param(name: str, span: Span, params: Iterable[str]) -> Diagnostic:
    found = name_rules.UNKNOWN_PARAM(span, name=name)
    near = closest(name, params)
    if near is not None:
        return found.help(f"did you mean {near}?")
    params = list(params)
    return found.help(f"there are {listing(params)}" if params else "the file has no params")


def _unknown_profile(profile: str, profiles: Iterable[str]) -> Diagnostic:
    from tfdsl.text import Source, Span

    profiles = list(profiles)
    found = name_rules.UNKNOWN_PROFILE(Span(Source("--profile", profile), 0, len(profile)), name=profile)
    near = closest(profile, profiles)
    if near is not None:
        return found.help(f"did you mean {near}?")
    return found.help(f"there are {listing(profiles)}" if profiles else "the file has no profiles")


def _shown(value: Value) -> str:
    from tfdsl.semantics.values import kind_of, show

    if isinstance(value.data, str):
        return f'"{value.data}"'
    return show(value.data) or f"a {kind_of(value.data)}"


def read_type(ref: ast.TypeRef, report: Callable[[Diagnostic], None]) -> Type | None:
    """The type that ``ref`` names; ``None``, with a report, when there is none."""
    name = ref.name.text
    if name in ("list", "map"):
        if ref.of is None:
            report(name_rules.TYPE_ARGUMENT(ref.span, name=name, problem=f"needs a type: {name}<string>"))
            return None
        of = read_type(ref.of, report)
        return None if of is None else ListType(of) if name == "list" else MapType(of)
    if name not in _SIMPLE:
        found = name_rules.UNKNOWN_TYPE(ref.name.span, name=name)
        near = closest(name, PARAM_TYPES, _TYPE_ALIASES)
        if near is not None:
            report(found.help(f"did you mean {near}?").replacing(f"write {near}", near))
        else:
            report(found.help(f"types are {listing(PARAM_TYPES)}"))
        return None
    if ref.of is not None:
        report(name_rules.TYPE_ARGUMENT(ref.span, name=name, problem="takes no type in < >"))
    return _SIMPLE[name]
