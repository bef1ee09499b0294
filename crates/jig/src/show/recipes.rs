//! Text output of recipes, token comparisons of their contexts, and jobs.

use jig_contract::Timestamp;
use jig_contract::ops::{
    ContextTokens, JobInfo, JobListOutput, JobState, RecipeAssembleOutput, RecipeDeleteOutput, RecipeGetOutput,
    RecipeListOutput, RecipeListStaleOutput, RecipePutOutput, RecipeRunOutput, StaleReason,
};

use super::entries::{bar, short};
use super::table::{cell, number, table};
use super::units::minute;
use super::{TextOutput, ago};
use crate::terminal::{BAD, FAINT, GOOD, MARK, STRONG, plain};

/// The width of the widest bar of a comparison.
const WIDEST: usize = 40;

pub(super) fn list(output: &RecipeListOutput) -> TextOutput {
    let rows = output.recipes.iter().map(|recipe| {
        let definition = &recipe.definition;
        let needs: Vec<&str> =
            definition.context_requirements.entries.iter().map(|entry| entry.role.as_str()).collect();
        let makes = definition.context_outputs.as_ref().map(|outputs| format!("@{}", outputs.role)).unwrap_or_default();
        let next = recipe.next_run_at.map(|at| minute(&at.to_string())).unwrap_or_default();
        vec![
            cell(&definition.recipe).styled(STRONG),
            cell(needs.join(", ")),
            cell(makes).styled(MARK),
            cell(if recipe.shipped { "" } else { "own" }),
            cell(next).styled(FAINT),
            cell(recipe.problems.join("; ")).styled(BAD),
        ]
    });
    let text = table(&["recipe", "needs", "output", "", "next run", ""], rows.collect());
    let notes =
        vec!["`jig recipe assemble NAME` shows its context and tokens, `jig recipe run NAME` runs it".to_owned()];
    TextOutput { text, notes }
}

pub(super) fn recipe(output: &RecipeGetOutput) -> String {
    let problems: String =
        output.recipe.problems.iter().map(|problem| format!("{BAD}!{BAD:#} {}\n", plain(problem))).collect();
    format!("{}{problems}", plain(&output.yaml))
}

pub(super) fn put(output: &RecipePutOutput) -> String {
    let definition = &output.recipe.definition;
    let name = plain(&definition.recipe);
    match output.saved {
        true => format!("Saved {STRONG}{name}{STRONG:#}, version {}\n", definition.version),
        false => format!("{STRONG}{name}{STRONG:#}: nothing was saved\n"),
    }
}

pub(super) fn deleted(output: &RecipeDeleteOutput) -> String {
    let again = if output.shipped_again { "; the built-in definition is in use again" } else { "" };
    format!("Deleted the recipe {STRONG}{}{STRONG:#}{again}\n", plain(&output.deleted))
}

pub(super) fn assembled(output: &RecipeAssembleOutput) -> TextOutput {
    let report = &output.report;
    let mut text = format!("{STRONG}{}{STRONG:#}\n{}", plain(&output.recipe), tokens(&report.tokens));
    for missing in &report.missing {
        let fields = if missing.fields.is_empty() { String::new() } else { format!(": {}", missing.fields.join(", ")) };
        text.push_str(&format!("{MARK}missing{MARK:#} {}{}\n", plain(&missing.role), plain(&fields)));
    }
    for incomplete in &report.incomplete {
        let (address, missing) = (plain(&incomplete.address), plain(&incomplete.missing.join(", ")));
        text.push_str(&format!("{MARK}incomplete{MARK:#} {address}: {missing}\n"));
    }
    for stale in &report.stale {
        text.push_str(&format!("{MARK}outdated{MARK:#} {}\n", plain(&stale.address)));
    }
    for left_out in &report.left_out {
        text.push_str(&format!(
            "{BAD}omitted{BAD:#} {} ({} tokens): {}\n",
            plain(&left_out.source),
            left_out.tokens,
            plain(&left_out.why)
        ));
    }
    let used: Vec<String> = report.used.iter().map(|used| format!("{} r{}", used.address, used.revision)).collect();
    text.push_str(&format!("{FAINT}used {}{FAINT:#}\n", plain(&used.join(", "))));
    let name = &output.recipe;
    TextOutput {
        text,
        notes: vec![format!("`jig recipe assemble {name} --text` prints the context, `jig recipe run {name}` runs it")],
    }
}

/// A few short fields cost more with field names than as flat text; the output reports that too.
fn compared(times_smaller: f64) -> String {
    match times_smaller {
        smaller if smaller >= 1.0 => format!("{smaller:.1} times smaller"),
        larger => format!("{:.1} times larger", 1.0 / larger.max(f64::MIN_POSITIVE)),
    }
}

/// The three numbers as bars, widest first.
fn tokens(tokens: &ContextTokens) -> String {
    let most = tokens.flat_text.max(tokens.all_fields).max(tokens.projected).max(1);
    let about = if tokens.estimated { "about " } else { "" };
    let times = |times: Option<f64>| times.map(compared).unwrap_or_default();
    let rows = [
        ("all entries as flat text", tokens.flat_text, String::new(), FAINT),
        ("these entries, all fields", tokens.all_fields, String::new(), MARK),
        ("only the requested fields", tokens.projected, times(tokens.times_smaller_than_flat_text), GOOD),
    ];
    let rows = rows.into_iter().map(|(name, count, note, style)| {
        let share = count as f64 / most as f64;
        let drawn = bar(share, WIDEST).trim_end_matches('░').to_owned();
        let drawn = if drawn.is_empty() && count > 0 { "▏".to_owned() } else { drawn };
        vec![cell(name), number(format!("{about}{count}")), cell(drawn).styled(style), cell(note).styled(FAINT)]
    });
    table(&["context", "tokens", "", ""], rows.collect())
}

pub(super) fn run(output: &RecipeRunOutput, now: Timestamp) -> TextOutput {
    let looked = output.session_id.as_ref().zip(output.step).map(|(session, step)| {
        format!("`jig session show {session} --step {step}` shows what the model was sent, with its token breakdown")
    });
    if let Some(answer) = &output.answer {
        return TextOutput { text: format!("{}\n", plain(answer.trim_end())), notes: looked.into_iter().collect() };
    }
    match &output.output {
        Some(one) => {
            let mut shown = super::proposals::proposal_with_hint(one, "output promote", now);
            shown.notes.extend(looked);
            shown
        }
        None => {
            let notes =
                vec![format!("`jig job get {}` shows its state; `jig serve` or `jig job run` runs it", output.job.id)];
            TextOutput { text: job(&output.job, now), notes }
        }
    }
}

pub(super) fn stale(output: &RecipeListStaleOutput) -> TextOutput {
    if output.stale.is_empty() && output.cycles.is_empty() {
        return "All outputs are up to date.\n".to_owned().into();
    }
    let rows = output.stale.iter().map(|one| {
        let why: Vec<String> = one.reasons.iter().map(reason).collect();
        let state = if one.due { cell("due").styled(MARK) } else { cell("") };
        vec![
            cell(&one.recipe).styled(STRONG),
            cell(&one.address),
            cell(why.join("; ")),
            state,
            cell(one.blocked.clone().unwrap_or_default()).styled(FAINT),
        ]
    });
    let mut text = table(&["recipe", "output", "reason", "", ""], rows.collect());
    for cycle in &output.cycles {
        text.push_str(&format!("{BAD}!{BAD:#} these depend on each other: {}\n", plain(&cycle.join(" → "))));
    }
    TextOutput { text, notes: vec!["`jig recipe run NAME` regenerates one; `jig serve` runs the due ones".to_owned()] }
}

fn reason(reason: &StaleReason) -> String {
    match reason {
        StaleReason::NeverRun => "never run".to_owned(),
        StaleReason::Expired { expired } => format!("expired {} h ago", expired.hours_over),
        StaleReason::SourceNewer { changes } => {
            let names: Vec<&str> = changes.iter().map(|change| change.address.as_str()).collect();
            format!("newer: {}", names.join(", "))
        }
    }
}

pub(super) const fn state(state: JobState) -> &'static str {
    match state {
        JobState::Queued => "queued",
        JobState::Running => "running",
        JobState::Done => "done",
        JobState::Failed => "failed",
        JobState::Cancelled => "cancelled",
    }
}

pub(crate) fn jobs(jobs: &[JobInfo], cursor: Option<&str>, now: Timestamp) -> TextOutput {
    if jobs.is_empty() {
        return "There are no jobs.\n".to_owned().into();
    }
    let rows = jobs.iter().map(|job| {
        let style = match job.state {
            JobState::Done => GOOD,
            JobState::Failed => BAD,
            _ => MARK,
        };
        let error = job.error.as_ref().map(|error| error.message.clone()).unwrap_or_default();
        vec![
            cell(job.id.as_str()).styled(FAINT),
            cell(job.recipe.as_deref().unwrap_or(&job.kind)).styled(STRONG),
            cell(state(job.state)).styled(style),
            number(format!("{}/{}", job.attempts, job.max_attempts)),
            cell(ago(job.created_at, now)).styled(FAINT),
            cell(short(&error)).styled(BAD),
        ]
    });
    let text = table(&["id", "job", "state", "attempts", "created", ""], rows.collect());
    let mut notes = vec!["`jig job cancel ID` cancels one".to_owned()];
    notes.extend(cursor.map(|cursor| format!("`--cursor {cursor}` shows the next page")));
    TextOutput { text, notes }
}

pub(super) fn job_list(output: &JobListOutput, now: Timestamp) -> TextOutput {
    jobs(&output.jobs, output.cursor.as_deref(), now)
}

pub(super) fn job(job: &JobInfo, now: Timestamp) -> String {
    jobs(std::slice::from_ref(job), None, now).text
}
