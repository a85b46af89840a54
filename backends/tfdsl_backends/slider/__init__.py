"""Apache Slider 0.91 and 0.92: an application package with scripts for the agent, and the command that creates it."""

from os.path import dirname, join

from tfdsl.backend import Backend
from tfdsl_backends.hadoop.options import needs_image
from tfdsl_backends.slider.messages import RULES
from tfdsl_backends.slider.options import OPTIONS, VERSIONS
from tfdsl_backends.slider.support import FLOWS, SUPPORT

BACKEND = Backend(
    name="slider",
    title="Apache Slider",
    prefix="SLI",
    versions=VERSIONS,
    options=OPTIONS,
    support=SUPPORT,
    output="files",
    lowering="tfdsl_backends.slider.lower",
    objects="tfdsl_backends.slider.lifecycle",
    rules=(*RULES, *FLOWS.rules()),
    schemas=join(dirname(__file__), "schemas.json"),
    patch_rules="tfdsl_backends.slider.patch_rules",
    docs="docs/targets/slider.md",
    requires_image=needs_image,
    knows_submitter=True,
    gpus_by_label=True,
    lifecycle="tfdsl_backends.slider.lifecycle",
    flows="tfdsl_backends.slider.flows",
    reading="tfdsl_backends.slider.reading",
    reads=("Slider packages",),
    commands=("slider",),
)
