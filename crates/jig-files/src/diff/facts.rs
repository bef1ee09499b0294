//! What files that are not compared inside say of themselves.

use std::sync::Arc;

use super::change::Detail;
use crate::image::ImageFile;
use crate::kind::FileKind;

/// A side: what it is, and its bytes where there is a file.
type Side<'b> = (FileKind, Option<&'b [u8]>);

/// What can be told of two versions beside their sizes.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) notes: Vec<String>,
    pub(super) details: Vec<Detail>,
}

pub(super) fn of(old: Side<'_>, new: Side<'_>) -> Facts {
    let mut facts = Facts::default();
    facts.pictures(said(old), said(new));
    match (old, new) {
        ((kind, Some(bytes)), (_, None)) | ((_, None), (kind, Some(bytes))) => {
            facts.notes.extend(super::outline::of(kind, bytes));
        }
        _ => {}
    }
    let sum =
        |bytes: Option<&[u8]>| bytes.map(|bytes| blake3::hash(bytes).to_hex().chars().take(16).collect::<String>());
    if let (Some(before), Some(after)) = (sum(old.1), sum(new.1))
        && before != after
    {
        facts.notes.push(format!("BLAKE3 {before}… before, {after}… after"));
    }
    let seen = |(kind, bytes): Side<'_>| bytes.is_some() && (kind.is_image() || kind == FileKind::Pdf);
    match (seen(old), seen(new)) {
        (true, true) => facts.notes.push("a preview of both sides shows what changed".to_owned()),
        (true, false) | (false, true) => facts.notes.push("a preview shows it".to_owned()),
        (false, false) => {}
    }
    facts
}

/// What a picture says of itself; none for what is not a picture or cannot be read as one.
fn said((kind, bytes): Side<'_>) -> Option<Vec<(&'static str, String)>> {
    let bytes = bytes.filter(|_| kind.is_image())?;
    Some(ImageFile::open(Arc::from(bytes)).ok()?.facts())
}

impl Facts {
    /// Two pictures by what differs, one by what it is.
    fn pictures(&mut self, old: Option<Vec<(&'static str, String)>>, new: Option<Vec<(&'static str, String)>>) {
        let (Some(old), Some(new)) = (&old, &new) else {
            let only = old.or(new).unwrap_or_default();
            self.notes.extend(only.iter().map(|(name, value)| format!("{name}: {value}")));
            return;
        };
        let find = |list: &[(&str, String)], name: &str| {
            list.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let names = old.iter().chain(new).map(|(name, _)| *name);
        let mut seen: Vec<&str> = Vec::new();
        for name in names {
            if seen.contains(&name) {
                continue;
            }
            seen.push(name);
            let (before, after) = (find(old, name), find(new, name));
            if before != after {
                self.details.push(Detail::new(name, before, after));
            } else if name == "pixels" {
                self.notes.push(format!("{after} pixels on both sides"));
            }
        }
    }
}
