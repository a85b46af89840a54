"""The documents that can be jobs: those of lists, and those inside strings or objects of other manifests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from tfdsl.diagnostics import Diagnostic, Report, command_rules
from tfdsl.manifest import yaml
from tfdsl.manifest.nodes import Document, Entry, Mapping, Node, Scalar, Sequence, Step, View, view, walk
from tfdsl.manifest.places import Places
from tfdsl.manifest.templates import PLACEHOLDER
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.text import Source

MOST_EMBEDDED: Final = 1_000
"""The most documents of one other that are read out of it."""

_KIND_INSIDE = regex(r"\bkind[\"']?[ \t]*:[ \t]*[\"']?([A-Za-z]+)\b")
_NAME = regex(r"[A-Za-z_][A-Za-z0-9_-]*")
# What the server or a controller adds, copies of the document itself among it.
_NOT_BY_THE_USER: Final = frozenset({("status",), ("metadata",)})


def find(documents: Iterable[Document], readable: Readable, report: Report) -> list[Document]:
    """``documents`` with those of lists, and instead of others the jobs that were found in them.

    Where none of them can be a job, one error names what they are.
    """
    found: list[Document] = []
    diagnostics: list[Diagnostic] = []
    for document in documents:
        for one in _flat(document):
            inside = [*_inside(one, readable, diagnostics.append)] if is_foreign(one, readable) else []
            found += inside or [one]
    if not diagnostics and found and all(is_foreign(one, readable) for one in found):
        diagnostics = [not_a_manifest(found, readable)]
    for diagnostic in diagnostics:
        report(diagnostic)
    return found


def _flat(document: Document) -> Iterator[Document]:
    """The items of a list of objects, also of a list in a list; any other document itself."""
    waiting = [document]
    while waiting:
        one = waiting.pop()
        items = _items(one)
        if items is None:
            yield one
        else:
            waiting += reversed(items)


def _items(document: Document) -> list[Document] | None:
    root = view(document.node)
    if isinstance(root.node, Sequence) and document.format in ("yaml", "json"):
        return [
            replace(document, node=one, within=(*document.within, f"[{number}]"))
            for number, one in enumerate(root.node.items)
            if isinstance(one, Mapping)
        ] or None
    kind, items = root["kind"].text, root["items"].node
    if kind is None or not kind.endswith("List") or not isinstance(items, Sequence):
        return None
    return [
        replace(
            document, node=_with_header(one, document.node, kind), within=(*document.within, f"{kind}.items[{number}]")
        )
        for number, one in enumerate(items.items)
        if isinstance(one, Mapping)
    ]


def _with_header(item: Mapping, parent: Node, kind: str) -> Mapping:
    """An item of a ``TFJobList`` with its kind, which the API leaves out there."""
    if "kind" in item.entries or kind == "List" or not isinstance(parent, Mapping):
        return item
    header = dict(parent.entries)
    entries = {key: header[key] for key in ("apiVersion",) if key in header}
    span = header["kind"].value.span
    entries["kind"] = Entry("kind", header["kind"].key_span, Scalar(kind.removesuffix("List"), span))
    return Mapping({**entries, **item.entries}, item.span)


def _inside(document: Document, readable: Readable, report: Report) -> Iterator[Document]:
    """The jobs in ``document``: objects with a kind, and strings that are YAML or JSON."""
    count = 0
    inner: tuple[Step, ...] | None = None  # the job whose parts are passed over
    for path, node in walk(document.node):
        if path[:1] in _NOT_BY_THE_USER or (inner is not None and path[: len(inner)] == inner):
            continue
        inner = None
        if isinstance(node, Mapping) and path and _is_job(node, readable):
            inner = path
            yield _told(document, path, node, report)
            count += 1
        elif isinstance(node, Scalar) and isinstance(node.value, str) and _has_job(node.value, readable):
            for one in _embedded(document, node, node.value, readable, report):
                yield _told(replace(document, comments=one.comments), path, one.node, report)
                count += 1
        if count >= MOST_EMBEDDED:
            reason = f"of one manifest, at most {MOST_EMBEDDED:,} jobs are imported"
            report(command_rules.NOT_KEPT(node.span, what="what follows", reason=reason))
            return


def _has_job(text: str, readable: Readable) -> bool:
    return any(match[1].lower() in readable.kinds for match in _KIND_INSIDE.finditer(text))


def _is_job(node: Node, readable: Readable) -> bool:
    root = view(node)
    return root["apiVersion"].text is not None and (root["kind"].text or "").lower() in readable.kinds


def _embedded(document: Document, string: Scalar, value: str, readable: Readable, report: Report) -> Iterator[Document]:
    """The jobs of a string. What the tool around it fills in (``{{inputs.parameters.x}}``) stays as text."""
    places = Places(string.span, value)
    inner = yaml.read_template(Source(document.source.path, value), lambda one: report(places.diagnostic(one)))
    for one in inner:
        for flat in _flat(one):
            if _is_job(flat.node, readable):
                yield replace(flat, node=places.node(flat.node), comments=tuple(map(places.comment, flat.comments)))


def _told(document: Document, path: tuple[Step, ...], node: Node, report: Report) -> Document:
    where = _words(path)
    root = view(node)
    told = command_rules.EMBEDDED(root["kind"].span, kind=root["kind"].text, where=where, owner=owner(document))
    placeholder = PLACEHOLDER.search(node.span.text)
    if placeholder is not None:
        told = told.help(f"{placeholder[0]} is filled in there: it stays, or becomes a param where no text can be")
    report(told)
    return replace(document, node=node, within=(*document.within, owner(document), where))


def _words(path: tuple[Step, ...]) -> str:
    """A path as people write it: ``spec.templates[0].resource.manifest``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _NAME.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]'
    return text


# --- foreign ---
#
# What a manifest is that is no job of ours, and where its job might be found.


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


def not_a_manifest(documents: list[Document], readable: Readable) -> Diagnostic:
    """One message about ``documents``, at least one, which are all foreign."""
    # What has an advice of its own says more than a Service beside it.
    main = next((document for document in documents if _row(document) is not None), documents[0])
    row = _row(main) or _Row("", "", _with_article(kind_of(main) or "a document"), _READ)
    root = view(main.node)
    found = command_rules.NOT_A_MANIFEST(root["kind"].span if root["kind"].present else root.span, what=row.what)
    for one in [document for document in documents if document is not main][:_MOST_NAMED]:
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
