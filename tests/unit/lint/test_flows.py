"""What the jobs of a flow hand to each other: what is told, and what is nobody's mistake."""

from __future__ import annotations

import pytest

from tests.unit.lint.linting import found

_RULES = ("read-before-written", "scratch-between-jobs")


def flow(first: str, second: str, order: str = "run a, run b after a", more: str = "") -> list[str]:
    """What is told of a flow of two jobs with these commands and mounts; a third one has ended before both."""
    begin = 'job %s {\n  image = "registry.example.com/x:1"\n  %s\n  role worker { }\n}\n'
    jobs = [("a", first), ("b", second), ("c", more or 'command = ["true"]')]
    text = "".join(begin % job for job in jobs) + f"flow f {{ {order}, run c }}\n"
    return [slug for slug in found(text) if slug in _RULES]


_PVC = 'mount pvc "runs" at "/runs"\n  '
_WRITES = f'{_PVC}command = ["train"]\n  output "/tmp/model" to "/runs/model"'
_HDFS = 'mount hdfs "hdfs:///m" at "/m"\n  '
_LATER = "run a, run b after a"
_BESIDE = "run a, run b"
_EARLIER = "run b, run a after b"


def reads(words: str, mount: str = _PVC) -> str:
    return f"{mount}command = [{words}]"


@pytest.mark.parametrize(
    ("reader", "writer", "order", "told"),
    [
        (reads('"eval", "/runs/model"'), _WRITES, _LATER, True),
        (reads('"eval", "/runs/model"'), _WRITES, _BESIDE, True),
        (reads('"eval", "/runs/model"'), _WRITES, _EARLIER, False),
        (reads('"eval", "--model=/runs/model/1"'), _WRITES, _LATER, True),
        (reads('"eval", "--model", "/runs/model"'), _WRITES, _LATER, True),
        (reads('"eval", "/runs/modelling"'), _WRITES, _LATER, False),
        (reads('"eval", "/runs"'), _WRITES, _LATER, False),  # what it looks for there is not known
        (reads('"eval", "/elsewhere/model"', 'mount pvc "runs" at "/elsewhere"\n  '), _WRITES, _LATER, True),
        (reads('"eval", "/runs/model"', 'mount pvc "other" at "/runs"\n  '), _WRITES, _LATER, False),
        (reads('"eval", "/runs/model"', 'mount pvc "runs" at "/runs" { sub_path = "x" }\n  '), _WRITES, _LATER, False),
        (reads('"eval", "/runs/model"', 'mount scratch 1Gi at "/runs"\n  '), _WRITES, _LATER, False),
        (reads('"eval"') + '\n  checkpoint = "/runs/model"', _WRITES, _LATER, True),
        (reads('"eval", "/runs/model"') + '\n  output "/tmp/m" to "/runs/model"', _WRITES, _LATER, False),
        (reads('"eval", "hdfs:///m"', ""), reads('"x"', "") + '\n  output "/tmp/m" to "hdfs:///m"', _LATER, True),
        (
            reads('"x"', 'mount hdfs "hdfs:///m" at "/m"\n  '),
            reads('"x"', "") + '\n  output "/t" to "hdfs:///m"',
            _LATER,
            True,
        ),
        (
            reads('"eval", "/runs/${flow.run}/m"'),
            reads('"x"') + '\n  output "/tmp/m" to "/runs/${flow.run}/m"',
            _LATER,
            True,
        ),
    ],
)
def test_what_only_a_later_job_writes(reader: str, writer: str, order: str, told: bool) -> None:
    assert flow(reader, writer, order) == ["read-before-written"] * told


def test_a_job_before_may_have_written_it() -> None:
    order = "run b after a, run a after c"
    assert flow(reads('"eval", "/runs/model"'), _WRITES, order, reads('"train", "--out=/runs/model"')) == []
    assert flow(reads('"eval", "/runs/model"'), _WRITES, order, reads('"train", "--out=/runs/other"')) != []


_WORK = 'mount scratch 1Gi at "/work"\n  '


@pytest.mark.parametrize(
    ("first", "second", "order", "told"),
    [
        (reads('"fetch", "--out=/work/d"', _WORK), reads('"train", "--data=/work/d"', _WORK), _LATER, True),
        (reads('"fetch", "--output-dir", "/work/d"', _WORK), reads('"train", "/work/d"', _WORK), _LATER, True),
        (reads('"fetch", "/work/d.npz"', _WORK), reads('"train", "/work/d.npz"', _WORK), _LATER, True),
        (reads('"fetch", "--out=/work/d"', _WORK), reads('"train", "--data=/work/d"', _WORK), _BESIDE, False),
        (reads('"fetch", "--out=/work/d"', _WORK), reads('"train", "--data=/work/d"', _WORK), _EARLIER, False),
        (reads('"fetch", "--tmp=/work/d"', _WORK), reads('"train", "--tmp=/work/d"', _WORK), _LATER, False),
        (reads('"fetch", "--out=/work/d"', _WORK), reads('"train", "--out=/work/d"', _WORK), _LATER, False),
        (reads('"fetch", "/work"', _WORK), reads('"train", "/work"', _WORK), _LATER, False),
        (reads('"fetch", "--out=/runs/d"'), reads('"train", "--data=/runs/d"'), _LATER, False),
        (
            reads('"fetch", "--out=/work/d"', _WORK),
            reads('"x", "/work/d", "--data=/work/d"', _WORK),
            _LATER,
            False,
        ),
        (
            reads('"fetch"', _PVC + _WORK) + '\n  output "/work/d" to "/runs/d"',
            reads('"train", "/work/d"', _WORK),
            _LATER,
            False,  # its command does not name it, so nothing says that it is the same
        ),
    ],
)
def test_what_two_jobs_have_on_storage_of_their_own(first: str, second: str, order: str, told: bool) -> None:
    assert flow(first, second, order) == ["scratch-between-jobs"] * told
