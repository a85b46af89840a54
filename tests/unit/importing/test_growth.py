"""A manifest costs what it is long: four times the manifest takes about four times the work, whatever it says."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING

import pytest

from tfdsl.importing.manifests import import_manifests
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Callable

    from tfdsl.importing.manifests import Imported

pytestmark = pytest.mark.slow

TFJOB = """apiVersion: kubeflow.org/v1
kind: TFJob
metadata:
  name: j%d
spec:
  tfReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: Never
      template:
        spec:
%s          containers:
          - name: tensorflow
            image: registry.example.com/team%d/train:1
%s
"""
VOLCANO = """apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata:
  name: j
spec:
  minAvailable: 1
  schedulerName: volcano
%s
  tasks:
  - name: worker
    replicas: 1
    template:
      spec:
        restartPolicy: Never
        containers:
        - name: tensorflow
          image: i:1
"""
CLIENT = "org.apache.hadoop.yarn.applications.distributedshell.Client"


def each(line: str, number: int) -> str:
    """``line`` for so many numbers."""
    return "".join(line.replace("#", str(one)) for one in range(number))


def tfjob(pod: str = "", container: str = "", number: int = 0) -> str:
    return TFJOB % (number, pod, number, container)


def mounted(folder: str, number: int) -> str:
    volumes = each("          - {name: v#, persistentVolumeClaim: {claimName: c#}}\n", number)
    mounts = each(f"            - {{name: v#, mountPath: {folder}/#}}\n", number)
    return tfjob(f"          volumes:\n{volumes}", f"            volumeMounts:\n{mounts}")


MANIFESTS: dict[str, tuple[int, Callable[[int], str]]] = {
    "variables": (400, lambda n: tfjob("", "            env:\n" + each("            - {name: E#, value: x}\n", n))),
    "arguments": (600, lambda n: tfjob("", "            args:\n" + each("            - --a#=#\n", n))),
    "volumes": (250, lambda n: mounted("/v", n)),
    "volumes below a long path": (250, lambda n: mounted("/a/long/path/of/mounts", n)),
    "volumes of a Volcano Job": (
        250,
        lambda n: VOLCANO % ("  volumes:\n" + each("  - {mountPath: /v/#, volumeClaimName: c#}\n", n)),
    ),
    "policies of a Volcano Job": (
        1000,
        lambda n: VOLCANO % ("  policies:\n" + each("  - {exitCode: #, action: RestartJob}\n", n)),
    ),
    "jobs": (25, lambda n: "---\n".join(tfjob(number=number) for number in range(n))),
    "differences of one list": (
        100,
        lambda n: tfjob("          hostAliases:\n" + each('          - {ip: "::#", hostnames: [h#]}\n', n)),
    ),
    "submissions in a long script": (
        15,
        lambda n: each(
            each("export A=b\n", 100) + f"yarn jar d.jar {CLIENT} -jar d.jar -appname j# -shell_command x\n", n
        ),
    ),
}
"""How many of what, and the manifest with so many."""

TIMES = 4
WORST = 2.2  # more than linear by that: sorting, caches that run full, the noise of a clock
FREE = 0.25  # seconds of the larger manifest below which nothing can be said


def imported(text: str) -> Imported:
    [made] = import_manifests([Source("main.sh" if text.startswith("export") else "main.yaml", text)])
    return made


def seconds(text: str) -> float:
    start = process_time()
    imported(text)
    return process_time() - start


@pytest.mark.parametrize("name", MANIFESTS)
def test_four_times_the_manifest_is_about_four_times_the_work(name: str) -> None:
    number, manifest = MANIFESTS[name]
    assert imported(manifest(2)).jobs
    for _ in range(3):  # a clock may be wrong once
        large = seconds(manifest(number * TIMES))
        if large < FREE or large < TIMES * WORST * seconds(manifest(number)):
            return
    pytest.fail(f"{large:.2f} s for {number * TIMES:,}")
