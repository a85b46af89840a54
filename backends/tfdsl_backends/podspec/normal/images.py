"""Which tag an image has, as the server reads it to find the default of ``imagePullPolicy``.

Source: ``pkg/util/parsers`` of Kubernetes and the grammar of ``distribution/reference``.
"""

from __future__ import annotations

import re
from typing import Final

_COMPONENT: Final = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_HOST: Final = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_IMAGE: Final = re.compile(
    rf"((?:(?:{_HOST}(?:\.{_HOST})*|\[[a-fA-F0-9:]+\])(?::\d+)?/)?{_COMPONENT}(?:/{_COMPONENT})*)"
    r"(?::(\w[\w.-]{0,127}))?(@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?",
    re.ASCII,
)
_ID: Final = re.compile("[a-f0-9]{64}")
_LONGEST: Final = 255


def pull_policy(image: str) -> str:
    """``Always`` for ``latest`` and for an image with neither tag nor digest; what is no image is not."""
    found = _IMAGE.fullmatch(image) if len(image) < 2 * _LONGEST and not _ID.fullmatch(image) else None
    if found is None or len(found[1]) > _LONGEST:
        return "IfNotPresent"
    tag = found[2] or ("" if found[3] else "latest")
    return "Always" if tag == "latest" else "IfNotPresent"
