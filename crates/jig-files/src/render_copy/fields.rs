//! Fields of Word documents: which instructions only show what is in the document.

/// Instructions that read nothing but the document itself. All others lose their instruction and keep their last result,
/// which is what they show until someone updates them.
const SHOWN: &[&str] = &[
    "PAGE",
    "NUMPAGES",
    "SECTION",
    "SECTIONPAGES",
    "DATE",
    "TIME",
    "CREATEDATE",
    "SAVEDATE",
    "PRINTDATE",
    "EDITTIME",
    "TOC",
    "TC",
    "TA",
    "TOA",
    "XE",
    "INDEX",
    "REF",
    "PAGEREF",
    "NOTEREF",
    "STYLEREF",
    "SEQ",
    "AUTHOR",
    "LASTSAVEDBY",
    "TITLE",
    "SUBJECT",
    "KEYWORDS",
    "COMMENTS",
    "DOCPROPERTY",
    "DOCVARIABLE",
    "FILENAME",
    "FILESIZE",
    "NUMWORDS",
    "NUMCHARS",
    "REVNUM",
    "MERGEFIELD",
    "FORMTEXT",
    "FORMCHECKBOX",
    "FORMDROPDOWN",
    "HYPERLINK",
    "SYMBOL",
    "EQ",
    "ADVANCE",
    "QUOTE",
    "LISTNUM",
    "AUTONUM",
    "AUTONUMLGL",
    "AUTONUMOUT",
    "BIBLIOGRAPHY",
    "CITATION",
    "USERNAME",
    "USERINITIALS",
    "USERADDRESS",
    "=",
];

/// Whether an instruction may stay.
pub(super) fn is_harmless(instruction: &str) -> bool {
    let code = instruction.trim().trim_start_matches('\\');
    let end = code.find(|c: char| !c.is_ascii_alphabetic() && c != '_').unwrap_or(code.len());
    let word = if code.starts_with('=') { "=" } else { code.get(..end).unwrap_or_default() };
    word.is_empty() || SHOWN.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// The fields that are open at a place in the document, the innermost last. An instruction may be spread over many runs.
#[derive(Debug, Default)]
pub(super) struct Fields {
    open: Vec<Field>,
    /// Instructions outside of any field: a damaged document, or one that wants to be misread.
    stray: Vec<(usize, usize)>,
}

#[derive(Debug, Default)]
struct Field {
    instruction: String,
    /// Where its pieces are in the copy.
    pieces: Vec<(usize, usize)>,
}

impl Fields {
    pub(super) fn begin(&mut self) {
        self.open.push(Field::default());
    }

    /// A piece of an instruction, with its place in the copy.
    pub(super) fn piece(&mut self, text: &str, place: (usize, usize)) {
        match self.open.last_mut() {
            Some(field) => {
                field.instruction.push_str(text);
                field.pieces.push(place);
            }
            None => self.stray.push(place),
        }
    }

    /// The innermost field ends: the places to empty, if it may not stay.
    pub(super) fn end(&mut self) -> Vec<(usize, usize)> {
        match self.open.pop() {
            Some(field) if !is_harmless(&field.instruction) => field.pieces,
            _ => Vec::new(),
        }
    }

    /// The document ends: everything that is still open is emptied.
    pub(super) fn finish(self) -> Vec<(usize, usize)> {
        self.open.into_iter().flat_map(|field| field.pieces).chain(self.stray).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::is_harmless;

    #[test]
    fn only_fields_that_stay_in_the_document_are_kept() {
        for kept in [" PAGE  \\* MERGEFORMAT ", "ref _Toc1 \\h", "=SUM(ABOVE)", "", " HYPERLINK \"http://a\" "] {
            assert!(is_harmless(kept), "{kept}");
        }
        for emptied in ["INCLUDEPICTURE \"a\"", " includetext x", "DDEAUTO a b", "LINK Excel.Sheet", "DATABASE", "RD x"]
        {
            assert!(!is_harmless(emptied), "{emptied}");
        }
    }
}
