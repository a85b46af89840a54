"""What the page knows without the engine: targets, their options, and examples to start from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl import __version__, targets
from tfdsl.cli import new
from tfdsl.vocabulary.types import choices, describe

if TYPE_CHECKING:
    from tfdsl.vocabulary.types import Option, OptionValue

_NEW = """\
job my-job {
  image   = "registry.example.com/ml/train:1.0"
  command = ["python3", "train.py"]

  role worker { replicas = 2 }
}
"""
"""A job that is small enough to write another one in its place."""


def catalogue() -> dict[str, object]:
    """``Catalogue`` of the protocol."""
    return {
        "version": __version__,
        "targets": [
            {
                "name": one.name,
                "title": one.title,
                "versions": list(reversed(one.versions)),
                "defaultVersion": one.default_version,
                "options": [_option(option) for option in one.options],
            }
            for one in targets.built_in()
        ],
        "examples": [_new(), *(_example(name) for name in new.NAMES)],
    }


def _option(option: Option) -> dict[str, object]:
    return {
        "name": option.name,
        "type": describe(option.type),
        "doc": option.doc,
        "default": _written(option.default),
        "choices": list(choices(option.type)),
    }


def _written(value: OptionValue) -> str | None:
    if value is None or isinstance(value, bool):
        return None if value is None else str(value).lower()
    return str(value) if isinstance(value, str | int | float) else None


def _new() -> dict[str, object]:
    return {
        "name": "new",
        "summary": "A job of your own: begin with six lines",
        "files": {new.MAIN: _NEW},
        "main": new.MAIN,
        "targets": list(targets.names()),
    }


def _example(name: str) -> dict[str, object]:
    files = new.files(name)
    text = files[new.MAIN]
    return {
        "name": name,
        "summary": new.summary(text),
        "files": {new.MAIN: text, **files},
        "main": new.MAIN,
        "targets": list(new.wanted_targets(text, targets.names())),
    }
