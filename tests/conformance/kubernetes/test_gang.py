"""TFJobs under an operator that makes Volcano's PodGroups: what the PodGroup asks for is what the source says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.kubernetes import control_plane
from tests.conformance.kubernetes.api import MERGE_PATCH
from tests.conformance.kubernetes.compiling import Compiled, accepted
from tests.conformance.kubernetes.control_plane import GANG
from tests.conformance.kubernetes.created import Created, unused_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conformance.kubernetes.api import Api
    from tests.conformance.kubernetes.processes import Processes
    from tests.conformance.kubernetes.work import Work

PRIORITY = "conformance-high"


@pytest.fixture(scope="module", autouse=True)
def gang_operator(work: Work, processes: Processes, api: Api) -> Iterator[None]:
    """The operator that the other tests use makes no PodGroups."""
    api.call("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": PRIORITY}, "value": 7})
    control_plane.start_gang_operator(work, processes, api)
    try:
        yield
    finally:
        processes.stop("gang-operator")


def job(*items: str) -> Compiled:
    body = "\n  ".join(
        (
            f'namespace = "{GANG}"',
            'image = "x:1"',
            'command = ["train"]',
            *items,
            'target tfjob { gang_scheduler = "volcano" }',
        )
    )
    return accepted(f"job {unused_name('gang')} {{\n  {body}\n}}\n", "tfjob", version="1.8")


class Gang(Created):
    """A TFJob whose PodGroup the scheduler (played here) has taken into its queue; without that no pod is made."""

    def __enter__(self) -> Gang:
        super().__enter__()
        self.until(lambda: bool(self.group()), "the PodGroup is there")
        path = f"/apis/scheduling.volcano.sh/v1beta1/namespaces/{GANG}/podgroups/{self.name}"
        answer = self._api.call("PATCH", path, {"status": {"phase": "Inqueue"}}, MERGE_PATCH)
        assert answer.fine, answer.message
        return self

    def group(self) -> dict[str, Any]:
        """The spec of the PodGroup."""
        path = f"/apis/scheduling.volcano.sh/v1beta1/namespaces/{GANG}/podgroups/{self.name}"
        return self._api.get(path).get("spec", {})


def test_all_replicas_are_one_gang(api: Api) -> None:
    roles = "role chief { cpu = 1, gpu = 1 }\n  role worker { replicas = 2, cpu = 1500m, memory = 1Gi }\n  role ps { }"
    made = job(roles, 'queue = "research"', f'priority = "{PRIORITY}"')
    with Gang(api, made) as it:
        it.kubelet.until_running(4)
        group = it.group()
        assert (group["minMember"], group["queue"], group["priorityClassName"]) == (4, "research", PRIORITY)
        assert group["minResources"] == {"cpu": "4", "memory": "2Gi", "nvidia.com/gpu": "1"}
        for pod in it.kubelet.pods():
            assert pod["spec"]["schedulerName"] == "volcano"
            assert pod["metadata"]["annotations"]["scheduling.k8s.io/group-name"] == it.name


def test_minimums_are_added_up(api: Api) -> None:
    made = job("role chief { }\n  role worker { replicas = 4, min_available = 2 }\n  role ps { }")
    assert "KTF055" in made.codes("info")
    with Gang(api, made) as it:
        assert it.group()["minMember"] == 4


def test_no_gang_is_a_gang_of_one(api: Api) -> None:
    with Gang(api, job("role worker { replicas = 3 }", "gang = false")) as it:
        assert it.group()["minMember"] == 1
