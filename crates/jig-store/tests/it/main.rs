//! Tests of the store through its public face.

mod blobs;
mod hostile;
mod properties;
mod setup;
mod suite;
mod support;
mod versions;
mod view;
