"""``tfdsl explain``: the page of a message, an exit status, or any word of the language."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tfdsl.cli.arguments import TEXT_OR_JSON, Argument, Arguments, Command, Positional
from tfdsl.cli.report import OK, USAGE, report
from tfdsl.cli.selection import unusable
from tfdsl.cli.streams import out
from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT

if TYPE_CHECKING:
    from tfdsl.diagnostics.render.json import Json

COMMAND = Command(
    "explain",
    "explain a message or any word of the language",
    (Positional("WORD", "a code (TFJ2104), a slug (duplicate-mount-path), an exit status (75), or a word of a job"),),
    (TEXT_OR_JSON,),
    ("tfdsl explain gpu", "tfdsl explain evicted", "tfdsl explain TFJ1201"),
)

_VERSION = 1
"""Of the JSON form."""


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
    out(_json(argument.text, pages) if arguments.text(TEXT_OR_JSON.name) == "json" else "\n".join(map(_text, pages)))
    return OK


def _pages(word: str) -> list[str | Rule]:
    """The pages of a word, those of messages as their rules."""
    from tfdsl.cli.word_pages import pages_of
    from tfdsl.compiling.pipeline import rule_called

    rule = rule_called(word)
    return [*pages_of(word), *([] if rule is None else [rule])]


def _text(page: str | Rule) -> str:
    from tfdsl.cli.message_pages import page_of

    return page if isinstance(page, str) else page_of(page)


def _json(word: str, pages: Iterable[str | Rule]) -> str:
    from tfdsl.diagnostics.render.json import dumped

    return dumped({"version": _VERSION, "word": word, "pages": [_data(page) for page in pages]})


def _data(page: str | Rule) -> Json:
    """A page; of a message also what identifies it, and of a word what stands in its first line."""
    if isinstance(page, str):
        title, _, body = page.partition("\n")
        return {"title": title, "text": body.strip("\n"), "message": None}
    from tfdsl.cli.message_pages import body_of

    message: Json = {"code": page.code, "slug": page.slug, "level": page.level}
    return {"title": f"{page.code} {page.slug}", "text": body_of(page).strip("\n"), "message": message}


def _nothing(argument: Argument) -> int:
    from tfdsl.cli.word_pages import words
    from tfdsl.compiling.pipeline import every_rule
    from tfdsl.diagnostics.suggest import closest, fold, folded
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
    from tfdsl.vocabulary import attributes, functions, statements

    tables = (
        attributes.ATTRIBUTES,
        statements.EVENTS,
        statements.ACTIONS,
        statements.MOUNT_KINDS,
        attributes.ROLES,
        functions.FUNCTIONS,
    )
    return words_of(row for table in tables for row in table)
