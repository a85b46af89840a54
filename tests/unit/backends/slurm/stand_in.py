"""A Slurm of stand-ins: enough of its commands for the scripts of a job to run on this machine.

``srun`` runs its command as a process group of its own and notes its options; ``scancel`` signals such a group;
``scontrol show hostnames`` prints the nodes, and other uses of it are noted. Nothing waits in a queue.
"""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import signal
    from pathlib import Path

PROGRAMS = {
    "srun": """
set -u
number=0
until mkdir "$STAND_IN/step-$number" 2>/dev/null; do number=$((number + 1)); done
output=/dev/stdout
while :; do
  case $1 in
  --output=*) output=${1#--output=} ;;
  --nodelist=*) export SLURMD_NODENAME=${1#--nodelist=} ;;
  --*) ;;
  *) break ;;
  esac
  printf '%s\\n' "$1" >>"$STAND_IN/step-$number/options"
  shift
done
export SLURM_STEP_ID=$number
setsid bash -c 'echo $$ >"$0/group"; exec "$@"' "$STAND_IN/step-$number" "$@" >>"$output" 2>&1 &
wait $!
""",
    "scancel": """
signal=${1#--signal=}
kill -s "$signal" -- "-$(cat "$STAND_IN/step-${2#*.}/group")"
""",
    "scontrol": """
case $1:${2-} in
show:hostnames) printf '%s\\n' ${3//,/ } ;;
show:job) cat "$STAND_IN/shown" 2>/dev/null ;;
*) printf '%s\\n' "$*" >>"$STAND_IN/scontrol" ;;
esac
""",
    "sbatch": """
printf '%s\\n' "$@" >"$STAND_IN/sbatch"
echo 7
""",
    "apptainer": """
printf '%s\\n' "$@" >>"$STAND_IN/apptainer"
shift
while :; do
  case $1 in
  --*) shift ;;
  *) break ;;
  esac
done
shift
exec "$@"
""",
}


@dataclass
class Slurm:
    """One job on the stand-ins. ``folder``: of ``submit.sh``; the scripts are in ``folder/out``."""

    folder: Path

    def __post_init__(self) -> None:
        (self.folder / "bin").mkdir()
        (self.folder / "slurm").mkdir()
        (self.folder / "run/marks").mkdir(parents=True)
        for name, text in PROGRAMS.items():
            path = self.folder / "bin" / name
            path.write_text(f"#!/usr/bin/env bash{text}")
            path.chmod(0o755)

    def environment(self, **variables: str) -> dict[str, str]:
        """What a batch script finds."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM", "TFJOB"))}
        return {
            **kept,
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
            "STAND_IN": str(self.folder / "slurm"),
            "SLURM_JOB_ID": "7",
            "SLURM_SUBMIT_DIR": str(self.folder),
            **variables,
        }

    def show(self, text: str) -> None:
        """What ``scontrol show job`` prints from here on."""
        (self.folder / "slurm/shown").write_text(text)

    def batch(
        self, scripts: dict[str, str], meanwhile: signal.Signals | None = None, /, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run ``job.sbatch`` to its end. ``meanwhile``: is sent to it when its first step has begun."""
        (self.folder / "run/task.sh").write_text(scripts["task.sh"])
        (self.folder / "job.sbatch").write_text(scripts["job.sbatch"])
        command = ["bash", "job.sbatch", str(self.folder / "run")]
        process = subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment(**variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if meanwhile is not None:
            end = time.monotonic() + 30
            while time.monotonic() < end and not list((self.folder / "run/marks").glob("*.step")):
                time.sleep(0.05)
            process.send_signal(meanwhile)
        out, errors = process.communicate(timeout=60)
        return subprocess.CompletedProcess(command, process.returncode, out, errors)

    def options(self, name: str) -> list[list[str]]:
        """The options of each step of a replica."""
        found = [path.read_text().splitlines() for path in sorted((self.folder / "slurm").glob("step-*/options"))]
        return [one for one in found if f"--job-name={name}" in one]

    def log(self, name: str) -> str:
        """What a replica has written."""
        path = self.folder / "run" / f"{name}.log"
        return path.read_text() if path.exists() else ""

    def alive(self) -> list[int]:
        """Process groups of steps that are still there."""
        groups = [int(path.read_text()) for path in (self.folder / "slurm").glob("step-*/group")]
        end = time.monotonic() + 5
        while groups and time.monotonic() < end:
            groups = [group for group in groups if _exists(group)]
            time.sleep(0.05)
        return groups


def _exists(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
