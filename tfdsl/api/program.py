"""A text that has been read: what is wrong with it, and its jobs as each target is to run them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from tfdsl.api.asking import target_of
from tfdsl.api.diagnostics import Diagnostic, public
from tfdsl.api.failing import compile_error
from tfdsl.api.loaded import Call, Loaded, jobs_of, load_text, outcome
from tfdsl.api.values import Value
from tfdsl.compiling import pipeline

if TYPE_CHECKING:
    import os

    from tfdsl.ir.model import Job


class Program:
    """A text with its includes, its params and its profile; :func:`load` reads it.

    Reading never raises for what the text says: ask :attr:`ok`, or look at :attr:`diagnostics`.
    """

    __module__ = "tfdsl"

    def __init__(self, loaded: Loaded) -> None:
        self.loaded = loaded

    def __repr__(self) -> str:
        return f"<tfdsl.Program {self.path}>"

    @property
    def path(self) -> str:
        """The file as it was named; ``<text>`` for a text."""
        return self.loaded.path

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the rules of the language and of lint say, in file order; a target may have more to say."""
        return public(outcome(self.loaded, Call()).diagnostics)

    @property
    def ok(self) -> bool:
        """Whether there is no error among the diagnostics."""
        return all(one.level != "error" for one in self.diagnostics)

    def jobs(self, target: str, *, options: Mapping[str, Value] | None = None) -> tuple[Job, ...]:
        """The jobs as ``target`` is to run them: layers merged, names resolved, defaults written out.

        Whether the target can do what they ask for is not looked at; :func:`compile` does that.

        Raises:
            CompileError: The text has errors.
            UsageError: There is no such target or version.
        """
        call = Call(target_of(target), options or {})
        jobs, diagnostics = jobs_of(self.loaded, call)
        if pipeline.has_errors(diagnostics):
            raise compile_error(f"cannot read the jobs of {self.path}", diagnostics)
        return jobs


def load(
    path: str | os.PathLike[str] | None = None,
    *,
    text: str | None = None,
    base: str | os.PathLike[str] | None = None,
    profile: str | None = None,
    params: Mapping[str, Value] | None = None,
    params_file: str | os.PathLike[str] | None = None,
) -> Program:
    """Read a ``.tfjob`` file, or a text.

    Args:
        path: The file. Its includes are read below its project, as on the command line.
        text: A text instead of a file.
        base: The folder from which the includes of ``text`` are found; without it, it can have none.
        profile: Take the params of this profile.
        params: Values for params, over the profile. A ``str`` for a quantity or a duration is read as one.
        params_file: A file of ``NAME = VALUE`` lines, over the profile and below ``params``.

    Raises:
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
        UsageError: It is not a text file.
    """
    return Program(load_text(path, text, base, profile, params, params_file))
