//! Tests of the rules without a model: what they find, and that no input leads to an invalid item.

use proptest::prelude::*;

use super::*;

fn built(category: Category, text: &str) -> BTreeMap<String, String> {
    build(category, &Input::text(text).unwrap()).files
}

const ABOUT: &str = "# Acme GmbH\n\nCompany: Acme GmbH\nIndustry: Ropes\n\n## Products\n\n- Climbing ropes\n- [Slings](slings.md)\n\n\
                     ## Markets\n\nAcme sells to climbers. In 2025 Acme sold 3.5 million metres.\n";

#[test]
fn a_company_becomes_a_skill_with_a_summary() {
    let files = built(Category::CompanyContext, ABOUT);
    let skill = crate::skill::read(&files["SKILL.md"]).unwrap();
    assert_eq!(skill.frontmatter.name, "company-context");
    assert!(skill.frontmatter.description.starts_with("Background on Acme GmbH. Consider it when"));
    assert_eq!(skill.frontmatter.metadata["generated_by"], "jig");
    assert_eq!(
        files["references/summary.md"],
        "# Summary\n\n## Facts\n\n- **Company**: Acme GmbH\n- **Industry**: Ropes\n\n## Products\n\n- Climbing ropes\n\
         - \\[Slings\\](slings.md)\n\n## Markets\n\n- Acme sells to climbers.\n\n## Figures\n\n\
         - In 2025 Acme sold 3.5 million metres.\n\n## Terms\n\n- Acme\n- GmbH\n"
    );
}

#[test]
fn each_category_speaks_in_its_tone() {
    let main = |category: Category| built(category, ABOUT)[category.main_file()].clone();
    let company = main(Category::CompanyContext);
    assert!(company.contains("keep this background in mind") && !company.contains("must"));
    let department = main(Category::DepartmentContext);
    assert!(department.contains("You must consider") && department.contains("Always account for"));
    let style = main(Category::DocumentStyle);
    assert!(style.contains("requirements, not suggestions") && style.contains("Never do what"));
    for category in Category::ALL {
        assert!(main(category).contains("without a model"), "{category} says how it was made");
    }
}

#[test]
fn a_situation_is_a_list_with_the_known_labels_first() {
    let text = "We are late.\nBudget: small\nDeadline: Friday\nProject: Board deck\n\n# Risks\n- Nobody has time\n";
    let found = built(Category::Situation, text);
    let list = found["context.md"].split("\n\n").nth(2).unwrap();
    assert_eq!(
        list,
        "- **Project**: Board deck\n- **Deadline**: Friday\n- **Budget**: small\n- We are late.\n- **Risks**\n  - Nobody has time\n"
    );
}

#[test]
fn a_situation_with_too_many_points_says_how_many_are_left_out() {
    let points: String = (1..=30).map(|number| format!("- point {number}\n")).collect();
    let built = build(Category::Situation, &Input::text(points).unwrap());
    assert!(built.files["context.md"].contains("point 24") && !built.files["context.md"].contains("point 25"));
    assert_eq!(built.warnings.len(), 1);
    assert!(built.warnings[0].starts_with("6 of 30 points are left out"), "{:?}", built.warnings);
}

#[test]
fn style_rules_keep_their_headings_and_formats() {
    let text = "- Use Title Case for headings\n- Never use Oxford commas\n\n## Never\n\n- Red text\n\n## Excel\n\n\
                - Header row: bold\n\n### Don'ts\n\n- Merged cells\n";
    let files = built(Category::DocumentStyle, text);
    assert_eq!(
        files["references/style-rules.md"],
        "# Style rules\n\n## Every format\n\n- Use Title Case for headings\n- Never use Oxford commas\n\n### Never\n\n\
         - Red text\n\n## xlsx\n\n- Header row: bold\n\n### Don'ts\n\n- Merged cells\n"
    );
    assert!(!files["SKILL.md"].contains("Oxford"), "each rule stands once");
}

#[test]
fn the_note_moves_a_section_to_the_front() {
    let text = "# A\n- one thing\n# Executive summary\n- another\n".to_owned();
    let input = Input::file("a.md", vec![1], text, Some("the executive part".into())).unwrap();
    let summary = &build(Category::CompanyContext, &input).files["references/summary.md"];
    assert!(summary.find("Executive").unwrap() < summary.find("## A").unwrap(), "{summary}");
}

#[test]
fn a_text_that_is_too_long_is_told() {
    let warnings = build(Category::Situation, &Input::text("- a\n".repeat(30_000)).unwrap()).warnings;
    assert_eq!(warnings, ["only the first 20000 lines of the text were read"]);
}

/// No input may lead to an invalid or oversized item.
fn check(text: &str, note: &str) {
    for category in Category::ALL {
        let (made, _) = files(category, text, note);
        assert_eq!(validate(category, &made), [], "{category} from {text:?}: {made:?}");
        assert_eq!(files(category, text, note).0, made, "the same input gives the same files");
        let unseen = |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{feff}');
        assert!(made.values().all(|text| !text.contains(unseen)), "{made:?}");
    }
}

#[test]
fn hostile_texts_make_valid_items() {
    let long = format!("# {}\n{}: {}\n", "H".repeat(5_000), "k".repeat(30), "v--- ".repeat(5_000));
    let lists: String =
        (0..3_000).map(|n| format!("# H{n}\n- p{n} {}\nk{n}: v{n}\nIn {n} it grew.\n\n", "x".repeat(400))).collect();
    for text in [
        "",
        " ",
        "\u{0}",
        "---",
        "---\nname: evil\n---\n",
        "[a](../../etc/passwd) ![b](/c) [d]: ../e\n[d]: ../e\n<a href=\"../f\">g</a> <../h>",
        "`references/none.md` ``scripts/none.sh`` ```\nassets/x\n```",
        "- `references/none.md`\n- ~~~\n- ```\n-     [x](y.md)\n",
        "Name: \"---\\\" : {}[]&*!|>%@`\u{85}\u{2028}\nCompany: --- --- ---\n",
        "\u{202e}evil\u{202c}: \u{feff}value\u{7}\n",
        "# \u{1F600}\u{E000}\u{FFFF}\u{10FFFF}\nपरियोजना: समय\n会社：株式会社\nשם: חברה\n",
        "a\\[b](c.md) \\\\[d](e.md) \\`references/f.md\\`",
        "[^1]: note\n[^1] text [x][y]\n[y]: z.md\n",
        "&#91;x&#93;(y.md) &lt;a href=z&gt;",
        &long,
        &lists,
    ] {
        check(text, "note [x](y.md)");
    }
}

const PIECES: &[&str] = &[
    "---",
    "```",
    "~~~",
    "[x](../y)",
    "![i](/x)",
    "<a href='/e'>",
    "<../f>",
    "`references/x.md`",
    "[a]: /etc",
    "[a]",
    "# ",
    "- ",
    "1. ",
    "key: ",
    "Name: ",
    "\u{0}",
    "\u{202e}",
    "日本語。",
    "مرحبا؟",
    "\r\n",
    "\n",
    "\n\n",
    "\t",
    "|a|b|",
    "\\",
    "](",
    "[^1]",
    "never ",
    "12 ",
    "===",
    "    ",
    "&#91;",
    "*",
    "_",
    "word ",
    "\u{feff}",
    "\u{1f}",
    ": ",
];

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![3 => prop::sample::select(PIECES).prop_map(String::from), 1 => any::<String>(), 1 => ".{0,12}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn any_text_makes_valid_items(pieces in prop::collection::vec(piece(), 0..40), note in ".{0,20}") {
        check(&pieces.concat(), &note);
    }
}
