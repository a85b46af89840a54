"""What the targets share whose tasks are run by a script: texts as words of a shell, commands, devices, archives."""

from __future__ import annotations

from pathlib import Path
from typing import Final

PARTS: Final = Path(__file__).with_name("templates")
"""The parts of templates that say what the roles of a job do."""
