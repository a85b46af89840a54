"""Stand-ins for ``yarn`` and ``hdfs``: one file, called under either name.

``yarn jar`` takes the options of DistributedShell's client of the Hadoop version in STUB_VERSION (those it lacks are
refused as the client does), sends what travels through the application master's command line through an unquoted
bash, writes the launch script of each container as the NodeManager does (``export K="V"``, ``{{`` and ``}}``
replaced), and runs all containers as processes on this machine, each in a folder of its own under STUB_FOLDER.
``hdfs dfs`` works on the folder STUB_FOLDER/hdfs.
"""

from __future__ import annotations

import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote

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


RETRIES = (
    "2026-11-30 03:37:22,841 INFO ipc.Client: Retrying connect to server: localhost/127.0.0.1:9. Already tried 2 "
    "time(s); retry policy is RetryUpToMaximumCountWithFixedSleep(maxRetries=10, sleepTime=1000 MILLISECONDS)"
)
"""What the client of Hadoop 3.4.2 says while nobody answers."""


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
    if "STUB_NO_GPUS" in os.environ and "gpu" in options.get("container_resources", [""])[0]:
        say("FATAL distributedshell.Client: ResourceNotFoundException: Unknown resource: yarn.io/gpu")
        return 1
    if "gpu" in options.get("container_resources", [""])[0]:
        time.sleep(float(os.environ.get("STUB_BEFORE_GPUS", "0")))
    if "STUB_DEAF" in os.environ:
        say(RETRIES)
    time.sleep(float(os.environ.get("STUB_BEFORE", "0")))
    application = f"application_{int(time.time() * 1000)}_{os.getpid() % 10000:04d}"
    note(application, "ACCEPTED", "UNDEFINED", options)
    argv = [sys.executable, __file__, "stub-application", application]
    with open(FOLDER / "applications" / f"{application}.log", "wb") as log:
        subprocess.Popen(argv, start_new_session=True, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    time.sleep(float(os.environ.get("STUB_SILENT", "0")))
    say(f"INFO impl.YarnClientImpl: Submitted application {application}")
    timeout = time.monotonic() + int(options["timeout"][0]) / 1000
    while True:
        found = noted(application)
        # As seen on Hadoop 3.4.2.
        say(
            f"{time.strftime('%F %T')} INFO distributedshell.Client: Got application report from ASM for, appId=1, "
            f"clientToAMToken=null, appDiagnostics={found['diagnostics']}, appMasterHost=vm/127.0.0.1, "
            "appQueue=root.default, appMasterRpcPort=-1, appStartTime=1, "
            f"yarnAppState={found['state']}, distributedFinalState={found['final']}, "
            f"appTrackingUrl=http://rm:8088/proxy/{application}/, appUser=alice"
        )
        if found["state"] in ENDED:
            return 0 if found["final"] == "SUCCEEDED" else 2
        if time.monotonic() > timeout:
            kill(application)
        time.sleep(0.1)


ENDED = ("FINISHED", "FAILED", "KILLED")


def note(application: str, state: str, final: str, options: object = None, diagnostics: str = "") -> None:
    """What the ResourceManager knows of an application."""
    place = FOLDER / "applications" / application
    place.parent.mkdir(exist_ok=True)
    known = options if options is not None else noted(application)["options"]
    part = place.with_name(f".{application}.{os.getpid()}")
    part.write_text(json.dumps({"state": state, "final": final, "options": known, "diagnostics": diagnostics}))
    part.rename(place)


def noted(application: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "applications" / application).read_text())
    return found


def run(application: str) -> None:
    """The application itself: it does not need the client that has submitted it."""
    options = noted(application)["options"]
    (FOLDER / "running").mkdir(exist_ok=True)
    alive = FOLDER / "running" / application
    alive.touch()
    count = int(options["num_containers"][0]) - int(os.environ.get("STUB_MISSING", "0"))
    containers = [Container(application, number, options) for number in range(1, count + 1)]
    note(application, "RUNNING", "UNDEFINED")
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
        note(application, "KILLED", "KILLED", None, f"Application {application} was killed by user alice at 127.0.0.1")
        return
    alive.unlink()
    if failed:
        text = f"Application Failure: desired = {count}, completed = {count}, failed = {failed}"
        note(application, "FINISHED", "FAILED", None, text)
    else:
        note(application, "FINISHED", "SUCCEEDED")


def row(application: str, name: str, state: str, final: str) -> str:
    """A line of the list, in the widths of Hadoop 3.4.2."""
    left = f"{application:>30}\t{name:>20}\t{'YARN':>20}\t{'alice':>10}\t{'default':>10}"
    return f"{left}\t{state:>18}\t{final:>18}\t{'0%':>15}\t{'N/A':>35}"


def kill(application: str) -> None:
    """What the client waits for: the application has ended."""
    (FOLDER / "running" / application).unlink(missing_ok=True)
    for pid in (FOLDER / "containers" / application).glob("*/pid"):
        end(int(pid.read_text()))
    while noted(application)["state"] not in ENDED:
        time.sleep(0.05)


def ask(argv: list[str]) -> int:
    """``yarn application``; STUB_DEAF is a ResourceManager that does not answer, and for how long its client tries."""
    with open(FOLDER / "asked", "a") as file:
        file.write(json.dumps(argv) + "\n")
    if "STUB_DEAF" in os.environ:
        time.sleep(float(os.environ["STUB_DEAF"]))
        say("java.net.ConnectException: Connection refused")
        return 255
    if argv[0] == "-kill":
        kill(argv[1])
    elif argv[0] == "-status":
        found = noted(argv[1])
        print(f"Application Report : \n\tApplication-Id : {argv[1]}\n\tState : {found['state']}")
        print(f"\tFinal-State : {found['final']}")
    elif argv[0] == "-list" and VERSION >= (3, 1):
        assert argv[1:4] == ["-appStates", "ALL", "-appTags"]
        print(f"Total number of applications (states: [] and tags: [{argv[4]}]):1")
        print(row("Application-Id", "Application-Name", "State", "Final-State"))
        for place in sorted((FOLDER / "applications").glob("application_*[0-9]")):
            found = noted(place.name)
            if argv[4] in found["options"].get("application_tags", [""])[0].split(","):
                print(row(place.name, found["options"]["appname"][0], found["state"], found["final"]))
    else:
        say(f"UnrecognizedOptionException: {argv}")
        return 255
    return 0


def local(pattern: str) -> Path:
    """Where a path of HDFS is. As seen on Hadoop 3.4.2: every one is a pattern, and one that matches nothing fails."""
    path = pattern
    if path.startswith("hdfs://"):
        path = "/" + path[len("hdfs://") :].partition("/")[2]
    path = path.lstrip("/") if path.startswith("/") else f"user/alice/{path}"
    if re.search(r"(?<!\\)[\[\]*?{}]", path):
        found = glob.glob(str(FOLDER / "hdfs" / path))
        if len(found) != 1:
            say(f"`{pattern}': No such file or directory")
            raise SystemExit(1)
        return Path(found[0])
    return FOLDER / "hdfs" / re.sub(r"\\(.)", r"\1", path)


def here(uri: str) -> Path:
    """Where a path of the node is: it is read as a URI."""
    return Path(unquote(uri))


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
    if name in ("getfattr", "setfattr"):
        return extended(name, argv)
    if name in ("mkdir", "chmod", "stat"):
        return attributes(name, flags, paths)
    if name == "test":
        return 0 if local(paths[0]).exists() else 1
    if name == "cat":
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
        copy(local(paths[0]), here(paths[1]))
    elif name == "put":
        return put(paths[0], local(paths[1]), "-f" in flags)
    else:
        say(f"{name}: Unknown command")
        return 255
    return 0


def attributes(name: str, flags: list[str], paths: list[str]) -> int:
    place = local(paths[-1])
    if name == "mkdir":
        if "STUB_NO_HOME" in os.environ and not paths[0].startswith(("/", "hdfs:")):
            say('mkdir: Permission denied: user=alice, access=WRITE, inode="/user":hdfs:supergroup:drwxr-xr-x')
            return 1
        if place.exists() and "-p" not in flags:
            say(f"mkdir: `{paths[0]}': File exists")
            return 1
        place.mkdir(parents=True, exist_ok=True)
    elif name == "chmod":
        place.chmod(int(paths[0], 8))
    elif name == "stat":
        assert paths[0] == "%a"
        if not place.exists():
            say(f"stat: `{paths[1]}': No such file or directory")
            return 1
        print(f"{place.stat().st_mode & 0o777:o}")
    return 0


def extended(name: str, argv: list[str]) -> int:
    place, key = local(argv[-1]), argv[2]
    if os.environ.get("STUB_XATTRS") == "no":
        return 1
    kept = FOLDER / "attributes"
    found: dict[str, str] = json.loads(kept.read_text()) if kept.exists() else {}
    number = str(place.stat().st_ino)  # it stays when the file is renamed
    if name == "setfattr":
        kept.write_text(json.dumps(found | {number: argv[4]}))
    elif number in found:
        print(f'# file: {argv[-1]}\n{key}="{found[number]}"\n')
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
        copy(here(source), to)
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
    if argv[:1] == ["application"]:
        return ask(argv[1:])
    if argv[:1] == ["stub-application"]:
        run(argv[1])
        return 0
    if argv[:1] == ["classpath"]:
        print(os.environ.get("STUB_CLASSPATH", "/stub/conf"))
        return 0
    return submit(argv[1:])


if __name__ == "__main__":
    sys.exit(main())
