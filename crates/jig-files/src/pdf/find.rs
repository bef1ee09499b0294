//! Finding a text.

use serde_json::{Value, json};

use super::error::PdfError;
use super::{Document, text};

/// How many characters a snippet has on each side.
const AROUND: usize = 60;

impl Document {
    /// The lines in which a text occurs, each with its page.
    pub(super) fn find(&self, params: &Value) -> Result<Value, PdfError> {
        let query = params.get("query").and_then(Value::as_str).unwrap_or_default();
        if query.trim().is_empty() {
            return Err(PdfError::Invalid("query: a text to find is needed".to_owned()));
        }
        let exact = params.get("match_case") == Some(&Value::Bool(true));
        let most = params.get("max_results").and_then(Value::as_u64).unwrap_or(50).max(1);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let query = folded(query, exact);
        let mut reader = text::Reader::new(self);
        let (mut matches, mut count) = (Vec::new(), 0_usize);
        for page in 0..self.page_count() {
            let text = folded_pair(&reader.page(page), exact);
            let mut from = 0;
            while let Some(at) = text.folded.get(from..).and_then(|rest| rest.find(&query)) {
                let at = from + at;
                count += 1;
                if matches.len() < most {
                    matches.push(json!({ "pages": (page + 1).to_string(), "snippet": text.around(at, query.len()) }));
                }
                from = at + query.len();
            }
        }
        let mut answer = json!({ "match_count": count, "truncated": count > most, "matches": matches });
        if !reader.warnings().is_empty() {
            answer["warnings"] = json!(reader.warnings());
        }
        Ok(answer)
    }
}

/// Line breaks count as spaces: a phrase is found across lines.
fn folded(text: &str, exact: bool) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if exact { text } else { text.to_lowercase() }
}

struct Pair {
    plain: String,
    folded: String,
}

fn folded_pair(text: &str, exact: bool) -> Pair {
    let plain = folded(text, true);
    let folded = if exact { plain.clone() } else { plain.to_lowercase() };
    Pair { plain, folded }
}

impl Pair {
    fn around(&self, at: usize, length: usize) -> String {
        // Folding can change lengths in rare scripts: the snippet is then taken from the folded text.
        let source = if self.plain.len() == self.folded.len() { &self.plain } else { &self.folded };
        let back = |from: usize| source.get(..from).map(|before| before.char_indices().rev().nth(AROUND - 1));
        let start = back(at).flatten().map_or(0, |(start, _)| start);
        let rest = source.get(at + length..).unwrap_or_default();
        let end = rest.char_indices().nth(AROUND).map_or(source.len(), |(end, _)| at + length + end);
        source.get(start..end).unwrap_or_default().trim().to_owned()
    }
}
