"""The step that checks: messages in the log as people read them, and once more as annotations."""

from __future__ import annotations

import os
import re
import shlex
import sys

from steps import WRONG_USE, error, flag, lines, show, tfdsl


def main() -> int:
    """Gives the exit status of the step: that of the check, or 1 for files that are not formatted."""
    files = lines("FILES") or ["."]
    switches = [f"--{name}" for name in ("strict", "notes") if flag(name.upper())]
    options = [*_targets(), *_profiles(), *switches]
    formatted = flag("FORMATTED")
    status = tfdsl("check", *options, "--", *files).returncode
    print(tfdsl("check", *options, "--format", "github", "--", *files).stdout, end="", flush=True)
    if formatted:
        status = max(status, _formatted(files))
    return status


def _targets() -> list[str]:
    names = os.environ.get("TARGETS", "").replace(",", " ").split()
    if names == ["all"]:
        return ["--all-targets"]
    return [word for name in names for word in ("--target", name)]


def _profiles() -> list[str]:
    asked = os.environ.get("PROFILES", "").strip()
    if asked not in ("", "all"):
        error(f"profiles must be all or empty, not {asked}")
        sys.exit(WRONG_USE)
    return ["--all-profiles"] if asked else []


def _formatted(files: list[str]) -> int:
    done = tfdsl("fmt", "--diff", "--", *files)
    if done.stdout:
        show(done.stdout)
    for path in re.findall(r"^--- (.+)$", done.stdout, re.M):
        error(f"not formatted: run tfdsl fmt {shlex.quote(path)}", path)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
