"""The support rows of targets whose tasks a script runs: what their clusters do not have, whichever it is."""

from __future__ import annotations

from typing import Final

from tfdsl.backend import UNUSED, Row, approximated, conditions, kept, refused, translated
from tfdsl.vocabulary.statements import FLOW_RUN_VARIABLE

KUBERNETES: Final = "write it in the block of a Kubernetes target"

WITH_RUN_TIME_VALUES: Final = (
    *("mounts[host]", "mounts[hdfs]", "mounts[archive]"),
    *("roles[].env", "roles[].command", "roles[].args", "roles[].workdir"),
    *(f"steps[prepare].{field}" for field in ("env", "command", "args", "workdir")),
    *("outputs[].source", "outputs[].destination"),
)
"""Keys whose texts may have values that are known only when a task runs."""


def rows(
    system: str,
    *,
    tasks: str,
    program: str,
    cores: str,
    grace: tuple[str, str],
    charged: str,
    codes: tuple[str, str, str],
) -> tuple[Row, ...]:
    """The rows of one target.

    ``tasks``: what replicas are called there; ``program``: where the program that runs one finds the job; ``cores``:
    the option for processors; ``grace``: where ``stop_grace`` is, and what is said of it; ``charged``: what says whose
    resources the job uses; ``codes``: those of protocol, processors and service account.
    """
    protocol, processors, account = codes
    return (
        approximated(
            "job.namespace",
            "",
            f"{system} has no namespaces; {{value}} is ignored",
            "001",
            edit=f"{UNUSED}; {charged}",
        ),
        _ignored(system, "job.common_labels", "labels"),
        *_labels(system, "job"),
        refused(
            "job.scheduler", f"{system} has one scheduler; a job cannot choose {{value}}", "005", instead=KUBERNETES
        ),
        approximated(
            "cluster.protocol",
            program,
            "only server roles use protocol {value}: TF_CONFIG does not name it, so a program that starts its own "
            "server must set it",
            protocol,
            when=conditions.not_grpc,
            default="silent",
        ),
        translated("cluster.protocol", program, "of the servers that roles with server = true run"),
        *_labels(system, "roles[]"),
        approximated(
            "roles[].cpu",
            cores,
            f"{system} counts whole processors; {{value}} is rounded up",
            processors,
            "cpu-rounded",
            when=conditions.fraction,
            edit="write a whole number",
        ),
        kept("roles[].cpu", cores),
        refused(
            "roles[].gpu_memory",
            f"{system} cannot share a GPU by memory",
            "039",
            instead="request whole devices with gpu",
        ),
        refused(
            "roles[].service_account",
            f"{system} has no service accounts; {tasks} run as the user who submits",
            account,
            instead=KUBERNETES,
        ),
        approximated("roles[].stop_grace", *grace, "151"),
    )


_CODES: Final = {"labels": "002", "annotations": "003"}


def _labels(system: str, of: str) -> tuple[Row, ...]:
    return tuple(_ignored(system, f"{of}.{name}", name) for name in _CODES)


def _ignored(system: str, key: str, what: str, edit: str = UNUSED) -> Row:
    return approximated(key, "", f"{system} has no {what}; they are ignored", _CODES[what], what, edit=edit)


def flow_rows(system: str, table: str) -> tuple[Row, ...]:
    """The rows of flows that do not depend on the engine. ``table``: the program to which the schedule is given."""
    return (
        translated("flow.run", FLOW_RUN_VARIABLE, "flow.sh gives each run a name of 24 characters"),
        translated("flow.schedule", "flow.sh --schedule", f"it prints the line for {table}"),
        refused(
            "flow.time_zone",
            f"{table} uses the time zone of its machine; it cannot use {{value}}",
            "170",
            instead="remove time_zone, or set it when a param says so; the schedule is in the time of that machine",
        ),
        _ignored(system, "flow.common_labels", "labels", "remove it"),
        *(
            approximated(
                f"flow.{name}", "", f"{system} has no {what}; {{value}} is ignored", code,
                f"flow-{name.replace('_', '-')}", edit="remove it",
            )
            for name, what, code in (
                ("namespace", "namespaces", "171"), ("service_account", "service accounts", "172")
            )
        ),
    )  # fmt: skip
