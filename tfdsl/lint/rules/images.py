"""What the name of an image says about TensorFlow and GPUs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.lint.rules.commands import as_written
from tfdsl.lint.rules.devices import gpus, may_have_gpus
from tfdsl.lint.view import JobView
from tfdsl.patterns import regex
from tfdsl.record import Record
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
        return "gpu" in re.split(r"[^A-Za-z0-9]", self.name.rpartition("/")[2].partition("@")[0].lower())


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


FLOATING_IMAGE_TAG = Rule("TFJ3010", "floating-image-tag", "warning", "image {image} {problem}")


def floating_image_tag(view: JobView) -> Iterator[Diagnostic]:
    """An image without a tag, or tagged `latest`.

    ## Why

    The same job runs another program tomorrow, the replicas of one job may run different ones, and a failed run cannot be
    repeated.

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist"
      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      role worker { }
    }
    ```
    """
    # Images of the roles and steps.
    for runner in view.runners():
        image = runner.data("image")
        if not isinstance(image, str) or image.startswith("/"):  # a file
            continue
        tail = image.rpartition("/")[2]
        if "@" in tail:
            continue
        problem = "has no tag" if ":" not in tail else "can change at any time" if tail.endswith(":latest") else ""
        if problem:
            diagnostic = FLOATING_IMAGE_TAG(runner.settings["image"].value.span, image=f'"{image}"', problem=problem)
            yield diagnostic.help("write a version, or a digest: image@sha256:…")


IMAGE_WITHOUT_GPU = Rule(
    "TFJ3114", "image-without-gpu", "warning", 'image "{image}" has no CUDA, so role {role} cannot use its GPU'
)

_INSTALLS = regex(r"cuda|nvidia|gpu", re.I)


def image_without_gpu(view: JobView) -> Iterator[Diagnostic]:
    """A CPU image of TensorFlow in a role with a GPU.

    ## Why

    `tensorflow/tensorflow:2.17.0` has no CUDA: the training runs on the CPU, and the GPU stays idle. The image with `-gpu`
    in its tag has CUDA. Nothing is reported if a build step installs CUDA.

    ## Bad

    ```tfjob
    job mnist {
      image = "tensorflow/tensorflow:2.17.0"
      role worker { gpu = 1 }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "tensorflow/tensorflow:2.17.0-gpu"
      role worker { gpu = 1 }
    }
    ```
    """
    # TensorFlow's own images, each once; what is in others is not known.
    steps = view.job.build.steps if view.job.build is not None else ()
    if any(_INSTALLS.search(view.literal(step.source)) for step in steps):
        return
    reported = set[str]()
    for image in images(view):
        tag = image.official_tag
        if tag is None or image.is_for_gpus or image.name in reported or not gpus(image.role):
            continue
        resource = image.role.data("gpu_resource")
        if isinstance(resource, str) and "nvidia" not in resource:
            continue
        reported.add(image.name)
        diagnostic = IMAGE_WITHOUT_GPU(image.value.span, image=image.name, role=image.role.name)
        instead = image.name.partition("@")[0].removesuffix(tag) + with_gpu(tag)
        diagnostic = diagnostic.help(f'write "{instead}"')
        is_plain = as_written(image.value) is not None and "@" not in image.name
        yield diagnostic.replacing(f'write "{instead}"', f'"{instead}"') if is_plain else diagnostic


GPU_IMAGE_WITHOUT_GPU = Rule(
    "TFJ3115",
    "gpu-image-without-gpu",
    "info",
    'image "{image}" is a GPU image, but no role has gpu: it uses no GPU, or all GPUs of its node',
)

_HIDING = ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES")


def gpu_image_without_gpu(view: JobView) -> Iterator[Diagnostic]:
    """A GPU image in a job that asks for no GPU.

    ## Why

    GPU images ask for all GPUs of the node. A replica without `gpu` trains on the CPU, or sees every GPU of its node and
    disturbs the jobs that own them.

    ## Bad

    ```tfjob
    job mnist {
      image = "tensorflow/tensorflow:2.17.0-gpu"
      role worker { cpu = 4 }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "tensorflow/tensorflow:2.17.0-gpu"
      role worker { cpu = 4, gpu = 1 }
    }
    ```
    """
    # The first such image of a job in which nobody asks for GPUs or hides them.
    roles = view.job.roles
    if any(may_have_gpus(view, role) or any(name in role.entries("env") for name in _HIDING) for role in roles):
        return
    for image in images(view):
        if image.is_for_gpus:
            yield GPU_IMAGE_WITHOUT_GPU(image.value.span, image=image.name).help("write gpu = 1, or use the CPU image")
            return
