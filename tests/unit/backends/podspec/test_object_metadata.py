"""Name, namespace, labels and annotations of the object that is a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.trees import tree
from tfdsl.backend.draft import Attribute, Draft
from tfdsl.backend.reading import Asked
from tfdsl.manifest.nodes import Document, view
from tfdsl.text import Source
from tfdsl_backends.podspec.reading.objects import job_name, read_metadata

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic


def name(text: str, *, path: str = "job.yaml", within: tuple[str, ...] = (), letter: bool = False) -> tuple[str, ...]:
    """The name for a job with the metadata ``text``, and what is told."""
    told: list[Diagnostic] = []
    node = tree(f"metadata: {text}")
    document = Document(Source(path, ""), node, within=within)
    given = job_name(document, view(node)["metadata"], Asked({}, told.append), letter_first=letter)
    return (given, *(f"{one.level}: {one.message}" for one in told))


def test_a_name_of_its_own() -> None:
    assert name("{name: mnist, generateName: x-}") == ("mnist",)


def test_a_name_that_the_server_makes() -> None:
    assert name("{generateName: tfjob-}") == (
        "tfjob",
        "info: generateName tfjob- becomes the name tfjob: the server makes another name of it each time",
    )


def test_no_name() -> None:
    assert name("{}", path="runs/Small_Job.v2.yaml") == (
        "small-job",
        "warning: the server refuses a job without a name: it needs one; here it is small-job",
    )
    assert name("{}", path="<stdin>")[0] == "job"
    inside = name("{}", path="trial.yaml", within=("Experiment random",))
    assert inside == ("trial", "info: a job without a name becomes job trial: it gets its name elsewhere")


@pytest.mark.parametrize(
    ("given", "made"),
    [("My_Job", "my-job"), ("-a-", "a"), ("a.b", "a-b"), ("日本", "job"), ("x" * 70, "x" * 63), ("a\nb", "a-b")],
)
def test_a_name_that_the_server_refuses(given: str, made: str) -> None:
    assert name(f'{{name: "{given}"}}'.replace("\n", "\\n"))[0] == made


def test_a_name_that_begins_with_a_digit() -> None:
    assert name("{name: 0abc}") == ("0abc",)
    assert name("{name: 0abc}", letter=True) == (
        "job-0abc",
        "warning: the server refuses name 0abc: it begins with a letter",
    )


def test_labels_and_annotations() -> None:
    node = tree("""
namespace: ml
labels: {team: vision, version: 1.5, on: true, none: null, list: [1], kueue: q}
annotations:
  kueue: note
  note: 'a: b'
  kubectl.kubernetes.io/last-applied-configuration: '{}'
uid: 1234
""")
    draft = Draft("x", "tfjob", node.span)
    read_metadata(draft, view(node), without=frozenset({"kueue"}))
    said = [(one.name, one.key, one.value) for one in draft.job.statements if isinstance(one, Attribute)]
    assert said == [
        ("namespace", None, "ml"),
        ("labels", "team", "vision"),
        ("labels", "version", "1.5"),
        ("labels", "on", "true"),
        ("annotations", "kueue", "note"),
        ("annotations", "note", "a: b"),
    ]


def test_metadata_of_any_shape() -> None:
    for text in ("5", "[a]", "{labels: [a], annotations: 5, namespace: {}}"):
        node = tree(text)
        read_metadata(Draft("x", "tfjob", node.span), view(node))
        job_name(Document(Source("a", ""), node), view(node), Asked({}, lambda one: None))
