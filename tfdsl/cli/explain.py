"""``tfdsl explain``: the page of a message, an exit status, or any word of the language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tfdsl import targets
from tfdsl.cli import topics
from tfdsl.cli.arguments import TEXT_OR_JSON, Argument, Arguments, Command, Positional
from tfdsl.cli.commands import SUMMARIES
from tfdsl.cli.message_pages import fates, in_short
from tfdsl.cli.report import OK, USAGE, report
from tfdsl.cli.selection import unusable
from tfdsl.cli.streams import out
from tfdsl.cli.topics import TOPICS, UNITS
from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.diagnostics.usage_rules import BAD_ARGUMENT
from tfdsl.support import spoken
from tfdsl.vocabulary import attributes, functions, statements
from tfdsl.vocabulary.statements import Setting
from tfdsl.vocabulary.types import describe

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
    from tfdsl.pipeline import rule_called

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


_WHERE = {
    "job": "in a job",
    "role": "in a role",
    "both": "in a job, as the default of its roles, or in a role",
    "each": "in a job, for the job's own object, or in a role, for its pods",
}
_OTHERS = {
    "output": ("statement", "Copies a file or folder after the command has ended.", ["outputs[]", "outputs[].when"]),
    "cluster": ("block", "How the tasks find each other.", ["cluster.discovery", "cluster.protocol"]),
    "build": ("block", "The Dockerfile of the job's image.", ["build"]),
}


def words() -> list[str]:
    """Every word that has a page."""
    all_words = [row.name for row in attributes.ATTRIBUTES]
    all_words += [row.name for row in statements.EVENTS]
    all_words += [row.name for row in statements.ACTIONS]
    all_words += [row.name for row in attributes.ROLES]
    all_words += [row.name for row in statements.MOUNT_KINDS]
    all_words += statements.STEPS
    all_words += [row.name for row in functions.FUNCTIONS]
    all_words += _OTHERS
    all_words += statements.PATCHES
    all_words += statements.WORDS
    all_words += TOPICS
    all_words += [setting.name for _, setting in _settings()]
    all_words += [word for action in statements.ACTIONS for word in action.name.split()]
    all_words += [unit for units in UNITS.values() for unit in units]
    all_words += SUMMARIES
    for backend in targets.known():
        all_words += [backend.name, *(option.name for option in backend.options)]
    return list(dict.fromkeys(all_words))


def pages_of(word: str) -> list[str]:
    """Every page of ``word``; a word can be both an attribute and a mount, for example."""
    return [
        *(_attribute(one) for one in attributes.ATTRIBUTES if one.name == word),
        *(_event(one) for one in statements.EVENTS if one.name == word),
        *(_action(one) for one in statements.ACTIONS if one.name == word),
        *(_page(f"{one.name} (role)", one.doc, (), topics.ROLES[word]) for one in attributes.ROLES if one.name == word),
        *(_mount(one) for one in statements.MOUNT_KINDS if one.name == word),
        *_step(word),
        *(_function(one) for one in functions.FUNCTIONS if one.name == word),
        *_other(word),
        *_patch(word),
        *_word(word),
        *_topic(word),
        *_setting(word),
        *_action_word(word),
        *_unit(word),
        *_command(word),
        *_option(word),
        *_target(word),
    ]


def _attribute(attribute: attributes.Attribute) -> str:
    rows = [("type", describe(attribute.type)), ("default", attribute.default), ("where", _WHERE[attribute.where])]
    if attribute.roles:
        rows.append(("roles", ", ".join(attribute.roles)))
    keys = [f"job.{attribute.name}"] if attribute.where in ("job", "each") else []
    keys += [f"roles[].{attribute.name}"] if attribute.in_role else []
    return _page(f"{attribute.name} (attribute)", attribute.doc, rows, topics.of_attribute(attribute), keys)


def _event(event: statements.Event) -> str:
    subject = "ROLE " if event.needs_role else "[ROLE] " if event.takes_subject else ""
    delay = "" if event.needs_delay or not event.takes_delay else " [after DURATION]"
    rows = [("write", f"on {subject}{event.syntax}{delay} => ACTION"), ("actions", ", ".join(event.actions))]
    keys = [f"policies[{event.name}]", *(f"policies[{event.name}].{action}" for action in event.actions)]
    return _page(f"{event.name} (event of a policy)", event.doc, rows, topics.EVENTS[event.name], keys)


def _action(action: statements.Action) -> str:
    events = [event.name for event in statements.EVENTS if action.name in event.actions]
    rows = [("write", f"on EVENT => {action.name}"), ("events", ", ".join(events))]
    keys = [f"policies[{event}].{action.name}" for event in events]
    return _page(f"{action.name} (action of a policy)", action.doc, rows, topics.ACTIONS[action.name], keys)


def _mount(kind: statements.MountKind) -> str:
    rows = [("source", kind.source_doc)]
    rows += [("option", f"{option.name}: {option.doc}") for option in kind.options]
    keys = [f"mounts[{kind.name}]", *(f"mounts[{kind.name}].{option.name}" for option in kind.options)]
    return _page(f"{kind.name} (kind of mount)", kind.doc, rows, topics.MOUNTS[kind.name], keys)


def _step(word: str) -> Iterator[str]:
    if word in statements.STEPS:
        names = [name for name in statements.STEP_ATTRIBUTES[word] if name in attributes.BY_NAME]
        rows = [("write", f"{word} NAME {{ … }}"), ("attributes", ", ".join(names))]
        keys = [f"steps[{word}]", *(f"steps[{word}].{name}" for name in names)]
        yield _page(f"{word} (block)", statements.STEPS[word], rows, topics.STEPS[word], keys)


def _function(function: functions.Function) -> str:
    return _page(f"{function.signature} (function)", function.doc, (), topics.FUNCTIONS[function.name])


def _other(word: str) -> Iterable[str]:
    if word in _OTHERS:
        kind, doc, keys = _OTHERS[word]
        yield _page(f"{word} ({kind})", doc, (), topics.OTHERS[word], keys)


def _patch(word: str) -> Iterable[str]:
    if word in statements.PATCHES:
        form, doc = statements.PATCHES[word]
        rows = [("write", form), ("where", "in a target block; with pod, also in a role of a target block")]
        rows += [("word", f"{name}: {text}") for name, text in statements.PATCH_WORDS.items() if name in form]
        rows.append(
            (
                "path",
                "steps separated by '.': a name, 'any key', [n], [key=value]; KIND:, KIND/NAME: or FILE: may precede",
            )
        )
        yield _page(f"{word} (statement)", doc, rows, topics.PATCHES[word])


def _word(word: str) -> Iterable[str]:
    if word in statements.WORDS:
        form, doc = statements.WORDS[word]
        kind = "block" if word == "matrix" else "statement" if word == "unset" else "condition"
        yield _page(f"{word} ({kind})", doc, [("write", form)], topics.WORDS[word])


def _topic(word: str) -> Iterable[str]:
    if word in TOPICS:
        one = TOPICS[word]
        label = "do" if one.kind == "exit status" else "write"
        yield _page(f"{word} ({one.kind})", one.doc, [(label, one.write)], one.example)


def _settings() -> Iterator[tuple[str, Setting]]:
    """Every setting, with the statement that it belongs to."""
    for kind in statements.MOUNT_KINDS:
        yield from ((f"mount {kind.name}", option) for option in kind.options)
    yield from (("output", option) for option in statements.OUTPUT_OPTIONS)
    yield from (("cluster", setting) for setting in statements.CLUSTER)
    yield from (("build", setting) for setting in statements.BUILD)
    yield from (("param", setting) for setting in statements.PARAM_SETTINGS)


def _setting(word: str) -> Iterable[str]:
    """One page for a setting that means the same in several statements."""
    where: dict[tuple[str, str], list[str]] = {}
    for statement, setting in _settings():
        if setting.name == word:
            type_ = describe(setting.type) if setting.type is not None else "the type of the param"
            where.setdefault((setting.doc, type_), []).append(statement)
    for (doc, type_), these in where.items():
        rows = [("type", type_), ("where", f"in the braces of {', '.join(these)}"), ("write", f"{word} = VALUE")]
        keys = [f"mounts[{one.removeprefix('mount ')}].{word}" for one in these if one.startswith("mount ")]
        keys += [f"cluster.{word}"] if these == ["cluster"] else []
        yield _page(f"{word} (setting)", doc, rows, keys=keys)


def _action_word(word: str) -> Iterable[str]:
    rows = [("write", f"on EVENT => {one.name}: {one.doc}") for one in statements.ACTIONS if word in one.name.split()]
    if rows and all(one.name != word for one in statements.ACTIONS):
        yield _page(f"{word} (word of an action)", "Actions come after the arrow of a policy.", rows)


def _unit(word: str) -> Iterable[str]:
    for type_, units in UNITS.items():
        if word in units:
            rows = [("write", f"1{word}"), ("units", " ".join(units))]
            yield _page(f"{word} (unit)", f"A unit of a {type_}.", rows)


def _command(word: str) -> Iterable[str]:
    if word in SUMMARIES:
        rows = [("write", f"tfdsl {word}"), ("more", f"tfdsl {word} --help")]
        yield _page(f"{word} (command)", f"{SUMMARIES[word][:1].upper()}{SUMMARIES[word][1:]}.", rows)


def _option(word: str) -> Iterable[str]:
    for backend in targets.known():
        for option in backend.options:
            if word in (option.name, *option.akin):
                rows = [("type", describe(option.type)), ("where", f"target {backend.name} {{ … }}")]
                rows.append(("or", f"-O {backend.name}.{option.name}=VALUE"))
                yield _page(f"{option.name} (option of target {backend.name})", option.doc, rows)


def _target(word: str) -> Iterable[str]:
    from tfdsl.cli.targets import described

    yield from (described(backend) for backend in targets.known() if word in (backend.name, *backend.aliases))


def _page(head: str, doc: str, rows: Sequence[tuple[str, str]], example: str = "", keys: Sequence[str] = ()) -> str:
    parts = [f"{head}\n", f"{doc}\n"]
    if rows:
        parts.append("".join(f"  {name:<8} {text}\n" for name, text in rows))
    if example:
        parts.append("Example:\n" + "".join(f"  {line}\n" for line in example.split("\n")))
    if keys:
        parts.append("On the targets:\n" + "".join(_on_targets(keys)))
    return "\n".join(parts)


def _on_targets(keys: Sequence[str]) -> Iterable[str]:
    """What each target does with a key, in full; of several keys in short, one line each."""
    for backend in targets.known():
        name = backend.name
        for key in keys:
            lines = fates(backend, key) if len(keys) == 1 else [f"{spoken(key)}: {in_short(backend, key)}"]
            for text in lines:
                yield f"  {name:<11} {text}\n"
                name = ""
    if len(keys) > 1:
        yield "For the differences, see the page of each target, or run tfdsl check FILE --all-targets.\n"
