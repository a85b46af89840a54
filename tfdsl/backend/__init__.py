"""What a target is: its versions, its options, its support table, and how it generates documents.

A backend package (``tfdsl_backends/<name>/``) exposes ``BACKEND``, a :class:`Backend`. Everything in it but the
lowering is plain data that loads in a moment, so ``tfdsl targets``, hover and checks can read it; the lowering
module is imported when a job is generated.

**Loss is a table.** For every key of :func:`tfdsl.ir.fields.all_keys` the support table has at least one row, and
:func:`tfdsl.compiling.pipeline.judge` walks what a job sets and reports what the rows say. A contract test enumerates
keys × backends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias, TypeVar, cast

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.text import Span
from tfdsl.vocabulary import versions
from tfdsl.vocabulary.types import Option, OptionValue
from tfdsl.vocabulary.versions import Version

if TYPE_CHECKING:
    from tfdsl.backend.cluster import Cluster
    from tfdsl.backend.flow import FlowLowering, FlowUnit
    from tfdsl.backend.patch_rules import PatchRules
    from tfdsl.backend.reading import Reading
    from tfdsl.emit.located import Data
    from tfdsl.ir.fields import Item, Origins
    from tfdsl.ir.model import Job
    from tfdsl.lifecycle.behaviour import Behaviour


__all__ = [
    "UNUSED",
    "Backend",
    "Condition",
    "Document",
    "Fate",
    "Fill",
    "Lowering",
    "Option",
    "OptionValue",
    "Row",
    "Support",
    "TargetObject",
    "TaskConfig",
    "Unit",
    "approximated",
    "chosen",
    "condition",
    "kept",
    "refused",
    "spoken",
    "translated",
]

T = TypeVar("T")
AnyUnit = TypeVar("AnyUnit")


class Unit(Record):
    """One job to be generated for one target at one version.

    ``version``: the known one that decides what the target does. ``named``: the version as the user named it, where
    that is another (1.12.3 behaves like 1.12.0); read it as :attr:`shown_version`.
    ``options`` has a value for every option of the backend (its default where none was given); ``option_spans``
    tells where a given one was written, and as ``hosts[2]`` or ``placement[ps]`` where a part of it was (of a map also
    the key, as ``placement[ps].key``). ``worked_out`` belongs to :meth:`once`.
    """

    target: str
    version: str
    job: Job
    origins: Origins
    options: Mapping[str, OptionValue]
    option_spans: Mapping[str, Span] = {}
    named: str = ""
    worked_out: dict[object, tuple[object, object]] = {}  # noqa: RUF012  (each unit gets a dict of its own)

    def once(self, work_out: Callable[[Unit], T]) -> T:
        """What ``work_out`` makes of this unit, worked out when it is first asked for.

        Rows, checks and documents all ask what the job's policies decide, for each item and role anew. A copy of a unit
        (another version, other options) begins afresh.
        """
        return remembered(self, self.worked_out, work_out)

    @property
    def name(self) -> str:
        """The job's name."""
        return self.job.name

    @property
    def shown_version(self) -> str:
        """The version in the user's words, for messages and names of folders."""
        return self.named or self.version

    def at_least(self, version: str) -> bool:
        """Whether the target's version is ``version`` or newer."""
        return versions.key(self.version) >= versions.key(version)

    def option_place(self, name: str) -> Span:
        """Where an option, or a part such as ``hosts[2]``, is written; else the whole option, or the job's name."""
        whole = self.option_spans.get(name.partition("[")[0], self.origins.job)
        return self.option_spans.get(name, whole)

    def text(self, option: str) -> str:
        """The value of a string option; empty when it has none."""
        value = self.options[option]
        return value if isinstance(value, str) else ""

    def flag(self, option: str) -> bool:
        """The value of a bool option."""
        return self.options[option] is True

    def texts(self, option: str) -> tuple[str, ...]:
        """The value of a list option; empty when it has none."""
        value = self.options[option]
        return value if isinstance(value, tuple) else ()

    def entries(self, option: str) -> Mapping[str, OptionValue]:
        """The value of a map option; empty when it has none."""
        value = self.options[option]
        return value if isinstance(value, Mapping) else {}


def remembered(unit: AnyUnit, worked_out: dict[object, tuple[object, object]], work_out: Callable[[AnyUnit], T]) -> T:
    """What ``work_out`` makes of ``unit``, kept in ``worked_out``; what is there of another unit does not count."""
    known = worked_out.get(work_out)
    if known is None or known[0] is not unit:
        known = worked_out[work_out] = (unit, work_out(unit))
    return cast("T", known[1])


class Document(Record):
    """One thing a backend makes.

    ``file``: its name in a set of files (``package/scripts/role.py``), ``None`` for a document of the one stream.
    ``data``: a tree with :class:`~tfdsl.emit.located.Located` leaves, or the text of a script, whose ``lines`` have the
    IR path of each line.
    """

    data: Data
    file: str | None = None
    format: Literal["yaml", "json", "xml", "text"] = "yaml"
    executable: bool = False
    lines: tuple[str | None, ...] = ()


class TaskConfig(Record):
    """What one task will see.

    ``tf_config`` as JSON text (``None``: not set), the flags appended to its arguments, and in words how this
    target's own delivery differs from the language's.
    """

    role: str
    index: int
    tf_config: str | None
    flags: tuple[str, ...] = ()
    differences: tuple[str, ...] = ()


class TargetObject(Record):
    """One object that a target has for a job.

    ``role``: the only role that it is for; empty when it is for the whole job. ``lines``: what else is to be
    said about it. ``maker``: what makes it when the job runs, if no document does.
    """

    kind: str
    name: str
    role: str = ""
    lines: tuple[str, ...] = ()
    maker: str = ""


class Lowering(Protocol):
    """The functions of a backend's lowering module."""

    def check(self, unit: Unit, /) -> Iterable[Diagnostic]:
        """The target's own rules beyond its table: name budgets, host lists …"""
        ...

    def generate(self, unit: Unit, /) -> Sequence[Document]:
        """The documents of a job that passed every check, in output order."""
        ...

    def tasks(self, unit: Unit, /) -> Sequence[TaskConfig]:
        """What each task will see, roles in order, indexes ascending."""
        ...


class Backend(Record):
    """One target: everything that the compiler, the commands and the editors ask of it.

    ``title``: as people call the system. ``prefix``: of its codes, three capital letters or digits. ``versions``: those
    it tells apart, oldest first, the default last. ``output``: one YAML stream, or a set of files. ``lowering``: the
    module with :class:`Lowering`. ``rules``: what its ``check`` can say (the table's rules come from the table).

    Its names: ``aliases`` are taken wherever ``name`` is; ``synonyms`` mean the same and are mended; ``akin`` are words
    of people who may mean it.

    Its documents: ``schemas`` is the file of their schemas (:class:`.patch_rules.Schemas`), empty when patches
    cannot be checked; ``patch_rules`` the module whose ``RULES`` say what may not be patched. ``pods``: they have pod
    templates, which ``patch pod`` changes. ``docs``: where the page about it is.

    What it does: ``requires_image``: every role needs an image with the given options. ``knows_submitter``: it tells
    tasks who submitted the job, so that ``job.user`` has a value. ``gpus_by_label``: GPUs come with a node, so that a
    role may have some without asking. ``own_labels``: beginnings of the labels of pods that it writes itself, or
    whole ones where there is no ``/``; ``refused_labels``: those of them that its checks refuse in a job. ``starter``:
    what ``tfdsl new`` writes in its block.

    Import: ``reading`` is the module with :class:`.reading.Reading`; empty when its documents cannot be imported.
    ``reads``: what can be, as people call it; ``kinds``: the kinds of these objects; ``commands``: the programs whose
    command lines are read.

    ``lifecycle``: the module whose ``behaviour`` says how a unit's job lives and ends there; empty when nobody can say.
    ``objects``: the module whose ``objects`` says what there is on the cluster for a unit and its documents.
    ``cluster``: the module whose ``CLUSTER`` says how a job is submitted, read and ended, and ``FLOWS``, if it has one,
    how a flow is; empty when none does.
    ``flows``: the module whose ``LOWERING`` makes its flows; empty when it has none.
    """

    name: str
    title: str
    prefix: str
    versions: tuple[str, ...]
    options: tuple[Option, ...]
    support: Support
    output: Literal["stream", "files"]
    lowering: str
    rules: tuple[Rule, ...] = ()
    aliases: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    akin: tuple[str, ...] = ()
    schemas: str = ""
    patch_rules: str = "tfdsl.backend.patch_rules"
    pods: bool = False
    docs: str = ""
    requires_image: Callable[[Mapping[str, object]], bool] = lambda options: True
    knows_submitter: bool = False
    gpus_by_label: bool = False
    own_labels: tuple[str, ...] = ()
    refused_labels: tuple[str, ...] = ()
    starter: tuple[str, ...] = ()
    reading: str = ""
    reads: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    lifecycle: str = ""
    cluster: str = ""
    flows: str = ""
    objects: str = "tfdsl.backend.objects"

    def load(self) -> Lowering:
        """Import the module that generates documents, and with it the IR."""
        return cast("Lowering", import_module(self.lowering))

    def find_version(self, text: str) -> Version | None:
        """What ``text`` names: a known version, one between them, or a patch of one; ``None`` for all else."""
        return versions.find(text, self.versions)

    def load_patch_rules(self) -> PatchRules:
        """What may not be patched in its documents."""
        module = import_module(self.patch_rules)
        return cast("PatchRules", module.RULES)

    def load_reading(self) -> Reading | None:
        """Import what reads its documents."""
        return cast("Reading", import_module(self.reading)) if self.reading else None

    def writes_label(self, key: str) -> bool:
        """Whether a label of pods is one that it writes itself."""
        return any(key.startswith(own) if "/" in own else key == own for own in self.own_labels)

    def behaviour(self, unit: Unit, documents: Sequence[Document]) -> Behaviour | None:
        """How the job of ``unit`` lives and ends on this target, with its ``documents`` as they were patched."""
        if not self.lifecycle:
            return None
        make = cast("Callable[[Unit, Sequence[Document]], Behaviour]", import_module(self.lifecycle).behaviour)
        return make(unit, documents)

    def load_cluster(self) -> Cluster | None:
        """How its jobs are submitted, read and ended."""
        return cast("Cluster", import_module(self.cluster).CLUSTER) if self.cluster else None

    def load_flow_cluster(self) -> Cluster | None:
        """How its flows are submitted, read and ended."""
        return cast("Cluster | None", getattr(import_module(self.cluster), "FLOWS", None) if self.cluster else None)

    def load_flows(self) -> FlowLowering | None:
        """How its flows are made."""
        return cast("FlowLowering", import_module(self.flows).LOWERING) if self.flows else None

    def objects_of(self, unit: Unit, documents: Sequence[Document]) -> Sequence[TargetObject]:
        """What there is on the cluster for ``unit``."""
        make = cast("Callable[[Unit, Sequence[Document]], Sequence[TargetObject]]", import_module(self.objects).objects)
        return make(unit, documents)

    @property
    def default_version(self) -> str:
        """The version taken when none is named."""
        return self.versions[-1]

    def all_rules(self) -> tuple[Rule, ...]:
        """Every rule that this target can report."""
        return (*self.support.rules(), *self.rules)

    def facts(self) -> tuple[Rule, ...]:
        """What is true of every job, and how to change it; reported only if a project sets a level for it."""
        return tuple(rule for rule in self.rules if rule.level == "off")


# --- the support table -------------------------------------------------------------------------------------------

UNUSED: Final = "remove it, or unset it in target {target}"
"""The edit for a line that has no effect on a target."""
REST = "everything else"
"""The key of the row for what has none of its own."""

Fate: TypeAlias = Literal["kept", "translated", "approximated", "refused"]
Test: TypeAlias = "Callable[[Unit, Item], bool]"


class Condition(Record):
    """Whether a row applies to an item of a job: in ``words`` for the tables, and as a ``test``."""

    words: str
    test: Test

    def __call__(self, unit: Unit, item: Item, /) -> bool:
        """Decide for ``item`` of ``unit.job``."""
        return self.test(unit, item)


def condition(words: str) -> Callable[[Test], Condition]:
    """Make the decorated function a :class:`Condition` that reads ``words`` in the tables."""
    return lambda test: Condition(words, test)


class Fill(Protocol):
    """Gives the values of further ``{names}`` in a row's text."""

    def __call__(self, unit: Unit, item: Item, /) -> Mapping[str, str]:
        """Name → text for ``item`` of ``unit.job``."""
        ...


class Row(Record):
    """What a target does with one key of the IR. Of the rows of one key the first that applies decides.

    ``to``: the field of the target, for the tables. ``text``: how it differs or why it is impossible; it may hold
    ``{value}``, ``{role}``, ``{job}``, the job's name, ``{key}``, the key as a file has it, and what ``fill`` gives.
    ``rule``: what is reported for an approximation or a refusal. ``instead``: what to write, or which target supports
    it. ``since``: the first version for which the row holds. ``when``: a further condition.
    ``default`` says what is reported when the value is a default that the source does not write: an info, or nothing.
    A ``translated`` row with a rule is reported in that case only: see :func:`chosen`.
    """

    key: str
    fate: Fate
    to: str = ""
    text: str = ""
    rule: Rule | None = None
    instead: str = ""
    since: str | None = None
    when: Condition | None = None
    default: Literal["info", "silent"] = "silent"
    fill: Fill | None = None

    @property
    def words(self) -> str:
        """The condition in words; empty when the row has none."""
        return self.when.words if self.when is not None else ""


# Rows that are reported name their rule by a code and a slug. The table to which a row belongs completes both: a code
# that is only digits gets the target's prefix, and a slug the target's name. A row without a slug takes the last word
# of its key: `job.cleanup` → `volcano-cleanup`.


def kept(key: str, to: str, *, since: str | None = None, when: Condition | None = None) -> Row:
    """The target has the same thing."""
    return Row(key, "kept", to, since=since, when=when)


def translated(key: str, to: str, text: str, *, since: str | None = None, when: Condition | None = None) -> Row:
    """The target expresses it in another way, with the same meaning."""
    return Row(key, "translated", to, text, since=since, when=when)


def chosen(
    key: str,
    to: str,
    text: str,
    message: str,
    code: str,
    slug: str = "",
    *,
    instead: str,
    since: str | None = None,
    when: Condition | None = None,
    fill: Fill | None = None,
) -> Row:
    """The target expresses it in another way, and its own default differs from the language's.

    ``message`` is an info for those who leave the value to the default; ``instead`` says what to write to change it.
    """
    return Row(key, "translated", to, text, Rule(code, slug, "info", message), instead, since, when, "info", fill)


def approximated(
    key: str,
    to: str,
    text: str,
    code: str,
    slug: str = "",
    *,
    edit: str = "",
    instead: str = "",
    since: str | None = None,
    when: Condition | None = None,
    default: Literal["info", "silent"] = "info",
    fill: Fill | None = None,
) -> Row:
    """The target does something near, and a message says how it differs.

    ``edit``: the change of the file that ends the difference, which makes the message a warning. Without one it is a
    note; ``instead`` says what else can be done. One of the two at most.
    """
    rule = Rule(code, slug, "warning" if edit else "info", text)
    return Row(key, "approximated", to, text, rule, edit or instead, since, when, default, fill)


def refused(
    key: str,
    text: str,
    code: str,
    slug: str = "",
    *,
    instead: str = "",
    since: str | None = None,
    when: Condition | None = None,
    default: Literal["info", "silent"] = "info",
    fill: Fill | None = None,
) -> Row:
    """The target cannot: an error with an alternative. Refused without a condition, it covers all parts of the key."""
    return Row(key, "refused", "", text, Rule(code, slug, "error", text), instead, since, when, default, fill)


class Support:
    """The support table of a target: rows by key, in the order they are tried.

    ``target`` and ``prefix`` complete the slugs and codes of the rows. ``rest``: the row, with the key :data:`REST`, of
    all keys that have no row of their own.
    """

    def __init__(self, target: str, prefix: str, *rows: Row, rest: Row | None = None) -> None:
        self.rest = () if rest is None else (_completed(rest, target, prefix),)
        self.rows = (*(_completed(row, target, prefix) for row in rows), *self.rest)
        self._by_key: dict[str, list[Row]] = {}
        for row in self.rows:
            self._by_key.setdefault(row.key, []).append(row)

    def __getitem__(self, key: str) -> Sequence[Row]:
        """The rows of ``key``, or those that refuse the whole it is a part of; empty when the table has a hole."""
        whole = _whole(key)
        return self._by_key.get(whole if self._refuses(whole) else key, self.rest)

    def rules(self) -> Iterable[Rule]:
        """What its rows report."""
        return (row.rule for row in self.rows if row.rule is not None)

    def decide(self, unit: Unit | FlowUnit, item: Item) -> Row | None:
        """The row that holds for ``item``; ``None`` for a part of something that is refused as a whole."""
        whole = _whole(item.key)
        if whole != item.key and self._refuses(whole):
            return None
        for row in self[item.key]:
            if row.since is not None and not unit.at_least(row.since):
                continue
            if row.when is None or row.when(cast("Unit", unit), item):
                return row
        return None

    def _refuses(self, key: str) -> bool:
        rows = self._by_key.get(key, self.rest)
        return bool(rows) and all(row.fate == "refused" for row in rows)


_KEYS = (
    (regex(r"policies\[(\w+)\]\.index"), r"on ROLE[INDEX] \1"),
    (regex(r"policies\[(\w+)\]\.delay"), r"on \1 after DURATION"),
    (regex(r"policies\[(\w+)\]\.(.+)"), r"on \1 => \2"),
    (regex(r"policies\[(\w+)\]"), r"on \1"),
    (regex(r"mounts\[(\w+)\]\.(\w+)(.*)"), r"\2 of mount \1\3"),
    (regex(r"mounts\[(\w+)\](.*)"), r"mount \1\2"),
    (regex(r"steps\[(\w+)\]\.(\w+)(.*)"), r"\2 of \1\3"),
    (regex(r"steps\[(\w+)\]"), r"\1"),
    (regex(r"outputs\[\]\.when"), "on success|failure|always of output"),
    (regex(r"outputs\[\]\.index"), "from ROLE[INDEX] of output"),
    (regex(r"outputs\[\]\.(\w+)(.*)"), r"\1 of output\2"),
    (regex(r"outputs\[\]"), "output"),
    (regex(r"(?:roles\[\]|job)\.(\w+)(.*)"), r"\1\2"),
    (regex(r"cluster\.(\w+)"), r"\1 of cluster"),
)


_PARTS = (
    ("{task.index}", " with ${task.index}"),
    ("{env}", " with ${env.NAME}"),
    ("{pod_field}", " with pod_field()"),
)


def spoken(key: str) -> str:
    """A key of a support table as it is written in a file: ``on failed => restart pod``."""
    for form, words in _KEYS:
        match = form.fullmatch(key)
        if match is not None:
            key = match.expand(words)
            break
    for mark, words in _PARTS:
        key = key.replace(mark, words)
    return key


def _whole(key: str) -> str:
    """The mount, output, step or policy that ``key`` is about: ``mounts[pvc]`` for ``mounts[pvc].sub_path{env}``."""
    before, bracket, _ = key.partition("]")
    return key if before == "roles[" else before + bracket


def _completed(row: Row, target: str, prefix: str) -> Row:
    if row.rule is None:
        return row
    code = prefix + row.rule.code if row.rule.code.isdigit() else row.rule.code
    slug = f"{target}-{row.rule.slug or _last_word(row.key)}"
    return replace(row, rule=replace(row.rule, code=code, slug=slug), instead=row.instead.replace("{target}", target))


def _last_word(key: str) -> str:
    """The end of a key as the end of a slug: ``cpu-limit``, ``mount-pvc``, ``pending``, ``restart-pod``."""
    last = (
        key.rpartition(".")[2]
        .removesuffix("]")
        .replace("mounts[", "mount-")
        .replace("policies[", "")
        .replace("steps[", "")
    )
    return last.replace("_", "-").replace(" ", "-").removesuffix("[")
