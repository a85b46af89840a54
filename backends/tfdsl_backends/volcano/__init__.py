"""Volcano: one ``batch.volcano.sh/v1alpha1`` Job, with claims and TensorBoard's Service beside it."""

from tfdsl.backend import Backend
from tfdsl_backends.podspec import SCHEMAS
from tfdsl_backends.volcano.features import VERSIONS
from tfdsl_backends.volcano.messages import RULES
from tfdsl_backends.volcano.options import OPTIONS
from tfdsl_backends.volcano.support import SUPPORT

BACKEND = Backend(
    name="volcano",
    title="Volcano",
    prefix="VOL",
    versions=VERSIONS,
    options=OPTIONS,
    support=SUPPORT,
    output="stream",
    lowering="tfdsl_backends.volcano.lower",
    lifecycle="tfdsl_backends.volcano.lifecycle",
    cluster="tfdsl_backends.volcano.cluster",
    flows="tfdsl_backends.volcano.flows",
    objects="tfdsl_backends.volcano.cluster_objects",
    rules=RULES,
    synonyms=("vcjob",),
    schemas=SCHEMAS,
    patch_rules="tfdsl_backends.volcano.patch_rules",
    reading="tfdsl_backends.volcano.reading",
    reads=("Volcano Jobs",),
    kinds=("Job", "CronJob", "JobTemplate"),
    pods=True,
    docs="docs/targets/volcano.md",
    own_labels=("volcano.sh/job-", "volcano.sh/task-"),
    refused_labels=("volcano.sh/job-", "volcano.sh/task-"),
    starter=('on failed => restart job, queue = "default"',),
)
