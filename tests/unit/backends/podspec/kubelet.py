"""What a kubelet does to a container before it starts, for tests that run the container's process here."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


def expand(text: str, variables: Mapping[str, str]) -> str:
    """``$(NAME)`` and ``$$`` as k8s.io/kubernetes third_party/forked/golang/expansion/expand.go replaces them.

    Works on bytes, as Go does: the byte after a lone ``$`` is taken for a code point of its own.
    """
    data, out, at = text.encode(), bytearray(), 0
    while at < len(data):
        if data[at : at + 1] != b"$" or at + 1 == len(data):
            out += data[at : at + 1]
            at += 1
            continue
        following = data[at + 1 : at + 2]
        end = data.find(b")", at)
        if following == b"$":
            out += b"$"
        elif following == b"(" and end >= 0:
            name = data[at + 2 : end].decode()
            out += variables.get(name, f"$({name})").encode()
            at = end + 1
            continue
        elif following == b"(":
            out += b"$("
        else:
            out += b"$" + chr(following[0]).encode()
        at += 2
    return out.decode(errors="surrogateescape")


def environment(container: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, str]:
    """The variables of a container; ``fields``: fieldPath → value. Each sees those before it."""
    made: dict[str, str] = {}
    for entry in container.get("env", ()):
        source = entry.get("valueFrom", {}).get("fieldRef")
        made[entry["name"]] = fields[source["fieldPath"]] if source else expand(entry["value"], made)
    return made


def process(
    container: Mapping[str, Any], fields: Mapping[str, str] = {}, shell: Sequence[str] = ("/bin/sh",)
) -> tuple[list[str], dict[str, str]]:
    """The argument list and the variables of the container's process, with ``shell`` in the place of ``/bin/sh``."""
    variables = environment(container, fields)
    words = [expand(word, variables) for word in (*container.get("command", ()), *container.get("args", ()))]
    argv: list[str] = []
    for word in words:
        argv += shell if word == "/bin/sh" else [word]
    return argv, variables


def run(
    container: Mapping[str, Any],
    fields: Mapping[str, str] = {},
    shell: Sequence[str] = ("/bin/sh",),
    **options: Any,
) -> subprocess.CompletedProcess[str]:
    """Run the container's process to its end."""
    argv, variables = process(container, fields, shell)
    return subprocess.run(
        argv, env={**os.environ, **variables}, capture_output=True, text=True, timeout=20, check=False, **options
    )


@contextlib.contextmanager
def started(argv: Sequence[str], env: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A container's process that has written its first line; it is gone afterwards, also when the test fails."""
    with subprocess.Popen(argv, env=env, stdout=subprocess.PIPE, text=True, start_new_session=True) as running:
        try:
            assert running.stdout is not None
            assert running.stdout.readline()
            yield running
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
