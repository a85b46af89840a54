"""The programs of TensorFlow, for the roles whose program is not the user's own: whether they are here, and listen."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics import Diagnostic, command_rules
from tfdsl.ir.model import board_command

if TYPE_CHECKING:
    from tfdsl.ir.fields import Origins
    from tfdsl.running.plan import Program, Replica

BOARD: Final = "tensorboard"
"""A program, and the package that brings it: since 2.21, TensorFlow's does not."""
_ASK = "import importlib.util as u, sys; sys.exit(3 if u.find_spec('tensorflow') is None else 0)"
"""Finds the package without loading it, which takes seconds."""


def missing(replicas: Sequence[Replica], origins: Origins) -> Iterator[Diagnostic]:
    """One warning for each role that starts a TensorFlow server or TensorBoard and will not find it."""
    asked: set[str] = set()
    for replica in replicas:
        role = replica.role
        if role.name in asked:
            continue
        asked.add(role.name)
        board = role.name == "tensorboard" and role.command == board_command(role.logdir or "", role.port)
        why = _why(replica.command) if role.server or board else ""
        if why:
            what = "TensorBoard" if board else "TensorFlow"
            diagnostic = command_rules.NO_TENSORFLOW(origins.span(role.path), role=role.name, what=what, why=why)
            yield diagnostic.help(f"install it where run finds it: pip install {what.lower()}")


def listens(address: str) -> bool:
    """Whether something listens at ``http://HOST:PORT``, on this machine."""
    host, _, port = address.rpartition("/")[2].partition(":")
    with socket.socket() as trial:
        trial.settimeout(0.1)
        return trial.connect_ex((host, int(port))) == 0


def _why(program: Program) -> str:
    name = program.argv[0]
    found = shutil.which(name, path=program.env.get("PATH", os.defpath))
    if found is None:
        return f"there is no {name} here"
    if program.argv[1:2] != ("-c",):
        return ""
    done = subprocess.run([found, "-c", _ASK], env=dict(program.env), capture_output=True, stdin=subprocess.DEVNULL)
    return f"{name} does not have it" if done.returncode == 3 else ""
