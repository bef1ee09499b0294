//! Serialises `SKILL.md`.

use std::fmt::Write as _;

use super::Frontmatter;

/// The maximum length of a simple key; longer ones need the `?` indicator.
const KEY_MAX: usize = 1000;

/// Serialises frontmatter and body. All texts are double-quoted and escaped, so that they are read back unchanged; the
/// caller is responsible for following the rules.
pub fn write(frontmatter: &Frontmatter, body: &str) -> String {
    let Frontmatter { name, description, license, compatibility, allowed_tools, metadata } = frontmatter;
    let mut text = String::from("---\n");
    let fields = [
        ("name", Some(name)),
        ("description", Some(description)),
        ("license", license.as_ref()),
        ("compatibility", compatibility.as_ref()),
        ("allowed-tools", allowed_tools.as_ref()),
    ];
    for (key, value) in fields {
        if let Some(value) = value {
            text += &format!("{key}: {}\n", quote(value));
        }
    }
    if !metadata.is_empty() {
        text += "metadata:\n";
    }
    for (key, value) in metadata {
        let (key, value) = (quote(key), quote(value));
        text += &if key.len() > KEY_MAX { format!("  ? {key}\n  : {value}\n") } else { format!("  {key}: {value}\n") };
    }
    text += "---\n\n";
    text += body.trim();
    text.push('\n');
    text
}

/// A double-quoted text. Three hyphens in a row would end the frontmatter, so the third one is escaped.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    let mut hyphens = 0;
    for c in text.chars() {
        hyphens = if c == '-' { hyphens + 1 } else { 0 };
        match c {
            '-' if hyphens == 3 => {
                hyphens = 0;
                quoted.push_str("\\x2d");
            }
            '"' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            c if plain(c) => quoted.push(c),
            // Writing to a `String` does not fail.
            c => drop(write!(quoted, "\\U{:08X}", u32::from(c))),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether a character needs no escape.
fn plain(c: char) -> bool {
    matches!(c, ' '..='~' | '\u{a1}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}' | '\u{10000}'..)
        && !matches!(c, '\u{ad}' | '\u{2028}' | '\u{2029}')
}
