"""The job file of ``ytensorflow``, the command of Slider's own TensorFlow package: the files of one application in one.

What it leaves out are the defaults of that package, which are below.
"""

from __future__ import annotations

from typing import Final

from tfdsl.draft import Draft
from tfdsl.manifest.nodes import Node, Scalar, Sequence, View, mapping, view
from tfdsl.record import replace
from tfdsl.text import Span
from tfdsl_backends.hadoop.reading import Notes
from tfdsl_backends.slider.reading_files import Files
from tfdsl_backends.slider.reading_package import SITE, read_package

INSTANCES: Final = {"ps": "2", "chiefworker": "1", "worker": "5", "tensorboard": "1"}
SCHEMA: Final = "http://example.org/specification/v2.0.0"


def read_wrapper(files: Files, notes: Notes, span: Span) -> Draft | None:
    """The job that the command would submit."""
    root = files.wrapper
    components: dict[str, Node] = {}
    for number, (name, one) in enumerate(root["resources"]["components"].entries(), 1):
        said: dict[str, Node] = {"yarn.role.priority": Scalar(str(number), one.span)}
        if not one["yarn.component.instances"].present:
            said["yarn.component.instances"] = Scalar(INSTANCES.get(name, "1"), one.span)
        own = {key: value.node for key, value in one.entries() if value.node is not None}
        components[name] = mapping({**said, **own}, one.span)
    settings = {
        key if key.startswith("site.") else f"{SITE}{key}": value.node
        for key, value in root["appConfig"]["global"].entries()
        if value.node is not None
    }
    made = replace(
        files,
        resources=_file(root["resources"], {"components": mapping(components, root["resources"].span)}),
        config=_file(root["appConfig"], {"global": mapping(settings, root["appConfig"].span)}),
        application=_named(root),
    )
    return read_package(made, notes, span)


def _file(place: View, entries: dict[str, Node]) -> View:
    return view(mapping({"schema": Scalar(SCHEMA, place.span), **entries}, place.span))


def _named(root: View) -> View:
    """An application with the name and the components of the package, whose agents restart nothing."""
    name = root["commandConfig"]["app.name"]
    components = [mapping({"name": Scalar(one, root.span)}, root.span) for one in INSTANCES]
    entries: dict[str, Node] = {
        "name": name.node or Scalar("tensorflow", root.span),
        "components": Sequence(tuple(components), root.span),
    }
    return view(mapping(entries, root.span))
