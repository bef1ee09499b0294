//! Cell formats by what they come to: resolved properties in words that a person can read, so that two workbooks
//! compare by look and not by how a program numbers, orders or spells its styles. Defaults count as not written.

use std::collections::HashMap;

use jig_ooxml::xlsx::Palette;
use jig_ooxml::xlsx::number_format::{NumberFormat, builtin};
use jig_ooxml::xlsx::workbook_part::WorkbookPart;
use jig_ooxml::xml::{Node, Ns};
use jig_ooxml::{Package, PackageError};

use super::change::Detail;

/// The cell formats of a workbook.
#[derive(Default)]
pub(super) struct Styles {
    formats: Vec<CellFormat>,
    /// Formats that conditional formatting applies to cells.
    rules: Vec<String>,
    reader: Reader,
}

/// One cell format, property by property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CellFormat {
    number: String,
    font: String,
    fill: String,
    border: String,
    edges: Edges,
    alignment: String,
    protection: String,
    named: String,
}

/// The lines of a border: left, right, top, bottom.
type Edges = [Option<String>; 4];

/// What two formats share when they look the same.
pub(super) type FormatKey = [String; 7];

const NAMES: [&str; 7] = ["number format", "font", "fill", "border", "alignment", "protection", "cell style"];

/// The colours of the theme that programs use where a workbook has none, in the order that styles count them.
const DEFAULT_THEME: [&str; 12] = [
    "#FFFFFF", "#000000", "#EEECE1", "#1F497D", "#4F81BD", "#C0504D", "#9BBB59", "#8064A2", "#4BACC6", "#F79646",
    "#0000FF", "#800080",
];

impl Default for CellFormat {
    fn default() -> Self {
        Self {
            number: "General".to_owned(),
            font: String::new(),
            fill: String::new(),
            border: String::new(),
            edges: Edges::default(),
            alignment: String::new(),
            protection: String::new(),
            named: String::new(),
        }
    }
}

impl Styles {
    pub(super) fn read(package: &Package, book: &WorkbookPart) -> Result<Self, PackageError> {
        let Some(part) = book.styles().filter(|part| package.has(part)) else { return Ok(Self::default()) };
        let content = package.xml(part)?;
        let tree = content.tree(package.limits())?;
        let root = tree.root();
        let reader = Reader { palette: Palette::of_styles(package, book.relationships.first("theme"), root) };
        let children = |name: &str| root.child(Ns::S, name).into_iter().flat_map(Node::elements);
        let list =
            |name: &str, read: &dyn Fn(Node<'_>) -> String| -> Vec<String> { children(name).map(read).collect() };
        let fonts = list("fonts", &|node| reader.font(node));
        let fills = list("fills", &|node| reader.fill(node, false));
        let borders: Vec<(String, Edges)> =
            children("borders").map(|node| (reader.border(node), reader.edges(node))).collect();
        let codes: HashMap<u32, String> = root
            .child(Ns::S, "numFmts")
            .into_iter()
            .flat_map(Node::elements)
            .filter_map(|node| Some((number(node, "numFmtId")?, node.attr("formatCode")?.into_owned())))
            .collect();
        let named = root.child(Ns::S, "cellStyles").into_iter().flat_map(Node::elements);
        // The default style of all cells is not a style of its own, whatever the language calls it.
        let named = named.filter(|node| number(*node, "builtinId") != Some(0));
        let named: HashMap<u32, String> =
            named.filter_map(|node| Some((number(node, "xfId")?, node.attr("name")?.into_owned()))).collect();
        let at = |list: &[String], node: Node<'_>, name: &str| {
            number(node, name).and_then(|at| list.get(at as usize)).cloned().unwrap_or_default()
        };
        let formats = root.child(Ns::S, "cellXfs").into_iter().flat_map(Node::elements).map(|node| {
            let id = number(node, "numFmtId").unwrap_or(0);
            let code = codes.get(&id).filter(|code| !code.is_empty()).cloned();
            let code = code.or_else(|| builtin(id).map(str::to_owned)).unwrap_or_else(|| "General".to_owned());
            let (border, edges) =
                number(node, "borderId").and_then(|at| borders.get(at as usize)).cloned().unwrap_or_default();
            CellFormat {
                number: if code.eq_ignore_ascii_case("general") { "General".to_owned() } else { code },
                font: at(&fonts, node, "fontId"),
                fill: at(&fills, node, "fillId"),
                border,
                edges,
                alignment: node.child(Ns::S, "alignment").map(alignment).unwrap_or_default(),
                protection: node.child(Ns::S, "protection").map(protection).unwrap_or_default(),
                named: number(node, "xfId").and_then(|id| named.get(&id)).cloned().unwrap_or_default(),
            }
        });
        let formats = formats.collect();
        let rules = list("dxfs", &|node| reader.rule(node));
        Ok(Self { formats, rules, reader })
    }

    /// The format of a number; that of plain cells for one that is not there.
    pub(super) fn get(&self, number: u32) -> CellFormat {
        self.formats.get(number as usize).cloned().unwrap_or_default()
    }

    /// A colour in words.
    pub(super) fn color(&self, node: Node<'_>) -> String {
        self.reader.color(Some(node)).unwrap_or_default()
    }

    /// The format that a rule of this number lays over cells.
    pub(super) fn rule(&self, number: usize) -> &str {
        self.rules.get(number).map_or("", String::as_str)
    }

    /// A number for each format that is the same for equal ones of all lists it was made from.
    pub(super) fn keys(&self, known: &mut HashMap<FormatKey, u32>) -> Vec<u32> {
        let key = |format: &CellFormat| {
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            *known.entry(format.key()).or_insert(next)
        };
        self.formats.iter().map(key).collect()
    }
}

impl CellFormat {
    /// The number format.
    pub(super) fn number_format(&self) -> NumberFormat {
        NumberFormat::parse(&self.number)
    }

    fn parts(&self) -> [&str; 7] {
        [&self.number, &self.font, &self.fill, &self.border, &self.alignment, &self.protection, &self.named]
    }

    pub(super) fn key(&self) -> FormatKey {
        let mut key = self.parts().map(str::to_owned);
        if let Some(first) = key.first_mut() {
            *first = bare_code(first);
        }
        key
    }

    /// Whether cells of a merged range look the same. Only the first cell has visible content; of a border only the
    /// edges (left, right, top, bottom) on the outline of the range are drawn. Other programs remove the rest.
    pub(super) fn same_in_merged(&self, new: &Self, is_first: bool, outline: [bool; 4]) -> bool {
        let edges = self.edges.iter().zip(&new.edges).zip(outline).all(|((old, new), drawn)| !drawn || old == new);
        let without_border = |format: &Self| {
            let mut key = format.key();
            key[3].clear();
            key
        };
        edges && (!is_first || without_border(self) == without_border(new))
    }

    /// What differs, property by property.
    pub(super) fn details(&self, new: &Self) -> Vec<Detail> {
        let keys = self.key().into_iter().zip(new.key());
        let sides = self.parts().into_iter().zip(new.parts()).zip(keys);
        let differ = NAMES.into_iter().zip(sides).filter(|(_, (_, (old, new)))| old != new);
        let none = |text: &str| if text.is_empty() { "none".to_owned() } else { text.to_owned() };
        differ.map(|(name, ((old, new), _))| Detail::new(name, none(old), none(new))).collect()
    }
}

/// A number format without the quotes and backslashes that programs put around plain characters or leave out.
fn bare_code(code: &str) -> String {
    code.chars().filter(|letter| !matches!(letter, '"' | '\\')).collect()
}

/// Reads fonts, fills and borders with the colours of one workbook.
#[derive(Default)]
struct Reader {
    palette: Palette,
}

impl Reader {
    fn color(&self, node: Option<Node<'_>>) -> Option<String> {
        let found = self.palette.resolve(node?)?;
        let number = found.strip_prefix("theme:").and_then(|number| number.parse::<usize>().ok());
        Some(number.and_then(|at| DEFAULT_THEME.get(at)).map_or(found, |known| (*known).to_owned()))
    }

    /// The colour of text and lines; none for black, which is that of the system.
    fn ink(&self, node: Option<Node<'_>>) -> Option<String> {
        self.color(node).filter(|color| color != "auto" && color != "#000000")
    }

    fn font(&self, node: Node<'_>) -> String {
        let child = |name: &str| node.child(Ns::S, name);
        let value = |name: &str| child(name).and_then(|found| found.attr("val")).map(std::borrow::Cow::into_owned);
        let on = |name: &str| child(name).is_some() && value(name).is_none_or(|value| is_true(&value));
        let mut words: Vec<String> = Vec::new();
        words.extend(value("name"));
        words.extend(value("sz").map(|size| decimal(&size)));
        let flags =
            [("b", "bold"), ("i", "italic"), ("strike", "struck"), ("outline", "outline"), ("shadow", "shadow")];
        words.extend(flags.into_iter().filter(|(name, _)| on(name)).map(|(_, word)| word.to_owned()));
        if let Some(line) = child("u") {
            match line.attr("val").as_deref().unwrap_or("single") {
                "none" => {}
                "single" => words.push("underlined".to_owned()),
                other => words.push(format!("underlined ({other})")),
            }
        }
        words.extend(value("vertAlign").filter(|value| value != "baseline"));
        words.extend(self.ink(child("color")));
        words.join(", ")
    }

    /// A fill. Rules name the colour of a solid one the other way round.
    fn fill(&self, node: Node<'_>, rule: bool) -> String {
        let Some(pattern) = node.child(Ns::S, "patternFill") else {
            let gradient = node.child(Ns::S, "gradientFill");
            return gradient.map(|gradient| self.gradient(gradient)).unwrap_or_default();
        };
        let color = |name: &str| self.color(pattern.child(Ns::S, name));
        let kind = pattern.attr("patternType").map(std::borrow::Cow::into_owned);
        let kind = kind.unwrap_or_else(|| if rule { "solid" } else { "none" }.to_owned());
        let (front, back) = (color("fgColor"), color("bgColor"));
        match kind.as_str() {
            "none" => String::new(),
            "solid" => {
                let (first, second) = if rule { (back, front) } else { (front, back.filter(|_| rule)) };
                format!("solid {}", first.or(second).unwrap_or_else(|| "auto".to_owned()))
            }
            kind => {
                let named = |color: Option<String>| color.filter(|color| color != "auto");
                let words = [Some(kind.to_owned()), named(front), named(back).map(|back| format!("on {back}"))];
                words.into_iter().flatten().collect::<Vec<_>>().join(" ")
            }
        }
    }

    fn gradient(&self, node: Node<'_>) -> String {
        let attr = |name: &str| node.attr(name).map(|value| format!("{name} {}", decimal(&value)));
        let mut words = vec!["gradient".to_owned()];
        words.extend(node.attr("type").filter(|kind| kind != "linear").map(std::borrow::Cow::into_owned));
        words.extend(["degree", "left", "right", "top", "bottom"].into_iter().filter_map(attr));
        for stop in node.elements() {
            let place = decimal(&stop.attr("position").unwrap_or_default());
            words.push(format!("{} at {place}", self.color(stop.elements().next()).unwrap_or_default()));
        }
        words.join(" ")
    }

    /// One line of a border, under the first of these names that the border has.
    fn line(&self, node: Node<'_>, names: &[&str]) -> Option<String> {
        let side = names.iter().find_map(|name| node.child(Ns::S, name))?;
        let style = side.attr("style").filter(|style| style != "none" && !style.is_empty())?;
        let color = self.ink(side.child(Ns::S, "color"));
        Some(color.map_or_else(|| style.to_string(), |color| format!("{style} {color}")))
    }

    fn edges(&self, node: Node<'_>) -> Edges {
        let names: [&[&str]; 4] = [&["left", "start"], &["right", "end"], &["top"], &["bottom"]];
        names.map(|names| self.line(node, names))
    }

    fn border(&self, node: Node<'_>) -> String {
        let line = |names: &[&str]| self.line(node, names);
        let [left, right, top, bottom] = self.edges(node);
        let sides = [("left", left), ("right", right), ("top", top), ("bottom", bottom)];
        let mut words: Vec<String> = match &sides {
            [(_, Some(left)), (_, right), (_, top), (_, bottom)]
                if [right, top, bottom].iter().all(|side| side.as_ref() == Some(left)) =>
            {
                vec![format!("all sides {left}")]
            }
            sides => sides.iter().filter_map(|(name, line)| Some(format!("{name} {}", line.as_ref()?))).collect(),
        };
        for (name, word) in [("diagonalUp", "diagonal up"), ("diagonalDown", "diagonal down")] {
            if node.attr(name).is_some_and(|value| is_true(&value)) {
                words.extend(line(&["diagonal"]).map(|line| format!("{word} {line}")));
            }
        }
        for name in ["vertical", "horizontal"] {
            words.extend(line(&[name]).map(|line| format!("{name} {line}")));
        }
        words.join(", ")
    }

    /// The format of a rule, in one line.
    fn rule(&self, node: Node<'_>) -> String {
        let child = |name: &str| node.child(Ns::S, name);
        let code = child("numFmt").and_then(|found| found.attr("formatCode")).map(|code| bare_code(&code));
        let words = [
            child("font").map(|found| self.font(found)),
            code.filter(|code| !code.eq_ignore_ascii_case("general")),
            child("fill").map(|found| self.fill(found, true)),
            child("border").map(|found| self.border(found)),
            child("alignment").map(alignment),
            child("protection").map(protection),
        ];
        words.into_iter().flatten().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("; ")
    }
}

fn alignment(node: Node<'_>) -> String {
    let mut words: Vec<String> = Vec::new();
    for (name, default) in [("horizontal", "general"), ("vertical", "bottom")] {
        words.extend(node.attr(name).filter(|value| value != default).map(|value| format!("{name} {value}")));
    }
    for (name, word) in [("indent", "indent"), ("textRotation", "rotation"), ("readingOrder", "reading order")] {
        words.extend(node.attr(name).filter(|value| value != "0").map(|value| format!("{word} {value}")));
    }
    for (name, word) in [("wrapText", "wrapped"), ("shrinkToFit", "shrunk to fit"), ("justifyLastLine", "justified")] {
        words.extend(node.attr(name).filter(|value| is_true(value)).map(|_| word.to_owned()));
    }
    words.join(", ")
}

fn protection(node: Node<'_>) -> String {
    let attr = |name: &str| node.attr(name).map(|value| is_true(&value));
    let mut words = Vec::new();
    if attr("locked") == Some(false) {
        words.push("unlocked");
    }
    if attr("hidden") == Some(true) {
        words.push("formula hidden");
    }
    words.join(", ")
}

pub(super) fn is_true(value: &str) -> bool {
    matches!(value, "1" | "true" | "on")
}

/// A number in its shortest spelling; anything else as it is.
pub(super) fn decimal(text: &str) -> String {
    text.trim().parse::<f64>().map_or_else(|_| text.to_owned(), |number| ((number * 1e4).round() / 1e4).to_string())
}

fn number(node: Node<'_>, name: &str) -> Option<u32> {
    node.attr(name)?.trim().parse().ok()
}
