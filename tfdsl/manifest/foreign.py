"""What a manifest is that is no job of ours, and where its job might be found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics import import_rules as rules
from tfdsl.manifest.nodes import Mapping
from tfdsl.manifest.view import View, view
from tfdsl.record import Record

if TYPE_CHECKING:
    from tfdsl.manifest.documents import Document


class Readable(Record):
    """What targets read. ``kinds``: of objects, whatever the group, because forks have groups of their own.

    ``words``: the same as people call it, ``TFJobs, Jobs and Yarnfiles``.
    """

    kinds: frozenset[str]
    words: str


_READ: Final = ""
"""The advice that says what is read."""

_ITS_JOB: Final = "import the manifest of the TFJob or Job that it creates"
_MOST_NAMED: Final = 5


class _Row(Record):
    """A kind of manifest as people call it, and what to import instead."""

    kind: str
    group: str
    what: str
    advice: str


_ROWS: Final = (
    _Row("Workflow", "argoproj.io", "an Argo Workflow without a job in it", _ITS_JOB),
    _Row("WorkflowTemplate", "argoproj.io", "an Argo WorkflowTemplate without a job in it", _ITS_JOB),
    _Row("ClusterWorkflowTemplate", "argoproj.io", "an Argo ClusterWorkflowTemplate without a job in it", _ITS_JOB),
    _Row("CronWorkflow", "argoproj.io", "an Argo CronWorkflow without a job in it", _ITS_JOB),
    _Row(
        "Application",
        "argoproj.io",
        "an Argo CD Application",
        "import what it deploys: argocd app manifests NAME | tfdsl import -",
    ),
    _Row("Experiment", "kubeflow.org", "a Katib Experiment whose trials are not TFJobs or Jobs", _READ),
    _Row("HelmRelease", "", "a HelmRelease", "import what it installs: helm get manifest NAME | tfdsl import -"),
    _Row("Kustomization", "", "a kustomization", "import what it builds: kubectl kustomize . | tfdsl import -"),
    _Row("JobFlow", "flow.volcano.sh", "a Volcano JobFlow", "import the JobTemplates that it runs"),
    _Row("PodGroup", "", "a PodGroup", "import the job whose pods it groups"),
    _Row("TrainJob", "kubeflow.org", "a Kubeflow TrainJob", _READ),
    *(
        _Row(kind, "kubeflow.org", f"a Kubeflow {kind}", "tfdsl describes jobs of TensorFlow: import reads TFJobs")
        for kind in ("PyTorchJob", "MXJob", "XGBoostJob", "PaddleJob", "JAXJob", "CaffeJob", "ChainerJob")
    ),
    _Row("MPIJob", "", "a Kubeflow MPIJob", "tfdsl describes jobs of TensorFlow: import reads TFJobs"),
)
_BY_KIND: Final = {row.kind: row for row in _ROWS}


def kind_of(document: Document) -> str | None:
    """The kind of an object of Kubernetes; ``None`` for something else, also for a YAML that has only a kind."""
    root = view(document.node)
    return root["kind"].text if root["apiVersion"].text is not None else None


def owner(document: Document) -> str:
    """The object as messages call it: ``Workflow mnist``."""
    root = view(document.node)
    named = root["metadata"]["name"].text or root["metadata"]["generateName"].text
    kind = root["kind"].text or "document"
    return f"{kind} {named}" if named else kind


def is_foreign(document: Document, readable: Readable) -> bool:
    """Whether no target reads such a document by itself."""
    if document.format not in ("yaml", "json"):
        return False
    kind = kind_of(document)
    return kind.lower() not in readable.kinds if kind is not None else _without_kind(view(document.node)) is not None


def diagnostic(documents: Sequence[Document], readable: Readable) -> Diagnostic:
    """One message about ``documents``, at least one, which are all foreign."""
    # What has an advice of its own says more than a Service beside it.
    main = next((one for one in documents if _row(one) is not None), documents[0])
    row = _row(main) or _Row("", "", _with_article(kind_of(main) or "a document"), _READ)
    root = view(main.node)
    found = rules.NOT_A_MANIFEST(root["kind"].span if root["kind"].present else root.span, what=row.what)
    for one in [one for one in documents if one is not main][:_MOST_NAMED]:
        found = found.note(view(one.node)["kind"].span, f"and {_with_article(kind_of(one) or 'document')}")
    return found.help(row.advice or f"import reads {readable.words}")


def _row(document: Document) -> _Row | None:
    root = view(document.node)
    kind = kind_of(document)
    if kind is None:
        return _without_kind(root)
    row = _BY_KIND.get(kind)
    return row if row is not None and row.group in (root["apiVersion"].text or "") else None


def _without_kind(root: View) -> _Row | None:
    """Well-known files that have no kind."""
    if not isinstance(root.node, Mapping):
        return None
    keys = root.node.entries.keys()
    if {"apiVersion", "name", "version"} <= keys and "kind" not in keys:
        return _Row(
            "", "", "the description of a Helm chart", "import what it renders: helm template . | tfdsl import -"
        )
    if keys & {"resources", "bases"} and keys & {
        "commonLabels",
        "namePrefix",
        "patchesStrategicMerge",
        "configMapGenerator",
    }:
        return _BY_KIND["Kustomization"]
    if {"services", "version"} <= keys and isinstance(root["services"].node, Mapping):
        return _Row("", "", "a file of Docker Compose", _READ)
    return None


def _with_article(kind: str) -> str:
    return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"
