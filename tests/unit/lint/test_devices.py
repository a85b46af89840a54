"""Rules about GPUs, CPUs and images."""

from __future__ import annotations

import pytest

from tests.unit.lint.linting import found, said, with_first_fix


@pytest.mark.parametrize(
    ("role", "told"),
    [
        ('gpu = 1, env = { CUDA_VISIBLE_DEVICES = "1" }', "names a missing device"),
        ("gpu = 1, env = { CUDA_VISIBLE_DEVICES = 3 }", "names a missing device"),
        ('gpu = 2, env = { CUDA_VISIBLE_DEVICES = "0" }', "uses only 1 of the 2 GPUs of role worker"),
        ('gpu = 2, env = { CUDA_VISIBLE_DEVICES = "-1" }', "hides the 2 GPUs of role worker"),
        ('gpu = 1, env = { CUDA_VISIBLE_DEVICES = "GPU-8932f937-d72c" }', "names devices of one particular node"),
        ('gpu = 1, env = { NVIDIA_VISIBLE_DEVICES = "all" }', "the cluster assigns the GPUs of role worker"),
        ('gpu = 1, env = { NVIDIA_VISIBLE_DEVICES = "void" }', "hides the 1 GPU of role worker"),
        ('env = { NVIDIA_VISIBLE_DEVICES = "all" }', "takes GPUs from other jobs: role worker has no gpu"),
        ('env = { CUDA_VISIBLE_DEVICES = "0" }', "takes GPUs from other jobs: role worker has no gpu"),
        ('gpu = 2, env = { CUDA_VISIBLE_DEVICES = "0,1" }', ""),
        ('env = { NVIDIA_VISIBLE_DEVICES = "void", CUDA_VISIBLE_DEVICES = "" }', ""),
        ('env = { CUDA_VISIBLE_DEVICES = "-1" }', ""),
        ('gpu = 1, env = { CUDA_VISIBLE_DEVICES = "${task.index}" }', ""),
        ('resources = { "nvidia.com/mig-1g.5gb" = 1 }, env = { CUDA_VISIBLE_DEVICES = "0" }', ""),
        ('node_label = "gpu", env = { CUDA_VISIBLE_DEVICES = "0" }', ""),
    ],
)
def test_a_gpu_chosen_by_hand(role: str, told: str) -> None:
    messages = said("gpu-variable", f"role worker {{ {role} }}")
    assert len(messages) == bool(told)
    assert all(told in message for message in messages)


def test_slider_has_no_gpus_to_ask_for() -> None:
    text = 'env = { CUDA_VISIBLE_DEVICES = "0" }\ncommand = ["a"]\nrole worker { }'
    assert said("gpu-variable", text, "slider") == []
    assert len(said("gpu-variable", text, "yarn")) == 1


@pytest.mark.parametrize(
    ("items", "told"),
    [
        ("role chief { gpu = 2 }\nrole worker { gpu = 4 }", "chief has 2 GPUs and worker has 4"),
        ("role chief { }\nrole worker { gpu = 1 }", "chief has no GPU and worker has 1"),
        ("role master { gpu = 1 }\nrole worker { gpu = 2 }", "master has 1 GPU and worker has 2"),
        ("role chief { gpu = 2 }\nrole worker { gpu = 2 }", ""),
        ("role chief { }\nrole worker { gpu = 1 }\nrole ps { }", ""),
        ("role chief { gpu = 1 }\nrole evaluator { }", ""),
        ('role chief { }\nrole worker { gpu = 1 }\ncluster { discovery = "none" }', ""),
        ("role chief { }\nrole worker { gpu = 1, server = true }", ""),
    ],
)
def test_unequal_gpus(items: str, told: str) -> None:
    """tensorflow#47203: a chief with 2 and a worker with 4 GPUs end in an InternalError."""
    messages = said("unequal-gpus", items)
    assert len(messages) == bool(told)
    assert all(message.startswith(told) for message in messages)


@pytest.mark.parametrize(
    ("role", "told"),
    [
        ("gpu = 2", True),
        ("gpu = 1", False),
        ("gpu = 8, memory = 64Gi, shm = 8Gi", False),
        ('gpu = 2\nmount memory 8Gi at "/dev/shm"', False),
    ],
)
def test_gpus_without_shm(role: str, told: bool) -> None:
    assert bool(said("gpus-without-shm", f"role worker {{ {role} }}")) == told


def test_a_tmp_in_memory_as_large_as_the_limit() -> None:
    text = "role worker {{ memory = 8Gi, tmp_size = {} }}"
    assert said("shm-exceeds-memory", text.format("7Gi")) == []
    (warning,) = said("shm-exceeds-memory", text.format("8192Mi"))
    assert "tmp_size = 8192Mi uses up the whole memory limit of 8Gi" in str(warning)


def test_shm_of_a_task_on_yarn_is_not_that_of_a_pod() -> None:
    text = 'command = ["a"]\nrole worker { gpu = 2 }'
    assert said("gpus-without-shm", text, "yarn") == []
    assert len(said("gpus-without-shm", text, "kubernetes")) == 1


@pytest.mark.parametrize(
    ("image", "role", "told"),
    [
        ("tensorflow/tensorflow:2.17.0", "gpu = 1", True),
        ("docker.io/tensorflow/tensorflow:latest", "gpu = 1", True),
        ("tensorflow/tensorflow:1.13.1-py3@sha256:" + "0a" * 32, "gpu = 1", True),
        ("tensorflow/tensorflow:2.17.0-gpu-jupyter", "gpu = 1", False),
        ("tensorflow/tensorflow:2.17.0", 'gpu = 1, gpu_resource = "amd.com/gpu"', False),
        ("tensorflow/tensorflow:2.17.0", "cpu = 1", False),
        ("r.example.com/tensorflow/tensorflow:2.17.0", "gpu = 1", False),
        ("tensorflow/serving:2.16.1", "gpu = 1", False),
    ],
)
def test_an_image_without_cuda(image: str, role: str, told: bool) -> None:
    assert bool(said("image-without-gpu", f'image = "{image}"\nrole worker {{ {role} }}')) == told


@pytest.mark.parametrize(
    ("tag", "meant"),
    [
        ("2.17.0", "2.17.0-gpu"),
        ("latest", "latest-gpu"),
        ("1.13.1-py3", "1.13.1-gpu-py3"),
        ("2.10.0-jupyter", "2.10.0-gpu-jupyter"),
        ("1.12.0-devel-py3", "1.12.0-devel-gpu-py3"),
    ],
)
def test_the_image_with_cuda_is_offered(tag: str, meant: str) -> None:
    """Tags of Docker Hub."""
    text = f'job j {{\n image = "tensorflow/tensorflow:{tag}"\n role worker {{ gpu = 1 }}\n}}\n'
    assert f'image = "tensorflow/tensorflow:{meant}"' in with_first_fix(text, "image-without-gpu")


@pytest.mark.parametrize(("run", "told"), [("pip install pandas", True), ("pip install tensorflow[and-cuda]", False)])
def test_a_build_without_cuda(run: str, told: bool) -> None:
    build = f'build {{ from = "tensorflow/tensorflow:2.17.0"\n run "{run}" }}'
    assert bool(said("image-without-gpu", f"{build}\nrole worker {{ gpu = 1 }}")) == told


@pytest.mark.parametrize(
    ("items", "told"),
    [
        ('image = "tensorflow/tensorflow:2.17.0-gpu"\nrole worker { }', True),
        ('image = "r/tf-gpu:1"\nrole worker { }', True),
        ('image = "r/gpus:1"\nrole worker { }', False),
        ('image = "tensorflow/tensorflow:2.17.0-gpu"\nrole worker { gpu = 1 }\nrole ps { }', False),
        ('image = "r/x:gpu"\nrole worker { resources = { "nvidia.com/mig-1g.5gb" = 1 } }', False),
        ('image = "r/x:gpu"\nrole worker { env = { NVIDIA_VISIBLE_DEVICES = "void" } }', False),
    ],
)
def test_an_image_for_gpus_in_a_job_without(items: str, told: bool) -> None:
    assert bool(said("gpu-image-without-gpu", items)) == told


@pytest.mark.parametrize(
    ("items", "told"),
    [
        ("cpu = 4000", "cpu = 4000 asks for 4000 whole CPUs"),
        ("cpu = 4, cpu_limit = 8000", "cpu_limit = 8000 asks for 8000 whole CPUs"),
        ("cpu = 4000m", ""),
        ("cpu = 256", ""),
    ],
)
def test_millicores(items: str, told: str) -> None:
    assert said("cpu-in-millicores", f"role worker {{ {items} }}") == ([told] if told else [])


def test_the_unit_is_offered() -> None:
    text = 'job j {\n image = "r/x:1"\n role worker { cpu = 4000 }\n}\n'
    assert "cpu = 4000m }" in with_first_fix(text, "cpu-in-millicores")


@pytest.mark.parametrize(("memory", "meant"), [("16M", "16Gi"), ("500k", "500Mi"), ("120M", "1Gi"), ("100Mi", "1Gi")])
def test_memory_that_is_too_little_is_not_meant_as_it_is(memory: str, meant: str) -> None:
    text = f'job j {{ image = "r/x:1", command = "a", memory = {memory}, role worker {{ }} }}\n'
    mended = with_first_fix(text, "tiny-memory")
    assert f"memory = {meant}" in mended
    assert "tiny-memory" not in found(mended)
