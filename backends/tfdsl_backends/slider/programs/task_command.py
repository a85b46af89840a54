"""Starts the command of a task and its prepare steps, as processes of the node or in a docker container.

Both take a list of arguments, never a command line, so every text arrives byte for byte.
"""

import copy
import math
import os
import subprocess

from tfdsl_backends.hadoop.programs.addresses import tensorflow_flags, tf_config
from tfdsl_backends.hadoop.programs.files import inside, native
from tfdsl_backends.slider.programs import task_process
from tfdsl_backends.slider.programs import task_settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

    from tfdsl_backends.slider.programs.task_mounts import Mounts
    from tfdsl_backends.slider.programs.task_supervisor import Supervisor


def program(task, hosts):
    # type: (Supervisor, dict[str, list[str]]) -> tuple[list[str], list[str]]
    """The command of the role as ``(argv, arguments)``; an empty ``argv`` means the image's entrypoint."""
    role = task.role
    arguments = [task.text(word) for word in role["args"]]
    if role["flags"]:
        arguments += tensorflow_flags(hosts, role["flag_job"], task.index + role["flag_offset"])
    if role["server"]:
        return [task.job["python"], os.path.join(task_settings.FILES, "server.py"), task.job["protocol"]], []
    if role["shell"] is not False:
        return ["/bin/sh", "-c", task.text(role["shell"]), "sh"], arguments
    return [task.text(word) for word in role["argv"]], arguments


def variables(task, hosts):
    # type: (Supervisor, dict[str, list[str]]) -> dict[str, str]
    """The variables that the task adds to the environment."""
    env = {}  # type: dict[str, str]
    checkpoint = task.settings["checkpoint"] or task.job["checkpoint"]
    if checkpoint:
        env["CHECKPOINT_DIR"] = task.text(checkpoint)
    if task.role["hide_gpus"]:
        env["CUDA_VISIBLE_DEVICES"] = ""
    if task.settings["user"]:
        env["USER"] = env["HADOOP_USER_NAME"] = task.settings["user"]
    for name in sorted(task.role["env"]):
        env[name] = task.text(task.role["env"][name])
    if task.role["tf_config"]:
        env["TF_CONFIG"] = tf_config(hosts, task.role["name"], task.index)
    return env


class Native(object):
    """The command as a process of the node."""

    name = ""
    """Of the docker container."""

    def __init__(self, task):
        # type: (Supervisor) -> None
        self.task = task
        self.folder = os.path.join(task.work, task.text(task.role["workdir"] or ""))

    def start(self, hosts, output):
        # type: (dict[str, list[str]], BinaryIO) -> subprocess.Popen[bytes]
        """Start the command; its output goes to the file ``output``."""
        argv, arguments = program(self.task, hosts)
        env = clean_environment()
        if self.task.job["hdfs"]:
            env.update(hadoop_libraries(env, self.task.hadoop_env()))
        env.update(variables(self.task, hosts))
        return spawn(argv + arguments, env, self.folder, output)

    def end(self, child, grace):
        # type: (subprocess.Popen[bytes], float) -> int
        """Stop the command and return its status."""
        return task_process.end(child, grace)

    def fetch(self, source, place):
        # type: (str, str) -> str | None
        """The path on the node of the ``source`` of an output."""
        return os.path.join(self.folder, source)

    def on_node(self, path):
        # type: (str) -> str | None
        """The path on the node of a path of the task."""
        return os.path.join(self.task.work, path)


class Docker(object):
    """The command in a docker container, started with the node's docker client."""

    def __init__(self, task, mounts):
        # type: (Supervisor, Mounts) -> None
        self.task = task
        self.volumes, self.memory = mounts
        self.name = task.settings["container"] or task.who.replace("/", "-")
        self.options = task.role["docker"]
        self.image = task.settings["image"] or self.options["image"]

    def start(self, hosts, output):
        # type: (dict[str, list[str]], BinaryIO) -> subprocess.Popen[bytes]
        """Start the container and stay attached, so that the client exits with its status."""
        self.clean()
        argv, arguments = program(self.task, hosts)
        words = ["docker", "run", "--name=" + self.name] + self.limits() + self.places()
        env = variables(self.task, hosts)
        for name in sorted(env):
            words.append("--env=%s=%s" % (name, env[name]))
        if argv:
            words.append("--entrypoint=" + argv[0])
        return spawn(words + [self.image] + argv[1:] + arguments, None, self.task.work, output)

    def limits(self):
        # type: () -> list[str]
        """Network, user and resources."""
        options, port = self.options, self.task.port
        words = ["--net=host"]
        if options["network"] == "bridge":
            words = ["--net=bridge"] + (["--publish=%d:%d" % (port, port)] if port else [])
        if options["cgroup_root"]:
            words.append("--cgroup-parent=%s/%s" % (options["cgroup_root"], self.name))
        if options["memory"]:
            words.append("--memory=%dm" % options["memory"])
        if options["shm"]:
            words.append("--shm-size=%d" % options["shm"])
        if options["user"] != "image":
            words.append("--user=" + (options["user"] or "%d:%d" % (os.getuid(), os.getgid())))
        return words

    def places(self):
        # type: () -> list[str]
        """The mounts, and the folder to start in."""
        task = self.task
        volumes = [(task.work, task.work, False), (task_settings.FILES, task_settings.FILES, True)] + self.volumes
        for path in ("/etc/passwd", "/etc/group"):
            if self.options["user"] == "" and os.path.isfile(path):
                volumes.append((path, path, True))
        if task.job["hdfs"] and os.path.isdir(task.settings["hadoop_conf"]):
            volumes.append((task.settings["hadoop_conf"], task.settings["hadoop_conf"], True))
        words = ["--volume=%s:%s%s" % (source, at, ":ro" if readonly else "") for source, at, readonly in volumes]
        words += ["--tmpfs=%s:size=%d,mode=1777" % (at, size) for at, size in self.memory]
        folder = task.text(task.role["workdir"] or "")
        if folder or self.options["work_folder"]:
            words.append("--workdir=" + os.path.normpath(os.path.join(task.work, folder)))
        return words

    def end(self, child, grace):
        # type: (subprocess.Popen[bytes], float) -> int
        """Stop the container, then the client that waits for it, and return the status."""
        quietly(["docker", "stop", "--time=%d" % math.ceil(grace), self.name])
        return task_process.end(child, 5)

    def fetch(self, source, place):
        # type: (str, str) -> str | None
        """Copy the ``source`` of an output out of the ended container, unless a mount holds it; None if that fails."""
        if not os.path.isabs(source):
            folder = quietly(["docker", "inspect", "--format={{.Config.WorkingDir}}", self.name])
            source = os.path.join((folder or "").strip() or "/", source)
        source = os.path.normpath(source)
        mounted = self.on_node(source)
        if mounted is not None:
            return mounted
        return place if quietly(["docker", "cp", "%s:%s" % (self.name, source), place]) is not None else None

    def on_node(self, path):
        # type: (str) -> str | None
        """The path on the node of a path in the container; None if no mount holds it."""
        path = os.path.normpath(os.path.join(self.task.work, path))
        for source, at, _ in sorted(self.volumes, key=lambda volume: -len(volume[1])):
            if inside(at, path):
                return source + path[len(at) :]
        return path if inside(self.task.work, path) else None

    def clean(self):
        # type: () -> None
        """Remove the container of an earlier start, or this one after its outputs are copied."""
        quietly(["docker", "rm", "--force", self.name])


# --- prepare steps ---------------------------------------------------------------------------------------------------


def run_steps(task, mounts):
    # type: (Supervisor, Mounts) -> int
    """Run the steps, each as the command of a stand-in for the task, until one fails; returns its status, else 0."""
    for step in task.role.get("steps") or ():
        task.log("prepare %s" % step["name"])
        stand_in = copy.copy(task)
        stand_in.role = role_of(task.role, step)
        docker = Docker(stand_in, mounts) if task.docker else None
        status = task.watch(docker or Native(stand_in), {}, step["name"])
        if docker:
            docker.clean()
        if status:
            task.log("prepare %s exited with status %d" % (step["name"], status))
            return status
    return 0


def role_of(role, step):
    # type: (dict[str, Any], dict[str, Any]) -> dict[str, Any]
    """The role as if the step were its command, which gets no addresses."""
    changed = dict(role)
    changed.update(step)
    changed.update({"name": role["name"], "flags": False, "server": False, "tf_config": False})
    return changed


# --- processes -------------------------------------------------------------------------------------------------------


def spawn(argv, env, folder, output):
    # type: (list[str], dict[str, str] | None, str, BinaryIO) -> subprocess.Popen[bytes]
    """Start ``argv`` in its own process group, with no input and its output in a file."""
    with open(os.devnull, "rb") as nothing:
        return subprocess.Popen(
            argv,
            stdin=nothing,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=env,
            cwd=folder,
            close_fds=True,
            preexec_fn=task_process.own_group,
        )


def remember(settings, child, runtime):
    # type: (dict[str, str], subprocess.Popen[bytes], Native | Docker) -> None
    """Record the command, so that it can be stopped if its supervisor is killed."""
    record = {"pid": child.pid, "start": task_process.started(child.pid), "container": runtime.name}
    task_settings.keep(settings, "command", record)


def end_orphan(settings, grace):
    # type: (dict[str, str], float) -> None
    """Stop the command that a killed supervisor left behind. Its own process group keeps it from ending by itself."""
    record = task_settings.note(settings, "command")
    if record:
        if record["container"]:
            quietly(["docker", "stop", "--time=%d" % math.ceil(grace), record["container"]])
        task_process.end_group(record, grace)


def quietly(argv):
    # type: (list[str]) -> str | None
    """What ``argv`` prints; None if it fails. Its errors are not shown."""
    with open(os.devnull, "r+b") as nothing:
        try:
            child = subprocess.Popen(argv, stdin=nothing, stdout=subprocess.PIPE, stderr=nothing, close_fds=True)
            text = child.communicate()[0]
            return str(native(text.decode("utf-8"))) if child.returncode == 0 else None
        except OSError:
            return None


def clean_environment():
    # type: () -> dict[str, str]
    """The environment of the node without the Python path that the agent set for itself."""
    env = dict(os.environ)
    root = env.get("AGENT_WORK_ROOT")
    kept = [
        path
        for path in env.pop("PYTHONPATH", "").split(os.pathsep)
        if path and not (root and inside(root, os.path.normpath(path)))
    ]
    if kept:
        env["PYTHONPATH"] = os.pathsep.join(kept)
    return env


def hadoop_words():
    # type: () -> list[str]
    """The first words of every call of the Hadoop client."""
    for variable in ("HADOOP_HOME", "HADOOP_COMMON_HOME", "HADOOP_PREFIX", "HADOOP_INSTALL"):
        program = os.path.join(os.environ.get(variable, ""), "bin", "hadoop")
        if os.environ.get(variable) and os.access(program, os.X_OK):
            return [program, "fs"]
    return ["hadoop", "fs"]


def hadoop_libraries(env, hadoop_env):
    # type: (dict[str, str], dict[str, str]) -> dict[str, str]
    """The class path and libraries that TensorFlow needs for hdfs:// paths, where the node does not set them."""
    added = {}  # type: dict[str, str]
    home = env.get("HADOOP_HDFS_HOME") or env.get("HADOOP_HOME") or ""
    java = env.get("JAVA_HOME") or ""
    folders = [os.path.join(home, "lib", "native")] if home else []
    folders += [os.path.join(java, *end) for end in (("jre", "lib", "amd64", "server"), ("lib", "server")) if java]
    libraries = [folder for folder in folders if os.path.isdir(folder)]
    if libraries:
        added["LD_LIBRARY_PATH"] = os.pathsep.join(libraries + [env[n] for n in ("LD_LIBRARY_PATH",) if env.get(n)])
    if home:
        added["HADOOP_HDFS_HOME"] = home
    added["HADOOP_CONF_DIR"] = hadoop_env["HADOOP_CONF_DIR"]
    classes = env.get("CLASSPATH") or quietly(["hadoop", "classpath", "--glob"])
    if classes:
        added["CLASSPATH"] = classes.strip()
    return added
