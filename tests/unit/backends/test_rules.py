"""The rules of each target: its prefix on every code and its name on every slug; a code says one thing."""

from __future__ import annotations

import pytest

from tfdsl import targets


@pytest.mark.parametrize("target", targets.names())
def test_codes_and_slugs_belong_together(target: str) -> None:
    backend = targets.find(target)
    assert backend is not None
    texts: dict[str, set[tuple[str, str, str]]] = {}
    for rule in backend.all_rules():
        assert rule.code.startswith(backend.prefix)
        assert rule.slug.startswith(f"{target}-")
        texts.setdefault(rule.code, set()).add((rule.slug, rule.level, rule.message))
    assert {code: rules for code, rules in texts.items() if len(rules) > 1} == {}
    slugs = [next(iter(rules))[0] for rules in texts.values()]
    assert len(slugs) == len(set(slugs))
