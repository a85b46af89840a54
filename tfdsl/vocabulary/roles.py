"""The roles of a job (language reference, "Attributes")."""

from __future__ import annotations

from tfdsl.record import Record


class RoleRow(Record):
    """One role. ``single``: at most one replica. ``trains``: a job needs one of these.

    ``aliases``: other spellings; ``akin``: words of other tools for something similar.
    """

    name: str
    doc: str
    single: bool = False
    trains: bool = False
    aliases: tuple[str, ...] = ()
    akin: tuple[str, ...] = ()


ROLES = (
    RoleRow("chief", "Coordinates training and saves checkpoints; the job is complete when the chief is.", True, True,
            ("Chief", "chiefworker", "chief_worker"), ("coordinator", "launcher", "leader", "head")),
    RoleRow("master", "TensorFlow 1's word for chief.", True, True, ("Master", "MASTER")),
    RoleRow("ps", "Parameter server: stores variables, never decides whether the job succeeds.", aliases=(
        "PS", "Ps", "parameter_server", "parameter_servers"), akin=("server",)),
    RoleRow("worker", "Trains.", trains=True, aliases=("Worker", "WORKER", "workers"),
            akin=("trainer", "trainers", "node", "slave", "executor", "replica")),
    RoleRow("evaluator", "Evaluates checkpoints; not part of the cluster spec.", True, aliases=("Evaluator", "eval")),
    RoleRow("tensorboard", "Shows a log folder; never ends the job.", True,
            aliases=("TensorBoard", "Tensorboard", "tb")),
)  # fmt: skip
"""In the order in which every target writes them."""

ROLE_NAMES = tuple(row.name for row in ROLES)
BY_NAME = {row.name: row for row in ROLES}
