//! A connection to a server for consecutive requests.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// Longer than any request may take.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Client {
    address: String,
    token: String,
    stream: Option<BufReader<TcpStream>>,
}

/// A complete response.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }
}

impl Client {
    pub(crate) fn new(address: &str, token: &str) -> Self {
        Self { address: address.to_owned(), token: token.to_owned(), stream: None }
    }

    /// Calls an operation. `Err` means that there was no complete response: the operation may or may not have been
    /// executed.
    pub(crate) fn call(&mut self, operation: &str, params: &Value) -> io::Result<Response> {
        self.request("POST", &format!("/api/op/{operation}"), &params.to_string())
    }

    pub(crate) fn request(&mut self, method: &str, path: &str, body: &str) -> io::Result<Response> {
        let result = self.send(method, path, body).and_then(read_response);
        if !matches!(result, Ok((_, true))) {
            self.stream = None;
        }
        result.map(|(response, _)| response)
    }

    /// Sends a request and disconnects without reading the response.
    pub(crate) fn abandon(&mut self, operation: &str, params: &Value, after: Duration) -> io::Result<()> {
        self.send("POST", &format!("/api/op/{operation}"), &params.to_string())?;
        std::thread::sleep(after);
        self.stream = None;
        Ok(())
    }

    /// Opens an event stream, reads for a while and disconnects.
    pub(crate) fn follow(&mut self, path: &str, time: Duration) -> io::Result<()> {
        self.stream = None;
        self.send("GET", path, "")?;
        std::thread::sleep(time);
        self.stream = None;
        Ok(())
    }

    fn send(&mut self, method: &str, path: &str, body: &str) -> io::Result<&mut BufReader<TcpStream>> {
        if self.stream.is_none() {
            let stream = TcpStream::connect(&self.address)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            self.stream = Some(BufReader::new(stream));
        }
        let stream = self.stream.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        );
        stream.get_mut().write_all(request.as_bytes())?;
        Ok(stream)
    }
}

/// The response, and whether the connection can be reused.
fn read_response(stream: &mut BufReader<TcpStream>) -> io::Result<(Response, bool)> {
    let status = read_line(stream)?;
    let status = status.split(' ').nth(1).and_then(|code| code.parse().ok()).ok_or(io::ErrorKind::InvalidData)?;
    let (mut length, mut is_chunked, mut is_last) = (None, false, false);
    loop {
        let line = read_line(stream)?.to_ascii_lowercase();
        match line.split_once(':') {
            Some(("content-length", value)) => length = value.trim().parse::<usize>().ok(),
            Some(("transfer-encoding", value)) => is_chunked = value.trim() == "chunked",
            Some(("connection", value)) => is_last = value.trim() == "close",
            Some(_) => {}
            None if line.is_empty() => break,
            None => return Err(io::ErrorKind::InvalidData.into()),
        }
    }
    let mut body = Vec::new();
    if is_chunked {
        loop {
            let size = usize::from_str_radix(read_line(stream)?.trim(), 16).map_err(|_| io::ErrorKind::InvalidData)?;
            read_exactly(stream, size, &mut body)?;
            read_line(stream)?;
            if size == 0 {
                break;
            }
        }
    } else if let Some(length) = length {
        read_exactly(stream, length, &mut body)?;
    }
    Ok((Response { status, body }, !is_last))
}

fn read_exactly(stream: &mut BufReader<TcpStream>, size: usize, body: &mut Vec<u8>) -> io::Result<()> {
    let start = body.len();
    stream.by_ref().take(size as u64).read_to_end(body)?;
    if body.len() - start == size { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn read_line(stream: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end().to_owned())
}
