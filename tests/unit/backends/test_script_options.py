"""Commands in scripts mean the same under POSIXLY_CORRECT, where options end at the first operand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tfdsl_backends

SCRIPTS = [path for end in ("*.j2", "*.sh") for path in sorted(Path(next(iter(tfdsl_backends.__path__))).rglob(end))]
_OPERAND = r"""(?:[\w./]+|"[^"(]*")"""
_LATE = re.compile(rf"^\s*(?:if ! )?(?:chmod|chown|cp|ln|mkdir|mv|rm|rmdir|touch)(?: -\S+)*(?: {_OPERAND})+ -", re.M)
"""An option, or the ``--`` that ends them, behind an operand: ``chmod 700 -- FILE`` asks for a file ``--`` then."""


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_option_follows_an_operand(script: Path) -> None:
    assert _LATE.findall(script.read_text(encoding="utf-8")) == []
