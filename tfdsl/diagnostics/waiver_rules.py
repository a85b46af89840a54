"""TFJ39xx: waivers, ``# tfdsl: allow[slug or code] reason``, and the levels that a project sets."""

from __future__ import annotations

from tfdsl.diagnostics.diagnostic import Rule

STALE_WAIVER = Rule("TFJ3901", "stale-waiver", "warning", "allow[{name}] is not needed here")
UNKNOWN_WAIVER = Rule("TFJ3902", "unknown-waiver", "warning", "there is no message {name} to allow")
BAD_WAIVER = Rule("TFJ3903", "bad-waiver", "warning", "{problem}")
BAD_SETTINGS = Rule("TFJ3904", "bad-settings", "error", "{problem}")
