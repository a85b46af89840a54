"""``tfdsl diff FILE@REVISION`` where a stranger has written the files, or the repository itself."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import JOB, Ran, tfdsl
from tests.unit.cli.test_diff import MORE, commit, git, with_commits

if TYPE_CHECKING:
    from pathlib import Path

SECRET = JOB.replace("mnist:1.4", "s3cret:1")


def differs(folder: Path, revision: str = "main", *more: str, file: str = "mnist.tfjob") -> Ran:
    """The job as it is compared with itself at a revision."""
    return tfdsl("diff", f"{file}@{revision}", file, "-t", "tfjob", *more, cwd=folder)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """An ordinary repository, with folders beside it."""
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "mnist.tfjob").write_text(JOB)
    return with_commits(repository)


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """A repository that is none of the stranger's business, whose ``main`` they know."""
    private = tmp_path / "private"
    private.mkdir()
    git(private, "init", "-q", "-b", "main")
    (private / "mnist.tfjob").write_text(SECRET)
    commit(private, "secret")
    return private


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """A folder of a stranger, in which the job is another one."""
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    (stranger / "mnist.tfjob").write_text(JOB)
    return stranger


def refused(ran: Ran, *texts: str) -> None:
    """Nothing of the private repository is shown."""
    assert ran.status == 2, ran
    assert "s3cret" not in ran.out + ran.err
    for text in texts:
        assert text in ran.err


# --- a pull request ------------------------------------------------------------------------------------------------


def test_files_that_look_like_a_repository_are_none(repository: Path) -> None:
    jobs = repository / "jobs"
    jobs.mkdir()
    (jobs / "mnist.tfjob").write_text(JOB)
    commit(repository, "jobs")
    (jobs / "mnist.tfjob").write_text(MORE)
    work = repository.parent / "work"
    work.mkdir()
    git(work, "init", "-q", "-b", "main")
    (work / "mnist.tfjob").write_text(MORE)
    commit(work, "more")
    shutil.copytree(work / ".git", jobs, dirs_exist_ok=True)
    ran = differs(repository, file="jobs/mnist.tfjob")
    assert (ran.status, "replicas: 3" in ran.out) == (1, True)


def test_a_folder_that_becomes_a_link_is_looked_up_as_it_was(repository: Path) -> None:
    """What the link leads to has not changed, but it is not what was there."""
    (repository / "jobs").mkdir()
    (repository / "jobs/mnist.tfjob").write_text(JOB)
    (repository / "kept").mkdir()
    (repository / "kept/mnist.tfjob").write_text(MORE)
    commit(repository, "jobs")
    shutil.rmtree(repository / "jobs")
    (repository / "jobs").symlink_to("kept")
    ran = differs(repository, file="jobs/mnist.tfjob")
    assert (ran.status, "replicas: 3" in ran.out) == (1, True), ran.err


def test_a_link_to_a_submodule_is_looked_up_as_it_was(repository: Path, private: Path) -> None:
    (repository / "jobs").mkdir()
    (repository / "jobs/mnist.tfjob").write_text(JOB)
    commit(repository, "jobs")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(private), "sub")
    shutil.rmtree(repository / "jobs")
    (repository / "jobs").symlink_to("sub")
    ran = differs(repository, file="jobs/mnist.tfjob")
    assert (ran.status, "s3cret" in ran.out) == (1, True), ran.err


def test_links_of_that_revision_are_followed(repository: Path) -> None:
    (repository / "kept/deep").mkdir(parents=True)
    (repository / "kept/deep/mnist.tfjob").write_text(JOB)
    (repository / "a").symlink_to("kept")
    (repository / "kept/b").symlink_to("../a/deep")
    commit(repository, "links")
    (repository / "kept/deep/mnist.tfjob").write_text(MORE)
    ran = differs(repository, file="a/b/mnist.tfjob")
    assert (ran.status, "replicas: 3" in ran.out) == (1, True), ran.err


@pytest.mark.parametrize(
    ("to", "reason"),
    [("a", "too many levels"), ("/etc", "outside of the repository"), ("..", "outside"), ("no", "no such file")],
)
def test_links_of_that_revision_that_lead_nowhere(repository: Path, to: str, reason: str) -> None:
    (repository / "a").symlink_to(to)
    commit(repository, "link")
    ran = tfdsl("diff", "a/mnist.tfjob@main", "mnist.tfjob", "-t", "tfjob", cwd=repository)
    assert (ran.status, reason in ran.err) == (2, True), ran.err


def test_a_repository_behind_a_link_is_one(repository: Path) -> None:
    (repository.parent / "link").symlink_to("repository")
    ran = tfdsl("diff", "link/mnist.tfjob@two", "link/mnist.tfjob", "-t", "tfjob", cwd=repository.parent)
    assert ran.status == 1, ran.err


# --- an unpacked folder --------------------------------------------------------------------------------------------


def by_a_git_file(stranger: Path, private: Path) -> None:
    (stranger / ".git").write_text(f"gitdir: {private}/.git\n")


def by_a_link(stranger: Path, private: Path) -> None:
    (stranger / ".git").symlink_to(private / ".git")


def by_a_link_to_a_git_file(stranger: Path, private: Path) -> None:
    git(private, "worktree", "add", "-q", "../tree")
    (stranger / ".git").symlink_to("../tree/.git")


def by_a_worktree_of_another_folder(stranger: Path, private: Path) -> None:
    git(private, "worktree", "add", "-q", "../tree")
    (stranger / ".git").write_text(f"gitdir: {private}/.git/worktrees/tree\n")


def by_a_common_folder(stranger: Path, private: Path) -> None:
    git(stranger, "init", "-q", "-b", "main")
    (stranger / ".git/commondir").write_text(f"{private}/.git\n")


def by_a_common_folder_that_a_link_names(stranger: Path, private: Path) -> None:
    by_a_common_folder(stranger, private)
    (stranger / ".git/commondir").rename(stranger / "named")
    (stranger / ".git/commondir").symlink_to("../named")


def by_links_to_its_parts(stranger: Path, private: Path) -> None:
    git(stranger, "init", "-q", "-b", "main")
    for part in ("objects", "refs"):
        shutil.rmtree(stranger / ".git" / part)
        (stranger / ".git" / part).symlink_to(private / ".git" / part)


def by_a_link_behind_a_link(stranger: Path, private: Path) -> None:
    by_links_to_its_parts(stranger, private)
    (stranger / "kept").mkdir()
    for part in ("objects", "refs"):
        (stranger / ".git" / part).rename(stranger / "kept" / part)
        (stranger / ".git" / part).symlink_to(f"../kept/{part}")


def _knowing_the_commit(stranger: Path, private: Path) -> Path:
    git(stranger, "init", "-q", "-b", "main")
    shutil.copy(private / ".git/refs/heads/main", stranger / ".git/refs/heads/main")
    return stranger / ".git/objects/info/alternates"


def by_alternates(stranger: Path, private: Path) -> None:
    _knowing_the_commit(stranger, private).write_text(f"{private}/.git/objects\n")


def by_relative_alternates(stranger: Path, private: Path) -> None:
    _knowing_the_commit(stranger, private).write_text("# shared\n../../../private/.git/objects\n")


def by_quoted_alternates(stranger: Path, private: Path) -> None:
    quoted = str(private).replace("/", "\\057")
    _knowing_the_commit(stranger, private).write_text(f'"{quoted}/.git/objects"\n')


def by_alternates_of_alternates(stranger: Path, private: Path) -> None:
    _knowing_the_commit(stranger, private).write_text(f"{stranger}/more\n")
    (stranger / "more/info").mkdir(parents=True)
    (stranger / "more/info/alternates").write_text(f"{private}/.git/objects\n")


def by_linked_packs(stranger: Path, private: Path) -> None:
    _knowing_the_commit(stranger, private)
    git(private, "repack", "-adq")
    for pack in (private / ".git/objects/pack").iterdir():
        (stranger / ".git/objects/pack" / pack.name).symlink_to(pack)


WAYS = (
    *(by_a_git_file, by_a_link, by_a_link_to_a_git_file, by_a_worktree_of_another_folder, by_a_common_folder),
    *(by_a_common_folder_that_a_link_names, by_links_to_its_parts, by_a_link_behind_a_link, by_alternates),
    *(by_relative_alternates, by_quoted_alternates, by_alternates_of_alternates, by_linked_packs),
)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_nothing_leads_to_another_repository(stranger: Path, private: Path, way: object) -> None:
    assert callable(way)
    way(stranger, private)
    refused(differs(stranger), f"is outside {stranger}", "--allow-read DIR")
    allowed = differs(stranger, "main", "--allow-read", str(private.parent))
    if way is not by_quoted_alternates:  # a quoted name can be any
        assert (allowed.status, "s3cret" in allowed.out) == (1, True), allowed.err


@pytest.mark.parametrize("name", ["packed-refs", "HEAD", "config", "objects/info/alternates", "shallow", "info/grafts"])
def test_no_line_of_what_a_link_leads_to_is_quoted(stranger: Path, tmp_path: Path, name: str) -> None:
    git(stranger, "init", "-q", "-b", "main")
    commit(stranger, "one")
    (tmp_path / "netrc").write_text("machine example.com password s3cret\n")
    (stranger / ".git" / name).unlink(missing_ok=True)
    (stranger / ".git" / name).symlink_to(tmp_path / "netrc")
    refused(differs(stranger), f".git/{name} is outside {stranger}")


def test_what_git_complains_about_is_not_quoted(stranger: Path) -> None:
    git(stranger, "init", "-q", "-b", "main")
    commit(stranger, "one")
    (stranger / ".git/packed-refs").write_text("s3cret\n")
    refused(differs(stranger, "none"))


@pytest.mark.parametrize("name", ["config", "HEAD", "refs/heads/main", "packed-refs", "objects/info/alternates"])
def test_a_fifo_is_not_waited_for(stranger: Path, name: str) -> None:
    git(stranger, "init", "-q", "-b", "main")
    commit(stranger, "one")
    (stranger / ".git" / name).unlink(missing_ok=True)
    os.mkfifo(stranger / ".git" / name)
    refused(differs(stranger), f".git/{name} is not a regular file")


def test_git_is_not_waited_for_without_end(stranger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tfdsl.comparing import repository

    git(stranger, "init", "-q", "-b", "main")
    commit(stranger, "one")
    os.mkfifo(tmp_path / "pipe")
    git(stranger, "config", "include.path", str(tmp_path / "pipe"))
    monkeypatch.setattr(repository, "_SECONDS", 0.2)
    refused(differs(stranger), "git did not answer for 0.2 seconds")


def test_nothing_that_is_missing_is_fetched(stranger: Path) -> None:
    git(stranger, "init", "-q", "-b", "main")
    commit(stranger, "one")
    ext = f"ext::sh -c 'touch {stranger}/ran'"
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": ext,
        "remote.origin.promisor": "true",
        "protocol.ext.allow": "always",
    }.items():
        git(stranger, "config", name, value)
    shutil.rmtree(stranger / ".git/objects")
    (stranger / ".git/objects").mkdir()
    refused(differs(stranger), "mnist.tfjob at revision main")
    assert not (stranger / "ran").exists()


def test_the_environment_names_no_other_repository(
    repository: Path, private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", f"{private}/.git")
    monkeypatch.setenv("GIT_ALTERNATE_OBJECT_DIRECTORIES", f"{private}/.git/objects")
    ran = differs(repository, "two")
    assert (ran.status, "s3cret" in ran.out) == (1, False)


def test_a_configured_worktree_changes_nothing(repository: Path, private: Path) -> None:
    git(repository, "config", "core.worktree", str(private))
    assert differs(repository, "two").status == 1
    assert differs(repository, "HEAD").status == 0


# --- what git itself makes ---------------------------------------------------------------------------------------


def test_a_worktree_has_its_repository_elsewhere(repository: Path) -> None:
    git(repository, "worktree", "add", "-q", "../tree", "two")
    assert differs(repository.parent / "tree", "main").status == 1
    assert differs(repository.parent / "tree", "HEAD").status == 0


def test_a_submodule_has_its_repository_above_it(repository: Path, private: Path) -> None:
    git(repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(private), "sub")
    assert (repository / "sub/.git").is_file()
    assert differs(repository / "sub", "main").status == 0
    (repository / "sub/mnist.tfjob").write_text(JOB)
    assert differs(repository, "main", file="sub/mnist.tfjob").status == 1


def test_a_separate_repository_can_be_allowed(repository: Path) -> None:
    git(repository, "init", "-q", "--separate-git-dir", "../kept")
    refused(differs(repository, "two"), "the repository that .git leads to is outside", "--allow-read DIR")
    assert differs(repository, "two", "--allow-read", "../kept").status == 1


def test_ordinary_links_in_a_repository_are_followed(repository: Path) -> None:
    (repository / ".git/HEAD").unlink()
    (repository / ".git/HEAD").symlink_to("refs/heads/main")
    (repository / "hooks").mkdir()
    shutil.rmtree(repository / ".git/hooks", ignore_errors=True)
    (repository / ".git/hooks").symlink_to("/")
    assert differs(repository, "HEAD").status == 0
    assert differs(repository, "two").status == 1


# --- revisions with an @ ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "revision", ["@{1}", "{1}", "HEAD@{1}", "main@{1}", "@~1", "@{u}", "{u}", "main@{upstream}", "ann@two"]
)
def test_revisions_that_have_an_at(repository: Path, revision: str) -> None:
    for words in (
        ("branch", "ann@two", "two"),
        ("config", "branch.main.remote", "."),
        ("config", "branch.main.merge", "refs/heads/ann@two"),
    ):
        git(repository, *words)
    ran = differs(repository, revision, "--format", "summary")
    assert ran.status == 1, ran.err
    assert "worker: replicas 2 → 3" in ran.out


def test_a_single_at_is_the_head(repository: Path) -> None:
    assert differs(repository, "@").status == 0


def test_a_file_that_is_gone_has_such_revisions_too(repository: Path) -> None:
    (repository / "mnist.tfjob").rename(repository / "new.tfjob")
    for revision in ("HEAD@{1}", "@{1}", "{1}"):
        ran = tfdsl("diff", f"mnist.tfjob@{revision}", "new.tfjob", "-t", "tfjob", cwd=repository)
        assert (ran.status, "replicas: 3" in ran.out) == (1, True), ran.err
