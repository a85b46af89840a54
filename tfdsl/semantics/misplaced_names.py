"""Words of the language that are not attributes but written like one, and where they belong."""

from __future__ import annotations

from collections.abc import Iterable

from tfdsl import targets
from tfdsl.diagnostics.suggest import enumeration, fold, words_of
from tfdsl.syntax import ast
from tfdsl.vocabulary import attributes, statements
from tfdsl.vocabulary.statements import MountKind, Setting

LONGEST_VALUE = 40
"""The most characters of a value that the help repeats."""

_IN_BRACES = (
    (statements.CLUSTER, "cluster {{ {line} }}"),
    (statements.OUTPUT_OPTIONS, 'output "/tmp/model" to "/runs/model" {{ {line} }}'),
    (statements.BUILD, "build {{ {line} }}"),
    (statements.PARAM_SETTINGS, "param NAME: int {{ {line} }}"),
)
"""Settings, and the statement whose braces contain them."""

_SOURCES = {
    "name": '"name"',
    "size": "100Gi",
    "path": '"/mnt/data"',
    "server": '"10.0.0.2:/export"',
    "uri": '"hdfs:///data"',
}


def place_of(item: ast.Assign, block: str | None) -> str | None:
    """What to write for ``item``, which is not an attribute; ``None`` when its name is not known elsewhere either.

    ``block``: the target whose block ``item`` is in.
    """
    name = item.key.text
    line = f"{name} = {_value(item)}"
    if name == "version" and block is None:
        value = item.value.parts if isinstance(item.value, ast.Str) else ()
        known = [
            backend
            for backend in targets.every()
            if len(value) == 1 and backend.find_version(str(value[0])) is not None
        ]
        target = known[0] if known else targets.every()[0]
        line = line if known else f'version = "{target.default_version}"'
        return f"write it in a target block: target {target.name} {{ {line} }}"
    option, owners = _owners(name)
    if owners:
        of = f"{option} is an option of {enumeration(owners)}"
        line = line if option == name else f"{option} = …"
        return of if block is not None else f"{of}: target {owners[0]} {{ {line} }}"
    for rows, form in _IN_BRACES:
        if name in _names(rows):
            return f"write {form.format(line=line)}"
    for kind in statements.MOUNT_KINDS:
        if name in _names(kind.options) or fold(name) in words_of(kind.options):
            return f"{name} is an option of mount {kind.name}: {_mounted(kind)} {{ {line} }}"
    return _statement(name)


def _owners(name: str) -> tuple[str, list[str]]:
    """The option that ``name`` is, or that another tool calls ``name``, and the targets that have it."""
    options = [(target.name, option) for target in targets.every() for option in target.options]
    owners = [target for target, option in options if option.name == name]
    if owners:
        return name, owners
    near = next((option.name for _, option in options if fold(name) in map(fold, option.akin)), "")
    return near, [target for target, option in options if option.name == near]


def _statement(name: str) -> str | None:
    """What to write for a mount kind or a role, including words of other tools."""
    for rows in (statements.MOUNT_KINDS, attributes.ROLES):
        known = {fold(row.name): row.name for row in rows} | words_of(rows)
        near = known.get(fold(name))
        if near in statements.MOUNTS_BY_NAME:
            return f"write {_mounted(statements.MOUNTS_BY_NAME[near])}"
        if near is not None:
            more = " replicas = 4 " if not attributes.ROLES_BY_NAME[near].single else " "
            return f"write role {near} {{{more}}}"
    return None


def _mounted(kind: MountKind) -> str:
    return f'mount {kind.name} {_SOURCES[kind.source]} at "/data"'


def _value(item: ast.Assign) -> str:
    text = item.value.span.text
    return text if len(text) <= LONGEST_VALUE and "\n" not in text else "…"


def _names(rows: Iterable[Setting]) -> set[str]:
    return {row.name for row in rows}


def attribute_of(name: str, known: Iterable[str]) -> str | None:
    """Where the attribute ``name`` belongs that was written among the settings ``known``, or ``None``."""
    from tfdsl.vocabulary import attributes

    aliases = words_of(attributes.ATTRIBUTES)
    near = aliases[fold(name)] if aliases.mean_same(name) else name
    if near not in attributes.BY_NAME or near in known:
        return None
    row = attributes.BY_NAME[near]
    where = "a job or role" if row.in_job and row.in_role else "a role" if row.in_role else "a job"
    return f"{near} is an attribute of {where}"
