//! The address of a provider, and the rules for it.

use jig_contract::Code;
use reqwest::Url;

use crate::error::ProviderError;
use crate::registry::ProviderInfo;
use crate::secret::Secret;

/// A provider with its key and a validated address.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) key: Option<Secret>,
    pub(crate) key_env: Option<String>,
    base: Url,
}

impl Endpoint {
    /// Validates the address, and checks that a required key exists.
    pub(crate) fn new(info: &ProviderInfo, key: Option<Secret>) -> Result<Self, ProviderError> {
        let key = key.filter(|key| !key.is_empty());
        let base = address(info, key.is_some())?;
        Ok(Self { id: info.id.clone(), name: info.name.clone(), key, key_env: info.key_env.clone(), base })
    }

    /// The URL of a path below the provider's address.
    pub(crate) fn url(&self, path: &str) -> Result<Url, ProviderError> {
        let text = format!("{}{path}", self.base.as_str().trim_end_matches('/'));
        let url = Url::parse(&text).map_err(|_| invalid(&self.id, "does not form a valid URL"))?;
        // The model's name is part of the path; whatever it contains, the host must not change.
        if url.origin() != self.base.origin() {
            return Err(crate::permit::blocked(format!("the URL would point to a host other than {}", self.host())));
        }
        Ok(url)
    }

    /// Host and port, for logs.
    pub(crate) fn host(&self) -> String {
        let host = self.base.host_str().unwrap_or_default();
        self.base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// The address, for people.
    pub(crate) fn display_url(&self) -> &str {
        self.base.as_str()
    }

    /// Whether the connection is encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.base.scheme() != "http"
    }

    /// Whether the server is on this machine.
    pub(crate) fn is_local(&self) -> bool {
        is_loopback(&self.base)
    }

    /// Checks that the key exists; the error explains how to provide one.
    pub(crate) fn check_key(&self) -> Result<(), ProviderError> {
        let Some(variable) = self.key_env.as_ref().filter(|_| self.key.is_none()) else { return Ok(()) };
        let error = ProviderError::new(Code::ProviderNotConfigured, format!("no API key for {}", self.name));
        Err(error
            .hint(format!("set the variable {variable}, or add `{} = \"…\"` to the secrets file", self.id))
            .hint("`offline:extract` and model servers on this machine need no key"))
    }
}

fn address(info: &ProviderInfo, has_key: bool) -> Result<Url, ProviderError> {
    let url = Url::parse(&info.base_url).map_err(|_| invalid(&info.id, "is not a URL such as https://host/v1"))?;
    if !matches!(url.scheme(), "https" | "http") || url.host_str().is_none() {
        return Err(invalid(&info.id, "must start with https://, or http:// for a server on this machine"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid(&info.id, "contains a user name or password; put keys into the secrets file"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(invalid(&info.id, "contains `?` or `#`; it must end with a path and must not contain keys"));
    }
    if url.scheme() == "http" && has_key && !is_loopback(&url) {
        return Err(invalid(&info.id, "is not encrypted, so the key would be sent in plain text"));
    }
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Does not repeat the address, because a mistyped one may contain a key.
fn invalid(id: &str, why: &str) -> ProviderError {
    ProviderError::new(Code::SettingsInvalid, format!("the base URL of the provider `{id}` {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Format;

    fn endpoint(base_url: &str, key: Option<&str>) -> Result<Endpoint, ProviderError> {
        let info = ProviderInfo {
            id: "own".to_owned(),
            name: "Own".to_owned(),
            format: Format::Compatible,
            base_url: base_url.to_owned(),
            key_env: Some("OWN_KEY".to_owned()),
            proxy: None,
            any_model: true,
        };
        Endpoint::new(&info, key.map(Secret::new))
    }

    #[test]
    fn paths_are_put_below_the_address() {
        for base in ["https://host.example/v1", "https://host.example/v1/"] {
            let url = endpoint(base, Some("k")).unwrap().url("/chat/completions").unwrap();
            assert_eq!(url.as_str(), "https://host.example/v1/chat/completions");
        }
        assert_eq!(endpoint("http://127.0.0.1:8080/v1", None).unwrap().host(), "127.0.0.1:8080");
    }

    #[test]
    fn addresses_that_could_give_a_key_away_are_refused() {
        for bad in [
            "",
            "host",
            "ftp://host/v1",
            "https://sk-planted@host/v1",
            "https://host/v1?key=sk-planted",
            "https://host/v1#sk-planted",
            "http://host.example/v1",
            "http://192.168.0.9/v1",
        ] {
            let error = endpoint(bad, Some("sk-planted")).unwrap_err();
            assert_eq!(error.code(), Code::SettingsInvalid, "{bad}");
            assert!(!format!("{error} {error:?}").contains("sk-planted"), "{error:?}");
        }
    }

    #[test]
    fn without_a_key_a_server_in_the_same_network_is_fine_and_with_one_this_machine() {
        assert!(endpoint("http://192.168.0.9:11434/v1", None).is_ok());
        for local in ["http://127.0.0.1:1/v1", "http://localhost:1/v1", "http://[::1]:1/v1"] {
            assert!(endpoint(local, Some("k")).unwrap().is_local(), "{local}");
        }
    }

    #[test]
    fn a_missing_key_says_where_to_put_it() {
        let error = endpoint("https://host/v1", Some(" ")).unwrap().check_key().unwrap_err();
        assert_eq!(error.code(), Code::ProviderNotConfigured);
        assert!(error.hints()[0].contains("OWN_KEY"));
    }
}
