//! How numbers are written.

use super::Format;

#[test]
fn formats_and_their_ends() {
    let cases = [
        ("decimal", 12, "12"),
        ("decimalZero", 7, "07"),
        ("upperRoman", 1994, "MCMXCIV"),
        ("lowerRoman", 4, "iv"),
        ("upperRoman", 0, "0"),
        ("upperRoman", 4000, "4000"),
        ("lowerLetter", 26, "z"),
        ("lowerLetter", 28, "bb"),
        ("upperLetter", i64::MAX, "9223372036854775807"),
        ("upperLetter", i64::MIN, "-9223372036854775808"),
        ("russianLower", 10, "к"),
        ("ordinal", 11, "11th"),
        ("ordinal", 22, "22nd"),
        ("decimalEnclosedCircle", 20, "⑳"),
        ("decimalEnclosedCircle", 21, "21"),
        ("chineseCounting", 21, "二十一"),
        ("chineseCounting", 100, "100"),
        ("numberInDash", 3, "- 3 -"),
        ("none", 3, ""),
        ("klingon", 3, "3"),
    ];
    for (name, number, wanted) in cases {
        assert_eq!(Format::named(name).write(number), wanted, "{name} {number}");
    }
    assert_eq!(Format::Padded(3).write(7), "007");
}
