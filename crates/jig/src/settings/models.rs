//! Settings of models: the default, the user's own models file, provider URLs, and where the keys are stored.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jig_contract::{Code, OpError};
use jig_workbench::{Keys, ModelConfig, Secret, read_secrets};

use super::resolve::{SourcedValue, Sources};
use super::table::PROVIDERS_VARIABLE;
use crate::environment::Environment;

/// The maximum size of a models file.
const MODELS_MAX: u64 = 1 << 20;

impl Sources<'_> {
    /// The model settings, and where the provider URLs come from.
    pub(super) fn models(&self, home: &Path) -> Result<(ModelConfig, String), OpError> {
        let (base_urls, source) = self.providers()?;
        let secrets = match self.find("secrets_file") {
            Some(found) => SecretsFile::Named(path_of(found)),
            None => SecretsFile::IfThere(home.join("secrets.toml")),
        };
        let keys = keys(self.environment, secrets);
        let scripts = self.find("scripts").map(path_of);
        let config =
            ModelConfig { default: self.text("model"), file: self.models_file(home)?, base_urls, scripts, keys };
        Ok((config, source))
    }

    fn models_file(&self, home: &Path) -> Result<Option<(String, String)>, OpError> {
        let named = self.find("models_file").map(path_of);
        let is_named = named.is_some();
        let path = named.unwrap_or_else(|| home.join("models.toml"));
        let shown = path.display().to_string();
        let wrong = |why: String| {
            OpError::new(Code::SettingsInvalid, format!("the models file {shown} {why}"))
                .hint("docs/guide/models.md describes it; the setting `models_file` names it")
        };
        match std::fs::metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !is_named => return Ok(None),
            Err(error) => return Err(wrong(format!("cannot be read: {error}"))),
            Ok(meta) if meta.len() > MODELS_MAX => return Err(wrong("is too large".to_owned())),
            Ok(_) => {}
        }
        let text = std::fs::read_to_string(&path).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        Ok(Some((shown.clone(), text)))
    }

    fn providers(&self) -> Result<(BTreeMap<String, String>, String), OpError> {
        if let Some(text) = self.environment.get(PROVIDERS_VARIABLE) {
            let pair = |pair: &str| pair.split_once('=').map(|(id, url)| (id.trim().to_owned(), url.trim().to_owned()));
            let pairs: Option<BTreeMap<_, _>> = text.split(',').map(pair).collect();
            let wrong =
                || OpError::new(Code::SettingsInvalid, format!("{PROVIDERS_VARIABLE} must be id=address,id=address"));
            return Ok((pairs.ok_or_else(wrong)?, PROVIDERS_VARIABLE.to_owned()));
        }
        let file = self.files.iter().find(|file| !file.providers.is_empty());
        Ok(file.map(|file| (file.providers.clone(), file.path.display().to_string())).unwrap_or_default())
    }
}

fn path_of(found: SourcedValue) -> PathBuf {
    found.folder.join(found.value)
}

/// The location of the keys file.
enum SecretsFile {
    /// Named in the settings, so it must exist.
    Named(PathBuf),
    /// The default location; it may be missing.
    IfThere(PathBuf),
}

/// Keys from the environment, then from the file. Read when a model is first needed.
fn keys(environment: &Environment, secrets: SecretsFile) -> Keys {
    let variables = environment.clone();
    Keys::new(move |provider, variable| {
        if let Some(key) = variable.and_then(|name| variables.get(name)) {
            return Ok(Some(Secret::new(key)));
        }
        let path = match &secrets {
            SecretsFile::Named(path) => path,
            SecretsFile::IfThere(path) if path.exists() => path,
            SecretsFile::IfThere(_) => return Ok(None),
        };
        Ok(read_secrets(path)?.remove(provider))
    })
}
