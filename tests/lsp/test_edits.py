"""Edits that the server proposes: formatting and code actions."""

from __future__ import annotations

import pytest

from tests.lsp.long_text import long_text
from tests.lsp.marked import edited, marked, snapshot
from tfdsl.lsp.features.layout import format_all, format_range, format_typed
from tfdsl.lsp.features.problems import Action, code_actions
from tfdsl.syntax.format import format_source
from tfdsl.text import Source

UGLY = 'let   a=1\nlet b =   2\n\n\n\njob   j {\n image="x:1"\n      role worker {replicas=a}\n}\n'


def test_formatting_gives_the_canonical_layout() -> None:
    snap = snapshot(UGLY)
    assert edited(format_all(snap))["job.tfjob"] == format_source(snap.source)[0]
    assert format_all(snapshot(format_source(snap.source)[0])) == []


def test_formatting_changes_only_the_lines_that_differ() -> None:
    text = format_source(Source("", long_text(100)))[0].replace("  retries = 2", "  retries   =   2", 1)
    edits = format_all(snapshot(text))
    assert [(edit.span.text, edit.text) for edit in edits] == [("   ", " "), ("   ", " ")]


def test_formatting_leaves_broken_declarations_alone() -> None:
    text = "let   a=1\njob b { image = = }\n"
    assert edited(format_all(snapshot(text))) == {"job.tfjob": "let a = 1\njob b { image = = }\n"}


def test_a_range_is_formatted_alone() -> None:
    snap = snapshot(UGLY)
    start = UGLY.index("job")
    text = edited(format_range(snap, start, len(UGLY)))["job.tfjob"]
    assert text.startswith("let   a=1\n")
    assert text.endswith('job j {\n  image = "x:1"\n  role worker { replicas = a }\n}\n')
    assert format_range(snap, 3, 3) != []  # an empty range is the line that it stands in


def test_a_closing_brace_formats_its_block() -> None:
    snap, offset = marked("let   a=1\njob j {\n role worker {\n        cpu=1\n}▮\n  gpu   = 1\n}\n")
    assert edited(format_typed(snap, offset, "}")) == {
        "job.tfjob": "let   a=1\njob j {\n  role worker {\n    cpu = 1\n  }\n  gpu   = 1\n}\n"
    }


def test_a_new_line_formats_the_line_before() -> None:
    snap, offset = marked("job j {\n    gpu=1\n▮\n  cpu   = 1\n}\n")
    edits = format_typed(snap, offset, "\n")
    assert all(edit.span.end <= offset for edit in edits)


@pytest.mark.parametrize(("text", "typed"), [("}▮", "}"), ("▮", "\n"), ("\n▮", "\n"), ("job a {\n )}▮", "}")])
def test_typing_in_strange_places(text: str, typed: str) -> None:
    format_typed(*marked(text), typed)


# --- code actions ----------------------------------------------------------------------------------------------


def actions(text: str) -> list[Action]:
    snap, offset = marked(text)
    return code_actions(snap, offset, offset)


def test_a_fix_is_offered_at_its_problem_and_mends_it() -> None:
    found = actions('job a {\n  imge▮ = "x:1"\n  role worker { }\n}\n')
    fix = next(one for one in found if one.title == "Write image")
    assert edited(fix.edits)["job.tfjob"] == 'job a {\n  image = "x:1"\n  role worker { }\n}\n'
    assert fix.diagnostic is not None
    assert actions('▮job a {\n  image = "x:1"\n  role worker { imge = "y" }\n}\n') == []


def test_a_warning_can_be_allowed_on_the_line_above() -> None:
    text = 'job a {\n  image = "x:latest▮"\n  role worker { }\n}\n'
    allow = next(one for one in actions(text) if one.title.startswith("Allow"))
    changed = edited(allow.edits)["job.tfjob"]
    assert changed == 'job a {\n  # tfdsl: allow[floating-image-tag] \n  image = "x:latest"\n  role worker { }\n}\n'
    told = snapshot(changed.replace("] \n", "] it is a test\n")).diagnostics
    assert [one.rule.slug for one in told] == []


def test_an_error_cannot_be_allowed() -> None:
    assert not [one for one in actions('job a {\n  imge▮ = "x"\n  role worker { }\n}\n') if "Allow" in one.title]


def test_nothing_is_allowed_inside_a_text_block() -> None:
    text = 'job a {\n  image = "x:1"\n  command = """\n    python \\\n▮\n    x\n    """\n  role worker { }\n}\n'
    snap, offset = marked(text)
    inside = code_actions(snap, text.index('"""'), offset + 20)
    for one in inside:
        if one.title.startswith("Allow"):
            assert not snapshot(edited(one.edits)["job.tfjob"]).program.syntax_errors
            assert '"""\n    python' in edited(one.edits)["job.tfjob"]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ('▮quue = "a"', [("Write queue", True)]),
        ("on failed => ▮restart", [("Write restart container", False)]),
        ('spread = ▮"zone"', [('Write "none"', False)]),
        ("▮quue = 5", []),
        ("on worker completed => ▮stop job", []),
    ],
)
def test_the_fixes_are_those_of_the_command_line(line: str, offered: list[tuple[str, bool]]) -> None:
    """What ``--fix`` takes is preferred, and what leads to a new error is not offered."""
    found = actions(f'job a {{\n  image = "x:1"\n  {line}\n  role worker {{ }}\n}}\n')
    assert [(one.title, one.preferred) for one in found if one.kind == "quickfix"] == offered


def test_what_may_mean_something_else_is_not_in_the_fix_of_all() -> None:
    text = 'job a {\n  image = "x:1"\n  memory = 16g▮\n  quue = "b"\n  role worker { }\n}\n'
    whole = next(one for one in actions(text) if one.kind == "source.fixAll.tfdsl")
    assert edited(whole.edits)["job.tfjob"] == text.replace("▮", "").replace("quue", "queue")


def test_all_safe_fixes_at_once() -> None:
    text = "let a = 1\njob j {\n  image = 'x:1'▮\n  role worker { replicas = a }\n}\n"
    whole = [one for one in actions(text) if one.kind == "source.fixAll.tfdsl"]
    if whole:
        assert '"x:1"' in edited(whole[0].edits)["job.tfjob"]
    assert whole, [one.title for one in actions(text)]
