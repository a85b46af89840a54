"""TFJobs, of every API that there was, as jobs of the language; the inverse of :mod:`tfdsl_backends.tfjob.lower`.

A job of an older API is read as the v1 that it becomes (:mod:`tfdsl_backends.tfjob.normal`), with the places of what
it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping as Map, Sequence as Many
from typing import Final

from tfdsl.backend.draft import Attribute, Block, Draft, Patch, Policy, Value
from tfdsl.backend.reading import Asked, Field, Group
from tfdsl.diagnostics import Diagnostic
from tfdsl.diagnostics.command_rules import NO_ROLE, NO_WORDS, NOT_KEPT, READ_DIFFERENTLY, SERVER_REFUSES
from tfdsl.emit.located import Plain
from tfdsl.manifest.nodes import (
    Document,
    Mapping,
    Node,
    Sequence,
    View,
    changed,
    child,
    each,
    items,
    plain,
    put,
    renamed,
    scalar,
    tree as data_tree,
    view,
    with_value,
    without,
)
from tfdsl.record import Record, replace
from tfdsl.text import Span
from tfdsl.vocabulary.attributes import BOARD, DEFAULT_RETRIES, LEADERS, MOST_REPLICAS, ROLES_BY_NAME
from tfdsl_backends.podspec import patching, quantities
from tfdsl_backends.podspec.fields import DEADLINE, SUSPEND, TTL
from tfdsl_backends.podspec.objects import BOARD_LABEL
from tfdsl_backends.podspec.options import QUEUE_LABEL
from tfdsl_backends.podspec.plan import CONTAINER
from tfdsl_backends.podspec.reading.batch import read_field
from tfdsl_backends.podspec.reading.beside import deployed_board, is_board, kept_claims
from tfdsl_backends.podspec.reading.facts import ClaimFacts, PodFacts
from tfdsl_backends.podspec.reading.fields import metadata_fields, plain as plain_fields
from tfdsl_backends.podspec.reading.mounts import claim_facts, stem
from tfdsl_backends.podspec.reading.objects import Neighbours, dotted, job_name, read_metadata, unfit
from tfdsl_backends.podspec.reading.pods import add_missing_images, read_pods
from tfdsl_backends.tfjob.normal import (
    FORK,
    OF_AN_ITEM,
    OLD_POLICIES,
    aligned,
    counts_restarts,
    is_servers,
    is_tfjob,
    modern,
    normal,
    without_strangers,
)
from tfdsl_backends.tfjob.options import API_VERSION, CLEANUP, ROLE_KEYS
from tfdsl_backends.tfjob.patch_rules import MANAGERS, NUMBERS, RESTARTS
from tfdsl_backends.tfjob.policies import FIRST_SIGNAL
from tfdsl_backends.tfjob.tfconfig import INDEX_FIELD, SET_TF_CONFIG

__all__ = ["FIELDS", "aligned", "groups", "normal", "read"]

_TARGET: Final = "tfjob"
_LOST_CONFIG: Final = "the operator sets TF_CONFIG itself, and the last one counts"


def groups(documents: Many[Document]) -> Many[Group]:
    """Each TFJob with the claims and the TensorBoard that the compiler would write beside it."""
    found_groups: list[Group] = []
    neighbours = Neighbours(documents)
    for document in documents:
        if is_tfjob(document.node):
            root, job = view(document.node), view(modern(document.node))
            beside = belonging(neighbours, job)
            api = (root["apiVersion"].text or "").removeprefix("kubeflow.org/")
            found_groups.append(Group(f"{root['kind'].text} {api}", (document, *beside)))
    return found_groups


def read(group: Group, asked: Asked) -> Draft | None:
    """The job that a TFJob describes; ``None`` if a role cannot be expressed (reported as an error)."""
    diagnostics: list[Diagnostic] = []
    draft = _read(group, replace(asked, report=diagnostics.append))
    for diagnostic in sorted(diagnostics, key=lambda problem: problem.span.start):
        asked.report(diagnostic)
    return draft


def _read(group: Group, asked: Asked) -> Draft | None:
    document, beside = group.documents[0], group.documents[1:]
    root, job = view(document.node), view(modern(document.node))
    known = roles(job, asked)
    if known is None:
        return None
    draft = Draft(job_name(document, job["metadata"], asked, letter_first=True), _TARGET, root.span)
    draft.renamed = dict(known.renamed)
    _report(draft, root, job, known, asked)
    read_metadata(draft, job["metadata"], without=frozenset((QUEUE_LABEL,)))
    shown = board(root, beside, asked)
    others = [manifest.node for manifest in beside]
    images = _pods(draft, known, shown, kept_claims(others), asked)
    schedulers = {spec["template"]["spec"]["schedulerName"].text for spec in known.specs.values()}
    read_run_policy(draft, job, known.replicas, schedulers, asked)
    read_policies(draft, job, known.specs, asked)
    draft.places = {role: spec.span for role, spec in known.specs.items()}
    draft.wanted = wanted(
        draft, view(without_strangers(document.node)), others, None if deployed_board(others) else shown, images
    )
    return draft


def _report(draft: Draft, root: View, job: View, known: Roles, asked: Asked) -> None:
    """What is dropped and refused. A job that the server refuses is read as far as it goes, and need not come back."""
    draft.law = known.accepted and (job["metadata"]["name"].text or draft.name) == draft.name
    for diagnostic in left_out(root, job):
        asked.report(diagnostic)
    for diagnostic in refusals(root, job):
        draft.law = False
        asked.report(diagnostic)


def _pods(draft: Draft, known: Roles, shown: View | None, made: Map[str, ClaimFacts], asked: Asked) -> dict[str, str]:
    """The roles; returns the images that were made up for some of them."""
    pods = {role: spec["template"] for role, spec in known.specs.items()}
    if shown is not None:
        pods[BOARD] = shown
    for role in pods:
        draft.role(role)
    for role, count in known.replicas.items():
        if count != 1:
            draft.role(role).set("replicas", count, known.specs[role]["replicas"].span)
    facts = _facts(draft, known, made)
    if read_pods(draft, pods, facts, asked).config:
        draft.options.set("tf_config", "static")
    return add_missing_images(draft, pods, facts, asked)


def _facts(draft: Draft, known: Roles, made: Map[str, ClaimFacts]) -> PodFacts:
    """What the operator and the compiler add to the pods."""
    return PodFacts(
        replicas=known.replicas,
        address=lambda role, index, port: f"{draft.name}-{role}-{index}:{port}",
        index_field=INDEX_FIELD,
        spread_labels=lambda role: (
            {BOARD_LABEL: draft.name}
            if role == BOARD
            else {"training.kubeflow.org/job-name": draft.name, "training.kubeflow.org/replica-type": role}
        ),
        labels=frozenset((BOARD_LABEL,)),
        claims=made,
        priority=True,
        scheduler=True,
        program_around=lambda role, text: 1 if text == SET_TF_CONFIG else None,
        lost_config=_LOST_CONFIG if sum(known.replicas.values()) != 1 else "",
        discovery=("both", "tf_config"),
    )


_BY_KEY: Final = {key.lower(): name for name, key in ROLE_KEYS.items()}
_DIGITS: Final = 9


class Roles(Record):
    """The roles of a TFJob that have replicas.

    ``specs``: role → its replica spec. ``renamed``: what the manifest calls a role, where that is not the operator's
    word for it → the role. ``accepted``: whether the operator looks at each of them.
    """

    specs: Map[str, View]
    renamed: Map[str, str]
    accepted: bool

    @property
    def replicas(self) -> dict[str, int]:
        """How many replicas each role has."""
        return {role: replicas(spec) for role, spec in self.specs.items()}


def replicas(spec: View) -> int:
    """The replicas of a role; one where nothing is said. A number in quotes, which the server refuses, is meant."""
    place = spec["replicas"]
    if place.text is not None and place.text.isascii() and place.text.isdigit() and len(place.text) <= _DIGITS:
        return int(place.text)
    return 1 if place.number is None else place.number


def roles(job: View, asked: Asked) -> Roles | None:
    """The roles of ``job``; ``None`` where one of them, or the job, has no place in the language."""
    wanted_roles = {key.lower(): role for key, role in asked.roles.items()}
    specs: dict[str, View] = {}
    renamed_keys: dict[str, str] = {}
    errors: list[Diagnostic] = []
    accepted = True
    place = job["spec"]["tfReplicaSpecs"]
    for key, spec in place.entries():
        role = wanted_roles.get(key.lower(), _BY_KEY.get(key.lower()))
        if role not in ROLE_KEYS:
            error = NO_ROLE(place.key(key), what="the replica spec", name=key)
            names = ", ".join(ROLE_KEYS)
            errors.append(error.help(f"write --role {key}=worker to read it as that; the roles are {names}"))
            continue
        problem = _problem(role, key, spec, place.key(key), specs)
        if problem is None:
            specs[role] = spec
            if key != ROLE_KEYS[role]:
                renamed_keys[key] = role
        elif problem.rule is NO_WORDS:
            errors.append(problem)
        else:
            accepted = accepted and replicas(spec) == 0
            asked.report(problem)
    if not errors and not any(ROLES_BY_NAME[role].trains for role in specs):
        errors.append(NO_WORDS(place.span, what="the job", reason="it has neither a chief (master) nor workers"))
    for error in errors:
        asked.report(error)
    return None if errors else Roles(specs, renamed_keys, accepted)


def _problem(role: str, key: str, spec: View, span: Span, others: Map[str, View]) -> Diagnostic | None:
    """Why ``key`` is not a role with replicas beside ``others``."""
    number, place = replicas(spec), spec["replicas"].span
    if number < 0:
        return never(place, f"replicas {number} of {key}", "it is negative")
    if number == 0:
        return NOT_KEPT(span, what=f"role {role}", reason="it has no replicas")
    if role in others:
        return never(span, key, f"there is a role {role} already, and the operator keeps one of the two")
    if role in LEADERS and any(leader in others for leader in LEADERS):
        return SERVER_REFUSES(span, what=key, reason="a TFJob has one chief or master")
    what = f"role {role} with {number} replicas"
    if number > MOST_REPLICAS:
        return NO_WORDS(place, what=what, reason=f"it can have {MOST_REPLICAS:,}")
    if number > 1 and ROLES_BY_NAME[role].single:
        return NO_WORDS(place, what=what, reason=f"a job has one {role}")
    return None


_WORD: Final = {written: word for word, written in CLEANUP.items()}
_DEFAULT_CLEANUP: Final = "running"
_WORDLESS: Final = ("priorityClass", "minResources", "scheduleTimeoutSeconds")
_VOLCANO: Final = "volcano"
_WHY: Final = "The language has no word for this."
_YIELD: Final = ("worker", "evaluator", "ps", "master", "chief")
"""Roles in the order in which a job can do without their replicas at first."""


def read_run_policy(
    draft: Draft, job: View, replicas: Map[str, int], schedulers: set[str | None], asked: Asked
) -> None:
    """What happens to the job as a whole. ``schedulers``: those that its pods name."""
    policy = job["spec"]["runPolicy"]
    _cleanup(draft, policy["cleanPodPolicy"], job["spec"], asked)
    for field in (replace(DEADLINE, fits=TTL.fits), TTL, SUSPEND):
        read_field(draft, field, policy[field.path])
    dynamic = job["spec"]["enableDynamicWorker"]
    draft.options.set("dynamic_workers", dynamic.flag or None, dynamic.span)
    of_volcano = _queue(draft, job)
    if not _gang(draft, policy["schedulingPolicy"], replicas, schedulers, asked) and of_volcano:
        draft.options.set("gang_scheduler", _VOLCANO, policy["schedulingPolicy"]["queue"].span)
    _patches(draft, policy)


def _patches(draft: Draft, policy: View) -> None:
    """Patches for what the language has no word for. ``priority`` is the class of the pods, too."""
    said = any(isinstance(statement, Attribute) and statement.name == "priority" for statement in draft.job.statements)
    places = [policy["schedulingPolicy"][key] for key in _WORDLESS if not (said and key == "priorityClass")]
    gang = any(
        isinstance(statement, Attribute) and statement.name == "gang_scheduler"
        for statement in draft.options.statements
    )
    if said and gang and not policy["schedulingPolicy"]["priorityClass"].present:
        draft.options.add(Patch("spec.runPolicy.schedulingPolicy.priorityClass", "", span=policy.span))
    if policy["managedBy"].text in MANAGERS[1:]:
        places.append(policy["managedBy"])
    why = _WHY
    for place in places:
        value: Value | None = place.text or place.number or {name: entry.words or "" for name, entry in place.entries()}
        if value:
            draft.options.add(Patch(dotted(place.path), "=", value, why=why, span=place.span))
            why = ""


def _is_written(place: View, holder: View) -> bool:
    """Whether the manifest says it: a default of an older operator is at the place of ``holder``, which lacks it."""
    return place.present and place.span != holder.span


def _cleanup(draft: Draft, policy: View, spec: View, asked: Asked) -> None:
    """The operator keeps all pods where nothing is said, and deletes all for a word that it does not know."""
    written = policy.text or "None"
    word = _WORD.get(written, "all")
    if word != _DEFAULT_CLEANUP:
        draft.block(written=_is_written(policy, spec)).set("cleanup", word, policy.span)
    if written not in _WORD:
        difference = "the operator deletes all pods for a word that it does not know"
        what = f"cleanPodPolicy {written}"
        asked.report(READ_DIFFERENTLY(policy.span, what=what, word='cleanup = "all"', difference=difference))


def _queue(draft: Draft, job: View) -> bool:
    """The queue, of Kueue (a label names it) or of Volcano as the gang scheduler; returns whether it is Volcano's."""
    label = job["metadata"]["labels"][QUEUE_LABEL]
    queue = job["spec"]["runPolicy"]["schedulingPolicy"]["queue"]
    if label.text:
        draft.options.set("kueue", True, label.span)
    first = label if label.text else queue
    draft.job.set("queue", first.text or None, first.span)
    return bool(queue.text) and not label.text


def _gang(draft: Draft, policy: View, replicas: Map[str, int], schedulers: set[str | None], asked: Asked) -> bool:
    """How many pods start together, which only an operator with a gang scheduler reads; returns whether it is said."""
    minimum, total = policy["minAvailable"], sum(replicas.values())
    least = minimum.number
    if least is None:
        return False
    if not 0 <= least <= total:
        reason = f"it has {total} replicas, so a gang of {least} never starts" if least > 0 else "it is negative"
        asked.report(never(minimum.span, f"minAvailable {least}", reason))
        draft.law = False
        return False
    named = schedulers - {None}
    scheduler = named.pop() if len(named) == 1 else None
    draft.options.set("gang_scheduler", scheduler or _VOLCANO, minimum.span)
    if least == 1 < total:
        draft.job.set("gang", False, minimum.span)
        return True
    spare = total - least
    for name in _YIELD:
        taken = min(spare, replicas.get(name, 0))
        if taken:
            draft.role(name).set("min_available", replicas[name] - taken, minimum.span)
        spare -= taken
    return True


_NEVER: Final = "Never"
_FAIL: Final = (("failed", "fail job"),)
_IN_PLACE: Final = (("failed", "restart container"),)
_BY_STATUS: Final = ((f"exit 1..{FIRST_SIGNAL - 1}", "fail job"), ("failed", "restart pod"))
_WORDS: Final = {_NEVER: _FAIL, "OnFailure": _IN_PLACE, "ExitCode": _BY_STATUS}
"""Restart policy of a role → the policies that say so."""


def restart_policy(role: View) -> str:
    """The restart policy that the operator gives a role, as far as there are words for it.

    Of ``Always``, which also restarts after success, they are those of ``OnFailure``.
    """
    written = role["restartPolicy"].text
    return "OnFailure" if written == "Always" else written if written in _WORDS else _NEVER


def read_policies(draft: Draft, job: View, roles: Map[str, View], asked: Asked) -> None:
    """The policies of ``job``, whose replicas are ``roles``."""
    _restarts(draft, roles)
    _limit(draft, job["spec"]["runPolicy"]["backoffLimit"], roles, asked)
    _completion(draft, job["spec"]["successPolicy"], roles, asked)


def _restarts(draft: Draft, roles: Map[str, View]) -> None:
    """In few lines: the job says what most roles do, a role says only where it differs."""
    own = {name: restart_policy(role) for name, role in roles.items()}
    alike = len(set(own.values())) == 1
    general = next(iter(own.values())) if alike else min(_WORDS, key=lambda word: _cost(word, own))
    if general != _NEVER:
        saying = [role for name, role in roles.items() if own[name] == general]
        first = next((role for role in saying if _says(role)), saying[0])
        _say(draft.block(written=_says(first)), general, first)
    for name, word in own.items():
        if word != general:
            _say(draft.block(name, written=word == _NEVER or _says(roles[name])), word, roles[name])


def _says(role: View) -> bool:
    """Whether the manifest says how ``role`` restarts."""
    return _is_written(role["restartPolicy"], role)


def _cost(general: str, own: Map[str, str]) -> int:
    """How many lines it takes if ``general`` is said in the job."""
    in_the_job = 0 if general == _NEVER else len(_WORDS[general])
    return in_the_job + sum(len(_WORDS[word]) for word in own.values() if word != general)


def _say(block: Block, word: str, role: View) -> None:
    block.add(*(Policy(event, action, role["restartPolicy"].span) for event, action in _WORDS[word]))


def _limit(draft: Draft, limit: View, roles: Map[str, View], asked: Asked) -> None:
    """``backoffLimit``, the number of restarts in place that end the job."""
    number = limit.number
    if not any(restart_policy(role) == "OnFailure" for role in roles.values()):
        counted = any(role.node is not None and counts_restarts(role.node, number) for role in roles.values())
        if number is not None and number >= 0 and not counted:
            reason = "no role restarts its containers in place, and other restarts are not counted"
            asked.report(NOT_KEPT(limit.span, what=f"backoffLimit {number}", reason=reason))
        return
    if number is None:
        draft.options.set("limit_restarts", False)
    elif number <= 1:  # with one retry fewer nothing could restart
        draft.job.add(Policy("restarted 1", "fail job", limit.span))
    elif number != DEFAULT_RETRIES + 1:
        draft.job.set("retries", number - 1, limit.span)


def _completion(draft: Draft, policy: View, roles: Map[str, View], asked: Asked) -> None:
    """Which replicas complete the job: its chief (master), else worker 0 or all workers.

    That it is worker 0 is a rule of this operator, so it is said to it alone: other targets have no such rule.
    """
    written = policy.text or ""
    workers = roles["worker"]["replicas"].number if "worker" in roles else 0
    reason = ""
    if any(leader in roles for leader in LEADERS):
        reason = "the chief (master) completes the job"
    elif written not in ("", "AllWorkers"):
        reason = "the operator knows AllWorkers only, and completes the job with worker 0"
    if written and reason:
        asked.report(NOT_KEPT(policy.span, what=f"successPolicy {written}", reason=reason))
    if written != "AllWorkers" and not set(LEADERS) & set(roles) and workers not in (None, 0, 1):
        draft.options.add(Policy("worker[0] completed", "complete job", policy.span))


_BOARD_IMAGE: Final = "tensorflow/tensorflow:1.3.0"
"""What the operator of 2017 ran where nothing was said."""

PORT: Final = 6006
CHECKPOINT: Final = "CHECKPOINT_DIR"


def belonging(neighbours: Neighbours, job: View) -> list[Document]:
    """Those of ``neighbours`` that the compiler writes beside ``job``: claims that it mounts, and TensorBoard."""
    name, namespace = job["metadata"]["name"].text, job["metadata"]["namespace"].text
    if name is None:
        return []
    near = neighbours.of(namespace, name)
    boards = [view(document.node) for document in near if is_board(view(document.node), name)]
    claims = _made_claims([job, *boards], name) if len(near) > len(boards) else set[str]()
    return [document for document in near if is_board(view(document.node), name) or _is_claim(document, claims)]


def _is_claim(document: Document, claims: set[str]) -> bool:
    root = view(document.node)
    is_made = root["kind"].text == "PersistentVolumeClaim" and root["metadata"]["name"].text in claims
    return is_made and claim_facts(root) is not None


def _templates(root: View) -> list[View]:
    """The pod templates of a TFJob or of a Deployment."""
    return [root["spec"]["template"], *(role["template"] for _, role in root["spec"]["tfReplicaSpecs"].entries())]


def _made_claims(objects: Many[View], name: str) -> set[str]:
    """The claims that are mounted where the compiler would give a claim of the job that name."""
    mounted: dict[str, set[str]] = {}
    for template in (pods for root in objects for pods in _templates(root)):
        spec = template["spec"]
        claims = {
            entry["name"].text: entry["persistentVolumeClaim"]["claimName"].text for entry in spec["volumes"].items()
        }
        for container in spec["containers"].items():
            for mount in container["volumeMounts"].items():
                claim, path = claims.get(mount["name"].text), mount["mountPath"].text
                if claim and path:
                    mounted.setdefault(f"{name}-{stem(path)}", set()).add(claim)
    return {
        claim
        for usual, claims_of in mounted.items()
        if usual in claims_of
        for claim in claims_of
        if _is_like(claim, usual)
    }


def _is_like(claim: str, usual: str) -> bool:
    """Whether it is called ``usual``, or has a number because another claim is."""
    return re.fullmatch(re.escape(usual) + "(-[0-9]+)?", claim) is not None


def board(root: View, documents: Many[Document], asked: Asked) -> View | None:
    """TensorBoard's pod template: that of its Deployment, or what the operator of 2017 made of its section."""
    return deployed_board(document.node for document in documents) or _of_section(root, asked)


def _of_section(root: View, asked: Asked) -> View | None:
    place = root["spec"][BOARD]
    logdir = place["logDir"]
    if not place.present:
        return None
    if not logdir.text:
        asked.report(NOT_KEPT(place.span, what="spec.tensorboard", reason="it has no logDir"))
        return None
    difference = f"it outlives the job, and every role has the logDir as {CHECKPOINT}"
    asked.report(READ_DIFFERENTLY(place.span, what="spec.tensorboard", word="role tensorboard", difference=difference))
    container: dict[str, Plain] = {
        "name": CONTAINER,
        "image": root["spec"]["tfImage"].text or _BOARD_IMAGE,
        "command": [BOARD, "--logdir", logdir.text, "--bind_all", "--port", str(PORT)],
        "ports": [{"name": "http", "containerPort": PORT}],
        "volumeMounts": _data(place["volumeMounts"]),
    }
    return view(tree({"spec": {"containers": [container], "volumes": _data(place["volumes"])}}, place.span))


def _data(place: View) -> Plain:
    data = plain(place.node) if place.node is not None else None
    return [] if data is None else data


def tree(data: Plain, span: Span) -> Node:
    """``data`` as a tree, all of it at ``span``."""
    return data_tree(data, lambda _: span)


def wanted(
    draft: Draft, job: View, beside: Iterable[Node], board: View | None, images: Map[str, str]
) -> tuple[Node, ...]:
    """The documents for ``draft``; nothing where they are those that were read.

    ``job``: as v1 has it, ``beside``: the other documents; ``board``: the pod that the operator of 2017 made of the
    section for TensorBoard; ``images``: those that were made up for some roles.
    """
    named = job["metadata"]["name"].text
    if job.node is None or not (draft.renamed or board is not None or images or not named):
        return ()
    new = job.node if named else _named(job.node, draft)
    new = changed(new, ("spec", "tfReplicaSpecs"), lambda roles: _renamed(roles, draft.renamed))
    for role, image in images.items():
        new = _with_image(new, _containers(role), tree(image, draft.span))
    if board is None or board.node is None:
        return (new, *beside)
    for role in draft.roles:
        new = changed(new, _containers(role), lambda containers: _with_checkpoint(containers, board))
    return (new, *beside, *_of_board(draft.name, job, board))


def _named(node: Node, draft: Draft) -> Node:
    """A TFJob without a name with the one that it was given."""
    new = put(node, ("metadata", "name"), tree(draft.name, draft.span))
    return changed(new, ("metadata",), lambda it: without(it, ("generateName",)) if isinstance(it, Mapping) else it)


def _containers(role: str) -> tuple[str, ...]:
    """Where the containers of ``role`` are."""
    return ("spec", "tfReplicaSpecs", ROLE_KEYS.get(role, role), "template", "spec", "containers")


def _with_image(node: Node, place: tuple[str, ...], image: Node) -> Node:
    """``node`` with ``image`` in the container at ``place`` that runs the command."""

    def chosen(containers: Node) -> Node:
        listed = items(containers)
        main = next(
            (container for container in listed if scalar(child(container, "name")) == CONTAINER),
            next(iter(listed), None),
        )
        return each(containers, lambda mapping: put(mapping, ("image",), image) if mapping is main else mapping)

    return changed(node, place, chosen)


def _renamed(roles: Node, words: Map[str, str]) -> Node:
    if not isinstance(roles, Mapping):
        return roles
    return renamed(roles, lambda key: ROLE_KEYS[words[key]] if key in words else key)


def _with_checkpoint(containers: Node, board: View) -> Node:
    """``containers`` with the variable that each role gets where there is a TensorBoard."""
    logdir = board["spec"]["containers"][0]["command"][2].text or ""
    variable = tree({"name": CHECKPOINT, "value": logdir}, board.span)

    def with_variable(container: Mapping) -> Node:
        return with_value(container, "env", Sequence((*items(container.get("env")), variable), board.span))

    return each(containers, with_variable)


def _of_board(name: str, job: View, board: View) -> tuple[Node, Node]:
    """The Deployment and the Service of TensorBoard."""
    assert board.node is not None
    labels: Plain = {BOARD_LABEL: name}
    metadata: dict[str, Plain] = {"name": f"{name}-{BOARD}", "labels": labels}
    namespace = job["metadata"]["namespace"].text
    if namespace:
        metadata["namespace"] = namespace
    template = changed(board.node, ("spec", "containers"), lambda containers: _with_checkpoint(containers, board))
    pod = plain(put(template, ("metadata", "labels"), tree(labels, board.span)))
    assert pod is not None
    deployment: Plain = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata,
        "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": pod},
    }
    service: dict[str, Plain] = {"selector": labels, "ports": [{"name": "http", "port": 80, "targetPort": PORT}]}
    kind = job["spec"][BOARD]["serviceType"].text
    if kind:
        service["type"] = kind
    front: Plain = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": service}
    return tree(deployment, board.span), tree(front, board.span)


_NO_FIELD: Final = f"a TFJob of {API_VERSION} has no such field, and the server drops it"

_KEYS: Final = {
    "containers": ("name",),
    "initContainers": ("name",),
    "volumes": ("name",),
    "imagePullSecrets": ("name",),
    "env": ("name",),
    "ports": ("containerPort", "protocol"),
    "volumeMounts": ("mountPath",),
    "volumeDevices": ("devicePath",),
    "hostAliases": ("ip",),
    "topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
}
"""Lists of a pod → what no two of their items have in common."""


def left_out(root: View, job: View) -> Iterator[Diagnostic]:
    """What is not kept, or means something else today. ``job``: ``root`` as v1 has it."""
    version = root["apiVersion"].text or ""
    if version != API_VERSION:
        forked = version.startswith(FORK)
        difference = "that is what Kubeflow's operator serves" if forked else "operators of today serve no other"
        yield READ_DIFFERENTLY(root["apiVersion"].span, what=version, word=API_VERSION, difference=difference)
        yield from _other_decider(root["spec"], job["spec"]["tfReplicaSpecs"])
    else:
        yield from _ignored_places(root)
    for problem in unfit(job.node, "TFJob") if job.node is not None else ():
        if problem.unknown and not is_servers(problem.path):
            lost = replace(NOT_KEPT(problem.span, what=problem.name, reason=_NO_FIELD), level="warning")
            yield problem.stranger("TFJob") if version == API_VERSION else lost
    restarts = [role["template"]["spec"]["restartPolicy"] for _, role in job["spec"]["tfReplicaSpecs"].entries()]
    for restart in [entry for entry in restarts if entry.present][:1]:
        reason = "the operator overwrites it with that of each role"
        yield NOT_KEPT(restart.span, what="restartPolicy of the pods", reason=reason)


def _other_decider(spec: View, roles: View) -> Iterator[Diagnostic]:
    """A policy of the first API by which another task than today's completes the job."""
    policy = spec["terminationPolicy"]["chief"]
    name, index = policy["replicaName"].text or "MASTER", policy["replicaIndex"].number or 0
    today = "Master" if roles["Master"].present else "Worker"
    if policy.present and (name.lower() != today.lower() or index):
        reason = f"the job is complete with replica 0 of {today}"
        yield NOT_KEPT(policy.span, what=f"terminationPolicy {name} {index}", reason=reason)


def _ignored_places(root: View) -> Iterator[Diagnostic]:
    """Fields of older APIs in a manifest of v1."""
    spec = root["spec"]
    for key in OLD_POLICIES:
        if spec[key].present:
            difference = "operators since 1.0.1 look for it there only"
            yield READ_DIFFERENTLY(
                spec.key(key), what=f"spec.{key}", word=f"spec.runPolicy.{key}", difference=difference
            )
    for name, role in spec["tfReplicaSpecs"].entries():
        for key in OF_AN_ITEM:
            if role[key].present:
                yield NOT_KEPT(role.key(key), what=f"spec.tfReplicaSpecs.{name}.{key}", reason=_NO_FIELD)


# What the server, its webhook and the operator refuse. Sources: the CRD of training-operator 1.9 (types, list map
# keys), `pkg/webhooks/tensorflow` (validateTFReplicaSpecs), and what the API server answered where the tests note it.


def refusals(root: View, job: View) -> Iterator[Diagnostic]:
    """What the server does not take."""
    for problem in unfit(job.node, "TFJob") if job.node is not None else ():
        if not problem.unknown:
            yield problem.refusal
    namespace = job["metadata"]["namespace"]
    if namespace.text and not patching.is_dns_label(namespace.text):
        reason = "a namespace has at most 63 lowercase letters, digits and -"
        yield SERVER_REFUSES(namespace.span, what=f"namespace {namespace.text}", reason=reason)
    yield from _policies(job["spec"])
    for name, role in job["spec"]["tfReplicaSpecs"].entries():
        yield from _role(name, role, of_today=root["apiVersion"].text == API_VERSION)


def never(span: Span, what: str, reason: str) -> Diagnostic:
    """That the server takes what no job has run with: it is left out, and nobody can miss it."""
    return replace(NOT_KEPT(span, what=what, reason=reason), level="warning")


def _policies(spec: View) -> Iterator[Diagnostic]:
    policy = spec["runPolicy"]
    for key in NUMBERS:
        number = policy[key].number
        if number is not None and number < 0:
            yield never(policy[key].span, f"{key} {number}", "it is negative")
    manager = policy["managedBy"]
    if manager.text is not None and manager.text not in MANAGERS:
        yield SERVER_REFUSES(manager.span, what=f"managedBy {manager.text}", reason=f"it is {' or '.join(MANAGERS)}")


def _role(name: str, role: View, *, of_today: bool) -> Iterator[Diagnostic]:
    restart = role["restartPolicy"]
    if restart.text and restart.text not in RESTARTS:
        reason = "no pod can be created with it"
        yield never(restart.span, f"restartPolicy {restart.text} of {name}", reason)
    containers = [*role["template"]["spec"]["containers"].items()]
    if not containers:
        yield SERVER_REFUSES(role.span, what=name, reason="its template has no container")
    elif of_today and all(entry["name"].text != CONTAINER for entry in containers):
        reason = f"one of its containers must be called {CONTAINER}"
        yield SERVER_REFUSES(containers[0]["name"].span, what=name, reason=reason)
    for container in containers:
        if not container["image"].text:
            what = f"container {container['name'].text or ''} of {name}".replace("  ", " ")
            yield SERVER_REFUSES(container.span, what=what, reason="it has no image")
        yield from _amounts(container["resources"])
    yield from _twice(role["template"]["spec"])


def _amounts(resources: View) -> Iterator[Diagnostic]:
    """Report amounts that are not quantities."""
    for part in ("requests", "limits"):
        for name, amount in resources[part].entries():
            if amount.text is not None and quantities.amount(amount.text) is None:
                yield SERVER_REFUSES(amount.span, what=f"{name} {amount.text}", reason="it is not an amount")


def _twice(place: View) -> Iterator[Diagnostic]:
    """Items of a list that the server takes for one."""
    for key, value in place.entries():
        if key in ("containers", "initContainers"):
            for container in value.items():
                yield from _twice(container)
        seen: set[tuple[str | None, ...]] = set()
        for item in value.items() if key in _KEYS else ():
            identity = tuple(item[name].words or ("TCP" if name == "protocol" else None) for name in _KEYS[key])
            if identity in seen:
                words = "/".join(str(part) for part in identity)
                yield SERVER_REFUSES(item.span, what=dotted(item.path), reason=f"{words} is there twice")
            seen.add(identity)


# --- for the page about migration ---

_OLD: Final = "v1alpha2 to v1beta2"
_OLDEST: Final = "v1alpha1"

FIELDS: tuple[Field, ...] = (
    *metadata_fields(queue="with kueue = true in target tfjob"),
    Field("spec.tfReplicaSpecs.<role>", "role", "Chief, Master, PS, Worker, Evaluator in any case"),
    Field("spec.tfReplicaSpecs.<role>.replicas", "replicas", "a role with 0 is left out"),
    Field("spec.tfReplicaSpecs.<role>.restartPolicy", "on failed", "Never is the default of both"),
    Field("spec.runPolicy.cleanPodPolicy", "cleanup", 'without it cleanup = "none" in target tfjob'),
    *plain_fields((TTL, DEADLINE), "spec.runPolicy"),
    Field("spec.runPolicy.backoffLimit", "retries", "retries + 1; without it, limit_restarts = false"),
    *plain_fields((SUSPEND,), "spec.runPolicy"),
    Field("spec.runPolicy.managedBy", "", "a patch"),
    Field("spec.runPolicy.schedulingPolicy.minAvailable", "gang", "and min_available, with gang_scheduler"),
    Field("spec.runPolicy.schedulingPolicy.queue", "queue"),
    Field("spec.runPolicy.schedulingPolicy.priorityClass", "priority", "together with that of the pods"),
    Field("spec.runPolicy.schedulingPolicy.minResources", "", "a patch"),
    Field("spec.runPolicy.schedulingPolicy.scheduleTimeoutSeconds", "", "a patch"),
    Field(
        "spec.successPolicy", "on completed", "AllWorkers is the language's default; worker 0 is said in target tfjob"
    ),
    Field("spec.enableDynamicWorker", "dynamic_workers", "in target tfjob"),
    Field("status", "", "left out: it is the server's"),
    Field("spec.cleanPodPolicy", "cleanup", "its default was Running", _OLD),
    Field("spec.ttlSecondsAfterFinished", "ttl", form=_OLD),
    Field("spec.activeDeadlineSeconds", "deadline", form=_OLD),
    Field("spec.backoffLimit", "retries", form=_OLD),
    Field("spec.replicaSpecs[].tfReplicaType", "role", "MASTER where nothing is said", _OLDEST),
    Field("spec.replicaSpecs[].replicas", "replicas", form=_OLDEST),
    Field("spec.replicaSpecs[].tfPort", "port", form=_OLDEST),
    Field("spec.replicaSpecs[].template.spec.restartPolicy", "on failed", form=_OLDEST),
    Field("spec.cleanupPodPolicy", "cleanup", "its default was All, in target tfjob", _OLDEST),
    Field("spec.terminationPolicy.chief", "on completed", "the chief (master), else worker 0", _OLDEST),
    Field("spec.schedulerName", "scheduler", form=_OLDEST),
    Field("spec.tfImage", "", "left out: it was the image of parameter servers without a template", _OLDEST),
    Field("spec.tensorboard", "role tensorboard", "a Deployment and a Service beside the job", _OLDEST),
)
