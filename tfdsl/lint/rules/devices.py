"""CPUs, memory and GPUs of a role."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.lint.view import JobView
from tfdsl.rules.values import MOST_SURE_GIBIBYTES
from tfdsl.semantics import resolved
from tfdsl.semantics.values import show
from tfdsl.text import Span
from tfdsl.vocabulary.attributes import IN_MEMORY
from tfdsl.vocabulary.quantities import Quantity

# --- devices ---
#
# How many GPUs a role asks for, and whether it may get GPUs in another way.


def gpus(role: resolved.Role) -> int:
    """The value of ``gpu``, or 0 if it is not set."""
    count = role.data("gpu")
    return count if isinstance(count, int) else 0


def may_have_gpus(view: JobView, role: resolved.Role) -> bool:
    """Whether ``role`` may get GPUs in any way: some targets and versions have only node labels for that."""
    return bool(
        gpus(role)
        or role.data("node_label") is not None
        or role.data("gpu_memory") is not None
        or view.job.gpus_by_label
        or any("gpu" in name or "/mig-" in name for name in role.entries("resources"))
    )


def devices(count: int) -> str:
    """``count`` GPUs in words."""
    return f"{count} GPU" if count == 1 else f"{count} GPUs"


TINY_MEMORY = Rule("TFJ3022", "tiny-memory", "warning", "{memory} of memory is too little for any TensorFlow process")


LEAST = 128 << 20
"""Bytes; the interpreter and its imports alone need more."""


def tiny_memory(view: JobView) -> Iterator[Diagnostic]:
    """Too little memory to start TensorFlow.

    ## Why

    A Python process that imports TensorFlow needs some hundred MiB. `16k` or `16M` is usually a typo for `16Gi`.

    ## Bad

    ```tfjob
    job mnist {
      image  = "registry.example.com/mnist:1.4"
      memory = 16M
      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image  = "registry.example.com/mnist:1.4"
      memory = 16Gi
      role worker { }
    }
    ```
    """
    # ``memory`` below :data:`LEAST`.
    for role in view.job.roles:
        memory = role.data("memory")
        if isinstance(memory, Quantity) and memory.whole < LEAST:
            diagnostic = TINY_MEMORY(role.settings["memory"].value.span, memory=memory.text)
            number = memory.text.rstrip("kKMGTPEim")
            in_mebibytes = f"{number}Mi" if float(number) * (1 << 20) >= LEAST else "1Gi"
            meant = f"{number}Gi" if float(number) <= MOST_SURE_GIBIBYTES else in_mebibytes
            yield diagnostic.help(f"did you mean {meant}?").replacing(f"write {meant}", meant)


SHM_EXCEEDS_MEMORY = Rule(
    "TFJ3026", "shm-exceeds-memory", "warning", "{attribute} = {size} uses up the whole memory limit of {memory}"
)


def shm_exceeds_memory(view: JobView) -> Iterator[Diagnostic]:
    """A /dev/shm or a /tmp in memory (``tmp_size``) as large as the memory limit.

    ## Why

    Files in /dev/shm, and those in a /tmp with tmp_size, count as memory of the container. If the size is that of the
    limit, the process is killed before the folder is full.

    ## Bad

    ```tfjob
    job mnist {
      image  = "registry.example.com/mnist:1.4"
      memory = 8Gi
      shm    = 8Gi
      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image  = "registry.example.com/mnist:1.4"
      memory = 16Gi
      shm    = 8Gi
      role worker { }
    }
    ```
    """
    # What is mounted in memory, at or above the memory limit.
    for role in view.job.roles:
        memory = role.data("memory_limit") or role.data("memory")
        for name in IN_MEMORY:
            size = role.data(name)
            if isinstance(size, Quantity) and isinstance(memory, Quantity) and size.milli >= memory.milli:
                place = role.settings[name].value.span
                warning = SHM_EXCEEDS_MEMORY(place, attribute=name, size=size.text, memory=memory.text)
                yield warning.help("give the role more memory")


GPU_ON_PS = Rule(
    "TFJ3028", "gpu-on-ps", "info", "every parameter server reserves {gpu} device{plural} that it hardly uses"
)


def gpu_on_ps(view: JobView) -> Iterator[Diagnostic]:
    """A parameter server with a GPU.

    ## Why

    Parameter servers hold variables in memory and compute little, so they rarely use a device.

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      gpu   = 1
      role worker { }
      role ps { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      role worker { gpu = 1 }
      role ps { }
    }
    ```
    """
    # ``gpu`` of role ps.
    ps = view.job.role("ps")
    gpu = ps.data("gpu") if ps is not None else None
    if ps is not None and isinstance(gpu, int) and gpu > 0:
        diagnostic = GPU_ON_PS(ps.settings["gpu"].value.span, gpu=gpu, plural="s" if gpu > 1 else "")
        yield diagnostic.help("write gpu only in the roles that compute")


GPU_VARIABLE = Rule("TFJ3111", "gpu-variable", "warning", '{name} = "{value}" {problem}')

_CUDA, _NVIDIA = "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"
_NONE = ("", "-1", "none", "void", "NoDevFiles")


def gpu_variable(view: JobView) -> Iterator[Diagnostic]:
    """GPUs chosen by hand.

    ## Why

    The cluster decides which GPUs a replica may use: Kubernetes' device plugin and YARN set NVIDIA_VISIBLE_DEVICES, and
    number the GPUs of the replica from 0. A value set by hand is overwritten, leaves GPUs unused, names GPUs that are not
    there, or, in a role without `gpu`, takes those of other jobs. Hiding the GPUs from a role without `gpu` is fine.

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      role worker { gpu = 1, env = { CUDA_VISIBLE_DEVICES = "1" } }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      role worker { gpu = 1 }
    }
    ```
    """
    # The two variables, where their text is known and does not fit the GPUs of the role.
    for role in view.job.roles:
        env = role.entries("env")
        for name in (_CUDA, _NVIDIA):
            text = show(env[name].data) if name in env else None
            problem = _problem(view, role, name, text.strip()) if text is not None else None
            if problem is not None:
                diagnostic = GPU_VARIABLE(env[name].span, name=name, value=text, problem=problem)
                yield diagnostic.help("remove it, and write gpu in the roles that use GPUs")


def _problem(view: JobView, role: resolved.Role, name: str, text: str) -> str | None:
    count = gpus(role)
    if not count:
        if text in _NONE or may_have_gpus(view, role):
            return None
        return f"takes GPUs from other jobs: role {role.name} has no gpu"
    if text in _NONE:
        return f"hides the {devices(count)} of role {role.name}"
    if name == _NVIDIA:
        return f"is overwritten: the cluster assigns the GPUs of role {role.name}"
    chosen = {part.strip() for part in text.split(",")}
    if not all(part.isdecimal() for part in chosen):
        return "names devices of one particular node"
    if max(map(int, chosen)) >= count:
        return f"names a missing device: role {role.name} has {devices(count)}, counted from 0"
    return f"uses only {len(chosen)} of the {devices(count)} of role {role.name}" if len(chosen) < count else None


UNEQUAL_GPUS = Rule(
    "TFJ3112",
    "unequal-gpus",
    "warning",
    "{first} has {devices} and {second} has {others}: without ps every task needs the same number",
)


def unequal_gpus(view: JobView) -> Iterator[Diagnostic]:
    """Different numbers of GPUs in a training without parameter servers.

    ## Why

    Without parameter servers, the chief and the workers reduce their gradients together, and TensorFlow expects the
    same number of devices in every task. With 2 in one task and 4 in another, the first step ends with `Collective Op has
    group_size 8 … but that group has size 4`, or hangs.

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      role chief  { gpu = 1 }
      role worker { gpu = 4, replicas = 2, shm = 8Gi }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      gpu   = 4, shm = 8Gi
      role chief  { }
      role worker { replicas = 2 }
    }
    ```
    """
    # Chief (master) and workers that train together with different values of ``gpu``.
    discovery = view.job.cluster.get("discovery")
    roles = list(view.trainers())
    if view.job.role("ps") is not None or (discovery is not None and discovery.value.data == "none"):
        return
    if any(role.data("server") is True or role.entries("resources") for role in view.job.roles):
        return
    for first, second in pairwise(roles):
        if gpus(first) != gpus(second):
            count = gpus(first)
            diagnostic = UNEQUAL_GPUS(
                _place(second),
                first=first.name,
                devices=devices(count) if count else "no GPU",
                second=second.name,
                others=gpus(second),
            )
            yield diagnostic.note(_place(first), f"role {first.name}").help("write gpu once, for the whole job")


def _place(role: resolved.Role) -> Span:
    return role.settings["gpu"].value.span if "gpu" in role.settings else role.name_span


GPUS_WITHOUT_SHM = Rule(
    "TFJ3113", "gpus-without-shm", "info", "role {role} has {count} GPUs and 64 MiB of /dev/shm, which NCCL may exceed"
)

_SEVERAL = 2


def gpus_without_shm(view: JobView) -> Iterator[Diagnostic]:
    """Several GPUs and a small /dev/shm.

    ## Why

    A container has 64 MiB of /dev/shm. With several GPUs in one pod NCCL exchanges gradients through it, and data
    loaders use it as well. When it is too small, the training stops with `Bus error` or an NCCL error.

    ## Bad

    ```tfjob
    job mnist {
      image  = "registry.example.com/mnist:1.4"
      role worker { gpu = 4, memory = 64Gi }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image  = "registry.example.com/mnist:1.4"
      role worker { gpu = 4, memory = 64Gi, shm = 8Gi }
    }
    ```
    """
    # Roles with several GPUs and nothing of their own at /dev/shm.
    if not view.job.pods:
        return
    for role in view.job.roles:
        if gpus(role) >= _SEVERAL and role.data("shm") is None and view.holder(role, "/dev/shm") is None:
            diagnostic = GPUS_WITHOUT_SHM(role.settings["gpu"].value.span, role=role.name, count=gpus(role))
            yield diagnostic.help("write shm = 8Gi, for example; it counts as memory of the container")


CPU_IN_MILLICORES = Rule("TFJ3116", "cpu-in-millicores", "warning", "{name} = {written} asks for {count} whole CPUs")

MOST = 1000
"""CPUs; no node has as many."""


def cpu_in_millicores(view: JobView) -> Iterator[Diagnostic]:
    """A number of CPUs that was meant in millicores.

    ## Why

    `cpu` counts whole CPUs. `cpu = 4000` asks for 4000 of them for every replica: no node has that many, and the pods stay
    pending. Write millicores with the unit `m`.

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      cpu   = 4000
      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      cpu   = 4000m
      role worker { }
    }
    ```
    """
    # ``cpu`` and ``cpu_limit`` of :data:`MOST` or more.
    for runner in view.runners():
        for name in ("cpu", "cpu_limit"):
            data = runner.data(name)
            count = data.whole if isinstance(data, Quantity) else data
            if not isinstance(count, int) or count < MOST:
                continue
            span = runner.settings[name].value.span
            diagnostic = CPU_IN_MILLICORES(span, name=name, written=span.text, count=count).help(
                "write millicores with the unit m"
            )
            yield diagnostic.replacing(f"write {span.text}m", f"{span.text}m") if span.text.isdecimal() else diagnostic
