//! The deck that a new file starts from: 16:9, one master, the eleven usual layouts, no slides.
//! Its master can also be put into a deck that has none, and its notes master into one without notes.

mod layouts;
mod parts;

use std::sync::Arc;

use crate::content_types::ContentTypes;
use crate::error::Error;
use crate::limits::Limits;
use crate::package::Package;
use crate::relationships::{Relationships, rels_name};
use crate::xml::{Node, Ns, Splice};

use super::markup::Dialect;
use super::presentation::Presentation;
use layouts::LAYOUTS;

/// Width and height of the template in EMU; layouts are drawn in this measure.
const SIZE: (i64, i64) = (12_192_000, 6_858_000);
/// A zip without entries.
const EMPTY_ZIP: [u8; 22] = *b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const TYPE: &str = "application/vnd.openxmlformats-officedocument.presentationml.";
const THEME_TYPE: &str = "application/vnd.openxmlformats-officedocument.theme+xml";
/// The first id that masters and layouts may have.
const FIRST_ID: u64 = 2_147_483_648;

/// A new deck without slides.
pub(super) fn deck(limits: Limits) -> Result<Package, Error> {
    let mut package = Package::open(Arc::<[u8]>::from(EMPTY_ZIP), limits)?;
    package.set("[Content_Types].xml", content_types().as_bytes());
    let part = "ppt/presentation.xml";
    package.set(&rels_name(""), package_relationships().as_bytes());
    package.set(part, parts::presentation(SIZE).as_bytes());
    ContentTypes::add(&mut package, part, &format!("{TYPE}presentation.main+xml"))?;
    add_master(&mut package)?;
    let more = [
        ("presProps", "ppt/presProps.xml", parts::bare("presentationPr")),
        ("viewProps", "ppt/viewProps.xml", parts::bare("viewPr")),
        ("tableStyles", "ppt/tableStyles.xml", parts::table_styles()),
    ];
    for (kind, name, text) in more {
        package.set(name, text.as_bytes());
        ContentTypes::add(&mut package, name, &format!("{TYPE}{kind}+xml"))?;
        Relationships::add(&mut package, part, kind, name)?;
    }
    Ok(package)
}

/// Puts the master with its theme and layouts into a deck that has none.
pub(super) fn add_master(package: &mut Package) -> Result<(), Error> {
    let presentation = Presentation::read(package)?;
    let dialect = Dialect::of_deck(presentation.strict);
    let folder = presentation.folder();
    let master = free_part(package, &format!("{folder}slideMasters/slideMaster{{}}.xml"));
    package.set(&master, b"");
    add_theme(package, folder, &master, dialect)?;
    let first_id = free_ids(package, &presentation);
    let mut ids = String::new();
    for (number, layout) in LAYOUTS.iter().enumerate() {
        let part = free_part(package, &format!("{folder}slideLayouts/slideLayout{{}}.xml"));
        package.set(&part, layout.markup(dialect, presentation.size).as_bytes());
        ContentTypes::add(package, &part, &format!("{TYPE}slideLayout+xml"))?;
        Relationships::add(package, &part, "slideMaster", &master)?;
        let id = Relationships::add(package, &master, "slideLayout", &part)?;
        ids.push_str(&format!(r#"<p:sldLayoutId id="{}" r:id="{id}"/>"#, first_id + 1 + number as u64));
    }
    package.set(&master, parts::master(dialect, presentation.size, &ids).as_bytes());
    ContentTypes::add(package, &master, &format!("{TYPE}slideMaster+xml"))?;
    put_master(package, &presentation, &master, first_id)
}

fn put_master(package: &mut Package, presentation: &Presentation, master: &str, number: u64) -> Result<(), Error> {
    let id = Relationships::add(package, &presentation.part, "slideMaster", master)?;
    let entry = |p: &str, r: &str| format!(r#"<{p}sldMasterId id="{number}" {r}id="{id}""#);
    put_into_presentation(package, &presentation.part, &MASTERS, entry)
}

/// Names a master that is in the package in the presentation.
pub(super) fn link_master(package: &mut Package, master: &str) -> Result<(), Error> {
    let presentation = Presentation::read(package)?;
    let number = free_ids(package, &presentation);
    put_master(package, &presentation, master, number)
}

/// Names a layout that is in the package in its master.
pub(super) fn link_layout(package: &mut Package, master: &str, layout: &str) -> Result<(), Error> {
    let number = free_ids(package, &Presentation::read(package)?);
    let id = Relationships::add(package, master, "slideLayout", layout)?;
    let mut content = package.xml(master)?;
    let tree = content.tree(package.limits())?;
    let root = tree.root();
    let (r, declared) = Dialect::of(root).attribute_prefix(root, Ns::R, "r");
    let p = root.prefix();
    let entry = format!(r#"<{p}sldLayoutId id="{number}" {r}id="{id}"{declared}/>"#);
    let mut splice = Splice::new(&content.text);
    match (root.child(Ns::P, "sldLayoutIdLst"), root.child(Ns::P, "clrMap")) {
        (Some(list), _) => splice.append(list, entry),
        (None, Some(map)) => splice.after(map, format!("<{p}sldLayoutIdLst>{entry}</{p}sldLayoutIdLst>")),
        (None, None) => splice.append(root, format!("<{p}sldLayoutIdLst>{entry}</{p}sldLayoutIdLst>")),
    }
    content.text = splice.finish().map_err(|error| crate::error::InternalError::overlap(master, &error))?;
    package.set_xml(&content);
    Ok(())
}

/// Puts a notes master with its theme into a deck that has none, and gives its part.
pub(super) fn add_notes_master(package: &mut Package) -> Result<String, Error> {
    let presentation = Presentation::read(package)?;
    let dialect = Dialect::of_deck(presentation.strict);
    let folder = presentation.folder();
    let master = free_part(package, &format!("{folder}notesMasters/notesMaster{{}}.xml"));
    package.set(&master, parts::notes_master(dialect).as_bytes());
    ContentTypes::add(package, &master, &format!("{TYPE}notesMaster+xml"))?;
    add_theme(package, folder, &master, dialect)?;
    let id = Relationships::add(package, &presentation.part, "notesMaster", &master)?;
    let entry = |p: &str, r: &str| format!(r#"<{p}notesMasterId {r}id="{id}""#);
    put_into_presentation(package, &presentation.part, &NOTES_MASTERS, entry)?;
    Ok(master)
}

fn add_theme(package: &mut Package, folder: &str, owner: &str, dialect: Dialect) -> Result<(), Error> {
    let theme = free_part(package, &format!("{folder}theme/theme{{}}.xml"));
    package.set(&theme, parts::theme(dialect).as_bytes());
    ContentTypes::add(package, &theme, THEME_TYPE)?;
    Relationships::add(package, owner, "theme", &theme)?;
    Ok(())
}

/// A part name that is free, and whose relationships are free too: an orphan's must not be taken over.
pub(super) fn free_part(package: &Package, pattern: &str) -> String {
    let mut number = 1_u64;
    loop {
        let name = pattern.replace("{}", &number.to_string());
        if !package.has(&name) && !package.has(&rels_name(&name)) {
            return name;
        }
        number += 1;
    }
}

/// A number from which on masters and layouts have none yet: they share one range.
fn free_ids(package: &Package, presentation: &Presentation) -> u64 {
    let mut highest = FIRST_ID - 1;
    for part in std::iter::once(&presentation.part).chain(&presentation.masters) {
        let Ok(content) = package.xml(part) else { continue };
        let Ok(tree) = content.tree(package.limits()) else { continue };
        let lists = tree.root().elements().filter(|node| matches!(node.local(), "sldMasterIdLst" | "sldLayoutIdLst"));
        let ids = lists.flat_map(Node::elements).filter_map(|entry| entry.attr("id")?.parse::<u64>().ok());
        highest = ids.filter(|id| *id < u64::from(u32::MAX) - 100).fold(highest, u64::max);
    }
    highest + 1
}

/// A list of the presentation part that names masters.
struct MasterList {
    name: &'static str,
    /// The list before it.
    behind: &'static str,
    /// Whether it can hold more than one.
    many: bool,
}

const MASTERS: MasterList = MasterList { name: "sldMasterIdLst", behind: "", many: true };
const NOTES_MASTERS: MasterList = MasterList { name: "notesMasterIdLst", behind: "sldMasterIdLst", many: false };

/// Puts an entry into a list of masters. `entry` gives its tag up to the last attribute.
fn put_into_presentation(
    package: &mut Package,
    part: &str,
    list: &MasterList,
    entry: impl Fn(&str, &str) -> String,
) -> Result<(), Error> {
    let mut content = package.xml(part)?;
    let tree = content.tree(package.limits())?;
    let root = tree.root();
    let (r, declared) = Dialect::of(root).attribute_prefix(root, Ns::R, "r");
    let (p, name) = (root.prefix(), list.name);
    let entry = format!("{}{declared}/>", entry(p, &r));
    let mut splice = Splice::new(&content.text);
    match (root.child(Ns::P, name), root.child(Ns::P, list.behind)) {
        (Some(old), _) if list.many => splice.append(old, entry),
        (Some(old), _) => splice.set_inner(old, entry),
        (None, Some(before)) => splice.after(before, format!("<{p}{name}>{entry}</{p}{name}>")),
        (None, None) => splice.prepend(root, format!("<{p}{name}>{entry}</{p}{name}>")),
    }
    content.text = splice.finish().map_err(|error| crate::error::InternalError::overlap(part, &error))?;
    package.set_xml(&content);
    Ok(())
}

fn content_types() -> String {
    format!(
        "{HEAD}<Types xmlns=\"{}\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"xml\" ContentType=\"application/xml\"/></Types>",
        Ns::Types.uri()
    )
}

fn package_relationships() -> String {
    format!(
        "{HEAD}<Relationships xmlns=\"{}\"><Relationship Id=\"rId1\" Type=\"{}/officeDocument\" Target=\"ppt/presentation.xml\"/></Relationships>",
        Ns::Rels.uri(),
        Ns::R.uri()
    )
}
