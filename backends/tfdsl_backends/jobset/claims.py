"""Claims of a job: made by the JobSet, and gone with it, where it can; else documents of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.backend import Unit
from tfdsl.emit.located import Data
from tfdsl_backends.jobset.features import CLAIM_TEMPLATES
from tfdsl_backends.podspec.objects import claim_spec

if TYPE_CHECKING:
    from tfdsl.ir.model import Claim


def own_claims(unit: Unit) -> list[Claim]:
    """The claims that go with the JobSet."""
    return [claim for claim in unit.job.claims if not claim.keep and unit.at_least(CLAIM_TEMPLATES)]


def documents(unit: Unit) -> list[Claim]:
    """The claims that are documents beside the JobSet, and outlive it."""
    own = {claim.name for claim in own_claims(unit)}
    return [claim for claim in unit.job.claims if claim.name not in own]


def policies(unit: Unit) -> Data:
    """``spec.volumeClaimPolicies``: the controller mounts each claim in the Jobs that name it."""
    templates: list[Data] = [
        {"metadata": {"name": claim.name}, "spec": claim_spec(claim)} for claim in own_claims(unit)
    ]
    return [{"templates": templates, "retentionPolicy": {"whenDeleted": "Delete"}}] if templates else None
