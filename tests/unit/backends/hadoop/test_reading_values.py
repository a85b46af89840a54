"""Numbers, amounts, command lines and options as Hadoop reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tfdsl.backend.draft import Bare, Text
from tfdsl.manifest.shell_words import read_script
from tfdsl.text import Source, Span
from tfdsl_backends.hadoop.reading import command, command_with_tokens, java_number, job_name, memory, with_tokens
from tfdsl_backends.yarn.reading_parts import client_of, resources

if TYPE_CHECKING:
    from tfdsl.manifest.shell_words import Word


def span(text: str) -> Span:
    return Span(Source("file", text), 0, len(text))


def words(text: str) -> tuple[Word, ...]:
    source = Source("run.sh", text)
    (one,) = read_script(text, lambda start, end: Span(source, start, end)).commands
    return one.words


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2", 2),
        ("010", 8),
        ("08", None),
        ("0x10", 16),
        ("#10", 16),
        ("0", 0),
        ("-1", -1),
        ("+3", 3),
        (" 4 ", 4),
        ("", None),
        ("max", None),
        ("1.5", None),
        ("1_0", None),
        ("２", None),
        ("2147483647", 2147483647),
        ("2147483648", None),
        ("9" * 5000, None),
    ],
)
def test_numbers_are_those_of_java(text: str, number: int | None) -> None:
    assert java_number(text) == number


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("4096", "4Gi"),
        ("2056", "2056Mi"),
        ("2g", "2Gi"),
        ("4G", "4Gi"),
        ("20480M", "20Gi"),
        ("512 Mi", "512Mi"),
        ("1536mb", "1536Mi"),
        ("1k", "1Mi"),
        ("1t", "1Ti"),
        ("", None),
        ("g", None),
        ("1.5g", None),
        ("-1", None),
        ("9" * 5000, None),
    ],
)
def test_amounts_of_memory(text: str, amount: str | None) -> None:
    assert memory(text) == (Bare(amount) if amount is not None else None)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("python train.py --x=1", ["python", "train.py", "--x=1"]),
        ("python 'a b' \"c\" d''e", ["python", "a b", "c", "de"]),
        ("A=1 python train.py", "A=1 python train.py"),
        ("cd /app && python train.py", "cd /app && python train.py"),
        ("python $HOME/train.py", "python $HOME/train.py"),
        ("python train.py > log", "python train.py > log"),
        ("python *.py", "python *.py"),
        ('python "unclosed', 'python "unclosed'),
        ("python a\\ b", "python a\\ b"),
        ("  ", None),
    ],
)
def test_command_lines(text: str, read: object) -> None:
    assert command(text, span(text)) == read


def test_tokens_become_values() -> None:
    tokens = {"COMPONENT_ID": "task.index", "USER": "job.user"}
    text = "run --id=${COMPONENT_ID} ${USER} ${OTHER}"
    assert command_with_tokens(text, span(text), tokens) == Text(
        ("run --id=", Bare("task.index"), " ", Bare("job.user"), " ${OTHER}")
    )
    assert command_with_tokens("run ${COMPONENT_ID}", span(text), tokens) == ["run", Text((Bare("task.index"),))]
    assert with_tokens("a/${USER}/${X}", tokens) == Text(("a/", Bare("job.user"), "/${X}"))
    assert with_tokens("a/${X}", tokens) == "a/${X}"


@pytest.mark.parametrize(
    ("text", "name"),
    [("Digits", "digits"), ("mnist - A_b", "mnist-a-b"), ("数", "job"), ("x" * 70, "x" * 63), ("-", "job")],
)
def test_names_of_jobs(text: str, name: str) -> None:
    assert job_name(text) == name


@pytest.mark.parametrize(
    ("line", "arguments", "options", "stray"),
    [  # commons-cli's GnuParser
        ("-shell_args t.py --job_name=ps --task_index=0", ["t.py", "--job_name=ps", "--task_index=0"], {}, []),
        ("-shell_args t.py --timeout=5 --queue=q", ["t.py"], {"timeout": "5", "queue": "q"}, []),
        ("-shell_args 't.py --timeout=5 --queue=q'", ["t.py --timeout=5 --queue=q"], {}, []),
        ("-shell_args a -- -timeout 3", ["a", "--"], {"timeout": "3"}, []),
        ("-shell_command python t.py", [], {"shell_command": "python"}, ["t.py"]),
        ("-queue=a=b --priority 3", [], {"queue": "a=b", "priority": "3"}, []),
        ("-bogus 1 -debug", [], {"debug": "-debug"}, ["-bogus", "1"]),
    ],
)
def test_options_of_the_client(line: str, arguments: list[str], options: dict[str, str], stray: list[str]) -> None:
    client = client_of(words(line))
    assert [word.text for word in client.arguments] == arguments
    assert {name: word.text for name, word in client.options.items()} == options
    assert [word.text for word in client.stray] == stray


def test_variables_of_the_client() -> None:
    client = client_of(words("-shell_env A=b=c -shell_env B -shell_env ' C = d ' -shell_env E=$X/y"))
    assert [(name, word.text) for name, word in client.variables] == [
        ("A", "b=c"),
        ("B", ""),
        ("C", "d "),
        ("E", "$X/y"),
    ]
    assert [word.unknown[0].written for _, word in client.variables if word.unknown] == ["$X"]


def test_docker_of_the_client() -> None:
    prefix = "YARN_CONTAINER_RUNTIME_DOCKER_"
    client = client_of(words(f"-shell_env {prefix}MOUNTS=/a:/b:ro,/c:/d -shell_env {prefix}TMPFS_MOUNTS=/t"))
    assert client.mounts == {"/b": ("/a", "ro"), "/d": ("/c", "rw")}
    assert client.tmpfs == ["/t"]


def test_resources() -> None:
    assert resources("[memory-mb=3072, vcores=1,yarn.io/gpu=2,]") == {
        "memory-mb": "3072",
        "vcores": "1",
        "yarn.io/gpu": "2",
    }
