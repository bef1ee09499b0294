//! Styles with what they inherit, resolved once, and the formats of runs.

use std::collections::HashMap;

use super::word;
use crate::edit::nearest;
use crate::error::PackageError;
use crate::limits::Limits;
use crate::xml::{Node, Ns, Tree, XmlPart};

/// What a style applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StyleKind {
    /// Paragraphs.
    Paragraph,
    /// Runs.
    Character,
    /// Tables.
    Table,
    /// Lists.
    Numbering,
}

impl StyleKind {
    /// Its name in the protocol, such as `paragraph_style`.
    pub fn asset_type(self) -> &'static str {
        match self {
            Self::Paragraph => "paragraph_style",
            Self::Character => "character_style",
            Self::Table => "table_style",
            Self::Numbering => "numbering_style",
        }
    }
}

/// The list and level of a paragraph or style. Either can be inherited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ListRef {
    /// The list; 0 means none.
    pub num_id: Option<i64>,
    /// The level, from 0.
    pub level: Option<i64>,
}

impl ListRef {
    /// Reads `w:numPr` of a `w:pPr`.
    pub fn read(properties: Node<'_>) -> Self {
        let Some(list) = properties.child(Ns::W, "numPr") else { return Self::default() };
        Self { num_id: word::child_number(list, "numId"), level: word::child_number(list, "ilvl") }
    }

    /// Completed by a base.
    #[must_use]
    pub fn over(self, base: Self) -> Self {
        Self { num_id: self.num_id.or(base.num_id), level: self.level.or(base.level) }
    }
}

/// One style as it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Style {
    /// The id by which paragraphs and runs refer to it.
    pub id: String,
    /// Its name; built-in styles keep their English name in every language.
    pub name: String,
    /// Other names.
    pub aliases: Vec<String>,
    /// What it applies to.
    pub kind: StyleKind,
    /// The id of the style it is based on.
    pub based_on: Option<String>,
    /// Whether it is a custom style.
    pub custom: bool,
    /// Whether it is the default.
    pub is_default: bool,
    /// Its own outline level: `Some(0)` for body text, `Some(1..=9)` for a heading.
    outline: Option<u8>,
    /// Its own list.
    list: ListRef,
    /// Its own run format.
    run: RunFormat,
}

/// A style with everything it inherits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Resolved {
    /// 0 for body text, 1 to 9 for headings.
    pub heading_level: u8,
    /// The list.
    pub list: ListRef,
    /// The run format, document defaults left out.
    pub run: RunFormat,
}

/// All styles of a document.
#[derive(Debug, Clone, Default)]
pub struct Styles {
    list: Vec<Style>,
    resolved: Vec<Resolved>,
    by_id: HashMap<String, usize>,
    by_name: HashMap<(StyleKind, String), usize>,
    default_paragraph: Option<usize>,
    defaults: RunFormat,
    theme: ThemeFonts,
}

impl Styles {
    /// Reads the styles part and, for the names of fonts, the theme.
    pub fn read(part: Option<&XmlPart>, theme: Option<&XmlPart>, limits: &Limits) -> Result<Self, PackageError> {
        let styles = part.map(|part| part.tree(limits)).transpose()?;
        let theme = theme.map(|part| part.tree(limits)).transpose()?;
        Ok(Self::of_trees(styles.as_ref(), theme.as_ref()))
    }

    /// Reads the parts as trees.
    pub fn of_trees(styles: Option<&Tree<'_>>, theme: Option<&Tree<'_>>) -> Self {
        let theme = theme.map(ThemeFonts::of_tree).unwrap_or_default();
        let Some(tree) = styles else { return Self { theme, ..Self::default() } };
        let root = tree.root();
        let list: Vec<Style> = root.children_named(Ns::W, "style").filter_map(read_style).collect();
        let defaults = root.path(Ns::W, &["docDefaults", "rPrDefault", "rPr"]).map(RunFormat::read).unwrap_or_default();
        let mut styles = Self { resolved: resolve(&list), defaults, theme, ..Self::default() };
        for (at, style) in list.iter().enumerate() {
            styles.by_id.entry(style.id.clone()).or_insert(at);
            for name in std::iter::once(&style.name).chain(&style.aliases) {
                styles.by_name.entry((style.kind, loose(name))).or_insert(at);
            }
            if style.is_default && style.kind == StyleKind::Paragraph {
                styles.default_paragraph.get_or_insert(at);
            }
        }
        for (at, style) in list.iter().enumerate() {
            styles.by_name.entry((style.kind, loose(&style.id))).or_insert(at);
        }
        styles.list = list;
        styles
    }

    /// All styles in the order they are written.
    pub fn iter(&self) -> impl Iterator<Item = &Style> {
        self.list.iter()
    }

    /// The style with an id.
    pub fn get(&self, id: &str) -> Option<&Style> {
        self.by_id.get(id).and_then(|at| self.list.get(*at))
    }

    /// The style of a kind with a name, other name or id, without regard to case and
    /// spaces, so that `Heading1`, `heading 1` and `Überschrift 1` lead to the same style.
    pub fn find(&self, kind: StyleKind, given: &str) -> Option<&Style> {
        let exact = self.get(given).filter(|style| style.kind == kind);
        let loosely = || self.by_name.get(&(kind, loose(given))).and_then(|at| self.list.get(*at));
        let heading = || {
            let english = format!("heading{}", heading_number(given)?);
            self.by_name.get(&(kind, english)).and_then(|at| self.list.get(*at))
        };
        exact.or_else(loosely).or_else(heading)
    }

    /// Names of a kind that resemble a name.
    pub fn near(&self, kind: StyleKind, given: &str) -> Vec<String> {
        nearest(given, self.list.iter().filter(|style| style.kind == kind).map(|style| style.name.as_str()))
    }

    /// The style of paragraphs that name none.
    pub fn default_paragraph(&self) -> Option<&Style> {
        self.list.get(self.default_paragraph?)
    }

    /// A style with everything it inherits; without an id, the default paragraph style.
    pub fn resolved(&self, id: Option<&str>) -> Option<&Resolved> {
        let at = match id {
            Some(id) => *self.by_id.get(id)?,
            None => self.default_paragraph?,
        };
        self.resolved.get(at)
    }

    /// The heading level of a style, 0 for none. A style that the document uses but does not define is
    /// resolved by its id.
    pub fn heading_level(&self, id: Option<&str>) -> u8 {
        match (self.resolved(id), id) {
            (Some(resolved), _) => resolved.heading_level,
            (None, Some(id)) => heading_number(id).unwrap_or(0),
            (None, None) => 0,
        }
    }

    /// The default run format of the document.
    pub fn defaults(&self) -> &RunFormat {
        &self.defaults
    }

    /// The fonts of the theme.
    pub fn theme(&self) -> &ThemeFonts {
        &self.theme
    }
}

/// A name in the form in which names are compared.
fn loose(name: &str) -> String {
    name.chars().filter(|c| !c.is_whitespace() && *c != '_').flat_map(char::to_lowercase).collect()
}

fn read_style(node: Node<'_>) -> Option<Style> {
    let kind = match word::attr(node, "type").as_deref() {
        Some("paragraph") | None => StyleKind::Paragraph,
        Some("character") => StyleKind::Character,
        Some("table") => StyleKind::Table,
        Some("numbering") => StyleKind::Numbering,
        Some(_) => return None,
    };
    let id = word::attr(node, "styleId").map(std::borrow::Cow::into_owned).unwrap_or_default();
    let name = word::child_val(node, "name").map_or_else(|| id.clone(), std::borrow::Cow::into_owned);
    let aliases = word::child_val(node, "aliases").unwrap_or_default();
    let properties = node.child(Ns::W, "pPr");
    let on = |local| matches!(word::attr(node, local).as_deref(), Some("1" | "true" | "on"));
    Some(Style {
        aliases: aliases
            .split([',', ';'])
            .map(str::trim)
            .filter(|alias| !alias.is_empty())
            .map(str::to_owned)
            .collect(),
        kind,
        based_on: word::child_val(node, "basedOn").map(std::borrow::Cow::into_owned),
        custom: on("customStyle"),
        is_default: on("default"),
        outline: properties.and_then(outline).or_else(|| named_outline(kind, &name, &id)),
        list: properties.map(ListRef::read).unwrap_or_default(),
        run: node.child(Ns::W, "rPr").map(RunFormat::read).unwrap_or_default(),
        id,
        name,
    })
}

fn named_outline(kind: StyleKind, name: &str, id: &str) -> Option<u8> {
    if kind == StyleKind::Paragraph { heading_number(name).or_else(|| heading_number(id)) } else { None }
}

/// The outline level in a `w:pPr`: 0 for body text, 1 to 9 for headings.
pub fn outline(properties: Node<'_>) -> Option<u8> {
    match word::child_number(properties, "outlineLvl")? {
        level @ 0..=8 => u8::try_from(level + 1).ok(),
        _ => Some(0),
    }
}

/// Resolves all styles. A cyclic chain ends where it would repeat.
fn resolve(list: &[Style]) -> Vec<Resolved> {
    let mut by_id = HashMap::with_capacity(list.len());
    for (at, style) in list.iter().enumerate() {
        by_id.entry(style.id.as_str()).or_insert(at);
    }
    let mut done: Vec<Option<Resolved>> = vec![None; list.len()];
    let mut on_path = vec![false; list.len()];
    for start in 0..list.len() {
        let path = unresolved_path(list, &by_id, &done, &mut on_path, start);
        for at in path.into_iter().rev() {
            let base = list.get(at).and_then(|style| style.based_on.as_deref()).and_then(|id| by_id.get(id));
            let base = base.and_then(|base| done.get(*base)).and_then(Option::as_ref);
            let resolved = list.get(at).map(|style| style.over(base));
            if let (Some(place), Some(flag)) = (done.get_mut(at), on_path.get_mut(at)) {
                *place = resolved;
                *flag = false;
            }
        }
    }
    done.into_iter().map(Option::unwrap_or_default).collect()
}

/// From a style up to one that is resolved, has no base, or closes a cycle.
fn unresolved_path(
    list: &[Style],
    by_id: &HashMap<&str, usize>,
    done: &[Option<Resolved>],
    on_path: &mut [bool],
    start: usize,
) -> Vec<usize> {
    let mut path = Vec::new();
    let mut next = Some(start);
    while let Some(at) = next {
        let Some(flag) = on_path.get_mut(at) else { break };
        if *flag || done.get(at).is_some_and(Option::is_some) {
            break;
        }
        *flag = true;
        path.push(at);
        next = list.get(at).and_then(|style| style.based_on.as_deref()).and_then(|id| by_id.get(id)).copied();
    }
    path
}

impl Style {
    fn over(&self, base: Option<&Resolved>) -> Resolved {
        let Some(base) = base else {
            return Resolved { heading_level: self.outline.unwrap_or(0), list: self.list, run: self.run.clone() };
        };
        Resolved {
            heading_level: self.outline.unwrap_or(base.heading_level),
            list: self.list.over(base.list),
            run: self.run.clone().over(&base.run),
        }
    }
}

/// A font as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Font {
    /// By name.
    Name(String),
    /// The theme's font for headings.
    Major,
    /// The theme's font for text.
    Minor,
}

/// The format of a run. None means that it is not specified here.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunFormat {
    /// Bold.
    pub bold: Option<bool>,
    /// Italic.
    pub italic: Option<bool>,
    /// Underlined in any way.
    pub underline: Option<bool>,
    /// Size in points.
    pub size_pt: Option<f64>,
    /// Font for Latin text.
    pub font: Option<Font>,
    /// Colour as `RRGGBB`; none also for the automatic one.
    pub color: Option<String>,
}

impl RunFormat {
    /// Reads a `w:rPr`.
    pub fn read(properties: Node<'_>) -> Self {
        Self {
            bold: word::switch(properties, "b"),
            italic: word::switch(properties, "i"),
            underline: properties.child(Ns::W, "u").map(|node| word::val(node).is_none_or(|value| value != "none")),
            size_pt: word::child_val(properties, "sz").and_then(|size| points(&size)),
            font: properties.child(Ns::W, "rFonts").and_then(font),
            color: word::child_val(properties, "color").filter(|color| is_rgb(color)).map(|c| c.to_ascii_uppercase()),
        }
    }

    /// Completed by a base.
    #[must_use]
    pub fn over(self, base: &Self) -> Self {
        Self {
            bold: self.bold.or(base.bold),
            italic: self.italic.or(base.italic),
            underline: self.underline.or(base.underline),
            size_pt: self.size_pt.or(base.size_pt),
            font: self.font.or_else(|| base.font.clone()),
            color: self.color.or_else(|| base.color.clone()),
        }
    }

    /// A character style over a paragraph style: bold and italic in both cancel each other out, as the
    /// standard specifies for such switches.
    #[must_use]
    pub fn style_over(self, paragraph: &Self) -> Self {
        let toggled = |own: Option<bool>, base: Option<bool>| match (own, base) {
            (Some(true), Some(true)) => Some(false),
            (own, base) => own.filter(|on| *on).or(base).or(own),
        };
        let (bold, italic) = (toggled(self.bold, paragraph.bold), toggled(self.italic, paragraph.italic));
        Self { bold, italic, ..self.over(paragraph) }
    }

    /// The name of the font.
    pub fn font_name<'a>(&'a self, theme: &'a ThemeFonts) -> Option<&'a str> {
        match self.font.as_ref()? {
            Font::Name(name) => Some(name),
            Font::Major => theme.major.as_deref(),
            Font::Minor => theme.minor.as_deref(),
        }
    }
}

/// A size in half points, or in the strict form with its unit.
fn points(size: &str) -> Option<f64> {
    let value = match size.trim().strip_suffix("pt") {
        Some(points) => points.parse::<f64>().ok()?,
        None => size.trim().parse::<f64>().ok()? / 2.0,
    };
    value.is_finite().then_some(value)
}

fn font(node: Node<'_>) -> Option<Font> {
    let theme = word::attr(node, "asciiTheme").or_else(|| word::attr(node, "hAnsiTheme"));
    if let Some(theme) = theme {
        return Some(if theme.starts_with("major") { Font::Major } else { Font::Minor });
    }
    let name = word::attr(node, "ascii").or_else(|| word::attr(node, "hAnsi"))?;
    Some(Font::Name(name.into_owned()))
}

fn is_rgb(color: &str) -> bool {
    color.len() == 6 && color.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The Latin fonts of a theme.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThemeFonts {
    /// For headings.
    pub major: Option<String>,
    /// For text.
    pub minor: Option<String>,
}

impl ThemeFonts {
    /// Reads a theme part.
    fn of_tree(tree: &Tree<'_>) -> Self {
        let fonts = tree.root().path(Ns::A, &["themeElements", "fontScheme"]);
        let latin = |local| fonts.and_then(|fonts: Node<'_>| fonts.path(Ns::A, &[local, "latin"]));
        let name = |local| latin(local).and_then(|node| node.attr("typeface")).filter(|name| !name.is_empty());
        Self { major: name("majorFont").map(Into::into), minor: name("minorFont").map(Into::into) }
    }
}

/// Names of heading styles, in lower case, without the number. Word keeps the English name in every language; other
/// programs and older templates write the local one.
const HEADING_WORDS: &[&str] = &[
    "heading",
    "überschrift",
    "titre",
    "título",
    "titulo",
    "titolo",
    "encabezado",
    "cabeçalho",
    "kop",
    "rubrik",
    "overskrift",
    "otsikko",
    "nagłówek",
    "nadpis",
    "naslov",
    "címsor",
    "titlu",
    "başlık",
    "заголовок",
    "заглавие",
    "επικεφαλίδα",
    "pealkiri",
    "virsraksts",
    "antraštė",
    "fyrirsögn",
    "títol",
    "כותרת",
    "عنوان",
    "标题",
    "標題",
    "見出し",
    "제목",
    "หัวเรื่อง",
    "शीर्षक",
    "judul",
];

/// The level in a style's name or id: 2 for `heading 2`, `Heading2` and `Überschrift 2`.
pub fn heading_number(name: &str) -> Option<u8> {
    let name = name.trim();
    let digit = name.chars().next_back().and_then(|c| c.to_digit(10)).filter(|digit| (1..=9).contains(digit))?;
    let word = name.get(..name.len() - 1)?.trim_end_matches([' ', '_', '-', '\u{A0}', '\u{3000}']).to_lowercase();
    HEADING_WORDS.contains(&word.as_str()).then_some(u8::try_from(digit).unwrap_or(0))
}

#[cfg(test)]
mod tests;
