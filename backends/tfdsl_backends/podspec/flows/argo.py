"""Flows of a target whose jobs are objects that Argo can wait for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tfdsl.backend import Document, Support
from tfdsl.backend.flow import FlowUnit
from tfdsl.diagnostics import Diagnostic
from tfdsl.emit.located import Data
from tfdsl_backends.podspec.flows import workflow
from tfdsl_backends.podspec.flows.checks import check_flow
from tfdsl_backends.podspec.flows.manifests import RUN_LENGTH
from tfdsl_backends.podspec.flows.support import ROWS
from tfdsl_backends.podspec.messages import FlowRules


class Argo:
    """The flows of ``target``. ``awaited``: the object of a job that decides how it ends."""

    MARK: Final = RUN_LENGTH

    def __init__(self, target: str, prefix: str, rules: FlowRules, awaited: workflow.Awaited) -> None:
        self.SUPPORT: Final = Support(target, prefix, *ROWS)
        self.rules = rules
        self.awaited = awaited

    def check(self, unit: FlowUnit) -> Iterator[Diagnostic]:
        """What Argo could not do."""
        return check_flow(unit, self.rules, unit.once(self._templates))

    def generate(self, unit: FlowUnit) -> list[Document]:
        """The Workflow, and what it needs."""
        return workflow.generate(unit, self.awaited, unit.once(self._templates))

    def _templates(self, unit: FlowUnit) -> list[Data]:
        return workflow.templates(unit, self.awaited)
