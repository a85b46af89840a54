"""Attributes of a job that are one field of the ``spec`` of Volcano's; see :mod:`tfdsl_backends.podspec.fields`."""

from __future__ import annotations

from typing import Final

from tfdsl_backends.podspec.fields import Field

SPEC: Final = (
    Field("queue", "queue", filled="default"),
    Field("scheduler", "schedulerName", filled="volcano"),
    Field("priority", "priorityClassName"),
    Field("ttl", "ttlSecondsAfterFinished", "seconds", fits=lambda number: number >= 0),
)
