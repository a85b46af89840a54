#!/usr/bin/env python3
"""A stand-in for kubectl: it answers from a folder as kubectl does, and notes what it was asked.

``objects.json``: the objects of its cluster. ``odd.json``: rules ``[pattern of the command line, {status, out, err,
sleep}]``; the first that fits answers instead. ``calls.txt``: the command lines. What it prints for ``-o jsonpath`` is
what kubectl 1.34 prints (tests/conformance/kubernetes/test_operating.py compares both).
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any


def rendered(template: str, objects: list[dict[str, Any]]) -> str:
    """What ``kubectl get -o jsonpath=template`` prints of a list."""
    inside = re.fullmatch(r"\{range \.items\[\*\]\}(.*)\{end\}(.*)", template, re.S)
    assert inside is not None, template
    each, last = (re.findall(r'\{"(.*?)"\}|\{(.*?)\}', parts) for parts in inside.groups())
    lines = ["".join(_part(text, path, one) for text, path in each) for one in objects]
    return "".join([*lines, *(_part(text, path, {}) for text, path in last)])


def _part(text: str, path: str, one: dict[str, Any]) -> str:
    return text.encode().decode("unicode_escape") if text else " ".join(map(_printed, _at(path, one)))


def _at(path: str, one: object) -> list[Any]:
    found: list[Any] = [one]
    for name in [] if path == "@" else path.strip(".").split("."):
        key, every = name.removesuffix("[*]"), name.endswith("[*]")
        found = [each[key] for each in found if isinstance(each, dict) and key in each]
        found = [item for each in found for item in each] if every else found
    return found


def _printed(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def selected(words: list[str], objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The objects that ``get`` with these words lists."""
    kind, _, group = words[words.index("get") + 1].partition(".")
    found = [one for one in objects if f"{one['kind'].lower()}s" == kind and group in _group(one)]
    for at, word in enumerate(words):
        key, equals, value = words[at + 1].partition("=") if word in ("-l", "--field-selector") else ("", "", "")
        if word == "-l":
            labels = [(one, one["metadata"].get("labels", {})) for one in found]
            found = [one for one, has in labels if (has.get(key) == value if equals else key in has)]
        elif equals and key == "metadata.name":
            found = [one for one in found if one["metadata"]["name"] == value]
    return found


def _group(one: dict[str, Any]) -> str:
    group, slash, _ = one["apiVersion"].partition("/")
    return group if slash else ""


class Cluster:
    """The folder with the objects."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.objects: list[dict[str, Any]] = json.loads((folder / "objects.json").read_text())

    def save(self) -> None:
        (self.folder / "objects.json").write_text(json.dumps(self.objects))

    def named(self, kind: str, name: str) -> dict[str, Any] | None:
        return next(
            (one for one in self.objects if one["kind"].lower() + "s" == kind and one["metadata"]["name"] == name), None
        )

    def create(self, words: list[str], given: str) -> int:
        status = 0
        for text in given.splitlines():
            one = json.loads(text)
            kind = one["kind"].lower() + "s"
            name = one["metadata"].setdefault("name", f"{one['metadata'].pop('generateName', '')}x7k2p")
            if self.named(kind, name) is not None:
                message = f'error when creating "STDIN": {kind} "{name}" already exists'
                print(f"Error from server (AlreadyExists): {message}", file=sys.stderr)
                status = 1
            elif "--dry-run=server" not in words:
                one["metadata"] |= {"uid": f"uid-{os.urandom(4).hex()}", "creationTimestamp": "2026-11-29T10:00:00Z"}
                one["metadata"].setdefault("namespace", words[words.index("-n") + 1] if "-n" in words else "default")
                self.objects.append(one)
                print(one["metadata"]["uid"], one["metadata"]["namespace"], name, sep="\t")
        self.save()
        return status

    def delete(self, words: list[str], given: str) -> int:
        *_, kind, name = words[words.index("--raw") + 1].split("/")
        uid = json.loads(given)["preconditions"]["uid"]
        one = self.named(kind, name)
        if one is None or one["metadata"]["uid"] != uid:
            print(f'Error from server (NotFound): {kind} "{name}" not found', file=sys.stderr)
            return 1
        self.objects.remove(one)
        self.save()
        return 0

    def logs(self, words: list[str], given: str) -> int:
        pod = words[words.index("logs") + 1]
        container = words[words.index("-c") + 1]
        file = self.folder / f"{pod}-{container}.log"
        if not file.exists():
            message = f'container "{container}" in pod "{pod}" is waiting to start'
            print(f"Error from server (BadRequest): {message}", file=sys.stderr)
            return 1
        lines = file.read_bytes().splitlines(keepends=True)
        tail = [int(word.partition("=")[2]) for word in words if word.startswith("--tail=")]
        sys.stdout.buffer.write(b"".join(lines[len(lines) - tail[0] :] if tail else lines))
        return 0


def odd(folder: Path, line: str) -> dict[str, Any] | None:
    """What to answer instead."""
    file = folder / "odd.json"
    rules: list[tuple[str, dict[str, Any]]] = json.loads(file.read_text()) if file.exists() else []
    return next((answer for pattern, answer in rules if re.search(pattern, line)), None)


def main(words: list[str], folder: Path, given: str) -> int:
    """Answer one command line; ``given``: standard input."""
    line = " ".join(words)
    with (folder / "calls.txt").open("a") as calls:
        calls.write(f"{line}\n")
    answer = odd(folder, line)
    if answer is not None:
        sys.stdout.write(answer.get("out", ""))
        sys.stdout.flush()
        sys.stderr.write(answer.get("err", ""))
        time.sleep(answer.get("sleep", 0))
        if "status" in answer:
            return int(answer["status"])
    cluster = Cluster(folder)
    if "get" in words:
        template = next(word for word in words if word.startswith("jsonpath=")).removeprefix("jsonpath=")
        sys.stdout.write(rendered(template, selected(words, cluster.objects)))
        return 0
    for name in ("create", "delete", "logs"):
        if name in words:
            return int(getattr(cluster, name)(words, given))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], Path(os.environ["STAND_IN_KUBECTL"]), "" if sys.stdin.isatty() else sys.stdin.read()))
