"""A job as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tfdsl.api.asking import target_of
from tfdsl.api.compiling import Source, loaded_of
from tfdsl.api.failing import compile_error
from tfdsl.api.loaded import Call, asked_of
from tfdsl.api.values import Value
from tfdsl.compiling.masking import Hidden, hide
from tfdsl.drawing import graphs

if TYPE_CHECKING:
    import os


class Graph:
    """The picture of one job; :func:`graph` draws it. In a notebook it is shown."""

    __module__ = "tfdsl"

    def __init__(self, made: graphs.Graph, hidden: Hidden) -> None:
        shown = made.picture
        self._picture = graphs.with_texts(shown, lambda text: hide(text, hidden)) if hidden.values else shown
        self._origins = made.origins

    def __repr__(self) -> str:
        return f"<tfdsl.Graph {self._picture.title}>"

    @property
    def job(self) -> str:
        """The name of the job."""
        return self._picture.name

    @property
    def like(self) -> tuple[str, ...]:
        """The names of other jobs that differ from this one in nothing but their names, as those of a matrix do."""
        return self._picture.like

    @property
    def target(self) -> str | None:
        """The target with its version; ``None`` for the job as it is written."""
        return self._picture.target or None

    def svg(self) -> str:
        """An SVG document without scripts, for light and dark pages."""
        return graphs.drawn([self._picture], "svg")

    def mermaid(self) -> str:
        """A flowchart for Mermaid."""
        return graphs.drawn([self._picture], "mermaid")

    def dot(self) -> str:
        """A graph for graphviz."""
        return graphs.drawn([self._picture], "dot")

    def data(self) -> graphs.GraphData:
        """The boxes and the links, each with the file and the line of its statement."""
        return graphs.as_data(self._picture, self._origins)

    def _repr_svg_(self) -> str:
        """For notebooks."""
        return self.svg()


def graph(
    source: Source | None = None,
    target: str | None = None,
    *,
    text: str | None = None,
    base: str | os.PathLike[str] | None = None,
    profile: str | None = None,
    params: Mapping[str, Value] | None = None,
    params_file: str | os.PathLike[str] | None = None,
    options: Mapping[str, Value] | None = None,
    job: str | None = None,
    name: str | None = None,
) -> tuple[Graph, ...]:
    """Draw the jobs of a file, a text or a program, or a job made in Python; ``tfdsl graph`` draws the same.

    The arguments are those of :func:`compile`. Without a target the jobs are drawn as they are written, with one also
    what there is on the cluster for them.

    Raises:
        CompileError: The job has errors, or the target refuses something.
        UsageError: There is no such target or version.
        FileNotFoundError: There is no such file; another ``OSError`` when it may not be read.
    """
    choice = None if target is None else target_of(target)
    if choice is None and options:
        raise TypeError("options= belongs to a target")
    loaded = loaded_of(source, text, base, profile, params, params_file)
    asked = asked_of(loaded, Call(choice, options or {}, job, name))
    found = graphs.graphs(asked.given, asked.request, asked.choices)
    if graphs.has_errors(found):
        raise compile_error(f"cannot draw {loaded.path}", asked.shown(found.diagnostics))
    return tuple(Graph(one, asked.hidden) for one in found.graphs)
