//! Text output of tokens.

use jig_contract::Timestamp;
use jig_contract::ops::{TokenCreateOutput, TokenInfo, TokenKind, TokenListOutput, TokenRevokeOutput, TokenRole};

use super::table::{cell, table};
use super::{TextOutput, ago};
use crate::terminal::{BAD, FAINT, STRONG, plain};

pub(super) fn made(output: &TokenCreateOutput) -> TextOutput {
    let info = &output.info;
    let place = info.workbench_id.as_ref().map(|id| format!(" of `{id}`")).unwrap_or_default();
    // Standard output has only the token, because scripts store it in variables and headers.
    let text = format!("{STRONG}{}{STRONG:#}\n", output.token);
    let kind = if info.kind == TokenKind::Agent { "; an agent proposes and never publishes" } else { "" };
    let who = format!("{} can use it, as {}{place}{kind}", plain(&info.name), role_name(info.role));
    TextOutput { text, notes: vec![who, "save it now: it is shown only once, and not stored".to_owned()] }
}

pub(super) fn list(output: &TokenListOutput, now: Timestamp) -> TextOutput {
    if output.tokens.is_empty() {
        return TextOutput {
            text: "There are no tokens.\n".to_owned(),
            notes: vec!["`jig token create NAME --role reader|writer|owner` creates one".to_owned()],
        };
    }
    let rows = output.tokens.iter().map(|token| {
        let used = token.last_used_at.map_or_else(|| "never".to_owned(), |at| ago(at, now));
        let revoked = if token.revoked_at.is_some() { cell("revoked").styled(BAD) } else { cell("") };
        let place = token.workbench_id.as_ref().map_or("all", |id| id.as_str());
        vec![
            cell(&token.name).styled(STRONG),
            cell(role_name(token.role)),
            cell(if token.kind == TokenKind::Agent { "agent" } else { "person" }),
            cell(place),
            cell(used),
            cell(token.id.as_str()).styled(FAINT),
            revoked,
        ]
    });
    table(&["name", "role", "for", "workbench", "used", "id", ""], rows.collect()).into()
}

pub(super) fn revoked(output: &TokenRevokeOutput) -> String {
    let TokenInfo { name, .. } = &output.info;
    format!("Revoked the token of {STRONG}{}{STRONG:#}\n", plain(name))
}

const fn role_name(role: TokenRole) -> &'static str {
    match role {
        TokenRole::Reader => "reader",
        TokenRole::Writer => "writer",
        TokenRole::Owner => "owner",
    }
}
