//! Tables through the crate's own door.

mod escape;
mod export;
mod large;
mod limits;
mod reader;
mod support;
mod truth;
