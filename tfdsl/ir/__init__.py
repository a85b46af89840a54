"""The intermediate representation: what a job means for one target, as frozen, validated data.

The names of ``__all__`` are public: the models, and under the same names in small letters constructors of them that
take lists and texts. Each is loaded, and pydantic with it, when it is first asked for.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tfdsl.ir.flow import Flow, FlowRun, WholeFlow
    from tfdsl.ir.making import (
        archive_mount,
        build,
        claim,
        claim_mount,
        cluster,
        configmap_mount,
        copy_step,
        flow_run,
        hdfs_mount,
        host_mount,
        job,
        memory_mount,
        nfs_mount,
        output,
        policy,
        pvc_mount,
        role,
        run_step,
        run_time_text,
        scratch_mount,
        secret_mount,
        step,
        toleration,
        whole_flow,
    )
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
    "Flow",
    "FlowRun",
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
    "WholeFlow",
    "archive_mount",
    "build",
    "claim",
    "claim_mount",
    "cluster",
    "configmap_mount",
    "copy_step",
    "flow_run",
    "hdfs_mount",
    "host_mount",
    "job",
    "memory_mount",
    "nfs_mount",
    "output",
    "policy",
    "pvc_mount",
    "role",
    "run_step",
    "run_time_text",
    "scratch_mount",
    "secret_mount",
    "step",
    "toleration",
    "whole_flow",
]

if not TYPE_CHECKING:  # type checkers know the names from above, and report all others

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name not in __all__:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        if name == "Mount":  # a union, which nobody could call
            return import_module("tfdsl.ir.making").AnyMount()
        module = (
            "vocabulary.quantities"
            if name in ("Duration", "Quantity")
            else "ir.making"
            if name.islower()
            else "ir.flow"
            if name in ("Flow", "FlowRun", "WholeFlow")
            else "ir.model"
        )
        return getattr(import_module(f"tfdsl.{module}"), name)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
