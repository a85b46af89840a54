"""The pod template of a role."""

from __future__ import annotations

from tfdsl.emit.located import Data, Located, at, child, entry, unless_empty
from tfdsl.ir.model import Job, Role, Toleration
from tfdsl_backends.podspec.command import command_and_args
from tfdsl_backends.podspec.environment import env, env_from
from tfdsl_backends.podspec.options import NO_SIDECAR
from tfdsl_backends.podspec.placement import affinity, node_selector
from tfdsl_backends.podspec.plan import CONTAINER, PORT_NAME, PodPlan
from tfdsl_backends.podspec.ports import container_port, named_ports
from tfdsl_backends.podspec.resources import resources
from tfdsl_backends.podspec.run_time import literal
from tfdsl_backends.podspec.security import container_security, pod_security
from tfdsl_backends.podspec.steps import init_containers
from tfdsl_backends.podspec.volumes import pod_volumes


def pod_template(job: Job, role: Role, plan: PodPlan) -> dict[str, Data]:
    """``{metadata, spec}`` for the replicas of ``role``."""
    return {"metadata": unless_empty(template_metadata(role, plan)), "spec": pod_spec(job, role, plan)}


def template_metadata(role: Role, plan: PodPlan) -> dict[str, Data]:
    """Labels and annotations: the target's, then the role's own, which win for annotations."""
    ours = {NO_SIDECAR: "false"} if plan.istio_annotation else {}
    return {
        "labels": unless_empty({**_entries(role, "labels"), **plan.labels}),
        "annotations": unless_empty({**ours, **plan.annotations, **_entries(role, "annotations")}),
    }


def pod_spec(job: Job, role: Role, plan: PodPlan) -> dict[str, Data]:
    """The ``spec``; its keys in one order on every target."""
    volumes = pod_volumes(role, plan)
    host_network = role.host_network or plan.host_network
    return {
        "restartPolicy": plan.restart_policy,
        "activeDeadlineSeconds": plan.active_deadline_seconds,
        "terminationGracePeriodSeconds": stop_grace(role),
        "schedulerName": plan.scheduler,
        "priorityClassName": plan.priority_class,
        "serviceAccountName": at(role, "service_account"),
        "securityContext": pod_security(role),
        "nodeName": plan.node_name,
        "subdomain": plan.subdomain,
        "hostNetwork": Located(True, child(role.path, "host_network")) if host_network else None,
        "dnsPolicy": "ClusterFirstWithHostNet" if host_network and plan.cluster_dns else None,
        "imagePullSecrets": [{"name": secret} for secret in _secrets(role)] or None,
        "nodeSelector": node_selector(role),
        "tolerations": [_toleration(toleration) for toleration in role.tolerations] or None,
        "affinity": affinity(role, plan),
        "initContainers": init_containers(job, role, plan, volumes.mounts) or None,
        "containers": [container(job, role, plan, volumes.mounts)],
        "volumes": volumes.volumes or None,
    }


def container(job: Job, role: Role, plan: PodPlan, mounts: list[Data]) -> dict[str, Data]:
    """The one container."""
    command, args = command_and_args(job, role, plan)
    return {
        "name": CONTAINER,
        "image": at(role, "image"),
        "imagePullPolicy": at(role, "image_pull_policy"),
        "command": command or None,
        "args": args or None,
        "workingDir": Located(literal(role.workdir), child(role.path, "workdir")) if role.workdir else None,
        "ports": ports(role, plan),
        "env": env(job, role, plan) or None,
        "envFrom": env_from(role) or None,
        "resources": resources(role, plan),
        "securityContext": container_security(role),
        "volumeMounts": mounts or None,
    }


def stop_grace(role: Role) -> Data:
    """Seconds between SIGTERM and SIGKILL."""
    if role.stop_grace is None:
        return None
    return Located(role.stop_grace.seconds, child(role.path, "stop_grace"))


def ports(role: Role, plan: PodPlan) -> list[Data] | None:
    """The TensorFlow port (TensorBoard's for its role), unless the plan leaves it to the target, and further ones."""
    name = "http" if role.name == "tensorboard" and plan.port_name == PORT_NAME else plan.port_name
    own = [] if name is None else [container_port(name, at(role, "port"), plan)]
    return [*own, *named_ports(role, plan)] or None


def _entries(role: Role, field: str) -> dict[str, Data]:
    entries: dict[str, str] = getattr(role, field)
    return {key: Located(value, entry(child(role.path, field), key)) for key, value in entries.items()}


def _secrets(role: Role) -> list[Data]:
    """Each once: the schemas of custom resources refuse a name that comes twice."""
    path = child(role.path, "image_pull_secrets")
    places = {name: f"{path}[{index}]" for index, name in reversed([*enumerate(role.image_pull_secrets)])}
    return [Located(name, places[name]) for name in dict.fromkeys(role.image_pull_secrets)]


def _toleration(toleration: Toleration) -> Data:
    return Located(
        {
            "key": at(toleration, "key"),
            "operator": at(toleration, "operator"),
            "value": at(toleration, "value"),
            "effect": at(toleration, "effect"),
            "tolerationSeconds": at(toleration, "toleration_seconds"),
        },
        toleration.path,
    )
