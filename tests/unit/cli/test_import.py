"""``tfdsl import`` from the command line: what is read, where the result goes, and the exit status."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import tfdsl

if TYPE_CHECKING:
    from pathlib import Path

MNIST = """\
apiVersion: kubeflow.org/v1
kind: TFJob
metadata:
  name: mnist
spec:
  tfReplicaSpecs:
    {role}:
      replicas: 2
      template:
        spec:
          containers:
          - name: tensorflow
            image: registry.example.com/mnist:1.4
"""
DIGITS = MNIST.replace("name: mnist", "name: digits")
TEXT = """\
job mnist {
  image = "registry.example.com/mnist:1.4"

  role worker { replicas = 2 }

  target tfjob {
    cleanup          = "none"
    istio_annotation = false
    on worker[0] completed => complete job
  }
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mnist.yaml").write_text(MNIST.format(role="Worker"))
    (tmp_path / "digits.yaml").write_text(DIGITS.format(role="Worker"))
    (tmp_path / "trainer.yaml").write_text(MNIST.format(role="Trainer"))
    return tmp_path


def test_the_text_goes_to_standard_output(folder: Path) -> None:
    ran = tfdsl("import", "mnist.yaml", cwd=folder)
    assert (ran.status, ran.out) == (0, TEXT)
    assert ran.err == "mnist: TFJob v1, no patch, compiles to the same\n"
    assert tfdsl("import", "-", cwd=folder, stdin=MNIST.format(role="Worker").encode()).out == TEXT


def test_what_comes_out_goes_into_compile(folder: Path) -> None:
    text = tfdsl("import", "mnist.yaml", cwd=folder).out
    ran = tfdsl("compile", "-", "-t", "volcano", cwd=folder, stdin=text.encode())
    assert ran.status == 0
    assert "apiVersion: batch.volcano.sh/v1alpha1" in ran.out


def test_a_file_is_written_and_never_replaced(folder: Path) -> None:
    ran = tfdsl("import", "mnist.yaml", "-o", "new/mnist.tfjob", cwd=folder)
    assert (ran.status, ran.out) == (0, "")
    assert "wrote new/mnist.tfjob" in ran.err
    assert (folder / "new/mnist.tfjob").read_text() == TEXT
    (folder / "new/mnist.tfjob").write_text("mine")
    ran = tfdsl("import", "mnist.yaml", "-o", "new/mnist.tfjob", cwd=folder)
    assert ran.status == 2
    assert "cannot write new/mnist.tfjob: the file exists already; nothing was written" in ran.err
    assert (folder / "new/mnist.tfjob").read_text() == "mine"


def test_several_jobs_in_one_file_or_in_one_each(folder: Path) -> None:
    ran = tfdsl("import", "mnist.yaml", "digits.yaml", "-o", "one", cwd=folder)
    assert ran.status == 0
    assert sorted(path.name for path in (folder / "one").iterdir()) == ["mnist.tfjob"]
    assert (folder / "one/mnist.tfjob").read_text().count("\njob ") == 1  # the second of two
    assert tfdsl("import", "mnist.yaml", "digits.yaml", "-o", "two", "--split", cwd=folder).status == 0
    assert sorted(path.name for path in (folder / "two").iterdir()) == ["digits.tfjob", "mnist.tfjob"]


def test_a_folder_of_manifests(folder: Path) -> None:
    inside = folder / "all"
    for path, text in (("b/digits.yml", DIGITS), ("mnist.yaml", MNIST), (".git/x.yaml", MNIST), ("venv/y.yaml", MNIST)):
        (inside / path).parent.mkdir(parents=True, exist_ok=True)
        (inside / path).write_text(text.format(role="Worker"))
    (inside / "picture.xml").write_bytes(b"\xff\xfe\x00")
    ran = tfdsl("import", "all", cwd=folder)
    assert ran.status == 0, ran.err
    assert [line for line in ran.out.splitlines() if line.startswith("job ")] == ["job mnist {", "job digits {"]


def test_a_name_that_is_no_role_needs_one(folder: Path) -> None:
    ran = tfdsl("import", "trainer.yaml", cwd=folder)
    assert (ran.status, ran.out) == (1, "")
    assert "--role Trainer=worker" in ran.err
    assert tfdsl("import", "trainer.yaml", "--role", "Trainer=worker", cwd=folder).out == TEXT


def test_what_can_be_read_is_written_beside_an_error(folder: Path) -> None:
    ran = tfdsl("import", "trainer.yaml", "digits.yaml", cwd=folder)
    assert ran.status == 1
    assert ran.out.startswith("job digits {")


def test_check_writes_nothing(folder: Path) -> None:
    ran = tfdsl("import", "mnist.yaml", "--check", cwd=folder)
    assert (ran.status, ran.out) == (0, "")
    assert ran.err == "mnist: TFJob v1, no patch, compiles to the same\n"


def test_messages_have_the_formats_of_check(folder: Path) -> None:
    (folder / "status.yaml").write_text(
        MNIST.format(role="Worker").replace("spec:\n", "spec:\n  cleanPodPolicy: All\n", 1)
    )
    ran = tfdsl("import", "status.yaml", "--check", "--format", "json", cwd=folder)
    assert ran.status == 0
    [message] = json.loads(ran.out)["diagnostics"]
    assert (message["path"], message["start"]["line"]) == ("status.yaml", 6)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("mnist.yaml", "--from", "nope"), "there is no target nope"),
        (("mnist.yaml", "--role", "x"), "--role takes NAME=ROLE, for example trainer=worker"),
        (("mnist.yaml", "--role", "x=wroker"), "did you mean worker?"),
        (("mnist.yaml", "--check", "-o", "a"), "--check writes nothing and cannot be used with -o"),
        (("mnist.yaml", "--split"), "--split needs a folder: -o FOLDER"),
        (("nothing.yaml",), "cannot read nothing.yaml: there is no such file"),
        ((), "import needs FILE"),
    ],
)
def test_wrong_use(folder: Path, words: tuple[str, ...], message: str) -> None:
    ran = tfdsl("import", *words, cwd=folder)
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err


def test_only_one_target_is_asked(folder: Path) -> None:
    ran = tfdsl("import", "mnist.yaml", "--from", "volcano", cwd=folder)
    assert ran.status == 1
    assert "there is no job in it that volcano can read" in ran.err


def test_an_empty_folder_is_told(folder: Path) -> None:
    (folder / "empty").mkdir()
    assert "there is no manifest in empty" in tfdsl("import", "empty", cwd=folder).err
