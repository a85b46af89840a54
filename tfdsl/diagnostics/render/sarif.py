"""SARIF 2.1.0, for code scanning services (OASIS, "Static Analysis Results Interchange Format").

Services show the level and the help of a rule with its results, so each rule has both, including those of targets. A
rule with variants, an error in one version and a warning in another, is described by its most severe variant; each
result has its own level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import quote

from tfdsl import __version__
from tfdsl.diagnostics.diagnostic import Diagnostic, Fix, Rule
from tfdsl.diagnostics.registry import text_of
from tfdsl.diagnostics.render.json import Json, dumped
from tfdsl.patterns import regex
from tfdsl.text import Span

_LINK = regex(r"\[(?=[^\[\]]*\]\()")
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


_SEVERITY = ("error", "warning", "info")


def written_page(rule: Rule) -> str | None:
    """The page of a rule of the language; other rules have none in this package."""
    return text_of(rule.slug)


def render(
    diagnostics: Sequence[Diagnostic],
    paths: Sequence[str] = (),
    page_of: Callable[[Rule], str | None] = written_page,
) -> str:
    """One log with one run. ``page_of``: the page of a rule, whose first line is a complete sentence."""
    rules: dict[str, Rule] = {}
    for rule in (diagnostic.rule for diagnostic in diagnostics):
        known = rules.setdefault(rule.code, rule)
        if _SEVERITY.index(rule.level) < _SEVERITY.index(known.level):
            rules[rule.code] = rule
    order = {code: index for index, code in enumerate(sorted(rules))}
    described: list[Json] = [_rule(rules[code], page_of) for code in order]
    driver: Json = {"name": "tfdsl", "version": __version__, "rules": described}
    run: Json = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": _artifact(path)} for path in dict.fromkeys(paths)],
        "results": [_result(diagnostic, order) for diagnostic in diagnostics],
    }
    log: Json = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return dumped(log)


def _rule(rule: Rule, page_of: Callable[[Rule], str | None]) -> Json:
    row: dict[str, Json] = {
        "id": rule.code,
        "name": rule.slug,
        "defaultConfiguration": {"level": _LEVELS[rule.level]},
    }
    page = page_of(rule)
    if page is not None:
        row["shortDescription"] = {"text": page.partition("\n")[0]}
        help_of: dict[str, Json] = {"text": page}
        if "\n## " in page:  # pages of targets are plain text, laid out with spaces
            help_of["markdown"] = page
        row["help"] = help_of
    return row


def _result(diagnostic: Diagnostic, order: dict[str, int]) -> Json:
    result: dict[str, Json] = {
        "ruleId": diagnostic.rule.code,
        "ruleIndex": order[diagnostic.rule.code],
        "level": _LEVELS[diagnostic.level],
        "message": _message("\n".join([diagnostic.message, *(f"help: {text}" for text in diagnostic.helps)])),
        "locations": [_location(diagnostic.span, diagnostic.mark)],
    }
    if diagnostic.labels:
        result["relatedLocations"] = [
            {"id": index, **_location(label.span, label.message)} for index, label in enumerate(diagnostic.labels, 1)
        ]
    if diagnostic.fixes:
        result["fixes"] = [_fix(fix) for fix in diagnostic.fixes]
    return result


def _message(text: str) -> dict[str, Json]:
    """A plain message, in which no text of the user is read as a link (SARIF 3.11.6)."""
    return {"text": _LINK.sub(r"\\[", text)}


def _artifact(path: str) -> dict[str, Json]:
    try:
        name = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a surrogate pair, which no file name has: the name is from a program
        name = path.encode("utf-8", "surrogatepass")
    return {"uri": quote(name)}


def _location(span: Span, text: str) -> dict[str, Json]:
    physical: Json = {"artifactLocation": _artifact(span.source.path), "region": _region(span)}
    message: dict[str, Json] = {"message": _message(text)} if text else {}
    return {"physicalLocation": physical, **message}


def _region(span: Span) -> Json:
    line, column = span.source.position(span.start)
    end_line, end_column = span.source.position(span.end)
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}


def _fix(fix: Fix) -> Json:
    changes: dict[str, list[Json]] = {}
    for edit in fix.edits:
        replacement: Json = {"deletedRegion": _region(edit.span), "insertedContent": {"text": edit.text}}
        changes.setdefault(edit.span.source.path, []).append(replacement)
    artifacts: list[Json] = [
        {"artifactLocation": _artifact(path), "replacements": replacements} for path, replacements in changes.items()
    ]
    return {"description": _message(fix.title), "artifactChanges": artifacts}
