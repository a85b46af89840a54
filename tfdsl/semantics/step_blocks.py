"""The items of a prepare or sidecar block: only some attributes stand in it.

It is loaded for files that have such a block only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, name_rules
from tfdsl.diagnostics.suggest import closest, enumeration, offering, words_of
from tfdsl.record import Record
from tfdsl.rules.job import step_name
from tfdsl.rules.values import as_label
from tfdsl.semantics.misplaced_items import place_of
from tfdsl.syntax import ast
from tfdsl.vocabulary import attributes
from tfdsl.vocabulary.statements import STEP_ATTRIBUTES

if TYPE_CHECKING:
    Report = Callable[[Diagnostic], None]
    Add = Callable[[ast.Assign, dict[str, ast.Assign]], None]

_ALIASES = words_of(attributes.ATTRIBUTES)

_ITEMS: dict[type, tuple[str, str]] = {
    ast.Mount: ("a mount", "a step has the mounts of its role: put it beside the step"),
    ast.Output: ("an output", "put it beside the step: an output copies when the command has ended"),
    ast.Policy: ("a policy", "put it beside the step: a policy covers the whole replica"),
    ast.Use: ("use", "a template can contain the whole step: put use beside it"),
    ast.Step: ("a step", "put it beside the step"),
    ast.Role: ("a role", "put it in the job block"),
    ast.Cluster: ("cluster", "put it in the job block"),
    ast.Build: ("build", "put it in the job block"),
    ast.Matrix: ("a matrix", "put it in the job block"),
    ast.Target: ("a target", "put it in the job block"),
    ast.Patch: ("a patch", 'put it in a target block, e.g. patch pod "spec.initContainers[name=NAME].tty" = true'),
}
_UNSET = ("unset", "put it beside the step; an attribute of a step is replaced, not taken away")
_REASONS = {
    "port": "the TensorFlow server runs in the command's container; a sidecar has ports",
    "ports": "only a sidecar has ports",
    "cpu_limit": "the limit of a step is its cpu",
    "memory_limit": "the limit of a step is its memory",
}


class StepBlock(Record):
    """A prepare or sidecar block. ``meant``: the attributes that misspelt names were probably meant to be.

    ``conditional``: attributes with a condition, which may differ between the roles that have the step.
    """

    node: ast.Step
    attributes: Mapping[str, ast.Assign]
    meant: frozenset[str] = frozenset()
    conditional: tuple[ast.Assign, ...] = ()


def read_steps(nodes: Iterable[ast.Step], where: str, add: Add, report: Report) -> tuple[StepBlock, ...]:
    """The steps of one block or template; ``where``: what it is. ``add`` puts an item into a table.

    Each is there once, unless it has a condition: then it depends on the role whether it is one too many.
    """
    blocks: list[StepBlock] = []
    known: dict[str, StepBlock] = {}
    for node in nodes:
        block = _read(node, add, report)
        first = block if node.condition is not None else known.setdefault(node.name.text, block)
        if first is block:
            blocks.append(block)
        else:
            report(twice(block, first, where))
    return tuple(blocks)


def twice(block: StepBlock, first: StepBlock, where: str) -> Diagnostic:
    """That ``block`` has the name of another step in the same ``where``."""
    name = block.node.name
    kind = block.node.kind if block.node.kind == first.node.kind else "a step"
    diagnostic = name_rules.DUPLICATE_BLOCK(name.span, name=f"{kind} {name.text}", where=where)
    return diagnostic.note(first.node.name.span, "first here").marked("again here")


def _read(node: ast.Step, add: Add, report: Report) -> StepBlock:
    _check_name(node, report)
    known: dict[str, ast.Assign] = {}
    conditional: list[ast.Assign] = []
    meant: set[str] = set() if node.name.text else {"command"}  # a name that could not be read has been reported
    for item in node.items:
        if not isinstance(item, ast.Assign):
            _misplaced(item, node.kind, report)
        elif item.key.text not in attributes.BY_NAME:
            meant.add(_unknown(item, node.kind, report))
        elif item.key.text not in STEP_ATTRIBUTES[node.kind]:
            name = item.key.text
            diagnostic = name_rules.MISPLACED_ATTRIBUTE(item.key.span, name=name, where=f"{node.kind} block")
            report(diagnostic.help(_REASONS.get(name, f"put {name} beside the step: it is for the whole replica")))
        elif item.condition is not None:
            conditional.append(item)
        else:
            add(item, known)
    return StepBlock(node, known, frozenset(meant), tuple(conditional))


def _check_name(node: ast.Step, report: Report) -> None:
    broken = step_name(node.name.text, node.kind) if node.name.text else None
    if broken is None:
        return
    diagnostic = broken.at(node.name.span)
    near = as_label(node.name.text)
    if near and step_name(near, node.kind) is None:
        diagnostic = diagnostic.replacing(f'write "{near}"', f'"{near}"')
    report(diagnostic)


def _misplaced(item: ast.Item, kind: str, report: Report) -> None:
    what, advice = _ITEMS.get(type(item), _UNSET)
    report(name_rules.MISPLACED_ITEM(place_of(item), item=what, where=f"{kind} block").help(advice))


def _unknown(item: ast.Assign, kind: str, report: Report) -> str:
    """Report that the attribute of ``item`` does not exist; returns the name that was probably meant, or nothing."""
    key = item.key
    here = [name for name in STEP_ATTRIBUTES[kind] if name in attributes.BY_NAME]
    diagnostic = name_rules.UNKNOWN_ATTRIBUTE(key.span, where=f"{kind} block", what="attribute", name=key.text)
    near = closest(key.text, here, _ALIASES)
    report(offering(diagnostic, near, here, _ALIASES) if near else diagnostic.help(f"it has {enumeration(here)}"))
    return near or ""
