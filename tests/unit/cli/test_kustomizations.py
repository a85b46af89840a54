"""A kustomization that renames a job is warned of where the job does not work under another name.

What kustomize renames, and what keeps the old name, is from kustomize 5.5 and 5.7 (``kubectl kustomize``, ``kustomize
build``), which the conformance run asks again: references in objects of Kubernetes' own kinds follow; texts, objects of
other kinds and labels that controllers derive from names do not.
"""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import Ran, tfdsl
from tfdsl import targets
from tfdsl.compiling import kustomizations
from tfdsl.compiling.beside_output import kept_names
from tfdsl.compiling.kustomizations import around, renamings, with_resources
from tfdsl.compiling.pipeline import compile_source
from tfdsl.text import Source

if TYPE_CHECKING:
    from pathlib import Path

JOB = """\
job digits {
  image   = "registry.example.com/digits:1"
  command = ["python", "train.py"]
  role chief  { cpu = 2, memory = 4Gi }
  role worker { replicas = 2, cpu = 2, memory = 4Gi }
}
"""
TENSORBOARD = JOB.replace("  role chief", '  role tensorboard { logdir = "s3://b/logs" }\n  role chief')
CLAIM = JOB.replace("  role chief", '  mount claim 10Gi at "/scratch"\n  role chief')
FLAGS = JOB.replace("  role chief", '  cluster { discovery = "both" }\n  role chief')
HOSTS = "the hosts in TF_CONFIG or flags"
LABELS = "the labels by which its pods are found"
SUBDOMAIN = "the subdomain of its pods"
CLAIMS = "the claim that its pods mount"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a root, with a job and a kustomization beside its output."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "digits.tfjob").write_text(JOB)
    kustomization(tmp_path / "out", "resources: [digits.yaml]\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def kustomization(folder: Path, text: str, name: str = "kustomization.yaml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    return path


def found(output: str = "out/digits.yaml") -> list[str]:
    """The places of the renamings that reach a file."""
    return [
        f"{one.span.source.path}:{one.span.source.position(one.span.start)[0]}"
        for one in renamings(around([output]), [output])
    ]


# --- what is warned of ------------------------------------------------------------------------------------------------


def compiled(project: Path, *words: str, target: str = "kubernetes") -> Ran:
    ran = tfdsl("compile", "digits.tfjob", "-t", target, "-o", "out", *words, cwd=project)
    assert ran.status == 0, ran.err
    return ran


def warned(ran: Ran) -> list[str]:
    lines = [line for line in ran.err.splitlines() if "kustomize-renames" in line]
    return [line.partition("kustomize-renames: ")[2] for line in lines]


def command(ran: Ran) -> list[str]:
    """The command that is advised."""
    (advised,) = filter(None, (line.partition("give the job that name: ")[2] for line in ran.err.splitlines()))
    return shlex.split(advised)


@pytest.mark.parametrize("field", ["namePrefix", "nameSuffix"])
def test_the_folder_of_the_output_has_one(project: Path, field: str) -> None:
    kustomization(project / "out", f"resources: [digits.yaml]\n{field}: x-y\n")
    ran = compiled(project)
    assert warned(ran) == [f"kubernetes: {field} renames job digits, but not {SUBDOMAIN} and {HOSTS}"]
    assert "--> out/kustomization.yaml:2:13" in ran.err
    name = {"namePrefix": "x-ydigits", "nameSuffix": "digitsx-y"}[field]
    assert command(ran) == ["tfdsl", "compile", "digits.tfjob", "-t", "kubernetes", "--name", name, "-o", "out"]


def test_one_with_both_is_told_the_name_with_both(project: Path) -> None:
    kustomization(project / "out", "resources: [digits.yaml]\nnamePrefix: x-\nnameSuffix: -y\n")
    ran = compiled(project)
    assert [text.split(" renames ")[0] for text in warned(ran)] == ["kubernetes: namePrefix", "kubernetes: nameSuffix"]
    assert ran.err.count("--name x-digits-y -o out") == 2


def test_several_jobs_and_targets_below_an_overlay(project: Path) -> None:
    (project / "digits.tfjob").write_text(JOB + JOB.replace("job digits", "job letters"))
    kustomization(project / "out/kubernetes", "resources: [digits.yaml, letters.yaml]\n")
    kustomization(project / "dev", "resources: [../out/kubernetes]\nnamePrefix: dev-\n")
    ran = compiled(project, "-t", "jobset")
    assert warned(ran) == [f"kubernetes: namePrefix renames job digits, but not {SUBDOMAIN} and {HOSTS}"]
    assert command(ran)[3:] == ["-t", "kubernetes", "--job", "digits", "--name", "dev-digits", "-o", "dev"]


OWN_CONFIGS = [
    "not json",
    "[1]",
    "{}",
    *(f'{{"cluster": {one}}}' for one in ("[1]", '{"worker": 1}', '{"worker": [1]}')),
]


@pytest.mark.parametrize("config", OWN_CONFIGS)
def test_a_config_that_the_job_writes_itself_can_be_anything(project: Path, config: str) -> None:
    kustomization(project / "out", "resources: [digits.yaml]\nnamePrefix: x-\n")
    own = f'  env = {{ TF_CONFIG = {json.dumps(config)} }}\n  cluster {{ discovery = "none" }}\n'
    (project / "digits.tfjob").write_text(JOB.replace("  role chief", f"{own}  role chief"))
    assert not warned(compiled(project, target="jobset"))


def test_the_hosts_in_a_config_that_the_job_writes_itself(project: Path) -> None:
    kustomization(project / "out", "resources: [digits.yaml]\nnamePrefix: x-\n")
    config = json.dumps({"cluster": {"worker": {"1": "digits-worker-0-1.digits:2222"}}})
    own = f'  env = {{ TF_CONFIG = {json.dumps(config)} }}\n  cluster {{ discovery = "none" }}\n'
    (project / "digits.tfjob").write_text(JOB.replace("  role chief", f"{own}  role chief"))
    assert warned(compiled(project, target="jobset")) == [f"jobset: namePrefix renames job digits, but not {HOSTS}"]


def test_words_of_a_kustomization_command_nobody(project: Path) -> None:
    kustomization(project / "out", 'resources: [digits.yaml]\nnamePrefix: "$(id)\\u001b[31m; "\n')
    ran = compiled(project)
    assert "\x1b" not in ran.err
    assert len(warned(ran)) == 1


def test_a_target_that_is_not_of_kubernetes(project: Path) -> None:
    kustomization(project / "out", "resources: [digits.yaml]\nnamePrefix: dev-\n")
    assert warned(compiled(project, target="slurm")) == []


@pytest.mark.parametrize(
    ("target", "options", "text", "kept"),
    [
        ("kubernetes", "", JOB, [SUBDOMAIN, HOSTS]),
        ("kubernetes", "", CLAIM, [SUBDOMAIN, HOSTS]),  # the claim follows: a Job is Kubernetes' own
        ("jobset", "", JOB, [HOSTS]),
        ("jobset", "", TENSORBOARD, [HOSTS, LABELS]),
        ("jobset", "", CLAIM, [HOSTS]),  # the controller names the claim after the JobSet
        ("tfjob", "", JOB, []),  # the operator writes TF_CONFIG
        ("tfjob", "", TENSORBOARD, []),  # a Deployment of its own, found by a label that nobody changes
        ("tfjob", "", CLAIM, [CLAIMS]),
        ("tfjob", "", FLAGS, [HOSTS]),
        ("volcano", 'tf_config = "plugin"', JOB, []),
        ("volcano", 'tf_config = "shell"', JOB, []),  # the hosts are in files that Volcano writes
        ("volcano", 'tf_config = "static"', JOB, [HOSTS]),
        ("volcano", "", TENSORBOARD, [LABELS]),
        ("volcano", "", CLAIM, []),  # Volcano makes the claim
    ],
)
def test_what_keeps_its_name(target: str, options: str, text: str, kept: list[str]) -> None:
    backend = targets.find(target)
    assert backend is not None
    text = f"{text[:-2]}  target {target} {{ {options} }}\n}}\n"
    (made,) = compile_source(Source("digits.tfjob", text), backend)
    assert [one.what for one in kept_names(made)] == kept


# --- which kustomizations reach the output ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["kustomization.yaml", "kustomization.yml", "Kustomization"])
@pytest.mark.parametrize("field", ["resources", "bases", "components"])
def test_an_overlay_has_one(project: Path, name: str, field: str) -> None:
    kustomization(project / "overlays/dev", f"{field}:\n- ../../out\nnamePrefix: dev-\n", name)
    assert found() == [f"overlays/dev/{name}:3"]


def test_an_overlay_of_an_overlay_has_one(project: Path) -> None:
    kustomization(project / "middle", "resources: [../out]\n")
    kustomization(project / "top/a", "resources: [../../middle]\nnamePrefix: a-\n")
    kustomization(project / "top/b", "resources: [../../middle]\nnameSuffix: -b\n")
    assert found() == ["top/a/kustomization.yaml:2", "top/b/kustomization.yaml:2"]


def test_one_above_the_folder_names_the_file(project: Path) -> None:
    (project / "out/kustomization.yaml").unlink()
    kustomization(project, "resources:\n- out/digits.yaml\nnamePrefix: dev-\n")
    assert found() == ["kustomization.yaml:3"]
    kustomization(project, "resources:\n- out/others.yaml\nnamePrefix: dev-\n")
    assert found() == []


@pytest.mark.parametrize(
    "text",
    [
        "resources: [digits.yaml]\n",
        "namePrefix: ''\n",
        "namePrefix:\n",
        "namePrefix: 3\n",
        "namePrefix: [a]\n",
        "namePrefix: {a: b}\n",
        "namePrefix: a-\nreplacements: [{path: hosts.yaml}]\n",
        "namePrefix: a-\nconfigurations: [names.yaml]\n",
        "- namePrefix: a-\n",
        "namePrefix",
        "",
        "{{",
        "\t\tx: [",
        "namePrefix: a-\n---\nnamePrefix: b-\n",
        "a: &a [*a]\n",
        f"resources: [{'x, ' * 100_000}]\nnamePrefix: a-\n",
        "[" * 10_000,
    ],
    ids=range(17),
)
def test_what_renames_nothing_or_cannot_be_read(project: Path, text: str) -> None:
    kustomization(project / "out", text)
    assert found() == []


def test_what_is_not_text(project: Path) -> None:
    (project / "out/kustomization.yaml").write_bytes(b"\xff\xfe\x00namePrefix: a-")
    (project / "out/kustomization.yml").symlink_to("/dev/zero")
    (project / "out/Kustomization").mkdir()
    assert found() == []


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ("[../out, ../dev]", ["dev/kustomization.yaml:2"]),
        ("[../../../../../etc]", []),
        ("[https://example.com/base]", []),
        ("['\\0', '', 3, null, [x]]", []),
        ('["\\0", "\\ud800"]', []),
        ("out", []),
        ("{a: b}", []),
    ],
)
def test_resources_of_all_kinds(project: Path, resources: str, expected: list[str]) -> None:
    kustomization(project / "dev", f"resources: {resources}\nnamePrefix: dev-\n")
    assert found() == expected


def test_a_circle_ends(project: Path) -> None:
    kustomization(project / "out", "resources: [digits.yaml, ../b]\n")
    kustomization(project / "b", "resources: [../c]\n")
    kustomization(project / "c", "resources: [../b, ../out]\nnamePrefix: c-\n")
    assert found() == ["c/kustomization.yaml:2"]


def test_nothing_is_searched_without_one_in_or_above_the_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def searched(root: str) -> None:
        raise AssertionError(root)

    (project / "out/kustomization.yaml").unlink()
    kustomization(project / "elsewhere", "resources: [../out/digits.yaml]\nnamePrefix: a-\n")
    monkeypatch.setattr(kustomizations, "_kustomizations", searched)
    assert found() == []


def test_the_search_has_an_end(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kustomization(project / "zzz", "resources: [../out]\nnamePrefix: a-\n")
    for number in range(5):
        kustomization(project / f"a{number}", "resources: []\n")
    assert len(found()) == 1
    monkeypatch.setattr(kustomizations, "MOST_KUSTOMIZATIONS", 4)
    assert found() == []
    monkeypatch.undo()
    monkeypatch.chdir(project)
    monkeypatch.setattr(kustomizations, "MOST_ENTRIES", 3)
    assert found() == []


def test_hidden_folders_and_those_of_packages_are_not_searched(project: Path) -> None:
    for folder in (".venv", "node_modules"):
        kustomization(project / folder / "x", "resources: [../../out]\nnamePrefix: a-\n")
    assert found() == []


def test_without_a_root_it_is_looked_for_below_the_current_folder(project: Path) -> None:
    (project / ".git").rmdir()
    kustomization(project / "dev", "resources: [../out]\nnamePrefix: dev-\n")
    assert found() == ["dev/kustomization.yaml:2"]


# --- what it lists ----------------------------------------------------------------------------------------------------

LISTS = {
    "a list": ("resources:\n  - a.yaml  # one\n\n# end\n", "resources:\n  - a.yaml  # one\n  - b.yaml\n\n# end\n"),
    "no indentation": ("resources:\n- a.yaml\nlabels: []\n", "resources:\n- a.yaml\n- b.yaml\nlabels: []\n"),
    "no line break at the end": ("resources:\n- a.yaml", "resources:\n- a.yaml\n- b.yaml"),
    "line breaks of Windows": ("resources:\r\n- a.yaml\r\n", "resources:\r\n- a.yaml\r\n- b.yaml\r\n"),
    "in brackets": ("resources: [a.yaml] # x\n", "resources: [a.yaml, b.yaml] # x\n"),
    "empty brackets": ("resources: []\n", "resources: [b.yaml]\n"),
    "nothing": ("resources:\nlabels: []\n", "resources:\n- b.yaml\nlabels: []\n"),
    "no resources": ("# mine\nlabels: []\n", "# mine\nlabels: []\nresources:\n- b.yaml\n"),
    "there already": ("resources: ['b.yaml']\n", "resources: ['b.yaml']\n"),
    "with what is gone": ("resources:\n- old.yaml\n- a.yaml\n", "resources:\n- a.yaml\n- b.yaml\n"),
    "only what is gone": ("resources:\n- old.yaml\n", "resources:\n- b.yaml\n"),
    "gone, in brackets": ("resources: [old.yaml, a.yaml]\n", "resources: [a.yaml, b.yaml]\n"),
    "a comment in brackets": ("resources: [a.yaml, # x\n]\n", None),
    "two documents": ("resources: [a.yaml]\n---\na: 1\n", None),
    "an end": ("labels: []\n...\n", None),
    "an anchor": ("resources: &a\n- a.yaml\nlabels: *a\n", None),
    "something else": ("resources: a.yaml\n", None),
    "not a map": ("- a\n", None),
    "not YAML": ("resources: [\n", None),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_list_of_resources_is_edited_or_left(name: str) -> None:
    text, expected = LISTS[name]
    assert with_resources(Source("k", text), ["b.yaml"], ["old.yaml"]) == expected


def test_all_that_is_listed_can_be_gone() -> None:
    assert with_resources(Source("k", "resources:  # ours\n- old.yaml\nx: 1\n"), [], ["old.yaml"]) == (
        "resources: []  # ours\nx: 1\n"
    )


def slugs(ran: Ran) -> list[str]:
    return [line.partition(": ")[0].partition("] ")[2] for line in ran.err.splitlines() if line.startswith("warning[")]


def test_what_no_kustomization_lists_is_told_and_added(project: Path) -> None:
    there = kustomization(project / "out", "# mine\nresources:\n- other.yaml\n")
    assert slugs(compiled(project)) == ["kustomize-unlisted"]
    ran = compiled(project, "--kustomization")
    assert slugs(ran) == []
    assert there.read_text() == "# mine\nresources:\n- other.yaml\n- digits.yaml\n"
    assert slugs(compiled(project)) == []


def test_one_above_that_lists_files_of_the_folder_has_to_list_all(project: Path) -> None:
    (project / "out/kustomization.yaml").unlink()
    there = kustomization(project, "resources: [out/other.yaml]\n")
    assert slugs(compiled(project)) == ["kustomize-unlisted"]
    assert slugs(compiled(project, "--kustomization")) == []
    assert there.read_text() == "resources: [out/other.yaml, out/digits.yaml]\n"
    assert not (project / "out/kustomization.yaml").exists()


def test_where_there_is_none_nothing_is_told_and_one_is_written(project: Path) -> None:
    (project / "out/kustomization.yaml").unlink()
    assert slugs(compiled(project)) == []
    compiled(project, "-t", "volcano", "-t", "slurm", "--kustomization")
    for folder in ("kubernetes", "volcano"):
        assert (project / f"out/{folder}/kustomization.yaml").read_text() == (
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- digits.yaml\n"
        )
    assert not (project / "out/slurm/kustomization.yaml").exists()


def test_one_that_cannot_be_edited_is_an_error_and_nothing_is_written(project: Path) -> None:
    kustomization(project / "out", "resources: [a.yaml, # x\n]\n")
    ran = tfdsl("compile", "digits.tfjob", "-t", "kubernetes", "-o", "out", "--kustomization", cwd=project)
    assert ran.status == 2
    assert (
        "cannot write out/kustomization.yaml: its resources cannot be edited in this form; add digits.yaml" in ran.err
    )
    assert not (project / "out/digits.yaml").exists()


UNREAD = {
    "two documents": b"resources: [a.yaml]\n---\na: 1\n",
    "a comment": b"# mine\n",
    "another encoding": b"# caf\xe9\nresources: []\n",
    "not YAML": b"resources: [a.yaml\n",
    "too large": b"resources:\n" + b"- a.yaml\n" * 40_000,
}


@pytest.mark.parametrize("name", kustomizations.NAMES)
@pytest.mark.parametrize("what", UNREAD)
def test_one_that_cannot_be_read_is_never_written_over(project: Path, what: str, name: str) -> None:
    (project / "out/kustomization.yaml").unlink()
    (project / "out" / name).write_bytes(UNREAD[what])
    ran = tfdsl("compile", "digits.tfjob", "-t", "kubernetes", "-o", "out", "--kustomization", cwd=project)
    assert ran.status == 2
    assert f"cannot write out/{name}: its resources cannot be edited in this form; add digits.yaml" in ran.err
    assert [path.name for path in (project / "out").iterdir()] == [name]
    assert (project / "out" / name).read_bytes() == UNREAD[what]


@pytest.mark.parametrize("folder", [".k", "node_modules/k", "linked"])
def test_one_that_is_not_searched_for_is_edited_where_the_output_goes(project: Path, folder: str) -> None:
    (project / folder).mkdir(parents=True)
    there = project / folder / "kustomization.yaml"
    if folder == "linked":
        kustomization(project / "base", "# mine\nresources: []\n")
        there.symlink_to("../base/kustomization.yaml")
    else:
        there.write_text("# mine\nresources: []\n")
    ran = tfdsl("compile", "digits.tfjob", "-t", "kubernetes", "-o", folder, "--kustomization", cwd=project)
    assert ran.status == 0, ran.err
    assert there.read_text() == "# mine\nresources: [digits.yaml]\n"
    assert there.is_symlink() == (folder == "linked")


@pytest.mark.parametrize("written", ["./digits.yaml", "../out/digits.yaml", "x/../digits.yaml"])
def test_a_name_can_be_written_in_other_ways(project: Path, written: str) -> None:
    there = kustomization(project / "out", f"resources: [{written}]\n")
    compiled(project, "--kustomization")
    assert there.read_text() == f"resources: [{written}]\n"


def test_a_job_is_not_called_as_a_kustomization(project: Path) -> None:
    (project / "digits.tfjob").write_text(JOB.replace("job digits", "job kustomization"))
    ran = tfdsl("compile", "digits.tfjob", "-t", "kubernetes", "-o", "out", cwd=project)
    assert ran.status == 2
    assert "kustomize would take it for a kustomization" in ran.err
    assert (project / "out/kustomization.yaml").read_text() == "resources: [digits.yaml]\n"


def test_a_link_that_leaves_the_project_is_not_written_to(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "k.yaml"
    elsewhere.write_text("resources: []\n")
    (project / "out/kustomization.yaml").unlink()
    (project / "out/kustomization.yaml").symlink_to(elsewhere)
    tfdsl("compile", "digits.tfjob", "-t", "kubernetes", "-o", "out", "--kustomization", cwd=project)
    assert elsewhere.read_text() == "resources: []\n"


@pytest.mark.parametrize("there", [True, False])
def test_a_job_that_removes_itself_and_is_listed(project: Path, there: bool) -> None:
    (project / "digits.tfjob").write_text(JOB.replace("  image ", "  ttl = 1h\n  image ", 1))
    if not there:
        (project / "out/kustomization.yaml").unlink()
    ran = compiled(project)
    assert slugs(ran) == (["kustomize-ttl"] if there else [])
    assert ("digits.tfjob:2:9" in ran.err) == there
