"""A Yarnfile, the JSON of YARN Services: its components are the roles."""

from __future__ import annotations

from typing import Final

from tfdsl.backend.draft import Block, Draft, Mount, Policy
from tfdsl.manifest.nodes import Document, Mapping, View, view
from tfdsl.patterns import regex
from tfdsl_backends.hadoop.reading import (
    Notes,
    board,
    command_with_tokens,
    default_decider,
    duration,
    job_name,
    lift_policies,
    memory,
    restarts,
    roles_of,
)
from tfdsl_backends.yarn.reading_fields import SERVICE_LEFT_OUT
from tfdsl_backends.yarn.reading_parts import PREFIX, Runtime, read_runtime, set_resource

NAME: Final = regex(r"[a-z][a-z0-9-]*\Z")
PARTS: Final = ("number_of_containers", "launch_command", "resource", "artifact")
USUAL_FAILURES: Final = 10
"""The failures of a component after which YARN Services gives up."""

DOMINANT: Final = "yarn.service.container-state-report-as-service-state"
FAILURES: Final = "yarn.service.container-failure-per-component.threshold"
NEAR: Final = {"AFFINITY": "IN", "ANTI_AFFINITY": "NOTIN", "AFFINITY_WITH_CARDINALITY": "CARDINALITY"}
ATTRIBUTES: Final = frozenset(
    ("name", "version", "description", "id", "artifact", "resource", "launch_time", "number_of_running_containers",
     "lifetime", "components", "configuration", "state", "queue")
)  # fmt: skip
OF_COMPONENT: Final = frozenset(
    ("name", "number_of_containers", "artifact", "launch_command", "resource", "dependencies", "restart_policy",
     "configuration", "placement_policy", "run_privileged_container", "containers", "state")
)  # fmt: skip


def is_yarnfile(document: Document) -> bool:
    """Whether a document is a service with components."""
    root = view(document.node)
    if document.format == "text" or root["apiVersion"].present or root["kind"].present:
        return False
    components = list(root["components"].items())
    return all(isinstance(component.node, Mapping) and component["name"].present for component in components) and any(
        component[key].present for component in components for key in PARTS
    )


def read_yarnfile(root: View, notes: Notes) -> Draft | None:
    """The job of a service."""
    components = {entry["name"].words or "": entry for entry in root["components"].items()}
    title = root["name"].words or "the service"
    names = {name: entry["name"].span for name, entry in components.items()}
    roles = roles_of(title, names, notes, root["name"].span)
    if roles is None:
        return None
    _checks(root, notes)
    draft = Draft(job_name(title, "service"), "yarn", root["name"].span, law=False)
    draft.renamed.update({name: role for name, role in roles.items() if name != role})
    draft.job.set("queue", root["queue"].text, root["queue"].span)
    lifetime = root["lifetime"].words or ""
    if lifetime.isascii() and lifetime.isdecimal() and len(lifetime) < 12:
        draft.job.set("deadline", duration(int(lifetime) * 1000), root["lifetime"].span)
    for name, role in roles.items():
        draft.role(role)
        _component(draft, role, components[name], root, roles, notes)
    _retries(draft, root, components, notes)
    lift_policies(draft)
    _completions(draft, roles, components, root)
    for key, _ in root.entries():
        if key not in ATTRIBUTES:
            notes.left_out(root.key(key), key, SERVICE_LEFT_OUT.get(key, "YARN Services ignores it"))
    return draft


# --- what the server refuses -----------------------------------------------------------------------------------------


def _checks(root: View, notes: Notes) -> None:
    """What YARN refuses (``ServiceApiUtil.validateAndResolveService``)."""
    if not root["version"].present:
        notes.refused(root["name"].span, "a service without version", "version is required")
    service = root["name"].words
    known: set[str] = set()
    for entry in root["components"].items():
        name = entry["name"].words or ""
        for text, place in ((service, root["name"]), (name, entry["name"])):
            if text is not None and not NAME.match(text) and (text == name or not known):
                notes.refused(place.span, f"the name {text}", "it must have lowercase letters, digits and - only")
        if name == service:
            notes.refused(entry["name"].span, f"component {name}", "a component cannot have the name of its service")
        if name in known:
            notes.refused(entry["name"].span, f"component {name}", "another component has the name")
        known.add(name)
        _check_component(entry, root, notes)
    for entry in root["components"].items():
        for dependency in entry["dependencies"].items():
            if dependency.text not in known:
                notes.refused(dependency.span, f"the dependency {dependency.words}", "no component has the name")


def _check_component(entry: View, root: View, notes: Notes) -> None:
    name = entry["name"].words or ""
    artifact = entry["artifact"] if entry["artifact"].present else root["artifact"]
    kind = artifact["type"].text or "DOCKER"
    if kind not in ("DOCKER", "TARBALL", "SERVICE"):
        notes.refused(artifact["type"].span, f"artifact type {kind}", "types are DOCKER, TARBALL and SERVICE")
    if kind == "SERVICE":
        return
    if not entry["launch_command"].text and not (kind == "DOCKER" and artifact.present):
        notes.refused(
            entry["name"].span, f"component {name}", "it needs launch_command, because it has no docker image"
        )
    count = entry["number_of_containers"]
    if count.number is None or count.number < 0:
        notes.refused(
            count.span if count.present else entry["name"].span,
            f"component {name}",
            "it needs number_of_containers, 0 or more",
        )
    resource = entry["resource"] if entry["resource"].present else root["resource"]
    for key in ("memory", "cpus"):
        if not resource[key].present:
            notes.refused(
                resource.span if resource.present else entry["name"].span,
                f"component {name}",
                f"it needs resource.{key}",
            )


# --- a component -----------------------------------------------------------------------------------------------------


def _component(draft: Draft, role: str, entry: View, root: View, roles: dict[str, str], notes: Notes) -> None:
    block = draft.role(role)
    count = entry["number_of_containers"]
    block.set("replicas", count.number if count.number not in (None, 1) else None, count.span)
    image = _artifact(block, entry["artifact"] if entry["artifact"].present else root["artifact"])
    _command(block, role, entry, root, notes)
    size = _size(block, entry["resource"] if entry["resource"].present else root["resource"], notes)
    variables = _variables(root) | _variables(entry)
    runtime = Runtime(
        tuple((name, value.words or "", value.span) for name, value in variables.items()),
        size,
        _sent(root) | _sent(entry),
    )
    read_runtime(block, runtime, notes, image)
    privileged = str(entry["run_privileged_container"].flag or entry["run_privileged_container"].text).lower() == "true"
    block.set("privileged", privileged or None, entry["run_privileged_container"].span)
    for place in (root, entry):
        _files(block, place, notes, runtime.mounted if image else set(), docker=bool(image))
        _properties(place, notes, told=role == next(iter(draft.roles)) or place is entry)
    after = [roles[name] for each in entry["dependencies"].items() if (name := each.text or "") in roles]
    block.set("after", after or None, entry["dependencies"].span)
    _placement(draft, role, entry["placement_policy"]["constraints"], roles, notes)
    if (entry["restart_policy"].text or "ALWAYS") != "NEVER" and role != "tensorboard":
        place = entry["restart_policy"]
        draft.block(role, written=place.present).add(Policy("failed", "restart container", place.span))
    for key, _ in entry.entries():
        if key not in OF_COMPONENT:
            notes.left_out(entry.key(key), key, SERVICE_LEFT_OUT.get(key, "YARN Services ignores it"))


def _artifact(block: Block, artifact: View) -> str:
    """The image, or the archive that is unpacked into lib; returns the image."""
    name, kind = artifact["id"].text or "", artifact["type"].text or "DOCKER"
    if not name:
        return ""
    if kind == "TARBALL":
        source = name if "://" in name else f"hdfs://{name}"
        block.add(Mount("archive", source, "lib", span=artifact["id"].span))
        return ""
    if kind == "DOCKER":
        block.set("image", name, artifact["id"].span)
        return name
    return ""


def _command(block: Block, role: str, entry: View, root: View, notes: Notes) -> None:
    command = entry["launch_command"]
    tokens = {
        "COMPONENT_ID": "task.index",
        "USER": "job.user",
        "SERVICE_NAME": "job.name",
        "COMPONENT_NAME": "role.name",
    }
    text = command.text or ""
    if str(_variables(root).get(f"{PREFIX}DOCKER_RUN_OVERRIDE_DISABLE", entry).words).lower() == "true":
        text = text.replace(",", " ")  # arguments of the image's own program
    line = command_with_tokens(text, command.span, tokens)
    if role == "tensorboard":
        board(block, line, command.span)
    else:
        block.set("command", line, command.span)


def _size(block: Block, resource: View, notes: Notes) -> str:
    """Memory, processors and devices; returns the memory."""
    amount = resource["memory"].words or ""
    size = memory(amount)
    block.set("memory", size, resource["memory"].span)
    set_resource(block, "vcores", resource["cpus"].words or "", resource["cpus"].span)
    for name, each in resource["additional"].entries():
        value = each["value"].words or ""
        if each["unit"].text:
            notes.left_out(each.span, f"{name} in {each['unit'].text}", "an amount is a whole number without a unit")
        elif not set_resource(block, name, value, each.span):
            notes.left_out(each.span, f"{name} {value}", "an amount is a whole number")
    return amount if size is not None else ""


def _variables(place: View) -> dict[str, View]:
    return dict(place["configuration"]["env"].entries())


def _properties(place: View, notes: Notes, *, told: bool) -> None:
    properties = place["configuration"]["properties"]
    for key, _ in properties.entries() if told else ():
        if key in (DOMINANT, FAILURES):
            continue
        reason = "nothing reads it; a variable is set in configuration.env" if key.startswith("env.") else ""
        notes.left_out(properties.key(key), key, reason or "it is a setting of YARN Services")


def _sent(place: View) -> dict[str, str]:
    """Files of HDFS that YARN puts into the work folder."""
    found = {
        file["dest_file"].text or "": file["src_file"].text or ""
        for file in place["configuration"]["files"].items()
        if file["type"].text == "STATIC"
    }
    return {name: source for name, source in found.items() if name and "://" in source}


def _files(block: Block, place: View, notes: Notes, mounted: set[str], *, docker: bool) -> None:
    for file in place["configuration"]["files"].items():
        kind, source, at = file["type"].text or "", file["src_file"].text, file["dest_file"].text
        if file["props"].present:
            notes.left_out(file.key("props"), "props", "YARN Services ignores it; it reads properties")
        if at in mounted:
            continue
        if source and at and kind in ("STATIC", "ARCHIVE") and "://" in source and (docker or not at.startswith("/")):
            block.add(Mount("archive" if kind == "ARCHIVE" else "hdfs", source, at, span=file.span))
        elif kind in ("STATIC", "ARCHIVE") and source and "://" not in source:
            notes.left_out(file.span, f"the file {source}", "target yarn { files } sends files of the submitter")
        else:
            notes.left_out(file.span, f"the file {at or ''}".rstrip(), "tfdsl writes no files; put it in the image")


def _placement(draft: Draft, role: str, constraints: View, roles: dict[str, str], notes: Notes) -> None:
    parts: list[str] = []
    for constraint in constraints.items():
        tags = [roles.get(each.text or "", "") for each in constraint["target_tags"].items()]
        kind, scope = constraint["type"].text or "", constraint["scope"].text or "NODE"
        partitions = [each.text for each in constraint["node_partitions"].items() if each.text]
        if partitions:
            draft.role(role).set(
                "node_label", " || ".join(filter(None, partitions)), constraint["node_partitions"].span
            )
        for name, values in constraint["node_attributes"].entries():
            sign = "!=" if kind == "ANTI_AFFINITY" else "="
            parts += [f"{name}{sign}{each.words}" for each in values.items()][:1]
        if kind == "ANTI_AFFINITY" and scope == "NODE" and tags == [role]:
            draft.role(role).set("spread", "node", constraint.span)
        elif tags and all(tags) and kind in NEAR:
            counts = [
                constraint[key].words or bound
                for key, bound in (("min_cardinality", "0"), ("max_cardinality", "999999999"))
            ]
            numbers = counts if kind == "AFFINITY_WITH_CARDINALITY" else []
            parts.append(",".join((NEAR[kind], scope, *tags, *numbers)))
        elif not partitions and not constraint["node_attributes"].present:
            notes.refused(
                constraint.span, "a placement constraint", "it needs a type, a scope and tags that are components"
            )
    if parts:
        text = parts[0] if len(parts) == 1 else f"AND({':'.join(parts)})"
        draft.options.entry("placement", role, text, constraints.span)


# --- endings ---------------------------------------------------------------------------------------------------------


def _retries(draft: Draft, root: View, components: dict[str, View], notes: Notes) -> None:
    if not restarts(draft):
        return
    always = next(
        (component for component in components.values() if (component["restart_policy"].text or "ALWAYS") == "ALWAYS"),
        None,
    )
    if always is not None:
        place = always["restart_policy"] if always["restart_policy"].present else always["name"]
        difference = "YARN Services also starts again what has ended with success"
        notes.differs(place.span, "restart_policy ALWAYS", "on failed => restart container", difference)
    limit = root["configuration"]["properties"][FAILURES]
    text = limit.words or ""
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else USUAL_FAILURES
    draft.block(written=limit.present).set("retries", number, limit.span)


def _completions(draft: Draft, roles: dict[str, str], components: dict[str, View], root: View) -> None:
    """The component whose state is that of the service."""
    for name, role in roles.items():
        said = components[name]["configuration"]["properties"][DOMINANT]
        true = str(said.words or said.flag).lower() == "true"
        if true and role != default_decider(draft.roles) and role not in ("tensorboard", "ps"):
            draft.job.add(Policy(f"{role} completed", "complete job", said.span))
