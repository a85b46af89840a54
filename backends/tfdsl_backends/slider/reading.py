"""How the target slider reads what people have: an application of three files, or what tfdsl wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tfdsl.backend.draft import Attribute, Block, Draft, Mount, Policy, Value
from tfdsl.backend.reading import Asked, Group
from tfdsl.manifest import nodes
from tfdsl.manifest.nodes import Node, Scalar, View, mapping, view
from tfdsl.record import replace
from tfdsl.text import Span
from tfdsl_backends.hadoop.reading import (
    UNKNOWN_COMMAND,
    Notes,
    aligned,
    attribute,
    command,
    commands_of,
    each,
    java_number,
    job_name,
    lift_policies,
    megabytes,
    normal,
    restarts,
    roles_of,
    with_tokens,
)
from tfdsl_backends.slider.reading_files import (
    AUTHORS,
    FIELDS,
    GENERATED,
    LEFT_OUT,
    MASTER,
    NO_LIMIT,
    REASONS,
    Files,
    files_of,
    groups,
    placement_of,
    read_options,
    read_placement,
)
from tfdsl_backends.slider.reading_own import is_own, read_own

__all__ = ["FIELDS", "aligned", "groups", "normal", "read"]

TOKENS: Final = {"USER_NAME": "job.user", "USER": "job.user"}
"""What Slider's client replaces when the application is created."""

TO_BE_WRITTEN: Final = "only those scripts know it; write the command here"
PREFIX: Final = "yarn."
SITE: Final = "site.global."
THRESHOLD: Final = "yarn.container.failure.threshold"
DEFAULT_THRESHOLD: Final = 5
MASTER_KEYS: Final = frozenset({"yarn.memory"})


def read(group: Group, asked: Asked) -> Draft | None:
    """The job of an application."""
    files = files_of(group)
    notes = Notes(asked)
    if is_own(files.job):
        return read_own(files, files.job, notes)
    name = files.application["name"]
    span = (
        name.span if name.present else (files.resources if files.resources.present else files.config).key("components")
    )
    return (read_wrapper if files.wrapper.present else read_package)(files, notes, span)


# --- a package that people wrote --------------------------------------------------------------------------------------


def read_package(files: Files, notes: Notes, span: Span) -> Draft | None:
    """The job; ``None``, with an error, if its components are no roles."""
    components = _components(files)
    title = files.application["name"].text or files.folder or "the application"
    roles = roles_of(title, {name: entry.span for name, entry in components.items()}, notes, span)
    if roles is None:
        return None
    name, queue = _submitted(files)
    own = files.application["name"].text or files.folder
    draft = Draft(job_name(name or own, "tensorflow"), "slider", span, law=False)
    draft.renamed.update({name: role for name, role in roles.items() if name != role})
    draft.job.set("queue", queue, files.submit.node.span if files.submit is not None else None)
    _structure(files, notes, components)
    for component, role in roles.items():
        draft.role(role)
        _component(draft, role, component, files, notes)
    _settings(draft, files, notes)
    _metainfo(draft, roles, files, notes)
    _commands(draft, notes)
    _retries(draft, roles, files, notes)
    lift_policies(draft)
    _version(draft, files, notes)
    read_options(draft, files)
    return draft


def _components(files: Files) -> dict[str, View]:
    """The components that run, with what is asked for each: those of resources, else those of the metainfo."""
    asked = {name: entry for name, entry in files.resources["components"].entries() if name != MASTER}
    if asked or files.resources.present:
        return asked
    return {name: component for component in files.components() if (name := component["name"].text) is not None}


def _submitted(files: Files) -> tuple[str | None, str | None]:
    """The name and the queue of ``slider create NAME --queue QUEUE``."""
    if files.submit is None:
        return None, None
    for call in commands_of(files.submit.source):
        words = [word.text for word in call.words]
        place = next((at for at, word in enumerate(words) if word in ("create", "build", "update")), -1)
        if place < 0 or not any(word.endswith("slider") for word in words[:place]) or place + 1 >= len(words):
            continue
        name = words[place + 1] if not words[place + 1].startswith("-") else None
        queue = words[words.index("--queue") + 1] if "--queue" in words[:-1] else None
        return name, queue
    return None, None


# --- what the client checks ------------------------------------------------------------------------------------------


def _structure(files: Files, notes: Notes, components: Mapping[str, View]) -> None:
    """What ``slider create`` refuses."""
    for file in (files.resources, files.config):
        schema = file["schema"]
        if file.present and schema.text != "http://example.org/specification/v2.0.0":
            what = f"schema {schema.text}" if schema.present else "a file without schema"
            notes.refused(schema.span, what, 'it must be "http://example.org/specification/v2.0.0"')
    if not files.resources.present:
        span = files.application.span
        notes.refused(span, "an application without resources.json", "each component needs yarn.component.instances")
    members = {component["name"].text for component in files.components()}
    _orders(files, members, notes)
    priorities: dict[int, str] = {}
    for name, entry in components.items():
        if files.application.present and name not in members:
            notes.refused(
                files.resources["components"].key(name), f"component {name}", "it is not a member of the application"
            )
        if files.resources.present:
            _priority(name, entry, priorities, notes)
    for place in (files.resources["global"], *(entry for _, entry in files.resources["components"].entries())):
        for key, value in place.entries():
            if not key.startswith(PREFIX) and key != "component.unique.names":
                notes.refused(place.key(key), key, "it does not have the prefix yarn.")
            elif value.words is None and value.flag is None:
                notes.refused(value.span, key, "its value must be a text")


def _orders(files: Files, members: set[str | None], notes: Notes) -> None:
    """Names that stop the application master, and keys that the client does not take."""
    for order in files.command_orders():
        for place in (order["command"], order["requires"]):
            for word in (place.text or "").split(","):
                name = word.strip().rpartition("-")[0]
                if name not in members:
                    notes.refused(place.span, f"the command order {word.strip()}", f"no component is called {name}")
    for component, own in files.config["components"].entries():
        for key, value in own.entries():
            if key.startswith(PREFIX):
                notes.refused(value.span, f"{key} of {component}", "in appConfig.json no key may start with yarn.")


def _priority(name: str, entry: View, known: dict[int, str], notes: Notes) -> None:
    priority = entry["yarn.role.priority"]
    number = java_number(priority.words or "")
    if number is None or number <= 0:
        shown = f"yarn.role.priority {priority.words}" if priority.present else f"component {name}"
        reason = "it must be a number above 0" if priority.present else "it needs yarn.role.priority"
        notes.refused(priority.span, shown, reason)
    elif number in known:
        notes.refused(priority.span, f"yarn.role.priority {number}", f"{known[number]} has it already")
    else:
        known[number] = name


# --- resources.json --------------------------------------------------------------------------------------------------


def _component(draft: Draft, role: str, name: str, files: Files, notes: Notes) -> None:
    block = draft.role(role)
    component, usual = files.resources["components"][name], files.resources["global"]
    replicas = _number(component, usual, "yarn.component.instances", notes)
    if replicas is not None:
        count, span = replicas
        if count < 0:
            notes.refused(span, f"yarn.component.instances {count}", "it must be 0 or more")
        else:
            block.set("replicas", count if count != 1 else None, span)
    elif files.resources.present and not _either(component, usual, "yarn.component.instances").present:
        notes.refused(component.span, f"component {name}", "it needs yarn.component.instances")
    for key, word in (("yarn.memory", "memory"), ("yarn.vcores", "cpu")):
        amount = _number(component, usual, key, notes)
        if amount is not None and amount[0] > 0:
            block.set(word, megabytes(amount[0]) if word == "memory" else amount[0], amount[1])
    label = _either(component, usual, "yarn.label.expression")
    block.set("node_label", label.text or None, label.span)
    read_placement(draft, role, component)
    flex = component["yarn.component.placement.policy"]
    if placement_of(component) & 16:
        notes.left_out(flex.span, "bit 16 of yarn.component.placement.policy", "a job has a fixed number of replicas")
    for place in (component, usual):
        for key, value in place.entries():
            reason = LEFT_OUT.get(key)
            if reason is None and any(key.startswith(prefix) for prefix in REASONS):
                reason = next(why for prefix, why in REASONS.items() if key.startswith(prefix))
            if reason is not None and (place is component or role == _first(draft)):
                notes.left_out(place.key(key), f"{key} {value.words or ''}".rstrip(), reason)
    for key, value in files.resources["components"][MASTER].entries():
        if key not in MASTER_KEYS and role == _first(draft):
            notes.left_out(value.span, f"{key} of {MASTER}", "only the memory of the application master can be set")


def _first(draft: Draft) -> str:
    return next(iter(draft.roles))


def _either(component: View, usual: View, key: str) -> View:
    return component[key] if component[key].present else usual[key]


def _number(component: View, usual: View, key: str, notes: Notes) -> tuple[int, Span] | None:
    """The number of ``key``, as Slider reads it."""
    value = _either(component, usual, key)
    if not value.present:
        return None
    number = java_number(value.words or "")
    if number is None:
        if value.text == "max":
            notes.left_out(value.span, f'{key} "max"', "an amount is a number")
        else:
            notes.refused(value.span, f"{key} {value.words}", "Slider cannot read it as a number")
        return None
    if value.words is not None and value.words.strip() != str(number):
        notes.differs(value.span, f"{key} {value.words}", str(number), "Slider reads a number with a 0 first as octal")
    return number, value.span


def _retries(draft: Draft, roles: Mapping[str, str], files: Files, notes: Notes) -> None:
    """The failures after which Slider gives up."""
    usual = files.resources["global"]
    limits: list[tuple[int, Span]] = []
    for name in roles:
        threshold = _number(files.resources["components"][name], usual, THRESHOLD, notes)
        limits.append(threshold or (DEFAULT_THRESHOLD, files.resources.span))
    if not restarts(draft):
        return
    unlimited = next((span for count, span in limits if count <= 0), None)
    if unlimited is not None:
        notes.differs(
            unlimited, f"{THRESHOLD} 0", f"retries = {NO_LIMIT}", "Slider then has no limit, a job always has"
        )
        draft.job.set("retries", NO_LIMIT, unlimited)
        return
    most, span = max(limits, key=lambda limit: limit[0])
    if len({count for count, _ in limits}) > 1:
        notes.differs(span, THRESHOLD, f"retries = {most}", "a job has one limit for all roles, here the largest")
    draft.block(written=span != files.resources.span).set("retries", most if most != 3 else None, span)


# --- appConfig.json --------------------------------------------------------------------------------------------------


def _settings(draft: Draft, files: Files, notes: Notes) -> None:
    """The keys of Slider's own TensorFlow package, and those of other packages by the same names."""
    settings = files.config["global"]
    blocks = list(draft.roles.values())
    training = [block for name, block in draft.roles.items() if name != "tensorboard"]
    dictionaries = tuple(f"site.{config_file['dictionaryName'].text}." for config_file in files.config_files())
    for key, value in settings.entries():
        name = key.removeprefix(SITE)
        text = value.words or ""
        if name == "docker.image":
            each(blocks, "image", text or None, value.span)
        elif name == "user.scripts.entry":
            each(training, "command", _entry(text, value, notes), value.span)
            draft.cluster["discovery"] = "flags"
        elif name in ("user.checkpoint.dir", "user.checkpoint.prefix"):
            draft.job.set("checkpoint", with_tokens(text, TOKENS) or None, value.span)
        elif name == "user.data.dir":
            _data(draft.job, text, value, notes)
        elif name == "yarn.cgroup.root":
            draft.options.set("cgroup_root", text or None, value.span)
        elif not (name in GENERATED or name.endswith(".port") or key.startswith(dictionaries)):
            reason = LEFT_OUT.get(key) or (
                AUTHORS if key.startswith("site.") else "Slider's own setting of the package"
            )
            notes.left_out(settings.key(key), key, reason)
    for component, own in files.config["components"].entries():
        for key, value in own.entries():
            known = (component == MASTER and key == "jvm.heapsize") or key == "am.config.generation"
            if not known and not key.startswith(PREFIX):
                notes.left_out(value.span, f"{key} of {component}", LEFT_OUT.get(key, AUTHORS))


def _entry(text: str, value: View, notes: Notes) -> Value | None:
    if not text:
        return None
    difference = "the script is in the image, or the option files sends it"
    notes.differs(value.span, "site.global.user.scripts.entry", "command", difference)
    return ["python", *(word for word in text.split())]


def _data(block: Block, text: str, value: View, notes: Notes) -> None:
    """The package passes the folder on; here it is fetched, as for other programs."""
    if text.startswith("hdfs://"):
        notes.differs(value.span, "site.global.user.data.dir", "mount hdfs", "each task gets a copy in the folder data")
        block.add(Mount("hdfs", with_tokens(text, TOKENS), "data", span=value.span))
    elif text:
        block.entry("env", "DATA_DIR", with_tokens(text, TOKENS), value.span)


# --- metainfo --------------------------------------------------------------------------------------------------------


def _metainfo(draft: Draft, roles: Mapping[str, str], files: Files, notes: Notes) -> None:
    for component in files.components():
        role = roles.get(component["name"].text or "")
        if role is None:
            continue
        block = draft.role(role)
        auto_start = component["autoStartOnFailure"]
        again = str(auto_start.words or auto_start.flag).lower() == "true"
        if role != "tensorboard":
            action = "restart container" if again else "restart pod"
            draft.block(role, written=auto_start.present).add(Policy("failed", action, component.span))
        for command_ in list(component["commands"].items())[:1]:
            block.set("command", command(command_["exec"].text or "", command_["exec"].span), command_["exec"].span)
        docker = next(component["dockerContainers"].items(), None)
        if docker is not None:
            _docker(block, docker, notes)
        _bounds(component, files, notes)
    for order in files.command_orders():
        _order(draft, roles, order, notes)
    if not files.application.present:
        for role in draft.roles:
            if role != "tensorboard":
                draft.role_option(role).add(Policy("failed", "restart pod", draft.span))


def _commands(draft: Draft, notes: Notes) -> None:
    """A command for the roles of which only the package's own scripts know what they start."""
    for name, block in draft.roles.items():
        said = {statement.name for statement in block.statements if isinstance(statement, Attribute)}
        if name == "tensorboard" and "logdir" not in said and attribute(draft.job, "checkpoint") is None:
            block.set("logdir", "hdfs:///tmp/logs", draft.span)
        elif name != "tensorboard" and not {"command", "image"} & said:
            notes.differs(draft.span, f"what the package's scripts run for {name}", "command", TO_BE_WRITTEN)
            block.set("command", UNKNOWN_COMMAND, draft.span)


def _docker(block: Block, docker: View, notes: Notes) -> None:
    """The first of ``dockerContainers``, the only one that Slider starts."""
    block.set("image", docker["image"].text, docker["image"].span)
    start, more = docker["startCommand"], docker["additionalParam"]
    line = start.text or more.text
    if line:
        place = start if start.text else more
        block.set("command", command(line, place.span), place.span)
    privileged = str(docker["runPrivilegedContainer"].words or docker["runPrivilegedContainer"].flag).lower() == "true"
    block.set("privileged", privileged or None, docker["runPrivilegedContainer"].span)
    for mount in docker["mounts"].items():
        source, at = mount["hostMount"].text, mount["containerMount"].text
        if source and at:
            block.add(Mount("host", source, at, span=mount.span))
    for port in list(docker["ports"].items())[:1]:
        notes.left_out(port.span, "ports", "the agent allocates a free port for each task")
    for key in ("network", "options", "statusCommand", "inputFiles", "configFiles", "useNetworkScript"):
        if docker[key].present:
            notes.left_out(docker.key(key), key, "the generated script starts docker itself")


def _bounds(component: View, files: Files, notes: Notes) -> None:
    name = component["name"].text or ""
    asked = files.resources["components"][name]["yarn.component.instances"]
    count = java_number(asked.words or "")
    least, most = (java_number(component[key].words or "") for key in ("minInstanceCount", "maxInstanceCount"))
    if count is None:
        return
    if (least is not None and count < least) or (most is not None and count > most):
        bounds = f"the metainfo allows {least or 0} to {most if most is not None else 'any number'}"
        notes.refused(asked.span, f"yarn.component.instances {count}", bounds)
    if component["category"].text == "CLIENT" and count:
        notes.refused(asked.span, f"yarn.component.instances {count}", f"{name} is of category CLIENT")


def _order(draft: Draft, roles: Mapping[str, str], order: View, notes: Notes) -> None:
    what, _, moment = (order["command"].text or "").rpartition("-")
    role = roles.get(what)
    after: list[str] = []
    for word in (order["requires"].text or "").split(","):
        name, _, state = word.strip().rpartition("-")
        if state == "STARTED" and name in roles:
            after.append(roles[name])
        elif state != "STARTED":
            notes.left_out(
                order["requires"].span, f"requires {word.strip()}", "after waits for roles that have started"
            )
    if role is None or moment != "START":
        notes.left_out(order["command"].span, f"command {order['command'].text}", "after is about the start of a role")
    else:
        draft.role(role).set("after", after or None, order.span)


def _version(draft: Draft, files: Files, notes: Notes) -> None:
    """Packages of folders are copied by the agents of 0.91 and before alone."""
    folders = [entry for entry in files.packages() if entry["type"].text in ("folder", "tarball", "zip")]
    if folders and next(files.config_files(), None) is None:
        draft.version = "0.91"
    for package in files.packages():
        if package not in folders or package["name"].text != "files":
            notes.left_out(
                package.span,
                f"package {package['name'].text}",
                "what the tasks need is in files, archives or the image",
            )


INSTANCES: Final = {"ps": "2", "chiefworker": "1", "worker": "5", "tensorboard": "1"}
SCHEMA: Final = "http://example.org/specification/v2.0.0"


def read_wrapper(files: Files, notes: Notes, span: Span) -> Draft | None:
    """The job that the command would submit."""
    root = files.wrapper
    components: dict[str, Node] = {}
    for number, (name, entry) in enumerate(root["resources"]["components"].entries(), 1):
        said: dict[str, Node] = {"yarn.role.priority": Scalar(str(number), entry.span)}
        if not entry["yarn.component.instances"].present:
            said["yarn.component.instances"] = Scalar(INSTANCES.get(name, "1"), entry.span)
        own = {key: value.node for key, value in entry.entries() if value.node is not None}
        components[name] = mapping({**said, **own}, entry.span)
    settings = {
        key if key.startswith("site.") else f"{SITE}{key}": value.node
        for key, value in root["appConfig"]["global"].entries()
        if value.node is not None
    }
    made = replace(
        files,
        resources=_file(root["resources"], {"components": mapping(components, root["resources"].span)}),
        config=_file(root["appConfig"], {"global": mapping(settings, root["appConfig"].span)}),
        application=_named(root),
    )
    return read_package(made, notes, span)


def _file(place: View, entries: dict[str, Node]) -> View:
    return view(mapping({"schema": Scalar(SCHEMA, place.span), **entries}, place.span))


def _named(root: View) -> View:
    """An application with the name and the components of the package, whose agents restart nothing."""
    name = root["commandConfig"]["app.name"]
    components = [mapping({"name": Scalar(one, root.span)}, root.span) for one in INSTANCES]
    entries: dict[str, Node] = {
        "name": name.node or Scalar("tensorflow", root.span),
        "components": nodes.Sequence(tuple(components), root.span),
    }
    return view(mapping(entries, root.span))
