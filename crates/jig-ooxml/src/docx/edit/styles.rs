//! Finds the style that an op names, and adds a built-in one that the document lacks. The template of new documents
//! consists of the built-in styles too.

use std::rc::Rc;

use super::DocumentEdit;
use super::markup::Dialect;
use super::new_part::RelationshipType;
use crate::docx::styles::{StyleKind, Styles, heading_number};
use crate::error::Error;
use crate::xml::{Node, Ns, ParsedPart, Splice, escape_attribute};

const STYLES_TYPE: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml";
const NUMBERING_TYPE: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml";

impl DocumentEdit<'_> {
    /// The id of a paragraph style; none for the default style, which paragraphs need not name.
    pub(super) fn paragraph_style(&mut self, given: &str, at: &str) -> Result<Option<String>, Error> {
        let id = self.style(StyleKind::Paragraph, given, at)?;
        let styles = self.styles()?;
        Ok(id.filter(|id| styles.default_paragraph().is_none_or(|default| default.id != *id)))
    }

    /// The id of a style. A style that is built into Word is added if the document lacks it; any other
    /// that the document lacks is skipped with a warning.
    pub(super) fn style(&mut self, kind: StyleKind, given: &str, at: &str) -> Result<Option<String>, Error> {
        let styles = self.styles()?;
        if let Some(style) = styles.find(kind, given) {
            return Ok(Some(style.id.clone()));
        }
        // The default style of a document that names it differently or has no styles.
        let plain = given.trim().to_lowercase();
        if matches!((kind, plain.as_str()), (StyleKind::Paragraph, "normal" | "standard" | "default") | (_, "")) {
            return Ok(None);
        }
        if let Some(builtin) = Builtin::find(kind, given) {
            return self.add_builtin(builtin, &styles).map(Some);
        }
        let near = styles.near(kind, given);
        let near = if near.is_empty() { String::new() } else { format!("; near are {}", near.join(", ")) };
        self.warn(format!("{at}: unknown style `{given}`, so the default style was used{near}"));
        Ok(None)
    }

    fn add_builtin(&mut self, builtin: &Builtin, styles: &Styles) -> Result<String, Error> {
        let list = builtin.list.map(|list| self.add_list(list)).transpose()?;
        let part = self.styles_part()?;
        let limits = self.limits();
        let tree = part.tree(&limits)?;
        let dialect = Dialect::of(&tree);
        let id = free_style_id(styles, builtin.id);
        let normal = styles.default_paragraph().map(|style| style.id.as_str());
        let mut splice = Splice::new(part.text());
        splice.append(tree.root(), builtin.markup(&id, normal, list, &dialect));
        self.splice_part(&part, splice)?;
        self.forget_styles();
        Ok(id)
    }

    /// The styles part; a document without one gets an empty one.
    pub(super) fn styles_part(&mut self) -> Result<Rc<ParsedPart>, Error> {
        if let Some(name) = self.names.styles.clone() {
            return self.part(&name);
        }
        self.add_part("styles", STYLES_TYPE)
    }

    /// The part with the lists; a document without one gets an empty one.
    pub(super) fn numbering_part(&mut self) -> Result<Rc<ParsedPart>, Error> {
        if let Some(name) = self.names.numbering.clone() {
            return self.part(&name);
        }
        self.add_part("numbering", NUMBERING_TYPE)
    }

    fn add_part(&mut self, kind: &'static str, content_type: &str) -> Result<Rc<ParsedPart>, Error> {
        let content = format!("<w:{kind} xmlns:w=\"{}\"></w:{kind}>", self.word_namespace()?);
        let (name, _) = self.create_part(RelationshipType::Standard(kind), kind, content_type, &content)?;
        self.part(&name)
    }

    /// Adds a list; returns its number.
    fn add_list(&mut self, list: List) -> Result<u32, Error> {
        let part = self.numbering_part()?;
        let limits = self.limits();
        let tree = part.tree(&limits)?;
        let dialect = Dialect::of(&tree);
        let root = tree.root();
        let definition = next_number(root.children_named(Ns::W, "abstractNum"), "abstractNumId", 0);
        let number = next_number(root.children_named(Ns::W, "num"), "numId", 1);
        let mut splice = Splice::new(part.text());
        insert_list(
            &mut splice,
            root,
            &list.definition(definition, &dialect),
            &List::instance(number, definition, &dialect),
        );
        self.splice_part(&part, splice)?;
        Ok(number)
    }
}

/// Adds a definition after the other definitions, and a list after the other lists.
pub(super) fn insert_list(splice: &mut Splice<'_>, root: Node<'_>, definition: &str, list: &str) {
    let last = |names: &[&str]| root.elements().filter(|node| names.contains(&node.local())).last();
    match last(&["abstractNum", "numPicBullet"]) {
        Some(node) => splice.after(node, definition),
        None => splice.prepend(root, definition),
    }
    match last(&["num"]) {
        Some(node) => splice.after(node, list),
        None => match last(&["abstractNum", "numPicBullet"]) {
            Some(node) => splice.after(node, list),
            None => splice.prepend(root, list),
        },
    }
}

/// The number after the largest that is used.
pub(super) fn next_number<'t>(nodes: impl Iterator<Item = Node<'t>>, attribute: &str, least: u32) -> u32 {
    let used = nodes.filter_map(|node| node.attr(attribute)?.parse::<u32>().ok()).max();
    used.map_or(least, |used| used.saturating_add(1)).max(least)
}

/// An unused style id that resembles the requested one.
pub(super) fn free_style_id(styles: &Styles, wanted: &str) -> String {
    let taken = |id: &str| styles.iter().any(|style| style.id.eq_ignore_ascii_case(id));
    if !taken(wanted) {
        return wanted.to_owned();
    }
    let numbers = (1_u32..).map(|number| format!("{wanted}{number}"));
    numbers.into_iter().find(|id| !taken(id)).unwrap_or_else(|| wanted.to_owned())
}

/// A built-in style. In its markup `{normal}` is the id of the document's default paragraph style,
/// `{list}` the id of the list it needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Builtin {
    pub(super) name: &'static str,
    pub(super) id: &'static str,
    pub(super) kind: StyleKind,
    pub(super) list: Option<List>,
    body: &'static str,
}

/// The lists that built-in styles need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    /// With bullets.
    Bullet,
    /// With numbers.
    Number,
}

macro_rules! paragraph {
    ($name:expr, $id:expr, $($body:literal),+) => {
        Builtin { name: $name, id: $id, kind: StyleKind::Paragraph, list: None, body: concat!($($body),+) }
    };
}

macro_rules! heading {
    ($number:literal, $level:literal, $spacing:literal, $font:literal) => {
        paragraph!(
            concat!("heading ", $number), concat!("Heading", $number),
            r#"<w:basedOn w:val="{normal}"/><w:next w:val="{normal}"/><w:uiPriority w:val="9"/><w:qFormat/>"#,
            r#"<w:pPr><w:keepNext/><w:keepLines/>"#, $spacing, r#"<w:outlineLvl w:val=""#, $level, r#""/></w:pPr><w:rPr>"#,
            r#"<w:rFonts w:asciiTheme="majorHAnsi" w:eastAsiaTheme="majorEastAsia" w:hAnsiTheme="majorHAnsi" w:cstheme="majorBidi"/>"#,
            $font, "</w:rPr>"
        )
    };
}

/// All of them, in the order the template writes them.
pub(super) const BUILTINS: &[Builtin] = &[
    heading!(
        "1",
        "0",
        r#"<w:spacing w:before="360" w:after="80"/>"#,
        r#"<w:color w:val="0F4761" w:themeColor="accent1" w:themeShade="BF"/><w:sz w:val="40"/><w:szCs w:val="40"/>"#
    ),
    heading!(
        "2",
        "1",
        r#"<w:spacing w:before="160" w:after="80"/>"#,
        r#"<w:color w:val="0F4761" w:themeColor="accent1" w:themeShade="BF"/><w:sz w:val="32"/><w:szCs w:val="32"/>"#
    ),
    heading!(
        "3",
        "2",
        r#"<w:spacing w:before="160" w:after="80"/>"#,
        r#"<w:color w:val="0F4761" w:themeColor="accent1" w:themeShade="BF"/><w:sz w:val="28"/><w:szCs w:val="28"/>"#
    ),
    heading!(
        "4",
        "3",
        r#"<w:spacing w:before="80" w:after="40"/>"#,
        r#"<w:i/><w:iCs/><w:color w:val="0F4761" w:themeColor="accent1" w:themeShade="BF"/>"#
    ),
    heading!(
        "5",
        "4",
        r#"<w:spacing w:before="80" w:after="40"/>"#,
        r#"<w:color w:val="0F4761" w:themeColor="accent1" w:themeShade="BF"/>"#
    ),
    heading!(
        "6",
        "5",
        r#"<w:spacing w:before="40" w:after="0"/>"#,
        r#"<w:i/><w:iCs/><w:color w:val="595959" w:themeColor="text1" w:themeTint="A6"/>"#
    ),
    heading!(
        "7",
        "6",
        r#"<w:spacing w:before="40" w:after="0"/>"#,
        r#"<w:color w:val="595959" w:themeColor="text1" w:themeTint="A6"/>"#
    ),
    heading!(
        "8",
        "7",
        r#"<w:spacing w:after="0"/>"#,
        r#"<w:i/><w:iCs/><w:color w:val="272727" w:themeColor="text1" w:themeTint="D8"/>"#
    ),
    heading!(
        "9",
        "8",
        r#"<w:spacing w:after="0"/>"#,
        r#"<w:color w:val="272727" w:themeColor="text1" w:themeTint="D8"/>"#
    ),
    paragraph!(
        "Title",
        "Title",
        r#"<w:basedOn w:val="{normal}"/><w:next w:val="{normal}"/><w:uiPriority w:val="10"/><w:qFormat/>"#,
        r#"<w:pPr><w:spacing w:after="80" w:line="240" w:lineRule="auto"/><w:contextualSpacing/></w:pPr><w:rPr>"#,
        r#"<w:rFonts w:asciiTheme="majorHAnsi" w:eastAsiaTheme="majorEastAsia" w:hAnsiTheme="majorHAnsi" w:cstheme="majorBidi"/>"#,
        r#"<w:spacing w:val="-10"/><w:kern w:val="28"/><w:sz w:val="56"/><w:szCs w:val="56"/></w:rPr>"#
    ),
    paragraph!(
        "Subtitle",
        "Subtitle",
        r#"<w:basedOn w:val="{normal}"/><w:next w:val="{normal}"/><w:uiPriority w:val="11"/><w:qFormat/><w:rPr>"#,
        r#"<w:color w:val="595959" w:themeColor="text1" w:themeTint="A6"/><w:spacing w:val="15"/><w:sz w:val="28"/><w:szCs w:val="28"/></w:rPr>"#
    ),
    paragraph!(
        "Quote",
        "Quote",
        r#"<w:basedOn w:val="{normal}"/><w:next w:val="{normal}"/><w:uiPriority w:val="29"/><w:qFormat/><w:pPr>"#,
        r#"<w:spacing w:before="160"/><w:jc w:val="center"/></w:pPr><w:rPr><w:i/><w:iCs/><w:color w:val="404040" w:themeColor="text1" w:themeTint="BF"/></w:rPr>"#
    ),
    paragraph!(
        "Intense Quote",
        "IntenseQuote",
        r#"<w:basedOn w:val="{normal}"/><w:next w:val="{normal}"/><w:uiPriority w:val="30"/><w:qFormat/><w:pPr><w:pBdr>"#,
        r#"<w:top w:val="single" w:sz="4" w:space="10" w:color="0F4761" w:themeColor="accent1" w:themeShade="BF"/>"#,
        r#"<w:bottom w:val="single" w:sz="4" w:space="10" w:color="0F4761" w:themeColor="accent1" w:themeShade="BF"/></w:pBdr>"#,
        r#"<w:spacing w:before="360" w:after="360"/><w:ind w:left="864" w:right="864"/><w:jc w:val="center"/></w:pPr>"#,
        r#"<w:rPr><w:i/><w:iCs/><w:color w:val="0F4761" w:themeColor="accent1" w:themeShade="BF"/></w:rPr>"#
    ),
    paragraph!(
        "No Spacing",
        "NoSpacing",
        r#"<w:uiPriority w:val="1"/><w:qFormat/><w:pPr><w:spacing w:after="0" w:line="240" w:lineRule="auto"/></w:pPr>"#
    ),
    paragraph!(
        "List Paragraph",
        "ListParagraph",
        r#"<w:basedOn w:val="{normal}"/><w:uiPriority w:val="34"/><w:qFormat/><w:pPr><w:ind w:left="720"/><w:contextualSpacing/></w:pPr>"#
    ),
    Builtin {
        name: "List Bullet",
        id: "ListBullet",
        kind: StyleKind::Paragraph,
        list: Some(List::Bullet),
        body: r#"<w:basedOn w:val="{normal}"/><w:uiPriority w:val="99"/><w:unhideWhenUsed/><w:qFormat/><w:pPr><w:numPr><w:numId w:val="{list}"/></w:numPr><w:contextualSpacing/></w:pPr>"#,
    },
    Builtin {
        name: "List Number",
        id: "ListNumber",
        kind: StyleKind::Paragraph,
        list: Some(List::Number),
        body: r#"<w:basedOn w:val="{normal}"/><w:uiPriority w:val="99"/><w:unhideWhenUsed/><w:qFormat/><w:pPr><w:numPr><w:numId w:val="{list}"/></w:numPr><w:contextualSpacing/></w:pPr>"#,
    },
    paragraph!(
        "caption",
        "Caption",
        r#"<w:basedOn w:val="{normal}"/><w:next w:val="{normal}"/><w:uiPriority w:val="35"/><w:unhideWhenUsed/><w:qFormat/><w:pPr>"#,
        r#"<w:spacing w:after="200" w:line="240" w:lineRule="auto"/></w:pPr><w:rPr><w:i/><w:iCs/><w:color w:val="0E2841" w:themeColor="text2"/><w:sz w:val="18"/><w:szCs w:val="18"/></w:rPr>"#
    ),
    paragraph!(
        "Body Text",
        "BodyText",
        r#"<w:basedOn w:val="{normal}"/><w:uiPriority w:val="99"/><w:unhideWhenUsed/><w:pPr><w:spacing w:after="120"/></w:pPr>"#
    ),
    paragraph!(
        "header",
        "Header",
        r#"<w:basedOn w:val="{normal}"/><w:uiPriority w:val="99"/><w:unhideWhenUsed/><w:pPr><w:tabs><w:tab w:val="center" w:pos="4513"/>"#,
        r#"<w:tab w:val="right" w:pos="9026"/></w:tabs><w:spacing w:after="0" w:line="240" w:lineRule="auto"/></w:pPr>"#
    ),
    paragraph!(
        "footer",
        "Footer",
        r#"<w:basedOn w:val="{normal}"/><w:uiPriority w:val="99"/><w:unhideWhenUsed/><w:pPr><w:tabs><w:tab w:val="center" w:pos="4513"/>"#,
        r#"<w:tab w:val="right" w:pos="9026"/></w:tabs><w:spacing w:after="0" w:line="240" w:lineRule="auto"/></w:pPr>"#
    ),
    Builtin {
        name: "Hyperlink",
        id: "Hyperlink",
        kind: StyleKind::Character,
        list: None,
        body: r#"<w:uiPriority w:val="99"/><w:unhideWhenUsed/><w:rPr><w:color w:val="467886" w:themeColor="hyperlink"/><w:u w:val="single"/></w:rPr>"#,
    },
    Builtin {
        name: "Table Grid",
        id: "TableGrid",
        kind: StyleKind::Table,
        list: None,
        body: concat!(
            r#"<w:uiPriority w:val="39"/><w:pPr><w:spacing w:after="0" w:line="240" w:lineRule="auto"/></w:pPr><w:tblPr><w:tblBorders>"#,
            r#"<w:top w:val="single" w:sz="4" w:space="0" w:color="auto"/><w:left w:val="single" w:sz="4" w:space="0" w:color="auto"/>"#,
            r#"<w:bottom w:val="single" w:sz="4" w:space="0" w:color="auto"/><w:right w:val="single" w:sz="4" w:space="0" w:color="auto"/>"#,
            r#"<w:insideH w:val="single" w:sz="4" w:space="0" w:color="auto"/><w:insideV w:val="single" w:sz="4" w:space="0" w:color="auto"/></w:tblBorders>"#,
            r#"<w:tblCellMar><w:top w:w="0" w:type="dxa"/><w:left w:w="108" w:type="dxa"/><w:bottom w:w="0" w:type="dxa"/><w:right w:w="108" w:type="dxa"/></w:tblCellMar></w:tblPr>"#
        ),
    },
];

impl Builtin {
    /// The built-in style with a name or id.
    pub(super) fn find(kind: StyleKind, given: &str) -> Option<&'static Self> {
        let loose = |name: &str| -> String {
            name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let wanted = match heading_number(given) {
            Some(number) => format!("heading{number}"),
            None => loose(given),
        };
        BUILTINS.iter().find(|style| style.kind == kind && loose(style.name) == wanted)
    }

    /// Its complete definition under an id. Without a default style in the document it is based on none.
    pub(super) fn markup(&self, id: &str, normal: Option<&str>, list: Option<u32>, dialect: &Dialect) -> String {
        let kind = match self.kind {
            StyleKind::Character => "character",
            StyleKind::Table => "table",
            _ => "paragraph",
        };
        let body = match normal {
            Some(normal) => self.body.replace("{normal}", &escape_attribute(normal)),
            None => {
                self.body.replace(r#"<w:basedOn w:val="{normal}"/>"#, "").replace(r#"<w:next w:val="{normal}"/>"#, "")
            }
        };
        let body = body.replace("{list}", &list.unwrap_or(0).to_string());
        let all =
            format!(r#"<w:style w:type="{kind}" w:styleId="{id}"><w:name w:val="{}"/>{body}</w:style>"#, self.name);
        spelled(&all, dialect)
    }
}

impl List {
    /// Its definition: nine levels under a number.
    pub(super) fn definition(self, number: u32, dialect: &Dialect) -> String {
        let mut levels = String::new();
        for level in 0..9_u32 {
            let (format, text) = self.level(level);
            let left = 360 * (level + 1);
            levels.push_str(&format!(
                r#"<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{format}"/><w:lvlText w:val="{text}"/><w:pPr><w:ind w:left="{left}" w:hanging="360"/></w:pPr></w:lvl>"#
            ));
        }
        let all = format!(
            r#"<w:abstractNum w:abstractNumId="{number}"><w:multiLevelType w:val="hybridMultilevel"/>{levels}</w:abstractNum>"#
        );
        spelled(&all, dialect)
    }

    /// The list that uses a definition.
    pub(super) fn instance(number: u32, definition: u32, dialect: &Dialect) -> String {
        let all = format!(r#"<w:num w:numId="{number}"><w:abstractNumId w:val="{definition}"/></w:num>"#);
        spelled(&all, dialect)
    }

    fn level(self, level: u32) -> (&'static str, String) {
        match (self, level % 3) {
            (Self::Bullet, 0) => ("bullet", "\u{2022}".to_owned()),
            (Self::Bullet, 1) => ("bullet", "\u{25E6}".to_owned()),
            (Self::Bullet, _) => ("bullet", "\u{25AA}".to_owned()),
            (Self::Number, 0) => ("decimal", format!("%{}.", level + 1)),
            (Self::Number, 1) => ("lowerLetter", format!("%{}.", level + 1)),
            (Self::Number, _) => ("lowerRoman", format!("%{}.", level + 1)),
        }
    }
}

/// Template markup in the dialect of a file. It contains no text in which the prefix could occur.
fn spelled(markup: &str, dialect: &Dialect) -> String {
    let mut out = if dialect.w == "w:" { markup.to_owned() } else { markup.replace("w:", &dialect.w) };
    if dialect.strict {
        // Strict files use start and end instead of left and right.
        for (transitional, strict) in [("left", "start"), ("right", "end")] {
            let w = &dialect.w;
            out = out.replace(&format!("<{w}{transitional} "), &format!("<{w}{strict} "));
            out = out.replace(&format!(" {w}{transitional}=\""), &format!(" {w}{strict}=\""));
            out = out.replace(&format!("{w}val=\"{transitional}\""), &format!("{w}val=\"{strict}\""));
        }
    }
    if !dialect.declare.is_empty()
        && let Some(at) = out.find(' ')
    {
        out.insert_str(at, &dialect.declare);
    }
    out
}
