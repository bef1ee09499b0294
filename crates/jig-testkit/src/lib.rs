//! For tests only: what the tests of several crates share.
//!
//! Other crates name it under `[dev-dependencies]`; nothing that ships depends on it, and it alone may
//! use any crate of Jig. Its own tests check the repository as a whole, and run the fuzz targets over
//! their seeds.

#![allow(clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

pub mod fuzz;
#[cfg(feature = "workbench")]
pub mod home;
pub mod repository;

#[cfg(feature = "workbench")]
pub use home::{ID, TestHome};
