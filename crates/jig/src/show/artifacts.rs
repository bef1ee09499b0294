//! Text output of artifacts, stages, suggestions and conversations.

use jig_contract::Timestamp;
use jig_contract::ops::{
    ArtifactApplyOpsOutput, ArtifactDeleteOutput, ArtifactExportOutput, ArtifactHistoryOutput, ArtifactImportOutput,
    ArtifactInfo, ArtifactListOutput, ArtifactStatus, ConversationListOutput, Message, MessageRole, ProjectInfo,
    SectionChangeKind, SectionInfo, StageDeleteOutput, StageListOutput, StageProgress, StagePutOutput,
    SuggestedLineTag, SuggestionAcceptOutput, SuggestionInfo, SuggestionListOutput,
};
use serde::Deserialize as _;
use serde_json::Value;

use super::entries::{bar, short};
use super::history::who;
use super::table::{cell, number, table};
use super::{TextOutput, ago};
use crate::terminal::{BAD, FAINT, GOOD, MARK, STRONG, plain};

/// The width of a bar, in characters.
const BAR: usize = 10;

fn percent(value: f64) -> String {
    format!("{value:.1} %")
}

pub(super) fn list(output: &ArtifactListOutput, now: Timestamp) -> TextOutput {
    if output.artifacts.is_empty() {
        let notes = vec![
            "`jig artifact create concept` creates one from a template; `jig stage` lists the templates".to_owned(),
        ];
        return TextOutput { text: "There are no artifacts.\n".to_owned(), notes };
    }
    let rows = output.artifacts.iter().map(|artifact| {
        let whole = artifact.progress_pct >= 100.0;
        vec![
            cell(format!("@{}", artifact.slug)).styled(STRONG),
            cell(&artifact.stage),
            cell(bar(artifact.progress_pct / 100.0, BAR)).styled(if whole { GOOD } else { MARK }),
            number(percent(artifact.progress_pct)),
            number(format!("{}/{}", artifact.sections_complete, artifact.sections_total)),
            cell(status(artifact)).styled(GOOD),
            cell(ago(artifact.updated_at, now)).styled(FAINT),
            cell(marks(artifact)).styled(BAD),
        ]
    });
    let mut text = table(&["artifact", "stage", "done", "", "sections", "", "written", ""], rows.collect());
    if output.has_more {
        text.push_str(&format!("{FAINT}{} in all{FAINT:#}\n", output.total));
    }
    let mut notes = vec!["`jig artifact get ARTIFACT` shows one, `jig artifact edit ARTIFACT` opens it".to_owned()];
    notes.extend(output.cursor.as_ref().map(|cursor| format!("`--cursor {cursor}` shows the next page")));
    TextOutput { text, notes }
}

const fn status(artifact: &ArtifactInfo) -> &'static str {
    match artifact.status {
        ArtifactStatus::Draft => "",
        ArtifactStatus::Finalized => "finalized",
    }
}

fn marks(artifact: &ArtifactInfo) -> String {
    let mut marks = Vec::new();
    if artifact.changed_since_done > 0 {
        marks.push(format!("{} changed since done", artifact.changed_since_done));
    }
    if artifact.suggestions > 0 {
        marks.push(super::count(artifact.suggestions, "suggestion"));
    }
    if let Some(newest) = artifact.newest_revision {
        marks.push(format!("a newer revision {newest} exists"));
    }
    marks.join("; ")
}

pub(super) fn artifact(artifact: &ArtifactInfo, now: Timestamp) -> TextOutput {
    let mut text = format!(
        "{STRONG}@{}{STRONG:#}  {}  {}  {} {}{GOOD}{}{GOOD:#}  {FAINT}revision {}, written {} by {}{FAINT:#}\n",
        plain(&artifact.slug),
        plain(&artifact.title),
        plain(&artifact.stage),
        bar(artifact.progress_pct / 100.0, BAR),
        percent(artifact.progress_pct),
        if artifact.status == ArtifactStatus::Finalized { "  finalized" } else { "" },
        artifact.revision,
        ago(artifact.updated_at, now),
        who(&artifact.updated_by),
    );
    let marks = marks(artifact);
    if !marks.is_empty() {
        text.push_str(&format!("{BAD}!{BAD:#} {}\n", plain(&marks)));
    }
    for one in &artifact.sections {
        text.push_str(&section(one));
    }
    let notes = vec![format!("`jig artifact show {}` prints its Markdown", plain(&artifact.slug))];
    TextOutput { text, notes }
}

fn section(section: &SectionInfo) -> String {
    let tick = if section.is_done { format!("{GOOD}✓{GOOD:#}") } else { " ".to_owned() };
    let changed = if section.changed_since_done { format!("  {BAD}changed since done{BAD:#}") } else { String::new() };
    let folded = if section.is_collapsed { format!("  {FAINT}collapsed{FAINT:#}") } else { String::new() };
    let by = section.done.as_ref().map(|done| format!("  {FAINT}done by {}{FAINT:#}", who(&done.by)));
    let mut text = format!(
        "  [{tick}] {STRONG}{}{STRONG:#} {FAINT}#{}{FAINT:#}{}{changed}{folded}\n",
        plain(&section.title),
        plain(&section.slug),
        by.unwrap_or_default()
    );
    match (&section.content, &section.preview) {
        (Some(content), _) => text.push_str(&format!("\n{}\n\n", plain(content))),
        (None, Some(preview)) => text.push_str(&format!("      {FAINT}{}{FAINT:#}\n", plain(&short(preview)))),
        (None, None) => {}
    }
    text
}

pub(super) fn applied(output: &ArtifactApplyOpsOutput) -> TextOutput {
    let mut text = String::new();
    for one in &output.applied {
        text.push_str(&format!("{GOOD}✓{GOOD:#} @{}: {}\n", plain(&one.artifact_slug), plain(&one.summary)));
        if !one.split_into.is_empty() {
            text.push_str(&format!("  {FAINT}split off: {}{FAINT:#}\n", plain(&one.split_into.join(", "))));
        }
    }
    for one in &output.artifacts {
        text.push_str(&format!(
            "  {STRONG}@{}{STRONG:#} {} {} of {} sections done, revision {}\n",
            plain(&one.slug),
            bar(one.progress_pct / 100.0, BAR),
            one.sections_complete,
            one.sections_total,
            one.revision
        ));
    }
    let notes = match output.suggestions.first() {
        Some(suggestion) => vec![format!("`jig suggestion accept {}` accepts the suggestion", suggestion.id)],
        None => vec!["`jig undo` reverts it".to_owned()],
    };
    TextOutput { text, notes }
}

pub(super) fn deleted(output: &ArtifactDeleteOutput) -> TextOutput {
    let text = format!("Deleted {STRONG}@{}{STRONG:#}\n", plain(&output.slug));
    TextOutput { text, notes: vec!["`jig undo` restores it".to_owned()] }
}

pub(super) fn imported(output: &ArtifactImportOutput, now: Timestamp) -> TextOutput {
    let verb = if output.created { "Created" } else { "Replaced" };
    let shown = artifact(&output.artifact, now);
    let mut text = format!("{verb} {}", shown.text);
    for warning in &output.warnings {
        text.push_str(&format!("{BAD}!{BAD:#} {}\n", plain(warning)));
    }
    TextOutput { text, notes: shown.notes }
}

pub(super) fn exported(output: &ArtifactExportOutput) -> TextOutput {
    let text = match &output.content.0 {
        Value::String(text) => plain(text),
        document => format!("{document:#}\n"),
    };
    TextOutput { text, notes: output.warnings.clone() }
}

pub(super) fn history(output: &ArtifactHistoryOutput, now: Timestamp) -> TextOutput {
    let rows = output.revisions.iter().map(|revision| {
        let mut changes: Vec<String> = Vec::new();
        if revision.lead_changed {
            changes.push("~(lead)".to_owned());
        }
        changes.extend(revision.changes.iter().map(|change| {
            let mark = match change.change {
                SectionChangeKind::Added => "+",
                SectionChangeKind::Changed => "~",
                SectionChangeKind::Renamed => "→",
                SectionChangeKind::Moved => "↕",
                SectionChangeKind::Done => "✓",
                SectionChangeKind::Undone => "✗",
                SectionChangeKind::Removed => "-",
            };
            format!("{mark}{}", change.section)
        }));
        vec![
            number(revision.revision.to_string()).styled(STRONG),
            cell(ago(revision.at, now)).styled(FAINT),
            cell(who(&revision.author)),
            cell(short(&changes.join(" "))),
            cell(revision.snapshots.join(", ")).styled(MARK),
            cell(short(&revision.reason)).styled(FAINT),
        ]
    });
    let text = table(&["revision", "when", "who", "sections", "name", "why"], rows.collect());
    let mut notes = vec!["`jig artifact restore ARTIFACT --revision N` restores one".to_owned()];
    notes.extend(output.cursor.as_ref().map(|cursor| format!("`--cursor {cursor}` shows the next page")));
    TextOutput { text, notes }
}

pub(super) fn suggestions(output: &SuggestionListOutput, now: Timestamp) -> TextOutput {
    if output.suggestions.is_empty() {
        return "There are no suggestions.\n".to_owned().into();
    }
    let text = output.suggestions.iter().map(|one| suggestion(one, now)).collect::<Vec<_>>().join("\n");
    let mut notes = vec!["`jig suggestion accept ID` accepts one, `jig suggestion reject ID` rejects it".to_owned()];
    notes.extend(output.cursor.as_ref().map(|cursor| format!("`--cursor {cursor}` shows the next page")));
    TextOutput { text, notes }
}

/// A suggestion and what it would change.
pub(super) fn suggestion(one: &SuggestionInfo, now: Timestamp) -> String {
    let state = format!("{:?}", one.state).to_lowercase();
    let mut text = format!(
        "{STRONG}@{}#{}{STRONG:#}  {MARK}{state}{MARK:#}  {FAINT}{} by {}, {}{FAINT:#}\n{}\n",
        plain(&one.artifact_slug),
        plain(&one.section_slug),
        ago(one.created_at, now),
        who(&one.created_by),
        one.id,
        plain(&one.suggestion)
    );
    if let Some(rationale) = &one.rationale {
        text.push_str(&format!("{FAINT}{}{FAINT:#}\n", plain(rationale)));
    }
    if one.conflict {
        text.push_str(&format!("{BAD}!{BAD:#} the section has been changed or removed since\n"));
    }
    for line in &one.diff {
        let words = plain(&line.text);
        text.push_str(&match line.tag {
            SuggestedLineTag::Context => format!("  {words}\n"),
            SuggestedLineTag::Added => format!("{GOOD}+ {words}{GOOD:#}\n"),
            SuggestedLineTag::Removed => format!("{BAD}- {words}{BAD:#}\n"),
        });
    }
    text
}

pub(super) fn accepted(output: &SuggestionAcceptOutput, now: Timestamp) -> TextOutput {
    let what = if output.changed { "the section has its text now" } else { "the artifact did not change" };
    let text = format!("{GOOD}✓{GOOD:#} accepted: {what}\n{}", suggestion(&output.suggestion, now));
    TextOutput { text, notes: vec!["`jig undo` reverts it".to_owned()] }
}

pub(super) fn stages(output: &StageListOutput) -> TextOutput {
    let rows = output.stages.iter().map(|stage| {
        let names: Vec<&str> = stage.definition.artifacts.iter().map(|one| one.slug.as_str()).collect();
        let mut row =
            vec![cell(if stage.current { "▸" } else { "" }).styled(MARK), cell(&stage.definition.stage).styled(STRONG)];
        row.extend(progress(&stage.progress));
        row.push(cell(if stage.shipped { "" } else { "own" }).styled(MARK));
        row.push(cell(names.join(", ")).styled(FAINT));
        row
    });
    let text = table(&["", "stage", "done", "", "sections", "artifacts", "", "templates"], rows.collect());
    let notes =
        vec!["`jig stage set STAGE` makes one current, `jig artifact create TEMPLATE` creates an artifact".to_owned()];
    TextOutput { text, notes }
}

fn progress(of: &StageProgress) -> Vec<super::table::Cell> {
    let none = of.artifacts_total == 0;
    let text = |text: String| if none { String::new() } else { text };
    vec![
        cell(bar(of.progress_pct / 100.0, BAR)).styled(if of.progress_pct >= 100.0 { GOOD } else { MARK }),
        number(text(percent(of.progress_pct))),
        number(text(format!("{}/{}", of.sections_complete, of.sections_total))),
        number(text(format!("{}, {} finalized", of.artifacts_total, of.artifacts_finalized))),
    ]
}

pub(super) fn project(project: &ProjectInfo, now: Timestamp) -> TextOutput {
    let mut text = format!(
        "{STRONG}{}{STRONG:#}  in {MARK}{}{MARK:#}  {FAINT}changed {}{FAINT:#}\n",
        plain(&project.name),
        plain(&project.current_stage),
        ago(project.updated_at, now)
    );
    if !project.description.is_empty() {
        text.push_str(&format!("{}\n", plain(&project.description)));
    }
    let rows = project.stages.iter().filter_map(|(name, value)| {
        let of = StageProgress::deserialize(value).ok()?;
        let mut row = vec![cell(if *name == project.current_stage { "▸" } else { "" }).styled(MARK), cell(name)];
        row.extend(progress(&of));
        Some(row)
    });
    text.push_str(&table(&["", "stage", "done", "", "sections", "artifacts"], rows.collect()));
    TextOutput { text, notes: vec!["`jig artifact` lists the artifacts".to_owned()] }
}

pub(super) fn stage_put(output: &StagePutOutput) -> TextOutput {
    let name = plain(&output.stage.definition.stage);
    let text = match output.saved {
        true => format!("Saved the stage {STRONG}{name}{STRONG:#}\n"),
        false => format!("{STRONG}{name}{STRONG:#}: nothing was saved\n"),
    };
    text.into()
}

pub(super) fn stage_deleted(output: &StageDeleteOutput) -> TextOutput {
    let again = if output.shipped_again { "; the built-in definition is in use again" } else { "" };
    format!("Deleted the stage {STRONG}{}{STRONG:#}{again}\n", plain(&output.deleted)).into()
}

pub(super) fn conversation(output: &ConversationListOutput, now: Timestamp) -> TextOutput {
    if output.messages.is_empty() {
        let notes = vec!["`jig conversation add TEXT` adds a message".to_owned()];
        return TextOutput { text: "There are no messages.\n".to_owned(), notes };
    }
    let text = output.messages.iter().map(|one| message(one, now)).collect();
    let notes =
        output.cursor.as_ref().map(|cursor| format!("`--cursor {cursor}` shows the next page")).into_iter().collect();
    TextOutput { text, notes }
}

pub(super) fn message(one: &Message, now: Timestamp) -> String {
    let about = one.artifact.as_ref().map(|slug| format!(" @{}", plain(slug))).unwrap_or_default();
    let private = if one.private { " (private)" } else { "" };
    let undone = if one.undone { " (reverted)" } else { "" };
    let mark = match one.role {
        MessageRole::Tool => "·",
        MessageRole::System => "*",
        MessageRole::User | MessageRole::Assistant => " ",
    };
    format!(
        "{FAINT}{:>4}{FAINT:#} {mark} {STRONG}{}{STRONG:#}{about}{private}{undone}  {FAINT}{}{FAINT:#}\n       {}\n",
        one.seq,
        who(&one.actor),
        ago(one.at, now),
        plain(&one.text).replace('\n', "\n       ")
    )
}
