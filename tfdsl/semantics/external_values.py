"""Values from outside the file: ``--set K=V`` and ``-O TARGET.K=V``, ``K=@FILE``, and values of a Python program."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from tfdsl.diagnostics import Diagnostic, name_rules, syntax_rules, value_rules
from tfdsl.patterns import regex
from tfdsl.record import replace
from tfdsl.semantics import operators
from tfdsl.semantics.evaluate import evaluate
from tfdsl.semantics.scope import Scope
from tfdsl.semantics.values import POISON, Value, list_data
from tfdsl.syntax import ast, parse_expression
from tfdsl.text import Source, Span
from tfdsl.vocabulary.types import DurationType, ListType, MapType, QuantityType, StringType, Type, a_value

# Words that other commands accept as a list, and that are not an expression: with a comma, or not only names.
BARE_WORDS = r"\s*(?![A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\s*\Z)[^\s\"'\[\](){}?]+\s*\Z"


Form: TypeAlias = Literal["text", "lines", "literal"]
"""How the text of a value is read: as ``--set`` takes it, as a list with one item a line, or as a literal."""
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
        items = operators.bounded(list_data(tuple(evaluate(one, scope) for one in parsed)), whole(source))
        if isinstance(items, Diagnostic):
            scope.report(_too_many(source))
        return Value(POISON if isinstance(items, Diagnostic) else items, whole(source))
    return evaluate(parsed[0], scope)
