//! The single place that sends: an HTTP client without redirects, and limits on reading.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use jig_contract::{Code, Env};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, Url};

use crate::endpoint::Endpoint;
use crate::error::{Again, ProviderError};
use crate::fault;
use crate::redact::excerpt;
use crate::registry::Format;
use crate::wire::VERSION;

/// How much of a refusal is read.
const MAX_REFUSAL: usize = 64 * 1024;

/// The limits of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Until the connection is established.
    pub connect: Duration,
    /// From then until the first byte of the answer. A model that reasons first is silent for a long time.
    pub first_byte: Duration,
    /// Between two chunks of the answer.
    pub between: Duration,
    /// For the entire call, including retries and pauses.
    pub whole: Duration,
    /// The maximum size of the answer, in bytes.
    pub answer: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            connect: seconds(10),
            first_byte: seconds(300),
            between: seconds(120),
            whole: seconds(900),
            answer: 32 << 20,
        }
    }
}

/// The parameters of an HTTP client.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Way {
    proxy: Option<String>,
    /// Whether TLS is used, which requires the certificates of this machine.
    encrypted: bool,
}

impl Way {
    /// The client parameters for a provider.
    pub(crate) fn to(endpoint: &Endpoint, proxy: Option<String>) -> Self {
        let encrypted = endpoint.is_encrypted() || proxy.as_ref().is_some_and(|proxy| !proxy.starts_with("http://"));
        Self { proxy, encrypted }
    }
}

/// A client that only connects to the given host: no redirects, no proxies from the environment, no retries.
pub(crate) fn client(limits: &Limits, way: &Way) -> Result<Client, ProviderError> {
    // `reqwest` is built without a default TLS provider. Fails if one is already installed, which then stays.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .referer(false)
        .connect_timeout(limits.connect)
        .user_agent(concat!("jig/", env!("CARGO_PKG_VERSION")));
    let invalid = || ProviderError::new(Code::SettingsInvalid, "the proxy is not a URL such as http://host:3128");
    let builder = match &way.proxy {
        Some(proxy) => builder.proxy(reqwest::Proxy::all(proxy).map_err(|_| invalid())?),
        None => builder,
    };
    // A server on this machine must work even without any installed certificates.
    let builder = if way.encrypted { builder } else { builder.tls_certs_only([]) };
    builder.build().map_err(|_| {
        ProviderError::new(Code::NetworkUnavailable, "the TLS root certificates cannot be loaded")
            .with_again(Again::Never)
            .hint("install them (package `ca-certificates`), or set SSL_CERT_FILE")
    })
}

/// The headers with key and version. The key is marked as sensitive, so that no log shows it.
pub(crate) fn headers(format: Format, endpoint: &Endpoint) -> Result<HeaderMap, ProviderError> {
    let mut headers = HeaderMap::new();
    headers.insert(reqwest::header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if format == Format::Anthropic {
        headers.insert(HeaderName::from_static("anthropic-version"), HeaderValue::from_static(VERSION));
    }
    let Some(key) = &endpoint.key else { return Ok(headers) };
    let (name, text) = match format {
        Format::Anthropic => ("x-api-key", zeroize::Zeroizing::new(key.reveal().to_owned())),
        Format::Gemini => ("x-goog-api-key", zeroize::Zeroizing::new(key.reveal().to_owned())),
        _ => ("authorization", zeroize::Zeroizing::new(format!("Bearer {}", key.reveal()))),
    };
    let mut value = HeaderValue::from_str(&text).map_err(|_| {
        let message = format!("the key for {} contains invalid characters", endpoint.name);
        ProviderError::new(Code::ProviderAuthFailed, message).hint("copy it again, without quotes or line breaks")
    })?;
    value.set_sensitive(true);
    headers.insert(HeaderName::from_static(name), value);
    Ok(headers)
}

/// The pause requested by the response headers.
pub(crate) fn asked_wait(response: &Response, env: &Env) -> Option<Duration> {
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
    let millis = header("retry-after-ms").and_then(|text| text.trim().parse().ok()).map(Duration::from_millis);
    millis.or_else(|| fault::retry_after(header("retry-after")?, env.now()))
}

/// Redirects are not followed, because consent was given for one host.
pub(crate) fn redirected(response: &Response, endpoint: &Endpoint) -> ProviderError {
    let target = response.headers().get(reqwest::header::LOCATION).and_then(|value| value.to_str().ok());
    let host = target.and_then(|target| Url::parse(target).ok()).and_then(|url| url.host_str().map(str::to_owned));
    let host = host.map(|host| excerpt(&host, endpoint.key.as_ref(), b""));
    let to = host.map_or_else(|| "elsewhere".to_owned(), |host| format!("to {host}"));
    let message = format!("{} redirected {to}; Jig does not follow redirects", endpoint.name);
    ProviderError::new(Code::EgressBlockedByPolicy, message)
        .with_status(response.status().as_u16())
        .hint("if the provider has moved, change its base URL in `models.toml`")
}

/// The beginning of a refusal's body, as far as it can be read.
pub(crate) async fn refusal(mut response: Response) -> Bytes {
    let mut body = BytesMut::new();
    while body.len() < MAX_REFUSAL {
        match response.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk[..chunk.len().min(MAX_REFUSAL - body.len())]),
            _ => break,
        }
    }
    body.freeze()
}

/// The error for a request that was not delivered.
pub(crate) fn unsent(error: &reqwest::Error, endpoint: &Endpoint) -> ProviderError {
    let host = endpoint.host();
    // The error contains the address, so only its kind is used.
    let (code, what) = match error {
        error if error.is_connect() && error.is_timeout() => {
            (Code::NetworkUnavailable, format!("{host} cannot be reached: no connection in time"))
        }
        error if error.is_connect() => (Code::NetworkUnavailable, format!("{host} cannot be reached")),
        error if error.is_timeout() => (Code::ProviderUnavailable, format!("{host} did not answer in time")),
        _ => (Code::NetworkUnavailable, format!("the connection to {host} was lost")),
    };
    let hint = if endpoint.is_local() {
        format!("is {} running at {}?", endpoint.name, endpoint.display_url())
    } else {
        "check your network connection".to_owned()
    };
    ProviderError::new(code, what).with_again(Again::Here).hint(hint)
}
