"""What the jobs of a flow hand to each other."""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.lint.view import FlowView, JobView
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.semantics.resolved import Role, Step
from tfdsl.text import Span

READ_BEFORE_WRITTEN = Rule(
    "TFJ3152",
    "read-before-written",
    "warning",
    "job {job} uses {path}, which job {writer} writes, but does not run after it",
)


def read_before_written(view: FlowView) -> Iterator[Diagnostic]:
    """A job of a flow uses a path that only a job which does not run before it writes.

    ## Why

    An `output` of a job is there when the job has ended. A job that runs before it, or beside it, finds nothing, or what the
    last run of the flow has left. If that is what is meant, say so with a comment: `# tfdsl: allow[read-before-written]`.

    ## Bad

    ```tfjob
    template step {
      image = "registry.example.com/mnist:1.4"
      mount pvc "runs" at "/runs"
    }
    job train {
      use step
      role worker { command = ["python", "/app/train.py"] }
      output "/tmp/model" to "/runs/model"
    }
    job evaluate {
      use step
      role worker { command = ["python", "/app/evaluate.py", "--model=/runs/model"] }
    }
    flow nightly {
      run evaluate
      run train
    }
    ```

    ## Good

    ```tfjob
    template step {
      image = "registry.example.com/mnist:1.4"
      mount pvc "runs" at "/runs"
    }
    job train {
      use step
      role worker { command = ["python", "/app/train.py"] }
      output "/tmp/model" to "/runs/model"
    }
    job evaluate {
      use step
      role worker { command = ["python", "/app/evaluate.py", "--model=/runs/model"] }
    }
    flow nightly {
      run train
      run evaluate after train
    }
    ```
    """
    # A path is compared where it is kept: on its volume, or as a URI. Who runs before and names the path as well, as an
    # output or to its command, may have written it; so has a job that writes it itself.
    outputs = {job: list(_outputs(one)) for job, one in view.jobs.items()}
    if not any(outputs.values()):
        return
    words = {job: list(_words(one, kept=True)) for job, one in view.jobs.items()}
    for job, one in view.jobs.items():
        earlier = view.before(job)
        known = [use.place for before in earlier for use in (*words[before], *outputs[before])]
        known += [use.place for use in outputs[job]]
        for path in (*words[job], *_mounted(one)):
            if path.writes or any(_inside(path.place, place) or _inside(place, path.place) for place in known):
                continue
            for writer, written in outputs.items():
                place = next((use.span for use in written if _inside(path.place, use.place)), None)
                if place is not None and writer not in earlier:
                    error = READ_BEFORE_WRITTEN(path.span, job=job, path=path.text, writer=writer)
                    yield error.note(place, f"job {writer} writes it").help(f"write run {job} after {writer}")
                    break


SCRATCH_BETWEEN_JOBS = Rule(
    "TFJ3153",
    "scratch-between-jobs",
    "warning",
    "job {job} uses {path} on {mount}, which is another one than that of job {writer}",
)


def scratch_between_jobs(view: FlowView) -> Iterator[Diagnostic]:
    """A job of a flow uses a file on scratch storage that a job before it has written on its own.

    ## Why

    Each job has scratch and memory mounts, and claims, of its own, even at one path: what a job writes there is gone when the
    next one starts.

    ## Bad

    ```tfjob
    template step {
      image = "registry.example.com/mnist:1.4"
      mount scratch 50Gi at "/work"
    }
    job fetch {
      use step
      role worker { command = ["python", "/app/fetch.py", "--out=/work/data"] }
    }
    job train {
      use step
      role worker { command = ["python", "/app/train.py", "--data=/work/data"] }
    }
    flow nightly {
      run fetch
      run train after fetch
    }
    ```

    ## Good

    ```tfjob
    template step {
      image = "registry.example.com/mnist:1.4"
      mount pvc "work" at "/work"
    }
    job fetch {
      use step
      role worker { command = ["python", "/app/fetch.py", "--out=/work/data"] }
    }
    job train {
      use step
      role worker { command = ["python", "/app/train.py", "--data=/work/data"] }
    }
    flow nightly {
      run fetch
      run train after fetch
    }
    ```
    """
    # Two jobs may each use a folder there for themselves. So the job before has to write the path, by the name of its
    # option or by an output of it, or it is a file; the job behind must not write it, which its own steps may do.
    words = {job: list(_words(one, kept=False)) for job, one in view.jobs.items()}
    for job, paths in words.items():
        for path in paths:
            if path.writes or sum(one.text == path.text for one in paths) > 1:
                continue
            for writer in view.before(job):
                written = next((one for one in words[writer] if _hands_on(one, path, view.jobs[writer])), None)
                if written is not None:
                    error = SCRATCH_BETWEEN_JOBS(path.span, job=job, path=path.text, mount=path.place, writer=writer)
                    error = error.note(written.span, f"job {writer} uses it here")
                    yield error.help("use a pvc, nfs or host mount in both jobs")
                    break


def _hands_on(written: Use, read: Use, writer: JobView) -> bool:
    """Whether the job before writes the path that the one behind reads, as far as their words tell."""
    if written.text != read.text or (written.option and written.option == read.option):
        return False
    sent = {writer.shown(output.source) for role in writer.job.roles for output in role.outputs}
    return written.writes or written.text in sent or _FILE.search(written.text) is not None


class Use(Record):
    """A path that a job names. ``place``: where it is kept, without regard to where it is mounted, or a kind of mount.

    ``option``: of the command, before the path; ``writes``: its name says that the command writes there.
    """

    text: str
    place: str
    span: Span
    option: str = ""
    writes: bool = False


_OPTION = regex(r"(--?[A-Za-z][\w-]*)=(.*)")
_NAME = regex(r"--?[A-Za-z][\w-]*")
_WRITES = regex(r"(?:^|[-_])(?:o|out|outputs?|to|save|dest|destination|export|write|target)(?:[-_]|$)")
_FILE = regex(r"/[^/]*\w\.[A-Za-z]\w*$")
_OWN = ("scratch", "memory", "claim")


def _words(view: JobView, *, kept: bool) -> Iterator[Use]:
    """The paths in the commands of a job, and its checkpoint; those that are ``kept``, or those on its own storage."""
    for role in view.job.roles:
        holders: tuple[Role | Step, ...] = (role, *role.steps)
        for runs in holders:
            option = ""
            for word in (word for name in ("command", "args") for word in view.texts(runs, name)):
                text = view.shown(word)
                match = _OPTION.fullmatch(text)
                name, path = match.groups() if match is not None else (option, text)
                option = text if _NAME.fullmatch(text) else ""
                place = _place(view, role, path, kept=kept)
                if place:
                    yield Use(path, place, word.span, name, _WRITES.search(name.lstrip("-")) is not None)
    for name, value, role in view.folders():
        place = _place(view, role, view.shown(value), kept=kept)
        if place and name == "checkpoint":
            yield Use(view.shown(value), place, value.span)


def _mounted(view: JobView) -> Iterator[Use]:
    """What is mounted by a URI."""
    for mount in (mount for role in view.job.roles for mount in role.mounts):
        text = view.shown(mount.source) if mount.source is not None else ""
        if "://" in text:
            yield Use(text, _clean(text), mount.head)


def _outputs(view: JobView) -> Iterator[Use]:
    for role in view.job.roles:
        for output in role.outputs:
            text = view.shown(output.destination)
            place = _place(view, role, text, kept=True)
            if place:
                yield Use(text, place, output.destination.span)


def _place(view: JobView, role: Role, path: str, *, kept: bool) -> str:
    """Where a path is kept, or on what storage of the job's own it is; empty for others."""
    if "://" in path:
        return _clean(path) if kept else ""
    mount = view.holder(role, _clean(path))
    if mount is None or mount.source is None:
        return ""
    kind = mount.kind.name
    if not kept:
        return f"a {kind} mount" if kind in _OWN else ""
    if not mount.kind.durable:
        return ""
    folder = view.shown(mount.source)
    below = mount.options.get("sub_path")
    inner = f"/{view.shown(below.value)}" if below is not None else ""
    start = folder if "://" in folder else f"{kind} {folder}"
    return _clean(f"{start}{inner}{path[len(mount.at.rstrip('/')) :]}")


def _clean(path: str) -> str:
    return path.rstrip("/")


def _inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")
