//! Which layout a new slide gets.

use jig_file_api::Strictness;

use super::Editor;
use crate::edit::{EditError, OpInput, nearest};
use crate::error::Error;
use crate::pptx::presentation::Layout;
use crate::pptx::shape::{Shape, shapes};
use crate::pptx::template;

/// The keys that stand for layouts of a kind, with the kinds they are found by, the best first.
const KEYS: [(&str, &[&str]); 12] = [
    ("title_slide", &["title"]),
    ("title_and_content", &["obj", "tx"]),
    ("section_header", &["secHead"]),
    ("two_content", &["twoObj", "twoColTx"]),
    ("comparison", &["twoTxTwoObj"]),
    ("title_only", &["titleOnly"]),
    (BLANK, &["blank"]),
    ("content_with_caption", &["objTx"]),
    ("picture_with_caption", &["picTx"]),
    ("title_and_vertical_text", &["vertTx"]),
    ("vertical_title_and_text", &["vertTitleAndTx"]),
    ("title", &["title"]),
];
const DEFAULT: &str = "title_and_content";
const BLANK: &str = "blank";

/// What a new slide must have a place for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needs {
    pub(super) title: bool,
    pub(super) body: bool,
}

/// A layout, and how surely it is the one that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chosen {
    pub(super) layout: Layout,
    /// Whether text without a placeholder may get a box of its own: the caller did not name this layout.
    pub(super) stand_in: bool,
}

struct Candidate {
    layout: Layout,
    title: bool,
    body: bool,
}

impl Candidate {
    fn fits(&self, needs: Needs) -> bool {
        (self.title || !needs.title) && (self.body || !needs.body)
    }
}

/// Finds the layout by its name, or by a key and the kind it stands for; without either the usual one.
pub(super) fn choose(
    editor: &mut Editor<'_>,
    input: &OpInput,
    given: Option<&str>,
    needs: Needs,
) -> Result<Chosen, Error> {
    let mut candidates = candidates(editor);
    if candidates.is_empty() {
        template::add_master(&mut editor.package)?;
        editor.refresh()?;
        editor.warn(&input.at("layout"), "the deck has no layouts, so a master with the usual ones was added");
        candidates = self::candidates(editor);
    }
    if let Some(given) = given.filter(|given| !given.trim().is_empty()) {
        let wanted = given.trim().to_lowercase();
        if let Some(found) = candidates.iter().find(|found| found.layout.name.trim().to_lowercase() == wanted) {
            return Ok(Chosen { layout: found.layout.clone(), stand_in: false });
        }
    }
    let key = given.map_or_else(|| DEFAULT.to_owned(), |given| given.trim().to_lowercase().replace([' ', '-'], "_"));
    let key = if key.is_empty() { DEFAULT } else { &key };
    let known = |key: &str| KEYS.iter().find(|(known, _)| *known == key);
    let known = match known(key) {
        // The original client's worker takes the usual layout for every name that it does not know.
        None if editor.options.strictness == Strictness::Warn => {
            let error = unknown(input, given.unwrap_or_default(), &candidates);
            editor.warn(&error.at, &format!("{}; `{DEFAULT}` was taken", error.why));
            known(DEFAULT)
        }
        known => known,
    };
    let Some((key, kinds)) = known else {
        return Err(unknown(input, given.unwrap_or_default(), &candidates).into());
    };
    by_kind(editor, input, key, kinds, needs, &candidates)
}

fn by_kind(
    editor: &mut Editor<'_>,
    input: &OpInput,
    key: &str,
    kinds: &[&str],
    needs: Needs,
    candidates: &[Candidate],
) -> Result<Chosen, Error> {
    let of_kind = kinds.iter().flat_map(|kind| candidates.iter().filter(move |found| found.layout.kind == *kind));
    // LibreOffice also calls layouts blank that are full of places for text.
    let of_kind: Vec<&Candidate> = of_kind.filter(|found| key != BLANK || !(found.title || found.body)).collect();
    // Only the usual layout may be stood in for: whoever asks for a blank slide means it.
    let flexible = key == DEFAULT;
    let exact = of_kind.iter().find(|found| found.fits(needs)).or_else(|| of_kind.first().filter(|_| !flexible));
    if let Some(found) = exact {
        return Ok(Chosen { layout: found.layout.clone(), stand_in: false });
    }
    if !flexible && !key_has_stand_in(key) {
        return Err(unknown(input, key, candidates).into());
    }
    let needs = Needs { title: true, body: needs.body || flexible };
    let best = candidates.iter().find(|found| found.fits(needs));
    let best = best.or_else(|| candidates.iter().find(|found| found.body || !needs.body));
    let Some(found) = best.or_else(|| candidates.iter().find(|found| found.title)).or_else(|| candidates.first())
    else {
        return Err(unknown(input, key, candidates).into());
    };
    let what = format!("the deck has no layout of the kind {key}; `{}` was taken", found.layout.name);
    editor.warn(&input.at("layout"), &what);
    Ok(Chosen { layout: found.layout.clone(), stand_in: true })
}

/// The keys of the seed work on every deck.
fn key_has_stand_in(key: &str) -> bool {
    matches!(key, "section_header" | "title_only" | "title_slide" | "title")
}

fn unknown(input: &OpInput, given: &str, candidates: &[Candidate]) -> EditError {
    let names: Vec<&str> = candidates.iter().map(|found| found.layout.name.as_str()).collect();
    let why = format!("there is no layout `{given}`; the deck has {}", names.join(", "));
    let near = nearest(given, names.iter().copied().chain(KEYS.iter().map(|(key, _)| *key)));
    let near = if near.is_empty() { names.iter().take(3).map(|name| (*name).to_owned()).collect() } else { near };
    input.error("layout", why).suggest(near)
}

fn candidates(editor: &mut Editor<'_>) -> Vec<Candidate> {
    let layouts = editor.presentation.layouts(&editor.package);
    layouts.into_iter().filter_map(|layout| candidate(editor, layout)).collect()
}

fn candidate(editor: &Editor<'_>, layout: Layout) -> Option<Candidate> {
    let content = editor.package.xml(&layout.part).ok()?;
    let tree = content.tree(editor.package.limits()).ok()?;
    let shapes = shapes(tree.root(), &[]).ok()?;
    let title = shapes.iter().any(is_title);
    let body = shapes.iter().any(is_body);
    Some(Candidate { layout, title, body })
}

/// Whether a shape is a placeholder for the title.
pub(super) fn is_title(shape: &Shape<'_>) -> bool {
    shape.node.local() == "sp" && shape.placeholder().is_some_and(|found| found.is_title())
}

/// Whether a shape is a placeholder for text.
pub(super) fn is_body(shape: &Shape<'_>) -> bool {
    shape.node.local() == "sp" && shape.placeholder().is_some_and(|found| found.is_body())
}
