"""``tfdsl import``: the job that a manifest describes."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from tfdsl.backend import Backend
from tfdsl.cli.arguments import Arguments, Command, Flag, Positional
from tfdsl.cli.inputs import named_manifests
from tfdsl.cli.report import ERRORS, end, is_for_programs, refuse, report
from tfdsl.cli.streams import err, out
from tfdsl.compiling import front_end
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT, OUTPUT_NOT_WRITTEN
from tfdsl.diagnostics.render import FORMATS, Format
from tfdsl.diagnostics.render.columns import visible
from tfdsl.diagnostics.suggest import closest, enumeration
from tfdsl.text import Argument, Source
from tfdsl.vocabulary.attributes import ROLE_NAMES

if TYPE_CHECKING:
    from tfdsl.importing.manifests import Imported, Job

OUTPUT = Flag("--output", "a folder, a file (FILE.tfjob), or - for standard output", short="-o", value="PATH")
FROM = Flag("--from", "read only what this target writes", value="TARGET")
ROLE = Flag("--role", "the role of what the manifest calls otherwise (trainer=worker)", value="NAME=ROLE", many=True)
CHECK = Flag("--check", "write nothing; prove that compiling the result gives the manifest again")
SPLIT = Flag("--split", "write one file for each job into the folder of -o")
FORMAT = Flag("--format", "the format of messages (default: text)", value="FORMAT", one_of=FORMATS)

COMMAND = Command(
    "import",
    (Positional("FILE", "YAML, JSON, XML or a command line, a folder of them, or - for standard input", many=True),),
    (OUTPUT, FROM, ROLE, CHECK, SPLIT, FORMAT),
    (
        "tfdsl import mnist.yaml",
        "tfdsl import mnist.yaml -o imported.tfjob",
        "tfdsl import mnist.yaml --check",
    ),
    "docs/migrate.md says what is read, and what becomes of each field. What the language has no word for becomes\n"
    "a patch. Messages are about the manifest and go to standard error; a file that exists is not changed.",
)


def run(arguments: Arguments) -> int:
    """Import the files; returns 1 if there is an error or, with ``--check``, a job without a proof."""
    from tfdsl.importing.manifests import import_manifests

    form = cast("Format", arguments.text(FORMAT.name, "text"))
    roles, errors = _roles(arguments.values(ROLE.name))
    target: Backend | None = None
    chosen = arguments.value(FROM.name)
    if chosen is not None:
        backend = front_end.target_of(chosen.text, chosen.span)
        target = backend if isinstance(backend, Backend) else None
        errors += [] if isinstance(backend, Backend) else [backend]
    errors += _conflicts(arguments)
    refuse(errors, arguments, form)
    named = named_manifests(arguments.rest)
    if named.unreadable:
        end(named.unreadable, form)
    checking = arguments.on(CHECK.name)
    apart = checking or arguments.on(SPLIT.name)  # what is not written need not fit into one file
    results = import_manifests(named.sources, roles, target, apart=apart)
    diagnostics = [*named.empty, *(diagnostic for result in results for diagnostic in result.diagnostics)]
    problem = None if checking else _write(arguments, results, named.sources)
    shown = diagnostics if problem is None else [*diagnostics, problem]
    status = report(shown, [source.path for source in named.sources], form)
    jobs = [job for result in results for job in result.jobs]
    if form == "text":
        err(_closing(jobs))
    return status or (ERRORS if checking and any(not job.kept for job in jobs) else status)


def _roles(given: Sequence[Argument]) -> tuple[Mapping[str, str], list[Diagnostic]]:
    roles: dict[str, str] = {}
    errors: list[Diagnostic] = []
    for argument in given:
        name, equals, role = argument.text.partition("=")
        if not equals or not name:
            errors.append(BAD_ARGUMENT(argument.span, what="--role takes NAME=ROLE, for example trainer=worker"))
        elif role not in ROLE_NAMES:
            error = BAD_ARGUMENT(argument.span, what=f"there is no role {role}: roles are {enumeration(ROLE_NAMES)}")
            near = closest(role, ROLE_NAMES)
            errors.append(error.help(f"did you mean {near}?") if near else error)
        roles[name] = role
    return roles, errors


def _conflicts(arguments: Arguments) -> list[Diagnostic]:
    output, split, check = (arguments.value(flag.name) for flag in (OUTPUT, SPLIT, CHECK))
    errors: list[Diagnostic] = []
    if check is not None and output is not None:
        errors.append(BAD_ARGUMENT(output.span, what="--check writes nothing and cannot be used with -o"))
    if split is not None and (output is None or output.text == "-" or output.text.endswith(".tfjob")):
        errors.append(BAD_ARGUMENT(split.span, what="--split needs a folder: -o FOLDER"))
    form = arguments.value(FORMAT.name)
    if form is not None and is_for_programs(form.text) and check is None and (output is None or output.text == "-"):
        shared = BAD_ARGUMENT(form.span, what=f"--format {form.text} and the job would share standard output")
        errors.append(shared.help("write the job with -o FILE.tfjob, or prove it with --check"))
    return errors


def _write(arguments: Arguments, results: Sequence[Imported], sources: Sequence[Source]) -> Diagnostic | None:
    """Write the texts; returns why they are not."""
    texts = [result for result in results if result.text]
    output = arguments.value(OUTPUT.name)
    if output is None or output.text == "-":
        for result in texts:
            out(result.text)
        return None
    from tfdsl.writing import Failure, File, write_all

    files = [File(path, result.text) for path, result in zip(_paths(output.text, texts), texts, strict=True)]
    there = next((file.path for file in files if os.path.lexists(file.path)), None)
    inputs = [source.origin for source in sources if source.origin is not None]
    failure = Failure(there, "the file exists already") if there is not None else write_all(files, inputs)
    if failure is not None:
        return OUTPUT_NOT_WRITTEN(output.span, path=failure.path, reason=failure.reason)
    for file in files:
        err(f"wrote {visible(file.path)}\n")
    return None


def _paths(output: str, results: Sequence[Imported]) -> list[str]:
    """A file for each result: the one that is named, or in the folder one with the name of its first job."""
    from tfdsl.importing.manifests import free_name

    if output.endswith(".tfjob"):
        return [output] * len(results)
    names: list[str] = []
    own = {result.jobs[0].name for result in results}
    for result in results:
        name = result.jobs[0].name
        names.append(name if name not in names else free_name(name, {*own, *names}))
    return [os.path.join(output, f"{name}.tfjob") for name in names]


def _closing(jobs: Sequence[Job]) -> str:
    """One line about each job, for people."""
    lines: list[str] = []
    for job in jobs:
        patches = "no patch" if not job.patches else f"{job.patches} patch{'es' if job.patches > 1 else ''}"
        law = {True: "compiles to the same", False: "does not compile to the same", None: "without a proof"}[job.kept]
        law += ", its name aside" if job.renamed and job.kept is not None else ""
        lines.append(f"{visible(job.name)}: {job.what}, {patches}, {law}\n")
    return "".join(lines)
