"""Where a task keeps what it knows: the job (a file of the package) and its own settings (from the agent).

All texts come out as ``str`` of the Python at hand: bytes in UTF-8 under Python 2.
"""

import io
import json
import os
import shutil

import task_process

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = os.path.join(os.path.dirname(HERE), "files")


def native(value):
    """``value`` with every text as ``str``: Python 2 reads JSON as unicode, which must not reach a process."""
    if isinstance(value, dict):
        return dict((native(key), native(item)) for key, item in value.items())
    if isinstance(value, list):
        return [native(item) for item in value]
    if not isinstance(value, str) and hasattr(value, "encode"):
        return value.encode("utf-8")
    return value


def read(path):
    """The JSON document at ``path``."""
    stream = io.open(path, encoding="utf-8")
    try:
        return native(json.loads(stream.read()))
    finally:
        stream.close()


def write(path, value):
    """Write ``value`` as JSON; a reader sees the old or the new text, never half of one."""
    beside = path + ".new"
    stream = open(beside, "w")
    try:
        stream.write(json.dumps(value, sort_keys=True))
    finally:
        stream.close()
    os.rename(beside, path)


def job():
    """The job as it was compiled."""
    return read(os.path.join(FILES, "job.json"))


def from_agent(config):
    """What the agent tells of this task: its role, index, folders, port, and the user who submitted the job."""
    sites = dict.get(config, "configurations") or {}
    site = dict.get(sites, "global") or {}
    work = os.environ.get("AGENT_WORK_ROOT") or os.getcwd()

    def told(key, default=""):
        value = dict.get(site, key)
        return default if value is None or value == "" else str(native(value))

    component = str(native(dict.get(config, "componentName") or dict.get(config, "role") or ""))
    container = told("app_container_id")
    return {
        "application_name": str(native(dict.get(config, "serviceName") or "")),
        "role": component,
        "container": container,
        "application": application(container),
        "tag": told("app_container_tag"),
        "host": str(native(dict.get(config, "hostname") or "")),
        "port": told(component + ".port"),
        "user": told("user.name"),
        "hadoop_conf": told("hadoop.conf", "/etc/hadoop/conf"),
        "zookeeper": told("zookeeper.quorum"),
        "checkpoint": told("user.checkpoint.dir"),
        "image": told("docker.image"),
        "log_dir": told("app_log_dir", os.environ.get("AGENT_LOG_ROOT") or work),
        "run_dir": told("app_pid_dir", os.path.join(work, "app", "run")),
        "work_dir": os.path.join(work, "app", "task"),
    }


def application(container):
    """``application_<time>_<number>`` of a container id, with or without the epoch that newer YARN puts in."""
    parts = container.split("_")
    return "application_%s_%s" % (parts[-4], parts[-3]) if len(parts) >= 5 else ""


def path(settings):
    """The file with the settings of this task."""
    return os.path.join(settings["run_dir"], "settings.json")


def save(settings):
    """Make the task's folders and write its settings."""
    for folder in (settings["run_dir"], settings["log_dir"], settings["work_dir"]):
        if not os.path.isdir(folder):
            os.makedirs(folder)
    write(path(settings), settings)


def supervisor(settings):
    """Process id and start of the supervisor as they were noted, or None."""
    return note(settings, "supervisor")


def remember_supervisor(settings, pid):
    """Note the supervisor, so that STATUS and STOP find it."""
    keep(settings, "supervisor", {"pid": pid, "start": task_process.started(pid)})


def note(settings, name):
    """A value that outlives the supervisor (in this container), or None."""
    try:
        return read(os.path.join(settings["run_dir"], name + ".json"))
    except (IOError, OSError, ValueError):
        return None


def keep(settings, name, value):
    """Write such a value."""
    write(os.path.join(settings["run_dir"], name + ".json"), value)


def forget(settings, name):
    """Remove such a value."""
    try:
        os.remove(os.path.join(settings["run_dir"], name + ".json"))
    except OSError:
        pass


def remove(path):
    """Remove what we have written ourselves, read-only folders too; a link is removed, not what it points to."""
    if os.path.islink(path) or os.path.isfile(path):
        os.remove(path)
    elif os.path.isdir(path):
        os.chmod(path, 0x1C0)
        for folder, names, _ in os.walk(path):
            for name in names:
                if not os.path.islink(os.path.join(folder, name)):
                    os.chmod(os.path.join(folder, name), 0x1C0)
        shutil.rmtree(path)
