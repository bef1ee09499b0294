//! The bytes of one entry: inflated within limits, and deflated after a change.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crc32fast::Hasher;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};

use super::PartDigest;
use super::prefetch::Prefetch;
use crate::error::{PackageError, Quantity, ZipFault};
use crate::limits::Limits;

/// How an entry is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Stored,
    Deflated,
    Other(u16),
}

impl Method {
    pub(super) fn of(number: u16) -> Self {
        match number {
            0 => Self::Stored,
            8 => Self::Deflated,
            other => Self::Other(other),
        }
    }
}

/// The new content of a part, deflated: only that is held.
#[derive(Debug, Clone)]
pub(super) struct Packed {
    /// None when compression failed; reading or saving the part then reports an internal error.
    data: Option<Vec<u8>>,
    pub(super) crc: u32,
    pub(super) size: u64,
    /// The number of the change that set it, counted by the package.
    pub(super) version: u64,
}

impl Packed {
    pub(super) fn pack(bytes: &[u8]) -> Self {
        let mut packer = Packer::new();
        packer.write(bytes);
        packer.finish()
    }

    pub(super) fn digest(&self) -> PartDigest {
        PartDigest { bytes: self.size, crc32: self.crc }
    }

    /// The compressed bytes with their method, checksum and inflated size. None when compression failed.
    pub(super) fn parts(&self) -> Option<(&[u8], Method, u32, u64)> {
        Some((self.data.as_deref()?, Method::Deflated, self.crc, self.size))
    }
}

/// Deflates what is written to it.
///
/// The level is low: a large sheet is rewritten for a single cell, and at a higher level the
/// compression would take most of the time of the edit.
#[derive(Debug)]
pub(super) struct Packer {
    encoder: DeflateEncoder<Vec<u8>>,
    crc: Hasher,
    failed: bool,
}

const LEVEL: u32 = 2;

impl Packer {
    pub(super) fn new() -> Self {
        Self { encoder: DeflateEncoder::new(Vec::new(), Compression::new(LEVEL)), crc: Hasher::new(), failed: false }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) {
        self.crc.update(bytes);
        // Writing to memory does not run out of space. If the encoder fails all the same, nothing is stored.
        self.failed |= self.encoder.write_all(bytes).is_err();
    }

    pub(super) fn finish(self) -> Packed {
        let (crc, size) = (self.crc.clone().finalize(), self.encoder.total_in());
        let data = self.encoder.finish().ok().filter(|_| !self.failed);
        Packed { data, crc, size, version: 0 }
    }
}

/// The bytes inflated so far by all threads, and inflaters that can be used again.
#[derive(Debug, Default)]
pub(super) struct Inflated {
    bytes: AtomicU64,
    /// Creating an inflater costs more than inflating a small part, because its window is allocated and cleared. There is
    /// one for each thread that reads.
    spare: Mutex<Vec<Decompress>>,
}

impl Inflated {
    /// Adds to the count; returns the sum.
    fn add(&self, bytes: u64) -> u64 {
        self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes
    }

    fn inflater(&self) -> Decompress {
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        spare.unwrap_or_else(|| Decompress::new(false))
    }
}

impl Clone for Inflated {
    fn clone(&self) -> Self {
        Self { bytes: self.bytes.load(Ordering::Relaxed).into(), spare: Mutex::default() }
    }
}

/// A deflated entry that is being read. Dropping it makes the inflater available again.
struct Inflating<'a> {
    data: &'a [u8],
    /// None before the first read.
    inflater: Option<Decompress>,
    spare: &'a Inflated,
}

impl Inflating<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Fault> {
        let inflater = self.inflater.get_or_insert_with(|| self.spare.inflater());
        loop {
            let (before_in, before_out) = (inflater.total_in(), inflater.total_out());
            let status = inflater.decompress(self.data, buffer, FlushDecompress::None).map_err(|_| Fault::Stream)?;
            let taken = usize::try_from(inflater.total_in() - before_in).unwrap_or(usize::MAX);
            self.data = self.data.get(taken..).unwrap_or_default();
            let made = usize::try_from(inflater.total_out() - before_out).unwrap_or(usize::MAX);
            match status {
                _ if made > 0 || buffer.is_empty() || status == Status::StreamEnd => return Ok(made),
                // Neither input consumed nor output produced: the data is incomplete.
                _ if taken == 0 => return Err(Fault::Stream),
                _ => {}
            }
        }
    }
}

impl Drop for Inflating<'_> {
    fn drop(&mut self) {
        if let Some(mut inflater) = self.inflater.take() {
            inflater.reset(false);
            self.spare.spare.lock().unwrap_or_else(PoisonError::into_inner).push(inflater);
        }
    }
}

/// Inflates an entry, counting what comes out.
pub(super) struct Bounded<'a> {
    source: Source<'a>,
    crc: Hasher,
    wanted_crc: u32,
    size: u64,
    out: u64,
    packed: u64,
    limits: &'a Limits,
    total: &'a Inflated,
}

enum Source<'a> {
    Stored(&'a [u8]),
    Deflated(Inflating<'a>),
    Prefetch(Prefetch),
}

impl<'a> Bounded<'a> {
    pub(super) fn new(
        data: &'a [u8],
        method: Method,
        crc: u32,
        size: u64,
        limits: &'a Limits,
        total: &'a Inflated,
        name: &str,
    ) -> Result<Self, PackageError> {
        let source = match method {
            Method::Stored => Source::Stored(data),
            Method::Deflated => Source::Deflated(Inflating { data, inflater: None, spare: total }),
            Method::Other(number) => {
                return Err(ZipFault::CompressionMethod { entry: name.to_owned(), method: number }.into());
            }
        };
        let packed = data.len() as u64;
        Ok(Self { source, crc: Hasher::new(), wanted_crc: crc, size, out: 0, packed, limits, total })
    }

    /// Reads what another thread inflates.
    pub(super) fn read_from(&mut self, prefetch: Prefetch) {
        self.source = Source::Prefetch(prefetch);
    }

    fn count(&mut self, read: usize) -> Result<(), Fault> {
        self.out += read as u64;
        let total = self.total.add(read as u64);
        if self.out > self.limits.part_bytes {
            return Err(Fault::Part(self.limits.part_bytes));
        }
        if total > self.limits.total_bytes {
            return Err(Fault::Total(self.limits.total_bytes));
        }
        if self.out > self.limits.ratio_from && self.out / self.packed.max(1) > self.limits.ratio {
            return Err(Fault::Ratio(self.limits.ratio));
        }
        Ok(())
    }
}

impl Read for Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.source {
            Source::Stored(data) => data.read(buffer)?,
            Source::Deflated(inflating) => inflating.read(buffer)?,
            Source::Prefetch(prefetch) => prefetch.read(buffer).map_err(|_| Fault::Stream)?,
        };
        if read == 0 && !buffer.is_empty() {
            if self.out != self.size || self.crc.clone().finalize() != self.wanted_crc {
                return Err(Fault::Sum.into());
            }
            return Ok(0);
        }
        self.crc.update(buffer.get(..read).unwrap_or_default());
        self.count(read)?;
        Ok(read)
    }
}

/// Why reading an entry failed, carried through [`io::Error`].
#[derive(Debug, Clone, Copy, thiserror::Error)]
enum Fault {
    #[error("the compressed data is damaged")]
    Stream,
    #[error("the checksum does not match")]
    Sum,
    #[error("too large")]
    Part(u64),
    #[error("the parts are too large in total")]
    Total(u64),
    #[error("the compression ratio is too high")]
    Ratio(u64),
}

impl From<Fault> for io::Error {
    fn from(fault: Fault) -> Self {
        Self::new(io::ErrorKind::InvalidData, fault)
    }
}

/// The error after a failed read of a part.
pub(super) fn read_error(name: &str, error: &io::Error) -> PackageError {
    let fault = error.get_ref().and_then(|inner| inner.downcast_ref::<Fault>());
    let large = |what: Quantity, limit: u64| PackageError::TooLarge { what, limit };
    match fault {
        Some(Fault::Part(limit)) => large(Quantity::Part { part: name.to_owned() }, *limit),
        Some(Fault::Total(limit)) => large(Quantity::AllParts, *limit),
        Some(Fault::Ratio(limit)) => large(Quantity::Ratio { part: name.to_owned() }, *limit),
        Some(Fault::Sum) => ZipFault::Checksum { entry: name.to_owned() }.into(),
        Some(Fault::Stream) | None => ZipFault::Compression { entry: name.to_owned() }.into(),
    }
}
