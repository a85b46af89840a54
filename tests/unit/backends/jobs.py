"""Short ways to build IR jobs and units for the tests of backends, without a source text."""

from __future__ import annotations

from tfdsl import targets
from tfdsl.backend import OptionValue, Unit
from tfdsl.ir.fields import MOUNTS
from tfdsl.ir.model import Build, Claim, Cluster, Job, Output, Part, Policy, Role, Toleration
from tfdsl.ir.origins import Origins
from tfdsl.ir.policies import restarts_anything, with_defaults
from tfdsl.text import Source, Span
from tfdsl.vocabulary.quantities import Duration, Quantity, parse_unit

NOWHERE = Span(Source("job.tfjob", "job j { }\n"), 4, 5)


def amount(text: str) -> Quantity:
    """``16Gi``, ``500m`` or a plain number as a quantity."""
    if text.isdigit():
        return Quantity(int(text) * 1000, text)
    value = parse_unit(text)
    if not isinstance(value, Quantity | Duration):
        assert value is not None
        return value.quantity
    assert isinstance(value, Quantity)
    return value


def time(text: str) -> Duration:
    """``10m``, ``1h30m`` as a duration."""
    value = parse_unit(text)
    assert value is not None
    return value if isinstance(value, Duration) else value.duration  # type: ignore[union-attr]  # a quantity is a test's bug


def role(name: str, replicas: int = 1, **fields: object) -> Role:
    """A role with an image and a command."""
    defaults: dict[str, object] = {
        "path": f"roles[{name}]",
        "name": name,
        "replicas": replicas,
        "min_available": 0 if name == "tensorboard" else replicas,
        "image": "registry.example.com/mnist:1.4",
        "command": ("python", "train.py"),
    }
    if name == "tensorboard":
        defaults |= {"command": (), "logdir": "/logs", "port": 6006}
    return Role.of(records(defaults | fields))


def records(fields: dict[str, object]) -> dict[str, object]:
    """``fields`` with a record for each plain dict that stands for one (a mount by its ``kind``)."""
    return {name: _record(name, value) for name, value in fields.items()}


def _record(name: str, value: object) -> object:
    if isinstance(value, tuple | list) and name in (*_PARTS, "mounts"):
        return tuple(_record(name, member) for member in value)
    if not isinstance(value, dict):
        return value
    if name == "mounts":
        return MOUNTS[value["kind"]].of(value)
    return _PARTS[name].of(value) if name in _PARTS else value


_PARTS: dict[str, type[Part]] = {
    "outputs": Output,
    "tolerations": Toleration,
    "claims": Claim,
    "cluster": Cluster,
    "build": Build,
}


def policy(event: str, action: str, **fields: object) -> Policy:
    """A written policy; its place is set by :func:`job`."""
    return Policy.of({"event": event, "action": action, **fields})


def job(*roles: Role, policies: tuple[Policy, ...] = (), **fields: object) -> Job:
    """A job called ``mnist`` with the language's default policies and retries added."""
    placed = tuple(p.but(path=f"policies[{at}]") for at, p in enumerate(policies))
    fields = records(fields)
    made = Job.of({"name": "mnist", "roles": roles, "policies": with_defaults(roles, placed), **fields})
    if "retries" not in fields and restarts_anything(made):
        made = made.but(retries=3)
    return made


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
