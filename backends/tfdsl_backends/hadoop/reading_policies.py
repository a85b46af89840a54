"""Policies as the words of the language, from what the generated programs of yarn and slider know of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from tfdsl.draft import Draft, Policy

if TYPE_CHECKING:
    from tfdsl.text import Span

RESTARTS = ("restart container", "restart pod", "restart role", "restart job")
DEFAULT_RETRIES = 3


def subject(role: str, index: int) -> str:
    """``worker`` or ``worker[0]``."""
    return role if index < 0 else f"{role}[{index}]"


def statuses(codes: Sequence[int]) -> str:
    """The exit statuses of an event: ``3``, ``3..5`` or ``[3, 5]``."""
    if len(codes) == 1:
        return str(codes[0])
    if len(codes) > 2 and list(codes) == list(range(codes[0], codes[-1] + 1)):
        return f"{codes[0]}..{codes[-1]}"
    return f"[{', '.join(map(str, codes))}]"


def add_policy(draft: Draft, role: str, index: int, event: str, action: str, span: Span) -> None:
    """``on EVENT => ACTION`` of a role, which stands in the role's block, or of a replica, which stands in the job."""
    if index < 0:
        draft.role(role).add(Policy(event, action, span))
    else:
        draft.job.add(Policy(f"{subject(role, index)} {event}", action, span))


def lift_policies(draft: Draft) -> None:
    """Put the policies that all roles but tensorboard have in common into the job."""
    roles = [block for name, block in draft.roles.items() if name != "tensorboard"]
    own = [[one for one in block.statements if isinstance(one, Policy)] for block in roles]
    if not own or any(_said(policies) != _said(own[0]) for policies in own[1:]):
        return
    for block in roles:
        block.statements = [one for one in block.statements if not isinstance(one, Policy)]
    for policy in own[0]:
        draft.job.add(policy)


def add_completions(draft: Draft, deciding: Iterable[tuple[str, int]], span: Span) -> None:
    """What completes the job, where it is something other than the default."""
    found = list(deciding)
    if set(found) == {(default_decider(draft.roles), -1)}:
        return
    for role, index in found:
        draft.job.add(Policy(f"{subject(role, index)} completed", "complete job", span))


def default_decider(roles: Collection[str]) -> str:
    """The role whose end completes the job without a policy."""
    return next((name for name in ("chief", "master") if name in roles), "worker")


def add_retries(draft: Draft, retries: int, span: Span) -> None:
    """``retries``, where it is something other than the default."""
    if retries != (DEFAULT_RETRIES if restarts(draft) else 0):
        draft.job.set("retries", retries, span)


def restarts(draft: Draft) -> bool:
    """Whether a policy restarts anything."""
    blocks = (draft.job, *draft.roles.values())
    return any(isinstance(one, Policy) and one.action in RESTARTS for block in blocks for one in block.statements)


def _said(policies: Sequence[Policy]) -> list[tuple[str, str]]:
    return [(one.event, one.action) for one in policies]
