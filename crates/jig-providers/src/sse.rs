//! Server-sent events: parses a byte stream with any chunk boundaries.

use crate::error::{Again, ProviderError};

/// An event. The name is empty if the server sends none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Event {
    /// The event's name.
    pub(crate) name: String,
    /// Its data, with lines joined by newlines.
    pub(crate) data: String,
}

/// Parses events from a byte stream with any chunk boundaries.
///
/// Accepts `\n`, `\r\n` and `\r` as line endings, a byte order mark, comments, and fields with or without a space.
#[derive(Debug)]
pub(crate) struct Reader {
    line: Vec<u8>,
    event: Event,
    has_data: bool,
    after_return: bool,
    begun: bool,
    limit: usize,
}

impl Reader {
    /// A reader that refuses events of more than `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self { line: Vec::new(), event: Event::default(), has_data: false, after_return: false, begun: false, limit }
    }

    /// The events that are completed by these bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, ProviderError> {
        let mut events = Vec::new();
        for &byte in bytes {
            let after_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                b'\n' if after_return => {}
                b'\n' | b'\r' => events.extend(self.end_line()?),
                _ => self.take(byte)?,
            }
        }
        Ok(events)
    }

    /// The last event, if the server did not terminate it with an empty line.
    pub(crate) fn finish(mut self) -> Result<Option<Event>, ProviderError> {
        let last = if self.line.is_empty() { None } else { self.end_line()? };
        Ok(last.or_else(|| self.dispatch()))
    }

    fn take(&mut self, byte: u8) -> Result<(), ProviderError> {
        if self.line.len() + self.event.data.len() >= self.limit {
            let why = format!("an event exceeds {} bytes", self.limit);
            return Err(ProviderError::unreadable(why).with_again(Again::Never));
        }
        self.line.push(byte);
        Ok(())
    }

    fn end_line(&mut self) -> Result<Option<Event>, ProviderError> {
        let mut bytes = std::mem::take(&mut self.line);
        if !std::mem::replace(&mut self.begun, true) && bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        if bytes.is_empty() {
            return Ok(self.dispatch());
        }
        let line = std::str::from_utf8(&bytes).map_err(|_| ProviderError::unreadable("it is not UTF-8"))?;
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => self.add_data(value),
            "event" => value.clone_into(&mut self.event.name),
            // Comments keep the connection alive; ids and retry times are for reconnecting clients.
            _ => {}
        }
        Ok(None)
    }

    fn add_data(&mut self, value: &str) {
        if std::mem::replace(&mut self.has_data, true) {
            self.event.data.push('\n');
        }
        self.event.data.push_str(value);
    }

    fn dispatch(&mut self) -> Option<Event> {
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_data).then_some(event)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(chunks: &[&[u8]]) -> Vec<Event> {
        let mut reader = Reader::new(10_000);
        let mut events: Vec<Event> = chunks.iter().flat_map(|chunk| reader.push(chunk).unwrap()).collect();
        events.extend(reader.finish().unwrap());
        events
    }

    fn event(name: &str, data: &str) -> Event {
        Event { name: name.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn events_are_read_in_every_spelling() {
        for text in [
            "event: a\ndata: {\"x\":1}\n\n: ping\n\ndata: two\ndata: lines\n\n",
            "event:a\r\ndata:{\"x\":1}\r\n\r\n:ping\r\n\r\ndata:two\r\ndata:lines\r\n\r\n",
            "\u{feff}event: a\rdata: {\"x\":1}\r\rid: 7\rretry: 9\r\rdata: two\rdata: lines\r\r",
            "event: a\ndata: {\"x\":1}\n\ndata: two\ndata: lines",
            "event: a\ndata: {\"x\":1}\n\ndata: two\ndata: lines\n",
        ] {
            assert_eq!(read(&[text.as_bytes()]), [event("a", "{\"x\":1}"), event("", "two\nlines")], "{text:?}");
        }
    }

    #[test]
    fn only_one_space_is_taken_away_and_empty_data_is_an_event() {
        assert_eq!(read(&[b"data:  x\n\ndata\n\n\n\n"]), [event("", " x"), event("", "")]);
    }

    #[test]
    fn a_character_may_be_cut_in_two() {
        let bytes = "data: é漢🙂\n\n".as_bytes();
        for at in 0..bytes.len() {
            assert_eq!(read(&[&bytes[..at], &bytes[at..]]), [event("", "é漢🙂")], "{at}");
        }
    }

    #[test]
    fn too_much_and_no_text_are_errors() {
        let mut reader = Reader::new(20);
        assert!(reader.push(b"data: 0123456789\n").is_ok());
        assert!(!reader.push(b"data: 0123456789").unwrap_err().retryable());
        assert!(Reader::new(20).push(b"data: \xff\xfe\n").is_err());
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_events(
            lines in prop::collection::vec(
                prop_oneof!["data: ?[a-zé🙂: ]{0,8}", "event: ?[a-z]{0,4}", ":[a-z ]{0,4}", "", "id: [0-9]{1,3}"], 0..24),
            ends in prop::collection::vec(prop_oneof![Just("\n"), Just("\r\n"), Just("\r")], 24),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..16),
        ) {
            let text: String = lines.iter().zip(&ends).map(|(line, end)| format!("{line}{end}")).collect();
            let bytes = text.as_bytes();
            let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            at.extend([0, bytes.len()]);
            at.sort_unstable();
            let chunks: Vec<&[u8]> = at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(read(&chunks), read(&[bytes]));
        }

        #[test]
        fn no_bytes_make_it_panic(chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..8)) {
            let mut reader = Reader::new(64);
            for chunk in &chunks {
                if reader.push(chunk).is_err() {
                    return Ok(());
                }
            }
            let _ = reader.finish();
        }
    }
}
