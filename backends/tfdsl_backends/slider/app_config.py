"""appConfig.json: what the agents pass to the scripts.

Slider replaces ``${…}`` marks in these values and has no escape for them, so only our own marks and texts without marks
are here; the job itself is a file of the package.
"""

from __future__ import annotations

from tfdsl.backend import Unit
from tfdsl.emit.located import Data, Located, child
from tfdsl.ir.model import EnvVar, RunTimeText, TaskIndex, Text
from tfdsl_backends.hadoop.roles import in_docker
from tfdsl_backends.slider.config_files import config_files
from tfdsl_backends.slider.metainfo import is_exported
from tfdsl_backends.slider.resources import MASTER, SCHEMA

SUBMITTER = "USER"
"""The variable under which the IR names ``job.user``."""


def app_config(unit: Unit) -> dict[str, Data]:
    """The document."""
    heap = am_heap(unit)
    components: dict[str, Data] = {MASTER: {"jvm.heapsize": f"{heap}M"}} if heap is not None else {}
    if config_files(unit):
        components |= {role.name: {"am.config.generation": "true"} for role in unit.job.roles}
    document: dict[str, Data] = {"schema": SCHEMA, "metadata": {}, "global": _global(unit)}
    return {**document, "components": components} if components else document


def am_heap(unit: Unit) -> int | None:
    """MB of the application master's Java heap, ``None`` for Slider's own."""
    heap, memory = unit.options["am_heap"], unit.options["am_memory"]
    if isinstance(heap, int):
        return heap
    return memory * 3 // 4 if isinstance(memory, int) else None


def _global(unit: Unit) -> dict[str, Data]:
    job = unit.job
    ports: dict[str, Data] = {
        f"site.global.{role.name}.port": Located(f"${{{role.name}.ALLOCATED_PORT}}{{PER_CONTAINER}}", role.path)
        for role in job.roles
        if is_exported(role)
    }
    return {
        "site.global.hadoop.conf": unit.text("hadoop_conf"),
        "site.global.user.name": "${USER_NAME}",
        "site.global.zookeeper.quorum": "${ZK_HOST}",
        "site.global.user.checkpoint.dir": unmarked(job.checkpoint, "checkpoint"),
        "site.global.docker.image": common_image(unit),
        "site.global.slider.allowed.ports": unit.text("allowed_ports") or None,
        **ports,
        **{f"site.{file.dictionary}.{key}": text for file in config_files(unit) for key, text in file.entries.items()},
    }


def unmarked(text: Text | None, path: str) -> Located | None:
    """``text`` if Slider would pass it on unchanged, with the submitter as Slider's own mark; else ``None``."""
    parts = text.parts if isinstance(text, RunTimeText) else (text or "",)
    words = [word for part in parts if (word := _word(part)) is not None]
    whole = "".join(words)
    return Located(whole, path) if whole and len(words) == len(parts) and whole.strip() == whole else None


def _word(part: str | TaskIndex | EnvVar) -> str | None:
    if isinstance(part, EnvVar):
        return "${USER_NAME}" if part.name == SUBMITTER else None
    return part if isinstance(part, str) and "$" not in part else None


def common_image(unit: Unit) -> Located | None:
    """The image that all docker roles share, if Slider would pass it on unchanged."""
    roles = [role for role in unit.job.roles if in_docker(unit, role)]
    if not roles or len({role.image for role in roles}) != 1:
        return None
    return unmarked(roles[0].image, child(roles[0].path, "image"))
