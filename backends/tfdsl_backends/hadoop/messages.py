"""What the checks that yarn and slider share can report."""

from __future__ import annotations

from tfdsl.diagnostics import Level, Rule
from tfdsl.record import Record, fields_of


class HadoopRules(Record):
    """The rules of :mod:`tfdsl_backends.hadoop.checks` with the codes of one target."""

    variable_name: Rule
    secret_value: Rule
    mount_inside: Rule
    gpus_hidden: Rule
    virtual_memory: Rule
    too_long: Rule
    too_many_addresses: Rule
    many_addresses: Rule
    same_file: Rule
    bad_file: Rule
    file_at_mount: Rule
    unused_role: Rule

    def all(self) -> tuple[Rule, ...]:
        """Every one of them, for :attr:`tfdsl.backend.Backend.rules`."""
        return tuple(getattr(self, name) for name in fields_of(type(self)))


def hadoop_rules(
    target: str, prefix: str, *, secret_value: int, mount_inside: int, strings: int, files: int
) -> HadoopRules:
    """The rules of ``target``.

    The numbers are codes; ``strings`` is the first of the three about long strings, ``files`` of the two about files.
    """

    def rule(code: int, slug: str, level: Level, message: str) -> Rule:
        return Rule(f"{prefix}{code}", f"{target}-{slug}", level, message)

    return HadoopRules(
        variable_name=rule(
            145,
            "variable-name",
            "error",
            "a shell cannot set a variable named {name}: use letters, digits and _",
        ),
        secret_value=rule(
            secret_value, "secret-value", "error", "YARN has no Secrets and ConfigMaps, so {name} has no value"
        ),
        mount_inside=rule(
            mount_inside,
            "mount-inside",
            "error",
            "{at} would be written into {source}, a folder of the node that is mounted at {outer}",
        ),
        gpus_hidden=rule(
            141,
            "gpus-hidden",
            "off",
            "roles without a GPU get an empty CUDA_VISIBLE_DEVICES, because otherwise they would see all GPUs of their "
            "node: set CUDA_VISIBLE_DEVICES or NVIDIA_VISIBLE_DEVICES in env of a role for another",
        ),
        virtual_memory=rule(
            142,
            "virtual-memory",
            "info",
            "{roles} may be killed for virtual memory: a NodeManager allows 2.1 times memory, and TensorFlow reserves "
            "more",
        ),
        too_long=rule(
            strings,
            "value-too-large",
            "error",
            "{what} of role {role} has {size} bytes; Linux passes at most 131071 in one argument or variable",
        ),
        too_many_addresses=rule(
            strings + 1,
            "too-many-addresses",
            "error",
            "{what} would list {count} addresses, but Linux passes at most 131071 bytes in one argument or variable",
        ),
        many_addresses=rule(
            strings + 2,
            "many-addresses",
            "warning",
            "{what} lists {count} addresses; Linux starts the command only if the nodes' names have at most {room} "
            "characters on average",
        ),
        same_file=rule(files, "same-file", "error", "the file {name} would replace {other} in the work folder"),
        bad_file=rule(files + 1, "bad-file", "error", "{name} has no last name that a task could find it by"),
        file_at_mount=rule(
            146, "file-at-mount", "error", "the file {name} would be where a mount of the job is in the work folder"
        ),
        unused_role=rule(147, "unused-role", "info", "the job has no role {role}, so {option} of {role} is not used"),
    )
