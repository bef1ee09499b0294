//! Formats of text and cells: the objects that ops carry, and the names of colours.

use schemars::JsonSchema;
use serde::Deserialize;

use super::docx::TextOr;
use crate::nearest::squashed;

/// A colour as `RRGGBB` in upper case.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Color(String);

impl Color {
    /// Reads `#RRGGBB`, `RRGGBB`, the short `#RGB`, eight digits with the alpha first (which is dropped), `rgb(1, 2, 3)`
    /// and the names that CSS has.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let digits = text.strip_prefix('#').or_else(|| text.strip_prefix("0x")).unwrap_or(text);
        if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            match digits.len() {
                3 => return Some(Self(digits.chars().flat_map(|c| [c, c]).collect::<String>().to_ascii_uppercase())),
                6 => return Some(Self(digits.to_ascii_uppercase())),
                8 => return digits.get(2..).map(|rgb| Self(rgb.to_ascii_uppercase())),
                _ => {}
            }
        }
        if let Some(inner) = text.to_ascii_lowercase().strip_prefix("rgb(").and_then(|rest| rest.strip_suffix(')')) {
            let parts: Option<Vec<u8>> = inner.split(',').map(|part| part.trim().parse().ok()).collect();
            return match parts?.as_slice() {
                [red, green, blue] => Some(Self(format!("{red:02X}{green:02X}{blue:02X}"))),
                _ => None,
            };
        }
        let plain = squashed(text).replace("grey", "gray");
        NAMES.iter().find(|(name, _)| *name == plain).map(|(_, rgb)| Self((*rgb).to_owned()))
    }

    /// Six digits.
    pub fn rgb(&self) -> &str {
        &self.0
    }

    /// Six digits behind a `#`.
    pub fn hex(&self) -> String {
        format!("#{}", self.0)
    }

    /// Eight digits, opaque, as Excel writes them.
    pub fn argb(&self) -> String {
        format!("FF{}", self.0)
    }

    /// What a colour must look like, for messages.
    pub const FORM: &'static str = "a colour such as #2F5496 or `navy`";

    pub(super) fn nearest_names(text: &str) -> Vec<String> {
        crate::nearest(text, NAMES.iter().map(|(name, _)| *name))
    }
}

/// The names of colours, without separators.
const NAMES: &[(&str, &str)] = &[
    ("black", "000000"),
    ("white", "FFFFFF"),
    ("red", "FF0000"),
    ("lime", "00FF00"),
    ("blue", "0000FF"),
    ("yellow", "FFFF00"),
    ("cyan", "00FFFF"),
    ("aqua", "00FFFF"),
    ("magenta", "FF00FF"),
    ("fuchsia", "FF00FF"),
    ("silver", "C0C0C0"),
    ("gray", "808080"),
    ("maroon", "800000"),
    ("olive", "808000"),
    ("green", "008000"),
    ("purple", "800080"),
    ("teal", "008080"),
    ("navy", "000080"),
    ("orange", "FFA500"),
    ("darkorange", "FF8C00"),
    ("gold", "FFD700"),
    ("pink", "FFC0CB"),
    ("hotpink", "FF69B4"),
    ("deeppink", "FF1493"),
    ("crimson", "DC143C"),
    ("salmon", "FA8072"),
    ("coral", "FF7F50"),
    ("tomato", "FF6347"),
    ("orangered", "FF4500"),
    ("firebrick", "B22222"),
    ("darkred", "8B0000"),
    ("brown", "A52A2A"),
    ("sienna", "A0522D"),
    ("chocolate", "D2691E"),
    ("peru", "CD853F"),
    ("tan", "D2B48C"),
    ("beige", "F5F5DC"),
    ("ivory", "FFFFF0"),
    ("khaki", "F0E68C"),
    ("darkkhaki", "BDB76B"),
    ("lightyellow", "FFFFE0"),
    ("darkgreen", "006400"),
    ("forestgreen", "228B22"),
    ("seagreen", "2E8B57"),
    ("limegreen", "32CD32"),
    ("lightgreen", "90EE90"),
    ("palegreen", "98FB98"),
    ("olivedrab", "6B8E23"),
    ("turquoise", "40E0D0"),
    ("darkcyan", "008B8B"),
    ("lightcyan", "E0FFFF"),
    ("lightblue", "ADD8E6"),
    ("skyblue", "87CEEB"),
    ("deepskyblue", "00BFFF"),
    ("dodgerblue", "1E90FF"),
    ("steelblue", "4682B4"),
    ("royalblue", "4169E1"),
    ("cornflowerblue", "6495ED"),
    ("slateblue", "6A5ACD"),
    ("mediumblue", "0000CD"),
    ("darkblue", "00008B"),
    ("midnightblue", "191970"),
    ("indigo", "4B0082"),
    ("violet", "EE82EE"),
    ("orchid", "DA70D6"),
    ("plum", "DDA0DD"),
    ("lavender", "E6E6FA"),
    ("darkmagenta", "8B008B"),
    ("darkviolet", "9400D3"),
    ("rebeccapurple", "663399"),
    ("lightgray", "D3D3D3"),
    ("gainsboro", "DCDCDC"),
    ("whitesmoke", "F5F5F5"),
    ("darkgray", "A9A9A9"),
    ("dimgray", "696969"),
    ("slategray", "708090"),
    ("lightslategray", "778899"),
    ("darkslategray", "2F4F4F"),
    ("snow", "FFFAFA"),
    ("azure", "F0FFFF"),
    ("mintcream", "F5FFFA"),
    ("linen", "FAF0E6"),
    ("wheat", "F5DEB3"),
    ("moccasin", "FFE4B5"),
    ("peachpuff", "FFDAB9"),
    ("mistyrose", "FFE4E1"),
    ("lightpink", "FFB6C1"),
    ("lightsalmon", "FFA07A"),
    ("lightcoral", "F08080"),
    ("indianred", "CD5C5C"),
    ("aquamarine", "7FFFD4"),
    ("chartreuse", "7FFF00"),
    ("springgreen", "00FF7F"),
    ("goldenrod", "DAA520"),
    ("darkgoldenrod", "B8860B"),
];

/// The colours of a text marker: the name, the value in a Word file, and the colour. The first seventeen are offered.
pub(super) const HIGHLIGHTS: &[(&str, &str, &str)] = &[
    ("yellow", "yellow", "FFFF00"),
    ("bright_green", "green", "00FF00"),
    ("turquoise", "cyan", "00FFFF"),
    ("pink", "magenta", "FF00FF"),
    ("blue", "blue", "0000FF"),
    ("red", "red", "FF0000"),
    ("dark_blue", "darkBlue", "000080"),
    ("teal", "darkCyan", "008080"),
    ("green", "darkGreen", "008000"),
    ("violet", "darkMagenta", "800080"),
    ("dark_red", "darkRed", "800000"),
    ("dark_yellow", "darkYellow", "808000"),
    ("gray_50", "darkGray", "808080"),
    ("gray_25", "lightGray", "C0C0C0"),
    ("black", "black", "000000"),
    ("white", "white", "FFFFFF"),
    ("none", "none", ""),
    ("lime", "green", "00FF00"),
    ("cyan", "cyan", "00FFFF"),
    ("aqua", "cyan", "00FFFF"),
    ("navy", "darkBlue", "000080"),
    ("dark_cyan", "darkCyan", "008080"),
    ("dark_green", "darkGreen", "008000"),
    ("dark_magenta", "darkMagenta", "800080"),
    ("purple", "darkMagenta", "800080"),
    ("maroon", "darkRed", "800000"),
    ("olive", "darkYellow", "808000"),
    ("light_gray", "lightGray", "C0C0C0"),
    ("silver", "lightGray", "C0C0C0"),
    ("gray", "darkGray", "808080"),
    ("dark_gray", "darkGray", "808080"),
    ("magenta", "magenta", "FF00FF"),
    ("fuchsia", "magenta", "FF00FF"),
    ("auto", "none", ""),
    ("automatic", "none", ""),
    ("inherited", "none", ""),
    ("clear", "none", ""),
];

/// The highlighter with a name: the value in a Word file (`none` for none) and the colour (empty for none). Case,
/// separators, percent signs and "grey" do not matter.
pub fn highlight(name: &str) -> Option<(&'static str, &'static str)> {
    let plain = squashed(name).replace("grey", "gray");
    HIGHLIGHTS.iter().find(|(known, ..)| squashed(known) == plain).map(|(_, value, rgb)| (*value, *rgb))
}

/// Defines a run of a format: text with its own style. The formats differ in the largest font size and in the colours of
/// text markers.
macro_rules! run {
    ($(#[$doc:meta])* $name:ident, font_size: $largest:literal, highlight: [$($alias:literal),*], $colors:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
        #[serde(default)]
        pub struct $name {
            /// Its characters.
            #[schemars(extend("x-aliases" = ["value", "content"]))]
            pub text: String,
            /// Font family.
            #[schemars(extend("x-aliases" = ["font", "font_family"], "x-cosmetic" = true))]
            pub font_name: Option<String>,
            /// Points.
            #[schemars(extend("x-aliases" = ["size", "fontsize"], "x-cosmetic" = true), range(min = 1, max = $largest))]
            pub font_size: Option<f64>,
            /// Bold.
            #[schemars(extend("x-aliases" = ["font_bold", "is_bold"], "x-cosmetic" = true))]
            pub bold: Option<bool>,
            /// Italic.
            #[schemars(extend("x-aliases" = ["font_italic", "italics", "is_italic"], "x-cosmetic" = true))]
            pub italic: Option<bool>,
            /// Underlined.
            #[schemars(extend(
                "x-aliases" = ["font_underline", "underlined"],
                "x-cosmetic" = true,
                "x-type" = "underline"
            ))]
            pub underline: Option<bool>,
            /// Colour of the text.
            #[schemars(extend(
                "x-aliases" = ["color", "colour", "text_color", "font_colour"],
                "x-cosmetic" = true,
                "x-type" = "color"
            ))]
            pub font_color: Option<String>,
            /// Colour of a text marker; `none` for none.
            #[schemars(extend("x-aliases" = [$($alias),*], "x-cosmetic" = true, "x-type" = $colors))]
            pub highlight_color: Option<String>,
        }

        impl TextOr<$name> {
            /// As fields, a plain text, too.
            pub fn into_fields(self) -> $name {
                match self {
                    Self::Text(text) => $name { text, ..$name::default() },
                    Self::Fields(fields) => fields,
                }
            }
        }
    };
}

run!(
    /// A run: text with its own format.
    Run, font_size: 1638, highlight: ["highlight", "highlight_colour"], "highlight"
);
run!(
    /// A run: text with its own format.
    SlideRun, font_size: 4000, highlight: ["highlight"], "highlight_color"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_in_the_usual_ways() {
        let given = ["#2f5496", "F00", "#0a0", "802F5496", "rgb(1, 2, 255)", "Dark Grey", "navy", "mauvish", "12"];
        let read = given.map(|text| Color::parse(text).map(|color| color.rgb().to_owned()));
        let wanted = [
            Some("2F5496"),
            Some("FF0000"),
            Some("00AA00"),
            Some("2F5496"),
            Some("0102FF"),
            Some("A9A9A9"),
            Some("000080"),
            None,
            None,
        ];
        assert_eq!(read, wanted.map(|text| text.map(str::to_owned)));
    }

    #[test]
    fn highlighters_are_matched_loosely() {
        let names = ["Bright Green", "GRAY_25", "grey-50", "dark_blue", "Gray 25%", "turquoise", "auto", "mauve"];
        let values = names.map(|name| highlight(name).map(|(value, _)| value));
        let wanted = [
            Some("green"),
            Some("lightGray"),
            Some("darkGray"),
            Some("darkBlue"),
            Some("lightGray"),
            Some("cyan"),
            Some("none"),
            None,
        ];
        assert_eq!(values, wanted);
    }
}
