"""Files and folders that get other names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

if TYPE_CHECKING:
    from tfdsl.lsp.server.session import Session


def _will_rename_files(ls: Session, params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
    from tfdsl.lsp.features.moving import moving
    from tfdsl.lsp.server import conversion
    from tfdsl.lsp.uris import path_of

    pairs = [(path_of(file.old_uri), path_of(file.new_uri)) for file in params.files]
    moves = {old.rstrip("/"): new.rstrip("/") for old, new in pairs if old is not None and new is not None}
    edits = moving(ls.state.programs(), moves)
    return conversion.workspace_edit(edits, ls.places(), versions=ls.can_version) if edits else None


_WATCHED = [
    types.FileOperationFilter(types.FileOperationPattern("**/*.tfjob", types.FileOperationPatternKind.File), "file"),
    types.FileOperationFilter(types.FileOperationPattern("**", types.FileOperationPatternKind.Folder), "file"),
]

FEATURES = ((types.WORKSPACE_WILL_RENAME_FILES, types.FileOperationRegistrationOptions(_WATCHED), _will_rename_files),)
"""Method, options and handler."""
