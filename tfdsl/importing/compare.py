"""What differs between two documents in their normal form, by path.

The steps of a path are keys and, in lists whose items are known by a name, :class:`Named`; other lists differ as a
whole, because an index says nothing once another item comes before it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping as Map, Sequence as Many
from typing import Final, TypeAlias, cast

from tfdsl.backend.draft import Bare, Draft, Patch, Value
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import SERVER_REFUSES
from tfdsl.emit import located
from tfdsl.emit.located import Data
from tfdsl.manifest.nodes import Mapping, Node, Scalar, Sequence, mapping, plain
from tfdsl.patch.apply import pod_templates
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.syntax.patch_path import quoted
from tfdsl.text import Span

_NAMES: Final = ("name", "mountPath", "containerPort", "key")
"""By what items of lists are known, as patches select them; the first that all items have, each another, counts."""


_UNORDERED: Final = (("ports",), ("volumes",), ("volumeMounts",))
"""Keys of lists whose order means nothing; a normal form has sorted them."""


class Named(Record):
    """The item of a list whose ``key`` is ``value``."""

    key: str
    value: str


Step: TypeAlias = str | Named


class Difference(Record):
    """What is at ``path`` in one document and not in the other.

    ``wanted``: there in the first, which is what is wanted; ``got``: there in the second.
    """

    path: tuple[Step, ...]
    wanted: Node | None
    got: Node | None


class Pair(Record):
    """Two documents about the same object; one of them may be missing. ``name``: ``TFJob/mnist``, or a file."""

    name: str
    first: Node | None
    second: Node | None


def pairs(nodes: Many[Node], got: Many[Node]) -> list[Pair]:
    """The documents by kind and name, those of ``nodes`` first; the main ones are about the same job in any case."""
    first, second = _by_name(nodes), _by_name(got)
    if first and second:
        main = next(iter(second))
        first = {main: nodes[0], **{name: node for name, node in first.items() if node is not nodes[0]}}
    return [Pair(name, first.get(name), second.get(name)) for name in {**first, **second}]


def differences(node: Node, got: Node, path: tuple[Step, ...] = ()) -> Iterator[Difference]:
    """Every place at which two documents differ, which are at ``path``."""
    if isinstance(node, Mapping) and isinstance(got, Mapping):
        for key in {**node.entries, **got.entries}:
            yield from _member(node.get(key), got.get(key), (*path, key))
    elif isinstance(node, Sequence) and isinstance(got, Sequence):
        yield from _differ_lists(node, got, path)
    elif not same(node, got):
        yield Difference(path, node, got)


def same(node: Node | None, other: Node | None) -> bool:
    """Whether two trees hold the same, wherever they come from; ``1`` and ``"1"`` are not the same."""
    if isinstance(node, Scalar) and isinstance(other, Scalar):
        return node.value == other.value and isinstance(node.value, bool | str) == isinstance(other.value, bool | str)
    if isinstance(node, Mapping) and isinstance(other, Mapping):
        if node.entries.keys() != other.entries.keys():
            return False
        return all(same(entry.value, other.entries[key].value) for key, entry in node.entries.items())
    if isinstance(node, Sequence) and isinstance(other, Sequence):
        return len(node.items) == len(other.items) and all(map(same, node.items, other.items))
    return node is None and other is None


def _by_name(documents: Iterable[Node]) -> dict[str, Node]:
    named: dict[str, Node] = {}
    for number, document in enumerate(documents):
        named.setdefault(name_of(document, number), document)
    return named


def name_of(document: Node, number: int) -> str:
    """``KIND/NAME``; of what has none its number."""
    kind = _text(document, "kind")
    metadata = document.get("metadata") if isinstance(document, Mapping) else None
    name = _text(metadata, "name")
    return f"{kind}/{name}" if kind and name else str(number)


def _text(node: Node | None, key: str) -> str:
    value = node.get(key) if isinstance(node, Mapping) else None
    return str(value.value) if isinstance(value, Scalar) and value.value is not None else ""


def _member(node: Node | None, got: Node | None, path: tuple[Step, ...]) -> Iterator[Difference]:
    if node is not None and got is not None:
        yield from differences(node, got, path)
    elif node is not None or got is not None:
        yield Difference(path, node, got)


def _differ_lists(wanted: Sequence, got: Sequence, path: tuple[Step, ...]) -> Iterator[Difference]:
    if same(wanted, got):
        return
    for key in _NAMES:
        first, second = named_items(wanted, key), named_items(got, key)
        if first is not None and second is not None:
            if _may_be_patched(list(first), list(second), ordered=path[-1:] not in _UNORDERED):
                for value in {**second, **first}:
                    yield from _member(first.get(value), second.get(value), (*path, Named(key, value)))
                return
            break
    yield Difference(path, wanted, got)


def named_items(node: Sequence, key: str) -> dict[str, Node] | None:
    """The items by the value of ``key``; ``None`` where one has none, or two have the same."""
    items: dict[str, Node] = {}
    for item in node.items:
        value = item.get(key) if isinstance(item, Mapping) else None
        if not isinstance(value, Scalar) or value.value is None or isinstance(value.value, float):
            return None
        text = ("true" if value.value else "false") if isinstance(value.value, bool) else str(value.value)
        if text in items:
            return None
        items[text] = item
    return items


def _may_be_patched(wanted: list[str], got: list[str], *, ordered: bool) -> bool:
    """Whether appending and removing items gives the order of ``wanted``; else the whole list has to be written."""
    if not ordered:
        return not set(wanted).isdisjoint(got)
    before, after = set(got), set(wanted)
    kept = [name for name in got if name in after]
    added = [name for name in wanted if name not in before]
    return wanted == [*kept, *added] and bool(kept)


At: TypeAlias = Step | int
"""A step of a path; a number where the items of a list have no names."""


# --- patches for what differs: in pod templates for all roles that need it, else for one -------------------------


_PLAIN: Final = regex(r"[^'\]\s][^'\]]*")
WHY: Final = "The language has no word for this."


class _Change(Record):
    """One patch to be: in which document (its prefix), in the pods of which role or none, below which path.

    ``operator``: as it is written; ``new`` for a key that is missing, ``merge`` for several of them. ``document`` and
    ``above``: the prefix and the path of the pod template, for a change of only one of several of a role.
    """

    prefix: str
    role: str | None
    in_pod: bool
    path: tuple[Step, ...]
    operator: str
    node: Node
    document: str = ""
    above: tuple[Step, ...] = ()

    def alone(self) -> _Change:
        """The same in its own document only."""
        path = (*self.above, *self.path)
        return _Change(self.document, None, in_pod=False, path=path, operator=self.operator, node=self.node)


def residue(nodes: Many[Node], got: Many[Node], raw: Many[Data], refused: Refused) -> list[tuple[str | None, Patch]]:
    """The patches that make ``got`` into ``nodes``, both in normal form, each with its role or ``None`` for all.

    None of them can make a document that only one side has, or take it away.
    ``raw``: the data of the compiled documents, which knows of which role each pod template is. ``refused``: the places
    of values that the server does not take, so that no patch can have them, with what stands for them.
    """
    templates = _Templates(got, raw)
    changes: list[_Change] = []
    for pair in pairs(nodes, got):
        if pair.first is None or pair.second is None:
            continue
        prefix = "" if pair.name == templates.main else f"{pair.name}:"
        changes += [
            templates.change(pair.name, prefix, difference, pair.second)
            for one in differences(pair.first, pair.second)
            if (difference := possible(one, refused)) is not None
        ]
    return list(_patches(_grouped(_shared(changes, templates))))


Refused: TypeAlias = "Map[Span, Scalar | None]"
"""Values that a server does not take, by their places, each with what stands for it, if anything does."""


def refused_of(diagnostics: Iterable[Diagnostic]) -> dict[Span, Scalar | None]:
    """What the server refuses, as ``diagnostics`` say it; the first fix of one is the value, in JSON."""
    return {
        diagnostic.span: Scalar(json.loads(diagnostic.fixes[0].edits[0].text), diagnostic.span)
        if diagnostic.fixes
        else None
        for diagnostic in diagnostics
        if diagnostic.rule is SERVER_REFUSES
    }


def possible(difference: Difference, refused: Refused) -> Difference | None:
    """``difference`` without the ``refused`` values; ``None`` where it is about nothing else."""
    if difference.wanted is None:
        return difference
    node = _without(difference.wanted, refused)
    return None if node is None or same(node, difference.got) else replace(difference, wanted=node)


def _without(node: Node, refused: Refused) -> Node | None:
    """``node`` with what stands for the ``refused`` values, without the others and without what is empty then."""
    if isinstance(node, Scalar) or node.span in refused:
        return refused.get(node.span, node)
    if isinstance(node, Mapping):
        kept = {key: (entry, _without(entry.value, refused)) for key, entry in node.entries.items()}
        entries = {key: replace(entry, value=value) for key, (entry, value) in kept.items() if value is not None}
        return Mapping(entries, node.span) if entries or not node.entries else None
    items = tuple(item for value in node.items if (item := _without(value, refused)) is not None)
    return Sequence(items, node.span) if items or not node.items else None


def halves(patch: Patch) -> list[Patch]:
    """Two patches that together do what ``patch`` does; none where it writes a single value or item."""
    path, node = _narrowed(patch.path, patch.node)
    nodes: list[Node] = []
    if isinstance(node, Mapping):
        entries = list(node.entries.items())
        parts = (entries[: len(entries) // 2], entries[len(entries) // 2 :])
        nodes = [Mapping(dict(part), part[0][1].value.span) for part in parts if part]
    elif isinstance(node, Sequence) and len(node.items) > 1:
        middle = len(node.items) // 2
        nodes = [Sequence(items, items[0].span) for items in (node.items[:middle], node.items[middle:])]
    made: list[Patch] = []
    for half in nodes:
        at, value = _narrowed(path, half)
        if value is not None:
            operator = "+=" if value is half else "="
            made.append(replace(patch, path=at, operator=operator, value=value_of(value), span=half.span, node=value))
    return made


def _narrowed(path: str, node: Node | None) -> tuple[str, Node | None]:
    """Path and value of what is in maps of a single key."""
    while isinstance(node, Mapping) and len(node.entries) == 1:
        [(key, entry)] = node.entries.items()
        path, node = f"{path}.{quoted(key)}", entry.value
    return path, node


def add_patches(draft: Draft, patches: Iterable[tuple[str | None, Patch]]) -> None:
    """Put ``patches`` into the target block of ``draft``, or the role's block there."""
    for role, patch in patches:
        (draft.options if role is None else draft.role_option(role)).add(patch)


def explained(draft: Draft) -> Draft:
    """``draft`` with a comment above the first patch of each block that has none of its own."""
    result = draft.copy()
    for block in result.target_blocks():
        written = [
            statement
            for statement in block.statements
            if isinstance(statement, Patch) and statement.operator and not statement.why
        ]
        if written:
            block.statements = [
                replace(statement, why=WHY) if statement is written[0] else statement for statement in block.statements
            ]
    return result


class _Templates:
    """Where the pod templates of the compiled documents are, by name of the document and keys and numbers."""

    def __init__(self, got: Many[Node], raw: Many[Data]) -> None:
        from tfdsl.emit.located import plain as plain_data

        self.names = [name_of(node, number) for number, node in enumerate(got)]
        self.main = self.names[0] if self.names else ""
        self.places = [
            (self.names[pod_template.document], pod_template.at, pod_template.role)
            for pod_template in pod_templates(raw)
            if pod_template.document < len(self.names)
        ]
        self.data = {
            name: plain_data(data) if data is not None else plain(node)
            for name, node, data in zip(self.names, got, raw, strict=False)
        }

    def roles(self) -> set[str | None]:
        """The roles that have pods."""
        return {role for _, _, role in self.places}

    def change(self, name: str, prefix: str, difference: Difference, got: Node) -> _Change:
        """What has to be done about ``difference`` in the document ``name``."""
        path = difference.path
        concrete = _concrete(path, self.data[name] if name in self.data else plain(got))
        role, cut = None, 0
        for document, at, of in self.places:
            if document == name and len(at) < len(concrete) and tuple(concrete[: len(at)]) == at:
                role, cut = of, len(at)
        node = difference.wanted if difference.wanted is not None else difference.got
        assert node is not None
        change = _Change("" if cut else prefix, role, bool(cut), path[cut:], "=", node, prefix, path[:cut])
        if difference.wanted is None:
            return replace(change, operator="")
        if difference.got is not None:
            return change
        if not isinstance(path[-1], Named):
            return replace(change, operator="new")
        item = Sequence((node,), node.span)
        return replace(change, path=change.path[:-1], operator="+=", node=item)


def _concrete(path: tuple[Step, ...], data: object) -> list[str | int]:
    """``path`` with numbers instead of names; the numbers of the raw document, which a normal form may have sorted."""
    steps: list[str | int] = []
    for step in path:
        if isinstance(step, Named):
            items = cast("list[object]", data) if isinstance(data, list) else []
            known = [
                str(cast("dict[str, object]", item).get(step.key)) if isinstance(item, dict) else "" for item in items
            ]
            number = known.index(step.value) if step.value in known else len(known)
            steps.append(number)
            data = items[number] if number < len(items) else None
        else:
            steps.append(step)
            data = cast("dict[str, object]", data).get(step) if isinstance(data, dict) else None
    return steps


def _shared(changes: Many[_Change], templates: _Templates) -> list[_Change]:
    """The changes with those that the pods of every role, or all pods of a role, need said once."""
    roles = templates.roles()
    pods = Counter(role for _, _, role in templates.places)
    kept: list[_Change] = []
    done: set[str] = set()
    times = Counter((_identity(change), change.role) for change in changes)
    for change in changes:
        identity = _identity(change)
        if change.in_pod and times[identity, change.role] < pods[change.role]:
            kept.append(change.alone())
            continue
        everywhere = change.in_pod and all((times[identity, role] == pods[role]) for role in roles)
        if everywhere and identity in done:
            continue
        seen = f"{identity} {change.role}"
        if seen in done:  # one Job of several of a role
            continue
        done.update((identity, seen) if everywhere else (seen,))
        kept.append(replace(change, role=None) if everywhere else change)
    return kept


def _identity(change: _Change) -> str:
    return f"{change.prefix} {change.in_pod} {path_text(change.path)} {change.operator} {plain(change.node)!r}"


def _grouped(changes: Many[_Change]) -> list[_Change]:
    """Items that are added to one list, and keys that are added to one map, in one patch."""
    grouped: list[list[_Change]] = []
    places: dict[object, list[_Change]] = {}
    for change in changes:
        new = change
        key = change.path[-1] if len(change.path) > 1 else None
        if change.operator == "new" and isinstance(key, str) and isinstance(change.node, Scalar):
            node = mapping({key: change.node}, change.node.span)
            new = replace(change, path=change.path[:-1], operator="merge", node=node)
        alone: list[_Change] = []
        place = (new.prefix, new.role, new.in_pod, new.path, new.operator)
        together = places.setdefault(place, alone) if new.operator in ("+=", "merge") else alone
        if together is alone:
            grouped.append(together)
        together.append(new)
    return [_joined(together) for together in grouped]


def _joined(changes: Many[_Change]) -> _Change:
    """The changes of one place as one."""
    first, *others = changes
    if not others:
        return first
    nodes = [change.node for change in changes]
    if isinstance(first.node, Sequence):
        items = [item for node in nodes if isinstance(node, Sequence) for item in node.items]
        return replace(first, node=Sequence(tuple(items), first.node.span))
    entries = {key: entry for node in nodes if isinstance(node, Mapping) for key, entry in node.entries.items()}
    return replace(first, node=Mapping(entries, first.node.span))


def _patches(changes: Iterable[_Change]) -> Iterator[tuple[str | None, Patch]]:
    """Removals last of all: what is removed may be what a step of another path selects by."""
    for change in sorted(changes, key=lambda change: (change.operator == "", change.role or "")):
        path, operator, node = change.path, change.operator, change.node
        adds = operator not in ("", "=")  # a list that replaces another is not the sum of its items
        if operator == "merge":
            assert isinstance(node, Mapping)
            if len(node.entries) == 1:  # a single key reads better as a path of its own
                [entry] = node.entries.values()
                path, operator, node = (*path, entry.key), "=", entry.value
            else:
                operator = "+="
        elif operator == "new":
            operator = "="
        text = f"{change.prefix}{path_text(path)}"
        value = value_of(node) if operator else ""
        yield change.role, Patch(text, operator, value, change.in_pod, span=node.span, node=node if adds else None)


def path_text(path: Iterable[At]) -> str:
    """``path`` as it is written in a patch."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif isinstance(step, Named):
            value = step.value if _PLAIN.fullmatch(step.value) else "'" + step.value.replace("'", "''") + "'"
            text += f"[{step.key}={value}]"
        else:
            text += f".{quoted(step)}" if text else quoted(step)
    return text


def value_of(node: Node) -> Value:
    """The value of the language that is written to a manifest as ``node``."""
    if isinstance(node, Mapping):
        return {key: value_of(entry.value) for key, entry in node.entries.items() if not _is_null(entry.value)}
    if isinstance(node, Sequence):
        return [value_of(item) for item in node.items if not _is_null(item)]
    assert isinstance(node, Scalar)
    if isinstance(node.value, float):
        return Bare(located.without_exponent(node.value))
    return node.value if node.value is not None else ""


def _is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None
