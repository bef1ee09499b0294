//! Keys: values that cannot be printed, and the file that may contain them.

mod mode;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use jig_contract::Code;
use zeroize::Zeroizing;

use self::mode::shared_mode;
use crate::error::ProviderError;

/// The maximum size of a keys file.
const MAX_FILE: u64 = 64 * 1024;

/// A key. Prints as `***`, cannot be serialised, and its memory is wiped on drop.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Creates a key from a text without surrounding whitespace, such as a file's last newline.
    pub fn new(text: impl Into<String>) -> Self {
        let text = Zeroizing::new(text.into());
        Self(Zeroizing::new(text.trim().to_owned()))
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The key itself, for the places that pass it on: a header, or the environment of a program that may have it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Reads keys from a TOML file with lines `provider = "key"`. A file that others can read is refused.
pub fn read_secrets(path: &Path) -> Result<BTreeMap<String, Secret>, ProviderError> {
    let text = Zeroizing::new(read_private(path)?);
    // The parser's message may quote the line, which may contain the key, so only the line number is reported.
    let table: BTreeMap<String, String> = toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(0, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        bad(path, &format!("line {line} is not of the form `provider = \"key\"`"))
    })?;
    Ok(table.into_iter().map(|(provider, key)| (provider, Secret::new(key))).collect())
}

fn read_private(path: &Path) -> Result<String, ProviderError> {
    use std::io::Read;
    let unreadable = |error: std::io::Error| bad(path, &format!("it cannot be read: {}", error.kind()));
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let meta = file.metadata().map_err(unreadable)?;
    if !meta.is_file() {
        return Err(bad(path, "it is not a file"));
    }
    refuse_shared(path, &meta)?;
    let mut text = String::new();
    file.take(MAX_FILE + 1).read_to_string(&mut text).map_err(unreadable)?;
    if text.len() as u64 > MAX_FILE {
        return Err(bad(path, &format!("it is larger than {MAX_FILE} bytes")));
    }
    Ok(text)
}

fn refuse_shared(path: &Path, meta: &std::fs::Metadata) -> Result<(), ProviderError> {
    let Some(mode) = shared_mode(meta) else { return Ok(()) };
    let error = bad(path, &format!("its mode is {mode:o}, so other users of this machine can read it"));
    Err(error.hint(format!("run `chmod 600 {}`; if other users had access for long, create new keys", path.display())))
}

fn bad(path: &Path, why: &str) -> ProviderError {
    ProviderError::new(Code::SettingsInvalid, format!("the secrets file {} is not used: {why}", path.display()))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn file(mode: u32, text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("secrets.toml");
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        (dir, path)
    }

    #[test]
    fn a_secret_prints_stars() {
        let secret = Secret::new("sk-planted\n");
        assert_eq!(format!("{secret} {secret:?} {:?}", Some(&secret)), "*** *** Some(***)");
        assert_eq!(secret.reveal(), "sk-planted");
    }

    #[test]
    fn a_private_file_is_read() {
        let (_dir, path) = file(0o600, "openai = \"sk-one\"\nmistral = ' two '\n");
        let keys = read_secrets(&path).unwrap();
        assert_eq!(keys["openai"].reveal(), "sk-one");
        assert_eq!(keys["mistral"].reveal(), "two");
    }

    #[test]
    fn a_file_that_others_may_read_is_refused_with_the_way_to_mend_it() {
        for mode in [0o644, 0o640, 0o604, 0o660] {
            let (_dir, path) = file(mode, "openai = \"sk-planted\"\n");
            let error = read_secrets(&path).unwrap_err();
            assert_eq!(error.code(), Code::SettingsInvalid);
            assert!(error.to_string().contains(&format!("{mode:o}")), "{error}");
            assert!(error.hints()[0].contains("chmod 600"), "{error:?}");
            assert!(!format!("{error:?}").contains("sk-planted"));
        }
    }

    #[test]
    fn a_broken_line_is_named_but_not_shown() {
        let (_dir, path) = file(0o600, "openai = \"sk-one\"\nanthropic = sk-planted\n");
        let error = read_secrets(&path).unwrap_err();
        assert!(error.to_string().contains("line 2"), "{error}");
        assert!(!format!("{error} {error:?}").contains("sk-planted"));
        let missing = read_secrets(&path.with_file_name("none")).unwrap_err();
        assert!(missing.to_string().contains("not found"), "{missing}");
    }
}
