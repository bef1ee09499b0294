//! Which changes an address means: the one that has it, or all that lie in what it names.
//!
//! `Budget!B3` is one cell. `Budget!B2:C9` and `Budget!5:9` are all changed cells and rows in there, `Budget` is the
//! whole sheet, `section 2`, `slide 3` and `page 4` are all that changed in them.

use jig_ooxml::xlsx::address::{CellRange, CellRef};
use jig_ooxml::xlsx::formula::quoted_sheet;

/// The places in `known` of the changes that `wanted` means; none when it means nothing.
#[must_use]
pub fn select<S: AsRef<str>>(known: &[S], wanted: &str) -> Vec<usize> {
    let places = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
        known.iter().enumerate().filter(|(_, id)| fits(id.as_ref())).map(|(at, _)| at).collect()
    };
    let exact = places(&|id| id == wanted);
    if !exact.is_empty() {
        return exact;
    }
    let area = Area::of(wanted);
    let (part, sheet) = (format!("{wanted}, "), format!("{}!", quoted_sheet(wanted)));
    let of_sheet = format!("sheet {}", quoted_sheet(wanted));
    places(&|id| {
        id.starts_with(&part)
            || id.starts_with(&sheet)
            || id == of_sheet
            || area.as_ref().is_some_and(|area| area.holds(id))
    })
}

/// A part of a sheet.
#[derive(Debug, PartialEq, Eq)]
struct Area<'a> {
    sheet: &'a str,
    place: Place,
}

#[derive(Debug, PartialEq, Eq)]
enum Place {
    Cells(CellRange),
    Rows(u32, u32),
}

impl<'a> Area<'a> {
    fn of(address: &'a str) -> Option<Self> {
        let (sheet, place) = address.rsplit_once('!')?;
        let place = match place.parse::<CellRange>() {
            Ok(range) => Place::Cells(range),
            Err(_) => {
                let (first, last) = place.split_once(':')?;
                let (first, last) = (first.parse().ok()?, last.parse().ok()?);
                Place::Rows(u32::min(first, last), u32::max(first, last))
            }
        };
        Some(Self { sheet, place })
    }

    /// Whether a changed cell or row lies in here. Whole rows lie in no range of cells.
    fn holds(&self, id: &str) -> bool {
        let Some(other) = Area::of(id).filter(|other| other.sheet == self.sheet) else { return false };
        match (&self.place, other.place) {
            (Place::Cells(range), Place::Cells(cells)) => range.contains(cells.start()) && range.contains(cells.end()),
            (Place::Rows(first, last), Place::Rows(from, to)) => *first <= from && to <= *last,
            (Place::Rows(first, last), Place::Cells(cells)) => {
                let inside = |cell: CellRef| (*first..=*last).contains(&cell.row());
                inside(cells.start()) && inside(cells.end())
            }
            (Place::Cells(_), Place::Rows(..)) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 9] = [
        "Budget!B3",
        "Budget!C9",
        "Budget!7:7",
        "Budget!columns",
        "'My sheet'!B3",
        "section 2, paragraph 14",
        "section 21, paragraph 1",
        "slide 3",
        "slide 3, notes",
    ];

    fn ids(wanted: &str) -> Vec<&'static str> {
        select(&KNOWN, wanted).into_iter().map(|at| KNOWN[at]).collect()
    }

    #[test]
    fn an_address_is_the_change_that_has_it() {
        assert_eq!(ids("Budget!B3"), ["Budget!B3"]);
        assert_eq!(ids("slide 3"), ["slide 3"], "what has the address goes before what lies in it");
        assert_eq!(ids("Budget!Z1"), Vec::<&str>::new());
        assert_eq!(ids(""), Vec::<&str>::new());
    }

    #[test]
    fn ranges_rows_and_sheets_are_what_lies_in_them() {
        assert_eq!(ids("Budget!A1:C8"), ["Budget!B3"]);
        assert_eq!(ids("Budget!A1:C9"), ["Budget!B3", "Budget!C9"]);
        assert_eq!(ids("Budget!5:9"), ["Budget!C9", "Budget!7:7"]);
        assert_eq!(ids("Budget"), ["Budget!B3", "Budget!C9", "Budget!7:7", "Budget!columns"]);
        assert_eq!(ids("My sheet"), ["'My sheet'!B3"]);
    }

    #[test]
    fn a_section_is_what_changed_in_it_and_in_no_other() {
        assert_eq!(ids("section 2"), ["section 2, paragraph 14"]);
        assert_eq!(ids("section 2, paragraph"), Vec::<&str>::new());
    }
}
