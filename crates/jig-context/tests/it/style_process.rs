//! Styles processed by a model: whatever it answers, rules keep their meaning, and nothing is lost silently.

use jig_context::item::process::{Processed, Processing};
use jig_context::item::{Category, Input};
use jig_context::style::Format;
use serde_json::{Value, json};

use crate::style_corpus::{Document, Meaning, first, fourth, second};
use crate::style_rules::{Files, check, lines};

fn start(text: &str) -> Processing {
    Processing::start(Category::DocumentStyle, &Input::text(text).unwrap())
}

fn answer(rules: &Value, terms: &Value) -> String {
    json!({ "rules": rules, "terms": terms }).to_string()
}

/// Gives the same answer until processing ends.
fn processed(text: &str, answer: &str) -> Result<Processed, Vec<String>> {
    let mut processing = start(text);
    while processing.request().is_some() {
        processing = processing.answered(answer);
    }
    match processing {
        Processing::Done(processed) => Ok(processed),
        Processing::Failed(failure) => Err(failure.errors),
        Processing::Ask(_) => unreachable!(),
    }
}

fn all_lines(files: &Files) -> String {
    lines(files, Format::Xlsx).join("\n")
}

fn documents() -> impl Iterator<Item = &'static Document> {
    first::DOCUMENTS.iter().chain(second::DOCUMENTS).chain(fourth::DOCUMENTS)
}

fn quotes(document: &Document) -> Vec<&'static str> {
    let text = |meaning: &Meaning| match meaning {
        Meaning::Do(text) | Meaning::Dont(text, _) | Meaning::DoUnder(text) => *text,
    };
    document.rules.iter().map(|(_, meaning)| text(meaning)).collect()
}

/// A model that inverts the meaning of every rule.
#[test]
fn a_model_that_inverts_every_rule_changes_none() {
    for document in documents() {
        let rule = |quote: &&str| {
            json!({ "rule": format!("Always use: {quote}"), "polarity": "do", "formats": ["pptx"], "heading": "",
                "quote": quote })
        };
        let inverted: Vec<Value> = quotes(document).iter().map(rule).collect();
        let done = processed(document.text, &answer(&json!(inverted), &json!([]))).unwrap();
        check(document, &done.files, "inverted to wishes");
        let rule = |quote: &&str| json!({ "rule": format!("Never: {quote}"), "polarity": "dont", "quote": quote });
        let inverted: Vec<Value> = quotes(document).iter().map(rule).collect();
        let done = processed(document.text, &answer(&json!(inverted), &json!([]))).unwrap();
        check(document, &done.files, "inverted to prohibitions");
    }
}

/// A model that returns only the first rule: the others are added or reported.
#[test]
fn a_model_that_leaves_rules_out_loses_none_silently() {
    for document in documents() {
        let quotes = quotes(document);
        let one = json!([{ "rule": quotes[0], "polarity": "do", "formats": [], "heading": "", "quote": quotes[0] }]);
        let done = processed(document.text, &answer(&one, &json!([]))).unwrap();
        let warnings = done.warnings.join("\n");
        for quote in &quotes {
            let start: String = quote.chars().take(40).collect();
            let saved = Format::ALL.iter().any(|format| lines(&done.files, *format).join("\n").contains(quote));
            assert!(saved || warnings.contains(&start), "{}: {quote:?} is lost: {warnings}", document.name);
        }
    }
}

#[test]
fn what_a_model_read_as_the_opposite_is_reported() {
    let text = "## Don'ts\n\n- Merged cells\n- Red totals\n\n## Always\n\n- Title Case\n";
    let rules = json!([
        { "rule": "Merge cells", "polarity": "do", "formats": [], "heading": "Don'ts", "quote": "Merged cells" },
        { "rule": "Do not use red totals", "polarity": "dont", "formats": [], "heading": "Don'ts", "quote": "Red totals" },
        { "rule": "Never use Title Case", "polarity": "dont", "formats": [], "heading": "", "quote": "Title Case" },
    ]);
    let done = processed(text, &answer(&rules, &json!([]))).unwrap();
    let told = done.warnings.join("\n");
    assert!(told.contains("opposite") && told.contains("“Merged cells”") && told.contains("“Title Case”"), "{told}");
    assert!(!told.contains("Red totals"), "{told}");
    let lines = all_lines(&done.files);
    assert!(lines.contains("**Don'ts:** Merged cells") && lines.contains("**Always:** Title Case"), "{lines}");
}

#[test]
fn a_rule_without_words_of_the_material_is_repaired_once_and_then_left_out_and_reported() {
    let text = "Use sentence case for headings.\n\nWrite numbers below ten as words.\n";
    let rules = json!([
        { "rule": "Use sentence case for headings", "polarity": "do", "quote": "Use sentence case for headings." },
        { "rule": "All slides need the company logo", "polarity": "do", "quote": "logo on every slide" },
    ]);
    let given = answer(&rules, &json!([{ "write": "turnover", "avoid": "", "quote": "turnover" }]));
    let second = start(text).answered(&given);
    let asked = &second.request().unwrap().messages.last().unwrap().text;
    assert!(asked.contains("All slides need the company logo") && asked.contains("turnover"), "{asked}");
    assert!(asked.contains("{\"rules\": […], \"terms\": […]}"), "{asked}");
    let Processing::Done(done) = second.answered(&given) else { panic!("not done") };
    assert!(done.repaired);
    let told = done.warnings.join("\n");
    assert!(told.contains("not backed by the source, left out: the rule “All slides need"), "{told}");
    let lines = all_lines(&done.files);
    assert!(lines.contains("sentence case") && !lines.contains("logo") && !lines.contains("turnover"), "{lines}");
    assert!(told.contains("not covered by any rule: “Write numbers below ten as words.”"), "{told}");
}

#[test]
fn an_answer_that_backs_nothing_fails_with_reasons_and_saves_nothing() {
    let text = "Use sentence case for headings.";
    let cases = [
        ("", "empty"),
        ("Sure! Here are the rules.", "no JSON"),
        ("{\"rules\": [{\"rule\": \"Use", "breaks off"),
        ("{\"files\": []}", "no list `rules`"),
        ("{\"rules\": [], \"terms\": []}", "both empty"),
        ("{\"rules\": [{\"quote\": \"Use\"}]}", "entry 1 of `rules`"),
        ("{\"rules\": [{\"rule\": \"Add a logo\"}]}", "not backed"),
        ("{\"terms\": [{\"write\": \"\", \"avoid\": \"\"}]}", "entry 1 of `terms`"),
    ];
    for (given, why) in cases {
        let errors = processed(text, given).unwrap_err();
        assert!(errors.iter().any(|error| error.contains(why)), "{given}: {errors:?}");
    }
}

#[test]
fn slips_of_form_are_understood() {
    let text = "Use sentence case for headings.";
    let answers = [
        "```json\n{\"rules\": [\"Use sentence case for headings\"]}\n```".to_owned(),
        json!(answer(&json!(["Use sentence case for headings"]), &json!([]))).to_string(),
        json!({ "style": { "rules": [{ "rule": "Use sentence case for headings", "polarity": "always", "formats": "docx" }] } })
            .to_string(),
        "Here you are:\n{\"rules\":[{\"rule\":\"Headings in sentence case\",\"quote\":\"use SENTENCE case for *headings*\"}],\"terms\":[]}\nDone!"
            .to_owned(),
    ];
    for given in answers {
        let done = processed(text, &given).unwrap();
        assert!(!done.repaired && all_lines(&done.files).contains("Use sentence case for headings."), "{given}");
    }
}

#[test]
fn what_is_derived_from_a_sample_stands_beside_its_source() {
    let text = "Quarterly letter\n\nRevenue grew by 5 % to EUR 1.2 million in the third quarter of the year.\n";
    let rules = json!([{ "rule": "Put a space before the percent sign", "polarity": "do", "formats": ["docx"], "heading": "",
        "quote": "grew by 5 %" }]);
    let done = processed(text, &answer(&rules, &json!([]))).unwrap();
    let docx = lines(&done.files, Format::Docx).join("\n");
    assert!(docx.contains("Put a space before the percent sign (from “Revenue grew by 5 %"), "{docx}");
    assert!(!lines(&done.files, Format::Xlsx).join("\n").contains("percent sign"));
}

#[test]
fn terms_keep_their_side_whatever_the_model_says() {
    let text = "## Words to avoid\n\nleverage, synergy\n\nSay 'client', not 'customer'.\n\n\
                | Instead of | Write |\n|---|---|\n| utilise | use |\n";
    let terms = json!([
        { "write": "leverage", "avoid": "", "quote": "leverage, synergy" },
        { "write": "customer", "avoid": "client", "quote": "Say 'client', not 'customer'" },
        { "write": "utilise", "avoid": "use", "quote": "utilise" },
    ]);
    let done = processed(text, &answer(&json!([]), &terms)).unwrap();
    let (lines, told) = (all_lines(&done.files), done.warnings.join("\n"));
    assert!(lines.contains("**Words to avoid:** leverage, synergy"), "{lines}");
    assert!(lines.contains("Say 'client', not 'customer'"), "{lines}");
    assert!(lines.contains("Instead of: utilise; Write: use"), "{lines}");
    assert_eq!(told.matches("opposite").count(), 1, "{told}");
    for words in ["leverage", "client", "utilise"] {
        assert!(told.contains(words), "{told}");
    }
}

#[test]
fn the_item_is_a_valid_skill_that_jig_wrote() {
    let rules = json!([{ "rule": "Use A4", "polarity": "do", "quote": "Always use A4" }]);
    let done = processed("Always use A4", &answer(&rules, &json!([]))).unwrap();
    let skill = &done.files["SKILL.md"];
    assert!(
        skill.starts_with("---\nname: \"document-style\"\n") && skill.contains("references/style-rules.md"),
        "{skill}"
    );
    assert_eq!(done.warnings, [""; 0]);
    assert!(all_lines(&done.files).contains("- Always use A4"));
}

#[test]
fn a_forgotten_link_or_frontmatter_is_written_by_jig() {
    let files = |skill: &str, path: &str| {
        json!({ "files": [{ "path": "SKILL.md", "content": skill }, { "path": path, "content": "- Acme sells ropes." }] })
            .to_string()
    };
    let good = "---\nname: company-context\ndescription: Acme.\n---\n";
    let cases = [
        (format!("{good}Consider who Acme is."), "references/summary.md"),
        ("# Acme\n\nConsider who Acme is.".to_owned(), "references/summary.md"),
        (
            "---\nname: Acme Corp!\ndescription: \"Acme.\"\n---\nConsider who Acme is.".to_owned(),
            "references/summary.md",
        ),
        ("---\ntitle: [x\n---\nConsider who Acme is.".to_owned(), "references/facts.md"),
        (format!("{good}Consider [this](references/summary.md)."), "references/summary.md"),
    ];
    for category in [Category::CompanyContext, Category::DepartmentContext] {
        for (skill, path) in &cases {
            let skill = skill.replace("company-context", category.as_str());
            let processing = Processing::start(category, &Input::text("Acme sells ropes.").unwrap());
            let Processing::Done(done) = processing.answered(&files(&skill, path)) else { panic!("{skill}") };
            let main = &done.files["SKILL.md"];
            assert!(main.contains(&format!("({path})")), "{main}");
            assert!(main.contains("Consider") && jig_context::skill::read(main).is_ok(), "{main}");
            assert!(!done.warnings.iter().any(|told| told.contains("does not refer")), "{:?}", done.warnings);
        }
    }
}

/// Code in a style guide is an example: it reaches the prompt under its heading, once, with and without a model.
#[test]
fn code_examples_are_kept_below_their_headings() {
    let guide = "# Writing\n\n- Use short sentences.\n\n## Date column\n\nWrite dates like this:\n\n```\n2026-11-18\n<b>&amp;</b>\n```\n\n\
        ## Word documents\n\n### Signature block\n\n````md\n```\nYours,\n```\n````\n\n    indented = code\n";
    let rules = json!([{ "rule": "Use short sentences.", "polarity": "do", "formats": [], "heading": "Writing",
        "quote": "Use short sentences." }]);
    let by_model = processed(guide, &answer(&rules, &json!([]))).unwrap();
    let offline = jig_context::item::offline::build(Category::DocumentStyle, &Input::text(guide).unwrap()).files;
    for files in [&by_model.files, &offline] {
        let style = files.values().find(|text| text.starts_with("# Style rules")).unwrap();
        for code in ["2026-11-18\n<b>&amp;</b>", "```\nYours,\n```", "indented = code"] {
            assert_eq!(style.matches(code).count(), 1, "{code}: {style}");
        }
        assert!(style.find("Date column").unwrap() < style.find("2026-11-18").unwrap(), "{style}");
        // Examples of one format are offered for that format only.
        let (xlsx, docx) = (lines(files, Format::Xlsx).join("\n"), lines(files, Format::Docx).join("\n"));
        assert!(docx.contains("Yours,") && !xlsx.contains("Yours,"), "{docx}");
        assert!(docx.contains("2026-11-18") && xlsx.contains("2026-11-18"), "{xlsx}");
    }
}
