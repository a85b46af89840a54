"""Jobs made in Python or read from JSON: the same documents, refused for the same reasons, at their place."""

from __future__ import annotations

import contextlib
import json
import stat
from functools import cache
from typing import TYPE_CHECKING, Any

import jsonschema
import pydantic
import pytest

import tfdsl
from tests.headers import without_header
from tests.unit.cli.shell import ROOT, tfdsl as command
from tfdsl import targets

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = sorted(path.parent.name for path in (ROOT / "examples").glob("*/main.tfjob"))
IMAGE = "registry.example.com/x:1"


def role(**fields: Any) -> tfdsl.ir.Role:
    return tfdsl.ir.Role(**{"name": "worker", "image": IMAGE, "command": ("python", "t.py"), **fields})


def job(**fields: Any) -> tfdsl.ir.Job:
    return tfdsl.ir.Job(**{"name": "j", "roles": (role(),), **fields})


def unpatched() -> list[Any]:
    """The examples of jobs in which nothing is patched."""
    texts = {name: (ROOT / "examples" / name / "main.tfjob").read_text(encoding="utf-8") for name in EXAMPLES}
    left = [name for name, text in texts.items() if "patch " not in text and "\nflow " not in text]
    return [pytest.param(ROOT / "examples" / name / "main.tfjob", id=name) for name in left]


def taken(path: Path) -> list[tfdsl.CompileResult]:
    """What becomes of an example for each target that takes it."""
    found = []
    for target in targets.names():
        with contextlib.suppress(tfdsl.CompileError):
            found.append(tfdsl.compile(path, target))
    assert found
    return found


@cache
def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(tfdsl.ir.Job.model_json_schema())


# --- JSON ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", unpatched())
def test_a_job_is_the_same_from_its_json_for_each_target(path: Path) -> None:
    for result in taken(path):
        backend = targets.find(result.target)
        assert backend is not None
        defaults = {option.name: option.default for option in backend.options}
        given = result._made[0].unit.options
        options: dict[str, Any] = {name: value for name, value in given.items() if value != defaults[name]}
        for one in result.jobs:
            text = one.model_dump_json()
            validator().validate(json.loads(text))
            again = tfdsl.compile(text=text, target=f"{result.target}@{result.version}", options=options)
            assert again.jobs == (one,)
            own = [document.text for document in result.documents if document.job == one.name]
            assert [document.text for document in again.documents] == own


def test_the_schema_is_what_the_command_prints(tmp_path: Path) -> None:
    printed = json.loads(command("schema", cwd=tmp_path).out)
    jsonschema.Draft202012Validator.check_schema(printed)
    validator = jsonschema.Draft202012Validator(printed)
    validator.validate(json.loads(job(deadline=tfdsl.ir.Duration("1h")).model_dump_json()))
    assert not validator.is_valid({"name": "j", "roles": [{"name": "wroker"}]})


@pytest.mark.parametrize("given", ["job.json", "job.txt", "-"])
def test_the_commands_take_json(given: str, tmp_path: Path) -> None:
    made = job(name="digits", roles=(role(replicas=2),))
    text = made.model_dump_json(indent=2)
    (tmp_path / "job.json").write_text(text)
    (tmp_path / "job.txt").write_text(f"\n  {text}\n")
    stdin = text.encode() if given == "-" else b""
    done = command("compile", given, "-t", "volcano", cwd=tmp_path, stdin=stdin)
    assert done.status == 0
    assert without_header(done.out) == without_header(tfdsl.compile(made, "volcano").text)
    tasks = command("tfconfig", given, "worker[1]", "-t", "volcano", cwd=tmp_path, stdin=stdin)
    assert tasks.status == 0
    assert '"index":1' in tasks.out
    assert command("check", given, "--all-targets", cwd=tmp_path, stdin=stdin).status in (0, 1)


def test_the_commands_name_the_place_in_the_json(tmp_path: Path) -> None:
    (tmp_path / "job.json").write_text(
        '{\n  "name": "j",\n  "roles": [\n    {"name": "worker", "replicas": 0, "image": "r/x:1"}\n  ]\n}\n'
    )
    for words in (("compile", "job.json", "-t", "volcano"), ("check", "job.json")):
        done = command(*words, cwd=tmp_path)
        assert done.status == 1
        assert "job.json:4:36" in done.err
        assert "roles[0].replicas" in done.err


@pytest.mark.parametrize(
    "text", ["{", "{}", '{"name": 1}', '{"name": "j", "roles": []}', '{"a": 1}', '{"name": "j", "name": "k"}', "{]"]
)
def test_what_is_not_a_job_is_a_message(text: str, tmp_path: Path) -> None:
    program = tfdsl.load(text=text)
    assert not program.ok
    with pytest.raises(tfdsl.CompileError):
        program.jobs("volcano")
    assert command("compile", "-", "-t", "volcano", cwd=tmp_path, stdin=text.encode()).status == 1


@pytest.mark.parametrize(
    ("role", "place", "path"),
    [
        ('"replicas": "a"', '"a"', "roles[0].replicas"),
        ('"gpux": 1', '"gpux"', "roles[0].gpux"),
        ('"mounts": [{"kind": "pvc", "at": "/x"}]', '{"kind": "pvc"', "roles[0].mounts[0].claim"),
        ('"memory": "much"', '"much"', "roles[0].memory"),
        ('"image": "a b"', '"a b"', "roles[0].image"),
    ],
)
def test_a_mistake_has_its_place_and_its_path(role: str, place: str, path: str) -> None:
    text = f'{{"name": "j", "roles": [{{"name": "worker", {role}}}]}}'
    (error,) = tfdsl.check(text=text)
    assert (error.span.line, error.span.column) == (1, text.index(place, text.index(role)) + 1)
    assert path in error.message or path in [label.message for label in error.labels]


@pytest.mark.parametrize(
    ("text", "column"),
    [('{"name": "j",}', 14), ("{", 2), ('{"a"}', 5)],
)
def test_what_is_not_json_is_a_message_at_its_place(text: str, column: int) -> None:
    (error,) = tfdsl.check(text=text)
    assert (error.code, error.span.column) == ("TFJ1800", column)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a": ' * 100_000, '{"a": ' + "1" * 100_000 + "}"])
def test_no_text_is_too_deep_or_too_long(text: str) -> None:
    assert {one.level for one in tfdsl.check(text=text)} == {"error"}


def test_json_has_no_params() -> None:
    program = tfdsl.load(text=job().model_dump_json(), params={"workers": 1})
    assert [one.slug for one in program.diagnostics] == ["unknown-param"]


# --- jobs made in Python ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("compile", "-t", "tfjob"), ("check",), ("run",), ("graph",)])
def test_json_has_no_flow(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "job.json").write_text(job(name="digits", roles=(role(replicas=2),)).model_dump_json())
    done = command(*words, "job.json", "--flow", "digits", cwd=tmp_path)
    assert (done.status, done.out) == (1, "")
    assert "unknown-flow: the file has no flow called digits" in done.err
    assert "a job as JSON is in no flow: leave out --flow" in done.err


def test_a_job_is_compiled_like_its_text() -> None:
    text = f'job j {{ image = "{IMAGE}", role worker {{ replicas = 3, command = ["python", "t.py"], memory = 4Gi }} }}'
    made = job(roles=(role(replicas=3, memory=tfdsl.ir.Quantity("4Gi")),))
    for target in ("volcano", "tfjob", "kubernetes"):
        assert tfdsl.compile(made, target).text == tfdsl.compile(text=text, target=target).text
    assert tfdsl.load(text=text).jobs("volcano") == (made,)


def made(fields: dict[str, Any]) -> tfdsl.ir.Job:
    """A job with these fields, or with a role that has those of ``role``."""
    return job(roles=(role(**fields["role"]),)) if "role" in fields else job(**fields)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"name": "J_1"}, 'job "J_1" { image = "i:1", role worker { } }'),
        ({"role": {"min_available": 3}}, 'job j { image = "i:1", role worker { min_available = 3 } }'),
        ({"role": {"image": "a b"}}, 'job j { role worker { image = "a b" } }'),
        ({"role": {"labels": {"-": "x"}}}, 'job j { image = "i:1", role worker { labels = { "-" = "x" } } }'),
    ],
    ids=["name", "min_available", "image", "labels"],
)
def test_a_job_is_refused_with_the_code_of_its_text(fields: dict[str, Any], text: str) -> None:
    codes = [one.code for one in tfdsl.load(text=text).diagnostics if one.level == "error"]
    with pytest.raises(pydantic.ValidationError) as refused:
        made(fields)
    assert [one["type"] for one in refused.value.errors()] == codes


def test_what_pydantic_copies_without_validating_is_refused() -> None:
    with pytest.raises(tfdsl.CompileError) as caught:
        tfdsl.compile(job().model_copy(update={"name": "../../x"}), "volcano")
    assert [diagnostic.slug for diagnostic in caught.value.diagnostics] == ["job-name"]


def test_a_role_without_an_image_is_refused_where_the_target_needs_one() -> None:
    made = job(roles=(role(image=None),))
    with pytest.raises(tfdsl.CompileError) as refused:
        tfdsl.compile(made, "volcano")
    (error,) = (one for one in refused.value.diagnostics if one.level == "error")
    assert (error.code, error.span.path) == ("TFJ2110", "<job j>")
    (error,) = tfdsl.check(made)
    assert (error.code, error.help) == (
        "TFJ2110",
        ('for example "image": "registry.example.com/mnist:1.4" in each role',),
    )
    assert tfdsl.compile(made, "yarn").documents


def test_what_a_target_refuses_has_its_place_in_the_json() -> None:
    made = job(roles=(role(mounts=(tfdsl.ir.SecretMount(at="/keys", name="keys"),)),))
    with pytest.raises(tfdsl.CompileError, match="<job j>:14:19") as refused:
        tfdsl.compile(made, "yarn")
    (error,) = (one for one in refused.value.diagnostics if one.level == "error")
    line = made.model_dump_json(indent=2).splitlines()[error.span.line - 1]
    assert (error.span.path, error.target) == ("<job j>", "yarn")
    assert line[error.span.column - 1 : error.span.end_column - 1] == '"secret"'


def test_another_name() -> None:
    assert tfdsl.compile(job(), "volcano", name="k").documents[0].file == "k.yaml"


def test_arguments_of_texts_are_not_for_jobs() -> None:
    with pytest.raises(TypeError, match="params="):
        tfdsl.compile(job(), "volcano", params={"n": 1})
    with pytest.raises(TypeError, match="int"):
        tfdsl.compile(1, "volcano")  # type: ignore[call-overload]


def test_options_and_unknown_options() -> None:
    assert tfdsl.compile(job(), "volcano", options={"version": "1.9"}).version == "1.9"
    with pytest.raises(tfdsl.CompileError) as unknown:
        tfdsl.compile(job(), "volcano", options={"nothing": 1})
    assert [one.slug for one in unknown.value.diagnostics] == ["unknown-option"]


@pytest.mark.parametrize(
    "fields",
    [
        {"env": {"API_TOKEN": "hunter2-hunter2"}},
        {"args": ("--password=hunter2-hunter2",)},
        {"annotations": {"db-password": "hunter2-hunter2"}},
    ],
    ids=["env", "args", "annotations"],
)
@pytest.mark.usefixtures("umask_022")
def test_files_of_a_job_with_a_secret_are_private(fields: dict[str, Any], tmp_path: Path) -> None:
    (private,) = tfdsl.compile(job(roles=(role(**fields),)), "volcano").write(tmp_path / "private")
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    (public,) = tfdsl.compile(job(), "volcano").write(tmp_path / "public")
    assert stat.S_IMODE(public.stat().st_mode) & 0o044
