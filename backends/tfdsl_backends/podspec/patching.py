"""Patches of the objects that the family writes: what may not be patched, and what the API server would refuse.

Sources: Kubernetes `apimachinery/pkg/util/validation`, `apimachinery/pkg/api/{resource,validation}`,
`apimachinery/pkg/apis/meta/v1/validation`, `pkg/apis/core/validation/validation.go` (ValidatePodTemplateSpec,
validateContainers, ValidateTolerations, validateAffinity, validateTopologySpreadConstraints and what they call),
`pkg/apis/core/v1/helper` (resource names), `pkg/apis/batch/validation` and `pkg/apis/apps/validation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from typing import Final

from tfdsl.backend.patch_rules import POD, Complaint, Derived, FixedSet, PatchRules, Since, Steps
from tfdsl.diagnostics.suggest import enumeration, listing
from tfdsl.emit.located import Plain
from tfdsl.patterns import regex
from tfdsl.record import Record
from tfdsl.vocabulary import names
from tfdsl_backends.podspec import quantities
from tfdsl_backends.podspec.fields import INT32, POD as POD_FIELDS


class Node:
    """A part of a document, with its place."""

    def __init__(self, document: int, at: Steps, data: Plain | None) -> None:
        self.document = document
        self.at = at
        self.data = data

    def __getitem__(self, key: str) -> Node:
        """The member ``key``; a node without data when there is none."""
        return Node(self.document, (*self.at, key), self.map.get(key))

    @property
    def map(self) -> dict[str, Plain]:
        """The data if it is a map."""
        return self.data if isinstance(self.data, dict) else {}

    def items(self) -> Iterator[Node]:
        """The items of a list."""
        for number, item in enumerate(self.data if isinstance(self.data, list) else ()):
            yield Node(self.document, (*self.at, number), item)

    def entries(self) -> Iterator[tuple[str, Node]]:
        """Keys and members of a map."""
        for key, value in self.map.items():
            yield key, Node(self.document, (*self.at, key), value)

    def has(self, key: str) -> bool:
        """Whether it is a map with ``key``."""
        return key in self.map

    def complain(self, message: str, advice: str = "", *, key: bool = False) -> Complaint:
        """A complaint about this part, or about the key that it is under."""
        return Complaint(self.document, self.at, message, advice, key)

    def once(self, key: str, what: str) -> Iterator[Complaint]:
        """A complaint about each item of a list whose ``key`` an earlier one has."""
        seen: set[object] = set()
        for item in self.items():
            value = item[key].data
            if isinstance(value, str | int) and value in seen:
                yield item[key].complain(f"there are two {what} {value}")
            if isinstance(value, str | int):
                seen.add(value)


def part(node: Node, key: str) -> Node:
    """The member ``key`` if it is there, else the whole."""
    return node[key] if node.has(key) else node


_DNS_LABEL: Final = regex(names.label())
_SUBDOMAIN: Final = regex(names.SUBDOMAIN)
_QUALIFIED: Final = regex(names.QUALIFIED)
_LABEL_VALUE: Final = regex(names.LABEL_VALUE)
_PORT_NAME: Final = regex(names.PORT)
_ENV_NAME: Final = regex(r"(?!\.\.?\Z)(?!\.\.)[ -<>-~]+\Z")


def is_dns_label(text: object) -> bool:
    """Whether ``text`` is a DNS label (RFC 1123)."""
    return isinstance(text, str) and _DNS_LABEL.fullmatch(text) is not None


def is_dns_name(text: object) -> bool:
    """Whether ``text`` is a DNS name (RFC 1123 subdomain)."""
    return isinstance(text, str) and _SUBDOMAIN.fullmatch(text) is not None


def is_qualified_name(text: object) -> bool:
    """Whether ``text`` can be the key of a label: a name, or a domain, a slash and a name."""
    if not isinstance(text, str):
        return False
    domain, slash, name = text.rpartition("/")
    return _QUALIFIED.fullmatch(name) is not None and (not slash or is_dns_name(domain))


def is_label_value(text: object) -> bool:
    """Whether ``text`` can be the value of a label."""
    return isinstance(text, str) and _LABEL_VALUE.fullmatch(text) is not None


def is_port_name(text: object) -> bool:
    """Whether ``text`` can be the name of a container's port (IANA service name)."""
    return isinstance(text, str) and len(text) <= names.LONGEST_PORT and _PORT_NAME.fullmatch(text) is not None


def is_env_name(text: object) -> bool:
    """Whether ``text`` can be the name of an environment variable: printable ASCII without ``=``."""
    return isinstance(text, str) and _ENV_NAME.match(text) is not None


def is_port(number: object) -> bool:
    """Whether ``number`` is a port."""
    return isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= 65535


def is_int32(number: object) -> bool:
    """Whether ``number`` is an int of 32 bits that is not negative."""
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 2**31


def _of_rows(check: str) -> list[str]:
    """The fields of a pod's attributes in which a patch may put a ``check`` only."""
    return [field.path for field in POD_FIELDS if field.patch == check]


class Must(Record):
    """What a server asks of a field.

    ``path``: of the field; ``[]`` stands for each item of a list. ``holds``: of the data that is there. ``says``: what
    is wrong, with the data as ``{value}`` or ``{value!r}``. ``missing``: what is wrong in an object without the field,
    or true where that is the same; else the field may be left out.
    """

    path: str
    holds: Callable[[object], bool]
    says: str
    advice: str = ""
    missing: str | bool = False


def broken(node: Node, rules: Iterable[Must]) -> Iterator[Complaint]:
    """What of ``rules`` does not hold in ``node``."""
    for rule in rules:
        above, _, last = rule.path.rpartition(".")
        name = last.removesuffix("[]")
        for holder in _places(node, above):
            for place in holder[name].items() if name != last else (holder[name],):
                if place.data is None:
                    if rule.missing and holder.data is not None:
                        yield holder.complain(rule.says if rule.missing is True else rule.missing, rule.advice)
                elif not rule.holds(place.data):
                    yield place.complain(rule.says.format(value=place.data), rule.advice)


def _places(node: Node, path: str) -> Iterator[Node]:
    if not path:
        yield node
        return
    step, _, rest = path.partition(".")
    below = node[step.removesuffix("[]")]
    for place in below.items() if step.endswith("[]") else (below,):
        yield from _places(place, rest)


def one_of(*words: object) -> Callable[[object], bool]:
    """Whether a value is one of ``words``."""
    return lambda value: value in words


def _is_not_negative(value: object) -> bool:
    return not isinstance(value, int) or value >= 0


def or_empty(holds: Callable[[object], bool]) -> Callable[[object], bool]:
    """The same as ``holds``, and an empty value is as good as none."""
    return lambda value: not value or holds(value)


def _is_counted(most: float) -> Callable[[object], bool]:
    return lambda value: isinstance(value, int) and 1 <= value <= most


# --- labels ------------------------------------------------------------------------------------------------------

_KEY: Final = "keys are letters, digits, '-', '_' and '.', at most 63, after a domain and a slash if there is one"
_VALUE: Final = "values are letters, digits, '-', '_' and '.', at most 63, and begin and end with a letter or digit"


def metadata(node: Node) -> Iterator[Complaint]:
    """What is wrong with labels and annotations."""
    yield from labels(node["labels"])
    for key, value in node["annotations"].entries():
        if not is_qualified_name(key.lower()):
            yield value.complain(f"{key!r} is not the key of an annotation", _KEY, key=True)


def labels(node: Node, what: str = "label") -> Iterator[Complaint]:
    """What is wrong with labels, or a selector of them."""
    for key, value in node.entries():
        if not is_qualified_name(key):
            yield value.complain(f"{key!r} is not the key of a {what}", _KEY, key=True)
        if not is_label_value(value.data):
            yield value.complain(f"{value.data!r} is not the value of a {what}", _VALUE)


# --- where pods may run ------------------------------------------------------------------------------------------

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_LABEL_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")
_NODE_OPERATORS: Final = (*_LABEL_OPERATORS, "Gt", "Lt")
_NOW: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_BETTER: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_TOPOLOGY: Final = "the term needs a topologyKey, the key of a node label"
_WEIGHT: Final = "weight must be between 1 and 100"

_TOLERATION: Final = (
    Must(
        "operator",
        or_empty(one_of("Equal", "Exists", "Lt", "Gt")),
        "{value!r} is not an operator of a toleration: Equal or Exists",
    ),
    Must("effect", or_empty(one_of(*_EFFECTS)), f"{{value!r}} is not an effect: {listing(_EFFECTS)}"),
    Must("key", or_empty(is_qualified_name), "{value!r} is not the key of a taint"),
    Must("value", or_empty(is_label_value), "{value!r} is not the value of a taint"),
)
_POD_TERM: Final = (
    Must("topologyKey", is_qualified_name, _TOPOLOGY, "for example kubernetes.io/hostname", missing=True),
)
_SPREAD: Final = (
    Must("maxSkew", _is_counted(inf), "maxSkew must be at least 1", missing=True),
    Must(
        "topologyKey",
        is_qualified_name,
        "the constraint needs a topologyKey, the key of a node label",
        missing=True,
    ),
    Must(
        "whenUnsatisfiable",
        one_of("DoNotSchedule", "ScheduleAnyway"),
        "whenUnsatisfiable must be DoNotSchedule or ScheduleAnyway",
        missing=True,
    ),
)
_WEIGHTS: Final = (Must("weight", _is_counted(100), _WEIGHT, missing=True),)


def tolerations(node: Node) -> Iterator[Complaint]:
    """What is wrong with tolerations."""
    for value in node.items():
        yield from broken(value, _TOLERATION)
        exists = value["operator"].data == "Exists"
        if not value["key"].data and not exists:
            yield value.complain('a toleration without a key needs operator = "Exists"')
        if exists and value["value"].data:
            yield value["value"].complain('a toleration with operator = "Exists" has no value')
        if value.has("tolerationSeconds") and value["effect"].data != "NoExecute":
            yield value["tolerationSeconds"].complain('tolerationSeconds needs effect = "NoExecute"', key=True)


def affinity(node: Node) -> Iterator[Complaint]:
    """What is wrong with affinities."""
    nodes = node["nodeAffinity"]
    for term in nodes[_NOW]["nodeSelectorTerms"].items():
        yield from _expressions(term["matchExpressions"], _NODE_OPERATORS)
    if nodes.has(_NOW) and not nodes[_NOW]["nodeSelectorTerms"].data:
        yield nodes[_NOW].complain(f"{_NOW} needs nodeSelectorTerms")
    for term in nodes[_BETTER].items():
        yield from broken(term, _WEIGHTS)
        yield from _expressions(term["preference"]["matchExpressions"], _NODE_OPERATORS)
    for kind in ("podAffinity", "podAntiAffinity"):
        preferred = [*node[kind][_BETTER].items()]
        for term in preferred:
            yield from broken(term, _WEIGHTS)
        for term in (*node[kind][_NOW].items(), *(value["podAffinityTerm"] for value in preferred)):
            yield from broken(term, _POD_TERM)
            yield from _expressions(term["labelSelector"]["matchExpressions"], _LABEL_OPERATORS)


def _expressions(node: Node, operators: tuple[str, ...]) -> Iterator[Complaint]:
    for value in node.items():
        operator, values = value["operator"].data, value["values"]
        if operator not in operators:
            yield part(value, "operator").complain(f"the operator must be {listing(operators)}")
        if not is_qualified_name(value["key"].data):
            yield part(value, "key").complain(f"{value['key'].data!r} is not the key of a label")
        if operator in ("In", "NotIn") and not values.data:
            yield part(value, "values").complain(f"{operator} needs values")
        if operator in ("Exists", "DoesNotExist") and values.data:
            yield values.complain(f"{operator} has no values")


# --- containers --------------------------------------------------------------------------------------------------

_CONTAINERS: Final = ("containers", "initContainers")
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_PROBE_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "grpc")
_HOOK_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "sleep")
_VALUE_SOURCES: Final = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_PROTOCOLS: Final = ("TCP", "UDP", "SCTP")
_STANDARD: Final = ("cpu", "memory", "ephemeral-storage")
_PORT: Final = "containerPort must be between 1 and 65535"


def _is_image(text: object) -> bool:
    return isinstance(text, str) and bool(text) and text == text.strip()


def _is_inside(path: object) -> bool:
    return not (str(path).startswith("/") or ".." in str(path).split("/"))


_CONTAINER: Final = (
    Must("name", is_dns_label, "{value!r} is not the name of a container", missing="a container needs a name"),
    Must("image", _is_image, "{value!r} is not an image", missing="a container needs an image"),
    *(
        Must(f"volumeMounts[].{key}", or_empty(_is_inside), f"{key} must be a relative path without '..'")
        for key in ("subPath", "subPathExpr")
    ),
    Must("env[].name", is_env_name, "{value!r} is not the name of a variable", missing="a variable needs a name"),
    Must("ports[].containerPort", is_port, _PORT, missing=True),
    Must(
        "ports[].name",
        is_port_name,
        "{value!r} is not the name of a port",
        "at most 15 letters, digits and '-', with a letter",
    ),
    Must(
        "ports[].protocol",
        one_of(*_PROTOCOLS),
        f"{{value!r}} is not a protocol, write {listing(_PROTOCOLS)}",
    ),
    Must("ports[].hostPort", is_port, "hostPort must be between 1 and 65535"),
    *(
        Must(f"{key}.successThreshold", one_of(1), f"the successThreshold of a {key} must be 1")
        for key in ("livenessProbe", "startupProbe")
    ),
    *(
        Must(f"securityContext.{key}", _is_not_negative, f"{key} cannot be negative")
        for key in ("runAsUser", "runAsGroup")
    ),
)


_KEYS: Final = tuple(
    Must(f"env[].valueFrom.{key}.key", bool, f"{key} needs a key", missing=True)
    for key in ("configMapKeyRef", "secretKeyRef")
)


def containers(spec: Node) -> Iterator[Complaint]:
    """What is wrong with the containers of the pod ``spec``."""
    names: set[str] = set()
    volumes = {str(volume["name"].data) for volume in spec["volumes"].items()}
    host_network = spec["hostNetwork"].data is True
    for kind in _CONTAINERS:
        for node in spec[kind].items():
            name = node["name"]
            if str(name.data) in names:
                yield name.complain(f"there are two containers called {name.data}")
            names.add(str(name.data))
            yield from broken(node, _CONTAINER)
            yield from _mounts(node, volumes)
            yield from _environment(node)
            yield from _ports(node["ports"], host_network=host_network)
            yield from _resources(node["resources"])
            yield from _handlers(node)
            rights = node["securityContext"]
            if rights["privileged"].data is True and rights["allowPrivilegeEscalation"].data is False:
                yield rights["allowPrivilegeEscalation"].complain(
                    "a privileged container cannot forbid privilege escalation"
                )
            if kind == "initContainers" and node["restartPolicy"].data not in (None, "Always"):
                yield node["restartPolicy"].complain('the restartPolicy of an init container can only be "Always"')


def _mounts(node: Node, volumes: set[str]) -> Iterator[Complaint]:
    yield from node["volumeMounts"].once("mountPath", "mounts at")
    for mount in node["volumeMounts"].items():
        name, path = mount["name"], mount["mountPath"]
        if str(name.data) not in volumes:
            known = f"the pod has {enumeration(sorted(volumes)) if volumes else 'none'}"
            yield part(mount, "name").complain(
                f"there is no volume {name.data}: {known}"
                if mount.has("name")
                else "a mount needs the name of a volume",
                'add it: patch pod "spec.volumes" += [{ name = … }]',
            )
        if not path.data:
            yield mount.complain("a mount needs a mountPath")
        elif ":" in str(path.data):
            yield path.complain("a mountPath cannot contain ':'")
        if mount["subPath"].data and mount["subPathExpr"].data:
            yield mount["subPathExpr"].complain("subPath and subPathExpr cannot be combined", key=True)
    for device in node["volumeDevices"].items():
        if str(device["name"].data) not in volumes:
            yield part(device, "name").complain(f"there is no volume {device['name'].data}")


def _environment(node: Node) -> Iterator[Complaint]:
    for variable in node["env"].items():
        source = variable["valueFrom"]
        if variable["value"].data and variable.has("valueFrom"):
            yield source.complain("value and valueFrom cannot be combined", key=True)
        if variable.has("valueFrom") and sum(source.has(key) for key in _VALUE_SOURCES) != 1:
            yield source.complain(f"valueFrom needs exactly one of {listing(_VALUE_SOURCES[:4])}")
    yield from broken(node, _KEYS)
    for source in node["envFrom"].items():
        if source.has("configMapRef") == source.has("secretRef"):
            yield source.complain("an item of envFrom needs either configMapRef or secretRef")


def _ports(node: Node, *, host_network: bool) -> Iterator[Complaint]:
    yield from node.once("name", "ports called")
    for port in node.items():
        host = port["hostPort"]
        if host_network and is_port(host.data) and host.data != port["containerPort"].data:
            yield host.complain("with hostNetwork, hostPort must be containerPort")


def _resources(node: Node) -> Iterator[Complaint]:
    for kind in ("limits", "requests"):
        for name, amount in node[kind].entries():
            yield from _amount(name, amount)
    for name, wanted in node["requests"].entries():
        limit = node["limits"][name]
        request, most = quantities.amount(wanted.data), quantities.amount(limit.data)
        if "/" in name and request is not None and request != most:
            yield wanted.complain(f"the limit of {name} must equal its request", "such devices are not shared")
        elif request is not None and most is not None and request > most:
            yield wanted.complain(f"the request for {name} exceeds its limit {limit.data}")


def _amount(name: str, node: Node) -> Iterator[Complaint]:
    amount = quantities.amount(node.data)
    if amount is None:
        yield node.complain(f"{node.data!r} is not a quantity", "for example 500m or 16Gi")
    elif amount < 0:
        yield node.complain(f"{name} cannot be negative")
    elif "/" in name and amount.denominator != 1:
        yield node.complain(f"{name} must be a whole number")
    elif name == "memory" and amount.denominator != 1:
        yield node.complain(f"{node.data} of memory is less than a byte", "the unit m means thousandths")
    if not is_qualified_name(name) or ("/" not in name and name not in _STANDARD and not name.startswith("hugepages-")):
        yield node.complain(f"{name} is not a resource", f"for example example.com/{name}", key=True)


def _handlers(node: Node) -> Iterator[Complaint]:
    """Probes and hooks have one way to be done."""
    places = [(node[key], _PROBE_HANDLERS) for key in _PROBES]
    places += [(node["lifecycle"][key], _HOOK_HANDLERS) for key in ("postStart", "preStop")]
    for place, handlers in places:
        if place.data is not None and sum(place.has(key) for key in handlers) != 1:
            yield place.complain(f"{place.at[-1]} needs exactly one of {listing(handlers)}")
        for key in ("httpGet", "tcpSocket", "grpc"):
            port = place[key]["port"]
            if place.has(key) and not (is_port(port.data) or is_port_name(port.data)):
                yield part(place[key], "port").complain(f"{key} needs a port: a number or the name of one")


# --- pods --------------------------------------------------------------------------------------------------------


def _is_address(text: object) -> bool:
    from ipaddress import ip_address

    try:
        ip_address(str(text))
    except ValueError:
        return False
    return True


def _is_quantity(value: object) -> bool:
    return quantities.amount(value) is not None


_NAMES: Final = {
    **dict.fromkeys((*_of_rows("name"), "priorityClassName", "runtimeClassName", "nodeName"), is_dns_name),
    "schedulerName": is_qualified_name,
    "hostname": is_dns_label,
    "subdomain": is_dns_label,
}
_VOLUME_SOURCES: Final = {"persistentVolumeClaim": "claimName", "configMap": "name", "secret": "secretName"}
_POD: Final = (
    *(
        Must(
            f"volumes[].{source}.{key}",
            is_dns_name,
            "{value!r} is not the name of an object",
            missing=f"{source} needs {key}",
        )
        for source, key in _VOLUME_SOURCES.items()
    ),
    Must("volumes[].name", is_dns_label, "{value!r} is not the name of a volume", missing="a volume needs a name"),
    Must("volumes[].emptyDir.sizeLimit", _is_quantity, "{value!r} is not a quantity", "for example 1Gi"),
    *(Must(key, is_name, f"{{value!r}} cannot be a {key}") for key, is_name in _NAMES.items()),
    Must(
        "imagePullSecrets[].name",
        is_dns_name,
        "{value!r} is not the name of a secret",
        missing="None is not the name of a secret",
    ),
    Must("activeDeadlineSeconds", _is_counted(INT32), f"activeDeadlineSeconds must be between 1 and {INT32}"),
    *(
        Must(path, _is_not_negative, f"{path.rpartition('.')[2]} cannot be negative")
        for path in _of_rows("not negative")
    ),
    Must("dnsConfig.nameservers[]", _is_address, "{value!r} is not an IP address"),
    Must("hostAliases[].ip", _is_address, "{value!r} is not an IP address", missing="a host alias needs an ip"),
    Must("hostAliases[].hostnames[]", is_dns_name, "{value!r} is not the name of a host"),
)


def pod_template(node: Node) -> Iterator[Complaint]:
    """What is wrong with a pod template."""
    yield from metadata(node["metadata"])
    spec = node["spec"]
    if not list(spec["containers"].items()):
        yield spec["containers"].complain("a pod needs a container")
    yield from broken(spec, _POD)
    yield from _volumes(spec["volumes"])
    yield from containers(spec)
    yield from _namespaces(spec)
    yield from labels(spec["nodeSelector"], "node selector")
    yield from tolerations(spec["tolerations"])
    yield from affinity(spec["affinity"])
    for constraint in spec["topologySpreadConstraints"].items():
        yield from broken(constraint, _SPREAD)


def _volumes(node: Node) -> Iterator[Complaint]:
    yield from node.once("name", "volumes called")
    for volume in node.items():
        sources = [key for key in volume.map if key != "name"]
        if len(sources) > 1:
            yield volume[sources[1]].complain(
                f"a volume can have only one source, not {sources[0]} and {sources[1]}", key=True
            )
        if volume.has("hostPath") and not str(volume["hostPath"]["path"].data or "").strip():
            yield volume["hostPath"].complain("hostPath needs a path")


def _namespaces(spec: Node) -> Iterator[Complaint]:
    """Names are resolved by servers that are named; namespaces of the host and of the pod exclude each other."""
    servers = list(spec["dnsConfig"]["nameservers"].items())
    if spec["dnsPolicy"].data == "None" and not servers:
        yield spec["dnsPolicy"].complain('dnsPolicy "None" needs nameservers in dnsConfig')
    if len(servers) > 3:
        yield servers[3].complain("dnsConfig has at most 3 nameservers")
    if spec["shareProcessNamespace"].data is True and spec["hostPID"].data is True:
        yield spec["shareProcessNamespace"].complain("shareProcessNamespace and hostPID cannot be combined")


# --- objects -----------------------------------------------------------------------------------------------------

_JOB_NUMBERS: Final = ("backoffLimit", "completions", "parallelism", "ttlSecondsAfterFinished", "maxFailedIndexes")
_JOB_RESTARTS: Final = ("OnFailure", "Never")
_ACCESS: Final = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
_FAILURE_ACTIONS: Final = ("FailJob", "FailIndex", "Ignore", "Count")
_ACTION: Final = f"the action must be {listing(_FAILURE_ACTIONS)}"
_FAILURES: Final = (Must("podFailurePolicy.rules[].action", one_of(*_FAILURE_ACTIONS), _ACTION, missing=True),)
_CLAIM: Final = (
    Must("accessModes[]", one_of(*_ACCESS), f"{{value!r}} is not an access mode: {listing(_ACCESS)}"),
    Must("storageClassName", or_empty(is_dns_name), "{value!r} is not the name of a storage class"),
)
_SERVICE: Final = (Must("ports[].port", is_port, "port must be between 1 and 65535", missing=True),)


def any_object(node: Node) -> Iterator[Complaint]:
    """What is wrong with the metadata and the pods of an object, and with an object of Kubernetes itself."""
    yield from metadata(node["metadata"])
    for template in templates(node):
        yield from pod_template(template)
    match node["kind"].data, node["apiVersion"].data:
        case "Job", "batch/v1":
            yield from job(node["spec"])
        case "Deployment", _:
            yield from restart_policy(node["spec"]["template"], ("Always",))
        case "Service", _:
            yield from _service(node["spec"])
        case "PersistentVolumeClaim", _:
            yield from claim(node["spec"])
        case _:
            pass


def templates(node: Node) -> Iterator[Node]:
    """The pod templates in ``node``."""
    for key, value in node.entries():
        if key == "template" and value["spec"].has("containers"):
            yield value
        else:
            yield from templates(value)
    for item in node.items():
        yield from templates(item)


def restart_policy(template: Node, allowed: tuple[str, ...]) -> Iterator[Complaint]:
    """What is wrong with the ``restartPolicy`` of pods where only some make sense."""
    policy = template["spec"]["restartPolicy"]
    if policy.data not in allowed:
        yield part(template["spec"], "restartPolicy").complain(f"restartPolicy must be {listing(allowed)} here")


def numbers(node: Node, keys: tuple[str, ...]) -> Iterator[Complaint]:
    """What is wrong with fields that are ints of 32 bits and not negative."""
    yield from broken(node, [Must(key, is_int32, f"{key} must be between 0 and {INT32}") for key in keys])


def claim(spec: Node) -> Iterator[Complaint]:
    """What is wrong with the specification of a claim."""
    yield from broken(spec, _CLAIM)
    storage = spec["resources"]["requests"]["storage"]
    size = quantities.amount(storage.data)
    if size is None or size <= 0:
        yield storage.complain(f"{storage.data!r} is not a size", "for example 100Gi")


def job(spec: Node) -> Iterator[Complaint]:
    """What is wrong with the ``spec`` of a Job."""
    yield from numbers(spec, _JOB_NUMBERS)
    yield from restart_policy(spec["template"], _JOB_RESTARTS)
    rules = spec["podFailurePolicy"]["rules"]
    if rules.data and spec["template"]["spec"]["restartPolicy"].data != "Never":
        yield rules.complain('podFailurePolicy needs the restartPolicy "Never"')
    yield from broken(spec, _FAILURES)


def _service(spec: Node) -> Iterator[Complaint]:
    yield from labels(spec["selector"], "selector")
    yield from spec["ports"].once("name", "ports called")
    yield from broken(spec, _SERVICE)
    ports = list(spec["ports"].items())
    for port in ports:
        if not is_dns_label(port["name"].data) and (port.has("name") or len(ports) > 1):
            yield part(port, "name").complain("each port of a Service with several needs a name, a DNS label")


# --- what may not be patched -------------------------------------------------------------------------------------

_TARGET: Final = "the target decides it: choose another with -t TARGET"
_NAME: Final = "write it after the word job: job NAME { … }"
_DISCOVERY: Final = 'leave it out with cluster { discovery = "none" }, then set env = { TF_CONFIG = … }'
_FOUND: Final = "the tasks use it to find each other; cluster { discovery = … } decides how"

REPLICAS: Final = "write replicas = … in the role; 0 leaves the role out"
MINIMUM: Final = "write min_available = … in the roles; gang = false asks for no minimum"

_DERIVED: Final = (
    Derived("*", ("apiVersion",), "apiVersion", _TARGET),
    Derived("*", ("kind",), "kind", _TARGET),
    Derived("*", ("metadata", "name"), "the name of an object", _NAME),
    Derived("*", ("metadata", "generateName"), "generateName", _NAME),
    Derived("*", ("metadata", "namespace"), "the namespace", 'write namespace = "…" in the job'),
    Derived(POD, ("spec", "containers", "*", "env", "[name=TF_CONFIG]"), "TF_CONFIG", _DISCOVERY),
    Derived(
        POD,
        ("spec", "containers", "*", "ports", "[name=tfjob-port]"),
        "the port of the TensorFlow server",
        "write port = … in the job or role",
        discovery=True,
    ),
    *(
        Derived(POD, ("metadata", "labels", f"tfdsl/{key}"), f"the label tfdsl/{key}", "a selector also uses it")
        for key in ("job", "role", "tensorboard")
    ),
    Derived("Service", ("spec", "selector"), "the selector of a Service", "it follows from the labels of the pods"),
    Derived("Service", ("spec", "clusterIP"), "clusterIP", _FOUND, discovery=True),
    Derived(
        "Deployment", ("spec", "selector"), "the selector of a Deployment", "it follows from the labels of the pods"
    ),
    Derived("Deployment", ("spec", "replicas"), "the replicas of a role", REPLICAS),
)

BY_POD_NAME: Final = (
    Derived(POD, ("spec", "hostname"), "hostname", _FOUND, discovery=True),
    Derived(POD, ("spec", "subdomain"), "subdomain", _FOUND, discovery=True),
)
"""Of targets whose tasks find each other by the names of their pods, and not by a Service of each."""


def sidecars(version: str) -> Since:
    """Sidecars: they would block a pod for ever on a server that drops the field that makes them sidecars.

    ``version``: the first of the target whose server keeps it (Kubernetes 1.29's pods).
    """
    return Since(POD, ("spec", "initContainers", "*", "restartPolicy"), version, "restartPolicy of an init container")


def rules(
    derived: tuple[Derived, ...],
    fixed: tuple[FixedSet, ...],
    check: Callable[[Node], Iterator[Complaint]],
    since: tuple[Since, ...],
) -> PatchRules:
    """The rules of a target. ``check`` says what a server refuses in the target's own object, given any object."""

    def check_all(documents: Sequence[Plain | None]) -> Iterator[Complaint]:
        for number, data in enumerate(documents):
            node = Node(number, (), data)
            yield from any_object(node)
            yield from check(node)

    return PatchRules((*derived, *_DERIVED), fixed, check_all, since)
