"""The YAML job file of Submarine, as it was part of Hadoop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.diagnostics import command_rules
from tfdsl.draft import Block, Draft, Mount
from tfdsl.manifest.nodes import Mapping, View, view
from tfdsl.text import Span
from tfdsl_backends.hadoop.reading import UNKNOWN_COMMAND, Notes, command, job_name, memory, roles_of
from tfdsl_backends.yarn.reading_fields import SUBMARINE_LEFT_OUT
from tfdsl_backends.yarn.reading_resources import resources, set_resource
from tfdsl_backends.yarn.reading_runtime import read_mount

if TYPE_CHECKING:
    from tfdsl.manifest.nodes import Document

OF_ROLE: Final = frozenset(("resources", "replicas", "launch_cmd", "docker_image", "envs", "localizations", "mounts"))
OF_CONFIGS: Final = OF_ROLE | {"input_path", "checkpoint_path", "saved_model_path", "wait_job_finish", "quicklinks"}
PATHS: Final = ("input_path", "checkpoint_path", "saved_model_path")


def is_submarine(document: Document) -> bool:
    """Whether a document is a job of Submarine."""
    root = view(document.node)
    spec = root["spec"]
    return (
        document.format != "text"
        and not root["apiVersion"].present
        and isinstance(root["roles"].node, Mapping)
        and (spec["framework"].present or spec["job_type"].present)
    )


def read_submarine(root: View, notes: Notes) -> Draft | None:
    """The job of a file."""
    spec, configs = root["spec"], root["configs"]
    title = spec["name"].words or "the job of Submarine"
    framework = spec["framework"].text or "tensorflow"
    if framework.lower() != "tensorflow":
        reason = f"its framework is {framework}"
        notes.asked.report(command_rules.NOT_TENSORFLOW(spec["framework"].span, what=title, reason=reason))
        return None
    parts = dict(root["roles"].entries())
    roles = roles_of(title, {name: root["roles"].key(name) for name in parts}, notes, root.span)
    if roles is None:
        return None
    draft = Draft(job_name(title), "yarn", spec["name"].span, law=False)
    draft.renamed.update({name: role for name, role in roles.items() if name != role})
    draft.job.set("queue", root["scheduling"]["queue"].text, root["scheduling"]["queue"].span)
    draft.job.set("checkpoint", configs["checkpoint_path"].text, configs["checkpoint_path"].span)
    for name, role in roles.items():
        _role(draft.role(role), parts[name], configs, notes)
    _board(draft, root["tensorBoard"], configs, notes)
    _left_out(root, parts, notes)
    return draft


def _role(block: Block, one: View, configs: View, notes: Notes) -> None:
    count = one["replicas"]
    block.set("replicas", count.number if count.number not in (None, 1) else None, count.span)
    _size(block, one["resources"], notes)
    image = one["docker_image"] if one["docker_image"].present else configs["docker_image"]
    block.set("image", image.text, image.span)
    line = one["launch_cmd"]
    if line.text:
        block.set("command", command(_with_paths(line.text, configs), line.span), line.span)
    else:
        notes.differs(one.span, "a role without launch_cmd", "command", "write the command")
        block.set("command", UNKNOWN_COMMAND, one.span)
    _surroundings(block, one, configs, notes)


def _surroundings(block: Block, one: View, configs: View, notes: Notes) -> None:
    """Variables, mounts and files: those of all parts, and a part's own."""
    for name, value in {**dict(configs["envs"].entries()), **dict(one["envs"].entries())}.items():
        block.entry("env", name, value.words or str(value.flag).lower(), value.span)
    for key in ("mounts", "localizations"):
        place = one[key] if one[key].present else configs[key]
        for each in place.items():
            if key == "mounts":
                read_mount(block, each.text or "", each.span, notes)
            else:
                _localize(block, each.text or "", each.span, notes)


def _with_paths(text: str, configs: View) -> str:
    for key in PATHS:
        text = text.replace(f"%{key}%", configs[key].text or f"%{key}%")
    return text


def _size(block: Block, place: View, notes: Notes) -> None:
    """``memory=4G,vcores=2,gpu=1``."""
    for name, amount in resources(place.text or "").items():
        if name == "memory":
            block.set("memory", memory(amount), place.span)
        elif not set_resource(block, "yarn.io/gpu" if name == "gpu" else name, amount, place.span):
            notes.left_out(place.span, f"{name}={amount}", "an amount is a whole number")


def _localize(block: Block, text: str, span: Span, notes: Notes) -> None:
    """``REMOTE:LOCAL[:MODE]``, where REMOTE can be a URI."""
    words = text.removesuffix(":rw").removesuffix(":ro")
    remote, _, local = words.rpartition(":")
    if not remote or remote.endswith("//") or "/" in remote[-2:]:
        remote, local = words, words.rstrip("/").rpartition("/")[2]
    if remote.startswith("hdfs://"):
        block.add(Mount("hdfs", remote, local if local != "." else remote.rpartition("/")[2], span=span))
    else:
        notes.left_out(span, f"the localization {text}", "only hdfs:// is fetched; target yarn { files } sends files")


def _board(draft: Draft, one: View, configs: View, notes: Notes) -> None:
    if not one.present:
        return
    block = draft.role("tensorboard")
    image = one["docker_image"] if one["docker_image"].present else configs["docker_image"]
    block.set("image", image.text, image.span)
    for name, amount in resources(one["resources"].text or "").items():
        if name == "memory":
            block.set("memory", memory(amount), one["resources"].span)
        elif name == "vcores":
            set_resource(block, name, amount, one["resources"].span)
    _surroundings(block, one, configs, notes)
    if not configs["checkpoint_path"].present:
        block.set("logdir", configs["saved_model_path"].text or "hdfs:///tmp/logs", one.span)


def _left_out(root: View, parts: dict[str, View], notes: Notes) -> None:
    sections = {"spec", "configs", "scheduling", "roles", "tensorBoard", *SUBMARINE_LEFT_OUT}
    for key, _ in root.entries():
        if key not in sections:
            notes.refused(root.key(key), key, "Submarine knows no such property")
        elif key in SUBMARINE_LEFT_OUT:
            notes.left_out(root.key(key), key, SUBMARINE_LEFT_OUT[key])
    for place, known in ((root["configs"], OF_CONFIGS), *((one, OF_ROLE) for one in parts.values())):
        for key, _ in place.entries():
            if key not in known:
                notes.refused(place.key(key), key, "Submarine knows no such property")
            elif key in SUBMARINE_LEFT_OUT:
                notes.left_out(place.key(key), key, SUBMARINE_LEFT_OUT[key])
