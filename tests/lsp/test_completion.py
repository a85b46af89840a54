"""What is offered at a place. The words come from the reference page of the language (docs/language.md)."""

from __future__ import annotations

import pytest

from tests.lsp.long_text import long_text
from tests.lsp.marked import marked, snapshot
from tfdsl.lsp.features.completion import Item, complete
from tfdsl.syntax import parse
from tfdsl.text import Source

TEMPLATE = "template gpus { gpu = 1 }\n"
VALUES = 'param workers: int = 4\nlet registry = "r"\n'

EXACTLY = {
    # roles, targets, templates, kinds, types
    "job a { role ▮ }": "chief evaluator master ps tensorboard worker",
    "job a { role ps { }\n role wo▮\n}": "chief evaluator master tensorboard worker",
    "job a { target ▮": "jobset kubernetes slider slurm tfjob volcano yarn kubeflow simpletfjob",
    "job a { target kubeflow { }\n target ▮": "jobset kubernetes slider slurm volcano yarn simpletfjob",
    TEMPLATE + "job a { use ▮ }": "gpus",
    TEMPLATE + "job a { use gpus\n use ▮\n}": "",
    "job a { mount ▮ }": "archive claim configmap hdfs host memory nfs pvc scratch secret",
    "param a: ▮": "bool duration int list map number quantity string",
    "param a: list<▮": "bool duration int list map number quantity string",
    # steps
    "job a { prepare fetch { ▮ } }": "args command cpu env env_from gpu image memory workdir",
    "job a { prepare fetch { cpu = 1, ▮ } }": "args command env env_from gpu image memory workdir",
    "job a { role ps { prepare fetch { memory = 16▮ } } }": "16G 16Gi 16Ki 16M 16Mi 16T 16Ti 16k",
    'job a { sidecar "log" { gpu = 5▮ } }': "",
    # words of statements
    'job a { mount pvc "x" ▮ }': "at",
    'job a { mount pvc "x" at "/y" ▮ }': "readonly when",
    'job a { mount pvc "x" at "/y" readonly ▮ }': "when",
    'job a { mount pvc "x" at "/y" { ▮ } }': "sub_path",
    'job a { mount claim 1Gi at "/y" { keep = true, ▮ } }': "access_modes storage_class sub_path",
    'job a { output "a" ▮ }': "to",
    'job a { output "a" to "b" ▮ }': "from on when",
    'job a { output "a" to "b" on ▮ }': "always failure success",
    'job a { role ps { }\n role worker { }\n output "a" to "b" from ▮ }': "ps worker",
    'job a { output "a" to "b" { ▮ } }': "overwrite",
    "job a { target volcano { patch ▮ } }": "pod",
    "job a { target volcano { unpatch ▮ } }": "pod",
    'job a { target volcano { patch pod "spec.hostPID" = true ▮ } }': "unchecked when",
    'job a { target volcano { patch "spec.x" = [1] unchecked ▮ } }': "when",
    # conditions, steps and what is unset
    VALUES + "job a { gpu = workers ▮ }": "when",
    VALUES + "job a { gpu = 1 when ▮ }": "false true +",
    VALUES + "job a { role ps when ▮ }": "false true +",
    "job a { role ps ▮ }": "when",
    TEMPLATE + "job a { use gpus ▮ }": "when",
    "job a ▮ { }": "when",
    "job a { target volcano ▮ }": "",
    "job a { on failed when true ▮ }": "=>",
    "job a { prepare ▮ }": "",
    "job a { prepare fetch ▮ }": "when",
    'job a { sidecar "a-b" ▮ }': "when",
    "job a { matrix { ▮ } }": "",
    'job a { prepare fetch { image = "x"\n cpu = 1\n memory = 1Gi\n gpu = 1\n env_from = []\n ▮\n} }': (
        "args command env workdir"
    ),
    "job a { unset env ▮ }": "when",
    'job a { unset mount "/d" ▮ }': "when",
    'job a { unset output "a" ▮ }': "to",
    "job a { role ps { }\n unset on ▮ }": "evicted exit failed pending restarted unknown ps",
    "job a { role ps { }\n unset on ps failed ▮ }": "when",
    "job a { prepare fetch { }\n sidecar proxy { }\n role ps { unset prepare ▮ } }": "fetch",
    # policies
    "job a { role ps { }\n on ▮ }": "evicted exit failed pending restarted unknown ps",
    "job a { role ps { }\n on ps ▮ }": "completed evicted exit failed pending restarted",
    "job a { on failed ▮ }": "=> after when",
    "job a { on pending ▮ }": "=> after when",
    "job a { on ps completed => ▮ }": "complete job|restart job",
    "job a { on pending after 5m => ▮ }": "abort job|fail job|restart job|restart pod",
    "job a { on failed => restart ▮ }": "container job pod role",
    # values
    "job a { cleanup = ▮": '"all" "none" "running" +',
    'job a { cleanup = "▮" }': "all none running",
    "job a { gang = ▮ }": "false true +",
    'job a { target volcano { tf_config = "▮" } }': "plugin shell static",
    'job a { target volcano { version = "▮" } }': "1.11 1.12.0 1.12.4 1.13.0 1.13.2 1.14 1.15 1.5.0 1.6 1.9",
    'job a { role ps { }\n role worker { after = ["▮"] }\n}': "ps",
    "job a { memory = 16▮ }": "16G 16Gi 16Ki 16M 16Mi 16T 16Ti 16k",
    "job a { ttl = 5▮ }": "5d 5h 5m 5ms 5s",
    "job a { cpu = 500▮ }": "500m",
    "job a { gpu = 5▮ }": "",
    # blocks of settings
    "job a { cluster { ▮ } }": "discovery protocol",
    'job a { cluster { discovery = "▮" } }': "both flags none tf_config",
    "job a { build { ▮ } }": "copy entrypoint from hadoop run workdir",
    "param a: int = 1 { ▮ }": "description max min one_of pattern",
    "param a: int = 1 { min = 0, ▮ }": "description max one_of pattern",
    VALUES + "profile p { ▮ }": "workers",
    VALUES + "profile p { workers = 1\n ▮ }": "",
    'job a { tolerations = [{ key = "x", ▮ }] }': "effect operator toleration_seconds value",
    'job a { role ps { }\n role worker { }\n target yarn { placement = { ps = "", ▮ } }\n}': "worker",
    "job a { role ps { }\n target yarn { shm = { ▮ } }\n}": "",
    # flows
    "job a { }\njob b-c { }\nflow f { run ▮ }": "a|b-c",
    "job a { }\nflow f { run a ▮ }": "after|when",
    "job a { }\njob b-c { }\nflow f { run a after ▮ }": "a|b-c",
    "job a { }\njob b-c { }\nflow f { run a after [b-c, ▮] }": "a|b-c",
    "job a { }\nflow f { run a after a ▮ }": "ended|failed|succeeded|when",
    "job a { }\nflow f { run a after a failed ▮ }": "when",
    'flow f { schedule = "@daily"\n ▮\n}': "common_labels deadline namespace overlap run service_account time_zone",
    'flow f { overlap = "▮" }': "allow replace skip",
    # members
    "job a { role ps { }\n retries = roles.▮ }": "ps",
    "job a { role ps { }\n retries = roles.ps.▮ }": "replicas",
    'job a { queue = "${job.▮}" }': "name namespace user",
    'job a { role ps { workdir = "${role.▮}" } }': "name replicas",
    'job a { args = ["${task.▮}"] }': "index",
    'let m = { cpu = 1, "a b" = 2 }\nlet c = m.▮': "a b|cpu",
    # nothing
    "job a { # gp▮\n}": "",
    "job a {\n command = '''\n  echo ${wo▮\n  '''\n}": "",
    "job ▮": "",
    "let ▮": "",
    "job a { image ▮ }": "",
}


@pytest.mark.parametrize("text", EXACTLY)
def test_exactly_these(text: str) -> None:
    expected = EXACTLY[text]
    labels = [item.label for item in complete(*marked(text)).items]
    if expected.endswith(" +"):  # and the names that any expression may use
        assert labels[: len(expected.split()) - 1] == expected.split()[:-1]
        assert "min" in labels
    else:
        assert sorted(labels) == sorted(expected.split("|") if "|" in expected else expected.split())


def labels_at(text: str, files: dict[str, str] | None = None) -> set[str]:
    return {item.label for item in complete(*marked(text, files)).items}


def test_attributes_are_those_of_the_block() -> None:
    job, role = labels_at("job a { ▮ }"), labels_at("job a { role worker { ▮ } }")
    assert {"queue", "gpu", "labels", "role ps", "target", "mount", "on"} <= job
    assert {"replicas", "gpu", "labels", "server", "mount", "on"} <= role
    assert not role & {"queue", "retries", "role ps", "target", "logdir"}
    assert not job & {"replicas", "after", "logdir"}
    assert "logdir" in labels_at("job a { role tensorboard { ▮ } }")
    assert "server" not in labels_at("job a { role chief { ▮ } }")
    assert {"queue", "replicas"} <= labels_at("template t { ▮ }")
    assert {"tf_config", "version", "queue", "patch"} <= labels_at("job a { target volcano { ▮ } }")


def test_what_is_there_is_left_out_before_and_behind() -> None:
    found = labels_at("job a {\n gpu = 1\n ▮\n memory = 1Gi\n cluster { }\n role worker { cpu = 1 }\n}")
    assert not found & {"gpu", "memory", "cluster"}
    assert {"cpu", "build"} <= found


def test_params_and_lets_are_names_of_expressions_also_those_of_includes() -> None:
    files = {"common.tfjob": "let shared = 1\ntemplate t { }\nparam q: string\n"}
    text = 'include "common.tfjob"\n' + VALUES
    snap, offset = marked(text + 'job a { image = "${▮}" }', files)
    assert snap.program.lets
    found = {item.label for item in complete(snap, offset).items}
    assert {"workers", "registry", "shared", "q", "min", "job.name", "task.index"} <= found
    assert "t" not in found
    snap, offset = marked(text + "job a { use ▮ }", files)
    assert snap.program.lets
    assert [item.label for item in complete(snap, offset).items] == ["t"]


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("job a { capabilities = [▮] }", '"IPC_LOCK"'),
        ('job a { role worker { capabilities = ["▮"] } }', "IPC_LOCK"),
        ("job a { memory_limit = ▮ }", '"none"'),
        ('job a { cpu_limit = "▮" }', "none"),
        ("job a { memory_limit = 16▮ }", "16Gi"),
        ("job a { stop_grace = 30▮ }", "30s"),
        ("job a { privileged = ▮ }", "true"),
        ("job a { ports = ▮ }", "{ metrics = 9090 }"),
        ("job a { sidecar log { ▮ } }", "ports"),
    ],
)
def test_values_of_attributes_of_pods_are_offered(text: str, offered: str) -> None:
    assert offered in labels_at(text)


def test_secrets_are_offered_in_env_only() -> None:
    assert {"secret", "configmap", "pod_field"} <= labels_at("job a { env = { A = ▮ } }")
    assert not labels_at("job a { retries = ▮ }") & {"secret", "configmap", "pod_field"}
    found = labels_at("job a { env_from = [▮] }")
    assert found & {"secret", "configmap", "pod_field"} == {"secret", "configmap"}


def test_the_fields_of_a_pod_are_offered_in_its_function() -> None:
    assert {"status.podIP", "spec.nodeName"} <= labels_at('job a { env = { A = pod_field("▮") } }')


def test_run_time_values_stand_alone_in_interpolations() -> None:
    assert "task.index" not in labels_at("job a { retries = ▮ }")
    assert "task.index" in labels_at('job a { args = ["--i=${▮}"] }')


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("job a { im▮ }", "im"),
        ('job a { image = "x${wor▮}" }', "wor"),
        ('job a { cleanup = "ru▮" }', "ru"),
        ("job a { role wo▮", "wo"),
        ("job a { memory = 16▮", "16"),
        ("▮", ""),
    ],
)
def test_the_word_so_far_is_replaced(text: str, prefix: str) -> None:
    assert complete(*marked(text)).span.text == prefix


@pytest.mark.parametrize(
    "broken",
    [
        "job a {\n gpu = \n ▮\n}",
        "job a {\n role ps {\n  replicas = 2\n ▮\n",
        'job a {\n image = "unfinished\n ▮\n}',
        "job a {\n )))\n ▮\n}",
        "job b { gpu = = }\njob a { ▮",
    ],
)
def test_a_broken_text_offers_attributes(broken: str) -> None:
    assert {"memory", "mount"} <= labels_at(broken)


def test_in_an_unfinished_string_with_a_comma() -> None:
    assert "workers" in labels_at(VALUES + 'job a { command = "x ${min(1, ▮')


def test_items_say_what_they_are() -> None:
    items = {item.label: item for item in complete(*marked("job a { ▮ }")).items}
    assert items["gpu"].detail == "int ≥ 0"
    assert "Whole devices per replica." in items["gpu"].doc
    assert "Default: 0." in items["gpu"].doc
    assert items["mount"].snippet


def filled_in(item: Item) -> str:
    from tfdsl.lsp.server.conversion import without_places

    return without_places(item.text or item.label)


@pytest.mark.parametrize("text", ["▮", "job a { ▮ }", "job a { target volcano { ▮ } }", "job a { build { ▮ } }"])
def test_snippets_are_sound_when_filled_in(text: str) -> None:
    snap, offset = marked(text)
    snippets = [item for item in complete(snap, offset).items if item.kind == "snippet"]
    assert snippets
    for item in snippets:
        whole = snap.source.text[:offset] + filled_in(item) + snap.source.text[offset:]
        found = parse(Source("", whole)).diagnostics
        assert not found, (whole, found)


def test_files_beside_the_text_for_an_include(tmp_path: pytest.TempPathFactory) -> None:
    from pathlib import Path

    from tfdsl.lsp.snapshot import Snapshot

    folder = Path(str(tmp_path))
    for name in ("b.tfjob", "c.txt", ".hidden.tfjob", "a.tfjob", "prod.env", ".env", ".env.dev", ".envrc"):
        (folder / name).write_text("")
    (folder / "sub").mkdir()
    (folder / ".loop").symlink_to(".loop")
    (folder / "sub" / "d.tfjob").write_text("")
    own = str(folder / "a.tfjob")

    def offered(text: str) -> list[str]:
        offset = text.index("▮")
        made = Snapshot(Source(own, text.replace("▮", ""), own), lambda path, roots: "no")
        return [item.label for item in complete(made, offset).items]

    assert offered('include "▮"') == ["b.tfjob", "sub/"]
    assert offered('include "sub/▮"') == ["sub/d.tfjob"]
    assert offered('include "nowhere/▮"') == []
    assert offered('let a = env_file("▮")') == [".env", ".env.dev", "prod.env", "sub/"]
    assert offered('let a = file("▮")') == ["b.tfjob", "c.txt", "prod.env", "sub/"]
    assert offered('job a { env = { A = file("sub/▮") } }') == ["sub/d.tfjob"]


@pytest.mark.slow
def test_no_place_of_a_long_text_is_trouble() -> None:
    text = long_text(60)
    whole = snapshot(text)
    for offset in range(0, len(text) + 1, 3):
        complete(whole, offset)
        complete(snapshot(text[:offset]), offset)
