"""Jars by Maven, and the two Java programs of this folder compiled against them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conformance.yarn.work import java_home

if TYPE_CHECKING:
    from tests.conformance.yarn.work import Work

HERE = Path(__file__).parent
REPOSITORY = "TFDSL_CONFORMANCE_MAVEN"
"""The variable that names Maven's local repository, to keep it between runs; without it, Maven's own."""

MINUTES = 20
"""For one ``mvn``; an empty repository takes one or two."""


class NotBuiltError(Exception):
    """Something that is needed is not here or cannot be had; the message is one line that says what."""


def build(work: Work) -> None:
    """All that the tests start. What is there already is kept."""
    for program in ("mvn", "java", "javac", "bash"):
        if program == "javac" and (java_home() / "bin/javac").exists():
            continue
        if shutil.which(program) is None:
            raise NotBuiltError(f"{program} is not on the PATH; the tests on Hadoop need Maven and a JDK 17")
    jars("Hadoop 3.4.2", HERE / "hadoop/pom.xml", work.home / "lib")
    jars("Slider 0.92", HERE / "slider/pom.xml", work.sub("slider") / "lib")
    install(work)
    compile_java(HERE / "hadoop/Cluster.java", work.home / "lib", work.sub("classes/hadoop"))
    compile_java(HERE / "slider/Judge.java", work.sub("slider") / "lib", work.sub("classes/slider"))


def jars(what: str, pom: Path, folder: Path) -> None:
    """Fill ``folder`` with what ``pom`` names; raise when one of the jars cannot be had."""
    mark = folder / ".complete"
    if mark.exists() and mark.read_text() == pom.read_text():
        return
    repository = os.environ.get(REPOSITORY)
    command = ["nice", "-n", "10", "mvn", "--batch-mode", "--quiet", "--file", str(pom)]
    command += [f"-Dmaven.repo.local={repository}"] if repository else []
    command += ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={folder}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=MINUTES * 60)
    except subprocess.TimeoutExpired as slow:
        raise NotBuiltError(f"{what} cannot be had: Maven took more than {MINUTES} minutes") from slow
    if done.returncode != 0:
        raise NotBuiltError(f"{what} cannot be had: {reason(done.stdout + done.stderr)}")
    mark.write_text(pom.read_text())


def reason(output: str) -> str:
    """The first error that Maven or javac tells, in one line."""
    errors = [line.partition("]")[2].strip() for line in output.splitlines() if "ERROR]" in line]
    lines = [line for line in errors if line] or [line for line in output.splitlines() if line.strip()]
    return lines[0] if lines else "no reason was given"


def install(work: Work) -> None:
    """Put the launcher where Hadoop has its scripts, and the jar where ``submit.sh`` looks for it."""
    programs = work.sub("hadoop/bin")
    for name in ("hadoop", "hdfs", "yarn"):
        shutil.copyfile(HERE / "hadoop/launcher.sh", programs / name)
        (programs / name).chmod(0o755)
    found = sorted((work.home / "lib").glob("hadoop-yarn-applications-distributedshell-*.jar"))
    if not found:
        raise NotBuiltError("Hadoop 3.4.2 cannot be had: Maven brought no jar of DistributedShell")
    place = work.sub("hadoop/share/hadoop/yarn") / found[0].name
    place.unlink(missing_ok=True)
    place.symlink_to(found[0])


def compile_java(source: Path, lib: Path, to: Path) -> None:
    """Compile ``source`` into ``to`` unless that is newer."""
    made = to / f"{source.stem}.class"
    if made.exists() and made.stat().st_mtime > source.stat().st_mtime:
        return
    javac = java_home() / "bin/javac"
    program = str(javac) if javac.exists() else "javac"
    command = [program, "-nowarn", "-d", str(to), "-cp", f"{lib}/*", str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise NotBuiltError(f"{source.name} does not compile: {reason(done.stderr)}")
