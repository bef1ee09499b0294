//! A large entry, inflated by another thread: the reader works on one piece while the next is inflated.

use std::io::{self, Cursor, Read};
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use flate2::bufread::DeflateDecoder;

/// Entries with fewer compressed bytes are inflated by the reader: starting a thread would cost more than it saves.
pub(super) const MIN_BYTES: usize = 512 << 10;
/// Inflated bytes of one piece.
const PIECE: usize = 128 << 10;
/// Pieces that can be pending; then the thread pauses, so that memory stays bounded.
const WAITING: usize = 4;
/// Inflating needs little stack.
const STACK: usize = 128 << 10;

/// The reading side. When it is dropped, the thread ends.
pub(super) struct Prefetch {
    pieces: Receiver<io::Result<Vec<u8>>>,
    /// Returns pieces that were read, so that their memory is used again.
    used: SyncSender<Vec<u8>>,
    piece: Vec<u8>,
    at: usize,
}

impl Prefetch {
    /// Starts to inflate a range of the file. None if no thread can be started.
    pub(super) fn start(file: &Arc<[u8]>, range: Range<usize>) -> Option<Self> {
        let data = Data { file: file.clone(), range };
        let (send, pieces) = sync_channel(WAITING);
        let (used, back) = sync_channel(WAITING + 2);
        let builder = thread::Builder::new().name("inflate".to_owned()).stack_size(STACK);
        builder.spawn(move || inflate(data, &send, &back)).ok()?;
        Some(Self { pieces, used, piece: Vec::new(), at: 0 })
    }
}

impl Read for Prefetch {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.piece.len() {
            // A full channel means that there are enough pieces, and a closed one that the thread has finished.
            let _ = self.used.try_send(std::mem::take(&mut self.piece));
            self.at = 0;
            match self.pieces.recv() {
                Ok(piece) => self.piece = piece?,
                // The thread has sent everything.
                Err(_) => return Ok(0),
            }
        }
        let read = self.piece.get(self.at..).unwrap_or_default().read(buffer)?;
        self.at += read;
        Ok(read)
    }
}

fn inflate(data: Data, send: &SyncSender<io::Result<Vec<u8>>>, back: &Receiver<Vec<u8>>) {
    let mut decoder = DeflateDecoder::new(Cursor::new(data));
    loop {
        let mut piece = back.try_recv().unwrap_or_default();
        piece.clear();
        let filled = decoder.by_ref().take(PIECE as u64).read_to_end(&mut piece);
        let more = matches!(filled, Ok(read) if read > 0);
        if !matches!(filled, Ok(0)) && send.send(filled.map(|_| piece)).is_err() || !more {
            return;
        }
    }
}

/// The compressed bytes, held as long as the thread needs them.
struct Data {
    file: Arc<[u8]>,
    range: Range<usize>,
}

impl AsRef<[u8]> for Data {
    fn as_ref(&self) -> &[u8] {
        self.file.get(self.range.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    use super::*;

    fn compressed(bytes: &[u8]) -> Arc<[u8]> {
        let mut encoder = DeflateEncoder::new(vec![7; 3], Compression::new(2));
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap().into()
    }

    fn bytes() -> Vec<u8> {
        (0..3_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 27) as u8).collect()
    }

    fn read(file: &Arc<[u8]>, range: Range<usize>) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        Prefetch::start(file, range).unwrap().read_to_end(&mut out).map(|_| out)
    }

    #[test]
    fn all_bytes_come_in_order() {
        let file = compressed(&bytes());
        assert!(read(&file, 3..file.len()).unwrap() == bytes());
        let empty = compressed(&[]);
        assert!(read(&empty, 3..empty.len()).unwrap().is_empty());
    }

    #[test]
    fn damaged_and_cut_off_bytes_are_errors() {
        let file = compressed(&bytes());
        assert!(read(&file, 3..file.len() / 2).is_err(), "cut off");
        let mut file = file.to_vec();
        // Block type 3 does not exist.
        file[3] |= 0b110;
        let file: Arc<[u8]> = file.into();
        assert!(read(&file, 3..file.len()).is_err(), "damaged");
    }

    #[test]
    fn a_reader_that_goes_away_ends_the_thread() {
        let file = compressed(&bytes());
        let mut prefetch = Prefetch::start(&file, 3..file.len()).unwrap();
        let mut some = [0; 10];
        prefetch.read_exact(&mut some).unwrap();
        assert_eq!(some, bytes()[..10]);
        drop(prefetch);
        while Arc::strong_count(&file) > 1 {
            thread::yield_now();
        }
    }
}
