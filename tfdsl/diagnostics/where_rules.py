"""TFJ46xx: looking up which line made which."""

from __future__ import annotations

from tfdsl.diagnostics.diagnostic import Rule

NO_SUCH_LINE = Rule("TFJ4601", "where-no-such-line", "error", "{path} has no line {line}: it ends with line {last}")
NO_MAP = Rule("TFJ4602", "where-no-map", "error", "the source of {path} is not known: there is no {path}.map")
BAD_MAP = Rule("TFJ4603", "where-bad-map", "error", "{path} is not a source map: {reason}")
STALE = Rule("TFJ4604", "where-stale", "warning", "{path} has changed since {since}: lines may have moved")
NOT_OF_SOURCE = Rule("TFJ4605", "where-not-of-source", "error", "{path} is not an output of {source}")
NOT_SHOWN = Rule("TFJ4606", "where-not-shown", "warning", "the line of {path} is not shown: {reason}")
