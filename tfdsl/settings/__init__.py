"""The settings of a project: ``tfdsl.toml``, or ``[tool.tfdsl]`` of ``pyproject.toml``. docs/settings.md lists them."""
