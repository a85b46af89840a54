"""Hadoop YARN 2.10 to 3.4 with the stock DistributedShell: a script that submits, and the script it sends."""

from tfdsl.backend import Backend
from tfdsl_backends.hadoop.options import needs_image
from tfdsl_backends.yarn.messages import RULES
from tfdsl_backends.yarn.options import OPTIONS, VERSIONS
from tfdsl_backends.yarn.support import FLOWS, SUPPORT

BACKEND = Backend(
    name="yarn",
    title="YARN DistributedShell",
    prefix="YRN",
    versions=VERSIONS,
    options=OPTIONS,
    support=SUPPORT,
    output="files",
    lowering="tfdsl_backends.yarn.lower",
    objects="tfdsl_backends.yarn.lifecycle",
    rules=(*RULES, *FLOWS.rules()),
    synonyms=("distributedshell",),
    akin=("hadoop",),
    docs="docs/targets/yarn.md",
    requires_image=needs_image,
    knows_submitter=True,
    lifecycle="tfdsl_backends.yarn.lifecycle",
    flows="tfdsl_backends.yarn.flows",
    reading="tfdsl_backends.yarn.reading",
    reads=("Yarnfiles", "configurations of TonY", "command lines of DistributedShell"),
    commands=("yarn", "hadoop", "tony", "submarine"),
    cluster="tfdsl_backends.yarn.cluster",
)
