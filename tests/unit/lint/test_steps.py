"""What runs in a step is looked at as what a role runs."""

from __future__ import annotations

import pytest

from tests.unit.lint.linting import found


@pytest.mark.parametrize(
    ("inside", "told"),
    [
        ('command = ["./fetch", "--all"]', []),
        ('image = "fetcher:latest"', ["floating-image-tag"]),
        ('image = "fetcher"', ["floating-image-tag"]),
        ('command = ["./fetch all"]', ["command-in-one-word"]),
        ('command = ["./fetch", "--from x"]', ["command-in-one-word"]),
        ('command = ["./fetch", "&&", "ls"]', ["shell-operator-in-list"]),
        ('command = ["./fetch", "$HOME"]', ["literal-expansion"]),
        ('command = ["./fetch"], env = { A = "$(B)" }', ["literal-expansion"]),
        ('command = "./fetch \\\\ \\n --all"', ["broken-continuation"]),
        ('command = ["./fetch"], cpu = 4000', ["cpu-in-millicores"]),
        ('command = ["./fetch"], env = { PASSWORD = "hunter2hunter2" }', ["plain-secret"]),
        ('command = ["./fetch", "--token=ghp_0123456789abcdefghijABCDEFGHIJ012345"]', ["plain-secret"]),
        ('command = ["./fetch"], env = { PASSWORD = secret("hub", "password") }', []),
    ],
)
@pytest.mark.parametrize("kind", ["prepare", "sidecar"])
def test_a_step(kind: str, inside: str, told: list[str]) -> None:
    text = f'job j {{\n image = "i:1"\n role worker {{ {kind} "tensorboard" {{ {inside} }} }}\n}}\n'
    assert found(text) == told
