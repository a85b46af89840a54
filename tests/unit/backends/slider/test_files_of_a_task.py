"""Mounts, archives, HDFS and outputs: what the scripts do on a node, with real files and a stand-in for ``hadoop``."""

from __future__ import annotations

import io
import json
import socket
import sys
import tarfile
import threading
import zipfile
from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.jobs import job, policy, role
from tests.unit.backends.slider.agents import Cluster, Container, until
from tests.unit.backends.slider.parts import mount, output
from tfdsl.ir.model import Cluster as Discovery, EnvVar, Role, RunTimeText, TaskIndex

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

HADOOP = """#!/bin/sh
# hdfs://ns/x is $HDFS/x; every call is noted. Each path is a pattern, so the escapes are taken off here, and what is
# not escaped matches nothing.
shift
printf '%s\\n' "$*" >>"$HDFS/calls"
place() {
  case $(printf '%s' "$1" | sed 's,\\\\.,,g') in
  *[]*?{}[]*) echo "$HDFS/no match" ;;
  *) printf '%s' "$1" | sed 's,^hdfs://ns,'"$HDFS"',; s,\\\\\\(.\\),\\1,g' ;;
  esac
}
number() { stat -c %i "$(place "$1")"; } # it stays when the file is renamed
case $1 in
-get) cp -R "$(place "$2")" "$3" ;;
-test) [ -e "$(place "$3")" ] ;;
-mkdir) mkdir -p "$(place "$3")" ;;
-setfattr) [ ! -e "$HDFS/unmarked" ] && echo "$(number "$6") $5" >>"$HDFS.marks" ;;
-getfattr) printf '# file: x\\n%s="%s"\\n' "$3" "$(sed -n "s/^$(number "$6") //p" "$HDFS.marks" | tail -n 1)" ;;
-put) [ ! -e "$HDFS/full" ] && cp -RL "$2" "$(place "$3")" ;;
-rm) [ ! -e "$HDFS/stuck" ] && rm -rf "$(place "$5")" ;;
-mv) [ ! -e "$HDFS/late" ] || mkdir "$(place "$3")"; mv "$(place "$2")" "$(place "$3")" ;;
esac
"""


def one(**fields: object) -> Role:
    return role("worker", image=None, **fields)


def shell(text: str, **fields: object) -> Role:
    return one(command=text, **fields)


def run(nodes: Cluster, worker: Role, **fields: object) -> Container:
    """The job of one worker, until the command has ended and the stop was asked for."""
    nodes.deploy(job(worker, **fields))
    container = nodes.container("worker").start()
    until(lambda: nodes.master.stops)
    return container


@pytest.fixture
def hdfs(cluster: Cluster) -> Path:
    """The folder that stands for HDFS."""
    folder = cluster.folder / "hdfs"
    folder.mkdir()
    cluster.program("hadoop", HADOOP)
    cluster.env["HDFS"] = str(folder)
    return folder


HOSTILE = [
    "",
    " ",
    "a b",
    "'",
    '"',
    "$HOME",
    "${USER_NAME}",
    "{{x}}",
    "`id`",
    "$(id)",
    "\\",
    "\n",
    "*",
    "é😀",
    "-x",
    "%s",
]


def test_arguments_and_variables_arrive_byte_for_byte(cluster: Cluster) -> None:
    program = (
        "import json, os, sys\n"
        "raw = lambda text: os.fsencode(text).hex()\n"
        "seen = [[raw(a) for a in sys.argv[1:]], {k: raw(v) for k, v in os.environ.items()}]\n"
        "json.dump(seen, open('seen', 'w'))"
    )
    worker = one(
        command=(sys.executable, "-c", program, *HOSTILE),
        args=tuple(HOSTILE),
        env={f"V{number}": text for number, text in enumerate(HOSTILE)},
    )
    container = run(cluster, worker, cluster=Discovery(discovery="none"))
    argv, env = json.loads((container.task / "seen").read_text())
    expected = [text.encode().hex() for text in HOSTILE]
    assert argv == expected * 2
    assert [env[f"V{number}"] for number in range(len(HOSTILE))] == expected


def test_a_text_runs_under_the_shell_with_arguments(cluster: Cluster) -> None:
    worker = shell('printf "%s|" "$0" "$@" >seen', args=("a b", "$HOME"))
    container = run(cluster, worker, cluster=Discovery(discovery="none"))
    assert (container.task / "seen").read_text() == "sh|a b|$HOME|"


def test_values_known_at_run_time(cluster: Cluster) -> None:
    parts = RunTimeText(parts=("<", TaskIndex(), ">", EnvVar(name="OWN"), EnvVar(name="USER"), EnvVar(name="NODE")))
    own = RunTimeText(parts=("x", EnvVar(name="OWN")))
    cluster.env |= {"NODE": "n1", "OWN": "y"}
    container = run(cluster, shell("echo \"$1 $2\" >seen; pwd >where", args=(parts, "z"), env={"OWN": own},
                                   workdir=RunTimeText(parts=("w", TaskIndex())),
                                   mounts=(mount("scratch", "w0"),)))  # fmt: skip
    assert (container.task / "w0" / "seen").read_text() == "<0>xyalicen1 z\n"
    assert (container.task / "w0" / "where").read_text() == f"{container.task}/w0\n"


def test_a_link_to_a_folder_of_the_node_survives_relaunches(cluster: Cluster) -> None:
    source = cluster.folder / "data"
    source.mkdir()
    (source / "precious").write_text("1")
    worker = shell("ls -R data/in >>../seen; exit 3", mounts=(mount("host", "data/in", source=str(source)),))
    cluster.deploy(job(worker, policies=(policy("failed", "restart container"),), retries=1))
    container = cluster.container("worker").start()
    until(lambda: not container.is_alive())
    container.run("START")
    until(lambda: cluster.master.stops)
    assert (container.task / "data/in").readlink() == source
    assert [path.name for path in source.iterdir()] == ["precious"], "no link inside, nothing removed"
    assert (container.task.parent / "seen").read_text().count("precious") == 2


def test_what_is_in_the_way_of_a_link_is_left_alone(cluster: Cluster) -> None:
    cluster.deploy(job(shell("true", mounts=(mount("host", "data", source="/etc"),))))
    container = cluster.container("worker")
    (container.task / "data").mkdir(parents=True)
    (container.task / "data" / "precious").write_text("1")
    container.start()
    until(lambda: cluster.master.stops)
    assert "data exists, so it cannot become a link" in container.log
    assert (container.task / "data" / "precious").exists()


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [("Directory", "none", "has no Directory"), ("File", ".", "has no File"), ("Socket", ".", "has no Socket")],
)
def test_types_of_host_mounts_are_checked(quick_cluster: Cluster, kind: str, name: str, message: str) -> None:
    source = str(quick_cluster.folder / name)
    container = run(quick_cluster, shell("touch started", mounts=(mount("host", "d", source=source, type=kind),)))
    assert message in container.log
    assert not (container.task / "started").exists()


def test_host_folders_are_made_where_the_type_says_so(quick_cluster: Cluster) -> None:
    source = quick_cluster.folder / "a" / "b"
    mounts = (mount("host", "d", source=str(source), type="DirectoryOrCreate"),)
    run(quick_cluster, shell("touch d/started", mounts=mounts))
    assert (source / "started").exists()


def archive(path: Path, *names: str, link: tuple[str, str] | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.name.endswith(".zip"):
        with zipfile.ZipFile(path, "w") as made:
            for name in names:
                info = zipfile.ZipInfo(name)
                info.external_attr = 0o755 << 16
                made.writestr(info, f"is {name}")
        return
    with tarfile.open(path, "w:gz" if path.name.endswith("gz") else "w") as made:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(f"is {name}"), 0o755
            made.addfile(member, io.BytesIO(f"is {name}".encode()))
        if link:
            member = tarfile.TarInfo(link[0])
            member.type, member.linkname = tarfile.SYMTYPE, link[1]
            made.addfile(member)


@pytest.mark.parametrize("name", ["code.tar", "code.tar.gz", "code.tgz", "code.zip"])
@pytest.mark.parametrize("at", ["code", "."])
def test_archives_sent_along_are_unpacked(cluster: Cluster, name: str, at: str) -> None:
    cluster.deploy(
        job(shell(f"{at}/bin/train.py || cat {at}/bin/train.py >seen", mounts=(mount("archive", at, source=name),)))
    )
    container = cluster.container("worker")
    archive(container.definition / "package/files/archives/0" / name, "bin/train.py")
    container.start()
    until(lambda: cluster.master.stops)
    assert (container.task / "seen").read_text() == "is bin/train.py"
    assert (container.task / at / "bin" / "train.py").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize(
    ("name", "members", "link"),
    [
        ("a.tar", ("../evil",), None),
        ("a.tar", ("/evil",), None),
        ("a.zip", ("../evil",), None),
        ("a.tar", (), ("out", "../..")),
        ("a.tar", (), ("out", "/etc")),
    ],
)
def test_archives_that_lead_out_are_refused(
    cluster: Cluster, name: str, members: tuple[str, ...], link: tuple[str, str] | None
) -> None:
    cluster.deploy(job(shell("touch started", mounts=(mount("archive", "a", source=name),))))
    container = cluster.container("worker")
    archive(container.definition / "package/files/archives/0" / name, "good", *members, link=link)
    container.start()
    until(lambda: cluster.master.stops)
    assert "which is outside its folder" in container.log
    assert not (container.task / "started").exists()
    assert not (container.task / ".mounts" / "0" / "good").exists(), "refused before anything is written"


def test_hdfs_is_fetched_once(cluster: Cluster, hdfs: Path) -> None:
    (hdfs / "in[1]").mkdir()
    (hdfs / "in[1]" / "part-0").write_text("data")
    worker = shell("cat d/part-0 >>seen; exit 1", mounts=(mount("hdfs", "d", uri="hdfs://ns/in[1]", readonly=True),))
    cluster.deploy(job(worker, policies=(policy("failed", "restart container"),), retries=1))
    container = cluster.container("worker").start()
    until(lambda: not container.is_alive())
    container.run("START")
    until(lambda: cluster.master.stops)
    assert (container.task / "seen").read_text() == "datadata"
    calls = (hdfs / "calls").read_text().splitlines()
    assert calls == [r"-get hdfs://ns/in\[1\] part"]


def test_what_hdfs_does_not_have_is_told(cluster: Cluster, hdfs: Path) -> None:
    container = run(cluster, shell("touch started", mounts=(mount("hdfs", "d", uri="hdfs://ns/none"),)))
    assert "hdfs://ns/none could not be fetched" in container.log
    assert not (container.task / "started").exists()


def test_archives_from_hdfs(cluster: Cluster, hdfs: Path) -> None:
    archive(hdfs / "x.tgz", "a")
    container = run(cluster, shell("cat x/a >seen", mounts=(mount("archive", "x", source="hdfs://ns/x.tgz"),)))
    assert (container.task / "seen").read_text() == "is a"


@pytest.mark.parametrize(
    ("status", "when", "copied"),
    [(0, "success", True), (3, "success", False), (3, "failure", True), (0, "failure", False), (3, "always", True)],
)
def test_outputs_are_copied_when_they_are_due(quick_cluster: Cluster, status: int, when: str, copied: bool) -> None:
    target = quick_cluster.folder / "runs"
    target.mkdir()
    worker = shell(
        f"mkdir m; echo 1 >m/w; exit {status}",
        mounts=(mount("host", "runs", source=str(target)),),
        outputs=(output("m", RunTimeText(parts=("runs/e/", TaskIndex())), when=when),),
    )
    container = run(quick_cluster, worker)
    assert (target / "e" / "0" / "w").exists() is copied
    assert container.note("state") == {"state": "failed" if status else "done", "status": status, "index": 0}
    assert not list(target.rglob("*.part"))


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("folder", [False, True])
def test_an_existing_copy_fails_the_task_unless_overwritten(cluster: Cluster, overwrite: bool, folder: bool) -> None:
    target = cluster.folder / "runs"
    target.mkdir()
    if folder:
        (target / "m").mkdir()
        (target / "m" / "old").write_text("old")
    else:
        (target / "m").write_text("old")
    made = "mkdir m; echo new >m/w" if folder else "echo new >m"
    worker = shell(
        made,
        mounts=(mount("host", "runs", source=str(target)),),
        outputs=(output("m", "runs/m", overwrite=overwrite),),
    )
    container = run(cluster, worker)
    state = container.note("state")
    assert isinstance(state, dict)
    assert state["status"] == (0 if overwrite else 74)
    where = target / "m" / "w" if folder and overwrite else target / "m" / "old" if folder else target / "m"
    assert where.read_text().strip() == ("new" if overwrite else "old")
    assert [path.name for path in target.iterdir()] == ["m"]


def test_an_output_that_is_not_there_fails_the_task(quick_cluster: Cluster) -> None:
    mounts = (mount("host", "runs", source=str(quick_cluster.folder)),)
    container = run(quick_cluster, shell("true", mounts=mounts, outputs=(output("none", "runs/x"),)))
    assert container.note("state") == {"state": "failed", "status": 74, "index": 0}
    assert "could not copy none: it does not exist" in container.log


def test_outputs_to_hdfs(cluster: Cluster, hdfs: Path) -> None:
    worker = shell("mkdir 'a b'; echo 1 >'a b/w'", outputs=(output("a b", "hdfs://ns/out/a*b"),))
    container = run(cluster, worker)
    assert (hdfs / "out" / "a*b" / "w").read_text() == "1\n"
    assert [path.name for path in (hdfs / "out").iterdir()] == ["a*b"]
    part = f"a\\*b.part-container_1488787200000_0007_01_{container.name}"
    assert part in (hdfs / "calls").read_text(), "a replacement writes under another name"


def test_hdfs_that_takes_nothing(cluster: Cluster, hdfs: Path) -> None:
    (hdfs / "full").touch()
    container = run(cluster, shell("echo 1 >m", outputs=(output("m", "hdfs://ns/m"),)))
    assert container.note("state") == {"state": "failed", "status": 74, "index": 0}


@pytest.mark.parametrize("fault", ["stuck", "late"])
def test_nothing_is_moved_into_a_folder_in_the_way(cluster: Cluster, hdfs: Path, fault: str) -> None:
    (hdfs / "m").mkdir()
    (hdfs / fault).touch()
    container = run(cluster, shell("echo 1 >m", outputs=(output("m", "hdfs://ns/m", overwrite=True),)))
    assert container.note("state") == {"state": "failed", "status": 74, "index": 0}
    assert list((hdfs / "m").iterdir()) == []


@pytest.mark.parametrize("kind", ["hdfs", "archive"])
def test_a_mount_whose_start_was_interrupted_is_made_again(cluster: Cluster, hdfs: Path, kind: str) -> None:
    archive(hdfs / "x.tar", "w")
    archive(hdfs / "x" / "w")
    fields = {"uri": "hdfs://ns/x"} if kind == "hdfs" else {"source": "hdfs://ns/x.tar"}
    cluster.deploy(job(shell("ls x >seen", mounts=(mount(kind, "x", **fields),))))
    container = cluster.container("worker")
    precious = cluster.folder / "precious"
    precious.mkdir()
    (precious / "file").touch()
    store = container.task / ".mounts" / "0"
    (store / "half").mkdir(parents=True)
    (store / "half" / "link").symlink_to(precious)
    (store / "half").chmod(0o500)
    container.start()
    until(lambda: cluster.master.stops)
    assert (container.task / "seen").read_text() == "w\n"
    assert (precious / "file").exists()


def test_a_transfer_that_breaks_off_is_told(cluster: Cluster) -> None:
    cluster.env["no_proxy"] = "127.0.0.1"
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            caller = server.accept()[0]
            caller.recv(65536)
            caller.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
            caller.close()

        threading.Thread(target=answer, daemon=True).start()
        source = f"http://127.0.0.1:{server.getsockname()[1]}/x.tar"
        container = run(cluster, shell("true", mounts=(mount("archive", "x", source=source),)))
    assert "received only 4 of 9 bytes" in container.log


def test_a_copy_that_was_moved_away_comes_back(cluster: Cluster) -> None:
    runs = cluster.folder / "runs"
    mounts = (mount("host", "runs", source=str(runs)),)
    worker = shell("mkdir m; mkfifo m/f", mounts=mounts, outputs=(output("m", "runs/m", overwrite=True),))
    cluster.deploy(job(worker))
    container = cluster.container("worker")
    site = container.config("START")["configurations"]
    assert isinstance(site, dict)
    (runs / f"m.{site['global']['app_container_id']}.old").mkdir(parents=True)
    container.start()
    until(lambda: cluster.master.stops)
    assert [path.name for path in runs.iterdir()] == ["m"], "a pipe cannot be copied, and nothing is lost"


def test_configuration_files_are_in_the_work_folder(cluster: Cluster) -> None:
    cluster.deploy(job(shell("cat a.json >seen")), config_files={"a.json": {"k": "v"}})
    container = cluster.container("worker")
    (container.folder / "app/conf").mkdir(parents=True)
    (container.folder / "app/conf/a.json").write_text("written by Slider")
    container.start()
    until(lambda: cluster.master.stops)
    assert (container.task / "seen").read_text() == "written by Slider"


def test_a_configuration_file_that_slider_has_not_written(cluster: Cluster) -> None:
    cluster.deploy(job(shell("true")), config_files={"a.json": {"k": "v"}})
    container = cluster.container("worker").start()
    until(lambda: cluster.master.stops)
    assert f"Slider has not written {container.folder}/app/conf/a.json" in container.log


def test_files_sent_along_stand_in_the_work_folder(cluster: Cluster) -> None:
    cluster.deploy(job(shell("cat train.py >seen")), files=("code/train.py",))
    container = cluster.container("worker")
    (container.definition / "package/files/train.py").write_text("print()")
    container.start()
    until(lambda: cluster.master.stops)
    assert (container.task / "seen").read_text() == "print()"


def test_checkpoint_comes_from_the_settings_of_the_application(cluster: Cluster) -> None:
    cluster.deploy(job(shell('echo "$CHECKPOINT_DIR" >seen'), checkpoint="hdfs://ns/a"))
    cluster.site["user.checkpoint.dir"] = "hdfs://ns/b"
    container = cluster.container("worker").start()
    until(lambda: cluster.master.stops)
    assert (container.task / "seen").read_text() == "hdfs://ns/b\n"


AGAIN = (policy("failed", "restart container"),)


def noted(container: Container, name: str) -> dict[str, object]:
    """What the supervisor has noted under that name."""
    found = container.note(name)
    assert isinstance(found, dict)
    return found


def again(nodes: Cluster, container: Container) -> None:
    """Start the task once more each time it ends itself, until it asks for the end of the job."""
    while not nodes.master.stops:
        until(lambda: nodes.master.stops or not container.is_alive())
        if not nodes.master.stops:
            container.run("START")


@pytest.mark.parametrize("place", ["hdfs://ns/m", "runs/m"])
@pytest.mark.parametrize("marked", [True, False])
def test_a_restart_may_replace_what_its_own_run_has_copied(
    cluster: Cluster, hdfs: Path, place: str, marked: bool
) -> None:
    """``on always`` copies after every try: the one before must not make the last, good one fail."""
    if not marked:
        (hdfs / "unmarked").touch()
    (cluster.folder / "target").mkdir()
    worker = shell(
        'echo x >>tries; cp tries m; [ "$(wc -l <tries)" -ge 3 ]',
        mounts=(mount("host", "runs", source=str(cluster.folder / "target")),),
        outputs=(output("m", place, when="always"),),
    )
    cluster.deploy(job(worker, policies=AGAIN, retries=3))
    container = cluster.container("worker").start()
    again(cluster, container)
    assert noted(container, "state")["status"] == 0
    copied = hdfs / "m" if place.startswith("hdfs") else cluster.folder / "target" / "m"
    assert copied.read_text() == "x\n" * 3


def test_a_failed_copy_is_no_reason_to_train_again(cluster: Cluster) -> None:
    worker = shell("echo x >>tries", outputs=(output("m", "hdfs://ns/m"),))
    cluster.deploy(job(worker, policies=AGAIN, retries=3))
    container = cluster.container("worker").start()
    again(cluster, container)
    assert noted(container, "state")["status"] == 74
    assert noted(container, "verdict")["action"] == "fail job"
    assert (container.task / "tries").read_text() == "x\n"


def test_names_in_hdfs_are_no_patterns(cluster: Cluster, hdfs: Path) -> None:
    (hdfs / "a1").write_text("wrong")
    run(cluster, shell("echo 1 >m", outputs=(output("m", "hdfs://ns/run [1]/a[1]{b,c}*?"),)))
    assert (hdfs / "run [1]" / "a[1]{b,c}*?").read_text() == "1\n"


@pytest.mark.parametrize("name", ["x.tar", "x.zip"])
def test_nothing_is_unpacked_into_a_folder_of_the_node(cluster: Cluster, hdfs: Path, name: str) -> None:
    archive(hdfs / name, "data/precious")
    source = cluster.folder / "data"
    source.mkdir()
    (source / "precious").write_text("kept")
    mounts = (mount("host", "data", source=str(source)), mount("archive", ".", source=f"hdfs://ns/{name}"))
    container = run(cluster, shell("touch started", mounts=mounts))
    assert "data exists, so it cannot become a link" in container.log
    assert (source / "precious").read_text() == "kept"


def test_a_link_of_an_archive_within_the_work_folder_is_the_task_s_own(cluster: Cluster, hdfs: Path) -> None:
    archive(hdfs / "x.tar", "y/z", link=("in", "y"))
    (hdfs / "x.tar").rename(hdfs / "first.tar")
    mounts = (mount("archive", ".", source="hdfs://ns/first.tar"), mount("scratch", "in/sub"))
    container = run(cluster, shell("test -d y/sub && touch started", mounts=mounts))
    assert (container.task / "started").exists()
