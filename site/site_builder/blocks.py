"""Texts of files as blocks of Markdown."""

from __future__ import annotations


def block(name: str, text: str) -> str:
    """A block of Markdown with the text of a file, in its colours."""
    fence = "`" * max(3, *(len(run) + 1 for run in _runs(text)))
    return f"{fence}{_language(name)}\n{text.rstrip()}\n{fence}\n"


def _runs(text: str) -> list[str]:
    """Lines of backquotes that would end a block."""
    return [line.strip() for line in text.splitlines() if line.strip() and not line.strip().strip("`")] or [""]


_LANGUAGES = {
    "json": "json",
    "py": "python",
    "sbatch": "sh",
    "sh": "sh",
    "tfjob": "tfjob",
    "toml": "toml",
    "yaml": "yaml",
    "yml": "yaml",
}


def _language(name: str) -> str:
    if name.endswith("Dockerfile"):
        return "docker"
    return _LANGUAGES.get(name.rsplit(".", 1)[-1], "text")


def indented(text: str) -> str:
    """A text as the content of a tab or a box."""
    return "".join(f"    {line}" if line.strip() else line for line in text.splitlines(keepends=True))
