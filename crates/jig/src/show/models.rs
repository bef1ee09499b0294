//! Text output of models, consents, model calls and token counts.

use jig_contract::Timestamp;
use jig_contract::ops::{
    Consent, ConsentGrantOutput, ConsentReach, ConsentRevokeOutput, EgressListOutput, EgressScope, ModelListOutput,
    ModelSetDefaultOutput, StatsGetOutput,
};

use super::table::{cell, number, table};
use super::units::count;
use super::{TextOutput, ago};
use crate::terminal::{FAINT, GOOD, MARK, STRONG, plain};

pub(super) fn list(output: &ModelListOutput) -> TextOutput {
    let rows = output.models.iter().map(|model| {
        let chosen = output.default.as_deref() == Some(model.id.as_str());
        let price = |name: &str| model.price.get(name).map(|price| format!("{price:.2}")).unwrap_or_default();
        let state = if model.configured { cell("ready").styled(GOOD) } else { cell("not set up").styled(FAINT) };
        vec![
            cell(if chosen { "*" } else { "" }).styled(GOOD),
            cell(&model.id).styled(if model.configured { STRONG } else { FAINT }),
            number(model.window.to_string()),
            number(price("input")),
            number(price("output")),
            state,
        ]
    });
    let text = table(&["", "model", "window", "$ in", "$ out", ""], rows.collect());
    let mut notes =
        vec!["prices are US dollars per million tokens; `--json` shows what each model supports".to_owned()];
    notes.push(match &output.default {
        Some(model) => format!("{model} is the default"),
        None => {
            "no default model: choose one with `jig model set-default PROVIDER:MODEL` or the setting `model`".to_owned()
        }
    });
    TextOutput { text, notes }
}

pub(super) fn chosen(output: &ModelSetDefaultOutput) -> String {
    match &output.default {
        Some(model) => format!("{STRONG}{}{STRONG:#} is the default\n", plain(model)),
        None => "No default model\n".to_owned(),
    }
}

/// What would be sent, shown when asking for consent.
pub(crate) fn scope(scope: &EgressScope) -> String {
    let EgressScope {
        model_id,
        host,
        files,
        items,
        entries,
        artifacts,
        documents,
        images,
        sources,
        input,
        readable,
        ..
    } = scope;
    let mut text = format!("{STRONG}{}{STRONG:#} at {STRONG}{}{STRONG:#} gets\n", plain(model_id), plain(host));
    if let Some(input) = input {
        text.push_str(&format!("  {MARK}{}{MARK:#}\n", plain(input)));
    }
    let groups = [
        (files, "file", "files"),
        (items, "context item", "context items"),
        (entries, "entry", "entries"),
        (artifacts, "artifact", "artifacts"),
        (documents, "document of the agent's pack", "documents of the agent's pack"),
        (images, "image", "images"),
    ];
    for (names, one, many) in groups {
        if !names.is_empty() {
            text.push_str(&format!("  {} {}{}\n", names.len(), if names.len() == 1 { one } else { many }, some(names)));
        }
    }
    for source in sources {
        text.push_str(&format!("  {}\n", plain(source)));
    }
    if let Some(readable) = readable {
        let files = count(readable.files.len() as u64, "file");
        text.push_str(&format!(
            "  {FAINT}and what the agent's tools read: any part of {files}, entries and artifacts{FAINT:#}\n"
        ));
    }
    text
}

/// How many names of a list are shown.
const NAMED: usize = 8;

fn some(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| plain(name)).collect();
    match names.len().saturating_sub(shown.len()) {
        _ if names.is_empty() => String::new(),
        0 => format!(": {}", shown.join(", ")),
        more => format!(": {} and {more} more", shown.join(", ")),
    }
}

pub(super) fn granted(output: &ConsentGrantOutput) -> String {
    let reach = reach(&output.consent);
    let Consent { id, model_id, host, .. } = &output.consent;
    let shown = &output.scope;
    if shown.files.is_empty() && shown.items.is_empty() && shown.entries.is_empty() && shown.artifacts.is_empty() {
        let receiver = format!("{STRONG}{}{STRONG:#} at {STRONG}{}{STRONG:#}", plain(model_id), plain(host));
        return format!("Consent given {reach}: {receiver}\n{FAINT}{id}{FAINT:#}\n");
    }
    format!("Consent given {reach}:\n{}{FAINT}{id}{FAINT:#}\n", scope(shown))
}

fn reach(consent: &Consent) -> &'static str {
    match consent.reach {
        ConsentReach::Once => "for one call",
        ConsentReach::Kept => "as long as the same files, items, entries and artifacts are sent",
        ConsentReach::All => "for everything, including later additions",
        ConsentReach::Secret => "to send one likely key",
    }
}

pub(super) fn consents(consents: &[Consent], now: Timestamp) -> String {
    if consents.is_empty() {
        return "No consents. Nothing may be sent from this machine.\n".to_owned();
    }
    let rows = consents.iter().map(|consent| {
        vec![
            cell(&consent.model_id).styled(STRONG),
            cell(reach(consent)),
            cell(&consent.granted_by),
            cell(ago(consent.granted_at, now)).styled(FAINT),
            cell(&consent.id).styled(FAINT),
        ]
    });
    table(&["model", "reach", "by", "when", "id"], rows.collect())
}

pub(super) fn revoked(output: &ConsentRevokeOutput) -> String {
    let one =
        |consent: &Consent| format!("Revoked: {STRONG}{}{STRONG:#} {}\n", plain(&consent.model_id), reach(consent));
    output.revoked.iter().map(one).collect()
}

pub(super) fn egress(output: &EgressListOutput, now: Timestamp) -> TextOutput {
    if output.events.is_empty() {
        return "Nothing has been sent from this machine.\n".to_owned().into();
    }
    let rows = output.events.iter().map(|event| {
        let tokens = |count: Option<u64>| count.map(|count| count.to_string()).unwrap_or_default();
        vec![
            cell(ago(event.at, now)).styled(FAINT),
            cell(&event.model_id).styled(STRONG),
            cell(&event.purpose),
            number(tokens(event.input_tokens)),
            number(tokens(event.output_tokens)),
            cell(&event.outcome).styled(if event.outcome == "sent" { GOOD } else { MARK }),
        ]
    });
    let text = table(&["when", "model", "for", "in", "out", ""], rows.collect());
    let more = output.total > output.events.len() as u64;
    TextOutput { text, notes: Vec::from_iter(more.then(|| format!("{} in all; `-n` lists more", output.total))) }
}

pub(super) fn stats(output: &StatsGetOutput) -> String {
    if output.counts.is_empty() {
        return "There are no counts yet.\n".to_owned();
    }
    let rows = output.counts.iter().map(|one| {
        vec![
            cell(&one.name).styled(STRONG),
            cell(one.category.as_deref().unwrap_or_default()),
            cell(one.model_id.as_deref().unwrap_or_default()),
            number(one.count.to_string()),
            number(one.mean_tokens.map(|mean| format!("{mean:.0}")).unwrap_or_default()),
        ]
    });
    table(&["what", "category", "model", "times", "mean tokens"], rows.collect())
}
