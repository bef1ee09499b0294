//! Entries and kinds, from a definition to a proposal.

mod fixtures;
mod kinds;
mod proposals;
mod refits;
mod values;
mod writes;
