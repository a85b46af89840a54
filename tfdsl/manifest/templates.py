"""Templates that become manifests only when another tool has filled them in.

A whole file of that kind cannot be imported, only what it renders to. Where all braces stand for single values, as in a
string of an Argo Workflow or in the templates of simpletfjob, they are read as text.
"""

from __future__ import annotations

import re
from typing import Final

from tfdsl.diagnostics import Diagnostic, command_rules
from tfdsl.patterns import regex
from tfdsl.text import Source, Span

HELM = regex(r"\{\{[^{}\n]*(?:\.(?:Values|Release|Chart|Capabilities)\.[A-Za-z]|\b(?:include|toYaml|nindent|tpl)\b)")
_GO = regex(r"\{\{-?\s*(?:/\*|\$|\.[A-Za-z_]|(?:if|else|end|range|with|define|block|template)\b)")
_OTHER = regex(r"(\{%)-?\s*[a-z]+\b|^[^#\n]*[:-]\s*(\{\{)", re.M)
"""A statement of Jinja, or a value that begins with braces, which is not YAML."""

PLACEHOLDER = regex(
    r"\{\{[^{}\n]*\}\}|(?<!\$)\$(?:\{[^{}\n]+\}|\([^()\s]+\)|[A-Z_][A-Z0-9_]*)"
    r"|<<[^<>\n]+>>|<[A-Za-z][^<>\n]*>|\[[A-Z][A-Z0-9_ -]*\]"
)
"""What another tool replaces by a value, in the ways that people write it."""
_VALUE = regex(r"\{\{-?\s*(?!(?:else|end)\b)[.$]?\w[\w.-]*\s*(?:\|\s*(?!(?:toYaml|n?indent)\b)[^{}\n|]*)*-?\}\}")

_SIMPLETFJOB = regex(r"\{\{\s*\.TF_CONFIG\s*\}\}")
_NOT_OF_SIMPLETFJOB = regex(r"\{\{(?!\s*\.(?:type|index|host|TF_CONFIG)\s*\}\})")
_BLOCK_OF_CONFIG = regex(r"([>|])([-+]?[ \t]*\r?\n[ \t]*\{\{\s*\.TF_CONFIG\s*\}\})")
_CONFIG: Final = "{{.TF_CONFIG}}"
_BRACES = regex(r"\{\{[^{}\n]*\}\}")
# Characters without a meaning of their own, which YAML allows everywhere in a word: one for each of ASCII.
_SHIFT: Final = 0xE000
_FOR_CONFIG: Final = "\ue0ff"
_HIDDEN: Final = {code: code + _SHIFT for code in range(128)}
_SHOWN: Final[dict[int, int | str]] = {code + _SHIFT: code for code in range(128)} | {ord(_FOR_CONFIG): _CONFIG}


def diagnostic(source: Source) -> Diagnostic | None:
    """The message about the template that ``source`` is, if it is one."""
    for pattern, what, advice in (
        (HELM, "a Helm template", "import what it renders: helm template . | tfdsl import -"),
        (_GO, "a Go template", "import what it renders"),
        (_OTHER, "a template", "import what it renders"),
    ):
        match = pattern.search(source.text)
        if match is not None:
            start = match.start(match.lastindex or 0)
            return command_rules.NOT_A_MANIFEST(Span(source, start, start + 2), what=what).help(advice)
    return None


def has_values_alone(text: str) -> bool:
    """Whether all braces of ``text``, a template, stand for single values: what is around them is a manifest."""
    return "{%" not in text and "{{" not in _VALUE.sub("", text)


def is_of_simpletfjob(text: str) -> bool:
    """Whether ``text`` is a template of simpletfjob, which has four words to fill in."""
    return _SIMPLETFJOB.search(text) is not None and _NOT_OF_SIMPLETFJOB.search(text) is None


def hidden(text: str) -> str:
    """``text``, as long as it was, in which no ``{{…}}`` means anything to YAML.

    simpletfjob fills in a block of lines below ``value: >``; that whole block becomes one word.
    """
    text = _BLOCK_OF_CONFIG.sub(_in_place_of_block, text)
    return _BRACES.sub(lambda match: match[0].translate(_HIDDEN), text)


def shown(value: str) -> str:
    """A value read from :func:`hidden` text, with its braces."""
    return value if value.isascii() else value.translate(_SHOWN)


def _in_place_of_block(match: re.Match[str]) -> str:
    return _FOR_CONFIG + "".join(character if character in "\r\n" else " " for character in match[2])
