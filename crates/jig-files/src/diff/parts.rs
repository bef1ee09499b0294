//! Parts of a package that no format's own comparison reads: pictures, charts, embedded files.

use std::collections::{HashMap, HashSet};

use jig_ooxml::{Package, PackageError, Relationships};

use super::change::{Change, ChangeKind, Detail, Undo};
use super::inside::InsideDiff;
use super::markup::{Links, spelled};

/// What a part is for a person, by where it lies; none for what follows from other parts or says nothing.
fn noun(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let has = |word: &str| lower.contains(word);
    if lower.ends_with(".vml")
        || lower.ends_with(".rels")
        || lower == "[content_types].xml"
        || has("docprops/")
        || has("calcchain")
    {
        return None;
    }
    Some(match () {
        // What a printer, a view or a checker keeps for itself.
        () if has("printersettings") || has("tablestyles.xml") || has("styleswitheffects") => return None,
        () if has("itemprops") => return None,
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

/// Compares all parts that `covered` does not name and that a reader can reach. `same` may say that two versions
/// mean the same. A part that only got another name is the same.
pub(super) fn compare(
    old: &Package,
    new: &Package,
    covered: &dyn Fn(&str) -> bool,
    same: &dyn Fn(&str) -> bool,
    diff: &mut InsideDiff,
) -> Result<(), PackageError> {
    let (olds, news) = (reachable(old), reachable(new));
    let listed = |package: &Package, reached: &HashSet<String>| -> Vec<(String, &'static str)> {
        let names = package.names().filter(|name| !covered(name) && reached.contains(&key(name)));
        names.filter_map(|name| Some((name.to_owned(), noun(name)?))).collect()
    };
    let (mut gone, mut came, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    for (name, noun) in listed(old, &olds) {
        if !new.has(&name) || !news.contains(&key(&name)) {
            gone.push((name, noun));
        } else if differ(old, new, &name)? && !same(&name) {
            changed.push((name, noun));
        }
    }
    for (name, noun) in listed(new, &news) {
        if !old.has(&name) || !olds.contains(&key(&name)) {
            came.push((name, noun));
        }
    }
    renamed(old, new, &mut gone, &mut came, &mut changed);
    // A theme that comes where there was none is the default one, written out.
    let themes = |list: &[(String, &str)]| list.iter().any(|(_, noun)| *noun == "theme");
    let had_theme = old.names().any(|name| noun(name) == Some("theme"));
    if themes(&came) && !had_theme {
        came.retain(|(_, noun)| *noun != "theme");
    }
    for (name, noun) in gone {
        let change = Change::new(format!("{noun} {name}"), ChangeKind::Removed, noun);
        diff.add(GROUP, sized(change, old, None, &name).fixed("other parts refer to it"));
    }
    for (name, noun) in changed {
        let change = Change::new(format!("{noun} {name}"), ChangeKind::Changed, noun);
        let change = sized(change, old, new.has(&name).then_some(new), &name);
        let alone =
            old.has(&name) && new.has(&name) && matches!(noun, "image" | "chart" | "embedded file" | "macro project");
        diff.add(
            GROUP,
            if alone {
                change.undone_by(Undo::Part { name })
            } else {
                change.fixed("other parts refer to what is in it")
            },
        );
    }
    for (name, noun) in came {
        let change = Change::new(format!("{noun} {name}"), ChangeKind::Added, noun);
        let after = new.declared_bytes(&name).unwrap_or(0);
        diff.add(GROUP, change.detail(Detail::new("bytes", "", after.to_string())).fixed("other parts refer to it"));
    }
    Ok(())
}

const GROUP: &str = "other parts";

/// Drops parts that stand on both sides with the same content under different names.
fn renamed(
    old: &Package,
    new: &Package,
    gone: &mut Vec<(String, &'static str)>,
    came: &mut Vec<(String, &'static str)>,
    changed: &mut Vec<(String, &'static str)>,
) {
    if gone.is_empty() && came.is_empty() && changed.len() < 2 {
        return;
    }
    let said = |package: &Package, name: &str| meaning(package, name).unwrap_or_default();
    let mut free: HashMap<(&'static str, String), usize> = HashMap::new();
    for (name, noun) in came.iter().chain(changed.iter()) {
        *free.entry((*noun, said(new, name))).or_default() += 1;
    }
    let mut taken: HashMap<(&'static str, String), usize> = HashMap::new();
    let mut keep = |name: &str, noun: &'static str| {
        let key = (noun, said(old, name));
        match free.get_mut(&key).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                *taken.entry(key).or_default() += 1;
                false
            }
            None => true,
        }
    };
    gone.retain(|(name, noun)| keep(name, noun));
    // A name that stands on both sides changed only if what it held before went, or what it holds now came.
    let moved: Vec<bool> = changed.iter().map(|(name, noun)| !keep(name, noun)).collect();
    let mut arrived = |name: &str, noun: &'static str| {
        let key = (noun, said(new, name));
        match taken.get_mut(&key).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                true
            }
            None => false,
        }
    };
    came.retain(|(name, noun)| !arrived(name, noun));
    let (mut still, mut lost) = (Vec::new(), Vec::new());
    for ((name, noun), went) in changed.drain(..).zip(moved) {
        match (went, arrived(&name, noun)) {
            (true, true) => {}
            // Its old content has another name now: what it holds is new.
            (true, false) => came.push((name, noun)),
            (false, true) => lost.push((name, noun)),
            (false, false) => still.push((name, noun)),
        }
    }
    gone.append(&mut lost);
    *changed = still;
}

fn key(name: &str) -> String {
    name.trim_start_matches('/').to_ascii_lowercase()
}

/// The parts that relationships lead to, from the package on.
fn reachable(package: &Package) -> HashSet<String> {
    let mut reached = HashSet::new();
    let mut open = vec![String::new()];
    while let Some(part) = open.pop() {
        let Ok(relationships) = Relationships::read(package, &part) else { continue };
        for target in relationships.list.into_iter().filter_map(|rel| rel.part) {
            if reached.insert(key(&target)) {
                open.push(target);
            }
        }
    }
    reached
}

/// What a part says, in one spelling for XML.
fn meaning(package: &Package, name: &str) -> Result<String, PackageError> {
    if is_xml(name)
        && let Ok(content) = package.xml(name)
        && let Ok(tree) = content.tree(package.limits())
    {
        return Ok(spelled(tree.root(), &Links::of(package, name)));
    }
    Ok(blake3::hash(&package.read(name)?).to_hex().to_string())
}

fn is_xml(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.ends_with(".xml") || lower.ends_with(".vml")
}

/// Whether a part means something else in two packages that both have it.
pub(super) fn differ(old: &Package, new: &Package, name: &str) -> Result<bool, PackageError> {
    let same_size = old.declared_bytes(name) == new.declared_bytes(name);
    if same_size && old.read(name)? == new.read(name)? {
        return Ok(false);
    }
    Ok(!is_xml(name) || meaning(old, name)? != meaning(new, name)?)
}

fn sized(change: Change, old: &Package, new: Option<&Package>, name: &str) -> Change {
    let bytes = |package: &Package| package.declared_bytes(name).unwrap_or(0).to_string();
    let (before, after) = (bytes(old), new.map(bytes).unwrap_or_default());
    if before == after { change } else { change.detail(Detail::new("bytes", before, after)) }
}
