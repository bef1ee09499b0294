//! The web app at `/`: server-rendered, using the same operations as every other interface.
//!
//! Each screen is a module that calls operations and renders their output; it makes no decisions. Every form works
//! without a script; the single script (`static/page.js`) submits it without leaving the page, shows progress, and
//! follows events. Errors are rendered in their own words (`failure`), whatever the operation.

mod agent;
mod agent_session;
mod answer;
mod assets;
mod context;
mod diff;
mod entries;
mod entry;
mod entry_form;
mod failure;
mod file;
mod files;
mod form;
mod history;
mod home;
mod icons;
mod item;
mod layout;
mod maps;
mod markdown;
mod parts;
mod pictures;
mod plan;
mod plan_section;
mod plans;
mod prompt;
mod proposals;
mod recipe;
mod recipes;
mod review;
mod run_view;
mod settings;
mod sign_in;
mod suggestions;
mod tables;
mod units;
mod upkeep;
mod upload;
mod visit;
mod workshop;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, Response};
use axum::routing::{MethodRouter, get, post};

use super::app::App;
use super::problem::Problem;
pub(super) use sign_in::secret as cookie_secret;
use visit::Visit;

/// The result of a handler.
type Answer = Result<Response<Body>, Problem>;

/// Paths that everyone may open.
pub(super) fn is_open(path: &str) -> bool {
    path == "/sign-in" || path == "/theme" || path == "/favicon.ico" || path.starts_with("/static/")
}

/// Whether a request tries to sign in, by form or by the URL that the server printed.
pub(super) fn signs_in(request: &axum::http::request::Parts) -> bool {
    let tries = request.method == axum::http::Method::POST
        || request.uri.query().is_some_and(|query| query.split('&').any(|pair| pair.starts_with("start=")));
    request.uri.path() == "/sign-in" && tries
}

/// Whether a path belongs to the web app rather than the API.
pub(super) fn is_page(path: &str) -> bool {
    !path.starts_with("/api/") && !matches!(path, "/healthz" | "/readyz" | "/metrics")
}

/// Whether the client expects HTML.
pub(super) fn wants_page(headers: &HeaderMap) -> bool {
    let accept = headers.get("accept").and_then(|value| value.to_str().ok()).unwrap_or_default();
    accept.contains("text/html")
}

pub(super) use failure::refused;

/// Adds the routes of the web app.
pub(super) fn add_routes(router: Router, app: &App) -> Router {
    let mut page = Page { app: app.clone(), router };
    page.get("/", home::show);
    page.post("/demo", home::demo);
    page.post("/w", home::create);
    page.get("/sign-in", sign_in::show);
    page.post("/sign-in", sign_in::enter);
    page.post("/sign-out", sign_in::leave);
    page.post("/theme", assets::theme);
    page.get("/settings", settings::server);
    page.post("/settings/store", upkeep::tend);
    page.post("/settings/tokens", settings::make_token);
    page.post("/settings/tokens/revoke", settings::revoke_token);

    page.get("/w/{id}", files::show);
    page.post("/w/{id}/files", files::add);
    page.post("/w/{id}/files/remove", files::remove);
    page.get("/w/{id}/file/{*path}", file::show);
    page.get("/w/{id}/picture/{*path}", pictures::show);
    page.post("/w/{id}/draft/create", review::create);
    page.post("/w/{id}/draft/publish", review::publish);
    page.post("/w/{id}/draft/discard", review::discard);
    page.get("/w/{id}/publish", review::ask_publish);
    page.get("/w/{id}/discard", review::ask_discard);
    page.get("/w/{id}/review", review::show);
    page.get("/w/{id}/review/{*path}", review::file);
    page.post("/w/{id}/review", review::decide);

    page.get("/w/{id}/context", context::show);
    page.get("/w/{id}/context/{category}", item::show);
    page.get("/w/{id}/context/{category}/input", item::input);
    page.post("/w/{id}/context/{category}/process", item::process);
    page.get("/w/{id}/context/{category}/reprocess", item::ask_reprocess);
    page.post("/w/{id}/context/{category}/reprocess", item::reprocess);
    page.post("/w/{id}/context/{category}/direct", item::direct);
    page.post("/w/{id}/context/{category}/delete", item::delete);
    page.get("/w/{id}/roles", entries::roles);
    page.post("/w/{id}/roles", entries::put_kind);
    page.get("/w/{id}/entries/{role}", entries::list);
    page.get("/w/{id}/new/{role}", entry::new);
    page.get("/w/{id}/entry/{role}/{key}", entry::show);
    page.post("/w/{id}/entry/{role}", entry::save);
    page.post("/w/{id}/entry/{role}/act", entry::act);
    page.post("/w/{id}/entry/{role}/extract", entry::extract);
    page.get("/w/{id}/proposals", proposals::list);
    page.post("/w/{id}/proposals", proposals::decide);

    page.get("/w/{id}/recipes", recipes::list);
    page.post("/w/{id}/recipes", recipes::put);
    page.get("/w/{id}/recipes/{recipe}", recipe::show);
    page.post("/w/{id}/recipes/{recipe}", recipe::act);
    page.get("/w/{id}/plans", plans::show);
    page.post("/w/{id}/plans", plans::act);
    page.get("/w/{id}/plans/{slug}", plan::show);
    page.post("/w/{id}/plans/{slug}", plan::act);
    page.get("/w/{id}/plans/{slug}/export", plan::export);
    page.get("/w/{id}/workshop", workshop::show);
    page.get("/w/{id}/workshop/{session}", workshop::show);
    page.post("/w/{id}/workshop", workshop::act);
    page.get("/w/{id}/agent", agent::show);
    page.post("/w/{id}/agent", agent::act);
    page.get("/w/{id}/agent/workspace/{name}", agent::workspace);
    page.get("/w/{id}/agent/session/{session}", agent_session::show);
    page.post("/w/{id}/agent/session/{session}", agent_session::act);
    page.get("/w/{id}/history", history::show);
    page.post("/w/{id}/history", history::act_on);
    page.get("/w/{id}/prompt", prompt::show);
    page.get("/w/{id}/settings", settings::workbench);
    page.post("/w/{id}/settings", settings::act);
    page.post("/w/{id}/consent", settings::consent);

    page.router.route("/static/{name}", get(assets::file)).route("/favicon.ico", get(assets::icon))
}

/// The router under construction.
struct Page {
    app: App,
    router: Router,
}

impl Page {
    fn get<F, Fut>(&mut self, route: &'static str, screen: F)
    where
        F: Fn(Visit) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Answer> + Send + 'static,
    {
        let app = self.app.clone();
        self.add(
            route,
            get(move |request: Request| {
                let (app, screen) = (app.clone(), screen.clone());
                async move { visit::read(app, route, request, screen).await }
            }),
        );
    }

    fn post<F, Fut>(&mut self, route: &'static str, action: F)
    where
        F: Fn(Visit, Body) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Answer> + Send + 'static,
    {
        let app = self.app.clone();
        self.add(
            route,
            post(move |request: Request| {
                let (app, action) = (app.clone(), action.clone());
                async move { visit::act(app, route, request, action).await }
            }),
        );
    }

    fn add(&mut self, route: &'static str, methods: MethodRouter) {
        self.router = std::mem::take(&mut self.router).route(route, methods);
    }
}
