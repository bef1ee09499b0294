//! Settings of models: the default, the user's own file of models, addresses of providers, and where keys are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jig_contract::{Code, OpError};
use jig_workbench::{Keys, ModelConfig, Secret, read_secrets};

use super::file::File;
use super::resolve::{Found, Sources};
use super::table::PROVIDERS_VARIABLE;
use crate::environment::Environment;

/// The largest file of models that is read.
const MODELS_MAX: u64 = 1 << 20;

impl Sources<'_> {
    /// All of them, and where the addresses are from.
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

    /// The `jig.toml` of the folder one is in may be somebody else's: it must not say where keys and texts go, which
    /// programs are started, or what an agent may do.
    pub(super) fn refuse_foreign(&self, home: &Path) -> Result<(), OpError> {
        let Some(near) = self.files.first() else { return Ok(()) };
        let is_of_home = near.path == home.join("jig.toml");
        if is_of_home && !self.is_home_named_by(near) {
            return Ok(());
        }
        match risky(near) {
            Some(name) => Err(foreign(near, &name, home)),
            None => Ok(()),
        }
    }

    /// The same for what lies in a home that such a file named.
    pub(super) fn refuse_foreign_home(&self, home: &Path) -> Result<(), OpError> {
        let Some(near) = self.files.first().filter(|near| self.is_home_named_by(near)) else { return Ok(()) };
        if let Some((file, name)) = self.files.iter().find_map(|file| Some((file, risky(file)?))) {
            return Err(foreign(file, &name, home));
        }
        let models = home.join("models.toml");
        if models.exists() {
            let words = format!("{} is not read, because {} names its folder", models.display(), near.path.display());
            return Err(OpError::new(Code::SettingsInvalid, words).hint(TRUSTED));
        }
        Ok(())
    }

    fn is_home_named_by(&self, near: &File) -> bool {
        self.find("home").is_some_and(|found| found.source == near.path.display().to_string())
    }

    fn models_file(&self, home: &Path) -> Result<Option<(String, String)>, OpError> {
        let named = self.find("models_file").map(path_of);
        let is_named = named.is_some();
        let path = named.unwrap_or_else(|| home.join("models.toml"));
        let shown = path.display().to_string();
        let wrong = |why: String| {
            OpError::new(Code::SettingsInvalid, format!("the file of models {shown} {why}"))
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

const TRUSTED: &str = "name the home with JIG_HOME or `--home`, or this file with `--config`, if you trust it";

/// What only a file that one trusts may set; none when it sets nothing of that.
fn risky(file: &File) -> Option<String> {
    let is_set = |name: &str, harmless: &[&str]| {
        file.values.get(name).is_some_and(|value| !harmless.contains(&value.as_str())).then(|| name.to_owned())
    };
    let sections = [
        (!file.providers.is_empty()).then_some(super::file::PROVIDERS),
        (!file.mcp_servers.is_empty()).then_some(super::mcp::SERVERS),
    ];
    ["models_file", "secrets_file", "scripts", "tables.engine"]
        .into_iter()
        .find_map(|name| is_set(name, &[]))
        .or_else(|| sections.into_iter().flatten().next().map(str::to_owned))
        .or_else(|| is_set("preview.renderer", &["auto", "off"]))
        .or_else(|| is_set("isolation", &["worker"]))
        .or_else(|| is_set("mcp.publish", &["off"]))
        .or_else(|| is_set("serve.trusted_proxies", &[""]))
        .or_else(|| is_set("serve.open_loopback", &NO))
        .or_else(|| ["mcp.allow_publish", "formulas.allow_outside"].into_iter().find_map(|name| is_set(name, &NO)))
}

/// How a switch is off.
const NO: [&str; 4] = ["off", "false", "no", "0"];

fn foreign(file: &File, name: &str, home: &Path) -> OpError {
    let words = format!("{} sets `{name}`, which is not read from the folder you are in", file.path.display());
    let own = home.join("jig.toml");
    let error = OpError::new(Code::SettingsInvalid, words);
    if file.path == own {
        error.hint(TRUSTED)
    } else {
        error.hint(format!("put it into {}, or name this file with `--config`", own.display()))
    }
}

fn path_of(found: Found) -> PathBuf {
    found.folder.join(found.value)
}

/// Where the file of keys is.
enum SecretsFile {
    /// Somebody said so: it must be there.
    Named(PathBuf),
    /// It may be there.
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
