"""``tfdsl.toml`` in an editor: its problems, what may be written in it, what its words mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from tests.lsp.wire import Wire
from tfdsl.lint.runner import SLUGS
from tfdsl.lsp.features.project_file import complete, hover, problems
from tfdsl.text import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

LEVELS = ["error", "warning", "info", "off"]
KEYS = {
    "targets": 'targets = ["$1"]',
    "strict": "strict = true",
    "gpus_per_node": "gpus_per_node = ${1:8}",
}
TABLES = {"[lint]": "[lint]\n", "[labels]": "[labels]\n"}
JOB = 'job a {\n  image = "x:latest"\n  role worker { }\n}\n'


def offered(text: str, name: str = "tfdsl.toml") -> dict[str, str]:
    """What is inserted, by label, at the mark; and that the word before the mark is replaced."""
    source = Source(f"/w/{name}", text.replace("▮", ""))
    found = complete(source, text.index("▮"))
    return {item.label: text[: found.span.start].rpartition("\n")[2] + item.text for item in found.items}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("▮", {**KEYS, "[lint]": "[lint]\n", "[labels]": "[labels]\n"}),
        ("# about\nli▮", {**KEYS, "[lint]": "[lint]\n", "[labels]": "[labels]\n"}),
        ("strict = true\ntargets = [\n]\n▮", {"gpus_per_node": KEYS["gpus_per_node"], **TABLES}),
        ("strict = ▮", {"true": "strict = ", "false": "strict = "}),
        ("gpus_per_node = ▮", dict.fromkeys(("8", "4", "2", "1"), "gpus_per_node = ")),
        ("[labels]\n▮", {}),
        ("[labels]\nteam = ▮", {}),
        ("[labels]\nstrict = ▮", {}),
        ("[▮]", {"lint": "[", "labels": "["}),
        ("[li▮", {"lint": "[", "labels": "["}),
        ("[lint]\nunused-let = ▮", {level: f'unused-let = "{level}"' for level in LEVELS}),
        ('[lint]\nunused-let = "▮"', {level: f'unused-let = "{level}' for level in LEVELS}),
        ('[lint]\nunused-let = "wa▮', {level: f'unused-let = "{level}' for level in LEVELS}),
        ("lint.unused-let = 'o▮'", {level: f"lint.unused-let = '{level}" for level in LEVELS}),
        ("[lint]\n# ▮", {}),
        ("[other]\n▮", {}),
        ("[other]\nunused-let = ▮", {}),
        ('[lint]\nunused-let = "off" ▮', {}),
    ],
)
def test_what_may_be_written(text: str, expected: dict[str, str]) -> None:
    assert offered(text) == expected


def test_rules_that_have_no_level_yet() -> None:
    found = offered('[lint]\nunused-let = "off"\nTFJ3002 = "off"\nflo▮')
    assert [*found][: len(SLUGS) - 2] == [one for one in SLUGS if one not in ("unused-let", "unused-param")]
    assert {"tfjob-no-gang", "no-replicas"} < set(found)
    assert not {"stale-waiver", "bad-settings", "slurm-scheduler"} & set(found)
    assert found["floating-image-tag"] == 'floating-image-tag = "${1:warning}"'
    assert offered('[lint]\nflo▮ = "off"')["floating-image-tag"] == "floating-image-tag"
    assert offered("lint.unused-l▮")["unused-let"] == 'lint.unused-let = "${1:warning}"'


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("targets = [▮]", 'targets = ["tfjob"'),
        ('targets = ["▮"]', 'targets = ["tfjob'),
        ("targets = ['tfjob', 'volc▮']", "targets = ['tfjob', 'tfjob"),
        ('targets = [\n  "yarn", # here\n  "volcano@1.▮\n]', '  "tfjob'),
    ],
)
def test_targets_and_their_versions(text: str, first: str) -> None:
    found = offered(text)
    assert found["tfjob"] == first
    assert {"volcano", "volcano@1.9", "slurm"} <= set(found)
    assert offered(text.replace("targets", "[lint]\ntargets")) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("▮", {}),
        ("[project]\nstrict = ▮", {}),
        ("[lint]\n▮", {}),
        ("[tool.▮", dict.fromkeys(("tool.tfdsl", "tool.tfdsl.lint", "tool.tfdsl.labels"), "[")),
        ("[tool.tfdsl]\nstrict = ▮", {"true": "strict = ", "false": "strict = "}),
        ("[tool.tfdsl]\nlint.unused-let = ▮", {level: f'lint.unused-let = "{level}"' for level in LEVELS}),
        ("[tool.tfdsl.lint]\nunused-let = '▮'", {level: f"unused-let = '{level}" for level in LEVELS}),
        (
            "[tool.tfdsl]\n▮",
            {**KEYS, "[tool.tfdsl.lint]": "[tool.tfdsl.lint]\n", "[tool.tfdsl.labels]": "[tool.tfdsl.labels]\n"},
        ),
    ],
)
def test_of_a_pyproject_only_the_own_table_is_read(text: str, expected: dict[str, str]) -> None:
    assert offered(text, "pyproject.toml") == expected


@pytest.mark.parametrize(
    ("word", "about"),
    [
        ("targets", "**targets**: a list of strings\n\nThe targets of a command that names none"),
        ("volcano", "**volcano**: Volcano, 1.5.0, "),
        ("strict", "**strict**: `true` or `false`"),
        ("labels", "**labels**: a table"),
        ("tfjob-no-gang", "**tfjob-no-gang** (KTF054, "),
        ("no-replicas", "**no-replicas** (TFJ2108, "),
        ("off", "not reported"),
        ("slurm", None),
        ("yarn", None),
    ],
)
@pytest.mark.parametrize("home", ["", "tool.tfdsl"])
def test_what_settings_mean(word: str, about: str | None, home: str) -> None:
    tables = 'tfjob-no-gang = "off"\nno-replicas = "info"\n', 'slurm = "yarn"\n'
    dot = f"{home}." if home else ""
    text = f'targets = ["volcano@1.9"]\nstrict = true\n[{dot}lint]\n{tables[0]}[{dot}labels]\n{tables[1]}'
    text = f"[{home}]\n{text}" if home else text
    source = Source("/w/pyproject.toml" if home else "/w/tfdsl.toml", text)
    found = hover(source, text.index(word) + 1)
    assert (found is None) == (about is None)
    assert found is None or found.text.startswith(about or "")
    elsewhere = Source("/w/pyproject.toml", text.replace("tfdsl", "other"))
    assert hover(elsewhere, elsewhere.text.index(word) + 1) is None


def test_problems_of_a_pyproject() -> None:
    text = '[tool.tfdsl]\ntargets = ["volcan"]\n'
    ((path, found),) = problems(Source("/w/pyproject.toml", text)).items()
    assert (path, [one.diagnostic.rule.slug for one in found]) == ("/w/pyproject.toml", ["unknown-target"])
    assert problems(Source("/w/pyproject.toml", "[project]\nname = 1\n")) == {"/w/pyproject.toml": []}


def test_what_words_mean() -> None:
    source = Source("/w/tfdsl.toml", '[lint]\nunused-let = "off"\nTFJ3010 = "error" # x\n')

    def about(word: str) -> str:
        found = hover(source, source.text.index(word) + 1)
        return "" if found is None else f"{found.span.text}: {found.text}"

    assert about("unused-let").startswith("unused-let: **unused-let** (TFJ3001, warning unless set)\n\nA let that")
    assert "## Why" in about("unused-let")
    assert "## Bad" not in about("unused-let")
    assert about("TFJ3010").startswith("TFJ3010: **floating-image-tag**")
    assert about("off") == "off: not reported"
    assert about("lint").startswith("lint: **lint**: a table")
    assert about("x\n") == ""


def test_problems_of_the_text() -> None:
    source = Source("/w/tfdsl.toml", '[lint]\nunused-lets = "off"\n')
    ((path, found),) = problems(source).items()
    assert path == "/w/tfdsl.toml"
    assert [(one.diagnostic.rule.slug, one.diagnostic.span.text) for one in found] == [("bad-settings", "unused-lets")]
    assert "did you mean unused-let?" in found[0].text


@pytest.fixture
def wire() -> Iterator[Wire]:
    made = Wire()
    yield made
    made.close()


# --- in a server -----------------------------------------------------------------------------------------------


def problems_at(wire: Wire, uri: str) -> list[str]:
    """What the client is told about one text next."""
    while True:
        params = cast("Mapping[str, object]", wire.until("textDocument/publishDiagnostics")["params"])
        if params["uri"] == uri:
            return [cast("str", one["code"]) for one in cast("list[Mapping[str, object]]", params["diagnostics"])]


def open_toml(wire: Wire, uri: str, text: str) -> None:
    item = {"uri": uri, "languageId": "toml", "version": 1, "text": text}
    wire.send("textDocument/didOpen", {"textDocument": item})


@pytest.mark.slow
def test_an_open_file_counts_as_it_is_shown(wire: Wire, tmp_path: Path) -> None:
    (tmp_path / "tfdsl.toml").write_text('[lint]\nfloating-image-tag = "error"\n')
    job, settings = (tmp_path / "a.tfjob").as_uri(), (tmp_path / "tfdsl.toml").as_uri()
    wire.begin()
    wire.open(job, JOB)
    published = wire.published(1)
    assert [one["severity"] for one in cast("list[Mapping[str, object]]", published["diagnostics"])] == [1]
    open_toml(wire, settings, '[lint]\nfloating-image-tag = "off"\n')
    assert problems_at(wire, job) == []
    wire.change(settings, 2, (1, 0), (1, 8), "flaoting")
    assert problems_at(wire, settings) == ["TFJ3904"]
    assert problems_at(wire, job) == ["TFJ3010"]
    place = {"textDocument": {"uri": settings}, "position": {"line": 2, "character": 0}}
    answer = cast("Mapping[str, object]", wire.request("textDocument/completion", place)["result"])
    assert len(cast("list[object]", answer["items"])) > len(SLUGS)
    place["position"] = {"line": 1, "character": 25}
    hover = cast("Mapping[str, object]", wire.request("textDocument/hover", place)["result"])
    assert "not reported" in str(hover["contents"])
    wire.send("textDocument/didClose", {"textDocument": {"uri": settings}})
    while problems_at(wire, settings):
        pass  # the job says so until it has been checked again
    assert wire.end() == 0


@pytest.mark.slow
def test_a_file_that_is_not_open_has_its_problems_told(wire: Wire, tmp_path: Path) -> None:
    (tmp_path / "tfdsl.toml").write_text("[lnt]\n")
    wire.begin()
    wire.open((tmp_path / "a.tfjob").as_uri(), JOB)
    assert problems_at(wire, (tmp_path / "tfdsl.toml").as_uri()) == ["TFJ3904"]


@pytest.mark.slow
def test_other_files_of_its_language_are_left_alone(wire: Wire, tmp_path: Path) -> None:
    wire.begin()
    open_toml(wire, (tmp_path / "other.toml").as_uri(), "[lnt]\n")
    assert wire.end() == 0
    assert not [one for one in wire.notifications if one["method"] == "textDocument/publishDiagnostics"]


@pytest.mark.slow
def test_a_client_that_can_be_asked_is_asked_for_it(wire: Wire) -> None:
    able = {"dynamicRegistration": True}
    wire.begin(capabilities={"textDocument": {"synchronization": able, "completion": able, "hover": able}})
    params = cast("Mapping[str, object]", wire.until("client/registerCapability")["params"])
    found = cast("list[Mapping[str, object]]", params["registrations"])
    assert {cast("str", one["method"]).partition("/")[2] for one in found} == {
        *("didOpen", "didChange", "didClose", "completion", "hover")
    }
    files = [{"pattern": f"**/{name}", "scheme": "file"} for name in ("tfdsl.toml", "pyproject.toml", "*.params")]
    assert [cast("Mapping[str, object]", one["registerOptions"])["documentSelector"] for one in found] == [files] * 5
