"""Jobs and flows as JSON: read with diagnostics at their places, written, and with origins that point into the text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import partial
from typing import Any, TypeAlias, TypeVar

from tfdsl.compiling.front_end import Ready
from tfdsl.diagnostics import Diagnostic, Rule, name_rules, value_rules
from tfdsl.diagnostics.command_rules import NOT_A_JOB
from tfdsl.diagnostics.suggest import closest, enumeration, fold, folded, words_of
from tfdsl.ir.fields import Origins
from tfdsl.ir.flow import Flow, WholeFlow
from tfdsl.ir.model import CHECKPOINT_VARIABLE, Job
from tfdsl.ir.part import Node, from_text
from tfdsl.patterns import regex
from tfdsl.record import replace
from tfdsl.rules import flows as flow_rules, job as job_rules, policies as policy_rules
from tfdsl.rules.broken import KEY
from tfdsl.rules.fields import broken_by
from tfdsl.rules.job import images
from tfdsl.semantics.conform import conform
from tfdsl.semantics.rule_views import value_span
from tfdsl.semantics.values import Entry, MapData, Value, list_data, map_data
from tfdsl.text import Source, Span
from tfdsl.vocabulary import attributes, foreign
from tfdsl.vocabulary.quantities import parse_amount
from tfdsl.vocabulary.statements import BLOCKS, MOUNT_KINDS, MOUNTS_BY_NAME, Row, called
from tfdsl.vocabulary.types import DurationType, ListType, MapType, QuantityType, Type, UnionType

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


_DEEPEST = 100
"""Values in each other; those of a flow are a dozen."""


def places(source: Source) -> Place:
    """The places of a text that is known to be JSON.

    Raises:
        RecursionError: It is deeper than any job.
    """
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
            if len(open_values) > _DEEPEST:
                raise RecursionError
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


Location: TypeAlias = tuple[str | int, ...]
"""Steps from the job, or from the flow, to a value."""

_MAPS = {*attributes.MAPS, "items"}
"""Fields whose members are keys, not fields."""


N = TypeVar("N", Job, Flow)


def from_json(source: Source) -> Ready:
    """The job or flow that ``source`` describes (``tfdsl schema``); what is wrong with it is at its place there."""
    try:
        json.loads(source.text)
        root = places(source)
    except json.JSONDecodeError as error:
        at = min(error.pos, len(source.text))
        problem = f"this is not JSON: {error.msg[:1].lower()}{error.msg[1:]}"
        return Ready(source, diagnostics=(NOT_A_JOB(Span(source, at, at), problem=problem),))
    except (RecursionError, ValueError) as error:  # 5,000 brackets, a number of 5,000 digits
        problem = "this is nested too deep" if isinstance(error, RecursionError) else "a number has too many digits"
        return Ready(source, diagnostics=(NOT_A_JOB(Span(source, 0, 0), problem=problem),))
    twice = tuple(
        name_rules.DUPLICATE_KEY(again, name=key).note(first, "first set here")
        for key, again, first in repeated_keys(root)
    )
    if twice:  # readers of JSON take one of the two values and lose the other
        return Ready(source, diagnostics=twice)
    told: list[Diagnostic] = []
    if "runs" in root.members or "jobs" in root.members:
        return _flow(root, told)
    job = _read(Job, "job", root, root.span.text, told)
    return Ready(source, () if job is None else ((job, _origins(job, root)),), diagnostics=tuple(told))


def _read(kind: type[N], block: str, root: Place, text: str, told: list[Diagnostic]) -> N | None:
    """What ``text``, which is at ``root``, describes; ``None`` with the reasons in ``told``."""
    checked = _Values()
    if text[0] == "{":
        checked.block(block, root, ())
    found = [diagnostic for _, diagnostic in checked.diagnostics]
    made = from_text(kind, text)
    if not isinstance(made, Job | Flow):
        for broken in made:
            here = path_in(root, broken["loc"])
            if not any(here[: len(at)] == at or at[: len(here)] == here for at, _ in checked.diagnostics):
                found.append(_diagnostic(broken, root))
    told += sorted(found, key=lambda diagnostic: diagnostic.span.start)
    return made if isinstance(made, Job | Flow) and not found else None


def _flow(root: Place, told: list[Diagnostic]) -> Ready:
    """The flow at ``root`` with its jobs, each of which is read by itself."""
    fields = {key: value for key, value in json.loads(root.span.text).items() if key != "jobs"}
    flow = _read(Flow, WholeFlow.block, root, json.dumps(fields), told)
    listed = root.members.get("jobs")
    if listed is None or listed.source.text[listed.start] != "[":
        problem = "jobs is missing" if listed is None else "jobs must be a list of jobs"
        told.append(NOT_A_JOB(find(root, ("jobs",)), problem=problem))
    places = () if listed is None else listed.items
    jobs = [(_read(Job, "job", place, place.span.text, told), place) for place in places]
    made = [job for job, _ in jobs if job is not None]
    if flow is not None and not told:
        told += (broken.diagnostic(partial(find, root)) for broken in flow_rules.of_whole(flow, flow.namespace, made))
    if flow is None or told:
        return Ready(root.source, diagnostics=tuple(told))
    pairs = tuple((job, _origins(job, place)) for job, place in jobs if job is not None)
    return Ready(root.source, pairs, (flow, _flow_origins(root)))


def dump(node: Node) -> str:
    """A job, or a flow with its jobs, as JSON, without what has its default."""
    return f"{node.model_dump_json(indent=2)}\n"


# --- values, as if they were written in a file -----------------------------------------------------------------

_INSIDE: dict[str, str] = {
    "roles": "role",
    "policies": "policy",
    "claims": "claim",
    "cluster": "cluster",
    "build": "build",
    "outputs": "output",
    "tolerations": "toleration",
    "runs": "flow run",
}
"""Fields of parts, and the block of each part; of others the kind decides."""

_REFERENCES = ("secret", "configmap", "pod_field")


class _Values:
    """Checks the values of a text against the types of the vocabulary, as those of a file are checked.

    ``diagnostics``: each with the place of the value, as steps from the job.
    """

    def __init__(self) -> None:
        self.diagnostics: list[tuple[Location, Diagnostic]] = []

    def block(self, block: str, place: Place, at: Location) -> None:
        """Check the fields of an object."""
        rows = {row.name: row for row in BLOCKS[block]}
        for name, inner in place.members.items():
            here = (*at, name)
            row = rows.get(name)
            if row is None:
                self._unknown(block, name, place.keys[name], rows, here)
            elif inner.span.text != "null":
                if block == "role" and name in attributes.BY_NAME and "name" in place.members:
                    misplaced = job_rules.misplaced(name, _name(place))
                    if misplaced is not None:
                        self._say(here, misplaced.at(place.keys[name]))
                if row.type is None or (self._field(block, row, inner, here) and name == "tolerations"):
                    self._parts(block, name, inner, here)

    def _field(self, block: str, row: Row, place: Place, at: Location) -> bool:
        """Check a value; whether it has its type."""
        value = _value(place, row.type)
        if value is None or row.type is None:
            return value is not None
        before = len(self.diagnostics)
        typed = conform(value, row.type, called(block, row.name), partial(self._say, at))
        fits = len(self.diagnostics) == before
        if not fits and isinstance(typed.data, MapData):  # else the model asks the rule
            entries = {key: entry.value.data for key, entry in typed.data.entries.items()}
            for broken in broken_by(block, row.name, entries):
                self._say(at, broken.diagnostic(partial(value_span, typed)))
        return fits

    def _say(self, at: Location, diagnostic: Diagnostic) -> None:
        helps = tuple(map(in_json, diagnostic.helps))
        self.diagnostics.append((at, replace(diagnostic, helps=helps, fixes=(), mark=diagnostic.mark or _named(at))))

    def _parts(self, block: str, name: str, place: Place, at: Location) -> None:
        parts: dict[Location, Place] = {(*at, number): item for number, item in enumerate(place.items)}
        for here, part in (parts or {at: place}).items():
            if part.source.text[part.start] != "{":
                continue  # which pydantic says
            inner = _INSIDE.get(name) or self._block_of_kind(block, name, part, here)
            if inner is not None:
                self.block(inner, part, here)

    def _block_of_kind(self, block: str, name: str, part: Place, at: Location) -> str | None:
        kind = part.members.get("kind")
        word = None if kind is None else json.loads(kind.span.text)
        if kind is None or not isinstance(word, str):
            return None
        if name == "mounts" and word in MOUNTS_BY_NAME:
            return f"mount {word}"
        if name == "mounts":
            instead = folded(foreign.MOUNTS).get(fold(word))
            diagnostic = name_rules.UNKNOWN_MOUNT_KIND(kind.span, name=word)
            near = closest(word, MOUNTS_BY_NAME, words_of(MOUNT_KINDS))
            advice = f"mount kinds are {enumeration(MOUNTS_BY_NAME)}" if near is None else f"did you mean {near}?"
            self._say((*at, "kind"), diagnostic.help(instead or advice))
            return None
        if name == "steps" and block == "role":
            return "step"
        return word if name == "steps" and word in ("copy", "run") else None

    def _unknown(self, block: str, name: str, key: Span, rows: Mapping[str, Row], at: Location) -> None:
        """A field that there is not, with the one that was probably meant."""
        if block in ("job", "role", "step"):
            diagnostic = name_rules.UNKNOWN_ATTRIBUTE(key, where=block, what="attribute", name=name)
        else:
            diagnostic = name_rules.UNKNOWN_OPTION(key, where=_CALLED.get(block, block), name=name)
        attribute = attributes.BY_NAME.get(name)
        foreign_word = folded(foreign.ATTRIBUTES).get(fold(name)) if block in ("job", "role") else None
        near = closest(name, rows, words_of(rows.values()))
        if attribute is not None and block in ("job", "role"):
            where = "the job" if block == "role" else "each role"
            diagnostic = name_rules.MISPLACED_ATTRIBUTE(key, name=name, where=block).help(f"put it in {where}")
        elif foreign_word is not None:
            diagnostic = diagnostic.help(foreign_word)
        elif near is not None:
            diagnostic = diagnostic.help(f"did you mean {near}?")
        else:
            other = closest(name, attributes.BY_NAME, words_of(attributes.ATTRIBUTES))
            belongs = other is not None and block in ("job", "role")
            diagnostic = diagnostic.help(
                f"did you mean {other}? It goes in {'the job' if block == 'role' else 'each role'}"
                if belongs
                else f"it has {enumeration(rows)}"
            )
        self._say(at, diagnostic)


_CALLED = {
    "output": "an output",
    "toleration": "a toleration",
    "policy": "a policy",
    "claim": "a claim",
    "flow run": "a run",
    "flow whole": "a flow",
}


def _value(place: Place, kind: Type | None) -> Value | None:
    """A value of JSON as one of a file; ``None`` for an object that only pydantic understands."""
    text = place.span.text
    if text[0] == "{":
        return _object(place, kind)
    if text[0] == "[":
        of = _list_of(kind)
        items = [_value(item, of) for item in place.items]
        return None if None in items else Value(list_data(tuple(item for item in items if item)), place.span)
    plain: Any = json.loads(text, parse_float=Decimal)
    if plain is None:
        return None
    if isinstance(plain, str) and _is_amount(kind):
        given = parse_amount(plain)
        plain = plain if given is None else given
    return Value(plain, place.span)


def _object(place: Place, kind: Type | None) -> Value | None:
    if isinstance(kind, MapType):
        entries: dict[str, Entry] = {}
        for key, inner in place.members.items():
            value = _value(inner, kind.of)
            if value is None:
                return None
            entries[key] = Entry(key, place.keys[key], value)
        return Value(map_data(entries), place.span)
    word = json.loads(place.members["kind"].span.text) if "kind" in place.members else None
    return None if word in ("run_time", *_REFERENCES) else Value(map_data({}), place.span)


def _list_of(kind: Type | None) -> Type | None:
    if isinstance(kind, UnionType):
        return next((_list_of(member) for member in kind.of if isinstance(member, ListType)), None)
    return kind.of if isinstance(kind, ListType) else None


def _is_amount(kind: Type | None) -> bool:
    if isinstance(kind, UnionType):
        return any(map(_is_amount, kind.of))
    return isinstance(kind, QuantityType | DurationType)


_IN_JSON = (
    (regex(r"\badd role (\w+) \{ \}"), r'add {"name": "\1"} to "roles"'),
    (regex(r"\bwrite run ([\w-]+) (?:in it|too)"), r'add {"job": "\1"} to "runs"'),
    (regex(r"\badd on (\w+) => ([a-z ]+)"), r'add {"event": "\1", "action": "\2"} to "policies"'),
    (regex(r"\bwrite on (\w+) (\w+) => ([a-z ]+)"), r'write {"role": "\1", "event": "\2", "action": "\3"}'),
    (regex(r"\b(cluster) \{ (\w+) = (\"\w+\") \}"), r'"\1": {"\2": \3}'),
    (regex(r"(?<![\"\w])([a-z_]+) = "), r'"\1": '),
    (regex(r"(?<=[\"\w]) in the job$"), " in each role"),
    (regex(r"(?<![\"\w.])([0-9][0-9.]*[A-Za-z]+)(?![\w\"])"), r'"\1"'),
)


def in_json(words: str) -> str:
    """Advice about a file of the language, as advice about JSON."""
    for pattern, instead in _IN_JSON:
        words = pattern.sub(instead, words)
    return words


# --- what is wrong ---------------------------------------------------------------------------------------------


def _diagnostic(error: Mapping[str, Any], root: Place) -> Diagnostic:
    location: tuple[str | int, ...] = error["loc"]
    about: dict[str, Any] = error.get("ctx", {}).get("about", {})
    if error["type"] == "literal_error" and "after" in location:
        names = [_name(role) for role in root.members["roles"].items if "name" in role.members]
        job = _name(root) if "name" in root.members else ""
        return policy_rules.no_such_role(job, str(error["input"]), names).at(find(root, location))
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
        diagnostic = diagnostic.help(in_json(text))
    return diagnostic


def without_image(job: Job, origins: Origins) -> list[Diagnostic]:
    """The roles without an image, which most targets need."""
    told = [broken.at(origins.span(job.roles[int(broken.place[1])].path)) for broken in images(job)]
    return [replace(diagnostic, helps=tuple(map(in_json, diagnostic.helps))) for diagnostic in told]


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
            return value_rules.PATTERN(span, what=what, given=given, form=f"match {context['pattern']}")
        case "string_too_short":
            return value_rules.EMPTY(span, what=what)
        case "missing":
            return NOT_A_JOB(span, problem=f"{what} is missing")
        case "extra_forbidden":
            return NOT_A_JOB(span, problem=f"there is no field {what}")
        case _:
            message: str = error["msg"]
            return NOT_A_JOB(span, problem=f"{what}: {message[:1].lower()}{message[1:]}")


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


def _flow_origins(root: Place) -> Origins:
    origins = Origins(root.members["name"].span)
    for field, place in root.members.items():
        if field not in ("jobs", "name"):
            _record(origins, field, field, place)
    for at, run in enumerate(root.members["runs"].items):
        origins.record(f"runs[{at}]", run.members["job"].span)
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
        if field in _MAPS:
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
