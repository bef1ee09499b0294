//! The wording of all errors of the crate, as one list to review: `tests/messages.txt`.
//!
//! `UPDATE=1 cargo test -p jig-ooxml --test it messages` writes it.

use std::collections::BTreeSet;
use std::fmt::{Debug, Display};
use std::path::Path;

use base64::DecodeError;
use jig_ooxml::xml::Overlap;
use jig_ooxml::{
    ActualKind, DeckIssue, DocumentIssue, EditError, EditIssue, InternalError, OfficeKind, PackageError, PartFault,
    Quantity, ZipFault,
};

/// `Enum::Variant: message` for each of the values.
fn lines<T: Debug + Display>(name: &str, values: impl IntoIterator<Item = T>) -> Vec<String> {
    let line = |value: T| {
        let debug = format!("{value:?}");
        let variant = debug.split([' ', '(', '{']).next().unwrap_or_default();
        format!("{name}::{variant}: {value}")
    };
    values.into_iter().map(line).collect()
}

fn x() -> String {
    "X".to_owned()
}

fn package_errors() -> Vec<PackageError> {
    let part = "xl/workbook.xml".to_owned();
    vec![
        PackageError::NotAPackage,
        PackageError::Encrypted,
        PackageError::Legacy { format: ".doc", instead: ".docx" },
        PackageError::Truncated,
        ZipFault::NoDirectory.into(),
        PackageError::WrongKind { expected: OfficeKind::Document, found: ActualKind::Office(OfficeKind::Workbook) },
        PackageError::MissingPart { part: part.clone() },
        PackageError::Part { part: part.clone(), at: 9, fault: PartFault::NoElement },
        InternalError::Compression { part: part.clone() }.into(),
        PackageError::TooLarge { what: Quantity::Part { part }, limit: 9 },
    ]
}

fn quantities() -> Vec<Quantity> {
    vec![
        Quantity::Entries,
        Quantity::Part { part: x() },
        Quantity::AllParts,
        Quantity::Ratio { part: x() },
        Quantity::EditedPackage,
        Quantity::Nodes { part: x() },
        Quantity::Depth { part: x() },
        Quantity::Tag { part: x() },
        Quantity::Namespaces { part: x() },
        Quantity::Shapes,
        Quantity::Row { part: x() },
        Quantity::Frame { part: x() },
        Quantity::String { part: x() },
        Quantity::SharedStrings,
        Quantity::CellFormats,
        Quantity::ArrayFormulas { part: x() },
    ]
}

fn zip_faults() -> Vec<ZipFault> {
    vec![
        ZipFault::NoDirectory,
        ZipFault::IncompleteRecord,
        ZipFault::MissingEntries { found: 2, declared: 3 },
        ZipFault::OverlappingEntries,
        ZipFault::DuplicatePart { part: x() },
        ZipFault::OutsideFile { entry: x() },
        ZipFault::NoHeader { entry: x() },
        ZipFault::CompressionMethod { entry: x(), method: 99 },
        ZipFault::Compression { entry: x() },
        ZipFault::Checksum { entry: x() },
    ]
}

fn actual_kinds() -> Vec<ActualKind> {
    let kinds = [OfficeKind::Workbook, OfficeKind::Document, OfficeKind::Presentation];
    let mut all: Vec<ActualKind> = kinds.into_iter().map(ActualKind::Office).collect();
    all.push(ActualKind::BinaryWorkbook);
    all.extend(kinds.into_iter().map(ActualKind::NoMainPart));
    all.push(ActualKind::MainElement { element: "w:document".to_owned() });
    all.extend(["urn:beta", ""].map(|uri| ActualKind::OtherNamespace { namespace: uri.to_owned() }));
    all
}

fn part_faults() -> Vec<PartFault> {
    vec![
        PartFault::Encoding { encoding: "UTF-8" },
        PartFault::DocumentType,
        PartFault::NotClosed { what: "a tag" },
        PartFault::NoName,
        PartFault::UnknownDeclaration,
        PartFault::WrongEndTag { found: "a".to_owned(), expected: "b".to_owned() },
        PartFault::NoStartTag { found: "a".to_owned() },
        PartFault::UndeclaredPrefix { prefix: "w".to_owned() },
        PartFault::NoElement,
        PartFault::Unfinished,
        PartFault::SecondRoot,
        PartFault::TextOutsideRoot,
        PartFault::MissingElement { element: "body" },
        PartFault::TooLong { what: "a tag" },
    ]
}

fn internal_errors() -> Vec<InternalError> {
    vec![InternalError::Overlap { part: x(), source: Overlap { at: 9 } }, InternalError::Compression { part: x() }]
}

fn document_issues() -> Vec<DocumentIssue> {
    vec![
        DocumentIssue::Missing { what: "the text of the cell" },
        DocumentIssue::Empty { item: "paragraph" },
        DocumentIssue::InvalidSection,
        DocumentIssue::NoHeading { heading: x() },
        DocumentIssue::NoSection { index: "7".to_owned(), last: 2 },
        DocumentIssue::SectionWithoutHeading,
        DocumentIssue::NoHeadingToChange,
        DocumentIssue::EmptyHeading,
        DocumentIssue::InvalidParagraphs,
        DocumentIssue::ReversedParagraphs { range: "9-4".to_owned() },
        DocumentIssue::NoParagraphFrom { index: 9 },
        DocumentIssue::NoParagraph { index: 9, count: 0 },
        DocumentIssue::NoParagraph { index: 9, count: 3 },
        DocumentIssue::NoChunk { index: 9, count: 0 },
        DocumentIssue::NoChunk { index: 9, count: 3 },
        DocumentIssue::NoQuery,
        DocumentIssue::EmptySearch,
        DocumentIssue::NotASwitch,
        DocumentIssue::TwoPositions { other: "section".to_owned() },
        DocumentIssue::ClearAndText,
        DocumentIssue::EmptyText,
        DocumentIssue::TableBetween,
        DocumentIssue::EmptiesDocument { paragraphs: 2, tables: 1 },
        DocumentIssue::EmptiesSection,
        DocumentIssue::NoTable { index: 9, count: 0 },
        DocumentIssue::NoTable { index: 9, count: 1 },
        DocumentIssue::NoTable { index: 9, count: 3 },
        DocumentIssue::TableWithoutRows,
        DocumentIssue::RowTooLong { values: 3, columns: 1 },
        DocumentIssue::NoRow { row: 9, rows: 2, columns: 1 },
        DocumentIssue::NoCell { row: 0, column: 9, rows: 2, columns: 1 },
        DocumentIssue::CellSetTwice,
        DocumentIssue::TableWithoutCells,
        DocumentIssue::TooManyColumns { columns: 99, limit: 63 },
        DocumentIssue::InvalidHeader,
        DocumentIssue::NotAnImage { kinds: "png, jpeg, gif or bmp" },
        DocumentIssue::TwoImages,
        DocumentIssue::NoFile { path: "x.png".to_owned() },
        DocumentIssue::NotBase64 { source: DecodeError::InvalidPadding },
        DocumentIssue::ImageSize { limit: 100.0 },
        DocumentIssue::InvalidColor,
        DocumentIssue::UnknownHighlight { name: x() },
        DocumentIssue::FontSize,
        DocumentIssue::UnknownAlignment { name: x() },
        DocumentIssue::Distance { value: 99.0, least: -22.0, most: 22.0 },
        DocumentIssue::LineSpacing,
        DocumentIssue::InvalidAsset,
        DocumentIssue::AssetWithoutType,
        DocumentIssue::MissingType,
        DocumentIssue::UnknownAssetType { kind: x(), known: &["image", "table_style"] },
        DocumentIssue::NoSourceStyle { kind: "table style".to_owned(), name: x() },
        DocumentIssue::NoSourceStyles,
        DocumentIssue::NoSourceImage { rel_id: "rId9".to_owned() },
        DocumentIssue::LinkedImage,
        DocumentIssue::NoTarget,
        DocumentIssue::TextNotFound { text: x() },
        DocumentIssue::OnlyInTextBox { text: x() },
        DocumentIssue::NoOccurrence { number: 3, count: 1 },
        DocumentIssue::NoOccurrence { number: 3, count: 2 },
        DocumentIssue::Excludes { other: "comment" },
        DocumentIssue::EmptyComment,
        DocumentIssue::NoCommentGiven,
        DocumentIssue::NoComment { id: "7".to_owned(), count: 0 },
        DocumentIssue::NoComment { id: "7".to_owned(), count: 2 },
        DocumentIssue::CommentWithoutAnchor { id: "7".to_owned() },
        DocumentIssue::NoSuchAuthor { author: x(), what: "comments" },
        DocumentIssue::NoChange { id: "7".to_owned() },
        DocumentIssue::NoPageSection { index: 9, count: 1 },
        DocumentIssue::NoRoomOnPage,
        DocumentIssue::NoSectionBreakHere,
        DocumentIssue::FieldText,
        DocumentIssue::FieldArgument { field: "PAGE".to_owned() },
        DocumentIssue::InvalidUrl { url: "file:x".to_owned(), why: "links lead elsewhere" },
        DocumentIssue::NoBookmark { name: x() },
        DocumentIssue::BookmarkName { name: "1 x".to_owned() },
        DocumentIssue::BookmarkExists { name: x() },
        DocumentIssue::NoTextToLink,
        DocumentIssue::CannotWrap,
        DocumentIssue::NoHyperlink,
        DocumentIssue::NotInAList { index: 9 },
        DocumentIssue::TooManyLevels { limit: 9 },
        DocumentIssue::TooManyCells { limit: 9 },
        DocumentIssue::EmptiesTable,
        DocumentIssue::NoColumn { column: 9, columns: 2 },
        DocumentIssue::MoreValuesThanRows { values: 3, rows: 1 },
        DocumentIssue::NotTracked { what: "merging cells" },
        DocumentIssue::NothingToMerge,
        DocumentIssue::CutsMergedCell { row: 1, columns: 2 },
        DocumentIssue::WidthCount { widths: 1, columns: 2 },
        DocumentIssue::TemplateClose { name: x() },
        DocumentIssue::TemplateOpen { name: x() },
        DocumentIssue::TemplateCrossed { name: x() },
        DocumentIssue::TemplateTooLarge { limit: 9 },
        DocumentIssue::TemplateTooDeep { limit: 9 },
        DocumentIssue::NoControl { name: x() },
        DocumentIssue::LockedControl { name: x() },
        DocumentIssue::NoListEntry { text: x() },
        DocumentIssue::NoStyle { name: x() },
        DocumentIssue::StyleName,
        DocumentIssue::CharacterStyleOnly,
        DocumentIssue::BasedOnItself,
        DocumentIssue::NoImage { index: 9, count: 1 },
    ]
}

fn deck_issues() -> Vec<DeckIssue> {
    let placeholders = || "it has Title 1 (title)".to_owned();
    vec![
        DeckIssue::Missing { what: "the text of the cell" },
        DeckIssue::Empty { item: "bullet" },
        DeckIssue::NoSlide { index: 9, count: 0 },
        DeckIssue::NoSlide { index: 9, count: 3 },
        DeckIssue::NewSlideIndex { index: 9, count: 3 },
        DeckIssue::CopyIndex { index: 9, count: 3 },
        DeckIssue::NoLayout { name: x(), known: vec!["Blank".to_owned(), "Title Only".to_owned()] },
        DeckIssue::LayoutWithoutPlace { layout: "Blank".to_owned(), field: "title", placeholders: placeholders() },
        DeckIssue::NoPlaceholder { index: 0, field: "body".to_owned(), placeholders: placeholders() },
        DeckIssue::NoTextShape { index: 0, wanted: x(), placeholders: placeholders() },
        DeckIssue::NoImagePlaceholder { index: 0, placeholders: placeholders() },
        DeckIssue::PlaceholderGone,
        DeckIssue::NothingToSet,
        DeckIssue::ClearAndText { what: "title".to_owned() },
        DeckIssue::EmptyBullet,
        DeckIssue::EmptySearch,
        DeckIssue::UnknownAlignment { name: x() },
        DeckIssue::InvalidColor,
        DeckIssue::NoTables { index: 0 },
        DeckIssue::NoTable { wanted: x(), index: 0, known: vec!["Numbers".to_owned()] },
        DeckIssue::ShapeWithoutTable,
        DeckIssue::InvalidTable,
        DeckIssue::NoCell { axis: "row".to_owned(), index: 9, count: 2 },
        DeckIssue::NotAnImage,
        DeckIssue::NoFile { path: "x.png".to_owned() },
        DeckIssue::NotBase64 { source: DecodeError::InvalidPadding },
        DeckIssue::TwoImages,
        DeckIssue::ImageSize,
        DeckIssue::ImagePlace,
        DeckIssue::NoShape { index: 0, wanted: x(), known: vec!["Title 1 (id 2)".to_owned()] },
        DeckIssue::NoShape { index: 0, wanted: x(), known: Vec::new() },
        DeckIssue::SameName { index: 0, name: x(), ids: vec!["2".to_owned(), "5".to_owned()] },
        DeckIssue::ShapeWithoutText { name: x(), kind: "picture", instead: "use add_text_box" },
        DeckIssue::ShapeWithoutPlace { name: x() },
        DeckIssue::ShapeCannotMove { name: x() },
        DeckIssue::NoTableSize,
        DeckIssue::TooManyValues { axis: "row 2", given: 4, count: 3 },
        DeckIssue::TableTooLarge { what: "rows", count: 2000, limit: 1000 },
        DeckIssue::InvalidCellValue,
        DeckIssue::WholeTable { what: "rows", count: 2 },
        DeckIssue::NoTablePosition { axis: "row", index: 9, count: 2 },
        DeckIssue::NoTableStyle { name: x(), known: vec!["Medium Style 2".to_owned()] },
        DeckIssue::NoSection { wanted: x(), known: vec!["1 `Intro`".to_owned()] },
        DeckIssue::SameSection { name: x(), numbers: vec!["1".to_owned(), "3".to_owned()] },
        DeckIssue::SectionBegins { index: 0, name: x() },
        DeckIssue::MoveTarget,
        DeckIssue::NoMaster { wanted: x(), known: vec!["0 `Office Theme`".to_owned()] },
        DeckIssue::SlideWithoutLayout { index: 0 },
        DeckIssue::Either { one: "index", other: "all_slides" },
        DeckIssue::NotAChart { name: x(), kind: "table" },
        DeckIssue::WhichChart { index: 0, known: Vec::new() },
        DeckIssue::WhichChart { index: 0, known: vec!["Chart 2".to_owned(), "Chart 5".to_owned()] },
        DeckIssue::FixedChart { name: x() },
        DeckIssue::NothingToChange,
        DeckIssue::ChartRows,
        DeckIssue::NotANumber,
        DeckIssue::TooManyPoints { what: "series", count: 300, limit: 255 },
        DeckIssue::PieSeries { count: 2 },
        DeckIssue::ScatterLabels,
        DeckIssue::SeriesKind { kind: "pie" },
        DeckIssue::NotAPicture { name: x(), kind: "table" },
        DeckIssue::NoEmptyPlaceholder { index: 0, placeholders: placeholders() },
        DeckIssue::InvalidAsset,
        DeckIssue::UnreadableAsset { text: x() },
        DeckIssue::AssetWithoutTarget { text: x() },
        DeckIssue::UnknownAssetType { kind: x() },
        DeckIssue::NotAnIndex,
        DeckIssue::InvalidAddress,
        DeckIssue::NoSlideIn { side: "source", index: 9, count: 3 },
        DeckIssue::NoShapeIn { side: "source", slide: 0, shape: "4".to_owned(), count: 3 },
        DeckIssue::NoTextShapeInTarget { slide: 0, shape: "4".to_owned() },
        DeckIssue::SourceShape { lacks: "no image" },
        DeckIssue::StrictAndTransitional,
        DeckIssue::NoSourceLayout { name: x(), known: vec!["Blank".to_owned()] },
        DeckIssue::LinksToSlide { part: "ppt/slides/slide1.xml".to_owned() },
    ]
}

fn edit_issues() -> Vec<EditIssue> {
    vec![
        DocumentIssue::EmptySearch.into(),
        DeckIssue::EmptySearch.into(),
        EditIssue::NoAssets,
        EditIssue::InvalidAssets,
        "any other reason".into(),
    ]
}

fn all() -> Vec<String> {
    let mut list = lines("PackageError", package_errors());
    list.extend(lines("Quantity", quantities()));
    list.extend(lines("ZipFault", zip_faults()));
    list.extend(lines("ActualKind", actual_kinds()));
    list.extend(lines("PartFault", part_faults()));
    list.extend(lines("InternalError", internal_errors()));
    list.extend(lines("EditIssue", edit_issues()));
    list.extend(lines("DocumentIssue", document_issues()));
    list.extend(lines("DeckIssue", deck_issues()));
    list
}

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn messages_are_those_of_the_list() {
    let path = folder().join("tests/messages.txt");
    let found = all().join("\n") + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert_eq!(found.lines().collect::<Vec<_>>(), expected.lines().collect::<Vec<_>>());
}

/// The message of a variant without a line would not be reviewed.
#[test]
fn the_list_has_every_variant() {
    let listed: BTreeSet<String> = all().iter().filter_map(|line| Some(line.split_once(": ")?.0.to_owned())).collect();
    for file in ["package", "edit", "document", "deck"] {
        let source = std::fs::read_to_string(folder().join(format!("src/error/{file}.rs"))).unwrap();
        let mut current = "";
        for line in source.lines() {
            if let Some(rest) = line.strip_prefix("pub enum ") {
                current = rest.trim_end_matches(" {");
            } else if line == "}" {
                current = "";
            } else if !current.is_empty()
                && line.starts_with("    ")
                && line[4..].starts_with(|c: char| c.is_ascii_uppercase())
            {
                let variant = line.trim().split([' ', ',', '(', '{']).next().unwrap();
                let name = format!("{current}::{variant}");
                assert!(
                    current == "OfficeKind" || listed.contains(&name),
                    "{name} is missing from the list of messages"
                );
            }
        }
    }
}

#[test]
fn the_op_and_its_field_come_first() {
    let error = EditError::new("ops[2].section", DocumentIssue::InvalidSection);
    assert_eq!(error.to_string(), format!("ops[2].section: {}", DocumentIssue::InvalidSection));
}
