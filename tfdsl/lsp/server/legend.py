"""The numbers of semantic tokens, in a module of their own because a client gets them before anything is loaded."""

from __future__ import annotations

from lsprotocol import types

TYPES = ("class", "namespace", "struct", "parameter", "variable", "type", "event", "enumMember", "property", "function")
MODIFIERS = ("declaration", "readonly")
LEGEND = types.SemanticTokensLegend(list(TYPES), list(MODIFIERS))
