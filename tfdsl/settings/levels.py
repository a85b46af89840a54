"""The messages that a project may give another level: those of lint, and others that are warnings or notes.

An error never gets another level: there is no output that could be accepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tfdsl import targets
from tfdsl.diagnostics import Rule
from tfdsl.diagnostics.registry import by_name, rules
from tfdsl.lint.runner import rules as lint_rules
from tfdsl.settings import words

if TYPE_CHECKING:
    from tfdsl.backend import Backend

LEVELS: Final = tuple(words.LEVELS)


@lru_cache(maxsize=1)
def of_lint() -> Mapping[str, Rule]:
    """The lint rules, by slug and by code."""
    return by_name(lint_rules())


def rule_called(name: str) -> Rule | None:
    """The rule of lint, of the language or of a target that is called ``name``, by slug or by code."""
    found = of_lint().get(name)
    if found is not None:
        return found
    return _first(rules(), name) or _first(_of(targets.known()), name) or _first(_of(targets.every()), name)


def levelled_rules() -> tuple[Rule, ...]:
    """The rules that may have a level, those of lint first, each name once."""
    found: dict[str, Rule] = {}
    for rule in (*lint_rules(), *rules(), *_of(targets.every())):
        if why_fixed(rule) is None:
            found.setdefault(rule.slug, rule)
    return tuple(found.values())


def why_fixed(rule: Rule) -> str | None:
    """Why ``rule`` always has its own level; ``None`` if it may have another."""
    if rule.slug in of_lint():
        return None
    if rule.level == "error":
        return "it is an error, and there is no output to accept"
    if rule.code.startswith("TFJ") and not _is_about_a_text(rule):
        return "only messages of the language, of lint and of targets can have another"
    return None


def _is_about_a_text(rule: Rule) -> bool:
    """Whether a message of the core is about what a text says, not about a command, a manifest or a waiver."""
    return rule.code[:4] in ("TFJ0", "TFJ1", "TFJ2") and not rule.code.startswith("TFJ09")


def _of(backends: Iterable[Backend]) -> list[Rule]:
    return [rule for backend in backends for rule in backend.all_rules()]


def _first(known: Iterable[Rule], name: str) -> Rule | None:
    """The rule called ``name``; of several, which can be warnings and errors, one that is not an error."""
    called = [rule for rule in known if name in (rule.slug, rule.code)]
    return min(called, key=lambda rule: rule.level == "error") if called else None
