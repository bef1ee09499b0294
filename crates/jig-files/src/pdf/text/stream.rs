//! Content streams, unpacked for one use: the parser would keep them as long as the file is open.

use hayro::hayro_syntax::object::{Array, Stream};
use hayro::hayro_syntax::page::Page;

/// The most bytes of content that are read of one page.
const MOST: usize = 64 << 20;

/// The operations of a page.
pub(super) fn contents(page: &Page<'_>) -> Option<Vec<u8>> {
    if let Some(stream) = page.raw().get::<Stream<'_>>(b"Contents") {
        return decoded(&stream);
    }
    let parts = page.raw().get::<Array<'_>>(b"Contents")?;
    let mut all = Vec::new();
    for part in parts.iter::<Stream<'_>>().filter_map(|part| decoded(&part)) {
        if all.len() + part.len() > MOST {
            break;
        }
        all.extend(part);
        // An operation may not run over from one part into the next.
        all.push(b'\n');
    }
    Some(all)
}

/// The operations of one stream; none when they are too many.
pub(super) fn decoded(stream: &Stream<'_>) -> Option<Vec<u8>> {
    let data = stream.decoded_data().ok()?;
    (data.len() <= MOST).then(|| data.into_owned())
}
