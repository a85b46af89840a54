"""What the name of an image says about TensorFlow and GPUs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tfdsl.patterns import regex
from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.lint.view import JobView
    from tfdsl.semantics import resolved
    from tfdsl.semantics.values import Value

_OFFICIAL = regex(r"(?:(?:index\.)?docker\.io/)?tensorflow/tensorflow:(?P<tag>[^@]+)(?:@.*)?")
_VERSION = regex(r"[^-]+(?:-devel)?")


class Image(Record):
    """An image of a role, or the one that its image is built from."""

    value: Value
    name: str
    role: resolved.Role

    @property
    def official_tag(self) -> str | None:
        """The tag, if this is one of TensorFlow's own images on Docker Hub."""
        match = _OFFICIAL.fullmatch(self.name)
        return match["tag"] if match is not None else None

    @property
    def is_for_gpus(self) -> bool:
        """Whether the name contains ``gpu``, as ``2.16.1-gpu`` does."""
        tail = self.name.rpartition("/")[2].partition("@")[0]
        return "gpu" in re.split(r"[^A-Za-z0-9]", tail.lower())


def images(view: JobView) -> Iterator[Image]:
    """The images that the job runs, each with a role; none if tasks run on the nodes themselves."""
    if view.job.options.get("runtime") == "native":
        return
    base = view.job.build.settings.get("from") if view.job.build is not None else None
    for role in view.job.roles:
        setting = role.settings.get("image")
        if role.name == "tensorboard" or setting is None:
            continue
        value = base.value if base is not None else setting.value
        if isinstance(value.data, str):
            yield Image(value, value.data, role)


def with_gpu(tag: str) -> str:
    """The tag of TensorFlow's GPU image that matches a CPU image: ``1.13.1-gpu-py3`` for ``1.13.1-py3``."""
    version = _VERSION.match(tag)
    end = version.end() if version is not None else len(tag)
    return f"{tag[:end]}-gpu{tag[end:]}"
