//! Form fields: filling them, with what viewers draw for them, and keeping the list of fields when pages come and go.

use std::collections::HashSet;

use jig_file_api::nearest;
use jig_file_api::ops::pdf::FillForm;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, decode_text_string, text_string};
use serde_json::Value;

use super::{PdfEditError, PdfEditor, op_error, references, resolved};

/// The most fields of a form.
const MOST: usize = 10_000;
/// How deep fields are nested.
const DEEPEST: usize = 32;

/// A field with all that it takes from those around it.
struct Field {
    id: ObjectId,
    name: String,
    kind: Vec<u8>,
    flags: i64,
    /// Its places on pages: itself, or its kids.
    widgets: Vec<ObjectId>,
    /// How its text looks.
    appearance: Option<Vec<u8>>,
}

impl Field {
    fn flag(&self, bit: u32) -> bool {
        self.flags & (1 << (bit - 1)) != 0
    }
}

fn form_of(document: &Document) -> Option<&Dictionary> {
    resolved(document, document.catalog().ok()?.get(b"AcroForm").ok()?).as_dict().ok()
}

/// Changes the dictionary of the form, wherever it is.
fn change_form(document: &mut Document, change: impl FnOnce(&mut Dictionary)) {
    let id = document.catalog().ok().and_then(|catalog| catalog.get(b"AcroForm").ok()?.as_reference().ok());
    let form = match id {
        Some(id) => document.get_dictionary_mut(id),
        None => document.catalog_mut().and_then(|catalog| catalog.get_mut(b"AcroForm")).and_then(Object::as_dict_mut),
    };
    if let Ok(form) = form {
        change(form);
    }
}

/// Whether a signature field is signed.
pub(super) fn is_signed(document: &Document) -> bool {
    fields(document)
        .iter()
        .any(|field| field.kind == b"Sig" && document.get_dictionary(field.id).is_ok_and(|field| field.has(b"V")))
}

fn fields(document: &Document) -> Vec<Field> {
    let mut found = Vec::new();
    let Some(form) = form_of(document) else { return found };
    let text = |key: &[u8]| form.get(key).ok().and_then(|value| resolved(document, value).as_str().ok());
    let above = Above { appearance: text(b"DA").map(<[u8]>::to_vec), ..Above::default() };
    let mut seen = HashSet::new();
    for id in form.get(b"Fields").map(|list| references(document, list)).unwrap_or_default() {
        walk(document, id, &above, 0, &mut seen, &mut found);
    }
    found
}

#[derive(Clone, Default)]
struct Above {
    name: String,
    kind: Vec<u8>,
    flags: i64,
    appearance: Option<Vec<u8>>,
}

fn walk(
    document: &Document,
    id: ObjectId,
    above: &Above,
    depth: usize,
    seen: &mut HashSet<ObjectId>,
    found: &mut Vec<Field>,
) {
    if depth > DEEPEST || found.len() >= MOST || !seen.insert(id) {
        return;
    }
    let Ok(field) = document.get_dictionary(id) else { return };
    let value = |key: &[u8]| field.get(key).ok().map(|value| resolved(document, value));
    let own = value(b"T").and_then(|name| decode_text_string(name).ok()).unwrap_or_default();
    let name = match (above.name.as_str(), own.as_str()) {
        (above, "") => above.to_owned(),
        ("", own) => own.to_owned(),
        (above, own) => format!("{above}.{own}"),
    };
    let here = Above {
        name,
        kind: value(b"FT").and_then(|kind| kind.as_name().ok()).map_or_else(|| above.kind.clone(), <[u8]>::to_vec),
        flags: value(b"Ff").and_then(|flags| flags.as_i64().ok()).unwrap_or(above.flags),
        appearance: value(b"DA")
            .and_then(|text| text.as_str().ok())
            .map(<[u8]>::to_vec)
            .or_else(|| above.appearance.clone()),
    };
    let kids = value(b"Kids").map(|kids| references(document, kids)).unwrap_or_default();
    // Kids with a name are fields, and others are places of this one.
    let named = |kid: &ObjectId| document.get_dictionary(*kid).is_ok_and(|kid| kid.has(b"T"));
    if kids.iter().any(named) {
        for kid in kids {
            walk(document, kid, &here, depth + 1, seen, found);
        }
        return;
    }
    let widgets = if kids.is_empty() { vec![id] } else { kids };
    found.push(Field { id, name: here.name, kind: here.kind, flags: here.flags, widgets, appearance: here.appearance });
}

impl PdfEditor<'_> {
    pub(super) fn fill_form(&mut self, index: usize, op: &FillForm) -> Result<String, PdfEditError> {
        let all = fields(&self.document);
        let at = format!("ops[{index}].fields");
        if all.is_empty() {
            return Err(op_error(at, "the file has no form fields".to_owned()));
        }
        if op.fields.is_empty() {
            return Err(op_error(at, "missing or empty: give at least one field".to_owned()));
        }
        for (name, value) in &op.fields {
            let at = format!("{at}.{name}");
            let field = all.iter().find(|field| field.name == *name).or_else(|| {
                // The last part of a name is enough where it is the only one.
                let mut ends = all.iter().filter(|field| field.name.rsplit('.').next() == Some(name.as_str()));
                ends.next().filter(|_| ends.next().is_none())
            });
            let Some(field) = field else {
                let names: Vec<&str> = all.iter().map(|field| field.name.as_str()).collect();
                let listed: Vec<&str> = names.iter().take(20).copied().collect();
                let why = format!("field not found; the form has {}", listed.join(", "));
                let near = nearest(name, names.iter().copied());
                return Err(PdfEditError::Op { at, why, suggestions: near });
            };
            if field.flag(1) {
                return Err(op_error(at, "the field is read-only".to_owned()));
            }
            self.fill(&at, field, value)?;
        }
        if form_of(&self.document).is_some_and(|form| form.has(b"XFA")) {
            self.warnings.push("the XFA form was removed, since viewers would show its old values".to_owned());
        }
        change_form(&mut self.document, |form| {
            form.remove(b"XFA");
            form.set("NeedAppearances", true);
        });
        let count = op.fields.len();
        Ok(format!("Filled {count} field{}.", if count == 1 { "" } else { "s" }))
    }

    fn fill(&mut self, at: &str, field: &Field, value: &Value) -> Result<(), PdfEditError> {
        match field.kind.as_slice() {
            b"Tx" => self.fill_text(at, field, value),
            b"Btn" if field.flag(17) => {
                Err(op_error(at.to_owned(), "the field is a button without a value".to_owned()))
            }
            b"Btn" => self.fill_button(at, field, value),
            b"Ch" => self.fill_choice(at, field, value),
            b"Sig" => Err(op_error(at.to_owned(), "the field is for a signature and cannot be filled".to_owned())),
            _ => Err(op_error(at.to_owned(), "the field has no type, so it cannot be filled".to_owned())),
        }
    }

    fn fill_text(&mut self, at: &str, field: &Field, value: &Value) -> Result<(), PdfEditError> {
        let text = match value {
            Value::Null => String::new(),
            Value::String(text) => text.replace("\r\n", "\n"),
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            _ => return Err(op_error(at.to_owned(), "expected a text".to_owned())),
        };
        let text: String = text.chars().filter(|c| !c.is_control() || *c == '\n').collect();
        let longest =
            self.document.get_dictionary(field.id).ok().and_then(|field| field.get(b"MaxLen").ok()?.as_i64().ok());
        let given = text.chars().count();
        if let Some(longest) = longest.and_then(|longest| usize::try_from(longest).ok()).filter(|most| given > *most) {
            let why = format!("the text has {given} characters; the field takes {longest}");
            return Err(op_error(at.to_owned(), why));
        }
        let text = if field.flag(13) { text } else { text.replace('\n', " ") };
        self.set(field.id, b"V", text_string(&text));
        self.draw(field, &text, field.flag(13));
        Ok(())
    }

    fn fill_choice(&mut self, at: &str, field: &Field, value: &Value) -> Result<(), PdfEditError> {
        let given: Vec<String> = match value {
            Value::Null => Vec::new(),
            Value::String(text) => vec![text.clone()],
            Value::Number(number) => vec![number.to_string()],
            Value::Array(list) if field.flag(22) && list.iter().all(Value::is_string) => {
                list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            _ => return Err(op_error(at.to_owned(), "expected one of the choices".to_owned())),
        };
        let options = self.options(field.id);
        let mut exported = Vec::new();
        for one in &given {
            match options.iter().find(|(export, shown)| shown == one || export == one) {
                Some((export, _)) => exported.push(export.clone()),
                // A combo field may take any text.
                None if field.flag(18) && field.flag(19) => exported.push(one.clone()),
                None => {
                    let shown: Vec<&str> = options.iter().map(|(_, shown)| shown.as_str()).collect();
                    let listed: Vec<&str> = shown.iter().take(20).copied().collect();
                    let why = format!("`{one}` is not one of the choices: {}", listed.join(", "));
                    let near = nearest(one, shown.iter().copied());
                    return Err(PdfEditError::Op { at: at.to_owned(), why, suggestions: near });
                }
            }
        }
        let stored = match exported.as_slice() {
            [one] => text_string(one),
            several => Object::Array(several.iter().map(|one| text_string(one)).collect()),
        };
        self.set(field.id, b"V", stored);
        // Which of the options is marked follows from the value.
        if let Ok(field) = self.document.get_dictionary_mut(field.id) {
            field.remove(b"I");
        }
        let shown: Vec<&str> = exported
            .iter()
            .map(|export| options.iter().find(|(known, _)| known == export).map_or(export.as_str(), |(_, shown)| shown))
            .collect();
        self.draw(field, &shown.join(", "), false);
        Ok(())
    }

    /// The choices of a field: what is stored, and what is shown.
    fn options(&self, field: ObjectId) -> Vec<(String, String)> {
        let document = &self.document;
        let list = document.get_dictionary(field).and_then(|field| field.get(b"Opt"));
        let list = list.map(|list| resolved(document, list)).and_then(Object::as_array);
        let text = |object: &Object| decode_text_string(resolved(document, object)).ok();
        let option = |one: &Object| match resolved(document, one) {
            Object::Array(pair) => Some((text(pair.first()?)?, text(pair.get(1)?)?)),
            one => text(one).map(|text| (text.clone(), text)),
        };
        list.map(|list| list.iter().take(MOST).filter_map(option).collect()).unwrap_or_default()
    }

    fn fill_button(&mut self, at: &str, field: &Field, value: &Value) -> Result<(), PdfEditError> {
        let states: Vec<Vec<Vec<u8>>> = field.widgets.iter().map(|widget| self.states(*widget)).collect();
        let mut names: Vec<String> =
            states.iter().flatten().map(|state| String::from_utf8_lossy(state).into_owned()).collect();
        names.dedup();
        let options = self.options(field.id);
        let wanted: Option<Vec<u8>> = match value {
            Value::Null | Value::Bool(false) => None,
            Value::Bool(true) if !field.flag(16) => {
                Some(states.iter().flatten().next().cloned().unwrap_or(b"Yes".to_vec()))
            }
            Value::String(text) if text.is_empty() || text == "Off" => None,
            Value::String(text) => {
                let state = states.iter().flatten().find(|state| state.as_slice() == text.as_bytes());
                // The states of radio buttons may be numbers of their options.
                let option = || {
                    let place = options.iter().position(|(export, shown)| export == text || shown == text)?;
                    let number = place.to_string().into_bytes();
                    states.iter().flatten().find(|state| **state == number)
                };
                let yes = || ["yes", "on", "true", "x", "checked"].contains(&text.to_lowercase().as_str());
                match state.or_else(option) {
                    Some(state) => Some(state.clone()),
                    None if !field.flag(16) && yes() => {
                        states.iter().flatten().next().cloned().or(Some(b"Yes".to_vec()))
                    }
                    None if !field.flag(16) && text.eq_ignore_ascii_case("no") => None,
                    None => {
                        let near = nearest(text, names.iter().map(String::as_str));
                        let why = format!("`{text}` is not a state of the field: {}", names.join(", "));
                        return Err(PdfEditError::Op { at: at.to_owned(), why, suggestions: near });
                    }
                }
            }
            _ => {
                let why = format!("expected true or false, or one of {}", names.join(", "));
                return Err(op_error(at.to_owned(), why));
            }
        };
        let off = b"Off".to_vec();
        self.set(field.id, b"V", Object::Name(wanted.clone().unwrap_or_else(|| off.clone())));
        for (widget, states) in field.widgets.iter().zip(&states) {
            // A box without drawn states takes the name all the same.
            let on = wanted.as_ref().filter(|wanted| states.contains(wanted) || (states.is_empty() && !field.flag(16)));
            self.set(*widget, b"AS", Object::Name(on.cloned().unwrap_or_else(|| off.clone())));
        }
        Ok(())
    }

    /// The states that a button is drawn in, besides `Off`.
    fn states(&self, widget: ObjectId) -> Vec<Vec<u8>> {
        let document = &self.document;
        let drawn =
            document.get_dictionary(widget).and_then(|widget| widget.get(b"AP")).map(|drawn| resolved(document, drawn));
        let normal =
            drawn.and_then(Object::as_dict).and_then(|drawn| drawn.get(b"N")).map(|normal| resolved(document, normal));
        let states =
            normal.and_then(Object::as_dict).map(|normal| normal.iter().map(|(name, _)| name.clone()).collect());
        let states: Vec<Vec<u8>> = states.unwrap_or_default();
        states.into_iter().filter(|state| state != b"Off").collect()
    }

    fn set(&mut self, id: ObjectId, key: &[u8], value: Object) {
        if let Ok(dictionary) = self.document.get_dictionary_mut(id) {
            dictionary.set(key, value);
        }
    }

    /// Draws a text in the places of a field. A text that the usual fonts cannot show is left to the viewer.
    fn draw(&mut self, field: &Field, text: &str, lines: bool) {
        let encoded = win_ansi(text);
        let resources = form_of(&self.document).and_then(|form| form.get(b"DR").ok()).cloned();
        for widget in &field.widgets {
            let drawn = encoded.as_ref().and_then(|text| {
                let size = self.size(*widget)?;
                let content = content(field.appearance.as_deref(), text, size, lines);
                let mut form = Dictionary::new();
                form.set("Type", Object::Name(b"XObject".to_vec()));
                form.set("Subtype", Object::Name(b"Form".to_vec()));
                form.set("BBox", vec![0.into(), 0.into(), Object::Real(size.0), Object::Real(size.1)]);
                form.set("Resources", resources.clone().unwrap_or_else(|| Object::Dictionary(Dictionary::new())));
                Some(self.document.add_object(Stream::new(form, content)))
            });
            match drawn {
                Some(stream) => {
                    let mut drawn = Dictionary::new();
                    drawn.set("N", stream);
                    self.set(*widget, b"AP", Object::Dictionary(drawn));
                }
                None => {
                    if let Ok(widget) = self.document.get_dictionary_mut(*widget) {
                        widget.remove(b"AP");
                    }
                }
            }
        }
    }

    /// Width and height of a place.
    fn size(&self, widget: ObjectId) -> Option<(f32, f32)> {
        let rectangle = resolved(&self.document, self.document.get_dictionary(widget).ok()?.get(b"Rect").ok()?);
        let sides: Vec<f32> = rectangle
            .as_array()
            .ok()?
            .iter()
            .filter_map(|side| resolved(&self.document, side).as_float().ok())
            .collect();
        let [left, bottom, right, top] = sides.as_slice() else { return None };
        let (width, height) = ((right - left).abs(), (top - bottom).abs());
        (width.is_finite() && height.is_finite() && width > 0.0 && height > 0.0).then_some((width, height))
    }
}

/// The text in the encoding of the usual fonts; none if a character is not in it.
fn win_ansi(text: &str) -> Option<Vec<u8>> {
    let code = |c: char| match c {
        '\n' => Some(b'\n'),
        ' '..='~' | '\u{a0}'..='\u{ff}' => u8::try_from(u32::from(c)).ok(),
        '€' => Some(0x80),
        '…' => Some(0x85),
        '‘' => Some(0x91),
        '’' => Some(0x92),
        '“' => Some(0x93),
        '”' => Some(0x94),
        '•' => Some(0x95),
        '–' => Some(0x96),
        '—' => Some(0x97),
        _ => None,
    };
    text.chars().map(code).collect()
}

/// The drawing of a text in a place.
fn content(appearance: Option<&[u8]>, text: &[u8], (width, height): (f32, f32), lines: bool) -> Vec<u8> {
    let given = appearance.map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default();
    let mut words: Vec<String> = given.split_whitespace().map(str::to_owned).collect();
    let font = words.iter().position(|word| word == "Tf").filter(|at| *at >= 2);
    let size =
        font.and_then(|at| words.get(at - 1)).and_then(|size| size.parse::<f32>().ok()).filter(|size| *size > 0.0);
    let longest = text.split(|byte| *byte == b'\n').map(<[u8]>::len).max().unwrap_or(1).max(1);
    // A size of 0 asks for the one that fits; characters are taken as half as wide as high.
    let fitting = (height * 0.7).min((width - 4.0) / (longest as f32 * 0.5)).clamp(4.0, 12.0);
    let size = size.unwrap_or(fitting);
    match font {
        Some(at) => {
            if let Some(word) = words.get_mut(at - 1) {
                *word = size.to_string();
            }
        }
        None => words.extend(["/Helv".to_owned(), size.to_string(), "Tf".to_owned()]),
    }
    let mut out =
        format!("/Tx BMC\nq\n1 1 {} {} re W n\nBT\n{}\n", width - 2.0, height - 2.0, words.join(" ")).into_bytes();
    let top = if lines { height - size - 2.0 } else { (height - size) / 2.0 + size * 0.22 };
    let room = (((width - 4.0) / (size * 0.5)).floor() as usize).max(1);
    let rows = if lines { wrapped(text, room) } else { vec![text.to_vec()] };
    for (number, row) in rows.iter().enumerate() {
        let step = if number == 0 { format!("2 {top} Td\n") } else { format!("0 {} Td\n", -size * 1.15) };
        out.extend(step.into_bytes());
        out.push(b'(');
        for byte in row {
            if matches!(byte, b'(' | b')' | b'\\') {
                out.push(b'\\');
            }
            out.push(*byte);
        }
        out.extend(b") Tj\n");
    }
    out.extend(b"ET\nQ\nEMC");
    out
}

/// Lines of at most so many characters, broken at blanks.
fn wrapped(text: &[u8], room: usize) -> Vec<Vec<u8>> {
    let mut rows = Vec::new();
    for line in text.split(|byte| *byte == b'\n') {
        let mut row: Vec<u8> = Vec::new();
        for word in line.split(|byte| *byte == b' ') {
            if !row.is_empty() && row.len() + 1 + word.len() > room {
                rows.push(std::mem::take(&mut row));
            } else if !row.is_empty() {
                row.push(b' ');
            }
            row.extend(word);
        }
        rows.push(row);
    }
    rows
}

/// Takes fields out of the form whose places are gone.
pub(super) fn forget(document: &mut Document, gone: &HashSet<ObjectId>) {
    let lost: HashSet<ObjectId> = fields(document)
        .into_iter()
        .filter(|field| field.widgets.iter().all(|widget| gone.contains(widget)))
        .map(|field| field.id)
        .collect();
    let is_gone = |id: ObjectId| gone.contains(&id) || lost.contains(&id);
    let Some(form) = form_of(document) else { return };
    let list = form.get(b"Fields").map(|list| references(document, list)).unwrap_or_default();
    let left: Vec<Object> = list.into_iter().filter(|id| !is_gone(*id)).map(Object::Reference).collect();
    change_form(document, |form| form.set("Fields", left));
    for field in document.objects.values_mut() {
        let Ok(field) = field.as_dict_mut() else { continue };
        if !field.has(b"T") && !field.has(b"FT") {
            continue;
        }
        if let Ok(kids) = field.get_mut(b"Kids").and_then(Object::as_array_mut) {
            kids.retain(|kid| kid.as_reference().map_or(true, |id| !is_gone(id)));
        }
    }
}

/// Adds the fields of another file to the form. Fields of the same name get a number, since they would share a value.
pub(super) fn join(document: &mut Document, other: &Document, path: &str, warnings: &mut Vec<String>) {
    let Some(form) = form_of(other) else { return };
    let list = form.get(b"Fields").map(|list| references(other, list)).unwrap_or_default();
    if list.is_empty() {
        return;
    }
    if form_of(document).is_none() {
        let mut copy = form.clone();
        copy.remove(b"XFA");
        let id = document.add_object(Object::Null);
        // The number must be free in both: the other file's objects follow.
        document.objects.remove(&id);
        if let Ok(catalog) = document.catalog_mut() {
            catalog.set("AcroForm", Object::Dictionary(copy));
        }
        return;
    }
    let taken: HashSet<String> = fields(document).into_iter().map(|field| field.name).collect();
    let same = fields(other).iter().filter(|field| taken.contains(&field.name)).count();
    if same > 0 {
        warnings.push(format!(
            "{path}: {same} fields have names of fields that are in the form already; they share values"
        ));
    }
    let own = form_of(document).and_then(|form| form.get(b"Fields").ok()).map(|list| references(document, list));
    let all: Vec<Object> = own.unwrap_or_default().into_iter().chain(list).map(Object::Reference).collect();
    let resources = form.get(b"DR").ok().cloned();
    change_form(document, |form| {
        form.set("Fields", all);
        if let Some(resources) = resources.filter(|_| !form.has(b"DR")) {
            form.set("DR", resources);
        }
    });
}
