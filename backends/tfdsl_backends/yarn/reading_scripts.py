"""The two scripts that tfdsl writes for a job, taken apart: job.sh, with its plan, and submit.sh."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.manifest import json
from tfdsl.manifest.nodes import Scalar, View, view
from tfdsl.manifest.shell_words import Command, Word, read_script
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import Document

PLAN: Final = "cat <<'TFJOB_PLAN'\n"
SUBMITS: Final = '-shell_env "TFJOB_RUN=$run"'
_CASES: Final = ("environment", "prepare", "command_of_step", "command_of_task", "outputs", "options_of")
"""Functions that are a ``case`` with what each role, step or application has."""

_PROGRAMS: Final = regex(r"\$\(first_program (.*)\)\Z")


class JobScript(Record):
    """job.sh. ``environment`` and the others: role → the commands of its part; ``steps``: number → commands."""

    plan: View
    environment: Mapping[str, Sequence[Command]]
    prepare: Mapping[str, Sequence[Command]]
    steps: Mapping[str, Sequence[Command]]
    commands: Mapping[str, Sequence[Command]]
    outputs: Mapping[str, Sequence[Command]]
    python: str
    hadoop_home: str
    given: bool


class SubmitScript(Record):
    """submit.sh. ``applications``: name (``job`` if there is one) → the options of the client.

    ``sent``: the name that a task sees → the archive here; ``files``: those of the option. ``tags``, ``localizes``:
    whether the client has application tags, and sends files itself.
    """

    applications: Mapping[str, Sequence[Word]]
    sent: Mapping[str, str]
    files: Sequence[str]
    tags: bool = True
    localizes: bool = True


def text_of(document: Document) -> str:
    """The text of a document that is one."""
    node = document.node
    return node.value if document.format == "text" and isinstance(node, Scalar) and isinstance(node.value, str) else ""


def is_job_script(document: Document) -> bool:
    """Whether a document is a job.sh."""
    text = text_of(document)
    return PLAN in text and "tfjob_state=" in text


def is_submit_script(document: Document) -> bool:
    """Whether a document is a submit.sh."""
    text = text_of(document)
    return SUBMITS in text and "options_of()" in text


def job_script(document: Document) -> JobScript | None:
    """The parts of a job.sh; ``None`` where it has no plan."""
    commands = _commands(document)
    plan = _plan(document, commands)
    if plan is None:
        return None
    parts = {name: _cases(commands, name) for name in _CASES}
    python, home = "", ""
    for one in commands:
        for assignment in one.assignments:
            if assignment.name == "TFJOB_PYTHON" and assignment.words:
                names = _PROGRAMS.match(assignment.words[0].text)
                words = _words(names[1]) if names else []
                python = words[0] if len(words) == 1 else ""
        words = [word.text for word in one.words]
        if words[:1] == ["export"] and len(words) == 2 and words[1].startswith("HADOOP_HOME="):
            home = words[1].removeprefix("HADOOP_HOME=")
    given = any([word.text for word in one.words[3:4]] == ["given"] for one in commands)
    return JobScript(
        plan,
        parts["environment"],
        parts["prepare"],
        parts["command_of_step"],
        parts["command_of_task"],
        parts["outputs"],
        python,
        home,
        given,
    )


def submit_script(document: Document | None) -> SubmitScript:
    """The parts of a submit.sh."""
    if document is None:
        return SubmitScript({}, {}, ())
    commands = _commands(document)
    applications: dict[str, Sequence[Word]] = {}
    for name, own in _cases(commands, "options_of").items():
        for one in own:
            for assignment in one.assignments:
                if assignment.name == "options":
                    applications[name] = assignment.words
    sent: dict[str, str] = {}
    files: list[str] = []
    for one in commands:
        words = [word.text for word in one.words]
        if words[:1] == ["send"] and len(words) == 3:
            sent[words[2]] = words[1]
        elif words[:1] == ["pack"] and len(words) == 3:
            files.append(words[1])
    text = text_of(document)
    return SubmitScript(applications, sent, tuple(files), "-application_tags" in text, "-localize_files" in text)


def _commands(document: Document) -> tuple[Command, ...]:
    source = document.source
    return read_script(text_of(document), lambda start, end: Span(source, start, end)).commands


def _words(text: str) -> list[str]:
    source = Source("", text)
    commands = read_script(text, lambda start, end: Span(source, start, end)).commands
    return [word.text for one in commands for word in one.words]


def _plan(document: Document, commands: Iterable[Command]) -> View | None:
    """The JSON of the here-document, with its places in the script."""
    found = [here for one in commands for here in one.documents if here.text.startswith('{\n  "job": ')]
    if not found:
        return None
    start, text = found[0].span.start, document.source.text
    # The reader of JSON reads a whole source: what is before the plan becomes blanks, so that places stay.
    blanks = "".join(char if char == "\n" else " " for char in text[:start])
    nodes = json.read(Source(document.source.path, blanks + found[0].text), lambda diagnostic: None)
    return view(nodes[0]) if nodes else None


def _cases(commands: Iterable[Command], function: str) -> dict[str, list[Command]]:
    """What each pattern of the ``case`` in a function has."""
    parts: dict[str, list[Command]] = {}
    inside = case = False
    names: list[str] = []
    current: list[str] = []
    for one in commands:
        words = [word.text for word in one.words]
        if one.end == "(" and len(words) == 1:
            inside, case, names, current = words[0] == function, False, [], []
        elif not inside:
            continue
        elif words[:1] == ["case"]:
            case = True
        elif case and one.end in ("|", ")") and len(words) == 1 and not one.assignments:
            names = [*names, words[0]]
            if one.end == ")":
                current, names = names, []
        else:
            for name in current:
                parts.setdefault(name, []).append(one)
            if one.end == ";;":
                current = []
    return parts
