"""Whatever a manifest holds, reading it raises nothing."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.importing.generated_jobs import manifest
from tests.unit.backends.kubernetes.jobs_read import documents
from tfdsl.backend.reading import Asked
from tfdsl_backends.kubernetes import reading

if TYPE_CHECKING:
    from collections.abc import Iterator

ODD: tuple[Any, ...] = (
    None,
    [],
    {},
    "",
    0,
    -1,
    10**30,
    1.5,
    True,
    [None],
    [[]],
    {"a": None},
    "{{.host}}",
    "0-1,",
    {"matchLabels": {}},
    [{"name": "TF_CONFIG", "value": '{"task": {"type": [], "index": {}}, "cluster": [1]}'}],
    [{"name": "TF_CONFIG", "value": '{"task": {"type": "ps"}, "cluster": {"ps": ["' + "9" * 5000 + '"]}}'}],
)


def places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every map and list in ``data`` with each of its keys."""
    members = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in list(members):
        yield data, key
        yield from places(value)


@pytest.mark.parametrize("seed", range(8))
def test_anything_is_read(seed: int) -> None:
    random = Random(seed)
    for _ in range(25):
        data = deepcopy(manifest(random.randrange(500)))
        for _ in range(random.randint(1, 4)):
            holder, key = random.choice(list(places(data)))
            holder[key] = deepcopy(random.choice(ODD))
        found = documents(yaml.safe_dump_all(data, allow_unicode=True))
        for group in reading.groups(found):
            reading.read(group, Asked({}, lambda diagnostic: None))
        normal = reading.normal([document.node for document in found], "1.34")
        assert len(reading.aligned(normal, list(reversed(normal)))) == len(found)
