//! Form fields, with their names, types and values.

use std::collections::{HashMap, HashSet};

use hayro::hayro_syntax::object::{Array, Dict, Name, Object, ObjectIdentifier};
use serde::Serialize;
use serde_json::Value;

use super::{Document, words};

/// The most fields that are given.
const MOST: usize = 1_000;
/// How deep fields may be nested.
const DEEPEST: usize = 32;

/// One field.
#[derive(Debug, Serialize)]
pub(super) struct Field {
    /// With the names of the fields around it, as in `person.name`.
    name: String,
    r#type: &'static str,
    value: Option<Value>,
    /// From 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<usize>,
    /// What a person sees as its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// What can be chosen.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    options: Vec<Value>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    read_only: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    required: bool,
}

/// What fields take from those around them.
#[derive(Clone, Default)]
struct Above<'a> {
    name: String,
    kind: Option<Name<'a>>,
    flags: u32,
    value: Option<Object<'a>>,
}

pub(super) fn read(
    document: &Document,
    places: &HashMap<ObjectIdentifier, usize>,
    warnings: &mut Vec<String>,
) -> Vec<Field> {
    let Some(form) = document.root().get::<Dict<'_>>(b"AcroForm") else { return Vec::new() };
    if form.contains_key(b"XFA") {
        warnings.push("the file has an XFA form; only its plain fields are read".to_owned());
    }
    let Some(fields) = form.get::<Array<'_>>(b"Fields") else { return Vec::new() };
    let widgets = widgets(document);
    let mut walk = Walk { places, widgets, seen: HashSet::new(), fields: Vec::new(), cut: false };
    for field in fields.iter::<Dict<'_>>() {
        walk.field(&field, &Above::default(), 0);
    }
    if walk.cut {
        warnings.push(format!("the form has more fields than the {MOST} that are given"));
    }
    walk.fields
}

/// On which page, from 1, each annotation object is.
fn widgets(document: &Document) -> HashMap<ObjectIdentifier, usize> {
    let mut widgets = HashMap::new();
    for (index, page) in document.pdf.pages().iter().enumerate() {
        let annotations = page.raw().get::<Array<'_>>(b"Annots");
        for annotation in annotations.iter().flat_map(|list| list.raw_iter()) {
            if let Some(id) = annotation.as_obj_ref() {
                widgets.insert(ObjectIdentifier::from(id), index + 1);
            }
        }
    }
    widgets
}

struct Walk<'d> {
    places: &'d HashMap<ObjectIdentifier, usize>,
    widgets: HashMap<ObjectIdentifier, usize>,
    seen: HashSet<ObjectIdentifier>,
    fields: Vec<Field>,
    cut: bool,
}

impl Walk<'_> {
    fn field<'a>(&mut self, dict: &Dict<'a>, above: &Above<'a>, depth: usize) {
        if dict.obj_id().is_some_and(|id| !self.seen.insert(id)) || depth > DEEPEST {
            return;
        }
        if self.fields.len() >= MOST {
            self.cut = true;
            return;
        }
        let here = above.with(dict);
        let kids = dict.get::<Array<'a>>(b"Kids");
        let kids: Vec<Dict<'a>> = kids.iter().flat_map(|kids| kids.iter::<Dict<'a>>()).collect();
        // Kids without a name are places of this same field.
        if kids.iter().any(|kid| kid.contains_key(b"T")) {
            for kid in &kids {
                self.field(kid, &here, depth + 1);
            }
            return;
        }
        let Some(kind) = &here.kind else { return };
        let page = self.page(dict).or_else(|| kids.iter().find_map(|kid| self.page(kid)));
        self.fields.push(Field {
            r#type: kind_word(kind, here.flags),
            value: here.value.as_ref().and_then(words::value),
            page,
            label: words::entry(dict, b"TU"),
            options: options(dict),
            read_only: here.flags & 1 != 0,
            required: here.flags & 2 != 0,
            name: here.name,
        });
    }

    fn page(&self, dict: &Dict<'_>) -> Option<usize> {
        let named = dict.get_ref(b"P").and_then(|page| self.places.get(&ObjectIdentifier::from(page)));
        named.or_else(|| self.widgets.get(&dict.obj_id()?)).copied()
    }
}

impl<'a> Above<'a> {
    fn with(&self, dict: &Dict<'a>) -> Self {
        let own = words::entry(dict, b"T").unwrap_or_default();
        let name = match (self.name.as_str(), own.as_str()) {
            (above, "") => above.to_owned(),
            ("", own) => own.to_owned(),
            (above, own) => format!("{above}.{own}"),
        };
        Self {
            name,
            kind: dict.get::<Name<'a>>(b"FT").or_else(|| self.kind.clone()),
            flags: dict.get::<u32>(b"Ff").unwrap_or(self.flags),
            value: dict.get::<Object<'a>>(b"V").or_else(|| self.value.clone()),
        }
    }
}

fn kind_word(kind: &Name<'_>, flags: u32) -> &'static str {
    let flag = |bit: u32| flags & (1 << (bit - 1)) != 0;
    match kind.as_ref() {
        b"Tx" => "text",
        b"Btn" if flag(17) => "button",
        b"Btn" if flag(16) => "radio",
        b"Btn" => "checkbox",
        b"Ch" if flag(18) => "combo",
        b"Ch" => "list",
        b"Sig" => "signature",
        _ => "other",
    }
}

fn options(dict: &Dict<'_>) -> Vec<Value> {
    dict.get::<Array<'_>>(b"Opt").map_or_else(Vec::new, |list| choices(&list))
}

/// The choices: texts, or pairs of an exported and a shown text, of which the shown one counts.
pub(in crate::pdf) fn choices(list: &Array<'_>) -> Vec<Value> {
    let shown = |one: Object<'_>| match &one {
        Object::Array(pair) => pair.iter::<Object<'_>>().nth(1).and_then(|shown| words::value(&shown)),
        one => words::value(one),
    };
    list.iter::<Object<'_>>().take(MOST).filter_map(shown).collect()
}
