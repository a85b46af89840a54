"""Jobs that do not fit the nodes that the project describes."""

from __future__ import annotations

from collections.abc import Iterator

from tfdsl.diagnostics import Diagnostic, Rule
from tfdsl.lint.rules.devices import devices
from tfdsl.lint.view import JobView
from tfdsl.semantics import resolved
from tfdsl.semantics.values import Value
from tfdsl.vocabulary.quantities import Quantity

MORE_GPUS_THAN_A_NODE = Rule(
    "TFJ3117",
    "more-gpus-than-a-node",
    "warning",
    "a replica of {role} needs {wanted}, and no node has more than {most}",
)


def more_gpus_than_a_node(view: JobView) -> Iterator[Diagnostic]:
    """More GPUs for one replica than a node has.

    ## Why

    A replica runs on one node. When it asks for more GPUs than any node has, it is never placed: the pod stays pending,
    and with a gang the whole job waits. How many GPUs the largest node has is known only if the project says so, in
    `tfdsl.toml`:

    ```toml
    gpus_per_node = 8
    ```

    ## Bad

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      shm   = 8Gi
      role worker { replicas = 2, gpu = 16 }
    }
    ```

    ## Good

    ```tfjob
    job mnist {
      image = "registry.example.com/mnist:1.4"
      shm   = 8Gi
      role worker { replicas = 4, gpu = 8 }
    }
    ```
    """
    # Roles whose replicas have more devices than ``gpus_per_node`` of the project.
    most = view.gpus_per_node
    if most is None:
        return
    for role in view.job.roles:
        for value, count in _asked(role):
            if count > most:
                diagnostic = MORE_GPUS_THAN_A_NODE(value.span, role=role.name, wanted=devices(count), most=most)
                diagnostic = diagnostic.help(
                    f"write {most} and more replicas; gpus_per_node is a setting of the project"
                )
                plain = value.span.text.isdecimal()
                yield diagnostic.replacing(f"write {most}", str(most)) if plain else diagnostic


def _asked(role: resolved.Role) -> Iterator[tuple[Value, int]]:
    """The numbers of whole devices that a role asks for, by ``gpu`` or by the name of the resource."""
    if "gpu" in role.settings:
        value = role.settings["gpu"].value
        yield from ((value, count) for count in [value.data] if isinstance(count, int))
    for name, value in role.entries("resources").items():
        if name.endswith("/gpu") and isinstance(value.data, Quantity):
            yield value, value.data.milli // 1000
