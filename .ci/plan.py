"""What ``.ci/run`` runs: first what all need, then alone what measures time, then four lanes side by side.

``pages`` are the editors and the site, which wait for screens and for a browser. ``kubernetes`` and ``others`` try the
output on real clusters: they build and fetch programs, and then mostly wait for what the programs do. ``project`` are
the tests, which need the processors all the time. Each lane stands back behind those that have less time to spare, and
writes below folders of its own, and into the checkout only what git ignores.
"""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from pathlib import Path

from lanes import Lanes, Run, Step, remove

LIMIT = 84 * 60
"""Seconds. A machine that ends the run after 90 minutes would leave nothing of what it has found."""
BEHIND = 4
"""How far builds stand back besides (see ``nice``): enough for the tests, and the longest lane begins with one."""
APT = 'DPkg::Lock::Timeout "600";\nAcquire::Retries "3";\n'
APT_PACKAGES = """\
from tests.conformance.kubernetes import node
from tests.conformance.slurm import cluster
node.install_packages()
cluster.install()
"""


def plan(scratch: Path, python: str) -> list[Lanes]:
    """The phases. ``scratch`` takes what they write; ``python`` is a word of a command."""
    venv, dist, clean, editors, pages = (scratch / name for name in ("venv", "dist", "clean", "editors", "site"))
    pip = "-m pip install --quiet --disable-pip-version-check"
    pytest = f"{venv}/bin/python -m pytest"

    def make(target: str, work: Path | None = None, venv: Path = venv) -> str:
        return f"make {target} VENV={venv} PYTHON={python}" + (f" WORK={work}" if work else "")

    def fetch(name: str, command: str, nice: int = 0) -> Step:
        """A package index may be away for a moment; a second try is cheaper than a failed run."""
        return Step(name, command, again=f"sleep 10; {command}", needed=True, nice=nice)

    def test(name: str, command: str, options: str = "") -> Step:
        """On a busy machine a test may wait too long; what really fails does so twice. Only what failed runs again."""
        cache = f"-o cache_dir={scratch / 'pytest' / name.replace(' ', '-')} {options}".rstrip()
        again = f"export PYTEST_ADDOPTS='{cache} --last-failed' TFDSL_LAST_FAILED=1; {command}"
        return Step(name, command, again=again, environment={"PYTEST_ADDOPTS": cache})

    def programs(name: str) -> Step:
        command = f"{venv}/bin/python -m tests.conformance.{name} build --work {scratch / name}"
        return fetch(f"programs of {name}", command, BEHIND)

    def conformance(name: str) -> Step:
        return test(name, make(f"conformance-{name}", scratch / name))

    side_by_side = {
        "pages": [
            fetch("packages of npm", make("grammar/vscode/node_modules site/node_modules")),
            fetch("programs of editors", make("get-editors", editors), BEHIND),
            test("editors of the terminal", make("test-terminal", editors)),
            test("VS Code", make("test-vscode", editors)),
            # Of its own: the other one is in use, and the tests show that they need no more than that has.
            fetch("environment of the site", make(f"{pages}/site", venv=pages)),
            Step("site", make("site", venv=pages), needed=True),
            test("site tests", make("test-site-built", editors, pages)),
        ],
        "kubernetes": [programs("kubernetes"), conformance("kubernetes")],
        "others": [programs("yarn"), conformance("yarn"), conformance("slurm"), conformance("local")],
        "project": [
            Step("static checks", f"{make('static')} --jobs 2 --output-sync=target --keep-going"),
            # If all tests pass but together leave something out, there is nothing to run again.
            # As root on this machine, then as a user in a bare root: what either could hide the other one shows.
            test("quick tests", make("test"), "--last-failed-no-failures=none"),
            test("quick tests in a bare root", make("test-bare"), "--last-failed-no-failures=none"),
            test("slow tests", make("test-slow")),
            test("package tests", f"{pytest} tests/packaging --packages {dist} --clean-venv {clean}"),
        ],
    }
    for back, steps in enumerate(side_by_side.values()):
        for step in steps:
            step.nice += back
    return [
        {"first": [fetch("environment", f"{make(f'{venv}/dev')} && {venv}/bin/pyright --version")]},
        {
            "package": [
                Step("package", f"{venv}/bin/python -m build --no-isolation --outdir {dist} .", needed=True),
                fetch("installation", f"{python} -m venv --clear {clean} && {clean}/bin/python {pip} {dist}/*.whl"),
            ],
            # apt has one lock for the machine, and some of its commands do not wait for it.
            "apt": [Step("packages of apt", f"{venv}/bin/python -c {shlex.quote(APT_PACKAGES)}")],
        },
        {"alone": [Step("budgets", f"{make('budgets')} CLEAN={clean}")]},
        side_by_side,
    ]


def main() -> int:
    """Run the plan; gives the exit status."""
    scratch = Path(tempfile.mkdtemp(prefix="tfdsl-ci-"))
    try:
        scratch.chmod(0o755)  # the tests that run as somebody else start its programs
        for name in ("logs", "pytest"):
            (scratch / name).mkdir()
        (scratch / "apt.conf").write_text(APT, encoding="utf-8")
        os.environ |= {"APT_CONFIG": str(scratch / "apt.conf"), "DEBIAN_FRONTEND": "noninteractive"}
        return Run(plan(scratch, shlex.quote(os.environ.get("PYTHON", "python3"))), scratch / "logs").run(LIMIT)
    finally:
        remove(scratch)


if __name__ == "__main__":
    sys.exit(main())
