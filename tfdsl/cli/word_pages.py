"""The pages of ``tfdsl explain`` for words of the language, with an example and what each target does with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tfdsl import targets
from tfdsl.backend import spoken
from tfdsl.cli import word_examples as examples
from tfdsl.cli.commands import SUMMARIES
from tfdsl.cli.message_pages import fates, in_short
from tfdsl.cli.topics import TOPICS, UNITS
from tfdsl.vocabulary import attributes, functions, statements
from tfdsl.vocabulary.statements import Setting
from tfdsl.vocabulary.types import describe

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
        *(
            _page(f"{one.name} (role)", one.doc, (), examples.ROLES[word])
            for one in attributes.ROLES
            if one.name == word
        ),
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
    return _page(f"{attribute.name} (attribute)", attribute.doc, rows, examples.of_attribute(attribute), keys)


def _event(event: statements.Event) -> str:
    subject = "ROLE " if event.needs_role else "[ROLE] " if event.takes_subject else ""
    delay = "" if event.needs_delay or not event.takes_delay else " [after DURATION]"
    rows = [("write", f"on {subject}{event.syntax}{delay} => ACTION"), ("actions", ", ".join(event.actions))]
    keys = [f"policies[{event.name}]", *(f"policies[{event.name}].{action}" for action in event.actions)]
    return _page(f"{event.name} (event of a policy)", event.doc, rows, examples.EVENTS[event.name], keys)


def _action(action: statements.Action) -> str:
    events = [event.name for event in statements.EVENTS if action.name in event.actions]
    rows = [("write", f"on EVENT => {action.name}"), ("events", ", ".join(events))]
    keys = [f"policies[{event}].{action.name}" for event in events]
    return _page(f"{action.name} (action of a policy)", action.doc, rows, examples.ACTIONS[action.name], keys)


def _mount(kind: statements.MountKind) -> str:
    rows = [("source", kind.source_doc)]
    rows += [("option", f"{option.name}: {option.doc}") for option in kind.options]
    keys = [f"mounts[{kind.name}]", *(f"mounts[{kind.name}].{option.name}" for option in kind.options)]
    return _page(f"{kind.name} (kind of mount)", kind.doc, rows, examples.MOUNTS[kind.name], keys)


def _step(word: str) -> Iterator[str]:
    if word in statements.STEPS:
        names = [name for name in statements.STEP_ATTRIBUTES[word] if name in attributes.BY_NAME]
        rows = [("write", f"{word} NAME {{ … }}"), ("attributes", ", ".join(names))]
        keys = [f"steps[{word}]", *(f"steps[{word}].{name}" for name in names)]
        yield _page(f"{word} (block)", statements.STEPS[word], rows, examples.STEPS[word], keys)


def _function(function: functions.Function) -> str:
    return _page(f"{function.signature} (function)", function.doc, (), examples.FUNCTIONS[function.name])


def _other(word: str) -> Iterable[str]:
    if word in _OTHERS:
        kind, doc, keys = _OTHERS[word]
        yield _page(f"{word} ({kind})", doc, (), examples.OTHERS[word], keys)


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
        yield _page(f"{word} (statement)", doc, rows, examples.PATCHES[word])


def _word(word: str) -> Iterable[str]:
    if word in statements.WORDS:
        form, doc = statements.WORDS[word]
        kind = "block" if word == "matrix" else "statement" if word == "unset" else "condition"
        yield _page(f"{word} ({kind})", doc, [("write", form)], examples.WORDS[word])


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
