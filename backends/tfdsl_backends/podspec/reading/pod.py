"""The pod template of one role, as the statements of its block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics.import_rules import NOT_KEPT
from tfdsl.draft import Attribute, Draft
from tfdsl.reading import Asked
from tfdsl.record import replace
from tfdsl_backends.podspec.reading import amounts, commands, mounts, settings, variables
from tfdsl_backends.podspec.reading.board import board
from tfdsl_backends.podspec.reading.commands import Words
from tfdsl_backends.podspec.reading.outputs import add_outputs
from tfdsl_backends.podspec.reading.scopes import scope_of
from tfdsl_backends.podspec.reading.steps import OfRole, steps
from tfdsl_backends.podspec.reading.texts import value
from tfdsl_backends.podspec.reading.variables import Variable

if TYPE_CHECKING:
    from tfdsl.manifest.view import View
    from tfdsl_backends.podspec.reading.facts import PodFacts

TF_CONFIG: Final = "TF_CONFIG"
BOARD: Final = "tensorboard"


def main_container(template: View, facts: PodFacts) -> View:
    """The container that runs the command: by its name, else the one with the port, else the first."""
    containers = [*template["spec"]["containers"].items()]
    named = [one for one in containers if one["name"].text == facts.main]
    with_port = [one for one in containers if any(p["name"].text == facts.port_name for p in one["ports"].items())]
    return next(iter([*named, *with_port, *containers]), template["spec"]["containers"][0])


class Pod:
    """The template of ``role`` while it is read: its words and variables, until somebody has taken them."""

    def __init__(self, role: str, template: View, facts: PodFacts, asked: Asked) -> None:
        self.role = role
        self.template = template
        self.facts = facts
        self.asked = asked
        self.spec = template["spec"]
        self.container = main_container(template, facts)
        self.port, _ = settings.own_port(role, self.container, facts)
        self.words: Words | None = commands.words(self.container, self._parameters, asked)
        self.scope = scope_of(role, self.container, self.words, facts)
        self.claims: Mapping[str, str] = {}
        self.variables: list[Variable] = []
        for one in variables.variables(self.container, self.scope, asked):
            if one.name != self.scope.index:
                self.variables.append(one)

    def _parameters(self, program: str) -> int | None:
        """How many parameters the target's own program around a command has; ``None`` for another one."""
        around = self.facts.program_around
        return None if around is None else around(self.role, program)

    @property
    def reference(self) -> str:
        """What stands for the index in a text."""
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
        """The variable ``name``."""
        return next((one for one in self.variables if one.name == name), None)

    def take(self, name: str) -> None:
        """Leave the variable ``name`` out."""
        self.variables = [one for one in self.variables if one.name != name]

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
        found = (commands.without_flags(self.words, flags) for flags in expected)
        return next((words for words in found if words.flags), None)

    def fill(self, draft: Draft, *, flags: bool) -> None:
        """Add the statements to the block of the role."""
        block = draft.role(self.role)
        own = [*self._attributes(flags=flags)]
        for attribute in own:
            block.add(attribute)
        mounted = mounts.pod_mounts(self.template, self.container, self.facts, self.scope)
        self.claims = mounted.claims
        for statement in mounted.statements:
            block.add(statement)
        shared = OfRole(self.role, self.facts, {one.identity: one for one in own}, mounted.places)
        for step in steps(self.spec, shared, self.asked):
            block.add(step)
        if self.words is not None:
            add_outputs(draft, self.role, self.words, self.facts.replicas, self.scope)

    def _set_config(self, text: str) -> None:
        """A TF_CONFIG of the job's own, which the program around the command sets."""
        written = value(text, self.scope)
        old = self.variable(TF_CONFIG)
        if written is None:
            return
        if old is not None:
            self.variables = [replace(one, value=written) if one is old else one for one in self.variables]
        else:
            self.variables.append(variables.Variable(TF_CONFIG, written, text, self.container["command"].span))

    def _attributes(self, *, flags: bool) -> Iterator[Attribute]:
        spec, container = self.spec, self.container
        yield from settings.of_image(spec, container, self.facts)
        yield from self._command(flags=flags)
        yield from settings.of_container(container)
        for one in self.variables:
            yield Attribute("env", one.value, one.span, one.name)
        sources = variables.env_from(container)
        if sources:
            yield Attribute("env_from", sources, container["envFrom"].span)
        asked = [*amounts.resources(container, self.facts)]
        yield from asked
        if not any(one.name.startswith("gpu") for one in asked):
            device = amounts.step_device(spec["initContainers"].items())
            if device is not None:
                yield device
        yield from settings.of_ports(self.role, container, self.facts)
        yield from settings.of_pod(spec, self.facts)
        yield from settings.of_security(spec, container)
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
