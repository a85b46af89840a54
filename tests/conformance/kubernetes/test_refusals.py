"""What our checks refuse because a server would refuse it, a server refuses: one case or more per rule.

A case is a text with a hole. With the bad word in it our rule refuses it. With the good word it compiles, and the bad
word is put into the documents afterwards, which the server then refuses with the words given.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.kubernetes.compiling import Manifest, accepted, backend, compiled
from tests.conformance.kubernetes.verdicts import Judge
from tests.conformance.kubernetes.volcano_webhook import objections

if TYPE_CHECKING:
    from tests.conformance.kubernetes.api import Api

ALL = ("tfjob", "volcano", "kubernetes")
LONG = "a" * 60


@dataclass(frozen=True)
class Case:
    """``code``: of our rule (without its prefix when it is one of each target's). ``words``: in the server's answer."""

    code: str
    items: str
    good: str | int
    bad: str | int
    words: str
    targets: tuple[str, ...] = ALL
    name: str = "fine"
    image: str = "registry.example.com/x:1"

    def source(self, target: str, word: str | int) -> str:
        hole = str(word)
        items = self.items.replace("HOLE", hole).replace("TARGET", target)
        name, image = self.name.replace("HOLE", hole), self.image.replace("HOLE", hole)
        return f'job "{name}" {{\n  image = "{image}"\n  command = ["train"]\n  {items}\n}}\n'


WORKER = "role worker { replicas = 2 }\n  "
PATCH = WORKER + 'target TARGET { patch pod "'
CASES = (
    Case("TFJ2501", WORKER, "fine", "Not_Fine", "metadata.name", name="HOLE"),
    Case("TFJ2005", WORKER, "x:1", "", "image: Required value", image="HOLE"),
    # names of other objects
    Case("TFJ2502", WORKER + 'service_account = "HOLE"', "trainer", "Trainer", "serviceAccountName"),
    Case("TFJ2502", WORKER + 'priority = "HOLE"', "high", "Very High", "riorityClassName"),
    Case("TFJ2502", WORKER + 'mount secret "HOLE" at "/x"', "keys", "No Keys", "secret"),
    Case("TFJ2502", WORKER + 'env = { A = secret("HOLE", "k") }', "keys", "No Keys", "secretKeyRef.name"),
    Case("TFJ2502", WORKER + 'env = { A = configmap("c", "HOLE") }', "item", "no item", "configMapKeyRef.key"),
    Case("TFJ2502", WORKER + 'env = { A = configmap("c", "HOLE") }', "item", "..item", "configMapKeyRef.key"),
    Case(
        "TFJ2502",
        WORKER + 'mount claim 1Gi at "/x" { keep = true, storage_class = "HOLE" }',
        "fast",
        "Fast 1",
        "storage",
    ),
    Case("TFJ2502", WORKER + 'env_from = [secret("HOLE")]', "keys", "No Keys", "secretRef.name"),
    Case("TFJ2502", WORKER + 'env_from = [configmap("HOLE")]', "settings", "a/b", "configMapRef.name"),
    # fields of pods
    Case("TFJ2506", WORKER + 'env = { A = pod_field("HOLE") }', "status.podIP", "status.phase", "fieldPath"),
    Case("TFJ2506", WORKER + 'env = { A = pod_field("HOLE") }', "status.podIP", "status.podip", "fieldPath"),
    Case("TFJ2506", WORKER + 'env = { A = pod_field("HOLE") }', "metadata.name", "metadata.labels", "fieldPath"),
    Case(
        "TFJ2503", WORKER + 'env = { A = pod_field("HOLE") }', "metadata.labels['a']", "metadata.labels['a b']", "a b"
    ),
    # ports
    Case("TFJ2502", WORKER + 'ports = { "HOLE" = 9090 }', "a-port", "8080", "ports"),
    Case("TFJ2502", WORKER + 'ports = { "HOLE" = 9090 }', "fifteen-letters", "sixteen-letters-", "ports"),
    Case("TFJ2502", WORKER + 'ports = { "HOLE" = 9090 }', "a-port", "a--port", "ports"),
    # users and groups
    Case("TFJ2001", WORKER + "run_as_user = HOLE", 2147483647, 2147483648, "runAsUser"),
    Case("TFJ2001", WORKER + "run_as_group = HOLE", 2147483647, 2147483648, "runAsGroup"),
    Case("TFJ2001", WORKER + "fs_group = HOLE", 2147483647, 2147483648, "fsGroup"),
    # steps
    Case("TFJ2701", WORKER + 'prepare "HOLE" { command = ["x"] }', "fetch-data", "fetch_data", "initContainers"),
    Case("TFJ2701", WORKER + 'prepare "HOLE" { command = ["x"] }', "fetch-data", "tensorflow", "Duplicate value"),
    # labels
    Case("TFJ2503", WORKER + 'labels = { team = "HOLE" }', "vision", "two words", "metadata.labels"),
    Case("TFJ2503", WORKER + 'labels = { "HOLE" = "x" }', "team", "-team", "metadata.labels"),
    Case("TFJ2503", WORKER + 'annotations = { "HOLE" = "x" }', "note", "a/b/c", "metadata.annotations"),
    Case("TFJ2503", WORKER + 'node_selector = { pool = "HOLE" }', "a100", "a 100", "nodeSelector"),
    Case("TFJ2503", WORKER + 'node_selector = { pool = ["b200", "HOLE"] }', "a100", "a 100", "values"),
    Case("TFJ2503", 'role worker { labels = { team = "HOLE" } }', "vision", "v" * 64, "labels"),
    # tolerations
    Case("TFJ2503", WORKER + 'tolerations = [{ key = "HOLE", operator = "Exists" }]', "gpu", "my gpu", "tolerations"),
    Case(
        "TFJ2503",
        WORKER + 'tolerations = [{ key = "k", operator = "Equal", value = "HOLE" }]',
        *("gpu", "my gpu", "tolerations"),
    ),
    Case(
        "TFJ2504", WORKER + 'tolerations = [{ key = "k", operator = "HOLE", value = "v" }]', "Equal", "Exists", "value"
    ),
    Case(
        "TFJ2504",
        WORKER + 'tolerations = [{ key = "k", operator = "Exists", effect = "HOLE", toleration_seconds = 5 }]',
        *("NoExecute", "NoSchedule", "effect must be 'NoExecute'"),
    ),
    # mounts
    Case("TFJ2104", WORKER + 'mount scratch at "/a"\n  mount memory 1Gi at "HOLE"', "/b", "/a", "mountPath"),
    Case("TFJ2201", WORKER + 'mount pvc "d" at "/d" { sub_path = "HOLE" }', "down", "../up", "must not contain '..'"),
    Case("TFJ2201", WORKER + 'mount nfs "10.0.0.1:HOLE" at "/d"', "/export", "export", "must be an absolute path"),
    Case(
        "TFJ2201",
        WORKER + 'mount configmap "c" at "/d" { items = { key = "HOLE" } }',
        *("x", "../x", "must not contain '..'"),
    ),
    Case(
        "TFJ2201",
        WORKER + 'mount claim 1Gi at "/d" { keep = true, access_modes = ["ReadWriteMany", "HOLE"] }',
        *("ReadWriteOnce", "ReadWriteOncePod", "may not use ReadWriteOncePod with other access modes"),
    ),
    Case("TFJ2204", WORKER + 'shm = 1Gi\n  mount scratch at "HOLE"', "/a", "/dev/shm", "mountPath"),
    # numbers and words
    Case("TFJ2001", WORKER + "port = HOLE", 2345, 70000, "between 1 and 65535"),
    Case("TFJ2002", WORKER + 'image_pull_policy = "HOLE"', "Always", "Sometimes", "imagePullPolicy"),
    Case("TFJ2006", WORKER + 'env = { "HOLE" = 1 }', "GOOD", "A=B", "valid environment variable name"),
    Case("TFJ2119", WORKER + "cpu = 4, cpu_limit = HOLE", "5", "3", "must be less than or equal to cpu limit"),
    Case("TFJ2114", "role worker { replicas = 7, min_available = HOLE }", 5, 9, "minAvailable", ("volcano",)),
    # patches
    Case("TFJ2663", PATCH + 'metadata.labels" += { team = "HOLE" } }', "vision", "x y z", "labels"),
    Case("TFJ2663", PATCH + 'spec.hostAliases" += { ip = "HOLE", hostnames = ["db"] } }', "10.0.0.9", "db9", "ip"),
    # Elsewhere the pods are asked about too, and there is no such class here.
    Case("TFJ2663", PATCH + 'spec.runtimeClassName" = "HOLE" }', "kata", "Kata 1", "runtimeClassName", ("kubernetes",)),
    Case("TFJ2663", PATCH + 'spec.serviceAccountName" = "HOLE" }', "trainer", "Trainer", "serviceAccountName"),
    Case("TFJ2663", PATCH + 'spec.containers" += { name = "HOLE", image = "r/y:1" } }', "side", "Side 1", "name"),
    Case("TFJ2663", PATCH + 'spec.volumes" += { name = "HOLE", emptyDir = {} } }', "cache", "Cache 1", "name"),
    Case(
        "TFJ2663",
        PATCH + 'spec.volumes" += { name = "c", emptyDir = { sizeLimit = "HOLE" } } }',
        *("7Gi", "7Gigs", "quantit"),
        targets=("kubernetes",),
    ),
    Case(  # those schemas have a pattern, and say the field
        "TFJ2663",
        PATCH + 'spec.volumes" += { name = "c", emptyDir = { sizeLimit = "HOLE" } } }',
        *("7Gi", "7Gigs", "sizeLimit"),
        targets=("tfjob", "volcano"),
    ),
    Case("TFJ2663", PATCH + 'spec.containers[0].env" += { name = "HOLE", value = "1" } }', "GOOD", "A=B", "env"),
    Case(
        "TFJ2663",
        PATCH + 'spec.containers[0].livenessProbe" = { tcpSocket = { port = HOLE } } }',
        *(2345, 70000, "between 1 and 65535"),
    ),
    Case(
        "TFJ2663",
        PATCH + 'spec.topologySpreadConstraints" += { maxSkew = HOLE, topologyKey = "zone", '
        'whenUnsatisfiable = "ScheduleAnyway", labelSelector = { matchLabels = { team = "x" } } } }',
        *(7, 0, "maxSkew"),
    ),
    Case(
        *("TFJ2663", WORKER + 'target volcano { patch "spec.plugins.HOLE" = [] }', "ssh", "sssh", "plugin sssh"),
        targets=("volcano",),
    ),
    # the targets' own
    Case("040", WORKER, "fine", LONG, "63", name="HOLE"),
    Case("043", WORKER, "fine", "1fine", "a DNS-1035 label must", name="HOLE"),
    Case("047", WORKER + 'gpu = 1, gpu_resource = "HOLE"', "amd.com/gpu", "gpu", "fully qualified"),
    Case("047", WORKER + 'resources = { "HOLE" = 1 }', "a.b/c", "requests.a.b/c", "extended resource name standard"),
    Case("047", WORKER + 'cpu = 1, resources = { "hugepages-2Mi" = HOLE }', "4Mi", "3Mi", "multiple"),
    Case("KTF046", WORKER + 'queue = "HOLE"\n  target tfjob { kueue = true }', "research", "a b", "labels", ("tfjob",)),
    Case("K8S046", WORKER + 'queue = "HOLE"', "research", "a b", "labels", ("kubernetes",)),
    Case("VOL105", WORKER + 'queue = "HOLE"', "research", "A b", "spec.queue", ("volcano",)),
    Case("KTF106", WORKER + "ttl = HOLEs", 12345, 2**31, "int32", ("tfjob",)),
    Case("K8S104", WORKER + "ttl = HOLEs", 12345, 2**31, "int32", ("kubernetes",)),
    Case("VOL106", WORKER + "deadline = HOLEs", 12345, 2**31, "activeDeadlineSeconds", ("volcano",)),
    Case(
        "VOL107",
        WORKER + 'cluster { discovery = "none" }\n  target volcano { plugins = { HOLE = [] } }',
        *("ssh", "sssh", "plugin sssh"),
        targets=("volcano",),
    ),
    Case("VOL153", WORKER + 'scheduler = "HOLE"', "night", "n" * 64, "schedulerName", ("volcano",)),
    Case("VOL154", WORKER + 'mount scratch at "HOLE"', "/x", "/etc/volcano", "mount at /etc/volcano", ("volcano",)),
    Case("VOL155", WORKER + "env = { HOLE = 1 }", "GOOD", "VC_TASK_INDEX", "variable VC_TASK_INDEX", ("volcano",)),
    Case(
        "VOL156",
        'role worker { labels = { "HOLE" = "x" } }',
        *("team", "volcano.sh/job-name", "label volcano.sh/job-name"),
        targets=("volcano",),
    ),
    *(
        Case("K8S037", 'role worker { labels = { "HOLE" = "x" } }', "team", name, name, ("kubernetes",))
        for name in ("job-name", "controller-uid", "batch.kubernetes.io/job-name", "batch.kubernetes.io/controller-uid")
    ),
    Case(
        "K8S102", 'role worker { }\n  target kubernetes { hosts = ["HOLE"] }', "h1", "h 1", "nodeName", ("kubernetes",)
    ),
)
NOT_BY_A_SERVER = {
    "041": "the process cannot be started: shown on a node",
    "042": "the compiler does not know what to start",
    "045": "two values of ours for one label",
    "048": "the server takes a relative path, the runtime starts no container with it",
    "180": "a flow is written for one version of Argo; shown by unit tests",
    "182": "Argo would wait for the job forever",
    "184": "Argo's controller finds out while the flow runs: docs/flows.md",
    "185": "Argo's controller finds out when the flow is to begin",
    "186": "the server takes the name, and Argo's controller never runs it: docs/flows.md",
    "K8S192": "Argo can wait for one Job only",
    "VOL102": "the plugin would give wrong ports",
    "VOL157": "the value would not be JSON",
    "K8S100": "two pods would wait for one port",
    "K8S101": "there is no host to write",
    "K8S103": "says nothing",
    "K8S125": "Kueue would start fewer pods than TF_CONFIG names",
    "K8S116": "no server reads TF_CONFIG",
    "K8S117": "the second Job of a name is another one, or changes the first",
}
"""Errors of the targets' own that no server would notice, and why they are errors."""


BY_TESTS_OF_THEIR_OWN = {"K8S115"}
"""Errors about a number of things, which the change of one value does not make."""


@pytest.fixture(scope="module")
def judge(api: Api) -> Judge:
    return Judge(api)


def each() -> list[Any]:
    found = [(case, target) for case in CASES for target in case.targets]
    return [pytest.param(c, t, id=f"{c.code}-{str(c.bad)[:12] or 'empty'}-{t}") for c, t in found]


@pytest.mark.parametrize(("case", "target"), each())
def test_what_we_refuse_the_server_refuses(judge: Judge, case: Case, target: str) -> None:
    code = f"{backend(target).prefix}{case.code}" if case.code.isdigit() else case.code
    assert code in compiled(case.source(target, case.bad), target).codes()
    said: list[str] = []
    for manifest in accepted(case.source(target, case.good), target).documents:
        assert judge.complaints(manifest) == []
        data = replaced(manifest.data, case.good, case.bad)
        said += judge.complaints(Manifest(json.dumps(data), data))
        if data["apiVersion"].startswith("batch.volcano.sh/"):
            said += objections(data)
    assert any(case.words in line for line in said), said


def test_a_job_has_at_most_20_rules_for_exit_statuses(judge: Judge) -> None:  # K8S115
    items = WORKER + "on exit 3 => fail job\n  on failed => restart pod"
    source = Case("K8S115", items, "", "", "").source("kubernetes", "")
    documents = [one.data for one in accepted(source, "kubernetes").documents]
    (data,) = [one for one in documents if one["kind"] == "Job"]
    rules = data["spec"]["podFailurePolicy"]["rules"]
    for count, complaint in ((20, ""), (21, "20")):
        data["spec"]["podFailurePolicy"]["rules"] = [rules[0]] * count
        said = " ".join(judge.complaints(Manifest(json.dumps(data), data)))
        assert (complaint in said and "rules" in said) if complaint else not said


def replaced(data: Any, good: str | int, bad: str | int) -> Any:
    """``data`` with ``bad`` for ``good``: a number as a whole, a word also inside of texts and keys."""
    if isinstance(data, dict):
        return {replaced(key, good, bad): replaced(value, good, bad) for key, value in data.items()}
    if isinstance(data, list):
        return [replaced(item, good, bad) for item in data]
    if isinstance(data, str) and isinstance(good, str) and isinstance(bad, str):
        return data.replace(good, bad)
    return bad if data == good and type(data) is type(good) else data


@pytest.mark.parametrize("target", ALL)
def test_every_error_of_a_target_is_shown_or_explained(target: str) -> None:
    prefix = backend(target).prefix
    errors = {rule.code for rule in backend(target).rules if rule.level == "error"}
    known = {case.code for case in CASES} | set(NOT_BY_A_SERVER) | BY_TESTS_OF_THEIR_OWN
    unknown = {code for code in errors if not {code, code.removeprefix(prefix)} & known}
    assert unknown == set()
