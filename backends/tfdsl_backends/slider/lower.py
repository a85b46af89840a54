"""A job as a Slider application: three configuration files, the package with its scripts, and the command."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tfdsl.backend import Document, TaskConfig, Unit
from tfdsl.emit.located import Data, Located, Written
from tfdsl.emit.script import render
from tfdsl.emit.shell import TENSORFLOW_SERVER
from tfdsl_backends.hadoop.options import files
from tfdsl_backends.hadoop.programs import portable
from tfdsl_backends.scripts.tfconfig import placeholder_tasks
from tfdsl_backends.slider.checks import check
from tfdsl_backends.slider.documents import SCRIPT, app_config, metainfo_json, metainfo_xml, resources
from tfdsl_backends.slider.job_file import job_file, sent_archives

__all__ = ["check", "generate", "tasks"]

HERE = Path(__file__).parent
PACKAGE = "tfdsl_backends.slider.programs"
SHARED = "tfdsl_backends.hadoop.programs."
PROGRAMS = (
    "task_addresses",
    "task_command",
    "task_files",
    "task_hdfs",
    "task_marks",
    "task_master",
    "task_mounts",
    "task_outputs",
    "task_peers",
    "task_policy",
    "task_process",
    "task_settings",
    "task_supervisor",
)
"""The programs beside the agent's script, the same for every job: slider's own, and those that yarn has too."""


def generate(unit: Unit) -> Sequence[Document]:
    """The files of the application, in the order in which a person reads them."""
    scripts = [Document(program("role"), f"package/{SCRIPT}", "text")]
    scripts += [Document(program(name), f"package/scripts/{name}.py", "text") for name in PROGRAMS]
    if any(role.server for role in unit.job.roles):
        scripts.append(Document(TENSORFLOW_SERVER, "package/files/server.py", "text"))
    submission = submit(unit)
    return [
        Document(app_config(unit), "appConfig.json", "json"),
        Document(resources(unit), "resources.json", "json"),
        metainfo(unit),
        Document(job_file(unit), "package/files/job.json", "json"),
        *scripts,
        Document(submission.text, "submit.sh", "text", executable=True, lines=submission.lines),
    ]


def metainfo(unit: Unit) -> Document:
    """The metainfo in the form that the option asks for."""
    if unit.text("metainfo") == "xml":
        return Document(metainfo_xml(unit), "metainfo.xml", "xml")
    return Document(metainfo_json(unit), "metainfo.json", "json")


def submit(unit: Unit) -> Written:
    """The script that calls ``slider create``."""
    sent: list[tuple[str, str]] = [*files(unit), *sent_archives(unit.job).items()]
    listed: list[Data] = [{"source": source, "name": name} for source, name in sent]
    values: dict[str, Data] = {
        "name": Located(unit.job.name, "name"),
        "queue": Located(unit.job.queue or "", "queue") if unit.job.queue else "",
        "metainfo": f"metainfo.{unit.text('metainfo')}",
        "files": listed,
    }
    return render(HERE / "templates", "submit.sh.j2", values)


@cache
def program(name: str) -> str:
    """The script that a module becomes: it imports the others beside it. Shared ones are called ``task_`` here, too."""
    own = HERE / "programs" / f"{name}.py"
    path = own if own.exists() else HERE.parent / "hadoop" / "programs" / f"{name.removeprefix('task_')}.py"
    source = portable(path.read_text(encoding="utf-8"))
    return source.replace(f"from {PACKAGE} import ", "import ").replace(f"from {SHARED}", "from task_")


DIFFERENCES = (
    "hosts and ports are allocated when the containers start; the script fills them in",
    "when a container is replaced, the command of every other task restarts with its new address",
)


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """Roles in order, indexes ascending."""
    return placeholder_tasks(unit.job, lambda role, index: f"<host of {role.name}[{index}]>:<port>", DIFFERENCES)
