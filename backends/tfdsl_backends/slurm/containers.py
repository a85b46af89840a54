"""The containers of roles: options of srun for pyxis, a command line for apptainer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.emit import shell
from tfdsl.emit.located import Data, Located, child
from tfdsl.emit.script import Quoted
from tfdsl.ir.model import HostMount, Role
from tfdsl.patterns import regex
from tfdsl_backends.scripts.commands import role_word

if TYPE_CHECKING:
    from tfdsl.backend import Unit

_HOST = regex(r"(?P<registry>[A-Za-z0-9.-]+(?:\.[A-Za-z0-9-]+|:[0-9]+)|localhost)/(?P<rest>.+)")
UNSAFE = regex(r"[,:\\\s\"']")
"""What a list of mounts cannot hold."""


def container_values(unit: Unit) -> list[dict[str, Data]]:
    """For pyxis: role, options of srun, and the end of its list of mounts."""
    if unit.text("runtime") != "pyxis":
        return []
    return [
        {
            "role": role.name,
            "words": [Located(f"--container-image={pyxis_image(role.image or '')}", child(role.path, "image"))],
            "mounts": "".join(f",{mount.source}:{mount.at}{':ro' if mount.readonly else ''}" for mount in binds(role)),
        }
        for role in unit.job.roles
    ]


def pyxis_image(image: str) -> str:
    """``image`` as pyxis reads it: the registry ends with ``#``, and a file is a path."""
    if image.startswith(("/", "./")):
        return image
    image = image.removeprefix("docker://")
    found = _HOST.fullmatch(image)
    return f"{found['registry']}#{found['rest']}" if found is not None else image


def apptainer_image(image: str) -> str:
    """``image`` as apptainer reads it."""
    return image if image.startswith(("/", "./")) or "://" in image else f"docker://{image}"


def apptainer_values(unit: Unit) -> list[dict[str, Data]]:
    """For apptainer: role, options, image, and the mounts that task.sh has to make a folder for first."""
    if unit.text("runtime") != "apptainer":
        return []
    return [
        {
            "role": role.name,
            "words": list(_options(role)),
            "image": Located(apptainer_image(role.image or ""), child(role.path, "image")),
            "folders": [
                Located(Quoted(f"{mount.kind}_bind {number} {shell.quote(mount.at)}"), mount.path)
                for number, mount in enumerate(role.mounts, 1)
                if mount.kind in ("scratch", "memory") and mount.at.startswith("/")
            ],
        }
        for role in unit.job.roles
    ]


def _options(role: Role) -> Iterator[Data]:
    if role.gpu:
        yield Located("--nv", child(role.path, "gpu"))
    for mount in binds(role):
        end = f":{shell.quote(mount.at)}{':ro' if mount.readonly else ''}"
        yield Located(Quoted(f"--bind={role_word(role, mount.source)}{end}"), mount.path)


def binds(role: Role) -> list[HostMount]:
    """The folders of the node that are mounted at absolute paths."""
    return [mount for mount in role.mounts if mount.kind == "host" and mount.at.startswith("/")]
