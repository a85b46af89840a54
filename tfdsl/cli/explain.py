"""``tfdsl explain``: more about a message, an attribute, an event, and the other words of the language."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tfdsl.cli.arguments import Command, Positional
from tfdsl.cli.report import OK, USAGE, report
from tfdsl.cli.streams import out
from tfdsl.diagnostics.usage_rules import BAD_ARGUMENT
from tfdsl.vocabulary import attributes, functions, policies, roles, statements
from tfdsl.vocabulary.types import describe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tfdsl.cli.arguments import Arguments
    from tfdsl.diagnostics import Rule

COMMAND = Command(
    "explain",
    "say more about a message, an attribute or an event",
    (Positional("WORD", "a code (TFJ2104), a slug (duplicate-mount-path), or a word of the language (gpu, evicted)"),),
    (),
    ("tfdsl explain gpu", "tfdsl explain evicted", "tfdsl explain TFJ1201"),
)

_PAGES = os.path.join(os.path.dirname(os.path.dirname(__file__)), "diagnostics", "pages")
_WHERE = {
    "job": "in a job",
    "role": "in a role",
    "both": "in a job, as the default of its roles, or in a role",
    "each": "in a job, for the job's own object, or in a role, for its pods",
}


def run(arguments: Arguments) -> int:
    """Print everything that the word stands for."""
    given = arguments.rest[0]
    found = [*_vocabulary(given.text), *_messages(given.text)]
    if found:
        out("\n".join(found))
        return OK
    from tfdsl.pipeline import every_rule
    from tfdsl.semantics.suggest import closest

    error = BAD_ARGUMENT(given.span, what=f"there is nothing called {given.text} to explain")
    near = closest(given.text, [*attributes.BY_NAME, *policies.ACTIONS_OF, *every_rule()])
    report([error.help(f"did you mean {near}?") if near else error], ())
    return USAGE


def _messages(name: str) -> Iterable[str]:
    from tfdsl.pipeline import every_rule

    rule = every_rule().get(name.upper()) or every_rule().get(name)
    if rule is not None:
        yield _page(rule)


def _page(rule: Rule) -> str:
    head = f"{rule.code} {rule.slug} ({rule.level})\n\n"
    try:
        with open(os.path.join(_PAGES, f"{rule.slug}.md"), encoding="utf-8") as page:
            return head + page.read()
    except FileNotFoundError:  # a rule whose message says it all
        return f"{head}{rule.message[0].upper()}{rule.message[1:]}.\n"


def _vocabulary(name: str) -> Iterable[str]:
    attribute = attributes.BY_NAME.get(name)
    if attribute is not None:
        yield _attribute(attribute)
    yield from (_event(event) for event in policies.EVENTS if event.name == name)
    yield from (
        f"{action.name} (action of a policy)\n\n{action.doc}\n" for action in policies.ACTIONS if action.name == name
    )
    yield from (f"{role.name} (role)\n\n{role.doc}\n" for role in roles.ROLES if role.name == name)
    yield from (_mount(kind) for kind in statements.MOUNT_KINDS if kind.name == name)
    yield from (f"{one.signature} (function)\n\n{one.doc}\n" for one in functions.FUNCTIONS if one.name == name)


def _attribute(attribute: attributes.Attribute) -> str:
    rows = [("type", describe(attribute.type)), ("default", attribute.default), ("where", _WHERE[attribute.where])]
    if attribute.roles:
        rows.append(("roles", ", ".join(attribute.roles)))
    if attribute.example:
        rows.append(("example", f"{attribute.name} = {attribute.example}"))
    return f"{attribute.name} (attribute)\n\n{attribute.doc}\n\n" + _table(rows)


def _event(event: policies.Event) -> str:
    subject = "ROLE " if event.needs_role else "[ROLE] " if event.takes_subject else ""
    delay = "" if event.needs_delay or not event.takes_delay else " [after DURATION]"
    rows = [("write", f"on {subject}{event.syntax}{delay} => ACTION"), ("actions", ", ".join(event.actions))]
    return f"{event.name} (event of a policy)\n\n{event.doc}\n\n" + _table(rows)


def _mount(kind: statements.MountKind) -> str:
    rows = [("source", kind.source_doc)]
    rows += [("option", f"{option.name}: {option.doc}") for option in kind.options]
    return f"{kind.name} (kind of mount)\n\n{kind.doc}\n\n" + _table(rows)


def _table(rows: Iterable[tuple[str, str]]) -> str:
    return "".join(f"  {name:<8} {text}\n" for name, text in rows)
