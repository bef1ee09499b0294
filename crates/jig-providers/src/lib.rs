//! Model providers behind one trait, with a scripted one for tests and an offline one for no key.
//!
//! Invariants:
//! - a provider sends the request it was handed, byte for byte, and adds nothing to it;
//! - nothing is sent unless the caller has shown that consent was given;
//! - keys are values of a type that prints `***`; they appear in no error, log or record;
//! - every failure is one of the contract's codes and says whether trying again can help.
//!
//! May use `jig-contract`. Empty until models are called.
