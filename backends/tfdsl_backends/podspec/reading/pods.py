"""The pods of a job as statements of its roles; the inverse of ``podspec.pods``.

What the roles agree on, which the compiler adds to all of them, is said once or switched off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tfdsl.backend.draft import Attribute, Bare, Block, Draft, Step, Text, Value
from tfdsl.backend.reading import Asked
from tfdsl.diagnostics.command_rules import NOT_KEPT, READ_DIFFERENTLY
from tfdsl.ir.cluster_spec import IN_CLUSTER, MOST_LISTED, tf_config
from tfdsl.manifest.nodes import View
from tfdsl.record import Record, replace
from tfdsl.rules.job import step_name
from tfdsl.rules.values import image
from tfdsl.vocabulary.attributes import BOARD
from tfdsl_backends.podspec.expansion import Scope
from tfdsl_backends.podspec.fields import WORKDIR
from tfdsl_backends.podspec.options import NO_SIDECAR, VISIBLE_DEVICES
from tfdsl_backends.podspec.reading import commands, mounts, settings, values
from tfdsl_backends.podspec.reading.commands import Variable, Words, add_outputs, board, interpreter, scope_of
from tfdsl_backends.podspec.reading.facts import PodFacts, PodsRead, main_container
from tfdsl_backends.podspec.reading.settings import named_ports, plain
from tfdsl_backends.podspec.reading.values import GPU, amount, plain_resources, value, word

TF_CONFIG: Final = "TF_CONFIG"


class Pod:
    """The template of ``role`` while it is read: its words and variables, until somebody has taken them."""

    def __init__(self, role: str, template: View, facts: PodFacts, asked: Asked) -> None:
        self.role = role
        self.template = template
        self.facts = facts
        self.asked = asked
        self.spec = template["spec"]
        self.container = main_container(template["spec"], facts.main, facts.port_name)
        self.port, _ = settings.own_port(role, self.container, facts)
        self.words: Words | None = commands.words(self.container, self._parameters)
        self.scope = scope_of(role, self.container, self.words, facts)
        self.claims: Mapping[str, str] = {}
        variables = commands.variables(self.container, self.scope)
        self.variables = [variable for variable in variables if variable.name != self.scope.index]

    def _parameters(self, program: str) -> int | None:
        """How many parameters the target's own program around a command has; ``None`` for another one."""
        around = self.facts.program_around
        return None if around is None else around(self.role, program)

    @property
    def reference(self) -> str:
        """What is written for the index in a text."""
        return f"$({self.scope.index})" if self.scope.index is not None else "0"

    @property
    def flag_indexes(self) -> Sequence[str]:
        """What the flags can have for the index; where each replica has a Job of its own, this is the first one."""
        return (self.reference, "0") if self.facts.on_hosts else (self.reference,)

    @property
    def serves(self) -> bool:
        """Whether it runs the TensorFlow server."""
        return self.words is not None and self.words.server is not None

    def variable(self, name: str) -> Variable | None:
        """The variable ``name`` of the container; ``None`` if it has no such variable."""
        return next((variable for variable in self.variables if variable.name == name), None)

    def take(self, name: str) -> None:
        """Leave the variable ``name`` out."""
        self.variables = [variable for variable in self.variables if variable.name != name]

    def has_config(self, expected: str) -> bool:
        """Whether it has a TF_CONFIG that is ``expected``."""
        own = self.variable(TF_CONFIG)
        around = self.words.around if self.words is not None else None
        if around is not None and len(around) == 1:
            return around[0] == expected
        return own is not None and own.text == expected

    def take_config(self, expected: str) -> bool:
        """Leave a TF_CONFIG out that is ``expected``, what the compiler writes; whether there was one.

        A program of the target without parameters makes one by itself; the parameter of another one is a TF_CONFIG.
        """
        own = self.variable(TF_CONFIG)
        around = self.words.around if self.words is not None else None
        if around is not None and not around:
            return True
        if around is not None and len(around) == 1:
            if around[0] == expected:
                return True
            self._set_config(around[0])
        elif own is not None and own.text == expected:
            self.take(TF_CONFIG)
            return True
        elif own is not None and self.facts.lost_config:
            self.take(TF_CONFIG)
            self.asked.report(NOT_KEPT(own.span, what=f"variable {TF_CONFIG}", reason=self.facts.lost_config))
        return False

    def without_flags(self, expected: Sequence[Sequence[str]]) -> Words | None:
        """The words without one of the ``expected`` flags of the cluster; ``None`` where they do not end in them."""
        if self.words is None:
            return None
        shortened = (commands.without_flags(self.words, flags) for flags in expected)
        return next((words for words in shortened if words.flags), None)

    def fill(self, draft: Draft, *, flags: bool) -> None:
        """Add the statements to the block of the role."""
        block = draft.role(self.role)
        own = [*self._attributes(flags=flags)]
        block.add(*own)
        mounted = mounts.pod_mounts(self.template, self.container, self.facts, self.scope)
        self.claims = mounted.claims
        block.add(*mounted.statements)
        shared = OfRole(self.role, self.facts, {attribute.identity: attribute for attribute in own}, mounted.places)
        block.add(*steps(self.spec, shared))
        if self.words is not None:
            add_outputs(draft, self.role, self.words, self.facts.replicas, self.scope)

    def _set_config(self, text: str) -> None:
        """A TF_CONFIG of the job's own, which the program around the command sets."""
        written = value(text, self.scope)
        old = self.variable(TF_CONFIG)
        if written is None:
            return
        if old is not None:
            self.variables = [
                replace(variable, value=written) if variable is old else variable for variable in self.variables
            ]
        else:
            self.variables.append(commands.Variable(TF_CONFIG, written, text, self.container["command"].span))

    def _attributes(self, *, flags: bool) -> Iterator[Attribute]:
        spec, container = self.spec, self.container
        yield from settings.of_image(spec, container, self.facts)
        yield from self._command(flags=flags)
        yield from settings.plain(container, (WORKDIR,))
        for variable in self.variables:
            yield Attribute("env", variable.value, variable.span, variable.name)
        sources = commands.env_from(container)
        if sources:
            yield Attribute("env_from", sources, container["envFrom"].span)
        asked = [*values.resources(container, self.facts)]
        yield from asked
        if not any(attribute.name.startswith("gpu") for attribute in asked):
            device = values.step_device(spec["initContainers"].items())
            if device is not None:
                yield device
        yield from settings.of_ports(self.role, container, self.facts)
        yield from settings.of_pod(spec, container, self.facts)
        yield from settings.of_placement(self.role, spec, self.facts)
        yield from settings.of_metadata(self.template["metadata"], self.facts)

    def _command(self, *, flags: bool) -> Iterator[Attribute]:
        if self.words is None:
            return
        if self.serves:
            yield Attribute("server", True, self.container["command"].span)
        elif self.role == BOARD:
            yield from board(self.words, self.port, self.scope)
        else:
            yield from commands.statements(self.words, self.scope, flags=flags)


class OfRole(Record):
    """What steps have from their role: its statements by identity, and its mounts by path."""

    role: str
    facts: PodFacts
    attributes: Mapping[str, Attribute]
    places: Mapping[str, str]

    def value(self, identity: str) -> Value | None:
        """The value of an attribute of the role."""
        attribute = self.attributes.get(identity)
        return None if attribute is None else attribute.value


def steps(spec: View, role: OfRole) -> Iterator[Step]:
    """The steps that the compiler gives back."""
    names: set[str] = set()
    for container in spec["initContainers"].items():
        name = container["name"].text or ""
        kind = "sidecar" if container["restartPolicy"].text == "Always" else "prepare"
        if name in names or step_name(name, kind) is not None or not _has_its_mounts(container, role.places):
            continue
        statements = _statements(container, kind, role)
        if statements is not None:
            names.add(name)
            yield Step(kind, name, tuple(statements), container.span)


def _has_its_mounts(container: View, places: Mapping[str, str]) -> bool:
    """Whether its mounts are mounts of the role: it gets all of them."""
    for place in container["volumeMounts"].items():
        if places.get((place["mountPath"].text or "").rstrip("/"), "") != place["name"].text:
            return False
    return True


def _statements(container: View, kind: str, role: OfRole) -> list[Attribute] | None:
    attributes: list[Attribute] = []
    name = word(container["image"].text)
    if name is not None and image(name) is not None:
        return None
    other_image = name is not None and name != role.value("image")
    if other_image and name is not None:
        attributes.append(Attribute("image", name, container["image"].span))
    words = commands.words(container, None)
    if words is None or words.joined or words.server is not None:
        return None
    scope = scope_of(role.role, container, words, role.facts)
    attributes += commands.statements(words, scope, flags=False)
    if not other_image and not any(attribute.name == "command" for attribute in attributes):
        return None
    attributes += [attribute for attribute in plain(container, (WORKDIR,)) if attribute.value != role.value("workdir")]
    attributes += _variables(container, role, scope)
    attributes += [
        plain_resource
        for plain_resource in plain_resources(container)
        if plain_resource.value != role.value(plain_resource.name)
    ]
    gpu = amount(container["resources"]["limits"][str(role.value("gpu_resource") or GPU)])
    if gpu is not None and gpu.whole:
        attributes.append(Attribute("gpu", gpu.whole, container["resources"].span))
    if kind == "sidecar":
        attributes += named_ports(container, None)
    return attributes


def _variables(container: View, role: OfRole, scope: Scope) -> Iterator[Attribute]:
    for variable in commands.variables(container, scope):
        if variable.name != scope.index and variable.value != role.value(f"env[{variable.name}]"):
            yield Attribute("env", variable.value, variable.span, variable.name)
    sources = commands.env_from(container)
    if sources is not None and sources != (role.value("env_from") or []):
        yield Attribute("env_from", sources, container["envFrom"].span)


_SIDECAR: Final = f"annotations[{NO_SIDECAR}]"
_DEVICES: Final = f"env[{VISIBLE_DEVICES}]"
_CHECKPOINT: Final = "env[CHECKPOINT_DIR]"
_HIDDEN: Final = "void"


def checkpoint(draft: Draft, replicas: Mapping[str, int]) -> None:
    """``CHECKPOINT_DIR`` of all roles is the job's ``checkpoint``; TensorBoard shows it by default."""
    said = [_find(block, _CHECKPOINT) for block in draft.roles.values()]
    first = next(
        (attribute for attribute in said if attribute is not None and isinstance(attribute.value, Text)),
        said[0] if said else None,
    )
    if first is None or not first.value:
        return
    for name, attribute in zip(draft.roles, said, strict=True):
        if attribute is None or attribute.value not in (first.value, _of_first(first.value, replicas.get(name, 1))):
            return
    draft.job.set("checkpoint", first.value, first.span)
    for name, block in draft.roles.items():
        folders = (first.value, _of_first(first.value, replicas.get(name, 1)))
        _drop(block, _CHECKPOINT, folders)
        _drop(block, "logdir", folders)


def sidecars(draft: Draft) -> None:
    """The annotation that keeps Istio's sidecar away, which the compiler gives to every pod."""
    blocks = draft.roles.values()
    if all(_find(block, _SIDECAR) is not None for block in blocks):
        for block in blocks:
            _drop(block, _SIDECAR, ("false",))
    else:
        draft.options.set("istio_annotation", False)


def names(draft: Draft, specs: Sequence[View]) -> None:
    """Which names pods on the network of their node resolve: those of the cluster too, unless all leave it open."""
    alone = [spec for spec in specs if spec["hostNetwork"].flag is True]
    if alone and all(spec["dnsPolicy"].text in (None, "ClusterFirst") for spec in alone):
        draft.options.set("cluster_dns", False)


def devices(draft: Draft) -> None:
    """The variable that hides devices, which the compiler gives to all that has none beside what has some."""
    holders: list[tuple[Block, Block | Step]] = [(block, block) for block in draft.roles.values()]
    holders += [(block, step) for block in draft.roles.values() for step in _steps(block)]
    if not any(_uses_nvidia(block, holder) for block, holder in holders):
        return
    bare = [(block, holder) for block, holder in holders if not _uses_nvidia(block, holder)]
    if any(_find(block, _DEVICES) is None and _find(holder, _DEVICES) is None for block, holder in bare):
        draft.options.set("nvidia_visible_devices", "")
        return
    for block in draft.roles.values():
        if not _uses_nvidia(block, block):
            _drop(block, _DEVICES, (_HIDDEN,))
        block.statements = [
            _without_hidden(statement) if isinstance(statement, Step) else statement for statement in block.statements
        ]


def servers(draft: Draft, pythons: Mapping[str, str], index: Attribute, *, indexed: bool) -> None:
    """The command of the roles that run a server: only its Python counts, so it can be that of another role.

    ``index``: the variable of the index as an attribute; a command that uses it needs it, though a server does not.
    ``indexed``: whether the compiler adds it to servers in any case.
    """
    others = [block for name, block in draft.roles.items() if name not in pythons]
    for role, python in pythons.items():
        like = next((block for block in others if interpreter(_value(block, "command")) == python), None)
        block = draft.role(role)
        attributes = [_find(like, name) for name in ("command", "args")] if like is not None else []
        program = [statement for statement in attributes if statement is not None]
        used = any(_uses_index(statement.value) for statement in program)
        attribute = _index_of(block, index)
        if program and (not used or attribute is not None or indexed):
            block.statements += program
        elif python != "python":
            block.set("command", [python])
        if indexed:
            used = True
        elif attribute is not None and not used and _steps(block):  # steps would inherit it as a variable
            block.statements = [statement for statement in block.statements if statement.identity != "args"]
            block.set("args", [Text((Bare("task.index"),))], attribute.span)
            used = True
        if attribute is not None and used:
            _drop(block, attribute.identity, (attribute.value,))


def _index_of(block: Block, index: Attribute) -> Attribute | None:
    """The variable of the index among the statements of ``block``, which can have got a prefix."""
    variables = (
        statement
        for statement in block.statements
        if isinstance(statement, Attribute) and statement.name == "env" and statement.key
    )
    found = (
        variable
        for variable in variables
        if variable.value == index.value and str(variable.key).endswith(str(index.key))
    )
    return next(found, None)


def _uses_index(value: Value) -> bool:
    if isinstance(value, Text):
        return Bare("task.index") in value.parts
    return isinstance(value, list | tuple) and any(_uses_index(item) for item in value)


def job_field(draft: Draft, name: str, places: Sequence[View | None]) -> None:
    """An attribute of the job that the compiler writes to each pod, if all pods have it."""
    first = places[0] if places else None
    text = word(first.text) if first is not None else None
    if first is not None and text is not None and all(place is not None and place.text == text for place in places):
        draft.job.set(name, text, first.span)


def _of_first(value: Value, replicas: int) -> Value:
    """``value`` as the compiler writes it for a role of one replica, whose index is known."""
    if replicas != 1 or not isinstance(value, Text):
        return value
    parts = ["0" if part == Bare("task.index") else part for part in value.parts]
    if all(isinstance(part, str) for part in parts):
        return "".join(part for part in parts if isinstance(part, str))
    return Text(tuple(parts))


def _find(holder: Block | Step, identity: str) -> Attribute | None:
    found = (
        statement
        for statement in holder.statements
        if isinstance(statement, Attribute) and statement.identity == identity
    )
    return next(found, None)


def _value(holder: Block | Step, identity: str) -> Value | None:
    attribute = _find(holder, identity)
    return None if attribute is None else attribute.value


def _drop(block: Block, identity: str, values: Sequence[Value]) -> None:
    """Take the attribute out of ``block`` if its value is one of ``values``."""
    attribute = _find(block, identity)
    if attribute is not None and attribute.value in values:
        block.statements = [statement for statement in block.statements if statement is not attribute]


def _steps(block: Block) -> list[Step]:
    return [statement for statement in block.statements if isinstance(statement, Step)]


def _uses_nvidia(block: Block, holder: Block | Step) -> bool:
    """The same as ``podspec.command`` of a role or its step: a share of a device, or devices of that maker."""
    count, device = _value(holder, "gpu"), _value(block, "gpu_resource") or GPU
    shares = _value(block, "gpu_memory") is not None and (holder is block or count is not None)
    return shares or (bool(count) and str(device).startswith("nvidia.com/"))


def _without_hidden(step: Step) -> Step:
    kept = tuple(
        statement
        for statement in step.statements
        if not (statement.identity == _DEVICES and statement.value == _HIDDEN)
    )
    return replace(step, statements=kept)


def read_pods(draft: Draft, pods: Mapping[str, View], facts: PodFacts, asked: Asked) -> PodsRead:
    """Fill the roles of ``draft`` from ``pods``, role → its pod template, and its job and options where all agree.

    ``draft.cluster`` gets what discovery is; what else was found about it is for the options of the target.
    """
    read = [Pod(role, template, facts, asked) for role, template in pods.items()]
    hosts = _hosts(read, facts)
    training = [pod for pod in read if pod.role != BOARD]
    config = _take_config(training, hosts)
    flags = _take_flags(training, hosts)
    _discover(draft, training, config, facts, flags=flags)
    for pod in read:
        pod.fill(draft, flags=flags)
    mounts.share(draft, {pod.role: pod.claims for pod in read}, facts.replicas)
    checkpoint(draft, facts.replicas)
    sidecars(draft)
    devices(draft)
    names(draft, [pod.spec for pod in read])
    index = Attribute("env", commands.field(facts.index_field), key=facts.index_variable)
    pythons = {pod.role: pod.words.command[0] for pod in training if pod.words and pod.serves}
    servers(draft, pythons, index, indexed=flags and facts.index_of_servers)
    if facts.priority:
        job_field(draft, "priority", [pod.spec["priorityClassName"] for pod in training])
    if facts.scheduler:
        job_field(draft, "scheduler", [settings.scheduler(pod.spec, facts) for pod in training])
    return PodsRead(
        flags,
        config,
        {pod.role: pod.words.around for pod in read if pod.words is not None and pod.words.around is not None},
        frozenset(pod.role for pod in training if pod.serves),
        {pod.role: pod.port for pod in read},
    )


def _hosts(read: Sequence[Pod], facts: PodFacts) -> dict[str, list[str]]:
    """Role → ``host:port`` of each replica, as :func:`tfdsl.ir.cluster_spec.cluster_spec` has them."""
    return {
        pod.role: [
            facts.address(pod.role, index, pod.port)
            for index in range(min(facts.replicas.get(pod.role, 1), MOST_LISTED))
        ]
        for pod in sorted(read, key=lambda pod: pod.role)
        if pod.role in IN_CLUSTER
    }


def _take_config(training: Sequence[Pod], hosts: dict[str, list[str]]) -> frozenset[str]:
    """Take the TF_CONFIG that the compiler writes out of the roles; which had it.

    Of those that run a command all get one or none; a server gets one whatever discovery is.
    """
    expected = {pod.role: tf_config(hosts, pod.role, pod.reference) for pod in training}
    whole = all(pod.has_config(expected[pod.role]) for pod in training if not pod.serves)
    return frozenset(pod.role for pod in training if pod.take_config(expected[pod.role] if whole or pod.serves else ""))


def _take_flags(training: Sequence[Pod], hosts: Mapping[str, Sequence[str]]) -> bool:
    """Take the flags of the cluster off the arguments, if all roles have them; whether they do.

    With a TF_CONFIG of the job's own there is no discovery, and flags are arguments like others.
    """
    if any(pod.variable(TF_CONFIG) is not None for pod in training):
        return False
    roles = [pod.role for pod in training]
    pods = [pod for pod in training if not pod.serves]
    without = [
        pod.without_flags([commands.flag_words(pod.role, roles, hosts, index) for index in pod.flag_indexes])
        for pod in pods
    ]
    if not pods or any(words is None for words in without):
        return False
    for pod, words in zip(pods, without, strict=True):
        pod.words = words
    return True


def _discover(draft: Draft, training: Sequence[Pod], config: frozenset[str], facts: PodFacts, *, flags: bool) -> None:
    commanding = [pod.role for pod in training if not pod.serves]
    if any(pod.variable(TF_CONFIG) is not None for pod in training):
        discovery = "none"
    elif commanding and config.issuperset(commanding):
        discovery = "both" if flags else "tf_config"
    else:
        discovery = facts.discovery[0 if flags else 1]
    if discovery != "tf_config":
        draft.cluster["discovery"] = discovery
    protocols = {pod.words.server for pod in training if pod.words is not None and pod.words.server is not None}
    if len(protocols) == 1 and protocols != {"grpc"}:
        draft.cluster["protocol"] = str(protocols.pop())


_NONE: Final = "image"
_ODD: Final = re.compile(r"[^a-z0-9._/:@-]+")
_LONGEST: Final = 200


def add_missing_images(draft: Draft, pods: Mapping[str, View], facts: PodFacts, asked: Asked) -> dict[str, str]:
    """Give an image to each role without one, because the language needs it; such a job never ran as it was.

    Returns what the roles were given.
    """
    made: dict[str, str] = {}
    if any(isinstance(statement, Attribute) and statement.name == "image" for statement in draft.job.statements):
        return made
    for role, template in pods.items():
        block = draft.role(role)
        if not any(isinstance(statement, Attribute) and statement.name == "image" for statement in block.statements):
            container = main_container(template["spec"], facts.main, facts.port_name)
            place = container["image"] if container["image"].present else container
            made[role] = _near(place.text or "")
            block.set("image", made[role], place.span)
            _tell(place, made[role], asked)
            draft.law = False
    return made


def _tell(place: View, made: str, asked: Asked) -> None:
    what = f"image {place.text}" if place.text else "a container without an image"
    difference = "it is not the name of an image" if place.text else "a role needs one"
    word = f"image {made}" if place.text else f'one with image = "{made}"'
    diagnostic = READ_DIFFERENTLY(place.span, what=what, word=word, difference=difference)
    asked.report(diagnostic.help("write the image that is meant"))


def _near(text: str) -> str:
    """An image whose name is like ``text``."""
    made = _ODD.sub("", text[:_LONGEST].lower()).strip("._/:@-")
    return made if made and image(made) is None else _NONE
