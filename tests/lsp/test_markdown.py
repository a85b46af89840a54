"""No image and no link of a stranger's is loaded or offered by what an editor shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.lsp.marked import snapshot as of_text
from tfdsl.lsp.features.completion import complete
from tfdsl.lsp.features.hover import hover
from tfdsl.lsp.shown import code, fenced, plain
from tfdsl.lsp.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

IMAGE = "![x](http://example.com/i.png)"
HOSTILE = (
    IMAGE,
    "<img src=http://example.com/i.png>",
    f"`{IMAGE}",
    f"``` {IMAGE} ``",
    f"\n```\n{IMAGE}\n",
    f"a\n\n{IMAGE}",
    "https://example.com www.example.com",
    "&lt;",
    "\\",
)


def outside_of_code(text: str) -> str:
    """What of Markdown is not code (spec.commonmark.org, "Fenced code blocks", "Code spans")."""
    text = re.sub(r"(?ms)^(`{3,})[^`\n]*\n.*?^\1`*[ ]*$", "", text)
    return re.sub(r"(?s)(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", text)


def loads(text: str) -> bool:
    """Whether an image, a link or an element of HTML is left in Markdown."""
    return re.search(r"(?<!\\)(?:\[|<|`)|(?<!\\)://|www\.", outside_of_code(text)) is not None


@pytest.mark.parametrize("text", HOSTILE)
def test_plain_text_means_nothing(text: str) -> None:
    assert not loads(f"before {plain(text)} behind")
    assert "\n" not in plain(text)


@pytest.mark.parametrize("text", [*HOSTILE, "`", "``", "", " a "])
def test_code_is_not_left(text: str) -> None:
    assert outside_of_code(f"before {code(text)} behind") == "before  behind"
    assert outside_of_code(f"before\n\n{fenced(text)}\n\nbehind").split() == ["before", "behind"]


def test_plain_text_stays_readable() -> None:
    assert plain("keeps tf_config, 1.15 (a-b): #1") == "keeps tf_config, 1.15 (a-b): #1"


@pytest.mark.parametrize("word", ["TE", "VAL", "stolen"])
def test_hover_on_what_is_in_a_file_with_such_a_name(tmp_path: Path, word: str) -> None:
    (tmp_path / "![x](x.png).tfjob").write_text(
        f'template TE {{ env = {{ A = """\n  ```\n  {IMAGE}\n  """ }} }}\n'
        f'param VAL: string = "`{IMAGE}"\nlet stolen = "``{IMAGE}"\n'
    )
    text = (
        'include "![x](x.png).tfjob"\njob a { image = "x:1", role worker { use TE, env = { A = VAL, B = stolen } } }\n'
    )
    workspace = Workspace()
    workspace.folders = [str(tmp_path)]
    uri = (tmp_path / "main.tfjob").as_uri()
    workspace.documents.open(uri, text, 1)
    made = workspace.snapshot(uri)
    assert made is not None
    found = hover(made, text.rindex(word))
    assert found is not None
    assert not loads(found.text)


VALUES = (
    'priority = "{}"',
    'checkpoint = "{}"',
    'output "/a" to "/b/{}"',
    'mount pvc "{}" at "/a"',
    'mount host "/{}" at "/a"',
    'queue = "{}"',
    'annotations = {{ "{}" = "{}" }}',
)


@pytest.mark.parametrize("item", VALUES)
def test_hover_on_values_that_the_tables_tell(item: str) -> None:
    text = f'job "a{IMAGE}" {{\n image = "x:1"\n role worker {{ }}\n {item.format(IMAGE, IMAGE)}\n}}\n'
    made = of_text(text)
    while made.work():  # what is checked has its notes
        pass
    found = hover(made, text.index(item[:5]))
    assert found is None or not loads(found.text)


def test_the_text_behind_a_completion_is_the_products() -> None:
    text = f'param p: string = "{IMAGE}" {{ description = "{IMAGE}" }}\nlet l = "{IMAGE}"\n'
    text += 'job a { image = "x:1", role worker { workdir = '
    for item in complete(of_text(text), len(text)).items:
        assert "example.com" not in item.doc
