"""Manifests of Jobs, read into drafts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.unit.backends.podspec.reading.reading import shown
from tfdsl.backend.draft import Patch, Policy
from tfdsl.backend.reading import Asked
from tfdsl.manifest import yaml
from tfdsl.text import Source
from tfdsl_backends.kubernetes import reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tfdsl.backend.draft import Block, Draft
    from tfdsl.backend.reading import Group
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.manifest.nodes import Document


def documents(text: str) -> list[Document]:
    return yaml.read(Source("job.yaml", text), lambda diagnostic: None)


def groups(text: str) -> list[Group]:
    return list(reading.groups(documents(text)))


def read(text: str, **roles: str) -> tuple[Draft, list[Diagnostic]]:
    """The draft of the one job in ``text``, and what is said."""
    messages: list[Diagnostic] = []
    [group] = groups(text)
    draft = reading.read(group, Asked(roles, messages.append))
    assert draft is not None, [one.message for one in messages]
    return draft, messages


def told(text: str, roles: Mapping[str, str] | None = None) -> list[str]:
    """What is said about the jobs in ``text``, with the line it is about."""
    messages: list[Diagnostic] = []
    for group in groups(text):
        reading.read(group, Asked(roles or {}, messages.append))
    return [f"{one.span.source.position(one.span.start)[0]}: {one.rule.code} {one.message}" for one in messages]


def lines(block: Block) -> list[str]:
    """The statements of a block as they are written."""
    found: list[str] = []
    for one in block.statements:
        if isinstance(one, Policy):
            found.append(f"on {one.event} => {one.action}")
        elif isinstance(one, Patch):
            found.append(f"{'patch' if one.operator else 'unpatch'}{' pod' if one.pod else ''} {one.path}")
        else:
            found.append(shown(one))
    return found


def job(spec: str = "", name: str = "digits", pod: str = "", restart: str = "Never", container: str = "") -> str:
    """A Job with the fields of ``spec`` (YAML of a flow map without braces), of its pod and of its container."""
    own = ", ".join(part for part in ("name: tensorflow, image: a", container) if part)
    fields = ", ".join(part for part in (f"restartPolicy: {restart}, containers: [{{{own}}}]", pod) if part)
    whole = ", ".join(part for part in (spec, f"template: {{spec: {{{fields}}}}}") if part)
    return f"---\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}}}\nspec: {{{whole}}}\n"
