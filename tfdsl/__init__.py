"""tfdsl: describe a distributed TensorFlow job once, compile it to what each scheduler takes.

The public interface is what ``__all__`` names; docs/python.md shows how to use it. Importing this package loads nothing
of the compiler: each name is loaded when it is first asked for.
"""

TYPE_CHECKING = False  # spares every command the import of typing
if TYPE_CHECKING:
    from tfdsl import ir
    from tfdsl.api.compiling import check, compile
    from tfdsl.api.diagnostics import Diagnostic, Edit, Fix, Label, Span
    from tfdsl.api.diffing import Difference, diff
    from tfdsl.api.errors import CompileError, UsageError
    from tfdsl.api.formatting import format
    from tfdsl.api.graphing import Graph, graph
    from tfdsl.api.importing import Imported, ImportedJob, import_manifest
    from tfdsl.api.info import Info, JobInfo, Param, Profile, info
    from tfdsl.api.program import Program, load
    from tfdsl.api.result import Document, Result
    from tfdsl.api.simulating import Ending, MatrixJob, Scenario, TargetEnding, matrix, simulate
    from tfdsl.api.tasks import Task, tfconfig
    from tfdsl.api.values import Value
    from tfdsl.api.where import MadeLine, Where, where

__version__ = "0.1.0"

__all__ = [
    "CompileError",
    "Diagnostic",
    "Difference",
    "Document",
    "Edit",
    "Ending",
    "Fix",
    "Graph",
    "Imported",
    "ImportedJob",
    "Info",
    "JobInfo",
    "Label",
    "MadeLine",
    "MatrixJob",
    "Param",
    "Profile",
    "Program",
    "Result",
    "Scenario",
    "Span",
    "TargetEnding",
    "Task",
    "UsageError",
    "Value",
    "Where",
    "check",
    "compile",
    "diff",
    "format",
    "graph",
    "import_manifest",
    "info",
    "ir",
    "load",
    "matrix",
    "simulate",
    "tfconfig",
    "where",
]

_MODULES = {
    "compiling": ("check", "compile"),
    "diagnostics": ("Diagnostic", "Edit", "Fix", "Label", "Span"),
    "diffing": ("Difference", "diff"),
    "errors": ("CompileError", "UsageError"),
    "formatting": ("format",),
    "graphing": ("Graph", "graph"),
    "importing": ("Imported", "ImportedJob", "import_manifest"),
    "info": ("Info", "JobInfo", "Param", "Profile", "info"),
    "program": ("Program", "load"),
    "result": ("Document", "Result"),
    "simulating": ("Ending", "MatrixJob", "Scenario", "TargetEnding", "matrix", "simulate"),
    "tasks": ("Task", "tfconfig"),
    "values": ("Value",),
    "where": ("MadeLine", "Where", "where"),
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
