"""What patches may not do: new members, fields that others follow from, and what a server would refuse.

Expected values come from the sources of Kubernetes, Volcano, the training operator and Slider, not from the code.
"""

from __future__ import annotations

import pytest

from tests.unit.patch.patching import STORAGE, documents, errors

ONE = ("tfjob", "volcano", "kubernetes")
MOUNT = 'patch pod "spec.containers[0].volumeMounts" += '
ENV = 'patch pod "spec.containers[0].env" += '
PORT = 'patch pod "spec.containers[0].ports" += '
LIMIT = 'patch pod "spec.containers[0].resources.limits'
TASK = 'patch "spec.tasks[name=ps]'
ROLE = 'patch "spec.tfReplicaSpecs'
COMPONENT = 'patch "resources.json:components'


@pytest.mark.parametrize(
    ("target", "patch", "marked", "known", "help_"),
    [
        ("tfjob", ROLE + '.worker.template.spec.hostPID" = true', "worker", "PS and Worker", "did you mean Worker?"),
        ("tfjob", ROLE + '" += { worker = { replicas = 2 } }', "worker", "PS and Worker", "did you mean Worker?"),
        ("tfjob", ROLE + '.Evaluator.replicas" = 1', "Evaluator", "PS and Worker", "write role NAME { … } in the job"),
        ("tfjob", ROLE + '.worker.x" = 1 unchecked', "worker", "PS and Worker", "did you mean Worker?"),
        (
            *("slider", COMPONENT + '.wrker.\'yarn.memory\'" = "512"', "wrker"),
            *("slider-appmaster, ps and worker", "did you mean worker?"),
        ),
        (
            *("slider", 'patch "appConfig.json:components.wrker.\'site.x\'" = "1"', "wrker"),
            *("slider-appmaster, ps and worker", "did you mean worker?"),
        ),
        (
            *("slider", 'patch "components.wrker.\'yarn.memory\'" = "512"', "wrker"),
            *("slider-appmaster, ps and worker", "did you mean worker?"),
        ),
        (
            *("slider", 'patch "components.wrker" = { a = "1" }', "wrker"),
            *("slider-appmaster, ps and worker", "did you mean worker?"),
        ),
        ("tfjob", ROLE + '.worker.templat" = { }', "worker", "PS and Worker", "did you mean Worker?"),
    ],
)
def test_new_members(target: str, patch: str, marked: str, known: str, help_: str) -> None:
    [found] = errors(target, patch)
    assert (found.rule.slug, found.span.text) == ("patch-new-member", marked)
    assert found.message.endswith(f"there are {known}")
    assert found.helps == (help_,)


@pytest.mark.parametrize(
    ("target", "path", "marked", "there"),
    [
        ("volcano", "spec.tasks[name=wrker].template.spec.hostPID", "[name=wrker]", "worker and ps"),
        ("volcano", "spec.tasks[name=ps].template.spec.containers[name=x].tty", "[name=x]", "tensorflow"),
        (
            "tfjob",
            "spec.tfReplicaSpecs.PS.template.spec.containers[0].volumeMounts[name=x].readOnly",
            "[name=x]",
            "pvc-",
        ),
    ],
)
def test_items_that_are_not_there_name_those_that_are(target: str, path: str, marked: str, there: str) -> None:
    [found] = errors(target, f'patch "{path}" = true', STORAGE)
    assert (found.rule.slug, found.span.text) == ("patch-fits-nothing", marked)
    assert all(name in found.message for name in there.split(" and "))


@pytest.mark.parametrize(
    ("target", "patch", "marked", "attribute"),
    [
        *((target, 'patch "metadata.name" = "x"', "name", "job NAME") for target in ONE),
        *((target, 'patch "metadata" += { generateName = "x-" }', "generateName", "job NAME") for target in ONE),
        *((target, 'patch "metadata.namespace" = "x"', "namespace", "namespace =") for target in ONE),
        *((target, 'patch "kind" = "Pod"', "kind", "-t TARGET") for target in ONE),
        ("tfjob", ROLE + '.PS.replicas" = 3', "replicas", "replicas ="),
        ("tfjob", 'patch pod "spec.restartPolicy" = "Always"', "restartPolicy", "write a policy"),
        ("tfjob", ROLE + '.PS.template.metadata.name" = "x"', "name", "the operator names the pods"),
        ("tfjob", ROLE + '.PS" += { replicas = 3 }', "replicas", "replicas ="),
        ("tfjob", ROLE + '.PS.replicas" = 3 unchecked', "replicas", "replicas ="),
        ("tfjob", 'unpatch "spec.tfReplicaSpecs.PS"', "PS", "0 leaves the role out"),
        ("tfjob", 'patch "spec.runPolicy.schedulingPolicy.minAvailable" = 9', "minAvailable", "min_available ="),
        ("volcano", 'patch "spec.minAvailable" = 9', "minAvailable", "min_available ="),
        ("volcano", TASK + '.minAvailable" = 9', "minAvailable", "min_available ="),
        ("volcano", TASK + '.replicas" = 9', "replicas", "replicas ="),
        ("volcano", TASK + '.name" = "server"', "name", "role NAME"),
        ("volcano", TASK + '.dependsOn" = { name = ["worker"] }', "dependsOn", "after ="),
        ("volcano", 'unpatch "spec.tasks[name=ps]"', "[name=ps]", "role NAME"),
        ("volcano", 'patch "spec.plugins.svc" += ["--disable-network-policy=false"]', "svc", "cluster {"),
        ("volcano", 'unpatch "spec.plugins"', "plugins", "cluster {"),
        ("volcano", 'patch pod "metadata.labels.\'volcano.sh/job-name\'" = "x"', "'volcano.sh/job-name'", "itself"),
        ("kubernetes", 'patch "Job/mnist-worker:spec.completions" = 7', "completions", "replicas ="),
        ("kubernetes", 'patch "Job/mnist-worker:spec.parallelism" = 1', "parallelism", "replicas ="),
        ("kubernetes", 'patch "Service:spec.selector" = { a = "b" }', "selector", "labels"),
        ("kubernetes", 'patch pod "spec.subdomain" = "x"', "subdomain", "cluster {"),
        ("kubernetes", 'patch pod "metadata.labels.\'tfdsl/job\'" = "x"', "'tfdsl/job'", "selector"),
        ("kubernetes", 'patch pod "spec.containers[0].env[name=TF_CONFIG].value" = "{}"', "value", "discovery"),
        ("tfjob", ENV + '{ name = "TF_CONFIG", value = "{}" }', None, "discovery"),
        ("kubernetes", 'patch pod "spec.containers[0].ports[0].containerPort" = 1', "containerPort", "port ="),
        ("slider", COMPONENT + '.ps.\'yarn.component.instances\'" = "9"', "'yarn.component.instances'", "replicas ="),
        ("slider", 'patch "metainfo.json:application.name" = "x"', "name", "job NAME"),
        ("slider", 'patch "metainfo.json:application.components[0].name" = "x"', "name", "role NAME"),
    ],
)
def test_what_others_follow_from(target: str, patch: str, marked: str | None, attribute: str) -> None:
    [found] = errors(target, patch)
    assert found.rule.slug == "patch-derived"
    assert marked is None or found.span.text == marked
    assert attribute in found.helps[0]


@pytest.mark.parametrize(
    "patch",
    [
        'patch "Job/mnist-worker:spec.parallelism" = 1',
        'patch "Job/mnist-worker:spec.completionMode" = "NonIndexed"',
        'patch pod "spec.subdomain" = "x"',
        'patch pod "spec.containers[0].ports[0].containerPort" = 1',
        'unpatch "Service:spec.clusterIP"',
    ],
)
def test_what_only_addresses_follow_from_is_free_where_no_task_looks_for_them(patch: str) -> None:
    assert [found.rule.slug for found in errors("kubernetes", patch)] == ["patch-derived"]
    none = 'cluster { discovery = "none" }'
    assert errors("kubernetes", patch, none) == []


@pytest.mark.parametrize("target", ONE)
@pytest.mark.parametrize(
    ("patch", "marked", "words"),
    [
        (MOUNT + '[{ name = "cache", mountPath = "/c" }]', '"cache"', "there is no volume cache"),
        (MOUNT + '{ name = "pvc-runs", mountPath = "/runs" }', '"/runs"', "two mounts at /runs"),
        (MOUNT + '{ name = "pvc-runs", mountPath = "/x", subPath = "../y" }', '"../y"', "without '..'"),
        ('patch pod "spec.volumes" += { name = "pvc-runs", emptyDir = {} }', '"pvc-runs"', "two volumes"),
        ('patch pod "spec.volumes" += { name = "A B", emptyDir = {} }', '"A B"', "name of a volume"),
        ('patch pod "spec.volumes" += { name = "a", emptyDir = { sizeLimit = "1Gigs" } }', '"1Gigs"', "not a quantity"),
        ('patch pod "spec.volumes[0]" += { emptyDir = {} }', "emptyDir", "one source"),
        ('unpatch pod "spec.volumes"', "volumes", "there is no volume pvc-runs"),
        ('patch pod "spec.containers" += { name = "tensorflow", image = "x" }', '"tensorflow"', "two containers"),
        ('patch pod "spec.initContainers" += { name = "tensorflow", image = "x" }', '"tensorflow"', "two containers"),
        ('patch pod "spec.containers" += { name = "x" }', '{ name = "x" }', "needs an image"),
        (LIMIT + '.memory" = "1Gigs"', '"1Gigs"', "not a quantity"),
        (LIMIT + '.cpu" = "100m"', '"100m"', "exceeds its limit"),
        (LIMIT + '.foo" = 1', "foo", "is not a resource"),
        (LIMIT + '" += { "a.b/c" = "1000000000000000000000000000000", foo = 1 }', "foo", "is not a resource"),
        ('patch pod "spec.containers[0].resources.requests" += { "a.b/c" = 1 }', "1", "the limit of a.b/c"),
        (ENV + '{ name = "A=B", value = "x" }', '"A=B"', "name of a variable"),
        (
            ENV + '{ name = "A", valueFrom = { fieldRef = {}, secretKeyRef = {} } }',
            None,
            "valueFrom needs exactly one of",
        ),
        ('patch pod "spec.containers[0].envFrom" += [{ prefix = "A" }]', None, "configMapRef or secretRef"),
        (PORT + '{ name = "tb", containerPort = 70000 }', "70000", "between 1 and 65535"),
        (PORT + '{ name = "much-too-long-a-name", containerPort = 7 }', '"much-too-long-a-name"', "name of a port"),
        ('patch pod "spec.containers[0].livenessProbe" = { periodSeconds = 3 }', None, "needs exactly one of exec"),
        ('patch pod "metadata.labels" += { team = "x y z!" }', '"x y z!"', "value of a label"),
        ('patch "metadata.labels" += { "a b" = "c" }', '"a b"', "key of a label"),
        ('patch "metadata.annotations" += { "a/b/c" = "c" }', '"a/b/c"', "key of an annotation"),
        ('patch pod "spec.nodeSelector" = { pool = "a 100" }', '"a 100"', "value of a node selector"),
        ('patch pod "spec.tolerations" += { key = "k", operator = "Exists", value = "v" }', '"v"', "has no value"),
        ('patch pod "spec.hostAliases" += { ip = "db" }', '"db"', "not an IP address"),
        ('patch pod "spec.dnsPolicy" = "None"', '"None"', "needs nameservers"),
        ('patch pod "spec.serviceAccountName" = "No One"', '"No One"', "cannot be a serviceAccountName"),
        ('patch pod "spec.runtimeClassName" = "No One"', '"No One"', "cannot be a runtimeClassName"),
        ('patch pod "spec.securityContext" = { runAsUser = -1 }', "-1", "cannot be negative"),
        (
            'patch pod "spec.topologySpreadConstraints" += { maxSkew = 0, topologyKey = "z", '
            'whenUnsatisfiable = "DoNotSchedule" }',
            *("0", "maxSkew must be at least 1"),
        ),
        (
            'patch pod "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution" += [{}]',
            *("{}", "topologyKey"),
        ),
    ],
)
def test_what_a_server_would_refuse_in_pods(target: str, patch: str, marked: str | None, words: str) -> None:
    found = errors(target, patch, STORAGE)
    assert {one.rule.slug for one in found} == {"patched-document"}
    assert words in found[0].message
    assert marked is None or found[0].span.text == marked


@pytest.mark.parametrize(
    ("target", "patch", "marked", "words"),
    [
        ("volcano", 'patch "spec.plugins.sssh" = []', "sssh", "no plugin sssh"),
        ("volcano", 'patch "spec.plugins" += { sssh = [] }', "sssh", "no plugin sssh"),
        ("volcano", 'patch "spec.queue" = "A b"', '"A b"', "name of a queue"),
        ("volcano", 'patch "spec.maxRetry" = -1', "-1", "between 0"),
        (
            "volcano",
            TASK + '.policies" = [{ event = "PodFailed", exitCode = 3, action = "RestartJob" }]',
            None,
            "either",
        ),
        ("volcano", TASK + '.policies" = [{ exitCode = 0, action = "RestartJob" }]', "0", "exitCode 0"),
        ("volcano", 'patch "spec.volumes" = [{ mountPath = "/a" }]', None, "either volumeClaim"),
        ("tfjob", 'patch "spec.runPolicy.cleanPodPolicy" = "Some"', '"Some"', "All, Running or None"),
        ("tfjob", 'patch "spec.runPolicy.managedBy" = "me"', '"me"', "kueue.x-k8s.io/multikueue"),
        ("tfjob", 'patch "spec.successPolicy" = "Some"', '"Some"', "AllWorkers"),
        ("tfjob", ROLE + '.PS.restartPolicy" = "Some"', '"Some"', "ExitCode"),
        ("tfjob", 'patch pod "spec.containers[0].name" = "main"', '"main"', "container called tensorflow"),
        ("kubernetes", 'patch pod "spec.restartPolicy" = "Always"', '"Always"', "OnFailure or Never"),
        ("kubernetes", 'patch "spec.backoffLimit" = -1', "-1", "between 0"),
        ("kubernetes", 'patch "Service:spec.ports" += { name = "x", port = 0 }', "0", "between 1 and 65535"),
        ("slider", COMPONENT + '.ps.\'yarn.memory\'" = "much"', '"much"', "whole number"),
    ],
)
def test_what_a_server_would_refuse(target: str, patch: str, marked: str | None, words: str) -> None:
    found = errors(target, patch)
    assert {one.rule.slug for one in found} == {"patched-document"}
    assert words in found[0].message
    assert marked is None or found[0].span.text == marked


@pytest.mark.parametrize(
    ("target", "patch"),
    [
        ("volcano", 'patch "spec.tasks" += [{ name = "x", replicas = 1, template = { spec = { containers = '
         '[{ name = "a", image = "b" }] } } }]'),
        ("volcano", 'patch "spec.plugins.ssh" = []'),
        ("volcano", MOUNT + '{ name = "c", mountPath = "/c" }\n'
         'patch pod "spec.volumes" += { name = "c", emptyDir = {} }'),
        ("tfjob", 'patch pod "spec.containers" += { name = "side", image = "b" }'),
        ("tfjob", 'patch pod "spec.initContainers" += { name = "warm", image = "b", restartPolicy = "Always" }'),
        ("tfjob", ENV + '{ name = "IP", valueFrom = { fieldRef = { fieldPath = "status.podIP" } } }'),
        ("kubernetes", LIMIT + "\" += { \"nvidia.com/gpu\" = 1, memory = \"1.5Gi\", cpu = \"1e3\" }"),
        ("kubernetes", 'patch pod "spec.topologySpreadConstraints" += { maxSkew = 1, topologyKey = "zone", '
         'whenUnsatisfiable = "DoNotSchedule" }'),
        ("kubernetes", 'patch pod "spec.containers[0].livenessProbe" = { tcpSocket = { port = "tfjob-port" } }'),
        ("slider", COMPONENT + ".ps.'yarn.memory'\" = \"max\""),
        ("slider", "patch \"appConfig.json:components.ps.'site.x'\" = \"1\""),
    ],
)  # fmt: skip
def test_whole_items_and_right_values_pass(target: str, patch: str) -> None:
    assert documents(target, patch, STORAGE if target in ONE else "")


@pytest.mark.parametrize("patch", ['patch pod "spec.fork"', 'patch pod "spec.containers[0].fork.deep"'])
def test_unchecked_lets_unknown_fields_through(patch: str) -> None:
    assert {one.rule.slug for one in errors("volcano", f"{patch} = {{ a = 1 }}")} == {"patch-fits-nothing"}
    assert errors("volcano", f"{patch} = {{ a = 1 }} unchecked") == []


def test_unchecked_lets_no_wrong_type_through() -> None:
    [found] = errors("volcano", 'patch pod "spec.securityContext" = { fork = 1, runAsUser = "x" } unchecked')
    assert (found.rule.slug, found.span.text) == ("patch-value", '"x"')
    [found] = errors("volcano", 'patch "spec.policies" = [{ event = "PodFaild", action = "RestartJob" }] unchecked')
    assert (found.rule.slug, found.helps) == ("patch-value", ("did you mean PodFailed?",))


SIDECAR = 'patch pod "spec.initContainers" += [{ name = "s", image = "i", restartPolicy = "Always" }]'


@pytest.mark.parametrize(
    ("target", "before", "since", "patch", "marked"),
    [
        ("volcano", "1.11.2", "1.12", 'patch "spec.networkTopology" = { mode = "soft" }', "networkTopology"),
        ("volcano", "1.11", "1.12", 'patch "spec" += { networkTopology = { mode = "soft" } }', "networkTopology"),
        ("volcano", "1.13", "1.14", 'patch "spec.networkTopology" = { highestTierName = "rack" }', "highestTierName"),
        ("volcano", "1.14", "1.15", 'patch "spec.networkTopology" = { highestTierName = "a/b" }', '"a/b"'),
        (
            "volcano",
            "1.10",
            "1.11",
            TASK + '.policies" += [{ event = "PodPending", action = "AbortJob" }]',
            '"PodPending"',
        ),
        ("volcano", "1.9", "1.11", 'patch "spec.policies[0].action" = "RestartPod"', '"RestartPod"'),
        ("volcano", "1.9", "1.11", 'patch "spec.policies[0].timeout" = "10m"', "timeout"),
        ("volcano", "1.13", "1.14", 'patch "spec.policies[0].action" = "RestartPartition"', '"RestartPartition"'),
        ("volcano", "1.6", "1.7", 'patch "spec.plugins.pytorch" = []', "pytorch"),
        ("volcano", "1.12.4", "1.13", 'patch "spec.plugins.ray" = []', "ray"),
        ("volcano", "1.8", "1.9", SIDECAR, "restartPolicy"),
        ("tfjob", "1.6", "1.7", 'patch "spec.runPolicy.suspend" = true', "suspend"),
        ("tfjob", "1.8.1", "1.9", 'patch "spec.runPolicy.managedBy" = "kueue.x-k8s.io/multikueue"', "managedBy"),
        ("tfjob", "1.7", "1.8", SIDECAR, "restartPolicy"),
        ("kubernetes", "1.28.4", "1.29", SIDECAR, "restartPolicy"),
        (
            "kubernetes",
            "1.30",
            "1.31",
            'patch "spec.successPolicy" = { rules = [{ succeededIndexes = "0" }] }',
            "successPolicy",
        ),
        ("kubernetes", "1.31", "1.32", 'patch "spec.managedBy" = "example.com/x"', "managedBy"),
    ],
)
def test_what_only_later_versions_have(target: str, before: str, since: str, patch: str, marked: str) -> None:
    """A server that does not know a field drops it; an action that it does not know does nothing."""
    [found] = errors(target, patch, version=before)
    assert (found.rule.slug, found.span.text) == ("patched-document", marked)
    assert found.message.endswith(f"came with {target} {since}")
    assert found.helps == (f'write version = "{since}" in target {target} if the cluster has it',)
    assert errors(target, patch, version=since) == []
    assert errors(target, f"{patch} unchecked", version=before) == []  # a fork may have it earlier
