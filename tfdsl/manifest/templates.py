"""Templates that become manifests only when another tool has filled them in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.diagnostics import import_rules as rules
from tfdsl.patterns import regex
from tfdsl.text import Span

if TYPE_CHECKING:
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.text import Source

_ACTION = (
    r"(?:if|else|end|range|with|define|block|template|include|toYaml|tpl|required|default|quote|printf|n?indent)\b"
)
HELM = regex(r"\{\{-?\s*(?:/\*|\$|\.[A-Za-z]|[({]?\s*" + _ACTION + ")")
"""What only a template of Helm has. Argo's own ``{{inputs.parameters.x}}`` and ``{{item}}`` are none."""
JINJA = regex(r"\{%-?\s*[a-z]+\b|^[^#\n]*[:-]\s*\{\{")
"""A statement of Jinja, or a value that begins with braces, which is not YAML."""


def diagnostic(source: Source) -> Diagnostic | None:
    """The message about the template that ``source`` is, if it is one."""
    helm = HELM.search(source.text)
    if helm is not None:
        found = rules.NOT_A_MANIFEST(Span(source, *helm.span()), what="a Helm template")
        return found.help("import what it renders: helm template . | tfdsl import -")
    other = JINJA.search(source.text)
    if other is not None:
        found = rules.NOT_A_MANIFEST(Span(source, *other.span()), what="a template")
        return found.help("import what it renders to")
    return None
