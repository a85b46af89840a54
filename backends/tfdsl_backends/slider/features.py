"""The differences between the versions of Slider."""

from __future__ import annotations

from tfdsl.record import Record

VERSIONS = ("0.91", "0.92")
"""Known versions, the default last."""


class Features(Record):
    """What a version can do.

    ``agent_packages``: the agent copies the folders of the package that ``packages`` names. From 0.92 on the
    application master looks for them as resources in HDFS instead, and fails when they are not there (SLIDER-1107).
    ``config_files``: the application master can write configuration files (``am.config.generation``).
    """

    agent_packages: bool
    config_files: bool


def features(version: str) -> Features:
    """The features of ``version``, one of :data:`VERSIONS`."""
    return {
        "0.91": Features(agent_packages=True, config_files=False),
        "0.92": Features(agent_packages=False, config_files=True),
    }[version]
