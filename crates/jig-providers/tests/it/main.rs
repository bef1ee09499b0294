//! Providers against a fake model, over real HTTP.

mod conversation;
mod egress;
mod faults;
mod keys;
mod limits;
mod quirks;
mod real;
mod retries;
mod scripted;
mod support;
