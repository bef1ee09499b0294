//! Reads lines with a size limit.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// A line of input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line without its ending.
    Whole(Vec<u8>),
    /// A line over the limit, whose bytes were skipped.
    TooLarge,
}

/// Reads a line; `None` at the end of input. The last line needs no line ending.
pub(super) async fn next<R: AsyncBufRead + Unpin>(input: &mut R, limit: usize) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut too_large = false;
    loop {
        let chunk = match input.fill_buf().await {
            Ok(chunk) => chunk,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        if chunk.is_empty() {
            return Ok((too_large || !line.is_empty()).then(|| finish(line, too_large)));
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let piece = &chunk[..end.unwrap_or(chunk.len())];
        too_large |= line.len() + piece.len() > limit;
        if too_large {
            line = Vec::new();
        } else {
            line.extend_from_slice(piece);
        }
        let used = end.map_or(chunk.len(), |at| at + 1);
        input.consume(used);
        if end.is_some() {
            return Ok(Some(finish(line, too_large)));
        }
    }
}

fn finish(line: Vec<u8>, too_large: bool) -> Line {
    if too_large { Line::TooLarge } else { Line::Whole(line) }
}

#[cfg(test)]
mod tests {
    use tokio::io::BufReader;

    use super::*;

    async fn lines(input: &[u8], limit: usize, buffer: usize) -> Vec<Line> {
        let mut input = BufReader::with_capacity(buffer, input);
        let mut all = Vec::new();
        while let Some(line) = next(&mut input, limit).await.unwrap() {
            all.push(line);
        }
        all
    }

    #[tokio::test]
    async fn a_line_over_the_limit_is_skipped_and_the_next_is_read() {
        let whole = |text: &str| Line::Whole(text.as_bytes().to_vec());
        for buffer in [1, 2, 3, 64] {
            let got = lines(b"1234\n12345\n\nlast", 4, buffer).await;
            assert_eq!(got, [whole("1234"), Line::TooLarge, whole(""), whole("last")], "buffer {buffer}");
            assert_eq!(lines(b"1234567", 4, buffer).await, [Line::TooLarge]);
            assert_eq!(lines(b"", 4, buffer).await, []);
        }
    }
}
