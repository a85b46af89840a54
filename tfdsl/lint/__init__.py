"""Lint: what is allowed and probably not meant. One rule, one file in :mod:`tfdsl.lint.rules`."""
