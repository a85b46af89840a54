"""The state of the engine: one input, what is known about it, and the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.compiling import front_end, pipeline
from tfdsl.lsp.features.layout import semantic_tokens
from tfdsl.record import replace
from tfdsl_playground import results
from tfdsl_playground.asked import Input
from tfdsl_playground.contents import contents
from tfdsl_playground.project import Project, name_of
from tfdsl_playground.texts import Text

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from tfdsl.compiling.pipeline import Outcome
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.lsp.features.previews import Compiled, Preview

    Answer = dict[str, object]

LARGEST: Final = 2_000_000
"""``LIMITS.input`` of the protocol."""
_NOTHING: Final = Input(0, {}, "main.tfjob", "")


class Session:
    """One page. :meth:`update` first, then :meth:`work` until nothing is left, :meth:`checked` and :meth:`compiled`."""

    def __init__(self) -> None:
        self.project = Project()
        self.input = _NOTHING
        self._texts: dict[str, Text] = {}
        self._work: Generator[None, None, Outcome] | None = None
        self._outcome: Outcome | None = None

    def update(self, asked: Input) -> str | None:
        """Take over an input; a line for people if it cannot be."""
        if asked.size > LARGEST:
            return f"The files are too large: together they may have {LARGEST:,} characters"
        if asked.main not in asked.files:
            return f"There is no file {asked.main}"
        self.project.change(asked.files)
        self.input = asked
        self._texts.clear()
        self._work = self._outcome = None
        return None

    def text(self, name: str) -> Text | None:
        """The file called ``name`` as the main text of a program; ``None`` if it is not in the language."""
        source = self.project.source(name)
        if source is None or not source.path.endswith(".tfjob"):
            return None
        known = self._texts.get(name)
        if known is None:
            known = self._texts[name] = Text(source, self.project, self.input)
        return known

    @property
    def main(self) -> Text:
        """The main text."""
        text = self.text(self.input.main)
        if text is None:  # whatever it is called, it is what the page wants to have compiled
            source = self.project.source(self.input.main)
            assert source is not None
            text = self._texts[self.input.main] = Text(source, self.project, self.input)
        return text

    # --- the text alone ---

    def work(self) -> bool:
        """Do a piece of checking the text without its target; whether something is left to do."""
        if self._outcome is None:
            main = self.main
            sample = replace(main.request, extent="sample")
            work = self._work or pipeline.run_in_steps(main.program, sample, ())
            self._work = None  # an error in it must not make half a check a whole one
            try:
                next(work)
                self._work = work
            except StopIteration as end:
                self._outcome = end.value
        return self._outcome is None

    def checked(self, *, diagnostics: bool) -> Answer:
        """``Checked`` of the protocol; without ``diagnostics`` nothing needs to have been checked."""
        return {
            "kind": "checked",
            "revision": self.input.revision,
            "diagnostics": results.diagnostics(self._diagnostics(), self.project) if diagnostics else None,
            "tokens": {
                name_of(source.path): results.tokens(semantic_tokens(text), self.project)
                for source in self.project.programs()
                if (text := self.text(name_of(source.path))) is not None
            },
            "contents": contents(self.main, self.project),
        }

    def _diagnostics(self) -> list[Diagnostic]:
        while self.work():
            pass
        assert self._outcome is not None
        main = self.main
        settled = front_end.settled([self._outcome], [main.program], strict=main.strict, paths=[main.source.path])
        return [*settled, *main.project.problems]

    # --- with its target ---

    @property
    def preview(self) -> Preview:
        """What the page shows beside the text."""
        from tfdsl.lsp.features.previews import Preview

        return Preview(self.input.target, self._job())

    def _job(self) -> str | None:
        """The job that is asked for, if there is one of this name."""
        from tfdsl.lsp.features.previews import Preview, outcome_for

        job = self.input.job
        if job is None or isinstance(outcome_for(self.main, Preview(self.input.target, job)), str):
            return None
        return job

    def compiled(self) -> Answer | str:
        """``Compiled`` of the protocol, but for the time, or a line for people why there is none."""
        from tfdsl.lsp.features.previews import compile_text

        found = compile_text(self.main, self.preview)
        if isinstance(found, str):
            return f"{found[:1].upper()}{found[1:]}"
        problems = [*found.problems, *self.main.project.problems]
        outputs, cut = self._outputs(found, problems)
        return {
            "kind": "compiled",
            "revision": self.input.revision,
            "target": found.target,
            "version": found.version,
            "diagnostics": results.diagnostics(problems, self.project),
            "diagnosticCount": len(problems),
            "outputs": outputs,
            "cut": cut,
        }

    def _outputs(
        self, found: Compiled, problems: Sequence[Diagnostic]
    ) -> tuple[list[dict[str, object]] | None, str | None]:
        if pipeline.has_errors(problems):
            return None, None
        return results.outputs(found.outputs)
