"""The work folder: everything that a run writes lies in it."""

from __future__ import annotations

import json
import secrets
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PORTS = (
    "etcd",
    "etcd-peer",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "webhook",
    "operator-health",
    "gang-webhook",
    "gang-health",
    "kubelet",
    "kubelet-health",
    "coredns-ready",
    "argo-to-server",
)


@dataclass(frozen=True)
class Work:
    """The work folder. Keep its path short: a Unix socket's name has at most 107 characters."""

    folder: Path

    def sub(self, name: str) -> Path:
        """The folder ``name`` in it, made when it is not there."""
        path = self.folder / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    @property
    def programs(self) -> Path:
        """Where the programs are that were built."""
        return self.sub("bin")

    @property
    def keys(self) -> Path:
        """Keys and certificates."""
        return self.sub("pki")

    @property
    def kubeconfig(self) -> Path:
        """The file by which the programs find the API server."""
        return self.folder / "kubeconfig"

    @property
    def certificate(self) -> Path:
        """Of the API server and of the webhook; signed by itself."""
        return self.keys / "server.crt"

    @property
    def key(self) -> Path:
        """The key of :attr:`certificate`."""
        return self.keys / "server.key"

    def port(self, name: str) -> int:
        """A port of this run, chosen by the system once and for all."""
        path = self.folder / "ports.json"
        ports: dict[str, int] = json.loads(path.read_text()) if path.exists() else {}
        if name not in ports:  # an older work folder may not have all
            ports |= _free_ports(tuple(port for port in PORTS if port not in ports))
            path.write_text(json.dumps(ports))
        return ports[name]

    def token(self) -> str:
        """The token that makes its bearer an administrator of the cluster."""
        path = self.keys / "token"
        if not path.exists():
            path.write_text(secrets.token_hex(16))
            path.chmod(0o600)
        return path.read_text()


def _free_ports(names: tuple[str, ...]) -> dict[str, int]:
    found: dict[str, int] = {}
    open_sockets: list[socket.socket] = []
    for name in names:
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        open_sockets.append(listener)  # kept open, so that no port comes twice
        found[name] = listener.getsockname()[1]
    for listener in open_sockets:
        listener.close()
    return found
