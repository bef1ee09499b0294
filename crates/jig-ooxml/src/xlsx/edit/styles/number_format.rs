//! Number formats: the ones every workbook has without naming them, and which of them show dates.

/// Formats with fixed ids, as files of any language mean them.
const BUILTIN: [(u32, &str); 29] = [
    (0, "General"),
    (1, "0"),
    (2, "0.00"),
    (3, "#,##0"),
    (4, "#,##0.00"),
    (9, "0%"),
    (10, "0.00%"),
    (11, "0.00E+00"),
    (12, "# ?/?"),
    (13, "# ??/??"),
    (14, "mm-dd-yy"),
    (15, "d-mmm-yy"),
    (16, "d-mmm"),
    (17, "mmm-yy"),
    (18, "h:mm AM/PM"),
    (19, "h:mm:ss AM/PM"),
    (20, "h:mm"),
    (21, "h:mm:ss"),
    (22, "m/d/yy h:mm"),
    (37, "#,##0 ;(#,##0)"),
    (38, "#,##0 ;[Red](#,##0)"),
    (39, "#,##0.00;(#,##0.00)"),
    (40, "#,##0.00;[Red](#,##0.00)"),
    (45, "mm:ss"),
    (46, "[h]:mm:ss"),
    (47, "mmss.0"),
    (48, "##0.0E+0"),
    (49, "@"),
    // Some writers spell the plain format in lower case.
    (0, "general"),
];

/// The fixed id of a format.
pub(crate) fn builtin_id(code: &str) -> Option<u32> {
    BUILTIN.iter().find(|(_, known)| *known == code).map(|(id, _)| *id)
}

/// Whether a format shows a date or time: it has a letter for one outside quotes, escapes and colours.
pub(crate) fn is_date(code: &str) -> bool {
    let first = code.split(';').next().unwrap_or_default();
    let mut chars = first.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                chars.by_ref().find(|c| *c == '"');
            }
            '\\' | '_' | '*' => {
                chars.next();
            }
            '[' => {
                let inside: String = chars.by_ref().take_while(|c| *c != ']').collect();
                // `[h]`, `[mm]`, `[ss]` count elapsed time; brackets also hold colours, conditions and currencies.
                let elapsed =
                    !inside.is_empty() && inside.chars().all(|c| matches!(c, 'h' | 'H' | 'm' | 'M' | 's' | 'S'));
                if elapsed {
                    return true;
                }
            }
            'd' | 'D' | 'm' | 'M' | 'y' | 'Y' | 'h' | 'H' | 's' | 'S' => return true,
            'G' | 'g' if chars.as_str().get(..6).is_some_and(|rest| rest.eq_ignore_ascii_case("eneral")) => {
                chars.nth(5);
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_distinguished_from_numbers() {
        let cases = [
            ("yyyy-mm-dd", true),
            ("[h]:mm", true),
            ("General", false),
            ("0.00", false),
            ("[Red]0.00", false),
            ("\"day\" 0", false),
            ("0\\d", false),
            ("#,##0 [$USD]", false),
            ("mmm", true),
        ];
        for (code, wanted) in cases {
            assert_eq!(is_date(code), wanted, "{code}");
        }
    }
}
