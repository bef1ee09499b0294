//! Differences that are nothing but rounding.

use super::{after, book};

/// What a formula in `C1` gives; `A1` to `A3` add up to 0.3 in binary only almost.
fn computed(formula: &str) -> String {
    let cells = [("A1", "0.1"), ("A2", "0.2"), ("A3", "0.3"), ("B1", "1000000.1"), ("B2", "1000000"), ("C1", formula)];
    let lines = after(&book(&[("Data", &cells)]), &["A1"]);
    let line = lines.first().map_or("", String::as_str);
    line.strip_prefix("Data!C1 ").unwrap_or(line).to_owned()
}

#[test]
fn a_formula_that_ends_with_a_difference_of_almost_zero_gives_zero() {
    for formula in ["=A1+A2-A3", "=A3-A1-A2", "=-A3+(A1+A2)", "=SUM(A1:A2)-A3", "=A1+A2-A3*1", "=(A1+A2)-(A3)"] {
        assert_eq!(computed(formula), "= 0", "{formula}");
    }
}

#[test]
fn other_differences_stay_as_they_are() {
    assert_eq!(computed("=A1-A2"), "= -0.1");
    assert_eq!(computed("=A1+A2-A3+1"), "= 1");
    assert_eq!(computed("=A1-\"x\""), "= #VALUE!");
    assert_eq!(computed("=A1/0-A2"), "= #DIV/0!");
    // The rest of large operands is far from their rounding.
    assert_eq!(computed("=B1-B2-A1"), "= -0.000000000023283069916502086");
}

#[test]
fn what_some_programs_take_for_zero_is_not_built_on() {
    for formula in [
        "=(A1+A2-A3)",
        "=(A1+A2-A3)*A1",
        "=ABS(A1+A2-A3)",
        "=IF(A1>0,A1+A2-A3,0)",
        "=SUM(A1,A2,-0.3)",
        "=IF(A1+A2-A3,1,2)",
    ] {
        assert_eq!(computed(formula), "? a difference of almost zero is not supported", "{formula}");
    }
}

#[test]
fn rounding_that_does_not_matter_is_no_reason_to_refuse() {
    assert_eq!(computed("=ROUND(A1+A2-A3,2)"), "= 0");
    assert_eq!(computed("=IF(ABS(A1+A2-A3)<0.01,\"even\",\"odd\")"), "= \"even\"");
    assert_eq!(computed("=5+(A1+A2-A3)"), "= 5");
}
