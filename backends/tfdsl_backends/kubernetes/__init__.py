"""Plain Kubernetes Jobs: Indexed Jobs with a headless Service, or one Job per replica on named hosts."""

from tfdsl.backend import Backend
from tfdsl_backends.kubernetes.messages import RULES
from tfdsl_backends.kubernetes.options import OPTIONS, VERSIONS
from tfdsl_backends.kubernetes.support import SUPPORT
from tfdsl_backends.podspec import SCHEMAS
from tfdsl_backends.podspec.options import JOB_LABELS

BACKEND = Backend(
    name="kubernetes",
    title="Kubernetes Jobs",
    prefix="K8S",
    versions=VERSIONS,
    options=OPTIONS,
    support=SUPPORT,
    output="stream",
    lowering="tfdsl_backends.kubernetes.lower",
    rules=RULES,
    aliases=("simpletfjob",),
    synonyms=("k8s", "kube"),
    akin=("job",),
    schemas=SCHEMAS,
    patch_rules="tfdsl_backends.kubernetes.patch_rules",
    reading="tfdsl_backends.kubernetes.reading",
    reads=("Jobs",),
    kinds=("Job", "CronJob"),
    pods=True,
    docs="docs/targets/kubernetes.md",
    lifecycle="tfdsl_backends.kubernetes.lifecycle",
    cluster="tfdsl_backends.kubernetes.cluster",
    flows="tfdsl_backends.kubernetes.flows",
    own_labels=JOB_LABELS,
    refused_labels=JOB_LABELS,
)
