"""Words that users of other tools type, and what is said of each: our word, or what to write instead of it."""

from __future__ import annotations

import pytest

from tests.unit.diagnostics.pages import Example, diagnostics, part
from tfdsl import targets
from tfdsl.diagnostics.suggest import fold
from tfdsl.vocabulary import attributes, foreign, functions, statements

IN_JOB = {
    "retries": "backoffLimit maxRetry max_retries maxRetries retry num_retries retry_limit max_restarts attempts",
    "deadline": "activeDeadlineSeconds time_limit walltime timeout time max_time",
    "ttl": "ttlSecondsAfterFinished ttl_seconds_after_finished",
    "cleanup": "cleanPodPolicy clean_pod_policy",
    "queue": "queueName queue_name yarn_queue partition",
    "priority": "priorityClassName priority_class nice qos",
    "scheduler": "schedulerName",
    "namespace": "project nameSpace",
    "labels": "tags label",
    "command": "entrypoint cmd script shell_command run launch_command",
    "args": "arguments argv shell_args",
    "workdir": "workingDir working_dir cwd",
    "env": "environment envs env_vars shell_env variables",
    "image": "container_image docker_image image_uri docker",
    "cpu": "cpus vcores cores num_cpus cpus_per_task container_vcores",
    "memory": "mem ram memMB container_memory mem_per_cpu",
    "gpu": "gpus num_gpus nvidia_gpu gres gpus_per_task gpus_per_node nproc_per_node accelerators",
    "gpu_resource": "gpu_type",
    "shm": "shm_size shared_memory shmSize",
    "tmp_size": "tmpSize tmpfs_size tmp tmpdir",
    "port": "containerPort",
    "ports": "containerPorts named_ports",
    "host_network": "hostNetwork network_mode",
    "service_account": "serviceAccountName",
    "run_as_user": "runAsUser user username uid",
    "run_as_group": "runAsGroup gid",
    "fs_group": "fsGroup",
    "privileged": "run_privileged_container",
    "capabilities": "cap_add",
    "restricted": "cap_drop no_new_privileges pod_security",
    "stop_grace": "terminationGracePeriodSeconds grace_period stop_grace_period kill_timeout",
    "node_selector": "nodeSelector constraint constraints",
    "node_label": "node_label_expression",
    "tolerations": "taints",
    "spread": "podAntiAffinity anti_affinity",
}
"""Kubernetes, Volcano, Kubeflow, YARN, Slurm (sbatch), TorchX and Nomad."""

IN_ROLE = {
    "replicas": "instances num_replicas count parallelism completions nodes nnodes ntasks num_nodes num_containers",
    "min_available": "minAvailable min_avail minMember min_replicas",
    "after": "dependsOn depends_on dependencies needs",
}

INSTEAD = {
    "cluster { discovery": "discovery tf_config",
    "cluster { protocol": "protocol",
    "target kubernetes {": "hosts exclude nodeName nodelist",
    "target slurm {": "exclusive",
    "target tfjob {": "kueue gang_scheduler",
    "target slider or yarn|target slider": "runtime",
    "am_memory is an option of slider and yarn": "am_memory",
    "target tfjob { version": "version",
    "cpu_limit and memory_limit": "limits requests limit resource resource_limits",
    "on failed => restart container": "restartPolicy restart policies on_failure failurePolicy",
    "on exit 42 => fail job": "podFailurePolicy",
    "on evicted => restart pod": "requeue preemptible spot",
    "on worker completed => complete job": "successPolicy success_policy",
    "retries counts": "backoffLimitPerIndex",
    "mount pvc": "volumes volumeMounts volume mounts pvc persistentVolumeClaim readonly readOnly sub_path bind_mount",
    "mount scratch": "emptyDir",
    "mount host": "hostPath host_path",
    "mount memory": "tmpfs",
    "mount claim": "storage_class storageClassName access_modes",
    "mount archive": "localize_files jars archive",
    "secret(": "secrets",
    "output ": "outputs artifacts output_dir overwrite",
    "role worker {": "tasks tfReplicaSpecs replicaSpecs components workers worker trainer for_each maxReplicas",
    "role ps {": "ps parameter_server",
    "role chief {": "chief Chief",
    "job NAME": "name job_name app_name generateName",
    "compile with -t": "apiVersion kind spec",
    "namespace, labels and annotations": "metadata",
    "retries, deadline, ttl": "runPolicy",
    "queue, priority, gang": "schedulingPolicy",
    "let NAME": "locals variable var params parameters",
    "include ": "module imports",
    "use NAME": "extends templates",
    "build {": "dockerfile base_image from hadoop",
    "topology.kubernetes.io/zone": "region zone location",
    "annotations = {": "description title",
    "a schedule belongs to a flow": "schedule cron",
    "patch pod": "affinity podAffinity securityContext hostPID",
}
"""What is said → the words in a job for which it is said; they have no single word of ours."""

CALLS = {
    "len()": "length strlen size count",
    "lower()": "toLower tolower lowercase",
    "upper()": "toUpper upcase",
    "trim()": "trimspace strip",
    "format()": "sprintf printf",
    "file()": "readFile loadTextContent read_file",
    "secret()": "secretKeyRef",
    "configmap()": "configMapKeyRef configMap config_map",
    "a + b": "concat merge union append",
    "${value}": "tostring string str",
    "x[0]": "lookup element first",
    "len(value) == 0": "empty",
    "${env.NAME}": "getenv env readEnvironmentVariable",
    "--set": "timestamp utcNow uuid newGuid",
    "condition ? a : b": "coalesce if ternary",
    "there are no loops": "range map",
    "functions are secret,": "substr abs",
}
"""Terraform, Bicep, Go templates and Python."""

MEMBERS = {
    "var.size": "write size",
    "local.size": "write size",
    "param.size": "write size",
    "inputs.size": "write size",
    "parameters.size": "write size",
    "var.sise": "did you mean size?",
    "var.other": "none is called other",
    "count.index": 'write "${task.index}"',
    "each.key": "there are no loops",
    "path.module": "a path relative to this file",
    "terraform.workspace": "--profile",
    "os.environ": "${env.NAME}",
    "worker.replicas": "write roles.worker.replicas",
    "workers.count": "write roles.worker.replicas",
    "job.replicas": "roles.worker.replicas",
    "task.id": "write task.index",
}

SETTINGS = {
    "one_of": "enum choices allowed allowed_values allowedValues",
    "min": "minimum minValue",
    "max": "maximum maxValue",
    "pattern": "regex validation",
    "description": "desc help",
}

POLICIES = {
    "completed": "TaskCompleted succeeded done finished",
    "failed": "PodFailed TaskFailed error crashed AnyEvent",
    "evicted": "PodEvicted preempted node_lost",
    "pending": "PodPending unschedulable",
    "unknown": "JobUnknown Unknown",
}

ACTIONS = {
    "fail job": "TerminateJob FailJob kill terminate",
    "abort job": "AbortJob stop",
    "restart container": "OnFailure retry Always",
    "restart pod": "RestartPod ExitCode",
    "restart role": "RestartTask",
    "restart job": "RestartJob requeue",
    "ignore": "Ignore continue skip",
}

MOUNTS = {
    "did you mean pvc?": "volume persistentVolumeClaim persistent_volume_claim disk",
    "did you mean scratch?": "emptyDir empty_dir tmp",
    "did you mean host?": "hostPath bind local folder",
    "did you mean configmap?": "configMap config_map config",
    "did you mean memory?": "tmpfs ramdisk shm",
    "did you mean archive?": "tar zip tarball",
    "mount pvc": "s3 gcs csi cephfs azureFile",
    "patch pod": "projected downwardAPI",
    "mount archive": "git gitRepo http",
}

SAFE = {
    "backoffLimit = 3": None,
    "retry = 3": None,
    "nvidia_gpu = 1": "gpu",
    "instances = 3": None,
    "timeout = 1h": None,
    'partition = "gpu"': None,
    "gres = 1": None,
    'tags = { a = "b" }': None,
}
"""Statements, and the word of the safe fix: only where the other tool's word means the same, and the value fits."""


def said(text: str) -> list[str]:
    """Message, helps and titles of fixes, for each diagnostic of a part of a job."""
    found = diagnostics(Example({"main.tfjob": part(text + "\n")}, (), ""))
    return [" ".join((one.message, *one.helps, *(fix.title for fix in one.fixes))) for one in found]


def cases(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(word, ours) for ours, words in table.items() for word in words.split()]


def check(text: str, ours: str) -> None:
    found = said(text)
    assert len(found) == 1, found
    assert any(one in found[0] for one in ours.split("|")), found


@pytest.mark.parametrize(("word", "ours"), cases(IN_JOB))
def test_an_attribute(word: str, ours: str) -> None:
    check(f"{word} = true", f"did you mean {ours}?")


@pytest.mark.parametrize(("word", "ours"), cases(IN_ROLE))
def test_an_attribute_of_a_role(word: str, ours: str) -> None:
    check(f"role worker {{ {word} = true }}", f"did you mean {ours}?")


@pytest.mark.parametrize(("word", "instead"), cases(INSTEAD))
def test_what_is_said_in_another_way(word: str, instead: str) -> None:
    check(f"{word} = true", instead)


def test_an_option_of_another_target() -> None:
    check('target yarn { hosts = ["n1"] }', "hosts is an option of kubernetes")
    check('target volcano { discovery = "both" }', 'write cluster { discovery = "both" }')


@pytest.mark.parametrize(("setting", "instead"), [("port = 1", "a job or role"), ("retries = 1", "a job")])
def test_an_attribute_among_settings(setting: str, instead: str) -> None:
    check(f"role worker {{ }}\ncluster {{ {setting} }}", f"is an attribute of {instead}")


@pytest.mark.parametrize(("word", "ours"), cases(CALLS))
def test_a_function(word: str, ours: str) -> None:
    check(f'env = {{ A = {word}("x") }}', ours)


@pytest.mark.parametrize("member", MEMBERS)
def test_a_member(member: str) -> None:
    text = f'param size: int = 2\njob j {{ image = "i", role worker {{ }}, env = {{ A = {member} }} }}'
    check(text, MEMBERS[member])


def test_a_member_of_a_namespace_is_written_alone() -> None:
    text = 'param size: int = 2\njob j { image = "i", role worker { replicas = var.size } }\n'
    (found,) = diagnostics(Example({"main.tfjob": text}, (), ""))
    ((edit,),) = [fix.edits for fix in found.fixes if fix.safe]
    assert text[: edit.span.start] + edit.text + text[edit.span.end :] == text.replace("var.size", "size")


@pytest.mark.parametrize(("word", "ours"), cases(SETTINGS))
def test_a_setting_of_a_param(word: str, ours: str) -> None:
    check(f'param p: string = "a" {{ {word} = "a" }}\njob j {{ image = "i", role worker {{ }} }}', f"mean {ours}?")


@pytest.mark.parametrize(("word", "ours"), cases(POLICIES))
def test_an_event(word: str, ours: str) -> None:
    check(f"on {word} => fail job", f"did you mean {ours}?")


@pytest.mark.parametrize(("word", "ours"), cases(ACTIONS))
def test_an_action(word: str, ours: str) -> None:
    check(f"on failed => {word}", f"did you mean {ours}?")


@pytest.mark.parametrize(("word", "ours"), cases(MOUNTS))
def test_a_kind_of_mount(word: str, ours: str) -> None:
    check(f'mount {word} "x" at "/x"', ours)


@pytest.mark.parametrize("text", SAFE)
def test_only_what_means_the_same_is_mended_without_asking(text: str) -> None:
    (found,) = diagnostics(Example({"main.tfjob": part(text + "\n")}, (), ""))
    safe = [edit.text for fix in found.fixes if fix.safe for edit in fix.edits]
    assert safe == ([] if SAFE[text] is None else [SAFE[text]])


# --- the tables ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rows",
    [attributes.ATTRIBUTES, functions.FUNCTIONS, statements.EVENTS, statements.ACTIONS, attributes.ROLES,
     statements.MOUNT_KINDS, statements.PARAM_SETTINGS, statements.CLUSTER, statements.BUILD],
)  # fmt: skip
def test_a_word_of_another_tool_stands_once_and_is_none_of_ours(rows: tuple[attributes.Attribute, ...]) -> None:
    ours = {fold(row.name) for row in rows}
    words = [word for row in rows for word in {fold(word) for word in (*row.aliases, *row.akin)} - {fold(row.name)}]
    assert sorted(words) == sorted(set(words))
    assert not ours & set(words)


def test_what_has_no_word_here_has_no_row() -> None:
    options = {option.name for target in targets.built_in() for option in target.options}
    known = {fold(word) for row in attributes.ATTRIBUTES for word in (row.name, *row.aliases, *row.akin)}
    assert not known & {fold(word) for word in foreign.ATTRIBUTES}
    # Options of one target that are words of other tools elsewhere.
    of_one_target = {"jobs", "tf_config", "plugins", "policies", "service", "setup", "subdomain"}
    assert not options & (set(foreign.ATTRIBUTES) - of_one_target)
    called = {fold(word) for row in functions.FUNCTIONS for word in (row.name, *row.aliases, *row.akin)}
    assert not called & {fold(word) for word in foreign.FUNCTIONS}
