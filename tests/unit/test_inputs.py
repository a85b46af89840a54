"""What a text may read: below its root, regular files, and not without end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tfdsl import source_files
from tfdsl.source_files import Inputs, Outside, is_below, name_below_root, root_of
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def _main(path: Path) -> Source:
    return Source(str(path), "", str(path))


@pytest.mark.parametrize("mark", ["tfdsl.toml", ".git"])
def test_the_root_is_the_nearest_folder_with_a_mark(tmp_path: Path, mark: str) -> None:
    deep = tmp_path / "project/jobs/deep"
    deep.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / "project" / mark).touch()
    assert root_of(str(deep / "main.tfjob")) == str(tmp_path / "project")


def test_without_a_mark_the_root_is_the_folder_of_the_main_file(tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    assert root_of(str(tmp_path / "jobs/main.tfjob")) == str(tmp_path / "jobs")


def test_a_text_in_no_file_reads_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert root_of(None) == str(tmp_path)


def test_a_relative_main_file_has_the_root_of_its_absolute_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "tfdsl.toml").touch()
    monkeypatch.chdir(tmp_path / "jobs")
    assert root_of("main.tfjob") == str(tmp_path)


def test_the_name_below_the_root_is_the_same_from_everywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main = tmp_path / "project/jobs/main.tfjob"
    main.parent.mkdir(parents=True)
    (tmp_path / "project/.git").touch()
    (tmp_path / "link").symlink_to("project/jobs")
    for folder, path in {
        tmp_path: str(main),
        main.parent: "main.tfjob",
        main.parent.parent: "./jobs/../jobs/main.tfjob",
        tmp_path.parent: f"{tmp_path.name}/link/main.tfjob",
    }.items():
        monkeypatch.chdir(folder)
        assert name_below_root(Source(path, "", path)) == "jobs/main.tfjob"


def test_without_a_root_it_is_the_file_alone(tmp_path: Path) -> None:
    path = str(tmp_path / "jobs/a b.tfjob")
    assert name_below_root(Source(path, "", path)) == "a b.tfjob"


@pytest.mark.parametrize(
    ("shown", "origin"),
    [("<stdin>", None), ("<text>", "jobs/<text>"), ("/dev/stdin", "/dev/stdin"), ("/dev/fd/63",) * 2],
)
def test_a_text_that_is_in_no_file_has_no_name(shown: str, origin: str | None) -> None:
    assert name_below_root(Source(shown, "", origin)) is None


def test_a_folder_whose_name_begins_alike_is_not_below(tmp_path: Path) -> None:
    assert is_below(str(tmp_path / "a/x"), [str(tmp_path / "a")])
    assert is_below(str(tmp_path / "a"), [str(tmp_path / "a")])
    assert not is_below(str(tmp_path / "ab/x"), [str(tmp_path / "a")])
    assert is_below("/etc/passwd", ["/"])


def test_links_and_dots_do_not_lead_out(tmp_path: Path) -> None:
    folder = tmp_path / "job"
    folder.mkdir()
    (tmp_path / "secret").write_text("s3cret")
    (folder / "link").symlink_to(tmp_path / "secret")
    (folder / "up").symlink_to(tmp_path)
    read = Inputs(_main(folder / "main.tfjob"))
    for name in ("../secret", "link", "up/secret", "/etc/passwd", "/proc/self/environ", "/dev/stdin"):
        assert read(os.path.normpath(folder / name)) == Outside(str(folder)), name


def test_a_link_inside_of_the_root_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("text")
    (tmp_path / "link").symlink_to("real")
    found = Inputs(_main(tmp_path / "main.tfjob"))(str(tmp_path / "link"))
    assert isinstance(found, Source)
    assert found.text == "text"


def test_a_further_folder_can_be_allowed(tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared/x").write_text("text")
    read = Inputs(_main(tmp_path / "job/main.tfjob"), [str(tmp_path / "shared")])
    assert isinstance(read(str(tmp_path / "shared/x")), Source)


def test_what_is_no_name_is_not_asked_for(tmp_path: Path) -> None:
    read = Inputs(_main(tmp_path / "main.tfjob"))
    assert read(f"{tmp_path}/a\0b") == "it is not a file name"
    assert read(f"{tmp_path}/\ud800") == "it is not a file name"


def test_a_path_is_asked_for_once(tmp_path: Path) -> None:
    asked: list[str] = []

    def missing(path: str, roots: Sequence[str]) -> str:
        asked.append(path)
        return "there is no such file"

    read = Inputs(_main(tmp_path / "main.tfjob"), read=missing)
    assert [read(str(tmp_path / "x")) for _ in range(3)] == ["there is no such file"] * 3
    assert len(asked) == 1


def test_the_sum_and_the_number_of_files_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_files, "LARGEST_SUM", 100)
    monkeypatch.setattr(source_files, "MOST_FILES", 4)
    read = Inputs(Source("m", "x" * 50, str(tmp_path / "m")), read=lambda path, roots: Source(path, "x" * 30, path))
    assert isinstance(read(str(tmp_path / "1")), Source)
    assert isinstance(read(str(tmp_path / "2")), str)  # 50 + 30 + 30 > 100
    small = Inputs(_main(tmp_path / "m"), read=lambda path, roots: Source(path, "", path))
    found = [small(str(tmp_path / str(number))) for number in range(5)]
    assert [isinstance(one, Source) for one in found] == [True, True, True, True, False]
