//! The table of codes is append-only.

use std::collections::HashSet;

use jig_contract::{Code, ErrorInfo, OpError};

/// Every code that was ever shipped. A line is added with a new code and never taken away.
const SHIPPED: &str = include_str!("../error-codes.txt");

#[test]
fn the_table_only_grows_and_is_written_down() {
    let now: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    let shipped: Vec<&str> = SHIPPED.lines().collect();
    assert_eq!(now, shipped, "append new codes to tests/error-codes.txt; never remove or reorder");
}

#[test]
fn every_code_is_unique_documented_and_goes_over_the_wire_by_its_name() {
    let mut seen = HashSet::new();
    for code in Code::ALL {
        assert!(seen.insert(code.as_str()), "{code} twice");
        assert!(code.doc().ends_with('.') && code.doc().len() > 10, "{code}: {}", code.doc());
        assert!(code.as_str().bytes().all(|b| b.is_ascii_uppercase() || b == b'_'), "{code}");
        let wire = serde_json::to_value(code).unwrap();
        assert_eq!(wire, code.as_str());
        assert_eq!(serde_json::from_value::<Code>(wire).unwrap(), *code);
    }
}

#[test]
fn the_http_status_is_that_of_the_kind_but_for_a_few() {
    let own: Vec<(Code, u16)> =
        Code::ALL.iter().map(|code| (*code, code.http())).filter(|(code, http)| *http != code.kind().http()).collect();
    let expected = [
        (Code::MessageTooLarge, 413),
        (Code::FileReadFailed, 422),
        (Code::Unauthenticated, 401),
        (Code::RateLimited, 429),
        (Code::Busy, 503),
    ];
    assert_eq!(own, expected);
    assert!(Code::RateLimited.retryable() && !Code::Unauthenticated.retryable());
}

#[test]
fn an_error_carries_all_its_fields_and_leaves_out_the_empty_ones() {
    let error =
        OpError::new(Code::DraftExists, "a Draft exists").action("review").hint("look").phase("FileAdd").phase("late");
    let value = serde_json::to_value(&*error.info).unwrap();
    let expected = serde_json::json!({
        "error_code": "DRAFT_EXISTS", "message": "a Draft exists", "phase": "FileAdd", "retryable": false,
        "actions": ["review"], "hints": ["look"],
    });
    assert_eq!(value, expected);
    let back: ErrorInfo = serde_json::from_value(value).unwrap();
    assert_eq!(back, *error.info);
    assert!(OpError::new(Code::DiskFull, "full").info.retryable);
}
