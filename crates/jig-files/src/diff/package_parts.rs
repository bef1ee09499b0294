//! Parts of a package that no format compares by itself (images, charts, embedded files), and markup in one canonical
//! spelling, so that two parts compare by what they mean and not by how a program wrote them: prefixes, attribute order,
//! entities, white space between elements, empty property containers, spelled-out booleans and split runs make no
//! difference.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use jig_ooxml::xml::{Node, NodeKind, Ns, unescape};
use jig_ooxml::{Package, PackageError, Relationship, Relationships};

use super::change::{Change, ChangeKind, Detail, RevertPlan, StructuredDiff};
use super::xlsx_parts::{self, Facts};

/// The noun for a part, by its name; `None` for parts that follow from others or that no reader sees.
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
        () if has("itemprops") || has("core-properties") => return None,
        // A copy of the source data.
        () if has("pivotcacherecords") => return None,
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
    diff: &mut StructuredDiff,
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
    // A drawing without objects is as good as none.
    let has_objects = |package: &Package, name: &str| part_facts(package, name).is_none_or(|facts| !facts.is_empty());
    gone.retain(|(name, noun)| *noun != "drawing" || has_objects(old, name));
    came.retain(|(name, noun)| *noun != "drawing" || has_objects(new, name));
    let (mut supporting, gone): (Vec<_>, Vec<_>) = gone.into_iter().partition(|(name, noun)| is_supporting(name, noun));
    if supporting.len() > 1 {
        diff.add(GROUP, dropped(old, &supporting));
        supporting.clear();
    }
    for (name, noun) in gone.into_iter().chain(supporting) {
        let change = Change::new(format!("{noun} {name}"), ChangeKind::Removed, noun);
        diff.add(GROUP, sized(change, old, None, &name).not_revertible("other parts refer to it"));
    }
    for (name, noun) in changed {
        let change = Change::new(format!("{noun} {name}"), ChangeKind::Changed, noun);
        let change = match (part_facts(old, &name), part_facts(new, &name)) {
            (Some(before), Some(after)) => {
                xlsx_parts::differing(&before, &after).into_iter().fold(change, Change::detail)
            }
            _ => sized(change, old, new.has(&name).then_some(new), &name),
        };
        let alone =
            old.has(&name) && new.has(&name) && matches!(noun, "image" | "chart" | "embedded file" | "macro project");
        diff.add(
            GROUP,
            if alone {
                change.revertible(RevertPlan::Part { name })
            } else {
                change.not_revertible("other parts refer to what is in it")
            },
        );
    }
    for (name, noun) in came {
        let change = Change::new(format!("{noun} {name}"), ChangeKind::Added, noun);
        let after = new.declared_bytes(&name).unwrap_or(0);
        diff.add(
            GROUP,
            change.detail(Detail::new("bytes", "", after.to_string())).not_revertible("other parts refer to it"),
        );
    }
    Ok(())
}

const GROUP: &str = "other parts";
/// Removed parts that one change names.
const DROPPED_MAX: usize = 50;

/// Whether a part supports others and has no content that a reader sees. Programs drop all those that they do not know,
/// so several of them are one change.
fn is_supporting(name: &str, noun: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    matches!(noun, "part" | "custom data")
        || ["threadedcomments", "tablesinglecells"].iter().any(|word| lower.contains(word))
}

/// One change for several parts that are gone.
fn dropped(old: &Package, parts: &[(String, &'static str)]) -> Change {
    let change = Change::new("parts (removed)", ChangeKind::Removed, "group of parts");
    let size = |name: &str| format!("{} bytes", old.declared_bytes(name).unwrap_or(0));
    let shown = parts.iter().take(DROPPED_MAX);
    let change = shown.fold(change, |change, (name, _)| change.detail(Detail::new(name, size(name), "")));
    let more = parts.len().saturating_sub(DROPPED_MAX);
    let change = if more > 0 { change.detail(Detail::new("more", format!("{more} not shown"), "")) } else { change };
    change.not_revertible("other parts refer to them")
}

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
        let links = Links::of(package, name);
        return Ok(match xlsx_parts::facts(tree.root(), &links) {
            Some(facts) => facts.iter().map(|(key, value)| format!("{key}={value}\n")).collect(),
            None => spelled(tree.root(), &links),
        });
    }
    Ok(blake3::hash(&package.read(name)?).to_hex().to_string())
}

/// The facts of a part that is compared by them; `None` for other parts and for one that cannot be read.
fn part_facts(package: &Package, name: &str) -> Option<Facts> {
    if !is_xml(name) {
        return None;
    }
    let content = package.xml(name).ok()?;
    let tree = content.tree(package.limits()).ok()?;
    xlsx_parts::facts(tree.root(), &Links::of(package, name))
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

/// The targets of a part's relationship ids. Programs renumber relationships at each save.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Links(HashMap<String, String>);

impl Links {
    /// The relationships of a part; none when they cannot be read.
    pub(super) fn of(package: &Package, part: &str) -> Self {
        Self::resolved(package, &Relationships::read(package, part).unwrap_or_default())
    }

    pub(super) fn resolved(package: &Package, relationships: &Relationships) -> Self {
        let meaning = |part: Option<&str>, kind: &str, target: &str| match part {
            // An image is its bytes; other parts are compared by themselves.
            Some(part) if kind == "image" => match package.digest(part) {
                Some(digest) => format!("image {} {}", digest.bytes, digest.crc32),
                None => "image".to_owned(),
            },
            Some(_) => kind.to_owned(),
            None => format!("{kind} {target}"),
        };
        let one = |rel: &Relationship| (rel.id.clone(), meaning(rel.part.as_deref(), &rel.kind, &rel.target));
        Self(relationships.list.iter().map(one).collect())
    }

    /// What the `embed` relationship of an element leads to, such as an image by its size and checksum.
    pub(super) fn embedded(&self, node: Node<'_>) -> Option<&str> {
        let meaning = self.0.get(node.attr_ns(Ns::R, "embed")?.as_ref())?;
        Some(meaning.split_once(' ').map_or(meaning.as_str(), |(_, target)| target))
    }

    /// Where the relationship of an element leads.
    pub(super) fn target(&self, node: Node<'_>) -> Option<String> {
        let id = node.attr_ns(Ns::R, "id")?;
        let meaning = self.0.get(id.as_ref())?;
        Some(meaning.split_once(' ').map_or(meaning.as_str(), |(_, target)| target).to_owned())
    }
}

/// Attributes that programs rewrite at each save and that mean nothing to a reader.
fn is_noise(name: &str, element: Node<'_>) -> bool {
    let local = name.rsplit(':').next().unwrap_or(name);
    if name.starts_with("xmlns") || local.starts_with("rsid") {
        return true;
    }
    match local {
        "paraId" | "textId" | "Ignorable" | "uid" | "dyDescent" | "editId" | "anchorId" => true,
        // White space is compared as it is.
        "space" => name == "xml:space",
        // What the spelling checker left in a run of a slide.
        "dirty" | "err" | "smtClean" | "smtId" | "lang" | "altLang" => element.ns() == Ns::A,
        "id" => matches!(element.local(), "docPr" | "bookmarkStart" | "bookmarkEnd"),
        _ => false,
    }
}

fn is_noise_element(node: Node<'_>) -> bool {
    match node.local() {
        "proofErr" | "lastRenderedPageBreak" | "noProof" | "creationId" | "modId" | "nsid" | "tmpl" => true,
        "lang" => node.ns() == Ns::W && node.parent().is_some_and(|parent| parent.local() == "rPr"),
        "rsid" | "rsids" => node.ns() == Ns::W,
        "bookmarkStart" | "bookmarkEnd" => node.attr("name").is_none_or(|name| name == "_GoBack"),
        _ => false,
    }
}

/// Attributes whose values are words that a person chose, so `true` is not `1` there.
fn is_free_text(node: Node<'_>, local: &str) -> bool {
    matches!(local, "name" | "descr" | "title" | "author" | "initials" | "display" | "tooltip")
        || (local == "val" && matches!(node.local(), "tag" | "alias" | "name" | "docPartGallery"))
}

/// A node in its canonical spelling.
pub(super) fn spelled(node: Node<'_>, links: &Links) -> String {
    let mut out = String::new();
    spell(node, links, &mut out);
    out
}

fn spell(node: Node<'_>, links: &Links, out: &mut String) {
    match node.kind() {
        NodeKind::Text | NodeKind::Cdata => {
            let text = node.text();
            let parent = node.parent();
            // White space between elements only indents them.
            let between = || parent.is_none_or(|parent| parent.elements().next().is_some());
            if !text.trim().is_empty() || !between() {
                out.push_str(&escaped(&text));
            }
            return;
        }
        NodeKind::Aside => return,
        NodeKind::Element if is_noise_element(node) => return,
        NodeKind::Element => {}
    }
    let begin = out.len();
    out.push('<');
    out.push_str(node.local());
    let tag_from = out.len();
    attributes(node, links, out);
    let bare = out.len() == tag_from;
    out.push('>');
    let inside = out.len();
    if node.local().ends_with("Pr") {
        // The order of properties says nothing.
        let mut all: Vec<String> = node.elements().map(|child| spelled(child, links)).collect();
        all.sort_unstable();
        all.iter().for_each(|one| out.push_str(one));
        if bare && out.len() == inside {
            out.truncate(begin);
            return;
        }
    } else {
        children(node, links, out);
    }
    out.push_str("</>");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace("\r\n", "\n")
}

fn attributes(node: Node<'_>, links: &Links, out: &mut String) {
    let mut all: Vec<(String, String)> = Vec::new();
    for one in node.attributes().filter(|one| !is_noise(one.name, node)) {
        let (prefix, local) = one.name.split_once(':').unwrap_or(("", one.name));
        let value = unescape(one.raw);
        let relation = !prefix.is_empty() && node.namespace_of(prefix) == Some(Ns::R);
        let value = match value.as_ref() {
            id if relation => links.0.get(id).cloned().unwrap_or_else(|| id.to_owned()),
            "true" | "on" if !is_free_text(node, local) => "1".to_owned(),
            "false" | "off" if !is_free_text(node, local) => "0".to_owned(),
            other => other.to_owned(),
        };
        // A Word property is on without any value.
        if node.ns() == Ns::W && local == "val" && value == "1" {
            continue;
        }
        all.push((if relation { format!("r:{local}") } else { local.to_owned() }, value));
    }
    all.sort_unstable();
    for (name, value) in all {
        let _ = write!(out, " {name}=\"{}\"", value.replace('&', "&amp;").replace('"', "&quot;"));
    }
}

/// The children of a node. Runs of text that follow each other with the same format are one run.
fn children(node: Node<'_>, links: &Links, out: &mut String) {
    let mut open: Option<String> = None;
    for child in node.children() {
        if !is_run(child) {
            let mut said = String::new();
            spell(child, links, &mut said);
            if said.is_empty() {
                continue;
            }
            if open.take().is_some() {
                out.push_str("</>");
            }
            out.push_str(&said);
            continue;
        }
        let format = child.elements().find(|inner| inner.local() == "rPr");
        let format = format.map(|inner| spelled(inner, links)).unwrap_or_default();
        let mut said = String::new();
        for inner in child.elements().filter(|inner| inner.local() != "rPr") {
            match inner.local() {
                "t" => said.push_str(&escaped(&run_text(inner))),
                _ => spell(inner, links, &mut said),
            }
        }
        if said.is_empty() {
            continue;
        }
        if open.as_ref() != Some(&format) {
            if open.is_some() {
                out.push_str("</>");
            }
            out.push_str("<r>");
            out.push_str(&format);
            open = Some(format);
        }
        out.push_str(&said);
    }
    if open.is_some() {
        out.push_str("</>");
    }
}

fn is_run(node: Node<'_>) -> bool {
    node.is(Ns::W, "r") || node.is(Ns::A, "r")
}

/// The text of a run; Word drops white space at its ends unless `xml:space` keeps it.
fn run_text(node: Node<'_>) -> String {
    let text = node.text();
    let keeps = || node.attributes().any(|one| one.name == "xml:space" && one.raw == "preserve");
    if node.ns() == Ns::W && !keeps() {
        text.trim_matches([' ', '\n', '\t', '\r']).to_owned()
    } else {
        text.into_owned()
    }
}

/// Whether two nodes say the same to a reader, each with the relationships of its own part.
pub(super) fn same(old: (Node<'_>, &Links), new: (Node<'_>, &Links)) -> bool {
    let source = old.0.source();
    if source == new.0.source() && (!source.contains("r:") || old.1.0 == new.1.0) {
        return true;
    }
    spelled(old.0, old.1) == spelled(new.0, new.1)
}

/// Why markup of the old file cannot stand at a place of the new one; none when it can.
pub(super) fn misfit(old: Node<'_>, into: Node<'_>, rels: (&Relationships, &Relationships)) -> Option<String> {
    let mut prefixes: BTreeSet<&str> = BTreeSet::new();
    for node in std::iter::once(old).chain(old.descendants()).filter(|node| node.is_element()) {
        prefixes.insert(node.prefix().trim_end_matches(':'));
        for one in node.attributes() {
            let Some((prefix, _)) = one.name.split_once(':').filter(|(prefix, _)| !matches!(*prefix, "xml" | "xmlns"))
            else {
                continue;
            };
            prefixes.insert(prefix);
            if prefix == "r" {
                let target =
                    |rels: &Relationships| rels.by_id(one.raw).map(|rel| (rel.kind.clone(), rel.target.clone()));
                if target(rels.0) != target(rels.1) {
                    return Some("it leads to another part of the file, which is not there any more".to_owned());
                }
            }
        }
    }
    let known = |prefix: &&str| {
        let uri = |node: Node<'_>| declared(node, prefix);
        uri(old) == uri(into)
    };
    prefixes.iter().any(|prefix| !known(prefix)).then(|| "it uses markup that the file no longer declares".to_owned())
}

/// The namespace URI of a prefix at a node.
fn declared(node: Node<'_>, prefix: &str) -> Option<String> {
    let wanted = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
    let around = std::iter::once(node).chain(node.ancestors());
    around.flat_map(|node| node.attributes().filter(|one| one.name == wanted).map(|one| one.raw.to_owned())).next()
}
