"""The application master's REST service: the exports of the components, their counters, and the request to stop.

The master is reached through the ResourceManager's proxy. Until something is published, the proxy answers 500 for an
export group, so every answer but 200 means "not yet". The request to stop is a POST, which proxies older than
Hadoop 2.8 refuse (YARN-2031); it goes first to the master's own address, which its registry entry names.
"""

import json
import os
import sys

if sys.version_info >= (3,):
    from urllib.request import ProxyHandler, Request, build_opener
    from urllib.parse import quote
else:
    from urllib2 import ProxyHandler, Request, build_opener
    from urllib import quote

from xml.etree import ElementTree

from tfdsl_backends.hadoop.programs.files import native

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TIMEOUT = 15
API = "/ws/v1/slider"
REST_API = "classpath:org.apache.slider.client.rest"


class Master(object):
    """The application master of one application. ``last``: why the last request failed."""

    def __init__(self, settings, resourcemanagers):
        # type: (dict[str, str], list[str]) -> None
        self.settings = settings
        # A proxy to the outside world, as in http_proxy, does not know the nodes of the cluster.
        self.opener = build_opener(ProxyHandler({}))
        self.resourcemanagers = resourcemanagers or from_hadoop_conf(settings["hadoop_conf"])
        self.direct = None  # type: str | None
        self.last = ""

    def exported(self, group):
        # type: (str) -> list[dict[str, Any]]
        """Entries of an export group: ``[{"value": "host:port", "tag": "1", ...}]``; empty until it is published."""
        answer = self.get(API + "/publisher/exports/" + quote(group))
        entries = answer.get("entries") or {} if answer else {}  # type: dict[str, list[dict[str, Any] | str]]
        exported = []  # type: list[dict[str, Any]]
        for name in sorted(entries):
            exported.extend(entry for entry in entries[name] if isinstance(entry, dict))
        return exported

    def lost(self, role):
        # type: (str) -> tuple[int, int]
        """How many containers of ``role`` were lost: ``(failed, evicted)``; ``(0, 0)`` without an answer.

        Slider counts those with broken disks twice, and those of lost nodes as failed.
        """
        answer = self.get(API + "/application/live/components/" + quote(role)) or {}

        def count(key):
            # type: (str) -> int
            value = answer.get(key)
            return value if isinstance(value, int) else 0

        broken = count("nodeFailed")
        return max(count("failed") - broken, 0), broken + count("preempted")

    def stop(self):
        # type: () -> bool
        """Ask the master to stop the application; true if one of its addresses accepts the request."""
        for base in self.bases(True):
            if self.fetch(base + API + "/application/action/stop", b"stop") is not None:
                return True
        return False

    def get(self, path):
        # type: (str) -> dict[str, Any] | None
        """The JSON object at ``path`` of the master, or None."""
        for base in self.bases(False):
            text = self.fetch(base + path, None)
            if text is not None:
                try:
                    answer = native(json.loads(text.decode("utf-8")))  # type: dict[str, Any] | list[Any] | None
                except ValueError:
                    self.last = "%s did not answer with JSON" % (base + path)
                    continue
                if isinstance(answer, dict):
                    self.last = ""
                    return answer
        self.direct = None  # a restarted master has another address
        return None

    def bases(self, own_address_first):
        # type: (bool) -> list[str]
        """Addresses of the master, best first."""
        proxies = ["%s/proxy/%s" % (manager, self.settings["application"]) for manager in self.resourcemanagers]
        if own_address_first or not (proxies or self.direct):
            self.direct = self.registered(proxies) or self.direct
        own = [self.direct] if self.direct else []
        return own + proxies if own_address_first else proxies + own

    def registered(self, proxies):
        # type: (list[str]) -> str | None
        """The master's own address from its registry entry: over REST, else from ZooKeeper."""
        path = "/users/%s/services/org-apache-slider/%s" % (
            quote(self.settings["user"]),
            quote(self.settings["application_name"]),
        )
        for base in proxies:
            text = self.fetch(base + API + "/registry" + path, None)
            if text is not None:
                try:
                    address = rest_address(json.loads(text.decode("utf-8")).get("service"))
                except (ValueError, AttributeError):
                    address = None
                if address:
                    return address
        return from_zookeeper(self.settings["zookeeper"], "/registry" + path)

    def fetch(self, url, body):
        # type: (str, bytes | None) -> bytes | None
        """The body of a successful answer (2xx for a POST), or None; ``last`` then says why."""
        request = Request(url, body)
        if body is not None:
            request.add_header("Content-Type", "text/plain")
        try:
            answer = self.opener.open(request, None, TIMEOUT)
            try:
                text = answer.read()  # type: bytes
                code = answer.getcode()
            finally:
                answer.close()
        except Exception as error:  # urllib, socket, http and ssl each have their own
            self.last = "%s: %s" % (url, error)
            return None
        if code == 200 or (body is not None and 200 <= code < 300):
            return text
        self.last = "%s: HTTP %s" % (url, code)
        return None


def rest_address(record):
    # type: (dict[str, Any] | None) -> str | None
    """The address of the REST service in a record of the YARN registry, without its final slash, or None."""
    endpoints = record.get("external") or [] if record else []  # type: list[dict[str, Any]]
    for endpoint in endpoints:
        if endpoint.get("api") == REST_API:
            addresses = endpoint.get("addresses") or []  # type: list[dict[str, str]]
            for address in addresses:
                if address.get("uri"):
                    return str(address["uri"]).rstrip("/")
    return None


def from_zookeeper(quorum, path):
    # type: (str, str) -> str | None
    """The same from ZooKeeper, with the client that comes with the agent; None if it has none."""
    if not quorum:
        return None
    try:
        from kazoo.client import KazooClient
    except ImportError:
        return None
    client = KazooClient(hosts=quorum)
    try:
        client.start(timeout=TIMEOUT)
        return rest_address(json.loads(client.get(path)[0].decode("utf-8")))
    except Exception:  # no node yet, or no connection: the caller asks again
        return None
    finally:
        client.stop()


def from_hadoop_conf(folder):
    # type: (str) -> list[str]
    """Web addresses of the ResourceManagers, from yarn-site.xml of the node."""
    for place in (folder, os.environ.get("HADOOP_CONF_DIR"), os.environ.get("YARN_CONF_DIR")):
        site = os.path.join(place or "", "yarn-site.xml")
        if place and os.path.isfile(site):
            addresses = web_addresses(properties(site))
            if addresses:
                return addresses
    return []


def properties(path):
    # type: (str) -> dict[str, str]
    """Names and values in a Hadoop configuration file."""
    values = {}  # type: dict[str, str]
    for item in ElementTree.parse(path).getroot().findall("property"):
        values[(item.findtext("name") or "").strip()] = (item.findtext("value") or "").strip()
    return dict(native(values))


def web_addresses(conf):
    # type: (dict[str, str]) -> list[str]
    """The web address of each ResourceManager in yarn-site.xml; ports default as in yarn-default.xml."""
    secure = conf.get("yarn.http.policy") == "HTTPS_ONLY"
    scheme, key, port = ("https", "https.address", "8090") if secure else ("http", "address", "8088")
    ids = [name.strip() for name in conf.get("yarn.resourcemanager.ha.rm-ids", "").split(",") if name.strip()]
    addresses = []  # type: list[str]
    for suffix in ["." + name for name in ids] or [""]:
        address = conf.get("yarn.resourcemanager.webapp.%s%s" % (key, suffix))
        host = conf.get("yarn.resourcemanager.hostname" + suffix) or (conf.get("yarn.resourcemanager.hostname"))
        if address and "$" not in address:
            addresses.append("%s://%s" % (scheme, address))
        elif host:
            addresses.append("%s://%s:%s" % (scheme, host, port))
    return addresses
