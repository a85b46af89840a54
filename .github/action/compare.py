"""The step that compares: what the jobs compile to must be what is in the repository."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from steps import WRONG_USE, error, lines, show, tfdsl

HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)", re.M)
LEFT_OVER, RENAMED = "left-over-output", "kustomize-renames"
"""Messages of ``tfdsl compile`` about the folder that it writes to, which ``tfdsl check`` does not have."""
SUMMARY = 60_000
"""Characters of the difference in the summary of a run, which may have 1 MiB."""


@dataclass(frozen=True)
class Changed:
    """A file that is not what the job compiles to. ``status`` is that of ``git status --porcelain``."""

    path: str
    status: str
    difference: str

    @property
    def line(self) -> int:
        """The first line that differs."""
        hunk = HUNK.search(self.difference)
        return max(1, int(hunk[1])) if hunk else 1


def main() -> int:
    """Gives the exit status of the step."""
    commands = [_words(line) for line in lines("COMPILE")]
    if not commands:
        return 0
    if not _in_repository():
        error("compile needs the repository: add actions/checkout before this step")
        return WRONG_USE
    status = 0
    found: list[Changed] = []
    for words in commands:
        output = _output(words)
        if output is None:
            error(f"tfdsl compile {shlex.join(words)} needs -o and a folder or a file of the repository")
            return WRONG_USE
        compiled = tfdsl("compile", *words).returncode
        if compiled:
            status = max(status, compiled)
            continue
        for changed in _changed(output):
            _tell(changed, words)
            found.append(changed)
        status = max(status, _tell_of_the_folder(words))
    _summarise(found)
    return max(status, 1 if found else 0)


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as wrong:
        error(f"compile cannot be read as a command line ({wrong}): {line}")
        sys.exit(WRONG_USE)


def _output(words: list[str]) -> str | None:
    """Where a command line of ``tfdsl compile`` writes to."""
    for at, word in enumerate(words):
        name, _, value = word.partition("=") if word.startswith("--") else (word[:2], "", word[2:].removeprefix("="))
        if name in ("-o", "--output"):
            given = value or "".join(words[at + 1 : at + 2])
            return None if given in ("", "-") else given
    return None


def _changed(output: str) -> list[Changed]:
    """The files below ``output`` that differ from those of the repository, or are not in it."""
    entries = _git(
        "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored", "--", f":(literal){output}"
    )
    return [Changed(entry[3:], entry[:2], _difference(entry)) for entry in entries.split("\0") if entry]


def _difference(entry: str) -> str:
    if entry[:2] in ("??", "!!"):
        return ""
    return _git(
        "diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-renames", "--", f":(top,literal){entry[3:]}"
    )


def _tell(changed: Changed, words: list[str]) -> None:
    command = f"run tfdsl compile {shlex.join(words)} and commit the result"
    if changed.status == "!!":
        error(f"{changed.path} is ignored by git: remove it from .gitignore, {command}")
    elif changed.status == "??":
        error(f"{changed.path} is not in the repository: {command}")
    else:
        error(f"this is not what the job compiles to: {command}", changed.path, changed.line)
        show(changed.difference)


def _tell_of_the_folder(words: list[str]) -> int:
    """Annotate what only a compilation sees: files of jobs that are gone, which fail, and names that do not fit."""
    messages = json.loads(tfdsl("compile", "--format", "json", *words).stdout)["diagnostics"]
    failed = False
    for message in messages:
        text = "; ".join([message["message"], *message["help"]])
        if message["slug"] == LEFT_OVER:
            error(text)
            failed = True
        elif message["slug"] == RENAMED:
            error(text, message["path"], message["start"]["line"], "warning")
    return int(failed)


def _summarise(found: list[Changed]) -> None:
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary is None or not found:
        return
    text = "".join(changed.difference or f"not in the repository: {changed.path}\n" for changed in found)
    cut = text if len(text) <= SUMMARY else text[:SUMMARY] + "\n…\n"
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", cut)), default=0))
    with Path(summary).open("a", encoding="utf-8") as file:
        file.write(f"### Manifests that are not what the jobs compile to\n\n{fence}diff\n{cut}{fence}\n")


def _in_repository() -> bool:
    return (
        subprocess.run(["git", "rev-parse", "--is-inside-work-tree"], capture_output=True, check=False).returncode == 0
    )


def _git(*words: str) -> str:
    """What git prints. It says itself why it fails, for instance for a folder outside of the repository."""
    command = ["git", "-c", "core.quotePath=false", *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", errors="surrogateescape", check=False)
    if done.returncode:
        error(f"git {words[0]} failed: see the log")
        sys.exit(done.returncode)
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
