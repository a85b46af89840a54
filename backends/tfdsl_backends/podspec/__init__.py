"""What the targets of the Kubernetes family share: pod templates, claims, commands, and their support rows.

A target says in a :class:`~tfdsl_backends.podspec.plan.PodPlan` what it adds to the pods of a role, and builds them
with :func:`~tfdsl_backends.podspec.template.pod_template`. The rows
that every such target has are :data:`~tfdsl_backends.podspec.support.ROWS`; what no pod may have is found by
:func:`~tfdsl_backends.podspec.checks.check_pods`.
"""

from os.path import dirname, join

SCHEMAS = join(dirname(__file__), "schemas.json")
"""Compact schemas of the objects that the family writes; ``backends/bake_schemas.py`` makes them."""
