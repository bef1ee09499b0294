//! Whether a value of a document leads out of it.

/// Where links lead that a person could click in the original. No program can fetch it.
pub(super) const NOWHERE: &str = "mailto:link@example.invalid";

/// Attributes that are references by their name, whatever their value.
pub(super) fn is_reference_name(local: &str) -> bool {
    ["href", "image-data", "target-location", "background", "poster", "archive", "codebase", "template-name"]
        .contains(&local)
}

/// Attributes whose values are names and never fetched, though they look like addresses.
pub(super) fn is_identifier_name(local: &str) -> bool {
    ["uri", "type", "contenttype", "algorithm", "namespaceuri", "schemalocation", "targetnamespace"]
        .contains(&local.to_ascii_lowercase().as_str())
}

/// Whether a value mentions anything outside: an address, a path of a machine or a share.
pub(super) fn mentions_outside(value: &str) -> bool {
    let value: String = value.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
    let value = value.to_ascii_lowercase();
    ["://", "file:", "\\\\", "vnd.sun.star", "javascript:", "macro:"].iter().any(|mark| value.contains(mark))
        || (value.contains("url(") && !value.contains("url(#") && !value.contains("url('#"))
}

/// Whether a reference stays in the file: a fragment, or a relative path that climbs nowhere. Images in an attribute are
/// in the file too.
pub(super) fn stays_inside(value: &str) -> bool {
    let value = value.trim();
    if value.is_empty() || value.starts_with('#') {
        return true;
    }
    let image = ["data:image/png", "data:image/jpeg", "data:image/jpg", "data:image/gif"];
    if image.iter().any(|start| value.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))) {
        return true;
    }
    let path = decoded(value);
    let rooted = path.starts_with(['/', '\\']);
    let climbs = path.split(['/', '\\']).any(|segment| segment == "..");
    !rooted && !climbs && !path.contains(':') && !path.contains('\\')
}

/// The part that a relationship of this part points to; none if it points out of the package.
pub(super) fn resolve(relationships: &str, target: &str) -> Option<String> {
    let target = decoded(target.trim());
    if target.contains(':') || target.contains('\\') || target.starts_with("//") {
        return None;
    }
    let target = target.split('#').next().unwrap_or_default();
    let mut path: Vec<&str> = Vec::new();
    if !target.starts_with('/') {
        // `word/_rels/document.xml.rels` belongs to `word/document.xml`.
        let folder = relationships.rsplit_once('/').map_or("", |(folder, _)| folder);
        let folder = folder.strip_suffix("_rels").unwrap_or(folder);
        path.extend(folder.split('/').filter(|segment| !segment.is_empty()));
    }
    for segment in target.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                path.pop()?;
            }
            segment => path.push(segment),
        }
    }
    Some(path.join("/"))
}

/// `%2e%2e` is two dots to whoever opens it.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let byte = digits.filter(|_| *first == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { behind.get(2..).unwrap_or_default() } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Whether a formula leaves its workbook: web services, DDE, other files.
pub(super) fn is_outside_formula(formula: &str) -> bool {
    let plain: String = formula.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_uppercase();
    let calls = ["WEBSERVICE", "FILTERXML", "DDE(", "RTD(", "CALL(", "REGISTER.ID", "IMAGE("];
    let files = ["'#", "#$", "://", "FILE:", "\\\\", "|'", "../"];
    calls.iter().chain(&files).any(|mark| plain.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_that_climb_or_name_a_machine_lead_out() {
        for inside in ["", "#a", "Pictures/1.png", "./Object 1", "rId3", "data:image/png;base64,AA"] {
            assert!(stays_inside(inside), "{inside}");
        }
        let outside = [
            "../a.png",
            "a/../../b",
            "/etc/passwd",
            "\\\\host\\a",
            "http://h/a",
            "FILE:///a",
            "%2e%2e/a",
            "c:\\a",
            "data:image/svg+xml,<svg/>",
            " ../a",
            "//host/a",
            "vnd.sun.star.script:x",
        ];
        for outside in outside {
            assert!(!stays_inside(outside), "{outside}");
        }
    }

    #[test]
    fn relationships_resolve_below_the_package() {
        let from = "ppt/slides/_rels/slide1.xml.rels";
        assert_eq!(resolve(from, "../media/a.png").as_deref(), Some("ppt/media/a.png"));
        assert_eq!(resolve(from, "/docProps/app.xml").as_deref(), Some("docProps/app.xml"));
        for outside in ["../../../a", "file:///a", "//h/a", "%2e%2e/%2e%2e/%2e%2e/a", "..\\..\\..\\a"] {
            assert_eq!(resolve(from, outside), None, "{outside}");
        }
    }
}
