"""The templates that blocks use. It is loaded only for files that have or use one.

What a template uses and contains is read once for all blocks, unless it depends on a condition that can be different
for every job and role.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tfdsl.diagnostics import Diagnostic, name_rules, value_rules
from tfdsl.diagnostics.suggest import closest, proposing
from tfdsl.semantics.blocks import Layer, Names, Reader, Where
from tfdsl.semantics.dependencies import in_order
from tfdsl.syntax import ast

MOST_TEMPLATES = 100
"""The most templates that one block can use, including those of its templates."""

MOST_COMPARED = 100_000
"""The most template names that are compared with unknown ones; after that, no suggestions are made."""

_IN_TEMPLATE = (ast.Assign, ast.Use, ast.Mount, ast.Output, ast.Policy, ast.Step, *ast.UNSET)


def check_templates(names: Names, report: Callable[[Diagnostic], None]) -> None:
    """Check templates on their own: their content, and whether they use themselves."""
    uses: dict[str, list[ast.Ref]] = {}
    for name, template in names.templates.items():
        reader = Reader(names, report)
        used = TemplateUses(reader, "template").every_name(template.items)
        uses[name] = [ast.Ref(one.text, one.span) for one in used]
        reader.layer(template.items, "template", ())
    in_order(uses, name_rules.TEMPLATE_CYCLE, report)


class TemplateUses:
    """The templates that one block uses. ``reader`` reads them; ``where``: what kind of block it is."""

    def __init__(self, reader: Reader, where: Where) -> None:
        self.reader = reader
        self.names = reader.names
        self.where: Where = where
        self._layers: list[Layer] = []
        self._reached: dict[str, None] = {}
        self._absent: list[str] = []

    def layers(self, items: Iterable[ast.Item]) -> list[Layer]:
        """The layers of the templates that ``items`` use, in order and each once."""
        self._use(self._used(items))
        return self._layers

    def absent_items(self) -> list[ast.Item]:
        """The items of the templates whose ``use`` is absent, and which nothing else uses."""
        found: list[ast.Item] = []
        seen = dict(self._reached)
        while self._absent and len(seen) < 2 * MOST_TEMPLATES:
            name = self._absent.pop()
            if name not in seen:
                seen[name] = None
                found += self._layer(name).items
                self._absent += [one.text for one in self._used_by(name)]  # which adds those of absent uses itself
        return found

    def every_name(self, items: Iterable[ast.Item]) -> list[ast.Name]:
        """The known templates that ``items`` name, each once, whether the conditions hold or not."""
        used = self._used(items)
        here = {name.text for name in used}
        named = (item.name for item in items if isinstance(item, ast.Use) and item.condition is not None)
        others = {name.text: name for name in named if name.text in self.names.templates and name.text not in here}
        return sorted((*used, *others.values()), key=lambda name: name.span.start)

    # --- what is used ------------------------------------------------------------------------------------------

    def _use(self, used: Iterable[ast.Name]) -> bool:
        """Append the layers of the templates ``used``; false when there are too many."""
        for name in used:
            if name.text in self._reached:
                continue
            if len(self._reached) == MOST_TEMPLATES:
                reason = f"a block can use at most {MOST_TEMPLATES} templates"
                self.reader.report(value_rules.TOO_LARGE(name.span, reason=reason))
                return False
            self._reached[name.text] = None
            if not self._use(self._used_by(name.text)):
                return False
            layer = self._layer(name.text)
            if not layer.is_empty:
                self._layers.append(layer)
        return True

    def _used_by(self, template: str) -> list[ast.Name]:
        read, reader = self.names.read, self.reader
        known = read.uses.get(template)
        if known is not None:
            used, absent, complete = known
            self._absent += absent
            reader.complete = reader.complete and complete
            return used
        before, reader.complete = reader.complete, True
        noted = len(self._absent)
        items = self.names.templates[template].items
        used = self._used(items)
        if all(reader.is_same(item.condition) for item in items if isinstance(item, ast.Use)):
            read.uses[template] = used, self._absent[noted:], reader.complete
        reader.complete = before and reader.complete
        return used

    def _used(self, items: Iterable[ast.Item]) -> list[ast.Name]:
        """The known templates that ``items`` use, each once; those whose ``use`` is absent are noted."""
        here: dict[str, ast.Name] = {}
        for item in items:
            if not isinstance(item, ast.Use):
                continue
            name = item.name
            holds = self.reader.holds(item.condition)
            first = here.setdefault(name.text, name) if holds else name
            if first is not name:
                diagnostic = name_rules.DUPLICATE_USE(name.span, name=name.text)
                self.reader.report(diagnostic.note(first.span, "first used here").marked("used again here"))
            elif name.text not in self.names.templates:
                self._unknown(name)
            elif not holds:
                self._absent.append(name.text)
        return [name for name in here.values() if name.text in self.names.templates]

    def _unknown(self, name: ast.Name) -> None:
        self.reader.complete = False
        diagnostic = name_rules.UNKNOWN_TEMPLATE(name.span, name=name.text)
        read = self.names.read
        read.compared += len(self.names.templates)
        near = closest(name.text, self.names.templates if read.compared <= MOST_COMPARED else ())
        self.reader.report(proposing(diagnostic, near) if near else diagnostic)

    # --- what is in them ---------------------------------------------------------------------------------------

    def _layer(self, template: str) -> Layer:
        layers = self.names.read.layers
        layer = layers.get((template, self.where))
        if layer is None:
            body = tuple(item for item in self.names.templates[template].items if isinstance(item, _IN_TEMPLATE))
            layer = self.reader.layer(body, self.where, ())
            decided = (item for item in body if isinstance(item, ast.Assign | ast.UnsetAttribute))
            if all(self.reader.is_same(item.condition) for item in decided):
                layers[template, self.where] = layer
        return layer
