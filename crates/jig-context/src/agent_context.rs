//! What an agent sees of the work: enough to be helpful, and no more.
//!
//! [`build()`] makes a view at one of three levels from the present state, within budgets that a tokenizer counts. What is
//! always in it, what is when a message names it, and what never is, are the lists of the context schema. A view has a
//! version, which says what it shows: [`changes()`] tells what changed since, and [`check()`] what is old about it.
//!
//! Never in a view: deleted text (it is made from the present state), notes that somebody keeps for themselves and
//! messages that were taken back (`history`), and internals: the types of a view have no place for authors, hashes,
//! journal numbers or paths.

mod budget;
mod build;
mod check;
mod current;
mod error;
mod history;
mod level;
mod project;
mod refresh;
mod related;
mod text;
mod version;

pub use budget::{Budgets, Component};
pub use build::{Built, Request, Sources, build, current_artifact, target_info, visible_to};
pub use check::{ACTIVE_SECONDS, Check, OLD_SECONDS, check};
pub use error::{ContextError, SectionSize};
pub use level::{Named, named_in};
pub use refresh::{Refresh, Refreshed, changes, why_whole};
pub use text::{ViewNode, ViewPiece, changes_text, pieces};
pub use version::{BadVersion, Version};

#[cfg(test)]
mod tests;
