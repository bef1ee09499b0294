//! Operation lists and read parameters as callers send them: the outcome is always a list or an error.

use jig_file_api::ops::docx::DocxOp;
use jig_file_api::ops::pptx::PptxOp;
use jig_file_api::ops::text::TextOp;
use jig_file_api::ops::xlsx::XlsxOp;
use jig_file_api::{OpSet, Strictness, parse_ops, read_params};
use serde_json::Value;

/// The maximum length of an error message, which may name operations and fields and quote the beginning of a value.
const MOST_MESSAGE: usize = 8 << 10;

/// A method for each kind of parameters.
const METHODS: &[&str] = &[
    "XlsxReadRange",
    "XlsxRenderGrid",
    "XlsxFind",
    "DocxExtractText",
    "PptxGetSlideContent",
    "PdfExtractText",
    "DocxRenderPage",
    "ImageRender",
    "TextReadLines",
    "TabularReadRows",
    "TabularQuery",
    "TabularUpdateFromExport",
];

/// Lines of JSON: each is parsed as operations of every format, and as parameters of reads.
pub(super) fn op_list(bytes: &[u8]) {
    for line in String::from_utf8_lossy(bytes).lines().take(50) {
        let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
        let ops = value.get("ops").unwrap_or(&value);
        check_ops::<XlsxOp>(ops);
        check_ops::<DocxOp>(ops);
        check_ops::<PptxOp>(ops);
        check_ops::<TextOp>(ops);
        METHODS.iter().for_each(|method| check_read(method, &value));
    }
}

/// Parsing is deterministic; what is accepted is also accepted leniently; corrections are idempotent.
fn check_ops<T: OpSet>(ops: &Value) {
    let strict = parse_ops::<T>(ops, Strictness::Refuse);
    let again = parse_ops::<T>(ops, Strictness::Refuse);
    let lenient = parse_ops::<T>(ops, Strictness::Warn);
    match (strict, again) {
        (Ok(first), Ok(second)) => {
            let names = |ops: &[jig_file_api::ParsedOp<T>]| ops.iter().map(|op| op.name).collect::<Vec<_>>();
            assert_eq!(names(&first.list), names(&second.list));
            assert_eq!(first.warnings, second.warnings);
            assert!(lenient.is_ok(), "refused only in the compatibility profile: {ops}");
        }
        (Err(first), Err(second)) => {
            assert_eq!(first, second);
            let message = first.to_string();
            assert!(!message.is_empty() && message.len() < MOST_MESSAGE, "{} bytes of message", message.len());
            if let Some(corrected) = &first.corrected {
                assert!(parse_ops::<T>(corrected, Strictness::Refuse).is_ok(), "not a correction: {corrected}");
            }
        }
        _ => panic!("two outcomes for one list: {ops}"),
    }
}

/// Normalising is idempotent.
fn check_read(method: &str, params: &Value) {
    let Ok((normal, _)) = read_params(method, params) else { return };
    let (again, warnings) = read_params(method, &normal).expect("normalized parameters are accepted");
    assert_eq!(again, normal, "{method}");
    assert!(warnings.is_empty(), "{method}: {warnings:?} for {normal}");
}
