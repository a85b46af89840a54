"""The requests ``tfdsl/compile``, ``tfdsl/where`` and ``tfdsl/import``, and the command that opens an output."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from tfdsl.lsp.server.session import REQUEST_FAILED, Session
from tfdsl.text import Source

if TYPE_CHECKING:
    from tfdsl.lsp.features.compile import Compiled, Output

COMPILE = "tfdsl/compile"
WHERE = "tfdsl/where"
IMPORT = "tfdsl/import"
OPEN_OUTPUT = "tfdsl.openOutput"


def _compile(ls: Session, params: object) -> Mapping[str, object]:
    """``{textDocument: {uri}, target, job?, profile?, params?}`` → the outputs (see ``docs/editors.md``)."""
    from tfdsl.lsp.server import conversion

    table = _table(params)
    uri, target = _table(table.get("textDocument")).get("uri"), table.get("target")
    if not isinstance(uri, str) or not isinstance(target, str):
        raise JsonRpcInvalidParams("tfdsl/compile takes textDocument.uri and target")
    given = {name: str(value) for name, value in _table(table["params"]).items()} if "params" in table else None
    done = _compiled(ls, uri, target, _text(table.get("job")), _text(table.get("profile")), given)
    return conversion.compiled(done, ls.places(), related=ls.can_relate)


def _compiled(
    ls: Session,
    uri: str,
    target: str,
    job: str | None = None,
    profile: str | None = None,
    params: Mapping[str, str] | None = None,
) -> Compiled:
    from tfdsl.lsp.features.compile import compile_text

    snapshot = ls.state.snapshot(uri)
    if snapshot is None:
        raise JsonRpcException(f"{uri} is not open", REQUEST_FAILED)
    done = compile_text(snapshot, target, job, profile, params)
    if isinstance(done, str):
        raise JsonRpcException(done, REQUEST_FAILED)
    return done


def _where(ls: Session, params: object) -> Mapping[str, object]:
    """The arguments of ``tfdsl/compile``, with ``source: {uri, line}`` or ``output: {name, line}``."""
    from tfdsl.lsp.features.where import Preview, made_by, origin_of
    from tfdsl.lsp.server import conversion

    table = _table(params)
    uri, target = _table(table.get("textDocument")).get("uri"), table.get("target")
    source, output = _table(table.get("source")), _table(table.get("output"))
    line = (source or output).get("line")
    if not isinstance(uri, str) or not isinstance(target, str) or not isinstance(line, int):
        raise JsonRpcInvalidParams("tfdsl/where takes textDocument.uri, target, and a line of source or output")
    given = {name: str(value) for name, value in _table(table["params"]).items()} if "params" in table else None
    preview = Preview(target, _text(table.get("job")), _text(table.get("profile")), given)
    snapshot = ls.state.snapshot(uri)
    if snapshot is None:
        raise JsonRpcException(f"{uri} is not open", REQUEST_FAILED)
    if output:
        origin = origin_of(snapshot, preview, str(output.get("name")), line)
        if isinstance(origin, str):
            raise JsonRpcException(origin, REQUEST_FAILED)
        return conversion.origin(origin, ls.places())
    text = next((one for one in snapshot.program.files if _is_at(ls, one.source, str(source.get("uri")))), None)
    if text is None:
        raise JsonRpcException("the text is not a part of what is shown", REQUEST_FAILED)
    answer = made_by(snapshot, preview, text.source, line)
    if isinstance(answer, str):
        raise JsonRpcException(answer, REQUEST_FAILED)
    return conversion.made(answer)


def _is_at(ls: Session, source: Source, uri: str) -> bool:
    """Whether ``uri`` is that of ``source``; there is more than one way to write it."""
    from tfdsl.lsp.uris import path_of

    return ls.state.documents.uri(source.path) == uri or (path_of(uri) is not None and path_of(uri) == source.origin)


def _import(ls: Session, params: object) -> Mapping[str, object]:
    """``{uri, text}`` of a manifest → the text of its jobs, and what there is to say about it."""
    from tfdsl.lsp.features.importing import import_text
    from tfdsl.lsp.server import conversion
    from tfdsl.lsp.uris import path_of

    table = _table(params)
    uri, text = table.get("uri"), table.get("text")
    if not isinstance(uri, str) or not isinstance(text, str):
        raise JsonRpcInvalidParams("tfdsl/import takes uri and text")
    path = path_of(uri)
    return conversion.imported(import_text(path or uri, text, path), ls.places(), related=ls.can_relate)


def _table(data: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", data) if isinstance(data, dict) else {}


def _text(data: object) -> str | None:
    return data if isinstance(data, str) else None


# --- opening ---------------------------------------------------------------------------------------------------


def open_output(ls: Session, uri: str, target: str, job: str) -> list[str]:
    """Compile ``job``, write its files into a folder that lives as long as the server, and open the first of them.

    Gives the URIs of the files.
    """
    done = _compiled(ls, uri, target, job)
    if not done.outputs:
        first = next((one for one in done.problems if one.level == "error"), None)
        text = first.message if first is not None else "there is no output"
        _say(ls, types.MessageType.Error, f"{job} does not compile to {target}: {text}")
        return []
    paths = [_write(ls, done.target, output) for output in done.outputs]
    from tfdsl.lsp.uris import uri_of

    uris = [uri_of(path) for path in paths]
    if ls.can_show:
        ls.window_show_document(types.ShowDocumentParams(uris[0], take_focus=True))
    if len(uris) > 1 or not ls.can_show:
        _say(ls, types.MessageType.Info, f"Wrote {job} for {target} to {os.path.dirname(paths[0])}")
    return uris


def _say(ls: Session, kind: types.MessageType, text: str) -> None:
    ls.window_show_message(types.ShowMessageParams(kind, text))


def _write(ls: Session, target: str, output: Output) -> str:
    import tempfile

    if ls.outputs is None:
        ls.outputs = tempfile.mkdtemp(prefix="tfdsl-")
    path = os.path.normpath(os.path.join(ls.outputs, target, output.name))
    assert path.startswith(os.path.join(ls.outputs, target) + os.sep), path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(output.text)
    return path


def remove_outputs(ls: Session) -> None:
    """Remove the folder of :func:`open_output`."""
    import shutil

    if ls.outputs is not None:
        shutil.rmtree(ls.outputs, ignore_errors=True)


FEATURES = ((COMPILE, None, _compile), (WHERE, None, _where), (IMPORT, None, _import))
"""Method, options and handler."""
