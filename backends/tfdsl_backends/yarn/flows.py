"""Flows on YARN."""

from __future__ import annotations

from typing import Final

from tfdsl_backends.hadoop.flows import Script
from tfdsl_backends.yarn.options import features
from tfdsl_backends.yarn.support import FLOWS

LOWERING: Final = Script(FLOWS, stays=True, tags=lambda version: features(version).tags)
