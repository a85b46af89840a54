"""Options of the tfjob target."""

from __future__ import annotations

from tfdsl.backend import Option
from tfdsl.vocabulary.types import BOOL, STRING, one_of
from tfdsl_backends.podspec.options import POD_OPTIONS

OPTIONS = (
    Option(
        "tf_config",
        one_of("operator", "static"),
        "Who sets TF_CONFIG: the operator (which always does for jobs with several replicas), or a shell that starts "
        "every command and exports the value of the language reference.",
        "operator",
    ),
    Option(
        "gang_scheduler",
        STRING,
        "The scheduler that the operator was started with (`--gang-scheduler-name`), e.g. `volcano` or "
        "`scheduler-plugins-scheduler`; empty: none, and the operator creates no PodGroup.",
        "",
    ),
    Option(
        "limit_restarts",
        BOOL,
        "Write `retries` as `backoffLimit`, which ends a job whose containers restart too often. `false` omits it: the "
        "operator restarts them without a limit.",
        True,
    ),
    Option("kueue", BOOL, "`queue` is a Kueue LocalQueue: it is written as the label that Kueue reads.", False),
    *POD_OPTIONS,
)
