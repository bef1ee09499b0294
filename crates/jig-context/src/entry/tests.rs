//! Entries and kinds, from a definition to a proposal.
