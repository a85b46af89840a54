"""``python -m tests.same REVISION``: does this working tree do what that revision does? Exits 1 if not.

Everything that the tree of that revision has to show is tried with both, in the same environment, and compared byte for
byte. What changes on purpose is named in the commit.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.same.cases import KINDS, Case, cases
from tests.same.comparing import Compared, compare, results, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
DRIVER = Path(__file__).with_name("driver.py")


def unpack(revision: str, to: Path) -> None:
    """Write the files of a revision of this repository into a folder."""
    done = subprocess.run(["git", "archive", "--format=tar", revision], cwd=ROOT, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"git has no revision {revision}: {done.stderr.decode(errors='replace').strip()}")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
        archive.extractall(to, filter="data")


def environment(tree: Path, home: Path) -> dict[str, str]:
    """What the driver needs to find a tree, and nothing that changes what is printed."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return kept | {
        "HOME": str(home),
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": f"{tree}{os.pathsep}{tree / 'backends'}",
        "PYTHONPYCACHEPREFIX": str(home / "pycache"),
        "PYTHONSAFEPATH": "1",  # not the folder of the driver
        "TZ": "UTC",
    }


def compared(trees: tuple[Path, Path], chosen: Sequence[Case], shares: int) -> Compared:
    """Run ``shares`` drivers for each of the trees, all at the same time, and compare what they give."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        given = folder / "cases.json"
        given.write_text(json.dumps([case._asdict() for case in chosen]), encoding="utf-8")
        running: list[subprocess.Popen[bytes]] = []
        try:
            for number, tree in enumerate(trees):
                for share in range(shares):
                    to = folder / f"{number}-{share}"
                    command = [sys.executable, str(DRIVER), str(given), str(share), str(shares), str(to)]
                    running.append(subprocess.Popen(command, cwd=folder, env=environment(tree, folder)))
            statuses = [driver.wait() for driver in running]
        finally:
            for driver in running:
                driver.kill()  # those that still run when this one is interrupted
        if any(statuses):
            sys.exit("a driver failed: see above")
        return compare(tuple(results(folder / f"{number}-{share}") for number in (0, 1)) for share in range(shares))


def main() -> int:
    """Compare, and say what differs."""
    parser = argparse.ArgumentParser(prog="make same", description="Compare this tree with a revision, byte for byte.")
    parser.add_argument("revision", help="for example HEAD or main")
    parser.add_argument("--kinds", default=",".join(KINDS), help=f"some of {', '.join(KINDS)}")
    asked = parser.parse_args()
    kinds = tuple(asked.kinds.split(","))
    if unknown := set(kinds) - set(KINDS):
        parser.error(f"there is no kind {', '.join(sorted(unknown))}: choose from {', '.join(KINDS)}")
    with tempfile.TemporaryDirectory() as scratch:
        base = Path(scratch, "base")
        unpack(asked.revision, base)
        chosen = cases(base, kinds)
        found = compared((base, ROOT), chosen, max(1, (os.cpu_count() or 2) // 2))
    print(shown(found))
    ending = "the same" if found.same else f"{len(found.changes):,} changes"
    spent = sum(os.times()[:4])
    print(f"\n{ending}: {len(chosen):,} cases with {asked.revision} and here, {spent:.0f} s of processor time")
    return int(not found.same)


if __name__ == "__main__":
    sys.exit(main())
