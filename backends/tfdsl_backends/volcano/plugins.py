"""The job's plugins: env for the index, svc for the names, tensorflow for TF_CONFIG, unless an option names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, cast

from tfdsl.backend import Unit
from tfdsl.emit.located import Data
from tfdsl_backends.volcano.network import reached
from tfdsl_backends.volcano.tfconfig import plugin_arguments

ADDRESSABLE: Final = "--publish-not-ready-addresses=true"
"""Names resolve before their pods are ready."""

REACHABLE: Final = "--disable-network-policy=true"
"""Others than the job's own pods may connect to them."""


def chosen(unit: Unit) -> Mapping[str, Sequence[str]] | None:
    """The plugins that the option names; ``None`` where the compiler decides."""
    value = unit.options["plugins"]
    return None if value is None else cast("Mapping[str, Sequence[str]]", value)


def uses(unit: Unit, plugin: str) -> bool:
    """Whether env or svc is one of the plugins."""
    given = chosen(unit)
    return given is None or plugin in given


def plugins(unit: Unit) -> dict[str, Data]:
    """``spec.plugins``.

    The names must resolve before the pods are ready because the tasks wait for each other. svc's NetworkPolicy admits
    only the job's own pods, so TensorBoard and named ports could not be reached.
    """
    given = chosen(unit)
    if given is not None:
        named: dict[str, Data] = {name: list(arguments) for name, arguments in given.items()}
        own = plugin_arguments(unit)
        return named if own is None or "tensorflow" in named else {**named, "tensorflow": own}
    svc = [ADDRESSABLE]
    if reached(unit.job) is not None:
        svc.append(REACHABLE)
    return {"env": [], "svc": svc, "tensorflow": plugin_arguments(unit)}
