"""TFJ265x and TFJ266x: mistakes that show only when the output is generated."""

from __future__ import annotations

from tfdsl.diagnostics.diagnostic import Rule

BUILD_NOT_WRITABLE = Rule("TFJ2651", "build-not-writable", "error", "this cannot be written in a Dockerfile: {problem}")
PATCH_FITS_NOTHING = Rule("TFJ2652", "patch-fits-nothing", "error", "{problem}")
PATCH_VALUE = Rule("TFJ2653", "patch-value", "error", "{problem}")
NO_POD_TEMPLATE = Rule("TFJ2660", "no-pod-template", "error", "{target} has no pod templates to patch")
PATCH_NEW_MEMBER = Rule("TFJ2661", "patch-new-member", "error", "this job has no {what} {name}: there are {known}")
PATCH_DERIVED = Rule(
    "TFJ2662", "patch-derived", "error", "{what} cannot be patched: other parts of the output are derived from it"
)
PATCHED_DOCUMENT = Rule("TFJ2663", "patched-document", "error", "{problem}")
