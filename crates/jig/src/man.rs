//! `jig man-pages FOLDER`: manual pages for packages, generated from the command line definition.

use std::io;

use clap::{ArgMatches, Command};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::app::App;
use crate::cli;
use crate::stop::Stop;

/// Writes a page for `jig` and one per command.
pub(crate) fn write(app: &App, matches: &ArgMatches) -> Result<(), Stop> {
    let folder = matches.get_one::<String>("folder").map(|folder| app.environment.folder.join(folder));
    let folder = folder.unwrap_or_default();
    std::fs::create_dir_all(&folder)?;
    for (name, page) in pages(cli::command(None))? {
        std::fs::write(folder.join(name), page)?;
    }
    Ok(())
}

/// The pages by file name. Subcommands become sections of their noun's page; a page per operation would be over a
/// hundred.
fn pages(root: Command) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut root = root.disable_help_subcommand(true);
    root.build();
    let mut pages = vec![("jig.1".to_owned(), main_page(&root)?)];
    for command in visible(&root) {
        pages.push((format!("jig-{}.1", command.get_name()), command_page(command)?));
    }
    Ok(pages)
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| !command.is_hide_set())
}

fn main_page(root: &Command) -> io::Result<Vec<u8>> {
    let mut page = opening(root)?;
    Man::new(root.clone()).render_subcommands_section(&mut page)?;
    notes(root, &mut page)?;
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    verbatim(&mut roff, &cli::exit_codes());
    roff.to_writer(&mut page)?;
    Ok(finish(root, &page))
}

fn command_page(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = opening(command)?;
    if visible(command).next().is_some() {
        Roff::new().control("SH", ["COMMANDS"]).to_writer(&mut page)?;
    }
    for inner in visible(command) {
        section(inner, &mut page)?;
    }
    notes(command, &mut page)?;
    let mut roff = Roff::new();
    roff.control("SH", ["SEE ALSO"]).text([bold("jig"), roman("(1)")]);
    roff.to_writer(&mut page)?;
    Ok(finish(command, &page))
}

/// The part of a page from its name to its options.
fn opening(command: &Command) -> io::Result<Vec<u8>> {
    let (man, mut page) = (Man::new(command.clone()), Vec::new());
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    Ok(page)
}

/// The definition of the apostrophe macro. Every rendered piece starts with one.
const APOSTROPHE: &str = ".ie \\n(.g .ds Aq \\(aq\n.el .ds Aq '\n";

/// Prepends the title and a single definition of the apostrophe.
fn finish(command: &Command, body: &[u8]) -> Vec<u8> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let body = String::from_utf8_lossy(body).replace(APOSTROPHE, "");
    // Written by hand, because `Man::render_title` omits an empty date and the following fields move up.
    let title = format!(".TH {name} 1 \"\" \"jig {}\" \"Jig Manual\"\n", env!("CARGO_PKG_VERSION"));
    [APOSTROPHE, &title, &body].concat().into_bytes()
}

/// A subcommand as a section of its noun's page, which already has the global options.
fn section(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let own = command.clone().mut_args(|arg| {
        let common = arg.is_global_set() || arg.get_id() == "help";
        if common { arg.hide(true) } else { arg }
    });
    let man = Man::new(own);
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    Roff::new().control("SS", [name]).to_writer(page)?;
    let mut body = Vec::new();
    man.render_description_section(&mut body)?;
    body.extend(b".PP\n");
    man.render_synopsis_section(&mut body)?;
    man.render_options_section(&mut body)?;
    // The headings of the rendered page would end the section.
    let lines = String::from_utf8_lossy(&body).into_owned();
    lines.lines().filter(|line| !line.starts_with(".SH ")).for_each(|line| {
        page.extend(line.bytes());
        page.push(b'\n');
    });
    Ok(())
}

/// The text after the help. It is mostly examples, so its line breaks are preserved.
fn notes(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let Some(text) = command.get_after_long_help().or_else(|| command.get_after_help()) else { return Ok(()) };
    let mut roff = Roff::new();
    roff.control("SH", ["NOTES"]);
    verbatim(&mut roff, &text.to_string());
    roff.to_writer(page)
}

fn verbatim(roff: &mut Roff, text: &str) {
    roff.control("nf", []);
    for line in text.lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(name: &str) -> String {
        let pages = pages(cli::command(None)).unwrap();
        let (_, page) = pages.into_iter().find(|(found, _)| found == name).unwrap();
        String::from_utf8(page).unwrap()
    }

    #[test]
    fn every_visible_command_has_a_page() {
        let mut names: Vec<String> = pages(cli::command(None)).unwrap().into_iter().map(|(name, _)| name).collect();
        names.sort();
        let mut expected: Vec<String> =
            visible(&cli::command(None)).map(|command| format!("jig-{}.1", command.get_name())).collect();
        expected.push("jig.1".to_owned());
        expected.sort();
        assert_eq!(names, expected);
        assert!(!names.iter().any(|name| name == "jig-man-pages.1" || name == "jig-help.1"));
    }

    #[test]
    fn the_main_page_lists_commands_and_exit_codes() {
        let page = page("jig.1");
        for text in [".TH jig 1 \"\" \"jig ", "jig \\- The context workbench", "jig\\-add(1)", ".SH \"EXIT STATUS\""] {
            assert!(page.contains(text), "{text} is missing:\n{page}");
        }
    }

    #[test]
    fn operations_are_sections_of_their_noun() {
        let page = page("jig-workbench.1");
        assert!(page.contains(".SS \"jig workbench list\""), "{page}");
        assert_eq!(page.matches("\\-\\-quiet").count(), 2, "global options appear once, in synopsis and options");
    }
}
