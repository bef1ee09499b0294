//! The layout of every screen: navigation, the message about the last action, and the Draft banner.
#![expect(clippy::needless_pass_by_value, reason = "markup is made where it is handed over, and used up by it")]

use axum::body::Body;
use axum::http::{HeaderMap, Response, StatusCode};
use jig_contract::ops::{DraftAge, DraftDiscard, DraftGetStateOutput, DraftPublish, WorkshopCancel};
use maud::{DOCTYPE, Markup, html};

use super::icons::icon;
use super::parts::{act, blocked_link};
use super::units::{count, when};
use super::visit::{Bench, Visit, cookie};
use super::{answer, assets};

/// The screens of a workbench, in navigation order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tab {
    Files,
    Context,
    Plans,
    Recipes,
    Workshop,
    Review,
    Agent,
    History,
    Prompt,
    Settings,
}

impl Tab {
    const ALL: [(Self, &'static str, &'static str, &'static str); 10] = [
        (Self::Files, "", "folder-open", "Files"),
        (Self::Context, "/context", "layers", "Context"),
        (Self::Plans, "/plans", "list-checks", "Plans"),
        (Self::Recipes, "/recipes", "scroll-text", "Recipes"),
        (Self::Workshop, "/workshop", "messages-square", "Workshop"),
        (Self::Review, "/review", "clipboard-check", "Review"),
        (Self::Agent, "/agent", "bot", "Agent"),
        (Self::History, "/history", "history", "History"),
        (Self::Prompt, "/prompt", "gauge", "Prompt"),
        (Self::Settings, "/settings", "settings", "Settings"),
    ];
}

/// The title and navigation state of a screen.
pub(super) struct Shell<'s> {
    title: String,
    bench: Option<(&'s Bench, Tab)>,
    /// The navigation entry of a screen outside of workbenches.
    place: &'static str,
}

impl<'s> Shell<'s> {
    /// A screen of a workbench.
    pub(super) fn of(bench: &'s Bench, tab: Tab, title: &str) -> Self {
        Self { title: format!("{title} · {}", bench.info.name), bench: Some((bench, tab)), place: "" }
    }

    /// A screen outside of workbenches.
    pub(super) fn plain(title: &str) -> Self {
        Self { title: title.to_owned(), bench: None, place: "" }
    }

    /// A screen in the main navigation.
    pub(super) fn at(place: &'static str, title: &str) -> Self {
        Self { place, ..Self::plain(title) }
    }
}

/// Renders a screen.
pub(super) fn page(visit: &Visit, shell: Shell<'_>, body: Markup) -> Response<Body> {
    let said = answer::said(&visit.headers);
    let who = visit.name();
    let bench = shell.bench;
    let main = html! {
        @if let Some(said) = &said { p class="said" id="said" role="status" tabindex="-1" { (icon("circle-check")) span { (said) } } }
        @if let Some((bench, tab)) = bench { (banner(visit, bench, tab)) }
        (body)
    };
    let frame = Frame { theme: assets::chosen_theme(visit), who: who.as_deref(), address: &visit.address };
    answer::html(StatusCode::OK, framed(&frame, &shell, main))
}

/// Renders a screen without information about its visitor.
pub(super) fn bare(headers: &HeaderMap, shell: &Shell<'_>, body: Markup) -> Markup {
    let theme = match cookie(headers, "jig_theme") {
        Some("light") => Some("light"),
        Some("dark") => Some("dark"),
        _ => None,
    };
    framed(&Frame { theme, who: None, address: "/" }, shell, body)
}

struct Frame<'f> {
    theme: Option<&'static str>,
    who: Option<&'f str>,
    address: &'f str,
}

fn framed(frame: &Frame<'_>, shell: &Shell<'_>, main: Markup) -> Markup {
    let bench = shell.bench.map(|(bench, _)| bench);
    html! {
        (DOCTYPE)
        html lang="en" data-theme=[frame.theme] {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (shell.title) " · Jig" }
                link rel="icon" type="image/svg+xml" href=(assets::address("icon.svg"));
                link rel="stylesheet" href=(assets::address("page.css"));
                script src=(assets::address("page.js")) defer {}
            }
            body data-workbench=[bench.map(Bench::id)] {
                a class="skip" href="#main" { "Skip to content" }
                header class="side" id="side" {
                    a class="brand" href="/" { (mark()) span { "Jig" } }
                    @if let Some((bench, tab)) = shell.bench { (tabs(bench, tab)) } @else { (places(shell.place)) }
                    (foot(frame))
                }
                main id="main" tabindex="-1" data-seq=[bench.map(|bench| bench.info.seq)] { (main) }
                p id="activity" class="activity" role="status" aria-live="polite" {}
            }
        }
    }
}

fn mark() -> Markup {
    html! {
        svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true" focusable="false" {
            rect width="32" height="32" rx="7" {}
            path d="M9 7h14v5h-5v9a5 5 0 0 1-10 0v-2h5v2" {}
        }
    }
}

fn places(here: &str) -> Markup {
    html! {
        nav class="nav" aria-label="Main" {
            ul {
                @for (to, drawing, words) in [("/", "house", "Workbenches"), ("/settings", "settings", "Settings")] {
                    li { a href=(to) aria-current=[(here == to).then_some("page")] { (icon(drawing)) span { (words) } } }
                }
                li { a href="/api/docs" { (icon("book-open")) span { "API" } } }
            }
        }
    }
}

fn tabs(bench: &Bench, here: Tab) -> Markup {
    let id = bench.id();
    html! {
        p class="bench-name" title=(bench.info.name) { (bench.info.name) }
        nav class="nav" aria-label="Workbench" {
            ul {
                @for (tab, step, drawing, words) in Tab::ALL {
                    li {
                        a href={ "/w/" (id) (step) } aria-current=[(tab == here).then_some("page")] {
                            (icon(drawing)) span { (words) }
                            @if tab == Tab::Review && let Some(draft) = &bench.draft {
                                span class="count" { (changes(draft)) span class="sr" { " changed" } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn changes(draft: &DraftGetStateOutput) -> u64 {
    draft.added + draft.modified + draft.deleted
}

fn foot(frame: &Frame<'_>) -> Markup {
    let (next, drawing, words) = match frame.theme {
        None => ("dark", "monitor", "Colours: as the system"),
        Some("dark") => ("light", "moon", "Colours: dark"),
        _ => ("system", "sun", "Colours: light"),
    };
    html! {
        div class="foot" {
            form method="post" action="/theme" {
                input type="hidden" name="back" value=(frame.address);
                input type="hidden" name="theme" value=(next);
                button class="quiet" id="theme" { (icon(drawing)) span { (words) } }
            }
            @if let Some(who) = frame.who {
                form method="post" action="/sign-out" {
                    button class="quiet" { (icon("log-out")) span { "Sign out " (who) } }
                }
            }
        }
    }
}

/// Why the Draft cannot be published during a run.
pub(super) const RUN_WORKS: &str = "An agent is working on this Draft. You can publish when the run ends, or stop it.";

/// The Draft banner on every screen of the workbench.
fn banner(visit: &Visit, bench: &Bench, tab: Tab) -> Markup {
    let Some(draft) = &bench.draft else { return html! {} };
    let id = bench.id();
    let parts = [(draft.added, "added"), (draft.modified, "changed"), (draft.deleted, "deleted")];
    let parts: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{} {word}", count(*n, "file"))).collect();
    let stale = draft.age == Some(DraftAge::Stale);
    let working = draft.working_session.as_deref();
    let why_not_publish = visit.refusal::<DraftPublish>().or_else(|| working.map(|_| RUN_WORKS.to_owned()));
    html! {
        aside class={ "banner" @if stale { " warn" } } aria-label="Draft" data-working[working.is_some()] {
            (icon(if working.is_some() { "bot" } else { "pencil" }))
            div class="grow" {
                p {
                    strong { @if working.is_some() { "An agent is working on this Draft. " } @else { "Draft ready for review. " } }
                    @if parts.is_empty() { "No changes yet." } @else { (parts.join(", ")) "." }
                    @if let Some(summary) = &draft.draft { span class="muted" { " Started " (when(summary.created_at, visit.now())) "." } }
                }
                @if let Some(session) = working { p { "You can publish when the run ends. " a href={ "/w/" (id) "/workshop/" (session) } { "Watch the run" } } }
                @if let Some(reminder) = &draft.reminder { p { (reminder) } }
                @if let Some(warning) = &draft.warning { p { (icon("triangle-alert")) (warning) } }
                @if !draft.published_changed.is_empty() {
                    p { (icon("triangle-alert")) "Published files were changed outside since it began: "
                        (draft.published_changed.iter().map(|path| path.as_str()).collect::<Vec<_>>().join(", ")) }
                }
            }
            div class="actions" {
                @if tab != Tab::Review { a class="button" href={ "/w/" (id) "/review" } { (icon("clipboard-check")) "Review" } }
                @if let Some(session) = working && visit.refusal::<WorkshopCancel>().is_none() {
                    (act(&format!("/w/{id}/workshop"), &[("act", "cancel"), ("session", session)], html! { button class="button" id="stop-run" { (icon("x")) "Stop the run" } }))
                }
                (blocked_link(why_not_publish.as_deref(), "button primary", &format!("/w/{id}/publish"), "Publish", true))
                (blocked_link(visit.refusal::<DraftDiscard>().as_deref(), "button", &format!("/w/{id}/discard"), "Discard", true))
            }
        }
    }
}
