//! The sixteen colours of a text marker, under all the names people use for them.

/// Names without spaces, underscores and hyphens, and the value that the file holds.
const NAMES: &[(&str, &str)] = &[
    ("black", "black"),
    ("blue", "blue"),
    ("brightgreen", "green"),
    ("lime", "green"),
    ("cyan", "cyan"),
    ("turquoise", "cyan"),
    ("aqua", "cyan"),
    ("darkblue", "darkBlue"),
    ("navy", "darkBlue"),
    ("darkcyan", "darkCyan"),
    ("teal", "darkCyan"),
    ("darkgreen", "darkGreen"),
    ("green", "darkGreen"),
    ("darkmagenta", "darkMagenta"),
    ("violet", "darkMagenta"),
    ("purple", "darkMagenta"),
    ("darkred", "darkRed"),
    ("maroon", "darkRed"),
    ("darkyellow", "darkYellow"),
    ("olive", "darkYellow"),
    ("gray25", "lightGray"),
    ("lightgray", "lightGray"),
    ("silver", "lightGray"),
    ("gray50", "darkGray"),
    ("gray", "darkGray"),
    ("darkgray", "darkGray"),
    ("magenta", "magenta"),
    ("pink", "magenta"),
    ("fuchsia", "magenta"),
    ("red", "red"),
    ("white", "white"),
    ("yellow", "yellow"),
    ("none", "none"),
    ("auto", "none"),
    ("inherited", "none"),
];

/// What to offer when a name is not known.
pub(super) const OFFERED: &[&str] = &[
    "yellow",
    "bright_green",
    "turquoise",
    "pink",
    "blue",
    "red",
    "dark_blue",
    "teal",
    "green",
    "violet",
    "dark_red",
    "dark_yellow",
    "gray_50",
    "gray_25",
    "black",
    "white",
    "none",
];

/// The value for a name. Case, spaces, underscores, hyphens, percent signs and "grey" do not matter.
pub(super) fn highlight(name: &str) -> Option<&'static str> {
    let plain: String = name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let plain = plain.replace("grey", "gray");
    NAMES.iter().find(|(known, _)| *known == plain).map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_loosely() {
        let names = ["Bright Green", "GRAY_25", "grey-50", "dark_blue", "Gray 25%", "turquoise", "mauve"];
        let values = names.map(highlight);
        let wanted = [
            Some("green"),
            Some("lightGray"),
            Some("darkGray"),
            Some("darkBlue"),
            Some("lightGray"),
            Some("cyan"),
            None,
        ];
        assert_eq!(values, wanted);
        assert!(OFFERED.iter().all(|name| highlight(name).is_some()));
    }
}
