"""The Jobs that make one job of the language: each is a role of it, or one replica of a role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tfdsl.manifest.nodes import Node, View, view
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.vocabulary.attributes import ROLES, ROLES_BY_NAME
from tfdsl_backends.kubernetes.reading.discovery import Config, config_of, hosts_flag
from tfdsl_backends.kubernetes.reading.forms import kind

JOB_LABEL: Final = "tfdsl/job"
ROLE_LABEL: Final = "tfdsl/role"
TENSORBOARD_LABEL: Final = "tfdsl/tensorboard"
_SUFFIX: Final = regex(r"(.+)-([a-z][a-z0-9]*)(?:-(0|[1-9][0-9]{0,5}))?")
_TRAINING: Final = tuple(row.name for row in ROLES if row.name != "tensorboard")
_TRAINS: Final = tuple(row.name for row in ROLES if row.trains)


class Part(Record):
    """One Job of a job.

    ``root``: of its document. ``job``: the name of the job, ``role``: what the Job calls its role, ``index``: of the
    replica, if the Job is one of several of its role; ``config``: its TF_CONFIG, if it has one that can be read.
    """

    root: View
    job: str
    role: str
    index: int | None
    config: Config | None

    @property
    def name(self) -> str:
        """Name of the Job."""
        return self.root["metadata"]["name"].text or ""

    @property
    def spec(self) -> View:
        """``spec`` of the Job."""
        return self.root["spec"]

    @property
    def pod(self) -> View:
        """``spec`` of its pods."""
        return self.spec["template"]["spec"]

    @property
    def host(self) -> str | None:
        """The node on which its pod runs."""
        return self.pod["nodeName"].text or None


def part(document: Node) -> Part:
    """What a Job is by itself: its labels count before its name, and its name before the task of its TF_CONFIG."""
    root = view(document)
    labels, name = root["metadata"]["labels"], root["metadata"]["name"].text or ""
    config = config_of(root["spec"]["template"]["spec"])
    job, role = labels[JOB_LABEL].text, labels[ROLE_LABEL].text
    match = _SUFFIX.fullmatch(name)
    if job and role and (name == f"{job}-{role}" or (match is not None and match[1] == job and match[2] == role)):
        return Part(root, job, role, _index(match[3] if match else None), config)
    if match is not None and (match[2] in _TRAINING or (config is not None and match[2] == config.role)):
        return Part(root, match[1], match[2], _index(match[3]), config)
    return Part(root, name, config.role if config is not None and config.role else "worker", None, config)


def sets(documents: Iterable[Node]) -> Iterator[list[int]]:
    """The positions of the Jobs in ``documents`` that belong together, each set in the order of the documents."""
    parts = [part(document) for document in documents]
    by_name: dict[tuple[str, str], list[int]] = {}
    for number, one in enumerate(parts):
        namespace = one.root["metadata"]["namespace"].text or ""
        by_name.setdefault((namespace, one.job), []).append(number)
    for numbers in by_name.values():
        for tied in _tied(parts, numbers):
            if _make_one([parts[number] for number in tied]):
                yield tied
            else:
                yield from ([number] for number in tied)


def _tied(parts: list[Part], numbers: list[int]) -> Iterator[list[int]]:
    """The Jobs of one name that anything ties to each other; each of the others alone."""
    rest = list(numbers)
    while rest:
        group = [rest.pop(0)]
        ties = set(_ties(parts[group[0]]))
        grown = True
        while grown:
            more = [number for number in rest if ties & set(_ties(parts[number]))]
            grown = bool(more)
            for number in more:
                group.append(number)
                rest.remove(number)
                ties |= set(_ties(parts[number]))
        yield sorted(group)


def _ties(one: Part) -> Iterator[tuple[str, str]]:
    """What shows that two Jobs of one name belong together."""
    label = one.root["metadata"]["labels"][JOB_LABEL].text
    for what, value in (
        ("label", label),
        ("cluster", one.config.cluster_text if one.config is not None else None),
        ("hosts", hosts_flag(one.pod)),
        ("subdomain", one.pod["subdomain"].text),
    ):
        if value:
            yield what, value


def _make_one(parts: list[Part]) -> bool:
    """Whether the parts are all replicas of their roles, each once."""
    if len(parts) == 1:
        return True
    roles: dict[str, list[int | None]] = {}
    for one in parts:
        roles.setdefault(one.role, []).append(one.index)
    return all(
        indexes == [None] or sorted(index for index in indexes if index is not None) == list(range(len(indexes)))
        for indexes in roles.values()
    )


def _index(text: str | None) -> int | None:
    return None if text is None else int(text)


def job_parts(documents: Iterable[Node]) -> list[Part]:
    """The Jobs in ``documents``, which are one job: without a role that trains, a single one is a worker."""
    parts = [part(document) for document in documents if kind(view(document)) == "Job"]
    if len(parts) == 1 and (parts[0].role not in _TRAINS or not _may_be(parts[0])):
        one = parts[0]
        return [Part(one.root, one.name or _generated(one.root), "worker", None, one.config)]
    return parts


def _may_be(one: Part) -> bool:
    """Whether a Job has no more replicas than its role can have."""
    return not ROLES_BY_NAME[one.role].single or replicas_of([one]) <= 1


def _generated(root: View) -> str:
    return (root["metadata"]["generateName"].text or "").rstrip("-")


def is_pinned(parts: Sequence[Part]) -> bool:
    """Whether each Job is one replica on a node of its own, on the node's network."""
    hosts = {one.host for one in parts if one.host is not None and one.pod["hostNetwork"].flag is True}
    return len(hosts) == len(parts) and all(replicas_of([one]) == 1 for one in parts)


def replicas_of(parts: Sequence[Part]) -> int:
    """The replicas of a role: as many pods as have to succeed, or as run at the same time."""
    if len(parts) > 1:
        return len(parts)
    numbers = [parts[0].spec[key].number or 0 for key in ("completions", "parallelism")]
    return max(1, *numbers)
