"""The rows that hold for flows on every target of the family."""

from __future__ import annotations

from tfdsl.backend import kept, translated
from tfdsl_backends.podspec.flows.manifests import RUN

ROWS = (
    translated("flow.run", RUN, "the first 8 characters of the Workflow's uid"),
    translated("flow.schedule", "spec.schedules", "of a CronWorkflow; before Argo 3.6 spec.schedule"),
    kept("flow.time_zone", "spec.timezone"),
    translated("flow.overlap", "spec.concurrencyPolicy", "Forbid for skip, Allow or Replace; only with a schedule"),
    translated(
        "flow.deadline",
        "spec.activeDeadlineSeconds and spec.onExit",
        "after it the objects of the run are deleted, because Argo ends its own pods only",
    ),
    kept("flow.namespace", "metadata.namespace"),
    translated("flow.common_labels", "metadata.labels", "of the Workflow, its pods, and every object of its jobs"),
    translated("flow.service_account", "spec.serviceAccountName", "with its Role and RoleBinding in NAME.rbac.yaml"),
    translated("runs[]", "dag.tasks[]", "with a resource template for each object of the job"),
    translated("runs[].after", "dag.tasks[].depends", "on Succeeded"),
    translated("runs[].failed", "dag.tasks[].depends", "on Failed or Errored"),
    translated("runs[].ended", "dag.tasks[].depends", "on Succeeded, Failed or Errored"),
)
