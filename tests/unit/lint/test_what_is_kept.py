"""Rules about volumes, checkpoints and who coordinates."""

from __future__ import annotations

import pytest

from tests.unit.lint.linting import said


@pytest.mark.parametrize(
    ("items", "told"),
    [
        (
            '["ReadWriteOnce"]\nrole worker { replicas = 2 }',
            "ReadWriteOnce allows one node only, but 2 pods mount this claim",
        ),
        (
            '["ReadWriteOnce"]\nrole worker { }\nrole ps { }',
            "ReadWriteOnce allows one node only, but 2 pods mount this claim",
        ),
        (
            '["ReadWriteOncePod"]\nrole worker { replicas = 2, node_selector = { "kubernetes.io/hostname" = "n1" } }',
            "ReadWriteOncePod allows one pod only, but 2 pods mount this claim",
        ),
        ('["ReadWriteOnce"]\nrole worker { }', ""),
        ('["ReadWriteOnce", "ReadWriteMany"]\nrole worker { replicas = 2 }', ""),
        ('["ReadOnlyMany"]\nrole worker { replicas = 2 }', ""),
        ('["ReadWriteOnce"]\nrole worker { replicas = 2, node_selector = { "kubernetes.io/hostname" = "n1" } }', ""),
    ],
)
def test_a_claim_for_one_node(items: str, told: str) -> None:
    modes, _, roles = items.partition("\n")
    text = f'mount claim 1Gi at "/c" {{ access_modes = {modes} }}\n{roles}'
    assert said("claim-on-several-nodes", text) == ([told] if told else [])


def test_each_role_has_the_claim_of_its_own_block() -> None:
    claim = 'mount claim 1Gi at "/c" { access_modes = ["ReadWriteOnce"] }'
    assert said("claim-on-several-nodes", f"role worker {{ {claim} }}\nrole ps {{ {claim} }}") == []


@pytest.mark.parametrize(
    ("items", "told"),
    [
        ('mount pvc "d" at "/d" readonly\nrole worker { }', True),
        ('mount configmap "d" at "/d"\nrole worker { }', True),
        ('mount pvc "d" at "/d" readonly\nrole worker { mount pvc "r" at "/d/run" }', False),
        ('mount pvc "d" at "/d"\nrole ps { mount pvc "x" at "/d" readonly }\nrole worker { }', False),
        ('mount pvc "d" at "/d"\nrole evaluator { mount pvc "x" at "/d" readonly }\nrole chief { }', False),
    ],
)
def test_a_checkpoint_that_cannot_be_written(items: str, told: bool) -> None:
    expected = ['checkpoint "/d/run" is in a read-only mount'] if told else []
    assert said("checkpoint-readonly", f'checkpoint = "/d/run"\n{items}') == expected


@pytest.mark.parametrize(
    ("mount", "told"),
    [("", [None, "volcano", "slurm"]), ('mount pvc "r" at "/runs"', ["slurm"])],
)
def test_a_checkpoint_on_the_mount_of_a_target(mount: str, told: list[str | None]) -> None:
    text = f'checkpoint = "/runs/x"\nrole worker {{ }}\ntarget volcano {{ {mount} }}'
    assert [one for one in (None, "volcano", "slurm") if said("checkpoint-unmounted", text, one)] == told
    text = f'checkpoint = "/runs/x"\nrole worker {{ }}\ntarget volcano {{ role worker {{ {mount} }} }}'
    assert [one for one in (None, "volcano", "slurm") if said("checkpoint-unmounted", text, one)] == told


@pytest.mark.parametrize(
    ("items", "told"),
    [
        ("role worker { }\non failed => restart pod", True),
        ("role worker { }\non failed => restart container", True),
        ("role worker { }\non worker evicted => restart job", True),
        ('mount pvc "d" at "/d" readonly\nrole worker { }\non failed => restart pod', True),
        ('mount scratch at "/s"\nrole worker { }\non failed => restart pod', True),
        ('mount scratch at "/s"\nrole worker { }\non failed => restart container', False),
        ('mount pvc "d" at "/d"\nrole worker { }\non failed => restart pod', False),
        ('mount claim 1Gi at "/d"\nrole worker { }\non failed => restart job', False),
        ('args = ["--out=gs://b/x"]\nrole worker { }\non failed => restart pod', False),
        ('env = { CHECKPOINT_DIR = "/x" }\nrole worker { }\non failed => restart pod', False),
        ("role worker { }\nrole ps { }\non ps failed => restart pod", False),
        ("command = []\nrole worker { }\non failed => restart pod", False),
        ("role worker { }\non failed => fail job", False),
    ],
)
def test_a_restart_that_begins_again(items: str, told: bool) -> None:
    command = "" if "command" in items else 'command = ["python", "train.py"]\n'
    assert bool(said("restart-without-checkpoint", command + items)) == told


@pytest.mark.parametrize(
    ("image", "items", "told"),
    [
        ("tensorflow/tensorflow:2.17.0", "role worker { }\nrole ps { }", True),
        ("tensorflow/tensorflow:2.9.0-gpu", "gpu = 1\nrole worker { }\nrole ps { }", True),
        ("tensorflow/tensorflow:1.15.5", "role worker { }\nrole ps { }", False),
        ("r/x:2.16.1", "role worker { }\nrole ps { }", False),
        ("tensorflow/tensorflow:2.17.0", "role chief { }\nrole worker { }\nrole ps { }", False),
        ("tensorflow/tensorflow:2.17.0", "role worker { }", False),
        ("r/wide-deep-estimator:4", "role worker { }\nrole ps { }", True),
        ("r/x:1", 'command = ["python", "-m", "ads.Estimators"]\nrole worker { }\nrole ps { }', True),
        ("r/x:1", 'command = "python estimator.py"\nrole worker { }\nrole ps { }', True),
        ("r/x:1", 'command = ["python", "estimator.py"]\nrole chief { }\nrole worker { }\nrole ps { }', False),
        ("r/x:1", 'command = ["python", "estimator.py"]\nrole worker { replicas = 2 }', False),
        ("r/x:1", 'command = ["python", "train.py"]\nrole worker { }\nrole ps { }', False),
        ("tensorflow/tensorflow:2.17.0", 'role worker { }\nrole ps { }\ncluster { discovery = "flags" }', False),
    ],
)
def test_servers_that_nobody_coordinates(image: str, items: str, told: bool) -> None:
    assert bool(said("ps-without-chief", f'image = "{image}"\n{items}')) == told


@pytest.mark.parametrize(
    ("blocks", "target", "told"),
    [
        ("target jobset { PATCH }", "volcano", "volume d of each role is a patch of jobset only"),
        ("target jobset { role worker { PATCH } }", "slurm", "volume d of role worker is a patch of jobset only"),
        ("target jobset { PATCH }", "jobset", ""),
        ("target jobset { PATCH }", None, ""),
        ("target jobset { PATCH } target volcano { }", None, "volume d of each role is a patch of jobset only"),
        ("target jobset { PATCH } target volcano { PATCH }", "volcano", ""),
    ],
)
def test_a_volume_that_one_target_has(blocks: str, target: str | None, told: str) -> None:
    patch = 'patch pod "spec.volumes" = [{ name = "d", csi = { driver = "x" } }]'
    text = blocks.replace("PATCH", patch)
    assert said("volume-of-one-target", f"role worker {{ }} {text}".replace("} ", "}\n"), target) == (
        [told] if told else []
    )
