"""The differences between the versions of Hadoop in DistributedShell's client and containers."""

from __future__ import annotations

from typing import Literal

from tfdsl.record import Record

VERSIONS = ("2.10", "3.1", "3.3", "3.4")
"""Known versions, the default last."""

NO_TIMEOUT = 2_147_483_647
"""Milliseconds for the client's ``-timeout`` if the job has no deadline: the largest int, 24.8 days.

Without the option the client kills the application after 600,000 ms.
"""


class Features(Record):
    """What a version has.

    ``resources``: ``-container_resources`` (YARN-7242) and with it ``yarn.io/gpu``. ``placement``: the form of a
    source tag in ``-placement_spec`` (YARN-9258), empty where there is none. ``localize``: ``-localize_files``
    (YARN-9008). ``tags``: ``-application_tags`` (YARN-8076). ``docker_mounts``: YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS
    (YARN-5534) and the choice of a docker network. ``docker_tmpfs``: ``…_TMPFS_MOUNTS``. ``numbers``: YARN_SHELL_ID
    (YARN-3950).
    """

    resources: bool = True
    placement: Literal["", "tag=N", "tag(N)"] = "tag(N)"
    localize: bool = True
    tags: bool = True
    docker_mounts: bool = True
    docker_tmpfs: bool = True
    numbers: bool = True


_FEATURES = {
    "2.10": Features(
        resources=False,
        placement="",
        localize=False,
        tags=False,
        docker_mounts=False,
        docker_tmpfs=False,
        numbers=False,
    ),
    "3.1": Features(placement="tag=N", localize=False, docker_tmpfs=False),
    "3.3": Features(),
    "3.4": Features(),
}


def features(version: str) -> Features:
    """The features of ``version``, one of :data:`VERSIONS`."""
    return _FEATURES[version]
