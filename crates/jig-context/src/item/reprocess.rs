//! Processing an item again from its original input.

use jig_contract::{Code, OpError};

use super::source::{DirectEdits, SourceInput};
use super::{Item, SourceFile};

/// The input to process again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Again<'a> {
    /// A text.
    Text(&'a str),
    /// A file, whose text must be read again.
    File {
        /// The original file.
        file: &'a SourceFile,
        /// What to look for in it.
        note: Option<&'a str>,
    },
}

impl Item {
    /// The input to process again. Refused if manual edits would be lost, unless confirmed, and if the input file is no
    /// longer available.
    pub fn again(&self, edits: DirectEdits) -> Result<Again<'_>, OpError> {
        self.source.check_reprocess(edits)?;
        match (&self.source.input, &self.source_file) {
            (SourceInput::Text { text }, _) => Ok(Again::Text(text)),
            (SourceInput::File { note, .. }, Some(file)) => Ok(Again::File { file, note: note.as_deref() }),
            (SourceInput::File { original_filename, .. }, None) => {
                let message = format!("`{original_filename}`, from which this item was made, is no longer there");
                Err(OpError::new(Code::FileNotFound, message).hint("give the file again, or a text"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jig_contract::Timestamp;

    use super::super::category::Category;
    use super::super::input::Input;
    use super::super::source::Source;
    use super::*;

    fn item(input: &Input) -> Item {
        let source = Source::processed(input, None, "m", Timestamp::from_millis(1));
        let files = BTreeMap::from([("context.md".to_owned(), "a".to_owned())]);
        Item { category: Category::Situation, files, source, source_file: input.source_file().cloned() }
    }

    #[test]
    fn the_source_is_what_it_was() {
        let text = item(&Input::text("raw").unwrap());
        assert_eq!(text.again(DirectEdits::Keep).unwrap(), Again::Text("raw"));
        let of_file = item(&Input::file("a.md", b"raw".to_vec(), "raw".into(), Some("b".into())).unwrap());
        let file = of_file.source_file.as_ref().unwrap();
        assert_eq!(of_file.again(DirectEdits::Keep).unwrap(), Again::File { file, note: Some("b") });
    }

    #[test]
    fn edits_by_hand_and_a_lost_file_are_told() {
        let mut item = item(&Input::file("a.md", b"raw".to_vec(), "raw".into(), None).unwrap());
        item.source = item.source.edited(Timestamp::from_millis(2));
        assert_eq!(item.again(DirectEdits::Keep).unwrap_err().code(), Code::Conflict);
        assert!(item.again(DirectEdits::Overwrite).is_ok());
        item.source_file = None;
        let error = item.again(DirectEdits::Overwrite).unwrap_err();
        assert_eq!(error.code(), Code::FileNotFound);
        assert_eq!(error.info.message, "`a.md`, from which this item was made, is no longer there");
    }
}
