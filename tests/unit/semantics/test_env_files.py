"""Files of KEY=VALUE lines: what is read from hostile ones, and that no message contains a line of them."""

from __future__ import annotations

import pytest

from tfdsl.compiling import pipeline
from tfdsl.semantics.functions import read_env_file
from tfdsl.semantics.request import Choice, Request
from tfdsl.targets import find
from tfdsl.text import Source

JOB = 'job j { image = "i:1", command = ["x"], role worker { env = env_file("a.env") } }\n'


def diagnostics(text: str, job: str = JOB) -> list[pipeline.Diagnostic]:
    program = pipeline.load(Source("main.tfjob", job, "main.tfjob"), lambda path: Source(path, text, path))
    done = pipeline.run(program, Request())
    return pipeline.settle([done], [program], strict=False)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", {}),
        ("\n \n\t\n# A=1\n  # B=2", {}),
        ("A=1\r\nB=2\r\n", {"A": "1", "B": "2"}),
        ("A=1\rB=2", {"A": "1\rB=2"}),
        ("A= x \n", {"A": " x "}),
        ("A==", {"A": "="}),
        ("A=🙂 ü", {"A": "🙂 ü"}),
        ("\tA=1", {"A": "1"}),
        ("A=1\u2028B=2", {"A": "1\u2028B=2"}),
        ("exportA=1", {"exportA": "1"}),
        ("A=#1", {"A": "#1"}),
        ('A="', {"A": '"'}),
    ],
)
def test_what_is_read(text: str, values: dict[str, str]) -> None:
    file = read_env_file(text)
    assert (file.values, file.problems, file.quoted) == (values, {}, {})


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("export A=1", "export belongs to a shell: write KEY=VALUE"),
        ("export\tA", "export belongs to a shell: write KEY=VALUE"),
        ("A", "it is not KEY=VALUE"),
        ("\x00", "it is not KEY=VALUE"),
        ("=1", "there is no key before ="),
        ("A =1", "there is a blank before ="),
        ("A B=1", "the key may have only letters, digits, _, . and -, and cannot start with a digit"),
        ("ä=1", "the key may have only letters, digits, _, . and -, and cannot start with a digit"),
        ("..=1", "the key may have only letters, digits, _, . and -, and cannot start with a digit"),
    ],
)
def test_what_is_not_read(line: str, problem: str) -> None:
    file = read_env_file(f"X=1\n{line}\n")
    assert (file.values, file.problems) == ({"X": "1"}, {2: problem})


@pytest.mark.parametrize(
    "text",
    ["-----BEGIN PRIVATE KEY-----\nMIIabcdef=\n", "A=1\ns3cr3t-value", "s3cr3t value=1", "export K=s3cr3t-value"],
)
def test_no_message_contains_a_line(text: str) -> None:
    (error,) = diagnostics(text)
    assert error.rule.slug == "env-file"
    assert not any(word in f"{error}" for word in ("s3cr3t", "MIIabc", "PRIVATE"))


def test_a_value_that_no_process_can_have_is_an_error_at_the_call() -> None:
    (error,) = diagnostics("A=a\x00b\n")
    assert (error.rule.slug, error.span.text) == ("nul-character", 'env_file("a.env")')


def test_the_secrets_of_one_file_are_one_warning() -> None:
    (warning,) = diagnostics("API_TOKEN=s3cr3t-value\nB=1\nDB_PASSWORD=hunter2-made-up\nURL=s3://u:p4ss@h/x\n")
    assert warning.message == "API_TOKEN (and 2 more from this file) looks like a secret in plain text"
    assert warning.span.text == 'env_file("a.env")'
    assert "--from-env-file" in warning.helps[0]


def test_one_file_is_read_once_for_all_roles() -> None:
    reads: list[str] = []

    def reader(path: str) -> Source:
        reads.append(path)
        return Source(path, "".join(f"K{n}={'x' * 50}\n" for n in range(2000)), path)

    roles = ", ".join(f"role {name} {{ }}" for name in ("chief", "worker", "ps", "evaluator"))
    text = f'job j {{ image = "i:1", command = ["x"], env = env_file("a.env"), {roles} }}\n'
    program = pipeline.load(Source("main.tfjob", text, "main.tfjob"), reader)
    done = pipeline.run(program, Request())
    assert not pipeline.has_errors(done.diagnostics)
    assert reads == ["a.env"]


@pytest.mark.parametrize(("text", "private"), [("API_TOKEN=s3cr3t-value\n", True), ("MODE=fast\n", False)])
def test_files_of_a_job_with_such_a_secret_are_for_their_owner(text: str, private: bool) -> None:
    backend = find("kubernetes")
    assert backend is not None
    program = pipeline.load(Source("main.tfjob", JOB, "main.tfjob"), lambda path: Source(path, text, path))
    done = pipeline.run(program, Request(), [Choice(backend)])
    assert [one.private for one in done.made] == [private]
