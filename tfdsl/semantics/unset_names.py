"""The attributes that ``unset`` names in one block: whether they exist, belong there and are named once.

It is loaded only for files that unset something.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from tfdsl.diagnostics import Diagnostic, name_rules
from tfdsl.diagnostics.suggest import closest, offering, words_of
from tfdsl.semantics import attribute_names
from tfdsl.syntax import ast
from tfdsl.text import Span
from tfdsl.vocabulary import attributes

if TYPE_CHECKING:
    from tfdsl.semantics.blocks import Reader, Where

_ALIASES = words_of(attributes.ATTRIBUTES)


def read_unsets(
    nodes: Iterable[ast.Unset],
    where: Where,
    options: Collection[str],
    known: Mapping[str, ast.Assign],
    reader: Reader,
) -> tuple[tuple[ast.Unset, ...], tuple[ast.Unset, ...]]:
    """The valid ones of ``nodes``, and the attributes whose condition is false.

    ``options``: those of the target whose block it is; ``known``: the attributes that the block sets.
    """
    present: list[ast.Unset] = []
    absent: list[ast.Unset] = []
    first: dict[str, ast.UnsetAttribute] = {}
    for node in nodes:
        if not isinstance(node, ast.UnsetAttribute):
            present.append(node)
        elif not _is_known(node, where, options, reader):
            continue
        elif not reader.holds(node.condition):
            absent.append(node)
        else:
            name = node.name.text
            if node.key is None and first.setdefault(name, node) is not node:
                reader.report(in_one_block(node.name.span, name, first[name].name.span, twice=True))
            elif node.key is None and name in known:
                reader.report(in_one_block(node.name.span, name, known[name].key.span))
            else:
                present.append(node)
    return tuple(present), tuple(absent)


def in_one_block(span: Span, what: str, other: Span, *, twice: bool = False) -> Diagnostic:
    """That ``what`` is unset at ``span``, and set, or unset as well, at ``other`` in the same block."""
    how = "unset twice" if twice else "set and unset"
    diagnostic = name_rules.UNSET_IN_BLOCK(span, what=what, how=how)
    return diagnostic.note(other, "first unset here" if twice else "set here").marked("unset here")


def _is_known(node: ast.UnsetAttribute, where: Where, options: Collection[str], reader: Reader) -> bool:
    """Whether the attribute exists, can be in such a block, and has entries if one is named; reported if not."""
    name = node.name
    row = attributes.BY_NAME.get(name.text)
    if row is None:
        reader.report(_unknown(name, where, options))
        return False
    if where in ("job", "role") and not attribute_names.is_legal(name, where, reader.report):
        return False
    if node.key is not None and not row.has_entries:
        diagnostic = name_rules.UNSET_ENTRY(node.name.span, name=name.text)
        reader.report(diagnostic.help(f"write unset {name.text}"))
        return False
    return True


def _unknown(name: ast.Name, where: Where, options: Collection[str]) -> Diagnostic:
    diagnostic = name_rules.UNKNOWN_ATTRIBUTE(name.span, where=where, what="attribute", name=name.text)
    if name.text in options:
        return diagnostic.help(f"{name.text} is an option of the target: only this block sets it, so remove that line")
    near = closest(name.text, attributes.BY_NAME, _ALIASES)
    return offering(diagnostic, near, attributes.BY_NAME, _ALIASES) if near else diagnostic
