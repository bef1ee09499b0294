//! Ops on small documents, compared by the markup they leave.

mod any;
mod comments;
mod copying;
mod fresh;
mod pages;
mod paragraphs;
mod pictures;
mod replacing;
mod resolving;
mod sections;
mod structures;
mod support;
mod tables;
mod templates;
mod tracked;
