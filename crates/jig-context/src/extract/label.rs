//! Matches labels in a text with fields.

use jig_contract::ops::{FieldDefinition, KindDefinition};

/// Common synonyms of field names.
const SYNONYMS: &[(&str, &[&str])] = &[
    ("name", &["company", "company name", "product", "product name"]),
    ("tagline", &["slogan", "motto", "claim", "catchphrase"]),
    ("voice", &["tone", "tone of voice", "voice and tone"]),
    ("colors", &["colours", "palette", "color palette"]),
    ("website", &["url", "web site", "homepage", "web"]),
    ("description", &["about", "overview", "who they are"]),
    ("pain_points", &["pains", "problems", "frustrations"]),
    ("jobs_to_be_done", &["jobs", "jtbd"]),
    ("statement", &["problem", "vision"]),
    ("success_metrics", &["metrics", "kpis", "success looks like"]),
    ("summary", &["in short", "abstract"]),
    ("key_themes", &["themes"]),
];

/// The quality of a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// The field's label or key.
    Exact,
    /// The label or key without the name of the kind, or in the singular.
    Near,
    /// A synonym.
    Synonym,
}

/// The field that a label refers to, and the quality of the match.
pub(super) fn field_of<'a>(
    kind: &KindDefinition,
    fields: &'a [FieldDefinition],
    label: &str,
) -> Option<(&'a FieldDefinition, Fit)> {
    let label = words(label);
    if label.is_empty() || label.len() > 200 {
        return None;
    }
    let fits = |field: &'a FieldDefinition| fit(kind, field, &label).map(|fit| (field, fit));
    fields.iter().filter_map(fits).min_by_key(|(_, fit)| *fit)
}

fn fit(kind: &KindDefinition, field: &FieldDefinition, label: &str) -> Option<Fit> {
    let names = [words(&field.label), words(&field.key)];
    if names.iter().any(|name| name == label) {
        return Some(Fit::Exact);
    }
    let owners = [words(&kind.anchor_role), words(&kind.display_name)];
    let bare = |name: &str| {
        let own = owners.iter().find_map(|owner| name.strip_prefix(owner.as_str())?.strip_prefix(' '));
        singular(own.unwrap_or(name))
    };
    if names.iter().any(|name| bare(name) == bare(label)) {
        return Some(Fit::Near);
    }
    let synonyms = SYNONYMS.iter().find(|(key, _)| *key == field.key).map_or(&[][..], |(_, words)| words);
    synonyms.iter().any(|word| *word == label || singular(word) == bare(label)).then_some(Fit::Synonym)
}

fn singular(words: &str) -> String {
    let cut = words.strip_suffix('s').filter(|rest| rest.len() > 2 && !rest.ends_with('s'));
    cut.unwrap_or(words).to_owned()
}

/// The words of a label, in lower case, with single spaces and without punctuation.
fn words(label: &str) -> String {
    let lower = label.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
