"""What a picture for a target shows of the target.

Expected are the documents, and what the reference of each target says that its controller makes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.drawing.jobs import box, links_of, picture_of, texts

if TYPE_CHECKING:
    from tfdsl.drawing.picture import Picture

JOB = """
mount claim 100Gi at "/runs" { keep = true }
env = { TOKEN = secret("hub", "token") }
role chief { }
role worker { replicas = 3 }
role tensorboard { logdir = "/runs/logs" }
"""


def objects(picture: Picture) -> list[tuple[str, str, bool]]:
    return [(one.what, one.name, one.implied) for one in picture.of_kind("object")]


def test_jobs_of_roles_are_in_their_boxes_and_what_is_for_all_is_above() -> None:
    picture = picture_of(JOB, "kubernetes")
    assert objects(picture) == [("Service", "mnist", False)]
    assert texts(picture, "worker")[0] == "Job mnist-worker"
    assert texts(picture, "tensorboard")[:2] == ["Deployment mnist-tensorboard", "Service mnist-tensorboard"]
    assert ("mnist", "object", "job") in links_of(picture)


@pytest.mark.parametrize("target", ["kubernetes", "volcano", "tfjob"])
def test_a_new_claim_is_the_store_that_it_is(target: str) -> None:
    assert texts(picture_of(JOB, target), "runs") == ["PersistentVolumeClaim mnist-runs", "checkpoints"]


def test_a_volcano_job_has_what_its_controller_and_plugins_make() -> None:
    picture = picture_of(JOB, "volcano")
    assert objects(picture) == [
        ("Job", "mnist", False),
        ("PodGroup", "mnist-<uid>", True),
        ("Service", "mnist", True),
        ("ConfigMap", "mnist-svc", True),
    ]
    assert texts(picture, "mnist-<uid>") == ["minMember 4", "made by Volcano"]
    assert [source for source, kind, _ in links_of(picture) if kind == "object"] == ["mnist"]


def test_a_volcano_job_without_tensorboard_is_closed_to_others() -> None:
    picture = picture_of(
        "role worker { replicas = 2 }\ntarget volcano { plugins = { svc = [], env = [], ssh = [] } }", "volcano"
    )
    assert [what for what, _, _ in objects(picture)] == [
        "Job",
        "PodGroup",
        "Service",
        "ConfigMap",
        "NetworkPolicy",
        "Secret",
    ]


def test_a_tfjob_has_a_service_for_each_replica_and_a_pod_group_with_a_gang_scheduler() -> None:
    picture = picture_of(JOB, "tfjob")
    assert objects(picture) == [("TFJob", "mnist", False)]
    assert texts(picture, "chief")[0] == "Service mnist-chief-0"
    assert texts(picture, "worker")[0] == "Service mnist-worker-0 … 2"
    gang = picture_of(JOB + 'target tfjob { gang_scheduler = "volcano" }', "tfjob")
    assert ("PodGroup", "mnist", True) in objects(gang)


HADOOP = """
role chief { }
role worker { replicas = 3, memory = 4Gi, cpu = 2 }
"""


def test_slider_has_an_application_with_components() -> None:
    picture = picture_of(HADOOP, "slider")
    assert objects(picture) == [("Slider application", "mnist", False)]
    assert texts(picture, "worker")[:3] == ["component worker", "  4096 MB", "  2 vcores"]


def test_yarn_has_applications() -> None:
    alike = picture_of("role worker { replicas = 3, memory = 4Gi, cpu = 2 }", "yarn")
    assert [what for what, _, _ in objects(alike)] == ["YARN application"]
    assert box(alike, "mnist").lines[0].text == "3 containers"
    assert "submit.sh" in texts(alike, "mnist")
