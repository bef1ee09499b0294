//! Parts of a package that no format's own comparison reads: pictures, charts, embedded files.

use jig_ooxml::{Package, PackageError};

use super::change::{Change, ChangeKind, Detail, Undo};
use super::inside::InsideDiff;

/// What a part is for a person, by where it lies; none for what follows from other parts or says nothing.
fn noun(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let has = |word: &str| lower.contains(word);
    if lower.ends_with(".rels") || lower == "[content_types].xml" || has("docprops/") || has("calcchain") {
        return None;
    }
    Some(match () {
        () if has("/media/") => "image",
        () if has("/charts/style") || has("/charts/colors") => return None,
        () if has("/charts/") => "chart",
        () if has("vbaproject") => "macro project",
        () if has("/embeddings/") => "embedded file",
        () if has("/diagrams/") => "diagram",
        () if has("/pivot") => "pivot table",
        () if has("/tables/") => "table",
        () if has("comment") => "comments",
        () if has("/drawings/") => "drawing",
        () if has("customxml/") => "custom data",
        () if has("theme") => "theme",
        () if has("externallink") => "link to another file",
        () if has("slidelayout") || has("slidemaster") => "slide layout",
        () if has("numbering.xml") => "list definitions",
        () if has("styles.xml") => "styles",
        () if has("settings.xml") || has("fonttable") || has("websettings") || has("presprops") || has("viewprops") => {
            return None;
        }
        () => "part",
    })
}

/// Compares all parts that `covered` does not name. `same` may say that two versions mean the same.
pub(super) fn compare(
    old: &Package,
    new: &Package,
    covered: &dyn Fn(&str) -> bool,
    same: &dyn Fn(&str) -> bool,
    diff: &mut InsideDiff,
) -> Result<(), PackageError> {
    for name in old.names().filter(|name| !covered(name)) {
        let Some(noun) = noun(name) else { continue };
        if !new.has(name) {
            let change = Change::new(format!("{noun} {name}"), ChangeKind::Removed, noun);
            diff.add("other parts", sized(change, old, None, name).fixed("other parts refer to it"));
        } else if differ(old, new, name)? && !same(name) {
            let change = Change::new(format!("{noun} {name}"), ChangeKind::Changed, noun);
            let change = sized(change, old, Some(new), name);
            let alone = matches!(noun, "image" | "chart" | "embedded file" | "macro project");
            diff.add(
                "other parts",
                if alone {
                    change.undone_by(Undo::Part { name: name.to_owned() })
                } else {
                    change.fixed("other parts refer to what is in it")
                },
            );
        }
    }
    for name in new.names().filter(|name| !covered(name) && !old.has(name)) {
        let Some(noun) = noun(name) else { continue };
        let change = Change::new(format!("{noun} {name}"), ChangeKind::Added, noun);
        let after = new.declared_bytes(name).unwrap_or(0);
        diff.add(
            "other parts",
            change.detail(Detail::new("bytes", "", after.to_string())).fixed("other parts refer to it"),
        );
    }
    Ok(())
}

/// Whether a part differs between two packages that both have it.
pub(super) fn differ(old: &Package, new: &Package, name: &str) -> Result<bool, PackageError> {
    Ok(old.declared_bytes(name) != new.declared_bytes(name) || old.read(name)? != new.read(name)?)
}

fn sized(change: Change, old: &Package, new: Option<&Package>, name: &str) -> Change {
    let bytes = |package: &Package| package.declared_bytes(name).unwrap_or(0).to_string();
    let (before, after) = (bytes(old), new.map(bytes).unwrap_or_default());
    if before == after { change } else { change.detail(Detail::new("bytes", before, after)) }
}
