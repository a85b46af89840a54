"""Stand-ins for ``yarn`` and ``hdfs``: one file, called under either name.

``yarn jar`` takes the options of DistributedShell's client of the Hadoop version in STUB_VERSION (those it lacks are
refused as the client does), sends what travels through the application master's command line through an unquoted
bash, writes the launch script of each container as the NodeManager does (``export K="V"``, ``{{`` and ``}}``
replaced), and runs all containers as processes on this machine, each in a folder of its own under STUB_FOLDER.
``hdfs dfs`` works on the folder STUB_FOLDER/hdfs.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(os.environ["STUB_FOLDER"])
VERSION = tuple(int(part) for part in os.environ.get("STUB_VERSION", "3.4").split("."))

VALUES = {
    "appname": (2, 7), "priority": (2, 7), "queue": (2, 7), "timeout": (2, 7), "master_memory": (2, 7),
    "master_vcores": (2, 7), "jar": (2, 7), "shell_script": (2, 7), "shell_command": (2, 7), "shell_env": (2, 7),
    "container_memory": (2, 7), "container_vcores": (2, 7), "num_containers": (2, 7),
    "node_label_expression": (2, 7), "container_retry_policy": (2, 9), "container_retry_error_codes": (2, 9),
    "container_max_retries": (2, 9), "container_retry_interval": (2, 9), "master_resources": (3, 1),
    "container_resources": (3, 1), "placement_spec": (3, 1), "application_tags": (3, 1), "localize_files": (3, 3),
}  # fmt: skip
"""Options of the client that take a value, and the first version that has them."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def options_of(argv: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    words = iter(argv)
    for word in words:
        name = word.lstrip("-")
        if not word.startswith("-") or VALUES.get(name, (9,)) > VERSION:
            say(f"UnrecognizedOptionException: Unrecognized option: {word}")
            raise SystemExit(255)
        value = next(words, "")
        if not value or (value.startswith("-") and value.lstrip("-") in VALUES):
            say(f"MissingArgumentException: Missing argument for option: {name}")
            raise SystemExit(255)
        found.setdefault(name, []).append(value)
    return found


def through_the_master(values: list[str]) -> list[str]:
    """What is left of ``values`` after the application master's command line."""
    text = " ".join(f"--x {value}" for value in values)
    out = subprocess.run(["bash", "-c", f"printf '%s\\0' {text}"], capture_output=True, text=True, check=True).stdout
    words = [word for word in out.split("\0") if word]
    return [words[at + 1] for at, word in enumerate(words[:-1]) if word == "--x"]


class Container:
    def __init__(self, application: str, number: int, options: dict[str, list[str]]) -> None:
        self.folder = FOLDER / "containers" / application / str(number)
        self.folder.mkdir(parents=True)
        shutil.copy(options["shell_script"][0], self.folder / "ExecScript.sh")
        for file in options.get("localize_files", [""])[0].split(","):
            if file:
                shutil.copy(file, self.folder / Path(file).name)
        env = {"NM_HOST": "localhost", "USER": os.environ.get("HADOOP_USER_NAME", "alice"), "HOME": "/home/"}
        env["CONTAINER_ID"] = f"container_{application.removeprefix('application_')}_01_{number + 1:06d}"
        if VERSION >= (3, 0):
            env["YARN_SHELL_ID"] = str(number)
        for pair in through_the_master(options.get("shell_env", [])):
            name, _, value = pair.partition("=")
            env[name] = value
        lines = [f'export {name}="{expand(value)}"' for name, value in env.items()]
        lines.append('exec /bin/bash -c "bash ExecScript.sh  1>stdout 2>stderr "')
        (self.folder / "launch_container.sh").write_text("\n".join(lines) + "\n")
        self.tries = 0
        self.start()

    def start(self) -> None:
        keep = ("PATH", "HADOOP_HOME", "STUB_FOLDER", "STUB_VERSION", "JOB_TEST")
        env = {name: os.environ[name] for name in keep if name in os.environ}
        self.tries += 1
        self.process = subprocess.Popen(
            ["bash", "launch_container.sh"], cwd=self.folder, env=env, start_new_session=True
        )
        (self.folder / "pid").write_text(str(self.process.pid))

    def kill(self) -> None:
        end(self.process.pid)


def end(group: int) -> None:
    """What the NodeManager does to a container."""
    try:
        os.killpg(group, signal.SIGTERM)
        time.sleep(0.25)
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def expand(value: str) -> str:
    return value.replace("{{", "$").replace("}}", "")


def submit(argv: list[str]) -> int:
    options = options_of(argv[1:])
    with open(FOLDER / "clients", "a") as file:
        file.write(json.dumps(options) + "\n")
    if options.get("queue") == ["nosuch"]:
        say("FATAL distributedshell.Client: Queue nosuch not present in scheduler configuration.")
        return 1
    application = f"application_{int(time.time() * 1000)}_{os.getpid() % 10000:04d}"
    say(f"INFO impl.YarnClientImpl: Submitted application {application}")
    (FOLDER / "running").mkdir(exist_ok=True)
    alive = FOLDER / "running" / application
    alive.touch()
    count = int(options["num_containers"][0]) - int(os.environ.get("STUB_MISSING", "0"))
    containers = [Container(application, number, options) for number in range(1, count + 1)]

    def report(state: str, final: str, diagnostics: str = "") -> None:
        """As seen on Hadoop 3.4.2."""
        say(
            "INFO distributedshell.Client: Got application report from ASM for, appId=1, clientToAMToken=null, "
            f"appDiagnostics={diagnostics}, appMasterHost=vm/127.0.0.1, appQueue=root.default, appMasterRpcPort=-1, "
            f"appStartTime=1, yarnAppState={state}, distributedFinalState={final}, "
            f"appTrackingUrl=http://rm:8088/proxy/{application}/, appUser=alice"
        )

    report("RUNNING", "UNDEFINED")
    policy = int(options.get("container_retry_policy", ["0"])[0])
    codes = [int(code) for code in options.get("container_retry_error_codes", ["-1"])[0].split(",")]
    most = int(options.get("container_max_retries", ["0"])[0])
    failed = 0
    left = containers
    while left and alive.exists():
        time.sleep(0.05)
        for container in list(left):
            status = container.process.poll()
            if status is None:
                continue
            status = 128 - status if status < 0 else status
            # 137 and 143 are never relaunched: ContainerImpl.shouldRetry
            if (
                status not in (0, 137, 143)
                and container.tries <= most
                and (policy == 1 or (policy == 2 and status in codes))
            ):
                container.start()
                continue
            (container.folder / "status").write_text(str(status))
            failed += status != 0
            left.remove(container)
    if not alive.exists():
        for container in left:
            container.kill()
        report("KILLED", "KILLED", f"Application {application} was killed by user alice at 127.0.0.1")
        return 2
    alive.unlink()
    if failed:
        report("FINISHED", "FAILED", f"Application Failure: desired = {count}, completed = {count}, failed = {failed}")
    else:
        report("FINISHED", "SUCCEEDED")
    return 2 if failed else 0


def local(path: str) -> Path:
    if path.startswith("hdfs://"):
        path = "/" + path[len("hdfs://") :].partition("/")[2]
    return FOLDER / "hdfs" / (path.lstrip("/") if path.startswith("/") else f"user/alice/{path}")


def remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)


def dfs(argv: list[str]) -> int:
    with open(FOLDER / "dfs", "a") as file:
        file.write(json.dumps(argv) + "\n")
    flags = [word for word in argv[1:] if word.startswith("-") and word != "-"]
    paths = [word for word in argv[1:] if word not in flags]
    name = argv[0].lstrip("-")
    if name == "mkdir":
        local(paths[0]).mkdir(parents=True, exist_ok="-p" in flags)
    elif name == "chmod":
        return 0 if local(paths[1]).exists() else 1
    elif name == "test":
        return 0 if local(paths[0]).exists() else 1
    elif name == "cat":
        if not local(paths[0]).is_file():
            return 1
        sys.stdout.write(local(paths[0]).read_text())
    elif name == "rm":
        if not local(paths[0]).exists():
            return 0 if "-f" in flags else 1
        remove(local(paths[0]))
    elif name == "mv":
        if local(paths[1]).exists() or not local(paths[0]).exists():
            say("mv: File exists")
            return 1
        local(paths[0]).rename(local(paths[1]))
    elif name == "get":
        if not local(paths[0]).exists():
            say(f"get: `{paths[0]}': No such file or directory")
            return 1
        copy(local(paths[0]), Path(paths[1]))
    elif name == "put":
        return put(paths[0], local(paths[1]), "-f" in flags)
    else:
        say(f"{name}: Unknown command")
        return 255
    return 0


def put(source: str, to: Path, force: bool) -> int:
    if (to.exists() and not force) or not to.parent.is_dir():
        say(f"put: `{to}': File exists, or there is no such folder")
        return 1
    if source == "-":
        part = to.with_name(f"{to.name}.{os.getpid()}._COPYING_")
        part.write_bytes(sys.stdin.buffer.read())
        part.rename(to)
    else:
        copy(Path(source), to)
    return 0


def copy(source: Path, to: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, to)
    else:
        shutil.copyfile(source, to)


def main() -> int:
    name, argv = Path(sys.argv[0]).name, sys.argv[1:]
    if name == "hdfs":
        return dfs(argv[1:])
    if name == "hadoop":
        print("/stub/conf:/stub/a.jar:/stub/b.jar")
        return 0
    if argv[:2] == ["application", "-kill"]:
        (FOLDER / "running" / argv[2]).unlink(missing_ok=True)
        for pid in (FOLDER / "containers" / argv[2]).glob("*/pid"):
            end(int(pid.read_text()))
        return 0
    if argv[:1] == ["classpath"]:
        print(os.environ.get("STUB_CLASSPATH", "/stub/conf"))
        return 0
    return submit(argv[1:])


if __name__ == "__main__":
    sys.exit(main())
