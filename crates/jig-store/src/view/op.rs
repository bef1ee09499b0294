//! Changes of the index and their encoding.

use jig_contract::BlobHash;

use super::files::Entry;
use super::stat::Mark;

/// A change of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op<'a> {
    /// The folder shows this state.
    State(Option<BlobHash>),
    /// A file was added or changed.
    Put(&'a str, Entry),
    /// A file was removed.
    Drop(&'a str),
    /// A path may not show what the state has.
    Loose(&'a str),
    /// A path shows what the state has again.
    Tight(&'a str),
    /// The Draft's folder, with this tree, became the spare.
    Away(BlobHash),
    /// The spare became the Draft's folder.
    Back,
    /// The spare shows this tree.
    Spare(BlobHash),
    /// The spare was removed.
    NoSpare,
}

impl<'a> Op<'a> {
    /// Appends the encoded op.
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        match *self {
            Self::State(None) => out.push(0),
            Self::State(Some(state)) => put_hash(out, 1, state),
            Self::Put(path, entry) => {
                put_path(out, 2, path);
                put_entry(out, entry);
            }
            Self::Drop(path) => put_path(out, 3, path),
            Self::Loose(path) => put_path(out, 4, path),
            Self::Tight(path) => put_path(out, 5, path),
            Self::Away(tree) => put_hash(out, 6, tree),
            Self::Back => out.push(7),
            Self::Spare(tree) => put_hash(out, 8, tree),
            Self::NoSpare => out.push(9),
        }
    }

    /// Decodes the next op; `None` if it is damaged or from another version.
    pub(super) fn decode(rest: &mut &'a [u8]) -> Option<Self> {
        let [tag] = take(rest)?;
        Some(match tag {
            0 => Self::State(None),
            1 => Self::State(Some(take_hash(rest)?)),
            2 => Self::Put(take_path(rest)?, take_entry(rest)?),
            3 => Self::Drop(take_path(rest)?),
            4 => Self::Loose(take_path(rest)?),
            5 => Self::Tight(take_path(rest)?),
            6 => Self::Away(take_hash(rest)?),
            7 => Self::Back,
            8 => Self::Spare(take_hash(rest)?),
            9 => Self::NoSpare,
            _ => return None,
        })
    }
}

fn put_hash(out: &mut Vec<u8>, tag: u8, hash: BlobHash) {
    out.push(tag);
    out.extend_from_slice(hash.as_bytes());
}

fn put_path(out: &mut Vec<u8>, tag: u8, path: &str) {
    out.push(tag);
    out.extend_from_slice(&(path.len() as u64).to_le_bytes());
    out.extend_from_slice(path.as_bytes());
}

fn put_entry(out: &mut Vec<u8>, entry: Entry) {
    out.extend_from_slice(&entry.mark.bytes.to_le_bytes());
    out.extend_from_slice(&entry.mark.modified.to_le_bytes());
    out.extend_from_slice(&entry.mark.changed.to_le_bytes());
    out.extend_from_slice(&entry.mark.inode.to_le_bytes());
    out.extend_from_slice(entry.hash.as_bytes());
    out.push(u8::from(entry.young));
}

/// Removes this many bytes from the front.
pub(super) fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = rest.split_first_chunk::<N>()?;
    *rest = tail;
    Some(*head)
}

fn take_hash(rest: &mut &[u8]) -> Option<BlobHash> {
    take(rest).map(BlobHash::from_bytes)
}

/// Decodes a length-prefixed path from the front.
pub(super) fn take_path<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let length = usize::try_from(u64::from_le_bytes(take(rest)?)).ok()?;
    let (head, tail) = rest.split_at_checked(length)?;
    *rest = tail;
    std::str::from_utf8(head).ok()
}

/// Decodes a file entry from the front.
pub(super) fn take_entry(rest: &mut &[u8]) -> Option<Entry> {
    let mark = Mark {
        bytes: u64::from_le_bytes(take(rest)?),
        modified: i64::from_le_bytes(take(rest)?),
        changed: i64::from_le_bytes(take(rest)?),
        inode: u64::from_le_bytes(take(rest)?),
    };
    Some(Entry { mark, hash: take_hash(rest)?, young: take(rest)? != [0] })
}

#[cfg(test)]
mod tests {
    use super::super::index::tests::entry;
    use super::*;

    #[test]
    fn ops_are_kept_and_read_the_same_and_a_torn_one_is_none() {
        let hash = BlobHash::from_bytes([5; 32]);
        let ops = [
            Op::State(None),
            Op::State(Some(hash)),
            Op::Put("draft/ä", entry(1, true)),
            Op::Drop("x"),
            Op::Loose(""),
            Op::Tight("y"),
            Op::Away(hash),
            Op::Back,
            Op::Spare(hash),
            Op::NoSpare,
        ];
        for op in ops {
            let mut bytes = Vec::new();
            op.encode(&mut bytes);
            assert_eq!(Op::decode(&mut bytes.as_slice()), Some(op));
            for end in 0..bytes.len() {
                assert_eq!(Op::decode(&mut &bytes[..end]), None, "{op:?} cut at {end}");
            }
        }
        assert_eq!(Op::decode(&mut [10].as_slice()), None);
    }
}
