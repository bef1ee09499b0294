//! Archives whose bytes depend only on their contents: tar, ar and zip with sorted names, fixed owners and one timestamp.
//!
//! The `tar` and `ar` programs differ between systems in the options that make their output reproducible, and the two
//! formats are a few headers each.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{Cursor, Write};

use flate2::{Compression, GzBuilder};
use jiff::Timestamp;
use sha2::{Digest, Sha256};

/// The files of an archive, sorted by path. Parent folders are added when the archive is written.
#[derive(Default)]
pub(super) struct Tree<'a> {
    nodes: BTreeMap<String, Node<'a>>,
}

struct Node<'a> {
    mode: u32,
    /// User and group; 0 for root.
    owner: u32,
    /// `None` for a folder.
    data: Option<Cow<'a, [u8]>>,
}

impl<'a> Tree<'a> {
    /// Adds a file that everyone can read.
    pub(super) fn file(&mut self, path: impl Into<String>, data: impl Into<Cow<'a, [u8]>>) {
        self.nodes.insert(path.into(), Node { mode: 0o644, owner: 0, data: Some(data.into()) });
    }

    /// Adds a file that everyone can run.
    pub(super) fn program(&mut self, path: impl Into<String>, data: impl Into<Cow<'a, [u8]>>) {
        self.nodes.insert(path.into(), Node { mode: 0o755, owner: 0, data: Some(data.into()) });
    }

    /// Adds a folder that belongs to `owner`.
    pub(super) fn folder(&mut self, path: impl Into<String>, mode: u32, owner: u32) {
        self.nodes.insert(path.into(), Node { mode, owner, data: None });
    }

    /// Every file's path and contents.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.nodes.iter().filter_map(|(path, node)| Some((path.as_str(), node.data.as_deref()?)))
    }

    /// An uncompressed tar archive in the ustar format, every path below `prefix` (which ends with `/` or is empty).
    pub(super) fn tar(&self, prefix: &str, time: Timestamp) -> Result<Vec<u8>, String> {
        let mut tar = Vec::new();
        let mut seen = BTreeMap::new();
        if !prefix.is_empty() {
            tar.extend(header(prefix, 0o755, 0, 0, b'5', time)?);
        }
        for (path, node) in &self.nodes {
            // Parent folders come before their files, each once.
            for (end, _) in path.match_indices('/') {
                let folder = &path[..end];
                if !self.nodes.contains_key(folder) && seen.insert(folder, ()).is_none() {
                    tar.extend(header(&format!("{prefix}{folder}/"), 0o755, 0, 0, b'5', time)?);
                }
            }
            match &node.data {
                None => tar.extend(header(&format!("{prefix}{path}/"), node.mode, node.owner, 0, b'5', time)?),
                Some(data) => {
                    tar.extend(header(&format!("{prefix}{path}"), node.mode, node.owner, data.len(), b'0', time)?);
                    tar.extend_from_slice(data);
                    tar.resize(tar.len().next_multiple_of(BLOCK), 0);
                }
            }
        }
        // Two empty blocks end the archive.
        tar.resize(tar.len() + 2 * BLOCK, 0);
        Ok(tar)
    }

    /// A zip archive with Unix permissions.
    pub(super) fn zip(&self, time: Timestamp) -> Result<Vec<u8>, String> {
        let fail = |error: zip::result::ZipError| format!("could not write the zip archive: {error}");
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default()
            .compression_method(zip::CompressionMethod::Deflated)
            .compression_level(Some(9))
            .last_modified_time(zip_time(time));
        for (path, node) in &self.nodes {
            let Some(data) = &node.data else { continue };
            zip.start_file(path.as_str(), options.unix_permissions(node.mode)).map_err(fail)?;
            zip.write_all(data).map_err(|error| format!("could not write the zip archive: {error}"))?;
        }
        Ok(zip.finish().map_err(fail)?.into_inner())
    }
}

const BLOCK: usize = 512;

/// One ustar header; `kind` is `0` for a file and `5` for a folder.
fn header(path: &str, mode: u32, owner: u32, size: usize, kind: u8, time: Timestamp) -> Result<[u8; BLOCK], String> {
    let mut block = [0; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
    if path.len() > 100 {
        return Err(format!("path too long for a tar archive: `{path}` (limit: 100 bytes)"));
    }
    put(0, path.as_bytes());
    put(100, format!("{mode:07o}").as_bytes());
    put(108, format!("{owner:07o}").as_bytes());
    put(116, format!("{owner:07o}").as_bytes());
    put(124, format!("{size:011o}").as_bytes());
    put(136, format!("{:011o}", time.as_second().max(0)).as_bytes());
    // The checksum counts its own field as spaces.
    put(148, b"        ");
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    if owner == 0 {
        put(265, b"root");
        put(297, b"root");
    }
    let sum: u32 = block.iter().copied().map(u32::from).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(block)
}

/// Zip times have no zone and start in 1980.
fn zip_time(time: Timestamp) -> zip::DateTime {
    let utc = time.to_zoned(jiff::tz::TimeZone::UTC);
    let part = |number: i8| u8::try_from(number).unwrap_or_default();
    let year = u16::try_from(utc.year()).unwrap_or_default();
    zip::DateTime::from_date_and_time(
        year,
        part(utc.month()),
        part(utc.day()),
        part(utc.hour()),
        part(utc.minute()),
        part(utc.second()),
    )
    .unwrap_or_default()
}

/// How hard to compress: the packages are downloaded often, the Debian layer of the image is large.
#[derive(Clone, Copy)]
pub(super) enum Effort {
    Best,
    Usual,
}

/// Compresses with gzip. The header has neither a name nor a time.
pub(super) fn gzip(bytes: &[u8], effort: Effort) -> Result<Vec<u8>, String> {
    let level = match effort {
        Effort::Best => Compression::best(),
        Effort::Usual => Compression::default(),
    };
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), level);
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.map_err(|error| format!("could not compress with gzip: {error}"))
}

const AR_MAGIC: &[u8] = b"!<arch>\n";

/// An ar archive, the container of a Debian package.
pub(super) fn ar(members: &[(&str, &[u8])], time: Timestamp) -> Result<Vec<u8>, String> {
    let mut ar = AR_MAGIC.to_vec();
    for (name, data) in members {
        if name.len() > 16 {
            return Err(format!("name too long for an ar archive: `{name}` (limit: 16 bytes)"));
        }
        let (time, size) = (time.as_second(), data.len());
        ar.extend(format!("{name:<16}{time:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, "100644").bytes());
        ar.extend_from_slice(data);
        // Members start at even offsets.
        if size % 2 == 1 {
            ar.push(b'\n');
        }
    }
    Ok(ar)
}

/// The contents of one member of an ar archive.
pub(super) fn ar_member<'a>(ar: &'a [u8], wanted: &str) -> Option<&'a [u8]> {
    let mut rest = ar.strip_prefix(AR_MAGIC)?;
    while !rest.is_empty() {
        let (header, body) = rest.split_at_checked(60)?;
        let header = std::str::from_utf8(header).ok()?;
        let size: usize = header.get(48..58)?.trim().parse().ok()?;
        if header.get(..16)?.trim() == wanted {
            return body.get(..size);
        }
        rest = body.get(size.next_multiple_of(2)..).unwrap_or_default();
    }
    None
}

/// The SHA-256 in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::process::{Command, Stdio};

    fn time() -> Timestamp {
        Timestamp::from_second(1_700_000_000).unwrap()
    }

    fn sample() -> Tree<'static> {
        let mut tree = Tree::default();
        tree.program("bin/jig", b"#!/bin/sh\n".as_slice());
        tree.file("share/doc/b", b"bee".as_slice());
        tree.file("share/a", b"".as_slice());
        tree.folder("data", 0o700, 10_001);
        tree
    }

    fn list(tar: &[u8]) -> String {
        let mut child = Command::new("tar")
            .args(["--list", "--verbose", "--numeric-owner", "--full-time", "--utc"])
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(tar).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    }

    #[test]
    fn a_tar_lists_sorted_names_with_fixed_owner_and_time() {
        let tar = sample().tar("jig-1/", time()).unwrap();
        let rows: Vec<String> =
            list(&tar).lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(
            rows,
            [
                "drwxr-xr-x 0/0 0 2023-11-14 22:13:20 jig-1/",
                "drwxr-xr-x 0/0 0 2023-11-14 22:13:20 jig-1/bin/",
                "-rwxr-xr-x 0/0 10 2023-11-14 22:13:20 jig-1/bin/jig",
                "drwx------ 10001/10001 0 2023-11-14 22:13:20 jig-1/data/",
                "drwxr-xr-x 0/0 0 2023-11-14 22:13:20 jig-1/share/",
                "-rw-r--r-- 0/0 0 2023-11-14 22:13:20 jig-1/share/a",
                "drwxr-xr-x 0/0 0 2023-11-14 22:13:20 jig-1/share/doc/",
                "-rw-r--r-- 0/0 3 2023-11-14 22:13:20 jig-1/share/doc/b",
            ]
        );
    }

    #[test]
    fn the_same_files_give_the_same_bytes_in_any_order() {
        let mut other = Tree::default();
        other.folder("data", 0o700, 10_001);
        other.file("share/a", b"".as_slice());
        other.file("share/doc/b", b"bee".as_slice());
        other.program("bin/jig", b"#!/bin/sh\n".as_slice());
        assert_eq!(other.tar("", time()), sample().tar("", time()));
        assert_eq!(other.zip(time()), sample().zip(time()));
    }

    #[test]
    fn a_long_path_is_an_error() {
        let mut tree = Tree::default();
        tree.file("a".repeat(101), b"".as_slice());
        assert!(tree.tar("", time()).unwrap_err().starts_with("path too long"));
    }

    #[test]
    fn gzip_has_no_time_and_can_be_read() {
        let packed = gzip(b"hello", Effort::Best).unwrap();
        assert_eq!(packed[4..9], [0, 0, 0, 0, 2], "time 0, best compression");
        let mut text = String::new();
        flate2::read::GzDecoder::new(packed.as_slice()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "hello");
    }

    #[test]
    fn ar_members_are_padded_to_even_offsets() {
        let ar = ar(&[("debian-binary", b"2.0\n"), ("odd", b"abc"), ("last", b"z!")], time()).unwrap();
        let expected = "!<arch>\n\
            debian-binary   1700000000  0     0     100644  4         `\n2.0\n\
            odd             1700000000  0     0     100644  3         `\nabc\n\
            last            1700000000  0     0     100644  2         `\nz!";
        assert_eq!(String::from_utf8(ar.clone()).unwrap(), expected);
        assert_eq!(ar_member(&ar, "odd"), Some(b"abc".as_slice()));
        assert_eq!(ar_member(&ar, "last"), Some(b"z!".as_slice()));
        assert_eq!(ar_member(&ar, "none"), None);
    }

    #[test]
    fn zip_keeps_permissions() {
        let bytes = sample().zip(time()).unwrap();
        let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        assert_eq!(zip.by_name("bin/jig").unwrap().unix_mode(), Some(0o100_755));
        assert_eq!(zip.by_name("share/a").unwrap().unix_mode(), Some(0o100_644));
    }
}
