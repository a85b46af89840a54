"""Which documents are those of a Slider application: found by what is in them, whatever they are called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tfdsl.manifest import nodes
from tfdsl.manifest.nodes import View, view
from tfdsl.patterns import regex
from tfdsl.reading import Group
from tfdsl.record import Record
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import Document

MASTER: Final = "slider-appmaster"
SCHEMA: Final = "http://example.org/specification/"
METAINFO, RESOURCES, CONFIG, WRAPPER, JOB, SUBMIT, SCRIPT = (
    "metainfo", "resources", "appConfig", "wrapper", "job", "submit", "script",
)  # fmt: skip

_CREATES: Final = regex(r'(?m)(?:^|[ \t/])(?:slider|"\$SLIDER")[ \t]+(?:[^\s]+[ \t]+){0,20}?(?:create|build|update)\s')
_OWN_KEYS: Final = ("yarn.", "site.", "slider.", "application.def")
_KIND_WORDS: Final = regex(r"(?i)resources?|metainfo|app-?config|template")


class Files(Record):
    """The files of one application. What there is not is a view of nothing.

    ``application``: the ``application`` of the metainfo, which is ``xml`` or JSON; ``config``: appConfig; ``wrapper``:
    the job file of the command ytensorflow; ``job``: the one of a package that tfdsl wrote; ``submit``: a script or a
    command line that creates the application; ``folder``: what the folder is called that the files are in.
    """

    application: View
    resources: View
    config: View
    wrapper: View
    job: View
    xml: bool = False
    submit: Document | None = None
    folder: str = ""

    def components(self) -> Iterator[View]:
        """The components of the metainfo."""
        yield from self._many(self.application, "components", "component")

    def command_orders(self) -> Iterator[View]:
        """What starts after what."""
        yield from self._many(self.application, "commandOrders", "commandOrder")

    def config_files(self) -> Iterator[View]:
        """The files that the application master writes for every component."""
        yield from self._many(self.application, "configFiles", "configFile")

    def packages(self) -> Iterator[View]:
        """What the agents, or from 0.92 on the application master, should install."""
        yield from self._many(self.application, "packages", "package")
        for system in self._many(self.application, "osSpecifics", "osSpecific"):
            yield from self._many(system, "packages", "package")

    def _many(self, above: View, group: str, item: str) -> Iterator[View]:
        if not self.xml:
            yield from above[group].items()
            return
        one = above[group][item]
        if isinstance(one.node, nodes.Mapping):
            yield one
        else:
            yield from one.items()


def kind_of(document: Document) -> str:
    """Which of the files a document is; empty for none."""
    if document.format == "text":
        return _kind_of_text(document)
    root = view(document.node)
    if document.format == "xml":
        return METAINFO if root["metainfo"]["application"].present else ""
    if _is_map(root["application"]) and (root["schemaVersion"].present or root["application"]["components"].present):
        return METAINFO
    if _is_map(root["resources"]) and (root["commandConfig"].present or root["appConfig"].present):
        return WRAPPER
    if all(root[key].present for key in ("roles", "completions", "pauses", "wait_limit")):
        return JOB
    schema = root["schema"].text or ""
    parts = _is_map(root["global"]) or _is_map(root["components"])
    if not parts or not (schema.startswith(SCHEMA) or any(key.startswith(_OWN_KEYS) for key in _keys(root))):
        return ""
    return RESOURCES if _is_resources(document, root) else CONFIG


def _kind_of_text(document: Document) -> str:
    node = document.node
    text = node.value if isinstance(node, nodes.Scalar) and isinstance(node.value, str) else ""
    if document.source.path.endswith(".py"):
        return SCRIPT if "/package/" in f"/{document.source.path}" else ""
    return SUBMIT if "--appdef" in text or "--template" in text or _CREATES.search(text) else ""


def _is_map(one: View) -> bool:
    return isinstance(one.node, nodes.Mapping)


def _keys(root: View) -> list[str]:
    """The keys of a file of Slider, those for all components and those of each."""
    keys = [key for key, _ in root["global"].entries()]
    return keys + [key for _, component in root["components"].entries() for key, _ in component.entries()]


def _is_resources(document: Document, root: View) -> bool:
    """By the usual names of the two files, which have one form; under another name by what is in it."""
    name = document.source.path.rpartition("/")[2].lower()
    if "appconfig" in name or "resource" in name:
        return "resource" in name
    return any(key.startswith("yarn.") or key == "component.unique.names" for key in _keys(root))


def groups_of(documents: Sequence[Document]) -> list[Group]:
    """The applications among ``documents``: all files are of one, unless there are several of a kind."""
    kinds = [(kind, one) for one in documents if (kind := kind_of(one))]
    counts = Counter(kind for kind, _ in kinds)
    if not any(counts[kind] for kind in (METAINFO, RESOURCES, CONFIG, WRAPPER, JOB)):
        return []
    wrappers = [_group([(kind, one)]) for kind, one in kinds if kind == WRAPPER]
    kinds = [(kind, one) for kind, one in kinds if kind != WRAPPER]
    return [*_applications(kinds, counts), *wrappers]


def _applications(kinds: list[tuple[str, Document]], counts: Mapping[str, int]) -> list[Group]:
    if not any(counts[kind] for kind in (METAINFO, RESOURCES, CONFIG, JOB)):
        return []
    if all(counts[kind] <= 1 for kind in (METAINFO, RESOURCES, CONFIG, JOB)):
        return [_group(kinds)]
    folders: dict[str, list[tuple[str, Document]]] = {}
    for kind, one in kinds:
        folders.setdefault(_root(kind, one), []).append((kind, one))
    return [group for found in folders.values() for group in _of_folder(found)]


def _root(kind: str, document: Document) -> str:
    folder = document.source.path.rpartition("/")[0]
    if kind in (JOB, SCRIPT):
        return f"/{folder}/".partition("/package/")[0][1:].rstrip("/")
    return folder


def _of_folder(kinds: list[tuple[str, Document]]) -> Iterator[Group]:
    """Each resources file of a folder is an application, with the other files whose names are alike."""
    mains = [one for kind, one in kinds if kind == RESOURCES] or [
        one for kind, one in kinds if kind in (METAINFO, CONFIG, JOB)
    ][:1]
    others = [(kind, one) for kind, one in kinds if kind in (JOB, SUBMIT, SCRIPT)]
    for main in mains:
        own = [(kind_of(main), main)]
        for kind in (METAINFO, CONFIG):
            found = [one for other, one in kinds if other == kind and one is not main]
            if found:
                own.append((kind, min(found, key=lambda one: _name(one) != _name(main))))
        yield _group([*own, *others])


def _name(document: Document) -> str:
    """What is left of a file's name without the word that says which of the files it is."""
    return _KIND_WORDS.sub("", document.source.path.rpartition("/")[2].partition(".")[0])


def _group(kinds: list[tuple[str, Document]]) -> Group:
    order = (METAINFO, RESOURCES, CONFIG, WRAPPER, JOB, SUBMIT, SCRIPT)
    found = [one for kind in order for own, one in kinds if own == kind]
    return Group("Slider application", tuple(found))


def files_of(group: Group) -> Files:
    """The files of a group."""
    found = {kind_of(one): one for one in reversed(group.documents)}
    nothing = View(None, (), Span(group.documents[0].source, 0, 0) if group.documents else Span(Source("", ""), 0, 0))
    views = {kind: view(one.node) for kind, one in found.items()}
    metainfo = found.get(METAINFO)
    xml = metainfo is not None and metainfo.format == "xml"
    root = views.get(METAINFO, nothing)
    return Files(
        (root["metainfo"] if xml else root)["application"] if metainfo is not None else nothing,
        views.get(RESOURCES, nothing),
        views.get(CONFIG, nothing),
        views.get(WRAPPER, nothing),
        views.get(JOB, nothing),
        xml,
        found.get(SUBMIT),
        _folder_of(group),
    )


def _folder_of(group: Group) -> str:
    """The name of the folder of the application; empty for the current one."""
    path = group.documents[0].source.path if group.documents else ""
    return path.rpartition("/")[0].rpartition("/")[2].strip(".")
