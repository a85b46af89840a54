"""What may begin or go on with a statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.lsp.features.completion.item import Item
from tfdsl.lsp.features.completion.names import block_names, declared, job_roles
from tfdsl.lsp.features.completion.snippets import snippets
from tfdsl.lsp.features.completion.values import settings_of
from tfdsl.vocabulary import attributes, policies, roles, statements, versions
from tfdsl.vocabulary.types import describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tfdsl.lsp.cursor import Cursor, Frame, Tok
    from tfdsl.lsp.snapshot import Snapshot


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
    if block.kind == "job":
        there = {words[0].type.lower() for words in block.statements[:-1] if words}
        found = [item for item in found if item.label not in ({"cluster", "build"} & there)]
    if block.kind == "file" and not any(block.statements[:-1]):
        found.append(Item("edition", "keyword", "edition 1", "The edition of the language.", "edition 1"))
    return found


def _attributes(block: Frame, used: set[str]) -> Iterable[Item]:
    if block.kind not in ("job", "role", "target", "template"):
        return
    for row in attributes.ATTRIBUTES:
        legal = row.in_role if block.kind == "role" else row.in_job or block.kind == "template"
        if legal and row.name not in used and (not row.roles or block.kind != "role" or block.name in row.roles):
            doc = f"{row.doc}\n\nDefault: {row.default}."
            yield Item(row.name, "attribute", describe(row.type), doc, f"{row.name} = ", rank=2)


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
    if head == "ROLE" and len(words) == 1:
        return _role_names(cursor)
    if head == "TARGET" and len(words) == 1:
        return _targets(cursor)
    if head == "USE" and len(words) == 1:
        used = block_names(cursor.block, "USE")
        return [
            Item(name, "template", text)
            for kind, name, text in declared(snapshot, cursor)
            if kind == "template" and name not in used
        ]
    if head == "PARAM" and words[-1].type in ("COLON", "LESSTHAN") and len(words) < 7:
        return [
            Item(name, "type", text=f"{name}<$1>" if name in ("list", "map") else name, snippet=True)
            for name in statements.PARAM_TYPES
        ]
    if head == "MOUNT":
        return _mount(words)
    if head == "OUTPUT":
        return _output(cursor, words)
    if head == "ON":
        return _policy(cursor, words)
    if head in ("PATCH", "UNPATCH"):
        return _patch(words)
    if head in ("JOB", "TEMPLATE", "PROFILE", "LET", "PARAM", "EDITION", "INCLUDE", "ROLE", "TARGET", "USE"):
        return None if any(word.type == "EQUAL" for word in words) else []
    return None


def _role_names(cursor: Cursor) -> list[Item]:
    used = block_names(cursor.block, "ROLE")
    return [Item(row.name, "role", row.doc) for row in roles.ROLES if row.name not in used]


def _targets(cursor: Cursor) -> list[Item]:
    used = block_names(cursor.block, "TARGET")
    free = [target for target in targets.every() if not {target.name, *target.aliases} & set(used)]
    return [
        *(Item(target.name, "target", target.title, rank=5) for target in free),
        *(Item(alias, "target", target.title, rank=6) for target in free for alias in target.aliases),
    ]


def _mount(words: Sequence[Tok]) -> list[Item] | None:
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
    return [] if "READONLY" in types else [Item("readonly", "keyword", "Mount it read-only.")]


def _output(cursor: Cursor, words: Sequence[Tok]) -> list[Item] | None:
    types = [word.type for word in words]
    if len(words) == 1 or types[-1] == "TO":
        return None
    if "TO" not in types:
        return [Item("to", "keyword", "to DESTINATION", rank=1)]
    if types[-1] == "ON":
        return [Item(word, "word", "when to copy") for word in statements.OUTPUT_WHEN]
    if types[-1] == "FROM":
        return [Item(name, "role", roles.BY_NAME[name].doc) for name in job_roles(cursor)]
    found: list[Item] = []
    if "FROM" not in types:
        found += [] if "ON" in types else [Item("on", "keyword", "on success, failure or always")]
        found += [] if cursor.block.kind == "role" else [Item("from", "keyword", "from ROLE[INDEX]")]
    return found


def _patch(words: Sequence[Tok]) -> list[Item] | None:
    types = [word.type for word in words]
    pod, unchecked = (Item(word, "keyword", text, rank=1) for word, text in statements.PATCH_WORDS.items())
    if len(words) == 1:
        return [pod]
    if not {"EQUAL", "APPEND"} & set(types) or types[-1] in ("EQUAL", "APPEND"):
        return None
    if "UNCHECKED" in types:
        return []
    return [unchecked] if types[-1] in _VALUE_ENDS else None


_VALUE_ENDS = ("STRING", "TEXT", "RAW", "NUMBER", "UNIT", "TRUE", "FALSE", "RBRACE", "RSQB", "RPAR")
"""Tokens behind which a value may be whole."""


# --- policies --------------------------------------------------------------------------------------------------


def _policy(cursor: Cursor, words: Sequence[Tok]) -> list[Item] | None:
    arrow = next((at for at, word in enumerate(words) if word.type == "ARROW"), None)
    if arrow is not None:
        event = _event(words[:arrow])
        return _actions(event, words[arrow + 1 :])
    if words[-1].type == "AFTER":
        return None
    event = _event(words[1:])
    if event is not None:
        rest = [Item("=>", "keyword", "=> ACTION", rank=1)]
        if event.takes_delay and not any(word.type == "AFTER" for word in words):
            rest.append(Item("after", "keyword", "after DURATION", rank=1 if event.needs_delay else 2))
        return rest
    subject = len(words) > 1
    found = [
        Item(row.name, "event", row.syntax, row.doc)
        for row in policies.EVENTS
        if (row.takes_subject if subject else not row.needs_role or cursor.block.kind == "role")
    ]
    if not subject and cursor.block.kind != "role":
        found += [Item(name, "role", roles.BY_NAME[name].doc, rank=6) for name in job_roles(cursor)]
    return found


def _event(words: Sequence[Tok]) -> policies.Event | None:
    by_name = {row.name: row for row in policies.EVENTS}
    return next((by_name[word.text] for word in words if word.text in by_name), None)


def _actions(event: policies.Event | None, typed: Sequence[Tok]) -> list[Item]:
    """The actions of an event; behind a first word only what is missing of those that begin with it."""
    found: list[Item] = []
    for row in policies.ACTIONS:
        if event is not None and row.name not in event.actions:
            continue
        first, _, second = row.name.partition(" ")
        if not typed:
            found.append(Item(row.name, "action", "", row.doc))
        elif len(typed) == 1 and typed[0].text == first and second:
            found.append(Item(second, "action", row.name, row.doc))
    return found
