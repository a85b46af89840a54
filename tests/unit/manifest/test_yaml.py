"""YAML with the place of each value."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from tests.unit.manifest.reading import document, documents, messages, values
from tfdsl.manifest import yaml
from tfdsl.manifest.nodes import Mapping, Node, Scalar, Sequence, plain, view, walk
from tfdsl.manifest.yaml import DEEPEST, MOST_MESSAGES, read
from tfdsl.text import Source

JOB = """\
# the job
apiVersion: kubeflow.org/v1   # v1
kind: TFJob
metadata: {name: mnist, labels: {"a/b": 'x y'}}
spec:
  tfReplicaSpecs:
    Worker:
      replicas: 2
      list:
      - one
      -  two

      text: |
        first # no comment

        last

  after: !!str &name 12
  again: *name
"""


def covered(text: str, *path: str | int) -> str:
    place = view(document(text).node)
    for step in path:
        place = place[step]
    return place.span.text


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (["apiVersion"], "kubeflow.org/v1"),
        (["metadata"], """{name: mnist, labels: {"a/b": 'x y'}}"""),
        (["metadata", "labels", "a/b"], "'x y'"),
        (["spec", "tfReplicaSpecs", "Worker", "replicas"], "2"),
        (["spec", "tfReplicaSpecs", "Worker", "list"], "- one\n      -  two"),
        (["spec", "tfReplicaSpecs", "Worker", "list", 1], "two"),
        (["spec", "tfReplicaSpecs", "Worker", "text"], "|\n        first # no comment\n\n        last"),
        (["spec", "after"], "12"),
        (["spec", "again"], "12"),
    ],
    ids=str,
)
def test_spans_cover_what_is_written(path: list[str | int], text: str) -> None:
    assert covered(JOB, *path) == text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_spans_count_characters_whatever_is_before_them(end: str) -> None:
    text = f'\ufeff# 😀 ü\u2028{end}"😀": [ü, 𝔘]\t# x{end}---{end}b:\t\ttab{end}'.removeprefix("\ufeff")
    one, two = documents(text)
    assert covered_of(one.node) == ['["😀"] [ü, 𝔘]', "ü", "𝔘"]
    assert covered_of(two.node) == ["[b] tab"]


def covered_of(node: Node) -> list[str]:
    found: list[str] = []
    for path, one in walk(node):
        if isinstance(one, Mapping):
            found += [f"[{entry.key_span.text}] {entry.value.span.text}" for entry in one.entries.values()]
        elif isinstance(one, Scalar) and not isinstance(path[-1], str):
            found.append(one.span.text)
    return found


def test_the_span_of_a_map_is_from_its_first_key_to_its_last_value() -> None:
    text = "a: &x\n  # before\n  b: 1\n  c: two  # after\n\n# end\nd: 1\n"
    assert covered(text, "a") == "b: 1\n  c: two"


def test_a_missing_value_has_an_empty_place_after_its_colon() -> None:
    span = view(document("a:\nb: 1\n").node)["a"].span
    assert (span.start, span.end) == (2, 2)


def test_documents_without_a_value_are_left_out() -> None:
    assert [plain(one.node) for one in documents("---\n# nothing\n---\na: 1\n---\n~\n---\nb: 2\n...\n")] == [
        {"a": 1},
        {"b": 2},
    ]


@pytest.mark.parametrize("text", ["", "\n", "# only this\n", "---\n---\n", "~"])
def test_a_text_without_a_document_is_told(text: str) -> None:
    values, diagnostics = messages(text)
    assert values == []
    assert [one.message for one in diagnostics] == ["job.yaml contains no document"]


def test_an_alias_is_the_value_of_its_anchor() -> None:
    node = document("a: &x {k: [1]}\nb: *x\nc: [*x, *x]\n").node
    assert isinstance(node, Mapping)
    assert node.get("b") is node.get("a")
    assert plain(node) == {"a": {"k": [1]}, "b": {"k": [1]}, "c": [{"k": [1]}, {"k": [1]}]}


def test_an_anchor_can_be_set_again_and_ends_with_its_document() -> None:
    assert plain(document("a: &x 1\nb: &x 2\nc: *x\n").node) == {"a": 1, "b": 2, "c": 2}
    _, (diagnostic,) = messages("a: &x 1\n---\nb: *x\n")
    assert diagnostic.message == "the alias *x has no anchor &x before it"
    assert diagnostic.span.text == "*x"
    assert diagnostic.helps == ('if it is a text, put it in quotes: "*x"',)


def test_an_anchor_within_itself() -> None:
    values, (diagnostic,) = messages("a: &x {b: *x, c: 1}\n")
    assert values == [{"a": {"c": 1}}]
    assert diagnostic.message == "the alias *x is within the value that it stands for"


def test_merge_keys_are_read_as_the_server_does() -> None:
    """What the server gives for this text: tests/conformance/kubernetes/test_scalars.py asks it."""
    text = """\
a: &x {k: 1, m: 2}
b: {k: 9, <<: *x}
c: {<<: *x, k: 9}
d: {<<: [*x, {k: 7, z: 1}]}
e: {"<<": {k: 1}}
"""
    assert plain(document(text).node) == {
        "a": {"k": 1, "m": 2},
        "b": {"k": 1, "m": 2},
        "c": {"k": 9, "m": 2},
        "d": {"k": 1, "m": 2, "z": 1},
        "e": {"<<": {"k": 1}},
    }


@pytest.mark.parametrize("value", ["1", "~", "[1]", "[{a: 1}, text]"])
def test_a_merge_key_needs_maps(value: str) -> None:
    values, (diagnostic,) = messages(f"a: {{<<: {value}}}\nb: 1\n")
    assert values == [{"a": {}, "b": 1}]
    assert diagnostic.span.text == "<<"


def test_the_last_of_two_equal_keys_is_read_and_told() -> None:
    values, (diagnostic,) = messages("a: 1\nb: 2\na: 3\nc: {1: x, '1': y}\n".replace(", '1': y", ""))
    assert values == [{"a": 3, "b": 2, "c": {"1": "x"}}]
    assert diagnostic.message == "the key a is set twice"
    assert diagnostic.span.source.position(diagnostic.span.start) == (3, 1)
    assert [(label.span.start, label.message) for label in diagnostic.labels] == [(0, "first set here")]


def test_keys_of_different_types_can_be_equal() -> None:
    _, (diagnostic,) = messages("yes: 1\n'true': 2\n")
    assert diagnostic.message == "the key true is set twice"


@pytest.mark.parametrize(
    ("key", "name"), [("1", "1"), ("0x10", "16"), ("1e6", "1e+06"), ("on", "true"), ("2001-01-01", "2001-01-01")]
)
def test_keys_are_names(key: str, name: str) -> None:
    assert plain(document(f"{key}: x\n").node) == {name: "x"}


@pytest.mark.parametrize("key", ["~", "", "[a, b]", "{a: b}", "18446744073709551615"])
def test_what_cannot_be_a_key(key: str) -> None:
    values, (diagnostic,) = messages(f"? {key}\n: x\n? b\n: 1\n")
    assert values == [{"b": 1}]
    assert diagnostic.rule.slug == "import-value"


SYNTAX = [
    ("a: 1\nb:\n\t- x\n", "\t", "a tab is part of the indentation", "indent with spaces"),
    ("\ta: 1\n", "\t", "a tab is part of the indentation", "indent with spaces"),
    ("a: 'x\nb: 2\n", "'", "this text has no closing quote", ""),
    ('a: "\\q"\n', "\\", "this is not an escape", "write \\\\ for a backslash"),
    ("a: *.txt\n", "*", "* begins the name of an alias", "put the text in quotes"),
    ("a: @b\n", "@", "a text without quotes cannot begin with @", "put the text in quotes"),
    ("a: [1, 2\n", "2", "it ends before the last bracket is closed", ""),
    ("a: [1, 2\nb: 3\n", ":", "expected a comma or ]", ""),
    ("a: [b, , c]\n", ",", "a value is missing here", ""),
    ("a:\n  b: 1\n c: 2\n", "c", "this does not continue the map", "indent all keys of a map alike"),
    ("- a\nb: 1\n", "b", "this does not continue the list", "indent all items of a list alike"),
    ("a: - b\n", "-", "a list item cannot begin here", "begin each item on a line of its own"),
    ("a: 'it's'\n", "s", "the value ends before this", "put the text in quotes"),
    ("a: b: c\n", ":", "a key and its colon cannot follow here", "put the text in quotes"),
    ("a: 1\nb\nc: 2\n", "b", "this line is neither a key", "write key: value"),
    ("a: |x\n  b\n", "|", "a line end must follow | or >", ""),
    ("a: !e!x b\n", "!", "no %TAG line declares this tag", ""),
]


@pytest.mark.parametrize(("text", "at", "reason", "advice"), SYNTAX, ids=[repr(row[0]) for row in SYNTAX])
@pytest.mark.parametrize("pure", [False, True], ids=["libyaml", "python"])
def test_what_is_not_yaml_is_told_where_it_is(
    text: str, at: str, reason: str, advice: str, pure: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if pure:
        without_libyaml(monkeypatch)
    values, (diagnostic,) = messages(f"before: 1\n---\n{text}")
    assert values == [{"before": 1}]
    assert diagnostic.message.startswith(f"this is not YAML: {reason}")
    assert diagnostic.span.text in (at, "q" if at == "\\" else at)  # the parser in Python is one character further
    assert advice in "".join(diagnostic.helps)


def without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "yaml._yaml", None)


def test_without_libyaml_the_trees_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = document(JOB).node
    without_libyaml(monkeypatch)
    assert yaml.parser().__name__ == "SafeLoader"
    slow = document(JOB).node
    assert plain(fast) == plain(slow)
    places = [[(path, one.span[1:]) for path, one in walk(tree)] for tree in (fast, slow)]
    assert places[0] == places[1]


@pytest.mark.parametrize("character", ["\0", "\x1b", "\x7f", "\x80", "\ud800", "\uffff"])
def test_characters_that_yaml_does_not_know(character: str) -> None:
    values, (diagnostic,) = messages(f"a: 1\n---\nb: {character}\n---\nc: 1\n")
    assert values == [{"a": 1}]
    assert diagnostic.message == f"this is not YAML: it contains the character U+{ord(character):04X}"
    assert diagnostic.span.text == character


@pytest.mark.parametrize(
    "text", ["[" * 10_000, "- " * 10_000, '{"a":' * 10_000, "".join(f"{' ' * n}a:\n" for n in range(200))]
)
def test_too_deep(text: str) -> None:
    values, (diagnostic,) = messages(text)
    assert values == []
    assert diagnostic.message == f"values are nested more than {DEEPEST} levels deep here"


def test_as_deep_as_allowed() -> None:
    node = document("[" * DEEPEST + "]" * DEEPEST).node
    assert sum(1 for _ in walk(node)) == DEEPEST


def test_a_bomb_is_stopped_at_its_alias() -> None:
    lines = [f"a0: &a0 [{', '.join('x' * 9)}]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    diagnostics: list[str] = []
    (only,) = read(Source("bomb.yaml", "\n".join(lines)), lambda one: diagnostics.append(one.message))
    assert len(diagnostics) == 1
    assert "values from aliases" in diagnostics[0]
    assert sum(1 for _ in walk(only.node)) <= 100 * 9 * 12


def test_a_deep_bomb_is_stopped_too() -> None:
    lines = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 200)]
    values, diagnostics = messages("\n".join(lines))
    assert len(values) == 1
    assert {one.rule.slug for one in diagnostics} == {"import-too-deep"}


def test_the_same_mistake_a_thousand_times() -> None:
    _, diagnostics = messages("a: 1\n" * 1_000)
    assert len(diagnostics) == MOST_MESSAGES


@pytest.mark.parametrize(
    "text",
    [
        "kind: TFJob\nmetadata: {name: {{ .Values.name }}}\nspec: {{ toYaml .Values.spec }}\n",
        "kind: TFJob\nmetadata: {name: {{ .Values.name }}}\n{{ .Values.spec }}\n",
        "kind: TFJob\n{{- if .Values.x }}\nspec:\n{{- end }}\n",
        'a:\n{{ include "x" . | indent 2 }}\n',
        "a: {{ toYaml .x | nindent 2 }}\n",
    ],
)
def test_a_helm_template_is_one_message(text: str) -> None:
    _, (diagnostic,) = messages(text)
    assert diagnostic.message == "this is a Helm template, not a manifest of a job"
    assert diagnostic.helps == ("import what it renders: helm template . | tfdsl import -",)


def test_another_template() -> None:
    _, (diagnostic,) = messages("{% if x %}\na: {{ name }}\n{% endif %}\n")
    assert diagnostic.message == "this is a template, not a manifest of a job"


def test_tags_and_quotes() -> None:
    text = """{a: !!str 1, b: "1", c: ! 1, d: !x 1, e: !!binary aGk=, f: !!int "1", g: !!set {x: z}, h: !!str }"""
    assert plain(document(text).node) == {
        "a": "1", "b": "1", "c": "1", "d": "1", "e": "hi", "f": 1, "g": {"x": "z"}, "h": "",
    }  # fmt: skip


ANY = st.text(st.sampled_from("a1 :-[]{}&*!|>'\"%@`#,?~<.\t\n\r\\é😀\ufeff\u2028\x85")) | st.text()


def check_places(node: Node, source: Source) -> None:
    for _, one in walk(node):
        assert isinstance(one, Scalar | Mapping | Sequence)
        assert one.span.source is source
        assert 0 <= one.span.start <= one.span.end <= len(source.text)
        text = one.span.text
        if isinstance(one, Scalar) and isinstance(one.value, str) and text[:1] not in "'\"|>" and text.isprintable():
            assert one.value == text  # a word on one line
        if isinstance(one, Mapping):
            for entry in one.entries.values():
                assert 0 <= entry.key_span.start <= entry.key_span.end <= len(source.text)


@settings(max_examples=500)
@given(ANY)
def test_any_text_gives_nodes_or_messages(text: str) -> None:
    source = Source("any.yaml", text)
    diagnostics = []
    found = read(source, diagnostics.append)
    assert found or diagnostics
    for one in found:
        check_places(one.node, source)
        plain(one.node)
    for diagnostic in diagnostics:
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)


@settings(max_examples=150)
@given(ANY)
def test_any_text_without_libyaml(text: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        without_libyaml(patched)
        source = Source("any.yaml", text)
        diagnostics = []
        found = read(source, diagnostics.append)
    assert found or diagnostics
    for one in found:
        check_places(one.node, source)


@pytest.mark.slow
@settings(max_examples=40)
@given(st.data())
def test_every_value_in_json_is_read_as_it_is_written(data: st.DataObject) -> None:
    import json

    word = st.text().filter(lambda text: "{{" not in text)  # which would be a template
    simple = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | word
    value = data.draw(st.dictionaries(word, st.recursive(simple, lambda of: st.lists(of) | st.dictionaries(word, of))))
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()), indent=data.draw(st.none() | st.just(1)))
    only = document(text, "job.json")
    assert only.format == "json"
    check_places(only.node, only.source)
    assert values(only.node) == value
