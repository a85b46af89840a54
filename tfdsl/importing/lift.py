"""What all roles have in common is said once, in the job.

A manifest says everything for each role again; the job's value is the default of every role. Only what every training
role says itself is lifted, so no role gets what it did not have.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from tfdsl.backend.draft import Attribute, Bare, Block, Draft, Mount, Statement, Step, Text, Value
from tfdsl.importing.write import Let
from tfdsl.patterns import regex
from tfdsl.record import replace
from tfdsl.vocabulary import attributes
from tfdsl.vocabulary.attributes import BOARD

_MAJORITY: Final = 3
"""With so many roles, what all but a few have is said in the job too; the few say otherwise."""


def lifted(draft: Draft) -> Draft:
    """The same job with common statements of its roles in the job's block."""
    training = [name for name in draft.roles if name != BOARD]
    if not training:
        return draft
    common = {key: value for key, value in _candidates(draft, training) if _may_be_lifted(draft, value)}
    common |= {step.identity: step for step in _steps(draft, training)}
    result = draft.copy()
    taken = {one.identity for one in draft.job.statements}
    common = {identity: one for identity, one in common.items() if identity not in taken}
    for one in common.values():
        result.job.add(one)
    for name, block in draft.roles.items():
        rest = Block()
        for statement in block.statements:
            inherits = name != BOARD or _is_inherited(statement)
            left = _left(statement, common.get(statement.identity)) if inherits else statement
            if left is not None:
                rest.add(left)
        result.roles[name] = rest
    return result


def with_common_labels(draft: Draft) -> Draft:
    """The same job with the labels that its object and all its pods have in ``common_labels``."""
    blocks = [[_meaning(one) for one in _entries(block, "labels")] for block in _blocks(draft)]
    result = draft.copy()
    for one in _entries(draft.job, "labels"):
        if all(_meaning(one) in each for each in blocks):
            for block in _blocks(result):
                block.statements = [each for each in block.statements if _meaning(each) != _meaning(one)]
            result.job.add(replace(one, name="common_labels"))
    return result


def _is_inherited(statement: Statement) -> bool:
    """Whether tensorboard takes it from the job."""
    return isinstance(statement, Mount) or (
        isinstance(statement, Attribute) and statement.name in attributes.TENSORBOARD_INHERITS
    )


def _left(statement: Statement, common: Statement | None) -> Statement | None:
    """What a role still has to say of ``statement`` when the job says ``common``; ``None`` for nothing."""
    if common is None:
        return statement
    if _equal(statement, common):
        return None
    if isinstance(statement, Step) and isinstance(common, Step):
        said = [_meaning(each) for each in common.statements]
        return replace(statement, statements=tuple(each for each in statement.statements if _meaning(each) not in said))
    return statement


def _steps(draft: Draft, training: list[str]) -> Iterable[Step]:
    """The steps with which every training role begins, as far as they are the same in all.

    Steps of the job come before those of a role, so their order is kept only for those at the beginning.
    """
    lists = [
        [statement for statement in draft.roles[name].statements if isinstance(statement, Step)] for name in training
    ]
    if len(lists) < 2:
        return
    for same in zip(*lists, strict=False):
        if len({step.identity for step in same}) > 1:
            return
        others = [[_meaning(each) for each in step.statements] for step in same[1:]]
        shared = [each for each in same[0].statements if all(_meaning(each) in other for other in others)]
        if not shared:
            return
        yield replace(same[0], statements=tuple(shared))


def _candidates(draft: Draft, training: list[str]) -> Iterable[tuple[str, Statement]]:
    """What every training role says, with the value that most have."""
    blocks = [{statement.identity: statement for statement in draft.roles[name].statements} for name in training]
    for identity, first in blocks[0].items():
        said = [block[identity] for block in blocks if identity in block]
        if len(said) < len(blocks) or (len(blocks) == 1 and not _is_of_program(first)):
            continue
        counts = [sum(_equal(one, other) for other in said) for one in said]
        most = max(counts)
        if most == len(said) or (len(said) >= _MAJORITY and most > len(said) // 2 and _is_of_program(first)):
            yield identity, said[counts.index(most)]


def _is_of_program(statement: Statement) -> bool:
    return isinstance(statement, Attribute) and statement.name in attributes.PROGRAM


def _may_be_lifted(draft: Draft, statement: Statement) -> bool:
    """Whether the job can say it, and tensorboard, which says it too or does not inherit it, stays as it is."""
    aside = draft.roles.get(BOARD)
    inherits: bool
    if isinstance(statement, Attribute):
        row = attributes.BY_NAME.get(statement.name)
        if row is None or row.where != "both":
            return False
        inherits = statement.name in attributes.TENSORBOARD_INHERITS
    elif isinstance(statement, Mount):
        inherits = True
    else:
        return False
    return aside is None or not inherits or any(other.identity == statement.identity for other in aside.statements)


def _equal(statement: Statement, other: Statement) -> bool:
    """Whether two statements say the same, wherever they were read."""
    return _meaning(statement) == _meaning(other)


def _meaning(statement: Statement) -> object:
    if isinstance(statement, Step):
        return (
            Step,
            statement.kind,
            statement.name,
            tuple((each.name, each.key, repr(each.value)) for each in statement.statements),
        )
    return type(statement), tuple(
        repr(getattr(statement, field)) for field in type(statement).__fields__ if field != "span"
    )


# --- lets: what is repeated is said once -------------------------------------------------------------------------


_NAME: Final = regex(r"[a-z][a-z0-9_]*")
_LONG_PATH: Final = 12
_OFTEN: Final = 3


def with_lets(drafts: Sequence[Draft]) -> tuple[list[Draft], list[Let]]:
    """``drafts`` with names for what they repeat, and these names."""
    named, lets = _with_texts(drafts)
    for name in ("labels", "annotations"):  # what a job does not give its roles
        named, more = _with_map(named, name)
        lets += more
    return named, lets


def _with_map(drafts: Sequence[Draft], name: str) -> tuple[list[Draft], list[Let]]:
    """``drafts`` with one name for the map ``name``, if many blocks have the same."""
    entries = [_entries(block, name) for draft in drafts for block in _blocks(draft)]
    shown = [repr([(one.key, one.value) for one in each]) for each in entries]
    times = Counter(shown)
    several = (one for one, each in zip(shown, entries, strict=True) if len(each) > 1)
    most = max(several, key=lambda one: times[one], default="")
    if times[most] < _OFTEN:
        return list(drafts), []
    value = {one.key or "": one.value for one in entries[shown.index(most)]}
    let = Let(f"shared_{name}", value)
    changed = [draft.copy() for draft in drafts]
    for draft in changed:
        for block in _blocks(draft):
            own = _entries(block, name)
            if repr([(one.key, one.value) for one in own]) == most:
                at = block.statements.index(own[0])
                gone = {id(one) for one in own}
                rest = [statement for statement in block.statements if id(statement) not in gone]
                block.statements = [*rest[:at], Attribute(name, Bare(let.name), own[0].span), *rest[at:]]
    return changed, [let]


def _entries(block: Block, name: str) -> list[Attribute]:
    return [
        statement
        for statement in block.statements
        if isinstance(statement, Attribute) and statement.name == name and statement.key is not None
    ]


def _blocks(draft: Draft) -> list[Block]:
    return [draft.job, *draft.roles.values()]


def _with_texts(drafts: Sequence[Draft]) -> tuple[list[Draft], list[Let]]:
    """``drafts`` with names for the beginnings of texts that they repeat."""
    lets: list[Let] = []
    names = {param.name for draft in drafts for param in draft.params}
    registry = _registry(drafts)
    if registry is not None and "registry" not in names:
        lets.append(Let("registry", registry))
        names.add("registry")
    for path in _paths(drafts):
        name = _name_of(path, names)
        if name is not None:
            names.add(name)
            lets.append(Let(name, path))
    if not lets:
        return list(drafts), []
    return [_with(draft, lets) for draft in drafts], lets


def _registry(drafts: Sequence[Draft]) -> str | None:
    """The folder that most images come from, if several different ones do."""
    images = dict.fromkeys(value for statement in _statements(drafts) for value in _images(statement))
    folders = Counter(image.rpartition("/")[0] for image in images if "/" in image)
    most = max(folders, key=lambda folder: folders[folder], default="")
    return most if folders[most] > 1 else None


def _images(statement: Statement) -> Iterator[str]:
    for each in statement.statements if isinstance(statement, Step) else (statement,):
        if isinstance(each, Attribute) and each.name == "image" and isinstance(each.value, str):
            yield each.value


def _paths(drafts: Sequence[Draft]) -> Iterator[str]:
    """Long paths of mounts that other texts begin with or are, the longest first."""
    statements = list(_statements(drafts))
    mounts = dict.fromkeys(
        statement.at for statement in statements if isinstance(statement, Mount) and isinstance(statement.at, str)
    )
    texts = sorted(text for statement in statements for text in _texts(statement))
    for path in sorted(mounts, key=len, reverse=True):
        if len(path) >= _LONG_PATH and _uses(path, texts) >= _OFTEN:
            yield path


def _uses(path: str, texts: Sequence[str]) -> int:
    """How many of the sorted ``texts`` are ``path`` or begin with it and a slash; each of both stands together."""
    itself = bisect_right(texts, path) - bisect_left(texts, path)
    after_slash = chr(ord("/") + 1)
    return itself + bisect_left(texts, path + after_slash) - bisect_left(texts, f"{path}/")


def _name_of(path: str, taken: set[str]) -> str | None:
    last = path.rstrip("/").rpartition("/")[2].replace("-", "_").replace(".", "_").lower()
    reserved = {"job", "role", "roles", "task", "env", "matrix", "true", "false"}
    for name in (last, f"{last}_folder"):
        if _NAME.fullmatch(name) and name not in taken and name not in reserved:
            return name
    return None


def _statements(drafts: Sequence[Draft]) -> Iterator[Statement]:
    for draft in drafts:
        for block in _blocks(draft):
            yield from block.statements


def _texts(statement: Statement) -> Iterator[str]:
    found: list[str] = []

    def note(text: str) -> Value:
        found.append(text)
        return text

    _changed(statement, note)
    yield from found


def _with(draft: Draft, lets: Sequence[Let]) -> Draft:
    order: dict[str, int] = {}
    for number, let in enumerate(lets):
        assert isinstance(let.value, str)
        order.setdefault(let.value, number)
    lengths = {len(beginning) for beginning in order}

    def named(text: str) -> Value:
        ends = [length for length in lengths if text[length : length + 1] in ("", "/") and text[:length] in order]
        if not ends:
            return text
        end = min(ends, key=lambda length: order[text[:length]])  # the first of those that the text begins with
        name = Bare(lets[order[text[:end]]].name)
        return name if end == len(text) else Text((name, text[end:]))

    result = draft.copy()
    for block in _blocks(result):
        _change(block, named)
    return result


def _change(block: Block, change: Callable[[str], Value]) -> None:
    block.statements = [_changed(statement, change) for statement in block.statements]


def _changed(statement: Statement, change: Callable[[str], Value]) -> Statement:
    """``statement`` with its texts changed; itself where nothing does, because comments know statements by identity."""
    if isinstance(statement, Attribute):
        value = _value(statement.value, change)
        return statement if value == statement.value else replace(statement, value=value)
    if isinstance(statement, Mount):
        at = _value(statement.at, change)
        return statement if at == statement.at else replace(statement, at=at)
    if isinstance(statement, Step):
        inner = tuple(_changed(each, change) for each in statement.statements)
        return statement if inner == statement.statements else replace(statement, statements=inner)
    return statement


def _value(value: Value, change: Callable[[str], Value]) -> Value:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, bool | int | Bare | Text):
        return value
    if isinstance(value, Mapping):
        return {key: _value(one, change) for key, one in value.items()}
    return [_value(one, change) for one in value]
