"""``tfdsl explain``: the page of a message, an exit status, or any word of the language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NoReturn

from tfdsl import targets
from tfdsl.backend import Backend, Option, spoken
from tfdsl.cli import topics
from tfdsl.cli.arguments import Arguments, Command, Flag, Positional, load
from tfdsl.cli.commands import SUMMARIES
from tfdsl.cli.message_pages import as_markdown, body_of, fates, in_short, is_markdown, page_of, prose
from tfdsl.cli.report import OK, document, end, end_if
from tfdsl.cli.selection import unusable
from tfdsl.cli.streams import out
from tfdsl.cli.targets import described
from tfdsl.cli.topics import TOPICS
from tfdsl.compiling.pipeline import every_rule, rule_called
from tfdsl.diagnostics import Rule
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT
from tfdsl.diagnostics.suggest import enumeration, fold
from tfdsl.text import Argument
from tfdsl.vocabulary import attributes, functions, statements
from tfdsl.vocabulary.quantities import UNITS
from tfdsl.vocabulary.types import describe

FORMAT = Flag(
    "--format",
    "text for people, markdown for editors and pages, json for programs (default: text)",
    value="FORMAT",
    one_of=("text", "markdown", "json"),
)

COMMAND = Command(
    "explain",
    (Positional("WORD", "a code (TFJ2104), a slug (duplicate-mount-path), an exit status (75), or a word of a job"),),
    (FORMAT,),
    ("tfdsl explain gpu", "tfdsl explain evicted", "tfdsl explain TFJ1201"),
)


def run(arguments: Arguments) -> int:
    """Print every page of the word."""
    argument = arguments.rest[0]
    pages = _pages(argument.text)
    if not pages:  # it may be a word of a target that is installed beside the built-in ones
        wrong = unusable(arguments)
        pages = _pages(argument.text)
        end_if(wrong if not pages else ())
    meant = None if pages else _meant(argument.text)
    if meant is not None:
        pages = _pages(meant)
    if not pages:
        _nothing(argument)
    form = arguments.text(FORMAT.name)
    if form == "json":
        out(document(1, {"word": argument.text, "pages": [_data(page) for page in pages]}))
    else:
        advice = None if argument.text in words() else _advice(argument.text)
        instead = advice or f"this is the page of {meant}."
        head = [] if (meant or advice) is None else [f"There is no {argument.text}; {instead}\n"]
        shown = _markdown if form == "markdown" else _text
        out("\n".join([*head, *map(shown, pages)]))
    return OK


def _pages(word: str) -> list[str | Rule]:
    """The pages of a word, those of messages as their rules."""
    rule = rule_called(word)
    pages: list[str | Rule] = [*pages_of(word), *([] if rule is None else [rule])]
    return pages or [*_of_two(word), *_of_option(word), *_flags(word)]


def _of_two(words: str) -> list[str]:
    """The pages of ``role worker`` and ``mount pvc``: those of the second word that are of the kind of the first."""
    kind, _, word = words.partition(" ")
    pages = pages_of(word.strip()) if word and pages_of(kind) else []
    return [page for page in pages if re.search(rf"\b{re.escape(kind)}\b", page.partition("\n")[0])] or pages


def _of_option(path: str) -> list[str]:
    """The page of ``TARGET.OPTION``; the version is on the page of the target."""
    name, _, key = path.partition(".")
    backend = targets.find(name) if key else None
    if backend is None:
        return []
    if key == "version":
        return [described(backend)]
    return [_option(backend, option) for option in backend.options if option.name == key]


def _flags(word: str) -> list[str]:
    """A page for each meaning of the option ``--WORD`` of commands."""
    takers: dict[Flag, list[str]] = {}
    for name in SUMMARIES:
        for flag in load(name).COMMAND.flags:
            if flag.name == f"--{word}":
                takers.setdefault(flag, []).append(name)
    return [
        _page(f"{flag.name} (option of {enumeration(names)})", f"{flag.doc[:1].upper()}{flag.doc[1:]}.", ())
        for flag, names in takers.items()
    ]


def _text(page: str | Rule) -> str:
    return page if isinstance(page, str) else page_of(page)


def _markdown(page: str | Rule) -> str:
    title, _, body = _text(page).partition("\n")
    written = isinstance(page, Rule) and is_markdown(page)
    return f"# {prose(title)}\n\n{body.lstrip() if written else as_markdown(body)}"


def _data(page: str | Rule) -> object:
    """A page; of a message also what identifies it, and of a word what stands in its first line."""
    if isinstance(page, str):
        title, _, body = page.partition("\n")
        return {"title": title, "text": body.strip("\n"), "message": None}
    message: object = {"code": page.code, "slug": page.slug, "level": page.level}
    return {"title": f"{page.code} {page.slug}", "text": body_of(page).strip("\n"), "message": message}


def _nothing(argument: Argument) -> NoReturn:
    """There is no page: say which word is meant, if that can be guessed."""
    from tfdsl.diagnostics.suggest import closest

    error = BAD_ARGUMENT(argument.span, what=f"there is no page for {argument.text}")
    instead = _advice(argument.text)
    if instead is None:
        is_code = re.fullmatch(r"[A-Za-z][A-Za-z0-9]{2}[0-9]{3,4}", argument.text)  # no code is nearly another
        near = None if is_code else closest(argument.text, [*words(), *every_rule()])
        instead = f"did you mean {near}?" if near else None
    end([error.help(instead) if instead else error])


def _advice(word: str) -> str | None:
    """What to write for a word of another tool that no single one replaces."""
    from tfdsl.diagnostics.suggest import folded
    from tfdsl.vocabulary import foreign

    asked = folded(foreign.FUNCTIONS | foreign.BLOCKS | foreign.ASKED | foreign.ATTRIBUTES)
    return asked.get(fold(word)) or foreign.advice(word)


def _meant(word: str) -> str | None:
    """The word with a page that a word of another tool, or another number of ours, stands for."""
    from tfdsl.diagnostics.suggest import words_of

    ours = {*attributes.BY_NAME, *attributes.ROLES_BY_NAME}
    number = next((other for other in (f"{word}s", word.removesuffix("s")) if other in ours), None)
    if number is not None:
        return number
    advice = _advice(word)
    event = re.search(r"\bon (?:worker )?(\w+)(?: \d+)? =>", advice or "")
    tables = (
        attributes.ATTRIBUTES,
        statements.EVENTS,
        statements.ACTIONS,
        statements.MOUNT_KINDS,
        attributes.ROLES,
        functions.FUNCTIONS,
    )
    if event is not None:
        return event[1]
    if advice:
        return None
    return next((near for rows in tables if (near := words_of(rows).get(fold(word))) is not None), None)


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
    names = [word for word, _ in _entries()]
    for backend in targets.known():
        names += [backend.name, *(option.name for option in backend.options)]
    return list(dict.fromkeys(names))


def pages_of(word: str) -> list[str]:
    """Every page of ``word``; a word can be both an attribute and a mount, for example."""
    pages = [page() for name, page in _entries() if name == word]
    known = targets.known()
    options = [(backend, option) for backend in known for option in backend.options]
    pages += [_option(backend, option) for backend, option in options if word in (option.name, *option.akin)]
    return [*pages, *(described(backend) for backend in known if word in (backend.name, *backend.aliases))]


def _entries() -> Iterator[tuple[str, Callable[[], str]]]:
    """The words of the language and of the command line, each with what writes one of its pages."""
    yield from ((row.name, partial(_attribute, row)) for row in attributes.ATTRIBUTES)
    yield from ((row.name, partial(_event, row)) for row in statements.EVENTS)
    yield from ((row.name, partial(_action, row)) for row in statements.ACTIONS)
    yield from ((row.name, partial(_role, row)) for row in attributes.ROLES)
    yield from ((row.name, partial(_mount, row)) for row in statements.MOUNT_KINDS)
    yield from ((word, partial(_step, word)) for word in statements.STEPS)
    yield from ((row.name, partial(_function, row)) for row in functions.FUNCTIONS)
    yield from ((word, partial(_other, word)) for word in _OTHERS)
    yield from ((word, partial(_patch, word)) for word in statements.PATCHES)
    yield from ((word, partial(_word, word)) for word in statements.WORDS)
    yield from ((word, partial(_topic, word)) for word in TOPICS)
    yield from _setting_entries()
    action_words = dict.fromkeys(word for action in statements.ACTIONS for word in action.name.split())
    whole = {action.name for action in statements.ACTIONS}
    yield from ((word, partial(_action_word, word)) for word in action_words if word not in whole)
    yield from ((unit, partial(_unit, unit, kind)) for kind, units in UNITS.items() for unit in units)
    yield from ((name, partial(_command, name)) for name in SUMMARIES)


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


def _role(role: attributes.RoleRow) -> str:
    return _page(f"{role.name} (role)", role.doc, (), topics.ROLES[role.name])


def _step(word: str) -> str:
    names = [name for name in statements.STEP_ATTRIBUTES[word] if name in attributes.BY_NAME]
    rows = [("write", f"{word} NAME {{ … }}"), ("attributes", ", ".join(names))]
    keys = [f"steps[{word}]", *(f"steps[{word}].{name}" for name in names)]
    return _page(f"{word} (block)", statements.STEPS[word], rows, topics.STEPS[word], keys)


def _function(function: functions.Function) -> str:
    return _page(f"{function.signature} (function)", function.doc, (), topics.FUNCTIONS[function.name])


def _other(word: str) -> str:
    kind, doc, keys = _OTHERS[word]
    return _page(f"{word} ({kind})", doc, (), topics.OTHERS[word], keys)


def _patch(word: str) -> str:
    form, doc = statements.PATCHES[word]
    rows = [("write", form), ("where", "in a target block; with pod, also in a role of a target block")]
    rows += [("word", f"{name}: {text}") for name, text in statements.PATCH_WORDS.items() if name in form]
    steps = "steps separated by '.': a name, 'any key', [n], [key=value]; KIND:, KIND/NAME: or FILE: may precede"
    return _page(f"{word} (statement)", doc, [*rows, ("path", steps)], topics.PATCHES[word])


def _word(word: str) -> str:
    form, doc = statements.WORDS[word]
    kind = "block" if word == "matrix" else "statement" if word == "unset" else "condition"
    return _page(f"{word} ({kind})", doc, [("write", form)], topics.WORDS[word])


def _topic(word: str) -> str:
    topic = TOPICS[word]
    label = "do" if topic.kind == "exit status" else "write"
    return _page(f"{word} ({topic.kind})", topic.doc, [(label, topic.write)], topic.example, topic.keys)


def _setting_entries() -> Iterator[tuple[str, Callable[[], str]]]:
    """One page for a setting that means the same in several statements."""
    where: dict[tuple[str, str, str], list[str]] = {}
    for statement, settings in statements.SETTINGS.items():
        for setting in settings:
            type_ = describe(setting.type) if setting.type is not None else "the type of the param"
            where.setdefault((setting.name, setting.doc, type_), []).append(statement)
    yield from ((setting[0], partial(_setting, *setting, these)) for setting, these in where.items())


def _setting(word: str, doc: str, type_: str, these: Sequence[str]) -> str:
    rows = [("type", type_), ("where", f"in the braces of {', '.join(these)}"), ("write", f"{word} = VALUE")]
    keys = [f"mounts[{words.removeprefix('mount ')}].{word}" for words in these if words.startswith("mount ")]
    keys += [f"{block}.{word}" for block in these if block in ("cluster", "flow")]
    return _page(f"{word} (setting)", doc, rows, keys=keys)


def _action_word(word: str) -> str:
    rows = [
        ("write", f"on EVENT => {action.name}: {action.doc}")
        for action in statements.ACTIONS
        if word in action.name.split()
    ]
    return _page(f"{word} (word of an action)", "Actions come after the arrow of a policy.", rows)


def _unit(unit: str, kind: str) -> str:
    rows = [("write", f"1{unit}"), ("units", " ".join(UNITS[kind]))]
    return _page(f"{unit} (unit)", f"A unit of a {kind}.", rows)


def _command(name: str) -> str:
    rows = [("write", f"tfdsl {name}"), ("more", f"tfdsl {name} --help")]
    return _page(f"{name} (command)", f"{SUMMARIES[name][:1].upper()}{SUMMARIES[name][1:]}.", rows)


def _option(backend: Backend, option: Option) -> str:
    rows = [("type", describe(option.type)), ("where", f"target {backend.name} {{ … }}")]
    rows.append(("or", f"-O {backend.name}.{option.name}=VALUE"))
    return _page(f"{option.name} (option of target {backend.name})", option.doc, rows)


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
