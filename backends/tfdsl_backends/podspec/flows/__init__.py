"""Flows of the Kubernetes family: one Workflow of Argo Workflows, or a CronWorkflow.

Sources: argo-workflows 4.0.5 (``workflow/controller``, ``workflow/executor``, ``workflow/validate``, the CRDs), and
what its controller and executor were seen to do.
"""
