"""Jobs that end well, and what their tasks were given."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.conformance.kubernetes.generated import HOSTILE, quoted
from tests.conformance.yarn import jobs
from tests.conformance.yarn.jobs import COMMAND, FOLDER_STORE, SMALL, Job, Run, predicted, seen

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conformance.yarn.cluster import Cluster

MNIST = f"""
job mnist {{
  {COMMAND}
  {SMALL}
  queue = "research", priority = 3
  role chief {{ args = ["sleep=1"] }}
  role worker {{ replicas = 2, after = ["ps"] }}
  role ps {{ args = ["serve"] }}
  target yarn {{ {FOLDER_STORE} }}
}}
"""


def succeeded(run: Run) -> None:
    """The job, each application and each container ended well, and the tasks met as the compiler predicts."""
    assert run.status == 0, run.story
    assert {(one.state, one.final) for one in run.applications} == {("FINISHED", "SUCCEEDED")}, run.story
    assert set(run.statuses.values()) == {0}, run.story
    assert {**predicted(run), **seen(run)} == predicted(run), run.story
    assert not [one for one in run.records if one.get("missed")], run.story


@pytest.mark.job(Job(MNIST))
def test_the_tasks_of_a_job_find_each_other(run: Run) -> None:
    succeeded(run)
    assert seen(run) == predicted(run)
    assert [one["reached"] for one in run.records] == [4, 4, 4, 4]
    (application,) = run.applications
    assert (application.name, application.queue, application.priority) == ("mnist", "root.research", 3)
    assert run.output.endswith("mnist: SUCCEEDED\n")
    assert run.task("ps")["ended"] == "SIGTERM"
    assert run.task("ps")["time"] < min(run.task("worker", index)["time"] for index in (0, 1))
    assert list((run.folder / "shared/meet").iterdir()) == [], "submit.sh removes what the tasks met through"


HDFS_STORE = f"""
job by-hdfs {{
  {COMMAND}
  cpu = 1, memory = 512Mi
  role chief {{}}
  role ps {{ args = ["serve"] }}
}}
"""


def look_into_the_store(run: Run) -> None:
    run.until(lambda: run.tries("ps"))
    run.noted["store"] = run.cluster.hdfs("-ls", "-R", ".tfjobs")
    (run.folder / "shared/go").touch()


@pytest.mark.job(
    Job(
        HDFS_STORE.replace("role chief {}", 'role chief { args = ["until=${shared}/go"] }'),
        meanwhile=look_into_the_store,
    )
)
def test_tasks_meet_through_hdfs_without_any_option(run: Run) -> None:
    succeeded(run)
    coordinator, folder = sorted(line for line in run.noted["store"].splitlines() if "/by-hdfs-" in line)
    assert folder.startswith("drwx------ "), folder
    assert coordinator.endswith("/coordinator"), coordinator
    assert "by-hdfs-" not in run.cluster.hdfs("-ls", ".tfjobs")


BOTH = f"""
job all-roles {{
  {COMMAND}
  {SMALL}
  env = {{ PATH = "${{shared}}:/usr/local/bin:/usr/bin:/bin" }}
  role chief {{ args = ["until=${{shared}}/board"] }}
  role worker {{ replicas = 2 }}
  role ps {{ args = ["serve"] }}
  role evaluator {{ args = ["sleep=1"] }}
  role tensorboard {{ logdir = "/logs/it's $HOME", cpu = 1, memory = 128Mi }}
  cluster {{ discovery = "both" }}
  target yarn {{ webhdfs = webhdfs }}
}}
"""
BOARD = """\
#!/bin/sh
printf '%s\\n' "$@" >"$(dirname "$0")/board.part"
mv "$(dirname "$0")/board.part" "$(dirname "$0")/board"
exec sleep 1000
"""


def put_tensorboard_on_the_path(_cluster: object, folder: Path) -> None:
    program = folder / "shared/tensorboard"
    program.write_text(BOARD)
    program.chmod(0o755)


@pytest.mark.job(Job(BOTH, before=put_tensorboard_on_the_path))
def test_all_roles_meet_through_webhdfs_and_get_flags_too(run: Run) -> None:
    succeeded(run)
    assert {**seen(run), "tensorboard[0]": []} == predicted(run)
    assert len(run.records) == 5
    words = (run.folder / "shared/board").read_text().splitlines()
    assert words[:4] == ["--logdir", "/logs/it's $HOME", "--bind_all", "--port"]
    assert 20000 <= int(words[4]) <= 30000


TWICE = f"""
job twice {{
  {COMMAND}
  {SMALL}
  role chief {{ args = ["until=${{shared}}/go"] }}
  role worker {{}}
  target yarn {{ webhdfs = webhdfs }}
}}
"""


def submit_again(run: Run) -> None:
    """The same job once more, from its first line to its end, while the first one runs."""
    run.until(lambda: len(run.records) == 2)
    other = jobs.run(run.cluster, Job(TWICE.replace("until=", "alone=")), run.folder / "second")
    run.noted["second"] = other
    (run.folder / "shared/go").touch()


@pytest.mark.job(Job(TWICE, meanwhile=submit_again))
def test_two_jobs_of_one_name_do_not_meet(run: Run) -> None:
    other: Run = run.noted["second"]
    succeeded(other)
    succeeded(run)
    assert len({one["own"] for one in (*run.records, *other.records)}) == 4
    assert run.task("chief")["time"] < other.task("chief")["time"] < run.task("chief")["time"] + other.seconds + 60


UNLIKE = f"""
job unlike {{
  {COMMAND}
  role chief  {{ cpu = 1, memory = 256Mi, gpu = 1, args = ["until=${{shared}}/go"] }}
  role worker {{ cpu = 2, memory = 384Mi, gpu = 2, replicas = 2, spread = "node" }}
  role ps     {{ cpu = 1, memory = 128Mi, args = ["serve"] }}
  target yarn {{ {FOLDER_STORE} }}
}}
"""


NEAR = f"""
job near {{
  {COMMAND}
  cpu = 1, memory = 128Mi
  role chief  {{ args = ["until=${{shared}}/go"] }}
  role worker {{ replicas = 2 }}
  role ps     {{ args = ["serve"] }}
  target yarn {{
    {FOLDER_STORE}
    placement = {{
      chief  = "IN, NODE, ps"
      worker = "AND(IN,RACK,ps:NOTIN,NODE,ps:OR(zone=b:rm.yarn.io/zone=a))"
      ps     = "zone != b"
    }}
  }}
}}
"""


def name_zone(cluster: Cluster, _folder: Path) -> None:
    """Give the machine of all nodes an attribute."""
    cluster.yarn("nodeattributes", "-add", "localhost:zone=a")


def go(run: Run) -> None:
    run.until(lambda: len(run.records) == 4)
    (run.folder / "shared/go").touch()


@pytest.mark.job(Job(NEAR, before=name_zone, meanwhile=go))
def test_roles_are_placed_by_constraints_about_each_other_and_attributes(run: Run) -> None:
    succeeded(run)
    nodes = {f"{one['role']}[{one['index']}]": one["environment"]["NM_PORT"] for one in run.records}
    assert nodes["chief[0]"] == nodes["ps[0]"]
    assert nodes["worker[0]"] == nodes["worker[1]"] != nodes["ps[0]"], "there are two nodes"


def note_containers(run: Run) -> None:
    run.until(lambda: len(run.records) == 4)
    run.noted["containers"] = {one.name: list(one.containers.values()) for one in run.applications}
    (run.folder / "shared/go").touch()


@pytest.mark.job(Job(UNLIKE, meanwhile=note_containers))
def test_roles_of_unlike_size_are_applications_of_their_own_that_get_what_they_ask_for(run: Run) -> None:
    succeeded(run)
    assert seen(run) == predicted(run)
    master = "<memory:512, vCores:1>"
    assert {name: sorted(given) for name, given in run.noted["containers"].items()} == {
        "unlike-chief": sorted([master, "<memory:256, vCores:1, yarn.io/gpu: 1>"]),
        "unlike-worker": sorted([master, *["<memory:384, vCores:2, yarn.io/gpu: 2>"] * 2]),
        "unlike-ps": sorted([master, "<memory:128, vCores:1>"]),
    }
    assert len({run.task("worker", index)["environment"]["NM_PORT"] for index in (0, 1)}) == 2, "spread over the nodes"
    assert run.task("ps")["environment"]["CUDA_VISIBLE_DEVICES"] == ""
    assert "CUDA_VISIBLE_DEVICES" not in run.task("chief")["environment"]


ODD = ("{{HOME}}", "{{", "$HOME", "`id`", "\\", "a\\nb", "-x", "#", "<CPS>", "'\"'\"'", "!!", "%s", "x" * 60_000)
TEXTS = [*HOSTILE, *ODD]


def listed(texts: list[str]) -> str:
    return "[" + ", ".join(map(quoted, texts)) + "]"


PREPARED = f"""
job prepared {{
  {COMMAND}
  {SMALL}
  retries = 3
  on exit 9 => restart job
  mount host "${{shared}}" at "shared"
  prepare fetch {{
    command = '''
      printf '%s|' "$@" "$PART" "${{TF_CONFIG-none}}" >fetched
      pwd >>fetched
    '''
    args    = {listed(TEXTS)}
    env     = {{ PART = "${{task.index}}" }}
  }}
  role chief {{
    prepare once {{ command = "echo x >>tries; test $(wc -l <tries) -ge 2 || exit 9", workdir = "shared" }}
    args = ["copy=fetched"]
  }}
  role ps {{ args = ["serve"] }}
  target yarn {{ {FOLDER_STORE} }}
}}
"""


@pytest.mark.job(Job(PREPARED))
def test_steps_run_before_the_command_and_again_after_a_restart(run: Run) -> None:
    """The first attempt of the chief's second step exits with 9, which restarts all containers in place."""
    assert run.status == 0, run.story
    assert (run.folder / "shared/tries").read_text() == "x\nx\n"
    chief = run.task("chief")
    fetched = (run.folder / "records/fetched").read_bytes().decode()
    assert fetched == "|".join((*TEXTS, "0", "none", chief["folder"])) + "\n"
    assert "TF_CONFIG" in chief["environment"]


STRINGS = f"""
job strings {{
  {COMMAND}
  {SMALL}
  env = {{ {", ".join(f"T_{number} = {quoted(text)}" for number, text in enumerate(TEXTS))} }}
  # The chief's end stops the worker.
  role chief {{ args = ["until=${{records}}/worker-0.1.json", "alone", "--", {", ".join(map(quoted, TEXTS))}] }}
  role worker {{
    command = '''
      exec python3 "$@" # it's "$HOME" {{{{HOME}}}} `id` \\\\n
    '''
    args = [program, records, "worker", "0", "alone", "--", {", ".join(map(quoted, TEXTS))},
      "${{task.index}} of ${{role.replicas}}"]
    workdir = "tmp"
  }}
  cluster {{ discovery = "none" }}
  target yarn {{ {FOLDER_STORE} }}
}}
"""


@pytest.mark.job(Job(STRINGS))
def test_strings_arrive_byte_for_byte(run: Run) -> None:
    assert run.status == 0, run.story
    raw = [text.encode().decode("latin-1") for text in TEXTS]
    assert run.task("chief")["words"][3:] == raw
    assert run.task("worker")["words"][2:] == [*raw, "0 of 1"]
    assert run.task("worker")["folder"].endswith("/tmp")
    for one in run.records:
        assert [one["environment"][f"T_{number}"] for number in range(len(TEXTS))] == raw, json.dumps(one)
        assert "TF_CONFIG" not in one["environment"]


NAMES = {
    "TFJOB_ROLE": "ps", "TFJOB_INDEX": "7", "work": "w", "state": "s", "UID": "u", "RANDOM": "v5", "GROUPS": "g",
    "SECONDS": "x", "IFS": "a", "BASH_ENV": "/no/such", "PATH": "/usr/local/bin:/usr/bin:/bin:/of the job",
}  # fmt: skip
VARIABLES = f"""
job variables {{
  {COMMAND}
  {SMALL}
  env = {{ {", ".join(f"{name} = {quoted(value)}" for name, value in NAMES.items())} }}
  role chief {{ args = ["alone"] }}
  target yarn {{ {FOLDER_STORE} }}
}}
"""


@pytest.mark.job(Job(VARIABLES))
def test_variables_are_the_command_s_whatever_they_are_called(run: Run) -> None:
    succeeded(run)
    environment = run.task("chief")["environment"]
    assert {name: environment[name] for name in NAMES} == NAMES
