//! The references under docs/ match the code.

use std::path::Path;

use crate::environment::{TestEnvironment, compare};

#[test]
fn the_references_match_the_code() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
    let environment = TestEnvironment::new();
    for which in ["cli", "operations", "error-codes", "settings"] {
        compare(&docs.join(format!("{which}.md")), &environment.jig(&["docs", which]).success());
    }
    compare(&docs.join("openapi.json"), &environment.jig(&["docs", "openapi"]).success());
}
