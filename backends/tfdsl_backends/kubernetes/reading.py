"""Jobs of Kubernetes, and what is made of them, as jobs of the language.

The other direction of :mod:`tfdsl_backends.kubernetes.lower`; the functions are those of
:class:`tfdsl.backend.reading.Reading`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping as Map, Sequence as Many
from typing import Final

from tfdsl.backend.draft import Attribute, Bare, Block, Draft, Param, Policy, Text, Value
from tfdsl.backend.reading import Asked, Field, Group
from tfdsl.diagnostics.command_rules import NO_ROLE, READ_DIFFERENTLY
from tfdsl.ir.cluster_spec import tf_config
from tfdsl.manifest.nodes import (
    Document,
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    View,
    changed,
    child,
    each,
    items,
    mapping,
    put,
    scalar,
    view,
    walk,
    with_value,
)
from tfdsl.patterns import regex
from tfdsl.record import Record, replace
from tfdsl.text import Span
from tfdsl.vocabulary.attributes import BOARD, DEFAULT_RETRIES, LEADERS, MOST_RETRIES, ROLES
from tfdsl.vocabulary.names import LONGEST_LABEL
from tfdsl_backends.kubernetes import normal as normal_form
from tfdsl_backends.kubernetes.normal import (
    Part,
    bare,
    is_pinned,
    job_of,
    job_parts,
    kind,
    named_like,
    of_one_pod,
    replicas_of,
    sets,
    with_container,
    with_port_of,
)
from tfdsl_backends.kubernetes.options import JOB_NAME, JOB_NAMES
from tfdsl_backends.kubernetes.patch_rules import RULES
from tfdsl_backends.kubernetes.policies import JOB_LABEL, ORDER, ROLE_LABEL
from tfdsl_backends.podspec.fields import DEADLINE, SUSPEND, TTL
from tfdsl_backends.podspec.job_controller import DEFAULT_LIMIT
from tfdsl_backends.podspec.normal.rules import GENERATED
from tfdsl_backends.podspec.objects import BOARD_LABEL, DIGEST, SUBMISSION
from tfdsl_backends.podspec.options import QUEUE_LABEL
from tfdsl_backends.podspec.plan import INDEX_FIELD, INDEX_VARIABLE, PORT_NAME
from tfdsl_backends.podspec.reading.batch import INDEXED, ending_alone, read_field, refusals, schedule_of
from tfdsl_backends.podspec.reading.beside import deployed_board, is_board, kept_claims
from tfdsl_backends.podspec.reading.facts import PodFacts, main_container
from tfdsl_backends.podspec.reading.fields import metadata_fields, plain
from tfdsl_backends.podspec.reading.objects import Neighbours, job_name as name_of, unless_refused
from tfdsl_backends.podspec.reading.pods import add_missing_images, read_pods
from tfdsl_backends.podspec.reading.values import STATUSES, on_exit

__all__ = ["FIELDS", "aligned", "groups", "normal", "read"]


@unless_refused
def read(group: Group, asked: Asked) -> Draft | None:
    """The job that ``group`` describes; ``None`` if the language cannot express it (reported as an error)."""
    first = group.documents[0].node
    if is_template(first):
        draft = read_jobs([replace(group.documents[0], node=job) for job in jobs_of(first)], asked)
        return None if draft is None else as_template(draft, first, asked)
    return read_jobs(group.documents, asked)


def normal(documents: Many[Node], version: str) -> Many[Node]:
    """The normal form of Jobs and of what is beside them."""
    whole = normal_form.normal([bare(document) for document in documents], version)
    return [of_one_pod(document) for document in whole]


def aligned(documents: Many[Node], written: Many[Node]) -> Many[Node]:
    """``documents`` with the names of Jobs, containers and volumes that ``written`` has."""
    named = normal_form.aligned(named_like(documents, written), written)
    return [with_container(with_port_of(document, written)) for document in named]


def groups(documents: Many[Document]) -> Many[Group]:
    """The jobs in ``documents``, in the order of their first documents."""
    kinds = [kind(view(document.node)) for document in documents]
    by_document: dict[int, Group] = {}
    jobs: list[int] = []
    for number, document in enumerate(documents):
        if kinds[number] == "CronJob":
            by_document[number] = Group("CronJob", (document,))
        elif kinds[number] == "Job" and is_template(document.node):
            by_document[number] = Group("template of simpletfjob", (document,))
        elif kinds[number] == "Job":
            jobs.append(number)
    neighbours = Neighbours(document for number, document in enumerate(documents) if kinds[number])
    for members in sets([documents[number].node for number in jobs]):
        numbers = [jobs[member] for member in members]
        by_document[numbers[0]] = _group([documents[number] for number in numbers], neighbours)
    return [by_document[number] for number in sorted(by_document)]


def _group(jobs: Many[Document], neighbours: Neighbours) -> Group:
    """The documents of one job's Jobs and what belongs to them."""
    parts = job_parts([job_of(document.node) for document in jobs])
    name, namespace = parts[0].job, parts[0].root["metadata"]["namespace"].text
    beside = [document for document in neighbours.of(namespace, name) if belongs(document.node, name, parts)]
    what = "Kubernetes Job" if len(jobs) == 1 else f"set of {len(jobs)} Kubernetes Jobs"
    return Group(what, (*jobs, *beside))


_NAME: Final = regex(JOB_NAME)


def read_jobs(written: Many[Document], asked: Asked) -> Draft | None:
    """The job that the Jobs in ``written`` make, with what belongs to them."""
    for document in written:
        _cron(view(document.node), asked)
    documents = [job_of(document.node) for document in written]
    parts = job_parts(documents)
    roles = roles_of(parts, asked)
    if not roles:
        return None
    told = {
        diagnostic.message: diagnostic
        for part in reversed(parts)
        for diagnostic in refusals(part.root, "Job", RULES, "Kubernetes")
    }
    for diagnostic in sorted(told.values(), key=lambda diagnostic: diagnostic.span.start):
        asked.report(diagnostic)
    own = parts[0].job if parts[0].name else name_of(written[0], parts[0].root["metadata"], asked)
    return job_of_parts(own, parts, roles, documents, asked)


def job_of_parts(
    own: str,
    parts: Many[Part],
    roles: Map[str, Many[Part]],
    documents: Many[Node],
    asked: Asked,
) -> Draft:
    """The job ``own`` whose roles are ``roles``."""
    first, pinned = parts[0], is_pinned(parts)
    count = {role: replicas_of(of_role) for role, of_role in roles.items()}
    ending = max((f"-{role}-{max(number - 1, 0)}" for role, number in count.items()), key=len)
    name = job_name(own, first.root["metadata"]["name"], ending, asked)
    draft = Draft(name, "kubernetes", first.root.span)
    draft.renamed = {part.role: role for role, of_role in roles.items() for part in of_role if part.role != role}
    _keep_names(draft, roles, asked, pinned=pinned)
    read_metadata(draft, [part.root for part in parts])
    read_limits(draft, [part.spec for part in parts])
    for role in roles:
        if count[role] != 1:
            draft.role(role).set("replicas", count[role], roles[role][0].spec["completions"].span)
    host = _hosts(draft, roles, pinned=pinned)
    facts = PodFacts(
        replicas=count,
        address=lambda role, index, port: f"{host(role, index)}:{port}",
        index_field=INDEX_FIELD,
        index_variable=INDEX_VARIABLE,
        labels=frozenset((JOB_LABEL, ROLE_LABEL, BOARD_LABEL, *GENERATED)),
        spread_labels=lambda role: {BOARD_LABEL: name} if role == BOARD else {JOB_LABEL: name, ROLE_LABEL: role},
        claims={claim: facts for claim, facts in kept_claims(documents).items() if claim.startswith(f"{name}-")},
        priority=True,
        scheduler=True,
        on_hosts=pinned,
        filled_in=first.root["metadata"]["uid"].present,
    )
    pods = {role: _template(of_role) for role, of_role in roles.items()}
    board = deployed_board(documents)
    read_pods(draft, {**pods, BOARD: board} if board is not None else pods, facts, asked)
    add_missing_images(draft, pods, facts, asked)
    if not pinned:
        _report_merged(draft, roles, documents, asked)
        beside = [view(document) for document in documents]
        if not any(entry["kind"].text == "Service" and entry["metadata"]["name"].text == name for entry in beside):
            draft.options.set("service", False, first.root.span)
    _read_policies(draft, {role: restarts(of_role[0].spec, facts) for role, of_role in roles.items()})
    if not pinned:
        _completions(draft, roles, count)
    return draft


def roles_of(parts: Many[Part], asked: Asked) -> dict[str, list[Part]] | None:
    """The Jobs of each role, in the order of the language."""
    by_role: dict[str, list[Part]] = {}
    for part in parts:
        role = _role(part, asked)
        if role is None:
            place = part.root["metadata"]["name"]
            known = ", ".join(ORDER)
            asked.report(
                NO_ROLE(place.span, what="the Job", name=part.name or part.role).help(
                    f"say which it is with --role {part.role}=ROLE; roles are {known}"
                )
            )
            return None
        by_role.setdefault(role, []).append(part)
    return {role.name: sorted(by_role[role.name], key=_number) for role in ROLES if role.name in by_role}


def _role(part: Part, asked: Asked) -> str | None:
    said = asked.roles.get(part.role) or asked.roles.get(part.name)
    role = said or next((row.name for row in ROLES if part.role == row.name or part.role in row.aliases), None)
    return role if role in ORDER else None


def _keep_names(draft: Draft, roles: Map[str, Many[Part]], asked: Asked, *, pinned: bool) -> None:
    """Keep the names of Jobs that the compiler would name differently, and the names of their pods."""
    for role, parts in roles.items():
        named = [part for part in parts if part.name and (part.index is None or pinned)]
        bases = {part.name.removesuffix(f"-{_number(part)}") if pinned else part.name for part in named}
        base = bases.pop() if len(bases) == 1 else ""
        base = base if _NAME.fullmatch(base) else ""
        if base and base != f"{draft.name}-{role}":
            draft.options.entry("job_names", role, base, named[0].root["metadata"]["name"].span)
        for one in named:
            own = f"{base or f'{draft.name}-{role}'}{f'-{_number(one)}' if pinned else ''}"
            if one.name != own:
                place = one.root["metadata"]["name"].span
                difference = "the Job of a role is called so, and its pods, too"
                asked.report(READ_DIFFERENTLY(place, what=f"the name {one.name}", word=own, difference=difference))


def _template(parts: Many[Part]) -> View:
    """The pod template of a role."""
    places = [part.spec["template"] for part in parts]
    nodes = [place.node for place in places if place.node is not None]
    return View(merged(nodes), places[0].path, places[0].span) if len(nodes) == len(places) else places[0]


def _number(part: Part) -> int:
    return part.index or 0


def _hosts(draft: Draft, roles: Map[str, Many[Part]], *, pinned: bool) -> Callable[[str, int], str]:
    """The host of a replica: its node, or what the Service makes of its name; the nodes in the order of the option."""
    placed = [(role, part) for role in ORDER for part in roles.get(role, ())]
    if pinned:
        draft.options.set("hosts", [part.host or "" for _, part in placed], placed[0][1].pod["nodeName"].span)
    if any(_must_be_patched(part) for _, part in placed):
        return lambda role, index: f"{role}.{index}.invalid"  # which no TF_CONFIG has
    options = [statement for statement in draft.options.statements if isinstance(statement, Attribute)]
    named = {option.key: option.value for option in options if option.name == JOB_NAMES.name}
    hosts = {(role, _number(part)): part.host or "" for role, part in placed} if pinned else {}

    def host(role: str, index: int) -> str:
        own = f"{named.get(role, f'{draft.name}-{role}')}-{index}.{draft.name}"
        return hosts.get((role, index), own)

    return host


def _must_be_patched(part: Part) -> bool:
    """Whether a field has to be patched that addresses are made of, so that the TF_CONFIG must be the job's own."""
    pinned = part.host is not None
    declared = any(port["name"].text == PORT_NAME for port in main_container(part.pod)["ports"].items())
    on_network = part.pod["hostNetwork"].flag is True and not pinned and not declared
    return on_network or (pinned and part.pod["subdomain"].present) or part.pod["hostname"].present


def _report_merged(draft: Draft, roles: Map[str, Many[Part]], documents: Many[Node], asked: Asked) -> None:
    """Jobs of single replicas that are on no hosts become one Job of their role."""
    merged: dict[int, Node | None] = {}
    for role, parts in roles.items():
        if parts[0].index is None:
            continue
        draft.law = False
        merged.update((id(part.root.node), None) for part in parts)
        merged[id(parts[0].root.node)] = _as_one(parts, draft.span)
        first = parts[0].root["metadata"]["name"]
        what = f"the Job {parts[0].name}" if len(parts) == 1 else f"{parts[0].name} to {parts[-1].name}"
        difference = "the replicas of a role are one Indexed Job, whose index each replica gets"
        asked.report(READ_DIFFERENTLY(first.span, what=what, word=f"role {role}", difference=difference))
    if merged:
        found = (merged.get(id(document), document) for document in documents)
        draft.wanted = tuple(node for node in found if node is not None)


def _as_one(parts: Many[Part], span: Span) -> Node | None:
    """The Indexed Job that several ``parts`` of a role become."""
    node = parts[0].root.node
    if node is None or len(parts) == 1:
        return node
    node = changed(node, ("spec", "template"), lambda one: _template(parts).node or one)
    for key, value in (("completionMode", INDEXED), ("completions", len(parts)), ("parallelism", len(parts))):
        node = put(node, ("spec", key), Scalar(value, span))
    return node


def _read_policies(draft: Draft, by_role: Map[str, Restarts]) -> None:
    """Policies of the job where all roles have them, else of each role; the retries that most Jobs allow."""
    every = list(by_role.values())
    same = all(decision.policies == every[0].policies or _said(decision) == _said(every[0]) for decision in every)
    for role, decision in by_role.items():
        for policy in decision.policies:
            written = decision.limited or policy.action != "restart pod" or policy.event != "failed"
            draft.block(None if same else role, written=written).add(policy)
        if same:
            break
    counts = [decision for decision in every if decision.retries is not None]
    if counts:
        numbers = [count.retries for count in counts]
        most = max(counts, key=lambda decision: numbers.count(decision.retries))
        if most.retries != DEFAULT_RETRIES:
            draft.block(written=most.limited).set("retries", most.retries, most.span)


def _said(decision: Restarts) -> list[tuple[str, str]]:
    return [(policy.event, policy.action) for policy in decision.policies]


def _completions(draft: Draft, roles: Map[str, Many[Part]], count: Map[str, int]) -> None:
    """One of several replicas ends its role; the chief still ends the job, as it would without this."""
    alone = {role: ending_alone(parts[0].spec) for role, parts in roles.items() if count[role] > 1}
    if not any(alone.values()):
        return
    for role, indexes in alone.items():
        for index, span in indexes:
            if index < count[role]:
                draft.job.add(Policy(f"{role}[{index}] completed", "complete job", span))
    for chief in LEADERS:
        if chief in roles:
            draft.job.add(Policy(f"{chief} completed", "complete job", roles[chief][0].root.span))


def _cron(root: View, asked: Asked) -> None:
    """What a CronJob says beside its Job."""
    if kind(root) != "CronJob":
        return
    reason = "a .tfjob describes one run; a CronJob can hold the Job that is compiled from it"
    for diagnostic in schedule_of(root["spec"], reason):
        asked.report(diagnostic)


_OURS: Final = (JOB_LABEL, ROLE_LABEL)
_SERVERS: Final = regex(
    r"kubectl\.kubernetes\.io/last-applied-configuration|(?:batch\.kubernetes\.io/)?(?:controller-uid|job-name)"
    rf"|{SUBMISSION}|{DIGEST}"
    r"|batch\.kubernetes\.io/job-tracking|batch\.kubernetes\.io/cronjob-scheduled-timestamp"
)
"""Labels and annotations that a client or a controller writes."""

_NO_LETTER: Final = regex("[^a-z0-9]+")


def job_name(wanted: str, place: View, ending: str, asked: Asked) -> str:
    """A name for the job like ``wanted``, short enough to be followed by ``ending``."""
    name = "-".join(part for part in _NO_LETTER.split(wanted.lower()) if part) or "job"
    name = name[: LONGEST_LABEL - len(ending)].rstrip("-")
    if name != wanted:
        difference = "a name of the language has lowercase letters, digits and -, and room for the role and the index"
        asked.report(READ_DIFFERENTLY(place.span, what=f"the name {wanted}", word=name, difference=difference))
    return name


def read_metadata(draft: Draft, jobs: Many[View]) -> None:
    """What all ``jobs`` say of themselves; the rest differs between them."""
    metadata = [job["metadata"] for job in jobs]
    namespace = metadata[0]["namespace"]
    if namespace.text:
        draft.job.set("namespace", namespace.text, namespace.span)
    for key, place in _common_entries([entry["labels"] for entry in metadata]):
        if key == QUEUE_LABEL:
            draft.job.set("queue", place.text, place.span)
        else:
            draft.job.entry("labels", key, place.text or "", place.span)
    for key, place in _common_entries([entry["annotations"] for entry in metadata]):
        draft.job.entry("annotations", key, place.text or "", place.span)


def _common_entries(maps: Many[View]) -> Iterator[tuple[str, View]]:
    """The entries that are in all ``maps``, except those of the compiler, a client or a controller."""
    for key, place in maps[0].entries():
        text = place.text
        own = key not in _OURS and _SERVERS.fullmatch(key) is None
        if own and text is not None and all(other[key].text == text for other in maps):
            yield key, place


def read_limits(draft: Draft, specs: Many[View]) -> None:
    """The times and the suspension that most Jobs have; the others differ."""
    for field in (DEADLINE, TTL, SUSPEND):
        place = _most([spec[field.path] for spec in specs])
        if place is not None:
            read_field(draft, field, place)


def _most(places: Many[View]) -> View | None:
    """The value that most of ``places`` have; ``None`` where most have none."""
    values = [place.flag if place.flag is not None else place.number for place in places]
    most = max(range(len(places)), key=lambda number: values.count(values[number]))
    return places[most] if values[most] is not None else None


def belongs(document: Node, name: str, parts: Many[Part]) -> bool:
    """Whether ``document``, in the Jobs' namespace, is one that the compiler writes beside them."""
    root = view(document)
    own = root["metadata"]["name"].text or ""
    if is_board(root, name) or (root["kind"].text == "Service" and own == name and _finds(root, parts)):
        return True
    labelled = root["metadata"]["labels"][JOB_LABEL].text == name
    return root["kind"].text == "PersistentVolumeClaim" and own.startswith(f"{name}-") and labelled


def _finds(root: View, parts: Many[Part]) -> bool:
    """Whether a Service is headless and selects all pods of ``parts``."""
    selector = dict(root["spec"]["selector"].entries())
    if root["spec"]["clusterIP"].text != "None" or not selector:
        return False
    labels = [part.spec["template"]["metadata"]["labels"] for part in parts]
    return all(pod[key].text == value.text for pod in labels for key, value in selector.items())


class Restarts(Record):
    """How one role restarts. ``retries``: what the limit allows, ``None`` where nothing counts towards it.

    ``limited``: whether the limit is written; a Job without one replaces its failed pods six times.
    """

    policies: tuple[Policy, ...]
    retries: int | None = None
    span: Span | None = None
    limited: bool = True


class _Rule(Record):
    """A rule of a podFailurePolicy. ``operator``: ``In`` or ``NotIn``; empty for an eviction."""

    action: str
    operator: str
    statuses: frozenset[int]
    span: Span


def restarts(spec: View, facts: PodFacts) -> Restarts:
    """What the ``spec`` of a Job says of failures."""
    restart_policy = spec["template"]["spec"]["restartPolicy"]
    limit, span = _limit(spec)
    limited = span != spec.span and not (facts.filled_in and limit == DEFAULT_LIMIT)
    if restart_policy.text != "Never":
        in_place = (Policy("failed", "restart container", restart_policy.span),)
        return Restarts(in_place, limit - 1, span, limited) if limit > 1 else Restarts(())
    read = [_rule(item) for item in spec["podFailurePolicy"]["rules"].items()]
    rules = [rule for rule in read if rule is not None]
    policies = tuple(_policies(rules if len(rules) == len(read) else [], limit, span))
    counts = any(policy.action == "restart pod" and policy.event != "evicted" for policy in policies)
    return Restarts(policies, min(limit, MOST_RETRIES) if counts else None, span, limited)


def _limit(spec: View) -> tuple[int, Span]:
    """The limit of restarts, of each replica where it has its own."""
    for name in ("backoffLimitPerIndex", "backoffLimit"):
        number = spec[name].number
        if number is not None and number >= 0:
            return number, spec[name].span
    return DEFAULT_LIMIT, spec.span


def _policies(rules: Many[_Rule], limit: int, span: Span) -> Iterator[Policy]:
    evicted = bool(rules) and not rules[0].operator
    exits = rules[1:] if evicted else rules
    if evicted and rules[0].action == "Ignore":
        yield Policy("evicted", "restart pod", rules[0].span)
    elif evicted and rules[0].action == "FailJob" and limit:
        yield Policy("evicted", "fail job", rules[0].span)
    if not limit:
        return
    restarted = _restarted(exits)
    if restarted is not None:
        yield from on_exit(restarted, "restart pod", exits[0].span)
        return
    yield Policy("failed", "restart pod", span)
    if exits and all(rule.action == "FailJob" and rule.operator == "In" for rule in exits):
        statuses = frozenset(status for rule in exits for status in rule.statuses)
        yield from on_exit(statuses, "fail job", exits[0].span)


def _restarted(exits: Many[_Rule]) -> frozenset[int] | None:
    """The statuses that alone restart a replica: all others fail the Job."""
    others = [rule for rule in exits if rule.operator == "NotIn"]
    if not others or any(rule.action != "FailJob" or rule.statuses != others[0].statuses for rule in others):
        return None
    statuses = others[0].statuses
    for rule in exits:
        counted = rule.action == "Count" and rule.operator == "In" and rule.statuses == statuses
        lost = rule.action == "FailJob" and not rule.operator
        if not (counted or lost or rule in others):
            return None
    return statuses


def _rule(item: View) -> _Rule | None:
    """A rule; ``None`` for one of a sort that the compiler does not write."""
    action, exits = item["action"].text, item["onExitCodes"]
    if action not in ("FailJob", "Ignore", "Count"):
        return None
    if exits.present:
        operator = exits["operator"].text
        statuses = frozenset(value.number for value in exits["values"].items() if value.number is not None)
        known = statuses - {0} if operator == "NotIn" else statuses
        usual = operator in ("In", "NotIn") and bool(known) and all(status in STATUSES for status in known)
        return _Rule(action, operator or "", known, item.span) if usual else None
    conditions = list(item["onPodConditions"].items())
    lost = len(conditions) == 1 and conditions[0]["type"].text == "DisruptionTarget"
    if not lost or conditions[0]["status"].text not in (None, "True"):
        return None
    return _Rule(action, "", frozenset(), item.span)


_NUMBERS: Final = re.compile(r"([0-9]+)")


def merged(templates: Many[Node]) -> Node:
    """One template for all of ``templates``, those of the replicas of a role in their order."""
    if len(templates) < 2:
        return templates[0]
    taken = {scalar(child(node, "name")) for path, node in walk(templates[0]) if path[-2:-1] == ("env",)}
    name = INDEX_VARIABLE
    while name in taken:
        name = f"TFDSL_{name}"
    reference = f"$({name})"
    whole = _merged(list(templates), reference)
    for key in ("containers", "initContainers"):
        whole = changed(whole, ("spec", key), lambda containers: each(containers, lambda item: _with(item, name)))
    return whole


def _merged(nodes: list[Node], reference: str) -> Node:
    """The first of ``nodes``, with ``reference`` where a text of each has its own index."""
    first = nodes[0]
    if isinstance(first, Mapping):
        entries: dict[str, Entry] = {}
        for key, entry in first.entries.items():
            others = [node.get(key) if isinstance(node, Mapping) else None for node in nodes[1:]]
            same = [other for other in others if other is not None]
            value = _merged([entry.value, *same], reference) if len(same) == len(others) else entry.value
            entries[key] = Entry(key, entry.key_span, value)
        return Mapping(entries, first.span)
    if isinstance(first, Sequence):
        if any(len(items(node)) != len(first.items) for node in nodes[1:]):
            return first
        members = [[items(node)[number] for node in nodes] for number in range(len(first.items))]
        return Sequence(tuple(_merged(each_, reference) for each_ in members), first.span)
    texts = [scalar(node) for node in nodes]
    if not all(isinstance(text, str) for text in texts) or len(set(texts)) == 1:
        return first
    text = _common([str(text) for text in texts], reference)
    return first if text is None else Scalar(text, first.span)


def _common(texts: list[str], reference: str) -> str | None:
    """The text that gives each of ``texts`` with its number; ``None`` if they differ in anything but the number."""
    parts = [_NUMBERS.split(text) for text in texts]
    if any(len(part) != len(parts[0]) for part in parts):
        return None
    words: list[str] = []
    for number, column in enumerate(zip(*parts, strict=True)):
        if len(set(column)) == 1:
            words.append(column[0])
        elif number % 2 and list(column) == [str(index) for index in range(len(column))]:
            words.append(reference)
        else:
            return None
    return "".join(words)


def _with(container: Mapping, name: str) -> Node:
    """``container`` with the variable ``name`` for the index, if it refers to it."""
    reference = f"$({name})"
    if not any(isinstance(text := scalar(node), str) and reference in text for _, node in walk(container)):
        return container
    span = container.span
    source = mapping({"fieldRef": mapping({"fieldPath": Scalar(INDEX_FIELD, span)}, span)}, span)
    variable = mapping({"name": Scalar(name, span), "valueFrom": source}, span)
    return with_value(container, "env", Sequence((variable, *items(container.get("env"))), span))


# A template of simpletfjob has four fields, and the cluster is asked on which nodes the tasks run. So the nodes and the
# number of parameter servers become params.

FIELD: Final = regex(r"\{\{\s*\.(type|index|host|TF_CONFIG)\s*\}\}")
_NODES: Final = {"ps": "node-1", "worker": "node-2"}
_PORT: Final = 2222
HOSTS: Final = Param(
    "hosts",
    "list<string>",
    "Names of the nodes, one for each task; simpletfjob asks the cluster for them.",
    example='["node-1", "node-2"]',
)
SERVERS: Final = Param("psn", "int", "Parameter servers, on the first nodes.", default=1)


def is_template(document: Node) -> bool:
    """Whether a Job is one of simpletfjob's templates."""
    name = view(document)["metadata"]["name"].text or ""
    return {match[1] for match in FIELD.finditer(name)} >= {"type", "index"}


def jobs_of(document: Node) -> list[Node]:
    """The Jobs of one parameter server and one worker, as ``document``, a template, makes them."""
    return [_task(document, role) for role in _NODES]


def _task(node: Node, role: str, path: tuple[str, ...] = ()) -> Node:
    """``node`` for the first task of ``role``."""
    if isinstance(node, Mapping):
        named = node.get("name")
        if isinstance(named, Scalar) and named.value == "TF_CONFIG" and path[-1:] == ("env",):
            value = node.get("value")
            span = named.span if value is None else value.span
            config = Scalar(tf_config({name: [f"{node}:{_PORT}"] for name, node in _NODES.items()}, role, "0"), span)
            return Mapping({**node.entries, "value": Entry("value", span, config)}, node.span)
        entries = {
            key: replace(entry, value=_task(entry.value, role, (*path, key))) for key, entry in node.entries.items()
        }
        return Mapping(entries, node.span)
    if isinstance(node, Sequence):
        return Sequence(tuple(_task(item, role, path) for item in node.items), node.span)
    if not isinstance(node.value, str):
        return node
    known = {"type": role}
    if path == ("spec", "template", "spec", "nodeName"):
        known["host"] = _NODES[role]
    if path == ("metadata", "name"):
        known["index"] = "0"
    return Scalar(FIELD.sub(lambda match: known.get(match[1], match[0]), node.value), node.span)


def as_template(draft: Draft, document: Node, asked: Asked) -> Draft:
    """``draft``, which was read from the first tasks, for as many tasks as there are nodes."""
    draft.law = draft.compared = False
    draft.params = [SERVERS, HOSTS]
    for block in (draft.job, draft.options, *draft.roles.values(), *draft.role_options.values()):
        block.statements = [
            replace(statement, value=_value(statement.value)) if isinstance(statement, Attribute) else statement
            for statement in block.statements
        ]
    for role, number in (("ps", Bare("psn")), ("worker", Bare("len(hosts) - psn"))):
        old = draft.role(role)
        block = Block()
        block.set("replicas", number)
        block.statements += [statement for statement in old.statements if statement.identity != "replicas"]
        draft.roles[role] = block
    draft.options.statements = [statement for statement in draft.options.statements if statement.identity != "hosts"]
    draft.options.statements.insert(0, Attribute("hosts", Bare("hosts")))
    place = view(document)["metadata"]["name"].span
    difference = "simpletfjob asks the cluster for its nodes; here they are written, e.g. --set hosts=@nodes.txt"
    asked.report(
        READ_DIFFERENTLY(place, what="this template", word="a job with the param hosts", difference=difference)
    )
    return draft


def _value(value: Value) -> Value:
    """``value`` with its fields: the index of a task, and for others what was written."""
    if isinstance(value, str) and FIELD.search(value):
        parts: list[str | Bare] = []
        end = 0
        for match in FIELD.finditer(value):
            parts.append(value[end : match.start()])
            parts.append(Bare("task.index") if match[1] == "index" else match[0])
            end = match.end()
        return Text(tuple(part for part in (*parts, value[end:]) if part))
    return [_value(item) for item in value] if isinstance(value, list) else value


# --- for the page about migration ---

_CRON: Final = "CronJob"
_TEMPLATE: Final = "simpletfjob's template"

FIELDS: Final[tuple[Field, ...]] = (
    *metadata_fields("NAME-ROLE, with hosts NAME-ROLE-INDEX; job_names keeps other names"),
    Field("spec.completions", "replicas"),
    Field("spec.parallelism", "replicas", "a patch where it is not completions"),
    Field("spec.completionMode", "", "Indexed; a patch for NonIndexed with several pods"),
    Field("spec.backoffLimit", "retries", "retries + 1 under OnFailure; its default, 6, in target kubernetes"),
    Field("spec.backoffLimitPerIndex", "", "a patch"),
    Field("spec.maxFailedIndexes", "", "a patch"),
    *plain((DEADLINE, TTL, SUSPEND), "spec"),
    Field("spec.podFailurePolicy.rules[].onExitCodes", "on exit", "In and NotIn with FailJob; a patch for others"),
    Field("spec.podFailurePolicy.rules[].onPodConditions", "on evicted", "of DisruptionTarget; a patch for others"),
    Field("spec.successPolicy.rules[].succeededIndexes", "on completed", "one index; a patch for several"),
    Field("spec.podReplacementPolicy", "", "a patch"),
    Field("spec.managedBy", "", "a patch"),
    Field("spec.selector", "", "left out: it is the server's, unless manualSelector is true"),
    Field("spec.template.spec.restartPolicy", "on failed", "OnFailure: restart container; Never: restart pod"),
    Field("spec.template.spec.nodeName", "hosts", "with hostNetwork, one Job for each replica"),
    Field("status", "", "left out: it is the server's"),
    Field("spec.schedule", "", "left out: a job runs once", _CRON),
    Field("spec.jobTemplate", "job", "", _CRON),
    Field("{{.host}}", "hosts", "a param", _TEMPLATE),
    Field("{{.type}}", "role", "ps and worker", _TEMPLATE),
    Field("{{.index}}", "task.index", "", _TEMPLATE),
    Field("{{.TF_CONFIG}}", "cluster", "what the language's discovery gives", _TEMPLATE),
)
