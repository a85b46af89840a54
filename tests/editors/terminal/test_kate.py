"""What docs/editors.md says for Kate: its colours by KDE's own program, and that what it starts is the server."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from tests.editors.terminal import job
from tests.editors.terminal.page import ROOT, section
from tfdsl.lsp.settings import Settings, read_settings

if TYPE_CHECKING:
    from tests.editors.terminal.home import Home


class Coloured(HTMLParser):
    """The text of a page, and the style of each character."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text = ""
        self._styles: list[str] = []
        self._now = ""
        self.feed(page.partition("<pre>\n")[2].partition("</pre>")[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._now = dict(attrs).get("style") or ""

    def handle_endtag(self, tag: str) -> None:
        self._now = ""

    def handle_data(self, data: str) -> None:
        self.text += data
        self._styles += [self._now] * len(data)

    def style(self, text: str) -> str:
        return self._styles[self.text.index(text)]


def coloured(home: Home, text: str) -> Coloured:
    """A job in the colours of a theme of Kate, without a complaint about the syntax definition."""
    program = shutil.which("ksyntaxhighlighter6", path=home.environment["PATH"])
    assert program
    path = home.job(job.NAME, text)
    command = [program, "--theme", "Breeze Dark", path]
    done = subprocess.run(command, env=dict(home.environment), capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return Coloured(done.stdout)


def test_colours(home: Home) -> None:
    home.follow("Kate")
    found = coloured(home, job.TEXT)
    assert found.text == job.TEXT
    job.assert_colours(found.style)


def test_mistakes_have_no_colour(home: Home) -> None:
    home.follow("Kate")
    found = coloured(home, 'job a {\n  imagee = 4Zi\n  cluster { discovery = "dns" }\n  env = { on = "b" }\n}\n')
    assert found.style("imagee") == found.style("4Zi") == found.style("on =") == ""
    assert found.style("discovery") != ""


def test_the_server_is_what_is_started(home: Home) -> None:
    (block,) = (block for block in section("Kate") if block.language == "json")
    (server,) = json.loads(block.text)["servers"].values()
    name = re.search(r'<language name="(\w+)"', (ROOT / "grammar/kate/tfjob.xml").read_text(encoding="utf-8"))
    assert name
    assert re.fullmatch(server["highlightingModeRegex"], name[1])
    assert read_settings(server["settings"]["tfdsl"]) == Settings(targets=("volcano",))
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}})
    program = shutil.which(server["command"][0], path=home.environment["PATH"])
    assert program
    done = subprocess.run(
        [program, *server["command"][1:]],
        input=f"Content-Length: {len(request)}\r\n\r\n{request}",
        env=dict(home.environment),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert '"capabilities"' in done.stdout
