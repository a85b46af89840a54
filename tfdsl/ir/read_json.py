"""Jobs as JSON: read with diagnostics at their places, written, and with origins that point into the text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from tfdsl.diagnostics import Diagnostic, Rule, command_rules, name_rules, value_rules
from tfdsl.ir.fields import Origins
from tfdsl.ir.model import CHECKPOINT_VARIABLE, Job
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.rules.broken import KEY
from tfdsl.text import Source, Span

_TOKEN = regex(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')


class Place:
    """A value: its span, the keys and members of an object, the items of an array.

    ``repeated``: the keys of an object that it has a second time.
    """

    __slots__ = ("end", "items", "keys", "members", "repeated", "source", "start")

    def __init__(self, source: Source, start: int, end: int) -> None:
        self.source = source
        self.start = start
        self.end = end
        self.keys: dict[str, Span] = {}
        self.members: dict[str, Place] = {}
        self.items: list[Place] = []
        self.repeated: list[tuple[str, Span]] = []

    @property
    def span(self) -> Span:
        """The whole value."""
        return Span(self.source, self.start, self.end)

    @property
    def head(self) -> Span:
        """Where a message about the value points: to the first character of an object or array."""
        return Span(self.source, self.start, self.start + 1) if self.source.text[self.start] in "{[" else self.span


def places(source: Source) -> Place:
    """The places of a text that is known to be JSON."""
    root = Place(source, 0, len(source.text))
    open_values: list[Place] = []
    key: tuple[str, Span] | None = None
    for token in _TOKEN.finditer(source.text):
        word = token[0]
        if word in ",:":
            continue
        if word in "}]":
            open_values.pop().end = token.end()
            continue
        outer = open_values[-1] if open_values else None
        if outer is not None and source.text[outer.start] == "{" and key is None:
            key = (json.loads(word), Span(source, token.start(), token.end()))
            continue
        value = Place(source, token.start(), token.end())
        if outer is None:
            root = value
        elif key is not None and key[0] in outer.keys:
            outer.repeated.append(key)
        elif key is not None:
            outer.keys[key[0]], outer.members[key[0]] = key[1], value
        else:
            outer.items.append(value)
        key = None
        if word in "{[":
            open_values.append(value)
    return root


def repeated_keys(root: Place) -> Iterator[tuple[str, Span, Span]]:
    """Each key that its object has already, where it is again, and where it is first."""
    waiting = [root]
    while waiting:
        place = waiting.pop()
        yield from ((key, again, place.keys[key]) for key, again in place.repeated)
        waiting += [*place.members.values(), *place.items]


def path_in(root: Place, location: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """The steps of what pydantic calls ``location`` that are in the text, and the last one, which may be missing."""
    here, steps = root, list[str | int]()
    for at, step in enumerate(location):
        if isinstance(step, str):
            inner = here.members.get(step)
        else:
            inner = here.items[step] if step < len(here.items) else None
        if inner is not None or (at == len(location) - 1 and step != KEY):
            steps.append(step)
        here = inner or here
    return tuple(steps)


def find(root: Place, location: tuple[str | int, ...], *, key: bool = False) -> Span:
    """The span of what pydantic calls ``location``, or of what holds it where it is missing; ``key``: that of its key.

    Steps that are not in the text, such as the tags of unions, are passed over.
    """
    here, last = root, root.head
    for at, step in enumerate(location):
        if isinstance(step, str) and step in here.members:
            if location[at + 1 : at + 2] == (KEY,):
                return here.keys[step]
            here, last = here.members[step], here.keys[step]
        elif isinstance(step, int) and step < len(here.items):
            here = here.items[step]
            last = here.head
    return last if key else here.head


MAPS = ("annotations", "env", "items", "labels", "node_selector", "ports", "resources")
"""Fields whose members are keys, not fields."""


class JobText(Record):
    """What a JSON text holds. ``job``: ``None`` when ``diagnostics`` say why."""

    job: Job | None
    origins: Origins
    diagnostics: tuple[Diagnostic, ...] = ()


def from_json(source: Source) -> JobText:
    """The job that ``source`` describes (``tfdsl schema``); what is wrong with it is at its place in the text."""
    nothing = Origins(Span(source, 0, 0))
    try:
        json.loads(source.text)
    except json.JSONDecodeError as error:
        at = min(error.pos, len(source.text))
        problem = f"this is not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        return JobText(None, nothing, (command_rules.NOT_A_JOB(Span(source, at, at), problem=problem),))
    except (RecursionError, ValueError) as error:  # 5,000 brackets, a number of 5,000 digits
        problem = "this is nested too deep" if isinstance(error, RecursionError) else "a number has too many digits"
        return JobText(None, nothing, (command_rules.NOT_A_JOB(Span(source, 0, 0), problem=problem),))
    root = places(source)
    twice = tuple(
        name_rules.DUPLICATE_KEY(again, name=key).note(first, "first set here")
        for key, again, first in repeated_keys(root)
    )
    if twice:  # readers of JSON take one of the two values and lose the other
        return JobText(None, nothing, twice)
    try:
        job = Job.model_validate_json(source.text)
    except ValidationError as error:
        return JobText(None, nothing, tuple(_diagnostic(one, root) for one in error.errors(include_url=False)))
    return JobText(job, _origins(job, root))


def dump(job: Job) -> str:
    """``job`` as JSON, without what has its default."""
    return f"{job.model_dump_json(indent=2)}\n"


# --- what is wrong ---------------------------------------------------------------------------------------------


def _diagnostic(error: Mapping[str, Any], root: Place) -> Diagnostic:
    location: tuple[str | int, ...] = error["loc"]
    about: dict[str, Any] = error.get("ctx", {}).get("about", {})
    rule = _rules().get(error["type"])
    if rule is None:
        span = find(root, location, key=error["type"] == "extra_forbidden")
        return _structure(error, _named(path_in(root, location)), span)
    mark = about.get("mark", "") or _named(path_in(root, location))
    diagnostic = Diagnostic(rule, rule.level, error["msg"], find(root, location), mark=mark)
    around = location[: len(location) - len(about.get("place", ()))]
    for place, words in about.get("notes", ()):
        diagnostic = diagnostic.note(find(root, (*around, *place)), words)
    for text in about.get("help", ()):
        diagnostic = diagnostic.help(text)
    return diagnostic


def _rules() -> Mapping[str, Rule]:
    from tfdsl.diagnostics.registry import by_name, rules

    return by_name(rules())


def _structure(error: Mapping[str, Any], what: str, span: Span) -> Diagnostic:
    """An error of pydantic's own, as the rule of the language that it is."""
    context: dict[str, Any] = error.get("ctx", {})
    given = json.dumps(error["input"], ensure_ascii=False, default=str)
    match error["type"]:
        case "greater_than_equal":
            return value_rules.OUT_OF_RANGE(span, what=what, expected=f"at least {context['ge']}", given=given)
        case "less_than_equal":
            return value_rules.OUT_OF_RANGE(span, what=what, expected=f"at most {context['le']}", given=given)
        case "literal_error":
            return value_rules.NOT_ONE_OF(span, what=what, expected=context["expected"].replace("'", '"'), given=given)
        case "string_pattern_mismatch":
            return value_rules.PATTERN(span, what=what, given=given, pattern=context["pattern"])
        case "string_too_short":
            return value_rules.EMPTY(span, what=what)
        case "missing":
            return command_rules.NOT_A_JOB(span, problem=f"{what} is missing")
        case "extra_forbidden":
            return command_rules.NOT_A_JOB(span, problem=f"there is no field {what}")
        case _:
            message: str = error["msg"]
            return command_rules.NOT_A_JOB(span, problem=f"{what}: {message[:1].lower()}{message[1:]}")


def _named(location: tuple[str | int, ...]) -> str:
    """A place in words: ``roles[0].memory``."""
    parts = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in location]
    return "".join(parts).removeprefix(".") or "the job"


# --- where it is written ---------------------------------------------------------------------------------------


def _origins(job: Job, root: Place) -> Origins:
    origins = Origins(root.members["name"].span)
    for field, place in root.members.items():
        if field not in ("claims", "name", "roles"):
            _record(origins, field, field, place)
    roles = {_name(place): place for place in root.members["roles"].items}
    for role in job.roles:
        _record_role(origins, role.path, roles[role.name])
    _record_claims(job, origins, root)
    _record_checkpoint(job, origins, root)
    return origins


def _record_role(origins: Origins, path: str, place: Place) -> None:
    for field, inner in place.members.items():
        _record(origins, f"{path}.{field}", field, inner)
    for at, step in enumerate(place.members["steps"].items if "steps" in place.members else ()):
        origins.record(f"{path}.steps[{at}]", step.members["name"].span)
    origins.record(path, place.members["name"].span)


def _record(origins: Origins, path: str, field: str, place: Place) -> None:
    """The place of a value and of all that is in it; a mount is where its kind is, a policy where its action is."""
    if place.span.text == "null":
        return  # as if it were not there
    for key, inner in place.members.items():
        if field in MAPS:
            _record(origins, f"{path}[{key}]", "", inner)
            origins.record(f"{path}[{key}].key", place.keys[key])
        else:
            _record(origins, f"{path}.{key}", key, inner)
    for at, inner in enumerate(place.items):
        _record(origins, f"{path}[{at}]", "", inner)
    head = next((place.members[name] for name in ("kind", "action") if name in place.members), place)
    origins.record(path, head.span)


def _record_claims(job: Job, origins: Origins, root: Place) -> None:
    """The options of a claim are those of its first mount."""
    claims = root.members["claims"].items if "claims" in root.members else ()
    for claim, place in zip(job.claims, claims, strict=True):
        for field, inner in place.members.items():
            origins.record(f"{claim.path}.{field}", inner.span)


def _record_checkpoint(job: Job, origins: Origins, root: Place) -> None:
    """Where the variable comes from that every role gets besides its own."""
    folder = origins.written("checkpoint") or origins.written("roles[tensorboard].logdir")
    if folder is None:
        return
    for role in job.roles:
        path = f"{role.path}.env"
        if origins.written(f"{path}[{CHECKPOINT_VARIABLE}]") is None:
            origins.record(f"{path}[{CHECKPOINT_VARIABLE}]", folder)
            if origins.written(path) is None:
                origins.record(path, folder)  # what is refused of it was written there


def _name(place: Place) -> str:
    return str(json.loads(place.members["name"].span.text))
