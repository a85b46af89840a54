"""What a pod template says, as statements of its role (fields of the core/v1 API; language reference, "Attributes")."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.unit.backends.podspec.reading.reading import FACTS, container, read, with_facts, words
from tfdsl.backend.draft import Bare
from tfdsl_backends.podspec.reading.facts import ClaimFacts

ALONE = "istio_annotation = false"
"""The only option of pods without the annotation."""


@pytest.mark.parametrize(
    ("fields", "pod", "said"),
    [
        ("imagePullPolicy: Always", "", ['image_pull_policy = "Always"']),
        ("", "imagePullSecrets: [{name: hub}, {name: hub}]", ['image_pull_secrets = ["hub"]']),
        ("command: [python, train.py]", "", ['command = ["python", "train.py"]']),
        ("args: [--steps=5]", "", ['args = ["--steps=5"]']),
        ("command: [/bin/sh, -c, make all, sh]", "", ['command = "make all"']),
        ("command: [sh, -c, make all]", "", ['command = ["sh", "-c", "make all"]']),
        ("workingDir: /app", "", ['workdir = "/app"']),
        ("env: [{name: MODE, value: fast}]", "", ['env[MODE] = "fast"']),
        ("env: [{name: MODE}]", "", ['env[MODE] = ""']),
        ("envFrom: [{configMapRef: {name: a}}, {secretRef: {name: b}}]", "",
         ['env_from = [configmap("a"), secret("b")]']),
        ("", "hostNetwork: true", ["host_network = true"]),
        ("", "serviceAccountName: trainer", ['service_account = "trainer"']),
        ("", "serviceAccount: trainer", ['service_account = "trainer"']),
        ("", "terminationGracePeriodSeconds: 900", ["stop_grace = 15m"]),
        ("", "terminationGracePeriodSeconds: 0", ["stop_grace = 0s"]),
        ("", "securityContext: {runAsUser: 0, runAsGroup: 5, fsGroup: 7}",
         ["run_as_user = 0", "run_as_group = 5", "fs_group = 7"]),
        ("securityContext: {privileged: true, capabilities: {add: [IPC_LOCK]}}", "",
         ["privileged = true", 'capabilities = ["IPC_LOCK"]']),
        ("securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}",
         "securityContext: {runAsNonRoot: true, runAsUser: 7, seccompProfile: {type: RuntimeDefault}}",
         ["restricted = true", "run_as_user = 7"]),
        ("securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}, runAsNonRoot: true, "
         "runAsUser: 7, seccompProfile: {type: RuntimeDefault}}", "",
         ["restricted = true", "run_as_user = 7"]),
        ("securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}",
         "securityContext: {seccompProfile: {type: RuntimeDefault}}", []),
        ("securityContext: {capabilities: {drop: [ALL]}}",
         "securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}", []),
        ("", "nodeSelector: {pool: gpu}", ['node_selector[pool] = "gpu"']),
        ("", "tolerations: [{key: gpu, operator: Exists, effect: NoSchedule}]",
         ['tolerations = [{ key = "gpu", operator = "Exists", effect = "NoSchedule" }]']),
        ("ports: [{name: tfjob-port, containerPort: 2222}]", "", []),
        ("ports: [{name: tfjob-port, containerPort: 5000}, {name: metrics, containerPort: 9090}]", "",
         ["port = 5000", "ports[metrics] = 9090"]),
    ],
)  # fmt: skip
def test_fields(fields: str, pod: str, said: list[str]) -> None:
    assert words(fields, pod) == said


@pytest.mark.parametrize(
    ("resources", "said"),
    [
        ("limits: {cpu: 4, memory: 8Gi}", ["cpu = 4", "memory = 8Gi"]),
        ("requests: {cpu: 500m}", ["cpu = 500m", 'cpu_limit = "none"']),
        ("{requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 1000m, memory: 2Gi}}",
         ["cpu = 1", "memory = 1Gi", "memory_limit = 2Gi"]),
        ("limits: {memory: 1073741824}", ["memory = 1Gi"]),
        ("limits: {memory: 1e3}", ["memory = 1k"]),
        ("limits: {cpu: 0.5}", ["cpu = 0.5"]),
        ("limits: {memory: 1025}", []),
        ("limits: {memory: eight}", []),
        ("limits: {cpu: 1n}", []),
        ("limits: {nvidia.com/gpu: 2}", ["gpu = 2"]),
        ("limits: {nvidia.com/gpu: '2'}", ["gpu = 2"]),
        ("limits: {amd.com/gpu: 1}", ['gpu_resource = "amd.com/gpu"', "gpu = 1"]),
        ("{requests: {huawei.com/Ascend910: 8}, limits: {huawei.com/Ascend910: 8}}",
         ["resources[huawei.com/Ascend910] = 8"]),
        ("limits: {ephemeral-storage: 10Gi}", ["resources[ephemeral-storage] = 10Gi"]),
        ("{requests: {ephemeral-storage: 1Gi}, limits: {ephemeral-storage: 10Gi}}", []),
    ],
)  # fmt: skip
def test_resources(resources: str, said: list[str]) -> None:
    text = resources if resources.startswith("{") else f"{{{resources}}}"
    assert words(f"resources: {text}") == said


def test_a_share_of_a_device_is_its_memory() -> None:
    facts = with_facts(shares=("volcano.sh/vgpu-number", "volcano.sh/vgpu-memory"))
    text = "resources: {limits: {volcano.sh/vgpu-number: 2, volcano.sh/vgpu-memory: 3000}}"
    assert words(text, facts=facts) == ["gpu = 2", "gpu_memory = 3000Mi"]


@pytest.mark.parametrize(
    ("volume", "mount", "said"),
    [
        ("persistentVolumeClaim: {claimName: data}", "", 'mount pvc "data" at "/m"'),
        ("persistentVolumeClaim: {claimName: data}", "readOnly: true", 'mount pvc "data" at "/m" readonly'),
        ("persistentVolumeClaim: {claimName: data}", "subPath: a", 'mount pvc "data" at "/m" { sub_path = "a" }'),
        ("hostPath: {path: /data}", "", 'mount host "/data" at "/m"'),
        ("hostPath: {path: /data, type: Directory}", "", 'mount host "/data" at "/m" { type = "Directory" }'),
        ("nfs: {server: filer, path: /x}", "", 'mount nfs "filer:/x" at "/m"'),
        ("configMap: {name: c}", "", 'mount configmap "c" at "/m"'),
        ("configMap: {name: c}", "subPath: a.yaml", 'mount configmap "c" at "/m" { sub_path = "a.yaml" }'),
        ("secret: {secretName: s}", "subPath: key", 'mount secret "s" at "/m" { sub_path = "key" }'),
        ("configMap: {name: c, items: [{key: a, path: b}]}", "", 'mount configmap "c" at "/m" { items = { a = "b" } }'),
        ("secret: {secretName: s, defaultMode: 256}", "", 'mount secret "s" at "/m" { mode = "0400" }'),
        ("secret: {secretName: s, defaultMode: 420}", "", 'mount secret "s" at "/m"'),
        ("emptyDir: {}", "", 'mount scratch at "/m"'),
        ("emptyDir: {sizeLimit: 5Gi}", "", 'mount scratch 5Gi at "/m"'),
        ("emptyDir: {medium: Memory}", "", 'mount memory at "/m"'),
        ("emptyDir: {medium: Memory, sizeLimit: 5Gi}", "", 'mount memory 5Gi at "/m"'),
    ],
)
def test_mounts(volume: str, mount: str, said: str) -> None:
    fields = f"volumeMounts: [{{name: v, mountPath: /m{', ' + mount if mount else ''}}}]"
    assert words(fields, f"volumes: [{{name: v, {volume}}}]") == [said]


@pytest.mark.parametrize(
    ("volume", "mount"),
    [
        ("emptyDir: {medium: HugePages}", ""),
        ("azureFile: {secretName: s, shareName: d}", ""),
        ("configMap: {name: c}", "subPath: ../a"),
        ("persistentVolumeClaim: {claimName: data}", "subPath: ../a"),
        ("configMap: {name: c, items: [{key: a, path: b, mode: 256}]}", ""),
        ("hostPath: {path: data}", ""),
        ("nfs: {server: 'a:b', path: /x}", ""),
    ],
)
def test_mounts_without_a_word(volume: str, mount: str) -> None:
    fields = f"volumeMounts: [{{name: v, mountPath: /m{', ' + mount if mount else ''}}}]"
    assert words(fields, f"volumes: [{{name: v, {volume}}}]") == []


def test_memory_at_tmp_is_tmp_size_unless_a_mount_was_written() -> None:
    fields = "volumeMounts: [{{name: {name}, mountPath: /tmp{more}}}]"
    volumes = "volumes: [{{name: {name}, emptyDir: {{medium: Memory, sizeLimit: 4Gi}}}}]"

    def read(name: str, more: str = "") -> list[str]:
        return words(fields.format(name=name, more=more), volumes.format(name=name))

    assert read("v") == ["tmp_size = 4Gi"]
    assert read("memory-tmp") == ['mount memory 4Gi at "/tmp"']
    assert read("v", ", readOnly: true") == ['mount memory 4Gi at "/tmp" readonly']


def test_memory_at_dev_shm_is_shm() -> None:
    fields = "volumeMounts: [{name: v, mountPath: /dev/shm}]"
    assert words(fields, "volumes: [{name: v, emptyDir: {medium: Memory, sizeLimit: 8Gi}}]") == ["shm = 8Gi"]


CLAIM = container(
    "volumeMounts: [{name: v, mountPath: /data}]",
    "volumes: [{name: v, persistentVolumeClaim: {claimName: mnist-data}}]",
)
OWN_CLAIM = {"mnist-data": ClaimFacts(Bare("100Gi"), (("access_modes", ["ReadWriteMany"]),))}


def test_a_claim_that_all_roles_mount_is_the_jobs() -> None:
    result = read(with_facts(claims=OWN_CLAIM), worker=CLAIM, ps=CLAIM)
    assert result.job == ['mount claim 100Gi at "/data"']
    assert result.role("ps") == ['image = "mnist:1"']


def test_a_claim_of_one_role_is_its_own() -> None:
    result = read(with_facts(claims=OWN_CLAIM), worker=CLAIM, ps=container())
    assert result.job == []
    assert 'mount claim 100Gi at "/data"' in result.role()


def test_a_claim_that_some_roles_share_is_the_jobs_because_two_mounts_were_two_claims() -> None:
    result = read(with_facts(claims=OWN_CLAIM), worker=CLAIM, ps=CLAIM, chief=container())
    assert result.job == ['mount claim 100Gi at "/data"']
    assert result.role() == ['image = "mnist:1"']


def test_a_claim_of_several_roles_is_the_job_s_and_of_one_role_is_its_own() -> None:
    modes: dict[str, Any] = {"options": (("access_modes", ["ReadWriteMany"]),)}
    facts = with_facts(claims={name: ClaimFacts(Bare("1Gi"), **modes) for name in ("mnist-data", "mnist-own")})

    def pod(*names: str) -> str:
        mounts = ", ".join(f"{{name: {name}, mountPath: /{name}}}" for name in names)
        volumes = ", ".join(f"{{name: {name}, persistentVolumeClaim: {{claimName: {name}}}}}" for name in names)
        return container(f"volumeMounts: [{mounts}]", f"volumes: [{volumes}]")

    result = read(facts, worker=pod("mnist-data"), ps=pod("mnist-data"), chief=pod("mnist-own"))
    assert result.job == ['mount claim 1Gi at "/mnist-data"']
    assert 'mount claim 1Gi at "/mnist-own" { access_modes = ["ReadWriteMany"] }' in result.role("chief")


def test_a_config_that_not_all_roles_have_is_the_job_s_own() -> None:
    config = '{"cluster":{"chief":["mnist-chief-0:2222"],"worker":["mnist-worker-0:2222","mnist-worker-1:2222"]},'
    config += '"task":{"type":"chief","index":0},"environment":"cloud"}'
    has = container(f"env: [{{name: TF_CONFIG, value: '{config}'}}]")
    result = read(worker=container(), chief=has)
    assert result.draft.cluster == {"discovery": "none"}
    assert [one for one in result.role("chief") if one.startswith("env[TF_CONFIG]")]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("secretKeyRef: {name: hub, key: token}", ['env[A] = secret("hub", "token")']),
        ("configMapKeyRef: {name: c, key: k}", ['env[A] = configmap("c", "k")']),
        ("fieldRef: {fieldPath: status.podIP}", ['env[A] = pod_field("status.podIP")']),
        ("secretKeyRef: {name: hub, key: token, optional: true}", []),
        ("resourceFieldRef: {resource: limits.cpu}", []),
        ("fieldRef: {fieldPath: spec.restartPolicy}", []),
    ],
)
def test_variables_from_elsewhere(source: str, said: list[str]) -> None:
    assert words(f"env: [{{name: A, valueFrom: {{{source}}}}}]") == said


@pytest.mark.parametrize(
    ("arg", "said"),
    [
        ("$(A)", "${env.A}"),
        ("$$(A)", "$(A)"),
        ("$(date)", "$(date)"),
        ("$(unclosed", "$(unclosed"),
        ("cost $5", "cost $5"),
        ("$$$(A)", "$${env.A}"),
    ],
)
def test_references(arg: str, said: str) -> None:
    assert words(f"{{env: [{{name: A, value: x}}], args: ['{arg}']}}") == [f'args = ["{said}"]', 'env[A] = "x"']


def test_a_variable_refers_to_earlier_ones_only() -> None:
    assert words("env: [{name: A, value: '$(B)'}, {name: B, value: '$(A)'}]") == [
        'env[A] = "$(B)"',
        'env[B] = "${env.A}"',
    ]


def test_a_program_text_keeps_the_references_of_the_kubelet_in_a_list() -> None:
    text = "{env: [{name: A, value: x}], command: [/bin/sh, -c, 'echo $(A)', sh]}"
    assert words(text)[0] == 'command = ["/bin/sh", "-c", "echo ${env.A}", "sh"]'


INDEX = "{name: TASK_INDEX, valueFrom: {fieldRef: {fieldPath: \"metadata.labels['example.com/replica-index']\"}}}"


def test_the_index_where_something_refers_to_it() -> None:
    assert words(f"{{env: [{INDEX}], args: ['--n=$(TASK_INDEX)']}}") == ['args = ["--n=${task.index}"]']


def test_the_index_that_the_program_reads_is_a_variable() -> None:
    assert words(f"env: [{INDEX}]") == ["env[TASK_INDEX] = pod_field(\"metadata.labels['example.com/replica-index']\")"]


FLAGS = "--ps_hosts=mnist-ps-0:2222,mnist-ps-1:2222', '--worker_hosts=mnist-worker-0:2222,mnist-worker-1:2222"


def flagged(role: str) -> str:
    return container(f"{{env: [{INDEX}], args: [-v, '{FLAGS}', --job_name={role}, '--task_index=$(TASK_INDEX)']}}")


def test_the_flags_of_the_cluster_are_its_discovery() -> None:
    result = read(worker=flagged("worker"), ps=flagged("ps"))
    assert result.learnt.flags
    assert result.draft.cluster == {"discovery": "flags"}
    assert result.role("ps") == result.role("worker") == ['image = "mnist:1"', 'args = ["-v"]']


def test_flags_of_one_role_alone_are_arguments() -> None:
    result = read(worker=flagged("worker"), ps=container())
    assert not result.learnt.flags
    assert result.draft.cluster == {"discovery": "none"}
    assert any("--ps_hosts" in one for one in result.role())


CONFIG = (
    '{"cluster":{"worker":["mnist-worker-0:2222","mnist-worker-1:2222"]},'
    '"task":{"type":"worker","index":$(TASK_INDEX)},"environment":"cloud"}'
)


def test_a_tf_config_of_the_compiler_is_its_discovery() -> None:
    result = read(worker=container(f"env: [{INDEX}, {{name: TF_CONFIG, value: '{CONFIG}'}}]"))
    assert result.draft.cluster == {}
    assert result.learnt.config == {"worker"}
    assert result.role() == ['image = "mnist:1"']


def test_another_tf_config_is_the_jobs_own() -> None:
    result = read(worker=container("env: [{name: TF_CONFIG, value: '{}'}]"))
    assert result.draft.cluster == {"discovery": "none"}
    assert 'env[TF_CONFIG] = "{}"' in result.role()


def test_a_tf_config_that_never_arrives_is_told() -> None:
    facts = with_facts(lost_config="the operator's own wins", discovery=("flags", "tf_config"))
    result = read(facts, worker=container("env: [{name: TF_CONFIG, value: '{}'}]"))
    assert result.draft.cluster == {}
    assert [message.rule.code for message in result.messages] == ["TFJ4201"]


def template(annotations: dict[str, str] | None = None, text: str = "") -> dict[str, Any]:
    return {"metadata": {"annotations": annotations}, "spec": yaml.safe_load(container(text))}


def test_the_annotation_against_a_sidecar() -> None:
    ours = {"sidecar.istio.io/inject": "false"}
    assert read(worker=template(ours), ps=template(ours)).options == []
    mixed = read(worker=template(ours), ps=template())
    assert mixed.options == [ALONE]
    assert 'annotations[sidecar.istio.io/inject] = "false"' in mixed.role()
    wanted = read(worker=template({"sidecar.istio.io/inject": "true"}))
    assert wanted.options == []
    assert 'annotations[sidecar.istio.io/inject] = "true"' in wanted.role()


GPU = "resources: {limits: {nvidia.com/gpu: 1}}"
VOID = "env: [{name: NVIDIA_VISIBLE_DEVICES, value: void}]"


def test_devices_that_are_hidden_as_the_compiler_does() -> None:
    result = read(worker=container(GPU), ps=container(VOID))
    assert result.options == [ALONE]
    assert result.role("ps") == ['image = "mnist:1"']


def test_devices_that_are_not_hidden() -> None:
    assert read(worker=container(GPU), ps=container()).options == [ALONE, 'nvidia_visible_devices = ""']


def test_without_devices_the_variable_is_one_like_others() -> None:
    result = read(worker=container(), ps=container(VOID))
    assert result.options == [ALONE]
    assert 'env[NVIDIA_VISIBLE_DEVICES] = "void"' in result.role("ps")


def test_the_checkpoint_of_all_roles_is_the_jobs() -> None:
    text = "env: [{name: CHECKPOINT_DIR, value: /runs}]"
    assert read(worker=container(text), ps=container(text)).job == ['checkpoint = "/runs"']
    assert read(worker=container(text), ps=container()).job == []


def test_priority_and_scheduler_of_all_pods() -> None:
    facts = with_facts(priority=True, scheduler=True)
    pod = "{priorityClassName: high, schedulerName: gang}"
    assert read(facts, worker=container(pod=pod)).job == ['priority = "high"', 'scheduler = "gang"']
    assert read(worker=container(pod=pod)).job == []


def test_values_of_the_server_are_not_said() -> None:
    text, pod = "imagePullPolicy: IfNotPresent", "terminationGracePeriodSeconds: 30"
    assert words(text, pod, with_facts(filled_in=True)) == []
    assert words(text, pod) == ['image_pull_policy = "IfNotPresent"', "stop_grace = 30s"]


def test_own_labels_are_left_out() -> None:
    data = template()
    data["metadata"] = {"labels": {"example.com/job": "mnist", "team": "vision"}}
    result = read(with_facts(labels=frozenset({"example.com/job"})), worker=data)
    assert result.role() == ['image = "mnist:1"', 'labels[team] = "vision"']


def test_replicas_on_different_nodes() -> None:
    facts = with_facts(spread_labels=lambda role: {"role": role})
    apart = (
        "{affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{labelSelector: {matchLabels: {role: worker}}, topologyKey: kubernetes.io/hostname}]}}}"
    )
    assert words(pod=apart, facts=facts) == ['spread = "node"']
    assert words(pod=apart.replace("worker", "ps"), facts=facts) == []


def test_labels_of_nodes_with_several_values() -> None:
    affinity = (
        "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "{nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a, b]}]}]}}}}"
    )
    assert words(pod=affinity) == ['node_selector[zone] = ["a", "b"]']
    assert words(pod=affinity.replace("In,", "NotIn,")) == []


STEPS = """
initContainers:
- {name: fetch, command: [./fetch], image: "mnist:1", volumeMounts: [{name: v, mountPath: /m}]}
- {name: logs, image: "logs:1", restartPolicy: Always, ports: [{name: http-logs, containerPort: 80}]}
- {name: other, image: "o:1", volumeMounts: [{name: v, mountPath: /elsewhere}]}
- {name: entry, image: "mnist:1"}
volumes: [{name: v, emptyDir: {}}]
"""


def test_steps() -> None:
    assert words("volumeMounts: [{name: v, mountPath: /m}]", STEPS) == [
        'mount scratch at "/m"',
        'prepare fetch { command = ["./fetch"] }',
        'sidecar logs { image = "logs:1", ports[http-logs] = 80 }',
    ]


def test_wrong_types_are_read_as_what_was_meant() -> None:
    result = read(worker=container("{env: [{name: A, value: 1}], args: [5, true]}"))
    assert 'args = ["5", "true"]' in result.role()


HOSTILE: list[Any] = [
    None,
    1,
    0.5,
    True,
    "",
    "x",
    [],
    {},
    [None],
    {"a": None},
    [[]],
    {"name": 1},
    [{"name": "x"}],
    "\0",
]


@pytest.mark.parametrize("value", HOSTILE, ids=repr)
def test_no_tree_is_too_strange(value: Any) -> None:
    full: dict[str, Any] = yaml.safe_load(container("volumeMounts: [{name: v, mountPath: /m}]", STEPS))
    for where in _places(full):
        read(with_facts(spread_labels=lambda _: {}), worker={"spec": _with(full, where, value)})
    for field in ("env", "envFrom", "ports", "resources", "securityContext", "command", "args"):
        read(worker={"spec": {"containers": [{"name": "tensorflow", field: value}]}})
    for field in ("affinity", "nodeSelector", "tolerations", "imagePullSecrets", "volumes", "securityContext"):
        read(worker={"spec": {"containers": [], field: value}})
    read(worker={"metadata": value, "spec": value}, ps={})


def _places(data: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    keys: list[str | int] = [*data] if isinstance(data, dict) else [*range(len(data))] if isinstance(data, list) else []
    return [path, *(place for key in keys for place in _places(data[key], (*path, key)))]


def _with(data: Any, path: tuple[str | int, ...], value: Any) -> Any:
    if not path:
        return value
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[path[0]] = _with(data[path[0]], path[1:], value)
    return copy


def test_facts_are_enough_without_any_pod() -> None:
    assert read(FACTS).job == []


def test_a_variable_that_somebody_else_adds_has_no_word() -> None:
    assert words("{args: ['$(VC_TASK_INDEX)'], env: [{name: A, value: '$(FOO_SERVICE_HOST)'}]}") == []


def test_a_name_that_a_source_without_a_word_may_have() -> None:
    assert words("{args: ['$(date)'], envFrom: [{prefix: P_, secretRef: {name: s}}]}") == []
    assert words("{args: ['$(date)'], envFrom: [{secretRef: {name: s}}]}") == [
        'args = ["${env.date}"]',
        'env_from = [secret("s")]',
    ]


def test_what_refers_to_a_variable_without_a_word_has_none_either() -> None:
    env = "env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}, {name: B, value: $(A)/x},"
    assert words(f"{env} {{name: C, value: $(B)}}, {{name: D, value: d}}]\nargs: [$(C)]") == ['env[D] = "d"']
