"""``tfdsl diff``: texts, revisions and manifests, compared in the normal form of a target."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.cli.shell import JOB, Ran, tfdsl

if TYPE_CHECKING:
    from pathlib import Path

MORE = JOB.replace("replicas = 2", "replicas = 3")


@pytest.fixture
def repository(folder: Path) -> Path:
    """``folder`` with two commits."""
    return with_commits(folder)


def with_commits(folder: Path) -> Path:
    """``folder`` with two commits: ``mnist.tfjob`` with 2 workers (tag ``two``), then with 3."""
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "two")
    git(folder, "tag", "two")
    (folder / "mnist.tfjob").write_text(MORE)
    commit(folder, "three")
    return folder


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)


def diff(folder: Path, *words: str, stdin: str = "") -> Ran:
    return tfdsl("diff", *words, cwd=folder, stdin=stdin.encode())


def data(ran: Ran) -> dict[str, Any]:
    assert ran.status in (0, 1), ran.err
    found: dict[str, Any] = json.loads(ran.out)
    return found


def manifest(folder: Path, target: str = "tfjob", file: str = "mnist.tfjob") -> str:
    return tfdsl("compile", file, "-t", target, cwd=folder).out


# --- texts -----------------------------------------------------------------------------------------------------


def test_a_text_is_the_same_as_itself_and_as_what_means_the_same(folder: Path) -> None:
    assert diff(folder, "mnist.tfjob", "mnist.tfjob", "-t", "tfjob") == Ran(0, "", "")
    (folder / "other.tfjob").write_text(
        JOB.replace("cpu = 4, ", "cpu = 4000m, ").replace("job mnist", "# x\njob mnist")
    )
    assert diff(folder, "mnist.tfjob", "other.tfjob", "-t", "tfjob") == Ran(0, "", "")


def test_a_unified_diff_names_the_line_that_made_each_change(folder: Path) -> None:
    (folder / "other.tfjob").write_text("# One more line.\n" + MORE)
    ran = diff(folder, "mnist.tfjob", "other.tfjob", "-t", "tfjob")
    assert ran.status == 1
    lines = ran.out.splitlines()
    assert lines[0] == "--- mnist.tfjob: mnist (tfjob 1.9)"
    assert lines[1] == "+++ other.tfjob: mnist (tfjob 1.9)"
    assert lines[2].startswith("@@ -")
    assert lines[2].endswith(" @@ TFJob/mnist")
    changed = [line.split() for line in lines[3:] if line[0] in "+-"]
    assert ["-", "replicas:", "2", "#", "mnist.tfjob:5"] in changed
    assert ["+", "replicas:", "3", "#", "other.tfjob:6"] in changed
    assert {words[0] for words in changed} == {"-", "+"}
    assert len(changed) == 2


def test_the_lines_of_a_hunk_are_those_of_its_head(folder: Path) -> None:
    (folder / "other.tfjob").write_text(MORE.replace("cpu = 4", "cpu = 5", 1).replace("16Gi }\n}", "8Gi }\n}"))
    out = diff(folder, "mnist.tfjob", "other.tfjob", "-t", "volcano").out
    hunks = out.split("@@ -")[1:]
    assert hunks
    for hunk in hunks:
        head, *rows = hunk.rstrip("\n").split("\n")
        before, after = (int(part.split(",")[1]) for part in head.split(" @@")[0].replace("+", "").split(" "))
        assert sum(row[0] in " -" for row in rows) == before
        assert sum(row[0] in " +" for row in rows) == after


def test_a_summary_is_in_the_words_of_the_language(folder: Path) -> None:
    (folder / "other.tfjob").write_text(MORE.replace("mnist:1.4", "mnist:1.5"))
    ran = diff(folder, "mnist.tfjob", "other.tfjob", "-t", "tfjob", "--format", "summary")
    assert ran.status == 1
    images = "registry.example.com/mnist:1.4 → registry.example.com/mnist:1.5  (mnist.tfjob:2, other.tfjob:2)"
    assert ran.out.splitlines() == [
        "mnist (tfjob 1.9)",
        f"  chief: image {images}",
        "  worker: replicas 2 → 3  (mnist.tfjob:5, other.tfjob:5)",
        f"  worker: image {images}",
    ]


def test_json(folder: Path) -> None:
    (folder / "other.tfjob").write_text(MORE)
    found = data(diff(folder, "mnist.tfjob", "other.tfjob", "-t", "tfjob", "--format", "json"))
    assert (found["version"], found["same"], found["a"], found["b"]) == (1, False, "mnist.tfjob", "other.tfjob")
    (job,) = found["jobs"]
    assert (job["a"], job["b"], job["target"], job["same"]) == ("mnist", "mnist", "tfjob", False)
    assert job["differences"] == [
        {
            "object": "TFJob/mnist",
            "path": "spec.tfReplicaSpecs.Worker.replicas",
            "words": "worker: replicas",
            "a": {"value": 2, "path": "mnist.tfjob", "line": 5, "column": 28},
            "b": {"value": 3, "path": "other.tfjob", "line": 5, "column": 28},
        }
    ]
    same = data(diff(folder, "mnist.tfjob", "mnist.tfjob", "-t", "tfjob", "--format", "json"))
    assert (same["same"], same["jobs"][0]["differences"]) == (True, [])


def test_without_a_target_those_with_a_block(folder: Path) -> None:
    ran = diff(folder, "mnist.tfjob", "mnist.tfjob")
    assert (ran.status, "diff needs a target" in ran.err) == (2, True)
    for name, workers in (("a", 2), ("b", 3)):
        text = JOB.replace("replicas = 2", f"replicas = {workers}")
        (folder / f"{name}.tfjob").write_text(text[:-2] + "  target tfjob { }\n  target volcano { }\n}\n")
    found = data(diff(folder, "a.tfjob", "b.tfjob", "--format", "json"))
    assert [job["target"] for job in found["jobs"]] == ["tfjob", "volcano"]


def test_params_apply_to_both_sides(folder: Path) -> None:
    (folder / "a.tfjob").write_text("param n: int = 2\n" + JOB.replace("replicas = 2", "replicas = n"))
    (folder / "b.tfjob").write_text("param n: int = 5\n" + JOB.replace("replicas = 2", "replicas = n"))
    assert diff(folder, "a.tfjob", "b.tfjob", "-t", "tfjob").status == 1
    assert diff(folder, "a.tfjob", "b.tfjob", "-t", "tfjob", "--set", "n=4").status == 0


def test_several_jobs_are_compared_by_name(folder: Path) -> None:
    def jobs(*names: str) -> str:
        return "".join(JOB.replace("job mnist", f"job {name}") for name in names)

    (folder / "a.tfjob").write_text(jobs("one", "two"))
    (folder / "b.tfjob").write_text(jobs("two", "three"))
    ran = diff(folder, "a.tfjob", "b.tfjob", "-t", "tfjob", "--format", "summary")
    assert ran.status == 1
    assert ran.out.splitlines() == ["one (tfjob): only in a.tfjob", "three (tfjob): only in b.tfjob"]
    unified = diff(folder, "a.tfjob", "b.tfjob", "-t", "tfjob").out.splitlines()
    assert unified[:2] == ["--- a.tfjob: one (tfjob 1.9)", "+++ b.tfjob: no such job (tfjob 1.9)"]


def test_scripts_are_compared_line_by_line(folder: Path) -> None:
    for name, command in (("a", "one"), ("b", "two")):
        text = f'job y {{\n  image = "i:1"\n  command = ["python", "{command}.py"]\n  role worker {{ }}\n}}\n'
        (folder / f"{name}.tfjob").write_text(text)
    ran = diff(folder, "a.tfjob", "b.tfjob", "-t", "yarn")
    assert ran.status == 1
    gone, come = [line for line in ran.out.splitlines() if "one.py" in line or "two.py" in line]
    assert (gone[0], come[0], gone[1:].partition("  # ")[2], come[1:].partition("  # ")[2]) == (
        *("-", "+", "a.tfjob:3", "b.tfjob:3"),
    )
    assert tfdsl("compile", "a.tfjob", "-t", "yarn", "-o", "out", "-q", cwd=folder).status == 0
    script = (folder / "out/y/job.sh").read_text().splitlines()
    assert gone[1:].partition("  # ")[0].rstrip() in script  # as it is there, and no item of a list


def test_a_job_as_json(folder: Path) -> None:
    (folder / "m.json").write_text(
        json.dumps(
            {
                "name": "mnist",
                "roles": [
                    {
                        "name": name,
                        "replicas": replicas,
                        "image": "registry.example.com/mnist:1.4",
                        "command": ["python", "train.py"],
                        "cpu": "4",
                        "memory": "16Gi",
                    }
                    for name, replicas in (("chief", 1), ("worker", 2))
                ],
            }
        )
    )
    assert diff(folder, "mnist.tfjob", "m.json", "-t", "tfjob") == Ran(0, "", "")


# --- manifests -------------------------------------------------------------------------------------------------


def test_a_manifest_is_the_same_as_the_text_it_was_compiled_from(folder: Path) -> None:
    (folder / "mnist.yaml").write_text(manifest(folder))
    assert diff(folder, "mnist.tfjob", "mnist.yaml") == Ran(0, "", "")
    assert diff(folder, "mnist.yaml", "mnist.tfjob") == Ran(0, "", "")
    assert diff(folder, "mnist.yaml", "mnist.yaml") == Ran(0, "", "")
    assert diff(folder, "mnist.tfjob", "-", stdin=manifest(folder)).status == 0


def test_what_the_server_adds_is_left_out(folder: Path) -> None:
    live = manifest(folder).replace(
        "metadata:\n  name: mnist\n",
        "metadata:\n  name: mnist\n  namespace: default\n  uid: 8f3c\n  resourceVersion: '12'\n  generation: 1\n"
        "  creationTimestamp: '2026-01-01T00:00:00Z'\n  managedFields: []\n",
        1,
    )
    live += "status:\n  conditions: []\n  replicaStatuses: {}\n"
    ran = diff(folder, "mnist.tfjob", "-", "-t", "tfjob", stdin=live)
    assert ran.status == 0, ran.out


def test_a_change_of_a_manifest_has_its_line(folder: Path) -> None:
    text = manifest(folder).replace("replicas: 2", "replicas: 7")
    (folder / "live.yaml").write_text(text)
    line = next(number for number, one in enumerate(text.splitlines(), 1) if "replicas: 7" in one)
    ran = diff(folder, "mnist.tfjob", "live.yaml", "--format", "summary")
    assert ran.out.splitlines()[1:] == [f"  worker: replicas 2 → 7  (mnist.tfjob:5, live.yaml:{line})"]


def test_objects_beside_the_one_that_was_fetched_are_not_compared(folder: Path) -> None:
    (folder / "t.tfjob").write_text(JOB[:-2] + '  mount claim 1Gi at "/runs"\n  checkpoint = "/runs/x"\n}\n')
    documents = manifest(folder, file="t.tfjob").split("---\n")
    assert len(documents) > 1
    ran = diff(folder, "t.tfjob", "-", "-t", "tfjob", stdin=documents[0])
    assert (ran.status, ran.out) == (0, "")
    assert "info[TFJ4504] diff-not-compared: PersistentVolumeClaim/mnist-runs of t.tfjob is not compared" in ran.err


def test_a_manifest_of_another_target(folder: Path) -> None:
    (folder / "mnist.yaml").write_text(manifest(folder))
    ran = diff(folder, "mnist.tfjob", "mnist.yaml", "-t", "volcano")
    assert (ran.status, "[TFJ4503] diff-other-target: the command line is for volcano" in ran.err) == (2, True)
    assert "= help: compare for the target of the manifest: -t tfjob" in ran.err


def test_secrets_of_a_cluster_are_masked(folder: Path) -> None:
    """Those of a file are shown: who reads the message can read the file."""
    text = manifest(folder)
    variables = "env: [{name: A, value: fast}, {name: DB_PASSWORD, value: xyzzy-live}]\n            "
    live = text.replace("image: ", f"{variables}image: ", 1)
    for form in ("text", "summary", "json"):
        ran = diff(folder, "mnist.tfjob", "-", "-t", "tfjob", "--format", form, stdin=live)
        assert (ran.status, "xyzzy" in ran.out + ran.err, "fast" in ran.out) == (1, False, True)
    (folder / "live.yaml").write_text(live)
    assert "xyzzy-live" in diff(folder, "mnist.tfjob", "live.yaml").out


def test_paths_are_those_of_patches(folder: Path) -> None:
    """A key that is no word is quoted as a patch quotes it, and a quote in it is doubled."""
    text = manifest(folder).replace("  name: mnist\n", "  name: mnist\n  annotations: {a.b/c: '1', \"it's\": '1'}\n", 1)
    (folder / "first.yaml").write_text(text)
    (folder / "second.yaml").write_text(text.replace("'1'", "'2'"))
    ran = diff(folder, "first.yaml", "second.yaml", "--format", "json")
    [job] = data(ran)["jobs"]
    assert [one["path"] for one in job["differences"]] == [
        "metadata.annotations.'a.b/c'",
        "metadata.annotations.'it''s'",
    ]


def test_one_attribute_is_one_line_of_a_summary(folder: Path) -> None:
    """The size of a role is the request and the limit of its container."""
    (folder / "other.tfjob").write_text(JOB.replace("cpu = 4, ", "cpu = 6, "))
    ran = diff(folder, "mnist.tfjob", "other.tfjob", "-t", "tfjob", "--format", "summary")
    assert (ran.status, ran.out.count("worker: cpu 4 → 6")) == (1, 1)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("kind: Pod\napiVersion: v1\n", "TFJ4101"),
        ("kind: [\n", "TFJ4001"),
        ("kind: a\nkind: b\n", "TFJ4002"),
        ('{"kind": "TFJob", "apiVersion": ', "TFJ4"),
        ("kind: TFJob\napiVersion: kubeflow.org/v1\n", ""),
        ("kind: TFJob\napiVersion: kubeflow.org/v1\nmetadata: 5\nspec: [1, null, {a: b}]\n", ""),
        ("kind: TFJob\napiVersion: kubeflow.org/v1\nmetadata: {name: {a: 1}}\nspec: {tfReplicaSpecs: text}\n", ""),
        ("a: &a [x, x]\nkind: *a\n", "TFJ4"),
        ("<a><b></a>", "TFJ4"),
        ("kind: \x1b[31m\n", ""),
    ],
)
def test_hostile_manifests(folder: Path, text: str, code: str) -> None:
    ran = diff(folder, "mnist.tfjob", "-", "-t", "tfjob", stdin=text)
    assert ran.status in (1, 2)
    assert code in ran.err
    assert "\x1b" not in ran.out + ran.err


def test_standard_input_once_and_files_that_are_not_there(folder: Path) -> None:
    assert "standard input can be read only once" in diff(folder, "-", "-").err
    ran = diff(folder, "mnist.tfjob", "none.yaml")
    assert (ran.status, "[TFJ0905]" in ran.err) == (2, True)
    (folder / "bad.tfjob").write_text("job x { cpu = }")
    assert diff(folder, "bad.tfjob", "mnist.tfjob", "-t", "tfjob").status == 2


def test_secrets_of_the_command_line_are_masked(folder: Path) -> None:
    secret = "verysecretthing"
    (folder / "a.tfjob").write_text('param token: string = "x"\n' + JOB.replace('"train.py"', '"${token}"'))
    (folder / "b.tfjob").write_text('param token: string = "x"\n' + JOB.replace('"train.py"', '"no-${token}"'))
    for form in ("text", "summary", "json"):
        ran = diff(folder, "a.tfjob", "b.tfjob", "-t", "tfjob", "--set", f"token={secret}", "--format", form)
        assert (ran.status, secret in ran.out, "***" in ran.out) == (1, False, True)


# --- revisions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("revision", ["two", "HEAD~1", "main~1", "main^"])
def test_a_revision(repository: Path, revision: str) -> None:
    ran = diff(repository, f"mnist.tfjob@{revision}", "mnist.tfjob", "-t", "tfjob", "--format", "summary")
    assert (ran.status, ran.err) == (1, "")
    assert ran.out.splitlines()[1:] == [
        f"  worker: replicas 2 → 3  (mnist.tfjob@{revision}:5, mnist.tfjob:5)",
    ]
    assert diff(repository, "mnist.tfjob@HEAD", "mnist.tfjob", "-t", "tfjob").status == 0


def test_includes_are_those_of_the_revision(folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "common.tfjob").write_text("let workers = 2\n")
    text = 'include "common.tfjob"\n' + JOB.replace("replicas = 2", "replicas = workers")
    (folder / "sub" / "main.tfjob").write_text(text)
    git(folder, "init", "-q")
    commit(folder, "first")
    (folder / "sub" / "common.tfjob").write_text("let workers = 4\n")
    words = ("sub/main.tfjob@HEAD", "sub/main.tfjob", "-t", "tfjob", "--format", "summary")
    assert "worker: replicas 2 → 4" in diff(folder, *words).out
    (folder / "sub" / "common.tfjob").unlink()
    (folder / "sub" / "main.tfjob").unlink()
    (folder / "sub").rmdir()
    words = ("sub/main.tfjob@HEAD", "mnist.tfjob", "-t", "tfjob")
    assert diff(folder, *words).status == 0


def test_a_file_whose_name_has_the_form_of_a_revision(repository: Path) -> None:
    (repository / "mnist.tfjob@none").write_text(MORE)
    assert diff(repository, "mnist.tfjob@none", "mnist.tfjob", "-t", "tfjob").status == 0


def test_such_a_file_is_no_link_to_another_one(repository: Path) -> None:
    (repository / "mnist.tfjob@none").symlink_to("/etc/passwd")
    ran = diff(repository, "mnist.tfjob@none", "mnist.tfjob", "-t", "tfjob")
    assert (ran.status, f"it is outside {repository}" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("brought", "word"),
    [("mnist.tfjob@two", "mnist.tfjob@two"), ("mnist.tfjob@ann", "mnist.tfjob@ann@two"), ("new.tfjob@two",) * 2],
)
def test_a_file_that_somebody_brings_does_not_stand_for_a_revision(repository: Path, brought: str, word: str) -> None:
    git(repository, "branch", "ann@two", "two")
    (repository / brought).write_text(MORE)
    ran = diff(repository, word, "mnist.tfjob", "-t", "tfjob")
    assert ran.status == 2
    assert f"there is a file called {brought}" in ran.err
    assert "name the revision by its commit" in ran.err


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("mnist.tfjob@none", "the repository has no such revision"),
        ("mnist.tfjob@--help", "the repository has no such revision"),
        ("mnist.tfjob@-n1", "the repository has no such revision"),
        ("mnist.tfjob@two:mnist.tfjob", "the repository has no such revision"),
        ("gone.tfjob@two", "there is no such file at that revision"),
        ("mn*.tfjob@two", "there is no such file at that revision"),
        ("no/such/folder/x.tfjob@two", "there is no such file at that revision"),
        ("../outside.tfjob@two", "it is not in a git repository"),
    ],
)
def test_what_is_no_revision(repository: Path, word: str, reason: str) -> None:
    ran = diff(repository, word, "mnist.tfjob", "-t", "tfjob")
    assert (ran.status, f"[TFJ4501] diff-revision: cannot read {word.rpartition('@')[0]} at" in ran.err) == (2, True)
    assert reason in ran.err


def test_outside_of_a_repository_and_without_git(folder: Path) -> None:
    assert "it is not in a git repository" in diff(folder, "mnist.tfjob@HEAD", "mnist.tfjob", "-t", "tfjob").err
    (folder / ".git").mkdir()
    ran = tfdsl("diff", "mnist.tfjob@HEAD", "mnist.tfjob", "-t", "tfjob", cwd=folder, PATH=str(folder))
    assert (ran.status, "git is not installed" in ran.err) == (2, True)


def test_a_link_at_a_revision_is_not_followed(repository: Path) -> None:
    (repository / "link.tfjob").symlink_to("/etc/passwd")
    commit(repository, "link")
    (repository / "link.tfjob").unlink()
    ran = diff(repository, "link.tfjob@HEAD", "mnist.tfjob", "-t", "tfjob")
    assert "it is not a regular file at that revision" in ran.err


def test_nothing_that_a_repository_configures_is_run(repository: Path) -> None:
    hostile = repository / "run.sh"
    hostile.write_text(f"#!/bin/sh\ntouch '{repository}/ran'\n")
    hostile.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "diff.external", "diff.x.textconv", "core.sshCommand"):
        git(repository, "config", name, str(hostile))
    (repository / ".gitattributes").write_text("*.tfjob diff=x filter=x\n")
    assert diff(repository, "mnist.tfjob@two", "mnist.tfjob", "-t", "tfjob").status == 1
    assert not (repository / "ran").exists()


def test_every_order_of_keys_is_the_same(folder: Path) -> None:
    import yaml

    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: turned(value[key]) for key in reversed(list(value))}
        return [turned(one) for one in value] if isinstance(value, list) else value

    text = "---\n".join(yaml.safe_dump(turned(one), sort_keys=False) for one in yaml.safe_load_all(manifest(folder)))
    assert diff(folder, "mnist.tfjob", "-", stdin=text) == Ran(0, "", "")
