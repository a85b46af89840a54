"""Lint: what is valid but probably a mistake. Each rule is a file in :mod:`tfdsl.lint.rules`."""
