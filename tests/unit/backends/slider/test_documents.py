"""The configuration files. Expected values: the design document of TensorFlow on Slider (SLIDER-1174), the package that
was shipped, and the classes that read them (slider reference §2.2, §2.5)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

from tests.unit.backends.jobs import amount, job, policy, role, time, unit
from tests.unit.backends.slider.parts import mount
from tfdsl import targets
from tfdsl.compiling.pipeline import judge
from tfdsl.emit import json as json_writer, xml as xml_writer
from tfdsl.ir.model import Cluster, EnvVar, Job, Role, RunTimeText

if TYPE_CHECKING:
    from tfdsl.backend import OptionValue, Unit

DOCUMENT_GLOBAL = {
    "site.global.hadoop.conf": "/etc/hadoop/conf",
    "site.global.user.name": "${USER_NAME}",
    "site.global.zookeeper.quorum": "${ZK_HOST}",
    "site.global.ps.port": "${ps.ALLOCATED_PORT}{PER_CONTAINER}",
    "site.global.worker.port": "${worker.ALLOCATED_PORT}{PER_CONTAINER}",
}
DOCUMENT_TENSORBOARD_PORT = "${tensorboard.ALLOCATED_PORT}{PER_CONTAINER}"
DOCUMENT_RESOURCES = {
    "ps": {"yarn.role.priority": "1", "yarn.component.instances": "2", "yarn.memory": "2056", "yarn.vcores": "1"},
    "worker": {"yarn.role.priority": "2", "yarn.component.instances": "5", "yarn.memory": "2056", "yarn.vcores": "1"},
    "tensorboard": {
        "yarn.role.priority": "3",
        "yarn.component.instances": "1",
        "yarn.memory": "1024",
        "yarn.vcores": "1",
    },
}
SHIPPED_EXPORT_GROUPS = [
    {"name": "ps", "exports": [{"name": "host_port", "value": "${ps_HOST}:${site.global.ps.port}"}]},
    {"name": "worker", "exports": [{"name": "host_port", "value": "${worker_HOST}:${site.global.worker.port}"}]},
    {
        "name": "tensorboard",
        "exports": [{"name": "url", "value": "http://${tensorboard_HOST}:${site.global.tensorboard.port}"}],
    },
]
SHIPPED_COMP_EXPORTS = {"ps": "ps-host_port", "worker": "worker-host_port", "tensorboard": "tensorboard-url"}
SCHEMA = "http://example.org/specification/v2.0.0"

READER = {
    "metainfo": {"schemaVersion", "application"},
    "application": {"name", "version", "comment", "exportedConfigs", "commandOrders", "exportGroups", "components",
                    "osSpecifics", "packages", "configFiles"},
    "commandOrders": {"commandOrder"},
    "commandOrder": {"command", "requires"},
    "exportGroups": {"exportGroup"},
    "exportGroup": {"name", "exports"},
    "exports": {"export"},
    "export": {"name", "value"},
    "components": {"component"},
    "component": {"name", "category", "publishConfig", "minInstanceCount", "maxInstanceCount", "autoStartOnFailure",
                  "appExports", "compExports", "componentExports", "commandScript", "commands"},
    "commandScript": {"script", "scriptType", "timeout"},
    "osSpecifics": {"osSpecific"},
    "osSpecific": {"osType", "packages"},
    "packages": {"package"},
    "package": {"type", "name"},
}  # fmt: skip
"""Element → children that Slider's XML reader knows (MetainfoParser)."""


def read(made: Unit) -> dict[str, Any]:
    """File name → content: JSON parsed, the rest as text."""
    backend = targets.find("slider")
    assert backend is not None
    assert [d.message for d in judge(backend, made) if d.level == "error"] == []
    found: dict[str, Any] = {}
    for document in backend.load().generate(made):
        assert document.file is not None
        if document.format == "json":
            found[document.file] = json.loads(json_writer.write(document.data).text)
        elif document.format == "xml":
            found[document.file] = xml_writer.write(document.data).text
        else:
            found[document.file] = document.data
    return found


def files(made: Job, version: str | None = None, **options: OptionValue) -> dict[str, Any]:
    return read(unit(made, "slider", version, **options))


def seed() -> Job:
    """The document's first scenario: 2 parameter servers, 5 workers, TensorBoard."""
    same: dict[str, object] = {"cpu": amount("1"), "memory": amount("2056Mi"), "command": ("python", "mnist.py")}
    board = role(
        "tensorboard", cpu=amount("1"), memory=amount("1Gi"), logdir="hdfs://hdpalt/user/danrtsey.wy/checkpoints"
    )
    return job(
        role("ps", 2, **same),
        role("worker", 5, **same),
        board,
        policies=(policy("failed", "restart container"), policy("completed", "complete job", role="worker")),
        cluster=Cluster(discovery="flags"),
        checkpoint="hdfs://hdpalt/user/danrtsey.wy/checkpoints",
        name="tensorflow",
    )


def test_the_document() -> None:
    found = files(seed())
    config, resources, metainfo = (found[name] for name in ("appConfig.json", "resources.json", "metainfo.json"))
    assert config["schema"] == resources["schema"] == SCHEMA
    assert config["metadata"] == resources["metadata"] == {}
    assert DOCUMENT_GLOBAL.items() <= config["global"].items()
    assert config["global"]["site.global.tensorboard.port"] == DOCUMENT_TENSORBOARD_PORT
    assert config["global"]["site.global.user.checkpoint.dir"] == "hdfs://hdpalt/user/danrtsey.wy/checkpoints"
    assert list(resources["components"]) == ["slider-appmaster", *DOCUMENT_RESOURCES]
    for name, expected in DOCUMENT_RESOURCES.items():
        assert expected.items() <= resources["components"][name].items()
    application = metainfo["application"]
    assert metainfo["schemaVersion"] == "2.1"
    assert application["name"] == "tensorflow"
    assert application["version"] == "1.0.0"
    assert application["exportGroups"] == SHIPPED_EXPORT_GROUPS
    assert {c["name"]: c["compExports"] for c in application["components"]} == SHIPPED_COMP_EXPORTS
    scripts = {c["commandScript"]["script"] for c in application["components"]}
    assert scripts == {"scripts/role.py"}
    assert "package/scripts/role.py" in found
    assert all(c["commandScript"]["scriptType"] == "PYTHON" for c in application["components"])


def test_all_values_of_resources_and_settings_are_texts() -> None:
    found = files(seed())
    for component in [found["resources.json"]["global"], *found["resources.json"]["components"].values()]:
        assert all(isinstance(value, str) for value in component.values())
        assert all(key.startswith("yarn.") for key in component)
    assert all(isinstance(value, str) for value in found["appConfig.json"]["global"].values())


def test_one_allocated_port_for_each_exported_component() -> None:
    """More than one leaves a wrong export behind (reference §2.9)."""
    found = files(job(role("chief"), role("ps", 2), role("worker", 2), role("evaluator"), role("tensorboard")))
    settings = found["appConfig.json"]["global"]
    for name in ("chief", "ps", "worker", "tensorboard"):
        values = [key for key, value in settings.items() if f"${{{name}.ALLOCATED_PORT}}" in value]
        assert values == [f"site.global.{name}.port"]
    assert not [value for value in settings.values() if "evaluator" in value], "nobody has to find the evaluator"
    components = found["metainfo.json"]["application"]["components"]
    assert [c["name"] for c in components if "compExports" not in c] == ["evaluator"]


def test_priorities_count_the_roles() -> None:
    found = files(job(role("chief"), role("ps"), role("worker"), role("evaluator"), role("tensorboard")))
    components = found["resources.json"]["components"]
    names = ["chief", "ps", "worker", "evaluator", "tensorboard"]
    assert [components[name]["yarn.role.priority"] for name in names] == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize(
    ("field", "value", "key", "expected"),
    [
        ("memory", amount("1Gi"), "yarn.memory", "1024"),
        ("memory", amount("1G"), "yarn.memory", "954"),
        ("memory", amount("1Ki"), "yarn.memory", "1"),
        ("cpu", amount("500m"), "yarn.vcores", "1"),
        ("cpu", amount("2500m"), "yarn.vcores", "3"),
        ("node_label", "gpu", "yarn.label.expression", "gpu"),
        ("spread", "node", "yarn.component.placement.policy", "4"),
        ("memory", None, "yarn.memory", None),
        ("spread", "none", "yarn.component.placement.policy", None),
    ],
)
def test_resources_of_a_role(field: str, value: object, key: str, expected: str | None) -> None:
    found = files(job(role("worker", 1, **{field: value})))
    assert found["resources.json"]["components"]["worker"].get(key) == expected


@pytest.mark.parametrize(
    ("options", "key", "expected"),
    [
        ({}, "yarn.component.placement.policy", None),
        ({"placement": {"worker": "strict"}}, "yarn.component.placement.policy", "1"),
        ({"placement": {"worker": "anywhere"}}, "yarn.component.placement.policy", "2"),
        ({"placement": {"ps": "strict"}}, "yarn.component.placement.policy", None),
        ({"escalate_seconds": {"worker": 90}}, "yarn.placement.escalate.seconds", "90"),
        ({"escalate_seconds": {"worker": 0}}, "yarn.placement.escalate.seconds", "0"),
        ({"escalate_seconds": {"ps": 90}}, "yarn.placement.escalate.seconds", None),
    ],
)
def test_where_slider_places_a_role(options: dict[str, OptionValue], key: str, expected: str | None) -> None:
    found = files(job(role("worker", 2), role("ps")), **options)
    assert found["resources.json"]["components"]["worker"].get(key) == expected


def test_anti_affinity_is_the_whole_policy() -> None:
    found = files(job(role("worker", 2, spread="node")), placement={"worker": "strict"})
    assert found["resources.json"]["components"]["worker"]["yarn.component.placement.policy"] == "4"


@pytest.mark.parametrize(
    ("options", "memory", "heap"),
    [
        ({}, None, None),
        ({"am_memory": 2048}, "2048", "1536M"),
        ({"am_memory": 2048, "am_heap": 1024}, "2048", "1024M"),
        ({"am_heap": 512}, None, "512M"),
    ],
)
def test_the_size_of_the_application_master(
    options: dict[str, OptionValue], memory: str | None, heap: str | None
) -> None:
    found = files(job(role("worker")), **options)
    assert found["resources.json"]["components"]["slider-appmaster"] == ({"yarn.memory": memory} if memory else {})
    components = {"slider-appmaster": {"jvm.heapsize": heap}} if heap else None
    assert found["appConfig.json"].get("components") == components


FILES: dict[str, OptionValue] = {
    "train.json": {"batch": 64, "fast": True, "name": "a $b", "rate": "1e-3"},
    "core-site.xml": {"fs.defaultFS": "hdfs://ns"},
    "log_4.yml": {},
}


@pytest.mark.parametrize("form", ["json", "xml"])
def test_slider_writes_configuration_files_from_dictionaries(form: str) -> None:
    """As Metainfo.getComponentConfigFiles, propagateSiteOptions and ConfigFormat of Slider 0.92 read them."""
    found = files(job(role("ps"), role("worker")), config_files=FILES, metainfo=form, am_heap=300)
    config = found["appConfig.json"]
    written = {key: value for key, value in config["global"].items() if key.startswith(("site.train", "site.core"))}
    assert written == {
        "site.train.batch": "64",
        "site.train.fast": "true",
        "site.train.name": "a $b",
        "site.train.rate": "1e-3",
        "site.core-site.fs.defaultFS": "hdfs://ns",
    }
    generation = {"am.config.generation": "true"}
    assert config["components"] == {
        "slider-appmaster": {"jvm.heapsize": "300M"},
        "ps": generation,
        "worker": generation,
    }
    asked = [
        {"type": "json", "fileName": "train.json", "dictionaryName": "train"},
        {"type": "hadoop-xml", "fileName": "core-site.xml", "dictionaryName": "core-site"},
        {"type": "yaml", "fileName": "log_4.yml", "dictionaryName": "log_4"},
    ]
    if form == "json":
        assert found["metainfo.json"]["application"]["configFiles"] == asked
    else:
        text = found["metainfo.xml"]
        for one in asked:
            assert "".join(f"<{key}>{value}</{key}>" for key, value in one.items()) in "".join(text.split())
    assert found["package/files/job.json"]["config_files"] == list(FILES)


@pytest.mark.parametrize(("retries", "threshold"), [(1, "1"), (4, "4")])
def test_the_threshold_is_never_0_which_means_no_limit(retries: int, threshold: str) -> None:
    found = files(job(role("worker"), policies=(policy("failed", "restart pod"),), retries=retries))
    assert found["resources.json"]["components"]["worker"]["yarn.container.failure.threshold"] == threshold


def test_lost_containers_of_tensorboard_never_end_the_application() -> None:
    found = files(job(role("worker"), role("tensorboard")))
    assert found["resources.json"]["components"]["tensorboard"]["yarn.container.failure.threshold"] == "2147483647"
    assert [name for name, one in found["package/files/job.json"]["roles"].items() if "again" in one] == ["tensorboard"]


@pytest.mark.parametrize(("deadline", "minutes"), [(None, "525600"), ("90s", "2"), ("2h", "120")])
def test_the_failure_window_is_in_minutes_since_hours_are_wrong_there(deadline: str | None, minutes: str) -> None:
    fields: dict[str, object] = {"deadline": time(deadline)} if deadline else {}
    found = files(job(role("worker"), **fields))
    assert found["resources.json"]["global"] == {"yarn.container.failure.window.minutes": minutes}


def component(made: Job, name: str) -> dict[str, Any]:
    components = files(made)["metainfo.json"]["application"]["components"]
    found: dict[str, Any] = next(c for c in components if c["name"] == name)
    return found


def test_components_of_roles_that_restart_in_place() -> None:
    made = job(role("ps"), role("worker", 3), role("tensorboard"), policies=(
        policy("exit", "restart container", codes=(3,), role="worker", index=1),))  # fmt: skip
    assert component(made, "worker")["autoStartOnFailure"] == "true"
    assert component(made, "ps")["autoStartOnFailure"] == "false"
    assert component(made, "tensorboard")["autoStartOnFailure"] == "true"
    assert component(made, "worker")["minInstanceCount"] == component(made, "worker")["maxInstanceCount"] == "3"


def test_order_of_starts() -> None:
    found = files(job(role("ps"), role("worker", after=("ps",)), role("evaluator", after=("ps", "worker"))))
    assert found["metainfo.json"]["application"]["commandOrders"] == [
        {"command": "worker-START", "requires": "ps-STARTED"},
        {"command": "evaluator-START", "requires": "ps-STARTED,worker-STARTED"},
    ]
    assert "commandOrders" not in files(job(role("worker")))["metainfo.json"]["application"]


def test_packages_of_0_91_only() -> None:
    folder = [{"type": "folder", "name": "files"}]
    assert files(seed(), "0.91")["metainfo.json"]["application"]["packages"] == folder
    assert "packages" not in files(seed(), "0.92")["metainfo.json"]["application"]
    assert files(seed(), "0.91")["package/files/job.json"]["packages"] is True


@pytest.mark.parametrize("version", ["0.91", "0.92"])
def test_xml_holds_what_its_reader_knows(version: str) -> None:
    made = job(role("ps", 2), role("worker", 5, after=("ps",)), role("tensorboard"), name="tensorflow")
    found = files(made, version, metainfo="xml", app_version="1.<2")
    assert "metainfo.json" not in found
    root = ElementTree.fromstring(found["metainfo.xml"])
    for element in root.iter():
        for child in element:
            assert child.tag in READER[element.tag], f"{element.tag}/{child.tag}"
    assert root.findtext("schemaVersion") == "2.0"
    assert root.findtext("application/version") == "1.<2"
    groups = [
        {
            "name": group.findtext("name"),
            "exports": [
                {"name": e.findtext("name"), "value": e.findtext("value")} for e in group.findall("exports/export")
            ],
        }
        for group in root.findall("application/exportGroups/exportGroup")
    ]
    assert groups == SHIPPED_EXPORT_GROUPS
    components = root.findall("application/components/component")
    assert {c.findtext("name"): c.findtext("compExports") for c in components} == SHIPPED_COMP_EXPORTS
    assert {c.findtext("commandScript/script") for c in components} == {"scripts/role.py"}
    assert (root.find("application/osSpecifics") is not None) is (version == "0.91")


HOSTILE = "a $X ${USER_NAME} {{x}} '\" \n 😀"


def test_no_text_of_the_job_passes_slider_s_replacing() -> None:
    made = job(role("worker", image="r/i:1", command=(HOSTILE,), env={"A": HOSTILE}), checkpoint=HOSTILE)
    found = files(made)
    assert set(found["appConfig.json"]["global"]) == {
        "site.global.hadoop.conf",
        "site.global.user.name",
        "site.global.zookeeper.quorum",
        "site.global.docker.image",
        "site.global.worker.port",
    }
    described = found["package/files/job.json"]
    assert described["checkpoint"] == described["roles"]["worker"]["env"]["A"] == HOSTILE
    assert described["roles"]["worker"]["argv"] == [HOSTILE]


def test_the_submitter_in_the_checkpoint_is_slider_s_own_mark() -> None:
    parts = RunTimeText(parts=("hdfs://hdpalt/user/", EnvVar(name="USER"), "/.slider/cluster"))
    found = files(job(role("worker"), checkpoint=parts))
    expected = "hdfs://hdpalt/user/${USER_NAME}/.slider/cluster"
    assert found["appConfig.json"]["global"]["site.global.user.checkpoint.dir"] == expected


def test_options_reach_the_settings() -> None:
    found = files(job(role("worker")), hadoop_conf="/opt/conf", allowed_ports="48000-48010")
    settings = found["appConfig.json"]["global"]
    assert settings["site.global.hadoop.conf"] == "/opt/conf"
    assert settings["site.global.slider.allowed.ports"] == "48000-48010"


def test_in_graph_replication() -> None:
    """The document's second scenario: servers, and one client that runs the command."""
    found = files(job(role("chief"), role("ps", server=True), role("worker", 2, server=True)))
    assert "package/files/server.py" in found
    described = found["package/files/job.json"]
    assert {name: r["server"] for name, r in described["roles"].items()} == {"chief": False, "ps": True, "worker": True}
    assert described["completions"] == [{"role": "chief", "index": -1}]
    assert "package/files/server.py" not in files(job(role("worker")))


def test_gpus_are_hidden_from_roles_without_one() -> None:
    found = files(job(role("ps"), role("worker", gpu=1, node_label="gpu")))["package/files/job.json"]["roles"]
    assert {name: r["hide_gpus"] for name, r in found.items()} == {"ps": True, "worker": False}


def sent(*archives: str) -> Role:
    mounts = tuple(mount("archive", f"a{number}", source=source) for number, source in enumerate(archives))
    return role("worker", mounts=mounts)


def test_local_archives_are_sent_once_each() -> None:
    found = files(job(sent("b/x.tgz", "c/x.tgz", "b/x.tgz", "hdfs://ns/y.zip")))
    mounts = found["package/files/job.json"]["roles"]["worker"]["mounts"]
    assert [m.get("file") for m in mounts] == ["archives/0/x.tgz", "archives/1/x.tgz", "archives/0/x.tgz", None]
    assert mounts[3]["source"] == "hdfs://ns/y.zip"
    lines = [line for line in found["submit.sh"].splitlines() if line.startswith("send ")]
    assert lines == ["send b/x.tgz archives/0/x.tgz", "send c/x.tgz archives/1/x.tgz"]


def test_the_same_bytes_every_time() -> None:
    assert files(seed()) == files(seed())


def test_policies_in_the_order_in_which_they_decide() -> None:
    made = job(role("worker", 3), policies=(
        policy("failed", "restart container"),
        policy("failed", "ignore", role="worker"),
        policy("exit", "abort job", codes=(2, 3)),
        policy("exit", "fail job", codes=(2,), role="worker", index=0)))  # fmt: skip
    rules = files(made)["package/files/job.json"]["roles"]["worker"]["failures"]
    assert [(rule["index"], rule["codes"], rule["action"]) for rule in rules] == [
        (0, [2], "fail job"),
        (-1, [], "ignore"),
        (-1, [2, 3], "abort job"),
        (-1, [], "restart container"),
    ]


def test_tasks_show_placeholders_and_say_so() -> None:
    backend = targets.find("slider")
    assert backend is not None
    made = job(role("chief"), role("worker", 2), cluster=Cluster(discovery="both"))
    found = list(backend.load().tasks(unit(made, "slider")))
    assert [(task.role, task.index) for task in found] == [("chief", 0), ("worker", 0), ("worker", 1)]
    config = json.loads(found[2].tf_config or "")
    assert config["cluster"]["worker"] == ["<host of worker[0]>:<port>", "<host of worker[1]>:<port>"]
    assert config["task"] == {"type": "worker", "index": 1}
    assert found[2].flags[-1] == "--task_index=2"
    assert "allocated" in found[2].differences[0]
