//! Prompt: what a model would get, and a chart of the tokens of each source.

use jig_contract::ops::{
    BillLine, ClutterGet, ModelList, PromptAssemble, PromptAssembleOutput, PromptBill, PromptNotice,
};
use maud::{Markup, html};
use serde_json::json;

use super::super::problem::Problem;
use super::super::query::encode;
use super::Answer;
use super::layout::{self, Shell, Tab};
use super::parts::{badge, head, long_text, note, prose};
use super::units::{grouped, percent};
use super::visit::Visit;

/// How many sources of a section are shown; the rest is one row.
const DRAWN: usize = 10;

/// How many bytes of a section's text are shown.
const TEXT_BYTES: usize = 64 << 10;

/// The number of colours for sections.
const COLOURS: usize = 8;

/// `GET /w/{id}/prompt`: the form immediately; with `bill` the token breakdown, which may have to read every file
/// first.
pub(super) async fn show(visit: Visit) -> Answer {
    let bench = visit.bench().await?;
    let models = visit.on::<ModelList>(json!({})).await?;
    let model = visit.query("model");
    let message = visit.query("message");
    let body = html! {
        (head("Prompt", html! { "What a model is sent with every call, source by source. No model is called here." }, html! {}))
        form class="card form inline-fields" method="get" {
            div class="field grow" {
                label for="message" { "What somebody asks (optional)" }
                input id="message" name="message" value=(message.unwrap_or_default()) placeholder="Summarise the budget" autocomplete="off";
            }
            div class="field" {
                label for="model" { "Model" }
                select id="model" name="model" {
                    option value="" { @if let Some(own) = &models.default { (own) " (the default)" } @else { "The default" } }
                    @for known in &models.models { option value=(known.id) selected[model == Some(known.id.as_str())] { (known.id) } }
                }
            }
            button class="button primary" name="bill" value="1" { "Show the bill" }
        }
        @if visit.query("bill").is_some() { (counted(&visit, message, model).await?) } @else { (to_come(&visit, message, model)) }
    };
    Ok(layout::page(&visit, Shell::of(&bench, Tab::Prompt, "Prompt"), body))
}

/// A placeholder that the script fills; without the script, a link.
fn to_come(visit: &Visit, message: Option<&str>, model: Option<&str>) -> Markup {
    let part =
        |name: &str, value: Option<&str>| value.map(|value| format!("&{name}={}", encode(value))).unwrap_or_default();
    let from = format!("/w/{}/prompt?bill=1{}{}", visit.id(), part("message", message), part("model", model));
    html! {
        div id="bill" data-load=(from) {
            p class="muted" role="status" { "Counting what a prompt holds…" }
            p { a class="button" href=(from) { "Show the bill" } }
        }
    }
}

async fn counted(visit: &Visit, message: Option<&str>, model: Option<&str>) -> Result<Markup, Problem> {
    let (bill, notices, whole) = match message {
        None => {
            let output = visit.on::<ClutterGet>(json!({ "model": model })).await?;
            (output.bill, output.notices, None)
        }
        Some(message) => {
            let output = visit.on::<PromptAssemble>(json!({ "message": message, "model": model })).await?;
            (output.bill.clone(), output.notices.clone(), Some(output))
        }
    };
    Ok(html! {
        div id="bill" {
            (told(&bill, &notices))
            (picture(&bill))
            @if let Some(whole) = &whole { (sections(whole)) }
        }
    })
}

fn told(bill: &PromptBill, notices: &[PromptNotice]) -> Markup {
    html! {
        @for warning in &bill.warnings { (note("warn", html! { (prose(warning)) })) }
        @for notice in notices { (note("", html! { (prose(&notice.message)) })) }
    }
}

struct Section<'b> {
    name: &'b str,
    tokens: u64,
    lines: Vec<&'b BillLine>,
    colour: usize,
}

fn grouped_lines(bill: &PromptBill) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    for line in bill.lines.iter().filter(|line| line.tokens > 0) {
        match sections.iter_mut().find(|section| section.name == line.section) {
            Some(section) => {
                section.tokens += line.tokens;
                section.lines.push(line);
            }
            None => {
                let colour = sections.len() % COLOURS;
                sections.push(Section { name: &line.section, tokens: line.tokens, lines: vec![line], colour });
            }
        }
    }
    for section in &mut sections {
        section.lines.sort_by(|a, b| b.tokens.cmp(&a.tokens).then_with(|| a.source.cmp(&b.source)));
    }
    sections
}

/// A token breakdown as a chart with numbers.
#[expect(clippy::cast_precision_loss, reason = "widths of a picture")]
pub(super) fn picture(bill: &PromptBill) -> Markup {
    let sections = grouped_lines(bill);
    let whole = bill.total.max(1) as f64;
    let mut from = 0.0;
    let level = match bill.level.as_str() {
        "over" => badge("bad", "does not fit"),
        "high" => badge("warn", "high"),
        _ => badge("good", "fine"),
    };
    html! {
        section class="bill" aria-labelledby="bill-title" {
            h2 id="bill-title" { "The bill" }
            p class="row" {
                strong class="big" { (grouped(bill.total)) " tokens" }
                span { "of " (grouped(bill.window)) " that " @if bill.model_id == "none" { "a model may take" } @else { (bill.model_id) " takes" } " · " (share(bill.share)) }
                (level)
            }
            p class="muted" {
                "Context items and style skills: " (grouped(bill.context_tokens)) " tokens, " (share(bill.context_share)) " of the window. "
                @if bill.estimated { "Estimated: the model's own tokenizer is not known (" (bill.tokenizer) ")." } @else { "Counted by " (bill.tokenizer) "." }
            }
            svg class="stack" viewBox="0 0 1000 36" preserveAspectRatio="none" role="img" aria-label="How the prompt is made up; the table below has the numbers" {
                @for section in &sections {
                    @let width = section.tokens as f64 / whole * 1000.0;
                    rect class={ "c" (section.colour) } x=(format!("{from:.2}")) y="0" width=(format!("{width:.2}")) height="36" { title { (section.name) ": " (grouped(section.tokens)) } }
                    ({ from += width; "" })
                }
            }
            div class="table" role="region" aria-label="The bill by source" tabindex="0" {
                table {
                    thead { tr { th { "Source" } th class="number" { "Tokens" } th { "Share of the prompt" } } }
                    tbody { @for section in &sections { (rows(section, whole)) } }
                }
            }
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "widths of a picture")]
fn rows(section: &Section<'_>, whole: f64) -> Markup {
    let rest = section.lines.iter().skip(DRAWN);
    let (number, tokens) = (rest.clone().count(), rest.map(|line| line.tokens).sum::<u64>());
    html! {
        tr class="section" { th scope="rowgroup" { span class={ "swatch c" (section.colour) } {} (section.name) } td class="number" { (grouped(section.tokens)) } td { (strip(section.colour, section.tokens as f64 / whole)) } }
        @for line in section.lines.iter().take(DRAWN) {
            tr { td class="name sub" { bdi { (line.source) } " " span class="muted" { (line.kind) } } td class="number" { (grouped(line.tokens)) } td { (strip(section.colour, line.tokens as f64 / whole)) } }
        }
        @if number > 0 { tr { td class="name sub muted" { "… and " (number) " more" } td class="number" { (grouped(tokens)) } td { (strip(section.colour, tokens as f64 / whole)) } } }
    }
}

fn strip(colour: usize, share: f64) -> Markup {
    let width = format!("{:.2}", share.clamp(0.0, 1.0) * 200.0);
    html! { svg class="strip" viewBox="0 0 200 10" preserveAspectRatio="none" aria-hidden="true" { rect class={ "c" (colour) } width=(width) height="10" rx="2" {} } }
}

/// A share of the context window; small ones with one decimal place.
fn share(share: f64) -> String {
    if share < 0.1 {
        format!("{:.1} %", share * 100.0)
    } else if share <= 1.0 {
        format!("{} %", percent(share))
    } else {
        format!("{:.0} %", share * 100.0)
    }
}

fn sections(whole: &PromptAssembleOutput) -> Markup {
    html! {
        section aria-labelledby="exact-title" {
            h2 id="exact-title" { "Exactly what is sent" }
            @for section in &whole.sections {
                details class="exact" { summary { (section.name) @if section.cache_breakpoint { " " (badge("", "kept in the provider's cache up to here")) } } (long_text(&section.text, TEXT_BYTES)) }
            }
            @for message in &whole.messages { details class="exact" { summary { (message.role) } (long_text(&message.text, TEXT_BYTES)) } }
            @if !whole.tools.is_empty() {
                details class="exact" { summary { "Tools (" (whole.tools.len()) ")" } ul { @for tool in &whole.tools { li { code { (tool.name) } " " (tool.description) } } } }
            }
        }
        @if !whole.left_out.is_empty() {
            section aria-labelledby="left-title" {
                h2 id="left-title" { "Left out" }
                ul { @for left in &whole.left_out { li { (left.source) ", " (grouped(left.tokens)) " tokens: " (prose(&left.why)) " " span class="muted" { (prose(&left.how)) } } } }
            }
        }
    }
}
