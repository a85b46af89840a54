"""Options of the kubernetes target."""

from __future__ import annotations

from tfdsl.backend import Option
from tfdsl.vocabulary.types import STRINGS
from tfdsl_backends.podspec.options import POD_OPTIONS

OPTIONS = (
    Option(
        "hosts",
        STRINGS,
        "Names of nodes, one per replica, used in order: ps first, then chief or master, worker, evaluator. Each "
        "replica becomes a Job on its node, on the node's network. Without hosts, a role is one Indexed Job that the "
        "scheduler places.",
        (),
        ("nodeName", "node", "nodelist"),
    ),
    Option("exclude", STRINGS, "Nodes of `hosts` to skip.", ()),
    *POD_OPTIONS,
)
