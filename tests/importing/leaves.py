"""The values of a manifest, each with the keys above it, and those of what its import compiles to.

This looks at the documents, not at their normal form, in which import itself compares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.importing.shapes import params
from tfdsl import targets
from tfdsl.compiling import pipeline
from tfdsl.emit.located import plain
from tfdsl.manifest.templates import PLACEHOLDER
from tfdsl.semantics.request import Choice, Given, Request
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfdsl.importing.manifests import Imported

Leaf = tuple[tuple[str, ...], str]
"""The keys above a value, without the numbers of list items, and the value as text."""


def leaves(data: object, above: tuple[str, ...] = ()) -> Iterator[Leaf]:
    """The leaves of plain data."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from leaves(value, (*above, key))
    elif isinstance(data, list):
        for item in data:
            yield from leaves(item, above)
    elif data is not None:
        yield above, str(data)


def compiled(result: Imported, target: str) -> list[Any]:
    """The documents that the imported text compiles to for ``target``, its params with values of their types."""
    program = pipeline.load(Source("imported.tfjob", result.text), lambda _: "nothing is included")
    backend = targets.find(target)
    assert backend is not None
    given = tuple(Given(name, Source("param", value)) for name, value in params(result.text).items())
    made = pipeline.run(program, Request(params=given), [Choice(backend)]).made
    return [plain(document.data) for one in made for document in one.documents]


ANEW = {
    # The end of a path, or a value there → why the document that comes back has it in another way.
    "containers.name": "names inside a pod only connect its parts",
    "volumes.name": "names inside a pod only connect its parts",
    "volumeMounts.name": "names inside a pod only connect its parts",
    "onExitCodes.containerName": "names inside a pod only connect its parts",
    "metadata.generateName": "it is told: the server makes a name of it",
    "metadata.uid": "the server's",
    "metadata.resourceVersion": "the server's",
    "metadata.generation": "the server's",
    "metadata.creationTimestamp": "the server's",
    "conditions.type": "the server's",
    "conditions.status": "the server's",
    "Worker.active": "the server's",
    "apiVersion": "a TFJob of an old version becomes the one of v1",
    "kind=CronJob": "its Job is read",
    "spec.schedule": "it is told: its Job is read",
    "spec.concurrencyPolicy": "its Job is read",
    "runPolicy.backoffLimit": "it is told: the operator counts restarts in place alone",
    "runPolicy.suspend=False": "the default",
    "networkTopology.mode=hard": "the default",
    "failurePolicy.maxRestarts=0": "the default",
    "failurePolicy.rules.action=RestartJobSet": "without restarts the rule fails the JobSet",
    "failurePolicy.rules.targetReplicatedJobs": "all that the rule says is said without it",
    "startupPolicy.startupPolicyOrder=InOrder": "dependsOn says the same",
    "successPolicy.operator=Any": "of a single Job, where All is the same",
    "spec.volumes.mountPath=/in": "a claim that is there is mounted in the pods",
    "spec.volumes.volumeClaimName": "a claim that is there is mounted in the pods",
    "ports.containerPort=2222": "the operator adds its port",
    "ports.name=tfjob-port": "the operator adds its port",
    "ports.protocol=TCP": "the default",
}


def written_anew(path: tuple[str, ...], value: str) -> bool:
    """Whether a value comes back in another way, which has been reviewed, or is a placeholder."""
    ends = [".".join(path[number:]) for number in range(len(path))]
    return PLACEHOLDER.search(value) is not None or any(end in ANEW or f"{end}={value}" in ANEW for end in ends)
