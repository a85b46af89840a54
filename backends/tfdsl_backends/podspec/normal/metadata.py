"""Metadata without what the server and its controllers write into it."""

from __future__ import annotations

from typing import Final

from tfdsl.manifest.edits import scalar, with_value, within, without
from tfdsl.manifest.nodes import Mapping, Sequence

SERVERS: Final = (
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "managedFields",
    "selfLink",
    "ownerReferences",
)
"""Fields of an object that only its server can know. An owner is named by its uid, so it is of one cluster too: a
manifest that kept it would be deleted as soon as the garbage collector misses that uid."""

ANNOTATIONS: Final = (
    "kubectl.kubernetes.io/last-applied-configuration",
    "batch.kubernetes.io/job-tracking",
    "batch.kubernetes.io/cronjob-scheduled-timestamp",
    "deployment.kubernetes.io/revision",
    "pv.kubernetes.io/bind-completed",
    "pv.kubernetes.io/bound-by-controller",
    "volume.beta.kubernetes.io/storage-provisioner",
    "volume.kubernetes.io/storage-provisioner",
    "volume.kubernetes.io/selected-node",
    "volcano.sh/job-version",
)
"""Annotations that kubectl and controllers write."""

FINALIZERS: Final = ("kubernetes.io/pvc-protection", "foregroundDeletion", "orphan")
"""Finalizers that the server adds."""

DEFAULT_NAMESPACE: Final = "default"


def of_object(document: Mapping) -> Mapping:
    """``document`` with the metadata that a user gave it, and without ``status``."""
    new = without(document, ("status",))
    metadata = new.get("metadata")
    if not isinstance(metadata, Mapping):
        return new
    kept = without(metadata, SERVERS)
    if scalar(kept.get("namespace")) == DEFAULT_NAMESPACE:
        kept = without(kept, ("namespace",))
    if scalar(kept.get("name")):
        kept = without(kept, ("generateName",))
    kept = within(kept, ("annotations",), lambda annotations: without(annotations, ANNOTATIONS))
    return with_value(new, "metadata", _without_finalizers(kept))


def of_template(template: Mapping) -> Mapping:
    """``template`` with what pods get of its metadata: labels, annotations and finalizers; controllers name pods."""
    metadata = template.get("metadata")
    if not isinstance(metadata, Mapping):
        return template
    others = [key for key in metadata.entries if key not in ("labels", "annotations", "finalizers")]
    return with_value(template, "metadata", without(metadata, others))


def _without_finalizers(metadata: Mapping) -> Mapping:
    finalizers = metadata.get("finalizers")
    if not isinstance(finalizers, Sequence):
        return metadata
    kept = tuple(item for item in finalizers.items if scalar(item) not in FINALIZERS)
    if not kept:
        return without(metadata, ("finalizers",))
    return with_value(metadata, "finalizers", Sequence(kept, finalizers.span))
