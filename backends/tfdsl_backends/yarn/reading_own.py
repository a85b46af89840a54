"""A job that tfdsl wrote for YARN: what job.sh and submit.sh say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tfdsl.draft import Attribute, Block, Draft, Policy, Statement
from tfdsl.manifest.shell_words import Word
from tfdsl.patterns import regex
from tfdsl_backends.hadoop.reading import ROLES, duration, job_name
from tfdsl_backends.hadoop.reading_policies import (
    add_completions,
    add_policy,
    add_retries,
    lift_policies,
    statuses,
)
from tfdsl_backends.yarn.needs import AT_HOME
from tfdsl_backends.yarn.reading_options import Client, client_of
from tfdsl_backends.yarn.reading_own_roles import Task, read_role

if TYPE_CHECKING:
    from typing import TypeGuard

    from tfdsl.manifest.nodes import View
    from tfdsl_backends.yarn.reading_scripts import JobScript, SubmitScript

CHECKPOINT: Final = "CHECKPOINT_DIR"
ACTIONS: Final = {"restart": "restart job", "ignore": "ignore", "fail": "fail job"}
USUAL_LIMIT: Final = 900
USUAL_PORTS: Final = [20000, 30000]
USUAL_STORE: Final = f"{AT_HOME}.tfjobs"

_PLACED: Final = regex(r"([^,(=]+)(?:\([0-9]+\)|=[0-9]+)(?:,(.*))?\Z")
_APART: Final = regex(r"AND\(NOTIN,NODE,([^:]+):(.*)\)\Z")


def read_own(script: JobScript, submit: SubmitScript) -> Draft:
    """The job."""
    plan = script.plan
    draft = Draft(job_name(plan["job"].text or ""), "yarn", plan["job"].span, law=False)
    clients = {name: client_of(words) for name, words in submit.applications.items()}
    draft.version = _version(clients, submit)
    only = next(iter(clients.values()), Client({}, (), ()))
    roles = [(pair[0].text or "", pair[1].number or 0, pair.span) for pair in plan["roles"].items()]
    for name, replicas, span in roles:
        if name not in ROLES:
            continue
        task = Task(name, script, clients.get(name, only), submit)
        draft.role(name).set("replicas", replicas if replicas != 1 else None, span)
        read_role(draft, task)
        _policies(draft, name, plan)
    _apart(draft)
    _checkpoint(draft)
    _job(draft, plan, only)
    _options(draft, script, submit, clients)
    return draft


def _version(clients: dict[str, Client], submit: SubmitScript) -> str | None:
    """The version, where the scripts are not those of the default."""
    if not submit.tags:
        return "2.10"
    specs = [one.options["placement_spec"].text for one in clients.values() if "placement_spec" in one.options]
    old = any("=" in spec.partition(",")[0] for spec in specs)
    return "3.1" if old or ((submit.sent or submit.files) and not submit.localizes) else None


# --- the job ---------------------------------------------------------------------------------------------------------


def _job(draft: Draft, plan: View, client: Client) -> None:
    for option in ("queue", "priority"):
        word = client.options.get(option)
        if word is not None:
            number = option == "priority" and word.text.isdecimal()
            draft.job.set(option, int(word.text) if number else word.text, word.span)
    timeout = client.options.get("timeout")
    if timeout is not None and timeout.text.isdecimal() and timeout.text != "2147483647":
        draft.job.set("deadline", duration(int(timeout.text)), timeout.span)
    for name, roles in plan["after"].entries():
        if name in draft.roles:
            draft.role(name).set("after", [one.text or "" for one in roles.items()], roles.span)
    lift_policies(draft)
    deciding = [(pair[0].text or "", pair[1].number or 0) for pair in plan["complete"].items()]
    add_completions(draft, deciding, plan.key("complete"))
    add_retries(draft, plan["restarts"].number or 0, plan["restarts"].span)
    programs = {name for name, block in draft.roles.items() if name != "tensorboard" and not _is_server(block)}
    configured = programs & {one.text for one in plan["tf_config"].items()}
    if next(plan["flags"].items(), None) is not None:
        discovery = "both" if configured else "flags"
    else:
        discovery = "tf_config" if configured or not programs else "none"
    if discovery != "tf_config":
        draft.cluster["discovery"] = discovery


def _is_server(block: Block) -> bool:
    return any(isinstance(one, Attribute) and one.name == "server" for one in block.statements)


def _options(draft: Draft, script: JobScript, submit: SubmitScript, clients: dict[str, Client]) -> None:
    plan, options = script.plan, draft.options
    only = next(iter(clients.values()), Client({}, (), ()))
    if script.given:
        options.set("dialect", "yarn-tf", plan.span)
    else:
        options.set("applications", _applications(draft, clients), plan.span)
    options.set("files", list(submit.files) or None, plan.span)
    for name, client in clients.items():
        spec = client.options.get("placement_spec")
        if spec is not None:
            _placement(draft, next(iter(draft.roles)) if name == "job" else name, spec)
    store = plan["store"].text
    options.set("store", store if store not in (None, USUAL_STORE) else None, plan["store"].span)
    options.set("hadoop_home", script.hadoop_home or None, plan.span)
    options.set("webhdfs", plan["webhdfs"].text or None, plan["webhdfs"].span)
    limit = plan["limit"].node
    seconds = getattr(limit, "value", USUAL_LIMIT)
    if "." in plan["limit"].span.text:  # written so for the delay of a policy; the option is an int
        event = f"pending after {duration(round(float(seconds) * 1000)).words}"
        draft.job.add(Policy(event, "fail job", plan["limit"].span))
    elif isinstance(seconds, int) and seconds != USUAL_LIMIT:
        options.set("rendezvous_seconds", seconds, plan["limit"].span)
    ports = [one.number for one in plan["ports"].items()]
    if len(ports) == 2 and ports != USUAL_PORTS:
        options.set("port_range", f"{ports[0]}-{ports[1]}", plan["ports"].span)
    options.set("reuse_port", True if plan["reuse_port"].flag else None, plan["reuse_port"].span)
    memory = only.options.get("master_memory")
    if memory is not None and memory.text.isdecimal() and memory.text != "512":
        options.set("am_memory", int(memory.text), memory.span)
    options.set("python", script.python or None, plan.span)


def _applications(draft: Draft, clients: dict[str, Client]) -> str | None:
    """The option, where what the roles have would not give it."""
    if len(draft.roles) < 2:
        return None
    if len(clients) > 1:
        own = [one.shape for one in clients.values()]
        return "per-role" if all(one == own[0] for one in own) else None
    (client,) = clients.values() or (Client({}, (), ()),)
    return "one" if "placement_spec" in client.options or _hides(draft) else None


def _hides(draft: Draft) -> bool:
    """Whether one size is for roles with and without devices."""
    counts = [
        any(isinstance(one, Attribute) and one.name == "gpu" for one in b.statements) for b in draft.roles.values()
    ]
    return any(counts) and not all(counts)


def _apart(draft: Draft) -> None:
    """``spread`` of a role that has a single replica means nothing."""
    for block in draft.roles.values():
        if not any(isinstance(one, Attribute) and one.name == "replicas" for one in block.statements):
            block.statements = [
                one for one in block.statements if not (isinstance(one, Attribute) and one.name == "spread")
            ]


def _placement(draft: Draft, role: str, spec: Word) -> None:
    """``-placement_spec``: a tag with the number, and the constraint, which names the tags of the job's roles."""
    found = _PLACED.match(spec.text)
    if found is None or not found[2] or role not in draft.roles:
        return
    tag, text = found[1], found[2]
    apart = _APART.match(text)
    if apart is not None and apart[1] == tag:
        draft.role(role).set("spread", "node", spec.span)
        text = apart[2]
    elif text == f"NOTIN,NODE,{tag}":
        draft.role(role).set("spread", "node", spec.span)
        return
    text = text.replace("all/", "\0") if "$run" in text else text
    for name in draft.roles:
        text = text.replace(f"\0{name}-$run", name)
    text = text.replace("\0", "all/")
    draft.options.entry("placement", role, text.replace(tag, role) if tag != role else text, spec.span)


def _checkpoint(draft: Draft) -> None:
    """The variable that every role has is the job's folder."""
    found = [next((one for one in block.statements if _is_checkpoint(one)), None) for block in draft.roles.values()]
    first = found[0] if found else None
    if first is None or any(one is None or repr(one.value) != repr(first.value) for one in found):
        return
    for block in draft.roles.values():
        block.statements = [one for one in block.statements if not _is_checkpoint(one)]
    draft.job.set("checkpoint", first.value, first.span)
    board = draft.roles.get("tensorboard")
    if board is not None:
        board.statements = [
            one
            for one in board.statements
            if not (isinstance(one, Attribute) and one.name == "logdir" and repr(one.value) == repr(first.value))
        ]


def _is_checkpoint(one: Statement) -> TypeGuard[Attribute]:
    return isinstance(one, Attribute) and one.name == "env" and one.key == CHECKPOINT


# --- policies --------------------------------------------------------------------------------------------------------


def _policies(draft: Draft, role: str, plan: View) -> None:
    if role in [one.text for one in plan["again"].items()]:
        return
    for name, rules in plan["actions"].entries():
        owner, _, place = name.partition("[")
        if owner != role:
            continue
        index = int(place.rstrip("]")) if place else -1
        otherwise = rules["0"].text or "fail"
        by_action: dict[str, list[int]] = {}
        for status, action in rules.entries():
            if status != "0":
                by_action.setdefault(action.text or "", []).append(int(status))
        for what, codes in by_action.items():
            event = f"exit {statuses(sorted(codes))}"
            add_policy(draft, role, index, event, ACTIONS.get(what, "fail job"), rules.span)
        if otherwise != "fail" or role == "tensorboard" or index >= 0:
            add_policy(draft, role, index, "failed", ACTIONS.get(otherwise, "fail job"), rules.span)
