"""Short ways to build IR jobs and units for the tests of backends, without a source text."""

from __future__ import annotations

from tfdsl import targets
from tfdsl.backend import OptionValue, Unit
from tfdsl.ir.fields import Origins
from tfdsl.ir.model import Job, Policy, Role
from tfdsl.text import Source, Span
from tfdsl.vocabulary.quantities import Duration, Quantity

NOWHERE = Span(Source("job.tfjob", "job j { }\n"), 4, 5)


def amount(text: str) -> Quantity:
    """``16Gi``, ``500m`` or a plain number as a quantity."""
    return Quantity(text)


def time(text: str) -> Duration:
    """``10m``, ``1h30m`` as a duration."""
    return Duration(text)


def role(name: str, replicas: int = 1, **fields: object) -> Role:
    """A role with an image and a command."""
    defaults: dict[str, object] = {
        "name": name,
        "replicas": replicas,
        "image": "registry.example.com/mnist:1.4",
        "command": ("python", "train.py"),
    }
    if name == "tensorboard":
        defaults |= {"command": (), "logdir": "/logs"}
    return Role.model_validate(defaults | fields)


def policy(event: str, action: str, **fields: object) -> Policy:
    """A written policy."""
    return Policy.model_validate({"event": event, "action": action, **fields})


def job(*roles: Role, policies: tuple[Policy, ...] = (), **fields: object) -> Job:
    """A job called ``mnist``."""
    return Job.model_validate({"name": "mnist", "roles": roles, "policies": policies, **fields})


def unit(
    made: Job, target: str, version: str | None = None, *, written: tuple[str, ...] = (), **given: OptionValue
) -> Unit:
    """``made`` for ``target``; ``written`` names the IR paths that count as written in the source."""
    found = targets.find(target)
    assert found is not None
    origins = Origins(NOWHERE)
    for path in written:
        origins.record(path, NOWHERE)
    options = {option.name: option.default for option in found.options} | given
    taken = found.find_version(version or found.default_version)
    assert taken is not None
    return Unit(found.name, taken.known, made, origins, options, dict.fromkeys(given, NOWHERE), taken.shown)
