//! For tests only: what the tests of several crates share.
//!
//! Other crates name it under `[dev-dependencies]`; nothing that ships depends on it, and it alone may
//! use any crate of Jig. Its own tests check the repository as a whole.

pub mod repository;
