//! Lists: what stands before a paragraph.
