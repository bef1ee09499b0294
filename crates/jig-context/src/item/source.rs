//! `source.json`: the input of an item, and when and by which model it was processed.

use jig_contract::{Code, OpError, Timestamp};
use serde::{Deserialize, Serialize};

use super::input::Input;
use super::messages::REPROCESS_WARNING;

/// The content of `source.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The input.
    #[serde(flatten)]
    pub input: SourceInput,
    /// When the item was first processed. Later processing does not change this.
    pub created_at: Timestamp,
    /// When it was last processed.
    pub last_processed_at: Timestamp,
    /// When it was last edited manually after that, if ever.
    #[serde(default)]
    pub last_direct_edit_at: Option<Timestamp>,
    /// The model that processed it.
    pub model_id: String,
    /// Whether it was edited manually since it was processed.
    pub has_direct_edits: bool,
}

/// The input of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "snake_case")]
pub enum SourceInput {
    /// A text.
    Text {
        /// The original text.
        text: String,
    },
    /// A file, stored next to `source.json` in `source_file/`.
    File {
        /// Its name.
        original_filename: String,
        /// What to look for in it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
}

/// How manual edits are treated when an item is processed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectEdits {
    /// Preserved: an item with manual edits is not processed again.
    Keep,
    /// Discarded, which the caller has confirmed.
    Overwrite,
}

impl Source {
    /// The source of a processed item. `previous` is that of the item it replaces.
    pub fn processed(input: &Input, previous: Option<&Self>, model_id: &str, at: Timestamp) -> Self {
        Self {
            input: input.source(),
            created_at: previous.map_or(at, |previous| previous.created_at),
            last_processed_at: at,
            last_direct_edit_at: None,
            model_id: model_id.to_owned(),
            has_direct_edits: false,
        }
    }

    /// The source after a manual edit.
    #[must_use]
    pub fn edited(&self, at: Timestamp) -> Self {
        Self { last_direct_edit_at: Some(at), has_direct_edits: true, ..self.clone() }
    }

    /// Refuses to discard manual edits without confirmation.
    pub fn check_reprocess(&self, edits: DirectEdits) -> Result<(), OpError> {
        if !self.has_direct_edits || edits == DirectEdits::Overwrite {
            return Ok(());
        }
        Err(OpError::new(Code::Conflict, REPROCESS_WARNING)
            .action("proceed")
            .action("cancel")
            .hint(
                "give `overwrite_direct_edits: true` (`--overwrite-direct-edits`) to lose them; `jig undo` brings them back",
            ))
    }

    /// Serialises `source.json`.
    pub fn to_json(&self) -> String {
        // Cannot fail: there are no maps with non-string keys.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Parses `source.json`.
    pub fn from_json(bytes: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(bytes).map_err(|error| format!("source.json cannot be read: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn shown(source: &Source) -> Value {
        serde_json::from_str(&source.to_json()).unwrap()
    }

    #[test]
    fn a_text_source_has_these_fields_and_no_others() {
        let source = Source::processed(&Input::text("Acme sells ropes.").unwrap(), None, "openai:gpt-5.2", at(0));
        let expected = json!({
            "mode": "text",
            "text": "Acme sells ropes.",
            "created_at": "1970-01-01T00:00:00.000Z",
            "last_processed_at": "1970-01-01T00:00:00.000Z",
            "last_direct_edit_at": null,
            "model_id": "openai:gpt-5.2",
            "has_direct_edits": false,
        });
        assert_eq!(shown(&source), expected);
        let names: Vec<String> = shown(&source).as_object().unwrap().keys().cloned().collect();
        assert_eq!(names, expected.as_object().unwrap().keys().cloned().collect::<Vec<_>>(), "in this order");
        assert_eq!(Source::from_json(source.to_json().as_bytes()), Ok(source));
    }

    #[test]
    fn a_file_source_has_a_note_only_when_there_is_one() {
        let input = |note| Input::file("deck.pptx", b"PK".to_vec(), "Slides".into(), note).unwrap();
        let with = shown(&Source::processed(&input(Some("page 2".into())), None, "m", at(0)));
        assert_eq!(
            (&with["mode"], &with["original_filename"], &with["note"]),
            (&json!("file"), &json!("deck.pptx"), &json!("page 2"))
        );
        assert!(with.get("text").is_none());
        for blank in [None, Some(String::new()), Some("  ".into())] {
            assert!(shown(&Source::processed(&input(blank), None, "m", at(0))).get("note").is_none());
        }
    }

    #[test]
    fn making_an_item_again_keeps_its_birth_and_forgets_edits() {
        let input = Input::text("a").unwrap();
        let first = Source::processed(&input, None, "m", at(1)).edited(at(2));
        assert_eq!(
            (first.has_direct_edits, first.last_direct_edit_at, first.last_processed_at),
            (true, Some(at(2)), at(1))
        );
        let again = Source::processed(&input, Some(&first), "n", at(3));
        assert_eq!((again.created_at, again.last_processed_at, again.model_id.as_str()), (at(1), at(3), "n"));
        assert_eq!((again.has_direct_edits, again.last_direct_edit_at), (false, None));
    }

    #[test]
    fn edits_by_hand_are_lost_only_when_asked_for() {
        let clean = Source::processed(&Input::text("a").unwrap(), None, "m", at(1));
        assert!(clean.check_reprocess(DirectEdits::Keep).is_ok());
        let edited = clean.edited(at(2));
        assert!(edited.check_reprocess(DirectEdits::Overwrite).is_ok());
        let error = edited.check_reprocess(DirectEdits::Keep).unwrap_err();
        assert_eq!(error.code(), Code::Conflict);
        assert_eq!(
            error.info.message,
            "This context item was manually edited. Reprocessing will overwrite your manual changes."
        );
        assert_eq!(error.info.actions, ["proceed", "cancel"]);
    }

    #[test]
    fn a_damaged_source_says_so() {
        for bad in ["", "{}", "[]", r#"{"mode":"audio"}"#, r#"{"mode":"text","text":1}"#, "\u{0}"] {
            assert!(Source::from_json(bad.as_bytes()).unwrap_err().starts_with("source.json cannot be read"), "{bad}");
        }
        let old = r#"{"mode":"text","text":"a","created_at":"2026-02-12T00:00:00Z","last_processed_at":"2026-02-12T00:00:00Z","model_id":"m","has_direct_edits":false,"later":1}"#;
        assert_eq!(Source::from_json(old.as_bytes()).unwrap().last_direct_edit_at, None);
    }
}
