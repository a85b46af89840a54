r"""A Dockerfile from a job's ``build`` block, for every builder from Docker 1.13 on.

What Docker reads where (buildkit frontend/dockerfile: parser, shell/lex.go, docs/reference.md):

- ``FROM``, ``WORKDIR`` and ``COPY`` (its JSON form too) replace ``$NAME`` and take quotes and backslashes away.
- ``RUN`` in shell form hands the rest of the line to ``/bin/sh -c`` as it is, but takes a leading ``--x`` for its own
  option, a leading ``[`` for JSON, ``<<`` for a here-document and joins lines that end in a backslash. A command for
  which that matters is written in JSON form, ``["/bin/sh", "-c", TEXT]``, over as many lines as it has; nothing in
  that is interpreted.
- ``ENTRYPOINT`` in JSON form is the argv, uninterpreted.

``copy`` sources keep Docker's meaning of ``*``, ``?`` and ``[a-z]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.emit.json import scalar
from tfdsl.emit.located import Written, child
from tfdsl.patterns import regex

if TYPE_CHECKING:
    from tfdsl.ir.model import Build, CopyStep, RunStep


_IMAGE: Final = regex(r"[A-Za-z0-9][A-Za-z0-9_.:/@\-]*\Z")
_WORD_SPECIAL: Final = regex(r"""([$'"\\])""")
_PLAIN_WORD: Final = regex(r"[A-Za-z0-9_./@%+:,=][A-Za-z0-9_./@%+:,=\-]*\Z")
_CONTROL: Final = regex(r"[\x00-\x1f\x7f]")
_SIMPLE_RUN: Final = regex(r"(?!--|\[|\s|#)[^\x00-\x1f\x7f-\xa0\u2028\u2029]*[^\x00-\x20\x7f-\xa0\u2028\u2029\\]\Z")


def problems(build: Build) -> list[tuple[str, str]]:
    """What no Dockerfile can say: the IR path of the field, and why. :func:`write` needs this to be empty."""
    found: list[tuple[str, str]] = []
    if not _IMAGE.match(build.base):
        found.append((child(build.path, "base"), "this is not an image name"))
    if build.workdir is not None and (_CONTROL.search(build.workdir) or not build.workdir.strip()):
        found.append((child(build.path, "workdir"), "the folder's name is blank or holds a control character"))
    for step in build.steps:
        found.extend((step.path, message) for message in _step_problems(step))
    return found


def write(build: Build) -> Written:
    """The Dockerfile, with the IR path of every line. Raises ``ValueError`` when there are :func:`problems`."""
    wrong = problems(build)
    if wrong:
        raise ValueError(f"{wrong[0][0]}: {wrong[0][1]}")
    lines: list[str] = []
    paths: list[str | None] = []
    for text, path in _instructions(build):
        written = text.split("\n")
        lines.extend(written)
        paths.extend([path] * len(written))
    lines.append("")
    return Written("\n".join(lines), tuple(paths))


def _instructions(build: Build) -> Iterator[tuple[str, str]]:
    yield f"FROM {build.base}", child(build.path, "base")
    if build.hadoop is not None:
        yield hadoop_lines(build.hadoop), child(build.path, "hadoop")
    if build.workdir is not None:
        yield f"WORKDIR {_word(build.workdir)}", child(build.path, "workdir")
    for step in build.steps:
        yield _step(step), step.path
    if build.entrypoint:
        yield f"ENTRYPOINT {_array(build.entrypoint)}", child(build.path, "entrypoint")


def _step(step: CopyStep | RunStep) -> str:
    from tfdsl.ir.model import CopyStep

    if isinstance(step, CopyStep):
        return f"COPY {_array([_bare(step.source), _bare(step.destination)])}"
    return f"RUN {step.command if _is_simple(step.command) else _script(step.command)}"


def _step_problems(step: CopyStep | RunStep) -> Iterator[str]:
    from tfdsl.ir.model import CopyStep  # as in _step

    texts = (step.source, step.destination) if isinstance(step, CopyStep) else (step.command,)
    if not all(text.strip() for text in texts):
        yield "the text is blank"


def _is_simple(command: str) -> bool:
    return _SIMPLE_RUN.match(command) is not None and "<<" not in command


def _script(command: str) -> str:
    """``["/bin/sh", "-c", …]``, one line of the file per line of the command.

    A line that would begin with a blank or ``#`` begins with its JSON escape: Docker drops comments, and old versions
    blanks, within a continued instruction.
    """
    first, *rest = command.split("\n")
    if not rest:
        return _array(["/bin/sh", "-c", command])
    lines = [re.sub(r"^[ #]", lambda found: f"\\u{ord(found.group()):04x}", _inside(line)) for line in (first, *rest)]
    return '["/bin/sh", "-c", "\\\n' + "\\n\\\n".join(lines) + '"]'


def _array(words: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{_inside(word)}"' for word in words) + "]"


def _inside(text: str) -> str:
    """``text`` within a JSON string, without the two characters that announce a here-document."""
    return scalar(text)[1:-1].replace("<<", "\\u003c<")


def _word(text: str) -> str:
    """A word in which Docker would replace variables, so that it stays what it is."""
    return text if _PLAIN_WORD.match(text) else '"' + re.sub(r'([$"\\])', r"\\\1", text) + '"'


def _bare(text: str) -> str:
    """The same within the JSON form of ``COPY``, which has its own quotes; ``<<`` is a here-document there too."""
    return _WORD_SPECIAL.sub(r"\\\1", text).replace("<<", "\\<<")


# --- dockerfile hadoop ---
#
# The lines of a Dockerfile that make ``hdfs://`` work in TensorFlow.
#
# TensorFlow loads ``libhdfs.so`` from ``HADOOP_HDFS_HOME`` and ``libjvm.so`` from ``LD_LIBRARY_PATH``; the JVM inside
# then takes its class path from ``CLASSPATH`` **without expanding wildcards**. The usual recipe,
# ``CLASSPATH=$(hadoop classpath --glob)``, has to run in the container, and neither ``ENV`` (runs nothing) nor an
# entrypoint (Kubernetes' ``command`` and YARN replace it) can do that. But the list is fixed once the client is
# unpacked: ``hadoop classpath --jar`` (Hadoop 2.6 and later) writes it into the manifest of one small jar while the
# image is built. ``CLASSPATH`` is then a constant, and the entrypoint stays the user's.

_TEMPLATE: Final = r"""# Hadoop client for hdfs://. The base image has to be Debian or Ubuntu.
ARG HADOOP_MIRROR=https://archive.apache.org/dist
ARG HADOOP_JDK=@JDK@
RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ca-certificates curl "$HADOOP_JDK" \
    && rm -rf /var/lib/apt/lists/* \
    && curl -fsSL -o /tmp/hadoop.tar.gz "$HADOOP_MIRROR/hadoop/common/hadoop-@VERSION@/hadoop-@VERSION@.tar.gz" \
    && mkdir -p /opt/hadoop \
    && tar -xzf /tmp/hadoop.tar.gz -C /opt/hadoop --strip-components=1 --exclude='hadoop-@VERSION@/share/doc' \
    && rm /tmp/hadoop.tar.gz \
    && ln -s "$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")" /opt/java \
    && ln -s "$(dirname "$(find /opt/java/ -path '*/server/libjvm.so' | head -n 1)")" /opt/jvm \
    && test -e /opt/jvm/libjvm.so \
    && test -e /opt/hadoop/lib/native/libhdfs.so \
    && JAVA_HOME=/opt/java /opt/hadoop/bin/hadoop classpath --jar /opt/hadoop/classpath.jar
ENV JAVA_HOME=/opt/java \
    HADOOP_HOME=/opt/hadoop \
    HADOOP_HDFS_HOME=/opt/hadoop \
    CLASSPATH=/opt/hadoop/etc/hadoop:/opt/hadoop/classpath.jar \
    LD_LIBRARY_PATH=/opt/hadoop/lib/native:/opt/jvm${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} \
    PATH=$PATH:/opt/hadoop/bin"""


def hadoop_lines(version: str) -> str:
    """The instructions for Hadoop ``version``; Hadoop 2 needs Java 8, Hadoop 3 takes the distribution's own."""
    jdk = "openjdk-8-jdk-headless" if version.startswith("2.") else "default-jdk-headless"
    return _TEMPLATE.replace("@JDK@", jdk).replace("@VERSION@", version)
