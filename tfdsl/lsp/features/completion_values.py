"""What a completion is."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal, TypeAlias

from tfdsl import targets
from tfdsl.diagnostics.suggest import enumeration
from tfdsl.lsp.cursor import Cursor, Frame, Tok
from tfdsl.lsp.snapshot import Snapshot
from tfdsl.record import Record
from tfdsl.source_files import is_file_name, is_folder, refusal
from tfdsl.syntax import _tables as tables, ast, lexer
from tfdsl.text import Span
from tfdsl.vocabulary import attributes, functions, statements
from tfdsl.vocabulary.quantities import DURATION_UNITS, QUANTITY_UNITS
from tfdsl.vocabulary.statements import INDEX
from tfdsl.vocabulary.types import (
    STRING,
    STRINGS,
    BoolType,
    DurationType,
    IntType,
    KeysType,
    ListType,
    MapType,
    NumberType,
    QuantityType,
    ReferenceType,
    StringType,
    Type,
    UnionType,
    describe,
)

Kind: TypeAlias = Literal[
    "attribute", "keyword", "snippet", "role", "job", "template", "param", "let", "event", "action", "mount", "unit",
    "target", "option", "word", "function", "member", "type", "file",
]  # fmt: skip


class Item(Record):
    """One completion.

    ``text``: what is inserted (empty: the label); ``snippet``: it holds ``$1`` and ``${1:…}``. ``rank``: lower ones
    come first.
    """

    label: str
    kind: Kind
    detail: str = ""
    doc: str = ""
    text: str = ""
    snippet: bool = False
    rank: int = 5


class Completions(Record):
    """The items for a place, and what they replace."""

    span: Span
    items: tuple[Item, ...]


_MEMBERS = {
    "job": (("name", "Name of the job."), ("namespace", "Namespace of the job.")),
    "role": (("name", "Name of the role."), ("replicas", "Replicas of the role.")),
    "task": (("index", "Index of the task in its role; known at run time."),),
    "flow": (("run", "Name of the run of the flow that runs the job, another one each time; known at run time."),),
}
REFERENCES = ("secret", "configmap", "pod_field")
"""Functions whose value only some places take."""
_DECLARED = {"PARAM": "param", "LET": "let", "TEMPLATE": "template", "PROFILE": "profile"}


class Declared(tuple[str, str, str]):
    """Kind, name and the text of a declaration."""

    __slots__ = ()


def declared(snapshot: Snapshot, cursor: Cursor) -> list[Declared]:
    """The params, lets, templates and profiles of the text and of what it includes, each once."""
    found: dict[tuple[str, str], Declared] = {}
    for statement in cursor.frames[0].statements:
        if len(statement) > 1 and statement[0].type in _DECLARED:
            name = statement[1].text
            kind = _DECLARED[statement[0].type]
            found[kind, name] = Declared((kind, name, _line(snapshot, statement[0].start)))
    loaded = snapshot.loaded
    for file in loaded.files[1:] if loaded is not None else ():
        for declaration in file.declarations:
            if isinstance(declaration, ast.Param | ast.Let | ast.Template | ast.Profile):
                kind = type(declaration).__name__.lower()
                text = declaration.span.text.partition("\n")[0]
                found.setdefault((kind, declaration.name.text), Declared((kind, declaration.name.text, text)))
    return list(found.values())


def _line(snapshot: Snapshot, offset: int) -> str:
    source = snapshot.source
    return source.line(source.position(offset)[0]).strip()


def _submitter() -> str:
    known = enumeration(target.name for target in targets.every() if target.knows_submitter)
    return f"The user who submits the job; known at run time, on {known}."


def job_roles(cursor: Cursor) -> list[str]:
    """The roles that the job around the place has; in a template all that there are."""
    job = cursor.inside("job")
    if job is None:
        return list(attributes.ROLE_NAMES)
    named = set(block_names(job, "ROLE"))
    target = cursor.inside("target")
    named |= set(block_names(target, "ROLE")) if target is not None else set()
    return [name for name in attributes.ROLE_NAMES if name in named]


def block_names(frame: Frame, keyword: str) -> list[str]:
    """The words after ``keyword`` in the statements of a block, except the statement at the cursor."""
    return [words[1].text for words in frame.statements[:-1] if len(words) > 1 and words[0].type == keyword]


def names(snapshot: Snapshot, cursor: Cursor, *, references: Collection[str], run_time: bool) -> list[Item]:
    """What may begin an expression at the place.

    ``references``: the functions that give a value of the cluster and may; ``run_time``: values that are known when a
    task runs may.
    """
    own = [word.text for word in cursor.statement[:2]] if cursor.block.kind == "file" else []
    found = [
        Item(name, "param" if kind == "param" else "let", text, rank=2)
        for kind, name, text in declared(snapshot, cursor)
        if kind in ("param", "let") and [kind, name] != own
    ]
    found += [Item(f"matrix.{name}", "member", doc, rank=4) for name, doc in _axes(snapshot, cursor)]
    inside = cursor.inside("job") is not None or cursor.inside("template") is not None
    if inside and cursor.block.kind != "matrix":
        found += [Item("job.name", "member", "Name of the job.", rank=4)]
        found += [
            Item(f"roles.{role}.replicas", "member", f"Replicas of {role}.", rank=4) for role in job_roles(cursor)
        ]
        if cursor.block.kind in ("role", "template", "mount", "output"):
            found += [Item(f"role.{name}", "member", doc, rank=4) for name, doc in _MEMBERS["role"]]
        if run_time and cursor.where == "interpolation":
            found += [
                Item("task.index", "member", _MEMBERS["task"][0][1], rank=4),
                Item("env.", "member", "An environment variable of the task.", rank=4),
                Item("job.user", "member", _submitter(), rank=4),
                Item("flow.run", "member", _MEMBERS["flow"][0][1], rank=4),
            ]
    found += [
        Item(row.name, "function", row.signature, row.doc, f"{row.name}($1)", snippet=True, rank=6)
        for row in functions.FUNCTIONS
        if row.name in references or row.name not in REFERENCES
    ]
    return found


def members(snapshot: Snapshot, cursor: Cursor, before: Sequence[Tok]) -> list[Item]:
    """What may follow the dot that ``before`` ends with."""
    path = _path(before)
    if not path:
        return []
    base = path[0]
    if base == "roles":
        if len(path) == 1:
            return [Item(role, "role", attributes.ROLES_BY_NAME[role].doc) for role in job_roles(cursor)]
        return [Item("replicas", "member", f"Replicas of {path[1]}.")] if len(path) == 2 else []
    if base == "matrix":
        return [Item(name, "member", doc) for name, doc in _axes(snapshot, cursor)] if len(path) == 1 else []
    if len(path) == 1 and base in _MEMBERS:
        more = (("user", _submitter()),) if base == "job" and cursor.where == "interpolation" else ()
        return [Item(name, "member", doc) for name, doc in (*_MEMBERS[base], *more)]
    return [Item(key, "member") for key in _keys(snapshot, path)]


def _axes(snapshot: Snapshot, cursor: Cursor) -> list[tuple[str, str]]:
    """The members that ``matrix`` has at the place: in a template, those of all jobs."""
    job = cursor.inside("job")
    in_name = len(cursor.frames[0].statements[-1]) > 0 and cursor.frames[0].statements[-1][0].type == "JOB"
    if cursor.block.kind == "matrix" or not (job is not None or cursor.inside("template") is not None or in_name):
        return []
    program = snapshot.loaded or snapshot.program
    named = job.name.strip('"') if job is not None else None
    found: dict[str, str] = {}
    for node in program.jobs:
        matrix = node.matrix if named in (None, node.name.text) else None
        for axis in matrix.axes if matrix is not None else ():
            found.setdefault(axis.key.text, axis.span.text.partition("\n")[0])
    return [*found.items(), (INDEX, "Number of the job in its matrix, from 0.")] if found else []


def _path(before: Sequence[Tok]) -> list[str]:
    """``roles.worker.`` → ``roles``, ``worker``."""
    path: list[str] = []
    at = len(before) - 1
    while at >= 1 and before[at].type == "DOT":
        path.insert(0, before[at - 1].text)
        at -= 2
    return path


def _keys(snapshot: Snapshot, path: Sequence[str]) -> Iterable[str]:
    """Keys of the map that a let or param holds."""
    program = snapshot.loaded or snapshot.program
    value: object = None
    if path[0] in program.lets:
        value = program.lets[path[0]].value
    elif path[0] in program.params:
        value = program.params[path[0]].default
    for key in path[1:]:
        entries = value.entries if isinstance(value, ast.MapExpr) else ()
        value = next((entry.value for entry in entries if entry.key.text == key), None)
    return [entry.key.text for entry in value.entries] if isinstance(value, ast.MapExpr) else []


_PARAM_TYPES: dict[str, Type] = {
    "int": IntType(),
    "number": NumberType(),
    "string": STRING,
    "bool": BoolType(),
    "quantity": QuantityType(),
    "duration": DurationType(),
}
_REFERENCES: dict[type, tuple[str, ...]] = {ReferenceType: REFERENCES, KeysType: ("secret", "configmap")}
_MEMORY_UNITS = ("Ki", "Mi", "Gi", "Ti", "k", "M", "G", "T")


class Expected:
    """What the place asks for. ``key``: the name of the attribute, option or setting."""

    def __init__(self, key: str, kinds: Sequence[Type]) -> None:
        self.key = key
        self.kinds = tuple(kinds)


def values(snapshot: Snapshot, cursor: Cursor) -> list[Item]:
    """The completions for the beginning or the middle of a value."""
    if cursor.before and cursor.before[-1].type == "DOT":
        return members(snapshot, cursor, cursor.before)
    expected = expected_at(cursor)
    if cursor.prefix[:1].isdigit():
        return _units(cursor.prefix, expected)
    if not _begins(cursor):
        return []
    found: list[Item] = []
    for kind in expected.kinds:
        found += _words(kind)
    if expected.key == "after" and cursor.inside("list") is not None:
        found += _roles(cursor, quoted=True)
    if expected.key == "version" and (versions := _versions(cursor)):
        found += [Item(f'"{version}"', "word", "version", rank=1) for version in versions]
    example = attributes.BY_NAME.get(expected.key)
    if example is not None and example.example and len(cursor.frames) and cursor.frame is cursor.block:
        found.append(Item(example.example, "word", "example", example.doc, rank=7))
    references = [name for kind in _flat(expected.kinds) for name in _REFERENCES.get(type(kind), ())]
    return found + names(snapshot, cursor, references=references, run_time=False)


def in_text(snapshot: Snapshot, cursor: Cursor) -> list[Item]:
    """The completions inside the quotes of a string."""
    words = cursor.statement
    if words and words[0].type == "INCLUDE":
        return _files(snapshot, cursor, _is_job_file)
    if _called(cursor) in _READ:
        return _files(snapshot, cursor, _READ[_called(cursor)])
    if _called(cursor) == "pod_field":
        return [Item(name, "word", "field of the pod", doc, rank=1) for name, doc in functions.POD_FIELDS.items()]
    expected = expected_at(cursor)
    found = [
        Item(word, "word", rank=1)
        for kind in _flat(expected.kinds)
        if isinstance(kind, StringType)
        for word in kind.one_of
    ]
    if expected.key == "after" and cursor.inside("list") is not None:
        found += _roles(cursor, quoted=False)
    if expected.key == "version":
        found += [Item(version, "word", "version", rank=1) for version in _versions(cursor)]
    return found


def in_interpolation(snapshot: Snapshot, cursor: Cursor) -> list[Item]:
    """The completions inside ``${…}``."""
    if cursor.before and cursor.before[-1].type == "DOT":
        return members(snapshot, cursor, cursor.before)
    if not _begins(cursor):
        return []
    return names(snapshot, cursor, references=(), run_time=True)


def _called(cursor: Cursor) -> str:
    """The function that has the place in its arguments; empty if there is no such function."""
    return cursor.frame.head[-1].text if cursor.frame.kind == "call" and cursor.frame.head else ""


_INFIX = {tables.TERMINALS[type_] for type_ in lexer.INFIX}
_BEFORE_VALUES = _INFIX | {
    "EQUAL",
    "APPEND",
    "QMARK",
    "COLON",
    "COMMA",
    "BANG",
    "AT",
    "TO",
    "AFTER",
    "OUTPUT",
    "COPY",
    "WHEN",
}


def _begins(cursor: Cursor) -> bool:
    """Whether an operand may begin at the place."""
    words = cursor.before
    if not words or words[-1].type in _BEFORE_VALUES:
        return True
    return words[0].type == "MOUNT" and len(words) == 2


# --- what is expected ------------------------------------------------------------------------------------------


def expected_at(cursor: Cursor) -> Expected:
    """The name and the types of the value at the place."""
    if any(word.type == "WHEN" for word in cursor.statement[1:]):
        return Expected("", [BoolType()])
    key = _key(cursor.statement)
    return Expected(key, _within(_types(cursor.block, cursor, key), _literals(cursor)))


def role_keys(cursor: Cursor) -> list[Item]:
    """The roles of the job, if the cursor is where a map has roles as its keys."""
    outer = _within(_types(cursor.block, cursor, _key(cursor.statement)), _literals(cursor)[:-1])
    if not any(isinstance(kind, MapType) and kind.roles for kind in outer):
        return []
    used = {words[0].text for words in cursor.frame.statements[:-1] if words}
    return [
        Item(name, "role", "role", attributes.ROLES_BY_NAME[name].doc, f"{name} = ", rank=1)
        for name in job_roles(cursor)
        if name not in used
    ]


def _literals(cursor: Cursor) -> list[Frame]:
    """The lists and maps around the cursor, from the outside."""
    inside = cursor.frames[cursor.frames.index(cursor.block) + 1 :]
    return [frame for frame in inside if frame.kind in ("list", "map")]


def _within(kinds: Sequence[Type], literals: Sequence[Frame]) -> list[Type]:
    """The types of what is inside ``literals``, which are values of ``kinds``."""
    found = _flat(kinds)
    for frame in literals:
        found = _flat([part for kind in found for part in _inner(kind, frame)])
    return found


def _key(words: Sequence[Tok]) -> str:
    """The name before the ``=`` of a statement; empty if there is no such name."""
    if len(words) > 1 and words[1].type == "EQUAL":
        return words[0].text.strip('"')
    if len(words) > 1 and words[0].type in ("MOUNT", "ON", "OUTPUT"):
        return words[0].text
    return ""


def _types(block: Frame, cursor: Cursor, key: str) -> list[Type]:
    if block.kind in ("job", "role", "template", "target", *statements.STEPS):
        if block.kind == "target":
            backend = targets.find(block.name)
            for option in backend.options if backend is not None else ():
                if option.name == key:
                    return [option.type]
        row = attributes.BY_NAME.get(key)
        return [row.type] if row is not None else []
    if block.kind == "profile":
        return _param_type(cursor, key)
    if block.kind == "file":
        return _own_param_type(cursor.statement)
    if block.kind == "param":
        return _own_param_type(block.head) if key in ("min", "max") else []
    for setting in settings_of(block):
        if setting.name == key and setting.type is not None:
            return [setting.type]
    return []


def settings_of(block: Frame) -> tuple[statements.Setting, ...]:
    """The settings that a block of its kind takes."""
    return statements.SETTINGS.get(f"mount {block.name}" if block.kind == "mount" else block.kind, ())


def _param_type(cursor: Cursor, name: str) -> list[Type]:
    for statement in cursor.frames[0].statements:
        if len(statement) > 1 and statement[0].type == "PARAM" and statement[1].text == name:
            return _own_param_type(statement)
    return []


def _own_param_type(words: Sequence[Tok]) -> list[Type]:
    """The type that ``param NAME: TYPE`` says."""
    if len(words) < 4 or words[0].type != "PARAM":
        return []
    name = words[3].text
    if name == "list":
        return [STRINGS]
    return [_PARAM_TYPES[name]] if name in _PARAM_TYPES else []


def _inner(kind: Type, frame: Frame) -> list[Type]:
    if isinstance(kind, ListType) and frame.kind == "list":
        return [kind.of]
    if isinstance(kind, MapType) and frame.kind == "map":
        return [kind.of]
    return []


def _flat(kinds: Iterable[Type]) -> list[Type]:
    found: list[Type] = []
    for kind in kinds:
        found += _flat(kind.of) if isinstance(kind, UnionType) else [kind]
    return found


# --- items -----------------------------------------------------------------------------------------------------


def _words(kind: Type) -> list[Item]:
    """Whole values of a type."""
    if isinstance(kind, UnionType):
        return [item for part in kind.of for item in _words(part)]
    if isinstance(kind, BoolType):
        return [Item(word, "word", "bool", rank=1) for word in ("true", "false")]
    if isinstance(kind, StringType):
        return [Item(f'"{word}"', "word", describe(kind), rank=1) for word in kind.one_of]
    return []


def _roles(cursor: Cursor, *, quoted: bool) -> list[Item]:
    own = cursor.inside("role")
    return [
        Item(f'"{name}"' if quoted else name, "role", attributes.ROLES_BY_NAME[name].doc, rank=1)
        for name in job_roles(cursor)
        if own is None or name != own.name
    ]


def _versions(cursor: Cursor) -> tuple[str, ...]:
    backend = targets.find(cursor.block.name) if cursor.block.kind == "target" else None
    return tuple(reversed(backend.versions)) if backend is not None else ()


def _units(prefix: str, expected: Expected) -> list[Item]:
    """The number with each unit."""
    number = prefix.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    units: list[str] = []
    for kind in _flat(expected.kinds):
        if isinstance(kind, QuantityType):
            units += _MEMORY_UNITS if kind.of == "memory" else ("m",) if kind.of == "cpu" else tuple(QUANTITY_UNITS)
        elif isinstance(kind, DurationType):
            units += DURATION_UNITS
    if expected.key == "mount":
        units += _MEMORY_UNITS
    return [Item(f"{number}{unit}", "unit", rank=1) for unit in dict.fromkeys(units) if unit]


def _is_job_file(name: str) -> bool:
    return name.endswith(".tfjob") and not name.startswith(".")


def _is_env_file(name: str) -> bool:
    return name.endswith(".env") or name.startswith(".env.")


_READ: dict[str, Callable[[str], bool]] = {
    "file": lambda name: not name.startswith("."),
    "env_file": _is_env_file,
}
"""Function that reads a file → whether a file of some name is offered for it."""


def _files(snapshot: Snapshot, cursor: Cursor, fits: Callable[[str], bool]) -> list[Item]:
    """The files whose name fits, and the folders, in the folder that the text so far names."""
    import os

    origin = snapshot.source.origin
    if origin is None:
        return []
    folder = os.path.join(os.path.dirname(origin), os.path.dirname(cursor.prefix))
    if not is_file_name(folder) or refusal(folder, snapshot.inputs.roots) is not None:
        return []
    head = cursor.prefix[: cursor.prefix.rfind("/") + 1]
    found: list[Item] = []
    try:
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if is_folder(entry):
                    found += [] if entry.name.startswith(".") else [Item(f"{head}{entry.name}/", "file")]
                elif fits(entry.name) and entry.path != origin:
                    found.append(Item(f"{head}{entry.name}", "file"))
    except OSError:
        return []
    return found
