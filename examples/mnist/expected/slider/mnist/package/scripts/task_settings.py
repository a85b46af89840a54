"""What a task knows: the job (a file of the package), and its own settings (from the agent).

Every text is a ``str`` of the running Python: bytes in UTF-8 under Python 2.
"""

import io
import json
import os
import shutil

import task_process

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = os.path.join(os.path.dirname(HERE), "files")


def native(value):
    """``value`` with every text as ``str``: Python 2 reads JSON as unicode, which a process does not take."""
    if isinstance(value, dict):
        return dict((native(key), native(item)) for key, item in value.items())
    if isinstance(value, list):
        return [native(item) for item in value]
    encode = getattr(value, "encode", None)
    return encode("utf-8") if encode and not isinstance(value, str) else value


def read(path):
    """The JSON document at ``path``."""
    with io.open(path, encoding="utf-8") as stream:
        return native(json.loads(stream.read()))


def write(path, value):
    """Write ``value`` as JSON; a reader sees the old or the new text, never a part of it."""
    beside = path + ".new"
    with open(beside, "w") as stream:
        stream.write(json.dumps(value, sort_keys=True))
    os.rename(beside, path)


def job():
    """The job as the compiler wrote it."""
    return dict(read(os.path.join(FILES, "job.json")))


def from_agent(config):
    """What the agent says about this task: its role, index, folders, port, and the user who submitted the job."""
    sites = config.get("configurations") or {}
    site = sites.get("global") or {}
    work = os.environ.get("AGENT_WORK_ROOT") or os.getcwd()

    def setting(key, default=""):
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
        "hadoop_conf": setting("hadoop.conf", "/etc/hadoop/conf"),
        "zookeeper": setting("zookeeper.quorum"),
        "checkpoint": setting("user.checkpoint.dir"),
        "image": setting("docker.image"),
        "log_dir": setting("app_log_dir", os.environ.get("AGENT_LOG_ROOT") or work),
        "run_dir": setting("app_pid_dir", os.path.join(work, "app", "run")),
        "work_dir": os.path.join(work, "app", "task"),
    }


def application(container):
    """``application_<time>_<number>`` of a container id, with or without the epoch that newer versions of YARN add."""
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
    """The recorded process id and start of the supervisor, or None."""
    return note(settings, "supervisor") or None


def remember_supervisor(settings, pid):
    """Record the supervisor, so that STATUS and STOP find it."""
    keep(settings, "supervisor", {"pid": pid, "start": task_process.started(pid)})


def note(settings, name):
    """A value that ``keep`` wrote in this container, which may be from an earlier supervisor; None if there is none."""
    try:
        return read(os.path.join(settings["run_dir"], name + ".json"))
    except (IOError, OSError, ValueError):
        return None


def keep(settings, name, value):
    """Write a value that outlives the supervisor."""
    write(os.path.join(settings["run_dir"], name + ".json"), value)


def forget(settings, name):
    """Remove a value that ``keep`` wrote."""
    try:
        os.remove(os.path.join(settings["run_dir"], name + ".json"))
    except OSError:
        pass


def remove(path):
    """Remove a file or folder of our own, even a read-only one; of a link only the link itself."""
    if os.path.islink(path) or os.path.isfile(path):
        os.remove(path)
    elif os.path.isdir(path):
        os.chmod(path, 0o700)
        for folder, names, _ in os.walk(path):
            for name in names:
                if not os.path.islink(os.path.join(folder, name)):
                    os.chmod(os.path.join(folder, name), 0o700)
        shutil.rmtree(path)
