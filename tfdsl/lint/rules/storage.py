"""Checkpoints, claims and other things that are to be kept."""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.lint.view import JobView
from tfdsl.semantics.resolved import Mount, Role
from tfdsl.semantics.values import ListData
from tfdsl.syntax import ast

CHECKPOINT_NOT_DURABLE = Rule("TFJ3015", "checkpoint-not-durable", "warning", "{name} is on {mount}, which {end}")


_ENDS = {"scratch": "is deleted with the pod", "memory": "is deleted with the pod", "claim": "is deleted with the job"}


def checkpoint_not_durable(view: JobView) -> Iterator[Diagnostic]:
    """Checkpoints or logs on storage that does not last.

    ## Why

    Scratch and memory mounts are deleted with the pod, and a claim without `keep` is deleted with the job. After a restart
    the training starts from the first step; after the job nothing is left.

    ## Bad

    ```tfjob
    job mnist {
      image      = "registry.example.com/mnist:1.4"
      checkpoint = "/runs/mnist"
      mount scratch 10Gi at "/runs"
      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image      = "registry.example.com/mnist:1.4"
      checkpoint = "/runs/mnist"
      mount pvc "runs" at "/runs"
      role worker { }
    }
    ```
    """
    # ``checkpoint`` and ``logdir`` on a mount that does not last.
    for name, value, role in view.folders():
        mount = view.holder(role, view.literal(value))
        end = None if mount is None or mount.outlives_job else _ENDS.get(mount.kind.name)
        if mount is not None and end is not None:
            diagnostic = CHECKPOINT_NOT_DURABLE(value.span, name=name, mount=f"a {mount.kind.name} mount", end=end)
            diagnostic = diagnostic.note(mount.head, "this mount")
            yield diagnostic.help("use a pvc, nfs or host mount, or a claim with keep = true")


CHECKPOINT_UNMOUNTED = Rule(
    "TFJ3016", "checkpoint-unmounted", "warning", "{name} {path} is not on a mount of role {role}"
)


def checkpoint_unmounted(view: JobView) -> Iterator[Diagnostic]:
    """Checkpoints or logs in a folder that is not on a mount.

    ## Why

    The folder is part of the container: it is empty after a restart, and no other replica sees it.

    ## Bad

    ```tfjob
    job mnist {
      image      = "registry.example.com/mnist:1.4"
      checkpoint = "/runs/mnist"
      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image      = "registry.example.com/mnist:1.4"
      checkpoint = "/runs/mnist"
      mount pvc "runs" at "/runs"
      role worker { }
    }
    ```
    """
    # Absolute ``checkpoint`` and ``logdir`` paths outside of all mounts. Without a target nothing is said of a job
    # whose target blocks mount something: it is checked for each target.
    if view.job.target is None and _mounts_for_a_target(view.job.derived.node.items):
        return
    for name, value, role in view.folders():
        path = view.literal(value)
        if path.startswith("/") and view.holder(role, path) is None:
            yield CHECKPOINT_UNMOUNTED(value.span, name=name, path=f'"{view.shown(value)}"', role=role.name).help(
                "mount a volume there"
            )


def _mounts_for_a_target(items: tuple[ast.Item, ...]) -> bool:
    blocks = [block for block in items if isinstance(block, ast.Target)]
    inner = [item for block in blocks for item in (*block.items, *_of_roles(block.items))]
    return any(isinstance(item, ast.Mount | ast.Use) for item in inner)


def _of_roles(items: tuple[ast.Item, ...]) -> list[ast.Item]:
    return [item for role in items if isinstance(role, ast.Role) for item in role.items]


TTL_REMOVES_CLAIM = Rule(
    "TFJ3021", "ttl-removes-claim", "info", "this claim is deleted with the job, {ttl} after the job finishes"
)


def ttl_removes_claim(view: JobView) -> Iterator[Diagnostic]:
    """A claim that is deleted with the finished job.

    ## Why

    When the job is deleted, so are the claims that were created for it, unless they have `keep`.

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      ttl   = 1h
      mount claim 10Gi at "/work"
      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      ttl   = 1h
      mount claim 10Gi at "/work" { keep = true }
      role worker { }
    }
    ```
    """
    # Claims without ``keep`` in a job with a ``ttl``.
    ttl = view.job.data("ttl")
    if ttl is None:
        return
    for role in view.job.roles:
        for mount in role.mounts:
            if mount.kind.name == "claim" and not mount.outlives_job:
                yield TTL_REMOVES_CLAIM(mount.head, ttl=ttl).help("add { keep = true } to keep the data")


CLAIM_ON_SEVERAL_NODES = Rule(
    "TFJ3121", "claim-on-several-nodes", "warning", "{mode} allows {where} only, but {count} pods mount this claim"
)

_FOR_MANY = ("ReadWriteMany", "ReadOnlyMany")
_NODE = "kubernetes.io/hostname"


def claim_on_several_nodes(view: JobView) -> Iterator[Diagnostic]:
    """A claim for one node that several pods mount.

    ## Why

    A volume with the access mode ReadWriteOnce can be attached to one node only. A pod of the job that is placed on another
    node stays in ContainerCreating with `Multi-Attach error`. With ReadWriteOncePod the same happens to every second pod.
    Without `access_modes`, a claim that several replicas mount gets ReadWriteMany.

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      mount claim 100Gi at "/data" { access_modes = ["ReadWriteOnce"] }
      role worker { replicas = 2 }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      mount claim 100Gi at "/data"
      role worker { replicas = 2 }
    }
    ```
    """
    # Claims whose modes allow one node or one pod; one mount in the text may belong to several roles.
    users: dict[tuple[int, int], list[tuple[Role, Mount]]] = {}
    for role in view.job.roles if view.job.pods else ():
        for mount in role.mounts:
            if mount.kind.name == "claim" and "access_modes" in mount.options:
                users.setdefault((id(mount.span.source), mount.span.start), []).append((role, mount))
    for mounted in users.values():
        setting = mounted[0][1].options["access_modes"]
        modes = setting.value.data.items if isinstance(setting.value.data, ListData) else ()
        names = [str(mode.data) for mode in modes]
        count = sum(role.replicas for role, _ in mounted)
        pinned = all(_on_one_node(role) for role, _ in mounted)
        once = names == ["ReadWriteOncePod"]
        if not names or count == 1 or any(name in _FOR_MANY for name in names) or (pinned and not once):
            continue
        where = "one pod" if once else "one node"
        diagnostic = CLAIM_ON_SEVERAL_NODES(setting.value.span, mode=names[0], where=where, count=count)
        yield diagnostic.help('leave access_modes out, or write ["ReadWriteMany"]')


def _on_one_node(role: Role) -> bool:
    value = role.entries("node_selector").get(_NODE)
    return value is not None and not (isinstance(value.data, ListData) and len(value.data.items) > 1)


CHECKPOINT_READONLY = Rule("TFJ3122", "checkpoint-readonly", "warning", "checkpoint {path} is in a read-only mount")

_READ_ONLY = ("configmap", "secret", "hdfs")


def checkpoint_readonly(view: JobView) -> Iterator[Diagnostic]:
    """Checkpoints in a read-only mount.

    ## Why

    The training fails when it writes its first checkpoint, often an hour after it started.

    ## Bad

    ```tfjob
    job mnist {
      image      = "registry.example.com/mnist:1.4"
      checkpoint = "/data/run1"
      mount pvc "data" at "/data" readonly
      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image      = "registry.example.com/mnist:1.4"
      checkpoint = "/data/run1"
      mount pvc "data" at "/data"
      role worker { }
    }
    ```
    """
    # ``checkpoint`` where the first role that trains cannot write to it.
    checkpoint = view.job.settings.get("checkpoint")
    writer = next(view.trainers(), None)
    if checkpoint is None or writer is None:
        return
    value = checkpoint.value
    mount = view.holder(writer, view.literal(value))
    if mount is not None and (mount.readonly is not None or mount.kind.name in _READ_ONLY):
        diagnostic = CHECKPOINT_READONLY(value.span, path=f'"{view.shown(value)}"')
        yield diagnostic.note(mount.readonly or mount.head, "this mount").help(
            "choose a folder that the role can write to"
        )


VOLUME_OF_ONE_TARGET = Rule(
    "TFJ3125", "volume-of-one-target", "warning", "volume {name} of {of} is a patch of {target} only"
)


def volume_of_one_target(view: JobView) -> Iterator[Diagnostic]:
    """A volume that a patch makes for one target only.

    ## Why

    What the language has no word for, such as a volume of a CSI driver, is a patch of the target that a job was imported
    from. Compiled for another target, the job has neither the volume nor its mounts, and the program finds an empty folder
    or none.

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      role worker { }
      target jobset {
        patch pod "spec.volumes" = [{ name = "data", csi = { driver = "csi.example.com" } }]
      }
      target volcano { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      mount pvc "data" at "/data"
      role worker { }
      target jobset { }
      target volcano { }
    }
    ```
    """
    # What is compiled lacks a volume that a target block of the job has.
    for volume in view.job.patched_volumes:
        of = f"role {volume.role}" if volume.role is not None else "each role"
        found = VOLUME_OF_ONE_TARGET(volume.span, name=volume.name, of=of, target=volume.target)
        here = f" for {view.job.target}" if view.job.target is not None else ""
        yield found.help(f"write a mount, or patch the volume and its mounts{here}, too")


TTL_APPLIED_AGAIN = Rule(
    "TFJ3150", "ttl-applied-again", "warning", "{tool} makes the job again when it is removed, {ttl} after its end"
)

_APPLYING = {
    "argocd.argoproj.io/": "Argo CD",
    "kustomize.toolkit.fluxcd.io/": "Flux",
    "helm.toolkit.fluxcd.io/": "Flux",
}
"""What keys of annotations and labels of a tool begin with, and the tool."""


def ttl_applied_again(view: JobView) -> Iterator[Diagnostic]:
    """A job that is removed after its end, in the hands of a tool that makes what is missing.

    ## Why

    Argo CD and Flux keep a cluster as a repository says. A job that `ttl` has removed is missing there, so they make it
    again, and it runs again, each time.

    ## Bad

    ```tfjob
    job mnist {
      image       = "registry.example.com/mnist:1.4"
      ttl         = 1h
      annotations = { "argocd.argoproj.io/sync-wave" = "1" }
      role worker { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image       = "registry.example.com/mnist:1.4"
      annotations = { "argocd.argoproj.io/sync-wave" = "1" }
      role worker { }
    }
    ```
    """
    # Annotations and labels of the job under keys of tools that apply a repository again and again.
    setting = view.job.settings.get("ttl")
    ttl = view.job.data("ttl")
    keys = [key for name in ("annotations", "labels", "common_labels") for key in view.job.entries(name)]
    tool = next((tool for key in keys for prefix, tool in _APPLYING.items() if key.startswith(prefix)), None)
    if setting is not None and ttl is not None and tool is not None:
        told = TTL_APPLIED_AGAIN(setting.value.span, tool=tool, ttl=ttl)
        yield told.help("remove ttl, and the job from the repository when it is no longer needed")
