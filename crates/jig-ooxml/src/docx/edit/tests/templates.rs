//! Templates and content controls.

use serde_json::json;

use super::support::{body, document, edited, refused, run};

fn text(words: &str) -> String {
    format!("<w:p><w:r><w:t>{words}</w:t></w:r></w:p>")
}

fn words(markup: &str) -> Vec<String> {
    let texts = markup.split("<w:t").skip(1).filter(|rest| rest.starts_with(['>', ' ']));
    texts.map(|rest| rest[rest.find('>').unwrap() + 1..rest.find('<').unwrap()].to_owned()).collect()
}

#[test]
fn lists_repeat_paragraphs_and_lists_inside_them() {
    let source = [
        text("{{#teams}}"),
        text("{{name}}"),
        text("{{#people}}{{.}} of {{name}}{{/people}}"),
        text("{{/teams}}"),
        text("end"),
    ]
    .concat();
    let values = json!({"teams": [{"name": "A", "people": ["x", "y"]}, {"name": "B", "people": []}]});
    let after = edited(&source, json!([{"op": "fill_template", "values": values}]));
    assert_eq!(words(&after), ["A", "x of A", "y of A", "B", "end"]);
}

#[test]
fn values_are_text_only_and_not_filled_again() {
    let source = text("{{a}} {{b}}");
    let values = json!({"a": "{{b}}<w:p/>", "b": "\u{1}1"});
    let after = edited(&source, json!([{"op": "fill_template", "values": values}]));
    assert_eq!(words(&after), ["{{b}}&lt;w:p/&gt; 1"]);
}

#[test]
fn missing_values_stay_and_are_reported() {
    let applied = run(&document(&text("{{a}} {{b.c}}")), json!([{"op": "fill_template", "values": {"a": 1}}])).unwrap();
    assert_eq!(words(&body(&applied.bytes)), ["1 {{b.c}}"]);
    assert_eq!(applied.changes[0].details["missing"], json!(["b.c"]));
}

#[test]
fn lists_that_do_not_fit_together_are_refused() {
    let fill = json!([{"op": "fill_template", "values": {"a": [1]}}]);
    assert!(refused(&text("{{/a}}"), fill.clone()).contains("closes a list"));
    assert!(refused(&text("{{#a}}{{#b}}{{/a}}{{/b}}"), fill.clone()).contains("not closed"));
    let cell = format!("<w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>{}", text("{{#a}}"), text("{{/a}}"));
    assert!(refused(&cell, fill).contains("side by side"));
}

#[test]
fn controls_are_set_by_tag_or_title() {
    let control = |properties: &str, inner: &str| {
        format!("<w:p><w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{inner}</w:sdtContent></w:sdt></w:p>")
    };
    let run_of = |words: &str| format!("<w:r><w:rPr><w:b/></w:rPr><w:t>{words}</w:t></w:r>");
    let source = control(r#"<w:alias w:val="Client"/><w:tag w:val="c1"/>"#, &run_of("old"));
    let wanted = control(r#"<w:alias w:val="Client"/><w:tag w:val="c1"/>"#, &run_of("new"));
    for name in ["client", "c1"] {
        assert_eq!(edited(&source, json!([{"op": "set_content_control", "control": name, "text": "new"}])), wanted);
    }
    let list = control(
        r#"<w:tag w:val="l"/><w:dropDownList><w:listItem w:displayText="Yes" w:value="1"/></w:dropDownList>"#,
        &run_of("?"),
    );
    assert_eq!(words(&edited(&list, json!([{"op": "set_content_control", "tag": "l", "text": "yes"}]))), ["Yes"]);
    assert!(refused(&list, json!([{"op": "set_content_control", "tag": "l", "text": "no"}])).contains("no entry"));
    let locked = control(r#"<w:tag w:val="x"/><w:lock w:val="contentLocked"/>"#, &run_of("a"));
    assert!(refused(&locked, json!([{"op": "set_content_control", "tag": "x", "text": "b"}])).contains("locked"));
    assert!(
        refused(&locked, json!([{"op": "set_content_control", "tag": "y", "text": "b"}]))
            .contains("no content control")
    );
}
