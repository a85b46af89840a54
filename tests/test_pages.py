"""How pages are followed: their commands are run, their files written, and what they show is compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from docs import screens
from docs.page_output import shown
from docs.screens import MistakeError, rewritten

if TYPE_CHECKING:
    from pathlib import Path

JOB = 'Write `one.tfjob`:\n\n```tfjob\njob one {\n  image = "a/b:1"\n  role worker { }\n}\n```\n'


def followed(*parts: str) -> str:
    """The page of these parts, run in an empty folder."""
    return rewritten("\n".join(parts), examples=False)


def screen(*lines: str) -> str:
    return "\n".join(["```console", *lines, "```", ""])


@pytest.mark.parametrize(
    ("before", "printed", "after"),
    [
        ("", "a\n", "a\n"),
        ("a\n", "", ""),
        ("a\n…\n", "a\nb\nc\n", "a\n…\n"),
        ("x\n…\n", "a\nb\nc\n", "a\n…\n"),
        ("a\n…\nd\n", "a\nb\nc\nd\n", "a\n…\nd\n"),
        ("…\nd\n", "a\nb\nd\n", "…\nd\n"),
        ("…\nb\n…\n", "a\nb\nc\n", "…\nb\n…\n"),
        ("a\n…\nd\n", "a\nd\n", "a\nd\n"),
        ("a\n…\nx\n", "a\nb\nd\n", "a\nb\nd\n"),
    ],
)
def test_an_output_is_shown(before: str, printed: str, after: str) -> None:
    assert shown(before, printed) == after


RUN = """\
worker[0] | TensorBoard: http://127.0.0.1:4100
worker[0] has completed
job one has completed in 34 s
"""


@pytest.mark.parametrize(
    ("printed", "same"),
    [
        (RUN.replace("34 s", "120 ms").replace("4100", "39999"), True),
        (RUN.replace("34 s", "1 min 24 s"), True),
        (RUN.replace("34 s", "2 h 10 min"), True),
        (
            "job one has completed in 1.5 s\nworker[0] has completed\nworker[0] | TensorBoard: http://127.0.0.1:1\n",
            True,
        ),
        ("one.tfjob:1:2: info[TFJ4859] run-not-limited: run does not limit cpu\n" + RUN, True),
        (RUN.replace("worker[0] has", "worker[1] has"), False),
        (RUN + "worker[1] has completed\n", False),
        (RUN.replace("completed in", "failed after"), False),
        ("", False),
    ],
)
def test_what_differs_from_run_to_run_is_not_compared(printed: str, same: bool) -> None:
    assert shown(RUN, printed, unsettled=True) == (RUN if same else printed)


def test_lines_of_a_run_can_be_left_out() -> None:
    before = "…\nworker[0] has completed\n…\n"
    assert shown(before, RUN, unsettled=True) == before
    assert shown("…\nchief[0] has completed\n", RUN, unsettled=True) == RUN


def test_commands_run_where_the_page_has_got_to() -> None:
    made = screen("$ mkdir a", "$ cd a", "$ echo x > y", "$ cd ..", "$ ls")
    assert followed(made) == screen("$ mkdir a", "$ cd a", "$ echo x > y", "$ cd ..", "$ ls", "a")
    assert followed(screen("$ export WHO=me", "$ echo $WHO |\\", "  cat")) == screen(
        "$ export WHO=me", "$ echo $WHO |\\", "  cat", "me"
    )


def test_files_are_written_and_changed() -> None:
    page = followed(
        JOB,
        '<!-- below "image" in one.tfjob -->\n```tfjob\n  command = ["a"]\n```\n',
        '<!-- instead of "role worker" in one.tfjob -->\n```tfjob\n  role worker { cpu = 1 }\n```\n',
        '<!-- part of: one.tfjob -->\n```tfjob\n  command = ["a"]\n  role worker { cpu = 1 }\n```\n',
        screen("$ cat one.tfjob", "$ tfdsl fmt one.tfjob"),
        "<!-- written: one.tfjob -->\n```tfjob\n```\n",
    )
    assert 'job one {\n  image = "a/b:1"\n  command = ["a"]\n  role worker { cpu = 1 }\n}\n$ tfdsl' in page
    assert '<!-- written: one.tfjob -->\n```tfjob\njob one {\n  image   = "a/b:1"\n' in page


@pytest.mark.parametrize(
    ("block", "mistake"),
    [
        ('<!-- below "none" in one.tfjob -->\n```tfjob\nx\n```\n', "0 lines of one.tfjob have none"),
        ('<!-- below "o" in one.tfjob -->\n```tfjob\nx\n```\n', "2 lines of one.tfjob have o"),
        ("<!-- part of: one.tfjob -->\n```tfjob\nrole ps\n```\n", "not in one.tfjob"),
    ],
)
def test_a_page_that_cannot_be_followed(block: str, mistake: str) -> None:
    with pytest.raises(MistakeError, match=mistake):
        followed(JOB, block)


@pytest.mark.parametrize("line", ["kubectl get pods", "tfdsl compile", "cat none", "cat none && false || exit 3"])
def test_a_command_that_is_used_wrongly(line: str) -> None:
    with pytest.raises(AssertionError):
        followed(screen(f"$ {line}"))


def test_blocks_of_a_test_are_run_for_that_test(tmp_path: Path) -> None:
    """With the programs that it brings."""
    program = tmp_path / "kubectl"
    program.write_text("#!/bin/sh\necho new\n")
    program.chmod(0o755)
    block = "<!-- run by: tests/a.py::test_b -->\n" + screen("$ kubectl get jobs", "old")
    assert followed(block) == block
    made = rewritten(block, examples=False, test="tests/a.py::test_b", programs=tmp_path)
    assert made == block.replace("old", "new")


def test_a_page_with_mounts_is_left_out_where_they_are_denied(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(screens, "mounts_denied", lambda: "namespaces are denied")
    assert screens.main(["--check", "docs/guide/data.md"]) == 0
    assert capsys.readouterr().out == "left out: docs/guide/data.md: namespaces are denied\n"
