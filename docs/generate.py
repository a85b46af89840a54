"""Write the generated parts of the documentation: tables of the language, and a page for each target.

``python docs/generate.py`` rewrites them, ``--check`` fails when they are stale.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

DOCS = Path(__file__).parent
sys.path[:0] = [str(DOCS.parent), str(DOCS.parent / "backends")]

from benchmarks.budgets import documented  # noqa: E402
from tfdsl import targets  # noqa: E402
from tfdsl.cli.arguments import (  # noqa: E402
    flag_doc,
    load,
    usage_of,
)
from tfdsl.cli.commands import SUMMARIES  # noqa: E402
from tfdsl.compiling import pipeline  # noqa: E402
from tfdsl.diagnostics.registry import text_of  # noqa: E402
from tfdsl.settings import words  # noqa: E402
from tfdsl.vocabulary import attributes, functions, statements, versions  # noqa: E402
from tfdsl.vocabulary.types import describe  # noqa: E402

if TYPE_CHECKING:
    from tfdsl.backend import Support
    from tfdsl.cli.arguments import Command, Flag
    from tfdsl.diagnostics import Rule

PART = re.compile(r"(<!-- generated: ([^>]+) -->\n).*?(<!-- end -->)", re.S)
_FIELDS = re.compile(r"(?:\{\w+\})+")
_FIELD = re.compile(r"\{(\w+)\}")
_WHERE = {"job": "job", "role": "role", "both": "both", "each": "job, role"}
_FATES = {"kept": "kept", "translated": "translated", "approximated": "**approximated**", "refused": "**refused**"}


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def _type(text: str) -> str:
    """A type; in code if Markdown would take a part of it for an HTML tag, and show nothing for it."""
    return f"`{text}`" if "<" in text else text


def functions_part() -> str:
    """The functions of expressions."""
    return table(("function", "result"), [(f"`{row.signature}`", row.doc) for row in functions.FUNCTIONS])


def roles_part() -> str:
    """The roles."""
    rows = [(f"`{row.name}`", "one" if row.single else "any", row.doc) for row in attributes.ROLES]
    return table(("role", "replicas", "what it does"), rows)


def attributes_part() -> str:
    """All attributes."""
    rows: list[tuple[str, ...]] = []
    for row in attributes.ATTRIBUTES:
        where = _WHERE[row.where] + (f": {', '.join(row.roles)}" if row.roles else "")
        rows.append((f"`{row.name}`", where, _type(describe(row.type)), row.default, row.doc))
    return table(("attribute", "where", "type", "default", "meaning"), rows)


def mounts_part() -> str:
    """The kinds of mounts."""
    rows: list[tuple[str, ...]] = []
    for kind in statements.MOUNT_KINDS:
        options = ", ".join(f"`{option.name}`" for option in kind.options)
        rows.append((f"`{kind.name}`", kind.source_doc, options, kind.doc))
    return table(("kind", "source", "options", "what it is"), rows)


def policies_part() -> str:
    """Events and actions."""
    events = [(f"`{row.syntax}`", row.doc, ", ".join(row.actions)) for row in statements.EVENTS]
    actions = [(f"`{row.name}`", row.doc) for row in statements.ACTIONS]
    return table(("event", "fires when", "actions"), events) + "\n" + table(("action", "what happens"), actions)


def options_part(name: str) -> str:
    """Versions and options of a target."""
    backend = targets.find(name)
    assert backend is not None
    rows = [("`version`", "string", f"`{backend.default_version}`", versions.described(backend.versions))]
    for option in backend.options:
        default = "worked out" if option.default is None else f"`{_shown(option.default)}`"
        rows.append((f"`{option.name}`", _type(describe(option.type)), default, option.doc))
    return table(("option", "type", "default", "meaning"), rows)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "[]" if value == () else str(value) or '""'


def facts_part(name: str) -> str:
    """What every job of a target gets."""
    backend = targets.find(name)
    assert backend is not None
    return "".join(f"- {rule.message[0].upper()}{rule.message[1:]} (`{rule.code}`).\n" for rule in backend.facts())


def support_part(name: str) -> str:
    """The support table of a target."""
    backend = targets.find(name)
    assert backend is not None
    return _rows("job", backend.support)


def flows_part(name: str) -> str:
    """The support table of a target for flows."""
    backend = targets.find(name)
    lowering = backend and backend.load_flows()
    assert lowering is not None
    return _rows("flow", lowering.SUPPORT)


def _rows(what: str, support: Support) -> str:
    rows: list[tuple[str, ...]] = []
    for row in support.rows:
        when = ", ".join(part for part in (f"from {row.since}" if row.since else "", row.words) if part)
        code = row.rule.code if row.rule is not None else ""
        texts = _fields(row.text), _fields(row.instead)
        rows.append((f"`{row.key}`", _FATES[row.fate], f"`{row.to}`" if row.to else "", when, *texts, code))
    return table((f"of the {what}", "is", "as", "when", "how it differs", "what to do", "code"), rows)


def messages_part(prefixes: str) -> str:
    """The messages whose codes begin with one of ``prefixes``."""
    known = {rule.code: rule for rule in pipeline.every_rule().values()}
    rows = [
        (f"`{rule.code}`", f"`{rule.slug}`", rule.level, _message(rule))
        for code, rule in sorted(known.items())
        if code.startswith(tuple(prefixes.split()))
    ]
    return table(("code", "slug", "level", "message"), rows)


def _message(rule: Rule) -> str:
    """The message with its fields in italics; of a rule whose words depend on the case the title of its page."""
    page = text_of(rule.slug)
    if _FIELD.fullmatch(rule.message) and page is not None:
        title = page.partition("\n")[0].rstrip(".")
        return title[0].lower() + title[1:]
    return _fields(rule.message)


def _fields(text: str) -> str:
    """A template with its fields in italics; in code, where nothing is in italics, in angle brackets."""
    parts = [
        _FIELD.sub(r"<\1>", part) if number % 2 else _FIELDS.sub(_in_italics, part)
        for number, part in enumerate(text.split("`"))
    ]
    return "`".join(parts).replace("{{", "{").replace("}}", "}")


def _in_italics(fields: re.Match[str]) -> str:
    """Fields without anything between them as one: two in italics would end each other."""
    return f"*{' '.join(_FIELD.findall(fields[0]))}*"


def fields_part(name: str) -> str:
    """What becomes of the fields of a target's manifests, or of ``pods``."""
    if name == "pods":
        fields = import_module("tfdsl_backends.podspec.reading.fields").FIELDS
    else:
        backend = targets.find(name)
        assert backend is not None
        reading = backend.load_reading()
        assert reading is not None
        fields = reading.FIELDS
    forms = any(field.form for field in fields)
    rows = [
        (f"`{field.path}`", *((field.form,) if forms else ()), f"`{field.word}`" if field.word else "–", field.note)
        for field in fields
    ]
    return table(("field", *(("of",) if forms else ()), "word", "note"), rows)


def settings_part() -> str:
    """The settings of a project."""
    rows = [(f"`{row.name}`", row.type, row.default, row.meaning) for row in (*words.KEYS, *words.TABLES)]
    return table(("setting", "value", "default", "meaning"), rows)


def action_part() -> str:
    """The inputs of the GitHub action."""
    inputs = yaml.safe_load((DOCS.parent / "action.yml").read_text(encoding="utf-8"))["inputs"]
    rows = [
        (f"`{name}`", f"`{row['default']}`" if row["default"] else "", row["description"])
        for name, row in inputs.items()
    ]
    return table(("input", "default", "what it is"), rows)


def commands_part() -> str:
    """All commands, each with what it takes."""
    return "\n".join(_command(load(name).COMMAND) for name in SUMMARIES)


def _command(command: Command) -> str:
    usage = " ".join([f"tfdsl {command.name}", *map(usage_of, command.positionals), "[options]"])
    parts = [f"### {command.name}\n", f"{command.summary[0].upper()}{command.summary[1:]}.\n", f"```sh\n{usage}\n```\n"]
    if command.positionals:
        parts.append(table(("argument", "meaning"), [(f"`{one.name}`", one.doc) for one in command.positionals]))
    if command.flags:
        parts.append(table(("option", "meaning"), [(_flag(flag), flag_doc(flag)) for flag in command.flags]))
    if command.notes:
        parts.append(f"{' '.join(command.notes.split())}\n")
    return "\n".join([*parts, "".join(["```sh\n", *(f"{example}\n" for example in command.examples), "```\n"])])


def _flag(flag: Flag) -> str:
    value = "" if flag.value is None else f" {flag.value}"
    return f"`{flag.short}`, `{flag.name}{value}`" if flag.short else f"`{flag.name}{value}`"


def part(name: str) -> str:
    """The generated part called ``name``."""
    kind, _, target = name.partition(":")
    if target:
        parts = {
            "options": options_part,
            "facts": facts_part,
            "support": support_part,
            "flows": flows_part,
            "messages": messages_part,
            "fields": fields_part,
        }
        return parts[kind](target)
    return {
        "commands": commands_part,
        "functions": functions_part,
        "roles": roles_part,
        "attributes": attributes_part,
        "mounts": mounts_part,
        "policies": policies_part,
        "action": action_part,
        "budgets": documented,
        "settings": settings_part,
    }[kind]()


def rewritten(text: str) -> str:
    """``text`` with every generated part made anew."""
    return PART.sub(lambda match: f"{match[1]}\n{part(match[2])}\n{match[3]}", text)


def main() -> int:
    """Rewrite, or with ``--check`` compare."""
    stale = 0
    for path in [*sorted(DOCS.rglob("*.md")), DOCS.parent / "CONTRIBUTING.md"]:
        text = path.read_text(encoding="utf-8")
        fresh = rewritten(text)
        if fresh == text:
            continue
        if "--check" in sys.argv:
            print(f"stale: {path.relative_to(DOCS.parent)}; run make generate")
            stale = 1
        else:
            path.write_text(fresh, encoding="utf-8")
            print(f"wrote {path.relative_to(DOCS.parent)}")
    return stale


if __name__ == "__main__":
    sys.exit(main())
