"""``--watch``: a command runs again when a file that it has read changes; ``-q``: it says only what is wrong."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import tfdsl
from tfdsl.cli import watching

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.unit.cli.shell import Ran

MAIN = (
    'include "common.tfjob"\nparam n: int = 1\njob j { image = base, command = ["a"], role worker { replicas = n } }\n'
)
COMMON = 'let base = "r/x:1"\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "main.tfjob").write_text(MAIN)
    (tmp_path / "common.tfjob").write_text(COMMON)
    (tmp_path / "small.params").write_text("n = 2\n")
    return tmp_path


def watched(monkeypatch: pytest.MonkeyPatch, folder: Path, words: tuple[str, ...], *edits: Callable[[], object]) -> Ran:
    """Run until all ``edits`` are made, each while the command waits, and then Ctrl-C."""
    left = iter(edits)

    def sleep(seconds: float) -> None:
        edit = next(left, None)
        if edit is None:
            raise KeyboardInterrupt
        edit()

    monkeypatch.setattr(watching.time, "sleep", sleep)
    return tfdsl(*words, cwd=folder)


def test_each_file_that_was_read_is_watched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = watched(
        monkeypatch,
        folder,
        ("compile", "main.tfjob", "--params", "small.params", "-t", "tfjob", "-o", "out", "--watch"),
        lambda: (folder / "other.tfjob").write_text("# nobody reads this\n"),
        lambda: (folder / "common.tfjob").write_text('let base = "r/y:12"\n'),
        lambda: (folder / "small.params").write_text("n = 33\n"),
        lambda: (folder / "main.tfjob").write_text(MAIN + "job k {\n"),
        lambda: (folder / "main.tfjob").unlink(),
        lambda: (folder / "main.tfjob").write_text(MAIN.replace("job j", "job last")),
    )
    assert ran.status == 130
    assert re.findall(r"^(.*) changed$", ran.err, re.M) == [
        *("common.tfjob", "small.params", "main.tfjob", "main.tfjob", "main.tfjob"),
    ]
    assert ran.err.count("watching 3 files; Ctrl-C ends this\n") >= 4
    assert "unclosed-block" in ran.err
    written = (folder / "out/last.yaml").read_text()
    assert (written.count("image: r/y:12"), written.count("replicas: 33")) == (1, 1)


def test_a_folder_is_watched_for_new_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "more").mkdir()
    ran = watched(
        monkeypatch, folder, ("check", ".", "--watch"), lambda: (folder / "more/b.tfjob").write_text("job {\n")
    )
    assert re.findall(r"^(.*) changed$", ran.err, re.M) == ["more"]
    assert "more/b.tfjob:1:" in ran.err


def test_what_cannot_be_watched_is_refused(folder: Path) -> None:
    ran = tfdsl("check", "-", "--watch", cwd=folder, stdin=b"")
    assert (ran.status, "--watch cannot watch standard input" in ran.err) == (2, True)
    assert tfdsl("compile", "main.tfjob", "-t", "nowhere", "--watch", cwd=folder).status == 2


def test_quiet_says_only_what_is_wrong(folder: Path) -> None:
    noted = MAIN.replace("image", 'priority = "high", image')
    (folder / "main.tfjob").write_text(noted)
    for words in (("check", "main.tfjob"), ("check", "main.tfjob", "--notes"), ("compile", "main.tfjob", "-o", "out")):
        assert re.search("info|note", tfdsl(*words, "-t", "volcano", cwd=folder).err)
        assert tfdsl(*words, "-t", "volcano", "-q", cwd=folder).err == ""
    (folder / "main.tfjob").write_text(noted + "let unused = 1\n")
    assert "1 warning\n" in tfdsl("check", "main.tfjob", "--quiet", cwd=folder).err


def test_quiet_says_nothing_between_two_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit = (folder / "main.tfjob").write_text
    words = ("check", "main.tfjob", "-q", "--watch")
    assert watched(monkeypatch, folder, words, lambda: edit(MAIN + "# more\n")).err == ""
    assert watched(monkeypatch, folder, words, lambda: edit(MAIN + "job {\n")).err.startswith("error[")
