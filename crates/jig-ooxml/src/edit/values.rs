//! Values that ops of all formats share.

/// A colour as `RRGGBB` in upper case.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Color(String);

impl Color {
    /// Reads `#RRGGBB`, `RRGGBB` or eight digits with the alpha first, which is dropped.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').unwrap_or(text);
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        match digits.len() {
            6 => Some(Self(digits.to_ascii_uppercase())),
            8 => digits.get(2..).map(|rgb| Self(rgb.to_ascii_uppercase())),
            _ => None,
        }
    }

    /// Six digits.
    pub fn rgb(&self) -> &str {
        &self.0
    }

    /// Eight digits, opaque, as Excel writes them.
    pub fn argb(&self) -> String {
        format!("FF{}", self.0)
    }

    /// What a colour must look like, for messages.
    pub const FORM: &'static str = "a colour is written #RRGGBB, for example #2F5496";
}

/// Up to three known names that are near to one that was given.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let given = given.to_lowercase();
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&given, &name.to_lowercase()), name))
        .filter(|(score, _)| *score > 0.7)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(3).map(|(_, name)| name.to_owned()).collect()
}
