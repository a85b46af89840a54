"""The options of sbatch: those that a job may add, and those that the target writes itself.

The names, and which of them take a value, are those of sbatch 22.05 (the tests ask it); newer ones have their version.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.vocabulary import versions

if TYPE_CHECKING:
    from tfdsl.backend import Unit

OF_THE_JOB: Final = [
    "acctg-freq=",
    "bb=",
    "bbf=",
    "begin=",
    "cluster-constraint=",
    "clusters=",
    "comment=",
    "delay-boot=",
    "dependency=",
    "extra=",
    "ignore-pbs",
    "kill-on-invalid-dep=",
    "licenses=",
    "mail-type=",
    "mail-user=",
    "mcs-label=",
    "oom-kill-step[=]",
    "power=",
    "priority=",
    "profile=",
    "propagate[=]",
    "quiet",
    "reboot",
    "stepmgr",
    "time-min=",
    "verbose",
    "wckey=",
]
"""What is said once. ``=``: with a value, ``[=]``: with or without one."""

OF_NODES: Final = [
    "batch=",
    "contiguous",
    "core-spec=",
    "cores-per-socket=",
    "cpu-freq=",
    "distribution=",
    "exclude=",
    "exclusive[=]",
    "gpu-bind=",
    "gpu-freq=",
    "gres=",
    "gres-flags=",
    "hint=",
    "mem=",
    "mem-bind=",
    "mincpus=",
    "network=",
    "nodefile=",
    "nodelist=",
    "nodes=",
    "ntasks-per-core=",
    "ntasks-per-socket=",
    "overcommit",
    "oversubscribe",
    "prefer=",
    "reservation=",
    "resv-ports[=]",
    "segment=",
    "sockets-per-node=",
    "spread-job",
    "switches=",
    "thread-spec=",
    "tmp=",
    "use-min-nodes",
    "wait-all-nodes=",
]
"""What each component says for its nodes."""

_MATRIX: Final = "write a matrix: it makes a job of each value"
_GPU: Final = "write gpu in the role"
_CPU: Final = "write cpu in the role"
_MEMORY: Final = "write memory in the role"
_TAKEN_BACK: Final = "write on evicted => restart job, or => fail job"
_FOLDER: Final = "the logs are in the folder of the run; the option run_dir says where that is"
_USER: Final = "submit as that user"
_TO_SUBMIT: Final = "give it to submit.sh"
_ENVIRONMENT: Final = "write env in the job; the job has the variables of who submits it"
_BY_HAND: Final = "call sbatch by hand for this"

WRITTEN: Final = {
    "account=": "write the option account",
    "array=": _MATRIX,
    "chdir=": "call submit.sh in that folder, or write workdir",
    "constraint=": "write node_label in the role",
    "container-id=": "write image in the role and the option runtime",
    "container=": "write image in the role and the option runtime",
    "cpus-per-gpu=": _CPU,
    "cpus-per-task=": _CPU,
    "deadline=": "write on pending after 2h => fail job",
    "error=": _FOLDER,
    "export-file=": _ENVIRONMENT,
    "export=": _ENVIRONMENT,
    "extra-node-info=": "a replica gets whole cores; write cpu in the role",
    "get-user-env[=]": _ENVIRONMENT,
    "gid=": _USER,
    "gpus-per-node=": _GPU,
    "gpus-per-socket=": _GPU,
    "gpus-per-task=": _GPU,
    "gpus=": _GPU,
    "help": _BY_HAND,
    "hold": "write suspend = true in the job",
    "input=": "let the command read the file",
    "job-name=": "write the name after the word job",
    "mem-per-cpu=": _MEMORY,
    "mem-per-gpu=": _MEMORY,
    "nice[=]": "write priority in the job",
    "no-kill[=]": _TAKEN_BACK,
    "no-requeue": _TAKEN_BACK,
    "ntasks-per-gpu=": "write replicas and gpu in the role",
    "ntasks-per-node=": "write the option tasks_per_node",
    "ntasks=": "write replicas in the role",
    "open-mode=": _FOLDER,
    "output=": _FOLDER,
    "parsable": "submit.sh writes it",
    "partition=": "write queue in the job",
    "qos=": "write the option qos",
    "requeue": _TAKEN_BACK,
    "signal=": "write the option time_limit: the policies on evicted act before it",
    "tasks-per-node=": "write the option tasks_per_node",
    "test-only": _TO_SUBMIT,
    "threads-per-core=": "a replica gets whole cores; write cpu in the role",
    "time=": "write deadline in the job, or the option time_limit",
    "tres-bind=": _GPU,
    "tres-per-task=": _GPU,
    "uid=": _USER,
    "usage": _BY_HAND,
    "version": _BY_HAND,
    "wait": _TO_SUBMIT,
    "wrap=": "write command in the role",
}
"""What the target writes, or what would break its scripts, with what to write instead."""

SINCE: Final = {
    "container-id": "23.02",
    "oom-kill-step": "24.11",
    "resv-ports": "24.05",
    "segment": "24.05",
    "stepmgr": "24.05",
    "tres-bind": "24.05",
    "tres-per-task": "23.02",
}
LETTERS: Final = {
    "A": "account",
    "a": "array",
    "B": "extra-node-info",
    "b": "begin",
    "C": "constraint",
    "c": "cpus-per-task",
    "D": "chdir",
    "d": "dependency",
    "e": "error",
    "F": "nodefile",
    "G": "gpus",
    "H": "hold",
    "h": "help",
    "i": "input",
    "J": "job-name",
    "k": "no-kill",
    "L": "licenses",
    "M": "clusters",
    "m": "distribution",
    "N": "nodes",
    "n": "ntasks",
    "O": "overcommit",
    "o": "output",
    "p": "partition",
    "Q": "quiet",
    "q": "qos",
    "S": "core-spec",
    "s": "oversubscribe",
    "t": "time",
    "V": "version",
    "v": "verbose",
    "W": "wait",
    "w": "nodelist",
    "x": "exclude",
}
FORMS: Final = {form.rstrip("[=]"): form for form in (*OF_THE_JOB, *OF_NODES, *WRITTEN)}
"""Name → the name and whether it takes a value."""

_LONG: Final = regex(r"--(?P<name>[^\s=]+)(?P<between>\s+=\s*|=|\s+|)(?P<value>.*)")
_SHORT: Final = regex(r"-(?P<name>[^\s=-])(?P<between>\s*)(?P<value>.*)")
_NOT_IN_A_LINE: Final = regex(r"[\x00-\x1f\x7f\x85\u2028\u2029]")
_SPECIAL: Final = regex(r"[\s\"'\\#]")
_GPU_DEVICES: Final = regex(r"(?:.*,)?gpu(?:[:=,].*)?")


class Given(Record):
    """One element of the option ``sbatch``. ``name``: in full; empty if it is not an option. ``value``: if it has one.

    ``written``: as it was written; ``near``: the names that it may mean, where there is no such option.
    """

    written: str
    name: str
    value: str | None
    near: tuple[str, ...] = ()

    @property
    def instead(self) -> str | None:
        """What to write instead of an option that belongs to the target."""
        if self.name == "gres" and _GPU_DEVICES.fullmatch(self.value or ""):
            return _GPU
        return WRITTEN.get(FORMS.get(self.name, ""))

    def problem(self) -> str | None:
        """What is wrong with its value."""
        form = FORMS[self.name]
        if not form.endswith("]") and (self.value is not None) != form.endswith("="):
            return "needs a value" if form.endswith("=") else "cannot have a value"
        if self.value is None:
            return None
        if _NOT_IN_A_LINE.search(self.value):
            return "cannot have a line break or control character in its value"
        return "needs a value" if not self.value else None

    def directive(self) -> str:
        """The option in a line of ``#SBATCH``, where a backslash counts in quotes too, and ``#`` needs quotes."""
        if self.value is None or not _SPECIAL.search(self.value):
            return f"--{self.name}" if self.value is None else f"--{self.name}={self.value}"
        escaped = self.value.replace("\\", r"\\").replace("'", r"\'")
        return f"--{self.name}='{escaped}'"


def given(unit: Unit) -> list[Given]:
    """The elements, in order."""
    return [read(text) for text in unit.texts("sbatch")]


def read(text: str) -> Given:
    """``text`` as getopt reads it: ``--mem=0``, ``--mem 0``, ``--excl``, ``-N2``, ``-N 2``."""
    stripped = text.strip()
    match = _SHORT.match(stripped)
    if match is not None:
        name = LETTERS.get(match["name"], "")
        return Given(text, name, text.strip()[2:].lstrip() or None)
    match = _LONG.match(stripped)
    if match is None:
        return Given(text, "", None)
    value = stripped[match.end("between") :] if match["between"] else None
    if match["name"] in FORMS:
        return Given(text, match["name"], value)
    near = tuple(sorted(name for name in FORMS if name.startswith(match["name"])))
    return Given(text, near[0] if len(near) == 1 else "", value, near)


def too_new(unit: Unit, given: Given) -> str | None:
    """The version of Slurm that ``given`` came with, if that is after the job's."""
    since = SINCE.get(given.name)
    return since if since is not None and versions.key(unit.shown_version) < versions.key(since) else None


def directives(unit: Unit, *, first: bool) -> Iterator[str]:
    """The options of a component: all of the first one, for the others those about nodes."""
    for option in given(unit):
        if first or FORMS[option.name] in OF_NODES:
            yield option.directive()
