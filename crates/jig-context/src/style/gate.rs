//! Decides which formats a call is about.

use std::collections::BTreeSet;

use super::Format;

const XLSX: &[&str] = &[
    "xlsx",
    "xls",
    "xlsm",
    "excel",
    "spreadsheet",
    "spreadsheets",
    "workbook",
    "workbooks",
    "worksheet",
    "worksheets",
    "sheet",
    "sheets",
    "cell",
    "cells",
    "pivot",
    "formula",
    "formulas",
    "column",
    "columns",
    "row",
    "rows",
    "table",
    "tables",
    "budget",
    "budgets",
    "forecast",
    "ledger",
    "tabelle",
    "tabellen",
    "tabla",
    "tablas",
    "tableau",
    "tableur",
    "hoja",
    "hojas",
    "foglio",
    "planilha",
];
const DOCX: &[&str] = &[
    "docx",
    "doc",
    "docm",
    "word",
    "document",
    "documents",
    "report",
    "reports",
    "memo",
    "memos",
    "letter",
    "letters",
    "proposal",
    "proposals",
    "contract",
    "contracts",
    "minutes",
    "brief",
    "briefing",
    "paper",
    "essay",
    "article",
    "paragraph",
    "paragraphs",
    "heading",
    "headings",
    "table",
    "tables",
    "dokument",
    "dokumente",
    "bericht",
    "brief",
    "documento",
    "documentos",
    "informe",
    "rapport",
    "lettre",
    "relatório",
    "relazione",
];
const PPTX: &[&str] = &[
    "pptx",
    "ppt",
    "powerpoint",
    "presentation",
    "presentations",
    "slide",
    "slides",
    "deck",
    "decks",
    "slideshow",
    "pitch",
    "keynote",
    "folie",
    "folien",
    "präsentation",
    "präsentationen",
    "presentación",
    "presentaciones",
    "diapositiva",
    "diapositivas",
    "diapositive",
    "diapositives",
    "présentation",
    "presentazione",
    "apresentação",
];
/// Words for creating something, and for a thing of unspecified format.
const MAKE: &[&str] = &[
    "create", "make", "write", "draft", "generate", "build", "prepare", "produce", "new", "export", "format", "style",
    "design", "erstelle", "schreibe", "crea", "escribe", "crée", "rédige",
];
const THING: &[&str] = &["file", "files", "template", "templates", "summary", "datei", "dateien", "archivo", "fichier"];

/// The formats that a call is about: those of the files at `paths`, and those that the message or the last turns name.
/// If something is to be created and no format is named, all formats: the new file need not have the format of an
/// existing one.
pub fn relevant<'a>(paths: impl IntoIterator<Item = &'a str>, message: &str, last_turns: &[&str]) -> Vec<Format> {
    let mut formats: BTreeSet<Format> = paths.into_iter().filter_map(Format::of_path).collect();
    let words: BTreeSet<String> = std::iter::once(message).chain(last_turns.iter().copied()).flat_map(split).collect();
    let has = |list: &[&str]| list.iter().any(|word| words.contains(*word));
    let asked = [(Format::Xlsx, XLSX), (Format::Docx, DOCX), (Format::Pptx, PPTX)];
    let asked: Vec<Format> = asked.into_iter().filter(|(_, list)| has(list)).map(|(format, _)| format).collect();
    // `it` usually refers to an existing file; without one, to something new.
    let something = has(THING) || formats.is_empty() && words.contains("it");
    if asked.is_empty() && has(MAKE) && something {
        return Format::ALL.to_vec();
    }
    formats.extend(asked);
    formats.into_iter().collect()
}

fn split(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::{Format, relevant};

    #[test]
    fn files_and_words_decide() {
        assert_eq!(relevant(["a/Budget.XLSX", "notes.md"], "hello", &[]), [Format::Xlsx]);
        assert_eq!(relevant([], "Turn this into slides.", &[]), [Format::Pptx]);
        assert_eq!(relevant([], "yes, go on", &["Should I write the report?"]), [Format::Docx]);
        assert_eq!(relevant(["q.pptx"], "put the figures into an Excel sheet", &[]), [Format::Xlsx, Format::Pptx]);
    }

    #[test]
    fn in_doubt_all_and_without_doubt_none() {
        for paths in [&[][..], &["data.csv"], &["budget.xlsx"]] {
            let asked = relevant(paths.iter().copied(), "create a file with the results", &[]);
            assert_eq!(asked, Format::ALL, "{paths:?}");
        }
        assert_eq!(relevant([], "make it nicer", &[]), Format::ALL);
        assert_eq!(relevant(["budget.xlsx"], "make it nicer", &[]), [Format::Xlsx]);
        assert_eq!(relevant(["data.csv"], "how many customers are in Spain?", &[]), []);
        assert_eq!(relevant([], "the wordy keyworded passwords", &[]), []);
    }
}
