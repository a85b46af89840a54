"""The pods of a job as statements of its roles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tfdsl.draft import Attribute, Draft
from tfdsl.ir.cluster_spec import IN_CLUSTER, MOST_LISTED, tf_config
from tfdsl.reading import Asked
from tfdsl_backends.podspec.reading import agreed, claims, commands, settings, variables
from tfdsl_backends.podspec.reading.facts import PodFacts, PodsRead
from tfdsl_backends.podspec.reading.pod import BOARD, TF_CONFIG, Pod

if TYPE_CHECKING:
    from tfdsl.manifest.view import View


def read_pods(draft: Draft, pods: Mapping[str, View], facts: PodFacts, asked: Asked) -> PodsRead:
    """Fill the roles of ``draft`` from ``pods``, role → its pod template, and its job and options where all agree.

    ``draft.cluster`` gets what discovery is; what else was found about it is for the options of the target.
    """
    read = [Pod(role, template, facts, asked) for role, template in pods.items()]
    hosts = _hosts(read, facts)
    training = [pod for pod in read if pod.role != BOARD]
    config = _take_config(training, hosts)
    flags = _take_flags(training, hosts)
    _discover(draft, training, config, facts, flags=flags)
    for pod in read:
        pod.fill(draft, flags=flags)
    claims.share(draft, {pod.role: pod.claims for pod in read}, facts.replicas)
    agreed.checkpoint(draft, facts.replicas)
    agreed.sidecars(draft)
    agreed.devices(draft)
    agreed.names(draft, [pod.spec for pod in read])
    index = Attribute("env", variables.field(facts.index_field), key=facts.index_variable)
    pythons = {pod.role: pod.words.command[0] for pod in training if pod.words and pod.serves}
    agreed.servers(draft, pythons, index, indexed=flags and facts.index_of_servers)
    if facts.priority:
        agreed.job_field(draft, "priority", [pod.spec["priorityClassName"] for pod in training])
    if facts.scheduler:
        agreed.job_field(draft, "scheduler", [settings.scheduler(pod.spec, facts) for pod in training])
    return PodsRead(
        flags,
        config,
        {pod.role: pod.words.around for pod in read if pod.words is not None and pod.words.around is not None},
        frozenset(pod.role for pod in training if pod.serves),
        {pod.role: pod.port for pod in read},
    )


def _hosts(read: Sequence[Pod], facts: PodFacts) -> dict[str, list[str]]:
    """Role → ``host:port`` of each replica, as :func:`tfdsl.ir.cluster_spec.cluster_spec` has them."""
    return {
        pod.role: [
            facts.address(pod.role, index, pod.port)
            for index in range(min(facts.replicas.get(pod.role, 1), MOST_LISTED))
        ]
        for pod in sorted(read, key=lambda pod: pod.role)
        if pod.role in IN_CLUSTER
    }


def _take_config(training: Sequence[Pod], hosts: dict[str, list[str]]) -> frozenset[str]:
    """Take the TF_CONFIG that the compiler writes out of the roles; which had it.

    Of those that run a command all get one or none; a server gets one whatever discovery is.
    """
    expected = {pod.role: tf_config(hosts, pod.role, pod.reference) for pod in training}
    whole = all(pod.has_config(expected[pod.role]) for pod in training if not pod.serves)
    return frozenset(pod.role for pod in training if pod.take_config(expected[pod.role] if whole or pod.serves else ""))


def _take_flags(training: Sequence[Pod], hosts: Mapping[str, Sequence[str]]) -> bool:
    """Take the flags of the cluster off the arguments, if all roles have them; whether they do.

    With a TF_CONFIG of the job's own there is no discovery, and flags are arguments like others.
    """
    if any(pod.variable(TF_CONFIG) is not None for pod in training):
        return False
    roles = [pod.role for pod in training]
    pods = [pod for pod in training if not pod.serves]
    without = [
        pod.without_flags([commands.flag_words(pod.role, roles, hosts, index) for index in pod.flag_indexes])
        for pod in pods
    ]
    if not pods or any(words is None for words in without):
        return False
    for pod, words in zip(pods, without, strict=True):
        pod.words = words
    return True


def _discover(draft: Draft, training: Sequence[Pod], config: frozenset[str], facts: PodFacts, *, flags: bool) -> None:
    """``discovery`` and ``protocol``."""
    commanding = [pod.role for pod in training if not pod.serves]
    if any(pod.variable(TF_CONFIG) is not None for pod in training):
        discovery = "none"
    elif commanding and config.issuperset(commanding):
        discovery = "both" if flags else "tf_config"
    else:
        discovery = facts.discovery[0 if flags else 1]
    if discovery != "tf_config":
        draft.cluster["discovery"] = discovery
    protocols = {pod.words.server for pod in training if pod.words is not None and pod.words.server is not None}
    if len(protocols) == 1 and protocols != {"grpc"}:
        draft.cluster["protocol"] = str(protocols.pop())
