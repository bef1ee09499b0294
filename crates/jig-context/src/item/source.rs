//! `source.json`: what an item was made from, when and by which model.

use jig_contract::{Code, OpError, Timestamp};
use serde::{Deserialize, Serialize};

use super::input::Input;
use super::messages::REPROCESS_WARNING;

/// What `source.json` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// What somebody gave.
    #[serde(flatten)]
    pub input: SourceInput,
    /// When the item was first made. Making it again does not change this.
    pub created_at: Timestamp,
    /// When it was last made from its input.
    pub last_processed_at: Timestamp,
    /// When it was last edited by hand after that; null when it was not.
    #[serde(default)]
    pub last_direct_edit_at: Option<Timestamp>,
    /// The model that made it.
    pub model_id: String,
    /// Whether it was edited by hand after it was made.
    pub has_direct_edits: bool,
}

/// What somebody gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "snake_case")]
pub enum SourceInput {
    /// A text.
    Text {
        /// The text as it came.
        text: String,
    },
    /// A file, which lies beside in `source_file/`.
    File {
        /// Its name.
        original_filename: String,
        /// What to look for in it, when somebody said so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
}

/// What becomes of edits by hand when an item is made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectEdits {
    /// They stay, so an item that has some is not made again.
    Keep,
    /// They are lost: the caller was asked.
    Overwrite,
}

impl Source {
    /// The source of an item that has just been made. `previous` is that of the item it takes the place of.
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

    /// The same after an edit by hand.
    #[must_use]
    pub fn edited(&self, at: Timestamp) -> Self {
        Self { last_direct_edit_at: Some(at), has_direct_edits: true, ..self.clone() }
    }

    /// Refuses to make an item again over edits by hand, unless that was asked for.
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

    /// The bytes of `source.json`.
    pub fn to_json(&self) -> String {
        // A value without maps of other keys than text is always written.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Reads `source.json`.
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
