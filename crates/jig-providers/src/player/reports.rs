//! Where the player reports its result besides its own files: notes and a report, as the demo has them.

use serde_json::{Value, json};

use super::{Conversation, Grouping, Move};

/// How many sums are reported.
const REPORTED_SUMS: usize = 3;

/// A file where the result can be reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReportFile {
    Notes,
    Report,
}

const REPORT_FILES: [ReportFile; 2] = [ReportFile::Notes, ReportFile::Report];

/// The reporting files in a list of files.
pub(super) fn places(conversation: &Conversation) -> Vec<ReportFile> {
    let list = conversation.read("list_files").unwrap_or_default();
    let files: Vec<&str> = list["files"].as_array().into_iter().flatten().filter_map(|f| f["path"].as_str()).collect();
    REPORT_FILES.into_iter().filter(|place| files.contains(&place.path())).collect()
}

/// Those whose wording occurs in a text.
pub(super) fn found(text: &str) -> Vec<ReportFile> {
    REPORT_FILES.into_iter().filter(|place| text.contains(&place.task_text())).collect()
}

/// Those whose item is done in a plan.
pub(super) fn done(plan: &str) -> Vec<ReportFile> {
    REPORT_FILES.into_iter().filter(|place| plan.contains(&format!("- [x] {}", place.task_text()))).collect()
}

impl ReportFile {
    const fn path(self) -> &'static str {
        match self {
            Self::Notes => "notes.txt",
            Self::Report => "report.docx",
        }
    }

    pub(super) fn task_text(self) -> String {
        match self {
            Self::Notes => format!("Note the largest sums in `{}`", self.path()),
            Self::Report => format!("Add a paragraph about them to `{}`", self.path()),
        }
    }

    /// The summary when it is done.
    pub(super) fn did(self) -> String {
        match self {
            Self::Notes => format!("The largest of them are noted in `{}`.", self.path()),
            Self::Report => format!("`{}` has a paragraph about them.", self.path()),
        }
    }

    const fn tool(self) -> &'static str {
        match self {
            Self::Notes => "write_text_file",
            Self::Report => "docx_operations",
        }
    }

    /// The next move of its item.
    pub(super) fn work(self, conversation: &Conversation, grouping: &Grouping) -> Move {
        if let Some(result) = conversation.result(self.tool()) {
            return Move::Say(if result.failed { format!("FAILED: {}", result.content) } else { self.did() });
        }
        let Some(read) = conversation.read("table_query") else {
            return match conversation.result("table_query") {
                // A truncated or failed result is not requested again.
                Some(result) => Move::Say(format!("FAILED: {}", result.content)),
                None => Move::Call("table_query", json!({ "path": grouping.path, "query": grouping.query() })),
            };
        };
        let sentence = sentence(grouping, &read);
        match self {
            Self::Notes => note(conversation, self.path(), &sentence),
            Self::Report => {
                let paragraphs = json!([
                    { "text": format!("What {} adds up to", grouping.path), "style": "Heading 1" },
                    { "text": sentence },
                ]);
                let ops = json!([{ "op": "insert_paragraphs", "paragraphs": paragraphs }]);
                Move::Call(self.tool(), json!({ "path": self.path(), "ops": ops }))
            }
        }
    }
}

/// Reads the notes, and writes them with an additional line.
fn note(conversation: &Conversation, path: &str, sentence: &str) -> Move {
    let Some(result) = conversation.result("read_file") else {
        return Move::Call("read_file", json!({ "path": path }));
    };
    let read = conversation.read("read_file").unwrap_or_default();
    let (Some(text), Some(hash), None) = (read["text"].as_str(), read["hash"].as_str(), read["cursor"].as_str()) else {
        let why = if result.failed { result.content.as_str() } else { "it is longer than one read" };
        return Move::Say(format!("FAILED: `{path}` cannot be rewritten: {why}"));
    };
    let text = format!("{}\n\nAdded up\n- {sentence}\n", text.trim_end());
    Move::Call("write_text_file", json!({ "path": path, "text": text, "base_hash": hash }))
}

/// The largest sums in one sentence.
fn sentence(grouping: &Grouping, read: &Value) -> String {
    let one = |row: &Value| Some((row[0].as_str()?.to_owned(), row[1].as_f64()?));
    let mut sums: Vec<(String, f64)> = read["rows"].as_array().into_iter().flatten().filter_map(one).collect();
    sums.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let largest: Vec<String> = sums.iter().take(REPORTED_SUMS).map(|(name, sum)| format!("{name} {sum:.2}")).collect();
    let Grouping { path, by, sum } = grouping;
    format!("The largest sums of {sum} by {by} in {path} are {}.", largest.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::tests::result;
    use super::super::{plan, research, summary, work};
    use super::*;

    const LIST: &str = r#"{"files":[{"path":"bank.csv"},{"path":"notes.txt"},{"path":"report.docx"}]}"#;
    const COLUMNS: &str = r#"{"row_count":3,"columns":[{"name":"category","inferred_type":"string"},{"name":"amount","inferred_type":"float"}]}"#;
    const SUMS: &str = r#"{"rows":[["Food",15.0,2],["Rent",-800,1],["Fun",20.5,1],["Fees",1,1]]}"#;

    fn asked(asked: String, results: &[(&str, &str)]) -> Conversation {
        Conversation { asked, results: results.iter().map(|(name, content)| result(name, content)).collect() }
    }

    fn text_of(next: Move) -> String {
        match next {
            Move::Say(text) => text,
            Move::Call(name, _) => panic!("{name} is called"),
        }
    }

    #[test]
    fn notes_and_a_report_get_items_of_their_own_where_they_are() {
        let found = text_of(research(&asked(String::new(), &[("list_files", LIST), ("table_describe", COLUMNS)])));
        let planned = text_of(plan(&asked(found, &[])));
        assert_eq!(planned.lines().count(), 4, "{planned}");
        let ticked = planned.replace("- [ ] Note", "- [x] Note");
        let told = summary(&asked(ticked, &[]));
        assert!(told.contains("noted in `notes.txt`") && !told.contains("report.docx"), "{told}");
        let only = r#"{"files":[{"path":"bank.csv"},{"path":"old/notes.txt"}]}"#;
        let found = text_of(research(&asked(String::new(), &[("list_files", only), ("table_describe", COLUMNS)])));
        assert_eq!(text_of(plan(&asked(found, &[]))).lines().count(), 2);
    }

    #[test]
    fn an_item_is_played_by_reading_first_and_keeps_what_was_written() {
        let grouping = Grouping { path: "bank.csv".into(), by: "category".into(), sum: "amount".into() };
        let item =
            |place: ReportFile| format!("{}\n## Your item (3 of 4)\n\n{}", grouping.task_text(), place.task_text());
        let step = |place, results: &[(&str, &str)]| work(&asked(item(place), results));
        assert!(matches!(step(ReportFile::Notes, &[]), Move::Call("table_query", _)));
        assert!(matches!(step(ReportFile::Notes, &[("table_query", SUMS)]), Move::Call("read_file", _)));
        let read = r#"{"text":"One\n","hash":"h"}"#;
        let Move::Call("write_text_file", input) =
            step(ReportFile::Notes, &[("table_query", SUMS), ("read_file", read)])
        else {
            panic!("nothing is written")
        };
        assert_eq!(input["base_hash"], "h");
        let text = input["text"].as_str().unwrap();
        assert!(text.starts_with("One\n\n") && text.contains("Rent -800.00, Fun 20.50, Food 15.00."), "{text}");
        let Move::Call("docx_operations", input) = step(ReportFile::Report, &[("table_query", SUMS)]) else {
            panic!("nothing is added")
        };
        assert!(input["ops"][0]["paragraphs"][1]["text"].as_str().unwrap().contains("Rent"), "{input}");
    }

    #[test]
    fn what_was_cut_or_failed_fails_the_item_instead_of_writing_half_a_file() {
        let grouping = Grouping { path: "bank.csv".into(), by: "category".into(), sum: "amount".into() };
        let asks = format!("{}\n## Your item (3 of 4)\n\n{}", grouping.task_text(), ReportFile::Notes.task_text());
        for read in [r#"{"text":"One\n","hash":"h","cursor":"2"}"#, r#"{"text":"One [cut: the first"#] {
            let next = work(&asked(asks.clone(), &[("table_query", SUMS), ("read_file", read)]));
            assert!(text_of(next).starts_with("FAILED: `notes.txt`"), "{read}");
        }
        assert!(text_of(work(&asked(asks, &[("table_query", "no")]))).starts_with("FAILED"));
    }
}
