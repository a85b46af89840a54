"""A client of the API server: one connection that is kept, so that a question takes some milliseconds."""

from __future__ import annotations

import http.client
import json
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    from tests.conformance.kubernetes.work import Work

JSON = "application/json"
YAML = "application/yaml"
STRATEGIC = "application/strategic-merge-patch+json"
MERGE_PATCH = "application/merge-patch+json"
"""For custom resources, which have no strategic merge."""


@dataclass(frozen=True)
class Answer:
    """What the server says. ``data``: the object, or the ``Status`` that tells why not."""

    status: int
    data: dict[str, Any]
    warnings: tuple[str, ...] = ()

    @property
    def fine(self) -> bool:
        """Whether it was done."""
        return self.status < 300

    @property
    def message(self) -> str:
        """What is wrong, in the server's words."""
        return "" if self.fine else str(self.data.get("message", self.data))


class RefusedError(Exception):
    """The server does not do what a test needs."""


class Api:
    """The API server of a work folder."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._connection: http.client.HTTPSConnection | None = None
        self._kinds: dict[str, dict[str, dict[str, Any]]] = {}

    def call(self, method: str, path: str, body: object = None, content_type: str = JSON) -> Answer:
        """Ask the server. ``body``: text or bytes as they are, else made JSON."""
        data = body.encode() if isinstance(body, str) else body
        if data is not None and not isinstance(data, bytes):
            data = json.dumps(data).encode()
        headers = {
            "Authorization": f"Bearer {self._work.token()}",
            "Content-Type": content_type,
            "Accept": f"{JSON}, */*",
        }
        for attempt in (1, 2):
            connection = self._connect()
            try:
                connection.request(method, path, data, headers)
                response = connection.getresponse()
                text = response.read().decode(errors="replace")
            except (http.client.HTTPException, ConnectionError, ssl.SSLEOFError):
                self._connection = None  # the server closes connections that were idle
                if attempt == 2:
                    raise
                continue
            warnings = tuple(response.headers.get_all("Warning") or ())
            return Answer(response.status, _object(text), warnings)
        raise AssertionError("unreachable")

    def ready(self) -> bool:
        """Whether the server serves."""
        try:
            return self.call("GET", "/readyz").status == 200
        except OSError:
            return False

    def get(self, path: str) -> dict[str, Any]:
        """An object, or an empty one when there is none."""
        answer = self.call("GET", path)
        if answer.status == 404:
            return {}
        return self._done(answer)

    def items(self, path: str, selector: str = "") -> list[dict[str, Any]]:
        """The objects of a collection with the labels of ``selector``."""
        return self._done(self.call("GET", f"{path}?labelSelector={quote(selector)}")).get("items", [])

    def post(self, path: str, body: object) -> dict[str, Any]:
        """Create an object, which must be fine."""
        return self._done(self.call("POST", path, body))

    def patch(self, path: str, body: object) -> dict[str, Any]:
        """Change an object by a strategic merge, which must be fine."""
        return self._done(self.call("PATCH", path, body, STRATEGIC))

    def delete(self, path: str) -> None:
        """Delete an object and all that it owns; it need not be there."""
        answer = self.call("DELETE", f"{path}?propagationPolicy=Background")
        if answer.status != 404:
            self._done(answer)

    def place(self, version: str, kind: str, namespace: str = "default") -> str:
        """The path of the collection of a kind."""
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        if kind not in self._kinds.get(version, {}):
            resources = self._done(self.call("GET", root))["resources"]
            self._kinds[version] = {entry["kind"]: entry for entry in resources if "/" not in entry["name"]}
        entry = self._kinds[version].get(kind)
        if entry is None:
            raise RefusedError(f"{kind} of {version} is not served")
        return f"{root}/namespaces/{namespace}/{entry['name']}" if entry["namespaced"] else f"{root}/{entry['name']}"

    def _connect(self) -> http.client.HTTPSConnection:
        if self._connection is None:
            context = ssl.create_default_context(cafile=str(self._work.certificate))
            port = self._work.port("kube-apiserver")
            self._connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=context)
        return self._connection

    @staticmethod
    def _done(answer: Answer) -> dict[str, Any]:
        if not answer.fine:
            raise RefusedError(f"{answer.status}: {answer.message}")
        return answer.data


def _object(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except ValueError:
        return {"message": text}
    return data if isinstance(data, dict) else {"message": text}
