"""What is in the picture of a job: the boxes and links that docs/graph.md promises."""

from __future__ import annotations

import pytest

from tests.unit.drawing.jobs import box, links_of, picture_of, pictures_of, texts

ALL = "role chief { }\nrole worker { replicas = 4000 }\nrole ps { replicas = 2 }\n"


def test_a_role_is_one_box_with_a_count() -> None:
    picture = picture_of(ALL)
    assert [(one.name, one.count) for one in picture.of_kind("role")] == [("chief", 1), ("ps", 2), ("worker", 4000)]


def test_the_members_of_the_cluster_spec_talk_to_each_other() -> None:
    """An evaluator is in no cluster spec, and tensorboard has no TF_CONFIG (language reference, "The cluster")."""
    picture = picture_of(ALL + 'role evaluator { }\nrole tensorboard { logdir = "hdfs://nn/logs" }\n')
    peers = {frozenset((one, other)) for one, kind, other in links_of(picture) if kind == "peers"}
    assert peers == {frozenset(pair) for pair in (("chief", "worker"), ("chief", "ps"), ("worker", "ps"))}
    assert all(link.both and link.label == "grpc" for link in picture.links if link.kind == "peers")


def test_nobody_talks_without_discovery() -> None:
    picture = picture_of(ALL + 'cluster { discovery = "none" }')
    assert not [link for link in picture.links if link.kind == "peers"]


def test_after_is_an_arrow_to_what_has_to_run() -> None:
    picture = picture_of('role worker { after = ["ps"] }\nrole ps { }\n')
    assert ("worker", "after", "ps") in links_of(picture)


def test_devices_sizes_steps_and_space_are_lines_of_the_role() -> None:
    picture = picture_of(
        """
        mount scratch 10Gi at "/scratch"
        prepare fetch { command = ["true"] }
        sidecar "log-shipper" { image = "registry.example.com/fluent-bit:3.1" }
        role worker {
          replicas = 4, min_available = 3, gpu = 2, cpu = 4, memory = 16Gi, shm = 8Gi, tmp_size = 2Gi, spread = "node"
          node_selector = { zone = ["a", "b"] }
        }
        """
    )
    assert texts(picture, "worker") == [
        "2 GPUs · 4 CPUs · 16Gi",
        "starts when 3 can",
        "port 2222",
        "each talks to all (grpc)",
        "on nodes zone=a|b",
        "each on a node of its own",
        "prepare fetch",
        "sidecar log-shipper",
        "8Gi at /dev/shm",
        "2Gi at /tmp",
        "scratch 10Gi at /scratch",
        "on completed → complete job",
    ]
    assert box(picture, "worker").lines[6].path == "roles[worker].steps[0]"


def test_policies_are_notes_of_their_subject() -> None:
    picture = picture_of(
        """
        role worker { replicas = 2, on exit [1, 2, 3, 137] => fail job }
        on worker[1] evicted after 5m => restart pod
        on failed => restart container
        """
    )
    assert [line.text for line in picture.lines if line.kind == "policy"] == ["on failed → restart container"]
    lines = [(line.kind, line.text) for line in box(picture, "worker").lines if "policy" in line.kind]
    assert lines == [
        ("policy", "on worker[1] evicted after 5m → restart pod"),
        ("policy", "on exit 1–3, 137 → fail job"),
        ("default policy", "on completed → complete job"),
    ]


def test_many_policies_are_counted() -> None:
    policies = "".join(f"on worker[{number}] failed => restart pod\n" for number in range(1000))
    lines = texts(picture_of(f"role worker {{ replicas = 1000 }}\n{policies}"), "worker")
    assert len(lines) < 30
    assert lines[-1] == "… and 978 more"


# --- stores ------------------------------------------------------------------------------------------------------


def test_what_all_roles_mount_is_linked_to_the_job() -> None:
    picture = picture_of(
        'mount pvc "data" at "/data" readonly\nrole chief { }\nrole worker { mount pvc "own" at "/own" }'
    )
    assert ("job", "mount", "data") in links_of(picture)
    assert ("worker", "mount", "own") in links_of(picture)
    assert [link.label for link in picture.links if link.kind == "mount"] == ["/data (read-only)", "/own"]


@pytest.mark.parametrize(
    ("mount", "name", "what"),
    [
        ('pvc "data"', "data", "existing claim"),
        ("claim 100Gi", "runs", "new claim of 100Gi"),
        ('host "/cache"', "/cache", "on the node"),
        ('nfs "10.0.0.2:/export"', "10.0.0.2:/export", "NFS export"),
        ('configmap "settings"', "settings", "ConfigMap"),
        ('secret "keys"', "keys", "Secret"),
        ('hdfs "hdfs://nn:8020/data"', "hdfs://nn:8020", "HDFS"),
        ('archive "corpus.tgz"', "corpus.tgz", "archive"),
    ],
)
def test_each_kind_of_mount_is_a_store(mount: str, name: str, what: str) -> None:
    (store,) = picture_of(f'role worker {{ mount {mount} at "/runs" }}').of_kind("store")
    assert (store.name, store.what) == (name, what)


def test_outputs_checkpoints_and_logs_are_with_the_mount_that_they_are_in() -> None:
    picture = picture_of(
        """
        checkpoint = "/runs/ckpt"
        mount pvc "runs" at "/runs"
        output "/tmp/model" to "/runs/model"
        role chief { }
        role worker { }
        role tensorboard { logdir = "/runs/logs" }
        """
    )
    assert len(picture.of_kind("store")) == 1
    assert {("chief", "output", "runs"), ("tensorboard", "logs", "runs"), ("job", "mount", "runs")} < links_of(picture)
    assert texts(picture, "runs") == ["checkpoints"]


def test_variables_from_secrets_are_links_without_values() -> None:
    picture = picture_of(
        """
        env = { TOKEN = secret("hub", "token"), PLAIN = "s3cr3t-value" }
        env_from = [configmap("settings")]
        image_pull_secrets = ["registry"]
        role worker { }
        """
    )
    assert {(one, kind) for _, kind, one in links_of(picture)} == {
        ("hub", "variables"),
        ("settings", "variables"),
        ("registry", "variables"),
    }
    assert "s3cr3t" not in repr(picture)


def test_many_stores_are_one_box() -> None:
    mounts = "".join(f'mount pvc "data-{number}" at "/data{number}"\n' for number in range(20))
    picture = picture_of(f"{mounts}role chief {{ }}\nrole worker {{ }}")
    (store,) = picture.of_kind("store")
    assert store.name == "20 mounts"
    assert store.lines[3].text == "existing claim data-3: /data3"
    assert links_of(picture) == {("chief", "peers", "worker"), ("job", "mount", "20 mounts")}


# --- jobs ----------------------------------------------------------------------------------------------------------


def test_jobs_of_a_matrix_that_look_the_same_are_drawn_once() -> None:
    text = """
    job digits {
      image = "registry.example.com/mnist:1.4"
      matrix { lr = [0.1, 0.2, 0.3], size = [1, 2] }
      role worker { gpu = matrix.size, args = ["--lr=${matrix.lr}"] }
    }
    """
    found = pictures_of(text)
    assert [one.title for one in found] == ["digits-0 and 2 like it", "digits-1 and 2 like it"]
    assert found[0].like == ("digits-2", "digits-4")
    assert [line.text for line in found[1].lines][:2] == ["lr = 0.1, 0.2, 0.3", "size = 2"]
    (named,) = pictures_of(text.replace("size = [1, 2]", f"size = [{', '.join('1' * 9)}]"))
    assert named.lines[1].text == "size = 1"


def test_replicas_without_parameter_servers_talk_to_all() -> None:
    assert "each talks to all (grpc+verbs)" in texts(
        picture_of('role worker { replicas = 2 }\ncluster { protocol = "grpc+verbs" }'), "worker"
    )
    assert not [
        line for line in texts(picture_of("role worker { replicas = 2 }\nrole ps { }"), "worker") if "all" in line
    ]


def test_a_picture_for_a_target_is_of_the_job_that_it_gets() -> None:
    text = "role worker { replicas = 2 }\ntarget volcano { role worker { replicas = 9 } }"
    assert box(picture_of(text), "worker").count == 2
    assert box(picture_of(text, "volcano"), "worker").count == 9
    assert picture_of(text, "volcano@1.12").target == "volcano 1.12"
