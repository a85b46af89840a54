"""What may be written at a place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfdsl import targets
from tfdsl.lsp.cursor import BLOCKS, Cursor, Frame, Tok, cursor_at
from tfdsl.lsp.features.completion_values import (
    Completions,
    Item,
    block_names,
    declared,
    in_interpolation,
    in_text,
    job_roles,
    role_keys,
    settings_of,
    values,
)
from tfdsl.lsp.snapshot import Snapshot
from tfdsl.text import Span
from tfdsl.vocabulary import attributes, statements, versions
from tfdsl.vocabulary.attributes import TOLERATION
from tfdsl.vocabulary.types import describe

__all__ = ["TRIGGERS", "Completions", "Item", "complete"]

TRIGGERS = (".", "{", '"', "=", ">", " ")
"""Characters after which an editor asks by itself."""


def complete(snapshot: Snapshot, offset: int) -> Completions:
    """The completions at ``offset``, best first."""
    cursor = cursor_at(snapshot, offset)
    once = {item.label: item for item in reversed(_items(snapshot, cursor))}
    ordered = sorted(once.values(), key=lambda item: (item.rank, item.label))
    return Completions(Span(snapshot.source, cursor.start, offset), tuple(ordered))


def _items(snapshot: Snapshot, cursor: Cursor) -> list[Item]:
    if cursor.where == "comment":
        return []
    if cursor.where == "string":
        return in_text(snapshot, cursor)
    if cursor.where == "interpolation":
        return in_interpolation(snapshot, cursor)
    frame = cursor.frame
    if frame.kind == "map":
        return _in_map(snapshot, cursor)
    if frame.kind not in BLOCKS:
        return _jobs(snapshot) if _after_jobs(cursor) else values(snapshot, cursor)
    if not cursor.before:
        return beginnings(snapshot, cursor)
    found = continuations(snapshot, cursor)
    return values(snapshot, cursor) if found is None else found


def _in_map(snapshot: Snapshot, cursor: Cursor) -> list[Item]:
    """A key of tolerations or of an option about roles, or the value of an entry."""
    if any(word.type == "EQUAL" for word in cursor.before):
        return values(snapshot, cursor)
    if cursor.before:
        return []
    if cursor.statement and cursor.statement[0].text == "tolerations":
        used = {words[0].text for words in cursor.frame.statements[:-1] if words}
        return [Item(key, "attribute", "", "", f"{key} = ", rank=1) for key in TOLERATION if key not in used]
    return role_keys(cursor)


_DECLARATIONS = (
    ("include", 'include "${1:common.tfjob}"', "Use the params, lets, templates and profiles of another file."),
    ("param", "param ${1:name}: ${2:int} = ${3:1}", "A value that is set when the file is compiled."),
    ("let", "let ${1:name} = ${2:value}", "A constant."),
    ("template", "template ${1:name} {\n\t$0\n}", "Items that jobs, roles and targets include with `use`."),
    ("profile", "profile ${1:name} { $0 }", "Values for params, selected with `--profile`."),
    (
        "job",
        'job ${1:name} {\n\timage = "${2:registry.example.com/x:1}"\n\n\trole worker { replicas = ${3:2} }\n\t$0\n}',
        "A job.",
    ),
    ("flow", "flow ${1:nightly} {\n\trun ${2:job}\n\t$0\n}", "Jobs in order, and on a schedule."),
)
_ITEMS = (
    ("mount", 'mount ${1:pvc} "${2:name}" at "${3:/data}"', "Storage: `mount KIND SOURCE at PATH`."),
    (
        "output",
        'output "${1:/tmp/export}" to "${2:/runs/export}"',
        "Copy a file or folder after the command has ended.",
    ),
    ("on", "on ${1:failed} => ${2:restart container}", "A policy: `on [ROLE] EVENT => ACTION`."),
    ("use", "use ${1:template}", "Include the items of a template."),
    ("prepare", 'prepare ${1:fetch} {\n\tcommand = "${2:python /app/fetch.py}"\n}', statements.STEPS["prepare"]),
    ("sidecar", 'sidecar ${1:proxy} { image = "${2:registry.example.com/proxy:1}" }', statements.STEPS["sidecar"]),
    ("unset", "unset ${1:image}", statements.WORDS["unset"][1]),
)
_JOB = (
    ("target", f"target ${{1:{targets.names()[0]}}} {{\n\t$0\n}}", "Settings for one target only."),
    ("cluster", 'cluster { discovery = "${1:tf_config}" }', "How tasks find each other."),
    ("matrix", "matrix { ${1:lr} = [${2:0.1, 0.01}] }", statements.WORDS["matrix"][1]),
    ("build", 'build {\n\tfrom = "${1:image}"\n\t$0\n}', "A Dockerfile for the image."),
)
_TARGET = (
    ("patch", 'patch "${1:path}" = ${2:value}', "Set a field of the output; `+=` merges a map or appends to a list."),
    ("unpatch", 'unpatch "${1:path}"', "Remove a field of the output."),
    ("patch pod", 'patch pod "${1:spec.hostPID}" = ${2:true}', "Set a field of the pod template of every role."),
    ("unpatch pod", 'unpatch pod "${1:spec.dnsPolicy}"', "Remove a field of the pod template of every role."),
)
_BUILD = (
    ("copy", 'copy "${1:source}" to "${2:/destination}"', "Copy a file of the build context into the image."),
    ("run", 'run "${1:command}"', "Run a command while the image is built."),
)
_IN = {
    "file": _DECLARATIONS,
    "job": (*_ITEMS, *_JOB),
    "role": _ITEMS,
    "target": (*_ITEMS, *_TARGET),
    "template": _ITEMS,
    "build": _BUILD,
    "flow": (("run", "run ${1:job} after ${2:job}", "Run a job of the file, at once or after others."),),
}


def snippets(kind: str) -> list[Item]:
    """The statements that may begin in a block of ``kind``."""
    return [
        Item(label, "snippet", _plain(text), doc, text, snippet=True, rank=3) for label, text, doc in _IN.get(kind, ())
    ]


def _plain(text: str) -> str:
    """The first line without its places to fill in."""
    line = text.partition("\n")[0]
    for number in "0123":
        line = line.replace(f"${{{number}:", "\0").replace(f"${number}", "")
    plain, parts = "", line.split("\0")
    plain = parts[0]
    for part in parts[1:]:
        inner, _, rest = part.partition("}")
        plain += inner + rest
    return plain


def beginnings(snapshot: Snapshot, cursor: Cursor) -> list[Item]:
    """What may begin a statement in the block around the place; what is there already is left out."""
    block = cursor.block
    used = {words[0].text.strip('"') for words in block.statements[:-1] if len(words) > 1 and words[1].type == "EQUAL"}
    found = [*_attributes(block, used), *_settings(block, used), *_options(block, used), *snippets(block.kind)]
    if block.kind == "profile":
        found += [
            Item(name, "param", text, "", f"{name} = ", rank=1)
            for kind, name, text in declared(snapshot, cursor)
            if kind == "param" and name not in used
        ]
    if block.kind in ("job", "target"):
        roles = {f"role {role.label}": role.doc for role in _role_names(snapshot, cursor)}
        found += [
            Item(name, "snippet", f"{name} {{", doc, f"{name} {{\n\t$0\n}}", snippet=True, rank=3)
            for name, doc in roles.items()
        ]
    if block.kind == "job":
        there = {words[0].type.lower() for words in block.statements[:-1] if words}
        found = [item for item in found if item.label not in ({"cluster", "build", "matrix"} & there)]
    if block.kind == "file" and not any(block.statements[:-1]):
        found.append(Item("edition", "keyword", "edition 1", "The edition of the language.", "edition 1"))
    return found


def _attributes(block: Frame, used: set[str]) -> Iterable[Item]:
    if block.kind in statements.STEPS:
        known = (row for row in attributes.ATTRIBUTES if row.name in statements.STEP_ATTRIBUTES[block.kind])
        yield from (_attribute(row) for row in known if row.name not in used)
    if block.kind not in ("job", "role", "target", "template"):
        return
    for row in attributes.ATTRIBUTES:
        legal = row.in_role if block.kind == "role" else row.in_job or block.kind == "template"
        if legal and row.name not in used and (not row.roles or block.kind != "role" or block.name in row.roles):
            yield _attribute(row)


def _attribute(row: attributes.Attribute) -> Item:
    doc = f"{row.doc}\n\nDefault: {row.default}."
    return Item(row.name, "attribute", describe(row.type), doc, f"{row.name} = ", rank=2)


def _settings(block: Frame, used: set[str]) -> Iterable[Item]:
    for row in settings_of(block):
        if row.name not in used:
            kind = describe(row.type) if row.type is not None else ""
            yield Item(row.name, "option", kind, row.doc, f"{row.name} = ", rank=1)


def _options(block: Frame, used: set[str]) -> Iterable[Item]:
    backend = targets.find(block.name) if block.kind == "target" else None
    if backend is None:
        return
    if "version" not in used:
        doc = versions.described(backend.versions)
        yield Item("version", "option", "string", doc, 'version = "$1"', snippet=True, rank=1)
    for option in backend.options:
        if option.name not in used:
            yield Item(option.name, "option", describe(option.type), option.doc, f"{option.name} = ", rank=1)


def continuations(snapshot: Snapshot, cursor: Cursor) -> list[Item] | None:
    """What may go on with the statement at the place; ``None`` when a value may."""
    words = cursor.before
    head = words[0].type
    if any(word.type == "WHEN" for word in words[1:]) and head != "ON":
        return None
    if head == "RUN" and cursor.block.kind == "flow":
        return _of_run(snapshot, words)
    if len(words) == 1 and head in _AT_ONCE:
        return _AT_ONCE[head](snapshot, cursor)
    if len(words) == 2 and head in ("ROLE", "USE", "JOB", "PREPARE", "SIDECAR"):
        return [_WHEN]
    if head in _STATEMENTS:
        return _STATEMENTS[head](cursor, words)
    if head == "PARAM" and words[-1].type in ("COLON", "LESSTHAN") and len(words) < 7:
        return [
            Item(name, "type", text=f"{name}<$1>" if name in ("list", "map") else name, snippet=True)
            for name in statements.PARAM_TYPES
        ]
    if head in _NAMED:
        return None if any(word.type == "EQUAL" for word in words) else []
    if cursor.block.kind in _CONDITIONAL and words[-1].type in (*_VALUE_ENDS, "NAME", "GROUP") and len(words) > 2:
        return [_WHEN]
    return None


_NAMED = (
    *("JOB", "TEMPLATE", "PROFILE", "LET", "PARAM", "EDITION", "INCLUDE", "ROLE", "TARGET", "USE"),
    *("PREPARE", "SIDECAR", "MATRIX"),
)
_WHEN = Item("when", "keyword", "when CONDITION", statements.WORDS["when"][1], rank=4)
_CONDITIONAL = ("job", "role", "target", "template", *statements.STEPS)
"""The blocks whose attributes can have a condition."""


def _of_run(snapshot: Snapshot, words: Sequence[Tok]) -> list[Item]:
    """The jobs of the file, and the words between and behind them."""
    if words[-1].type in ("RUN", "AFTER"):
        return _jobs(snapshot)
    after = next((at for at, word in enumerate(words) if word.type == "AFTER"), None)
    if after is None:
        return [Item("after", "keyword", "run JOB after JOB", rank=1), _WHEN]
    ended = any(word.text in statements.ENDINGS for word in words[after:])
    return [*([] if ended else (Item(name, "keyword", rank=1) for name in statements.ENDINGS)), _WHEN]


def _after_jobs(cursor: Cursor) -> bool:
    """Whether the place is in the brackets behind ``after`` of a flow."""
    head = cursor.frame.head
    return cursor.block.kind == "flow" and bool(head) and head[0].type == "RUN" and head[-1].type == "AFTER"


def _jobs(snapshot: Snapshot) -> list[Item]:
    return [
        Item(job.name.text, "job", text=job.name.span.text, rank=1)
        for job in snapshot.program.jobs
        if job.pattern is None
    ]


def _unset(cursor: Cursor, words: Sequence[Tok]) -> list[Item] | None:
    """What can be taken back, then a condition."""
    types = [word.type for word in words]
    if len(words) == 1:
        what = [Item(word, "keyword", rank=1) for word in ("mount", "output", "on", *statements.STEPS)]
        rows = [row for row in attributes.ATTRIBUTES if row.in_role or cursor.block.kind != "role"]
        return [*what, *(Item(row.name, "attribute", describe(row.type), row.doc, rank=2) for row in rows)]
    if types[1] == "ON":
        return [_WHEN] if _event(words[2:]) is not None else _events(cursor, subject=len(words) > 2)
    if types[1] in ("PREPARE", "SIDECAR"):
        if len(words) > 2:
            return [_WHEN]
        frames = [frame for frame in cursor.frames if frame.kind in _CONDITIONAL]
        return [Item(name, "word", types[1].lower()) for frame in frames for name in block_names(frame, types[1])]
    if types[1] == "OUTPUT":
        if len(words) == 2 or types[-1] == "TO":
            return None
        return [_WHEN] if "TO" in types else [Item("to", "keyword", "to DESTINATION", rank=1)]
    return None if types[1] == "MOUNT" and len(words) == 2 else [_WHEN]


def _templates(snapshot: Snapshot, cursor: Cursor) -> list[Item]:
    used = block_names(cursor.block, "USE")
    return [
        Item(name, "template", text)
        for kind, name, text in declared(snapshot, cursor)
        if kind == "template" and name not in used
    ]


def _role_names(_: Snapshot, cursor: Cursor) -> list[Item]:
    used = block_names(cursor.block, "ROLE")
    return [Item(row.name, "role", row.doc) for row in attributes.ROLES if row.name not in used]


def _targets(_: Snapshot, cursor: Cursor) -> list[Item]:
    used = block_names(cursor.block, "TARGET")
    free = [target for target in targets.every() if not {target.name, *target.aliases} & set(used)]
    return [
        *(Item(target.name, "target", target.title, rank=5) for target in free),
        *(Item(alias, "target", target.title, rank=6) for target in free for alias in target.aliases),
    ]


def _mount(_: Cursor, words: Sequence[Tok]) -> list[Item] | None:
    if len(words) == 1:
        return [
            Item(row.name, "mount", row.source_doc, row.doc) for row in statements.MOUNT_KINDS
        ]  # fmt: skip
    types = [word.type for word in words]
    if "AT" not in types:
        kind = statements.MOUNTS_BY_NAME.get(words[1].text)
        needs_source = kind is None or not kind.optional
        if len(words) == 2 and needs_source:
            return None
        return [Item("at", "keyword", "at PATH", rank=1)]
    if types[-1] == "AT":
        return None
    return [_WHEN] if "READONLY" in types else [Item("readonly", "keyword", "Mount it read-only."), _WHEN]


def _output(cursor: Cursor, words: Sequence[Tok]) -> list[Item] | None:
    types = [word.type for word in words]
    if len(words) == 1 or types[-1] == "TO":
        return None
    if "TO" not in types:
        return [Item("to", "keyword", "to DESTINATION", rank=1)]
    if types[-1] == "ON":
        return [Item(word, "word", "when to copy") for word in statements.OUTPUT_WHEN]
    if types[-1] == "FROM":
        return [Item(name, "role", attributes.ROLES_BY_NAME[name].doc) for name in job_roles(cursor)]
    found: list[Item] = []
    if "FROM" not in types:
        found += [] if "ON" in types else [Item("on", "keyword", "on success, failure or always")]
        found += [] if cursor.block.kind == "role" else [Item("from", "keyword", "from ROLE[INDEX]")]
    return [*found, _WHEN]


def _patch(_: Cursor, words: Sequence[Tok]) -> list[Item] | None:
    types = [word.type for word in words]
    pod, unchecked = (Item(word, "keyword", text, rank=1) for word, text in statements.PATCH_WORDS.items())
    if len(words) == 1:
        return [pod]
    if not {"EQUAL", "APPEND"} & set(types) or types[-1] in ("EQUAL", "APPEND"):
        return None
    if "UNCHECKED" in types:
        return [_WHEN]
    return [unchecked, _WHEN] if types[-1] in _VALUE_ENDS else None


_VALUE_ENDS = ("STRING", "TEXT", "RAW", "NUMBER", "UNIT", "TRUE", "FALSE", "RBRACE", "RSQB", "RPAR")
"""Tokens behind which a value may be whole."""


# --- policies --------------------------------------------------------------------------------------------------


def _policy(cursor: Cursor, words: Sequence[Tok]) -> list[Item] | None:
    arrow = next((at for at, word in enumerate(words) if word.type == "ARROW"), None)
    if arrow is not None:
        event = _event(words[:arrow])
        return _actions(event, words[arrow + 1 :])
    if words[-1].type in ("AFTER", "WHEN"):
        return None
    if any(word.type == "WHEN" for word in words):
        return [Item("=>", "keyword", "=> ACTION", rank=1)] if words[-1].type in (*_VALUE_ENDS, "NAME") else None
    event = _event(words[1:])
    if event is not None:
        rest = [Item("=>", "keyword", "=> ACTION", rank=1), _WHEN]
        if event.takes_delay and not any(word.type == "AFTER" for word in words):
            rest.append(Item("after", "keyword", "after DURATION", rank=1 if event.needs_delay else 2))
        return rest
    return _events(cursor, subject=len(words) > 1)


def _events(cursor: Cursor, *, subject: bool) -> list[Item]:
    """The events, and, without a subject so far, the roles."""
    found = [
        Item(row.name, "event", row.syntax, row.doc)
        for row in statements.EVENTS
        if (row.takes_subject if subject else not row.needs_role or cursor.block.kind == "role")
    ]
    if not subject and cursor.block.kind != "role":
        found += [Item(name, "role", attributes.ROLES_BY_NAME[name].doc, rank=6) for name in job_roles(cursor)]
    return found


def _event(words: Sequence[Tok]) -> statements.Event | None:
    by_name = {row.name: row for row in statements.EVENTS}
    return next((by_name[word.text] for word in words if word.text in by_name), None)


def _actions(event: statements.Event | None, typed: Sequence[Tok]) -> list[Item]:
    """The actions of an event; behind a first word only what is missing of those that begin with it."""
    found: list[Item] = []
    for row in statements.ACTIONS:
        if event is not None and row.name not in event.actions:
            continue
        first, _, second = row.name.partition(" ")
        if not typed:
            found.append(Item(row.name, "action", "", row.doc))
        elif len(typed) == 1 and typed[0].text == first and second:
            found.append(Item(second, "action", row.name, row.doc))
    return found


_AT_ONCE = {"ROLE": _role_names, "TARGET": _targets, "USE": _templates}
"""What comes right behind a keyword."""

_STATEMENTS = {
    "MOUNT": _mount,
    "OUTPUT": _output,
    "ON": _policy,
    "PATCH": _patch,
    "UNPATCH": _patch,
    "UNSET": _unset,
}
"""What comes anywhere behind a keyword."""
