"""What a pod or its container says in single fields, as attributes of a role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping as Map
from typing import Final

from tfdsl.backend.draft import Attribute, Value
from tfdsl.manifest.nodes import Mapping, View
from tfdsl.record import replace
from tfdsl.rules.job import OWN_NAMES, default_port, port_names
from tfdsl.rules.values import clean, label_value_problem, name_problem, qualified_problem, toleration
from tfdsl.vocabulary.attributes import CAPABILITIES
from tfdsl.vocabulary.names import LONGEST_PORT
from tfdsl_backends.podspec.fields import IMAGE, POD, TOLERATION, Field
from tfdsl_backends.podspec.normal.rules import common_security
from tfdsl_backends.podspec.reading.facts import PodFacts
from tfdsl_backends.podspec.reading.values import seconds, word

_BOARD_PORT: Final = "http"
_USUAL_SCHEDULER: Final = "default-scheduler"


def plain(place: View, fields: Iterable[Field], *, filled_in: bool = False) -> Iterator[Attribute]:
    """The attributes that single fields below ``place`` are; with ``filled_in`` without values that a server writes."""
    for field in fields:
        at = place
        for step in field.path.split("."):
            at = at[step]
        at = at if at.present or not field.old else place[field.old]
        found: str | int | None = word(at.text) if field.codec == "text" else at.number
        if found is None or (field.fits is not None and not field.fits(found)) or (filled_in and found == field.filled):
            continue
        value = seconds(found) if field.codec == "seconds" and isinstance(found, int) else found
        yield Attribute(field.name, value, at.span)


def of_image(spec: View, container: View, facts: PodFacts) -> Iterator[Attribute]:
    """The image and how it is pulled."""
    for attribute in plain(container, IMAGE):
        usual = attribute.name == "image_pull_policy" and attribute.value == _usual_policy(container["image"].text)
        if not (facts.filled_in and usual):
            yield attribute
    names = list(dict.fromkeys(secret["name"].text or "" for secret in spec["imagePullSecrets"].items()))
    if names and not any(name_problem(name) for name in names):
        yield Attribute("image_pull_secrets", names, spec["imagePullSecrets"].span)


def _usual_policy(image: str | None) -> str:
    """What the server would have written (core/v1 defaults: Always for the tag latest and for none)."""
    tag = (word(image) or "").rpartition("/")[2].partition("@")
    return "IfNotPresent" if tag[1] or tag[0].partition(":")[2] not in ("", "latest") else "Always"


def own_port(role: str, container: View, facts: PodFacts) -> tuple[int, View | None]:
    """The port of the role, and where it is written."""
    name = _BOARD_PORT if role == "tensorboard" else facts.port_name
    for port in container["ports"].items():
        number = port["containerPort"].number
        if port["name"].text == name and number is not None and 1 <= number <= 65535:
            return number, port
    return default_port(role), None


def of_ports(role: str, container: View, facts: PodFacts) -> Iterator[Attribute]:
    """The port of the role where it is not the usual one, and the named ones."""
    number, place = own_port(role, container, facts)
    if place is not None and number != default_port(role):
        yield Attribute("port", number, place["containerPort"].span)
    yield from named_ports(container, number)


def named_ports(container: View, own: int | None) -> Iterator[Attribute]:
    """The ports with names of their own."""
    taken = {own}
    names: set[str] = set()
    for port in container["ports"].items():
        number = port["containerPort"].number
        name = port["name"].text or f"p{number}"
        if number is None or not 1 <= number <= 65535 or number in taken or name in names:
            continue
        if len(name) > LONGEST_PORT or name in OWN_NAMES or [*port_names({name: number})]:
            continue
        taken.add(number)
        names.add(name)
        yield Attribute("ports", number, port.span, name)


def of_pod(spec: View, container: View, facts: PodFacts) -> Iterator[Attribute]:
    """Network, account, the time to stop, users and rights."""
    if spec["hostNetwork"].flag is True and not facts.on_hosts:
        yield Attribute("host_network", True, spec["hostNetwork"].span)
    if isinstance(spec.node, Mapping):
        spec = replace(spec, node=common_security(spec.node))
    if _is_restricted(spec):
        yield Attribute("restricted", True, spec["securityContext"].span)
    yield from plain(spec, POD, filled_in=facts.filled_in)
    rights = container["securityContext"]
    if rights["privileged"].flag is True:
        yield Attribute("privileged", True, rights["privileged"].span)
    added = [right.text or "" for right in rights["capabilities"]["add"].items()]
    names = [name.removeprefix("CAP_") for name in added]
    if names and all(name in CAPABILITIES for name in names):
        yield Attribute("capabilities", names, rights["capabilities"]["add"].span)


def _is_restricted(spec: View) -> bool:
    """Whether the pod ``spec`` has what the attribute of this name gives it."""
    whole, containers = spec["securityContext"], [*spec["containers"].items(), *spec["initContainers"].items()]
    rights = [container["securityContext"] for container in containers]
    return (
        whole["runAsNonRoot"].flag is True
        and whole["seccompProfile"]["type"].text == "RuntimeDefault"
        and all(right["allowPrivilegeEscalation"].flag is False for right in rights)
        and all([name.text for name in right["capabilities"]["drop"].items()] == ["ALL"] for right in rights)
    )


def scheduler(spec: View, facts: PodFacts) -> View | None:
    """The name of the scheduler, if somebody has chosen it."""
    place = spec["schedulerName"]
    return None if facts.filled_in and place.text == _USUAL_SCHEDULER else place


def of_placement(role: str, spec: View, facts: PodFacts) -> Iterator[Attribute]:
    """Nodes; the inverse of ``podspec.placement``."""
    chosen: set[str] = set()
    for key, place in spec["nodeSelector"].entries():
        if place.text is not None and not qualified_problem(key) and not label_value_problem(place.text):
            chosen.add(key)
            yield Attribute("node_selector", place.text, place.span, key)
    yield from _node_labels(spec["affinity"]["nodeAffinity"], chosen)
    tolerations: list[Value] = [
        toleration for toleration in map(_toleration, spec["tolerations"].items()) if toleration is not None
    ]
    if tolerations:
        yield Attribute("tolerations", tolerations, spec["tolerations"].span)
    apart = spec["affinity"]["podAntiAffinity"]
    if facts.spread_labels is not None and _is_apart(apart, facts.spread_labels(role)):
        yield Attribute("spread", "node", apart.span)


def _node_labels(place: View, chosen: set[str]) -> Iterator[Attribute]:
    """Labels of which one of several values is enough, if that is all that is required."""
    terms = [*place["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"].items()]
    if len(terms) != 1 or terms[0]["matchFields"].present:
        return
    attributes: dict[str, Attribute] = {}
    for expression in terms[0]["matchExpressions"].items():
        key, values = expression["key"].text, [item.text for item in expression["values"].items()]
        texts: list[Value] = [text for text in values if text is not None and not label_value_problem(text)]
        if key is None or key in chosen or key in attributes or qualified_problem(key):
            return
        if expression["operator"].text != "In" or not texts or len(texts) != len(values):
            return
        attributes[key] = Attribute("node_selector", texts, expression.span, key)
    yield from attributes.values()


def _toleration(place: View) -> Value | None:
    entries = {attribute.name: attribute.value for attribute in plain(place, TOLERATION)}
    if entries.get("operator", "Exists") not in ("Exists", "Equal"):
        return None
    if entries.get("effect", "NoExecute") not in ("NoSchedule", "PreferNoSchedule", "NoExecute"):
        return None
    return entries if entries and not [*toleration(entries)] else None


def _is_apart(place: View, labels: Map[str, str]) -> bool:
    """Whether the pods with ``labels`` are kept on different nodes, and nothing else is required."""
    terms = [*place["requiredDuringSchedulingIgnoredDuringExecution"].items()]
    if len(terms) != 1 or terms[0]["topologyKey"].text != "kubernetes.io/hostname":
        return False
    selector = terms[0]["labelSelector"]
    if selector["matchExpressions"].present or terms[0]["namespaceSelector"].present:
        return False
    return {key: at.text for key, at in selector["matchLabels"].entries()} == dict(labels)


def of_metadata(metadata: View, facts: PodFacts) -> Iterator[Attribute]:
    """Labels and annotations, without those of the target."""
    for name, taken in (("labels", facts.labels), ("annotations", facts.annotations)):
        for key, place in metadata[name].entries():
            if key in taken or place.text is None or qualified_problem(key):
                continue
            if not (label_value_problem(place.text) if name == "labels" else clean(place.text, "")):
                yield Attribute(name, place.text, place.span, key)
