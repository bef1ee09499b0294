//! Text output of agent workspaces and sessions.

use jig_contract::Timestamp;
use jig_contract::ops::*;
use serde_json::Value;

use super::table::{cell, number, table};
use super::{TextOutput, ago, units};
use crate::terminal::{BAD, FAINT, GOOD, STRONG, plain};

/// A prefix of a hash that is long enough to identify it.
fn short(hash: &impl ToString) -> String {
    hash.to_string().chars().take(12).collect()
}

pub(super) fn versions(versions: &[AgentVersion], now: Timestamp) -> String {
    let rows = versions.iter().map(|version| {
        vec![
            cell(&version.reference).styled(STRONG),
            cell(short(&version.root)).styled(FAINT),
            cell(version.at.map(|at| ago(at, now)).unwrap_or_default()),
            cell(version.actor.as_ref().map_or("", |actor| actor.word())),
            cell(&version.message),
        ]
    });
    table(&["version", "root", "when", "by", "message"], rows.collect())
}

pub(super) fn committed(output: &AgentWorkspaceCommitOutput) -> TextOutput {
    let mut text = match (&output.version, output.saved) {
        (Some(version), true) => format!("{GOOD}{}{GOOD:#} is now the newest version\n", version.reference),
        (Some(version), false) if output.changes.is_empty() => {
            format!("{} already has these files\n", version.reference)
        }
        _ => "Nothing was saved.\n".to_owned(),
    };
    text.push_str(&changes(&output.changes));
    text.push_str(&problems(&output.problems));
    for one in &output.left_out {
        text.push_str(&format!("{FAINT}skipped   {} ({}){FAINT:#}\n", plain(&one.path), plain(&one.reason)));
    }
    let notes = if output.problems.is_empty() {
        vec!["sessions keep their version until `jig session sync` and `jig session apply`".to_owned()]
    } else {
        vec!["a sync rejects it until these problems are fixed".to_owned()]
    };
    TextOutput { text, notes: if output.saved { notes } else { Vec::new() } }
}

pub(super) fn changes(changes: &[AgentChange]) -> String {
    let mut text = String::new();
    for change in changes {
        let style = if change.kind == "conflict" { BAD } else { STRONG };
        text.push_str(&format!("{style}{:<9}{style:#} {}\n", change.kind, plain(&change.path)));
        // Added and removed files are reported by name only.
        let shown = change.diff.as_ref().filter(|_| matches!(change.kind.as_str(), "changed" | "conflict"));
        for line in shown.iter().flat_map(|diff| diff.lines()).filter(|line| !line.starts_with("@@")) {
            let style = match line.as_bytes().first() {
                Some(b'+') => GOOD,
                Some(b'-') => BAD,
                _ => FAINT,
            };
            text.push_str(&format!("  {style}{}{style:#}\n", plain(line)));
        }
    }
    text
}

fn problems(problems: &[AgentProblem]) -> String {
    let line = |problem: &AgentProblem| {
        let place = format!("{} {}", problem.file, problem.pointer);
        format!("{BAD}{}{BAD:#} {}\n", plain(place.trim()), plain(&problem.message))
    };
    problems.iter().map(line).collect()
}

pub(super) fn resolved(output: &AgentWorkspaceResolveOutput) -> String {
    let version = &output.version;
    let mut text = format!("{STRONG}{}{STRONG:#} {FAINT}{}{FAINT:#}\n", version.reference, version.root);
    text.push_str(&format!("{}\n", units::count(output.files.len() as u64, "file")));
    if !output.packs.is_empty() {
        text.push_str(&format!("packs     {}\n", output.packs.join(", ")));
    }
    for catalog in &output.catalogs {
        text.push_str(&format!("catalog   {STRONG}{}{STRONG:#}: {}\n", catalog.id, catalog.tools.join(", ")));
    }
    for warning in &output.warnings {
        text.push_str(&format!("{BAD}note{BAD:#}      {}\n", plain(warning)));
    }
    text.push_str(&problems(&output.problems));
    text
}

pub(super) fn list(output: &SessionListOutput, now: Timestamp) -> TextOutput {
    if output.sessions.is_empty() {
        return "There are no sessions.\n".to_owned().into();
    }
    let rows = output.sessions.iter().map(|session| {
        vec![
            cell(session.id.as_str()).styled(STRONG),
            cell(&session.status),
            cell(ago(session.updated_at, now)),
            number(session.records.to_string()),
            cell(&session.title),
        ]
    });
    let notes = output.cursor.iter().map(|cursor| format!("there are more: --cursor {cursor}")).collect();
    TextOutput { text: table(&["session", "status", "changed", "records", "title"], rows.collect()), notes }
}

pub(super) fn session(output: &SessionOutput) -> TextOutput {
    let info = &output.session;
    let mut text = format!("{STRONG}{}{STRONG:#} {}\n", info.id, info.status);
    let snapshot = |name: &str, snapshot: &Option<SnapshotInfo>| match snapshot {
        Some(found) => format!("{name:<9} {} {FAINT}{}{FAINT:#}\n", found.reference, found.snapshot),
        None => String::new(),
    };
    let workspace = &output.workspace;
    text.push_str(&snapshot("in use", &workspace.active));
    text.push_str(&snapshot("pending", &workspace.pending));
    text.push_str(&snapshot("staged", &workspace.staged));
    if let Some(run) = &output.run {
        let place = run.phase.clone().unwrap_or_default();
        let item = run.item.zip(run.items).map(|(item, items)| format!(", item {item} of {items}")).unwrap_or_default();
        text.push_str(&format!(
            "run {}     {} {place}{item}, {} tokens\n",
            run.run,
            run.model,
            run.input_tokens + run.output_tokens
        ));
        if let Some(why) = &run.suspended {
            text.push_str(&format!("{BAD}paused{BAD:#}: {}\n", plain(&pause_reason(why))));
        }
    }
    for message in &output.messages {
        text.push_str(&format!(
            "{FAINT}{:>5}{FAINT:#} {STRONG}{}{STRONG:#} {}\n",
            message.seq,
            message.role,
            plain(&message.text)
        ));
    }
    for question in &output.questions {
        text.push_str(&format!(
            "{BAD}question {}{BAD:#}: allow `{}`? It needs {}. {}\n",
            question.question, question.tool, question.capability, question.input
        ));
    }
    let failed = output.events.iter().filter_map(|record| record["event"]["problems"].as_array()).flatten();
    for problem in failed {
        let part = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
        text.push_str(&format!("{BAD}{} {}{BAD:#} {}\n", part("file"), part("pointer"), part("message")));
    }
    let mut notes = Vec::new();
    if workspace.pending.is_some() {
        notes.push("`jig session apply SESSION SNAPSHOT` adopts what is pending".to_owned());
    }
    if !output.questions.is_empty() {
        notes.push("`jig session permit SESSION NUMBER allow|deny` answers a question".to_owned());
    }
    TextOutput { text, notes }
}

pub(super) fn permissions(output: &SessionPermissionsOutput, now: Timestamp) -> TextOutput {
    let answers = output.permissions.iter().map(|one| {
        let answer = if one.answer == PermitAnswer::Allow { "allow" } else { "deny" };
        let reach = if one.reach == PermitReach::Run { "run" } else { "session" };
        vec![
            cell(&one.capability).styled(STRONG),
            cell(answer),
            cell(reach),
            cell(one.actor.word()),
            cell(ago(one.at, now)),
        ]
    });
    let rules = output.rules.iter().map(|rule| {
        vec![cell(&rule.capability).styled(STRONG), cell(&rule.decision), cell("rule"), cell(""), cell("")]
    });
    let rows: Vec<_> = answers.chain(rules).collect();
    if rows.is_empty() {
        return "No standing permissions and no rules.\n".to_owned().into();
    }
    let notes = if output.permissions.is_empty() {
        Vec::new()
    } else {
        vec!["`jig session revoke SESSION CAPABILITY` revokes a permission".to_owned()]
    };
    TextOutput { text: table(&["capability", "decision", "for", "by", "when"], rows), notes }
}

fn pause_reason(why: &Value) -> String {
    match why["why"].as_str() {
        Some("budget") => "a limit is reached; resume with a higher one: `jig workshop resume`".to_owned(),
        Some("interrupted") => {
            "the program exited during a model call; `jig workshop resume` repeats the call".to_owned()
        }
        _ => format!("{} [{}]", why["message"].as_str().unwrap_or_default(), why["code"].as_str().unwrap_or_default()),
    }
}

pub(super) fn step(output: &SessionShowOutput) -> String {
    let mut text = format!("{STRONG}step {}{STRONG:#} of run {}, {}\n", output.step, output.run, output.phase);
    text.push_str(&format!("{FAINT}snapshot {}{FAINT:#}\n", output.snapshot));
    if let (Some(hash), Some(request)) = (&output.request_hash, &output.request) {
        text.push_str(&format!(
            "{FAINT}request {hash}{FAINT:#}\n{}\n",
            plain(&format!("{request:#}").replace("\\n", "\n"))
        ));
    }
    if let Some(bill) = &output.bill {
        text.push_str(&format!("{STRONG}tokens{STRONG:#} {} of {}\n", bill.total, bill.window));
        for line in &bill.lines {
            text.push_str(&format!("  {:>8} {} {}\n", line.tokens, line.section, plain(&line.source)));
        }
    }
    if let Some(answer) = &output.answer {
        text.push_str(&format!("{STRONG}answer{STRONG:#}\n{}\n", plain(&format!("{answer:#}"))));
    }
    for result in &output.results {
        text.push_str(&format!("{STRONG}result{STRONG:#}\n{}\n", plain(&format!("{result:#}"))));
    }
    text
}

pub(super) fn replayed(output: &SessionReplayOutput) -> String {
    let SessionReplayOutput { records, effects, requests, .. } = output;
    let count = format!("{records} records, {effects} effects, {requests} model requests");
    let Some(difference) = &output.difference else {
        return format!("{GOOD}identical{GOOD:#}: {count}\n");
    };
    let step = if difference.step > 0 { format!("step {}, ", difference.step) } else { String::new() };
    format!(
        "{BAD}different{BAD:#} from {step}record {}: {}\n  recorded  {}\n  computed  {}\n{}{FAINT}{count} before it are identical{FAINT:#}\n",
        difference.record,
        difference.what,
        plain(&difference.recorded),
        plain(&difference.computed),
        plain(&difference.diff)
    )
}
