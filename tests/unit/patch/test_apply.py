"""Patches of finished documents."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from tfdsl.emit import yaml
from tfdsl.emit.located import Data, Located, plain
from tfdsl.patch.apply import Operation, Patch, apply
from tfdsl.record import Record
from tfdsl.syntax.patch_path import Index, Key, Path, Problem, Selector, parse_path, quoted


class Doc(Record):
    """A document as backends make it."""

    data: Data
    file: str | None = None


def job() -> list[Doc]:
    tasks = (
        Located({"name": Located("ps", "n"), "replicas": 1, "template": {"spec": {"args": ("a",)}}}, "roles[ps]"),
        Located(
            {"name": "worker", "replicas": Located(4, "r"), "template": {"spec": {"args": ["b"]}}}, "roles[worker]"
        ),
    )
    return [
        Doc(
            Located(
                {"kind": "Job", "metadata": {"name": "mnist"}, "spec": Located({"tasks": tasks, "queue": None}, "")}, ""
            )
        ),
        Doc(
            {
                "kind": "Service",
                "metadata": {"name": "a"},
                "spec": {"ports": [{"port": 1}, {"port": 1}, {"port": True}]},
            }
        ),
        Doc({"kind": "Service", "metadata": {"name": "b"}, "spec": {}}),
        Doc({"global": {"site.global.x": "1"}}, "appConfig.json"),
        Doc("#!/bin/sh\n", "submit.sh"),
    ]


def patch(path: str, operation: Operation, value: Data = None) -> Patch:
    parsed = parse_path(path)
    assert isinstance(parsed, Path), parsed
    return Patch(parsed, operation, value, "patches[0]")


def patched(path: str, operation: Operation, value: Data = None) -> list[object]:
    documents = job()
    before = [plain(document.data) for document in documents]
    result = apply(documents, patch(path, operation, value))
    assert isinstance(result, list), result
    assert [plain(document.data) for document in documents] == before
    return [plain(document.data) for document in result]


def problem(path: str, operation: Operation, value: Data = None) -> tuple[str, str, tuple[str, ...]]:
    """The marked part of the path, the message and the suggestions."""
    result = apply(job(), patch(path, operation, value))
    assert isinstance(result, Problem), result
    return path[result.offset : result.end], result.message, result.suggestions


def test_set_replaces_and_makes_maps() -> None:
    [main, *_] = patched("spec.tasks[name=ps].template.spec.dnsPolicy", "set", "Default")
    assert main["spec"]["tasks"][0]["template"]["spec"] == {"args": ["a"], "dnsPolicy": "Default"}
    [main, *_] = patched("metadata.annotations.'a.b/c'", "set", "x")
    assert main["metadata"] == {"name": "mnist", "annotations": {"a.b/c": "x"}}
    [main, *_] = patched("spec.tasks[1].replicas", "set", 9)
    assert main["spec"]["tasks"][1]["replicas"] == 9
    [main, *_] = patched("spec.queue", "set", ["a"])
    assert main["spec"]["queue"] == ["a"]
    [main, *_] = patched("spec.tasks[0].template.spec.args[0]", "set", "z")
    assert main["spec"]["tasks"][0]["template"]["spec"]["args"] == ["z"]


def test_merge_merges_maps_and_appends_to_lists() -> None:
    [main, *_] = patched("spec.tasks[name=worker]", "merge", {"template": {"spec": {"args": ["n"], "x": {"y": 1}}}})
    assert main["spec"]["tasks"][1] == {
        "name": "worker",
        "replicas": 4,
        "template": {"spec": {"args": ["n"], "x": {"y": 1}}},
    }
    [main, *_] = patched("spec.tasks[0].template.spec.args", "merge", ["b", "c"])
    assert main["spec"]["tasks"][0]["template"]["spec"]["args"] == ["a", "b", "c"]
    [main, *_] = patched("spec.tasks[0].template.spec.args", "merge", "b")
    assert main["spec"]["tasks"][0]["template"]["spec"]["args"] == ["a", "b"]
    [main, *_] = patched("spec.plugins.svc", "merge", ["--x"])
    assert main["spec"]["plugins"] == {"svc": ["--x"]}


def test_remove() -> None:
    [main, *_] = patched("spec.tasks[name=ps]", "remove")
    assert [task["name"] for task in main["spec"]["tasks"]] == ["worker"]
    [main, *_] = patched("spec.tasks[0].template.spec.args[0]", "remove")
    assert main["spec"]["tasks"][0]["template"]["spec"] == {"args": []}
    [main, *_] = patched("metadata", "remove")
    assert "metadata" not in main


def test_prefixes_choose_documents() -> None:
    before = [plain(document.data) for document in job()]

    def changed(path: str) -> list[int]:
        return [index for index, data in enumerate(patched(path, "set", 1)) if data != before[index]]

    assert changed("x") == [0]
    assert changed("Service/b:spec.x") == [2]
    assert changed("Service:spec.x") == [1, 2]
    assert changed("appConfig.json:global.'site.global.x'") == [3]


def test_patched_lines_lead_to_the_patch() -> None:
    result = apply(job()[:1], patch("spec.a.b", "set", {"c": [1]}))
    assert isinstance(result, list)
    written = yaml.write([result[0].data])
    lines = dict(zip(map(str.strip, written.text.splitlines()), written.lines, strict=True))
    assert [lines[line] for line in ("a:", "b:", "c:", "- 1")] == ["patches[0]"] * 4
    assert lines["- name: ps"] == "n"
    result = apply(job()[:1], patch("spec.tasks[0]", "merge", {"w": 1, "template": {"z": 2}}))
    assert isinstance(result, list)
    written = yaml.write([result[0].data])
    lines = dict(zip(map(str.strip, written.text.splitlines()), written.lines, strict=True))
    assert (lines["w: 1"], lines["z: 2"], lines["replicas: 1"]) == ("patches[0]", "patches[0]", "roles[ps]")


@pytest.mark.parametrize(
    ("path", "operation", "value", "marked", "words", "suggestions"),
    [
        ("spec.task[name=ps].x", "set", 1, "task", "there is no task", ("tasks",)),
        ("spec.tasks[name=pz].x", "set", 1, "[name=pz]", "no item has name = pz", ("ps",)),
        ("spec.tasks[nam=ps].x", "set", 1, "[nam=ps]", "no item of the list has a nam", ("name",)),
        ("spec.tasks[2].x", "set", 1, "[2]", "the list has 2 items", ()),
        ("spec.tasks.x", "set", 1, "x", "needs a map, but there is a list", ()),
        ("spec[0]", "set", 1, "[0]", "needs a list, but there is a map", ()),
        ("spec.tasks[0].replicas.x", "set", 1, "x", "needs a map, but there is a single value", ()),
        ("spec.tasks[0].template.spec.arg", "remove", None, "arg", "there is no arg here", ("args",)),
        ("spec.queue", "remove", None, "queue", "there is no queue here", ("tasks",)),
        ("spec.a.b", "remove", None, "a", "there is no a here", ("tasks",)),
        ("spec.tasks[0].replicas", "merge", 1, "replicas", "neither a map nor a list", ()),
        ("spec", "merge", [1], "spec", "takes a map", ()),
        ("Service/a:spec.ports[port=1].x", "set", 1, "[port=1]", "2 items have port = 1", ()),
        ("Servce/a:spec", "set", 1, "Servce/a", "there is no document 'Servce/a'", ("Service/a",)),
        ("appconfig.json:x", "set", 1, "appconfig.json", "there is no document", ("appConfig.json",)),
        ("submit.sh:x", "set", 1, "submit.sh", "is a text", ()),
    ],
)
def test_a_wrong_path_is_told_at_its_step(
    path: str, operation: Operation, value: Data, marked: str, words: str, suggestions: tuple[str, ...]
) -> None:
    got_marked, message, got_suggestions = problem(path, operation, value)
    assert got_marked == marked
    assert words in message
    assert got_suggestions == suggestions


def test_a_selector_compares_as_text() -> None:
    [_, service, *_] = patched("Service/a:spec.ports[port=true].x", "set", 1)
    assert service["spec"]["ports"][2] == {"port": True, "x": 1}


def test_nothing_to_patch() -> None:
    assert isinstance(apply([], patch("a", "set", 1)), Problem)
    assert isinstance(apply([Doc("text", "a.sh")], patch("a", "set", 1)), Problem)


@pytest.mark.parametrize(
    ("text", "prefix", "steps"),
    [
        ("a", None, (Key("a", 0, 1),)),
        ("a-b.c_d", None, (Key("a-b", 0, 3), Key("c_d", 4, 7))),
        (
            "a[0][x = y z].'it''s: a.b'",
            None,
            (Key("a", 0, 1), Index(0, 1, 4), Selector("x", "y z", 4, 13), Key("it's: a.b", 14, 26)),
        ),
        ("Job/m-1:spec", "Job/m-1", (Key("spec", 8, 12),)),
        ("package/scripts/a.py:a", "package/scripts/a.py", (Key("a", 21, 22),)),
        ("a[image=r:5000/x:1].b", None, (Key("a", 0, 1), Selector("image", "r:5000/x:1", 1, 19), Key("b", 20, 21))),
        ("a['k.x'='v]w']", None, (Key("a", 0, 1), Selector("k.x", "v]w", 1, 14))),
        ("a[k=]", None, (Key("a", 0, 1), Selector("k", "", 1, 5))),
        ("''", None, (Key("", 0, 2),)),
    ],
)
def test_paths(text: str, prefix: str | None, steps: object) -> None:
    assert parse_path(text) == Path(text, prefix, steps)


@pytest.mark.parametrize(
    ("text", "marked", "words"),
    [
        ("", "", "no steps"),
        ("Job:", "", "no steps"),
        (":a", ":", "missing before"),
        ("a.", "", "a step is missing"),
        (".a", ".", "expected a key"),
        ("a..b", ".", "expected a key"),
        ("a b", " ", "expected '.'"),
        ("a.b/c", "/", "expected '.'"),
        ("a.0", "0", "expected a key"),
        ("a[", "[", "not closed"),
        ("a[x", "[x", "not closed"),
        ("a[x]", "[x]", "[n] or [key=value]"),
        ("a[-1]", "[-1]", "[n] or [key=value]"),
        ("a[]", "[]", "[n] or [key=value]"),
        ("a.'b", "'b", "quote is not closed"),
        ("a.$x", "$", "expected a key"),
        ("a:b:c", ":", "expected '.'"),
    ],
)
def test_what_is_no_path(text: str, marked: str, words: str) -> None:
    found = parse_path(text)
    assert isinstance(found, Problem)
    assert text[found.offset : found.end] == marked
    assert words in found.message


@given(st.text(alphabet="ab.:[]='/ 0\n$é-") | st.text())
def test_any_text_is_a_path_or_a_problem(text: str) -> None:
    found = parse_path(text)
    if isinstance(found, Problem):
        assert 0 <= found.offset <= found.end <= len(text)
    else:
        assert found.steps[-1].end == len(text)


@given(st.lists(st.text(), min_size=1))
def test_quoted_keys_read_back(keys: list[str]) -> None:
    found = parse_path(".".join(map(quoted, keys)))
    assert isinstance(found, Path)
    assert [step.name for step in found.steps if isinstance(step, Key)] == keys
