//! Descriptions of ops for agents: short, and with every op.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at the first surprise")]

use jig_file_api::OpSet;
use jig_file_api::ops::docx::DocxOp;
use jig_file_api::ops::pptx::PptxOp;
use jig_file_api::ops::schema::{list_schema, op_signature};
use jig_file_api::ops::text::TextOp;
use jig_file_api::ops::xlsx::XlsxOp;

fn descriptions<T: OpSet>() -> String {
    let schema = list_schema::<T>("").to_value();
    let text = schema["items"]["description"].as_str().unwrap().to_owned();
    assert!(!schema.to_string().contains("x-"), "{schema}");
    assert_eq!(schema["items"]["additionalProperties"], true);
    for name in T::names() {
        assert!(text.contains(name), "{name}");
        assert!(op_signature::<T>(name).unwrap().starts_with(name));
    }
    text
}

#[test]
fn every_op_has_a_short_description() {
    let all = [descriptions::<XlsxOp>(), descriptions::<DocxOp>(), descriptions::<PptxOp>(), descriptions::<TextOp>()];
    for (text, most) in all.iter().zip([1_300, 1_700, 1_200, 400]) {
        assert!(text.len() < most, "{} characters: {text}", text.len());
    }
}
