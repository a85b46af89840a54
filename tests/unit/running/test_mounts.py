"""What the mounts and outputs of a job are on this machine."""

from __future__ import annotations

import io
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from tfdsl.compiling import pipeline
from tfdsl.compiling.jobs import plain_flows
from tfdsl.diagnostics.diagnostic import Diagnostic
from tfdsl.lifecycle.behaviour import Task
from tfdsl.running import preparing
from tfdsl.running.launch import Copied, Mounted
from tfdsl.running.mounts import Given, MountOptions, Mounts, Replica, given_mount, nfs_folder
from tfdsl.semantics.request import Request
from tfdsl.text import Source, Span

if TYPE_CHECKING:
    from pathlib import Path

    from tfdsl.compiling.jobs import PlainJob

HERE = Span(Source("<arguments>", "--mount"), 0, 7)


def plain(*lines: str) -> PlainJob:
    body = "\n  ".join(('image = "registry.example.com/mnist:1.4"', 'command = ["true"]', *lines))
    program = pipeline.load(Source("mnist.tfjob", f"job mnist {{\n  {body}\n}}\n"), lambda path: "no files here")
    found = plain_flows(program, Request())
    assert found.beside, [one.message for one in found.diagnostics]
    return found.beside[0]


class Local:
    """The mounts of a job with one role of two workers."""

    def __init__(self, *lines: str, mounts: dict[str, object] | None = None, ignored: bool = False) -> None:
        self.folder = "/"
        self.plain = plain(*lines, "role worker { replicas = 2 }")
        named = {at: Given(at, str(folder), HERE) for at, folder in (mounts or {}).items()}
        self.mounts = Mounts(self.plain.job, self.plain.origins, MountOptions(named, ignored))

    def replica(self, index: int = 0) -> Replica:
        return Replica(self.plain.job.roles[0], Task("worker", index), {"WHO": "me"}, self.folder)

    def of(self, index: int = 0, pod: int = 0) -> list[Mounted]:
        return list(self.mounts.of(self.replica(index), pod))

    def check(self, denied: str = "") -> list[Diagnostic]:
        return list(self.mounts.check([self.replica(0), self.replica(1)], denied))

    def shown(self, denied: str = "") -> list[str]:
        return [f"{one.rule.code} {one.span.text.partition(chr(10))[0]}: {one.message}" for one in self.check(denied)]


def test_folders_of_a_pod_are_the_replicas_own_and_new_in_a_new_pod() -> None:
    (unlimited,) = Local('mount memory at "/ram"').of()
    assert unlimited.memory == 0  # as tmpfs says it (tmpfs(5))
    local = Local('mount scratch 5Gi at "/cache"', 'mount memory 1Gi at "/ram"', "shm = 2Gi", "tmp_size = 3Gi")
    first, other, later = local.of(), local.of(1), local.of(pod=1)
    assert [one.at for one in first] == ["/cache", "/ram", "/dev/shm", "/tmp"]
    assert [one.memory for one in first] == [None, 1 << 30, 2 << 30, 3 << 30]
    assert len({one.source for one in (*first, *other, *later)}) == 12
    assert all(one.source.startswith("pods/worker[0]/0/") for one in first)
    assert all(one.source.startswith("pods/worker[1]/0/") for one in other)
    assert all(one.source.startswith("pods/worker[0]/1/") for one in later)


def test_a_claim_is_one_folder_for_all_its_mounts() -> None:
    local = Local('mount pvc "sets" at "/a"', 'mount pvc "sets" at "/b" readonly { sub_path = "x/${task.index}" }')
    a, b = local.of()
    assert (a.at, a.readonly, b.readonly) == ("/a", False, True)
    assert b.source == f"{a.source}/x/0"
    assert [one.source for one in local.of(1, 3)] == [a.source, f"{a.source}/x/1"]
    assert local.shown() == [
        'TFJ4854 pvc "sets": /a is an empty folder of this run: the claim is not on this machine; '
        "--mount /a=DIR uses one of yours",
        'TFJ4854 pvc "sets": /b is an empty folder of this run: the claim is not on this machine; '
        "--mount /b=DIR uses one of yours",
    ]
    assert local.check()[0].helps == ("name the folder here: --mount /a=DIR",)


@pytest.mark.parametrize(("keep", "count"), [("", 0), ("{ keep = true }", 1)])
def test_a_claim_of_the_job_is_as_empty_as_on_a_cluster(keep: str, count: int) -> None:
    assert len(Local(f'mount claim 1Gi at "/data" {keep}').shown()) == count


def test_folders_of_the_node_are_those_of_this_machine(tmp_path: Path) -> None:
    local = Local(f'mount host "{tmp_path}" at "/data" readonly', f'mount host "{tmp_path}/${{env.WHO}}" at "/me"')
    assert local.of() == [Mounted("/data", str(tmp_path), readonly=True), Mounted("/me", f"{tmp_path}/me")]
    (missing,) = local.check()
    assert missing.message == f"{tmp_path}/me does not exist on this machine"
    assert missing.helps == ("name a folder of this machine: --mount /me=DIR",)
    assert missing.level == "error"


def test_folders_of_the_node_are_made_where_the_job_says_so(tmp_path: Path) -> None:
    local = Local(
        f'mount host "{tmp_path}/a/b" at "/a" {{ type = "DirectoryOrCreate" }}',
        f'mount host "{tmp_path}/file" at "/b" {{ type = "FileOrCreate" }}',
    )
    assert local.shown() == []
    local.of()
    local.mounts.fill(str(tmp_path / "scratch"))
    assert (tmp_path / "a/b").is_dir()
    assert (tmp_path / "file").is_file()


def test_an_export_is_where_this_machine_has_it(tmp_path: Path) -> None:
    mountinfo = tmp_path / "mountinfo"
    mountinfo.write_text(
        "36 35 0:40 / /net/a\\040b rw,noatime shared:1 - nfs4 store:/export rw,addr=10.0.0.1\n"
        "37 35 0:41 / /net/deep rw - nfs store:/export/deep rw\n"
        "38 35 0:42 / /net/other rw - ext4 /dev/sda1 rw\n"
    )
    assert nfs_folder("store", "/export", str(mountinfo)) == "/net/a b"
    assert nfs_folder("store", "/export/x", str(mountinfo)) == "/net/a b/x"
    assert nfs_folder("store", "/export/deep/x", str(mountinfo)) == "/net/deep/x"
    assert nfs_folder("store", "/exported", str(mountinfo)) is None
    assert nfs_folder("other", "/export", str(mountinfo)) is None
    assert nfs_folder("store", "/", str(tmp_path / "none")) is None


def test_what_a_cluster_would_fetch_is_empty_here() -> None:
    local = Local('mount nfs "store.example.com:/sets" at "/sets"', 'mount hdfs "hdfs:///data/x" at "/x"',
                  'mount archive "hdfs:///data/y.tgz" at "/y"')  # fmt: skip
    assert [line[:7] for line in local.shown()] == ["TFJ4854"] * 3
    assert all(one.source.startswith("volumes/") for one in local.of())


@pytest.mark.parametrize("kind", ["tar.gz", "tar", "zip"])
def test_an_archive_of_this_machine_is_unpacked(tmp_path: Path, kind: str) -> None:
    packed = tmp_path / f"code.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("a/b.txt", "inside")
    else:
        with tarfile.open(packed, "w:gz" if kind == "tar.gz" else "w") as tar:
            member = tarfile.TarInfo("a/b.txt")
            member.size = 6
            tar.addfile(member, io.BytesIO(b"inside"))
    local = Local(f'mount archive "{packed}" at "/code"')
    assert local.shown() == []
    (mounted,) = local.of()
    local.mounts.fill(str(tmp_path))
    assert mounted.readonly
    assert (tmp_path / mounted.source / "a/b.txt").read_text() == "inside"


def test_an_archive_that_leads_out_of_its_folder_is_refused(tmp_path: Path) -> None:
    packed = tmp_path / "code.tar"
    with tarfile.open(packed, "w") as tar:
        tar.addfile(tarfile.TarInfo("../../out"))
    local = Local(f'mount archive "{packed}" at "/code"')
    local.of()
    with pytest.raises(OSError, match="cannot unpack"):
        local.mounts.fill(str(tmp_path / "scratch"))
    packed.write_bytes(b"nonsense")
    with pytest.raises(OSError, match="cannot unpack"):
        local.mounts.fill(str(tmp_path / "again"))


def test_secrets_and_configmaps_need_a_folder(tmp_path: Path) -> None:
    lines = ('mount secret "db" at "/secrets" { items = { password = "deep/pw" }, mode = "0400" }',
             'mount configmap "settings" at "/etc/settings"')  # fmt: skip
    assert [line.partition(": ")[2] for line in Local(*lines).shown()] == [
        "this machine has no Secret db to mount at /secrets",
        "this machine has no ConfigMap settings to mount at /etc/settings",
    ]
    folder = tmp_path / "keys"
    folder.mkdir()
    local = Local(*lines, mounts={"/secrets": folder, "/etc/settings": folder})
    assert [line.partition(": ")[2] for line in local.shown()] == [
        f"{folder} has no file password, which /secrets needs"
    ]
    (folder / "password").write_text("x")
    secrets, settings = local.of()
    assert settings == Mounted("/etc/settings", str(folder), readonly=True)
    local.mounts.fill(str(tmp_path))
    file = tmp_path / secrets.source / "deep/pw"
    assert (file.read_text(), file.stat().st_mode & 0o777, secrets.readonly) == ("x", 0o400, True)


def test_one_file_of_a_configmap_is_named_itself(tmp_path: Path) -> None:
    line = 'mount configmap "settings" at "/etc/app.yaml" { sub_path = "app.yaml" }'
    (told,) = Local(line).check()
    assert told.helps == ("name the file: --mount /etc/app.yaml=FILE",)
    file = tmp_path / "mine.yaml"
    file.write_text("x")
    local = Local(line, mounts={"/etc/app.yaml": file})
    assert (local.of(), local.shown()) == ([Mounted("/etc/app.yaml", str(file), readonly=True)], [])
    of_each = Local(line.replace('"app.yaml" }', '"${task.index}.yaml" }'), mounts={"/etc/app.yaml": tmp_path})
    assert of_each.of(1) == [Mounted("/etc/app.yaml", f"{tmp_path}/1.yaml", readonly=True)]


def test_any_mount_can_be_named(tmp_path: Path) -> None:
    lines = (
        'mount pvc "sets" at "/a" readonly { sub_path = "x" }',
        'mount pvc "sets" at "/b" { sub_path = "${task.index}" }',
        'mount hdfs "hdfs:///x" at "/c"',
        'mount scratch at "/d"',
        "shm = 1Gi",
    )
    local = Local(*lines, mounts=dict.fromkeys(("/a", "/b", "/c", "/d", "/dev/shm", "/app"), tmp_path))
    assert local.of(1) == [
        Mounted("/a", str(tmp_path), readonly=True),
        Mounted("/b", f"{tmp_path}/1"),
        Mounted("/c", str(tmp_path)),
        Mounted("/d", str(tmp_path)),
        Mounted("/dev/shm", str(tmp_path)),
        Mounted("/app", str(tmp_path)),
    ]
    assert local.shown() == ["TFJ4857 --mount: the job has no mount at /app: every task gets this one"]
    local.mounts.fill(str(tmp_path / "scratch"))
    assert (tmp_path / "1").is_dir()


def test_where_nothing_can_be_mounted_only_what_is_there_already_is_right(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    lines = (
        f'mount host "{tmp_path}" at "{tmp_path}"',
        f'mount host "{tmp_path}" at "{tmp_path}/link"',
        'mount scratch at "/tfdsl-data"',
        f'mount pvc "sets" at "{tmp_path}/sets"',
        "shm = 1Gi",
    )
    local = Local(*lines)
    errors = [one for one in local.check("AppArmor restricts it") if one.rule.code != "TFJ4854"]
    assert [(one.level, one.message) for one in errors] == [
        ("error", "/tfdsl-data cannot be mounted on this machine: AppArmor restricts it"),
        ("error", f"{tmp_path}/sets cannot be mounted on this machine: AppArmor restricts it"),
        ("info", "the size of /dev/shm is not limited here: AppArmor restricts it"),
    ]
    assert errors[0].span.text == '"/tfdsl-data"'
    assert errors[0].helps == (
        "if /tfdsl-data is the right folder here, write --mount /tfdsl-data=/tfdsl-data; --no-mounts mounts nothing",
    )
    (tmp_path / "sets").mkdir()
    named = Local(*lines[:2], lines[3], mounts={f"{tmp_path}/sets": tmp_path / "sets"})
    assert named.shown("AppArmor restricts it") == []


def test_memory_of_an_attribute_hides_the_current_folder_too() -> None:
    local = Local("shm = 1Gi")
    local.folder = "/dev/shm/work"
    assert local.shown() == ["TFJ4860 1Gi: the mount at /dev/shm hides the current folder, in which role worker runs"]
    assert local.shown("AppArmor restricts it") == [
        "TFJ4858 1Gi: the size of /dev/shm is not limited here: AppArmor restricts it"
    ]


def test_a_mount_above_the_current_folder_hides_it(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()

    def shown(*lines: str, **mounts: object) -> list[str]:
        local = Local(*lines, mounts={f"/{at}" if at != "work" else "/home/me/work": to for at, to in mounts.items()})
        local.folder = "/home/me/work"
        return [line.partition(": ")[2] for line in local.shown() if "TFJ4860" in line]

    hidden = ["the mount at /home hides the current folder, in which role worker runs"]
    assert shown('mount scratch at "/home"') == hidden
    assert shown('mount scratch at "/home"', 'mount scratch at "/home/me/work/x"') == hidden
    assert shown('mount scratch at "/home"', work=tmp_path) == []
    assert shown('mount scratch at "/home/me/work"') == []
    assert shown('mount scratch at "/home/me/workshop"') == []
    assert shown('mount scratch at "/home/me"', 'mount scratch at "/home"')[:1] == [
        hidden[0].replace("/home", "/home/me")
    ]
    assert shown('mount pvc "homes" at "/home/me"', **{"home/me": tmp_path}) == []
    assert shown('mount scratch at "/home"', 'workdir = "/home/me/work"') == []


def test_without_mounts_everything_is_told_once() -> None:
    local = Local('mount secret "db" at "/secrets"', 'mount scratch at "/data"', ignored=True)
    assert local.of() == []
    assert local.shown("denied") == [
        'TFJ4855 secret "db": nothing is mounted at /secrets, /data: tasks see this machine\'s folders'
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "--mount needs PATH=DIR, not (nothing)"),
        ("/data", "--mount needs PATH=DIR, not /data"),
        ("=x", "--mount needs PATH=DIR, not =x"),
        ("/data=", "--mount /data=: name the folder after ="),
        ("/data=/no/such", "--mount /data=/no/such: /no/such does not exist"),
        ("/=/tmp", "--mount: nothing can be mounted at /: it would hide the whole file system"),
        ("/a/../b=/tmp", "--mount: nothing can be mounted at /a/../b: .. is not allowed in it"),
        ("~/x=/tmp", "--mount: nothing can be mounted at ~/x: ~ is not expanded in containers"),
        ("/a\nb=/tmp", "--mount: nothing can be mounted at /a\nb: it contains a control character"),
    ],
)
def test_a_wrong_option_says_what_is_wrong(text: str, problem: str) -> None:
    result = given_mount(text, HERE)
    assert isinstance(result, Diagnostic)
    assert result.message == problem
    assert (result.helps == ("make the folder first",)) == problem.endswith("does not exist")


def test_an_option_names_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a=b").mkdir()
    assert given_mount("/data/=a=b", HERE) == Given("/data", f"{tmp_path}/a=b", HERE)
    assert given_mount("/x=y=a=b", HERE, ["/x", "/x=y"]) == Given("/x=y", f"{tmp_path}/a=b", HERE)
    assert given_mount("keys=.", HERE) == Given("keys", str(tmp_path), HERE)


def test_outputs_are_those_of_the_replica() -> None:
    job = plain(
        'mount pvc "out" at "/out"',
        'output "/tmp/model" to "/out/model" from worker[1] { overwrite = true }',
        'output "/tmp/log" to "hdfs:///logs/${task.index}" on always from worker[0]',
        'role worker { replicas = 2, output "/tmp/x" to "/out/x-${task.index}" on failure }',
    )
    role = job.job.roles[0]
    assert preparing.outputs_of(role, 0, {}) == (Copied("/tmp/x", "/out/x-0", "failure"),)
    assert set(preparing.outputs_of(role, 1, {})) == {
        Copied("/tmp/x", "/out/x-1", "failure"),
        Copied("/tmp/model", "/out/model", "success", overwrite=True),
    }
    assert [(one.level, one.message) for one in preparing.not_copied(job.job, job.origins)] == [
        ("warning", "run does not copy /tmp/log: hdfs:///logs/… is not on this machine")
    ]
