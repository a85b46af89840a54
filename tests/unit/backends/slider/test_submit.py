"""submit.sh with a stand-in for the Slider client."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.jobs import job, role, unit
from tests.unit.backends.slider.agents import write_files
from tests.unit.backends.slider.parts import mount
from tests.unit.cli.shell import SHELLCHECK

if TYPE_CHECKING:
    from pathlib import Path

    from tfdsl.backend import OptionValue

SLIDER = """#!/bin/sh
printf '%s\\0' "$@" >"$SEEN/argv"
cp -R "$4" "$SEEN/package"
exit "${SLIDER_STATUS:-0}"
"""
HOSTILE = "a b'$x"


class Client:
    """A folder with the application, and one from which it is submitted."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.application, self.here = folder, folder / "it's" / "app", folder / "here"
        self.here.mkdir()
        (folder / "bin").mkdir()
        (folder / "tmp").mkdir()
        program = folder / "bin" / "slider"
        program.write_text(SLIDER)
        program.chmod(0o755)

    def write(self, *, queue: str | None = None, **options: OptionValue) -> None:
        archive = mount("archive", "x", source=f"{HOSTILE}.tgz")
        write_files(unit(job(role("worker", mounts=(archive,)), queue=queue), "slider", **options), self.application)

    def run(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        given = {"PATH": path, "SEEN": str(self.folder), "TMPDIR": str(self.folder / "tmp"), **env}
        script = str(self.application / "submit.sh")
        return subprocess.run([script, *arguments], cwd=self.here, env=given, capture_output=True, text=True)


@pytest.fixture
def client(tmp_path: Path) -> Client:
    made = Client(tmp_path)
    (made.here / f"{HOSTILE}.tgz").write_text("archive")
    return made


def test_it_may_be_called_through_a_link(client: Client) -> None:
    client.write()
    link = client.folder / "submit it"
    link.symlink_to("it's/app/submit.sh")
    given = {"PATH": f"{client.folder}/bin:{os.environ['PATH']}", "SEEN": str(client.folder)}
    done = subprocess.run([str(link)], cwd=client.here, env=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"{client.application}/appConfig.json" in (client.folder / "argv").read_text().split("\0")


def test_the_call_of_slider_create(client: Client) -> None:
    client.write(queue=HOSTILE, files=(f"{HOSTILE}.tgz",))
    done = client.run("--wait", "60 s")
    assert done.returncode == 0, done.stderr
    argv = (client.folder / "argv").read_text().split("\0")[:-1]
    assert argv[:3] == ["create", "mnist", "--appdef"]
    here = str(client.application)
    assert argv[4:] == [
        "--template", f"{here}/appConfig.json", "--resources", f"{here}/resources.json",
        "--queue", HOSTILE, "--wait", "60 s",
    ]  # fmt: skip
    package = client.folder / "package"
    assert sorted(path.name for path in package.iterdir()) == ["metainfo.json", "package"]
    assert (package / "package/files" / f"{HOSTILE}.tgz").read_text() == "archive"
    assert (package / "package/files/archives/0" / f"{HOSTILE}.tgz").read_text() == "archive"
    assert json.loads((package / "package/files/job.json").read_text())["files"] == [f"{HOSTILE}.tgz"]
    assert list((client.folder / "tmp").iterdir()) == [], "the copy is removed"
    assert not (client.application / "package/files/archives").exists(), "the application itself stays as it was"


def test_print_shows_and_does_nothing(client: Client) -> None:
    client.write(metainfo="xml")
    done = client.run("--print", "--queue", "a b", SLIDER="/nowhere/slider")
    assert done.returncode == 0, done.stderr
    commands = [shlex.split(line) for line in done.stdout.splitlines()]
    assert commands[0][:3] == ["cp", "-R", f"{client.application}/metainfo.xml"]
    assert commands[-1][:3] == ["/nowhere/slider", "create", "mnist"]
    assert commands[-1][-2:] == ["--queue", "a b"]
    assert not (client.folder / "argv").exists()
    assert list((client.folder / "tmp").iterdir()) == []


def test_a_missing_client_is_told(client: Client) -> None:
    client.write()
    (client.folder / "bin" / "slider").unlink()
    done = client.run()
    assert done.returncode == 127
    assert "cannot find the Slider client slider" in done.stderr
    assert "SLIDER_HOME" in done.stderr


def test_the_client_of_slider_home(client: Client) -> None:
    client.write()
    home = client.folder / "home" / "bin"
    home.mkdir(parents=True)
    shutil.move(client.folder / "bin" / "slider", home / "slider")
    assert client.run(SLIDER_HOME=str(client.folder / "home")).returncode == 0


def test_a_missing_file_is_told(client: Client) -> None:
    client.write(files=("none.py",))
    done = client.run()
    assert done.returncode == 1
    assert f"{client.here}/none.py does not exist" in done.stderr
    assert not (client.folder / "argv").exists()


@pytest.mark.parametrize(
    ("status", "text"), [("75", "slider destroy mnist"), ("73", "slider stop mnist"), ("40", "options"), ("56", "")]
)
def test_the_status_of_slider_is_kept_and_explained(client: Client, status: str, text: str) -> None:
    client.write()
    done = client.run(SLIDER_STATUS=status)
    assert done.returncode == int(status)
    assert text in done.stderr


@pytest.mark.parametrize("queue", [None, HOSTILE])
@pytest.mark.parametrize("sent", [(), (HOSTILE,)])
def test_shellcheck_finds_nothing(tmp_path: Path, queue: str | None, sent: tuple[str, ...]) -> None:
    write_files(unit(job(role("worker"), queue=queue), "slider", files=sent), tmp_path)
    done = subprocess.run([SHELLCHECK, "--exclude=SC2016", str(tmp_path / "submit.sh")], capture_output=True, text=True)
    assert done.stdout == ""
    assert subprocess.run(["sh", "-n", tmp_path / "submit.sh"]).returncode == 0
