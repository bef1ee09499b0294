//! From state and sources to the exact prompt and its bill.
//!
//! Invariants:
//! - pure: the same input gives the same bytes;
//! - only named, billed sections are added, so the bill's total is the prompt's size;
//! - text from files, context and tools is data: nothing inside it can open or close a section;
//! - what does not fit is listed with its size, never cut in silence.
//!
//! May use `jig-contract`, `jig-context` and `jig-session`. Empty until prompts are assembled.
