"""What a draft looks like as a text: common statements in the job, names for what repeats, the language's order."""

from __future__ import annotations

from tfdsl.backend.draft import Attribute, Bare, Draft, Mount, Output, Param, Patch, Policy, Step, Text
from tfdsl.importing.lift import lifted, with_lets
from tfdsl.importing.write import examples, write
from tfdsl.syntax.format import format_source
from tfdsl.text import Source, Span

PLACE = Span(Source("job.yaml", ""), 0, 0)


def _text(draft: Draft, *, comments: dict[int, list[str]] | None = None) -> str:
    [named], lets = with_lets([draft])
    return format_source(Source("", write([named], lets, comments).text))[0]


def _draft(*roles: str) -> Draft:
    draft = Draft("mnist", "tfjob", PLACE)
    for role in roles:
        draft.role(role).set("image", "registry.example.com/ml/mnist:1.4")
    return draft


def test_everything_in_the_language_s_order() -> None:
    draft = _draft("worker", "ps")
    worker = draft.role("worker")
    worker.set("gpu", 1)
    worker.set("replicas", 4)
    worker.add(Policy("exit [137]", "restart pod"))
    worker.add(Output("/scratch/a", Text(("/runs/", Bare("task.index"))), "always", overwrite=True))
    draft.job.set("ttl", Bare("1d"))
    draft.job.entry("labels", "team", "vision")
    draft.job.add(Policy("failed", "restart container"))
    draft.job.add(Mount("pvc", "data", "/data", readonly=True, options=(("sub_path", "a"),)))
    draft.job.add(Step("prepare", "fetch-all", (Attribute("command", ["a"]), Attribute("env", "2", key="A"))))
    draft.cluster["discovery"] = "none"
    draft.options.set("istio_annotation", value=False)
    draft.options.add(Patch("spec.x", "=", {"a": 1}, unchecked=True, why="Why."))
    draft.role_option("ps").add(Patch("spec.y", "", pod=True))
    draft.version = "1.8"
    assert (
        _text(lifted(draft))
        == """\
job mnist {
  image  = "registry.example.com/ml/mnist:1.4"
  labels = { team = "vision" }
  ttl    = 1d

  mount pvc "data" at "/data" readonly { sub_path = "a" }

  prepare "fetch-all" { command = ["a"], env = { A = "2" } }

  role ps     { }
  role worker {
    replicas = 4
    gpu      = 1
    on exit [137] => restart pod
    output "/scratch/a" to "/runs/${task.index}" on always { overwrite = true }
  }

  on failed => restart container

  cluster { discovery = "none" }

  target tfjob {
    version          = "1.8"
    istio_annotation = false
    role ps {
      unpatch pod "spec.y"
    }
    # Why.
    patch "spec.x" = { a = 1 } unchecked
  }
}
"""
    )


def test_only_what_every_role_says_is_said_by_the_job() -> None:
    draft = _draft("ps", "worker", "chief")
    for role in ("ps", "worker", "chief"):
        draft.role(role).entry("env", "MODE", "fast")
        draft.role(role).set("cpu", 2 if role == "ps" else 4)
    draft.role("worker").entry("env", "ONLY", "here")
    draft.role("chief").entry("env", "LEVEL", 1)
    draft.role("worker").entry("env", "LEVEL", 1)
    draft.role("ps").entry("env", "LEVEL", 2)
    assert (
        _text(lifted(draft))
        == """\
job mnist {
  image = "registry.example.com/ml/mnist:1.4"
  env   = { MODE = "fast", LEVEL = 1 }

  role chief { cpu = 4 }
  role ps    {
    env = { LEVEL = 2 }
    cpu = 2
  }
  role worker {
    env = { ONLY = "here" }
    cpu = 4
  }
}
"""
    )


def test_tensorboard_does_not_get_what_it_did_not_have() -> None:
    draft = _draft("worker", "ps", "tensorboard")
    for role in ("worker", "ps"):
        draft.role(role).entry("env", "MODE", "fast")
        draft.role(role).set("stop_grace", Bare("5s"))
    text = _text(lifted(draft))
    assert text.count("MODE") == 2  # tensorboard would inherit it
    assert text.count("stop_grace") == 1  # and does not inherit this
    assert text.count("image") == 1


def test_labels_of_pods_are_not_those_of_the_job() -> None:
    draft = _draft("worker", "ps")
    for role in ("worker", "ps"):
        draft.role(role).entry("labels", "team", "vision")
    assert _text(lifted(draft)).count("team") == 2


def test_registries_and_long_paths_get_names() -> None:
    draft = _draft("worker")
    draft.role("ps").set("image", "registry.example.com/ml/server:2")
    draft.job.add(Mount("pvc", "data", "/mnt/training-data"))
    draft.job.set("args", ["/mnt/training-data", "/mnt/training-data/mnist", "/mnt/training-database"])
    draft.role("worker").entry("env", "DATA", "/mnt/training-data")
    assert (
        _text(draft)
        == """\
let registry = "registry.example.com/ml"
let training_data = "/mnt/training-data"

job mnist {
  args = [training_data, "${training_data}/mnist", "/mnt/training-database"]

  mount pvc "data" at training_data

  role ps     { image = "${registry}/server:2" }
  role worker {
    image = "${registry}/mnist:1.4"
    env   = { DATA = training_data }
  }
}
"""
    )


def test_comments_stand_above_what_they_are_about() -> None:
    draft = _draft("worker")
    draft.job.entry("env", "A", "1")
    draft.job.entry("env", "B", "2")
    comments = {id(draft.job.statements[1]): ["what B does", ""]}
    assert (
        _text(draft, comments=comments)
        == """\
job mnist {
  env = {
    A = "1"
    # what B does
    #
    B = "2"
  }

  role worker { image = "registry.example.com/ml/mnist:1.4" }
}
"""
    )


def test_each_statement_is_found_at_its_place() -> None:
    draft = _draft("worker")
    draft.job.entry("env", "A", "1")
    draft.job.entry("env", "B", "2\n3\n4")
    draft.job.add(Policy("failed", "restart job"))
    draught = write([draft])
    for statement in (*draft.job.statements, *draft.role("worker").statements):
        [part] = [part for part in draught.parts if part.statement is statement]
        assert draught.statement_at(part.start) is statement
        assert draught.statement_at(part.end - 1) is statement
    assert draught.statement_at(0) is None


def test_steps_are_said_once_with_what_differs_in_the_roles() -> None:
    draft = _draft("ps", "worker")
    image = Attribute("image", "registry.example.com/ml/git-sync:3")
    for role in ("ps", "worker"):
        own = (Attribute("env", role, key="ROLE"),) if role == "ps" else ()
        draft.role(role).add(Step("prepare", "fetch", (image, Attribute("env", "a", key="A"), *own)))
    draft.role("ps").add(Step("prepare", "wait", (image,)))
    assert (
        _text(lifted(draft))
        == """\
let registry = "registry.example.com/ml"

job mnist {
  image = "${registry}/mnist:1.4"

  prepare fetch { image = "${registry}/git-sync:3", env = { A = "a" } }

  role ps {
    prepare fetch { env = { ROLE = "ps" } }
    prepare wait { image = "${registry}/git-sync:3" }
  }
  role worker { }
}
"""
    )


def test_labels_that_every_pod_repeats_get_a_name() -> None:
    draft = _draft("chief", "ps", "worker")
    for block in (draft.job, *draft.roles.values()):
        block.entry("labels", "app", "mnist")
        block.entry("labels", "team", "vision")
    draft.role("ps").entry("labels", "more", "x")
    assert (
        _text(draft)
        == """\
let shared_labels = { app = "mnist", team = "vision" }

job mnist {
  labels = shared_labels

  role chief { image = "registry.example.com/ml/mnist:1.4", labels = shared_labels }
  role ps    {
    image  = "registry.example.com/ml/mnist:1.4"
    labels = { app = "mnist", team = "vision", more = "x" }
  }
  role worker { image = "registry.example.com/ml/mnist:1.4", labels = shared_labels }
}
"""
    )


def test_params_come_first_and_once() -> None:
    draft = _draft("worker")
    draft.params = [Param("count", "int", "How many.", 2), Param("hosts", "list<string>", "Where.", example="[]")]
    first, second = draft.copy(), draft.copy()
    text = write([first, second]).text
    assert text.startswith(
        'param count: int = 2 { description = "How many." }\nparam hosts: list<string> { description = "Where." }\n'
    )
    assert text.count("param ") == 2
    assert [(one.name, one.source.text) for one in examples([first, second])] == [("hosts", "[]")]
