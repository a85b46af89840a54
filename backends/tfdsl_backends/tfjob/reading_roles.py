"""Which role of the language each entry of ``tfReplicaSpecs`` is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import NO_ROLE, NO_WORDS, NOT_KEPT, SERVER_REFUSES
from tfdsl.record import Record
from tfdsl.vocabulary.attributes import MOST_REPLICAS, ROLES_BY_NAME
from tfdsl_backends.tfjob.lower import ROLE_KEYS
from tfdsl_backends.tfjob.reading_refusals import never

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import View
    from tfdsl.reading import Asked

_BY_KEY: Final = {key.lower(): name for name, key in ROLE_KEYS.items()}
_DIGITS: Final = 9
_LEADERS: Final = ("chief", "master")


class Roles(Record):
    """The roles of a TFJob that have replicas.

    ``specs``: role → its replica spec. ``renamed``: what the manifest calls a role, where that is not the operator's
    word for it → the role. ``accepted``: whether the operator looks at each of them.
    """

    specs: Mapping[str, View]
    renamed: Mapping[str, str]
    accepted: bool

    @property
    def replicas(self) -> dict[str, int]:
        """How many replicas each role has."""
        return {role: replicas(spec) for role, spec in self.specs.items()}


def replicas(spec: View) -> int:
    """The replicas of a role; one where nothing is said. A number in quotes, which the server refuses, is meant."""
    place = spec["replicas"]
    if place.text is not None and place.text.isascii() and place.text.isdigit() and len(place.text) <= _DIGITS:
        return int(place.text)
    return 1 if place.number is None else place.number


def roles(job: View, asked: Asked) -> Roles | None:
    """The roles of ``job``; ``None`` where one of them, or the job, has no place in the language."""
    reader = _Reader(asked)
    place = job["spec"]["tfReplicaSpecs"]
    for key, spec in place.entries():
        reader.take(key, spec, place)
    trains = any(ROLES_BY_NAME[role].trains for role in reader.specs)
    if not (trains or reader.failed):
        reason = "it has neither a chief (master) nor workers"
        reader.fail(NO_WORDS(place.span, what="the job", reason=reason))
    return None if reader.failed else Roles(reader.specs, reader.renamed, reader.accepted)


class _Reader:
    """The roles so far."""

    def __init__(self, asked: Asked) -> None:
        self.report = asked.report
        self.wanted = {key.lower(): role for key, role in asked.roles.items()}
        self.specs: dict[str, View] = {}
        self.renamed: dict[str, str] = {}
        self.accepted = True
        self.failed = False

    def take(self, key: str, spec: View, place: View) -> None:
        """Read the entry ``key`` of ``place``."""
        role = self.wanted.get(key.lower(), _BY_KEY.get(key.lower()))
        if role not in ROLE_KEYS:
            self._unknown(key, place)
        elif self._is_there(role, spec, place, key):
            self.specs[role] = spec
            if key != ROLE_KEYS[role]:
                self.renamed[key] = role

    def _is_there(self, role: str, spec: View, place: View, key: str) -> bool:
        """Whether the operator makes replicas of it."""
        number, span = replicas(spec), place.key(key)
        taken = role in self.specs or (role in _LEADERS and any(name in self.specs for name in _LEADERS))
        if number < 0:
            self._refuse(never(spec["replicas"].span, f"replicas {number} of {key}", "it is negative"))
        elif number == 0:
            self.report(NOT_KEPT(span, what=f"role {role}", reason="it has no replicas"))
        elif taken and role in self.specs:
            reason = f"there is a role {role} already, and the operator keeps one of the two"
            self._refuse(never(span, key, reason))
        elif taken:
            self._refuse(SERVER_REFUSES(span, what=key, reason="a TFJob has one chief or master"))
        elif number > MOST_REPLICAS:
            what = f"role {role} with {number} replicas"
            self.fail(NO_WORDS(spec["replicas"].span, what=what, reason=f"it can have {MOST_REPLICAS:,}"))
        elif number > 1 and ROLES_BY_NAME[role].single:
            reason = f"a job has one {role}"
            self.fail(NO_WORDS(spec["replicas"].span, what=f"role {role} with {number} replicas", reason=reason))
        else:
            return True
        return False

    def _unknown(self, key: str, place: View) -> None:
        error = NO_ROLE(place.key(key), what="the replica spec", name=key)
        names = ", ".join(ROLE_KEYS)
        self.fail(error.help(f"write --role {key}=worker to read it as that; the roles are {names}"))

    def _refuse(self, diagnostic: Diagnostic) -> None:
        self.accepted = False
        self.report(diagnostic)

    def fail(self, error: Diagnostic) -> None:
        """Tell an error: the job cannot be read."""
        self.failed = True
        self.report(error)
