"""The application master's REST service: the exports of the components, their counters, and the request to stop.

The master is reached through the ResourceManager's proxy. Before anything is published there the proxy answers 500
for an export group, so every answer but 200 means "not yet". The request to stop is a POST, which proxies older than
Hadoop 2.8 refuse (YARN-2031); it goes to the master's own address first, which stands in its registry entry.
"""

import json
import os

try:
    from urllib.request import ProxyHandler, Request, build_opener
    from urllib.parse import quote
except ImportError:
    from urllib2 import ProxyHandler, Request, build_opener
    from urllib import quote

from xml.etree import ElementTree

import task_settings

TIMEOUT = 15
API = "/ws/v1/slider"
REST_API = "classpath:org.apache.slider.client.rest"


class Master(object):
    """Talks to the application master of one application."""

    def __init__(self, settings, resourcemanagers):
        self.settings = settings
        # A proxy for the world outside, as in http_proxy, does not know the nodes of the cluster.
        self.opener = build_opener(ProxyHandler({}))
        self.resourcemanagers = resourcemanagers or from_hadoop_conf(settings["hadoop_conf"])
        self.direct = None
        self.last = ""

    def exported(self, group):
        """Entries of an export group: ``[{"value": "host:port", "tag": "1", ...}]``; empty when not published yet."""
        answer = self.get(API + "/publisher/exports/" + quote(group))
        entries = (answer or {}).get("entries") or {}
        found = []
        for name in sorted(entries):
            found.extend(entry for entry in entries[name] if isinstance(entry, dict))
        return found

    def lost(self, role):
        """How many containers of ``role`` were lost: ``(failed, evicted)``; ``(0, 0)`` when nobody tells."""
        answer = self.get(API + "/application/live/components/" + quote(role)) or {}

        def count(key):
            value = answer.get(key)
            return value if isinstance(value, int) else 0

        return count("failed"), count("nodeFailed") + count("preempted")

    def stop(self):
        """Ask the master to stop the application; whether one of its addresses took the request."""
        for base in self.bases(True):
            if self.fetch(base + API + "/application/action/stop", b"stop") is not None:
                return True
        return False

    def get(self, path):
        """The JSON document at ``path`` of the master, or None."""
        for base in self.bases(False):
            text = self.fetch(base + path, None)
            if text is not None:
                try:
                    answer = task_settings.native(json.loads(text.decode("utf-8")))
                except ValueError:
                    self.last = "%s gave no JSON" % (base + path)
                    continue
                if isinstance(answer, dict):
                    self.last = ""
                    return answer
        self.direct = None  # a master that was started again has another address
        return None

    def bases(self, own_address_first):
        """Addresses of the master, the best first."""
        proxies = ["%s/proxy/%s" % (manager, self.settings["application"]) for manager in self.resourcemanagers]
        if own_address_first or not (proxies or self.direct):
            self.direct = self.registered(proxies) or self.direct
        own = [self.direct] if self.direct else []
        return own + proxies if own_address_first else proxies + own

    def registered(self, proxies):
        """The master's own address from its registry entry: over REST, else from ZooKeeper."""
        path = "/users/%s/services/org-apache-slider/%s" % (
            quote(self.settings["user"]), quote(self.settings["application_name"])
        )
        for base in proxies:
            text = self.fetch(base + API + "/registry" + path, None)
            if text is not None:
                try:
                    found = rest_address(json.loads(text.decode("utf-8")).get("service"))
                except (ValueError, AttributeError):
                    found = None
                if found:
                    return found
        return from_zookeeper(self.settings["zookeeper"], "/registry" + path)

    def fetch(self, url, body):
        """The body of a good answer (2xx for a POST), or None; why not is kept in ``last``."""
        request = Request(url, body)
        if body is not None:
            request.add_header("Content-Type", "text/plain")
        try:
            answer = self.opener.open(request, None, TIMEOUT)
            try:
                text = answer.read()
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
    """The address of the REST service in a record of the YARN registry, without the final slash, or None."""
    for endpoint in (record or {}).get("external") or []:
        if endpoint.get("api") == REST_API:
            for address in endpoint.get("addresses") or []:
                if address.get("uri"):
                    return str(address["uri"]).rstrip("/")
    return None


def from_zookeeper(quorum, path):
    """The same from ZooKeeper, with the client that the agent brings along; None where it brings none."""
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
    except Exception:  # no node yet, no connection: the caller asks again later
        return None
    finally:
        client.stop()


def from_hadoop_conf(folder):
    """Web addresses of the ResourceManagers, from yarn-site.xml of the node."""
    for place in (folder, os.environ.get("HADOOP_CONF_DIR"), os.environ.get("YARN_CONF_DIR")):
        site = os.path.join(place or "", "yarn-site.xml")
        if place and os.path.isfile(site):
            found = web_addresses(properties(site))
            if found:
                return found
    return []


def properties(path):
    """Names and values of a Hadoop configuration file."""
    found = {}
    for item in ElementTree.parse(path).getroot().findall("property"):
        found[(item.findtext("name") or "").strip()] = (item.findtext("value") or "").strip()
    return task_settings.native(found)


def web_addresses(conf):
    """Web addresses out of yarn-site.xml, one per ResourceManager; ports default as in yarn-default.xml."""
    secure = conf.get("yarn.http.policy") == "HTTPS_ONLY"
    scheme, key, port = ("https", "https.address", "8090") if secure else ("http", "address", "8088")
    ids = [name.strip() for name in conf.get("yarn.resourcemanager.ha.rm-ids", "").split(",") if name.strip()]
    found = []
    for suffix in ["." + name for name in ids] or [""]:
        address = conf.get("yarn.resourcemanager.webapp.%s%s" % (key, suffix))
        host = conf.get("yarn.resourcemanager.hostname" + suffix) or (conf.get("yarn.resourcemanager.hostname"))
        if address and "$" not in address:
            found.append("%s://%s" % (scheme, address))
        elif host:
            found.append("%s://%s:%s" % (scheme, host, port))
    return found
