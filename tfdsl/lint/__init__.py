"""Lint: what is valid but probably a mistake. Each rule is a function of a module in :mod:`tfdsl.lint.rules`."""
