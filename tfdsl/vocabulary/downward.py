"""The fields of a pod that ``pod_field()`` gives to a variable (Kubernetes, "Downward API", fieldRef in ``env``)."""

from __future__ import annotations

from typing import Final

FIELDS: Final = {
    "metadata.name": "Name of the pod.",
    "metadata.namespace": "Namespace of the pod.",
    "metadata.uid": "Unique id of the pod.",
    "spec.nodeName": "Name of the node that runs the pod.",
    "spec.serviceAccountName": "ServiceAccount of the pod.",
    "status.hostIP": "IP address of the node.",
    "status.hostIPs": "IP addresses of the node, IPv4 and IPv6.",
    "status.podIP": "IP address of the pod.",
    "status.podIPs": "IP addresses of the pod, IPv4 and IPv6.",
}
"""Path → what it is."""

KEYED: Final = {"metadata.labels": "label", "metadata.annotations": "annotation"}
"""Maps of which a variable can have one member, ``metadata.labels['KEY']``."""
