"""The strings of a role that reach its processes, each named once though the steps have those of their role."""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl.emit.located import child, entry
from tfdsl.ir.cluster_spec import LongString, long_strings
from tfdsl.ir.model import EnvValue, Role
from tfdsl_backends.scripts.texts import with_steps


def own_variables(role: Role) -> Iterator[tuple[str, str, EnvValue]]:
    """Path, name and value of each variable of the role and of its steps; what a step has from the role only once."""
    for name, value in role.env.items():
        yield entry(child(role.path, "env"), name), name, value
    for step in role.steps:
        for name, value in step.env.items():
            if role.env.get(name) != value:
                yield entry(child(step.path, "env"), name), name, value


def own_long_strings(role: Role) -> Iterator[LongString]:
    """Arguments and variables that Linux passes to no process: the task would end before its command begins."""
    inherited = {f"{step.path}.env[{name}]" for step in role.steps for name in step.env if name in role.env}
    strings = (one for runs in with_steps(role) for one in long_strings(runs))
    return (one for one in strings if one.path not in inherited)
