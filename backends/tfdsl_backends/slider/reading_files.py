"""Which documents are those of a Slider application: their content decides, not their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tfdsl.backend.draft import Draft, Value
from tfdsl.backend.reading import Field, Group
from tfdsl.grouping import grouped
from tfdsl.manifest import nodes
from tfdsl.manifest.nodes import Document, View, view
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.text import Source, Span
from tfdsl_backends.hadoop.reading import java_number
from tfdsl_backends.slider.config_files import FORMATS

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
        entry = above[group][item]
        if isinstance(entry.node, nodes.Mapping):
            yield entry
        else:
            yield from entry.items()


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


def _is_map(entry: View) -> bool:
    return isinstance(entry.node, nodes.Mapping)


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


def groups(documents: Sequence[Document]) -> list[Group]:
    """The applications among ``documents``: all files are of one, unless there are several of a kind."""
    kinds = [(kind, document) for document in documents if (kind := kind_of(document))]
    counts = Counter(kind for kind, _ in kinds)
    if not any(counts[kind] for kind in (METAINFO, RESOURCES, CONFIG, WRAPPER, JOB)):
        return []
    wrappers = [_group([(kind, document)]) for kind, document in kinds if kind == WRAPPER]
    kinds = [(kind, document) for kind, document in kinds if kind != WRAPPER]
    return [*_applications(kinds, counts), *wrappers]


def _applications(kinds: list[tuple[str, Document]], counts: Mapping[str, int]) -> list[Group]:
    if not any(counts[kind] for kind in (METAINFO, RESOURCES, CONFIG, JOB)):
        return []
    if all(counts[kind] <= 1 for kind in (METAINFO, RESOURCES, CONFIG, JOB)):
        return [_group(kinds)]
    folders = grouped((_root(kind, document), (kind, document)) for kind, document in kinds)
    return [group for folder in folders.values() for group in _of_folder(folder)]


def _root(kind: str, document: Document) -> str:
    folder = document.source.path.rpartition("/")[0]
    return f"/{folder}/".partition("/package/")[0][1:].rstrip("/") if kind in (JOB, SCRIPT) else folder


def _of_folder(kinds: list[tuple[str, Document]]) -> Iterator[Group]:
    """Each resources file of a folder is an application, with the other files whose names are alike."""
    mains = [document for kind, document in kinds if kind == RESOURCES] or [
        document for kind, document in kinds if kind in (METAINFO, CONFIG, JOB)
    ][:1]
    others = [(kind, document) for kind, document in kinds if kind in (JOB, SUBMIT, SCRIPT)]
    for main in mains:
        own = [(kind_of(main), main)]
        for kind in (METAINFO, CONFIG):
            documents = [document for other, document in kinds if other == kind and document is not main]
            if documents:
                own.append((kind, min(documents, key=lambda document: _name(document) != _name(main))))
        yield _group([*own, *others])


def _name(document: Document) -> str:
    """What is left of a file's name without the word that says which of the files it is."""
    return _KIND_WORDS.sub("", document.source.path.rpartition("/")[2].partition(".")[0])


def _group(kinds: list[tuple[str, Document]]) -> Group:
    order = (METAINFO, RESOURCES, CONFIG, WRAPPER, JOB, SUBMIT, SCRIPT)
    return Group("Slider application", tuple(document for kind in order for own, document in kinds if own == kind))


def files_of(group: Group) -> Files:
    """The files of a group."""
    by_kind = {kind_of(document): document for document in reversed(group.documents)}
    nothing = View(None, (), Span(group.documents[0].source, 0, 0) if group.documents else Span(Source("", ""), 0, 0))
    views = {kind: view(document.node) for kind, document in by_kind.items()}
    metainfo = by_kind.get(METAINFO)
    xml = metainfo is not None and metainfo.format == "xml"
    root = views.get(METAINFO, nothing)
    return Files(
        (root["metainfo"] if xml else root)["application"] if metainfo is not None else nothing,
        views.get(RESOURCES, nothing),
        views.get(CONFIG, nothing),
        views.get(WRAPPER, nothing),
        views.get(JOB, nothing),
        xml,
        by_kind.get(SUBMIT),
        _folder_of(group),
    )


def _folder_of(group: Group) -> str:
    """The name of the folder of the application; empty for the current one."""
    path = group.documents[0].source.path if group.documents else ""
    return path.rpartition("/")[0].rpartition("/")[2].strip(".")


APP_VERSION: Final = "1.0.0"
HADOOP_CONF: Final = "/etc/hadoop/conf"
STRICT, ANYWHERE, SPREAD = 1, 2, 4
"""Bits of ``yarn.component.placement.policy``."""

PLACED: Final = {STRICT: "strict", ANYWHERE: "anywhere"}


def read_options(draft: Draft, files: Files) -> None:
    """The options that are in Slider's own files."""
    if files.xml:
        draft.options.set("metainfo", "xml", files.application.span)
    version = files.application["version"]
    if version.words not in (None, APP_VERSION):
        draft.options.set("app_version", version.words, version.span)
    settings = files.config["global"]
    folder = settings["site.global.hadoop.conf"]
    if folder.text not in (None, "", HADOOP_CONF):
        draft.options.set("hadoop_conf", folder.text, folder.span)
    ports = settings["site.global.slider.allowed.ports"]
    draft.options.set("allowed_ports", ports.text, ports.span)
    _config_files(draft, files)
    _master(draft, files)


def _master(draft: Draft, files: Files) -> None:
    """Memory and Java heap of the application master."""
    amount = files.resources["components"][MASTER]["yarn.memory"]
    memory = java_number(amount.words or "")
    draft.options.set("am_memory", memory, amount.span)
    size = files.config["components"][MASTER]["jvm.heapsize"]
    heap = heap_size(size.words or "")
    if heap is not None and (memory is None or heap != memory * 3 // 4):
        draft.options.set("am_heap", heap, size.span)


def heap_size(text: str) -> int | None:
    """A size of a Java heap in MB."""
    number, unit = (text[:-1], text[-1].lower()) if text[-1:].isalpha() else (text, "m")
    if not (number.isascii() and number.isdecimal() and len(number) < 10):
        return None
    return {"m": int(number), "g": int(number) * 1024, "k": int(number) // 1024}.get(unit)


def _config_files(draft: Draft, files: Files) -> None:
    """The files that the application master writes, with what their dictionaries in appConfig hold."""
    settings = list(files.config["global"].entries())
    written: dict[str, Value] = {}
    span: Span | None = None
    for config_file in files.config_files():
        name, dictionary = config_file["fileName"].text, config_file["dictionaryName"].text
        if (
            name is None
            or dictionary is None
            or not dictionary
            or FORMATS.get(_ending(name)) != config_file["type"].text
        ):
            continue
        prefix = f"site.{dictionary}."
        entries = {key.removeprefix(prefix): value for key, value in settings if key.startswith(prefix)}
        written[name] = {key: value.words or "" for key, value in entries.items()}
        span = span or config_file.span
    draft.options.set("config_files", written or None, span)


def _ending(name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    return dot + ending if stem else ""


def placement_of(component: View) -> int:
    """The bits of the placement policy."""
    return java_number(component["yarn.component.placement.policy"].words or "") or 0


def read_placement(draft: Draft, role: str, component: View) -> None:
    """Where Slider puts the replicas of a role."""
    policy = component["yarn.component.placement.policy"]
    bits = placement_of(component)
    if bits & SPREAD:
        draft.role(role).set("spread", "node", policy.span)
    else:
        word = PLACED.get(bits & (STRICT | ANYWHERE))
        if word is not None:
            draft.options.entry("placement", role, word, policy.span)
    seconds = component["yarn.placement.escalate.seconds"]
    number = java_number(seconds.words or "")
    if number is not None:
        draft.options.entry("escalate_seconds", role, number, seconds.span)


NO_LIMIT: Final = 2_147_483_646
"""The most retries that a job can have: Slider's 0 means no limit."""

AUTHORS: Final = "only the scripts of the package read it"

GENERATED: Final = frozenset({"hadoop.conf", "user.name", "zookeeper.quorum", "slider.allowed.ports"})
"""Keys of ``site.global`` that are options, or that tfdsl writes itself."""

LEFT_OUT: Final = {
    "application.def": "submit.sh sends the package",
    "java_home": "the nodes know where Java is",
    "yarn.node.failure.threshold": "nothing in a job is about single nodes",
    "yarn.resource.normalization.enabled": "YARN rounds what a role asks for",
    "yarn.resource-profile-name": "a role asks for memory and cpu",
    "yarn.resourcemanager.am.retry-count-window-ms": "the application master's own restarts are YARN's",
    "component.unique.names": "tasks have a role and an index",
}
REASONS: Final = {
    "yarn.container.failure.window.": "retries counts over the whole life of the job",
    "yarn.container.health.threshold.": "a job waits for all replicas; on pending after … says how long",
    "yarn.disk": "mount scratch is on the node's disk",
    "yarn.log.": "the logs are those of YARN",
}
"""Beginning of a key → why it is left out."""

FIELDS: Final = (
    Field("resources.json components.<role>.yarn.component.instances", "replicas"),
    Field("resources.json components.<role>.yarn.memory", "memory", "MB; without it Slider's 256"),
    Field("resources.json components.<role>.yarn.vcores", "cpu"),
    Field("resources.json components.<role>.yarn.label.expression", "node_label"),
    Field(
        "resources.json components.<role>.yarn.component.placement.policy",
        'spread = "node", target slider { placement }',
        "4 is spread, 1 strict, 2 anywhere",
    ),
    Field("resources.json components.<role>.yarn.placement.escalate.seconds", "target slider { escalate_seconds }"),
    Field(
        "resources.json components.<role>.yarn.container.failure.threshold",
        "retries",
        "the largest of all roles; without it 5, in target slider; 0, which is any number, becomes the largest number",
    ),
    Field("resources.json components.<role>.yarn.role.priority", "", "the order of the roles"),
    *(Field(f"resources.json {key}", "", reason) for key, reason in LEFT_OUT.items() if key.startswith("yarn.")),
    *(Field(f"resources.json {prefix}*", "", reason) for prefix, reason in REASONS.items()),
    Field("resources.json components.slider-appmaster.yarn.memory", "target slider { am_memory }"),
    Field("appConfig.json components.slider-appmaster.jvm.heapsize", "target slider { am_heap }"),
    Field("appConfig.json site.global.docker.image", "image"),
    Field(
        "appConfig.json site.global.user.scripts.entry",
        'command, cluster { discovery = "flags" }',
        "the script is in the image, or target slider { files } sends it",
    ),
    Field("appConfig.json site.global.user.checkpoint.dir", "checkpoint", "also user.checkpoint.prefix"),
    Field(
        "appConfig.json site.global.user.data.dir",
        'mount hdfs … at "data"',
        "each task gets a copy; a folder that is not in HDFS becomes the variable DATA_DIR",
    ),
    Field("appConfig.json site.global.hadoop.conf", "target slider { hadoop_conf }"),
    Field("appConfig.json site.global.yarn.cgroup.root", "target slider { cgroup_root }"),
    Field("appConfig.json site.global.slider.allowed.ports", "target slider { allowed_ports }"),
    Field("appConfig.json site.global.<role>.port", "", "each task gets a free port"),
    Field("appConfig.json site.<file>.<key>", "target slider { config_files }", "if the metainfo has the file"),
    Field("appConfig.json ${USER_NAME}", "${job.user}"),
    Field("metainfo application.name", "job NAME", "slider create NAME is used if it is there"),
    Field("metainfo application.version", "target slider { app_version }"),
    Field("metainfo components[].name", "role", "chiefworker is chief; --role NAME=ROLE says it for other names"),
    Field(
        "metainfo components[].autoStartOnFailure",
        "on failed => restart container",
        "false is on failed => restart pod: Slider replaces the container; without it in target slider",
    ),
    Field("metainfo components[].commands[].exec", "command"),
    Field("metainfo components[].dockerContainers[].image", "image"),
    Field("metainfo components[].dockerContainers[].startCommand", "command", "also additionalParam"),
    Field("metainfo components[].dockerContainers[].mounts[]", "mount host"),
    Field("metainfo components[].dockerContainers[].runPrivilegedContainer", "privileged"),
    Field("metainfo components[].minInstanceCount", "", "a job has a fixed number of replicas; also maxInstanceCount"),
    Field("metainfo commandOrders[]", "after", "X-START requires Y-STARTED"),
    Field("metainfo packages[]", 'target slider { version = "0.91" }', "folders are copied by agents of 0.91 alone"),
    Field("metainfo exportGroups[]", "", "tfdsl writes what the tasks need"),
    Field("slider create --queue", "queue"),
    Field("ytensorflow commandConfig.app.name", "job NAME"),
)
"""In the order of the page that shows them."""
