//! Entries and kinds, from definition to proposal.

mod fixtures;
mod kinds;
mod proposals;
mod refits;
mod values;
mod writes;
