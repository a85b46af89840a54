"""What the output holds that the source does not say: told by an info, or expected for a reason that stands here.

The leaves of documents remember their IR path; those without a written one are ours. Each is held against a reviewed
list: the code of the message that tells it, or why nobody has to be told. A new leaf that is in no list fails.
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import pytest

from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.emit.located import Located, plain
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.diagnostics import Diagnostic
    from tfdsl.emit.located import Data
    from tfdsl.ir.fields import Origins

MINIMAL = """job digits {
  image = "r/x:1"
  command = ["python", "train.py"]
  role worker { }
}
"""
LARGER = """job digits {
  image = "r/x:1"
  command = ["python", "train.py"]
  cpu = 2, memory = 4Gi
  on failed => restart container
  role worker { replicas = 2, gpu = 1 }
  role ps { }
  target slider { role worker { node_label = "gpu" } }
}
"""

NAMES = "names that the target needs, made of the job's and the roles'"
FORM = "the form of the document"
ADDRESSES = "how the tasks find each other"
PROMISED = "what the language promises on every target"
SAME = "what the target does when nothing is written"

KUBERNETES_POD = {
    "*.annotations.sidecar.istio.io/inject": "no-istio-sidecar",
    "*.containers[0].name": FORM,
    "*.containers[0].resources.limits.*": "limits-equal-requests",
    "*.env[NVIDIA_VISIBLE_DEVICES]": "gpus-hidden",
}
REVIEWED = {
    "tfjob": {
        "apiVersion": FORM,
        "kind": FORM,
        "spec.runPolicy.cleanPodPolicy": "default-cleanup",
        "spec.runPolicy.backoffLimit": "default-retries",
        "spec.successPolicy": "all-workers",
        "*.restartPolicy": SAME,
        "*.replicas": PROMISED,
        **KUBERNETES_POD,
    },
    "kubernetes": {
        "apiVersion": FORM,
        "kind": FORM,
        "metadata.name": NAMES,
        "*labels.tfdsl/*": "labels of ours, which select the job's objects in the commands that are told",
        "spec.completionMode": ADDRESSES,
        "spec.completions": PROMISED,
        "spec.parallelism": PROMISED,
        "spec.backoffLimit": "default-retries|retries-per-job|fails-at-once",
        "*.restartPolicy": "default-retries|retries-per-job|fails-at-once",
        "*.subdomain": ADDRESSES,
        "spec.clusterIP": ADDRESSES,
        "spec.publishNotReadyAddresses": ADDRESSES,
        "spec.selector.*": ADDRESSES,
        "*.env[TF_CONFIG]": PROMISED,
        "*.env[JOB_COMPLETION_INDEX]": ADDRESSES,
        "*.containers[0].ports[0].*": ADDRESSES,
        **KUBERNETES_POD,
    },
    "volcano": {
        "apiVersion": FORM,
        "kind": FORM,
        "spec.schedulerName": SAME,
        "spec.queue": SAME,
        "spec.minAvailable": PROMISED,
        "*.env[TF_CONFIG]": PROMISED,
        "*.containers[0].ports[0].*": ADDRESSES,
        "spec.tasks[*].replicas": PROMISED,
        "spec.tasks[*].minAvailable": PROMISED,
        "*maxRetry": "default-retries",
        "spec.plugins.*": ADDRESSES,
        "*policies[*].*": PROMISED,
        "*.restartPolicy": PROMISED,
        **KUBERNETES_POD,
    },
    "jobset": {
        **KUBERNETES_POD,
        "apiVersion": FORM,
        "kind": FORM,
        "spec.network.*": ADDRESSES,
        "spec.successPolicy.*": PROMISED,
        "spec.failurePolicy.maxRestarts": "default-retries|retries-counted-apart|fails-at-once",
        "spec.failurePolicy.restartStrategy": "it makes nothing anew before all pods are gone; in its page",
        "spec.replicatedJobs[*].name": NAMES,
        "spec.replicatedJobs[*].replicas": FORM,
        "*.completionMode": ADDRESSES,
        "*.completions": PROMISED,
        "*.parallelism": PROMISED,
        "*.backoffLimit": "default-retries|retries-counted-apart|fails-at-once",
        "*.restartPolicy": "default-retries|retries-counted-apart|fails-at-once",
        "*.env[TF_CONFIG]": PROMISED,
        "*.env[JOB_COMPLETION_INDEX]": ADDRESSES,
        "*.containers[0].ports[0].*": ADDRESSES,
    },
    "slider": {
        "appConfig.json:schema": FORM,
        "appConfig.json:global.site.global.*": ADDRESSES,
        "resources.json:schema": FORM,
        "resources.json:global.yarn.container.failure.window.minutes": PROMISED,
        "resources.json:components.*.yarn.role.priority": FORM,
        "resources.json:components.*.yarn.component.instances": PROMISED,
        "resources.json:components.*.yarn.container.failure.threshold": "retries-per-replica|fail-job",
        "metainfo.json:*": FORM,
        "package/files/job.json:retries": "retries-per-replica|fail-job",
        "package/files/job.json:roles.*.hide_gpus": "gpus-hidden",
        "package/files/job.json:*": "what the programs of the package read; the rows of the support table tell of it",
    },
}
TOLD_OF_YARN = {
    "-appname": NAMES,
    "-num_containers": PROMISED,
    "-container_resources": "default-memory",
    "-master_memory": "an option of the target, with its default in its page",
    "-timeout": "without it the client ends the job after ten minutes; without a deadline it has none",
    "-shell_env": "what the docker runtime and the script read",
    "-container_retry_policy": "default-retries",
    "-container_retry_error_codes": "default-retries",
    "-container_max_retries": "default-retries",
    "-container_retry_interval": "default-retries",
}
CHECKED = [(target, name) for target in REVIEWED for name in ("minimal", "larger")]
JOBS = {"minimal": MINIMAL, "larger": LARGER}


def made(text: str, target: str) -> tuple[pipeline.Made, list[Diagnostic]]:
    backend = targets.find(target)
    assert backend is not None
    program = pipeline.load(Source("job.tfjob", text), lambda path: "no files here")
    levels = {rule.slug: "info" for rule in backend.facts()}  # which are off unless a project wants to see them
    done = pipeline.run(program, Request(levels=levels), [Choice(backend)])
    assert not pipeline.has_errors(done.diagnostics), done.diagnostics
    return done.made[0], pipeline.settle([done], [program], strict=False)


def ours(one: pipeline.Made) -> dict[str, object]:
    """The leaves that the source does not say, by their place."""
    found: dict[str, object] = {}
    for document in one.documents:
        if document.format == "text":
            continue
        prefix = f"{document.file}:" if document.file else ""
        found |= {prefix + place: value for place, value in _leaves(document.data, "", False, one.unit.origins)}
    return found


def _leaves(data: Data, place: str, said: bool, origins: Origins) -> Iterator[tuple[str, object]]:
    """``said``: whether what holds ``data`` comes from one item of the source."""
    if isinstance(data, Located):
        is_node = data.path == "" or re.fullmatch(r"roles\[\w+\]", data.path) is not None
        leaf = not isinstance(data.value, dict | list)
        said = (origins.written(data.path) is not None or data.path == "") if leaf or not is_node else said
        yield from _leaves(data.value, place, said, origins)
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _leaves(value, f"{place}.{key}" if place else key, said, origins)
    elif isinstance(data, list | tuple):
        for at, value in enumerate(data):
            name = plain(value)
            key = name["name"] if isinstance(name, dict) and place.endswith(".env") else at
            yield from _leaves(value, f"{place}[{key}]", said, origins)
    elif data is not None and not said:
        yield re.sub(r"(\.env\[\w+\]).*", r"\1", place), data


def entry_of(place: str, reviewed: dict[str, str]) -> str | None:
    """The first entry of the list that covers ``place``; ``[`` stands for itself."""
    return next((key for key in reviewed if fnmatchcase(place, key.replace("[", "[[]"))), None)


NEEDS_MORE = {"all-workers", "default-cleanup", "default-retries", "gpus-hidden"}
"""What there is no need to tell of one replica that nothing restarts: nobody could notice a difference."""


def is_slug(reason: str) -> bool:
    return " " not in reason


@pytest.mark.parametrize(("target", "name"), CHECKED)
def test_every_leaf_of_ours_is_told_or_expected(target: str, name: str) -> None:
    one, told = made(JOBS[name], target)
    slugs = {found.rule.slug.removeprefix(f"{target}-") for found in told}
    for place, value in ours(one).items():
        key = entry_of(place, REVIEWED[target])
        assert key is not None, f"nobody has reviewed {place} = {value!r}"
        reason = REVIEWED[target][key]
        if is_slug(reason) and not (name == "minimal" and reason in NEEDS_MORE):
            assert slugs & set(reason.split("|")), f"{place} = {value!r} is not told by {reason}"


@pytest.mark.parametrize("target", REVIEWED)
def test_the_reviewed_lists_hold_nothing_else(target: str) -> None:
    places = [place for name in JOBS for place in ours(made(JOBS[name], target)[0])]
    assert {entry_of(place, REVIEWED[target]) for place in places} == set(REVIEWED[target])


@pytest.mark.parametrize("name", JOBS)
def test_every_option_of_the_yarn_client_is_told_or_expected(name: str) -> None:
    one, told = made(JOBS[name], "yarn")
    script = next(plain(d.data) for d in one.documents if d.file == "submit.sh")
    options = set(re.findall(r"^      (-\w+) ", str(script), re.MULTILINE))
    slugs = {found.rule.slug.removeprefix("yarn-") for found in told}
    assert options
    assert options <= set(TOLD_OF_YARN)
    reasons = {TOLD_OF_YARN[option] for option in options if is_slug(TOLD_OF_YARN[option])}
    missing = reasons - slugs
    assert missing <= ({"default-memory"} if name == "larger" else set())  # it is written there


# --- each is told once, and there is a way to leave it out -----------------------------------------------------------


def infos(text: str, target: str) -> dict[str, str]:
    """Slug without the target → message, of the infos of ``text``; each comes once."""
    told = [found for found in made(text, target)[1] if found.level == "info"]
    slugs = [found.rule.slug.removeprefix(f"{target}-") for found in told]
    assert len(slugs) == len(set(slugs)), slugs
    return dict(zip(slugs, (found.message for found in told), strict=True))


def manifest(text: str, target: str) -> str:
    return str([plain(document.data) for document in made(text, target)[0].documents])


def with_target(target: str, options: str) -> str:
    return LARGER.replace("target slider", f"target {target} {{ {options} }}\n  target slider")


KUBERNETES = ("tfjob", "kubernetes", "volcano")


@pytest.mark.parametrize("target", KUBERNETES)
def test_the_annotation_against_sidecars_can_be_left_out(target: str) -> None:
    """Istio reads "true" and "false"; without the annotation the namespace decides."""
    without = with_target(target, "istio_annotation = false")
    assert "sidecar.istio.io/inject" in manifest(LARGER, target)
    assert "no-istio-sidecar" in infos(LARGER, target)
    assert "istio" not in manifest(without, target)
    assert "no-istio-sidecar" not in infos(without, target)
    own = LARGER.replace("2, gpu", '2, annotations = { "sidecar.istio.io/inject" = "true" }, gpu')
    assert "no-istio-sidecar" in infos(own, target)  # ps still gets it
    own = own.replace("ps { }", 'ps { annotations = { "sidecar.istio.io/inject" = "true" } }')
    assert "no-istio-sidecar" not in infos(own, target)


@pytest.mark.parametrize("target", KUBERNETES)
def test_the_variable_that_hides_gpus_can_be_another_or_left_out(target: str) -> None:
    assert "'value': 'void'" in manifest(LARGER, target)
    assert "gpus-hidden" in infos(LARGER, target)
    other = with_target(target, 'nvidia_visible_devices = "none"')
    assert "'name': 'NVIDIA_VISIBLE_DEVICES', 'value': 'none'" in manifest(other, target)
    assert "gpus-hidden" in infos(other, target)
    without = with_target(target, 'nvidia_visible_devices = ""')
    assert "NVIDIA_VISIBLE_DEVICES" not in manifest(without, target)
    assert "gpus-hidden" not in infos(without, target)
    own = LARGER.replace("role ps { }", 'role ps { env = { NVIDIA_VISIBLE_DEVICES = "all" } }')
    assert "gpus-hidden" not in infos(own, target)


@pytest.mark.parametrize("target", ["yarn", "slider"])
def test_a_choice_of_devices_of_the_role_stays(target: str) -> None:
    assert "gpus-hidden" in infos(LARGER, target)
    for name in ("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"):
        own = LARGER.replace("role ps { }", f'role ps {{ env = {{ {name} = "0" }} }}')
        assert "gpus-hidden" not in infos(own, target)


@pytest.mark.parametrize("target", KUBERNETES)
def test_limits_are_told_of_the_amounts_that_have_none(target: str) -> None:
    assert "limits-equal-requests" in infos(LARGER, target)
    memory = LARGER.replace("memory = 4Gi", "memory = 4Gi, memory_limit = 8Gi")
    assert "limits-equal-requests" in infos(memory, target)
    both = memory.replace("cpu = 2", "cpu = 2, cpu_limit = 4")
    assert "limits-equal-requests" not in infos(both, target)
    assert "limits-equal-requests" not in infos(MINIMAL, target)


@pytest.mark.parametrize("target", ["tfjob", "volcano", "yarn"])
def test_the_restarts_that_a_policy_implies_are_told(target: str) -> None:
    assert "3 restarts" in infos(LARGER, target)["default-retries"]
    assert "default-retries" not in infos(MINIMAL, target)
    written = LARGER.replace("on failed", "retries = 3\n  on failed")
    assert "default-retries" not in infos(written, target)


def test_slider_tells_the_restarts_once_too() -> None:
    one = MINIMAL.replace("role", "on failed => restart container\n  role")
    assert "3 restarts" in infos(one, "slider")["default-retries"]
    several = infos(LARGER, "slider")
    assert "3 restarts" in several["retries-per-replica"]
    assert "default-retries" not in several


def test_a_limit_can_be_taken_away() -> None:
    without = with_target("tfjob", 'role ps { memory_limit = "none" }')
    assert manifest(LARGER, "tfjob").count("'memory': '4Gi'") == 4
    assert manifest(without, "tfjob").count("'memory': '4Gi'") == 3
    assert '"none" for no limit' in str(made(LARGER, "tfjob")[1])


def test_the_restarts_of_jobs_are_told_once_for_one_job_and_for_several() -> None:
    one = MINIMAL.replace("role", "on failed => restart pod\n  role")
    assert "3 restarts" in infos(one, "kubernetes")["default-retries"]
    several = infos(LARGER, "kubernetes")
    assert "3 times" in several["retries-per-job"]
    assert "default-retries" not in several


def test_what_kubernetes_would_try_again_is_told() -> None:
    """backoffLimit is 6 where a Job does not say (batch/v1)."""
    assert "6 more times" in infos(MINIMAL, "kubernetes")["fails-at-once"]
    written = MINIMAL.replace("role", "on failed => fail job\n  role")
    assert "fails-at-once" not in infos(written, "kubernetes")


def test_where_the_operator_would_take_worker_0() -> None:
    """Without a chief and without successPolicy worker 0 alone completes a TFJob."""
    assert "worker 0" in infos(LARGER, "tfjob")["all-workers"]
    for other in ("worker[0] completed", "worker completed"):
        written = LARGER.replace("on failed", f"on {other} => complete job\n  on failed")
        assert "all-workers" not in infos(written, "tfjob")
    assert "all-workers" not in infos(LARGER.replace("role ps", "role chief { }\n  role ps"), "tfjob")


def test_what_the_operator_would_leave_running() -> None:
    """cleanPodPolicy is None from 1.6 on where a TFJob does not say; before it was Running."""
    assert "default-cleanup" in infos(LARGER, "tfjob")
    assert "default-cleanup" not in infos(MINIMAL, "tfjob")
    assert "default-cleanup" not in infos(LARGER.replace("cpu =", 'cleanup = "all"\n  cpu ='), "tfjob")
    assert "default-cleanup" not in infos(with_target("tfjob", 'version = "1.5"'), "tfjob")


@pytest.mark.parametrize(
    ("target", "items", "told"),
    [
        ("tfjob", 'queue = "q", target tfjob { kueue = true }', True),
        ("tfjob", 'labels = { "kueue.x-k8s.io/queue-name" = "q" }', True),
        ("tfjob", 'queue = "q"', False),
        ("kubernetes", 'queue = "q"', True),
        ("kubernetes", 'labels = { "kueue.x-k8s.io/queue-name" = "q" }', True),
        ("kubernetes", "", False),
    ],
)
def test_kueue_starts_what_suspend_holds(target: str, items: str, told: bool) -> None:
    """Kueue sets suspend itself and takes it back when it admits the job."""
    suspended = MINIMAL.replace("role", f"suspend = true\n  {items}\n  role")
    slugs = [found.rule.slug for found in made(suspended, target)[1] if found.level == "warning"]
    assert (f"{target}-kueue-resumes" in slugs) == told
    slugs = [found.rule.slug for found in made(suspended.replace("= true\n", "= false\n"), target)[1]]
    assert f"{target}-kueue-resumes" not in slugs
