//! Fuzz targets: functions that take any bytes, and panic if Jig breaks a guarantee.
//!
//! They run in two ways: with `cargo fuzz` (`fuzz/` at the root, a shim for each), guided by coverage; and on the
//! stable toolchain with [`mutate()`], which understands zip, XML and JSON and is deterministic, on the seeds of
//! [`seeds()`].
//!
//! A target asserts more than the absence of panics: unedited content stays unchanged byte for byte, written files can
//! be read again, errors have a reason, and no output grows out of proportion to the file. No target reads a clock.

mod archive;
mod artifacts;
mod compared;
mod context;
#[cfg(feature = "surfaces")]
mod interfaces;
mod json;
mod markup;
mod mutate;
mod office;
mod op_list;
mod ops;
mod package;
mod parts;
mod rng;
mod seeds;
mod small;
#[cfg(feature = "workbench")]
mod stored;
#[cfg(feature = "tables")]
mod tables;
mod targeting;
#[cfg(feature = "workbench")]
mod worker;
mod written;

pub use archive::{Archive, Entry};
pub use mutate::mutate;
pub use rng::Rng;
pub use seeds::{kept, seeds};

/// A function that takes any bytes.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, which is also that of the binary for `cargo fuzz`.
    pub name: &'static str,
    /// The structure of its input, for the mutator.
    pub shape: Shape,
    /// Runs it. A panic means that it found a bug.
    pub run: fn(&[u8]),
}

/// The structure of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Arbitrary bytes.
    Bytes,
    /// Text in a small language.
    Text,
    /// Markup.
    Xml,
    /// A zip file with markup.
    Package,
    /// A line of JSON followed by a zip file.
    Call,
    /// Lines of JSON.
    Lines,
}

const fn target(name: &'static str, shape: Shape, run: fn(&[u8])) -> Target {
    Target { name, shape, run }
}

/// All targets.
pub static TARGETS: &[Target] = &[
    target("package", Shape::Package, package::package),
    target("content_types", Shape::Xml, package::content_types),
    target("relationships", Shape::Xml, package::relationships),
    target("xml", Shape::Xml, small::xml),
    target("splice", Shape::Bytes, small::splice),
    target("formula", Shape::Text, small::formula),
    target("number_format", Shape::Text, small::number_format),
    target("sniff", Shape::Bytes, small::sniffed),
    target("text", Shape::Bytes, small::text),
    target("diff", Shape::Bytes, compared::diff),
    target("kind", Shape::Text, context::kind),
    target("recipe", Shape::Text, context::recipe),
    target("stage", Shape::Text, context::stage),
    target("entry", Shape::Text, context::entry),
    target("extracted", Shape::Text, context::extracted),
    target("processed", Shape::Text, context::processed),
    target("skill", Shape::Text, context::skill),
    target("style", Shape::Text, context::style),
    target("secrets", Shape::Text, office::secrets),
    target("workspace", Shape::Text, context::workspace),
    target("sections", Shape::Text, artifacts::sections),
    target("target", Shape::Text, targeting::target),
    target("tiptap", Shape::Lines, artifacts::editor),
    target("op_list", Shape::Lines, op_list::op_list),
    target("xlsx_workbook", Shape::Xml, parts::xlsx_workbook),
    target("xlsx_sheet", Shape::Xml, parts::xlsx_sheet),
    target("xlsx_strings", Shape::Xml, parts::xlsx_strings),
    target("xlsx_styles", Shape::Xml, parts::xlsx_styles),
    target("docx_document", Shape::Xml, parts::docx_document),
    target("docx_styles", Shape::Xml, parts::docx_styles),
    target("docx_numbering", Shape::Xml, parts::docx_numbering),
    target("pptx_presentation", Shape::Xml, parts::pptx_presentation),
    target("pptx_slide", Shape::Xml, parts::pptx_slide),
    target("xlsx_read", Shape::Package, office::xlsx_read),
    target("docx_read", Shape::Package, office::docx_read),
    target("pptx_read", Shape::Package, office::pptx_read),
    target("pdf_read", Shape::Bytes, office::pdf_read),
    target("odt_read", Shape::Package, office::odt_read),
    target("image_read", Shape::Bytes, office::image_read),
    target("text_read", Shape::Bytes, office::text_read),
    target("render_copy", Shape::Package, office::render_copy),
    target("xlsx_apply", Shape::Call, office::xlsx_apply),
    target("docx_apply", Shape::Call, office::docx_apply),
    target("pptx_apply", Shape::Call, office::pptx_apply),
    #[cfg(feature = "workbench")]
    target("worker", Shape::Lines, worker::worker),
    #[cfg(feature = "workbench")]
    target("jig_archive", Shape::Package, stored::archive),
    #[cfg(feature = "workbench")]
    target("session_log", Shape::Lines, stored::session_log),
    #[cfg(feature = "workbench")]
    target("provider_answer", Shape::Text, stored::provider_answer),
    #[cfg(feature = "workbench")]
    target("prompt_data", Shape::Text, stored::prompt_data),
    #[cfg(feature = "surfaces")]
    target("rpc_lines", Shape::Lines, interfaces::rpc),
    #[cfg(feature = "surfaces")]
    target("mcp_lines", Shape::Lines, interfaces::mcp),
    #[cfg(feature = "surfaces")]
    target("http_request", Shape::Text, interfaces::http),
    #[cfg(feature = "tables")]
    target("csv", Shape::Bytes, tables::csv),
    #[cfg(feature = "tables")]
    target("table", Shape::Bytes, tables::table),
];

/// The target with this name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// Runs a target on its seeds and a fixed number of deterministic mutations, for tests.
///
/// # Panics
/// If the target or its seeds do not exist, or if it finds a bug; the message contains the round.
pub fn run_rounds(name: &str, rounds: u64) {
    run_rounds_of(find(name).expect("a target of this name"), rounds);
}

/// Like [`run_rounds`], for a target of a crate that this one does not depend on in tests.
///
/// # Panics
/// If the target has no seeds, or if it finds a bug; the message contains the round.
pub fn run_rounds_of(target: &Target, rounds: u64) {
    let name = target.name;
    let seeds = seeds(target);
    assert!(!seeds.is_empty(), "{name} has no seeds");
    seeds.iter().for_each(|seed| (target.run)(seed));
    for round in 0..rounds {
        let mut rng = Rng::new(round);
        let empty = Vec::new();
        let (seed, donor) = (rng.pick(&seeds).unwrap_or(&empty), rng.pick(&seeds).unwrap_or(&empty));
        let input = mutate(target.shape, seed, donor, &mut rng);
        let outcome = std::panic::catch_unwind(|| (target.run)(&input));
        assert!(outcome.is_ok(), "{name} fails in round {round}");
    }
}

/// Runs a target by name, for the shims of `cargo fuzz`.
///
/// # Panics
/// If the target does not exist, or if it finds a bug.
pub fn run(name: &str, bytes: &[u8]) {
    (find(name).expect("a target of this name").run)(bytes);
}
