"""Write the constructors of the models, ``tfdsl/ir/making.py``, and the reference of the models in docs/python.md.

``python docs/python_models.py`` rewrites them, ``--check`` fails when they are stale.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "backends")]

from tfdsl.ir import flow, model  # noqa: E402
from tfdsl.ir.part import Part  # noqa: E402
from tfdsl.vocabulary.statements import BLOCKS, Row  # noqa: E402
from tfdsl.vocabulary.types import (  # noqa: E402
    BoolType,
    DurationType,
    IntType,
    KeysType,
    ListType,
    MapType,
    QuantityType,
    StringType,
    Type,
    UnionType,
    describe,
)

TARGET = ROOT / "tfdsl/ir/making.py"
PAGE = ROOT / "docs/python.md"
PART = re.compile(r"(<!-- models -->\n).*?(<!-- end of models -->)", re.S)
CONSTRUCTORS: dict[str, type[Part]] = {
    "job": model.Job,
    "role": model.Role,
    "step": model.Step,
    "policy": model.Policy,
    "output": model.Output,
    "claim": model.Claim,
    "toleration": model.Toleration,
    "cluster": model.Cluster,
    "build": model.Build,
    "copy_step": model.CopyStep,
    "run_step": model.RunStep,
    "pvc_mount": model.PvcMount,
    "claim_mount": model.ClaimMount,
    "host_mount": model.HostMount,
    "nfs_mount": model.NfsMount,
    "configmap_mount": model.ConfigMapMount,
    "secret_mount": model.SecretMount,
    "scratch_mount": model.ScratchMount,
    "memory_mount": model.MemoryMount,
    "hdfs_mount": model.HdfsMount,
    "archive_mount": model.ArchiveMount,
    "run_time_text": model.RunTimeText,
    "whole_flow": flow.WholeFlow,
    "flow_run": flow.FlowRun,
}
HEAD = '''"""Constructors of the models that take what a text takes: lists, texts for amounts, numbers of CPUs.

Written by docs/python_models.py from the vocabulary; ``make generate`` writes it anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast, get_args

from pydantic import GetCoreSchemaHandler
from pydantic_core import core_schema

from tfdsl.ir import flow, model
from tfdsl.ir.part import made
from tfdsl.vocabulary.quantities import Duration, Quantity

# ruff: noqa: A002

_DEFAULT: Any = object()


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not _DEFAULT}


class AnyMount:
    """``tfdsl.ir.Mount``: in annotations any mount; called with a ``kind``, the mount of that kind."""

    def __call__(self, *, kind: str, **fields: Any) -> model.Mount:
        """The mount; a constructor of its kind, such as :func:`pvc_mount`, is checked by type checkers too."""
        kinds: tuple[type[model.BaseMount], ...] = get_args(model.AnyMount)
        models = {one.model_fields["kind"].default: one for one in kinds}
        if kind not in models:
            raise TypeError(f"a mount has one of the kinds {', '.join(models)}, not {kind!r}")
        return cast("model.Mount", made(models[kind], fields))

    def __or__(self, other: Any) -> Any:
        return model.Mount | other

    __ror__ = __or__

    def __get_pydantic_core_schema__(self, _: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """That of the mounts, for models of others that have one."""
        return handler.generate_schema(model.Mount)
'''
TEXT = "str | model.RunTimeText"
PARTS = {
    "roles": "Sequence[model.Role]",
    "policies": "Sequence[model.Policy]",
    "claims": "Sequence[model.Claim]",
    "cluster": "model.Cluster",
    "build": "model.Build",
    "mounts": "Sequence[model.Mount]",
    "outputs": "Sequence[model.Output]",
    "tolerations": "Sequence[model.Toleration]",
    "runs": "Sequence[flow.FlowRun]",
    "jobs": "Sequence[model.Job]",
    "parts": "Sequence[str | model.TaskIndex | model.EnvVar]",
}


def taken(kind: Type) -> str:
    """What a constructor takes for a type of the vocabulary."""
    match kind:
        case IntType():
            return "int"
        case BoolType():
            return "bool"
        case DurationType():
            return "Duration | str"
        case QuantityType(of=of):
            return "Quantity | str" if of == "memory" else "Quantity | str | float"
        case StringType(one_of=words, called=called) if words and not called:
            return f"Literal[{', '.join(map(repr, words))}]"
        case StringType(run_time=run_time):
            return TEXT if run_time else "str"
        case ListType(of=of):
            return f"Sequence[{taken(of)}]"
        case MapType(of=UnionType(as_text=True)):
            return "Mapping[str, model.EnvValue | float]"
        case MapType(of=of):
            return f"Mapping[str, {taken(of)}]"
        case UnionType(of=members):
            if any(isinstance(member, QuantityType) for member in members):
                return taken(members[0])  # the word for no limit is a text too
            return " | ".join(map(taken, members))
        case KeysType():
            return "model.EnvSource"
        case _:
            raise TypeError(kind)


def parameter(block: str, row: Row, field: Any) -> str:
    """A parameter of a constructor."""
    kind = getattr(row, "ir", None) or row.type
    if row.name == "steps":
        words = "Sequence[model.Step]" if block == "role" else "Sequence[model.CopyStep | model.RunStep]"
    elif row.name in PARTS:
        words = PARTS[row.name]
    else:
        assert kind is not None, row.name
        words = taken(kind)
    if field.is_required():
        return f"    {row.name}: {words},"
    return f"    {row.name}: {words}{' | None' if field.default is None else ''} = _DEFAULT,"


def constructor(name: str, kind: type[Part]) -> str:
    """The text of one constructor."""
    rows = {row.name: row for row in BLOCKS[kind.block]}
    fields = {field: info for field, info in kind.model_fields.items() if field != "kind" or kind is model.Step}
    fields = dict(sorted(fields.items(), key=lambda item: not item[1].is_required()))
    parameters = "\n".join(parameter(kind.block, rows[field], info) for field, info in fields.items())
    doc = re.split(r"(?<=\.)\s", (kind.__doc__ or "").strip())[0]
    made = f"{'model' if hasattr(model, kind.__name__) else 'flow'}.{kind.__name__}"
    docs = "\n".join(f"        {field}: {rows[field].doc}" for field in fields)
    return (
        f"def {name}(\n    *,\n{parameters}\n) -> {made}:\n"
        f'    """{doc}\n\n    Args:\n{docs}\n    """\n    return made({made}, _given(locals()))\n'
    )


def text() -> str:
    """The module, formatted."""
    body = "\n\n".join([HEAD, *(constructor(name, kind) for name, kind in CONSTRUCTORS.items())])
    ruff = [str(Path(sys.executable).with_name("ruff")), "format", "-", "--stdin-filename", str(TARGET)]
    return subprocess.run(ruff, input=body, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def reference() -> str:
    """The tables of docs/python.md: each model with its fields."""
    sections: list[str] = []
    for name, kind in CONSTRUCTORS.items():
        rows = {row.name: row for row in BLOCKS[kind.block]}
        doc = re.split(r"(?<=\.)\s", (kind.__doc__ or "").strip())[0].replace("``", "`")
        lines = ["| field | type | meaning |", "| --- | --- | --- |"]
        for field, info in kind.model_fields.items():
            if field == "kind" and kind is not model.Step:
                continue
            row = rows[field]
            of = getattr(row, "ir", None) or row.type
            words = "parts" if field in PARTS or field == "steps" or of is None else describe(of)
            needed = ", required" if info.is_required() else ""
            lines.append(f"| `{field}` | {words.replace('<', '&lt;').replace('|', '&#124;')}{needed} | {row.doc} |")
        sections.append(f"### {kind.__name__}\n\n`tfdsl.ir.{name}()`. {doc}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(sections)


def main() -> int:
    """Rewrite, or with ``--check`` compare."""
    page = PAGE.read_text(encoding="utf-8")
    stale = 0
    for path, fresh in (
        (TARGET, text()),
        (PAGE, PART.sub(lambda match: f"{match[1]}\n{reference()}\n{match[2]}", page)),
    ):
        if path.is_file() and path.read_text(encoding="utf-8") == fresh:
            continue
        if "--check" in sys.argv:
            print(f"stale: {path.relative_to(ROOT)}; run make generate")
            stale = 1
        else:
            path.write_text(fresh, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return stale


if __name__ == "__main__":
    sys.exit(main())
