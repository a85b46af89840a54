"""Requests of our own: compile, where, graph and import; and the command that opens an output (docs/editors.md)."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from typing import TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from tfdsl import targets
from tfdsl.lsp.documents import path_of, uri_of
from tfdsl.lsp.features.previews import Compiled, Output, Preview, compile_text, import_text, made_by, origin_of
from tfdsl.lsp.features.problems import Problem, problem
from tfdsl.lsp.server.conversion import diagnostics
from tfdsl.lsp.server.session import REQUEST_FAILED, Session
from tfdsl.lsp.snapshot import Snapshot, table_of
from tfdsl.tracing.trace import Place

Answer = TypeVar("Answer")
Table = Mapping[str, object]


def compiled(ls: Session, params: object) -> Table:
    """``{textDocument: {uri}, target, job?, profile?, params?}`` → the outputs."""
    done = _or_fail(compile_text(*_preview(ls, table_of(params), "tfdsl/compile takes textDocument.uri and target")))
    places = ls.places()
    by_path: dict[str, list[Problem]] = {}
    for one in done.problems:
        by_path.setdefault(one.span.source.path, []).append(problem(one))
    return {
        "target": done.target,
        "version": done.version,
        "outputs": [
            {
                "job": output.job,
                "name": output.name,
                "languageId": output.language,
                "executable": output.executable,
                "text": output.text,
                "map": {**output.map, "sources": [places.documents.uri(path) for path in output.map["sources"]]},
            }
            for output in done.outputs
        ],
        "diagnostics": {
            places.documents.uri(path): diagnostics(of_file, places, related=ls.can_relate)
            for path, of_file in by_path.items()
        },
    }


def where(ls: Session, params: object) -> Table:
    """The arguments of ``tfdsl/compile``, with ``source: {uri, line}`` or ``output: {name, line}``."""
    table = table_of(params)
    source, output = table_of(table.get("source")), table_of(table.get("output"))
    line = (source or output).get("line")
    takes = "tfdsl/where takes textDocument.uri, target, and a line of source or output"
    if not isinstance(line, int):
        raise JsonRpcInvalidParams(takes)
    snapshot, preview = _preview(ls, table, takes)
    if output:
        origin = _or_fail(origin_of(snapshot, preview, str(output.get("name")), line))
        return {
            "source": _place(ls, origin.place) if origin.place is not None else None,
            "uses": [_place(ls, use) for use in origin.uses],
            "reason": origin.reason or None,
        }
    uri, documents = str(source.get("uri")), ls.state.documents
    path = path_of(uri)  # there is more than one way to write the URI of a file
    sources = [file.source for file in snapshot.program.files]
    text = next((one for one in sources if documents.uri(one.path) == uri or (path and path == one.origin)), None)
    if text is None:
        raise JsonRpcException("the text is not a part of what is shown", REQUEST_FAILED)
    answer = _or_fail(made_by(snapshot, preview, text, line))
    lines = [
        {"name": made.place.path, "line": made.place.line, "how": group.how}
        for group in answer.lines
        for made in group.lines
    ]
    return {"lines": lines, "reason": answer.reason}


def graph(ls: Session, params: object) -> Table:
    """``{textDocument: {uri}, target?, job?, profile?, params?}`` → a picture whose parts lead to their statements."""
    from tfdsl.lsp.features.graph import draw_text

    takes = "tfdsl/graph takes textDocument.uri, and target if there is one"
    drawn = _or_fail(draw_text(*_preview(ls, table_of(params), takes, optional=True)))
    location = ls.places().location
    first = next((one for one in drawn.problems if one.level == "error"), None)
    return {
        "svg": drawn.svg,
        "jobs": [
            {
                "name": job.name,
                "target": job.target or None,
                "places": {path: location(span) for path, span in job.places.items()},
            }
            for job in drawn.jobs
        ],
        "error": None if first is None else first.message,
    }


def imported(ls: Session, params: object) -> Table:
    """``{uri, text}`` of a manifest → the text of its jobs, and what there is to say about the manifest."""
    table = table_of(params)
    uri, text = table.get("uri"), table.get("text")
    if not isinstance(uri, str) or not isinstance(text, str):
        raise JsonRpcInvalidParams("tfdsl/import takes uri and text")
    path = path_of(uri)
    found = import_text(path or uri, text, path)
    return {
        "text": found.text,
        "jobs": [
            {"name": job.name, "what": job.what, "target": job.target, "patches": job.patches, "kept": job.kept}
            for job in found.jobs
        ],
        "diagnostics": diagnostics(list(map(problem, found.diagnostics)), ls.places(), related=ls.can_relate),
    }


def choices(ls: Session, params: object) -> Table:
    """``{textDocument: {uri}}`` → the targets and the profile that a text is checked for, and the profiles it has."""
    uri = table_of(table_of(params).get("textDocument")).get("uri")
    if not isinstance(uri, str):
        raise JsonRpcInvalidParams("tfdsl/choices takes textDocument.uri")
    snapshot = _open(ls, uri)
    return {
        "targets": ["@".join(filter(None, (one.backend.name, one.version))) for one in snapshot.choices],
        "profile": snapshot.request.profile,
        "profiles": list(snapshot.program.profiles),
    }


# --- parameters ------------------------------------------------------------------------------------------------


def _preview(ls: Session, table: Table, takes: str, *, optional: bool = False) -> tuple[Snapshot, Preview]:
    """The text and what is asked about it. ``takes``: what the parameters have to be. ``optional``: the target is."""
    uri, target = table_of(table.get("textDocument")).get("uri"), table.get("target")
    named = target if isinstance(target, str) else None
    if not isinstance(uri, str) or (named is None and not (optional and target is None)):
        raise JsonRpcInvalidParams(takes)
    given = {name: str(value) for name, value in table_of(table["params"]).items()} if "params" in table else None
    return _open(ls, uri), Preview(named, _text(table.get("job")), _text(table.get("profile")), given)


def _open(ls: Session, uri: str) -> Snapshot:
    snapshot = ls.state.snapshot(uri)
    return _or_fail(f"{uri} is not open" if snapshot is None else snapshot)


def _or_fail(answer: Answer | str) -> Answer:
    """``answer``; if it is the reason for having none, the request fails with it."""
    if isinstance(answer, str):
        raise JsonRpcException(answer, REQUEST_FAILED)
    return answer


def _text(data: object) -> str | None:
    return data if isinstance(data, str) else None


def _place(ls: Session, place: Place) -> Table:
    return {"uri": ls.state.documents.uri(place.path), "line": place.line}


# --- opening ---------------------------------------------------------------------------------------------------


async def open_output(ls: Session, uri: str, target: str | None, job: str) -> list[str]:
    """Compile ``job``, write its files into a folder that lives as long as the server, and open the first of them.

    Without a ``target`` the client asks the user for one. Gives the URIs of the files.
    """
    if target is None:
        actions = [types.MessageActionItem(name) for name in targets.every_name()]
        asked = types.ShowMessageRequestParams(types.MessageType.Info, f"compile {job} to", actions)
        chosen = await ls.window_show_message_request_async(asked)
        if chosen is None:
            return []
        target = chosen.title
    done: Compiled = _or_fail(compile_text(_open(ls, uri), Preview(target, job)))
    if not done.outputs:
        first = next((one for one in done.problems if one.level == "error"), None)
        text = first.message if first is not None else "there is no output"
        _say(ls, types.MessageType.Error, f"{job} does not compile to {target}: {text}")
        return []
    paths = [_write(ls, done.target, output) for output in done.outputs]
    uris = list(map(uri_of, paths))
    if ls.can_show:
        ls.window_show_document(types.ShowDocumentParams(uris[0], take_focus=True))
    if len(uris) > 1 or not ls.can_show:
        _say(ls, types.MessageType.Info, f"Wrote {job} for {target} to {os.path.dirname(paths[0])}")
    return uris


def _say(ls: Session, kind: types.MessageType, text: str) -> None:
    ls.window_show_message(types.ShowMessageParams(kind, text))


def _write(ls: Session, target: str, output: Output) -> str:
    if ls.outputs is None:
        ls.outputs = tempfile.mkdtemp(prefix="tfdsl-")
    path = os.path.normpath(os.path.join(ls.outputs, target, output.name))
    assert path.startswith(os.path.join(ls.outputs, target) + os.sep), path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(output.text)
    return path
