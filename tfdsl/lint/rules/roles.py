"""Which roles a job has, how it ends, and what its policies do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tfdsl import targets
from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.lint.rules.commands import command_of
from tfdsl.lint.rules.images import images
from tfdsl.lint.view import JobView
from tfdsl.patterns import regex
from tfdsl.semantics import resolved
from tfdsl.semantics.values import MapData
from tfdsl.vocabulary.attributes import TRAINERS
from tfdsl.vocabulary.quantities import Duration

GANG_WITHOUT_PS = Rule(
    "TFJ3012", "gang-without-ps", "warning", "the gang may start with only {available} of {replicas} parameter servers"
)


def gang_without_ps(view: JobView) -> Iterator[Diagnostic]:
    """A gang that may start without all of its parameter servers.

    ## Why

    Workers block until every parameter server answers. If the gang may start with fewer, the workers hold their devices
    and wait.

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      role worker { replicas = 4 }
      role ps { replicas = 2, min_available = 1 }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      role worker { replicas = 4 }
      role ps { replicas = 2 }
    }
    ```
    """
    # ``min_available`` of ps below its replicas.
    ps = view.job.role("ps")
    if ps is None or view.job.data("gang") is False:
        return
    available = ps.data("min_available")
    if isinstance(available, int) and available < ps.replicas:
        diagnostic = GANG_WITHOUT_PS(ps.settings["min_available"].value.span, available=available, replicas=ps.replicas)
        yield diagnostic.help("remove min_available to wait for all of them")


EVALUATOR_WITHOUT_CHIEF = Rule(
    "TFJ3013", "evaluator-without-chief", "warning", "the job has an evaluator but no chief to write checkpoints"
)


def evaluator_without_chief(view: JobView) -> Iterator[Diagnostic]:
    """An evaluator in a job without a chief.

    ## Why

    The evaluator reads the checkpoints that the chief writes. TensorFlow's train_and_evaluate refuses to start
    without a chief in the cluster.

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      role worker { replicas = 2 }
      role evaluator { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      role chief { }
      role worker { replicas = 2 }
      role evaluator { }
    }
    ```
    """
    # An evaluator without chief or master.
    evaluator = view.job.role("evaluator")
    if evaluator is not None and view.job.role("chief") is None and view.job.role("master") is None:
        yield EVALUATOR_WITHOUT_CHIEF(evaluator.name_span).help("add role chief { }")


NEVER_COMPLETES = Rule("TFJ3014", "never-completes", "warning", "the job never completes: {why}")


def never_completes(view: JobView) -> Iterator[Diagnostic]:
    """A job that waits for a role that never ends.

    ## Why

    Parameter servers and plain servers wait for work until they are stopped, and so does TensorBoard. A job that waits for
    one of them runs, and costs money, forever. If a policy restarts the role that would end the job, the job ends only when
    `retries` are used up, and then it has failed.

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      role worker { }
      role ps { server = true }
      on ps completed => complete job
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      role worker { }
      role ps { server = true }
      on worker completed => complete job
    }
    ```
    """
    # Jobs whose ``complete job`` policies all wait for a server or TensorBoard, or that restart each time they end.
    completing = [policy for policy in view.job.policies if policy.action == "complete job"]
    if not completing:
        yield from _starts_again(view)
        return
    if any(not _endless(view, policy.role or "") for policy in completing):
        return
    for policy in completing:
        why = f"it waits for {policy.role}, which never ends"
        yield NEVER_COMPLETES(policy.event_span, why=why).help("write the policy for the chief or the workers")


def _starts_again(view: JobView) -> Iterator[Diagnostic]:
    """Without ``complete job`` the chief (master) or else the workers end the job, unless a policy restarts them."""
    decider = next((name for name in TRAINERS if view.job.role(name) is not None), None)
    for policy in view.job.policies:
        if policy.event == "completed" and policy.role == decider:
            why = f"each time {decider} completes, this policy restarts it"
            yield NEVER_COMPLETES(policy.action_span, why=why).help(
                "write a policy that ends it: on ROLE completed => complete job"
            )


def _endless(view: JobView, name: str) -> bool:
    role = view.job.role(name)
    return name == "tensorboard" or (role is not None and role.data("server") is True)


SERVERS_LEFT_RUNNING = Rule(
    "TFJ3018", "servers-left-running", "warning", "the parameter servers keep running after the job has finished"
)


def servers_left_running(view: JobView) -> Iterator[Diagnostic]:
    """Parameter servers that keep running after the job.

    ## Why

    With `cleanup = "none"` nothing stops the parameter servers when the job finishes. They keep their CPUs and devices
    until somebody deletes them.

    ## Bad

    ```tfjob
    job mnist {
      image   = "registry.example.com/mnist:1.4"
      cleanup = "none"
      role worker { }
      role ps { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image   = "registry.example.com/mnist:1.4"
      cleanup = "running"
      role worker { }
      role ps { }
    }
    ```
    """
    # ``cleanup = "none"`` with a ps and no ttl that would remove it.
    job = view.job
    if job.role("ps") is not None and job.data("cleanup") == "none" and job.data("ttl") is None:
        yield SERVERS_LEFT_RUNNING(job.settings["cleanup"].value.span).help('write cleanup = "running", or set a ttl')


HOST_PORT_CLASH = Rule(
    "TFJ3019", "host-port-clash", "warning", "replicas of role {role} on the same node would both use port {port}"
)


def host_port_clash(view: JobView) -> Iterator[Diagnostic]:
    """Replicas that may need the same port of one node.

    ## Why

    On the node's network, two replicas of a role on the same node need the same port, and the second cannot start.

    ## Bad

    ```tfjob
    job mnist {
      image        = "registry.example.com/mnist:1.4"
      host_network = true
      role worker { replicas = 2 }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image        = "registry.example.com/mnist:1.4"
      host_network = true
      role worker { replicas = 2, spread = "node" }
    }
    ```
    """
    # ``host_network`` with several replicas and no ``spread``; a target's ``hosts`` place each replica.
    if view.job.options.get("hosts"):
        return
    for role in view.job.roles:
        if role.data("host_network") is True and role.replicas > 1 and role.data("spread") != "node":
            span = role.settings["host_network"].value.span
            diagnostic = HOST_PORT_CLASH(span, role=role.name, port=role.data("port") or 2222)
            yield diagnostic.help('add spread = "node" to the role')


DEAD_POLICY = Rule("TFJ3023", "dead-policy", "warning", "this policy never applies: {who} has its own {event} policy")

EVENTS = {"failed": "failed", "exit": "failed", "evicted": "evicted"}
"""Event → the event whose policies override it when their subjects are narrower."""


def dead_policy(view: JobView) -> Iterator[Diagnostic]:
    """A policy that never applies.

    ## Why

    The policy with the narrower subject applies, whatever its event. A policy of the job never applies when every role has
    a `failed` policy of its own, and a policy of a role never applies when each of its replicas has one.

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      role worker { on failed => restart pod }
      on exit 1 => fail job
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      mount pvc "runs" at "/runs"
      role worker {
        on failed => restart pod
        on exit 1 => fail job
      }
    }
    ```
    """
    # Policies that those of the roles, or of single replicas, always override.
    job = view.job
    covered = {(policy.role, policy.index, policy.event) for policy in job.policies}
    replicas = {role.name: role.replicas if role.counted else 0 for role in job.roles if role.name != "tensorboard"}
    for policy in job.policies:
        event = EVENTS.get(policy.event)
        if event is None or policy.index is not None:
            continue
        count = replicas.get(policy.role or "", 0)
        if policy.role is None:
            if replicas and all((name, None, event) in covered for name in replicas):
                diagnostic = DEAD_POLICY(policy.event_span, who="every role", event=event)
                yield diagnostic.help("move it into the roles it is meant for")
        elif count and all((policy.role, index, event) in covered for index in range(count)):
            diagnostic = DEAD_POLICY(policy.event_span, who=f"each replica of {policy.role}", event=event)
            yield diagnostic.help("remove it, or the policies of the replicas")


WORKERS_CUT_OFF = Rule(
    "TFJ3024", "workers-cut-off", "info", "the other {others} of {role} {are} stopped when this one completes"
)


def workers_cut_off(view: JobView) -> Iterator[Diagnostic]:
    """Workers that are stopped when the first one is done.

    ## Why

    With `worker[0] completed => complete job`, the others are stopped wherever they are, and lose what they have not
    written yet.

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      role worker { replicas = 2 }
      on worker[0] completed => complete job
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      role worker { replicas = 2 }
      on worker completed => complete job
    }
    ```
    """
    # Completion by one replica of several.
    for policy in view.job.policies:
        role = view.job.role(policy.role or "")
        if policy.action == "complete job" and policy.index is not None and role is not None and role.replicas > 1:
            count = role.replicas - 1
            others, are = ("1 replica", "is") if count == 1 else (f"{count} replicas", "are")
            yield WORKERS_CUT_OFF(policy.event_span, others=others, are=are, role=role.name)


RESERVED_LABEL = Rule("TFJ3025", "reserved-label", "warning", "{key} is set by the system: this value is lost")


def reserved_label(view: JobView) -> Iterator[Diagnostic]:
    """A label that the system overwrites.

    ## Why

    Kubeflow, Volcano and Kubernetes set labels of their own on every pod. A value under one of these keys is lost.

    ## Bad

    ```tfjob
    job mnist {
      image  = "registry.example.com/mnist:1.4"
      role worker { labels = { "volcano.sh/job-name" = "mine" } }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image  = "registry.example.com/mnist:1.4"
      role worker { labels = { team = "vision" } }
    }
    ```
    """
    # Labels of pods under keys of the operators.
    own = [(view.job, "common_labels"), *((role, "labels") for role in view.job.roles)]
    for holder, name in own:
        data = holder.data(name)
        for key, entry in data.entries.items() if isinstance(data, MapData) else ():
            if key.startswith(_own_labels(view.job.target)):
                yield RESERVED_LABEL(entry.key_span, key=key)


def _own_labels(target: str | None) -> tuple[str, ...]:
    """What the labels of all systems begin with, but for those that ``target`` refuses itself."""
    refused = {label for one in targets.known() if one.name == target for label in one.refused_labels}
    own = (label for one in targets.known() for label in one.own_labels)
    return tuple(label for label in own if "/" in label and label not in refused)


PENDING_AFTER_DEADLINE = Rule(
    "TFJ3029", "pending-after-deadline", "warning", "the deadline of {deadline} ends the job before this policy fires"
)


def pending_after_deadline(view: JobView) -> Iterator[Diagnostic]:
    """A wait that is longer than the job may run.

    ## Why

    The deadline ends the job first, so the policy never fires.

    ## Bad

    ```tfjob
    job mnist {
      image    = "registry.example.com/mnist:1.4"
      deadline = 10m
      role worker { }
      on pending after 30m => fail job
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image    = "registry.example.com/mnist:1.4"
      deadline = 2h
      role worker { }
      on pending after 30m => fail job
    }
    ```
    """
    # Delays at or above the deadline.
    deadline = view.job.data("deadline")
    if not isinstance(deadline, Duration):
        return
    for policy in view.job.policies:
        delay = policy.delay.data if policy.delay is not None else None
        if policy.delay is not None and isinstance(delay, Duration) and delay.ms >= deadline.ms:
            diagnostic = PENDING_AFTER_DEADLINE(policy.delay.span, deadline=deadline.text)
            yield diagnostic.note(view.job.settings["deadline"].value.span, "the deadline")


RESTART_WITHOUT_CHECKPOINT = Rule(
    "TFJ3123",
    "restart-without-checkpoint",
    "info",
    "a restart trains from the first step: nothing the job writes is kept",
)

_KEPT = regex(r"://|checkpoint|ckpt|model[_-]?dir|job[_-]dir|resume|restore", re.I)


def restart_without_checkpoint(view: JobView) -> Iterator[Diagnostic]:
    """A restart that trains from the first step.

    ## Why

    A restarted replica finds only what is on a volume or in an external store. Without one it trains from the first step,
    as often as `retries` allows. Nothing is reported if a role that trains has a mount it can write to, names a URI or a
    checkpoint folder in its command or env, or leaves the command to the image.

    ## Bad

    ```tfjob
    job mnist {
      image   = "registry.example.com/mnist:1.4"
      command = ["python", "/app/train.py"]
      role worker { }
      on failed => restart pod
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image      = "registry.example.com/mnist:1.4"
      command    = ["python", "/app/train.py"]
      checkpoint = "/runs/mnist"
      mount pvc "runs" at "/runs"
      role worker { }
      on failed => restart pod
    }
    ```
    """
    # The first policy that restarts a role that trains, in a job that keeps nothing to continue from.
    roles = list(view.trainers())
    names = {role.name for role in roles}
    if "checkpoint" in view.job.settings or not roles or any(not command_of(view, role).texts for role in roles):
        return
    for policy in view.job.policies:
        is_whole = policy.role is None or policy.action == "restart job"
        if not policy.action.startswith("restart") or policy.event == "completed":
            continue
        if not (is_whole or policy.role in names):
            continue
        if not any(_keeps(view, role, in_place=policy.action == "restart container") for role in roles):
            yield RESTART_WITHOUT_CHECKPOINT(policy.action_span).help(
                'mount a volume and write, for example, checkpoint = "/runs/mnist"'
            )
        return


def _keeps(view: JobView, role: resolved.Role, *, in_place: bool) -> bool:
    """Whether what ``role`` writes may still be there after a restart; a pod keeps all its volumes."""
    for mount in role.mounts:
        lasts = in_place or mount.outlives_job or mount.kind.name == "claim"
        if lasts and mount.readonly is None and mount.kind.name not in ("configmap", "secret", "hdfs", "archive"):
            return True
    env = role.entries("env")
    texts = [view.literal(value) for value in (*command_of(view, role).texts, *env.values())]
    return any(_KEPT.search(text) for text in (*texts, *env))


PS_WITHOUT_CHIEF = Rule(
    "TFJ3124",
    "ps-without-chief",
    "info",
    "{program} uses parameter servers only if a chief coordinates the training",
)


def ps_without_chief(view: JobView) -> Iterator[Diagnostic]:
    """Parameter servers without a chief.

    ## Why

    In TensorFlow 2 the chief runs the program and sends its steps to the workers, which are plain servers like the
    parameter servers. `ParameterServerStrategy` refuses workers that run the program themselves, and an Estimator needs a
    chief too: it refuses a cluster without one. Another program for TensorFlow 1 relies on worker 0 instead, so this is
    reported only for images of TensorFlow 2, and where the image or the command speaks of an Estimator.

    ## Bad

    ```tfjob
    job mnist {
      image = "tensorflow/tensorflow:2.17.0"
      role worker { replicas = 2 }
      role ps     { }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "tensorflow/tensorflow:2.17.0"
      role chief  { }
      role worker { replicas = 2, server = true }
      role ps     { server = true }
    }
    ```
    """
    # A ps without chief, in an image of TensorFlow 2 or an Estimator, in a job that does not use flags of TensorFlow 1.
    job = view.job
    ps = job.role("ps")
    discovery = job.cluster.get("discovery")
    by_flags = discovery is not None and discovery.value.data != "tf_config"
    if ps is None or by_flags or job.role("chief") is not None or job.role("master") is not None:
        return
    used = list(images(view))
    words = [view.literal(word) for role in job.roles for word in command_of(view, role).texts]
    if any("estimator" in word.lower() for word in (*words, *(image.name for image in used))):
        yield PS_WITHOUT_CHIEF(ps.name_span, program="an Estimator").help("add role chief { }")
    elif any((image.official_tag or "").startswith("2.") for image in used):
        advice = "add role chief { }, and server = true to ps and worker"
        yield PS_WITHOUT_CHIEF(ps.name_span, program="TensorFlow 2").help(advice)


UNUSED_RETRIES = Rule(
    "TFJ3151", "unused-retries", "warning", "retries = {retries} has no effect: no policy restarts anything"
)


def unused_retries(view: JobView) -> Iterator[Diagnostic]:
    """Retries that nothing can use.

    ## Why

    `retries` is how many restarts the job may have, and only policies restart. In Kubernetes a `backoffLimit` alone restarts
    pods; here it takes a policy that says what is restarted, and after what.

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      retries = 3
      role worker { replicas = 2 }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      mount pvc "runs" at "/runs"
      retries = 3
      on failed => restart pod
      role worker { replicas = 2 }
    }
    ```
    """
    # ``retries`` above 0, and no ``restart``.
    retries = view.job.data("retries")
    if not isinstance(retries, int) or retries < 1 or "retries" not in view.job.settings:
        return
    if not any(policy.action.startswith("restart") for policy in view.job.policies):
        diagnostic = UNUSED_RETRIES(view.job.settings["retries"].key, retries=retries)
        yield diagnostic.help("add a policy: on failed => restart pod, or remove retries")
