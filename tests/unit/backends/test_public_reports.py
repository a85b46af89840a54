"""What people reported of the systems: a message where the job can be another one, else a sentence of the table.

Each is quiet where the job is right. The sources: runs of real controllers (tests/lifecycle) and public issues, such as
kubeflow/trainer 1533 and volcano-sh/volcano 1177 and 3220.
"""

from __future__ import annotations

import pytest

from tests.lifecycle.recorded import backend_of, compile_lines
from tfdsl.ir.fields import walk

TWO = "role worker { replicas = 2 }\n"
IN_PLACE = "on failed => restart container"
PREPARE = 'prepare fetch { command = ["fetch"] }'
PARTIAL = "kueue.x-k8s.io/job-min-parallelism"
ALONE = 'cluster { discovery = "none" }'


BROKEN = "restricted = true\nrun_as_user = 7\nprivileged = true"


@pytest.mark.parametrize(
    ("target", "lines", "code", "level"),
    [
        # what the Pod Security Standard forbids
        ("jobset", f"{TWO}{BROKEN}", "JBS013", "error"),
        ("kubernetes", f"{TWO}{BROKEN}", "K8S013", "error"),
        ("tfjob", f"{TWO}{BROKEN}", "KTF013", "error"),
        ("volcano", f"{TWO}{BROKEN}", "VOL013", "error"),
        # a drained program that ends well after its checkpoint
        ("jobset", f"{TWO}on evicted => restart job", "JBS122", "warning"),
        ("jobset", f"{TWO}on evicted => restart pod", "JBS122", "warning"),
        ("jobset", "role worker { }\non evicted => restart job", "JBS122", "warning"),
        ("jobset", f"role worker {{ }}\n{IN_PLACE}\non evicted => restart pod", "JBS122", None),
        ("jobset", f"{TWO}on evicted => fail job", "JBS122", None),
        ("jobset", f"{TWO}on failed => restart pod", "JBS123", "info"),
        ("jobset", "role worker { }\non failed => restart pod", "JBS123", None),
        ("jobset", f"{TWO}on failed => restart job", "JBS123", None),
        ("kubernetes", f"{TWO}on evicted => restart pod", "K8S122", "warning"),
        ("kubernetes", f"{TWO}on evicted => fail job", "K8S122", None),
        ("kubernetes", f"{TWO}on failed => restart pod", "K8S123", "info"),
        ("kubernetes", "role worker { }\non failed => restart pod", "K8S123", None),
        ("kubernetes", TWO, "K8S123", None),
        # an eviction by the node, whose status is missed
        ("volcano", f"{TWO}on evicted => restart job\non failed => abort job", "VOL142", "warning"),
        ("volcano", f"{TWO}on evicted => restart job\non failed => restart job", "VOL142", None),
        # the pod with the last log
        ("kubernetes", f"{TWO}{IN_PLACE}", "K8S124", "info"),
        ("kubernetes", f"{TWO}{IN_PLACE}\nretries = 2", "K8S124", "info"),
        ("kubernetes", f"{TWO}on failed => restart pod", "K8S124", None),
        ("kubernetes", TWO, "K8S124", None),
        # Kueue's partial admission beside a static TF_CONFIG
        ("kubernetes", f'{TWO}annotations = {{ "{PARTIAL}" = "1" }}', "K8S125", "error"),
        ("kubernetes", f'{TWO}{ALONE}\nannotations = {{ "{PARTIAL}" = "1" }}', "K8S125", None),
        ("kubernetes", TWO, "K8S125", None),
        (
            "kubernetes",
            f'{TWO}target kubernetes {{ patch "metadata.annotations" += {{ "{PARTIAL}" = "1" }} }}',
            "TFJ2662",
            "error",
        ),
        (
            "kubernetes",
            f'{TWO}{ALONE}\ntarget kubernetes {{ patch "metadata.annotations" += {{ "{PARTIAL}" = "1" }} }}',
            "TFJ2662",
            None,
        ),
        # a ttl that comes hours late
        ("tfjob@1.3", f"{TWO}ttl = 1h", "KTF129", "info"),
        ("tfjob@1.3", TWO, "KTF129", None),
        ("tfjob@1.5", f"{TWO}ttl = 1h", "KTF129", None),
    ],
)
def test_messages(target: str, lines: str, code: str, level: str | None) -> None:
    name, _, version = target.partition("@")
    _, diagnostics = compile_lines(lines, backend_of(name), version or None)
    assert [one.level for one in diagnostics if one.rule.code == code] == ([] if level is None else [level])


@pytest.mark.parametrize(
    ("target", "lines", "key", "words", "told"),
    [
        ("volcano", f'{TWO}queue = "q"\ngpu = 1', "job.queue", "capability", True),
        ("volcano", f'{TWO}queue = "q"', "job.queue", "capability", False),
        ("volcano", TWO, "job.cleanup", "NetworkPolicy", True),
        ("volcano", f'{TWO}cleanup = "all"', "job.cleanup", "NetworkPolicy", False),
        ("volcano", f"{TWO}on failed => restart pod\nretries = 1", "job.retries", "at one moment", True),
        ("jobset", f'{TWO}queue = "q"', "job.queue", "integration", True),
        ("jobset", f"{TWO}on exit 3 => restart pod", "policies[exit]", "counts as completed", True),
        ("kubernetes", f"{TWO}on exit 3 => restart pod", "policies[exit]", "counts as completed", True),
        ("kubernetes", "role worker { }", "roles[].replicas", "headless Service", True),
        ("kubernetes", TWO, "roles[].replicas", "headless Service", False),
        ("slurm", f"{TWO}{PREPARE}", "steps[prepare]", "once for each replica", True),
    ],
)
def test_sentences_of_the_table(target: str, lines: str, key: str, words: str, told: bool) -> None:
    backend = backend_of(target)
    made, diagnostics = compile_lines(lines, backend)
    assert made is not None, [one.message for one in diagnostics]
    items = [item for item in walk(made.unit.job, made.unit.origins) if item.key == key]
    rows = [row for item in items if (row := backend.support.decide(made.unit, item)) is not None]
    assert rows
    assert any(words in row.text for row in rows) == told
