"""The intermediate representation: what a job means for one target, as frozen, validated data.

The names of ``__all__`` are public; each is loaded, and pydantic with it, when it is first asked for.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tfdsl.ir.model import (
        ArchiveMount,
        Build,
        Claim,
        ClaimMount,
        Cluster,
        ConfigMapKeys,
        ConfigMapMount,
        ConfigMapRef,
        CopyStep,
        EnvSource,
        EnvValue,
        EnvVar,
        HdfsMount,
        HostMount,
        Job,
        MemoryMount,
        Mount,
        NfsMount,
        Output,
        PodField,
        Policy,
        PvcMount,
        Role,
        RunStep,
        RunTimeText,
        ScratchMount,
        SecretKeys,
        SecretMount,
        SecretRef,
        Step,
        TaskIndex,
        Text,
        Toleration,
    )
    from tfdsl.vocabulary.quantities import Duration, Quantity

__all__ = [
    "ArchiveMount",
    "Build",
    "Claim",
    "ClaimMount",
    "Cluster",
    "ConfigMapKeys",
    "ConfigMapMount",
    "ConfigMapRef",
    "CopyStep",
    "Duration",
    "EnvSource",
    "EnvValue",
    "EnvVar",
    "HdfsMount",
    "HostMount",
    "Job",
    "MemoryMount",
    "Mount",
    "NfsMount",
    "Output",
    "PodField",
    "Policy",
    "PvcMount",
    "Quantity",
    "Role",
    "RunStep",
    "RunTimeText",
    "ScratchMount",
    "SecretKeys",
    "SecretMount",
    "SecretRef",
    "Step",
    "TaskIndex",
    "Text",
    "Toleration",
]

if not TYPE_CHECKING:  # type checkers know the names from above, and report all others

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name not in __all__:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        module = "tfdsl.vocabulary.quantities" if name in ("Duration", "Quantity") else "tfdsl.ir.model"
        return getattr(import_module(module), name)
