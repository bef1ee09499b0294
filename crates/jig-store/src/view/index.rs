//! What the folder showed when Jig last looked: which files, with which marks and content.
//!
//! A compact file of its own, closed by a checksum, so that a torn one counts as missing. Losing it
//! costs reading every file once; nothing that only the index knows is ever needed.

use std::collections::{BTreeMap, BTreeSet};

use jig_contract::BlobHash;

use super::stat::Mark;

const MAGIC: &[u8] = b"jig-view 1\n";
const CHECKSUM: usize = 32;

/// One file that Jig wrote or took in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// How the file looked.
    pub mark: Mark,
    /// Its content then.
    pub hash: BlobHash,
    /// The mark was taken too soon after a write: read the file before believing it.
    pub young: bool,
}

/// The whole index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Index {
    /// The state that the folder shows, but for `loose`; none when only `files` is known.
    pub state: Option<BlobHash>,
    /// The files, by their path in the state.
    pub files: BTreeMap<String, Entry>,
    /// Paths where `files` and the state's content differ: withheld, or found further on than the state.
    pub loose: BTreeSet<String>,
}

impl Index {
    /// Whether a file that Jig knows has this path or lies below it.
    pub(super) fn knows(&self, path: &str) -> bool {
        self.files.contains_key(path) || self.below(path).next().is_some()
    }

    /// The files below a folder.
    pub(super) fn below<'a>(&'a self, folder: &str) -> impl Iterator<Item = (&'a String, &'a Entry)> + use<'a> {
        let start = format!("{folder}/");
        self.files.range(start.clone()..).take_while(move |(path, _)| path.starts_with(&start))
    }

    /// Forgets the files below a folder: they are to be shown again.
    pub(super) fn forget_below(&mut self, folder: &str) -> bool {
        let gone: Vec<String> = self.below(folder).map(|(path, _)| path.clone()).collect();
        for path in &gone {
            self.files.remove(path);
        }
        let forgot = !gone.is_empty();
        self.loose.extend(gone);
        forgot
    }

    /// The bytes to keep.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 + 128 * self.files.len());
        out.extend_from_slice(MAGIC);
        out.push(u8::from(self.state.is_some()));
        out.extend_from_slice(&self.state.map_or([0; 32], |state| *state.as_bytes()));
        put_count(&mut out, self.files.len());
        for (path, entry) in &self.files {
            put_text(&mut out, path);
            out.extend_from_slice(&entry.mark.bytes.to_le_bytes());
            out.extend_from_slice(&entry.mark.modified.to_le_bytes());
            out.extend_from_slice(&entry.mark.changed.to_le_bytes());
            out.extend_from_slice(&entry.mark.inode.to_le_bytes());
            out.extend_from_slice(entry.hash.as_bytes());
            out.push(u8::from(entry.young));
        }
        put_count(&mut out, self.loose.len());
        for path in &self.loose {
            put_text(&mut out, path);
        }
        seal(out)
    }

    /// Reads it back; none when it is torn, damaged or of another version.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = unseal(bytes)?.strip_prefix(MAGIC)?;
        let known = take(&mut rest)? == [1];
        let state = BlobHash::from_bytes(take(&mut rest)?);
        let count = take_count(&mut rest)?;
        // Sorted already, so this builds the map in one go.
        let files = (0..count).map(|_| take_entry(&mut rest)).collect::<Option<BTreeMap<_, _>>>()?;
        let count = take_count(&mut rest)?;
        let loose = (0..count).map(|_| take_text(&mut rest)).collect::<Option<BTreeSet<_>>>()?;
        rest.is_empty().then_some(Self { state: known.then_some(state), files, loose })
    }
}

/// Appends the checksum of all that came before.
pub(super) fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = blake3::hash(&bytes);
    bytes.extend_from_slice(sum.as_bytes());
    bytes
}

/// What came before the checksum, when it is right.
pub(super) fn unseal(bytes: &[u8]) -> Option<&[u8]> {
    let (content, sum) = bytes.split_at_checked(bytes.len().checked_sub(CHECKSUM)?)?;
    (blake3::hash(content).as_bytes() == sum).then_some(content)
}

fn take_entry(rest: &mut &[u8]) -> Option<(String, Entry)> {
    let path = take_text(rest)?;
    let mark = Mark {
        bytes: u64::from_le_bytes(take(rest)?),
        modified: i64::from_le_bytes(take(rest)?),
        changed: i64::from_le_bytes(take(rest)?),
        inode: u64::from_le_bytes(take(rest)?),
    };
    let hash = BlobHash::from_bytes(take(rest)?);
    let young = take(rest)? != [0];
    Some((path, Entry { mark, hash, young }))
}

fn put_count(out: &mut Vec<u8>, count: usize) {
    out.extend_from_slice(&(count as u64).to_le_bytes());
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_count(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = rest.split_first_chunk::<N>()?;
    *rest = tail;
    Some(*head)
}

fn take_count(rest: &mut &[u8]) -> Option<usize> {
    usize::try_from(u64::from_le_bytes(take(rest)?)).ok()
}

fn take_text(rest: &mut &[u8]) -> Option<String> {
    let length = take_count(rest)?;
    let (head, tail) = rest.split_at_checked(length)?;
    *rest = tail;
    Some(std::str::from_utf8(head).ok()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Index {
        let entry = |n: u8, young| Entry {
            mark: Mark { bytes: n.into(), modified: -i64::from(n), changed: i64::MAX, inode: u64::MAX },
            hash: BlobHash::from_bytes([n; 32]),
            young,
        };
        Index {
            state: Some(BlobHash::from_bytes([9; 32])),
            files: [("draft/ä b.txt".to_owned(), entry(1, true)), ("published/😀/x".to_owned(), entry(2, false))]
                .into(),
            loose: ["published/😀/y".to_owned()].into(),
        }
    }

    #[test]
    fn an_index_is_kept_and_read_the_same() {
        for index in [example(), Index::default(), Index { state: None, ..example() }] {
            assert_eq!(Index::decode(&index.encode()), Some(index));
        }
    }

    #[test]
    fn a_torn_or_changed_index_is_no_index() {
        let whole = example().encode();
        for end in 0..whole.len() {
            assert_eq!(Index::decode(&whole[..end]), None, "cut at {end}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert_eq!(Index::decode(&changed), None, "changed at {at}");
        }
        assert_eq!(Index::decode(&[whole.as_slice(), b"x"].concat()), None);
    }

    #[test]
    fn a_folder_is_known_by_the_files_below_it() {
        let index = example();
        let known = |path| index.knows(path);
        assert!(known("published") && known("published/😀") && known("published/😀/x") && known("draft/ä b.txt"));
        assert!(!known("pub") && !known("published/😀/x/z") && !known("published/😀/y"));
    }

    #[test]
    fn forgotten_files_are_to_be_shown_again() {
        let mut index = example();
        assert!(index.forget_below("published"));
        assert!(!index.forget_below("published"));
        assert_eq!(index.files.keys().collect::<Vec<_>>(), ["draft/ä b.txt"]);
        assert_eq!(index.loose.iter().collect::<Vec<_>>(), ["published/😀/x", "published/😀/y"]);
    }
}
