"""Compiling from Python gives what the command gives."""

from __future__ import annotations

import inspect
import json
import pickle
import stat
import threading
from typing import TYPE_CHECKING

import pytest
import yaml

import tfdsl
from tests.unit.cli.shell import ROOT, tfdsl as command
from tfdsl import targets

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EXAMPLES = ROOT / "examples"
JOB = 'job j { image = "i:1", command = ["x"], role worker { } }\n'
TWO = f"{JOB}{JOB.replace('job j', 'job k')}"


@pytest.mark.parametrize("target", targets.names())
def test_the_files_are_those_of_the_command(target: str, tmp_path: Path) -> None:
    example = EXAMPLES / "mnist/main.tfjob"
    result = tfdsl.compile(example, target)
    assert command("compile", str(example), "-t", target, "-o", "theirs/", cwd=tmp_path).status == 0
    written = result.write(tmp_path / "ours")
    theirs = {
        path.relative_to(tmp_path / "theirs"): path for path in (tmp_path / "theirs").rglob("*") if path.is_file()
    }
    assert {path.relative_to(tmp_path / "ours") for path in written} == set(theirs)
    for path in written:
        other = theirs[path.relative_to(tmp_path / "ours")]
        assert path.read_bytes() == other.read_bytes()
        assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)


def test_the_text_is_what_the_command_prints(tmp_path: Path) -> None:
    (tmp_path / "two.tfjob").write_text(TWO)
    result = tfdsl.compile(tmp_path / "two.tfjob", "kubernetes@1.30")
    assert command("compile", "two.tfjob", "-t", "kubernetes@1.30", cwd=tmp_path)[:2] == (0, result.text)
    assert (result.target, result.version) == ("kubernetes", "1.30")
    assert [job.name for job in result.jobs] == ["j", "k"]


def test_the_diagnostics_are_those_of_the_command(tmp_path: Path) -> None:
    text = (EXAMPLES / "mnist/main.tfjob").read_text(encoding="utf-8").replace("gpu = 1", "gpux = 1")
    (tmp_path / "a.tfjob").write_text(text)
    done = command("check", "a.tfjob", "-t", "volcano", "--format", "json", cwd=tmp_path)
    theirs = json.loads(done.out)["diagnostics"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        ours = tfdsl.check("a.tfjob", "volcano")
    assert len(ours) == len(theirs) > 0
    for one, other in zip(ours, theirs, strict=True):
        assert (one.code, one.slug, one.level, one.message) == tuple(
            other[key] for key in ("code", "slug", "level", "message")
        )
        assert (one.span.path, one.span.line, one.span.column) == (other["path"], *other["start"].values())
        assert (one.span.end_line, one.span.end_column) == tuple(other["end"].values())
        assert list(one.help) == other["help"]
        assert [(fix.title, fix.safe) for fix in one.fixes] == [(fix["title"], fix["safe"]) for fix in other["fixes"]]
        assert one.target == other["target"]


def test_documents_are_plain_data_and_their_text() -> None:
    result = tfdsl.compile(EXAMPLES / "mnist/main.tfjob", "tfjob")
    *documents, dockerfile = result.documents
    assert dockerfile.file == "mnist.Dockerfile"
    for document in documents:
        assert type(document.data) is dict
        assert yaml.safe_load(document.text) == document.data
        assert document.job == "mnist"
        assert document.file == "mnist.yaml"
    assert list(yaml.safe_load_all(result.text)) == [document.data for document in documents]


def test_a_set_of_files_has_no_stream() -> None:
    result = tfdsl.compile(EXAMPLES / "yarn/main.tfjob", "yarn")
    assert {document.file: document.executable for document in result.documents}["trainer/submit.sh"]
    with pytest.raises(tfdsl.UsageError, match="write"):
        _ = result.text


def test_a_dockerfile_is_a_document_that_no_cluster_gets() -> None:
    text = 'job j { role worker { image = "i:1", command = ["x"] }, build { from = "python:3.11" } }'
    result = tfdsl.compile(text=text, target="volcano")
    dockerfile = result.documents[-1]
    assert (dockerfile.file, dockerfile.format) == ("j.Dockerfile", "dockerfile")
    assert dockerfile.data == dockerfile.text
    assert "FROM" not in result.text


# --- what is asked for -----------------------------------------------------------------------------------------


def test_one_job_of_several() -> None:
    result = tfdsl.compile(text=TWO, target="volcano", job="k")
    assert [job.name for job in result.jobs] == ["k"]
    with pytest.raises(tfdsl.CompileError) as unknown:
        tfdsl.compile(text=TWO, target="volcano", job="l")
    assert [one.slug for one in unknown.value.diagnostics if one.level == "error"] == ["unknown-job"]


def test_another_name_is_the_name_for_all_that_follows_from_it() -> None:
    text = 'job a { image = "i:1", args = ["--run=${job.name}"], role worker { command = ["x"] } }'
    result = tfdsl.compile(text=text, target="volcano", name="b-7")
    assert result.jobs[0].name == "b-7"
    assert result.jobs[0].roles[0].args == ("--run=b-7",)
    assert result.documents[0].file == "b-7.yaml"
    assert "a" not in {document.job for document in result.documents}


def test_another_name_obeys_the_rules_of_names() -> None:
    with pytest.raises(tfdsl.CompileError) as wrong:
        tfdsl.compile(text=JOB, target="volcano", name="Run_7")
    errors = [one for one in wrong.value.diagnostics if one.level == "error"]
    assert [(one.code, one.span.path) for one in errors] == [("TFJ2501", "name=")]


def test_another_name_is_for_one_job() -> None:
    with pytest.raises(tfdsl.UsageError, match="job="):
        tfdsl.compile(text=TWO, target="volcano", name="b")
    assert tfdsl.compile(text=TWO, target="volcano", job="k", name="b").jobs[0].name == "b"
    assert tfdsl.compile(text=TWO, target="volcano", job="k", name="j").jobs[0].name == "j"


def test_the_jobs_of_a_matrix() -> None:
    text = 'job a { image = "i:1", matrix { x = [1, 2] }, role worker { command = ["x", "${matrix.x}"] } }'
    result = tfdsl.compile(text=text, target="volcano")
    assert [job.name for job in result.jobs] == ["a-0", "a-1"]
    assert [document.file for document in result.documents] == ["a-0.yaml", "a-1.yaml"]
    assert [job.roles[0].command[1] for job in result.jobs] == ["1", "2"]
    assert [job.name for job in tfdsl.load(text=text).jobs("volcano")] == ["a-0", "a-1"]
    assert tfdsl.compile(text=text, target="volcano", job="a-1", name="b").jobs[0].name == "b"
    with pytest.raises(tfdsl.UsageError, match="choose one of them with job=: a-0 or a-1"):
        tfdsl.check(text=text, job="a", name="b")


def test_options_are_those_of_the_target() -> None:
    result = tfdsl.compile(text=JOB, target="volcano", options={"version": "1.9"})
    assert result.version == "1.9"
    with pytest.raises(tfdsl.CompileError) as unknown:
        tfdsl.compile(text=JOB, target="volcano", options={"versoin": "1.9"})
    assert "unknown-option" in [one.slug for one in unknown.value.diagnostics]
    with pytest.raises(TypeError, match="target"):
        tfdsl.check(text=JOB, options={"version": "1.9"})


def test_strict_makes_an_error_of_what_is_only_approximated() -> None:
    path = EXAMPLES / "spot/main.tfjob"
    approximated = [one for one in tfdsl.compile(path, "tfjob").diagnostics if one.code == "KTF055"]
    assert [one.level for one in approximated] == ["info"]  # a note too
    with pytest.raises(tfdsl.CompileError) as strict:
        tfdsl.compile(path, "tfjob", strict=True)
    assert "KTF055" in [one.code for one in strict.value.diagnostics if one.level == "error"]


def test_a_program_is_compiled_without_reading_it_again(tmp_path: Path) -> None:
    file = tmp_path / "a.tfjob"
    file.write_text(JOB)
    program = tfdsl.load(file)
    file.unlink()
    assert tfdsl.compile(program, "volcano").text.count("kind: Job") == 1
    assert tfdsl.check(program, "tfjob")
    with pytest.raises(TypeError, match="to load"):
        tfdsl.compile(program, "volcano", params={"n": 1})


def test_tasks() -> None:
    text = 'job j { image = "i:1", command = ["x"], role chief { }, role worker { replicas = 2 } }'
    tasks = tfdsl.tfconfig(text=text, target="volcano")
    assert [(task.job, task.role, task.index) for task in tasks] == [
        ("j", "chief", 0),
        ("j", "worker", 0),
        ("j", "worker", 1),
    ]
    (one,) = tfdsl.tfconfig(text=text, target="volcano", task="worker[1]")
    assert one.tf_config is not None
    assert one.tf_config["task"] == {"type": "worker", "index": 1}
    assert [task.index for task in tfdsl.tfconfig(text=text, target="volcano", task="worker")] == [0, 1]
    with pytest.raises(tfdsl.CompileError, match=r"worker\[2\]"):
        tfdsl.tfconfig(text=text, target="volcano", task="worker[2]")
    with pytest.raises(tfdsl.UsageError, match="not a task"):
        tfdsl.tfconfig(text=text, target="volcano", task="worker-1")


# --- what is refused -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "advice"),
    [("volcan", "did you mean volcano"), ("volcano@9.9", "9.9"), ("", "targets are"), ("volcano@", "volcano")],
)
def test_a_target_that_there_is_not_is_wrong_use(target: str, advice: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: tfdsl.compile(text=JOB, target=target),
        lambda: tfdsl.check(text=JOB, target=target),
        lambda: tfdsl.tfconfig(text=JOB, target=target),
        lambda: tfdsl.load(text=JOB).jobs(target),
    ]
    for call in calls:
        with pytest.raises(tfdsl.UsageError, match=advice):
            call()


def test_an_error_shows_the_messages_as_the_command_does(tmp_path: Path) -> None:
    (tmp_path / "a.tfjob").write_text('job j { image = "i:1", gpux = 1, role worker { } }\n')
    theirs = command("compile", "a.tfjob", "-t", "volcano", cwd=tmp_path).err
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        with pytest.raises(tfdsl.CompileError) as wrong:
            tfdsl.compile("a.tfjob", "volcano")
    first, _, rest = str(wrong.value).partition("\n")
    assert first == "cannot compile a.tfjob for volcano"
    assert rest == theirs.rstrip()
    assert isinstance(wrong.value, ValueError)


def test_an_error_goes_from_one_process_to_another() -> None:
    with pytest.raises(tfdsl.CompileError) as wrong:
        tfdsl.compile(text="job j {", target="volcano")
    copy = pickle.loads(pickle.dumps(wrong.value))
    assert str(copy) == str(wrong.value)
    assert copy.diagnostics == wrong.value.diagnostics


def test_a_secret_among_the_params_is_in_no_message() -> None:
    text = 'param api_token: int\njob j { image = "i:1", role worker { command = ["x"] } }'
    with pytest.raises(tfdsl.CompileError) as wrong:
        tfdsl.compile(text=text, target="volcano", params={"api_token": "hunter2-hunter2"})
    assert "hunter2" not in str(wrong.value)
    assert "hunter2" not in repr(wrong.value.diagnostics)
    assert "***" in str(wrong.value)


def test_files_of_a_job_with_a_secret_are_private(tmp_path: Path) -> None:
    text = 'param t: string\njob j { image = "i:1", env = { API_TOKEN = t }, role worker { command = ["x"] } }'
    result = tfdsl.compile(text=text, target="volcano", params={"t": "hunter2-hunter2"})
    (path,) = result.write(tmp_path / "out")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_secret_in_a_map_is_hidden_and_its_files_are_private(tmp_path: Path) -> None:
    text = 'job j { image = "i:1", command = ["x"], memory = 1Gi, role worker { } }'
    files = {"a.json": {"db_password": "hunter2-hunter2"}}
    with pytest.raises(tfdsl.CompileError) as wrong:
        tfdsl.compile(text=text, target="slider", options={"config_files": files, "am_memory": 1})
    assert "hunter2" not in str(wrong.value)
    result = tfdsl.compile(text=text, target="slider", options={"config_files": files})
    paths = result.write(tmp_path / "out")
    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in paths} == {0}


def test_files_are_written_all_or_none(tmp_path: Path) -> None:
    (tmp_path / "k.yaml").mkdir()
    with pytest.raises(OSError, match="nothing was written"):
        tfdsl.compile(text=TWO, target="volcano").write(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["k.yaml"]


def test_formatting() -> None:
    assert tfdsl.format("job a{role worker{}}  # why\n") == "job a { role worker { } }  # why\n"
    with pytest.raises(tfdsl.CompileError, match="cannot format"):
        tfdsl.format("job a {")


# --- several at once -------------------------------------------------------------------------------------------


def test_threads_do_not_disturb_each_other() -> None:
    """Each thread compiles for targets of its own, again and again, while the others do."""
    names = [backend.name for backend in targets.built_in() if backend.output == "stream"]
    path = EXAMPLES / "mnist/main.tfjob"

    def made(target: str, workers: int) -> tuple[str, tuple[tfdsl.Diagnostic, ...]]:
        result = tfdsl.compile(path, target, params={"workers": workers})
        return result.text, result.diagnostics

    alone = {(target, workers): made(target, workers) for target in names for workers in (1, 5)}
    wrong: list[object] = []
    start = threading.Barrier(4)

    def work(number: int) -> None:
        start.wait()
        for turn in range(4):
            key = names[(number + turn) % len(names)], (1, 5)[(number + turn) % 2]
            if made(*key) != alone[key]:
                wrong.append(key)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_help_shows_all_arguments_and_others_are_refused() -> None:
    assert set(inspect.signature(tfdsl.compile).parameters) == {
        "source", "target", "strict", "text", "base", "profile", "params", "params_file", "job", "options", "name"
    }  # fmt: skip
    assert "options" not in inspect.signature(tfdsl.info).parameters
    with pytest.raises(TypeError, match="unexpected keyword argument 'options'"):
        tfdsl.info(text="job a { role worker { } }", options={"a": 1})  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'parms'"):
        tfdsl.load(text="job a { role worker { } }", parms={})  # type: ignore[call-arg]
