"""Expressions to values.

An error is reported once, at the operand that causes it, and the result is poison; whatever is computed from poison is
poison, without another report. Chains of operators are evaluated without recursion and nesting is bounded, so that no
text can overflow the stack.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tfdsl import targets
from tfdsl.diagnostics import Diagnostic, Edit, name_rules, repeated, value_rules
from tfdsl.diagnostics.suggest import closest, enumeration, is_sure, proposing
from tfdsl.patterns import regex
from tfdsl.record import replace
from tfdsl.semantics import operators
from tfdsl.semantics.scope import JobNames, Pending, Scope
from tfdsl.semantics.values import (
    CONTAINERS,
    ELEMENT,
    POISON,
    Data,
    Entry,
    ListData,
    MapData,
    Poison,
    RunTime,
    RunTimeText,
    Value,
    a_kind,
    is_number,
    joined,
    kind_of,
    list_data,
    map_data,
    show,
)
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary import attributes, foreign
from tfdsl.vocabulary.quantities import UNITS, nearest_unit, parse_unit
from tfdsl.vocabulary.statements import INDEX, RESERVED_NAMES
from tfdsl.vocabulary.types import (
    BoolType,
    IntType,
    KeysType,
    ListType,
    ReferenceType,
    StringType,
    Type,
    UnionType,
    a_value,
)

DEEPEST = 150
"""The most levels of nesting in an expression."""


def evaluate(expr: ast.Expr, scope: Scope, depth: int = 0) -> Value:
    """The value of ``expr``; its span is that of ``expr``."""
    if depth > DEEPEST:
        scope.report(value_rules.TOO_LARGE(expr.span, reason=f"expressions can be nested at most {DEEPEST} deep"))
        return Value(POISON, expr.span)
    if scope.globals.exhausted:
        return Value(POISON, expr.span)
    result = _EVALUATORS[type(expr)](expr, scope, depth + 1)
    if isinstance(result, Diagnostic):
        scope.report(result)
        result = POISON
    return Value(result, expr.span)


def evaluate_as(expr: ast.Expr, to: Type | None, scope: Scope) -> Value:
    """The value of ``expr`` in a place of type ``to``, which decides what is meant by a word that is not defined."""
    return evaluate(expr, replace(scope, wanted=to) if isinstance(expr, ast.Ref | ast.Binary) else scope)


def _string(expr: ast.Str, scope: Scope, depth: int) -> Data | Diagnostic:
    parts = expr.parts
    if not parts:
        return ""
    if len(parts) == 1 and isinstance(parts[0], str):
        return parts[0]
    pieces: list[str | RunTime | RunTimeText] = []
    poisoned = False
    length = 0
    for part in parts:
        piece = part if isinstance(part, str) else _interpolated(part, scope, depth)
        if isinstance(piece, Poison):
            poisoned = True
            continue
        length += len(piece) if isinstance(piece, str) else 0
        if length <= operators.LONGEST_TEXT:
            pieces.append(piece)
    if poisoned:
        return POISON
    if length > operators.LONGEST_TEXT:
        return operators.text_too_long(expr.span)
    return _kept(joined(*pieces), expr.span, scope)


def _kept(data: Data | Diagnostic, span: Span, scope: Scope) -> Data | Diagnostic:
    """``data`` if it is within bounds; the work to create it is accounted for."""
    if isinstance(data, Diagnostic):
        return data
    result = operators.bounded(data, span)
    return result if isinstance(result, Diagnostic) or spent(data, scope) else operators.exhausted(span)


def spent(data: Data, scope: Scope) -> bool:
    """Account for handling ``data``; false when that is too much for one program."""
    if isinstance(data, str):
        return scope.globals.spend(1 + len(data) // 128)
    if isinstance(data, CONTAINERS):
        return scope.globals.spend(1 + data.weight // ELEMENT)
    return True


def _interpolated(expr: ast.Expr, scope: Scope, depth: int) -> str | RunTime | RunTimeText | Poison:
    run_time = _run_time(expr, scope)
    if run_time is not None:
        return run_time
    value = evaluate(expr, scope, depth)
    if isinstance(value.data, Poison | RunTimeText):
        return value.data
    text = show(value.data)
    if text is None:
        diagnostic = name_rules.NOT_IN_TEXT(expr.span, given=a_kind(value.data))
        scope.report(diagnostic.help("use join() for a list") if isinstance(value.data, ListData) else diagnostic)
        return POISON
    return text


def _run_time(expr: ast.Expr, scope: Scope) -> RunTime | Poison | None:
    """``task.index``, ``env.NAME``, ``job.user`` or ``flow.run`` alone, else ``None``."""
    if not isinstance(expr, ast.Member) or not isinstance(expr.base, ast.Ref):
        return None
    base, member = expr.base.name, expr.name.text
    if not _is_run_time(base, member, scope):
        return None
    if scope.job is None:
        scope.report(name_rules.NOT_IN_JOB(expr.span, name=f"{base}.{member}"))
        return POISON
    if base == "env":
        return RunTime("env", member)
    if base == "job":
        if scope.job.knows_submitter(expr.span):
            return RunTime("job.user")
        known = enumeration(target.name for target in targets.every() if target.knows_submitter)
        scope.report(name_rules.JOB_USER_HERE(expr.span, targets=known).help("pass the user as a param"))
        return POISON
    if base == "flow":
        wrong = scope.job.without_run()
        if not wrong:
            return RunTime("flow.run")
        scope.report(name_rules.FLOW_RUN_HERE(expr.span, job=scope.job.name, why=wrong[0]).help(wrong[1]))
        return POISON
    if member != "index":
        scope.report(name_rules.UNKNOWN_MEMBER(expr.name.span, base="task", name=member).help("write task.index"))
        return POISON
    return RunTime("task.index")


def _is_run_time(base: str, member: str, scope: Scope) -> bool:
    """Whether ``base.member`` is known at run time only; ``flow`` may be the name of a param or let."""
    if (base, member) == ("flow", "run"):
        return base not in scope.globals.names()
    return base in ("task", "env") or (base, member) == ("job", "user")


def _bool(expr: ast.Bool, scope: Scope, depth: int) -> Data:
    return expr.value


def _ref(expr: ast.Ref, scope: Scope, depth: int) -> Data | Diagnostic:
    value = scope.globals.lookup(expr.name)
    if value is not None:
        return value.data
    if expr.name in RESERVED_NAMES:
        return name_rules.UNKNOWN_NAME(expr.span, name=expr.name).help(members_help(expr.name))
    diagnostic = name_rules.UNKNOWN_NAME(expr.span, name=expr.name)
    word = foreign.TRUTHS.get(expr.name.lower())
    if word is not None and _takes(scope.wanted, BoolType):
        diagnostic = diagnostic.help(f"write {word}").replacing(f"write {word}", word, safe=not scope.in_map)
        quoted = f'"{expr.name}"'
        return diagnostic.replacing(f"write {quoted}", quoted) if scope.in_map else diagnostic
    if expr.name in ("null", "None", "nil", "undefined"):
        return diagnostic.help(foreign.NO_NULL)
    near = scope.globals.closest(expr.name, scope.globals.names())
    if near is not None:
        return proposing(diagnostic, near)
    if scope.matrix is not None and expr.name in scope.matrix.values:
        axis = f"matrix.{expr.name}"
        diagnostic = diagnostic.help(f"write ${{{axis}}}" if _is_inside_text(expr) else f"write {axis}")
        return diagnostic.replacing(f"write {axis}", axis, safe=True)
    if expr.name.lower() in ("none", "null"):
        return diagnostic.help(foreign.NO_NULL)
    if _is_inside_text(expr):
        return diagnostic.help(
            f"write ${{env.{expr.name}}} for an environment variable, or \\${{{expr.name}}} for the literal text"
        )
    literal = _INTERPOLATED.match(expr.span.source.text, max(expr.span.start - 2, 0))
    if literal is not None:
        return diagnostic.help(f"write \\{literal[0]} to keep it as literal text")
    return _as_text(diagnostic, expr.name, scope.wanted)


def _takes(wanted: Type | None, *kinds: type) -> bool:
    """Whether a place that wants a type takes a value of one of the ``kinds`` of types, as far as that is known."""
    members = wanted.of if isinstance(wanted, UnionType) else (wanted,)
    return wanted is None or any(isinstance(member, kinds) for member in members)


def _as_text(diagnostic: Diagnostic, text: str, wanted: Type | None) -> Diagnostic:
    """``diagnostic``, about a ``text`` without quotes, with what to write in a place that wants a type."""
    quoted = f'"{text}"'
    if _takes(wanted, StringType, ReferenceType, KeysType):
        return diagnostic.help(f"write {quoted} for a text").replacing("quote it", quoted)
    if isinstance(wanted, ListType) and isinstance(wanted.of, StringType):
        return diagnostic.help(f"write [{quoted}]").replacing(f"write [{quoted}]", f"[{quoted}]")
    if not isinstance(wanted, IntType) or not wanted.devices:
        return diagnostic.help(f"a value here must be {a_value(wanted)}") if wanted is not None else diagnostic
    if "/" not in text:
        return diagnostic.help(foreign.DEVICES.format(number=1))
    both = f"1, gpu_resource = {quoted}"
    return diagnostic.help(f"write gpu = {both}").replacing(f"write {both}", both)


# A path of names and nothing more, as in the templates of other programs.
_INTERPOLATED = regex(r"\$\{\w[\w.]*+\}")


def _is_inside_text(expr: ast.Ref) -> bool:
    """Whether the name is alone in ``${}`` inside a text."""
    text, span = expr.span.source.text, expr.span
    return text[max(span.start - 2, 0) : span.start] == "${" and text[span.end : span.end + 1] == "}"


def _list(expr: ast.ListExpr, scope: Scope, depth: int) -> Data | Diagnostic:
    return _kept(list_data(tuple(evaluate(item, scope, depth) for item in expr.items)), expr.span, scope)


def _map(expr: ast.MapExpr, scope: Scope, depth: int) -> Data | Diagnostic:
    """The entries of a map. A repeated key is reported, and its first value is kept."""
    entries: dict[str, Entry] = {}
    inner = replace(scope, in_map=True) if expr.entries and not scope.in_map else scope
    for assign in expr.entries:
        value = evaluate(assign.value, inner, depth)
        key = assign.key.text
        if key in entries:
            scope.report(repeated(name_rules.DUPLICATE_KEY(assign.key.span, name=key), entries[key].key_span, "set"))
            continue
        entries[key] = Entry(key, assign.key.span, value)
    return _kept(map_data(entries), expr.span, scope)


# An option of a command line without quotes.
_OPTION = regex(r"--?([A-Za-z_]\w*+)")


def _unary(expr: ast.Unary, scope: Scope, depth: int) -> Data | Diagnostic:
    option = _OPTION.fullmatch(expr.span.text) if expr.op == "-" else None
    if option is not None and scope.globals.lookup(option[1]) is None:
        text = f'"{expr.span.text}"'
        diagnostic = name_rules.UNKNOWN_NAME(expr.span, name=option[1])
        return diagnostic.help(f"write {text} for a text").replacing("quote it", text)
    value = evaluate(expr.operand, scope, depth).data
    if isinstance(value, Poison):
        return POISON
    if expr.op == "!":
        if isinstance(value, bool):
            return not value
        return name_rules.CONDITION_TYPE(expr.operand.span, what="the operand of !", given=a_kind(value))
    if is_number(value):
        return operators.binary("-", 0, value, expr.span)
    return name_rules.ARGUMENT_TYPE(expr.operand.span, name="-", expected="a number", given=a_kind(value))


def _binary(expr: ast.Binary, scope: Scope, depth: int) -> Data | Diagnostic:
    chain: list[ast.Binary] = []
    leftmost: ast.Expr = expr
    while isinstance(leftmost, ast.Binary):
        chain.append(leftmost)
        leftmost = leftmost.left
    unquoted = _unquoted(expr, leftmost, scope)
    if unquoted is not None:
        return unquoted
    left = evaluate(leftmost, scope, depth)
    for node in reversed(chain):
        result = _operate(node, left, scope, depth)
        if isinstance(result, Diagnostic):
            scope.report(result)
            result = POISON
        left = Value(result, node.span)
    return left.data


# An address or name without quotes: nvidia.com/gpu, gpu-pool.
_JOINED_WORDS = regex(r"[A-Za-z_]\w*+(?:[./-][A-Za-z_]\w*+)++")


def _unquoted(expr: ast.Binary, leftmost: ast.Expr, scope: Scope) -> Diagnostic | None:
    """The diagnostic for ``nvidia.com/gpu``, if there is no such name in it, nor one like it."""
    text, known = expr.span.text, scope.globals.names()
    if not isinstance(leftmost, ast.Ref | ast.Member) or not _JOINED_WORDS.fullmatch(text):
        return None
    words = re.split("[./-]", text)
    if any(word in RESERVED_NAMES or word in known or scope.globals.closest(word, known) for word in words):
        return None
    return _as_text(name_rules.UNKNOWN_NAME(expr.span, name=text), text, scope.wanted)


def _with_text(diagnostic: Diagnostic, node: ast.Binary, left: Data, right: Data) -> Diagnostic:
    """``diagnostic``, about ``"--n=" + n``, with the text to write; one side is a text."""
    if isinstance(left, str) == isinstance(right, str) or show(left) is None or show(right) is None:
        return diagnostic
    sides = [_inside_text(side) for side in (node.left, node.right)]
    if None in sides:
        return diagnostic.help(foreign.IN_TEXT)
    text = f'"{sides[0]}{sides[1]}"'
    return diagnostic.help(f"write {text}").replacing(f"write {text}", text)


def _inside_text(expr: ast.Expr) -> str | None:
    """``expr`` as a part of a text between quotes; ``None`` if it is more than a name or a short text."""
    text = expr.span.text
    if isinstance(expr, ast.Str) and text.startswith('"') and not text.startswith('"""'):
        return text[1:-1]
    return f"${{{text}}}" if _NAME_ALONE.fullmatch(text) else text if text.isdecimal() else None


_NAME_ALONE = regex(r"[A-Za-z_]\w*+(?:\.\w++)*+")


def _operate(node: ast.Binary, left: Value, scope: Scope, depth: int) -> Data | Diagnostic:
    if node.op not in ("&&", "||"):
        right = evaluate(node.right, scope, depth)
        if node.op in ("==", "!=") and not (spent(left.data, scope) and spent(right.data, scope)):
            return operators.exhausted(node.span)
        result = operators.binary(node.op, left.data, right.data, node.span)
        if isinstance(result, Diagnostic) and result.rule is value_rules.DIVISION_BY_ZERO:
            return replace(result, span=right.span)
        if isinstance(result, Diagnostic) and result.rule is name_rules.OPERAND_TYPES and node.op == "+":
            result = _with_text(result, node, left.data, right.data)
        return _kept(result, node.span, scope)
    decided = left.data is (node.op == "||")
    right = evaluate(node.right, _hypothetical(scope) if decided else scope, depth)
    for side in (left, right):
        if not isinstance(side.data, bool | Poison):
            return name_rules.CONDITION_TYPE(side.span, what=f"the operand of {node.op}", given=a_kind(side.data))
    if isinstance(left.data, Poison) or (isinstance(right.data, Poison) and not decided):
        return POISON
    return left.data if decided else right.data


def _choice(expr: ast.Choice, scope: Scope, depth: int) -> Data | Diagnostic:
    condition = evaluate(expr.condition, scope, depth)
    truth = condition.data
    if not isinstance(truth, bool | Poison):
        scope.report(name_rules.CONDITION_TYPE(condition.span, what="the condition of ?:", given=a_kind(truth)))
    yes = evaluate(expr.yes, scope if truth is not False else _hypothetical(scope), depth).data
    no = evaluate(expr.no, scope if truth is not True else _hypothetical(scope), depth).data
    if not isinstance(truth, bool):
        return POISON
    if not isinstance(yes, Poison) and not isinstance(no, Poison):
        yes, no = operators.settle(yes, no)
        if not _alike(yes, no):
            return name_rules.BRANCH_TYPES(expr.span, left=kind_of(yes), right=kind_of(no))
    return yes if truth else no


def _alike(left: Data, right: Data) -> bool:
    kinds = {kind_of(left), kind_of(right)}
    return len(kinds) == 1 or kinds == {"int", "number"}


def _hypothetical(scope: Scope) -> Scope:
    """``scope`` for a branch that is not taken: wrong names and types are errors there too, wrong values are not."""
    report = scope.report

    def only_names(diagnostic: Diagnostic) -> None:
        if diagnostic.rule.code.startswith("TFJ1"):
            report(diagnostic)

    return replace(scope, report=only_names)


def _index(expr: ast.Index, scope: Scope, depth: int) -> Data | Diagnostic:
    base = evaluate(expr.base, scope, depth).data
    at = evaluate(expr.index, scope, depth)
    index = at.data
    if isinstance(base, Poison) or isinstance(index, Poison):
        return POISON
    if isinstance(base, ListData):
        if not isinstance(index, int) or isinstance(index, bool):
            return name_rules.INDEX_TYPE(at.span, base="a list", expected="an int", given=a_kind(index))
        if not 0 <= index < len(base.items):
            return value_rules.INDEX_RANGE(at.span, index=index, length=len(base.items))
        return base.items[index].data
    if isinstance(base, MapData):
        if not isinstance(index, str):
            return name_rules.INDEX_TYPE(at.span, base="a map", expected="a string", given=a_kind(index))
        return _entry(base, index, at.span, scope)
    return name_rules.NOT_INDEXABLE(expr.base.span, given=a_kind(base))


def _entry(base: MapData, key: str, span: Span, scope: Scope) -> Data | Diagnostic:
    if key in base.entries:
        return base.entries[key].value.data
    diagnostic = value_rules.MISSING_KEY(span, key=key)
    near = scope.globals.closest(key, base.entries)
    return diagnostic.help(f"did you mean {near}?") if near else diagnostic


def _member(expr: ast.Member, scope: Scope, depth: int) -> Data | Diagnostic:
    base, name = expr.base, expr.name
    if isinstance(base, ast.Ref) and scope.globals.lookup(base.name) is None:
        special = special_member(expr, base.name, name, scope)
        if special is not None:
            return special
    if isinstance(base, ast.Member) and isinstance(base.base, ast.Ref) and base.base.name == "roles":
        return role_member(base.name, name, scope)
    data = evaluate(base, scope, depth).data
    if isinstance(data, Poison):
        return POISON
    if isinstance(data, MapData):
        return _entry(data, name.text, name.span, scope)
    return name_rules.UNKNOWN_MEMBER(name.span, base=a_kind(data), name=name.text)


def _call(expr: ast.Call, scope: Scope, depth: int) -> Data | Diagnostic:
    from tfdsl.semantics.functions import call

    arguments = [evaluate(argument, scope, depth) for argument in expr.arguments]
    if not all(spent(argument.data, scope) for argument in arguments):
        return operators.exhausted(expr.span)
    return _kept(call(expr.name, arguments, scope, expr.span), expr.span, scope)


def _error(expr: ast.ErrorExpr, scope: Scope, depth: int) -> Data:
    return POISON


# --- literals ----------------------------------------------------------------------------------------------------


LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"  # the module string compiles a pattern at import


def _number(expr: ast.Number, scope: Scope, depth: int) -> Data | Diagnostic:
    """The value of a number without a unit."""
    if len(expr.text) > 40:
        return value_rules.TOO_LARGE(expr.span, reason="a number can have at most 40 digits")
    if "e" in expr.text.lower():
        return _scientific(expr)
    if "." in expr.text:
        from decimal import Decimal

        return Decimal(expr.text)
    if expr.text[0] == "0" and len(expr.text) > 1:
        diagnostic = value_rules.LEADING_ZERO(expr.span, text=expr.text).help(f"write {int(expr.text)} for the number")
        return diagnostic.help(f'write "{expr.text}" for a text').replacing("quote it", f'"{expr.text}"')
    return operators.bounded(int(expr.text), expr.span)


def _scientific(expr: ast.Number) -> Data | Diagnostic:
    from decimal import InvalidOperation

    from tfdsl.semantics.scientific import MOST_DIGITS, Scientific, fits

    try:
        number = Scientific(expr.text)
    except InvalidOperation:  # an exponent that is too large for decimal
        number = None
    if number is None or not fits(number):
        reason = f"a number can have at most {MOST_DIGITS} digits before and after the decimal point"
        return value_rules.TOO_LARGE(expr.span, reason=reason)
    return number


def _unit(expr: ast.Unit, scope: Scope, depth: int) -> Data | Diagnostic:
    """The value of a number with a unit."""
    if len(expr.text) > 80:
        return value_rules.TOO_LARGE(expr.span, reason="a quantity can have at most 80 characters")
    value = parse_unit(expr.text)
    if value is not None:
        return operators.bounded(value, expr.span)
    diagnostic = name_rules.BAD_UNIT(expr.span, text=expr.text)
    nearest = nearest_unit(expr.text)
    if nearest is not None:
        safe = "_" in expr.text or _is_one_unit(expr.text)
        return diagnostic.help(f"write {nearest}").replacing(f"write {nearest}", nearest, safe=safe)
    sizes, times = (" ".join(UNITS[kind]) for kind in ("quantity", "duration"))
    return diagnostic.help(f"units are {sizes}, and {times} for time (largest first)")


def _is_one_unit(text: str) -> bool:
    """Whether the unit of ``text`` means the same in every tool: ``16g`` and ``16gb`` are 16Gi for some of them."""
    unit = text[len(text.rstrip(LETTERS)) :]
    return unit.lower() not in ("g", "k", "m", "t") and not (len(unit) == 2 and unit.endswith("b"))


# --- members of the reserved words inside a job: job.name, role.replicas, roles.worker.replicas … ----------------


_ROLE_WORDS = {"workers": "worker"}
"""Words for all replicas of a role."""


def members_help(name: str) -> str:
    """The help about the members of a reserved word."""
    return {
        "job": "use job.name, job.namespace or job.user",
        "role": "use role.name or role.replicas",
        "roles": "write roles.<role>.replicas",
        "task": "write task.index, alone inside ${ }",
        "env": "write env.NAME, alone inside ${ }",
        "matrix": "write matrix.AXIS or matrix.index",
    }[name]


def special_member(expr: ast.Member, base: str, name: ast.Name, scope: Scope) -> Data | Diagnostic | None:
    """``base.name`` where ``base`` is a reserved word; ``None`` when it is not."""
    if base == "task" and name.text != "index":
        return name_rules.UNKNOWN_MEMBER(name.span, base="task", name=name.text).help("write task.index")
    if base == "flow" and name.text != "run":
        return name_rules.UNKNOWN_MEMBER(name.span, base="flow", name=name.text).help("write flow.run")
    if _is_run_time(base, name.text, scope):
        whole = f"{base}.{name.text}"
        return name_rules.RUN_TIME_ALONE(expr.span, name=whole).help(f'write "${{{whole}}}"')
    if base == "job":
        if scope.job is None:
            return name_rules.NOT_IN_JOB(expr.span, name=f"job.{name.text}")
        return _job_member(name, scope.job)
    if base == "role":
        if scope.role is None or scope.job is None:
            return name_rules.NOT_IN_ROLE(expr.span, name=f"role.{name.text}").help("write roles.<role>.replicas")
        if name.text == "name":
            return scope.role
        if name.text == "replicas":
            return _replicas(scope.role, expr.span, scope.job)
        if name.text == "index":
            return name_rules.UNKNOWN_MEMBER(name.span, base="role", name="index").help('write "${task.index}"')
        return _unknown_member("role", name, ("name", "replicas"))
    if base == "roles":
        if scope.job is None:
            return name_rules.NOT_IN_JOB(expr.span, name="roles")
        return name_rules.UNKNOWN_NAME(expr.span, name=f"roles.{name.text}").help(f"write roles.{name.text}.replicas")
    if base == "matrix":
        return _matrix_member(expr, name, scope)
    return _foreign_member(expr, base, name, scope)


def _matrix_member(expr: ast.Member, name: ast.Name, scope: Scope) -> Data | Diagnostic:
    """``matrix.name``: of the combination that the job is made of."""
    whole = f"matrix.{name.text}"
    if scope.owner is None:
        return name_rules.NOT_IN_JOB(expr.span, name=whole)
    matrix = scope.matrix
    if matrix is None:
        if any(isinstance(item, ast.Matrix) for item in scope.owner.items):
            error = name_rules.NO_MATRIX(expr.span, name=whole, problem="cannot be used in an axis")
            return error.help("the values of an axis are made of params and lets")
        error = name_rules.NO_MATRIX(expr.span, name=whole, problem="exists only in a job with a matrix")
        return _used_by(scope.owner, expr, error, "has no matrix").help(
            f"add matrix {{ {name.text} = [ … ] }} to the job"
        )
    if name.text == INDEX:
        return matrix.index
    if name.text in matrix.values:
        return matrix.values[name.text].data
    if matrix.broken:
        return POISON
    return _used_by(scope.owner, expr, _unknown_member("matrix", name, (*matrix.values, INDEX)), "has another matrix")


def _used_by(owner: ast.Job, expr: ast.Member, error: Diagnostic, words: str) -> Diagnostic:
    """``error`` with the job that uses the template which ``expr`` is in."""
    inside = owner.span.source is expr.span.source and owner.span.start <= expr.span.start < owner.span.end
    return error if inside else error.note(owner.name.span, f"job {owner.name.text} uses the template and {words}")


def _foreign_member(expr: ast.Member, base: str, name: ast.Name, scope: Scope) -> Diagnostic | None:
    """The diagnostic for ``base.name`` as another language writes it; ``None`` when it is not."""
    whole = f"{base}.{name.text}"
    if base.lower() in foreign.BY_NAME_ALONE:
        return _by_name_alone(expr, whole, name, scope)
    unknown = name_rules.UNKNOWN_NAME(expr.base.span, name=base)
    if base in attributes.ROLES_BY_NAME or base in _ROLE_WORDS:
        role = _ROLE_WORDS.get(base, base)
        if name.text in ("replicas", "count", "size"):
            right = f"roles.{role}.replicas"
            return unknown.help(f"write {right}").fix(f"write {right}", Edit(expr.span, right), safe=False)
        return unknown.help(f"write roles.{role}.replicas, or declare let NAME = … for a value that is used twice")
    return unknown.help(foreign.MEMBERS[base]) if base in foreign.MEMBERS else None


def _by_name_alone(expr: ast.Member, whole: str, name: ast.Name, scope: Scope) -> Diagnostic:
    """``var.x`` and the like: ``x``, when there is a param or let of that name."""
    unknown = name_rules.UNKNOWN_NAME(expr.base.span, name=whole)
    if name.text in scope.globals.names():
        return unknown.help(f"write {name.text}").fix(f"write {name.text}", Edit(expr.span, name.text), safe=True)
    near = scope.globals.closest(name.text, scope.globals.names())
    if near is not None:
        return unknown.help(f"did you mean {near}?").fix(f"write {near}", Edit(expr.span, near))
    return unknown.help(f"write the name of a param or let alone; none is called {name.text}")


def _job_member(name: ast.Name, job: JobNames) -> Data | Diagnostic:
    if name.text == "name":
        return job.name if job.name_known else POISON
    if name.text == "namespace":
        namespace = job.namespace()
        if isinstance(namespace, Pending):
            return name_rules.NAME_CYCLE(name.span, name="namespace").marked("this closes the cycle")
        if namespace is not None:
            return namespace.data
        return name_rules.UNKNOWN_MEMBER(name.span, base="the job", name="namespace").help("set namespace in the job")
    if name.text == "replicas":
        return name_rules.UNKNOWN_MEMBER(name.span, base="job", name="replicas").help("write roles.worker.replicas")
    return _unknown_member("job", name, ("name", "namespace", "user"))


def role_member(role: ast.Name, name: ast.Name, scope: Scope) -> Data | Diagnostic:
    """The value of ``roles.ROLE.NAME``, or what is wrong with it."""
    if scope.job is None:
        return name_rules.NOT_IN_JOB(role.span, name="roles")
    names = list(scope.job.role_names())
    if role.text not in names:
        near = closest(role.text, names)
        diagnostic = name_rules.ROLE_NOT_IN_JOB(role.span, job=scope.job.name, name=role.text)
        return diagnostic.help(f"did you mean {near}?" if near else f"its roles are {enumeration(names)}")
    if name.text != "replicas":
        return _unknown_member(f"roles.{role.text}", name, ("replicas",))
    return _replicas(role.text, name.span, scope.job)


def _replicas(role: str, span: Span, job: JobNames) -> Data | Diagnostic:
    replicas = job.replicas(role)
    if isinstance(replicas, Pending):
        return name_rules.NAME_CYCLE(span, name=f"replicas of {role}").marked("this closes the cycle")
    return replicas


def _unknown_member(base: str, name: ast.Name, members: tuple[str, ...]) -> Diagnostic:
    diagnostic = name_rules.UNKNOWN_MEMBER(name.span, base=base, name=name.text)
    near = closest(name.text, members)
    if near is not None:
        sure = is_sure(name.text, near, members)
        return diagnostic.help(f"did you mean {base}.{near}?").replacing(f"write {near}", near, safe=sure)
    return diagnostic.help(f"it has {enumeration(members)}")


_EVALUATORS: dict[type, Callable[..., Data | Diagnostic]] = {
    ast.Str: _string,
    ast.Number: _number,
    ast.Unit: _unit,
    ast.Bool: _bool,
    ast.Ref: _ref,
    ast.ListExpr: _list,
    ast.MapExpr: _map,
    ast.Unary: _unary,
    ast.Binary: _binary,
    ast.Choice: _choice,
    ast.Index: _index,
    ast.Member: _member,
    ast.Call: _call,
    ast.ErrorExpr: _error,
}
