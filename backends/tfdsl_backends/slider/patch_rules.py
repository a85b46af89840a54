"""What cannot be patched in a Slider package, whose documents repeat each other, and what Slider would refuse.

Source: Slider `core/conf/ConfTreeOperations`, `client/AgentClientProvider` (ResourcesInputPropertiesValidator) and
`providers/agent/AgentProviderService`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tfdsl.backend.patch_rules import Complaint, Derived, FixedSet, PatchRules, Steps
from tfdsl.emit.located import Plain
from tfdsl.patterns import regex

_REPLICAS: Final = "write replicas = … in the role; 0 removes the role"
_COMPONENT: Final = "write role NAME { … } in the job"
_NAME: Final = "write it after the word job: job NAME { … }"
_COMPONENTS: Final = ("components",)
_METAINFO: Final = ("application", "components", "*")

_INT: Final = regex(r"-?(?:0|[1-9][0-9]*)\Z")
_AMOUNTS: Final = ("yarn.memory", "yarn.vcores")
_INTS: Final = (
    "yarn.component.placement.policy",
    "yarn.placement.escalate.seconds",
    "yarn.node.failure.threshold",
    "yarn.container.failure.threshold",
    *(f"yarn.container.failure.window.{unit}" for unit in ("days", "hours", "minutes", "seconds")),
    *(f"yarn.container.health.threshold.{part}" for part in ("percent", "poll.frequency.secs", "window.secs")),
    "yarn.container.health.threshold.init.delay.secs",
    "yarn.resourcemanager.am.retry-count-window-ms",
)


def _check(documents: Sequence[Plain | None]) -> Iterator[Complaint]:
    """Numbers of resources.json, which Slider reads when the application is created."""
    for number, data in enumerate(documents):
        if not isinstance(data, dict) or "components" not in data:
            continue
        groups: list[tuple[Steps, Plain | None]] = [(("global",), data.get("global"))]
        components = data["components"]
        if isinstance(components, dict):
            groups += [(("components", name), keys) for name, keys in components.items()]
        for at, keys in groups:
            for key, value in keys.items() if isinstance(keys, dict) else ():
                problem = _problem(key, str(value))
                if problem:
                    yield Complaint(number, (*at, key), problem)


def _problem(key: str, value: str) -> str:
    if key in _AMOUNTS and value != "max" and (not _INT.match(value) or int(value) < 1):
        return f'{key} must be a whole number above 0 or "max"'
    if key in _INTS and not _INT.match(value):
        return f"{key} must be a whole number"
    return ""


RULES: Final = PatchRules(
    (
        Derived("resources.json", (*_COMPONENTS, "*", "yarn.component.instances"), "the replicas of a role", _REPLICAS),
        Derived(
            "resources.json",
            (*_COMPONENTS, "*", "yarn.role.priority"),
            "the priority of a component",
            "Slider distinguishes the roles by it",
        ),
        Derived("metainfo.json", ("application", "name"), "the name of the application", _NAME),
        Derived("metainfo.json", (*_METAINFO, "name"), "the name of a component", _COMPONENT),
        *(
            Derived("metainfo.json", (*_METAINFO, key), "the replicas of a role", _REPLICAS)
            for key in ("minInstanceCount", "maxInstanceCount")
        ),
        Derived("package/files/job.json", (), "job.json", "the programs of the package read the job from it"),
    ),
    (
        FixedSet("resources.json", _COMPONENTS, "component", _COMPONENT),
        FixedSet("appConfig.json", _COMPONENTS, "component", _COMPONENT, like="resources.json"),
    ),
    _check,
)
