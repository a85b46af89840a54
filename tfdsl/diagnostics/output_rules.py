"""TFJ265x: what shows only when the output is made."""

from __future__ import annotations

from tfdsl.diagnostics.diagnostic import Rule

BUILD_NOT_WRITABLE = Rule("TFJ2651", "build-not-writable", "error", "no Dockerfile can say this: {problem}")
PATCH_FITS_NOTHING = Rule("TFJ2652", "patch-fits-nothing", "error", "{problem}")
PATCH_VALUE = Rule("TFJ2653", "patch-value", "error", "{problem}")
