"""Mounts of the IR, by kind (language reference, "Statements": mount)."""

from functools import partial
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from tfdsl.ir.amounts import Memory
from tfdsl.ir.part import After, Node, holds, refuse
from tfdsl.ir.read_only import EMPTY
from tfdsl.ir.text import Clean, FullText, Map, Text, Word
from tfdsl.rules import mounts as rules
from tfdsl.rules import names
from tfdsl.rules.texts import pattern_of
from tfdsl.vocabulary import statements

DURABLE = tuple(kind.name for kind in statements.MOUNT_KINDS if kind.durable)
"""Kinds of mounts that outlive the job, whatever they are of."""


def _without_slash(path: str) -> str:
    return path.rstrip("/") or "/"


def _named(what: str) -> After:
    """The name of an object, as far as it is known."""
    return holds(lambda name: names.object_name(name, what) if isinstance(name, str) else None)


MountPath: TypeAlias = Annotated[Clean, holds(rules.path), After(_without_slash)]
SubPath: TypeAlias = Annotated[FullText, holds(partial(rules.inside, "pvc"))]
Item: TypeAlias = Annotated[Word, holds(partial(rules.inside, "configmap"))]
ItemKey: TypeAlias = Annotated[str, holds(partial(names.map_key, what="items", pattern=statements.ITEM_KEY))]
Mode: TypeAlias = Annotated[str, Field(pattern="^0?[0-7]{3}$")]
HostType: TypeAlias = Literal[
    "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket", "CharDevice", "BlockDevice"
]


class BaseMount(Node):
    """What all mounts have. ``at`` has no final ``/`` (but for ``/`` itself); on YARN and Slider it may be relative."""

    at: MountPath
    readonly: bool = False


class PvcMount(BaseMount):
    """An existing PersistentVolumeClaim."""

    kind: Literal["pvc"] = "pvc"
    claim: Annotated[FullText, _named("claim")]
    sub_path: SubPath | None = None


class ClaimMount(BaseMount):
    """A claim made for this job; ``claim`` is the :attr:`Claim.name` in :attr:`Job.claims`."""

    kind: Literal["claim"] = "claim"
    claim: Word
    sub_path: SubPath | None = None


class HostMount(BaseMount):
    """A folder or file of the node. ``type`` is Kubernetes' hostPath type (``Directory`` …)."""

    kind: Literal["host"] = "host"
    source: Annotated[FullText, holds(partial(rules.source, "host"))]
    type: HostType | None = None


class NfsMount(BaseMount):
    """An NFS export."""

    kind: Literal["nfs"] = "nfs"
    server: Word
    share: Text

    @model_validator(mode="after")
    def _is_export(self) -> Self:
        broken = rules.source("nfs", f"{self.server}:{pattern_of(self.share)}")
        if broken is not None:
            refuse("NfsMount", self, [broken.below("share")])
        return self


class ConfigMapMount(BaseMount):
    """A ConfigMap as files. ``items``: key → file name; ``mode``: octal text such as ``0440``."""

    kind: Literal["configmap"] = "configmap"
    name: Annotated[FullText, _named("ConfigMap")]
    items: Map[ItemKey, Item] = EMPTY
    mode: Mode | None = None


class SecretMount(BaseMount):
    """A Secret as files. ``items``: key → file name; ``mode``: octal text such as ``0440``."""

    kind: Literal["secret"] = "secret"
    name: Annotated[FullText, _named("Secret")]
    items: Map[ItemKey, Item] = EMPTY
    mode: Mode | None = None


class ScratchMount(BaseMount):
    """Node disk that lives with the pod."""

    kind: Literal["scratch"] = "scratch"
    size: Memory | None = None


class MemoryMount(BaseMount):
    """A tmpfs of ``size``."""

    kind: Literal["memory"] = "memory"
    size: Memory


class HdfsMount(BaseMount):
    """A file or folder of HDFS, fetched before the command starts; it is never written back."""

    kind: Literal["hdfs"] = "hdfs"
    readonly: bool = True
    uri: Annotated[FullText, holds(partial(rules.source, "hdfs"))]


class ArchiveMount(BaseMount):
    """An archive (``.tar .tar.gz .tgz .zip``; a URI or a local file) unpacked at ``at`` before the command starts."""

    kind: Literal["archive"] = "archive"
    readonly: bool = True
    source: Annotated[FullText, holds(partial(rules.source, "archive"))]


Mount: TypeAlias = Annotated[
    PvcMount
    | ClaimMount
    | HostMount
    | NfsMount
    | ConfigMapMount
    | SecretMount
    | ScratchMount
    | MemoryMount
    | HdfsMount
    | ArchiveMount,
    Field(discriminator="kind"),
]
