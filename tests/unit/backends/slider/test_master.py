"""How the scripts find the application master and ask it to stop (slider reference §2.9, YARN-2031)."""

from __future__ import annotations

import pytest

from tests.unit.backends.jobs import job, role
from tests.unit.backends.slider.agents import Cluster, until
from tfdsl_backends.slider.programs import task_master

pytestmark = pytest.mark.slow


def one_worker(cluster: Cluster, **options: object) -> None:
    cluster.deploy(job(role("worker", image=None, command=("true",))), **options)  # type: ignore[arg-type]


def test_the_master_itself_is_asked_before_the_proxy(cluster: Cluster) -> None:
    cluster.master.proxy_posts = False
    one_worker(cluster)
    cluster.container("worker").start()
    until(lambda: cluster.master.stops)
    assert cluster.master.stops[0] == "/own"


def test_the_proxy_is_asked_where_the_master_is_not_registered(cluster: Cluster) -> None:
    cluster.master.registered = False
    one_worker(cluster)
    cluster.container("worker").start()
    until(lambda: cluster.master.stops)
    assert cluster.master.stops[0].startswith("/proxy/application_")


def test_a_master_that_does_not_answer_is_asked_again(cluster: Cluster) -> None:
    cluster.master.answering = False
    one_worker(cluster)
    container = cluster.container("worker").start()
    until(lambda: "waiting" in container.log or "cannot ask" in container.log)
    cluster.master.answering = True
    until(lambda: cluster.master.stops)


def test_addresses_come_from_yarn_site(cluster: Cluster) -> None:
    site = f"""<configuration>
      <property><name>yarn.resourcemanager.ha.rm-ids</name><value>rm1, rm2</value></property>
      <property><name>yarn.resourcemanager.webapp.address.rm1</name><value>127.0.0.1:9</value></property>
      <property><name>yarn.resourcemanager.webapp.address.rm2</name><value>{cluster.master.address}</value></property>
    </configuration>"""
    (cluster.folder / "conf" / "yarn-site.xml").write_text(site)
    one_worker(cluster, resourcemanager=())
    cluster.container("worker").start()
    until(lambda: cluster.master.stops)


KAZOO = """
import json, os
class KazooClient(object):
    def __init__(self, hosts):
        assert hosts == "zk:2181", hosts
    def start(self, timeout):
        pass
    def get(self, path):
        assert path == "/registry/users/alice/services/org-apache-slider/mnist", path
        address = {"uri": "http://%s/own" % os.environ["MASTER"]}
        entry = {"api": "classpath:org.apache.slider.client.rest", "addresses": [address]}
        return json.dumps({"external": [entry]}).encode("utf-8"), None
    def stop(self):
        pass
"""


def test_zookeeper_helps_where_no_proxy_is_known(cluster: Cluster) -> None:
    one_worker(cluster, resourcemanager=())
    container = cluster.container("worker")
    package = container.folder / "agent" / "kazoo"  # the agent brings its client along
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "client.py").write_text(KAZOO)
    cluster.env["MASTER"] = cluster.master.address
    container.start()
    until(lambda: cluster.master.stops)
    assert cluster.master.stops[0] == "/own"


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({"yarn.resourcemanager.hostname": "rm"}, ["http://rm:8088"]),
        ({"yarn.resourcemanager.hostname": "rm", "yarn.http.policy": "HTTPS_ONLY"}, ["https://rm:8090"]),
        ({"yarn.resourcemanager.webapp.address": "rm:80"}, ["http://rm:80"]),
        (
            {
                "yarn.resourcemanager.ha.rm-ids": "a,b",
                "yarn.resourcemanager.hostname.a": "ra",
                "yarn.resourcemanager.webapp.https.address.b": "rb:1",
                "yarn.http.policy": "HTTPS_ONLY",
            },
            ["https://ra:8090", "https://rb:1"],
        ),
        (
            {"yarn.resourcemanager.hostname": "rm", "yarn.resourcemanager.webapp.address": "${x}:8088"},
            ["http://rm:8088"],
        ),
        ({}, []),
    ],
)
def test_web_addresses(properties: dict[str, str], expected: list[str]) -> None:
    assert task_master.web_addresses(properties) == expected
