"""Words that people type when they look for a page, and that its title does not have."""

from __future__ import annotations

PAGES = {
    "docs/guide/start.md": "install pip kubectl docker tutorial begin",
    "docs/guide/roles.md": "chief worker ps evaluator strategy gpu",
    "docs/guide/data.md": "pvc nfs volume output resume overwrite",
    "docs/guide/cluster.md": "submit status pending unschedulable node_selector logs",
    "docs/guide/rerun.md": "resume ttl delete rename",
    "docs/guide/nightly.md": "flow workflow pipeline dag schedule cron order dependency argo",
    "docs/guide/sweep.md": "hyperparameter grid matrix tuning parallel",
    "docs/guide/secrets.md": "env token configmap credentials",
    "docs/guide/spot.md": "preempted evicted preemptible interrupted",
    "docs/guide/apply.md": "kubectl argo gitops helm",
    "docs/guide/ci.md": "github gitlab action pipeline pre-commit",
    "docs/guide/team.md": "include settings lint",
    "docs/guide/migrate.md": "import convert yaml",
    "docs/run.md": "local laptop logs inject env debug",
    "docs/operate.md": "submit status logs cancel resume pending unschedulable stuck",
    "docs/simulate.md": "restart retries policy failure inject crash oom",
    "docs/language.md": "tensorboard profile param restart docker retries deadline timeout priority",
}


def words(path: str) -> list[str]:
    """The words for the page that is made from the file ``path`` of the repository."""
    return PAGES.get(path, "").split()
