"""The option ``files``: files and folders of the submitter that every task finds in its work folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

    from tfdsl.backend import Unit
    from tfdsl.diagnostics import Diagnostic
    from tfdsl_backends.hadoop.messages import HadoopRules


def files(unit: Unit) -> list[tuple[str, str]]:
    """Each file with its name in the work folder."""
    return [(source, last_name(source)) for source in unit.texts("files")]


def last_name(path: str) -> str:
    """The last part of a path; empty for ``/``, ``.`` and ``..``."""
    name = path.rstrip("/").rpartition("/")[2]
    return "" if name in (".", "..") else name


def check_files(unit: Unit, rules: HadoopRules, taken: re.Pattern[str]) -> Iterator[Diagnostic]:
    """Every file needs a name of its own in the work folder; ``taken`` are the names that the target uses there."""
    mounted = mounted_names(unit)
    names: set[str] = set()
    for number, (source, name) in enumerate(files(unit)):
        place = unit.option_place(f"files[{number}]")
        if not name or "\0" in source:
            yield rules.bad_file(place, name=source)
        elif name in names or taken.match(name):
            other = "another of the files" if name in names else "a file of the target"
            yield rules.same_file(place, name=name, other=other).help("rename it")
        elif name in mounted:
            yield rules.file_at_mount(place, name=name).help(f"rename the file, or mount at another path than {name}")
        names.add(name)


def mounted_names(unit: Unit) -> set[str]:
    """The first names of all mounts that are in the work folder; an archive at ``.`` has names of its own."""
    paths = (mount.at for role in unit.job.roles for mount in role.mounts)
    return {path.partition("/")[0] for path in paths if not path.startswith("/")} - {".", ""}
