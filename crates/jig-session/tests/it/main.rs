//! The session as its callers see it.

mod any;
mod calls;
mod phases;
mod runs;
mod setup;
mod stored;
mod workspace;
