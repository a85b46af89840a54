"""The server as two real clients see it: what Visual Studio Code and Neovim say that they can, over pipes.

Neovim 0.11 offers UTF-8, and can ask for diagnostics but not be told to ask again; Visual Studio Code 1.65 is told
them and counts in UTF-16.
"""

# pyright: reportUntypedFunctionDecorator=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

from tests.unit.cli.shell import environment
from tfdsl import targets

CLIENTS = ["visual_studio_code", "neovim"]
COMMON = 'let registry = "r.example.com"\ntemplate gpus { gpu = 1 }\n'
TEXT = """\
include "common.tfjob"
let 𝒳name = "a"
let emoji = "🦊" let broken
job a {
  image = "${registry}/a:latest"
  role worker { use gpus, replicas = 2 }
}
"""
SOUND = """\
include "common.tfjob"
job a {
  image   = "${registry}/a:1" # 🦊
  command =   ["true"]
  role worker { use gpus, replicas = 2 }
}
"""

pytestmark = [pytest.mark.asyncio, pytest.mark.slow]


def make_client() -> LanguageClient:
    """A client that lets the server ask to be told of files."""
    client = make_test_lsp_client()

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def register(params: types.RegistrationParams) -> None:
        methods = {one.method for one in params.registrations if not one.id.startswith("project")}
        assert methods <= {types.WORKSPACE_DID_CHANGE_WATCHED_FILES}

    return client


@pytest_lsp.fixture(
    params=CLIENTS,
    config=ClientServerConfig([sys.executable, "-m", "tfdsl.cli.main", "lsp"], make_client, environment()),
)
async def client(lsp_client: LanguageClient, request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[None]:
    (tmp_path / "common.tfjob").write_text(COMMON)
    folder = types.WorkspaceFolder(tmp_path.as_uri(), "w")
    able = client_capabilities(request.param)
    await lsp_client.initialize_session(types.InitializeParams(able, root_uri=folder.uri, workspace_folders=[folder]))
    yield
    await lsp_client.shutdown_session()


def opened(client: LanguageClient, folder: Path, text: str, name: str = "job.tfjob") -> str:
    uri = (folder / name).as_uri()
    item = types.TextDocumentItem(uri, "tfjob", 1, text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    return uri


def identifier(uri: str) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(uri)


def units(client: LanguageClient, text: str) -> int:
    """The length of a piece of text as this client counts: in the first encoding that it offers, else UTF-16."""
    general = client.capabilities.general if client.capabilities else None
    offered = list(general.position_encodings or ()) if general else []
    return len(text.encode("utf-8")) if offered[:1] == ["utf-8"] else len(text.encode("utf-16-le")) // 2


def place(client: LanguageClient, text: str, before: str) -> types.Position:
    """The position right behind a piece of text."""
    head = text[: text.index(before) + len(before)]
    return types.Position(head.count("\n"), units(client, head.rpartition("\n")[2]))


def is_told(client: LanguageClient) -> bool:
    """Whether diagnostics are pushed to this client."""
    workspace = client.capabilities.workspace if client.capabilities else None
    return workspace is None or workspace.diagnostics is None or not workspace.diagnostics.refresh_support


async def problems(client: LanguageClient, uri: str) -> list[types.Diagnostic]:
    """The diagnostics of a text as they are now, in the way of the client."""
    if is_told(client):
        return list(client.diagnostics.get(uri, ()))
    report = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(identifier(uri)))
    return list(report.items)  # type: ignore[union-attr]


async def until(client: LanguageClient, uri: str, *parts: str) -> list[types.Diagnostic]:
    """The diagnostics of a text once there are as many as ``parts``, each with its part in the message."""
    found: list[types.Diagnostic] = []
    for _ in range(200):
        told = uri in client.diagnostics or not is_told(client)
        found = await problems(client, uri)
        if told and len(found) == len(parts) and all(a in b.message for a, b in zip(parts, found, strict=True)):
            return found
        await asyncio.sleep(0.05)
    raise AssertionError(found)


async def test_diagnostics_follow_the_text(client: LanguageClient, tmp_path: Path) -> None:
    text = SOUND.replace("a:1", "a:latest")
    uri = opened(client, tmp_path, text)
    found = await until(client, uri, "latest")
    assert (found[0].source, found[0].data) == ("tfdsl", {"slug": "floating-image-tag"})
    tag = types.Range(place(client, text, "registry}/a:"), place(client, text, "a:latest"))
    change = types.TextDocumentContentChangePartial(tag, "2")
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(2, uri), [change])
    )
    await until(client, uri)


async def test_what_is_never_used_can_be_faded(client: LanguageClient, tmp_path: Path) -> None:
    uri = opened(client, tmp_path, SOUND.replace("job a", "let nobody = 1\njob a"))
    found = await until(client, uri, "nobody")
    assert list(found[0].tags or ()) == [types.DiagnosticTag.Unnecessary]


async def test_other_places_are_told_too(client: LanguageClient, tmp_path: Path) -> None:
    uri = opened(client, tmp_path, SOUND.replace("job a", "let registry = 1\njob a"))
    found = await until(client, uri, "registry")
    places = found[0].related_information
    assert [one.location.uri for one in places or ()] == [(tmp_path / "common.tfjob").as_uri()]
    assert found[0].code_description is not None
    page = Path(unquote(urlsplit(found[0].code_description.href).path))
    assert page.read_text()


async def test_positions_are_counted_as_negotiated(client: LanguageClient, tmp_path: Path) -> None:
    text = 'let a = "🦊𝒳é" + nothing\njob j { image = "x:${a}", role worker { } }\n'
    uri = opened(client, tmp_path, text)
    found = await until(client, uri, "nothing")
    assert found[0].range == types.Range(place(client, text, 'é" + '), place(client, text, "nothing"))


async def test_problems_of_an_included_file_are_told_at_that_file(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "common.tfjob").write_text("let registry = nothing\ntemplate gpus { }\n")
    opened(client, tmp_path, SOUND)
    common = (tmp_path / "common.tfjob").as_uri()
    for _ in range(200):
        if client.diagnostics.get(common):
            break
        await asyncio.sleep(0.05)
    assert ["nothing" in one.message for one in client.diagnostics[common]] == [True]


async def test_an_included_text_that_changes_is_seen_by_the_one_that_includes_it(
    client: LanguageClient, tmp_path: Path
) -> None:
    uri = opened(client, tmp_path, SOUND)
    await until(client, uri)
    common = opened(client, tmp_path, COMMON.replace("registry", "other"), "common.tfjob")
    await until(client, uri, "registry")
    client.text_document_did_close(types.DidCloseTextDocumentParams(identifier(common)))
    await until(client, uri)


async def test_completion_and_hover_work_around_an_error(client: LanguageClient, tmp_path: Path) -> None:
    uri = opened(client, tmp_path, TEXT)
    where = place(client, TEXT, "use gpus, ")
    offered = await client.text_document_completion_async(types.CompletionParams(identifier(uri), where))
    items = offered.items if isinstance(offered, types.CompletionList) else offered or []
    assert "memory" in [item.label for item in items]
    edit = items[0].text_edit
    assert isinstance(edit, types.TextEdit)
    assert edit.range == types.Range(where, where)
    told = await client.text_document_hover_async(
        types.HoverParams(identifier(uri), place(client, TEXT, "use gpus, repl"))
    )
    assert told is not None
    assert "The number of replicas." in told.contents.value  # type: ignore[union-attr]
    outline = await client.text_document_document_symbol_async(types.DocumentSymbolParams(identifier(uri)))
    assert "a" in [one.name for one in outline or ()]


async def test_names_across_files(client: LanguageClient, tmp_path: Path) -> None:
    uri = opened(client, tmp_path, SOUND)
    common = (tmp_path / "common.tfjob").as_uri()
    where = place(client, SOUND, "${regi")
    found = await client.text_document_definition_async(types.DefinitionParams(identifier(uri), where))
    assert [one.uri for one in found] == [common]  # type: ignore[union-attr]
    edit = await client.text_document_rename_async(types.RenameParams(identifier(uri), where, "reg"))
    assert edit is not None
    if edit.document_changes is not None:
        changed = {one.text_document.uri: one.edits for one in edit.document_changes}  # type: ignore[union-attr]
    else:
        changed = dict(edit.changes or {})  # type: ignore[arg-type]
    assert {name: [one.new_text for one in edits] for name, edits in changed.items()} == {  # type: ignore[union-attr]
        uri: ["reg"],
        common: ["reg"],
    }
    found_symbols = await client.workspace_symbol_async(types.WorkspaceSymbolParams("gpus"))
    assert [(one.name, one.location.uri) for one in found_symbols or ()] == [("gpus", common)]


async def test_everything_else_answers(client: LanguageClient, tmp_path: Path) -> None:
    uri = opened(client, tmp_path, SOUND)
    text, options = identifier(uri), types.FormattingOptions(2, insert_spaces=True)
    whole = types.Range(types.Position(0, 0), types.Position(6, 0))
    where = place(client, SOUND, "use gp")
    here = types.TextDocumentPositionParams(text, where)
    assert await client.text_document_references_async(
        types.ReferenceParams(types.ReferenceContext(include_declaration=True), text, where)
    )
    assert await client.text_document_document_highlight_async(types.DocumentHighlightParams(text, where))
    assert await client.text_document_prepare_rename_async(types.PrepareRenameParams(here.text_document, where))
    assert await client.text_document_folding_range_async(types.FoldingRangeParams(text))
    assert await client.text_document_selection_range_async(types.SelectionRangeParams(text, [where]))
    tokens = await client.text_document_semantic_tokens_full_async(types.SemanticTokensParams(text))
    assert tokens is not None
    assert len(tokens.data) % 5 == 0
    assert await client.text_document_semantic_tokens_range_async(types.SemanticTokensRangeParams(text, whole))
    links = await client.text_document_document_link_async(types.DocumentLinkParams(text))
    assert [one.target for one in links or ()] == [(tmp_path / "common.tfjob").as_uri()]
    assert await client.text_document_formatting_async(types.DocumentFormattingParams(text, options))
    await client.text_document_range_formatting_async(types.DocumentRangeFormattingParams(text, whole, options))
    await client.text_document_on_type_formatting_async(types.DocumentOnTypeFormattingParams(text, where, "}", options))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(text, whole))
    assert [one.label for one in hints or ()] == ['= "r.example.com/a:1"']
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(text))
    assert [one.command.title for one in lenses or () if one.command][:1] == ["compile to …"]
    await client.text_document_code_action_async(types.CodeActionParams(text, whole, types.CodeActionContext([])))
    assert await client.text_document_signature_help_async(types.SignatureHelpParams(text, where)) is None


async def test_the_lens_opens_what_the_job_becomes(client: LanguageClient, tmp_path: Path) -> None:
    uri = opened(client, tmp_path, SOUND)
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(identifier(uri)))
    (command,) = (one.command for one in lenses or () if one.command)
    asked: list[types.ShowMessageRequestParams] = []

    @client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)
    def choose(params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
        asked.append(params)
        return next(one for one in params.actions or () if one.title == "volcano")

    params = types.ExecuteCommandParams(command.command, command.arguments)
    uris = await client.workspace_execute_command_async(params)
    assert isinstance(uris, list | tuple)
    text = Path(unquote(urlsplit(uris[0]).path)).read_text()
    assert "kind: Job" in text
    assert "r.example.com/a:1" in text
    assert tuple(one.title for one in asked[0].actions or ()) == tuple(targets.names())


async def test_the_preview_has_text_and_lines(client: LanguageClient, tmp_path: Path) -> None:
    uri = opened(client, tmp_path, SOUND)
    answer = await client.protocol.send_request_async(
        "tfdsl/compile", {"textDocument": {"uri": uri}, "target": "volcano", "job": "a"}
    )
    output = answer.outputs[0]
    lines = output.text.splitlines()
    number = next(at for at, line in enumerate(lines, 1) if "r.example.com/a:1" in line)
    entry = next(entry for entry in output.map.lines if entry[0] == number)
    assert output.map.sources[entry[1]] == uri
    assert entry[2] == 3, "the image stands in line 3"


async def test_lines_lead_both_ways_between_texts_and_the_preview(client: LanguageClient, tmp_path: Path) -> None:
    uri = opened(client, tmp_path, SOUND)
    preview = {"textDocument": {"uri": uri}, "target": "volcano"}
    output = (await client.protocol.send_request_async("tfdsl/compile", preview)).outputs[0]
    shown = output.text.splitlines()
    image = next(at for at, line in enumerate(shown, 1) if "r.example.com/a:1" in line)

    async def ask(**place: object) -> Any:
        return await client.protocol.send_request_async("tfdsl/where", {**preview, **place})

    made = await ask(source={"uri": uri, "line": 3})
    assert [(one.name, one.line, one.how) for one in made.lines] == [("a.yaml", image, "made")]
    common = (tmp_path / "common.tfjob").as_uri()
    through = await ask(source={"uri": common, "line": 1})
    assert [(one.name, one.line, one.how) for one in through.lines] == [("a.yaml", image, "through")]
    gpus = await ask(source={"uri": common, "line": 2})
    assert {shown[one.line - 1].strip() for one in gpus.lines} == {"nvidia.com/gpu: 1"}
    assert (await ask(source={"uri": uri, "line": 6})).reason == "it ends job a (line 2)"
    back = await ask(output={"name": "a.yaml", "line": image})
    assert (back.source.uri, back.source.line) == (uri, 3)
    assert [(one.uri, one.line) for one in back.uses] == [(common, 1)]
    assert (await ask(output={"name": "a.yaml", "line": 1})).source is None


async def test_a_manifest_becomes_a_text(client: LanguageClient, tmp_path: Path) -> None:
    uri = (tmp_path / "live.yaml").as_uri()
    text = (
        "kind: TFJob\napiVersion: kubeflow.org/v1\nmetadata: {name: j}\nspec:\n  tfReplicaSpecs:\n    Worker:\n"
        "      replicas: 3\n      template: {spec: {containers: [{name: tensorflow, image: 'i:🦊'}]}}\n"
    )
    answer = await client.protocol.send_request_async("tfdsl/import", {"uri": uri, "text": text})
    assert "job j {" in answer.text
    assert "replicas = 3" in answer.text
    assert [(job.name, job.target, job.patches) for job in answer.jobs] == [("j", "tfjob", 0)]
    broken = await client.protocol.send_request_async("tfdsl/import", {"uri": uri, "text": "kind: [\n"})
    assert (broken.text, list(broken.jobs)) == ("", [])
    assert [(one.severity, one.code) for one in broken.diagnostics] == [(1, "TFJ4001")]


async def test_what_can_be_chosen_for_a_text(client: LanguageClient, tmp_path: Path) -> None:
    (tmp_path / "tfdsl.toml").write_text('targets = ["volcano@1.9", "yarn"]\n')
    uri = opened(client, tmp_path, f"profile big {{ }}\n{SOUND}")
    answer = await client.protocol.send_request_async("tfdsl/choices", {"textDocument": {"uri": uri}})
    assert list(answer.targets) == ["volcano@1.9", "yarn"]
    assert (answer.profile, list(answer.profiles)) == (None, ["big"])
