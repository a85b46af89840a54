"""Slurm 22.05 to 24.11: a batch script with one step for each replica, and a script that submits it."""

from tfdsl.backend import Backend
from tfdsl_backends.slurm.messages import RULES
from tfdsl_backends.slurm.options import OPTIONS, VERSIONS, needs_image
from tfdsl_backends.slurm.support import FLOWS, SUPPORT

BACKEND = Backend(
    name="slurm",
    title="Slurm",
    prefix="SLM",
    versions=VERSIONS,
    options=OPTIONS,
    support=SUPPORT,
    output="files",
    lowering="tfdsl_backends.slurm.lower",
    rules=(*RULES, *FLOWS.rules()),
    synonyms=("sbatch",),
    akin=("hpc",),
    docs="docs/targets/slurm.md",
    requires_image=needs_image,
    knows_submitter=True,
    lifecycle="tfdsl_backends.slurm.lifecycle",
    cluster="tfdsl_backends.slurm.cluster",
    flows="tfdsl_backends.slurm.flows",
)
