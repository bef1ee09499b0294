//! Addresses are read strictly, written back as they were, and wrong ones say what is wrong.

use proptest::prelude::*;

use super::*;

fn cell(row: u32, col: u32) -> CellRef {
    CellRef::new(row, col).unwrap()
}

#[test]
fn cells_and_ranges_are_read() {
    assert_eq!("A1".parse(), Ok(cell(1, 1)));
    assert_eq!("$xfd$1048576".parse(), Ok(cell(MAX_ROW, MAX_COLUMN)));
    assert_eq!("C3:A1".parse(), Ok(CellRange::new(cell(1, 1), cell(3, 3))));
    assert_eq!("$B:C".parse(), Ok(CellRange::new(cell(1, 2), cell(MAX_ROW, 3))));
    assert_eq!("$2:4".parse(), Ok(CellRange::new(cell(2, 1), cell(4, MAX_COLUMN))));
    assert_eq!("D4".parse(), Ok(CellRange::from(cell(4, 4))));
}

#[test]
fn wrong_addresses_say_what_is_wrong() {
    let message = |text: &str| text.parse::<CellRef>().unwrap_err().to_string();
    assert_eq!(message(""), "an address is missing; write it like `B2` or `A1:C3`");
    assert_eq!(message("A0"), "`A0`: row 0 does not exist; rows go from 1 to 1048576");
    assert_eq!(message("A1048577"), "`A1048577`: row 1048577 does not exist; rows go from 1 to 1048576");
    assert_eq!(message("ZZZZ1"), "`ZZZZ1`: column ZZZZ does not exist; columns go from A to XFD");
    assert_eq!(message("XFE1"), "`XFE1`: column XFE does not exist; columns go from A to XFD");
    for text in ["1A", "A", "7", "A1:B2", "A 1", "$", "A$", "$$A1", "A-1", "Ä1", "A1 "] {
        assert_eq!(message(text), format!("`{text}` is not a cell; write it like `B2`"));
    }
    let message = |text: &str| text.parse::<CellRange>().unwrap_err().to_string();
    assert_eq!(message("A1:B"), "`A1:B` is not a range; write it like `A1:C3`, `A:C` or `1:3`");
    assert_eq!(message("A1:"), "an address is missing; write it like `B2` or `A1:C3`");
}

#[test]
fn a_sheet_may_stand_before_the_cells() {
    let of = |sheet: &str, range: &str| SheetRange { sheet: sheet.to_owned(), range: range.parse().unwrap() };
    assert_eq!("Budget!B2:C9".parse(), Ok(of("Budget", "B2:C9")));
    assert_eq!(" 'It''s mine!' ! $A:A".parse(), Ok(of("It's mine!", "A:A")));
    for text in ["Budget!B2:C9", "'It''s mine!'!A:A", "'R1C1'!A1", "'A1'!A1", "A01!A1"] {
        assert_eq!(text.parse::<SheetRange>().unwrap().to_string(), text);
    }
    let message = |text: &str| text.parse::<SheetRange>().unwrap_err().to_string();
    assert_eq!(message("B2"), "`B2` is not a place; write it like `Sheet1!B2`");
    assert_eq!(message("!B2"), "`!B2` is not a place; write it like `Sheet1!B2`");
    assert_eq!(message("Data!B"), "`B` is not a cell; write it like `B2`");
}

#[test]
fn addresses_of_a_file_are_read_from_bytes() {
    for text in ["A1", "xfd1048576", "AB007", "B2"] {
        assert_eq!(CellRef::from_ascii(text.as_bytes()), text.parse().ok(), "{text}");
    }
    for text in ["", "A", "1", "A0", "A1048577", "XFE1", "ZZZZ1", "$A$1", "A 1", "A1 ", "A99999999999", "Ä1"] {
        assert_eq!(CellRef::from_ascii(text.as_bytes()), None, "{text}");
    }
    assert_eq!(CellRange::ALL, "1:1048576".parse().unwrap());
}

#[test]
fn the_grid_has_an_end() {
    assert_eq!([CellRef::new(0, 1), CellRef::new(1, 0), CellRef::new(MAX_ROW + 1, 1)], [None; 3]);
    assert_eq!(CellRef::new(1, MAX_COLUMN + 1), None);
}

#[test]
fn ranges_meet() {
    let range = |text: &str| text.parse::<CellRange>().unwrap();
    assert_eq!(range("A1:C3").intersection(range("B2:Z9")), Some(range("B2:C3")));
    assert_eq!(range("A1:C3").intersection(range("D1")), None);
    assert_eq!((range("A:B").cells(), range("A1:C3").rows(), range("A1:C3").columns()), (2_097_152, 3, 3));
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(rows in (1..=MAX_ROW, 1..=MAX_ROW), cols in (1..=MAX_COLUMN, 1..=MAX_COLUMN)) {
        let range = CellRange::new(cell(rows.0, cols.0), cell(rows.1, cols.1));
        prop_assert_eq!(range.to_string().parse(), Ok(range));
        prop_assert_eq!(column_number(&ColumnName(cols.0).to_string()), Some(cols.0));
    }

    #[test]
    fn any_text_is_answered(text in ".{0,12}") {
        let _ = (text.parse::<CellRef>(), text.parse::<CellRange>());
    }
}
