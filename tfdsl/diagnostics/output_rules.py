"""TFJ265x and TFJ266x: what shows only when the output is made."""

from __future__ import annotations

from tfdsl.diagnostics.diagnostic import Rule

BUILD_NOT_WRITABLE = Rule("TFJ2651", "build-not-writable", "error", "no Dockerfile can say this: {problem}")
PATCH_FITS_NOTHING = Rule("TFJ2652", "patch-fits-nothing", "error", "{problem}")
PATCH_VALUE = Rule("TFJ2653", "patch-value", "error", "{problem}")
NO_POD_TEMPLATE = Rule("TFJ2660", "no-pod-template", "error", "{target} has no pod templates to patch")
PATCH_NEW_MEMBER = Rule("TFJ2661", "patch-new-member", "error", "{name} is not a {what} of this job: there are {known}")
PATCH_DERIVED = Rule(
    "TFJ2662", "patch-derived", "error", "{what} cannot be patched: other parts of the output follow from it"
)
PATCHED_DOCUMENT = Rule("TFJ2663", "patched-document", "error", "{problem}")
