//! Resolves the colours of styles (theme, palette or RGB) to `#RRGGBB` where possible.

use crate::package::Package;
use crate::xml::{Node, Ns};

/// The colours that styles refer to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Palette {
    /// In the order of the theme part: dark 1, light 1, dark 2, light 2, six accents, two for links.
    theme: Vec<String>,
    /// The file's own palette; empty for the usual one.
    indexed: Vec<String>,
}

/// The usual palette from number 8 on; the first eight are the same as the second eight.
const INDEXED: &str = "000000FFFFFFFF000000FF000000FFFFFF00FF00FF00FFFF800000008000000080808000800080008080C0C0C08080809999FF993366FFFFCCCCFFFF660066FF80800066CCCCCCFF000080FF00FFFFFF0000FFFF8000808000000080800000FF00CCFFCCFFFFCCFFCCFFFF9999CCFFFF99CCCC99FFFFCC993366FF33CCCC99CC00FFCC00FF9900FF6600666699969696003366339966003300333300993300993366333399333333";

impl Palette {
    /// The colours of a workbook with these styles: those of its theme and, where it has one, its own palette.
    pub fn of_styles(package: &Package, theme: Option<&str>, styles: Node<'_>) -> Self {
        let own = styles.path(Ns::S, &["colors", "indexedColors"]).map(super::styles::own_palette);
        Self::read(package, theme, own.unwrap_or_default())
    }

    /// The colours of the theme, when there is one that can be read.
    pub(super) fn read(package: &Package, theme: Option<&str>, indexed: Vec<String>) -> Self {
        Self { theme: theme.and_then(|part| read_theme(package, part)).unwrap_or_default(), indexed }
    }

    /// The colour of an element: `#RRGGBB`, `auto`, or the name of a colour that cannot be resolved.
    pub fn resolve(&self, node: Node<'_>) -> Option<String> {
        let tint = node.attr("tint").and_then(|tint| tint.parse::<f64>().ok()).unwrap_or(0.0);
        if let Some(rgb) = node.attr("rgb") {
            return Some(rgb_of(&rgb).map_or_else(|| format!("unknown:{rgb}"), |rgb| tinted(&rgb, tint)));
        }
        if let Some(number) = node.attr("theme").and_then(|theme| theme.parse::<usize>().ok()) {
            let known = self.theme.get(theme_place(number)).map(|rgb| tinted(rgb, tint));
            return Some(known.unwrap_or_else(|| format!("theme:{number}")));
        }
        if let Some(number) = node.attr("indexed").and_then(|number| number.parse::<usize>().ok()) {
            return Some(self.indexed(number).map_or_else(|| indexed_name(number), |rgb| tinted(&rgb, tint)));
        }
        node.attr("auto").map(|_| "auto".to_owned())
    }

    fn indexed(&self, number: usize) -> Option<String> {
        if let Some(own) = self.indexed.get(number) {
            return Some(own.clone());
        }
        let place = if number < 8 { number } else { number - 8 };
        INDEXED.get(place * 6..place * 6 + 6).map(str::to_owned)
    }
}

/// Colours 64 and 65 are those of the system's text and background.
fn indexed_name(number: usize) -> String {
    match number {
        64 | 65 | 81 => "auto".to_owned(),
        _ => format!("indexed:{number}"),
    }
}

/// Styles count light before dark, the theme part the other way round.
fn theme_place(number: usize) -> usize {
    match number {
        0 => 1,
        1 => 0,
        2 => 3,
        3 => 2,
        other => other,
    }
}

/// Six digits of six or eight.
pub(super) fn rgb_of(text: &str) -> Option<String> {
    crate::edit::Color::parse(text).map(|color| color.rgb().to_owned())
}

fn read_theme(package: &Package, part: &str) -> Option<Vec<String>> {
    let content = package.xml(part).ok()?;
    let tree = content.tree(package.limits()).ok()?;
    let scheme = tree.root().path(Ns::A, &["themeElements", "clrScheme"])?;
    let color = |node: Node<'_>| {
        let inner = node.elements().next();
        let value = inner.and_then(|inner| inner.attr("lastClr").or_else(|| inner.attr("val")));
        value.and_then(|value| rgb_of(&value)).unwrap_or_default()
    };
    Some(scheme.elements().take(12).map(color).collect())
}

/// A colour made lighter or darker, as the standard says: on its lightness.
fn tinted(rgb: &str, tint: f64) -> String {
    let plain = || format!("#{rgb}");
    if tint == 0.0 || !tint.is_finite() {
        return plain();
    }
    let Ok(number) = u32::from_str_radix(rgb, 16) else { return plain() };
    let channel = |shift: u32| f64::from(number >> shift & 0xFF) / 255.0;
    let (hue, lightness, saturation) = to_hls(channel(16), channel(8), channel(0));
    let tint = tint.clamp(-1.0, 1.0);
    let lightness = if tint < 0.0 { lightness * (1.0 + tint) } else { lightness * (1.0 - tint) + tint };
    let (red, green, blue) = from_hls(hue, lightness, saturation);
    let byte = |value: f64| (value * 255.0).round().clamp(0.0, 255.0) as u8;
    format!("#{:02X}{:02X}{:02X}", byte(red), byte(green), byte(blue))
}

fn to_hls(red: f64, green: f64, blue: f64) -> (f64, f64, f64) {
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    let (lightness, span) = ((most + least) / 2.0, most - least);
    if span == 0.0 {
        return (0.0, lightness, 0.0);
    }
    let saturation = if lightness <= 0.5 { span / (most + least) } else { span / (2.0 - most - least) };
    let hue = if most == red {
        (green - blue) / span
    } else if most == green {
        2.0 + (blue - red) / span
    } else {
        4.0 + (red - green) / span
    };
    ((hue / 6.0).rem_euclid(1.0), lightness, saturation)
}

fn from_hls(hue: f64, lightness: f64, saturation: f64) -> (f64, f64, f64) {
    let high =
        if lightness <= 0.5 { lightness * (1.0 + saturation) } else { lightness + saturation - lightness * saturation };
    let low = 2.0 * lightness - high;
    let channel = |hue: f64| {
        let hue = hue.rem_euclid(1.0) * 6.0;
        match hue {
            _ if hue < 1.0 => low + (high - low) * hue,
            _ if hue < 3.0 => high,
            _ if hue < 4.0 => low + (high - low) * (4.0 - hue),
            _ => low,
        }
    };
    (channel(hue + 1.0 / 3.0), channel(hue), channel(hue - 1.0 / 3.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::xml::Tree;

    #[test]
    fn every_way_to_name_a_colour() {
        let theme = ["000000", "FFFFFF", "44546A", "E7E6E6", "4472C4"].map(str::to_owned).to_vec();
        let palette = Palette { theme, indexed: Vec::new() };
        let cases = [
            (r#"<c rgb="FF00ff10"/>"#, Some("#00FF10")),
            (r#"<c rgb="oops"/>"#, Some("unknown:oops")),
            (r#"<c theme="0"/>"#, Some("#FFFFFF")),
            (r#"<c theme="3"/>"#, Some("#44546A")),
            (r#"<c theme="4" tint="0.5999938962981048"/>"#, Some("#B4C7E7")),
            (r#"<c theme="4" tint="-0.249977111117893"/>"#, Some("#2F5597")),
            (r#"<c theme="11"/>"#, Some("theme:11")),
            (r#"<c indexed="2"/>"#, Some("#FF0000")),
            (r#"<c indexed="10"/>"#, Some("#FF0000")),
            (r#"<c indexed="64"/>"#, Some("auto")),
            (r#"<c auto="1"/>"#, Some("auto")),
            ("<c/>", None),
        ];
        for (markup, wanted) in cases {
            let tree = Tree::parse("c", markup, &Limits::default()).unwrap();
            assert_eq!(palette.resolve(tree.root()).as_deref(), wanted, "{markup}");
        }
    }
}
