"""The configuration of the cluster: two nodes, two queues, GPUs as a number, everything on loopback."""

from __future__ import annotations

import getpass
import socket
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from tests.conformance.yarn.work import java_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conformance.yarn.work import Work

NODES = 2
NODE_MEMORY = 8192
LARGEST = 2048
"""MB of each node, and of the largest container."""

NODE_GPUS = 4
GPU = "yarn.io/gpu"
AGENT_FLAGS = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""Of every Java machine: they live for seconds only."""

LOG4J = """\
hadoop.root.logger=INFO,console
log4j.rootLogger=${hadoop.root.logger}
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{2}: %m%n
"""


def write(work: Work, run: Path) -> list[Path]:
    """Write all files with free ports; gives those of the NodeManagers. ``run``: where the daemons keep their data."""
    ports = free_ports()
    core, hdfs, yarn = core_site(run, ports), hdfs_site(run, ports), yarn_site(work, ports)
    gpus = {f"yarn.nodemanager.resource-type.{GPU}": str(NODE_GPUS)}
    for name, values in (
        ("core-site", core),
        ("hdfs-site", hdfs),
        ("yarn-site", yarn),
        ("capacity-scheduler", queues()),
        ("resource-types", {"yarn.resource-types": GPU}),
        ("node-resources", gpus),
    ):
        site(work.conf / f"{name}.xml", values)
    (work.conf / "log4j.properties").write_text(LOG4J)
    for pages in ("hdfs", "datanode", "static"):  # web pages that the jars have not, but the servers insist on
        work.sub(f"hadoop/etc/hadoop/webapps/{pages}/WEB-INF")
    found = []
    for number in range(NODES):
        found.append(run / f"node{number}.xml")
        site(found[-1], node(run / f"node{number}", ports))
    return found


def site(path: Path, values: dict[str, str]) -> None:
    """Write one ``*-site.xml``."""
    lines = [f"<property><name>{escape(k)}</name><value>{escape(v)}</value></property>" for k, v in values.items()]
    path.write_text("<configuration>\n" + "\n".join(lines) + "\n</configuration>\n")


def core_site(run: Path, ports: Iterator[str]) -> dict[str, str]:
    """HDFS is the default file system."""
    return {
        "fs.defaultFS": f"hdfs://{next(ports)}",
        "hadoop.tmp.dir": str(run / "tmp"),
        "hadoop.http.staticuser.user": getpass.getuser(),
    }


def hdfs_site(run: Path, ports: Iterator[str]) -> dict[str, str]:
    """One NameNode, one DataNode."""
    return {
        "dfs.replication": "1",
        "dfs.namenode.name.dir": f"file://{run}/names",
        "dfs.datanode.data.dir": f"file://{run}/data",
        "dfs.namenode.edits.noeditlogchannelflush": "true",  # no disk flush for each of many small files
        "dfs.namenode.http-address": next(ports),
        "dfs.datanode.address": next(ports),
        "dfs.datanode.http.address": next(ports),
        "dfs.datanode.ipc.address": next(ports),
    }


def yarn_site(work: Work, ports: Iterator[str]) -> dict[str, str]:
    """The ResourceManager, and what all NodeManagers have in common."""
    services = ("address", "scheduler.address", "resource-tracker.address", "admin.address", "webapp.address")
    scheduler = "org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler"
    return {
        "yarn.resourcemanager.hostname": "127.0.0.1",
        **{f"yarn.resourcemanager.{name}": next(ports) for name in services},
        "yarn.resourcemanager.scheduler.class": scheduler,
        "yarn.resourcemanager.placement-constraints.handler": "scheduler",
        "yarn.resourcemanager.nodemanagers.heartbeat-interval-ms": "200",
        "yarn.cluster.max-application-priority": "10",
        "yarn.scheduler.minimum-allocation-mb": "64",
        "yarn.scheduler.maximum-allocation-mb": str(LARGEST),
        "yarn.nodemanager.hostname": "127.0.0.1",
        "yarn.nodemanager.resource.memory-mb": str(NODE_MEMORY),
        "yarn.nodemanager.resource.cpu-vcores": "16",
        "yarn.nodemanager.vmem-check-enabled": "false",
        "yarn.nodemanager.resource.memory.enforced": "false",  # else only cgroups end what takes too much memory
        "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "100",
        "yarn.nodemanager.delete.debug-delay-sec": "3600",  # the tests look into logs and work folders afterwards
        "yarn.nodemanager.sleep-delay-before-sigkill.ms": "2000",
        "yarn.nodemanager.admin-env": f"JDK_JAVA_OPTIONS={AGENT_FLAGS}",
        "yarn.log-aggregation-enable": "true",
        "yarn.nodemanager.remote-app-log-dir": "/app-logs",
        "yarn.application.classpath": f"{work.conf},{work.home}/lib/*",
    }


def node(folder: Path, ports: Iterator[str]) -> dict[str, str]:
    """What each NodeManager has of its own."""
    services = ("address", "localizer.address", "collector-service.address", "webapp.address")
    return {
        **{f"yarn.nodemanager.{name}": next(ports) for name in services},
        "yarn.nodemanager.local-dirs": str(folder / "local"),
        "yarn.nodemanager.log-dirs": str(folder / "logs"),
    }


def queues() -> dict[str, str]:
    """``default`` and ``research``, each of which may take the whole cluster; devices count."""
    prefix = "yarn.scheduler.capacity"
    found = {f"{prefix}.root.queues": "default,research", f"{prefix}.maximum-am-resource-percent": "1.0"}
    for name in ("default", "research"):
        queue = f"{prefix}.root.{name}"
        found |= {f"{queue}.capacity": "50", f"{queue}.maximum-capacity": "100", f"{queue}.user-limit-factor": "2"}
    calculator = "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator"
    return {**found, f"{prefix}.resource-calculator": calculator}


def free_ports() -> Iterator[str]:
    """``127.0.0.1:PORT`` again and again, each port free and given once."""
    given: set[int] = set()
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        if port not in given:
            given.add(port)
            yield f"127.0.0.1:{port}"


def java_flags() -> list[str]:
    """The flags of the cluster's own Java machine."""
    return [
        str(java_home() / "bin/java"),
        *AGENT_FLAGS.split(),
        "-Xmx768m",
        "--add-opens=java.base/java.lang=ALL-UNNAMED",
    ]
