"""What is said at first sight: a warning needs a line that the author wrote, and an edit of the file that ends it.

``EDITS`` has such an edit for every warning of a target, tried on each target that has the warning. The examples are
good jobs, so almost nothing is said of them.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from examples import generate
from tests.unit.cli.shell import ROOT, Ran, tfdsl
from tfdsl import targets
from tfdsl.backend import UNUSED
from tfdsl.compiling import front_end
from tfdsl.semantics.request import Choice, Request
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tfdsl.backend import Backend
    from tfdsl.diagnostics import Diagnostic, Rule

# «old→new» is the edit; what follows ` | ` is in the block of the target, what follows ` || ` in a flow with the job.
# A job without a role gets two workers.
CHIEF = "role chief { }\n"
STATUSES = "on exit 1..127 => fail job"
EDITS = {
    "annotations": '«annotations = { a = "b" }→»',
    "capabilities-of-user": 'capabilities = ["SYS_PTRACE"]\nrun_as_user = «7→0»',
    "claim-in-steps": 'prepare p { command = ["b"] }\nmount claim 1Gi at "/c" «→{ keep = true }»',
    "claim-outlives": 'mount claim 1Gi at "/c" «→{ keep = true }»',
    "claim-outlives@jobset": 'mount claim 1Gi at "/c" «→{ keep = true }» | version = "0.8"',
    "claim-outlives-job": CHIEF + 'role worker { mount claim 1Gi at "/c" «→{ keep = true }» }',
    "cleanup": '«cleanup = "all"→»',
    "cleanup-all": '«cleanup = "all"→»',
    "cpu-limit": "cpu = 2\n«cpu_limit = 4→»",
    "cpu-rounded": "cpu = «500m→1»",
    "cpu-unlimited": 'cpu = 2\n«cpu_limit = "none"→»',
    "deadline-is-eviction": "deadline = 1h\n«on evicted => restart job→»",
    "deadline-rounded": "deadline = «1500ms→2s»",
    "default-memory": "«→memory = 4Gi»",
    "default-scheduler": '«scheduler = "default-scheduler"→»\nqueue = "q"',
    "delay-is-lost": "on failed «after 5m→» => restart job",
    "drained-completes": "«on evicted => restart job→»",
    "drained-completes@kubernetes": "«on evicted => restart pod→»",
    "env-of-image": 'args = ["${env.X}"]\n«→env = { X = "1" }» | runtime = "docker"',
    "evicted-in-place": "on evicted => restart «container→pod»",
    "eviction-by-status": "on evicted => restart job\non failed => «abort→restart» job",
    "eviction-fails-first": "on evicted => restart job\non exit 137 => «fail→restart» job\non exit 143 => restart job",
    "exit-code-unlimited": f"«{STATUSES}→»\non failed => restart container",
    "failure-unseen": f"role chief {{ on failed => «fail job→restart pod\n{STATUSES}» }}\n"
    f"role worker {{ {STATUSES}\non failed => restart pod }}",
    "flow-namespace": ' || «namespace = "ml"→»',
    "flow-no-schedule": ' || «overlap = "allow"→»',
    "flow-service-account": ' || «service_account = "a"→»',
    "gang-by-quota": 'gang = true\nqueue = "q" | kueue = true\n«→gang_scheduler = "volcano"»',
    "gang-off": "«gang = false→»",
    "gpu-resource": 'node_label = "g"\ngpu = 1\n«gpu_resource = "x.com/y"→»',
    "gpu-resource@yarn": 'node_label = "g"\ngpu = 1\n«gpu_resource = "x.com/y"→» | version = "2.10"',
    "host-port": "role chief { host_network = true }\nrole worker { host_network = true\n«→port = 2223» }",
    "hosts-need-network": 'host_network = false | «hosts = ["a", "b"]→»',
    "hosts-variable": 'cluster { discovery = "none" }\nrole worker { replicas = «9999→9» }',
    "ignored-decider": "role chief { on failed => ignore\n«on completed => complete job→» }\n"
    "role worker { «→on completed => complete job» }",
    "image-pull-policy": '«image_pull_policy = "Always"→»',
    "image-pull-secrets": '«image_pull_secrets = ["s"]→»',
    "image-unused": ' | runtime = «"native"→"docker"»',
    "image-unused@slurm": ' | «→runtime = "pyxis"»',
    "kueue-resumes": '«suspend = true→»\nqueue = "q"',
    "kueue-resumes@tfjob": '«suspend = true→»\nqueue = "q" | kueue = true',
    "kueue-without-queue": '«→queue = "q"» | kueue = true',
    "label-overwritten": 'role worker { labels = { "«training.kubeflow.org/job-name→mine»" = "x" } }',
    "labels": '«labels = { a = "b" }→»',
    "lost-pod": "on failed => restart container\n«→on evicted => restart job»",
    "many-addresses": "role worker { replicas = «3000→30» }",
    "memory-limit": "memory = «4Gi→8Gi»\nmemory_limit = 8Gi",
    "memory-lowered": "memory = «9Gi→4Gi» | max_container_memory = 8192",
    "memory-unlimited": 'memory = 4Gi\n«memory_limit = "none"→»',
    "min-available": "role worker { replicas = 3\n«min_available = 2→» }",
    "minimum-with-after": 'role chief { after = ["worker"] }\nrole worker { replicas = 3\n«min_available = 2→» }',
    "mode-of-user": 'run_as_user = 7\n«→fs_group = 7»\nmount secret "s" at "/s" { mode = "0400" }',
    "namespace": '«namespace = "n"→»',
    "no-gang": "gang = «true→false»",
    "no-hdfs-client": ' | runtime = "docker"\n«→hadoop_home = "/opt/hadoop"»',
    "node-label-all": CHIEF + 'role worker { node_label = "g" } | applications = «"one"→"per-role"»',
    "placement-unused": 'role worker { «spread = "node"→» } | placement = { worker = "anywhere" }',
    "pending-loops": "«on pending after 10m => restart job→»",
    "plugin-differs": CHIEF + 'role evaluator { } | «tf_config = "plugin"→»',
    "port-allocated": "«port = 3333→»",
    "prepare-gpu": 'role worker { node_label = "g"\ngpu = 2\nprepare p { command = ["b"]\n«gpu = 1→» } }',
    "prepare-size": 'role worker { memory = 4Gi\nprepare p { command = ["b"]\n«memory = 8Gi→» } }',
    "prepare-status-unread": f'prepare p {{ command = ["b"] }}\n«{STATUSES}→»\non failed => restart container',
    "priority": '«priority = "high"→»',
    "pull-policy": '«image_pull_policy = "Always"→»',
    "pull-secrets": '«image_pull_secrets = ["s"]→»',
    "queue-unread": 'queue = "q" | «→gang_scheduler = "volcano"»',
    "restart-gang": "on failed => restart «container→job»",
    "restart-in-new-pod": "on failed => restart «container→pod»\non exit 3 => fail job",
    "restart-in-place": "on failed => restart «pod→container»",
    "restarted-above-retries": "retries = «2→5»\non failed => restart container\non restarted 4 => fail job",
    "restarts-without-end": 'on failed => restart container\n«→on restarted 3 => fail job» | policies = "written"',
    "restricted-user": "restricted = true\n«→run_as_user = 1000»",
    "retries-left-out": "«retries = 3→»\non failed => restart container | limit_restarts = false",
    "retries-unbounded": f"retries = 3\n«{STATUSES}→»\non failed => restart container",
    "scheduler-against-gang": '«scheduler = "s"→» | gang_scheduler = "volcano"',
    "scheduler-unused": '«scheduler = "s"→» | hosts = ["a", "b"]',
    "shm": "«shm = 1Gi→»",
    "shm-native": '«shm = 1Gi→» | runtime = "native"',
    "single-without-config": 'cluster { discovery = "tf_config" }\nrole worker { } | «→tf_config = "static"»',
    "spread-all": CHIEF + 'role worker { replicas = 2, spread = "node" } | applications = «"one"→"per-role"»',
    "stop-grace-rounded": "stop_grace = «1500ms→2s»",
    "tensorboard-with-all": CHIEF + 'role tensorboard { logdir = "hdfs:///l"\non failed => restart container } '
    '| applications = «"one"→"per-role"»',
    "tf-after": 'role ps { }\nrole worker { after = ["ps"] } | dialect = «"yarn-tf"→"stock"»',
    "tf-completed": 'on worker completed => complete job | dialect = «"yarn-tf"→"stock"»',
    "tf-fail": 'on failed => fail job | dialect = «"yarn-tf"→"stock"»',
    "tf-node-label": 'role ps { }\nrole worker { node_label = "g" } | dialect = «"yarn-tf"→"stock"»',
    "tf-output": 'role worker { output "a" to "hdfs:///b" { overwrite = true } } | dialect = «"yarn-tf"→"stock"»',
    "tf-pending": 'on pending after 10m => fail job | dialect = «"yarn-tf"→"stock"»',
    "tmp-size": "«tmp_size = 1Gi→»",
    "tmp-size-native": '«tmp_size = 1Gi→» | runtime = "native"',
    "ttl": "«ttl = 1h→»",
    "ttl-of-aborted-job": "ttl = 1h\non failed => «abort→fail» job",
    "ttl-rounded": "ttl = «1500ms→2s»",
    "variable-in-shell": 'mount pvc "p" at "/p"\noutput "/a" to "/p/a"\nenv = { "«a.b→ab»" = "1" }',
    "waste": 'role ps { memory = 1Gi }\nrole worker { memory = 8Gi } | applications = «"one"→"per-role"»',
    "waste@slurm": 'role ps { memory = 1Gi }\nrole worker { memory = 8Gi } | allocation = «"single"→"components"»',
}


def warnings() -> Iterator[tuple[str, Backend, Rule]]:
    """Every warning of the targets of this repository, with the end of its slug."""
    for backend in targets.built_in():
        for rule in {rule.code: rule for rule in backend.all_rules() if rule.level == "warning"}.values():
            yield rule.slug.removeprefix(f"{backend.name}-"), backend, rule


def diagnostics(backend: Backend, case: str, more: str = "") -> dict[str, Diagnostic]:
    """What is said of a job, by code."""
    case, in_flow, of_flow = case.partition(" || ")
    items, _, options = case.partition(" | ")
    role = "" if re.search(r"^role ", items, re.M) else "role worker { replicas = 2 }\n"
    block = f"target {backend.name} {{ {options}\n{more} }}"
    text = f'job j {{\nimage = "r/x:1"\ncommand = ["a"]\n{items}\n{role}{block}\n}}\n'
    text += f"flow nightly {{\n{of_flow}\nrun j\n}}\n" if in_flow else ""
    program = front_end.read(Source("j.tfjob", text), lambda path: "no files here")
    found = front_end.compiled(program, Request(), [Choice(backend)]).diagnostics
    wrong = [one for one in found if one.level == "error"]
    assert not wrong, (text, [one.message for one in wrong])
    return {one.rule.code: one for one in found}


def side(case: str, number: int) -> str:
    """The text before (1) or after (2) the edit."""
    return re.sub(r"«(.*?)→(.*?)»", rf"\{number}", case, flags=re.S)


@pytest.mark.parametrize(("slug", "backend", "rule"), [pytest.param(*one, id=one[2].slug) for one in warnings()])
def test_an_edit_of_the_file_ends_each_warning_of_a_target(slug: str, backend: Backend, rule: Rule) -> None:
    case = EDITS.get(f"{slug}@{backend.name}") or EDITS[slug]
    said = diagnostics(backend, side(case, 1))[rule.code]
    assert (said.level, said.span.text) == ("warning", said.span.text.strip())
    assert said.span.text not in ("", "j"), "no line of the author's"
    assert said.helps, "no advice"
    assert rule.code not in diagnostics(backend, side(case, 2))


def unused() -> Iterator[tuple[str, Backend, Rule, str]]:
    """The warnings about attributes without effect, with the name of the attribute."""
    for slug, backend, rule in warnings():
        rows = [row for row in backend.support.rows if row.rule is not None and row.rule.code == rule.code]
        keys = {row.key.removeprefix("job.").removeprefix("roles[].") for row in rows}
        if all(row.instead.startswith(UNUSED.replace("{target}", backend.name)) for row in rows) and rows:
            yield from ((slug, backend, rule, key) for key in keys if key.isidentifier())


@pytest.mark.parametrize(("slug", "backend", "rule", "name"), [pytest.param(*one, id=one[2].slug) for one in unused()])
def test_what_has_no_effect_can_be_unset_for_the_target(slug: str, backend: Backend, rule: Rule, name: str) -> None:
    case = side(EDITS.get(f"{slug}@{backend.name}") or EDITS[slug], 1)
    if name == "common_labels":  # the message is that of labels
        case = case.replace("labels =", "common_labels =")
    where = f"role worker {{ unset {name} }}" if re.search(rf"^role worker .*\n{name}", case, re.M) else f"unset {name}"
    assert rule.code not in diagnostics(backend, case, where)


def test_the_edits_are_those_of_the_warnings() -> None:
    known = {f"{slug}{at}" for slug, backend, _ in warnings() for at in ("", f"@{backend.name}")}
    assert set(EDITS) <= known


# --- good jobs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in generate.NAMES if name != "everything"])
def test_almost_nothing_is_said_of_an_example(name: str) -> None:
    """``everything`` uses all there is, so some of it has no effect on a target."""
    for target in generate.wanted(name):
        messages = (generate.EXAMPLES / name / "expected" / target / generate.MESSAGES).read_text(encoding="utf-8")
        levels = re.findall(r"^(\w+)\[", messages, re.M)
        assert levels.count("error") == 0, target
        assert levels.count("warning") <= 1, target


def test_nothing_is_said_of_the_first_example() -> None:
    """That of ``make try``."""
    assert "warning" not in tfdsl("check", "examples/mnist/main.tfjob", "-t", "volcano", cwd=ROOT).err


# --- notes -------------------------------------------------------------------------------------------------------

NOTED = """job j {
  image = "r/x:1", command = ["a"], cpu = 1, memory = 1Gi
  role worker { replicas = 2 }
  mount pvc "p" at "/p"
  output "/a" to "/p/a"
}
"""
SHELL = ["KTF011", "VOL011", "K8S011", "JBS011"]
ON_ALL = ("-t", "tfjob", "-t", "volcano", "-t", "kubernetes", "-t", "jobset")


def check(folder: Path, *words: str, text: str = NOTED, settings: str = "") -> Ran:
    (folder / "j.tfjob").write_text(text)
    (folder / "tfdsl.toml").write_text(settings)
    return tfdsl("check", "j.tfjob", *words, cwd=folder)


def codes_of(ran: Ran) -> dict[str, str]:
    """The level of each code."""
    return {one["code"]: one["level"] for one in json.loads(ran.out)["diagnostics"]}


def test_a_note_is_said_once_for_all_targets_and_only_when_asked_for(tmp_path: Path) -> None:
    assert "[" not in check(tmp_path, *ON_ALL).err
    shown = check(tmp_path, *ON_ALL, "--notes")
    (head,) = [line for line in shown.err.splitlines() if "output-needs-shell" in line]
    assert head.startswith(
        f"info[{', '.join(SHELL)}] tfjob-output-needs-shell: on tfjob, volcano, kubernetes, jobset: role"
    )
    assert (shown.status, shown.err.count("info[")) == (0, int(check(tmp_path, *ON_ALL).err.split(" ")[0]))
    assert len(codes_of(check(tmp_path, *ON_ALL, "--format", "json")).keys() & set(SHELL)) == len(SHELL)
    assert check(tmp_path, *ON_ALL, "--format", "sarif").out.count('"ruleId": "KTF011"') == 1
    for form in ("concise", "github"):
        quiet = check(tmp_path, *ON_ALL, "--format", form)
        assert (quiet.out, quiet.err) == ("", "")
    strict = check(tmp_path, *ON_ALL, "--strict")
    assert (strict.status, [code for code in SHELL if f"error[{code}]" in strict.err]) == (1, SHELL)


@pytest.mark.parametrize("name", ["VOL011", "volcano-output-needs-shell"])
def test_each_of_its_names_can_be_waived_or_set(tmp_path: Path, name: str) -> None:
    waived = NOTED.replace("  output", f"  # tfdsl: allow[{name}] sh is there\n  output")
    shown = check(tmp_path, *ON_ALL, "--notes", text=waived).err
    assert f"info[{', '.join(code for code in SHELL if code != 'VOL011')}]" in shown
    assert "stale" not in shown
    louder = check(tmp_path, *ON_ALL, settings=f'[lint]\n"{name}" = "warning"\n').err
    assert "warning[VOL011]" in louder
    assert "1 warning\n" in louder


def test_what_every_job_gets_is_said_only_if_a_project_asks_for_it(tmp_path: Path) -> None:
    facts = {rule.code: rule for backend in targets.built_in() for rule in backend.facts()}
    assert len(facts) == 4 * 3 + 3
    assert not facts.keys() & codes_of(check(tmp_path, *ON_ALL, "--format", "json")).keys()
    for name in ("VOL160", "volcano-limits-equal-requests"):
        waived = NOTED.replace("  image", f"  # tfdsl: allow[{name}] as we like it\n  image")
        assert "waiver" not in check(tmp_path, *ON_ALL, text=waived).err
        asked = check(tmp_path, *ON_ALL, "--format", "json", settings=f'[lint]\n"{name}" = "warning"\n')
        assert codes_of(asked)["VOL160"] == "warning"
    for backend in targets.built_in():
        page = (ROOT / backend.docs).read_text(encoding="utf-8")
        described = tfdsl("explain", backend.name, cwd=tmp_path).out
        for rule in backend.facts():
            assert f"(`{rule.code}`)" in page
            assert f"{rule.message} ({rule.code})" in described
