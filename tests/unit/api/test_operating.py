"""Jobs on their clusters from Python, with a stand-in for kubectl."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import tfdsl
from tests.unit.operating import recorded
from tests.unit.operating.conftest import Kubectl, kubectl as kubectl


@pytest.fixture
def cluster(kubectl: Kubectl, monkeypatch: pytest.MonkeyPatch) -> Kubectl:
    monkeypatch.setenv("PATH", kubectl.path)
    monkeypatch.setenv("STAND_IN_KUBECTL", str(kubectl.cluster))
    monkeypatch.setattr("tfdsl.operating.session.ask", kubectl.ask)
    monkeypatch.chdir(kubectl.folder)
    return kubectl


def test_a_job_from_submit_to_cancel(cluster: Kubectl) -> None:
    done = tfdsl.submit("train.tfjob", "tfjob", namespace="team", context="there")
    assert done.made[0] == "tfjob/train"
    assert all(call.startswith("--context there -n team") for call in cluster.calls())
    live = tfdsl.status("train.tfjob", "tfjob")
    assert live is not None
    assert (live.name, [one.phase for one in live.replicas]) == ("train", ["absent"] * 3)
    with pytest.raises(tfdsl.ClusterError, match="there is a job train already") as caught:
        tfdsl.submit("train.tfjob", "tfjob")
    assert caught.value.help[1] == "--replace deletes it first"
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert tfdsl.submit("train.tfjob", "tfjob", replaces=True).used == ("persistentvolumeclaim/train-data",)
    assert tfdsl.cancel(None, "tfjob", name="train").ended[0] == "tfjob/train"
    assert tfdsl.status("train.tfjob", "tfjob") is None


def test_reasons_and_logs(cluster: Kubectl) -> None:
    cluster.put(recorded.states("volcano")["failed.end"])
    (cluster.cluster / "train-chief-0-tensorflow.log").write_bytes(b"a\xff\nb\n")
    live = tfdsl.status(None, "volcano", name="train", namespace="rec")
    assert live is not None
    assert live.reasons[0].sentence == "chief[0] exited with status 3"
    assert tfdsl.logs(None, "volcano", ["chief"], tail=1, name="train") == {"chief[0]": b"b\n"}


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: tfdsl.status(None, "slider", name="a"), tfdsl.ClusterError, "tfdsl cannot speak with slider"),
        (lambda: tfdsl.status(None, "volcano"), TypeError, "give a source, or the name="),
        (lambda: tfdsl.logs(None, "volcano", name="a"), tfdsl.ClusterError, "there is no job volcano/a"),
        (lambda: tfdsl.cancel(None, "volcano", name="a"), tfdsl.ClusterError, "there is no job volcano/a"),
        (lambda: tfdsl.resume(None, "volcano", name="a"), tfdsl.ClusterError, "there is no job volcano/a"),
        (lambda: tfdsl.submit("train.tfjob", "nowhere"), tfdsl.UsageError, "nowhere"),
    ],
)
def test_what_cannot_be(cluster: Kubectl, call: Any, error: type[Exception], said: str) -> None:
    assert cluster.names() == set()
    with pytest.raises(error, match=said):
        call()
