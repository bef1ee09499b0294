//! `cargo xtask bench`: the cost of Drafts, startup, file operations and HTTP, compared with similar tools where
//! possible.
//!
//! Prints Markdown. Each number is the median of several rounds on this machine. `--parts drafts,starts` measures only
//! those. `cargo xtask bench` passes the locations of files and tools.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "a program for developers")]

mod bench;
mod drafts;
mod entries;
mod figures;
mod http;
mod office;
mod pdf;
mod prompt;
mod recipes;
mod sessions;
mod starts;
mod tables;
mod web;
mod worker;

use std::path::PathBuf;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[tokio::main]
async fn main() {
    let options: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, operation, home, session] = options.as_slice()
        && flag == "--on-session"
    {
        return sessions::one(operation, home.as_ref(), session).await;
    }
    let parts = value(&options, "--parts")
        .unwrap_or_else(|| "starts,worker,office,pdf,tables,prompt,recipes,sessions,drafts,http,web".to_owned());
    for part in parts.split(',') {
        match part {
            "starts" => starts::measure().await,
            "worker" => worker::measure(&files(&options)).await,
            "office" => office::measure(&peers(&options), &files(&options)),
            "pdf" => pdf::measure(&peers(&options), &folder(&options, "--pdf-files")),
            "tables" => {
                tables::measure(&peers(&options), &folder(&options, "--newest-duckdb"), &folder(&options, "--tables"));
            }
            "prompt" => prompt::measure().await,
            "recipes" => recipes::measure().await,
            "sessions" => sessions::measure().await,
            "drafts" => drafts::measure().await,
            "http" => http::measure(&tools(&options)).await,
            "web" => web::measure(&browser(&options)).await,
            other => panic!("there is no part `{other}`"),
        }
    }
}

fn peers(options: &[String]) -> office::Peers {
    let path = |name| PathBuf::from(value(options, name).unwrap_or_else(|| panic!("{name} is missing")));
    office::Peers { python: path("--python"), script: path("--peers"), calamine: path("--calamine") }
}

fn tools(options: &[String]) -> http::Tools {
    http::Tools { wrk: folder(options, "--wrk"), postgres: folder(options, "--postgres") }
}

fn browser(options: &[String]) -> web::Tools {
    let path = |name| folder(options, name);
    web::Tools { python: path("--python"), script: path("--paint"), chromium: path("--chromium") }
}

/// The folder of the Office files.
fn files(options: &[String]) -> PathBuf {
    folder(options, "--files")
}

fn folder(options: &[String], name: &str) -> PathBuf {
    PathBuf::from(value(options, name).unwrap_or_else(|| panic!("{name} is missing")))
}

fn value(options: &[String], name: &str) -> Option<String> {
    let at = options.iter().position(|option| option == name)?;
    options.get(at + 1).cloned()
}
