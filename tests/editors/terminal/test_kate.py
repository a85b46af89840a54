"""What docs/editors.md says for Kate: its colours by KDE's own program, and the server in a real Kate."""

from __future__ import annotations

import shutil
import subprocess
import time
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from tests.editors.terminal import job

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


KATERC = """[lspclient]
AllowedServerCommandLines={server} lsp
[Kate Plugins]
lspclientplugin=true
"""
"""What Kate keeps of a user who has switched the plugin on and has let it start the server."""
BETWEEN = """#!/bin/sh
tee -a "{folder}/to-server" | "{server}" "$@" | tee -a "{folder}/from-server"
"""
"""A program that Kate takes for the server; it keeps what is said."""


def test_kate_starts_the_server_and_gets_diagnostics(home: Home) -> None:
    home.follow("Kate")
    path = home.job(job.NAME, job.TEXT)
    server, between = shutil.which("tfdsl", path=home.environment["PATH"]), home.folder / "bin/tfdsl"
    between.parent.mkdir()
    between.write_text(BETWEEN.format(folder=home.folder, server=server), encoding="utf-8")
    between.chmod(0o755)
    (home.folder / ".config/katerc").write_text(KATERC.format(server=between), encoding="utf-8")
    environment = {
        **home.environment,
        "PATH": f"{between.parent}:{home.environment['PATH']}",
        "QT_QPA_PLATFORM": "offscreen",
        "XDG_RUNTIME_DIR": str(home.folder),
    }
    kate = shutil.which("kate", path=environment["PATH"])
    assert kate
    said = home.folder / "from-server"
    with subprocess.Popen([kate, "--block", path], env=environment, stderr=subprocess.DEVNULL) as process:
        end = time.monotonic() + 60
        while not (said.exists() and job.MISTAKE[0] in said.read_text(encoding="utf-8")) and time.monotonic() < end:
            time.sleep(0.1)
        process.terminate()
    asked = "".join((home.folder / "to-server").read_text(encoding="utf-8").split())
    assert '"languageId":"tfjob"' in asked
    assert '"settings":{"tfdsl":{"targets":["volcano"]}}' in asked
    assert job.MISTAKE[0] in said.read_text(encoding="utf-8")
