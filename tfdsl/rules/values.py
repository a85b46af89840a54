"""Rules for single values: texts, names, amounts, fields of pods, tolerations.

A text can have parts that are known only at run time.

Such a text is anything that has ``parts``: the literal ones are strings, the others have a ``kind``. The semantics and
the IR each have a class of their own for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

from tfdsl.diagnostics import name_rules, value_rules
from tfdsl.diagnostics.suggest import closest, fold, listing
from tfdsl.patterns import regex
from tfdsl.rules.broken import KEY, Broken
from tfdsl.vocabulary import foreign
from tfdsl.vocabulary.functions import KEYED_POD_FIELDS, POD_FIELDS
from tfdsl.vocabulary.names import LABEL, LABEL_VALUE, LONGEST_LABEL, LONGEST_NAME, QUALIFIED
from tfdsl.vocabulary.quantities import Duration, Quantity, Undecided
from tfdsl.vocabulary.types import MEMORY, DurationType, QuantityType, StringType, a_value

if TYPE_CHECKING:
    from decimal import Decimal


_UNFIT = regex("[\0\ud800-\udfff]")

UNKNOWN = "\0"
"""Stands in a pattern for a part that is known only at run time."""


def parts_of(text: object) -> Sequence[object] | None:
    """The parts of a text; ``None`` for what is not a text."""
    if isinstance(text, str):
        return (text,)
    parts: Sequence[object] | None = getattr(text, "parts", None)
    return parts


def literal(text: object) -> str:
    """The literal parts of a text, joined."""
    return "".join(part for part in parts_of(text) or () if isinstance(part, str))


def pattern_of(text: object) -> str | None:
    """A text with :data:`UNKNOWN` for each run-time part; ``None`` for what is not a text."""
    parts = parts_of(text)
    return None if parts is None else "".join(part if isinstance(part, str) else UNKNOWN for part in parts)


def has_index(text: object) -> bool:
    """Whether the replica's own index is part of a text."""
    return any(_kind(part) in ("task.index", "task_index") for part in parts_of(text) or ())


_ESCAPED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def quoted(text: object) -> str:
    """A text as it is written in a file."""
    return '"' + "".join(_written(part) for part in parts_of(text) or ()) + '"'


def _written(part: object) -> str:
    if isinstance(part, str):
        return part.translate(_ESCAPED)
    kind = _kind(part).replace("_", ".")
    name: str = getattr(part, "name", "")
    return f"${{{kind}.{name}}}" if kind == "env" else f"${{{kind}}}"


def _kind(part: object) -> str:
    kind: str = getattr(part, "kind", "")
    return kind


def clean(text: str, what: str) -> Broken | None:
    """No process can be given U+0000, or half a character (from a broken argument)."""
    match = _UNFIT.search(text)
    if match is None:
        return None
    return Broken(value_rules.NUL, (), {"what": what, "character": f"U+{ord(match[0]):04X}"})


LONGEST_PROPOSED = 40
"""The most characters of a job name that leave room for what each target adds: role, index, a suffix."""
_LABEL = regex(LABEL)
_LABEL_VALUE = regex(LABEL_VALUE)
_QUALIFIED = regex(QUALIFIED)
_LABEL_FORM = "use lowercase letters, digits and -, with a letter or digit at both ends"
_QUALIFIED_FORM = "use letters, digits, -, _ and ., with a letter or digit at both ends"
_DATA_KEY = regex(r"[-._A-Za-z0-9]+")
IMAGE_FILES = (".sif", ".simg", ".sqsh", ".squashfs")
"""How the name of an image's file ends, for Apptainer (and Singularity before it) and for enroot."""
_ATTRIBUTES_OF = {"cpu": "cpu", "memory": "memory", "nvidia.com/gpu": "gpu"}


def job_name(name: str) -> Broken | None:
    """A job name must be a DNS label."""
    problem = label_problem(name)
    if problem is None:
        return None
    broken = Broken(value_rules.JOB_NAME, (), {"name": quoted(name), "problem": problem})
    nearest = as_label(name)
    return broken.help(f"for example {nearest}") if nearest else broken


def label_name(name: str, what: str) -> Broken | None:
    """The name of a ``what`` must be a DNS label."""
    return _object(name, what, label_problem(name))


def object_name(name: str, what: str) -> Broken | None:
    """The name of a ``what`` must be a DNS subdomain."""
    return _object(name, what, name_problem(name))


def data_key(key: str, kind: str) -> Broken | None:
    """The key of a Secret or ConfigMap, ``kind``."""
    problem = None
    if len(key) > LONGEST_NAME or not _DATA_KEY.fullmatch(key):
        problem = f"use letters, digits, -, _ and . (at most {LONGEST_NAME})"
    elif key == "." or key.startswith(".."):
        problem = "it cannot be . or start with two dots"
    return _object(key, f"key of a {kind}", problem)


def one_of(text: str, kind: StringType, what: str) -> Broken | None:
    """A word of a fixed set."""
    if text in kind.one_of:
        return None
    expected = a_value(kind) if kind.called else listing(f'"{word}"' for word in kind.one_of)
    broken = Broken(value_rules.NOT_ONE_OF, (), {"what": what, "expected": expected, "given": f'"{text}"'})
    known = {word: ours for word, ours in foreign.WORDS.items() if ours in kind.one_of}
    near = closest(text.removeprefix(kind.prefix), kind.one_of, known)
    return broken if near is None else broken.meaning(f'"{near}"', "did you mean {}?")


def image(name: str) -> Broken | None:
    """Whether ``name`` can be the name of a container image."""
    return _object(name, "container image", _image_problem(name))


def _object(name: str, what: str, problem: str | None) -> Broken | None:
    if problem is None:
        return None
    return Broken(value_rules.OBJECT_NAME, (), {"name": f'"{name}"', "what": what, "problem": problem})


def labels(entries: Mapping[str, object]) -> Iterator[Broken]:
    """The labels of an object. Those of tfdsl itself, by which the objects of a job are found, cannot be set."""
    yield from _labels(entries)
    for key in entries:
        if key.startswith("tfdsl/"):
            yield from _syntax(key, "label key", "labels that begin with tfdsl/ are for tfdsl itself", key, KEY)


def _labels(entries: Mapping[str, object]) -> Iterator[Broken]:
    """Keys and values of labels (Kubernetes, "Labels and Selectors", syntax)."""
    for key, value in entries.items():
        yield from _syntax(key, "label key", qualified_problem(key), key, KEY)
        if isinstance(value, str):
            yield from _syntax(value, "label value", label_value_problem(value), key)


def node_labels(entries: Mapping[str, object]) -> Iterator[Broken]:
    """The same for labels of nodes, of which a key can have several values."""
    yield from _labels(entries)
    for key, data in entries.items():
        if not isinstance(data, tuple):
            continue
        values = cast("tuple[object, ...]", data)
        if not values:
            yield Broken(value_rules.EMPTY, (key,), {"what": f"node_selector.{key}"})
        for at, value in enumerate(values):
            if isinstance(value, str):
                yield from (
                    broken.below(key, at) for broken in _syntax(value, "label value", label_value_problem(value))
                )


def annotation_keys(entries: Mapping[str, object]) -> Iterator[Broken]:
    """Keys of annotations; their values can be any text."""
    for key in entries:
        yield from _syntax(key, "annotation key", qualified_problem(key), key, KEY)


def resource_name(name: str) -> Iterator[Broken]:
    """The name of an extended resource."""
    yield from _syntax(name, "resource name", qualified_problem(name))


def resources(amounts: Mapping[str, object]) -> Iterator[Broken]:
    """Extended resources must be whole numbers (Kubernetes, "Extended resources"; the same on YARN)."""
    for name, amount in amounts.items():
        own = _ATTRIBUTES_OF.get(name)
        if own is not None:
            broken = Broken(value_rules.BAD_KEY, (name, KEY), {"name": f'"{name}"', "what": "resources"})
            yield broken.help(f"set it with its own attribute: {own} = …")
            continue
        problems = [one.below(name, KEY) for one in resource_name(name)]
        yield from problems
        milli = getattr(amount, "milli", 0)
        if not problems and milli % 1000:
            values = {"what": f"resources.{name}", "expected": "a whole number", "given": str(amount)}
            yield Broken(value_rules.OUT_OF_RANGE, (name,), values)


def _syntax(text: str, what: str, problem: str | None, *place: str) -> Iterator[Broken]:
    if problem is not None:
        yield Broken(value_rules.LABEL_SYNTAX, place, {"given": f'"{text}"', "what": what, "problem": problem})


def taint(key: object, value: object) -> Iterator[Broken]:
    """Key and value of a tolerated taint."""
    if isinstance(value, str) and value:
        yield from _syntax(value, "taint value", label_value_problem(value), "value")
    if isinstance(key, str):
        yield from _syntax(key, "taint key", qualified_problem(key), "key")


def map_key(key: str, what: str, pattern: str | None) -> Broken | None:
    """A key of the map ``what`` must match ``pattern``."""
    if key and "\0" not in key and (pattern is None or re.fullmatch(pattern, key)):
        return None
    return Broken(value_rules.BAD_KEY, (), {"name": f'"{key}"', "what": what})


def _image_problem(image: str) -> str | None:
    """What is wrong with an image: the file or address of a container runtime, or a name as registries have it."""
    if re.search(r"\s", image):
        return "it contains spaces"
    scheme, separator, address = image.partition("://")
    if separator and scheme != "docker":
        return None if scheme in ("oras", "library") and address else "its scheme must be docker, oras or library"
    if image.startswith("/"):
        return None if image.endswith(IMAGE_FILES) else f"a file must end in {listing(IMAGE_FILES)}"
    return _reference_problem(address if separator else image)


def _reference_problem(image: str) -> str | None:
    """What is wrong with a name (github.com/distribution/reference, as used by kubelet and docker)."""
    name, _, digest = image.partition("@")
    host, slash, path = name.partition("/")
    if not slash or not (re.search(r"[.:A-Z]", host) or host == "localhost"):
        path = name
    repository, colon, tag = path.partition(":")
    if re.search(r"[A-Z]", repository):
        return "the repository after the host has uppercase letters"
    if not all(re.fullmatch(r"[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*", part) for part in repository.split("/")):
        return "the repository must be letters, digits and single . _ - between them, in parts separated by /"
    if colon and not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}", tag):
        return "a tag can have at most 128 letters, digits, _ . and -"
    if "@" in image and not re.fullmatch(r"[A-Za-z][A-Za-z0-9+._-]*:[0-9a-fA-F]{32,}", digest):
        return "the digest after @ must be an algorithm, : and hexadecimal digits"
    return None


def label_problem(name: str) -> str | None:
    """Why ``name`` is not a DNS label (RFC 1123)."""
    if len(name) > LONGEST_LABEL:
        return f"it has {len(name)} characters; at most {LONGEST_LABEL} are allowed"
    return None if _LABEL.fullmatch(name) else _LABEL_FORM


def name_problem(name: str) -> str | None:
    """Why ``name`` is not a DNS subdomain (RFC 1123)."""
    if len(name) > LONGEST_NAME:
        return f"it has {len(name)} characters; at most {LONGEST_NAME} are allowed"
    if all(_LABEL.fullmatch(part) for part in name.split(".")):
        return None
    return "use lowercase letters, digits, - and ., with a letter or digit at both ends of each part"


def qualified_problem(key: str) -> str | None:
    """Why ``key`` is not a label key: ``[prefix/]name``."""
    prefix, slash, name = key.rpartition("/")
    if slash and name_problem(prefix) is not None:
        return "the part before / must be a DNS name"
    if len(name) > LONGEST_LABEL:
        return f"the name has {len(name)} characters; at most {LONGEST_LABEL} are allowed"
    return None if _QUALIFIED.fullmatch(name) else _QUALIFIED_FORM


def label_value_problem(text: str) -> str | None:
    """Why ``text`` is not a label value."""
    if len(text) > LONGEST_LABEL:
        return f"it has {len(text)} characters; at most {LONGEST_LABEL} are allowed"
    return None if _LABEL_VALUE.fullmatch(text) else _QUALIFIED_FORM


def as_label(name: str) -> str:
    """The job name closest to ``name`` that every target accepts; empty when nothing is left of it."""
    label = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if label[:1].isdigit():
        label = f"job-{label}"
    return label[:LONGEST_PROPOSED].strip("-")


MOST_SURE_GIBIBYTES, LARGEST_GIBIBYTES, SMALLEST_MEMORY = 64, 1024, 1 << 20
"""A number without a unit is meant in GiB up to the first, in GiB or MiB below the second, in MiB below the third."""

Amount: TypeAlias = "int | Decimal | Quantity | Duration | Undecided"


def amount(given: Amount, kind: QuantityType | DurationType, what: str) -> Quantity | Duration | Broken:
    """``given`` as the quantity or duration that a place takes, within its bounds."""
    if isinstance(kind, DurationType):
        return _duration(given, kind, what)
    return _memory(given, what) if kind.of == "memory" else _quantity(given, kind, what)


def _quantity(given: Amount, kind: QuantityType, what: str) -> Quantity | Broken:
    if isinstance(given, Undecided):
        given = given.quantity
    if isinstance(given, Duration):
        return _wrong_type(given, kind, what)
    if not isinstance(given, Quantity):
        whole, parts = given.as_integer_ratio()
        milli, rest = divmod(whole * 1000, parts)
        if rest:
            broken = _out_of_range(what, "a multiple of 0.001", getattr(given, "text", number_text(given)))
            return broken.help("the smallest amount is a thousandth, 1m")
        given = Quantity(milli, number_text(given))
    elif kind.of == "cpu" and given.text[-1:].isalpha() and not given.text.endswith("m"):
        values = {"what": what, "expected": a_value(kind), "given": given.text}
        return Broken(name_rules.WRONG_TYPE, (), values).help("for example 4, 0.5 or 500m")
    if kind.of == "cpu":
        return given if given.milli > 0 else _not_positive(given.text, what)
    return given if given.milli >= 0 else _out_of_range(what, "at least 0", given.text)


def _not_positive(given: str, what: str) -> Broken:
    broken = _out_of_range(what, "more than 0", given)
    return broken.meaning('"none"', "write {} for no limit") if what.endswith("_limit") else broken


def _memory(given: Amount, what: str) -> Quantity | Broken:
    if isinstance(given, Quantity):
        return given if given.milli > 0 else _not_positive(given.text, what)
    if isinstance(given, Duration):
        return _wrong_type(given, MEMORY, what)
    if isinstance(given, Undecided):
        values = {"given": given.text, "reason": "m means thousandths of a byte (or minutes)"}
        return Broken(value_rules.MEMORY_UNIT, (), values).meaning(f"{given.count}Mi")
    if given <= 0:
        return _not_positive(number_text(given), what)
    if MOST_SURE_GIBIBYTES < given < LARGEST_GIBIBYTES:
        broken = Broken(value_rules.MEMORY_UNIT, (), {"given": number_text(given), "reason": "it has no unit"})
        return broken.meaning(f"{number_text(given)}Gi").meaning(f"{number_text(given)}Mi")
    unit = "Gi" if given < LARGEST_GIBIBYTES else "Mi" if given < SMALLEST_MEMORY else ""
    values = {"given": getattr(given, "text", number_text(given)), "reason": "it has no unit"}
    broken = Broken(value_rules.MEMORY_UNIT, (), values)
    return broken.meaning(f"{number_text(given)}{unit}" if unit else f"{int(given) >> 20}Mi")


def _duration(given: Amount, kind: DurationType, what: str) -> Duration | Broken:
    if isinstance(given, Undecided):
        given = given.duration
    if not isinstance(given, Duration):
        broken = _wrong_type(given, kind, what)
        return broken.meaning(f"{given}s") if isinstance(given, int) else broken
    if kind.positive:
        return given if given.ms > 0 else _out_of_range(what, "more than 0", given.text)
    return given if given.ms >= 0 else _out_of_range(what, "at least 0", given.text)


def number_text(number: int | Decimal) -> str:
    """A number without an exponent: Kubernetes accepts ``1e1`` as a quantity, the programs of other targets do not."""
    return str(number) if isinstance(number, int) else format(number, "f")


def _wrong_type(given: Amount, kind: QuantityType | DurationType, what: str) -> Broken:
    words: dict[type, str] = {int: "an int", Quantity: "a quantity", Duration: "a duration"}
    values = {"what": what, "expected": a_value(kind), "given": words.get(type(given), "a number")}
    return Broken(name_rules.WRONG_TYPE, (), values)


def _out_of_range(what: str, expected: str, given: str) -> Broken:
    return Broken(value_rules.OUT_OF_RANGE, (), {"what": what, "expected": expected, "given": given})


_MEMBER = regex(r"(metadata\.\w+)\['((?s:.*))'\]")


def pod_field(path: str) -> Broken | None:
    """``path`` must be a field that the API server accepts in ``env`` (core/v1, validateObjectFieldSelector)."""
    if path in POD_FIELDS:
        return None
    member = _MEMBER.fullmatch(path)
    if member is not None and member[1] in KEYED_POD_FIELDS:
        key = member[2].lower() if member[1] == "metadata.annotations" else member[2]
        problem = qualified_problem(key)
        if problem is None:
            return None
        values = {"given": f'"{member[2]}"', "what": f"{KEYED_POD_FIELDS[member[1]]} key", "problem": problem}
        return Broken(value_rules.LABEL_SYNTAX, (), values)
    return Broken(value_rules.POD_FIELD, (), {"given": f'"{path}"'}).help(_instead(path))


def _instead(path: str) -> str:
    """What to write for a path that is not a field."""
    owner = path.partition("[")[0].rstrip(".")
    if owner in KEYED_POD_FIELDS:
        return f"name one of them: pod_field(\"{owner}['KEY']\")"
    if path.startswith(("limits.", "requests.")):
        return "write the amount itself in env: the job sets it"
    last = {fold(field.rpartition(".")[2]): field for field in POD_FIELDS}
    near = last.get(fold(path.rpartition(".")[2])) or closest(path, POD_FIELDS)
    if near is not None:
        return f'did you mean pod_field("{near}")?'
    return f"fields are {', '.join(POD_FIELDS)}, and {' and '.join(_members())}"


def _members() -> Iterator[str]:
    return (f"{name}['KEY']" for name in KEYED_POD_FIELDS)


def toleration(entries: Mapping[str, object]) -> Iterator[Broken]:
    """What goes together in a toleration. ``entries``: those that are written."""
    exists = entries.get("operator") == "Exists"
    if "value" in entries and exists:
        yield _broken("value", problem='a toleration with operator = "Exists" cannot have a value')
    if "key" not in entries and not exists:
        place = ("operator",) if "operator" in entries else ()
        yield _broken(*place, problem='a toleration without a key needs operator = "Exists"')
    if "toleration_seconds" in entries and entries.get("effect", "NoExecute") in ("NoSchedule", "PreferNoSchedule"):
        yield _broken("toleration_seconds", problem='toleration_seconds needs effect = "NoExecute"')
    yield from taint(entries.get("key"), entries.get("value"))


def _broken(*place: str, problem: str) -> Broken:
    return Broken(value_rules.TOLERATION, place, {"problem": problem})


def copied(path: str) -> Broken | None:
    """What is copied into the image must be in the build context."""
    if not path.startswith("/") and ".." not in path.split("/"):
        return None
    problem = "is outside the build context: write a path relative to the source"
    return Broken(value_rules.BUILD_COPY, (), {"path": f'"{path}"', "problem": problem})
