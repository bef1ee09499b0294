//! Components shared by several screens.
#![expect(clippy::needless_pass_by_value, reason = "markup is made where it is handed over, and used up by it")]

use jig_contract::ops::{ModelInfo, ModelListOutput, ProposalState};
use maud::{Markup, html};

use super::icons::icon;
use super::units::percent;

/// The message for context controls that a Draft blocks, as the specification words it.
pub(super) const DRAFT_BLOCKS_CONTEXT: &str = "Publish or discard your Draft to modify context.";

/// The same message for files.
pub(super) const DRAFT_BLOCKS_FILES: &str = "Publish or discard your Draft to add or remove files.";

/// A text with backtick spans as code. An unclosed backtick is literal.
pub(super) fn prose(text: &str) -> Markup {
    let last = text.matches('`').count();
    html! {
        @for (n, piece) in text.split('`').enumerate() {
            @if n % 2 == 0 { (piece) } @else if n == last { "`" (piece) } @else { code { (piece) } }
        }
    }
}

/// The header of a screen.
pub(super) fn head(title: &str, about: Markup, actions: Markup) -> Markup {
    html! {
        div class="head" {
            div class="grow" { h1 { (title) } div class="lead" { (about) } }
            div class="actions" { (actions) }
        }
    }
}

/// The empty state of a screen.
pub(super) fn empty(drawing: &str, title: &str, words: Markup) -> Markup {
    html! { div class="empty" { (icon(drawing)) h2 { (title) } div { (words) } } }
}

/// A coloured label. The colour carries no additional information.
pub(super) fn badge(tone: &str, words: &str) -> Markup {
    html! { span class={ "badge " (tone) } { (words) } }
}

/// A share as a bar with its number.
pub(super) fn bar(label: &str, share: f64) -> Markup {
    let whole = percent(share);
    html! {
        div class="bar" {
            svg viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={ (label) ": " (whole) "%" } {
                rect class="track" width="100" height="6" {}
                rect class={ "fill" @if whole == 100 { " full" } } width=(whole) height="6" {}
            }
            span aria-hidden="true" { (whole) "%" }
        }
    }
}

/// A link that opens in a dialog, or a blocked control with the reason.
pub(super) fn blocked_link(why_not: Option<&str>, class: &str, to: &str, words: &str, dialog: bool) -> Markup {
    match why_not {
        Some(why) => blocked(class, words, why),
        None => html! { a class=(class) href=(to) data-dialog[dialog] { (words) } },
    }
}

/// A form button, or a blocked control with the reason.
pub(super) fn button(why_not: Option<&str>, class: &str, drawing: Option<&str>, words: &str) -> Markup {
    match why_not {
        Some(why) => blocked(class, words, why),
        None => html! { button class=(class) { @if let Some(drawing) = drawing { (icon(drawing)) } (words) } },
    }
}

/// A blocked control: focusable, without effect, and with an explanation.
pub(super) fn blocked(class: &str, words: &str, why: &str) -> Markup {
    html! {
        button type="button" class={ (class) " blocked" } aria-disabled="true" title=(why) data-why=(why) {
            (icon("lock")) (words) span class="sr" { ". " (why) }
        }
    }
}

/// A form with a single button.
pub(super) fn act(to: &str, fields: &[(&str, &str)], button: Markup) -> Markup {
    html! {
        form class="inline" method="post" action=(to) {
            @for (name, value) in fields { input type="hidden" name=(name) value=(value); }
            (button)
        }
    }
}

/// A note next to the content.
pub(super) fn note(tone: &str, words: Markup) -> Markup {
    let drawing = match tone {
        "warn" | "bad" => "triangle-alert",
        "good" => "circle-check",
        _ => "info",
    };
    html! { div class={ "note " (tone) } { (icon(drawing)) div { (words) } } }
}

/// Warnings, if there are any.
pub(super) fn warnings(all: &[String]) -> Markup {
    html! {
        @if !all.is_empty() {
            (note("warn", html! { @if all.len() == 1 { p { (prose(&all[0])) } } @else { ul { @for one in all { li { (prose(one)) } } } } }))
        }
    }
}

/// A link to the next page of a list.
pub(super) fn more(to: Option<String>, words: &str) -> Markup {
    html! { @if let Some(to) = to { p class="more" { a class="button" href=(to) { (words) (icon("chevron-right")) } } } }
}

/// The purpose of a model choice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    /// Extracting values or filling a recipe.
    Texts,
    /// Working on agent tasks.
    Tasks,
}

impl Work {
    /// The offline rules extract values but cannot work on tasks; the demo model does the opposite.
    fn fits(self, model: &str) -> bool {
        match self {
            Self::Texts => model != "offline:demo",
            Self::Tasks => model != "offline:extract",
        }
    }
}

/// A model selection: the usable ones, with the workbench's default first.
pub(super) fn model_choice(models: &ModelListOutput, work: Work, id: &str) -> Markup {
    let own = models.default.as_deref();
    let usable = |model: &&ModelInfo| model.configured && work.fits(&model.id) && Some(model.id.as_str()) != own;
    html! {
        div class="field" {
            label for=(id) { "Model" }
            select id=(id) name="model" {
                @match own {
                    Some(own) => option value="" { (own) " (the default)" },
                    None => option value="" { "None is chosen yet" },
                }
                @for model in models.models.iter().filter(usable) {
                    option value=(model.id) selected[own.is_none() && model.id == "offline:extract"] {
                        (model.id)
                        @match model.id.as_str() {
                            "offline:extract" => " (by rules, on this machine)",
                            "offline:demo" => " (plays the demo's task, on this machine)",
                            _ => "",
                        }
                    }
                }
            }
        }
    }
}

/// The state of a proposal.
pub(super) fn proposal_state(state: ProposalState) -> Markup {
    match state {
        ProposalState::Pending => badge("warn", "waits"),
        ProposalState::Accepted => badge("good", "accepted"),
        ProposalState::Rejected => badge("", "rejected"),
    }
}

/// Long content: a readable part, with the rest behind a disclosure.
pub(super) fn long_text(text: &str, most: usize) -> Markup {
    if text.len() <= most {
        return html! { pre class="text" tabindex="0" { (text) } };
    }
    let mut cut = most;
    while !text.is_char_boundary(cut) {
        cut -= 1;
    }
    html! {
        pre class="text" tabindex="0" { (text[..cut]) }
        p class="muted" { "The first " (super::units::bytes(cut as u64)) " of " (super::units::bytes(text.len() as u64)) " are shown." }
    }
}

#[cfg(test)]
mod tests {
    use super::prose;

    #[test]
    fn only_what_stands_between_back_quotes_is_code() {
        let drawn = |text: &str| prose(text).into_string();
        assert_eq!(drawn("put `a<b` into `c`"), "put <code>a&lt;b</code> into <code>c</code>");
        assert_eq!(drawn("put `a` into `c…"), "put <code>a</code> into `c…");
        assert_eq!((drawn(""), drawn("plain")), (String::new(), "plain".to_owned()));
    }
}
