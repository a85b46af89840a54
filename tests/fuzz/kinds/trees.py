"""Folders of a stranger: whatever lies in one, no byte of a file outside of it, or of its ``.git``, comes out."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.fuzz.case import Case, expect, kept
from tests.fuzz.command import run
from tfdsl.comparing import repository
from tfdsl.lsp.features.completion import complete
from tfdsl.lsp.features.navigation import links, search
from tfdsl.lsp.names import declared
from tfdsl.lsp.workspace import Workspace

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Sequence

CANARY = "c4naryOfSomebodyElse"
"""Stands outside of the folder and in its ``.git``, and nowhere else."""
JOB = 'job a { image = "x:1", command = ["c"], role worker { } }\n'
OWN = JOB.replace("x:1", "x:2")
SECRETS = {
    "secret.tfjob": f'let stolen = "{CANARY}"\n{JOB.replace("x:1", CANARY)}',
    "secret.toml": f'targets = ["{CANARY}"]\n[tool.tfdsl]\n{CANARY} = 1\n',
    "secret.txt": f"{CANARY}\nmachine x password {CANARY}\n",
    "secret.env": f"KEY={CANARY}\n{CANARY}\n",
    "secret.yaml": f"namePrefix: {CANARY}-\nresources: [{CANARY}]\nkind: TFJob\n",
    "secret.json": json.dumps({"name": "a", "roles": [{"name": "worker", "image": CANARY}], CANARY: 1}),
    "secret.map": json.dumps({"version": 1, "file": "x", "sources": [CANARY], "lines": [[1, 0, 1, 1]], CANARY: 1}),
}
CONFIG = f"[http]\n\textraheader = AUTHORIZATION: basic {CANARY}\n"
NAMES = (
    *("tfdsl.toml", "tfdsl.toml", "pyproject.toml", "kustomization.yaml", "out/kustomization.yaml", "deep/tfdsl.toml"),
    *("a.tfjob", "b.tfjob", "deep/c.tfjob", "deep/d.tfjob", "a.yaml", "deep/b.json", "prod.env", "text.txt", "Link"),
    *("out/x.yaml.map", "out/x.yaml.map", "out/a.yaml", "out/b.yaml", "out/a/job.sh", "main.tfjob@main", "up", "in"),
    *(".git", "sub/.git", "deep/.git", ".GIT", "git~1", "HEAD", "config", "objects", "refs", "out/.git", "chain"),
)
KINDS = ("text", "text", "text", "link", "link", "link", "link", "fifo", "folder", "socket")
PLACES = (
    *(f"../{name}" for name in SECRETS), *(f"up/{name}" for name in SECRETS), "..", ".", "deep", "/", "out", "chain",
    *("../../secret.txt", "../../secret.toml", ".git", ".git/config", "../.git/config", ".GIT/config", "in/config"),
    *("/proc/self/environ", "/proc/self/cwd/../secret.txt", "/proc/self/root", "/proc/self/mem", "/proc/self/fd/0"),
    *("/dev/zero", "/dev/stdin", "/dev/tty", "Link", "nothing", "a.tfjob", "deep/c.tfjob", "prod.env", "sub/.git"),
    *("../private/.git", "../private/main.tfjob", "../private/.git/config", "../private", "{above}/secret.txt"),
)  # fmt: skip
TEXTS = (
    *('include "{0}"\ninclude "{1}"\n{job}', 'let stolen = file("{0}")\n{stealing}', "{job}", "{job}"),
    *('job a {{ image = "x:1", env = env_file("{0}"), role worker {{ }} }}\n', 'include "{0}"\n{stealing}'),
    *('targets = ["tfjob"]\n[labels]\nteam = "{0}"\n', "[tool.tfdsl]\nstrict = true\n", "[lint]\n", "kind: TFJob\n"),
    *("namePrefix: p-\nresources: [x.yaml, '{0}']\nbases: ['{1}']\n", "KEY={0}\n", "gitdir: {0}\n", "gitdir: {1}\n"),
    *("ref: refs/heads/main\n", "[core]\n\tworktree = {0}\n", '{{"version": 1}}', "", "{job}"),
)
STEALING = 'job a { image = "x:1", command = [stolen], role worker { } }\n'
REPOSITORIES = ("none", "none", "folder", "folder", "own", "own", "own", "file", "link", "bare")
MENDED = ("alternates", "commondir", "packed-refs", "config", "objects", "refs", "HEAD", "config.worktree", "shallow")
TARGETS = ("tfjob", "volcano", "kubernetes", "yarn", "slurm")
COMMANDS = (
    *("check main.tfjob", "check .", "check . --format json", "check . --format sarif", "compile main.tfjob -t {t}"),
    *("compile main.tfjob -t {t} -o out --source-map", "compile main.tfjob -t {t} -o .", "compile main.tfjob"),
    *("fmt --check .", "fmt --diff main.tfjob", "import .", "import . --format json", "where out/x.yaml:1"),
    *("where out/x.yaml:1 --format json", "where main.tfjob:1 -t {t} -o out", "diff main.tfjob main.tfjob -t {t}"),
    *("tfconfig main.tfjob -t {t}", "info main.tfjob", "matrix main.tfjob", "graph main.tfjob -t {t}", "check deep"),
    *("simulate main.tfjob -t {t}", "check main.tfjob --fix", "where out/x.yaml:1 --source main.tfjob -t {t}"),
)
GIT = (".git", "git~1")
"""Names of a repository, in small letters."""
REVISIONS = ("main", "HEAD", "@{1}", "{u}", "HEAD@{0}", "main^", "none", "FETCH_HEAD", ":/s")
FEW = 0.12
"""Share of the inputs that ask git, and of those that ask the language server."""


class Plan(NamedTuple):
    """What lies in the folder: name, kind and content; the repository; and the command line."""

    there: tuple[tuple[str, str, str], ...]
    main: str
    repository: str
    mended: tuple[tuple[str, str, str], ...]
    command: str

    def __str__(self) -> str:
        return "\n".join(f"{name} = {value!r}" for name, value in self._asdict().items())


def make(chance: random.Random) -> Case:
    """A folder and a command line."""
    few = chance.random()
    name = chance.choice(("main.tfjob", "deep/c.tfjob", "a.tfjob", "HEAD/x.tfjob"))
    command = chance.choice(COMMANDS)
    if few < FEW:
        command = f"diff {name}@{chance.choice(REVISIONS)} main.tfjob -t {{t}}"
    elif few < 2 * FEW:
        command = "lsp"
    if chance.random() < 0.1 and command != "lsp" and not command.startswith(("fmt", "import")):
        command += " --allow-read deep"
    there = tuple((name, *_entry(chance)) for name in chance.sample(NAMES, chance.choice((1, 2, 4, 8, 14))))
    mended = tuple((name, *_entry(chance)) for name in MENDED if chance.random() < 0.15)
    main = _text(chance, chance.choice(TEXTS[:6]))
    plan = Plan(there, main, chance.choice(REPOSITORIES), mended, command.replace("{t}", chance.choice(TARGETS)))
    return Case(lambda: prove(plan), {".plan": kept(str(plan))})


def _entry(chance: random.Random) -> tuple[str, str]:
    """Kind and content of an entry: of a link the place, of a map the whole text."""
    kind = chance.choice(KINDS)
    return kind, chance.choice(PLACES) if kind == "link" else _text(chance, chance.choice(TEXTS))


def _text(chance: random.Random, form: str) -> str:
    return form.format(chance.choice(PLACES), chance.choice(PLACES), job=JOB, stealing=STEALING)


@cache
def _kept_folder() -> tempfile.TemporaryDirectory[str]:
    fast = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return tempfile.TemporaryDirectory(prefix="tfdsl-fuzz-", dir=fast)


@cache
def _repositories() -> Path:
    """A repository of somebody else and one of the stranger; each ``config`` has a token."""
    place = Path(_kept_folder().name).resolve() / "repositories"
    for name, text in (("private", SECRETS["secret.tfjob"]), ("own", OWN)):
        (place / name).mkdir(parents=True)
        (place / name / "main.tfjob").write_text(text)
        for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-q", "-m", "one")):
            identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
            subprocess.run(["git", *identity, *words], cwd=place / name, check=True, capture_output=True)
        shutil.rmtree(place / name / ".git/hooks", ignore_errors=True)
        with (place / name / ".git/config").open("a") as config:
            config.write(CONFIG)
    return place


def prove(plan: Plan) -> None:
    """Nothing of somebody else is in anything that comes out."""
    repositories = _repositories()
    with tempfile.TemporaryDirectory(dir=_kept_folder().name) as place:
        above = Path(place).resolve()
        project = above / "project"
        for name, text in SECRETS.items():
            (above / name).write_text(text)
        (above / "private").symlink_to(repositories / "private")
        _prepare(project, plan, above)
        before = os.environ["PATH"]
        with contextlib.chdir(project):
            for what in _said(plan.command, project):
                expect(CANARY not in what, f"somebody else's text comes out of {plan.command.split(' ')[0]}")
                expect(f"PATH={before}" not in what, "the environment comes out")
        for path in _written(project):
            expect(CANARY.encode() not in path.read_bytes(), "somebody else's text is written")


def _prepare(project: Path, plan: Plan, above: Path) -> None:
    for name in ("deep", "sub", "out", "out/a"):
        (project / name).mkdir(parents=True)
    (project / "main.tfjob").write_text(plan.main)
    (project / "out/x.yaml").write_text("a: 1\n")
    for name, kind, content in plan.there:
        _put(project / name, kind, content, above)
    _put_repository(project, plan, above)


def _put(path: Path, kind: str, content: str, above: Path) -> None:
    content = content.replace("{above}", str(above))
    if os.path.lexists(path) or not path.parent.is_dir() or path.parent.resolve() == above:
        return
    if path.name.endswith(".map") and kind == "text":
        sources = [line.strip(" \"'[]") for line in content.split("\n")] + [
            str(above / "secret.tfjob"),
            "../secret.tfjob",
        ]
        content = json.dumps(
            {"version": 1, "file": "x.yaml", "sources": sources, "lines": [[1, len(content) % len(sources), 1, 1]]}
        )
    with contextlib.suppress(OSError):  # a place outside that a link leads to
        if kind == "link":
            path.symlink_to(content)
        elif kind == "fifo":
            os.mkfifo(path)
        elif kind == "folder":
            path.mkdir()
            if path.name.casefold() in GIT:
                (path / "config").write_text(CONFIG)
        elif kind == "socket":
            with socket.socket(socket.AF_UNIX) as door, contextlib.chdir(path.parent):
                door.bind(path.name)
        elif path.parent.resolve().is_relative_to(above / "project"):
            path.write_text(f"{CANARY}\n" if path.name.casefold() in GIT and path.name != ".git" else content)


def _put_repository(project: Path, plan: Plan, above: Path) -> None:
    git = project / ".git"
    if os.path.lexists(git):
        return
    own = _repositories() / "own/.git"
    if plan.repository == "folder":
        git.mkdir()
        (git / "config").write_text(CONFIG)
    elif plan.repository == "file":
        git.write_text(f"gitdir: {_repositories()}/private/.git\n")
    elif plan.repository == "link":
        git.symlink_to("../private/.git")
    elif plan.repository in ("own", "bare"):
        shutil.copytree(own, git)
        if plan.repository == "bare":
            shutil.copytree(own, project / "deep", dirs_exist_ok=True)
            (project / "deep/config").write_text("[core]\n\tbare = true\n")
        for name, kind, content in plan.mended:
            path = git / ("objects/info/alternates" if name == "alternates" else name)
            if path.is_dir():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)
            if kind == "link" and content.startswith(("../", "up/")):
                content = f"../../private/.git/{name}"
            elif name in ("alternates", "commondir") and kind == "text":
                content = f"{_repositories()}/private/.git{'/objects' if name == 'alternates' else ''}\n"
            _put(path, kind, content, above)


def _said(command: str, project: Path) -> Iterator[str]:
    """Everything that a command line prints, or a language server answers."""
    if command == "lsp":
        yield from _published(project)
        return
    repository._SECONDS = 2  # type: ignore[misc]  # git is not waited for as long as a person would
    ran = run(_words(command))
    yield ran.out + ran.err


def _words(command: str) -> Sequence[str]:
    return command.split(" ")


def _published(project: Path) -> Iterator[str]:
    workspace = Workspace()
    workspace.folders = [str(project)]
    uri = (project / "main.tfjob").as_uri()
    text = (project / "main.tfjob").read_text()
    workspace.documents.open(uri, text, 1)
    snapshot = workspace.snapshot(uri)
    assert snapshot is not None
    yield repr(snapshot.diagnostics) + repr(links(snapshot))
    yield "".join(one.span.source.text for one in snapshot.diagnostics)
    yield repr(complete(snapshot, text.find('"') + 1).items)
    yield repr(search([declared(program.files[0]) for program in workspace.programs()], ""))


def _written(project: Path) -> Iterator[Path]:
    """The files in the folder, but for the repository and what links lead to."""
    for folder, folders, files in os.walk(project):
        folders[:] = [name for name in folders if name.casefold() not in GIT]
        for name in files:
            path = Path(folder, name)
            if name.casefold() not in GIT and path.is_file() and not path.is_symlink():
                yield path
