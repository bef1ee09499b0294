//! The answer parsers as pure functions of bytes, for fuzzing. Nothing is sent.

use crate::registry::Format;
use crate::sse::Reader;
use crate::wire::{self, Flow};
use crate::{Delta, Message};

/// The maximum size of an event.
const EVENT_BYTES: usize = 1 << 20;

/// Parses a streamed answer; `None` if that fails.
pub fn streamed(format: Format, bytes: &[u8]) -> Option<(Vec<Delta>, Message)> {
    let (mut reader, mut decoder, mut deltas) = (Reader::new(EVENT_BYTES), wire::decoder(format), Vec::new());
    let mut events = reader.push(bytes).ok()?;
    events.extend(reader.finish().ok()?);
    for event in &events {
        if decoder.event(event, &mut deltas).ok()? == Flow::Done {
            break;
        }
    }
    Some((deltas, decoder.finish().ok()?))
}

/// Parses an answer in one piece; `None` if that fails.
pub fn whole(format: Format, bytes: &[u8]) -> Option<Message> {
    wire::whole(format, &serde_json::from_slice(bytes).ok()?).ok()
}
