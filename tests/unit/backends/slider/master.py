"""A stand-in for Slider's application master behind the ResourceManager's proxy, on 127.0.0.1.

Paths and answers as in the reference: an export group that nobody has published answers 500 through the proxy, the
request to stop is a POST.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

APPLICATION = "application_1488787200000_0007"
API = "/ws/v1/slider"


class Master:
    """What the master knows, and what it was asked. ``exports``: role → entries in the order of registration."""

    def __init__(self) -> None:
        self.exports: dict[str, list[dict[str, str]]] = {}
        self.lost: dict[str, dict[str, int]] = {}
        self.stops: list[str] = []
        self.wrong: list[str] = []
        self.proxy_posts = True
        self.answering = True
        self.registered = True
        master = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, answer = master.get(self.path)
                body = b"<html>not JSON</html>" if answer is None else json.dumps(answer).encode()
                self.reply(status, body)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.reply(master.post(self.path), b'{"verb": "POST"}')

            def reply(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def publish(self, role: str, tag: int, value: str) -> None:
        """An agent reports its port; a replacement takes the tag of what it replaces and goes to the end."""
        entries = [entry for entry in self.exports.get(role, []) if entry["tag"] != str(tag)]
        self.exports[role] = [*entries, {"value": value, "tag": str(tag), "level": "component"}]

    def withdraw(self, role: str, tag: int) -> None:
        """A container is lost."""
        self.exports[role] = [entry for entry in self.exports[role] if entry["tag"] != str(tag)]

    def path(self, path: str) -> tuple[str, str]:
        """Where a request came in (the proxy, or the master's own address) and what it is about."""
        for base in (f"/proxy/{APPLICATION}", "/own"):
            if path.startswith(base + API):
                return base, path[len(base + API) :]
        return "", path

    def get(self, path: str) -> tuple[int, object]:
        base, rest = self.path(path)
        if not base or not self.answering:
            return 404, None
        parts = rest.strip("/").split("/")
        if parts[:2] == ["publisher", "exports"]:
            entries = self.exports.get(parts[2])
            name = "url" if parts[2] == "tensorboard" else "host_port"
            return (200, {"description": parts[2], "entries": {name: entries}}) if entries else (500, None)
        if parts[:3] == ["application", "live", "components"]:
            return 200, {"name": parts[3], "failed": 0, "nodeFailed": 0, "preempted": 0, **self.lost.get(parts[3], {})}
        if rest == "/registry/users/alice/services/org-apache-slider/mnist" and self.registered:
            rest_api = {
                "api": "classpath:org.apache.slider.client.rest",
                "addresses": [{"uri": f"http://{self.address}/own/"}],
            }
            return 200, {"nodes": [], "service": {"external": [{"api": "http://", "addresses": []}, rest_api]}}
        if rest == "/application/action/stop":
            self.wrong.append("GET")
            return 405, None
        return 404, None

    def post(self, path: str) -> int:
        base, rest = self.path(path)
        if not self.answering or rest != "/application/action/stop" or (base != "/own" and not self.proxy_posts):
            return 405
        self.stops.append(base)
        return 200

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
