//! Reading the text of a document, the content of a section, styles, and where a text occurs.

pub(super) mod chunks;
mod find;
mod review;
mod section;
mod styles;
mod text;

pub(super) use find::find;
pub(super) use section::section;
pub(super) use styles::styles;
pub(super) use text::text;

/// The most sections, tables, images, styles or matches in one reply: a small file can hold millions of empty elements.
const MOST_LISTED: usize = 10_000;

/// The items that a reply lists, with a warning if there are more.
pub(super) fn listed<T>(items: impl Iterator<Item = T>, what: &str, warnings: &mut Vec<String>) -> Vec<T> {
    let mut items = items.fuse();
    let listed: Vec<T> = items.by_ref().take(MOST_LISTED).collect();
    let more = items.count();
    if more > 0 {
        warnings.push(format!("{more} more {what} are not listed; the first {MOST_LISTED} are"));
    }
    listed
}

#[cfg(test)]
mod tests;
