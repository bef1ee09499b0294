//! Text output of proposals, run outputs and assets.

use jig_contract::Timestamp;
use jig_contract::ops::{
    AssetCleanupOutput, AssetInfo, AssetListOutput, AssetUploadOutput, Permanence, ProposalInfo, ProposalOrigin,
    ProposalState,
};

use super::entries::{address, short, value_text};
use super::history::who;
use super::table::{cell, number, table};
use super::units::{bytes, count};
use super::{TextOutput, ago};
use crate::terminal::{BAD, FAINT, GOOD, MARK, STRONG, plain};

const fn origin(origin: ProposalOrigin) -> &'static str {
    match origin {
        ProposalOrigin::Extraction => "found in a text",
        ProposalOrigin::AgentWrite => "an agent's write",
        ProposalOrigin::RecipeRun => "a recipe's run",
    }
}

const fn state(state: ProposalState) -> &'static str {
    match state {
        ProposalState::Pending => "waits",
        ProposalState::Accepted => "accepted",
        ProposalState::Rejected => "rejected",
    }
}

/// A list of proposals, one line each.
pub(super) fn proposals(proposals: &[ProposalInfo], cursor: Option<&str>, verb: &str, now: Timestamp) -> TextOutput {
    if proposals.is_empty() {
        return "Nothing is pending.\n".to_owned().into();
    }
    let rows = proposals.iter().map(|one| {
        let from = one.recipe.clone().unwrap_or_else(|| origin(one.origin).to_owned());
        let fields: Vec<&str> = one.fields.iter().map(|field| field.field.as_str()).collect();
        vec![
            cell(one.id.as_str()).styled(FAINT),
            cell(address(&one.role, &one.entry_key)).styled(STRONG),
            cell(if one.conflict { "conflicts" } else { state(one.state) }).styled(if one.conflict {
                BAD
            } else {
                MARK
            }),
            cell(from),
            cell(ago(one.created_at, now)).styled(FAINT),
            cell(short(&fields.join(", "))),
        ]
    });
    let text = table(&["id", "entry", "state", "origin", "created", "fields"], rows.collect());
    let mut notes = vec![format!("`jig {verb} ID [--fields a,b]` accepts one into its entry")];
    notes.extend(cursor.map(|cursor| format!("`--cursor {cursor}` shows the next page")));
    TextOutput { text, notes }
}

/// A proposal, field by field next to the current values.
pub(super) fn proposal(one: &ProposalInfo, now: Timestamp) -> String {
    let model = one.model_id.as_deref().map(|model| format!(" with {}", plain(model))).unwrap_or_default();
    let recipe = one.recipe.as_deref().map(|recipe| format!(" of {}", plain(recipe))).unwrap_or_default();
    let mut text = format!(
        "{STRONG}{}{STRONG:#}  {}  {}{recipe}  {FAINT}{} by {}{model}{FAINT:#}\n{FAINT}{}{FAINT:#}\n",
        address(&one.role, &one.entry_key),
        state(one.state),
        origin(one.origin),
        ago(one.created_at, now),
        who(&one.created_by),
        one.id,
    );
    for warning in &one.warnings {
        text.push_str(&format!("{BAD}!{BAD:#} {}\n", plain(warning)));
    }
    if let Some(sent) = &one.sent {
        text.push_str(&format!("{FAINT}based on a context of {}{FAINT:#}\n", count(sent.tokens, "token")));
    }
    for field in &one.fields {
        let sure = field.confidence.map(|sure| format!("  {:.0} % sure", sure * 100.0)).unwrap_or_default();
        let mark = match (field.state, field.conflict) {
            (ProposalState::Pending, true) => "changed since the proposal",
            (ProposalState::Pending, false) => "",
            (state_now, _) => state(state_now),
        };
        text.push_str(&format!("\n{MARK}{}{MARK:#}{FAINT}{sure}{FAINT:#}  {BAD}{mark}{BAD:#}\n", plain(&field.field)));
        if let Some(current) = field.current.as_ref().filter(|current| **current != field.value) {
            text.push_str(&prefixed("- ", &plain(&value_text(current)), BAD));
        }
        text.push_str(&prefixed("+ ", &plain(&value_text(&field.value)), GOOD));
        if let Some(quote) = &field.quote {
            let found = if field.quote_found == Some(false) { " (this quote is not in the text)" } else { "" };
            text.push_str(&format!("{FAINT}“{}”{found}{FAINT:#}\n", plain(&short(quote))));
        }
    }
    text
}

fn prefixed(mark: &str, text: &str, style: anstyle::Style) -> String {
    text.lines().map(|line| format!("{style}{mark}{line}{style:#}\n")).collect()
}

pub(super) fn proposal_with_hint(one: &ProposalInfo, verb: &str, now: Timestamp) -> TextOutput {
    let notes = if one.state == ProposalState::Pending {
        vec![format!("`jig {verb} {} [--fields a,b]` accepts it into {}", one.id, address(&one.role, &one.entry_key))]
    } else {
        Vec::new()
    };
    TextOutput { text: proposal(one, now), notes }
}

pub(super) fn assets(output: &AssetListOutput, now: Timestamp) -> TextOutput {
    if output.assets.is_empty() {
        let notes = vec!["`jig asset upload FILE --role brand --field logo` adds one".to_owned()];
        return TextOutput { text: "There are no assets.\n".to_owned(), notes };
    }
    let rows = output.assets.iter().map(|asset| {
        vec![
            cell(asset.asset_id.as_str()).styled(FAINT),
            cell(&asset.name).styled(STRONG),
            cell(&asset.mime_type),
            number(bytes(asset.size)),
            cell(kept(asset, now)),
            cell(uses(asset)),
        ]
    });
    let text = table(&["id", "name", "type", "size", "stored", "used by"], rows.collect());
    let notes =
        output.cursor.as_ref().map(|cursor| format!("`--cursor {cursor}` shows the next page")).into_iter().collect();
    TextOutput { text, notes }
}

fn uses(asset: &AssetInfo) -> String {
    let one = |used: &jig_contract::ops::AssetUse| format!("{}#{}", address(&used.role, &used.entry_key), used.field);
    asset.uses.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// How long an asset is retained.
fn kept(asset: &AssetInfo, now: Timestamp) -> String {
    match (asset.permanence, asset.expires_at) {
        (Permanence::Permanent, _) => "permanently".to_owned(),
        _ if asset.removed => "expired, deleted".to_owned(),
        _ if asset.expired => "expired".to_owned(),
        (_, Some(end)) => {
            let hours = end.since(now) / 3_600_000;
            if hours >= 48 {
                format!("{} days", hours / 24)
            } else {
                count(u64::try_from(hours).unwrap_or_default(), "hour")
            }
        }
        (_, None) => String::new(),
    }
}

pub(super) fn asset(asset: &AssetInfo, now: Timestamp) -> String {
    let mut text = format!(
        "{STRONG}{}{STRONG:#}  {}, {}  {FAINT}stored: {}{FAINT:#}\n{}\n",
        plain(&asset.name),
        plain(&asset.mime_type),
        bytes(asset.size),
        kept(asset, now),
        plain(&asset.uri),
    );
    if asset.asset_category != "uncategorized" {
        text.push_str(&format!(
            "{}: {} ({:.0} % sure)\n",
            plain(&asset.asset_type),
            plain(&asset.description),
            asset.confidence * 100.0
        ));
    }
    let uses = uses(asset);
    if !uses.is_empty() {
        text.push_str(&format!("{FAINT}used by {}{FAINT:#}\n", plain(&uses)));
    }
    text
}

pub(super) fn uploaded(output: &AssetUploadOutput, now: Timestamp) -> TextOutput {
    let temporary = output.asset.permanence == Permanence::Temporary;
    let id = &output.asset.asset_id;
    let notes = if temporary {
        vec![format!("it expires unless a field refers to it: `jig asset attach {id} KIND [KEY] --field FIELD`")]
    } else {
        Vec::new()
    };
    TextOutput { text: asset(&output.asset, now), notes }
}

pub(super) fn cleaned(output: &AssetCleanupOutput) -> String {
    let verb = if output.removed { "Removed" } else { "Would remove" };
    let mut text = format!("{verb} {} ({})\n", count(output.assets.len() as u64, "asset"), bytes(output.bytes));
    for asset in &output.assets {
        text.push_str(&format!("  {}  {FAINT}{}{FAINT:#}\n", plain(&asset.name), asset.asset_id));
    }
    text
}
