"""Which resources a container may ask for by name.

Source: Kubernetes `pkg/apis/core/validation` (ValidateContainerResourceName, ValidateResourceRequirements) and
`pkg/apis/core/v1/helper` (IsExtendedResourceName): a name without a domain is one of Kubernetes' own, the prefix
`requests.` is that of quotas, huge pages come in whole pages and not alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.emit.located import child, entry
from tfdsl.record import replace
from tfdsl.vocabulary.quantities import parse_unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.backend import Unit
    from tfdsl.diagnostics import Diagnostic
    from tfdsl.ir.model import Role
    from tfdsl_backends.podspec.rules import PodRules

STANDARD: Final = ("ephemeral-storage",)
"""What has no domain and no attribute of its own."""

HUGE_PAGES: Final = "hugepages-"


def check_resource_names(unit: Unit, rules: PodRules, role: Role) -> Iterator[Diagnostic]:
    """An error for each device or resource of ``role`` that the API server takes for none."""
    asked = {name: entry(child(role.path, "resources"), name) for name in role.resources}
    if role.gpu and role.gpu_memory is None and role.gpu_resource is not None:
        asked[role.gpu_resource] = child(role.path, "gpu_resource")
    for name, path in asked.items():
        problem = _problem(role, name)
        if problem:
            found = rules.resource_name(unit.origins.span(path), name=name, problem=problem)
            yield replace(found, target=unit.target)


def _problem(role: Role, name: str) -> str:
    if name.startswith(HUGE_PAGES):
        return _huge_pages(role, name)
    if name.startswith("requests."):
        return "names that begin with requests. are those of quotas"
    if "/" not in name and name not in STANDARD:
        return f"it needs a domain, as in example.com/{name}"
    return ""


def _huge_pages(role: Role, name: str) -> str:
    size = parse_unit(name.removeprefix(HUGE_PAGES))
    page = getattr(size, "milli", 0)
    amount = role.resources.get(name)
    if not page:
        return "huge pages are called by their size, as in hugepages-2Mi"
    if amount is None or amount.milli % page:
        return f"it is counted in bytes and comes in whole pages of {name.removeprefix(HUGE_PAGES)}"
    if not any((role.cpu, role.cpu_limit, role.memory, role.memory_limit)):
        return "huge pages are given out only beside cpu or memory"
    return ""
