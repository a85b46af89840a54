"""What ``tfdsl --help`` prints. It imports nothing, so that it is there at once."""

from __future__ import annotations

from tfdsl.cli.commands import SUMMARIES

_HEAD = """\
tfdsl describes a distributed TensorFlow job once and compiles it to Kubeflow TFJob, Volcano, Kubernetes, Slider
and YARN.

usage: tfdsl COMMAND ...

commands:
"""

_TAIL = """
options:
  -h, --help      show this help; tfdsl COMMAND --help shows that of a command
  -V, --version   show the version

example:
  tfdsl new mnist
  tfdsl check mnist.tfjob -t tfjob
  tfdsl compile mnist.tfjob -t volcano

Exit status: 0 no errors, 1 errors in the input, 2 wrong use or a file that cannot be
read or written, 70 a bug in tfdsl.
"""


def overview() -> str:
    """The commands with what each does."""
    width = max(map(len, SUMMARIES)) + 2
    return _HEAD + "".join(f"  {name:<{width}}{summary}\n" for name, summary in SUMMARIES.items()) + _TAIL
