"""Members of the reserved words inside a job: ``job.name``, ``role.replicas``, ``roles.worker.replicas`` …"""

from __future__ import annotations

from tfdsl.diagnostics import Diagnostic, Edit, name_rules
from tfdsl.diagnostics.suggest import closest, enumeration, is_sure
from tfdsl.semantics.scope import JobNames, Pending, Scope
from tfdsl.semantics.values import POISON, Data
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary import attributes, foreign
from tfdsl.vocabulary.statements import INDEX

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
    if base in ("task", "env") or (base, name.text) == ("job", "user"):
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
    """``roles.role.name``."""
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
