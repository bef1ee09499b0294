//! What formulas read, call and reach.

use crate::model::TableModel;
use crate::{Dependencies, Item, Outside, ReferencedRange, SheetScope, StructuredRef, UsedName};

fn range(scope: SheetScope, range: &str) -> ReferencedRange {
    ReferencedRange { scope, range: range.parse().unwrap() }
}

#[test]
fn everything_named_is_listed_once() {
    let formula = "SUM(A1:B2,Other!C:C,Jan:Mar!A1,A1:B2)*Rate+Other!Local+_xlfn.XLOOKUP(T[[#This Row],[x]],1,2)";
    let expected = Dependencies {
        ranges: vec![
            range(SheetScope::Own, "A1:B2"),
            range(SheetScope::Sheet("Other".to_owned()), "C:C"),
            range(SheetScope::Sheets("Jan".to_owned(), "Mar".to_owned()), "A1"),
        ],
        names: vec![
            UsedName { sheet: None, name: "Rate".to_owned() },
            UsedName { sheet: Some("Other".to_owned()), name: "Local".to_owned() },
        ],
        structured: vec![StructuredRef {
            table: Some("T".to_owned()),
            items: vec![Item::ThisRow],
            columns: Some(("x".to_owned(), "x".to_owned())),
        }],
        functions: vec!["SUM".to_owned(), "XLOOKUP".to_owned()],
        dynamic: false,
        spills: false,
        outside: vec![],
    };
    assert_eq!(Dependencies::of(formula), expected);
}

#[test]
fn volatile_and_dynamic_ones_are_known() {
    let facts = |formula: &str| {
        let found = Dependencies::of(formula);
        (found.is_volatile(), found.dynamic, found.needs_clock_or_chance())
    };
    assert_eq!(facts("A1+1"), (false, false, false));
    assert_eq!(facts("today()"), (true, false, true));
    assert_eq!(facts("RAND()"), (true, false, true));
    assert_eq!(facts("OFFSET(A1,1,1)"), (true, true, false));
    assert_eq!(facts("SUM(A1:INDEX(B:B,2))"), (true, true, false));
    assert_eq!(facts("SUM(A1#)"), (true, true, false));
}

#[test]
fn reaching_outside_is_seen() {
    let outside = |formula: &str| Dependencies::of(formula).outside;
    let function = |name: &str| vec![Outside::Function(name.to_owned())];
    assert_eq!(outside("_xlfn.WEBSERVICE(A1)"), function("WEBSERVICE"));
    assert_eq!(outside("IF(A1,RTD(\"x\",,1))"), function("RTD"));
    assert_eq!(outside("CUBEVALUE(\"c\",A1)"), function("CUBEVALUE"));
    assert_eq!(outside("REGISTER.ID(\"a\",\"b\")"), function("REGISTER.ID"));
    assert_eq!(outside("_xll.Anything(1)"), function("ANYTHING"));
    assert_eq!(outside("[1]Sheet!A1+[2]!Name"), ["1", "2"].map(|book| Outside::Workbook(book.to_owned())));
    assert_eq!(outside("cmd|'/c calc'!A0"), vec![Outside::Dde]);
    assert_eq!(outside("HYPERLINK(\"http://x\")&FILTERXML(A1,\"//x\")&\"[1]S!A1\""), vec![]);
}

#[test]
fn structured_references_become_cells() {
    let table = TableModel {
        name: "T".to_owned(),
        sheet: 0,
        range: "B2:D6".parse().unwrap(),
        columns: ["Name", "Net #", "Tax]"].map(str::to_owned).to_vec(),
        header_rows: 1,
        totals_rows: 1,
    };
    let cells = |text: &str| {
        let structured = StructuredRef::parse(text).unwrap();
        structured.range(&table, "F4".parse().unwrap()).map(|range| range.to_string())
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(cells("T[]"), some("B3:D5"));
    assert_eq!(cells("T[name]"), some("B3:B5"));
    assert_eq!(cells("T[Net '#]"), some("C3:C5"));
    assert_eq!(cells("T[[Name]:[Tax']]]"), some("B3:D5"));
    assert_eq!(cells("T[#All]"), some("B2:D6"));
    assert_eq!(cells("T[[#Headers],[Name]]"), some("B2"));
    assert_eq!(cells("T[[#Headers],[#Data],[Name]]"), some("B2:B5"));
    assert_eq!(cells("T[[#Totals], [Name]]"), some("B6"));
    assert_eq!(cells("T[[#This Row],[Name]]"), some("B4"));
    assert_eq!(cells("T[@Name]"), some("B4"));
    assert_eq!(cells("[@[Net '#]]"), some("C4"));
    assert_eq!(cells("T[@]"), some("B4:D4"));
    assert_eq!(cells("T[Missing]"), None);
    let above = StructuredRef::parse("T[@Name]").unwrap().range(&table, "F2".parse().unwrap());
    assert_eq!(above, None);
    assert_eq!(StructuredRef::parse("T[[a][b]]"), None);
}
