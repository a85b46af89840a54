"""``tfdsl explain``: every message and every word has something to read, and its examples are true."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from tests.unit.cli.shell import ROOT, tfdsl
from tests.unit.diagnostics.pages import Example, diagnostics, part
from tfdsl import targets
from tfdsl.backend import spoken
from tfdsl.cli import main, report, topics
from tfdsl.cli.commands import SUMMARIES
from tfdsl.cli.explain import pages_of, words
from tfdsl.cli.message_pages import as_markdown, is_markdown, page_of
from tfdsl.cli.new import starter
from tfdsl.cli.topics import TOPICS, UNITS
from tfdsl.compiling import pipeline
from tfdsl.ir.fields import all_keys
from tfdsl.syntax import _tables
from tfdsl.vocabulary import attributes, functions, statements

if TYPE_CHECKING:
    from pathlib import Path


EXAMPLE_LINES = re.compile(r"^Example:\n((?:  .*\n?)+)", re.M)
RULES = sorted({rule.code: rule for rule in pipeline.every_rule().values()}.values(), key=lambda rule: rule.code)
EXAMPLES = {
    **{f"attribute {one.name}": topics.of_attribute(one) for one in attributes.ATTRIBUTES},
    **{f"event {name}": text for name, text in topics.EVENTS.items()},
    **{f"action {name}": text for name, text in topics.ACTIONS.items()},
    **{f"role {name}": text for name, text in topics.ROLES.items()},
    **{f"mount {name}": text for name, text in topics.MOUNTS.items()},
    **{f"function {name}": text for name, text in topics.FUNCTIONS.items()},
    **topics.OTHERS,
    **topics.PATCHES,
    **topics.WORDS,
    **{f"topic {name}": one.example for name, one in TOPICS.items() if one.example},
}


def test_every_word_has_a_page() -> None:
    pages = {word: pages_of(word) for word in words()}
    assert pages
    assert [word for word, found in pages.items() if not found] == []
    assert [word for word, found in pages.items() if any(len(page.splitlines()) < 3 for page in found)] == []


def test_every_word_of_the_grammar_has_a_page() -> None:
    assert {text for text, _ in _tables.KEYWORDS} <= {*words()}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_clean(name: str) -> None:
    read = {"train.sh": 'exec python /app/train.py "$@"\n', "prod.env": "MODE=slow\n"}
    files = {"main.tfjob": part(EXAMPLES[name] + "\n"), **read}
    found = diagnostics(Example(files, (), ""))
    assert [f"{one.rule.slug}: {one.message}" for one in found] == []


@pytest.mark.parametrize(
    ("table", "rows"),
    [
        (topics.EVENTS, statements.EVENTS),
        (topics.ACTIONS, statements.ACTIONS),
        (topics.ROLES, attributes.ROLES),
        (topics.MOUNTS, statements.MOUNT_KINDS),
        (topics.FUNCTIONS, functions.FUNCTIONS),
    ],
)
def test_the_examples_are_about_what_there_is(table: dict[str, str], rows: tuple[statements.Event, ...]) -> None:
    assert list(table) == [row.name for row in rows]
    assert all(name in text for name, text in table.items())


def test_every_message_has_a_page() -> None:
    pages = {rule.code: page_of(rule) for rule in RULES}
    assert pages
    assert [code for code, page in pages.items() if "{" in page.partition("\n")[0]] == []
    assert [code for code, page in pages.items() if len([line for line in page.splitlines() if line.strip()]) < 3] == []


def test_a_refusal_says_who_can() -> None:
    """``cleanup`` on Volcano: its text, its advice, and a target that does what is asked for."""
    rule = pipeline.every_rule()["volcano-cleanup"]
    page = page_of(rule)
    assert page.startswith(f"{rule.code} volcano-cleanup (warning; info about a default)\n\nvolcano: ")
    assert "\nInstead: " in page
    assert "\n  cleanup\n" in page
    assert "\n  tfjob      translated as spec.runPolicy.cleanPodPolicy" in page


def test_lint_pages_are_the_docstrings() -> None:
    assert "## Bad\n\n```tfjob\n" in page_of(pipeline.every_rule()["TFJ3028"])


def test_keys_are_told_as_they_are_written() -> None:
    said = {key: spoken(key) for key in all_keys()}
    assert not [key for key, text in said.items() if "[]" in text or text.startswith(("job.", "roles", "policies"))]
    assert said["policies[failed].restart pod"] == "on failed => restart pod"
    assert said["roles[].args{task.index}"] == "args with ${task.index}"


def test_every_target_is_named_for_an_attribute() -> None:
    for word, last in (("gpu", 0), ("schedule", 0), ("overlap", 0), ("run", 0), ("ended", 0), ("failed", -1)):
        page = pages_of(word)[last]
        assert all(f"\n  {backend.name} " in page for backend in targets.built_in()), word
    assert "translated as spec.concurrencyPolicy" in pages_of("overlap")[0]


def test_a_word_of_another_tool_is_understood(tmp_path: Path) -> None:
    ran = tfdsl("explain", "nodeSelector", cwd=tmp_path)
    assert ran.status == 0
    assert ran.out.startswith(
        "There is no nodeSelector; this is the page of node_selector.\n\nnode_selector (attribute)\n"
    )


@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("spot", "evicted (event of a policy)"),
        ("preemptible", "evicted (event of a policy)"),
        ("retry", "retries (attribute)"),
        ("backoffLimit", "retries (attribute)"),
        ("replica", "replicas (attribute)"),
        ("gpus", "gpu (attribute)"),
        ("backoff", "retries (attribute)"),
        ("oom", "exit (event of a policy)"),
        ("strict", "--strict (option of compile, check and submit)"),
        ("prune", "--prune (option of compile)"),
        ("notes", "--notes (option of check)"),
        ("kustomization", "--kustomization (option of compile)"),
        ("role worker", "worker (role)"),
        ("mount pvc", "pvc (kind of mount)"),
        ("mount secret", "secret (kind of mount)"),
        ("target slurm", "slurm: Slurm"),
        ("on evicted", "evicted (event of a policy)"),
        ("kubernetes.version", "kubernetes (also simpletfjob): Kubernetes Jobs"),
        ("kubernetes.hosts", "hosts (option of target kubernetes)"),
        ("K8S052", "K8S052 kubernetes-no-gang (warning; info about a default)"),
        ("K8S001", "K8S001 kubernetes-flags-need-shell (info)"),
    ],
)
def test_a_word_leads_to_the_page(tmp_path: Path, word: str, page: str) -> None:
    ran = tfdsl("explain", word, cwd=tmp_path)
    assert f"\n{page}\n" in f"\n{ran.out}"
    assert len(re.findall(r"^\S.* \((?:role|function|kind of mount|attribute)\)$", ran.out, re.M)) <= 1


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("sweep", "help: for several jobs of one block, write matrix"),
        ("print", "help: a job is described, not programmed"),
        ("affinity", "help: write node_selector"),
        ("null", "help: there is no null: leave the attribute out"),
        ("yes", "help: write true"),
        ("waiver", "help: write a comment on or above the line: # tfdsl: allow[SLUG] REASON"),
        ("TFJ9999", ""),
        ("kubernetes.nothing", ""),
        ("role nothing", ""),
    ],
)
def test_a_word_without_a_page_is_told_what_to_write(tmp_path: Path, word: str, says: str) -> None:
    ran = tfdsl("explain", word, cwd=tmp_path)
    assert ran.status == 2
    assert says in ran.err if says else "help:" not in ran.err


def test_a_code_in_small_letters_is_found(tmp_path: Path) -> None:
    ran = tfdsl("explain", "tfj2104", cwd=tmp_path)
    assert ran.status == 0
    assert ran.out.startswith("TFJ2104 duplicate-mount-path (error)\n\nA role with two mounts at the same path.\n")


# --- every word has a page ---------------------------------------------------------------------------------------


def editor_words() -> dict[str, tuple[str, ...]]:
    """The words of the language as editors colour them, by their kinds."""
    spec = importlib.util.spec_from_file_location("editor_words", ROOT / "grammar" / "editor_words.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.words()


@pytest.mark.parametrize("kind", editor_words())
def test_every_word_that_editors_know_has_a_page(kind: str) -> None:
    assert [word for word in editor_words()[kind] if not pages_of(word)] == []


def test_every_word_of_the_starter_has_a_page() -> None:
    """Its own names apart, which a declaration gives or a value refers to."""
    text = starter("train")
    own = {"workers", "large", "train", "gpu"} | set(re.findall(r"(?:param|let|template|profile|job) ([a-z]+)", text))
    code = "\n".join(re.sub(r'"[^"]*"', '""', line.partition("#")[0]) for line in text.splitlines())
    code += re.sub(r'"[^"]*"', '""', "\n".join(re.findall(r"# ((?:mount|checkpoint)\b.*)", text)))
    found = set(re.findall(r"[A-Za-z_]\w*", code)) - own
    assert {"param", "mount", "role", "retries", "target", "Gi", "at", "server"} <= found | {"Gi"}
    assert sorted(word for word in found if not pages_of(word)) == []


def named_in_docs() -> set[str]:
    """The first words of the tables of the language reference: attributes, options, statements, statuses …"""
    pages = [ROOT / "docs" / "language.md", *(ROOT / "docs" / "targets").glob("*.md")]
    rows = [line for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    first = [
        match[1]
        for line in rows
        if (match := re.match(r"\| `?([A-Za-z0-9_]+)(?:`| [A-Z{\"1][^|]*`|\([^|]*`| \|)", line))
    ]
    return {word for word in first if word not in NOT_WORDS}


NOT_WORDS = {
    "option",
    "attribute",
    "role",
    "kind",
    "event",
    "action",
    "function",
    "status",
    "key",
    "item",
    "policy",
    "written",
    "declaration",
    "the",
    "what",
}
"""Heads of the tables, which are no words of theirs, or have a page too."""


def test_every_word_of_the_tables_of_the_docs_has_a_page() -> None:
    found = named_in_docs()
    assert {"74", "retries", "hosts", "profile", "pvc", "evicted"} <= found
    assert sorted(word for word in found if not pages_of(word)) == []


@pytest.mark.parametrize(
    "word", [*SUMMARIES, "TF_CONFIG", "CHECKPOINT_DIR", "0", "1", "2", "70", "74", "75", "76", "77"]
)
def test_words_of_help_and_of_logs(word: str) -> None:
    assert pages_of(word)


def test_the_statuses_are_those_of_the_scripts() -> None:
    from tfdsl_backends.yarn.programs import plan

    statuses = {plan.COPY_FAILED, plan.PEER_LOST, plan.PEERS_MISSING, plan.REJECTED}
    statuses |= {report.OK, report.ERRORS, report.USAGE, main.BUG}
    assert {word for word in TOPICS if word.isdigit()} == {str(status) for status in statuses}


def test_the_units_are_those_of_the_lexer() -> None:
    assert {unit for units in UNITS.values() for unit in units} == set(editor_words()["units"])


def test_a_word_that_no_single_one_replaces_is_told_what_to_write(tmp_path: Path) -> None:
    ran = tfdsl("explain", "restartPolicy", cwd=tmp_path)
    assert ran.out.startswith("There is no restartPolicy; write a policy: on failed => restart container\n")
    ran = tfdsl("explain", "volumes", cwd=tmp_path)
    assert ran.status == 2
    assert 'write mounts: mount pvc "name" at "/data"' in ran.err


class _Shown(HTMLParser):
    """What a reader of a rendered page sees: its text, and how many rows, items and blocks of code it has."""

    def __init__(self, rendered: str) -> None:
        super().__init__()
        self.text = ""
        self.tags = Counter[str]()
        self.feed(rendered)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags[tag] += 1

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("what", ["words", "messages"])
def test_a_page_in_markdown_says_what_the_page_for_a_terminal_says(what: str) -> None:
    rules = [rule for rule in RULES if not is_markdown(rule)]
    pages = [page for word in words() for page in pages_of(word)] if what == "words" else map(page_of, rules)
    markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
    wrong: list[str] = []
    for page in pages:
        shown = _Shown(markdown.render(as_markdown(page)))
        written = re.sub(r"`", "", page)
        rows = sum(line.startswith("  ") for line in page.splitlines())
        held = shown.tags["tr"] - shown.tags["table"] + shown.tags["br"] + shown.tags["li"]
        held += sum(line.startswith("  ") for block in EXAMPLE_LINES.findall(page) for line in block.splitlines())
        if "".join(shown.text.split()) != "".join(written.split()) or held != rows:
            wrong.append(page)
    assert wrong == []


def test_explain_in_markdown(tmp_path: Path) -> None:
    ran = tfdsl("explain", "gpu", "--format", "markdown", cwd=tmp_path)
    head = "# gpu (attribute)\n\nWhole devices per replica.\n\n| | |\n| --- | --- |\n| `type` | int ≥ 0 |\n"
    assert ran.out.startswith(head)
    assert "\n```tfjob\ngpu = 1\n```\n" in ran.out
    written = tfdsl("explain", "TFJ3028", "--format", "markdown", cwd=tmp_path).out
    assert written.startswith("# TFJ3028 ")
    assert "\n## Bad\n\n```tfjob\n" in written
