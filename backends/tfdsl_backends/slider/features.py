"""The differences between the versions of Slider."""

from __future__ import annotations

from tfdsl.record import Record

VERSIONS = ("0.91", "0.92")
"""Known versions, the default last."""


class Features(Record):
    """What a version can do.

    ``agent_packages``: the agent copies the folders of the package that ``packages`` names. From 0.92 on the
    application master looks for them as resources in HDFS instead, and fails when they are not there (SLIDER-1107).
    """

    agent_packages: bool


def features(version: str) -> Features:
    """The features of ``version``, one of :data:`VERSIONS`."""
    return {"0.91": Features(agent_packages=True), "0.92": Features(agent_packages=False)}[version]
