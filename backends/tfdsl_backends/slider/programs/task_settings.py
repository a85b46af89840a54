"""What a task knows: the job (a file of the package), and its own settings (from the agent).

Every text is a ``str`` of the running Python: bytes in UTF-8 under Python 2.
"""

import io
import json
import os

from tfdsl_backends.hadoop.programs.files import native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = os.path.join(os.path.dirname(HERE), "files")


def read(path):
    # type: (str) -> Any
    """The JSON document at ``path``."""
    with io.open(path, encoding="utf-8") as stream:
        return native(json.loads(stream.read()))


def write(path, value):
    # type: (str, object) -> None
    """Write ``value`` as JSON; a reader sees the old or the new text, never a part of it."""
    beside = path + ".new"
    with open(beside, "w") as stream:
        stream.write(json.dumps(value, sort_keys=True))
    os.rename(beside, path)


def job():
    # type: () -> dict[str, Any]
    """The job as the compiler wrote it."""
    return dict(read(os.path.join(FILES, "job.json")))


def from_agent(config):
    # type: (dict[str, Any]) -> dict[str, str]
    """What the agent says about this task: its role, index, folders and port, who submitted the job, the flow's run."""
    sites = config.get("configurations") or {}  # type: dict[str, Any]
    site = sites.get("global") or {}  # type: dict[str, Any]
    work = os.environ.get("AGENT_WORK_ROOT") or os.getcwd()

    def setting(key, default=""):
        # type: (str, str) -> str
        value = site.get(key)
        return default if value is None or value == "" else str(native(value))

    component = str(native(config.get("componentName") or config.get("role") or ""))
    container = setting("app_container_id")
    return {
        "application_name": str(native(config.get("serviceName") or "")),
        "role": component,
        "container": container,
        "application": application(container),
        "tag": setting("app_container_tag"),
        "host": str(native(config.get("hostname") or "")),
        "port": setting(component + ".port"),
        "user": setting("user.name"),
        "flow_run": setting("flow.run"),
        "hadoop_conf": setting("hadoop.conf", "/etc/hadoop/conf"),
        "zookeeper": setting("zookeeper.quorum"),
        "checkpoint": setting("user.checkpoint.dir"),
        "image": setting("docker.image"),
        "log_dir": setting("app_log_dir", os.environ.get("AGENT_LOG_ROOT") or work),
        "run_dir": setting("app_pid_dir", os.path.join(work, "app", "run")),
        "work_dir": os.path.join(work, "app", "task"),
    }


def application(container):
    # type: (str) -> str
    """``application_<time>_<number>`` of a container id, with or without the epoch that newer versions of YARN add."""
    parts = container.split("_")
    return "application_%s_%s" % (parts[-4], parts[-3]) if len(parts) >= 5 else ""


def path(settings):
    # type: (dict[str, str]) -> str
    """The file with the settings of this task."""
    return os.path.join(settings["run_dir"], "settings.json")


def save(settings):
    # type: (dict[str, str]) -> None
    """Make the task's folders and write its settings."""
    for folder in (settings["run_dir"], settings["log_dir"], settings["work_dir"]):
        if not os.path.isdir(folder):
            os.makedirs(folder)
    write(path(settings), settings)


def supervisor(settings):
    # type: (dict[str, str]) -> dict[str, Any] | None
    """The recorded process id and start of the supervisor, or None."""
    return note(settings, "supervisor") or None


def note(settings, name):
    # type: (dict[str, str], str) -> Any
    """A value that ``keep`` wrote in this container, which may be from an earlier supervisor; None if there is none."""
    try:
        return read(os.path.join(settings["run_dir"], name + ".json"))
    except (IOError, OSError, ValueError):
        return None


def keep(settings, name, value):
    # type: (dict[str, str], str, object) -> None
    """Write a value that outlives the supervisor."""
    write(os.path.join(settings["run_dir"], name + ".json"), value)


def forget(settings, name):
    # type: (dict[str, str], str) -> None
    """Remove a value that ``keep`` wrote."""
    try:
        os.remove(os.path.join(settings["run_dir"], name + ".json"))
    except OSError:
        pass
