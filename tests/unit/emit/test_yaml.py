"""The YAML writer against three readers: PyYAML and libyaml (YAML 1.1) and ruamel (YAML 1.2)."""

from __future__ import annotations

import io
import math
import time

import pytest
import yaml as pyyaml
from hypothesis import example, given, settings, strategies as st
from ruamel.yaml import YAML

from tfdsl.emit import yaml
from tfdsl.emit.located import Block, Located, plain
from tfdsl.vocabulary.quantities import Duration, Quantity


def read_everywhere(text: str) -> list[list[object]]:
    """The documents of ``text`` as each of the readers sees them."""
    ruamel = YAML(typ="safe", pure=True)
    assert ruamel.version is None  # 1.2 unless a directive says otherwise
    return [
        list(pyyaml.load_all(text, pyyaml.SafeLoader)),
        list(pyyaml.load_all(text, pyyaml.CSafeLoader)),
        list(ruamel.load_all(io.StringIO(text))),
    ]


def one(data: object) -> str:
    return yaml.write([data]).text


def assert_exact(data: object) -> None:
    text = one(data)
    for documents in read_everywhere(text):
        assert documents == [data], text


NASTY = [
    "", " ", "  a", "a  ", "\t", "\ta", "a\t", "\n", "\n\n", "a\n", "a\n\n", "\na", " \na", "a\n ", "a\n \n",
    "a\n\tb\n", "\tx\ny\n", "  x\ny\n", " x\n\n  y", "a \nb\n", "a\n \nb", "a\n\n\nb\n\n\n", "\r", "a\r\nb", "a\rb",
    "#!/bin/sh\nset -eu\n", "---\na\n", "...", "---", "--- a", "%YAML 1.1\n---\n", "y", "Y", "n", "yes", "No", "NO",
    "on", "OFF", "true", "True", "null", "Null", "~", "=", "<<", "012", "0o14", "0x1F", "0b11", "1_000", "1e3", "1E3",
    "1.0", "1.", ".5", "-.5", "+1", "-1", "1:30", "190:20:30", "1:30.5", ".inf", "-.INF", "+.inf", ".NaN", "nan",
    "inf", "2001-01-01", "2001-12-14t21:59:43.10-05:00", "2001-1-1 1:2:3 Z", "- a", "-", "--", "--steps=5", "-c",
    "? a", "?", "a: b", "a:", ":", ":a", "a:b", "a #b", "a#b", "#a", "{a", "[a", "a]", "*a", "&a", "!a", "!!str a",
    "|", ">", "|-", "@a", "`a", "%a", "'a'", '"a"', "it's", 'say "hi"', "back\\slash", "\\n", "${HOME}", "$(POD)",
    "$$(X)", "{{ a }}", ",a", "a,b", "\x00", "\x07", "\x1b[0m", "\x7f", "\x85", "a\x85b", "\xa0", "\u2028",
    "a\u2029b\n", "\ufeff", "\ufeffa\nb\n", "\ufffe", "\uffff", "é", "训练", "训练\n任务\n", "😀", "a 😀\nb\n",
    "\u200b", "\u202eabc",
    "x" * 5000, ("word " * 2000).strip(), "9" * 400, "0", "00", "0.0.0.0", "10.0.0.2:/data", "500m",
    "4Gi", "1h30m", "1E", "0xfg", "12e03", "1e", "e1", "1,2", "1-2", "a\n---\nb\n", "a\n...\nb\n", "a\n# b\n",
    "key: |\n  x\n", "a: b\nc: d\n",
]  # fmt: skip


@pytest.mark.parametrize("text", NASTY)
def test_hostile_text_reads_the_same_everywhere(text: str) -> None:
    assert_exact({"k": text, "list": [text, {"deep": [text, [text]]}], "after": "x"})
    assert_exact([text])
    assert_exact(text)
    assert_exact({text: "value", "other": {text: {text: [text]}}})
    for documents in read_everywhere(one({"k": Block(text), "l": [Block(text)], "z": 1})):
        assert documents == [{"k": text, "l": [text], "z": 1}]


TEXT = st.text(max_size=30) | st.text(
    alphabet=" \t\n\r\"'\\#:-?{}[]|>&*!%@`~=<.,0123456789abeEnyxo_+$é\x85\u2028\ufeff", max_size=14
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT | st.sampled_from(NASTY)
DATA = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4), max_leaves=15
)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(st.lists(DATA, max_size=3))
@example([{"a": {"b": {}}, "c": [], "d": [[], {}, [[]], [{}], [None]]}])
@example([1e16, 1e-7, -0.0, 1.5e300, float("inf")])
@example([{"a": 10**30}])
def test_any_data_reads_the_same_everywhere(documents: list[object]) -> None:
    written = yaml.write(documents)
    expected = [plain(document) for document in documents if document is not None]
    for read in read_everywhere(written.text):
        assert read == expected
    assert written == yaml.write(documents)
    assert written.text.count("\n") == len(written.lines)
    written.text.encode()


def test_nan_and_zero_sign() -> None:
    for documents in read_everywhere(one([float("nan"), -0.0])):
        [[nan, zero]] = documents
        assert math.isnan(nan)
        assert math.copysign(1, zero) == -1


@pytest.mark.parametrize("size", [999, 1000, 1001, 1023, 1024, 1025, 5000])
@pytest.mark.parametrize("inner", ["text", "a\nb\n", ["x"], {"y": "z"}, [], {}])
def test_keys_longer_than_readers_look_ahead(size: int, inner: object) -> None:
    assert_exact({"k" * size: inner, "b": {"é" * size: inner, "after": 1}})
    assert_exact([{"k" * size: inner, "m" * size: inner}])


@pytest.mark.parametrize(
    "text", ["y", "Y", "n", "no", "on", "012", "1e3", "0o14", "1_000", "1:30", "2001-01-01", "~", "<<"]
)
def test_what_some_reader_takes_for_else_is_quoted(text: str) -> None:
    """Go's YAML 1.1 reader in older kubectl takes ``y`` for true, which none of the readers here does."""
    assert one({"k": text, text: 1}) == f'k: "{text}"\n"{text}": 1\n'


@pytest.mark.parametrize(
    "text", ["a", "--steps=5000", "-c", "/data", "a:b", "500m", "16Gi", "1h30m", "$(POD)", "a b", "./x", "x=1"]
)
def test_what_nobody_takes_for_else_stays_plain(text: str) -> None:
    assert one([text]) == f"- {text}\n"


@pytest.mark.parametrize("text", ["  \na\n", "a\n  ", "a\n \n", "\t\na", "a\r\nb\n", "\n", "a\x1b\nb"])
def test_what_nobody_would_see_in_a_block_is_quoted(text: str) -> None:
    assert one({"k": Block(text)}).startswith('k: "')


def test_lone_surrogates_are_escaped_so_that_the_text_can_be_encoded() -> None:
    text = one({"k": "a\udc80", "l": "x\n\udc80\n"})
    assert text == 'k: "a\\uDC80"\nl: "x\\n\\uDC80\\n"\n'
    assert list(pyyaml.load_all(text, pyyaml.SafeLoader)) == [{"k": "a\udc80", "l": "x\n\udc80\n"}]


def test_looks_like_what_kubectl_prints() -> None:
    document = {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "metadata": {"labels": {"app.kubernetes.io/name": "mnist", "on": "yes"}, "annotations": {}},
        "spec": {
            "tasks": [
                {"name": "ps", "replicas": 2, "command": ["sh", "-c", "exec a\nb\n"]},
                {"env": [{"name": "TF_CONFIG", "value": '{"cluster":{}}'}]},
            ],
            "queue": None,
            "cpu": Quantity(4000, "4"),
            "memory": Quantity(1, "16Gi"),
            "window": Duration(90, "1h30m"),
            "image": "registry.example.com/mnist:1.4",
        },
    }
    assert (
        one(document)
        == """\
apiVersion: batch.volcano.sh/v1alpha1
metadata:
  labels:
    app.kubernetes.io/name: mnist
    "on": "yes"
  annotations: {}
spec:
  tasks:
  - name: ps
    replicas: 2
    command:
    - sh
    - -c
    - |
      exec a
      b
  - env:
    - name: TF_CONFIG
      value: '{"cluster":{}}'
  cpu: "4"
  memory: 16Gi
  window: 1h30m
  image: registry.example.com/mnist:1.4
"""
    )


def test_every_line_knows_its_place() -> None:
    tasks = [
        Located(
            {"name": Located("ps", "roles[ps].name"), "restartPolicy": "Never", "script": Located("a\nb\n", "s")},
            "roles[ps]",
        ),
        {"replicas": Located(2, "roles[w].replicas"), "long": Located({"k" * 2000: 1}, "long")},
    ]
    written = yaml.write([{"spec": {"tasks": tasks, "gone": Located(None, "gone")}}, Located({}, "second")], ["made"])
    assert list(zip(written.text.splitlines(), written.lines, strict=True)) == [
        ("# made", None),
        ("spec:", None),
        ("  tasks:", None),
        ("  - name: ps", "roles[ps].name"),
        ("    restartPolicy: Never", "roles[ps]"),
        ("    script: |", "s"),
        ("      a", "s"),
        ("      b", "s"),
        ("  - replicas: 2", "roles[w].replicas"),
        ("    long:", "long"),
        ("      ? " + "k" * 2000, "long"),
        ("      : 1", "long"),
        ("---", None),
        ("{}", "second"),
    ]


@given(st.lists(TEXT, min_size=1))
def test_no_header_reaches_the_data(header: list[str]) -> None:
    written = yaml.write([{"a": 1}], header)
    for documents in read_everywhere(written.text):
        assert documents == [{"a": 1}]
    assert len(written.lines) == len(header) + 1 == written.text.count("\n")


def test_a_file_of_fifty_thousand_lines_is_fast() -> None:
    container = {
        "image": "registry.example.com/a:1",
        "command": ["python", "-u", "/app/a.py"],
        "env": [{"name": "A", "value": "1"}],
    }
    document = {"tasks": [{"name": f"w-{index}", "spec": {"containers": [container]}} for index in range(6200)]}
    started = time.process_time()
    written = yaml.write([document])
    assert len(written.lines) > 55_000
    assert time.process_time() - started < 1.0  # measured 0.06 s; the margin is for slow machines
