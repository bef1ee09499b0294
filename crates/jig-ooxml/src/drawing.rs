//! What documents and presentations share of images.

pub(crate) mod image;
