"""``tfdsl check --fix``: what is mended, what is left alone, and that nothing else of a file changes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.unit.cli.shell import tfdsl

if TYPE_CHECKING:
    from pathlib import Path

HEAD = 'job mnist {\n  image = "registry.example.com/mnist:1.4"\n'


def fixed(folder: Path, text: str | bytes, *options: str) -> tuple[bytes, str]:
    """The bytes after ``--fix``, and what was told."""
    path = folder / "job.tfjob"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    ran = tfdsl("check", "job.tfjob", "--fix", *options, cwd=folder)
    return path.read_bytes(), ran.err


@pytest.mark.parametrize(
    ("broken", "mended"),
    [
        ("queue = 'research'", 'queue = "research"'),
        ("queue = “research”", 'queue = "research"'),
        ('queue: "research"', 'queue = "research"'),
        ('queue == "research"', 'queue = "research"'),
        ('"queue" = "research"', 'queue = "research"'),
        ("on failed -> restart pod", "on failed => restart pod"),
        ("retries = 2;", "retries = 2"),
        ("memory = 16 Gi", "memory = 16Gi"),
        ("cpu = .5", "cpu = 0.5"),
        ('queue = "a"   // the big one', 'queue = "a"   # the big one'),
        ('mount pvc "a" at at "/a"', 'mount pvc "a" at "/a"'),
        ("memory = 16GB", "memory = 16G"),
        ('memory = "16Gi"', "memory = 16Gi"),
        ('retries = "2"', "retries = 2"),
        ('gang = "false"', "gang = false"),
        ("gang = False", "gang = false"),
        ("labels = { a = 1 }", 'labels = { a = "1" }'),
        ("cpus = 4", "cpu = 4"),
        ('nodeSelector = { a = "b" }', 'node_selector = { a = "b" }'),
        ('quue = "a"', 'queue = "a"'),
        ('mount emptyDir at "/s"', 'mount scratch at "/s"'),
        ('mount pvc "a" at "/a" { subPath = "x" }', 'mount pvc "a" at "/a" { sub_path = "x" }'),
        ("on PodFailed => restart pod", "on failed => restart pod"),
        ("on failed => RestartJob", "on failed => restart job"),
        ("deadline = 3hours", "deadline = 3h"),
        ("retries = 2 // a few", "retries = 2 # a few"),
        ('queue := "a"', 'queue = "a"'),
        ("queue:'a'", 'queue = "a"'),
        ('args = "--steps=5"', 'args = ["--steps=5"]'),
        ('queue = loewr("A")', 'queue = loewr("A")'),  # two edits away: a suggestion, not a fix
        ('queue = lowr("A")', 'queue = lower("A")'),
        ("memory = 16", "memory = 16"),  # which unit is for a person to say
        ("deadline = 30", "deadline = 30"),
        ("queue = research", "queue = research"),  # a name or a text?
    ],
)
def test_what_is_mended(tmp_path: Path, broken: str, mended: str) -> None:
    after, _ = fixed(tmp_path, f"{HEAD}  {broken}\n  role worker {{ }}\n}}\n")
    assert after.decode() == f"{HEAD}  {mended}\n  role worker {{ }}\n}}\n"


@pytest.mark.parametrize(
    "broken",
    [
        'cleanup = "Running"',  # a value of a fixed set
        'spread = "zone"',
        'schedule = "@daily"',  # one letter from scheduler, and something else
        "affinity = { nodeAffinity = {} }",
        "requests = { cpu = 1 }",
        'limits = { "nvidia.com/gpu" = 1 }',
        "pu = 1",  # cpu or gpu?
        "quue = 5",  # not of the type of queue
        "timeout = 1h",  # of what?
        "role worker2 { }",
        "role trainer { }",
        "on worker completed => stop job",
        "on failed => stop job",
        "on failed => restart",  # the container, the pod, the role or the job?
        "memory = 16g",  # 16G or 16Gi?
        "memory = 16gb",
        "retries = 6 // 2",  # a comment or a division?
        "workdir = 'C:\\new'",  # a line end or not?
        'args = "--steps 5 --batch 32"',  # one argument or four?
        "queue = depatment",  # a name of the user's
        'mount "data" at "/data"',  # without quotes it would be a kind that there is not
        "args = ['it''s']",
        "args = ['a' + 'it''s']",
        "affinity: { }",
    ],
)
def test_what_may_mean_something_else_is_left_alone(tmp_path: Path, broken: str) -> None:
    text = f'let department = "a"\n{HEAD}  {broken}\n  role worker {{ }}\n  labels = {{ a = department }}\n}}\n'
    after, told = fixed(tmp_path, text)
    assert after.decode() == text
    assert "error" in told


def test_a_type_is_no_value(tmp_path: Path) -> None:
    text = f"let n: int = 4\n{HEAD}  role worker {{ replicas = n }}\n}}\n"
    assert fixed(tmp_path, text)[0].decode() == text


def test_fixes_that_exclude_each_other_are_not_taken_together(tmp_path: Path) -> None:
    after, told = fixed(tmp_path, f'{HEAD}  quue = "a"\n  queu = "b"\n  role worker {{ }}\n}}\n')
    assert after.decode() == f'{HEAD}  queue = "a"\n  queu = "b"\n  role worker {{ }}\n}}\n'
    assert "queu" in told


def test_a_fix_does_not_have_to_mend_what_else_is_wrong(tmp_path: Path) -> None:
    """That there is no image is told only when the whole job can be read."""
    after, told = fixed(tmp_path, "job mnist {\n  queue = 'a'\n  role worker { }\n}\n")
    assert after.decode() == 'job mnist {\n  queue = "a"\n  role worker { }\n}\n'
    assert "missing-image" in told


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ("memory = 16g", '"write 16G" is only one way to read it'),
        ("memory: true", '"write =" would leave an error in this statement'),
        ("args = ['it''s']", '"write it in double quotes" is only one way to read it'),
        ('quue = "a"\n  queu = "b"', '"write queue" would cause another error'),
        ("queue = ???\n  cpus = 4", "the syntax errors of this file come first"),
    ],
)
def test_a_fix_that_is_left_says_why(tmp_path: Path, broken: str, reason: str) -> None:
    _, told = fixed(tmp_path, f"{HEAD}  {broken}\n  role worker {{ }}\n}}\n")
    assert f"help: not fixed: {reason}\n" in told


def test_a_fix_of_a_file_that_is_not_named_says_so(tmp_path: Path) -> None:
    (tmp_path / "common.tfjob").write_text("let registry = 'registry.example.com'\n")
    _, told = fixed(tmp_path, f'include "common.tfjob"\n{HEAD}  role worker {{ }}\n}}\n')
    assert "help: not fixed: common.tfjob is not on the command line" in told


def test_a_file_that_cannot_be_fixed_does_not_keep_others_from_it(tmp_path: Path) -> None:
    (tmp_path / "common.tfjob").write_text("let size = '4'\n")
    job = f"{HEAD}  queue = 'a'\n  role worker {{ }}\n}}\n"
    (tmp_path / "alone.tfjob").write_text(job)
    (tmp_path / "other.tfjob").write_text(f'include "common.tfjob"\n{job.replace("queue", "retries")}')
    ran = tfdsl("check", ".", "--fix", cwd=tmp_path)
    assert ran.err.startswith("fixed alone.tfjob\nfixed common.tfjob\nerror")
    assert (tmp_path / "other.tfjob").read_text() == f'include "common.tfjob"\n{job.replace("queue", "retries")}'


def offers(folder: Path, text: str) -> list[tuple[str, bool]]:
    """The fixes, and whether each is safe, that programs are told of."""
    (folder / "job.tfjob").write_text(text)
    told = json.loads(tfdsl("check", "job.tfjob", "--format", "json", cwd=folder).out)["diagnostics"]
    return [(fix["title"], fix["safe"]) for one in told for fix in one["fixes"]]


@pytest.mark.parametrize(
    ("broken", "offered"),
    [
        ('spread = "zone"', [('write "none"', False)]),
        ("on failed => restart", [("write restart container", False)]),
        ("on failed => stop job", [("write abort job", False)]),
        ("memory = 16g", [("write 16G", False)]),
        ("on exit 1…5 => restart pod", [("write ..", False)]),
        ("queue = research", [("quote it", False)]),
        # These would only lead to the next error.
        ("on worker completed => stop job", []),
        ("retries = three", []),
        ("quue = 5", []),
        ("role worker2 { }", []),
    ],
)
def test_what_is_offered(tmp_path: Path, broken: str, offered: list[tuple[str, bool]]) -> None:
    assert offers(tmp_path, f"{HEAD}  {broken}\n  role worker {{ }}\n}}\n") == offered


def test_a_param_that_a_profile_sets_cannot_just_be_removed(tmp_path: Path) -> None:
    text = f"param n: int = 1\nprofile big {{ n = 9 }}\n{HEAD}  role worker {{ }}\n}}\n"
    assert offers(tmp_path, text) == []
    assert offers(tmp_path, text.replace("profile big { n = 9 }\n", "")) == [("remove it", False)]


MANY = """\
param workers: integer = '4'
job mnist
{
  imagee: "registry.example.com/mnist:1.4";   // the image
  queue == 'research'
  cpus = 4, memory = "16Gi"
  env = { STAGE: 'prod'; LEVEL = 'info' }
  role worker { replicas = workers, gpus = 1 }
  on PodFailed -> RestartPod
}
"""
MENDED = """\
param workers: int = 4
job mnist {
  image = "registry.example.com/mnist:1.4"   # the image
  queue = "research"
  cpu = 4, memory = 16Gi
  env = { STAGE = "prod", LEVEL = "info" }
  role worker { replicas = workers, gpu = 1 }
  on failed => restart pod
}
"""


def test_one_run_mends_everything_that_can_be(tmp_path: Path) -> None:
    after, told = fixed(tmp_path, MANY)
    assert after.decode() == MENDED
    assert told == "fixed job.tfjob\n"


def test_another_run_changes_nothing(tmp_path: Path) -> None:
    after, _ = fixed(tmp_path, MANY)
    again, told = fixed(tmp_path, after)
    assert (again, told) == (after, "")


def test_line_ends_and_byte_order_mark_stay(tmp_path: Path) -> None:
    broken = b"\xef\xbb\xbf" + MANY.replace("\n", "\r\n").encode()
    after, _ = fixed(tmp_path, broken)
    assert after == b"\xef\xbb\xbf" + MENDED.replace("\n", "\r\n").encode()


def test_a_last_line_without_its_end_stays_so(tmp_path: Path) -> None:
    after, _ = fixed(tmp_path, f"{HEAD}  queue = 'a'\n  role worker {{ }} }}")
    assert after.decode() == f'{HEAD}  queue = "a"\n  role worker {{ }} }}'


def test_meaning_waits_until_the_form_is_right(tmp_path: Path) -> None:
    """While a brace is missing, nobody knows which block an attribute stands in."""
    broken = f"{HEAD}  role worker {{\n  cpus = 4\n  queue = ???\n"
    after, _ = fixed(tmp_path, broken)
    assert b"cpus = 4" in after


def test_included_files_that_were_not_named_stay(tmp_path: Path) -> None:
    common = "let registry = 'registry.example.com'\n"
    (tmp_path / "common.tfjob").write_text(common)
    text = 'include "common.tfjob"\njob mnist {\n  image: "${registry}/mnist:1.4"\n  role worker { }\n}\n'
    fixed(tmp_path, text)
    assert (tmp_path / "common.tfjob").read_text() == common
    ran = tfdsl("check", "job.tfjob", "common.tfjob", "--fix", cwd=tmp_path)
    assert ran.status == 0, ran.err
    assert (tmp_path / "common.tfjob").read_text() == 'let registry = "registry.example.com"\n'


def test_a_file_named_twice_is_written_once(tmp_path: Path) -> None:
    path = tmp_path / "job.tfjob"
    path.write_text(f"{HEAD}  queue = 'a'\n  role worker {{ }}\n}}\n")
    ran = tfdsl("check", "job.tfjob", "./job.tfjob", "--fix", cwd=tmp_path)
    assert ran.status == 0, ran.err
    assert path.read_text() == f'{HEAD}  queue = "a"\n  role worker {{ }}\n}}\n'


def test_a_link_stays_a_link_and_a_mode_stays(tmp_path: Path) -> None:
    real = tmp_path / "real.tfjob"
    real.write_text(f"{HEAD}  queue = 'a'\n  role worker {{ }}\n}}\n")
    real.chmod(0o640)
    link = tmp_path / "link.tfjob"
    link.symlink_to("real.tfjob")
    assert tfdsl("check", "link.tfjob", "--fix", cwd=tmp_path).status == 0
    assert link.is_symlink()
    assert '"a"' in real.read_text()
    assert real.stat().st_mode & 0o777 == 0o640


def test_standard_input_cannot_be_fixed(tmp_path: Path) -> None:
    ran = tfdsl("check", "-", "--fix", cwd=tmp_path, stdin=b"job a { }\n")
    assert ran.status == 2
    assert "--fix cannot change standard input" in ran.err
