"""JobSet: one ``jobset.x-k8s.io/v1alpha2`` JobSet, an Indexed Job for each role, with claims beside it."""

from tfdsl.backend import Backend
from tfdsl_backends.jobset.messages import RULES
from tfdsl_backends.jobset.options import OPTIONS, VERSIONS
from tfdsl_backends.jobset.support import SUPPORT
from tfdsl_backends.podspec import SCHEMAS
from tfdsl_backends.podspec.options import JOB_LABELS

BACKEND = Backend(
    name="jobset",
    title="JobSet",
    prefix="JBS",
    versions=VERSIONS,
    options=OPTIONS,
    support=SUPPORT,
    output="stream",
    lowering="tfdsl_backends.jobset.lower",
    rules=RULES,
    synonyms=("jobsets",),
    schemas=SCHEMAS,
    patch_rules="tfdsl_backends.jobset.patch_rules",
    reading="tfdsl_backends.jobset.reading",
    reads=("JobSets",),
    kinds=("JobSet",),
    pods=True,
    docs="docs/targets/jobset.md",
    own_labels=("jobset.sigs.k8s.io/", "alpha.jobset.sigs.k8s.io/", *JOB_LABELS),
    refused_labels=JOB_LABELS,
    lifecycle="tfdsl_backends.jobset.lifecycle",
    cluster="tfdsl_backends.jobset.cluster",
    flows="tfdsl_backends.jobset.flows",
)
