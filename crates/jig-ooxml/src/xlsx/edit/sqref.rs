//! Lists of ranges (`sqref`) that conditional formats and validations apply to.

use super::WorkbookEdit;
use super::rows::Gone;
use crate::edit::{EditError, OpInput};
use crate::error::Error;
use crate::xlsx::address::{AddressError, CellRange, CellRef, split_sheet};
use crate::xlsx::formula::{same_sheet, translate};
use crate::xml::{Node, Ns, Splice};

/// The most ranges of one rule.
const MOST_RANGES: usize = 1000;

/// The ranges that an op gives, separated by commas, semicolons or spaces.
pub(super) fn ranges_at(input: &OpInput, text: &str, sheet: &str) -> Result<Vec<CellRange>, EditError> {
    let mut ranges = Vec::new();
    for one in split_list(text) {
        let cells = match split_sheet(one) {
            Some((named, cells)) if same_sheet(&named, sheet) => cells,
            Some((named, _)) => {
                let why = format!("`{one}` is on `{named}`, but `sheet` is `{sheet}`");
                return Err(input.error("range", why));
            }
            None => one,
        };
        let range = cells.trim().parse::<CellRange>();
        ranges.push(range.map_err(|error: AddressError| input.error("range", error.to_string()))?);
    }
    if ranges.is_empty() || ranges.len() > MOST_RANGES {
        let why = format!("give 1 to {MOST_RANGES} ranges such as `B2:B20` (got {})", ranges.len());
        return Err(input.error("range", why));
    }
    Ok(ranges)
}

/// The items of a list; separators inside quotes belong to the name of a sheet.
fn split_list(text: &str) -> Vec<&str> {
    let mut quoted = false;
    let items = text.split(|c: char| {
        quoted ^= c == '\'';
        !quoted && (matches!(c, ',' | ';') || c.is_whitespace())
    });
    items.filter(|item| !item.is_empty()).collect()
}

/// The list as files write it.
pub(super) fn list(ranges: &[CellRange]) -> String {
    // Whole columns and rows are written with all corners there.
    let whole = |range: &CellRange| {
        if range.start() == range.end() { range.to_string() } else { format!("{}:{}", range.start(), range.end()) }
    };
    ranges.iter().map(whole).collect::<Vec<_>>().join(" ")
}

fn parse(list: &str) -> Vec<CellRange> {
    list.split_ascii_whitespace().filter_map(|item| item.parse().ok()).collect()
}

/// The cell for which the formulas of a rule are written.
pub(super) fn base(ranges: &[CellRange]) -> Option<CellRef> {
    let row = ranges.iter().map(|range| range.start().row()).min()?;
    let col = ranges.iter().map(|range| range.start().col()).min()?;
    CellRef::new(row, col)
}

/// A range without the cells of another: the pieces above, left, right and below.
fn without(range: CellRange, cut: CellRange) -> Vec<CellRange> {
    let Some(hit) = range.intersection(cut) else { return vec![range] };
    let piece = |top: u32, left: u32, bottom: u32, right: u32| {
        let valid = top <= bottom && left <= right;
        valid.then(|| Some(CellRange::new(CellRef::new(top, left)?, CellRef::new(bottom, right)?))).flatten()
    };
    let (a, b, c, d) = (range.start(), range.end(), hit.start(), hit.end());
    [
        piece(a.row(), a.col(), c.row() - 1, b.col()),
        piece(c.row(), a.col(), d.row(), c.col() - 1),
        piece(c.row(), d.col() + 1, d.row(), b.col()),
        piece(d.row() + 1, a.col(), b.row(), b.col()),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Takes cells out of the rules of a sheet, also out of those in extensions. Rules without cells are removed; formulas
/// of the others stay true for their first cell. `names` are the elements in the main namespace and in extensions.
/// Returns how many rules lost cells.
pub(super) fn cut(
    editor: &mut WorkbookEdit<'_>,
    part: &str,
    names: [&str; 2],
    ranges: &[CellRange],
) -> Result<usize, Error> {
    let mut count = 0;
    editor.edit_frame(part, |root, splice| {
        let nodes = root.descendants().filter(|node| node.is_element());
        let rules: Vec<Node<'_>> =
            nodes.filter(|node| node.is(Ns::S, names[0]) || node.is(Ns::X14, names[1])).collect();
        let mut gone = Gone::default();
        for rule in rules {
            let text = rule.child(Ns::Xm, "sqref");
            let Some(old) = rule.attr("sqref").or_else(|| text.map(Node::text)) else { continue };
            let before = parse(&old);
            let mut left = before.clone();
            for range in ranges {
                left = left.into_iter().flat_map(|one| without(one, *range)).collect();
            }
            if left == before {
                continue;
            }
            // A validation is one rule, an area of conditional formats holds several; extensions repeat some of them.
            count += usize::from(rule.ns() == Ns::S);
            let (Some(from), Some(to)) = (base(&before), base(&left)) else {
                gone.add(rule);
                continue;
            };
            match text {
                Some(text) => splice.set_text(text, &list(&left)),
                None => splice.set_attr(rule, "sqref", &list(&left)),
            }
            if from != to {
                move_formulas(rule, from, to, splice);
            }
        }
        gone.close(root);
        gone.remove(root, splice);
        Ok(())
    })?;
    Ok(count)
}

fn move_formulas(rule: Node<'_>, from: CellRef, to: CellRef, splice: &mut Splice<'_>) {
    for node in rule.descendants().filter(|node| node.is_element()) {
        let holds = match node.ns() {
            Ns::S => matches!(node.local(), "formula" | "formula1" | "formula2"),
            Ns::Xm => node.local() == "f",
            _ => false,
        };
        if holds {
            let text = node.text();
            let moved = translate(text.as_ref(), from, to);
            if moved.text != text {
                splice.set_text(node, &moved.text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_leaves_the_cells_around_it() {
        let cut = |range: &str, other: &str| list(&without(range.parse().unwrap(), other.parse().unwrap()));
        assert_eq!(cut("A1:C3", "B2"), "A1:C1 A2 C2 A3:C3");
        assert_eq!(cut("A1:A9", "A1:A3"), "A4:A9");
        assert_eq!(cut("A1:A9", "B1:B9"), "A1:A9");
        assert_eq!(cut("A1:B2", "A:C"), "");
        assert_eq!(list(&["C:C".parse().unwrap()]), "C1:C1048576");
    }

    #[test]
    fn ranges_may_be_separated_in_any_usual_way() {
        let input = OpInput { index: 0, name: "set_data_validation" };
        let ranges = |text: &str| ranges_at(&input, text, "My data").map(|ranges| list(&ranges));
        assert_eq!(ranges("A1:A3, 'My data'!C1;D2  E5").unwrap(), "A1:A3 C1 D2 E5");
        assert!(ranges("Other!A1").unwrap_err().to_string().contains("but `sheet` is `My data`"));
        assert!(ranges(" , ").is_err());
    }
}
