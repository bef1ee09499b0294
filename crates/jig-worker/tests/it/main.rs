//! The worker protocol as a client sees it: what plausible mistakes do to files.

mod creation;
mod slips;
mod support;
