//! The diff of a file, in a form that suits its format, with the actions for each change.

use jig_contract::ops::{
    ChangeType, DiffChange, DiffDetail, DiffHunk, DiffKind, DiffLine, DiffParts, DiffTag, DiffView, DiffWord,
    ReferenceSource, ReviewAccept, ReviewGetDiffOutput, ReviewReject, WordTag,
};
use maud::{Markup, html};

use super::super::query::encode;
use super::files::steps;
use super::icons::icon;
use super::parts::{act, badge, blocked, note, prose};
use super::review::{comment_form, said};
use super::units::count;
use super::visit::Visit;

/// How much of a text is shown.
const DRAWN: usize = 20_000;

/// A page of a diff.
pub(super) fn draw(visit: &Visit, output: &ReviewGetDiffOutput) -> Markup {
    match &output.diff {
        DiffView::Text { added, removed, hunks, notes } => html! {
            p class="muted" { (count(*added, "line")) " new, " (count(*removed, "line")) " gone" }
            (remarks(notes))
            @for hunk in hunks { (hunk_card(visit, output, hunk)) }
        },
        DiffView::Opaque { notes, details } => html! {
            (remarks(notes))
            @if !details.is_empty() {
                dl class="facts" { @for one in details { dt { (one.name) } dd { (detail(one)) } } }
            }
            @if notes.is_empty() && details.is_empty() { p { (output.file.summary) } }
        },
        inside => html! { @if let Some(parts) = inside.parts() { (parts_view(visit, output, parts)) } },
    }
}

fn remarks(notes: &[String]) -> Markup {
    html! { @for one in notes { (note("", html! { (prose(one)) })) } }
}

fn parts_view(visit: &Visit, output: &ReviewGetDiffOutput, parts: &DiffParts) -> Markup {
    html! {
        (remarks(&parts.notes))
        @for group in &parts.groups {
            h2 class="group" { (group.title) }
            @for change in &group.changes { (change_card(visit, output, change)) }
        }
    }
}

fn hunk_card(visit: &Visit, output: &ReviewGetDiffOutput, hunk: &DiffHunk) -> Markup {
    html! {
        article class="diff" aria-label=(hunk.id) {
            header {
                span class="muted" { "lines " (hunk.old_start) "–" (hunk.old_start + hunk.old_count.saturating_sub(1)) " → " (hunk.new_start) "–" (hunk.new_start + hunk.new_count.saturating_sub(1)) }
                (decisions(visit, output, &hunk.id, &hunk.mark, hunk.accepted, None))
            }
            div class="lines" role="region" aria-label={ "Lines of " (hunk.id) } tabindex="0" { @for line in &hunk.lines { (text_line(line)) } }
            (talk(visit, output, &hunk.id, &hunk.mark))
        }
    }
}

fn text_line(line: &DiffLine) -> Markup {
    let (class, sign, word) = match line.tag {
        DiffTag::Context => ("same", " ", ""),
        DiffTag::Added => ("ins", "+", "added: "),
        DiffTag::Removed => ("del", "−", "removed: "),
    };
    html! {
        div class={ "line " (class) } {
            span class="sign" aria-hidden="true" { (sign) }
            @if !word.is_empty() { span class="sr" { (word) } }
            bdi class="content" { @if line.words.is_empty() { (cut(&line.text)) } @else { (words(&line.words)) } }
        }
        @if line.no_newline { div class="line same" { span class="sign" {} span class="muted" { "no line end at the end of the file" } } }
    }
}

fn words(all: &[DiffWord]) -> Markup {
    html! {
        @for word in all {
            @match word.tag {
                WordTag::Same => (cut(&word.text)),
                WordTag::Added => ins { (cut(&word.text)) },
                WordTag::Removed => del { (cut(&word.text)) },
            }
        }
    }
}

/// A text, truncated to a readable length with a note.
fn cut(text: &str) -> String {
    if text.len() <= DRAWN {
        return text.to_owned();
    }
    let shown: String = text.chars().take(DRAWN / 4).collect();
    format!("{shown}… ({} more bytes)", text.len() - shown.len())
}

fn change_card(visit: &Visit, output: &ReviewGetDiffOutput, change: &DiffChange) -> Markup {
    let (tone, word) = kind(change.kind);
    html! {
        article class="diff" aria-label=(change.id) {
            header {
                span { (badge(tone, word)) " " (change.what) " " code { (change.id) } }
                (decisions(visit, output, &change.id, &change.mark, change.accepted, change.fixed.as_deref()))
            }
            div class="body" {
                @if !change.words.is_empty() { p class="words" { (words(&change.words)) } }
                @else { (sides(change.before.as_deref(), change.after.as_deref())) }
                @if !change.details.is_empty() {
                    dl class="facts" { @for one in &change.details { dt { (one.name) } dd { (detail(one)) } } }
                }
            }
            (talk(visit, output, &change.id, &change.mark))
        }
    }
}

fn sides(before: Option<&str>, after: Option<&str>) -> Markup {
    let short = |text: Option<&str>| text.is_none_or(|text| text.len() < 60 && !text.contains('\n'));
    if short(before) && short(after) {
        return html! {
            p class="short-sides" {
                @if let Some(before) = before { span class="sr" { "before " } del { bdi { (before) } } }
                @if before.is_some() && after.is_some() { (icon("arrow-right")) }
                @if let Some(after) = after { span class="sr" { " after " } ins { bdi { (after) } } }
            }
        };
    }
    html! {
        @if before.is_some() || after.is_some() {
            dl class="sides-text" {
                @if let Some(before) = before { dt { "Before" } dd { del { (cut(before)) } } }
                @if let Some(after) = after { dt { "After" } dd { ins { (cut(after)) } } }
            }
        }
    }
}

/// A property with both sides, or the one that exists.
fn detail(one: &DiffDetail) -> Markup {
    html! {
        @match (one.before.as_deref(), one.after.as_deref()) {
            (Some(before), Some(after)) if before != after => { (cut(before)) " → " (cut(after)) }
            (Some(before), None) => { (cut(before)) " → –" }
            (_, after) => (cut(after.unwrap_or("–"))),
        }
    }
}

const fn kind(kind: DiffKind) -> (&'static str, &'static str) {
    match kind {
        DiffKind::Added => ("good", "added"),
        DiffKind::Removed => ("bad", "removed"),
        DiffKind::Changed => ("info", "changed"),
        DiffKind::Moved => ("info", "moved"),
        DiffKind::Formatted => ("", "looks different"),
        DiffKind::Renamed => ("info", "renamed"),
        DiffKind::Recalculated => ("", "recalculated"),
    }
}

/// The accept and reject buttons of a change.
fn decisions(
    visit: &Visit,
    output: &ReviewGetDiffOutput,
    id: &str,
    mark: &str,
    accepted: bool,
    fixed: Option<&str>,
) -> Markup {
    let to = format!("/w/{}/review", visit.id());
    let path = output.file.path.as_str();
    let hash = output.hash_after.as_ref().map(ToString::to_string).unwrap_or_default();
    let fields = |what: &'static str| {
        [("path", path.to_owned()), ("change", id.to_owned()), ("act", what.to_owned()), ("base_hash", hash.clone())]
    };
    let form = |what: &'static str, button: Markup| {
        let fields = fields(what);
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        act(&to, &fields, button)
    };
    html! {
        div class="actions" {
            @if accepted { (badge("good", "accepted")) }
            @else {
                @match visit.refusal::<ReviewAccept>() {
                    Some(why) => (blocked("button small", "Accept", &why)),
                    None => (form("accept", html! { button class="button small" id={ "accept-" (mark) } { (icon("check")) span { "Accept" span class="sr" { " " (id) } } } })),
                }
            }
            @match fixed.map(str::to_owned).or_else(|| visit.refusal::<ReviewReject>()) {
                Some(why) => (blocked("button small", "Reject", &why)),
                None => (form("reject", html! { button class="button small" id={ "reject-" (mark) } { (icon("x")) span { "Reject" span class="sr" { " " (id) } } } })),
            }
        }
    }
}

/// The comments on a change, and the form to add one.
fn talk(visit: &Visit, output: &ReviewGetDiffOutput, id: &str, mark: &str) -> Markup {
    let notes: Vec<_> = output.file.comments.iter().filter(|note| note.change.as_deref() == Some(id)).collect();
    html! {
        @for note in &notes { (said(visit, note)) }
        details class="talk" { summary { (icon("message-square")) "Comment" span class="sr" { " on " (id) } } (comment_form(visit, output.file.path.as_str(), Some((id, mark)))) }
    }
}

/// Links to the pages of a long diff.
pub(super) fn pages(visit: &Visit, output: &ReviewGetDiffOutput) -> Markup {
    let base = format!("/w/{}/review/{}", visit.id(), steps(output.file.path.as_str()));
    html! {
        @if output.pages > 1 {
            nav class="actions" aria-label="Pages of the difference" {
                @if output.page > 1 { a class="button small" href={ (base) "?page=" (output.page - 1) } { (icon("chevron-left")) "Before" } }
                span class="muted" { "Part " (output.page) " of " (output.pages) }
                @if output.page < output.pages { a class="button small" href={ (base) "?page=" (output.page + 1) } { "Next" (icon("chevron-right")) } }
            }
        }
    }
}

/// Rendered pages, side by side.
pub(super) fn pictures(visit: &Visit, output: &ReviewGetDiffOutput) -> Markup {
    let kind = output.file.kind.as_str();
    let pictured =
        matches!(kind, "pdf" | "docx" | "xlsx" | "pptx" | "odt" | "png" | "jpeg" | "gif" | "webp" | "image" | "svg");
    if !pictured {
        return html! {};
    }
    let sheet = visit.query("sheet").and_then(|page| page.parse::<u64>().ok()).unwrap_or(1).max(1);
    let published = visit.query("left") == Some("published");
    let (left, label) = if published {
        ("published", ReferenceSource::Published.label())
    } else {
        ("reference", output.reference_source.label())
    };
    let path = output.file.path.as_str();
    let base = format!("/w/{}/review/{}", visit.id(), steps(path));
    let hash = |hash: Option<String>| hash.map(|hash| hash.chars().take(16).collect::<String>()).unwrap_or_default();
    let before = hash(output.hash_before.as_ref().map(ToString::to_string));
    let after = hash(output.hash_after.as_ref().map(ToString::to_string));
    // The published side may change during a Draft, so its images are not cached by hash.
    let mark = if published { String::new() } else { format!("&v={}", encode(&before)) };
    let source =
        |side: &str, mark: &str| format!("/w/{}/picture/{}?side={side}&page={sheet}{mark}", visit.id(), steps(path));
    html! {
        section aria-labelledby="pictures-title" id="pictures" {
            h2 id="pictures-title" { "Pages side by side" }
            nav class="switch" aria-label="What the Draft is shown beside" {
                a href={ (base) "?sheet=" (sheet) "#pictures" } aria-current=[(!published).then_some("true")] { (ReferenceSource::DraftStart.label()) }
                a href={ (base) "?sheet=" (sheet) "&left=published#pictures" } aria-current=[published.then_some("true")] { (ReferenceSource::Published.label()) }
            }
            div class="pair" {
                figure class="sheet" {
                    figcaption { (label) }
                    @if output.file.change == ChangeType::Added { p class="muted" { "The file is new." } }
                    @else { img src=(source(left, &mark)) alt={ (label) ", page " (sheet) " of " (path) } loading="lazy" data-picture; }
                }
                figure class="sheet" {
                    figcaption { "Draft" }
                    @if output.file.change == ChangeType::Deleted { p class="muted" { "The file is gone." } }
                    @else { img src=(source("draft", &format!("&v={}", encode(&after)))) alt={ "Draft, page " (sheet) " of " (path) } loading="lazy" data-picture; }
                }
            }
            nav class="actions" aria-label="Pages" {
                @if sheet > 1 { a class="button small" href={ (base) "?sheet=" (sheet - 1) "&left=" (left) "#pictures" } { (icon("chevron-left")) "Page before" } }
                span class="muted" { "Page " (sheet) }
                a class="button small" href={ (base) "?sheet=" (sheet + 1) "&left=" (left) "#pictures" } { "Next page" (icon("chevron-right")) }
            }
        }
    }
}
