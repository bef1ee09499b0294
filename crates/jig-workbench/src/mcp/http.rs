//! Streamable HTTP transport for remote servers. The SDK drives it; the limits on what is read are enforced here.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream::BoxStream;
use jig_contract::OpError;
use jig_providers::Secret;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Response, StatusCode};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};

use super::reading::TooMuch;
use super::unavailable;

const SESSION: &str = "mcp-session-id";
const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";

/// A client that only connects to the given host: no redirects, no proxies from the environment, no retries.
#[derive(Clone)]
pub(super) struct Client {
    client: reqwest::Client,
    too_much: TooMuch,
}

/// The transport for a server at a URL.
pub(super) fn transport(
    server: &str,
    url: &str,
    bearer: Option<&Secret>,
    too_much: TooMuch,
) -> Result<StreamableHttpClientTransport<Client>, OpError> {
    // `reqwest` is built without a default TLS provider. Fails if one is already installed, which then stays.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .referer(false)
        .connect_timeout(Duration::from_secs(10))
        .user_agent(concat!("jig/", env!("CARGO_PKG_VERSION")));
    // A server on this machine must work even without any installed certificates.
    let builder = if url.starts_with("https:") { builder } else { builder.tls_certs_only([]) };
    let client = builder.build().map_err(|error| {
        unavailable(server, &format!("cannot be reached: {error}"))
            .hint("certificates are needed for https (the package `ca-certificates`)")
    })?;
    // A call is never repeated automatically.
    let mut config = StreamableHttpClientTransportConfig::with_uri(url).reinit_on_expired_session(false);
    if let Some(bearer) = bearer {
        config = config.auth_header(bearer.reveal());
    }
    Ok(StreamableHttpClientTransport::with_client(Client { client, too_much }, config))
}

type Failed = StreamableHttpError<reqwest::Error>;

fn with_headers(
    mut request: RequestBuilder,
    session: Option<&str>,
    token: Option<String>,
    headers: HashMap<HeaderName, HeaderValue>,
) -> RequestBuilder {
    for (name, value) in headers {
        request = request.header(name, value);
    }
    if let Some(session) = session {
        request = request.header(SESSION, session);
    }
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    request
}

impl Client {
    /// The response body, up to the limit.
    async fn body(&self, mut response: Response) -> Result<Vec<u8>, Failed> {
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(StreamableHttpError::Client)? {
            body.extend_from_slice(&piece);
            if body.len() > self.too_much.most {
                return Err(StreamableHttpError::Io(self.too_much.now()));
            }
        }
        Ok(body)
    }

    /// The event stream of a response, up to the same limit.
    fn events(&self, response: Response) -> BoxStream<'static, Result<Sse, SseError>> {
        let too_much = self.too_much.clone();
        let pieces = futures::stream::unfold(Some((response, 0_usize)), move |state| {
            let too_much = too_much.clone();
            async move {
                let (mut response, read) = state?;
                let piece: Result<Bytes, std::io::Error> = match response.chunk().await {
                    Ok(None) => return None,
                    Ok(Some(piece)) => Ok(piece),
                    Err(error) => Err(std::io::Error::other(error)),
                };
                let read = read + piece.as_ref().map_or(0, Bytes::len);
                match piece {
                    Ok(_) if read > too_much.most => Some((Err(too_much.now()), None)),
                    Ok(piece) => Some((Ok(piece), Some((response, read)))),
                    Err(error) => Some((Err(error), None)),
                }
            }
        });
        SseStream::from_bytes_stream(pieces).boxed()
    }
}

impl StreamableHttpClient for Client {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let body = serde_json::to_vec(&message)?;
        let request = self.client.post(uri.as_ref()).header(ACCEPT, format!("{JSON}, {EVENTS}"));
        let request = with_headers(request.header(CONTENT_TYPE, JSON), session.as_deref(), token, headers);
        let response = request.body(body).send().await.map_err(StreamableHttpError::Client)?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && session.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let (kind, session) = (header("content-type").unwrap_or_default(), header(SESSION));
        if status.is_success() && kind.starts_with(EVENTS) {
            return Ok(StreamableHttpPostResponse::Sse(self.events(response), session));
        }
        let is_request = matches!(message, ClientJsonRpcMessage::Request(_));
        let body = self.body(response).await?;
        match serde_json::from_slice(&body) {
            Ok(answer) if kind.starts_with(JSON) => Ok(StreamableHttpPostResponse::Json(answer, session)),
            // Notifications get no response.
            _ if status.is_success() && !is_request => Ok(StreamableHttpPostResponse::Accepted),
            _ => {
                let said = super::connection::short(&String::from_utf8_lossy(&body));
                Err(StreamableHttpError::UnexpectedServerResponse(format!("HTTP {status}: {said}").into()))
            }
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        let request = with_headers(self.client.delete(uri.as_ref()), Some(&session), token, headers);
        request.send().await.map_err(StreamableHttpError::Client)?;
        Ok(())
    }

    /// Server-initiated messages are not received, and interrupted responses are not resumed.
    async fn get_stream(
        &self,
        _: Arc<str>,
        _: Option<Arc<str>>,
        _: Option<String>,
        _: Option<String>,
        _: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        Err(StreamableHttpError::ServerDoesNotSupportSse)
    }
}
