"""The option ``placement``: what reaches Hadoop's parser, and what is refused before it.

``TAKEN`` and ``REFUSED`` were put to PlacementConstraintParser of Hadoop 3.4.2, each behind ``worker(2),``: it takes
all of the first in the meaning that they have here. Of the second it refuses some, and takes the others in another
meaning, which stands beside them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.backends.jobs import job, role, unit
from tests.unit.backends.verdicts import report
from tests.unit.backends.yarn.cluster import Cluster, native
from tfdsl_backends.yarn.applications import applications
from tfdsl_backends.yarn.lower import client_options, words_of
from tfdsl_backends.yarn.placement import ConstraintError, parse, written

if TYPE_CHECKING:
    from tfdsl.backend import OptionValue
    from tfdsl.ir.model import Job

TAKEN = {
    "NOTIN,NODE,worker": "NOTIN,NODE,worker",
    "notin , node , worker": "NOTIN,NODE,worker",
    " IN,RACK,ps,chief ": "IN,RACK,ps,chief",
    "CARDINALITY,NODE,ps,0,3": "CARDINALITY,NODE,ps,0,3",
    "IN,NODE,all/ps": "IN,NODE,all/ps",
    "IN,NODE,not-self/a.b_c-d": "IN,NODE,not-self/a.b_c-d",
    "rm.yarn.io/gpu=true": "rm.yarn.io/gpu=true",
    "java != 1.8": "java!=1.8",
    "ANDROID=1": "ANDROID=1",
    "INFRA=1": "INFRA=1",
    "AND(NOTIN,NODE,worker:rm.yarn.io/gpu=true)": "AND(NOTIN,NODE,worker:rm.yarn.io/gpu=true)",
    "Or( NOTIN,NODE,worker : And(IN,RACK,ps:java=1.8) )": "OR(NOTIN,NODE,worker:AND(IN,RACK,ps:java=1.8))",
    "AND(IN,NODE,ps:OR(java=1:java=2):NOTIN,RACK,x)": "AND(IN,NODE,ps:OR(java=1:java=2):NOTIN,RACK,x)",
}

REFUSED = {
    "": "refused",
    "java": "refused",
    "java=": "refused",
    "=1": "refused",
    "IN": "refused",
    "IN,CLUSTER,ps": "refused",
    "IN,NODE,app-tag/run/ps": "refused",
    "IN,NODE,foo/ps": "refused",
    "CARDINALITY,NODE,0,1": "refused",
    "AND()": "refused",
    "AND(NOTIN,NODE,worker": "refused",
    "xAND(IN,NODE,ps)": "refused",
    "java=1.8:python=3": "refused",
    "IN,NODE,ps:IN,RACK,ps": "refused: the second needs a tag and a number",
    "IN,NODE": "no target, always satisfied",
    "IN,NODE,": "no target, always satisfied",
    "IN,NODE,ps,,chief": "the empty tag is left out",
    "IN,NODE,a b": "a tag with a blank",
    "IN,NODE,ps=1": "a tag with =",
    "IN,NODE,app-tag/ps": "the application tag is missing, and the ResourceManager fails",
    "CARDINALITY,NODE,ps,3,1": "never satisfied",
    "CARDINALITY,NODE,ps,-1,1": "as if it were 0",
    "java!=1.8,1.9": "only the first value is compared",
    "java=1.8=3": "java=1.8",
    "java>=3": "an attribute java>",
    "java=a(b)": "a value that no node can have",
    "AND(IN,NODE,ps)": "AND of one",
    "AND(IN,NODE,ps:a=1)b": "as if nothing followed",
    "AND(IN,NODE,ps:a=1):b=2": "refused",
    "AND(a=1:b=2))(": "refused",
}


@pytest.mark.parametrize(("text", "expected"), TAKEN.items())
def test_what_is_a_constraint(text: str, expected: str) -> None:
    assert written(parse(text), lambda space, tag: f"{space}/{tag}" if space else tag) == expected


@pytest.mark.parametrize("text", REFUSED)
def test_what_hadoop_would_refuse_or_misread(text: str) -> None:
    with pytest.raises(ConstraintError, match=r"."):
        parse(text)


# --- jobs ----------------------------------------------------------------------------------------------------------


def specs(made: Job, version: str = "3.4", **options: OptionValue) -> list[str]:
    """The value of ``-placement_spec`` of each application, empty without one."""
    one = unit(made, "yarn", version, **options)
    words = [words_of(client_options(one, app)) for app in applications(one)]
    return [line[line.index("-placement_spec") + 1] if "-placement_spec" in line else "" for line in words]


TWO = job(role("ps"), role("worker", 2))
APART = job(role("ps"), role("worker", 2, spread="node"))


@pytest.mark.parametrize(
    ("made", "version", "placement", "expected"),
    [
        (job(role("worker", 2)), "3.4", {"worker": "zone=a"}, ["task(2),zone=a"]),
        (job(role("worker")), "3.4", {"worker": "zone=a"}, ["task(1),zone=a"]),
        (job(role("worker", 2)), "3.1", {"worker": "NOTIN,RACK,worker"}, ["task=2,NOTIN,RACK,task"]),
        (job(role("worker", 2)), "3.1", {"worker": "CARDINALITY,NODE,self/worker,0,2"},
         ["task=2,CARDINALITY,NODE,task,0,2"]),
        (job(role("worker", 2, spread="node")), "3.4", {"worker": "a=1"}, ["task(2),AND(NOTIN,NODE,task:a=1)"]),
        (job(role("worker", 1, spread="node")), "3.1", {"worker": "NOTIN,NODE,worker"}, ["task=1,NOTIN,NODE,task"]),
        (TWO, "3.4", {}, [""]),
        (TWO, "3.4", {"worker": "zone=a"}, ["", "worker(2),zone=a"]),
        (TWO, "3.3", {"worker": "NOTIN,NODE,all/spark"}, ["", "worker(2),NOTIN,NODE,all/spark"]),
        (APART, "3.4", {"ps": "zone=a"}, ["ps(1),zone=a", "worker(2),NOTIN,NODE,worker"]),
        (
            TWO,
            "3.4",
            {"worker": "IN,NODE,ps"},
            ['"ps-$run(1)"', '"worker-$run(2),IN,NODE,all/ps-$run"'],
        ),
        (
            APART,
            "3.4",
            {"ps": "a=1", "worker": "OR(IN,NODE,ps:NOTIN,RACK,ps)"},
            ['"ps-$run(1),a=1"',
             '"worker-$run(2),AND(NOTIN,NODE,worker-$run:OR(IN,NODE,all/ps-$run:NOTIN,RACK,all/ps-$run))"'],
        ),
    ],
)  # fmt: skip
def test_the_spec_of_each_application(
    made: Job, version: str, placement: dict[str, OptionValue], expected: list[str]
) -> None:
    assert specs(made, version, placement=placement) == expected
    assert errors(made, version, placement=placement) == []


def errors(made: Job, version: str = "3.4", **options: OptionValue) -> list[str]:
    """The slugs of the errors."""
    return [one.rule.slug for one in report(unit(made, "yarn", version, **options)) if one.level == "error"]


@pytest.mark.parametrize(
    ("made", "version", "placement", "options", "expected"),
    [
        (TWO, "2.10", {"worker": "zone=a"}, {}, "yarn-placement-version"),
        (TWO, "3.1", {"worker": "zone=a"}, {}, "yarn-placement-version"),
        (TWO, "3.1", {"worker": "AND(NOTIN,NODE,worker:NOTIN,RACK,worker)"}, {}, "yarn-placement-version"),
        (TWO, "3.2", {"worker": "NOTIN,NODE,all/x"}, {}, "yarn-placement-version"),
        (TWO, "3.1", {"worker": "NOTIN,NODE,ps"}, {}, "yarn-placement-version"),
        (APART, "3.1", {"worker": "NOTIN,RACK,worker"}, {}, "yarn-placement-version"),
        (TWO, "3.4", {"worker": "zone=a"}, {"dialect": "yarn-tf"}, "yarn-placement-version"),
        (TWO, "3.4", {"worker": "zone>=a"}, {}, "yarn-placement"),
        (TWO, "3.4", {"worker": "NOTIN,NODE,wroker"}, {}, "yarn-placement-tag"),
        (TWO, "3.4", {"worker": "NOTIN,NODE,self/ps"}, {}, "yarn-placement-tag"),
        (TWO, "3.4", {"worker": "IN,NODE,worker"}, {}, "yarn-placement-of-itself"),
        (TWO, "3.4", {"worker": "AND(a=1:CARDINALITY,RACK,self/worker,1,2)"}, {}, "yarn-placement-of-itself"),
        (TWO, "3.4", {"worker": "IN,NODE,ps", "ps": "AND(a=1:IN,RACK,worker)"}, {}, "yarn-placement-cycle"),
        (TWO, "3.4", {"worker": "zone=a"}, {"applications": "one"}, "yarn-placement-one"),
    ],
)
def test_what_is_refused(
    made: Job,
    version: str,
    placement: dict[str, OptionValue],
    options: dict[str, OptionValue],
    expected: str,
) -> None:
    assert errors(made, version, placement=placement, **options) == [expected]


@pytest.mark.parametrize(
    "placement",
    [
        {"worker": "OR(IN,NODE,worker:zone=a)"},
        {"worker": "CARDINALITY,NODE,worker,0,1"},
        {"worker": "IN,NODE,all/worker"},
        {"worker": "IN,NODE,ps", "ps": "NOTIN,NODE,worker"},
        {"worker": "IN,NODE,ps", "ps": "OR(IN,NODE,worker:a=1)"},
    ],
)
def test_what_may_come_true(placement: dict[str, OptionValue]) -> None:
    assert errors(TWO, placement=placement) == []


def test_a_role_that_the_job_does_not_have() -> None:
    told = report(unit(TWO, "yarn", placement={"chief": "zone=a"}))
    assert [one.level for one in told if one.rule.slug == "yarn-unused-role"] == ["info"]
    assert specs(TWO, placement={"chief": "zone=a"}) == [""]


def test_applications_differ_in_placement() -> None:
    told = report(unit(TWO, "yarn", placement={"worker": "zone=a"}))
    (found,) = [one for one in told if one.rule.slug == "yarn-per-role"]
    assert "differ in placement" in found.message


@pytest.mark.slow
def test_the_client_gets_the_run_in_the_tags(cluster: Cluster) -> None:
    made = job(native("ps", 1, "true"), native("worker", 2, "true"))
    done = cluster.submit(unit(made, "yarn", placement={"worker": "AND(IN,NODE,ps:java!=1.8)"}))
    assert done.returncode == 0, done.stdout + done.stderr + cluster.logs()
    ps, worker = cluster.clients()
    (tags,) = worker["application_tags"]
    run = tags.removesuffix(",tfdsl")
    assert ps["placement_spec"] == [f"ps-{run}(1)"]
    assert worker["placement_spec"] == [f"worker-{run}(2),AND(IN,NODE,all/ps-{run}:java!=1.8)"]
