//! `jig`, the program: the command line, its settings, and the start of the other interfaces.
//!
//! The only crate that reads environment variables and the home folder, asks a person, or prints.

mod agents;
mod app;
mod artifacts;
mod ask;
mod cli;
mod confirm;
mod consent;
mod current;
mod demo;
mod docs;
mod entries;
mod environment;
mod install;
mod jsonc;
mod man;
mod operation;
mod platform;
mod preview;
mod progress;
mod query;
mod serve;
mod settings;
mod show;
mod stop;
mod terminal;
mod verbs;
mod warnings;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    app::run(&arguments)
}
