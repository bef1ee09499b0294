//! Agent contexts: what an agent sees of the work, which is enough to help and no more.
//!
//! [`build()`] creates a context at one of three levels from the current state, within budgets counted by a tokenizer.
//! The context schema lists what is always included, what is included when a message names it, and what never is. Each
//! context has a version that identifies what it shows: [`changes()`] reports what changed since, and [`check()`]
//! whether it is stale.
//!
//! Never included: deleted text (only the current state is read), private notes and retracted messages (see `history`),
//! and internals: the context types have no fields for authors, hashes, journal numbers or paths.

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
