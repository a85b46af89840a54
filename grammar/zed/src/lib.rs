//! Tells Zed how the language server of `.tfjob` is started, and which settings it gets.

use zed_extension_api::settings::LspSettings;
use zed_extension_api::{self as zed, LanguageServerId, Result, Worktree};

const SERVER: &str = "tfdsl";

struct Tfjob;

impl zed::Extension for Tfjob {
    fn new() -> Self {
        Tfjob
    }

    fn language_server_command(&mut self, _: &LanguageServerId, worktree: &Worktree) -> Result<zed::Command> {
        let command = worktree
            .which(SERVER)
            .ok_or("there is no tfdsl on the PATH; install it with pip, with its extra lsp")?;
        Ok(zed::Command {
            command,
            args: vec!["lsp".into()],
            env: worktree.shell_env(),
        })
    }

    /// What stands under `lsp.tfdsl.settings` in the settings of Zed.
    fn language_server_workspace_configuration(
        &mut self,
        _: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<zed::serde_json::Value>> {
        Ok(LspSettings::for_worktree(SERVER, worktree)?.settings)
    }
}

zed::register_extension!(Tfjob);
