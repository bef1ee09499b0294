//! Codes and values, checked against what Excel shows.

use super::*;

fn format(code: &str, value: f64) -> String {
    NumberFormat::parse(code).number(value, DateSystem::From1900)
}

#[track_caller]
fn check(cases: &[(&str, f64, &str)]) {
    let given: Vec<(&str, f64, String)> =
        cases.iter().map(|(code, value, _)| (*code, *value, format(code, *value))).collect();
    let wanted: Vec<(&str, f64, String)> =
        cases.iter().map(|(code, value, text)| (*code, *value, (*text).to_owned())).collect();
    assert_eq!(given, wanted);
}

#[test]
fn general_has_eleven_characters() {
    let cases = [
        (0.0, "0"),
        (1.0, "1"),
        (-12.5, "-12.5"),
        (0.1 + 0.2, "0.3"),
        (1.0 / 3.0, "0.333333333"),
        (-2.0 / 3.0, "-0.666666667"),
        (1234567890.123, "1234567890"),
        (123456.789123, "123456.7891"),
        (12345678901.0, "12345678901"),
        (123456789012.0, "1.23457E+11"),
        (1e20, "1E+20"),
        (0.0001, "0.0001"),
        (0.00001, "0.00001"),
        (0.0000123456789, "1.23457E-05"),
        (9.99999999e-10, "1E-09"),
        (999999999999.0, "1E+12"),
        (1e-300, "1E-300"),
        (8191.03, "8191.03"),
        (0.123456789, "0.123456789"),
        (0.1234567891, "0.123456789"),
        (12345678.91, "12345678.91"),
        (12345678.915, "12345678.92"),
        (-1234567890.5, "-1234567891"),
    ];
    for (value, wanted) in cases {
        assert_eq!(general(value), wanted, "{value}");
    }
}

#[test]
fn numbers_fill_their_places() {
    check(&[
        ("0", 2.5, "3"),
        ("0.00", 2.675, "2.68"),
        ("0.00", -0.001, "0.00"),
        ("#,##0", 1234567.0, "1,234,567"),
        ("#,##0.00", -1234.5, "-1,234.50"),
        ("#,##0", 0.0, "0"),
        ("#", 0.0, ""),
        ("#.##", 0.5, ".5"),
        ("#.##", 3.0, "3."),
        ("0.0#", 5.14159, "5.14"),
        ("0.0#", 3.0, "3.0"),
        ("000", 7.0, "007"),
        ("0%", 0.256, "26%"),
        ("0.0%", 0.1234, "12.3%"),
        ("0,", 12345.0, "12"),
        ("0.0,,", 12_345_678.0, "12.3"),
        ("0.0,,\"M\"", 12_345_678.0, "12.3M"),
        ("000-00-0000", 123456789.0, "123-45-6789"),
        ("(000) 000-0000", 5551234567.0, "(555) 123-4567"),
        ("0.00E+00", 12345.678, "1.23E+04"),
        ("0.00E+00", 0.00012, "1.20E-04"),
        ("##0.0E+0", 12345.0, "12.3E+3"),
        ("0E+0", 9.7, "1E+1"),
        ("??0.0??", 1.5, "  1.5  "),
        ("0000,000", 1234.0, "0,001,234"),
        (".00", 12.345, "12.35"),
    ]);
}

#[test]
fn sections_conditions_and_literals() {
    check(&[
        ("0;(0)", -5.0, "(5)"),
        ("0;(0);\"zero\"", 0.0, "zero"),
        ("0;;", -5.0, ""),
        ("[Red]0.0;[Blue]-0.0", -1.25, "-1.3"),
        ("[>100]\"big\";[<0]\"neg\";0", 500.0, "big"),
        ("[>100]\"big\";[<0]\"neg\";0", -1.0, "neg"),
        ("[>100]\"big\";[<0]\"neg\";0", 50.0, "50"),
        ("[>100]0", 5.0, "########"),
        ("[$€-407] #,##0.00", 1234.5, "€ 1,234.50"),
        ("#,##0.00 [$€-1]", 1.0, "1.00 €"),
        ("[$-409]0", 1.0, "1"),
        ("\\x0", 1.0, "x1"),
        ("_(* #,##0.00_);_(* (#,##0.00);_(* \"-\"??_);_(@_)", 1234.5, " 1,234.50 "),
        ("_(* #,##0.00_);_(* (#,##0.00);_(* \"-\"??_);_(@_)", -1234.5, " (1,234.50)"),
        ("_(* #,##0.00_);_(* (#,##0.00);_(* \"-\"??_);_(@_)", 0.0, " -   "),
        ("General \"kg\"", -2.5, "-2.5 kg"),
        ("@", 1.5, "1.5"),
        ("0\"x;y\"", 3.0, "3x;y"),
        ("", 3.0, ""),
    ]);
    assert_eq!(NumberFormat::parse("0;-0;0;\"<\"@\">\"").text("a"), "<a>");
    assert_eq!(NumberFormat::parse("0.00").text("a"), "a");
    assert_eq!(NumberFormat::parse("@\" !\"").text("a"), "a !");
}

#[test]
fn fractions() {
    check(&[
        ("# ?/?", 1.5, "1 1/2"),
        ("# ?/?", 0.25, "1/4"),
        ("# ??/??", 5.14159, "5  1/7"),
        ("# ?/8", 0.3, "2/8"),
        ("# ?/?", 2.0, "2"),
        ("# ?/?", -1.75, "-1 3/4"),
        ("?/?", 1.5, "3/2"),
        ("# ?/?", 0.0, "0"),
        ("# ?/?", 0.99, "1"),
        ("?/?", 5e12, "5000000000000/1"),
        ("?/???????", 987_654_321.000_001_2, "4142522469187589/4194304"),
        // Such numbers are in no cell, but a file may claim them: the search for a fraction had no end.
        ("# ?/?", f64::INFINITY, "#NUM!"),
        ("?/?", f64::NEG_INFINITY, "#NUM!"),
    ]);
    assert_eq!(NumberFormat::parse("# ?/?").number(f64::NAN, DateSystem::From1900), "#NUM!");
}

#[test]
fn dates_and_times() {
    check(&[
        ("yyyy-mm-dd", 45296.0, "2024-01-05"),
        ("d-mmm-yy", 45296.0, "5-Jan-24"),
        ("dddd, mmmm d", 45296.0, "Friday, January 5"),
        ("ddd mmmmm", 45296.0, "Fri J"),
        ("yyyy-mm-dd", 60.0, "1900-02-29"),
        ("yyyy-mm-dd", 59.0, "1900-02-28"),
        ("yyyy-mm-dd", 61.0, "1900-03-01"),
        ("yyyy-mm-dd", 1.0, "1900-01-01"),
        ("yyyy-mm-dd", 2_958_465.0, "9999-12-31"),
        ("yyyy-mm-dd", 2_958_466.0, "########"),
        ("yyyy-mm-dd", -1.0, "########"),
        ("h:mm AM/PM", 0.75, "6:00 PM"),
        ("hh:mm A/P", 0.0, "12:00 A"),
        ("h:mm:ss", 0.999999, "0:00:00"),
        ("[h]:mm:ss", 1.5, "36:00:00"),
        ("[mm]:ss", 0.0625, "90:00"),
        ("[h]:mm", -0.5, "-12:00"),
        ("mm:ss.0", 0.00001736, "00:01.5"),
        ("yyyy-mm-dd\"T\"hh:mm:ss.000", 45296.5, "2024-01-05T12:00:00.000"),
        ("m/d/yy h:mm", 45296.25, "1/5/24 6:00"),
        ("[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", 45296.0, "Friday, January 05, 2024"),
        ("bbbb", 45296.0, "2567"),
    ]);
    assert_eq!(NumberFormat::parse("yyyy-mm-dd").number(0.0, DateSystem::From1904), "1904-01-01");
    assert_eq!(NumberFormat::parse("yyyy-mm-dd").number(43834.0, DateSystem::From1904), "2024-01-05");
    assert!(NumberFormat::parse("yyyy").is_date() && !NumberFormat::parse("0.00\"d\"").is_date());
    assert!(!NumberFormat::parse("[Red]0").is_date() && NumberFormat::parse("[h]:mm").is_date());
}

#[test]
fn what_is_no_number_is_no_fraction_either() {
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for code in ["# ?/?", "?/?", "yyyy", "0.0"] {
            assert_eq!(format(code, value), "#NUM!", "{code}");
        }
    }
}

proptest::proptest! {
    #[test]
    fn any_code_shows_any_number(code in "[0#?.,%/eE+@ymdhs;\\[\\]<>=_*\"\\\\$a-c -]{0,24}", value in proptest::num::f64::ANY) {
        let format = NumberFormat::parse(&code);
        format.number(value, DateSystem::From1900);
        format.number(value, DateSystem::From1904);
        format.text(&code);
    }
}

#[test]
fn times_of_day_are_neither_dates_nor_durations() {
    let is_time = |code: &str| NumberFormat::parse(code).is_time();
    assert!(is_time("h:mm") && is_time("hh:mm:ss AM/PM") && is_time("mm:ss.0"));
    assert!(!is_time("[h]:mm") && !is_time("[mm]:ss") && !is_time("yyyy-mm-dd hh:mm") && !is_time("0.00"));
}
