"""Patches of the objects that the family writes: what may not be patched, and what the API server would refuse.

Sources: Kubernetes `apimachinery/pkg/util/validation`, `apimachinery/pkg/api/{resource,validation}`,
`apimachinery/pkg/apis/meta/v1/validation`, `pkg/apis/core/validation/validation.go` (ValidatePodTemplateSpec,
validateContainers, ValidateTolerations, validateAffinity, validateTopologySpreadConstraints and what they call),
`pkg/apis/core/v1/helper` (resource names), `pkg/apis/batch/validation` and `pkg/apis/apps/validation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from tfdsl.patch.rules import POD, Complaint, Derived, FixedSet, PatchRules, Since, Steps
from tfdsl.patterns import regex
from tfdsl.vocabulary.quantities import LONGEST_AMOUNT

if TYPE_CHECKING:
    from tfdsl.emit.located import Plain


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


def enumeration(words: Sequence[str]) -> str:
    """``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def alternatives(words: Sequence[str]) -> str:
    """``a, b or c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


_LABEL: Final = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
_DNS_LABEL: Final = regex(rf"{_LABEL}\Z")
_SUBDOMAIN: Final = regex(r"(?=.{1,253}\Z)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\Z")
_QUALIFIED: Final = regex(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?\Z")
_LABEL_VALUE: Final = regex(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?\Z")
_PORT_NAME: Final = regex(r"(?=.*[a-z])(?!.*--)[a-z0-9](?:[-a-z0-9]{0,13}[a-z0-9])?\Z")
_ENV_NAME: Final = regex(r"(?!\.\.?\Z)(?!\.\.)[ -<>-~]+\Z")
_QUANTITY: Final = regex(
    r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?[0-9]{1,3})?\Z"
)
_SCALES: Final = {
    **{unit: Decimal(10) ** power for unit, power in zip(("n", "u", "m", "", "k"), (-9, -6, -3, 0, 3), strict=True)},
    **{unit: Decimal(10) ** (3 * power) for power, unit in enumerate("MGTPE", 2)},
    **{f"{unit}i": Decimal(1024) ** power for power, unit in enumerate("KMGTPE", 1)},
}


def is_dns_label(text: object) -> bool:
    """Whether ``text`` is a DNS label (RFC 1123)."""
    return isinstance(text, str) and _DNS_LABEL.match(text) is not None


def is_dns_name(text: object) -> bool:
    """Whether ``text`` is a DNS name (RFC 1123 subdomain)."""
    return isinstance(text, str) and _SUBDOMAIN.match(text) is not None


def is_qualified_name(text: object) -> bool:
    """Whether ``text`` can be the key of a label: a name, or a domain, a slash and a name."""
    if not isinstance(text, str):
        return False
    domain, slash, name = text.rpartition("/")
    return _QUALIFIED.match(name) is not None and (not slash or is_dns_name(domain))


def is_label_value(text: object) -> bool:
    """Whether ``text`` can be the value of a label."""
    return isinstance(text, str) and _LABEL_VALUE.match(text) is not None


def is_port_name(text: object) -> bool:
    """Whether ``text`` can be the name of a container's port (IANA service name)."""
    return isinstance(text, str) and _PORT_NAME.match(text) is not None


def is_env_name(text: object) -> bool:
    """Whether ``text`` can be the name of an environment variable: printable ASCII without ``=``."""
    return isinstance(text, str) and _ENV_NAME.match(text) is not None


def is_port(number: object) -> bool:
    """Whether ``number`` is a port."""
    return isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= 65535


def is_int32(number: object) -> bool:
    """Whether ``number`` is an int of 32 bits that is not negative."""
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 2**31


def quantity(value: object) -> Decimal | None:
    """The amount that a quantity stands for; ``None`` when it is not one."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, int) and abs(value) >= 10**LONGEST_AMOUNT:  # Python does not write numbers of any length
        return None
    text = str(value)
    parts = _QUANTITY.match(text) if len(text) <= LONGEST_AMOUNT else None
    if parts is None:
        return None
    unit = parts.group(2) or ""
    if unit in _SCALES:
        return Decimal(parts.group(1)) * _SCALES[unit]
    return Decimal(parts.group(1)) * Decimal(10) ** int(unit[1:])


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


_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_NODE_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_LABEL_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")
_NOW: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_BETTER: Final = "preferredDuringSchedulingIgnoredDuringExecution"


def tolerations(node: Node) -> Iterator[Complaint]:
    """What is wrong with tolerations."""
    for one in node.items():
        operator = one["operator"].data or "Equal"
        if operator not in ("Equal", "Exists", "Lt", "Gt"):
            yield one["operator"].complain(f"{operator!r} is not an operator of a toleration: Equal or Exists")
        if one["effect"].data and one["effect"].data not in _EFFECTS:
            yield one["effect"].complain(f"{one['effect'].data!r} is not an effect: {alternatives(_EFFECTS)}")
        if one["key"].data and not is_qualified_name(one["key"].data):
            yield one["key"].complain(f"{one['key'].data!r} is not the key of a taint")
        if not one["key"].data and operator != "Exists":
            yield one.complain('a toleration without a key needs operator = "Exists"')
        if operator == "Exists" and one["value"].data:
            yield one["value"].complain('a toleration with operator = "Exists" has no value')
        if one["value"].data and not is_label_value(one["value"].data):
            yield one["value"].complain(f"{one['value'].data!r} is not the value of a taint")
        if one.has("tolerationSeconds") and one["effect"].data != "NoExecute":
            yield one["tolerationSeconds"].complain('tolerationSeconds needs effect = "NoExecute"', key=True)


def affinity(node: Node) -> Iterator[Complaint]:
    """What is wrong with affinities."""
    nodes = node["nodeAffinity"]
    for term in nodes[_NOW]["nodeSelectorTerms"].items():
        yield from _expressions(term["matchExpressions"], _NODE_OPERATORS)
    if nodes.has(_NOW) and not nodes[_NOW]["nodeSelectorTerms"].data:
        yield nodes[_NOW].complain(f"{_NOW} needs nodeSelectorTerms")
    for term in nodes[_BETTER].items():
        yield from _weight(term)
        yield from _expressions(term["preference"]["matchExpressions"], _NODE_OPERATORS)
    for kind in ("podAffinity", "podAntiAffinity"):
        for term in node[kind][_NOW].items():
            yield from _pod_term(term)
        for term in node[kind][_BETTER].items():
            yield from _weight(term)
            yield from _pod_term(term["podAffinityTerm"])


def _pod_term(term: Node) -> Iterator[Complaint]:
    if not is_qualified_name(term["topologyKey"].data):
        yield part(term, "topologyKey").complain(
            "the term needs a topologyKey, the key of a node label", "for example kubernetes.io/hostname"
        )
    yield from _expressions(term["labelSelector"]["matchExpressions"], _LABEL_OPERATORS)


def _weight(term: Node) -> Iterator[Complaint]:
    weight = term["weight"].data
    if not isinstance(weight, int) or not 1 <= weight <= 100:
        yield part(term, "weight").complain("weight must be between 1 and 100")


def _expressions(node: Node, operators: tuple[str, ...]) -> Iterator[Complaint]:
    for one in node.items():
        operator, values = one["operator"].data, one["values"]
        if operator not in operators:
            yield part(one, "operator").complain(f"the operator must be {alternatives(operators)}")
        if not is_qualified_name(one["key"].data):
            yield part(one, "key").complain(f"{one['key'].data!r} is not the key of a label")
        if operator in ("In", "NotIn") and not values.data:
            yield part(one, "values").complain(f"{operator} needs values")
        if operator in ("Exists", "DoesNotExist") and values.data:
            yield values.complain(f"{operator} has no values")


def spread(node: Node) -> Iterator[Complaint]:
    """What is wrong with topology spread constraints."""
    for one in node.items():
        skew = one["maxSkew"].data
        if not isinstance(skew, int) or skew < 1:
            yield part(one, "maxSkew").complain("maxSkew must be at least 1")
        if not is_qualified_name(one["topologyKey"].data):
            yield part(one, "topologyKey").complain("the constraint needs a topologyKey, the key of a node label")
        if one["whenUnsatisfiable"].data not in ("DoNotSchedule", "ScheduleAnyway"):
            yield part(one, "whenUnsatisfiable").complain("whenUnsatisfiable must be DoNotSchedule or ScheduleAnyway")


_KINDS: Final = ("containers", "initContainers")
_PROBES: Final = ("livenessProbe", "readinessProbe", "startupProbe")
_PROBE_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "grpc")
_HOOK_HANDLERS: Final = ("exec", "httpGet", "tcpSocket", "sleep")
_VALUE_SOURCES: Final = ("fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef")
_PROTOCOLS: Final = ("TCP", "UDP", "SCTP")
_STANDARD: Final = ("cpu", "memory", "ephemeral-storage")


def containers(spec: Node) -> Iterator[Complaint]:
    """What is wrong with the containers of the pod ``spec``."""
    names: set[str] = set()
    volumes = {str(volume["name"].data) for volume in spec["volumes"].items()}
    host_network = spec["hostNetwork"].data is True
    for kind in _KINDS:
        for node in spec[kind].items():
            name = node["name"]
            if str(name.data) in names:
                yield name.complain(f"there are two containers called {name.data}")
            names.add(str(name.data))
            yield from _container(node, volumes, host_network=host_network)
            if kind == "initContainers" and node["restartPolicy"].data not in (None, "Always"):
                yield node["restartPolicy"].complain('the restartPolicy of an init container can only be "Always"')


def _container(node: Node, volumes: set[str], *, host_network: bool) -> Iterator[Complaint]:
    name, image = node["name"], node["image"]
    if not is_dns_label(name.data):
        message = f"{name.data!r} is not the name of a container" if node.has("name") else "a container needs a name"
        yield part(node, "name").complain(message)
    if not isinstance(image.data, str) or not image.data or image.data != image.data.strip():
        yield part(node, "image").complain(
            f"{image.data!r} is not an image" if node.has("image") else "a container needs an image"
        )
    yield from _mounts(node, volumes)
    yield from _environment(node)
    yield from _ports(node["ports"], host_network=host_network)
    yield from _resources(node["resources"])
    yield from _handlers(node)
    yield from _security(node["securityContext"])


def _mounts(node: Node, volumes: set[str]) -> Iterator[Complaint]:
    yield from node["volumeMounts"].once("mountPath", "mounts at")
    for mount in node["volumeMounts"].items():
        name, path = mount["name"], mount["mountPath"]
        if str(name.data) not in volumes:
            there = sorted(volumes)
            known = f"the pod has {enumeration(there)}" if there else "the pod has none"
            message = (
                f"there is no volume {name.data}: {known}"
                if mount.has("name")
                else "a mount needs the name of a volume"
            )
            yield part(mount, "name").complain(message, 'add it: patch pod "spec.volumes" += [{ name = … }]')
        if not path.data:
            yield mount.complain("a mount needs a mountPath")
        elif ":" in str(path.data):
            yield path.complain("a mountPath cannot contain ':'")
        for key in ("subPath", "subPathExpr"):
            text = str(mount[key].data or "")
            if text.startswith("/") or ".." in text.split("/"):
                yield mount[key].complain(f"{key} must be a relative path without '..'")
        if mount["subPath"].data and mount["subPathExpr"].data:
            yield mount["subPathExpr"].complain("subPath and subPathExpr cannot be combined", key=True)
    for device in node["volumeDevices"].items():
        if str(device["name"].data) not in volumes:
            yield part(device, "name").complain(f"there is no volume {device['name'].data}")


def _environment(node: Node) -> Iterator[Complaint]:
    for variable in node["env"].items():
        name, source = variable["name"], variable["valueFrom"]
        if not is_env_name(name.data):
            message = (
                f"{name.data!r} is not the name of a variable" if variable.has("name") else "a variable needs a name"
            )
            yield part(variable, "name").complain(message)
        if variable["value"].data and variable.has("valueFrom"):
            yield source.complain("value and valueFrom cannot be combined", key=True)
        if variable.has("valueFrom") and sum(source.has(key) for key in _VALUE_SOURCES) != 1:
            yield source.complain(f"valueFrom needs exactly one of {alternatives(_VALUE_SOURCES[:4])}")
        for key in ("configMapKeyRef", "secretKeyRef"):
            if source.has(key) and not source[key]["key"].data:
                yield source[key].complain(f"{key} needs a key")
    for source in node["envFrom"].items():
        if source.has("configMapRef") == source.has("secretRef"):
            yield source.complain("an item of envFrom needs either configMapRef or secretRef")


def _ports(node: Node, *, host_network: bool) -> Iterator[Complaint]:
    yield from node.once("name", "ports called")
    for port in node.items():
        name, number, host = port["name"], port["containerPort"], port["hostPort"]
        if not is_port(number.data):
            yield part(port, "containerPort").complain("containerPort must be between 1 and 65535")
        if port.has("name") and not is_port_name(name.data):
            yield name.complain(
                f"{name.data!r} is not the name of a port", "at most 15 letters, digits and '-', with a letter"
            )
        if port.has("protocol") and port["protocol"].data not in _PROTOCOLS:
            yield port["protocol"].complain(
                f"{port['protocol'].data!r} is not a protocol, write {alternatives(_PROTOCOLS)}"
            )
        if port.has("hostPort") and not is_port(host.data):
            yield host.complain("hostPort must be between 1 and 65535")
        elif host_network and port.has("hostPort") and host.data != number.data:
            yield host.complain("with hostNetwork, hostPort must be containerPort")


def _resources(node: Node) -> Iterator[Complaint]:
    for kind in ("limits", "requests"):
        for name, amount in node[kind].entries():
            yield from _amount(name, amount)
    for name, wanted in node["requests"].entries():
        limit = node["limits"][name]
        asked, most = quantity(wanted.data), quantity(limit.data)
        if "/" in name and asked is not None and asked != most:
            yield wanted.complain(f"the limit of {name} must equal its request", "such devices are not shared")
        elif asked is not None and most is not None and asked > most:
            yield wanted.complain(f"the request for {name} exceeds its limit {limit.data}")


def _amount(name: str, node: Node) -> Iterator[Complaint]:
    amount = quantity(node.data)
    if amount is None:
        yield node.complain(f"{node.data!r} is not a quantity", "for example 500m or 16Gi")
    elif amount < 0:
        yield node.complain(f"{name} cannot be negative")
    elif "/" in name and amount != amount.to_integral_value():
        yield node.complain(f"{name} must be a whole number")
    elif name == "memory" and amount != amount.to_integral_value():
        yield node.complain(f"{node.data} of memory is less than a byte", "the unit m means thousandths")
    if not is_qualified_name(name) or ("/" not in name and name not in _STANDARD and not name.startswith("hugepages-")):
        yield node.complain(f"{name} is not a resource", f"for example example.com/{name}", key=True)


def _handlers(node: Node) -> Iterator[Complaint]:
    """Probes and hooks have one way to be done."""
    places = [(node[key], _PROBE_HANDLERS) for key in _PROBES]
    places += [(node["lifecycle"][key], _HOOK_HANDLERS) for key in ("postStart", "preStop")]
    for place, handlers in places:
        if place.data is not None and sum(place.has(key) for key in handlers) != 1:
            yield place.complain(f"{place.at[-1]} needs exactly one of {alternatives(handlers)}")
        for key in ("httpGet", "tcpSocket", "grpc"):
            port = place[key]["port"]
            if place.has(key) and not (is_port(port.data) or is_port_name(port.data)):
                yield part(place[key], "port").complain(f"{key} needs a port: a number or the name of one")
    for key in ("livenessProbe", "startupProbe"):
        if node[key]["successThreshold"].data not in (None, 1):
            yield node[key]["successThreshold"].complain(f"the successThreshold of a {key} must be 1")


def _security(node: Node) -> Iterator[Complaint]:
    for key in ("runAsUser", "runAsGroup"):
        number = node[key].data
        if isinstance(number, int) and number < 0:
            yield node[key].complain(f"{key} cannot be negative")
    if node["privileged"].data is True and node["allowPrivilegeEscalation"].data is False:
        yield node["allowPrivilegeEscalation"].complain("a privileged container cannot forbid privilege escalation")


_NAMES: Final = {
    "serviceAccountName": is_dns_name,
    "priorityClassName": is_dns_name,
    "runtimeClassName": is_dns_name,
    "nodeName": is_dns_name,
    "schedulerName": is_qualified_name,
    "hostname": is_dns_label,
    "subdomain": is_dns_label,
}
_CLAIMS: Final = {"persistentVolumeClaim": "claimName", "configMap": "name", "secret": "secretName"}
_NOT_NEGATIVE: Final = ("runAsUser", "runAsGroup", "fsGroup")


def pod_template(node: Node) -> Iterator[Complaint]:
    """What is wrong with a pod template."""
    yield from metadata(node["metadata"])
    spec = node["spec"]
    if not list(spec["containers"].items()):
        yield spec["containers"].complain("a pod needs a container")
    yield from _volumes(spec["volumes"])
    yield from containers(spec)
    yield from _names(spec)
    yield from _numbers(spec)
    yield from _network(spec)
    yield from _shared_names(spec)
    yield from labels(spec["nodeSelector"], "node selector")
    yield from tolerations(spec["tolerations"])
    yield from affinity(spec["affinity"])
    yield from spread(spec["topologySpreadConstraints"])


def _volumes(node: Node) -> Iterator[Complaint]:
    yield from node.once("name", "volumes called")
    for volume in node.items():
        if not is_dns_label(volume["name"].data):
            yield part(volume, "name").complain(
                f"{volume['name'].data!r} is not the name of a volume"
                if volume.has("name")
                else "a volume needs a name"
            )
        sources = [key for key in volume.map if key != "name"]
        if len(sources) > 1:
            yield volume[sources[1]].complain(
                f"a volume can have only one source, not {sources[0]} and {sources[1]}", key=True
            )
        for source, key in _CLAIMS.items():
            name = volume[source][key]
            if volume.has(source) and not is_dns_name(name.data):
                yield part(volume[source], key).complain(
                    f"{name.data!r} is not the name of an object" if name.data is not None else f"{source} needs {key}"
                )
        size = volume["emptyDir"]["sizeLimit"]
        if size.data is not None and quantity(size.data) is None:
            yield size.complain(f"{size.data!r} is not a quantity", "for example 1Gi")
        if volume.has("hostPath") and not str(volume["hostPath"]["path"].data or "").strip():
            yield volume["hostPath"].complain("hostPath needs a path")


def _names(spec: Node) -> Iterator[Complaint]:
    for key, is_name in _NAMES.items():
        if spec.has(key) and not is_name(spec[key].data):
            yield spec[key].complain(f"{spec[key].data!r} cannot be a {key}")
    for secret in spec["imagePullSecrets"].items():
        if not is_dns_name(secret["name"].data):
            yield part(secret, "name").complain(f"{secret['name'].data!r} is not the name of a secret")


def _numbers(spec: Node) -> Iterator[Complaint]:
    seconds = spec["activeDeadlineSeconds"]
    if seconds.data is not None and (not is_int32(seconds.data) or seconds.data == 0):
        yield seconds.complain("activeDeadlineSeconds must be between 1 and 2147483647")
    grace = spec["terminationGracePeriodSeconds"]
    if isinstance(grace.data, int) and grace.data < 0:
        yield grace.complain("terminationGracePeriodSeconds cannot be negative")
    for key in _NOT_NEGATIVE:
        number = spec["securityContext"][key]
        if isinstance(number.data, int) and number.data < 0:
            yield number.complain(f"{key} cannot be negative")


def _network(spec: Node) -> Iterator[Complaint]:
    if spec["dnsPolicy"].data == "None" and not spec["dnsConfig"]["nameservers"].data:
        yield spec["dnsPolicy"].complain('dnsPolicy "None" needs nameservers in dnsConfig')
    servers = list(spec["dnsConfig"]["nameservers"].items())
    if len(servers) > 3:
        yield servers[3].complain("dnsConfig has at most 3 nameservers")
    for server in servers:
        if not _is_address(server.data):
            yield server.complain(f"{server.data!r} is not an IP address")
    for alias in spec["hostAliases"].items():
        if not _is_address(alias["ip"].data):
            yield part(alias, "ip").complain(
                f"{alias['ip'].data!r} is not an IP address" if alias.has("ip") else "a host alias needs an ip"
            )
        for name in alias["hostnames"].items():
            if not is_dns_name(name.data):
                yield name.complain(f"{name.data!r} is not the name of a host")


def _is_address(text: object) -> bool:
    from ipaddress import ip_address

    try:
        ip_address(str(text))
    except ValueError:
        return False
    return True


def _shared_names(spec: Node) -> Iterator[Complaint]:
    """Namespaces of the host and of the pod exclude each other."""
    if spec["shareProcessNamespace"].data is True and spec["hostPID"].data is True:
        yield spec["shareProcessNamespace"].complain("shareProcessNamespace and hostPID cannot be combined")


_JOB_NUMBERS: Final = ("backoffLimit", "completions", "parallelism", "ttlSecondsAfterFinished", "maxFailedIndexes")
_JOB_RESTARTS: Final = ("OnFailure", "Never")
_ACCESS: Final = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
_FAILURE_ACTIONS: Final = ("FailJob", "FailIndex", "Ignore", "Count")


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
        yield part(template["spec"], "restartPolicy").complain(f"restartPolicy must be {alternatives(allowed)} here")


def numbers(node: Node, keys: tuple[str, ...]) -> Iterator[Complaint]:
    """What is wrong with fields that are ints of 32 bits and not negative."""
    for key in keys:
        if node.has(key) and not is_int32(node[key].data):
            yield node[key].complain(f"{key} must be between 0 and 2147483647")


def claim(spec: Node) -> Iterator[Complaint]:
    """What is wrong with the specification of a claim."""
    for mode in spec["accessModes"].items():
        if mode.data not in _ACCESS:
            yield mode.complain(f"{mode.data!r} is not an access mode: {alternatives(_ACCESS)}")
    storage = spec["resources"]["requests"]["storage"]
    amount = quantity(storage.data)
    if amount is None or amount <= 0:
        yield storage.complain(f"{storage.data!r} is not a size", "for example 100Gi")
    name = spec["storageClassName"]
    if name.data and not is_dns_name(name.data):
        yield name.complain(f"{name.data!r} is not the name of a storage class")


def job(spec: Node) -> Iterator[Complaint]:
    """What is wrong with the ``spec`` of a Job."""
    yield from numbers(spec, _JOB_NUMBERS)
    yield from restart_policy(spec["template"], _JOB_RESTARTS)
    rules = spec["podFailurePolicy"]["rules"]
    if rules.data and spec["template"]["spec"]["restartPolicy"].data != "Never":
        yield rules.complain('podFailurePolicy needs the restartPolicy "Never"')
    for rule in rules.items():
        if rule["action"].data not in _FAILURE_ACTIONS:
            yield part(rule, "action").complain(f"the action must be {alternatives(_FAILURE_ACTIONS)}")


def _service(spec: Node) -> Iterator[Complaint]:
    yield from labels(spec["selector"], "selector")
    yield from spec["ports"].once("name", "ports called")
    ports = list(spec["ports"].items())
    for port in ports:
        if not is_port(port["port"].data):
            yield part(port, "port").complain("port must be between 1 and 65535")
        if not is_dns_label(port["name"].data) and (port.has("name") or len(ports) > 1):
            yield part(port, "name").complain("each port of a Service with several needs a name, a DNS label")


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
