//! Ops on small documents, compared by the markup they leave.

mod any;
mod copying;
mod fresh;
mod paragraphs;
mod pictures;
mod replacing;
mod sections;
mod structures;
mod support;
mod tables;
mod tracked;
