"""What each task of plain Jobs will see: exactly the language's TF_CONFIG and flags."""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING

from tfdsl.backend import TaskConfig
from tfdsl.ir.cluster_spec import cluster_spec
from tfdsl_backends.kubernetes.pods import address, gets_config
from tfdsl_backends.podspec.tasks import task_flags, tf_configs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tfdsl.backend import Unit


def tasks(unit: Unit) -> Sequence[TaskConfig]:
    """The TF_CONFIG and flags of every replica."""
    job = unit.job
    spec = cluster_spec(job, address(unit))
    found: list[TaskConfig] = []
    for role in job.roles:
        configs = tf_configs(role, spec) if gets_config(job, role) else repeat(None)
        given = enumerate(zip(task_flags(job, role, spec), configs, strict=False))
        found += [TaskConfig(role.name, index, config, flags) for index, (flags, config) in given]
    return found
