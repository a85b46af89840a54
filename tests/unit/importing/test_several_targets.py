"""Jobs of several targets that are imported together."""

from __future__ import annotations

from tfdsl.importing.manifests import import_manifests
from tfdsl.text import Source

TFJOB = Source(
    "mnist.yaml",
    """\
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: mnist}
spec: {tfReplicaSpecs: {Worker: {template: {spec: {containers: [{name: tensorflow, image: "mnist:1"}]}}}}}
""",
)
VOLCANO = Source(
    "digits.yaml",
    """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: digits}
spec:
  minAvailable: 1
  tasks:
  - name: worker
    replicas: 1
    template: {spec: {containers: [{name: tensorflow, image: "digits:1"}]}}
""",
)
SUBMIT = Source(
    "submit.sh",
    "yarn jar distributedshell.jar -jar distributedshell.jar -appname train -shell_command date -timeout 60000\n",
)
"""Without an image: YARN starts the command on the node, and no other target can."""


def test_jobs_that_fit_into_one_file_are_in_one() -> None:
    [result] = import_manifests([TFJOB, VOLCANO])
    assert [(job.name, job.target, job.kept) for job in result.jobs] == [
        ("mnist", "tfjob", True),
        ("digits", "volcano", True),
    ]


def test_a_job_that_is_an_error_for_the_target_of_another() -> None:
    """The file would compile for none: an error of one job stops all that are compiled with it."""
    [result] = import_manifests([TFJOB, SUBMIT])
    assert [job.name for job in result.jobs] == ["mnist"]
    [error] = [one for one in result.diagnostics if one.level == "error"]
    assert error.span.source is SUBMIT
    assert error.message == (
        "train cannot be a job of the language: in one file with mnist, which is for tfjob, train is an error:"
        " role worker has no image"
    )
    assert error.helps == ("--split -o FOLDER writes a file for each job",)


def test_files_of_their_own() -> None:
    first, second = import_manifests([TFJOB, SUBMIT], apart=True)
    assert ([job.name for job in first.jobs], [job.name for job in second.jobs]) == (["mnist"], ["train"])
