"""The Kubeflow TFJob of the training operator (API kubeflow.org/v1)."""

from tfdsl.backend import Backend
from tfdsl_backends.podspec import SCHEMAS
from tfdsl_backends.tfjob.messages import RULES
from tfdsl_backends.tfjob.options import OPTIONS, VERSIONS
from tfdsl_backends.tfjob.support import SUPPORT

BACKEND = Backend(
    name="tfjob",
    title="Kubeflow TFJob",
    prefix="KTF",
    versions=VERSIONS,
    options=OPTIONS,
    support=SUPPORT,
    output="stream",
    lowering="tfdsl_backends.tfjob.lower",
    objects="tfdsl_backends.tfjob.cluster_objects",
    rules=RULES,
    aliases=("kubeflow",),
    akin=("trainingoperator",),
    schemas=SCHEMAS,
    patch_rules="tfdsl_backends.tfjob.patch_rules",
    pods=True,
    reading="tfdsl_backends.tfjob.reading",
    reads=("TFJobs of every version",),
    kinds=("TFJob",),
    docs="docs/targets/tfjob.md",
    lifecycle="tfdsl_backends.tfjob.lifecycle",
    cluster="tfdsl_backends.tfjob.cluster",
    flows="tfdsl_backends.tfjob.flows",
    own_labels=("training.kubeflow.org/",),
    starter=(
        "# tfdsl: allow[tfjob-deleted-pod-fails] drains are announced here; the job is submitted again afterwards",
        "on failed => restart container",
    ),
)
