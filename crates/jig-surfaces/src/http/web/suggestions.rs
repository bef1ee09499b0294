//! A suggestion for a section: its diff, and the buttons to accept or reject it.

use jig_contract::ops::{
    ArtifactInfo, ArtifactStatus, SuggestedLine, SuggestedLineTag, SuggestionAccept, SuggestionInfo,
};
use maud::{Markup, html};

use super::super::query::encode;
use super::icons::icon;
use super::parts::{badge, button, note};
use super::units::{when, who};
use super::visit::Visit;

/// How many lines of a diff are shown.
const LINES: usize = 400;

/// Renders a suggestion.
pub(super) fn card(visit: &Visit, artifact: &ArtifactInfo, one: &SuggestionInfo) -> Markup {
    let id = one.id.to_string();
    let finalized = artifact.status == ArtifactStatus::Finalized;
    let why = if finalized {
        Some("This artifact is finalized. Un-finalize it to change it.".to_owned())
    } else {
        visit.refusal::<SuggestionAccept>()
    };
    html! {
        article class="suggestion" aria-labelledby={ "sug-" (id) } data-suggestion=(id) {
            h3 id={ "sug-" (id) } { a href={ "#s-" (encode(&one.section_slug)) } { (one.section_title) } @if one.conflict { " " (badge("warn", "conflicts")) } }
            p { (one.suggestion) }
            @if let Some(rationale) = &one.rationale { p class="muted" { (rationale) } }
            p class="fine" { (who(&one.created_by)) " · " (when(one.created_at, visit.now())) " · made on revision " (one.base_revision) }
            @if one.conflict { (note("warn", html! { "The section has changed since this was suggested. The difference is to how it is now." })) }
            @if !one.diff.is_empty() { (difference(&one.diff, &one.section_title)) }
            form class="form" method="post" action={ "/w/" (visit.id()) "/plans/" (encode(&artifact.slug)) } {
                div data-failures {}
                input type="hidden" name="suggestion" value=(id);
                input type="hidden" name="base_revision" value=(artifact.etag);
                @if one.conflict && !finalized { label class="choice" { input type="checkbox" name="replace" value="true"; span { "Take it all the same" } } }
                div class="actions" {
                    @match why.as_deref() {
                        Some(why) => (button(Some(why), "button small", None, "Accept")),
                        None => button class="button small" name="act" value="accept" { (icon("check")) span { "Accept" span class="sr" { " for " (one.section_title) } } },
                    }
                    button class="button small" name="act" value="reject" { (icon("x")) span { "Reject" span class="sr" { " for " (one.section_title) } } }
                }
            }
        }
    }
}

/// The line diff of a suggestion.
fn difference(lines: &[SuggestedLine], of: &str) -> Markup {
    html! {
        div class="diff" {
            div class="lines" role="region" aria-label={ "Difference of " (of) } tabindex="0" {
                @for line in lines.iter().take(LINES) {
                    @let (class, sign, word) = match line.tag {
                        SuggestedLineTag::Context => ("same", " ", ""),
                        SuggestedLineTag::Added => ("ins", "+", "added: "),
                        SuggestedLineTag::Removed => ("del", "−", "removed: "),
                    };
                    div class={ "line " (class) } {
                        span class="sign" aria-hidden="true" { (sign) }
                        @if !word.is_empty() { span class="sr" { (word) } }
                        bdi class="content" { (line.text) }
                    }
                }
                @if lines.len() > LINES { div class="line same" { span class="muted" { "… and " (lines.len() - LINES) " more lines" } } }
            }
        }
    }
}
