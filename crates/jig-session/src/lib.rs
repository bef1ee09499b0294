//! The agent session as a state machine: commands are decided into events, events evolve the state.
//!
//! Invariants:
//! - deterministic and total: replaying a log gives an identical state and identical effects, and no
//!   input makes it panic; time and ids arrive with the commands;
//! - an outside call (model, tool, write) is in the log before it starts, and its result enters only
//!   as an event;
//! - a run keeps the workspace snapshot it started with until a newer one is applied by name.
//!
//! Carries out nothing itself. May use `jig-contract`. Empty until sessions are built.
