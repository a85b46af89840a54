"""Mounts and outputs of native tasks: links, archives, HDFS in both directions."""

from __future__ import annotations

import io
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from tests.conformance.yarn.jobs import COMMAND, FOLDER_STORE, Job, Run
from tests.conformance.yarn.test_jobs_succeed import succeeded

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conformance.yarn.cluster import Cluster

ODD = "it's a $HOME 数据"
"""A name that a shell, a URL and HDFS each could get wrong."""


def tarball(name: str, mode: str) -> bytes:
    """An archive with one program of that name."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=mode) as archive:  # type: ignore[call-overload]
        member = tarfile.TarInfo(name)
        member.size, member.mode = len(name), 0o755
        archive.addfile(member, io.BytesIO(name.encode()))
    return packed.getvalue()


def zipped(name: str) -> bytes:
    """The same as a zip file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        member = zipfile.ZipInfo(name)
        member.external_attr = 0o755 << 16
        archive.writestr(member, name)
    return packed.getvalue()


ARCHIVES = {
    "code.tar": tarball("from-tar", "w"),
    "more code.tar.gz": tarball("lib/from-tar-gz", "w:gz"),
    "data.zip": zipped("from-zip"),
}


def fill(cluster: Cluster, folder: Path) -> None:
    """Put what the job fetches where it fetches it from."""
    source = folder / "set" / ODD
    source.mkdir(parents=True)
    (source / "part-0").write_bytes(bytes(range(256)) * 300)
    (source / "empty").write_bytes(b"")
    (folder / "fetched.tgz").write_bytes(tarball("from-tgz", "w:gz"))
    (folder / "shared/disk").mkdir()
    (folder / "shared/disk/on-the-node").write_text("here")
    (folder / "shared/old").write_text("old")
    (folder / "shared/sent along").mkdir()
    (folder / "shared/sent along" / ODD).write_bytes(bytes(range(256)))
    (folder / "run.sh").write_text("sent by the submitter: run.sh")
    (folder / "run.sh").chmod(0o755)
    cluster.hdfs("-mkdir", "-p", place(folder))
    cluster.hdfs("-put", folder / "set", folder / "fetched.tgz", place(folder))


def place(folder: Path) -> str:
    """The folder of HDFS that a run has to itself."""
    return f"/tmp/run{folder}/records"


FILES = f"""
job files {{
  {COMMAND}
  cpu = 1, memory = 512Mi
  mount archive "code.tar" at "."
  mount archive "more code.tar.gz" at "{ODD}"
  mount archive "data.zip" at "zipped/deep"
  mount archive "${{files}}/tmp/run${{records}}/fetched.tgz" at "fetched"
  mount hdfs "${{files}}/tmp/run${{records}}/set" at "set"
  mount host "${{shared}}" at "${{shared}}"
  mount host "${{shared}}/disk" at "disk" readonly
  mount scratch at "scratch"
  mount memory 1Mi at "memory"
  output "result" to "${{shared}}/copies/${{job.name}}/{ODD}"
  output "disk/on-the-node" to "${{shared}}/old" {{ overwrite = true }}
  output "set" to "${{files}}/tmp/run${{records}}/out/{ODD}"
  output "result" to "${{shared}}/of-worker" from worker[1]
  output "result" to "${{files}}/tmp/run${{records}}/always" on always from worker[0]
  output "result" to "${{shared}}/never" on failure
  role chief {{ args = [
    "copy=from-tar", "copy={ODD}/lib/from-tar-gz", "copy=zipped/deep/from-zip", "copy=fetched/from-tgz",
    "copy=disk/on-the-node", "copy=set/{ODD}/part-0", "write=scratch/a:b", "write=memory/a:b",
    "write=result/of/chief:chief", "write=result/last:end", "copy=sent along/{ODD}", "copy=run.sh",
  ] }}
  role worker {{ replicas = 2, args = ["write=result:worker"] }}
  target yarn {{ webhdfs = webhdfs, files = ["run.sh", "shared/sent along/"] }}
}}
"""


FETCHES = f"""
job fetches {{
  {COMMAND}
  cpu = 1, memory = 512Mi
  mount archive "${{files}}/tmp/run${{records}}/fetched.tgz" at "."
  mount hdfs "${{files}}/tmp/run${{records}}/set" at "set"
  output "set" to "${{files}}/tmp/run${{records}}/out/{ODD}"
  role chief {{ args = ["copy=from-tgz", "copy=set/{ODD}/part-0"] }}
  target yarn {{ {FOLDER_STORE} }}
}}
"""
"""Each access starts a Java machine, so there are few."""


def in_hdfs(run: Run) -> dict[str, str]:
    """Path below the run's folder -> size."""
    listing = run.cluster.hdfs("-ls", "-R", place(run.folder)).splitlines()
    return {line.partition(place(run.folder) + "/")[2]: line.split()[4] for line in listing}


def copied_back(found: dict[str, str]) -> None:
    """The folder that came from HDFS has gone back whole."""
    assert found[f"out/{ODD}/{ODD}/part-0"] == str(256 * 300), found
    assert found[f"out/{ODD}/{ODD}/empty"] == "0", found
    assert not [name for name in found if ".part" in name], found


@pytest.mark.job(Job(FETCHES, before=fill))
def test_files_come_and_go_through_the_hadoop_client_of_the_node(run: Run) -> None:
    succeeded(run)
    assert (run.folder / "records/from-tgz").read_text() == "from-tgz"
    assert (run.folder / "records/part-0").read_bytes() == bytes(range(256)) * 300
    copied_back(in_hdfs(run))


@pytest.mark.job(Job(FILES, files=ARCHIVES, before=fill))
def test_archives_links_and_outputs_of_every_kind(run: Run) -> None:
    succeeded(run)
    assert (run.folder / "records" / ODD).read_bytes() == bytes(range(256))
    for name in ("from-tar", "from-tar-gz", "from-zip", "from-tgz", "run.sh"):
        copied = run.folder / "records" / name
        assert copied.read_text().endswith(name)
        assert copied.stat().st_mode & 0o777 == 0o755, f"{name} has lost its permissions"
    assert (run.folder / "records/part-0").read_bytes() == bytes(range(256)) * 300
    shared = run.folder / "shared"
    assert (shared / "copies/files" / ODD / "of/chief").read_text() == "chief"
    assert (shared / "copies/files" / ODD / "last").read_text() == "end"
    assert (shared / "old").read_text() == "here"
    assert (shared / "of-worker").read_text() == "worker"
    assert not (shared / "never").exists()
    assert not list(shared.rglob("*.part*"))
    assert in_hdfs(run)["always"] == "6"
    copied_back(in_hdfs(run))


def put_odd_names(cluster: Cluster, folder: Path) -> None:
    """One file that a pattern for another would find, too."""
    (folder / "odd").mkdir()
    (folder / "odd/a1.txt").write_text("wrong")
    (folder / "odd/a[1].txt").write_text("right")
    cluster.hdfs("-mkdir", "-p", place(folder))
    cluster.hdfs("-put", folder / "odd", place(folder))


COPIES = f"""
job copies {{
  {COMMAND}
  cpu = 1, memory = 512Mi
  retries = 2
  on failed => restart container
  mount hdfs "${{files}}/tmp/run${{records}}/odd/a[1].txt" at "-r[1]"
  mount host "${{shared}}" at "${{shared}}"
  output "-r[1]" to "${{files}}/tmp/run${{records}}/out[1]/{{a,b}}*? %41" on always
  output "-r[1]" to "${{shared}}/out[1]/-r %41" on always
  role chief {{ args = ["copy=-r[1]", "once=9"] }}
  target yarn {{ {FOLDER_STORE} }}
}}
"""


@pytest.mark.job(Job(COPIES, before=put_odd_names))
def test_a_restart_replaces_its_own_copies_under_any_name(run: Run) -> None:
    """Each try copies: the last, good one must not end 74. Names are no patterns, options or URIs."""
    assert run.status == 0, run.story
    assert len(run.tries("chief")) == 2
    assert (run.folder / "records/-r[1]").read_text() == "right"
    assert (run.folder / "shared/out[1]/-r %41").read_text() == "right"
    found = in_hdfs(run)
    assert found["out[1]/{a,b}*? %41"] == "5", found
    assert not [name for name in (*found, *map(str, run.folder.rglob("*"))) if ".part" in name]


def put_precious(_cluster: object, folder: Path) -> None:
    (folder / "shared/precious").write_text("kept")


OVER = f"""
job over {{
  {COMMAND}
  cpu = 1, memory = 128Mi
  mount host "${{shared}}" at "data"
  mount archive "code.tar" at "."
  role chief {{}}
  target yarn {{ {FOLDER_STORE} }}
}}
"""


@pytest.mark.job(Job(OVER, files={"code.tar": tarball("data/precious", "w")}, before=put_precious))
def test_an_archive_is_not_unpacked_into_a_folder_of_the_node(run: Run) -> None:
    assert run.status == 2, run.story
    assert "data exists and is not a link; it is left as it is" in run.story
    assert (run.folder / "shared/precious").read_text() == "kept"
