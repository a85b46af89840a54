"""Paths that a text names: whatever it writes, nothing outside of its folder is read, shown or published."""

from __future__ import annotations

import os
import socket
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fuzz.case import Case, expect, kept
from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.diagnostics.render import FORMATS, render
from tfdsl.lsp.features.completion import complete
from tfdsl.lsp.features.hover import hover
from tfdsl.lsp.features.inlay_hints import inlay_hints
from tfdsl.lsp.features.navigation import definition, links, search
from tfdsl.lsp.features.problems import code_actions
from tfdsl.lsp.names import declared
from tfdsl.lsp.workspace import Workspace
from tfdsl.semantics.request import Choice, Request
from tfdsl.source_files import Inputs
from tfdsl.text import Source

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator

CANARY = "c4naryOfTheFolderAbove"
"""Stands in the files outside, and nowhere else."""
INSIDE = "w3lcomeText"

PARTS = (
    *("..", "..", "..", ".", "", "link", "up", "up", "in", "deep", "deep/er", "here", "chain", "loop", "dangling"),
    *("canary.txt", "canary.tfjob", "CANARY.TXT", "Link", "UP", "project", "project2", "inside.txt", "inside.tfjob"),
    *("proc", "self", "environ", "cwd", "root", "fd", "0", "dev", "stdin", "zero", "etc", "passwd", "kmsg", "tty"),
    *("pipe", "socket", "zero", "environ", "a" * 255, "a" * 256, "b/" * 150, "~", "$HOME", "%2e%2e", "..%2f", "*"),
    *("\0", "x\0", "\ud800", "\udc2e\udc2e", "\u202e", "\uff0e\uff0e", "\u2025", "\n", "\r", " ..", ".. ", "...", "c:"),
    *("@canary.txt", "file:", "-", "é", "e\u0301", "\ufeff", "\x1b[31m", "tfdsl.toml", ".git"),
)
JOINS = ("/", "/", "/", "/", "//", "/./", "\\", "/\\")
HOME = ("", "", "", "", "/", "//", "./", "../", "~/", "file://", "\\\\", "{folder}/", "{folder}/../", "{above}/")
USES = (
    'include "{path}"\n{job}',
    'let stolen = file("{path}")\n{job}',
    'include "{path}"\nlet stolen = file("{path}")\n{job}',
    'let at = "{path}"\nlet stolen = file(at)\n{job}',
    'param at: string = "{path}"\nlet stolen = file("${{at}}")\n{job}',
    'let stolen = "x ${{file("{path}")}}"\n{job}',
    'include "inside.tfjob"\ninclude "deep/er/{path}"\n{job}',
    'include "deep/up.tfjob"\nlet stolen = file("deep/{path}")\n{job}',
    'let stolen = file(replace("X{path}", "X", ""))\n{job}',
    'template t {{ env = {{ A = file("{path}") }} }}\n{job}',
    'let stolen = "a"\n{job}profile p {{ x = file("{path}") }}\n',
)
JOBS = (
    'job a {{ image = "x:1", command = [stolen], role worker {{ }} }}\n',
    'job a {{ image = "x:1", command = stolen, env = {{ A = stolen }}, role worker {{ }} }}\n',
    "job a {{ image = stolen, annotations = {{ a = stolen }}, role worker {{ }} }}\n",
    'job a {{ image = "x:1", build {{ run = [stolen], copy = {{ "{path}" = "/x" }} }}, role worker {{ }} }}\n',
    'job a {{ image = "x:1", labels = {{ a = stolen }}, queue = stolen, role worker {{ cpu = stolen }} }}\n',
    'job a {{ image = "x:1", env_file = "{path}", role worker {{ env = {{ B = file("{path}") }} }} }}\n',
    'job a {{ image = "x:1", role worker {{ }}, target yarn {{ archives = ["{path}"], env_file = "{path}" }} }}\n',
)
WAYS = (
    *("../canary.txt", "../canary.tfjob", "link", "chain", "linked.tfjob", "up/canary.txt", "deep/up/canary.tfjob"),
    *(
        "in/link",
        "here/../../canary.txt",
        "deep/er/../../../canary.tfjob",
        "root{above}/canary.txt",
        "in/up/canary.txt",
    ),
    *("../project2/canary.txt", "up/project2/canary.tfjob", "../project/../canary.txt", "in/er/../../up/canary.tfjob"),
)
"""Paths that lead to a canary."""
DETOURS = ("", "", "./", "here/", "deep/../", "in/../", ".//", "here/./here/", "../project/", "up/project/")
FEW = 0.06
"""Share of the inputs that go through the language server too, and of those through all formats and a target."""


@cache
def sandbox() -> Path:
    """A project with links and odd files, beside which files lie that are none of its business."""
    above = Path(_kept_folder().name).resolve()
    project = above / "project"
    (project / "deep/er").mkdir(parents=True)
    (above / "project2").mkdir()
    for folder in (above, above / "project2"):
        (folder / "canary.txt").write_text(f"{CANARY}\n")
        (folder / "canary.tfjob").write_text(f'let stolen = "{CANARY}"\ntemplate {CANARY} {{ gpu = "{CANARY}" }}\n')
    (project / "tfdsl.toml").write_text("")
    (project / "inside.txt").write_text(INSIDE)
    (project / "inside.tfjob").write_text(f'let welcome = "{INSIDE}"\n')
    (project / "deep/up.tfjob").write_text('include "../inside.tfjob"\nlet stolen2 = file("../../canary.txt")\n')
    ways = {
        "link": "../canary.txt",
        "up": "..",
        "in": "deep",
        "here": ".",
        "loop": "loop",
        "chain": "link",
        "dangling": "nothing",
        "zero": "/dev/zero",
        "environ": "/proc/self/environ",
        "root": "/",
        "Link": "up/up",
        "deep/up": "../up",
        "deep/link": "../chain",
        "cwd": "/proc/self/cwd",
        "kmsg": "/proc/kmsg",
        "linked.tfjob": "../canary.tfjob",
        "deep/stdin": "/dev/stdin",
        "deep/er/fd": "/proc/self/fd",
    }
    for name, where in ways.items():
        (project / name).symlink_to(where)
    os.mkfifo(project / "pipe")
    os.mkfifo(project / "pipe.tfjob")
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(project / "socket"))
    return project


@cache
def _kept_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="tfdsl-fuzz-")


def a_path(chance: random.Random) -> str:
    """A path as somebody writes it who wants to get out, or who does not know better."""
    if chance.random() < 0.4:
        detour = chance.choice(DETOURS) + chance.choice(DETOURS)
        return detour + chance.choice(WAYS).format(above=sandbox().parent)
    parts = [chance.choice(PARTS) for _ in range(chance.choice((1, 1, 2, 2, 3, 4, 7)))]
    text = chance.choice(HOME).format(folder=sandbox(), above=sandbox().parent) + parts[0]
    for part in parts[1:]:
        text += chance.choice(JOINS) + part
    return text


def written(path: str, chance: random.Random) -> str:
    """``path`` inside of a string of the language; some characters as escapes, as one does to hide them."""
    plain = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "$": "$$"}
    hidden = chance.random() < 0.2
    return "".join(
        f"\\u{{{ord(char):X}}}" if char < " " or "\ud800" <= char < "\ue000" or (hidden and chance.random() < 0.3)
        else plain.get(char, char)
        for char in path
    )  # fmt: skip


def make(chance: random.Random) -> Case:
    """A text that names a path."""
    path = written(a_path(chance), chance)
    job = chance.choice(JOBS).format(path=path)
    text = chance.choice(USES).format(path=path, job=job)
    seed, few = chance.random(), chance.random() < FEW
    return Case(lambda: prove(text, seed, few=few), {".tfjob": kept(text)})


def prove(text: str, at: float, *, few: bool) -> None:
    """Nothing from outside is opened, nor stands in anything that comes out."""
    main = str(sandbox() / "main.tfjob")
    source = Source(main, text, main)
    inputs = Inputs(source)
    program = pipeline.load(source, inputs)
    known = targets.built_in()
    target = known[int(at * len(known))]
    outcome = pipeline.run(program, Request(), [Choice(target)] if few else [])
    told = pipeline.settle([outcome], [program], strict=False, paths=[main])
    for file in program.files:
        real = os.path.realpath(file.source.path)
        expect(real.startswith(f"{sandbox()}{os.sep}"), f"{real} was read")
    for form in FORMATS if few else ("text",):
        _clean(render(form, told, [main]), form)
    for made in outcome.made:
        for document in made.documents:
            _clean(pipeline.written(document).text, f"the output for {target.name}")
    for found in told:
        for place in (found.span, *(label.span for label in found.labels)):
            _clean(place.source.text, "a source that a message shows")
    if few:
        for what in _published(text, main, at):
            _clean(what, "an answer of the language server")


def _clean(text: str, where: str) -> None:
    expect(CANARY not in text, f"the canary is in {where}")


def _published(text: str, main: str, at: float) -> Iterator[str]:
    """What the language server answers about the text, with the file outside open in the editor as well."""
    workspace = Workspace()
    workspace.folders = [str(sandbox())]
    uri = Path(main).as_uri()
    workspace.documents.open((sandbox().parent / "canary.tfjob").as_uri(), f'let stolen = "{CANARY}"\n', 1)
    workspace.documents.open(uri, text, 1)
    snapshot = workspace.snapshot(uri)
    assert snapshot is not None
    yield repr(snapshot.diagnostics)
    for place in (text.find('"') + 1, text.find("stolen") + 1, int(at * len(text))):
        found = hover(snapshot, place)
        yield found.text if found is not None else ""
        yield repr(complete(snapshot, place).items)
        yield "".join(span.source.text for span in definition(snapshot, place))
    yield repr(inlay_hints(snapshot, 0, len(text))) + repr(links(snapshot))
    yield repr(code_actions(snapshot, 0, len(text)))
    inner = [program for program in workspace.programs() if program.files[0].source.path.startswith(str(sandbox()))]
    yield repr(search([declared(program.files[0]) for program in inner], ""))
