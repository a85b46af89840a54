"""The request ``tfdsl/graph``: a picture of an open text whose parts lead to their statements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from tfdsl.lsp.server.session import REQUEST_FAILED, Session

if TYPE_CHECKING:
    from tfdsl.lsp.features.graph import DrawnText
    from tfdsl.lsp.server.conversion import Places

GRAPH: Final = "tfdsl/graph"


def _graph(ls: Session, params: object) -> Mapping[str, object]:
    """``{textDocument: {uri}, target?, job?, profile?, params?}`` → the picture (see ``docs/editors.md``)."""
    from tfdsl.lsp.features.graph import draw_text

    table = _table(params)
    uri = _table(table.get("textDocument")).get("uri")
    target = table.get("target")
    if not isinstance(uri, str) or not isinstance(target, str | None):
        raise JsonRpcInvalidParams("tfdsl/graph takes textDocument.uri, and target if there is one")
    snapshot = ls.state.snapshot(uri)
    if snapshot is None:
        raise JsonRpcException(f"{uri} is not open", REQUEST_FAILED)
    given = {name: str(value) for name, value in _table(table["params"]).items()} if "params" in table else None
    found = draw_text(snapshot, target, _text(table.get("job")), _text(table.get("profile")), given)
    if isinstance(found, str):
        raise JsonRpcException(found, REQUEST_FAILED)
    return _answer(found, ls.places())


def _answer(found: DrawnText, places: Places) -> Mapping[str, object]:
    first = next((one for one in found.problems if one.level == "error"), None)
    return {
        "svg": found.svg,
        "jobs": [
            {
                "name": job.name,
                "target": job.target or None,
                "places": {path: places.location(span) for path, span in job.places.items()},
            }
            for job in found.jobs
        ],
        "error": None if first is None else first.message,
    }


def _table(data: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", data) if isinstance(data, dict) else {}


def _text(data: object) -> str | None:
    return data if isinstance(data, str) else None


FEATURES = ((GRAPH, None, _graph),)
"""Method, options and handler."""
