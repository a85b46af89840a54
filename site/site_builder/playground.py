"""Links to the playground, which hold the text that it opens."""

from __future__ import annotations

import base64
import json
import posixpath
import re
import zlib

ADDRESS = "playground/index.html"
MAIN = "main.tfjob"
_FIRST = "volcano"
"""The target of a text that is for no target."""
_BLOCK = re.compile(r"^```tfjob\n(?P<text>.*?)^```\n", re.S | re.M)
_JOB = re.compile(r"^job\b", re.M)
_ASKED = re.compile(r"^\$ tfdsl \w+ .*?-t ([\w@.]+)", re.M)
_TARGET = re.compile(r"docs/targets/(\w+)\.md")
_SHAPE = re.compile(r"^- target: `([^`]+)`", re.M)


def link(address: str) -> str:
    """A link to the playground, below a block."""
    return f'<p class="playground-link"><a href="{address}">Open in the playground</a></p>\n'


def linked_jobs(markdown: str, page: str, url: str) -> str:
    """A page with a link below each block that is a whole job, for the target of the first command after it.

    Args:
        markdown: The text of the page.
        page: Its place in the repository.
        url: Its place on the site.
    """
    target = _target(markdown, page)
    up = posixpath.relpath(ADDRESS, posixpath.dirname(url) or ".")

    def with_link(found: re.Match[str]) -> str:
        if not _JOB.search(found["text"]):
            return found[0]
        after, _, _ = markdown[found.end() :].partition("\n```tfjob\n")
        asked = _ASKED.search(after)
        return f"{found[0]}\n{link(up + fragment(found['text'], asked[1] if asked else target))}"

    return _BLOCK.sub(with_link, markdown)


def fragment(text: str, target: str) -> str:
    """The part of an address that makes the playground open a text: ``site/playground/ui/link.ts`` reads it."""
    project = {
        "files": {MAIN: text},
        "main": MAIN,
        "target": target,
        "profile": None,
        "params": {},
        "options": {},
        "job": None,
        "strict": False,
    }
    packed = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    data = packed.compress(json.dumps(project, ensure_ascii=False).encode()) + packed.flush()
    return f"#1={base64.urlsafe_b64encode(data).decode().rstrip('=')}"


def _target(markdown: str, page: str) -> str:
    """The target that a page is about."""
    found = _TARGET.fullmatch(page) or _SHAPE.search(markdown)
    return found[1] if found else _FIRST
