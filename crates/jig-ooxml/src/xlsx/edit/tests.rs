//! Tests of whole edits.
