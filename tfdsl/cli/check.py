"""``tfdsl check``: what is wrong with files, and what targets cannot do or do differently."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from tfdsl.cli import selection as chosen
from tfdsl.cli.arguments import Arguments, Command, Flag, Positional
from tfdsl.cli.inputs import named_files
from tfdsl.cli.report import USAGE, Progress, end_if, notes_line, refuse, report
from tfdsl.cli.streams import err
from tfdsl.cli.watching import WATCH, watched
from tfdsl.compiling import front_end
from tfdsl.compiling.front_end import Input, Project
from tfdsl.compiling.pipeline import Outcome
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import BAD_ARGUMENT, OUTPUT_NOT_WRITTEN
from tfdsl.diagnostics.diagnostic import at_first_sight, in_file_order
from tfdsl.diagnostics.render import DOCUMENTS, FORMATS, Format
from tfdsl.diagnostics.render.columns import visible
from tfdsl.grouping import grouped
from tfdsl.record import replace
from tfdsl.semantics.request import Choice, Request
from tfdsl.source_files import beginning, read
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.diagnostics.fixes import Check

ALL_TARGETS = Flag("--all-targets", "check for every target")
ALL_PROFILES = Flag("--all-profiles", "check without a profile and with each profile of the file")
FORMAT = Flag("--format", "the format of messages (default: text)", value="FORMAT", one_of=FORMATS)
FIX = Flag("--fix", "apply safe fixes to the files, then check")

COMMAND = Command(
    "check",
    (
        Positional(
            "FILE", "a .tfjob file, a folder of them, a job or a flow as JSON, or - for standard input", many=True
        ),
    ),
    (
        chosen.TARGET,
        ALL_TARGETS,
        *chosen.OF_JOBS,
        ALL_PROFILES,
        chosen.STRICT,
        chosen.NOTES,
        chosen.QUIET,
        chosen.ALLOW_READ,
        FORMAT,
        FIX,
        WATCH,
    ),
    (
        "tfdsl check mnist.tfjob",
        "tfdsl check mnist.tfjob -t tfjob -t volcano@1.9",
        "tfdsl check mnist.tfjob --all-profiles --format json",
        "tfdsl check .",
    ),
    "Messages go to standard error; json, sarif, junit, gitlab and github go to standard output.\n"
    "json, sarif, junit and gitlab have every note; the others have them with --notes, unless there is an error.\n"
    "Without -t: the targets that the project sets (tfdsl.toml), else the rules of the language alone.\n"
    "A comment # tfdsl: allow[slug or code] REASON on or above a line waives a warning on that line.",
)

_ROUNDS = 10  # a fix may make another one possible; more rounds would mean that two fixes undo each other


def run(arguments: Arguments) -> int:
    """Check the files; returns 1 if there is an error, 2 if a file cannot be read."""
    return watched(arguments, _once)


def _once(arguments: Arguments) -> int:
    form = cast("Format", arguments.text(FORMAT.name, "text"))
    picked = chosen.selection(arguments)
    refuse([*picked.errors, *_conflicts(arguments)], arguments, form, picked.hidden)
    if arguments.on(ALL_TARGETS.name):
        end_if(chosen.unusable(arguments), form)
    named = named_files(arguments.rest, folders=True)
    sources: Sequence[Source] = named.sources
    choices = chosen.every_target() if arguments.on(ALL_TARGETS.name) else picked.choices
    check = _Check(arguments, picked.request, choices, named.found)
    if arguments.on(FIX.name):
        sources, diagnostics = check.fix(sources)
    else:
        diagnostics = check.counted(sources)
    if form == "json":  # the only format that writes fixes
        from tfdsl.diagnostics.fixes import offered

        diagnostics = offered(diagnostics, diagnostics, check.trial(sources))
    diagnostics = [*named.unreadable, *named.empty, *diagnostics]
    quiet, notes = arguments.on(chosen.QUIET.name), arguments.on(chosen.NOTES.name)
    shown = diagnostics if form in DOCUMENTS else at_first_sight(diagnostics, notes=notes and not quiet)
    status = report(shown, [source.path for source in sources], form, picked.hidden)
    if form == "text" and not notes and not quiet:
        err(notes_line(diagnostics, f"the same command with {chosen.NOTES.name}"))
    return USAGE if named.unreadable else status


def _conflicts(arguments: Arguments) -> list[Diagnostic]:
    diagnostics: list[Diagnostic] = []
    for flag, other in ((ALL_TARGETS, chosen.TARGET), (ALL_PROFILES, chosen.PROFILE)):
        argument = arguments.value(flag.name)
        if argument is not None and arguments.value(other.name) is not None:
            diagnostics.append(BAD_ARGUMENT(argument.span, what=f"{flag.name} cannot be used with {other.name}"))
    stdin = next((argument for argument in arguments.rest if argument.text == "-"), None)
    if stdin is not None and arguments.on(FIX.name):
        diagnostics.append(BAD_ARGUMENT(stdin.span, what="--fix cannot change standard input"))
    return diagnostics


class _Alike(NamedTuple):
    """Files that are checked for the same targets, and what came of it."""

    inputs: list[Input]
    outcomes: list[Outcome]
    strict: bool


class _Checked(NamedTuple):
    """One file and what came of it; ``read``: the text that a fix had given each file that it reads."""

    text: str
    read: Mapping[str, str | None]
    given: Input
    outcomes: list[Outcome]


class _Check:
    """One check; ``texts`` holds what fixes have changed but is not written yet.

    ``found``: the paths of files that only their folder is named of. Without a job they are for others to include, and
    not checked for targets.
    """

    def __init__(
        self, arguments: Arguments, request: Request, choices: Sequence[Choice], found: Collection[str] = ()
    ) -> None:
        self.arguments = arguments
        self.request = request
        self.choices = choices
        self.found = found
        self.allowed = chosen.allowed_in(arguments)
        self.texts: dict[str, str] = {}
        self.projects: dict[str | None, Project] = {}
        self.checked: dict[str, _Checked] = {}

    def counted(self, sources: Sequence[Source]) -> list[Diagnostic]:
        """The same as :meth:`files`; many files are counted on standard error meanwhile."""
        quiet = self.arguments.text(FORMAT.name, "text") == "concise" or self.arguments.on(chosen.QUIET.name)
        progress = Progress("checking", len(sources), quiet=quiet)
        try:
            return self.files(progress.over(sources), [source.path for source in sources])
        finally:
            progress.end()

    def files(self, sources: Iterable[Source], paths: Sequence[str]) -> list[Diagnostic]:
        """Every diagnostic of ``sources``, which are those at ``paths``, in file order."""
        unsettled: list[Diagnostic] = []
        groups: dict[object, _Alike] = {}
        for source in sources:
            checked = self.file(source)
            project = self.project(checked.given)
            unsettled += project.problems
            alike = groups.setdefault(project.asked, _Alike([], [], project.settings.strict))
            alike.inputs.append(checked.given)
            alike.outcomes.extend(checked.outcomes)
        always = self.arguments.on(chosen.STRICT.name)
        settled = [
            each
            for alike in groups.values()
            for each in front_end.settled(alike.outcomes, alike.inputs, strict=alike.strict or always, paths=paths)
        ]
        return [*unsettled, *(settled if len(groups) <= 1 else in_file_order(settled, paths))]

    def file(self, source: Source) -> _Checked:
        """One file, checked again only if a fix has changed it or a file that it reads."""
        known = self.checked.get(source.path)
        if (
            known is not None
            and known.text == source.text
            and all(self.texts.get(path) == text for path, text in known.read.items())
        ):
            return known
        inputs = chosen.inputs(self.arguments, source, self.read)
        given = front_end.read(source, inputs)
        project = self.project(given)
        request = project.request(self.request)
        included = front_end.path_of(given) in self.found and not front_end.has_jobs(given)
        profiles = self.profiles(front_end.profiles_of(given))
        outcomes = [
            front_end.run(given, replace(request, profile=profile), () if included else project.choices)
            for profile in profiles
        ]
        read = {file.path: self.texts.get(file.path) for file in inputs.sources}
        if len(profiles) > 1:
            outcomes = list(_naming_profiles(outcomes, profiles))
        self.checked[source.path] = _Checked(source.text, read, given, outcomes)
        return self.checked[source.path]

    def project(self, given: Input) -> Project:
        """The project of a file, which it shares with the other files of its folder."""
        origin = front_end.source_of(given).origin
        folder = None if origin is None else os.path.dirname(os.path.abspath(origin))
        if folder not in self.projects:
            self.projects[folder] = front_end.project_of(origin, self.choices, self.allowed)
        return self.projects[folder]

    def profiles(self, known: Iterable[str]) -> list[str | None]:
        """The profiles to check with; ``None`` means no profile."""
        return [None, *known] if self.arguments.on(ALL_PROFILES.name) else [self.request.profile]

    def read(self, path: str, roots: Sequence[str]) -> Source | str:
        """A file, as the fixes left it."""
        return Source(path, self.texts[path], path) if path in self.texts else read(path, roots)

    def trial(self, sources: Sequence[Source]) -> Check:
        """A function that returns the diagnostics of those ``sources`` that depend on files that got other texts."""
        readers = grouped(
            (path, source) for source in sources for path in (source.path, *self.checked[source.path].read)
        )

        def check(texts: Mapping[str, str]) -> list[Diagnostic]:
            kept, self.texts = self.texts, {**self.texts, **texts}
            try:
                changed = self.current(
                    {source.path: source for path in texts for source in readers.get(path, ())}.values()
                )
                return self.files(changed, [source.path for source in changed])
            finally:
                self.texts = kept

        return check

    def current(self, sources: Iterable[Source]) -> list[Source]:
        """``sources`` as the fixes left them."""
        return [Source(old.path, self.texts.get(old.path, old.text), old.origin) for old in sources]

    def fix(self, sources: Sequence[Source]) -> tuple[list[Source], list[Diagnostic]]:
        """Apply safe fixes until none is left, and write the files; returns them and the remaining diagnostics."""
        from tfdsl.diagnostics.fixes import explained, fixed

        paths = [source.path for source in sources]
        diagnostics = self.counted(sources)
        for _ in range(_ROUNDS):
            changed = fixed(diagnostics, sources, self.trial(sources))
            if not changed:
                break
            self.texts |= changed
            sources = self.current(sources)
            diagnostics = self.files(sources, paths)
        return list(sources), [*self.write(), *explained(diagnostics, sources, self.trial(sources))]

    def write(self) -> list[Diagnostic]:
        """Write the changed texts to their files; returns what went wrong."""
        from tfdsl.writing import File, write_all

        files = {os.path.realpath(path): File(path, _mark_of(path) + text) for path, text in self.texts.items()}
        failure = write_all(list(files.values()))
        if failure is not None:
            place = self.arguments.flags[FIX.name][0].span
            return [OUTPUT_NOT_WRITTEN(place, path=failure.path, reason=failure.reason)]
        err("".join(f"fixed {visible(file.path)}\n" for file in files.values()))
        return []


def _naming_profiles(outcomes: Sequence[Outcome], profiles: Sequence[str | None]) -> Iterator[Outcome]:
    """``outcomes``, one for each of ``profiles``; a message that not all of them have names those that have it."""
    having = grouped(
        (_known_as(each), profile)
        for outcome, profile in zip(outcomes, profiles, strict=True)
        for each in {_known_as(diagnostic): diagnostic for diagnostic in outcome.diagnostics}.values()
    )
    for outcome in outcomes:
        yield replace(
            outcome,
            diagnostics=tuple(
                each if len(having[_known_as(each)]) == len(profiles) else _with_profiles(each, having[_known_as(each)])
                for each in outcome.diagnostics
            ),
        )


def _known_as(diagnostic: Diagnostic) -> tuple[str, str, str, int, int]:
    span = diagnostic.span
    return diagnostic.rule.code, diagnostic.message, span.source.path, span.start, span.end


def _with_profiles(diagnostic: Diagnostic, profiles: Sequence[str | None]) -> Diagnostic:
    from tfdsl.diagnostics.suggest import enumeration

    named = [profile for profile in dict.fromkeys(profiles) if profile is not None]
    words = f"profile{'s' if len(named) > 1 else ''} {enumeration(named)}" if named else ""
    without = "without a profile" if None in profiles else ""
    where = " and ".join(filter(None, (without, f"with {words}" if words else "")))
    return replace(diagnostic, message=f"{diagnostic.message} ({where})")


def _mark_of(path: str) -> str:
    """The byte order mark of a file, which reading has dropped."""
    return "\ufeff" if beginning(path, 3) == b"\xef\xbb\xbf" else ""
