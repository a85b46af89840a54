"""The task program as one file: what it is made of, what it says without a cluster, and its transfers."""

from __future__ import annotations

import ast
import json
import subprocess
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from tests.pythons import NEW, pythons
from tfdsl_backends.hadoop import programs as shared
from tfdsl_backends.yarn import programs
from tfdsl_backends.yarn.assembly import MODULES, entries, program
from tfdsl_backends.yarn.programs import coordinator, main, plan, rendezvous, storage, task

if TYPE_CHECKING:
    from collections.abc import Iterator

EACH = pytest.mark.parametrize("python", pythons())


def test_it_is_one_ascii_file_that_imports_nothing_but_the_standard_library() -> None:
    text = program(entries())
    assert text.isascii()
    imported = {
        alias.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import) for alias in node.names
    }
    imported |= {str(node.module) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)}
    import sys

    old = {"httplib", "urllib2", "urlparse"}  # Python 2's names
    assert {name.split(".")[0] for name in imported} - old <= set(sys.stdlib_module_names)
    assert "TFJOB_PROGRAM" not in text.splitlines()
    packages = {"hadoop.programs": shared, "yarn.programs": programs}
    stems = {f"{name}.{path.stem}" for name, one in packages.items() for path in Path(one.__path__[0]).glob("*.py")}
    assert set(MODULES) == {name for name in stems if not name.endswith(".__init__")}


@EACH
def test_every_python_compiles_it(python: str, tmp_path: Path) -> None:
    file = tmp_path / "task.py"
    file.write_text(program(entries()))
    code = "import sys; compile(open(sys.argv[1]).read(), sys.argv[1], 'exec')"
    done = subprocess.run([python, "-c", code, str(file)], capture_output=True, text=True)
    assert done.stderr == ""


def test_flags_of_a_modified_client_are_read_back() -> None:
    flags = ["--ps_hosts=a:1,b:2", "--worker_hosts=c:3", "--job_name=ps", "--task_index=1"]
    spec, role, index = main.cluster_of_flags(flags)
    assert (dict(spec), role, index) == ({"ps": ["a:1", "b:2"], "worker": ["c:3"]}, "ps", 1)
    assert main.flags_of(spec, role, index) == flags


def test_a_job_without_ps_has_an_empty_list_of_them() -> None:
    spec = main.cluster_of([("worker", 0), ("evaluator", 0)], ["a:1", "b:2"])
    assert main.flags_of(spec, "evaluator", 0)[0::2] == ["--ps_hosts=", "--job_name=evaluator"]


@pytest.mark.parametrize(
    ("restarts", "kind", "own", "expected"),
    [
        (0, "stop", 7, 0), (0, "missing", -1, 76), (0, "fail", 7, 7), (0, "fail", -1, 75), (0, "fail", 75, 75),
        (3, "stop", 7, 0), (3, "missing", -1, 76), (3, "restart", -1, 75), (3, "restart", 137, 75), (3, "fail", 7, 7),
        (3, "fail", -1, 143), (3, "fail", 75, 1),
    ],
)  # fmt: skip
def test_statuses(restarts: int, kind: str, own: int, expected: int) -> None:
    """Relaunched is what ends with 75, and nothing else."""
    made = plan.Plan(json.dumps(minimal() | {"restarts": restarts}))
    assert made.status(kind, own) == expected


@pytest.mark.parametrize(("tries", "expected"), [(1, "restart"), (3, "restart"), (4, "fail"), (5, "fail")])
def test_after_the_last_restart_a_failure_is_one(tries: int, expected: str) -> None:
    made = plan.Plan(json.dumps(minimal() | {"restarts": 3, "actions": {"worker": {"0": "restart", "9": "ignore"}}}))
    made.tries = tries
    assert made.action(0, 7) == expected
    assert made.action(0, 9) == "ignore"


def test_what_linux_cannot_start_is_one_clear_line(capfd: pytest.CaptureFixture[str]) -> None:
    steps = task.Steps(plan.Plan(json.dumps(minimal())), "job.sh", 0)
    assert steps.step("command", [], {"TF_CONFIG": "x" * 131_072}) == 126
    assert capfd.readouterr().err == (
        "[tfjob worker[0]] cannot start the step command: [Errno 7] Argument list too long: 'bash'\n"
    )


def test_the_longer_a_task_waits_the_rarer_it_looks() -> None:
    """Each look through the Hadoop client costs a second and a half of a processor."""
    now = time.time()
    store = storage.HdfsStore("/x")
    waits = [round(rendezvous.pause(store, now - waited)) for waited in (0, 10, 60, 200, 3600)]
    assert waits == [2, 2, 6, 20, 30]


def minimal() -> dict[str, object]:
    return {
        "job": "m", "roles": [["worker", 1]], "after": {}, "optional": [], "complete": [["worker", -1]],
        "actions": {"worker": {"0": "fail"}}, "tf_config": [], "flags": [], "again": [], "restarts": 0,
        "store": "/s", "webhdfs": "", "ports": [20000, 30000], "reuse_port": False, "limit": 5,
        "patience": 1, "grace": {"worker": 1},
    }  # fmt: skip


def test_strangers_do_not_disturb_the_coordinator() -> None:
    """A port scanner, a browser, a task of another job, a line that never ends."""
    import socket

    made = coordinator.Coordinator(plan.Plan(json.dumps(minimal())))
    made.start()
    hello = {"op": "hello", "token": "wrong", "slot": "0", "address": "x:1", "container": "c"}
    for data in (
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        b"\xff\xfe\n",
        b"[1]\n",
        b"null\n",
        b"[" * 50000 + b"\n",
        b'{"op": "helo", "slot": "x"}\n',
        b'{"op": "hello", "slot": "x"}\n',
        (json.dumps(hello) + "\n").encode(),
    ):
        with socket.create_connection(("127.0.0.1", made.port)) as line:
            line.sendall(data)
            line.settimeout(2)
            answer = line.recv(1000) if b"hello" in data else b""
        assert made.is_alive()
    assert json.loads(answer)["op"] == "again"
    assert made.members == {}
    with socket.create_connection(("127.0.0.1", made.port)) as line:
        line.sendall((json.dumps(hello | {"token": made.token}) + "\n").encode())
        assert json.loads(line.recv(1000).split(b"\n")[0])["op"] == "welcome"
    made.join(10)
    assert (made.verdict, made.reason) == ("fail", "worker[0] was lost")


def test_nonsense_from_a_task_ends_its_connection_only() -> None:
    import socket

    made = coordinator.Coordinator(plan.Plan(json.dumps(minimal())))
    made.start()
    hello = {"op": "hello", "token": made.token, "slot": "x", "address": "x:1", "container": "c"}
    with socket.create_connection(("127.0.0.1", made.port)) as line:
        line.sendall((json.dumps(hello) + "\n").encode())
        line.settimeout(2)
        assert line.recv(1000) == b""
    assert made.is_alive()
    with socket.create_connection(("127.0.0.1", made.port)) as line:  # it ends here, and not in another test
        line.sendall((json.dumps(hello | {"slot": "0"}) + "\n").encode())
        assert json.loads(line.recv(1000).split(b"\n")[0])["op"] == "welcome"
    made.join(10)
    assert not made.is_alive()


def test_a_coordinator_that_fails_hangs_up(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    monkeypatch.setattr(coordinator.Coordinator, "check_time", lambda self: 1 / 0 if self.lines else None)
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    made = coordinator.Coordinator(plan.Plan(json.dumps(minimal())))
    made.start()
    with socket.create_connection(("127.0.0.1", made.port)) as line:
        line.settimeout(5)
        assert line.recv(1000) == b"", "else its tasks would wait for ever"


def test_four_thousand_tasks_are_seated_in_seconds() -> None:
    made = coordinator.Coordinator(plan.Plan(json.dumps(minimal() | {"roles": [["worker", 4000]]})))
    line = Quiet()
    begun = time.process_time()
    for slot in range(4000):
        made.seat(line, {"address": f"host-{slot}:1", "container": str(slot)}, slot)  # type: ignore[arg-type]
    assert made.started
    assert time.process_time() - begun < 10, "1,000 took a minute when each counted all"
    made.socket.close()


class Quiet:
    """A connection that takes everything."""

    open = True

    def send(self, **_: str) -> None:
        pass

    def close(self) -> None:
        pass


def test_a_spare_that_has_died_is_not_seated() -> None:
    made = coordinator.Coordinator(plan.Plan(json.dumps(minimal())))
    dead = Quiet()
    dead.open = False
    made.lines.append(dead)  # type: ignore[arg-type]
    made.spares.append((dead, {}))  # type: ignore[arg-type]
    made.notice_lost()
    assert made.spares == []
    made.socket.close()


# --- transfers -----------------------------------------------------------------------------------------------------


class WebHdfsServer(BaseHTTPRequestHandler):
    """A NameNode that redirects file data to a DataNode (itself, under /data), as Hadoop's REST API says."""

    files: dict[str, bytes | None]
    attributes: dict[str, str]

    def log_request(self, *_: object) -> None:
        pass

    def answer(self, status: int, body: object = None, location: str = "") -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def asked(self) -> tuple[str, str, dict[str, list[str]]]:
        parts = urlsplit(self.path)
        query = parse_qs(parts.query)
        assert query["user.name"] == ["alice"]
        path = unquote(parts.path)
        return query["op"][0], path.removeprefix("/data").removeprefix("/webhdfs/v1"), query

    def redirected(self) -> bool:
        if self.path.startswith("/data"):
            return False
        self.answer(307, {}, f"http://127.0.0.1:{self.server.server_address[1]}/data{self.path}")
        return True

    def do_GET(self) -> None:
        op, path, query = self.asked()
        if path not in self.files:
            self.answer(404, {"RemoteException": {"exception": "FileNotFoundException"}})
        elif op == "GETXATTRS":
            name = query["xattr.name"][0]
            value = self.attributes.get(path)  # as seen on Hadoop 3.4.2
            found = [{"name": name, "value": value}]
            refused = {"RemoteException": {"exception": "IOException", "message": "At least one of the attributes"}}
            self.answer(403 if value is None else 200, refused if value is None else {"XAttrs": found})
        elif op == "GETFILESTATUS":
            self.answer(200, {"FileStatus": {}})
        elif op == "LISTSTATUS":
            if self.files[path] is not None:
                entries = [{"type": "FILE", "pathSuffix": ""}]
            else:
                inside = [p for p in self.files if p.rpartition("/")[0] == path]
                kinds = {True: "DIRECTORY", False: "FILE"}
                entries = [{"type": kinds[self.files[p] is None], "pathSuffix": p.rpartition("/")[2]} for p in inside]
            self.answer(200, {"FileStatuses": {"FileStatus": entries}})
        elif not self.redirected():
            self.answer(200, self.files[path])

    def do_PUT(self) -> None:
        op, path, query = self.asked()
        length = int(self.headers.get("Content-Length") or 0)
        data = self.rfile.read(length)
        if op == "MKDIRS":
            self.files[path] = None
            self.answer(200, {"boolean": True})
        elif op == "SETXATTR":
            assert query["flag"] == ["CREATE"]
            self.attributes[path] = query["xattr.value"][0]
            self.answer(200, b"")
        elif op == "RENAME" and "/full" in path:
            self.answer(403, {"RemoteException": {"exception": "DSQuotaExceededException"}})
        elif op == "RENAME":
            to = query["destination"][0]
            for name in [p for p in self.files if p == path or p.startswith(path + "/")]:
                self.files[to + name.removeprefix(path)] = self.files.pop(name)
            if path in self.attributes:
                self.attributes[to] = self.attributes.pop(path)
            self.answer(200, {"boolean": True})
        elif path in self.files and query["overwrite"] == ["false"]:
            self.answer(403, {"RemoteException": {"exception": "FileAlreadyExistsException"}})
        elif not self.redirected():
            self.files[path] = data
            self.answer(201, b"")

    def do_DELETE(self) -> None:
        _op, path, _query = self.asked()
        for name in [p for p in self.files if p == path or p.startswith(path + "/")]:
            del self.files[name]
        self.answer(200, {"boolean": True})


@pytest.fixture
def namenode() -> Iterator[tuple[str, dict[str, bytes | None]]]:
    files: dict[str, bytes | None] = {}
    handler = type("Handler", (WebHdfsServer,), {"files": files, "attributes": {}})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", files
    server.shutdown()


def run(python: str, folder: Path, *arguments: str, webhdfs: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    (folder / "task.py").write_text(program(entries()))
    env = {
        "PATH": "/usr/bin:/bin",
        "USER": "alice",
        "TFJOB_WEBHDFS": webhdfs,
        "CONTAINER_ID": "c1",
        "LC_ALL": "C.UTF-8",
        **more,
    }
    argv = [python, str(folder / "task.py"), *arguments]
    return subprocess.run(argv, env=env, cwd=folder, capture_output=True, text=True)


@pytest.mark.slow
@EACH
def test_folders_go_to_hdfs_and_back_over_http(
    python: str, tmp_path: Path, namenode: tuple[str, dict[str, bytes | None]]
) -> None:
    address, files = namenode
    (tmp_path / "model/sub").mkdir(parents=True)
    (tmp_path / "model/sub/a b#é").write_bytes(bytes(range(256)))
    (tmp_path / "model/empty").touch()
    put = run(python, tmp_path, "put", "model", "hdfs://nn/runs/m 1", "keep", webhdfs=address)
    assert (put.returncode, put.stderr) == (0, "")
    assert set(files) == {"/runs/m 1", "/runs/m 1/sub", "/runs/m 1/sub/a b#é", "/runs/m 1/empty"}
    again = run(python, tmp_path, "put", "model", "hdfs://nn/runs/m 1", "keep", webhdfs=address)
    assert again.returncode == 1
    assert "already exists" in again.stderr
    assert run(python, tmp_path, "put", "model", "hdfs://nn/runs/m 1", "overwrite", webhdfs=address).returncode == 0
    got = run(python, tmp_path, "fetch", "hdfs:///runs/m 1", "copy", webhdfs=address)
    assert (got.returncode, got.stderr) == (0, "")
    assert (tmp_path / "copy/sub/a b#é").read_bytes() == bytes(range(256))
    missing = run(python, tmp_path, "fetch", "hdfs:///no", "no", webhdfs=address)
    assert missing.returncode == 1
    assert "WebHDFS answers 404" in missing.stderr
    assert not (tmp_path / "no").exists()


@pytest.mark.slow
@EACH
def test_a_task_may_replace_over_http_what_its_own_run_has_put(
    python: str, tmp_path: Path, namenode: tuple[str, dict[str, bytes | None]]
) -> None:
    address, files = namenode
    ours = {"TFJOB_RUN": "mnist-1", "TFJOB_ROLE": "worker", "TFJOB_INDEX": "0", "webhdfs": address}
    for number, (who, status) in enumerate(
        [(ours, 0), (ours, 0), (ours | {"TFJOB_RUN": "mnist-2"}, 1), (ours | {"TFJOB_INDEX": "1"}, 1), (ours, 0)]
    ):
        (tmp_path / "model").write_text(str(number))
        done = run(python, tmp_path, "put", "model", "hdfs:///runs/m", "keep", **who)
        assert done.returncode == status, done.stderr
    assert files == {"/runs/m": b"4"}


@EACH
def test_a_put_over_http_that_fails_leaves_nothing(
    python: str, tmp_path: Path, namenode: tuple[str, dict[str, bytes | None]]
) -> None:
    address, files = namenode
    (tmp_path / "model").write_text("1")
    done = run(python, tmp_path, "put", "model", "hdfs:///full/m", "keep", webhdfs=address)
    assert done.returncode == 1
    assert "DSQuotaExceeded" in done.stderr
    assert files == {}


@pytest.mark.slow
@EACH
def test_marks_of_files_of_the_node(python: str, tmp_path: Path) -> None:
    """With and without attributes (Python 2 reads none), for files and folders."""
    ours = {"TFJOB_RUN": "mnist-1", "TFJOB_ROLE": "worker", "TFJOB_INDEX": "0"}
    (tmp_path / "part").mkdir()
    assert run(python, tmp_path, "mark", "part", str(tmp_path / "model"), **ours).returncode == 0
    (tmp_path / "part").rename(tmp_path / "model")
    assert run(python, tmp_path, "copied", str(tmp_path / "model"), **ours).returncode == 0
    (tmp_path / "model").rmdir()
    (tmp_path / "other").write_text("x")
    (tmp_path / "other").rename(tmp_path / "model")
    assert run(python, tmp_path, "copied", str(tmp_path / "model"), **ours).returncode == 1


@pytest.mark.slow
def test_without_a_client_the_three_ways_are_named(tmp_path: Path) -> None:
    done = run(NEW, tmp_path, "fetch", "hdfs:///a", "a")
    assert done.returncode == 1
    for way in ("`hadoop`", "hadoop_home", "webhdfs"):
        assert way in done.stderr


@pytest.mark.slow
@EACH
def test_a_zip_keeps_permissions_and_stays_in_its_folder(python: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        info = zipfile.ZipInfo("bin/run")
        info.external_attr = 0o755 << 16
        made.writestr(info, "x")
    assert run(python, tmp_path, "unzip", "a.zip", "out").returncode == 0
    assert (tmp_path / "out/bin/run").stat().st_mode & 0o777 == 0o755
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as made:
        made.writestr("../evil", "x")
    bad = run(python, tmp_path, "unzip", "b.zip", "out")
    assert bad.returncode == 1
    assert "is outside" in bad.stderr
    assert not (tmp_path / "evil").exists()
    (tmp_path / "c.zip").write_text("no zip")
    assert run(python, tmp_path, "unzip", "c.zip", "out").returncode == 1


@EACH
def test_a_transfer_that_breaks_off_is_no_file(python: str, tmp_path: Path) -> None:
    class Broken(BaseHTTPRequestHandler):
        def log_request(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            self.wfile.write(b"x" * 1000)

    with ThreadingHTTPServer(("127.0.0.1", 0), Broken) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}"
        done = run(python, tmp_path, "fetch", f"{address}/data", "data")
        server.shutdown()
    assert done.returncode != 0
    assert "received only 1000 of 1000000 bytes" in done.stderr
    assert not (tmp_path / "data").exists()


@EACH
def test_what_a_killed_fetch_has_left_is_not_mixed_in(python: str, tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source/new").write_text("new")
    (tmp_path / "data.part").mkdir()
    (tmp_path / "data.part/half").write_text("half")
    assert run(python, tmp_path, "fetch", str(tmp_path / "source"), "data").returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("data")) == ["data"]
    assert [path.name for path in (tmp_path / "data").iterdir()] == ["new"]
