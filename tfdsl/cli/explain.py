"""``tfdsl explain``: the page of a message, an exit status, or any word of the language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.cli.arguments import Command, Positional
from tfdsl.cli.report import OK, USAGE, report
from tfdsl.cli.selection import unusable
from tfdsl.cli.streams import out
from tfdsl.diagnostics.usage_rules import BAD_ARGUMENT

if TYPE_CHECKING:
    from tfdsl.cli.arguments import Argument, Arguments
    from tfdsl.diagnostics import Diagnostic

COMMAND = Command(
    "explain",
    "explain a message or any word of the language",
    (Positional("WORD", "a code (TFJ2104), a slug (duplicate-mount-path), an exit status (75), or a word of a job"),),
    (),
    ("tfdsl explain gpu", "tfdsl explain evicted", "tfdsl explain TFJ1201"),
)


def run(arguments: Arguments) -> int:
    """Print every page of the word."""
    argument = arguments.rest[0]
    pages = _pages(argument.text)
    wrong: list[Diagnostic] = []
    if not pages:  # it may be a word of a target that is installed beside the built-in ones
        wrong = unusable(arguments)
        pages = _pages(argument.text)
    if not pages:
        return report(wrong, ()) if wrong else _nothing(argument)
    out("\n".join(pages))
    return OK


def _pages(word: str) -> list[str]:
    from tfdsl.cli.word_pages import pages_of

    return [*pages_of(word), *_messages(word)]


def _messages(name: str) -> list[str]:
    from tfdsl.cli.message_pages import page_of
    from tfdsl.pipeline import every_rule

    known = every_rule()
    rule = known.get(name.upper()) or known.get(name)
    return [] if rule is None else [page_of(rule)]


def _nothing(argument: Argument) -> int:
    from tfdsl.cli.word_pages import words
    from tfdsl.diagnostics.suggest import closest, fold, folded
    from tfdsl.pipeline import every_rule
    from tfdsl.vocabulary import foreign

    error = BAD_ARGUMENT(argument.span, what=f"there is no page for {argument.text}")
    instead = folded(foreign.ATTRIBUTES | foreign.FUNCTIONS).get(fold(argument.text))
    if instead is not None:
        report([error.help(instead)], ())
        return USAGE
    near = closest(argument.text, [*words(), *every_rule()], _foreign_words())
    report([error.help(f"did you mean {near}?") if near else error], ())
    return USAGE


def _foreign_words() -> dict[str, str]:
    """Words of other tools, and what they are called here."""
    from tfdsl.diagnostics.suggest import words_of
    from tfdsl.vocabulary import attributes, functions, policies, roles, statements

    tables = (
        attributes.ATTRIBUTES,
        policies.EVENTS,
        policies.ACTIONS,
        statements.MOUNT_KINDS,
        roles.ROLES,
        functions.FUNCTIONS,
    )
    return words_of(row for table in tables for row in table)
