"""What all roles have in common is said once, in the job.

A manifest says everything for each role again; the job's value is the default of every role. Only what every training
role says itself is lifted, so no role gets what it did not have.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tfdsl.draft import Attribute, Block, Draft, Mount, Statement, Step
from tfdsl.record import replace
from tfdsl.vocabulary import attributes

_ASIDE: Final = "tensorboard"
"""The role that trains nothing, and inherits little."""

_OF_PROGRAM: Final = ("image", "image_pull_policy", "image_pull_secrets", "command", "args", "workdir",
                      "env", "env_from", "service_account", "host_network")  # fmt: skip
"""What a job with one training role says in the job: what runs, not what it needs."""

_MAJORITY: Final = 3
"""With so many roles, what all but a few have is said in the job too; the few say otherwise."""


def lifted(draft: Draft) -> Draft:
    """The same job with common statements of its roles in the job's block."""
    training = [name for name in draft.roles if name != _ASIDE]
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
        for one in block.statements:
            inherits = name != _ASIDE or _is_inherited(one)
            left = _left(one, common.get(one.identity)) if inherits else one
            if left is not None:
                rest.add(left)
        result.roles[name] = rest
    return result


def _is_inherited(one: Statement) -> bool:
    """Whether tensorboard takes it from the job."""
    return isinstance(one, Mount) or (isinstance(one, Attribute) and one.name in attributes.TENSORBOARD_INHERITS)


def _left(one: Statement, common: Statement | None) -> Statement | None:
    """What a role still has to say of ``one`` when the job says ``common``; ``None`` for nothing."""
    if common is None:
        return one
    if _equal(one, common):
        return None
    if isinstance(one, Step) and isinstance(common, Step):
        said = [_meaning(each) for each in common.statements]
        return replace(one, statements=tuple(each for each in one.statements if _meaning(each) not in said))
    return one


def _steps(draft: Draft, training: list[str]) -> Iterable[Step]:
    """The steps with which every training role begins, as far as they are the same in all.

    Steps of the job come before those of a role, so their order is kept only for those at the beginning.
    """
    lists = [[one for one in draft.roles[name].statements if isinstance(one, Step)] for name in training]
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
    blocks = [{one.identity: one for one in draft.roles[name].statements} for name in training]
    for identity, first in blocks[0].items():
        said = [block[identity] for block in blocks if identity in block]
        if len(said) < len(blocks) or (len(blocks) == 1 and not _is_of_program(first)):
            continue
        counts = [sum(_equal(one, other) for other in said) for one in said]
        most = max(counts)
        if most == len(said) or (len(said) >= _MAJORITY and most > len(said) // 2 and _is_of_program(first)):
            yield identity, said[counts.index(most)]


def _is_of_program(one: Statement) -> bool:
    return isinstance(one, Attribute) and one.name in _OF_PROGRAM


def _may_be_lifted(draft: Draft, one: Statement) -> bool:
    """Whether the job can say it, and tensorboard, which says it too or does not inherit it, stays as it is."""
    aside = draft.roles.get(_ASIDE)
    inherits: bool
    if isinstance(one, Attribute):
        row = attributes.BY_NAME.get(one.name)
        if row is None or row.where != "both":
            return False
        inherits = one.name in attributes.TENSORBOARD_INHERITS
    elif isinstance(one, Mount):
        inherits = True
    else:
        return False
    return aside is None or not inherits or any(other.identity == one.identity for other in aside.statements)


def _equal(one: Statement, other: Statement) -> bool:
    """Whether two statements say the same, wherever they were read."""
    return _meaning(one) == _meaning(other)


def _meaning(one: Statement) -> object:
    if isinstance(one, Step):
        return Step, one.kind, one.name, tuple((each.name, each.key, repr(each.value)) for each in one.statements)
    return type(one), tuple(repr(getattr(one, field)) for field in type(one).__fields__ if field != "span")
