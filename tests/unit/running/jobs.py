"""Jobs for the tests of local runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfdsl.compiling import pipeline
from tfdsl.compiling.jobs import plain_flows
from tfdsl.lifecycle.behaviour import Task
from tfdsl.running.plan import Problem, Replica, Surroundings, plan, tasks
from tfdsl.semantics.request import Request
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.compiling.jobs import PlainJob
    from tfdsl.ir.model import Job

HEAD = 'image = "registry.example.com/mnist:1.4"'


def plain(*lines: str) -> PlainJob:
    """A job with ``lines`` in it, and where they are."""
    body = "\n  ".join((HEAD, *lines))
    program = pipeline.load(Source("mnist.tfjob", f"job mnist {{\n  {body}\n}}\n"), lambda path: "no files here")
    found = plain_flows(program, Request())
    [one] = found.beside or [pytest_fail(found.diagnostics)]
    return one


def pytest_fail(diagnostics: object) -> PlainJob:
    raise AssertionError(diagnostics)


def job(*lines: str) -> Job:
    """The job alone."""
    return plain(*lines).job


def here(of: Job, **environment: str) -> Surroundings:
    """A machine whose ports count from 9000."""
    ports = {task: 9000 + at for at, task in enumerate(tasks(of))}
    return Surroundings(environment, ports, {}, "node7", "python")


def planned(*lines: str, **environment: str) -> dict[str, Replica]:
    """What each replica runs."""
    replicas, problems = plan(job(*lines), here(job(*lines), **environment))
    assert not problems, problems
    return {str(one.task): one for one in replicas}


def problems(*lines: str, **environment: str) -> list[Problem]:
    """What keeps the job from being started."""
    return list(plan(job(*lines), here(job(*lines), **environment))[1])


WORKER = Task("worker", 0)
