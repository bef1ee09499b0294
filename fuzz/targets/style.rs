//! See `jig_testkit::fuzz`.
#![no_main]

jig_fuzz::target!("style");
