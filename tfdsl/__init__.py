"""tfdsl: describe a distributed TensorFlow job once, compile it to what each scheduler takes.

The public interface is what ``__all__`` names; docs/python.md shows how to use it. Importing this package loads nothing
of the compiler: each name is loaded when it is first asked for.
"""

TYPE_CHECKING = False  # spares every command the import of typing
if TYPE_CHECKING:
    from tfdsl import ir
    from tfdsl.api.calls import Value
    from tfdsl.api.compiling import Document, Program, Result, check, compile, load
    from tfdsl.api.diagnostics import (
        CompileError,
        Diagnostic,
        Diagnostics,
        Edit,
        Fix,
        Label,
        OutputWarning,
        Span,
        UsageError,
    )
    from tfdsl.api.importing import Imported, ImportedJob, format, import_manifest
    from tfdsl.api.info import FlowInfo, Info, JobInfo, Param, Profile, RunInfo, Task, info, tfconfig
    from tfdsl.api.operating import (
        Cancelled,
        ClusterError,
        End,
        Live,
        Reason,
        Replica,
        Submitted,
        cancel,
        logs,
        resume,
        status,
        submit,
    )
    from tfdsl.api.running import JobRun, ReplicaRun, run
    from tfdsl.api.showing import (
        Difference,
        Ending,
        FlowEnding,
        FlowScenario,
        Graph,
        MadeLine,
        MatrixJob,
        Scenario,
        TargetEnding,
        Where,
        diff,
        graph,
        matrix,
        simulate,
        simulate_flow,
        where,
    )

__version__ = "0.1.0"

__all__ = [
    "Cancelled",
    "ClusterError",
    "CompileError",
    "Diagnostic",
    "Diagnostics",
    "Difference",
    "Document",
    "Edit",
    "End",
    "Ending",
    "Fix",
    "FlowEnding",
    "FlowInfo",
    "FlowScenario",
    "Graph",
    "Imported",
    "ImportedJob",
    "Info",
    "JobInfo",
    "JobRun",
    "Label",
    "Live",
    "MadeLine",
    "MatrixJob",
    "OutputWarning",
    "Param",
    "Profile",
    "Program",
    "Reason",
    "Replica",
    "ReplicaRun",
    "Result",
    "RunInfo",
    "Scenario",
    "Span",
    "Submitted",
    "TargetEnding",
    "Task",
    "UsageError",
    "Value",
    "Where",
    "cancel",
    "check",
    "compile",
    "diff",
    "format",
    "graph",
    "import_manifest",
    "info",
    "ir",
    "load",
    "logs",
    "matrix",
    "resume",
    "run",
    "simulate",
    "simulate_flow",
    "status",
    "submit",
    "tfconfig",
    "where",
]

_MODULES = {
    "calls": ("Value",),
    "compiling": ("Document", "Program", "Result", "check", "compile", "load"),
    "diagnostics": (
        "CompileError",
        "Diagnostic",
        "Diagnostics",
        "Edit",
        "Fix",
        "Label",
        "OutputWarning",
        "Span",
        "UsageError",
    ),
    "importing": ("Imported", "ImportedJob", "format", "import_manifest"),
    "info": ("FlowInfo", "Info", "JobInfo", "Param", "Profile", "RunInfo", "Task", "info", "tfconfig"),
    "operating": (
        "Cancelled",
        "ClusterError",
        "End",
        "Live",
        "Reason",
        "Replica",
        "Submitted",
        "cancel",
        "logs",
        "resume",
        "status",
        "submit",
    ),
    "running": ("JobRun", "ReplicaRun", "run"),
    "showing": (
        "Difference",
        "Ending",
        "FlowEnding",
        "FlowScenario",
        "Graph",
        "MadeLine",
        "MatrixJob",
        "Scenario",
        "TargetEnding",
        "Where",
        "diff",
        "graph",
        "matrix",
        "simulate",
        "simulate_flow",
        "where",
    ),
}

if not TYPE_CHECKING:  # type checkers know the names from above, and report all others

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name == "ir":
            return import_module("tfdsl.ir")
        for module, names in _MODULES.items():
            if name in names:
                value = globals()[name] = getattr(import_module(f"tfdsl.api.{module}"), name)
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
