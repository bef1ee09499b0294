//! Limits of a package. They are checked against what is inflated, since declared sizes can be wrong.

/// Bounds of a package. The defaults fit every real file we know of up to 25 MiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Entries of the zip.
    pub entries: usize,
    /// Inflated bytes of one part.
    pub part_bytes: u64,
    /// Inflated bytes of one part that is read into memory as a tree.
    pub tree_bytes: u64,
    /// Inflated bytes of all parts that one call reads.
    pub total_bytes: u64,
    /// Inflated by compressed size of a part above [`ratio_from`](Self::ratio_from) bytes.
    pub ratio: u64,
    /// Below this inflated size the ratio says nothing.
    pub ratio_from: u64,
    /// Elements inside each other.
    pub depth: usize,
    /// Nodes of one part read as a tree.
    pub nodes: usize,
    /// Bytes of one tag: its name and all its attributes.
    pub tag_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            entries: 20_000,
            part_bytes: 1 << 30,
            tree_bytes: 256 << 20,
            total_bytes: 2 << 30,
            ratio: 600,
            ratio_from: 32 << 20,
            depth: 256,
            nodes: 8_000_000,
            tag_bytes: 1 << 20,
        }
    }
}
