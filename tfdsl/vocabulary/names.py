"""How names are written in Kubernetes, as regular expressions for the whole name.

Source: RFC 1123 and k8s.io/apimachinery, ``util/validation``.
"""

from __future__ import annotations

LONGEST_LABEL = 63
LONGEST_NAME = 253
LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
"""A DNS label of any length: its length has a message of its own."""
LABEL_FORM = "lowercase letters, digits and - between them"
SUBDOMAIN = rf"(?=.{{1,{LONGEST_NAME}}}\Z){LABEL}(\.{LABEL})*"
QUALIFIED = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
"""The name of a label, without its prefix."""
LABEL_VALUE = f"({QUALIFIED})?"
LABEL_KEY = rf"([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?{QUALIFIED}"
PORT = "(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*"
LONGEST_PORT = 15


def label(longest: int = LONGEST_LABEL) -> str:
    """A DNS label of at most ``longest`` characters."""
    return f"[a-z0-9]([-a-z0-9]{{0,{longest - 2}}}[a-z0-9])?"
