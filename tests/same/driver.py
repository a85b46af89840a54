"""Does what the cases say with one revision, and writes what came of it: ``driver.py CASES SHARE OF RESULTS``.

The same file drives two revisions, each with a ``PYTHONPATH`` of its own. So it knows nothing of tfdsl but what its
users know: the command line, ``import tfdsl`` and the language server. Standard library only.

A case is a folder of files and steps. A step is a list of words that begins with a verb:

- ``tfdsl WORD…``: a command line
- ``versions WORD…``: ``compile`` for each version of each target, with these options
- ``ir WORD…``: the jobs as JSON, for each target, and what they compile to when they are read from it
- ``python``: what ``import tfdsl`` gives for the file
- ``words``: ``explain`` for every word that completion offers
- ``edit``: a session of an editor

Each gives results, one line of JSON each: kind, case, command, and a text with all that it has printed and written.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

MAIN = "main.tfjob"
TOO_LONG = 600  # seconds, as the machine may be busy
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    Case = dict[str, Any]


class TooLongError(BaseException):
    """A command that does not end; nothing but the driver catches it."""


class Ran:
    """How a command line ended. ``text``: all of it, to be compared."""

    def __init__(self, status: object, out: str, err: str, written: str) -> None:
        self.status = status
        self.out = out
        parts = [f"status {status}\n"]
        parts += [f"--- {name}\n{text}" for name, text in (("output", out), ("errors", err)) if text]
        self.text = "".join(parts) + written


class Folder:
    """The folder of a case, in which everything of it runs."""

    def __init__(self, path: Path, files: dict[str, str]) -> None:
        self.path = path
        shutil.rmtree(path, ignore_errors=True)
        for name, text in {".git": "", **files}.items():  # no settings are looked for above it
            file = path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode("utf-8", "surrogateescape"))
        self.seen = dict(self._files())

    def _files(self) -> Iterator[tuple[str, tuple[int, bytes]]]:
        for path in sorted(self.path.rglob("*")):
            if path.is_file():
                yield str(path.relative_to(self.path)), (path.stat().st_mode, path.read_bytes())

    def written(self) -> str:
        """What has been written or removed since this was asked last."""
        now = dict(self._files())
        parts = [f"--- removed {name}\n" for name in self.seen if name not in now]
        for name, (mode, data) in now.items():
            if self.seen.get(name) != (mode, data):
                parts.append(f"--- file {name} {mode:o}\n{data.decode('utf-8', 'backslashreplace')}")
        self.seen = now
        return "".join(parts)

    def run(self, words: Sequence[str]) -> Ran:
        """Run a command line in this process."""
        out, err, given = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(3))
        with contextlib.chdir(self.path), mock.patch.multiple(sys, stdin=given, stdout=out, stderr=err):
            status = _status(words)
        texts = [stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err)]  # type: ignore[attr-defined]
        return Ran(status, *(text.replace(str(self.path), "FOLDER") for text in texts), self.written())


def _status(words: Sequence[str]) -> object:
    from tfdsl.cli.main import main

    signal.alarm(TOO_LONG)
    try:
        return main(list(words))
    except TooLongError:
        return f"none: it did not end in {TOO_LONG} s"
    except SystemExit as ended:
        return f"SystemExit({ended.code})"
    except RecursionError:
        return "RecursionError"
    finally:
        signal.alarm(0)


def _too_long(number: int, frame: object) -> None:
    raise TooLongError


# --- the verbs -------------------------------------------------------------------------------------------------


def run_line(folder: Folder, words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """One command line."""
    yield " ".join(("tfdsl", *words)), folder.run(words).text


_versions: dict[str, list[str]] = {}


def versions() -> dict[str, list[str]]:
    """The versions of every target; the last of them is the default."""
    if not _versions:
        with tempfile.TemporaryDirectory() as scratch:
            listed = json.loads(Folder(Path(scratch, "targets"), {}).run(["targets", "--format", "json"]).out)
        for one in listed["targets"]:
            _versions[one["name"]] = [
                *(each for each in one["versions"] if each != one["default_version"]),
                one["default_version"],
            ]
    return _versions


def run_versions(folder: Folder, options: Sequence[str]) -> Iterator[tuple[str, str]]:
    """``compile`` for each version of each target: at once, and one by one if one of them refuses the job.

    A job that is wrong whatever the target is asked of the default versions alone.
    """
    wrong = folder.run(["check", MAIN, *options]).status != 0
    for target, known in versions().items():
        chosen = [f"{target}@{version}" for version in (known[-1:] if wrong else known)]
        together = ["compile", MAIN, *options, "--format", "json"]
        lines = [[*together, *(word for name in chosen for word in ("-t", name))]]
        ran = folder.run(lines[0])
        yield " ".join(("tfdsl", *lines[0])), ran.text
        if ran.status != 0 and len(chosen) > 1:
            for name in chosen:
                yield from run_line(folder, [*together, "-t", name])


def run_ir(folder: Folder, options: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The jobs as JSON, as they are for each target, and what comes of that JSON."""
    import tfdsl

    given: dict[str, Any] = {"profile": options[1]} if options else {}
    for target in versions():
        with contextlib.chdir(folder.path):
            try:
                jobs = [job.model_dump_json() for job in tfdsl.compile(MAIN, target, **given).jobs]
            except tfdsl.CompileError:  # its messages are those of the command line
                continue
        for job in jobs:
            yield f"IR for {' '.join((target, *options))}", job
            Path(folder.path, "job.json").write_text(job, encoding="utf-8")
            folder.written()
            yield from run_line(folder, ["compile", "job.json", "-t", target, "--format", "json"])


def run_python(folder: Folder, options: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What a Python program sees."""
    import tfdsl

    with contextlib.chdir(folder.path):
        for target in (None, *versions()):
            yield f"tfdsl.check for {target}", "\n".join(map(repr, tfdsl.check(MAIN, target)))
        yield "tfdsl.format", tfdsl.format(Path(MAIN).read_text(encoding="utf-8"))


def run_words(folder: Folder, options: Sequence[str]) -> Iterator[tuple[str, str]]:
    """``explain`` for all that it knows."""
    offered = folder.run(["completion", "fish", "--", "1", "explain", ""]).out
    words = dict.fromkeys(line.split("\t")[0] for line in offered.splitlines() if line)
    assert len(words) > 100, "completion offers no words for explain"
    for word in words:
        yield from run_line(folder, ["explain", word])
        yield from run_line(folder, ["explain", word, "--format", "json"])


# --- the editor ------------------------------------------------------------------------------------------------


class Editor:
    """A client of the language server, which is a process of its own."""

    def __init__(self, folder: Folder) -> None:
        self.root = folder.path.as_uri()
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115  (it ends with the editor)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tfdsl", "lsp"],
            cwd=folder.path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
        )
        self.number = 0
        self.published: dict[tuple[str, int], object] = {}
        whole = {"textDocument": {"publishDiagnostics": {"relatedInformation": True, "versionSupport": True}}}
        folders = [{"uri": self.root, "name": "case"}]
        self.capabilities = self.ask("initialize", rootUri=self.root, workspaceFolders=folders, capabilities=whole)
        self.tell("initialized")

    def _send(self, **message: object) -> None:
        assert self.process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while (line := self.process.stdout.readline()).strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        if not line:
            raise EOFError("the language server has ended")
        message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.published[params["uri"], params.get("version")] = params["diagnostics"]
        elif "method" in message and "id" in message:
            self._send(id=message["id"], result=None)
        return message

    def tell(self, method: str, **params: object) -> None:
        """Send a notification."""
        self._send(method=method, params=params)

    def ask(self, method: str, **params: object) -> object:
        """The answer to a request."""
        self.number += 1
        self._send(method=method, params=params, id=self.number)
        while True:
            message = self._receive()
            if message.get("id") == self.number and "method" not in message:
                return message.get("result", message.get("error"))

    def diagnostics(self, uri: str, version: int) -> object:
        """What is published about a version of a text."""
        while (uri, version) not in self.published:
            self._receive()
        return self.published[uri, version]

    def end(self) -> str:
        """Say good-bye. Gives the exit status, and what the server has written besides."""
        self.ask("shutdown")
        self.tell("exit")
        status = self.process.wait(30)
        self.errors.seek(0)
        return f"status {status}\n{self.errors.read().decode('utf-8', 'replace')}"


_EVERY_WORD = ("hover", "definition", "references", "documentHighlight", "completion", "signatureHelp")
_WITH_DECLARATION = {"context": {"includeDeclaration": True}}
_WHOLE = ("documentSymbol", "foldingRange", "codeLens", "documentLink", "semanticTokens/full")
_MOST_WORDS = 60
_FORMAT = {"options": {"tabSize": 2, "insertSpaces": True}}


def run_edit(folder: Folder, options: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Open the file, ask everything that an editor asks, spoil the text, ask for mends, and say good-bye."""
    signal.alarm(TOO_LONG)
    editor = Editor(folder)
    try:
        for name, answer in _session(editor, Path(folder.path, MAIN).read_text(encoding="utf-8")):
            yield f"editor: {name}", json.dumps(answer, ensure_ascii=False).replace(editor.root, "FOLDER")
        yield "editor: end", editor.end()
    except TooLongError:
        yield "editor: end", f"none: it did not end in {TOO_LONG} s"
    finally:
        signal.alarm(0)
        if editor.process.poll() is None:
            editor.process.kill()


def _session(editor: Editor, text: str) -> Iterator[tuple[str, object]]:
    uri = f"{editor.root}/{MAIN}"
    this = {"textDocument": {"uri": uri}}
    yield "initialize", editor.capabilities
    document = {"uri": uri, "languageId": "tfjob", "version": 1, "text": text}
    editor.tell("textDocument/didOpen", textDocument=document)
    yield "diagnostics", editor.diagnostics(uri, 1)
    for method in _WHOLE:
        yield method, editor.ask(f"textDocument/{method}", **this)
    lines = text.splitlines()
    everything = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    yield "inlayHint", editor.ask("textDocument/inlayHint", **this, range=everything)
    yield "formatting", editor.ask("textDocument/formatting", **this, **_FORMAT)
    yield "workspace/symbol", editor.ask("workspace/symbol", query="")
    places = [(row, word.start()) for row, line in enumerate(lines) for word in re.finditer(r"\w+|(?<=\()", line)]
    for row, column in places[:: len(places) // _MOST_WORDS + 1]:
        at = {"line": row, "character": column}
        for method in _EVERY_WORD:
            more = _WITH_DECLARATION if method == "references" else {}
            yield f"{method} {row}:{column}", editor.ask(f"textDocument/{method}", **this, position=at, **more)
        yield f"selectionRange {row}:{column}", editor.ask("textDocument/selectionRange", **this, positions=[at])
    yield from _spoilt(editor, uri, lines)
    for method in ("compile", "graph"):
        for target in versions():
            yield f"{method} {target}", editor.ask(f"tfdsl/{method}", **this, target=target)


def _spoilt(editor: Editor, uri: str, lines: list[str]) -> Iterator[tuple[str, object]]:
    """An attribute loses its last letter."""
    this = {"uri": uri, "version": 2}
    row, word = next((row, word) for row, line in enumerate(lines) if (word := re.match(r" +\w\w+(?= +=)", line)))
    last = {"start": {"line": row, "character": word.end() - 1}, "end": {"line": row, "character": word.end()}}
    change = [{"range": last, "text": ""}]
    editor.tell("textDocument/didChange", textDocument=this, contentChanges=change)
    found = editor.diagnostics(uri, 2)
    yield "diagnostics of a mistake", found
    assert isinstance(found, list)
    for one in found:
        context = {"diagnostics": [one]}
        asked = {"textDocument": {"uri": uri}, "range": one["range"], "context": context}
        yield "codeAction", editor.ask("textDocument/codeAction", **asked)
    change = [{"range": {**last, "end": last["start"]}, "text": word[0][-1]}]
    editor.tell("textDocument/didChange", textDocument={**this, "version": 3}, contentChanges=change)
    yield "diagnostics without it", editor.diagnostics(uri, 3)


VERBS: dict[str, Callable[[Folder, Sequence[str]], Iterator[tuple[str, str]]]] = {
    "tfdsl": run_line,
    "versions": run_versions,
    "ir": run_ir,
    "python": run_python,
    "words": run_words,
    "edit": run_edit,
}


def results(cases: Iterable[Case], folder: Path) -> Iterator[dict[str, str]]:
    """What comes of the cases, in order. A driver that fails is a result as well."""
    for case in cases:
        here = Folder(folder, case["files"])
        for verb, *words in case["steps"]:
            try:
                for command, text in VERBS[verb](here, words):
                    yield {"kind": case["kind"], "case": case["name"], "command": command, "text": text}
            except Exception as error:
                told = f"{type(error).__name__}: {error}\n"
                yield {"kind": case["kind"], "case": case["name"], "command": f"{verb} {words}", "text": told}


def main(cases: str, share: str, of: str, to: str) -> None:
    """Write the results of every ``of``-th case to a file, beginning with number ``share``."""
    signal.signal(signal.SIGALRM, _too_long)
    mine = json.loads(Path(cases).read_text(encoding="utf-8"))[int(share) :: int(of)]
    with tempfile.TemporaryDirectory() as scratch, open(to, "w", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(one)}\n" for one in results(mine, Path(scratch, "case").resolve()))


if __name__ == "__main__":
    main(*sys.argv[1:])
