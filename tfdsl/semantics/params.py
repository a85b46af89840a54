"""Params and lets: their values, from the command line, a file of values, a profile or the default."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from tfdsl.diagnostics import Diagnostic, Report, name_rules, repeated, syntax_rules, value_rules
from tfdsl.diagnostics.suggest import alias_table, closest, enumeration, meant
from tfdsl.patterns import regex
from tfdsl.record import replace
from tfdsl.semantics import operators
from tfdsl.semantics.bounds import DEFAULT, Bounds
from tfdsl.semantics.conform import conform
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.project import Program
from tfdsl.semantics.request import Form, Given
from tfdsl.semantics.scope import Globals, Scope, in_order, references
from tfdsl.semantics.values import POISON, Value, list_data
from tfdsl.syntax import ast, parse_expression
from tfdsl.text import Source, Span
from tfdsl.vocabulary.statements import PARAM_TYPES
from tfdsl.vocabulary.types import (
    BOOL,
    COUNT,
    DURATION,
    INT,
    NUMBER,
    STRING,
    DurationType,
    ListType,
    MapType,
    QuantityType,
    StringType,
    Type,
    a_value,
)

# --- values from outside the file: --set K=V, -O TARGET.K=V, K=@FILE, and those of a Python program --------------


# Words that other commands accept as a list, and that are not an expression: with a comma, or not only names.
BARE_WORDS = r"\s*(?![A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\s*\Z)[^\s\"'\[\](){}?]+\s*\Z"


_NUMBER = r"[0-9]+(?:\.[0-9]+)?"
_AMOUNT = regex(rf"{_NUMBER}(?:[A-Za-z]+(?:{_NUMBER}[A-Za-z]+)*)?")


def whole(source: Source) -> Span:
    """The span of the whole value."""
    return Span(source, 0, len(source.text))


def is_raw(to: Type | None) -> bool:
    """Whether a value of type ``to`` is literal text; all others are expressions."""
    return to is None or isinstance(to, StringType)


def expressions(source: Source, form: Form, to: Type | None, scope: Scope) -> tuple[ast.Expr, ...] | None:
    """The value parsed: one expression, or one per line; ``None``, with a report, when it cannot be read.

    A text is a string literal without any syntax of its own. Empty lines are skipped. In a literal a string is read as
    the quantity or duration that ``to`` asks for in its place.
    """
    if form == "literal":
        literal = _parsed(source, scope)
        return None if literal is None else (_amounts(literal[0], to),)
    if form == "text":
        if is_raw(to):
            return (_literal(whole(source)),)
        return None if _is_bare_list(source, to, scope) else _parsed(source, scope)
    if sum(map(bool, map(str.strip, source.text.split("\n")))) > operators.LONGEST_LIST:
        scope.report(_too_many(source))
        return None
    of = to.of if isinstance(to, ListType) else None
    parsed: list[ast.Expr] = []
    start = 0
    for line in source.text.split("\n"):
        text = line.strip()
        at = start + line.find(text)
        start += len(line) + 1
        if not text:
            continue
        if is_raw(of):
            parsed.append(_literal(Span(source, at, at + len(text))))
        else:
            one = _parsed(source, scope, at, at + len(text))
            if one is None:
                return None
            parsed.extend(one)
    return tuple(parsed)


def _amounts(expression: ast.Expr, to: Type | None) -> ast.Expr:
    """``expression`` with strings read as amounts where ``to`` requires one."""
    if isinstance(expression, ast.ListExpr) and isinstance(to, ListType):
        return replace(expression, items=tuple(_amounts(item, to.of) for item in expression.items))
    if isinstance(expression, ast.MapExpr) and isinstance(to, MapType):
        entries = (replace(entry, value=_amounts(entry.value, to.of)) for entry in expression.entries)
        return replace(expression, entries=tuple(entries))
    if not isinstance(expression, ast.Str) or not isinstance(to, QuantityType | DurationType):
        return expression
    text = expression.parts[0] if len(expression.parts) == 1 else None
    if not isinstance(text, str) or not _AMOUNT.fullmatch(text):
        return expression
    kind = ast.Unit if text[-1].isalpha() else ast.Number
    return kind(text, expression.span)


def _too_many(source: Source) -> Diagnostic:
    """Reported at the beginning of the file, because showing all its lines does not help."""
    reason = f"a list can have at most {operators.LONGEST_LIST:,} elements, fewer if they are long"
    return value_rules.TOO_LARGE(Span(source, 0, 0), reason=reason)


def _literal(span: Span) -> ast.Str:
    text = span.text
    return ast.Str((text,) if text else (), span)


def _is_bare_list(source: Source, to: Type | None, scope: Scope) -> bool:
    """Whether the value is a list without brackets and quotes, which is reported."""
    if to is None or not isinstance(to, ListType) or not is_raw(to.of) or not re.match(BARE_WORDS, source.text):
        return False
    diagnostic = name_rules.WRONG_TYPE(whole(source), what=source.path, expected=a_value(to), given="bare words")
    words = ", ".join(f'"{word}"' for word in source.text.strip().split(",") if word)
    scope.report(diagnostic.replacing(f"write [{words}]", f"[{words}]"))
    return True


def _parsed(source: Source, scope: Scope, start: int = 0, end: int | None = None) -> tuple[ast.Expr] | None:
    if not source.text[start:end].strip():
        scope.report(syntax_rules.MISSING_VALUE(whole(source), key=source.path))
        return None
    expression, diagnostics = parse_expression(source, start, end)
    for diagnostic in diagnostics:
        scope.report(diagnostic)
    return None if diagnostics else (expression,)


def value_of(parsed: tuple[ast.Expr, ...] | None, source: Source, form: Form, scope: Scope) -> Value:
    """The value of what :func:`expressions` returned."""
    if parsed is None:
        return Value(POISON, whole(source))
    if form == "lines":
        items = operators.bounded(list_data(tuple(evaluate(expression, scope) for expression in parsed)), whole(source))
        if isinstance(items, Diagnostic):
            scope.report(_too_many(source))
        return Value(POISON if isinstance(items, Diagnostic) else items, whole(source))
    return evaluate(parsed[0], scope)


# --- types -------------------------------------------------------------------------------------------------------


DEEPEST_TYPE = 8
"""The most levels of ``list<…>`` and ``map<…>`` in one type."""

_SIMPLE: dict[str, Type] = {
    "int": INT,
    "number": NUMBER,
    "string": STRING,
    "bool": BOOL,
    "quantity": COUNT,
    "duration": DURATION,
}
_ALIASES = alias_table(
    [
        ("string", ("str", "text")),
        ("int", ("integer",)),
        ("number", ("float", "double")),
        ("bool", ("boolean",)),
        ("list", ("array",)),
        ("map", ("object", "dict")),
        ("quantity", ("memory",)),
        ("duration", ("time",)),
    ],
    [("string", ("path", "secureString")), ("list", ("set", "tuple")), ("quantity", ("size", "bytes"))],
)
"""What other languages call the types."""


def read_type(ref: ast.TypeRef, report: Report) -> Type | None:
    """The type that ``ref`` names; ``None``, with a report, when it does not exist."""
    around: list[ast.TypeRef] = []
    inner: ast.TypeRef | None = ref
    while inner is not None and inner.name.text in ("list", "map"):
        around.append(inner)
        inner = inner.of
    if len(around) > DEEPEST_TYPE:
        problem = f"can be nested at most {DEEPEST_TYPE} deep"
        report(name_rules.TYPE_ARGUMENT(around[DEEPEST_TYPE].name.span, name="a type", problem=problem))
        return None
    if inner is None:
        last = around[-1]
        problem = f"needs a type: {last.name.text}<string>"
        report(name_rules.TYPE_ARGUMENT(last.span, name=last.name.text, problem=problem))
        return None
    result = _simple(inner, report)
    for outer in reversed(around):
        result = None if result is None else ListType(result) if outer.name.text == "list" else MapType(result)
    return result


def _simple(ref: ast.TypeRef, report: Report) -> Type | None:
    name = ref.name.text
    if not name:
        return None  # it is missing, which has been reported
    if name not in _SIMPLE:
        diagnostic = name_rules.UNKNOWN_TYPE(ref.name.span, name=name)
        report(meant(diagnostic, name, PARAM_TYPES, _ALIASES, f"types are {enumeration(PARAM_TYPES)}"))
        return None
    if ref.of is not None:
        report(name_rules.TYPE_ARGUMENT(ref.span, name=name, problem="cannot have a type in < >"))
        return None
    return _SIMPLE[name]


# --- params ------------------------------------------------------------------------------------------------------


class Params(Globals):
    """Values of the params and lets of a program under one profile.

    ``given``: single values from outside, which win. ``values``: files of values, the later ones over the earlier ones
    and all over the profile. ``scale``: role → replicas that it has whatever the text says.
    """

    def __init__(
        self,
        program: Program,
        profile: str | None,
        given: Iterable[Given],
        report: Report,
        values: Iterable[Source] = (),
        scale: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(program)
        self.scale = scale or {}
        self.report = report
        self.scope = Scope(self, report)
        self.types: dict[str, Type | None] = {
            name: read_type(param.type, report) for name, param in program.params.items()
        }
        self._given: dict[str, tuple[Given, tuple[ast.Expr, ...] | None]] = {}
        self._profile: dict[str, ast.Assign] = {}
        self._file: dict[str, ast.Assign] = {}
        self._overridden: list[ast.Assign] = []
        self._bounds: dict[str, Bounds] = {}
        for one in given:
            self._take(one)
        for source in values:
            self._take_file(source)
        self._take_profile(profile)
        self._evaluate_all()

    # --- where values come from ---

    def _take(self, given: Given) -> None:
        if given.name not in self.program.params:
            self.report(self._unknown_param(given.name, whole(given.source)))
            return
        self._given[given.name] = (given, expressions(given.source, given.form, self.types[given.name], self.scope))

    def _take_file(self, source: Source) -> None:
        from tfdsl.syntax.parser import parse_values

        entries, diagnostics = parse_values(source)
        for diagnostic in diagnostics:
            self.report(diagnostic)
        for entry in self._for_params(entries, source.path):
            name = entry.key.text
            self._overridden += [self._file[name]] if name in self._file else []
            self._file[name] = entry

    def _for_params(self, entries: Iterable[ast.Assign], of: str) -> Iterator[ast.Assign]:
        """Those of ``entries`` that set a param for the first time; what is wrong with the others is reported."""
        seen: dict[str, ast.Name] = {}
        for entry in entries:
            name = entry.key
            if name.text not in self.program.params:
                self.report(self._unknown_param(name.text, name.span))
            elif name.text in seen:
                again = name_rules.DUPLICATE_KEY(name.span, name=f"{name.text} of {of}")
                self.report(repeated(again, seen[name.text].span, "set"))
            else:
                seen[name.text] = name
                yield entry

    def _take_profile(self, profile: str | None) -> None:
        if profile is None:
            return
        if profile not in self.program.profiles:
            self.report(_unknown_profile(profile, self.program.profiles))
        for declaration in self.program.profiles.get(profile, ()):
            for setting in declaration.settings:
                self._profile.setdefault(setting.key.text, setting)

    def _evaluate_all(self) -> None:
        """Evaluate everything, used or not.

        What a definition uses is evaluated before it, so a long chain of lets does not recurse. A name that is cut to
        end a cycle is poison for the others, but still evaluated to report what else is wrong with it.
        """
        definitions = self._definitions()
        uses = {name: references(values, definitions) for name, values in definitions.items()}
        order, cut = in_order(uses, name_rules.NAME_CYCLE, self.report)
        self.values |= {name: Value(POISON, self._name(name).span) for name in cut}
        for name in order:
            value = self._value(name)
            if name not in cut:
                self.values[name] = value
        for param in self.program.params.values():
            if param.default is not None and self._chosen(param) is not param.default:
                self._check(param, param.default)
        for name, entry in self._file.items():
            self._overridden += [entry] if name in self._given else []
        for entry in self._overridden:
            self._check(self.program.params[entry.key.text], entry.value)
        self._check_profiles()

    def _definitions(self) -> dict[str, tuple[ast.Expr, ...]]:
        """Name → the expressions that define it, in file order."""
        definitions: dict[str, tuple[ast.Expr, ...]] = {}
        for name, param in self.program.params.items():
            chosen = self._chosen(param)
            values = (self._given[name][1] or ()) if name in self._given else () if chosen is None else (chosen,)
            definitions[name] = (*values, *(setting.value for setting in param.settings))
        definitions |= {name: (let.value,) for name, let in self.program.lets.items()}
        place = {file.source.path: at for at, file in enumerate(self.program.files)}

        def position(name: str) -> tuple[int, int]:
            span = self._name(name).span
            return place[span.source.path], span.start

        return {name: definitions[name] for name in sorted(definitions, key=position)}

    def _name(self, name: str) -> ast.Name:
        let = self.program.lets.get(name)
        return let.name if let is not None else self.program.params[name].name

    def _chosen(self, param: ast.Param) -> ast.Expr | None:
        """The expression in the file that sets ``param``, if there is one."""
        name = param.name.text
        if name in self._given:
            return None
        entry = self._file.get(name) or self._profile.get(name)
        return param.default if entry is None else entry.value

    def _value(self, name: str) -> Value:
        let = self.program.lets.get(name)
        if let is not None:
            return evaluate(let.value, self.scope)
        param = self.program.params[name]
        chosen = self._chosen(param)
        if name in self._given:
            given, parsed = self._given[name]
            value = value_of(parsed, given.source, given.form, self.scope)
        elif chosen is not None:
            value = evaluate(chosen, self.scope)
        elif any(setting.key.text == DEFAULT for setting in param.settings):
            value = Value(POISON, param.name.span)  # it has one, in the wrong place, which is reported
        else:
            if self.program.jobs or self.program.syntax_errors:  # else it is for the files that include this one
                diagnostic = name_rules.MISSING_PARAM(param.name.span, name=name)
                self.report(diagnostic.help(f"set it with --set {name}=… or in a profile"))
            value = Value(POISON, param.name.span)
        return self._typed(param, value)

    def _typed(self, param: ast.Param, value: Value) -> Value:
        to = self.types[param.name.text]
        typed = Value(POISON, value.span) if to is None else conform(value, to, f"param {param.name.text}", self.report)
        bounds = self._bounds.get(param.name.text)
        if bounds is None:
            bounds = self._bounds[param.name.text] = Bounds(param, to, self.scope)
        return bounds.keep(typed)

    def _check(self, param: ast.Param, expression: ast.Expr) -> None:
        """Check a value that is not used this time."""
        self._typed(param, evaluate(expression, self.scope))

    def _check_profiles(self) -> None:
        for name, parts in self.program.profiles.items():
            settings = (setting for part in parts for setting in part.settings)
            for setting in self._for_params(settings, f"profile {name}"):
                param = self.program.params[setting.key.text]
                if self._chosen(param) is not setting.value:
                    self._check(param, setting.value)

    def _unknown_param(self, name: str, span: Span) -> Diagnostic:
        diagnostic = name_rules.UNKNOWN_PARAM(span, name=name)
        params = self.program.params
        near = self.closest(name, params)
        if near is not None:
            return diagnostic.help(f"did you mean {near}?")
        return diagnostic.help(f"params are {enumeration(params)}" if params else "the file has no params")


def _unknown_profile(profile: str, profiles: Iterable[str]) -> Diagnostic:
    profiles = list(profiles)
    diagnostic = name_rules.UNKNOWN_PROFILE(Span(Source("--profile", profile), 0, len(profile)), name=profile)
    near = closest(profile, profiles)
    if near is not None:
        return diagnostic.help(f"did you mean {near}?")
    return diagnostic.help(f"profiles are {enumeration(profiles)}" if profiles else "the file has no profiles")
