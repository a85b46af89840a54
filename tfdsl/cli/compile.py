"""``tfdsl compile``: write the manifests of the jobs of a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import Arguments, Command, Flag, Positional
from tfdsl.cli.closing import closing_line
from tfdsl.cli.inputs import named_files
from tfdsl.cli.outputs import Compilation, Destination, destination, file, placed
from tfdsl.cli.report import OK, USAGE, report, status_of, wrong_use
from tfdsl.cli.streams import err, out
from tfdsl.compiling import pipeline
from tfdsl.compiling.front_end import Project, compiled, project_of, read
from tfdsl.compiling.masking import masked
from tfdsl.compiling.output_files import stream
from tfdsl.compiling.pipeline import Made, Request
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import DOCKERFILE_LEFT_OUT, MISSING_ARGUMENT, OUTPUT_NOT_WRITTEN
from tfdsl.diagnostics.diagnostic import in_file_order
from tfdsl.diagnostics.render import Format
from tfdsl.record import replace
from tfdsl.source_files import origin_of
from tfdsl.text import Source, Span
from tfdsl.writing import Failure

OUTPUT = Flag("--output", "a folder, a file (FILE.yaml), or - for standard output", short="-o", value="PATH")
SOURCE_MAP = Flag("--source-map", "write FILE.map beside each file: the source line of every line")
FORMAT = Flag(
    "--format",
    "json: one document with all files and messages (default: text)",
    value="FORMAT",
    one_of=("text", "json"),
)

COMMAND = Command(
    "compile",
    "write the manifests of a job for one or more targets",
    (Positional("FILE", "a .tfjob file, a job as JSON, or - for standard input"),),
    (
        chosen.TARGET,
        OUTPUT,
        chosen.JOB,
        chosen.NAME,
        chosen.PROFILE,
        chosen.PARAMS,
        chosen.SET,
        chosen.OPTION,
        chosen.STRICT,
        chosen.ALLOW_READ,
        SOURCE_MAP,
        FORMAT,
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
    "The last line counts the notes about what was decided or added; tfdsl check shows them.\n"
    "With --format json, standard output gets one document with all files and messages; with -o the files are\n"
    "written as well.",
)


def run(arguments: Arguments) -> int:
    """Compile the file; if there is an error, nothing is written."""
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
    if not isinstance(place, Destination):
        errors += [place] if project.choices else []
    if errors or not isinstance(place, Destination):
        return wrong_use(errors, form, "tfdsl compile --help", picked.hidden)
    named = named_files(arguments.rest)
    if named.unreadable:
        report(named.unreadable, (), form)
        return USAGE
    return _compile(arguments, picked, project, place, named.sources[0])


def _compile(
    arguments: Arguments, picked: chosen.Selection, project: Project, place: Destination, source: Source
) -> int:
    """Compile ``source``, write what it makes and report; returns the exit status."""
    inputs = chosen.inputs(arguments, source)
    given = read(source, inputs)
    request = project.request(picked.request)
    strict = project.settings.strict or arguments.on(chosen.STRICT.name)
    outcome = compiled(given, request, project.choices, strict=strict)
    diagnostics = [*project.problems, *outcome.diagnostics]
    made = () if pipeline.has_errors(diagnostics) else outcome.made
    written: list[Diagnostic] = []
    if made:
        taken = (source, *inputs.sources, project.settings.source, *_sources(request))
        origins = [one.origin for one in taken if one is not None and one.origin is not None]
        if place.kind == "folder":
            written = _write_folder(Compilation(arguments, source, given, request, place), made, origins)
        else:
            written = _write(arguments, place, made, origins)
    if arguments.text(FORMAT.name) == "json":
        diagnostics = in_file_order([*diagnostics, *written], [source.path])
        return _document(arguments, place, made, masked(diagnostics, picked.hidden))
    shown = [*(one for one in diagnostics if one.level != "info"), *written]
    status = report(shown, [source.path], hidden=picked.hidden)
    err(closing_line(diagnostics, arguments, picked.hidden))
    return status


def _wrong_targets(arguments: Arguments, project: Project) -> list[Diagnostic]:
    """That there is no target, or an option of another one."""
    if project.choices:
        return chosen.options_of_others(arguments, project.choices)
    missing = MISSING_ARGUMENT(arguments.line, what="compile needs a target: -t TARGET")
    return [missing.help("or set targets for the project, in tfdsl.toml")]


def _sources(request: Request) -> Iterator[Source]:
    """The files of the command line that values come from."""
    yield from request.values
    yield from (one.source for one in request.params)
    yield from (one.source for one in request.options)


def _write(arguments: Arguments, place: Destination, made: Sequence[Made], sources: Sequence[str]) -> list[Diagnostic]:
    """Write one stream, but not over one of ``sources``; returns the diagnostics about writing it."""
    if place.kind == "stream":
        if arguments.text(FORMAT.name) != "json":
            out(stream("-", made).written.text)
            return _left_out(made)
        return []
    from tfdsl.writing import write_all

    failure = write_all(file(place, made, source_map=arguments.on(SOURCE_MAP.name)), sources)
    return _left_out(made) if failure is None else [_not_written(place, failure)]


def _write_folder(compilation: Compilation, made: Sequence[Made], sources: Sequence[str]) -> list[Diagnostic]:
    """Write the files of all jobs, but not over one of ``sources``; returns the diagnostics about the folder."""
    from tfdsl.cli.beside_output import beside_output
    from tfdsl.writing import write_all

    place = compilation.place
    jobs = placed(place, made, source_map=compilation.arguments.on(SOURCE_MAP.name))
    failure = write_all([each for one in jobs for each in one.files], sources)
    return beside_output(compilation, jobs) if failure is None else [_not_written(place, failure)]


def _not_written(place: Destination, failure: Failure) -> Diagnostic:
    return OUTPUT_NOT_WRITTEN(place.span, path=failure.path, reason=failure.reason)


def _document(arguments: Arguments, place: Destination, made: Sequence[Made], diagnostics: Sequence[Diagnostic]) -> int:
    """Print the document of ``--format json``; returns the exit status. Only ``tfdsl check`` tries fixes."""
    from tfdsl.cli.compile_json import compilation

    status = status_of(diagnostics)
    done = status == OK and place.kind != "stream"
    without_fixes = [replace(one, fixes=()) for one in diagnostics]
    out(compilation(place, made, without_fixes, written=done, source_map=arguments.on(SOURCE_MAP.name)))
    return status


def _left_out(made: Sequence[Made]) -> list[Diagnostic]:
    """A note for each ``build`` block: a Dockerfile is written only into a folder."""
    found: dict[Span, Diagnostic] = {}
    for one in made:
        build = one.unit.job.build
        if build is not None:
            place = one.unit.origins.span(build.path)
            found.setdefault(place, DOCKERFILE_LEFT_OUT(place, job=one.unit.job.name))
    return list(found.values())
