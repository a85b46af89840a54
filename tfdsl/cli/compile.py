"""``tfdsl compile``: write the manifests of the jobs of a file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, cast

from tfdsl import targets
from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import FILE, Arguments, Command, Flag, quote
from tfdsl.cli.destinations import FILE_ENDINGS, Destination, destination, one_file
from tfdsl.cli.report import OK, document, end, notes_line, report, status_of
from tfdsl.cli.streams import err, out
from tfdsl.cli.watching import WATCH, watched
from tfdsl.compiling import pipeline
from tfdsl.compiling.front_end import Project, compiled, project_of
from tfdsl.compiling.masking import hide, masked
from tfdsl.compiling.output_files import (
    OutputFile,
    Placed,
    file_name,
    folders,
    output_files,
    placed,
    stream,
    target_of,
)
from tfdsl.compiling.pipeline import Made, Output
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import (
    BAD_ARGUMENT,
    DOCKERFILE_LEFT_OUT,
    MISSING_ARGUMENT,
    OUTPUT_NOT_REMOVED,
    OUTPUT_NOT_WRITTEN,
)
from tfdsl.diagnostics.diagnostic import at_first_sight, in_file_order
from tfdsl.diagnostics.render import Format
from tfdsl.diagnostics.render.columns import visible
from tfdsl.diagnostics.render.json import Json, contents
from tfdsl.emit.located import plain
from tfdsl.record import replace
from tfdsl.semantics.request import Choice, Request
from tfdsl.source_files import origin_of
from tfdsl.text import Source, Span
from tfdsl.writing import Failure, write_all

if TYPE_CHECKING:
    from tfdsl.compiling import beside_output
    from tfdsl.compiling.kustomizations import Renaming

OUTPUT = Flag("--output", "a folder, a file (FILE.yaml), or - for standard output", short="-o", value="PATH")
KUSTOMIZATION = Flag("--kustomization", "list what is written in the resources of the kustomization.yaml there")
PRUNE = Flag("--prune", "remove the files there of jobs that this file no longer has")
DRY_RUN = Flag("--dry-run", "write and remove nothing; print what would be")
SOURCE_MAP = Flag("--source-map", "write FILE.map beside each file: the source line of every line")
FORMAT = Flag(
    "--format",
    "json: one document with all files and messages (default: text)",
    value="FORMAT",
    one_of=("text", "json"),
)

COMMAND = Command(
    "compile",
    (FILE,),
    (
        chosen.TARGET,
        OUTPUT,
        *chosen.OF_JOBS,
        chosen.STRICT,
        chosen.ALLOW_READ,
        SOURCE_MAP,
        KUSTOMIZATION,
        PRUNE,
        DRY_RUN,
        FORMAT,
        chosen.QUIET,
        WATCH,
    ),
    (
        "tfdsl compile mnist.tfjob -t volcano",
        "tfdsl compile mnist.tfjob -t tfjob -t volcano@1.9 -o out",
        "tfdsl compile mnist.tfjob -t kubernetes -O kubernetes.version=1.30 --set workers=8",
    ),
    "A folder gets JOB.yaml, or JOB/... for a target with several files, and JOB.Dockerfile. With several\n"
    "targets, each gets a folder of its own. Either all files are written or none. tfdsl targets lists the targets.\n"
    "Without -t: the targets that the project sets (tfdsl.toml).\n"
    "Each file begins with a comment that names its source; files there whose jobs are gone are reported.\n"
    "The last line counts the notes about what was decided or added; tfdsl check --notes shows them.\n"
    "With --format json, standard output gets one document with all files and messages; with -o the files are\n"
    "written as well.",
)


def run(arguments: Arguments) -> int:
    """Compile the file; if there is an error, nothing is written."""
    return watched(arguments, _once)


def _once(arguments: Arguments) -> int:
    form = cast("Format", arguments.text(FORMAT.name, "text"))
    picked = chosen.selection(arguments)
    errors = list(picked.errors)
    project = project_of(origin_of(arguments.rest[0].text), picked.choices, picked.allowed)
    if project.problems and not project.choices and not errors:
        if form == "json":
            return _document(arguments, Destination("stream", "-", arguments.line), (), project.problems)
        return report(project.problems, (), form, picked.hidden)
    errors += [] if errors else _wrong_targets(arguments, project)
    place = destination(arguments.value(OUTPUT.name), project.choices, arguments, as_json=form == "json")
    if isinstance(place, Diagnostic):
        errors += [place] if project.choices else []
    file = chosen.opened(arguments, picked, errors[len(picked.errors) :], form)
    assert isinstance(place, Destination)
    source = file.source
    request = project.request(picked.request)
    strict = project.settings.strict or arguments.on(chosen.STRICT.name)
    outcome = compiled(file.given, request, project.choices, strict=strict)
    diagnostics = [*project.problems, *outcome.diagnostics]
    made = () if pipeline.has_errors(diagnostics) else outcome.outputs
    written: list[Diagnostic] = []
    jobs: list[Placed] = []
    lines: list[str] = []
    removed: tuple[str, ...] = ()
    plan: Sequence[str] = ()
    if made:
        taken = (source, *file.inputs.sources, project.settings.source, *_sources(request))
        origins = [one.origin for one in taken if one is not None and one.origin is not None]
        if place.kind == "folder":
            jobs = placed(made, place.path, by_target=place.folders, source_map=arguments.on(SOURCE_MAP.name))
            compilation = _compilation(arguments, file, request, place)
            written, besides = _write_folder(arguments, compilation, jobs, origins)
            removed, plan = besides.removed, besides.plan
            if arguments.on(DRY_RUN.name):
                jobs = []
            else:
                lines = [*(f"removed {path}" for path in removed), *(f"wrote {path}" for path in besides.listed)]
        else:
            written = _write(arguments, place, made, origins)
            if place.kind == "file":
                jobs = [Placed(made[0], "", tuple(one_file(place, made, source_map=False)))]
    if form == "json":
        diagnostics = in_file_order([*diagnostics, *written], [source.path])
        return _document(arguments, place, made, masked(diagnostics, picked.hidden), removed)
    out("".join(f"{visible(line)}\n" for line in plan))
    status = report([*at_first_sight(diagnostics), *written], [source.path], hidden=picked.hidden)
    if not arguments.on(chosen.QUIET.name):
        again = chosen.again(arguments, "check", chosen.NOTES.name)
        err(notes_line(diagnostics, visible(hide(again, picked.hidden))))
        wrote = [_wrote(jobs, arguments, project.choices)] if jobs else []
        for line in (*lines, *wrote) if status == OK else ():
            err(f"{visible(hide(line, picked.hidden))}\n")
    return status


def _wrong_targets(arguments: Arguments, project: Project) -> list[Diagnostic]:
    """Report that there is no target, or an option of a target that is not asked for."""
    if project.choices:
        return chosen.options_of_others(arguments, project.choices)
    missing = MISSING_ARGUMENT(arguments.line, what="compile needs a target: -t TARGET")
    from tfdsl.diagnostics.suggest import listing

    names = listing(backend.name for backend in targets.known())
    return [missing.help(f"TARGET is {names}").help("or set targets for the project, in tfdsl.toml")]


def _sources(request: Request) -> Iterator[Source]:
    """The files of the command line that values come from."""
    yield from request.values
    yield from (param.source for param in request.params)
    yield from (option.source for option in request.options)


def _write(
    arguments: Arguments, place: Destination, made: Sequence[Output], sources: Sequence[str]
) -> list[Diagnostic]:
    """Write one stream, but not over one of ``sources``; returns the diagnostics about writing it."""
    if place.kind == "stream":
        if arguments.text(FORMAT.name) != "json":
            out(stream("-", made).written.text)
            return _left_out(made)
        return []
    failure = write_all(one_file(place, made, source_map=arguments.on(SOURCE_MAP.name)), sources)
    return _left_out(made) if failure is None else [_not_written(place, failure)]


def _write_folder(
    arguments: Arguments, compilation: beside_output.Compilation, jobs: Sequence[Placed], sources: Sequence[str]
) -> tuple[list[Diagnostic], beside_output.Written]:
    """Write the files of all jobs, but not over one of ``sources``; also returns the diagnostics about the folder."""
    from tfdsl.compiling import beside_output

    lists, prunes, dry = (arguments.on(flag.name) for flag in (KUSTOMIZATION, PRUNE, DRY_RUN))
    done = beside_output.write(compilation, jobs, sources, lists=lists, prunes=prunes, dry=dry)
    if done.unclear is not None:
        why, advice = done.unclear
        error = BAD_ARGUMENT(
            arguments.values(PRUNE.name)[-1].span, what=f"{PRUNE.name} cannot know which jobs are gone: {why}"
        )
        end([error.help(advice)], cast("Format", arguments.text(FORMAT.name, "text")))
    span = compilation.span
    if done.failure is not None:
        return [OUTPUT_NOT_WRITTEN(span, path=done.failure.path, reason=done.failure.reason)], done
    if done.stays is not None:
        return [OUTPUT_NOT_REMOVED(span, path=done.stays.path, reason=done.stays.reason)], done
    return [*done.diagnostics], done


def _compilation(
    arguments: Arguments, file: chosen.Opened, request: Request, place: Destination
) -> beside_output.Compilation:
    from tfdsl.compiling import beside_output

    advice = beside_output.Advice(
        lambda: chosen.again(arguments, "compile", "-o", place.path, KUSTOMIZATION.name),
        lambda made, renaming, several: _with_name(arguments, made, renaming, several=several),
        f"compile with {PRUNE.name}",
    )
    whole = beside_output.how_whole(file.given, request)
    return beside_output.Compilation(file.source, whole, place.path, place.span, advice)


def _with_name(arguments: Arguments, made: Made, renaming: Renaming, *, several: bool) -> str:
    """The command that compiles a job under the name that kustomize would give it."""
    unit = made.unit
    backend = targets.find(unit.target)
    version = "" if backend is None or unit.shown_version == backend.default_version else f"@{unit.shown_version}"
    words = ["tfdsl", "compile", *(argument.text for argument in arguments.rest), "-t", f"{unit.target}{version}"]
    words += [chosen.JOB.name, unit.name] if several else []
    for flag in (chosen.PROFILE, chosen.PARAMS, chosen.SET, chosen.OPTION, chosen.ALLOW_READ):
        words += [word for argument in arguments.values(flag.name) for word in (flag.short or flag.name, argument.text)]
    words += [chosen.NAME.name, renaming.renamed(unit.name), "-o", renaming.folder]
    return " ".join(map(quote, words))


def _wrote(jobs: Sequence[Placed], arguments: Arguments, choices: Sequence[Choice]) -> str:
    """Which files were written, and what comes next; for the first job and target, if there are several."""
    of_jobs = [[file.path for file in job.files if not file.path.endswith(".map")] for job in jobs]
    paths = [path for job in of_jobs for path in job]
    written = f"wrote {' and '.join(paths)}" if len(paths) <= _MOST_PATHS else f"wrote {len(paths)} files"
    starts = [quote(path) for name in _SUBMIT for path in of_jobs[0] if os.path.basename(path) == name]
    starts += [f"kubectl create -f {quote(path)}" for path in of_jobs[0] if path.endswith(FILE_ENDINGS)]
    example = "" if len(jobs) == 1 else ", for example"
    steps = [*_submission(jobs, arguments, choices), *starts[:1]]
    made = jobs[0].made
    if not isinstance(made, Made) and made.unit.flow.schedule is not None and starts[0].endswith(_SUBMIT[0]):
        steps.append(f"for its schedule the lines of {starts[0]} --schedule")  # nothing else installs it
    return f"{written}; next{example}: {', or '.join(steps)}" if steps else written


def _submission(jobs: Sequence[Placed], arguments: Arguments, choices: Sequence[Choice]) -> list[str]:
    """``tfdsl submit`` for the first target; nothing if that has none, or the input cannot be read again."""
    made, first = jobs[0].made, choices[0]
    operated = first.backend.cluster if isinstance(made, Made) else first.backend.load_flow_cluster()
    if not operated or chosen.read_once(arguments):
        return []
    made_for = [target_of(one.made) for one in jobs]
    more: list[str] = []
    if first.backend.output == "files" and made_for.count(made_for[0]) > 1:  # YARN takes one at a time
        flag = chosen.JOB if isinstance(made, Made) else chosen.FLOW
        more = [] if arguments.on(flag.name) else [flag.name, made.unit.name]
    return [chosen.again(arguments, "submit", *more, target=first if len(choices) > 1 else None)]


_MOST_PATHS: Final = 2
_SUBMIT: Final = ("flow.sh", "submit.sh")
"""What a target that writes scripts calls the one that submits the flow, or the job."""


def _not_written(place: Destination, failure: Failure) -> Diagnostic:
    return OUTPUT_NOT_WRITTEN(place.span, path=failure.path, reason=failure.reason)


def _document(
    arguments: Arguments,
    place: Destination,
    made: Sequence[Output],
    diagnostics: Sequence[Diagnostic],
    removed: Sequence[str] = (),
) -> int:
    """Print the document of ``--format json``; returns the exit status. Only ``tfdsl check`` tries fixes."""
    status = status_of(diagnostics)
    done = status == OK and place.kind != "stream" and not arguments.on(DRY_RUN.name)
    messages = contents([replace(diagnostic, fixes=()) for diagnostic in diagnostics])
    files = list(_listed(place, made, source_map=arguments.on(SOURCE_MAP.name)))
    pruned: dict[str, Json] = {"removed": list(removed)} if removed else {}
    out(document(1, {"written": done, "files": files, **pruned, **messages}))
    return status


def _left_out(made: Sequence[Output]) -> list[Diagnostic]:
    """A note for each ``build`` block: a Dockerfile is written only into a folder."""
    found: dict[Span, Diagnostic] = {}
    for output in (job for each in made for job in ([each] if isinstance(each, Made) else each.jobs)):
        build = output.unit.job.build
        if build is not None:
            place = output.unit.origins.span(build.path)
            found.setdefault(place, DOCKERFILE_LEFT_OUT(place, job=output.unit.name))
    return list(found.values())


# --- for programs ---------------------------------------------------------------------------------------------


def _listed(place: Destination, made: Sequence[Output], *, source_map: bool) -> Iterator[Json]:
    if place.kind == "file":
        yield _listed_file(stream(os.path.basename(place.path), made), made, place.path, source_map=source_map)
        return
    where = folders(made, "" if place.kind == "stream" else place.path, by_target=place.folders)
    for one in made:
        for output in output_files(one):
            yield _listed_file(output, [one], file_name(where[target_of(one)], output), source_map=source_map)


def _listed_file(output: OutputFile, made: Sequence[Output], path: str, *, source_map: bool) -> Json:
    unit = made[0].unit
    data: dict[str, Json] = {
        "path": path,
        "jobs": [one.unit.name for one in made],
        "target": unit.target,
        "target_version": unit.shown_version,
        "format": output.form,
        "executable": output.executable,
        "private": output.private,
        "text": output.written.text,
        "documents": _documents(output),
    }
    return data | ({"map": json.loads(output.source_map()) if output.mapped else None} if source_map else {})


def _documents(output: OutputFile) -> list[Json]:
    """What a program would read in a file of YAML or JSON."""
    is_data = output.form in ("yaml", "json")
    return [cast("Json", plain(document.data)) for document in output.documents] if is_data else []
