//! Shortens long tool results for a model: the beginning, what was cut, and how to get the rest.

use jig_contract::BlobHash;

/// The maximum size of a result that a model sees, in bytes.
pub(super) const RECEIPT_MAX: usize = 8 * 1_024;

/// The id for recalling a complete result.
pub(super) fn recall_id(blob: &BlobHash) -> String {
    blob.to_string().chars().take(12).collect()
}

/// The text that the model sees.
pub(super) fn receipt(text: &str, blob: &BlobHash) -> String {
    if text.len() <= RECEIPT_MAX {
        return text.to_owned();
    }
    let note = |shown: usize| {
        let id = recall_id(blob);
        format!(
            "\n[cut: the first {shown} of {} bytes; recall_tool_result with id \"{id}\" and offset {shown} shows more]",
            text.len()
        )
    };
    let room = RECEIPT_MAX.saturating_sub(note(text.len()).len());
    let shown = text.floor_char_boundary(room);
    format!("{}{}", &text[..shown], note(shown))
}

/// A part of a complete result from an offset on, with the size limit of a receipt.
pub(super) fn piece(text: &str, offset: usize, blob: &BlobHash) -> String {
    let start = text.floor_char_boundary(offset.min(text.len()));
    let rest = &text[start..];
    if rest.len() <= RECEIPT_MAX {
        return rest.to_owned();
    }
    let shown = rest.floor_char_boundary(RECEIPT_MAX - 200);
    let (next, id) = (start + shown, recall_id(blob));
    format!(
        "{}\n[cut: bytes {start} to {next} of {}; go on with id \"{id}\" and offset {next}]",
        &rest[..shown],
        text.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_is_small_has_content_and_leads_to_the_rest() {
        let blob = jig_store::hash_of(b"x");
        assert_eq!(receipt("short", &blob), "short");
        let long = "zwölf ".repeat(4_000);
        let shown = receipt(&long, &blob);
        assert!(shown.len() <= RECEIPT_MAX && shown.starts_with("zwölf zwölf"));
        assert!(shown.contains(&recall_id(&blob)) && shown.contains(&format!("of {} bytes", long.len())));
        let mut whole = String::new();
        let mut offset = 0;
        while offset < long.len() {
            let part = piece(&long, offset, &blob);
            let text = part.split("\n[cut:").next().unwrap();
            whole.push_str(text);
            offset += text.len();
        }
        assert_eq!(whole, long);
    }
}
