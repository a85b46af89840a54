"""What kustomize does to the output: docs/output.md says it, and TFJ0914 warns of what it breaks."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any, cast

import pytest
import yaml

from tests.unit.cli.shell import tfdsl
from tests.unit.cli.test_kustomizations import CLAIM, FLAGS, JOB, TENSORBOARD
from tfdsl import targets
from tfdsl.compiling.beside_output import CLAIM as CLAIMS, HOSTS, SELECTOR, SUBDOMAIN, kept_names
from tfdsl.compiling.output_files import stream
from tfdsl.compiling.pipeline import compile_source
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conformance.kubernetes.work import Work
    from tfdsl.compiling.pipeline import Made

PREFIX = "dev-"
OWN_LABELS = ("volcano.sh/", "jobset.sigs.k8s.io/", "training.kubeflow.org/", "batch.kubernetes.io/")
TARGETS = ("kubernetes", "tfjob", "volcano", "jobset")
SECRET = JOB.replace("  role chief", '  env = { TOKEN = secret("token", "value") }\n  role chief')


def made(text: str, target: str, options: str = "") -> Made:
    backend = targets.find(target)
    assert backend is not None
    whole = f"{text[:-2]}  target {target} {{ {options} }}\n}}\n"
    (one,) = compile_source(Source("digits.tfjob", whole), backend)
    return one


def kustomized(work: Work, folder: Path, one: Made, kustomization: str) -> dict[str, Any]:
    """The objects that kustomize makes of a job, by kind and name."""
    (folder / "digits.yaml").write_text(stream("-", [one]).written.text)
    (folder / "kustomization.yaml").write_text(f"resources: [digits.yaml]\n{kustomization}\n")
    ran = subprocess.run([work.programs / "kustomize", folder], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return by_name(ran.stdout)


def by_name(text: str) -> dict[str, Any]:
    found = [one for one in yaml.safe_load_all(text) if one is not None]
    return {f"{kind_of(one)} {one['metadata']['name']}": one for one in found}


def kind_of(one: dict[str, Any]) -> str:
    group = one["apiVersion"].partition("/")[0]
    return f"Job.{group}" if group == "batch.volcano.sh" else str(one["kind"])


def differences(one: Any, other: Any, key: str = "") -> Iterator[tuple[str, Any, Any]]:
    """The values that differ, each with the key that it is under, or that its list is under."""
    if isinstance(one, dict) and isinstance(other, dict):
        first, second = cast("dict[str, Any]", one), cast("dict[str, Any]", other)
        for name in {**first, **second}:
            yield from differences(first.get(name), second.get(name), name)
        return
    if isinstance(one, list) and isinstance(other, list):
        pair = cast("list[Any]", one), cast("list[Any]", other)
        if len(pair[0]) == len(pair[1]):
            for items in zip(*pair, strict=True):
                yield from differences(*items, key)
            return
    if one != other:
        yield key, one, other


def kind_of_difference(key: str, value: str) -> Any:
    if key in ("name", "tfdsl/job", "tfdsl/tensorboard") and "." not in value:
        return None  # names within the job: of a volume and its mounts, or labels and their selectors
    if key == "claimName":
        return CLAIMS
    if key == "subdomain":
        return SUBDOMAIN
    return SELECTOR if key.startswith(OWN_LABELS) else HOSTS


@pytest.mark.parametrize(
    ("target", "options", "text"),
    [
        *((target, "", text) for target in TARGETS for text in (JOB, TENSORBOARD, CLAIM, FLAGS)),
        *(("volcano", f'tf_config = "{way}"', JOB) for way in ("plugin", "shell", "static")),
    ],
)
def test_what_a_prefix_breaks_is_known(work: Work, tmp_path: Path, target: str, options: str, text: str) -> None:
    """A job that kustomize has renamed differs from one that was compiled under that name in what is warned of."""
    one = made(text, target, options)
    renamed = kustomized(work, tmp_path, one, f"namePrefix: {PREFIX}")
    named = made(text.replace("job digits", f"job {PREFIX}digits"), target, options)
    expected = by_name(stream("-", [named]).written.text)
    assert set(renamed) == set(expected)
    broken = {
        kind_of_difference(key, str(was))
        for name in renamed
        for key, was, _ in differences(renamed[name], expected[name])
    }
    assert broken - {None} == set(kept_names(one))


@pytest.mark.parametrize("target", TARGETS)
def test_namespaces_and_images_reach_everything(work: Work, tmp_path: Path, target: str) -> None:
    image = "images: [{name: registry.example.com/digits, newTag: '2'}]"
    objects = kustomized(work, tmp_path, made(TENSORBOARD, target), f"namespace: research\n{image}")
    assert {one["metadata"]["namespace"] for one in objects.values()} == {"research"}
    images = {value for key, value in leaves(list(objects.values())) if key == "image"}
    assert images == {"registry.example.com/digits:2"}


def leaves(data: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(data, dict):
        for name, value in cast("dict[str, Any]", data).items():
            yield from leaves(value, name)
    elif isinstance(data, list):
        for value in cast("list[Any]", data):
            yield from leaves(value, key)
    else:
        yield key, data


@pytest.mark.parametrize(
    ("target", "found"), [("kubernetes", True), ("tfjob", True), ("volcano", False), ("jobset", False)]
)
def test_common_labels_and_the_service_of_tensorboard(work: Work, tmp_path: Path, target: str, *, found: bool) -> None:
    objects = kustomized(
        work, tmp_path, made(TENSORBOARD, target), "labels: [{pairs: {team: vision}, includeSelectors: true}]"
    )
    (service,) = [one for name, one in objects.items() if name == "Service digits-tensorboard"]
    assert service["spec"]["selector"]["team"] == "vision"
    others = [one for one in objects.values() if one["kind"] in ("Job", "JobSet", "Deployment")]
    pods = [one["spec"]["template"]["metadata"]["labels"] for one in others if "template" in one["spec"]]
    assert any(set(service["spec"]["selector"].items()) <= set(labels.items()) for labels in pods) == found


@pytest.mark.parametrize("target", TARGETS)
def test_labels_of_pods(work: Work, tmp_path: Path, target: str) -> None:
    objects = kustomized(work, tmp_path, made(JOB, target), "labels: [{pairs: {team: vision}, includeTemplates: true}]")
    for name, one in objects.items():
        assert one["metadata"]["labels"]["team"] == "vision", name
        inside = [value for key, value in leaves(one["spec"]) if key == "team"]
        assert bool(inside) == (one["kind"] == "Job" and target == "kubernetes"), name


@pytest.mark.parametrize("target", TARGETS)
def test_generated_secrets(work: Work, tmp_path: Path, target: str) -> None:
    generator = "secretGenerator: [{name: token, literals: [value=x]}]"
    one = made(SECRET, target)

    def references(kustomization: str) -> tuple[set[str], set[str]]:
        objects = kustomized(work, tmp_path, one, kustomization)
        made_here = {found["metadata"]["name"] for found in objects.values() if found["kind"] == "Secret"}
        jobs = [found for found in objects.values() if found["kind"] in ("Job", "JobSet", "TFJob")]
        return made_here, {value for key, value in leaves(jobs) if key == "name" and str(value).startswith("token")}

    secrets, used = references(generator)
    assert (secrets == used) == (target == "kubernetes")
    secrets, used = references(f"{generator}\ngeneratorOptions: {{disableNameSuffixHash: true}}")
    assert secrets == used == {"token"}


@pytest.mark.parametrize("target", TARGETS)
def test_replicas_are_refused(work: Work, tmp_path: Path, target: str) -> None:
    with pytest.raises(AssertionError, match="does not match a config with the following GVK"):
        kustomized(work, tmp_path, made(JOB, target), "replicas: [{name: digits-worker, count: 5}]")


def test_what_compile_lists_is_what_kustomize_deploys(work: Work, tmp_path: Path) -> None:
    """A new job is not deployed before it is listed; one that is gone is no longer after ``--prune``."""
    folder = tmp_path / "k"
    folder.mkdir()
    (tmp_path / "tfdsl.toml").touch()
    (folder / "old.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: old}\n")
    (folder / "kustomization.yaml").write_text("# ours\nresources:\n  - old.yaml # stays\n")

    def compiled(text: str, *words: str) -> str:
        (tmp_path / "n.tfjob").write_text(text)
        ran = tfdsl("compile", "n.tfjob", "-t", "kubernetes", "-o", "k", *words, cwd=tmp_path)
        assert ran.status == 0, ran.err
        return ran.out + ran.err

    def deployed() -> set[str]:
        ran = subprocess.run([work.programs / "kustomize", folder], capture_output=True, text=True, check=True)
        return {name.partition(" ")[2].partition("-")[0] for name in by_name(ran.stdout)}

    both = JOB + JOB.replace("job digits", "job other")
    assert "kustomize-unlisted" in compiled(both)
    assert deployed() == {"old"}
    compiled(both, "--kustomization")
    assert deployed() == {"old", "digits", "other"}
    assert "would remove k/other.yaml" in compiled(JOB, "--prune", "--dry-run")
    assert deployed() == {"old", "digits", "other"}
    compiled(JOB, "--prune")
    assert deployed() == {"old", "digits"}
    assert (folder / "kustomization.yaml").read_text().startswith("# ours\nresources:\n  - old.yaml # stays\n")
