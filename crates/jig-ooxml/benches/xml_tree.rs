//! How fast a part becomes a tree, compared with roxmltree on the same text: `cargo bench -p jig-ooxml --bench xml_tree`.

#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use jig_ooxml::Limits;
use jig_ooxml::xml::Tree;

const RUNS: usize = 15;

fn main() {
    for (name, text) in
        [("paragraphs", paragraphs(40_000)), ("runs with formats", runs(12_000)), ("cells", cells(60_000))]
    {
        let ours = fastest(|| {
            Tree::parse("document.xml", &text, &Limits::default()).map(|tree| black_box(&tree).root().id()).is_ok()
        });
        let theirs = fastest(|| {
            let options = roxmltree::ParsingOptions { allow_dtd: false, nodes_limit: u32::MAX, ..Default::default() };
            roxmltree::Document::parse_with_options(&text, options).map(|tree| black_box(&tree).root().id()).is_ok()
        });
        let rate = |time: Duration| text.len() as f64 / 1e6 / time.as_secs_f64();
        println!(
            "{name}: {:.1} MB, jig-ooxml {:.0} MB/s, roxmltree {:.0} MB/s, ratio {:.2}",
            text.len() as f64 / 1e6,
            rate(ours),
            rate(theirs),
            theirs.as_secs_f64() / ours.as_secs_f64()
        );
    }
}

/// The fastest of several runs, which is the least disturbed one.
fn fastest(mut parse: impl FnMut() -> bool) -> Duration {
    let once = |parse: &mut dyn FnMut() -> bool| {
        let start = Instant::now();
        assert!(parse(), "the text is well-formed");
        start.elapsed()
    };
    (0..RUNS).map(|_| once(&mut parse)).min().unwrap_or_default()
}

fn document(body: &str) -> String {
    let word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    format!(
        "<?xml version=\"1.0\"?><w:document xmlns:w=\"{word}\" xmlns:r=\"urn:r\"><w:body>{body}</w:body></w:document>"
    )
}

fn paragraphs(count: usize) -> String {
    let one = |at: usize| {
        format!(
            "<w:p w:rsidR=\"00A77427\"><w:pPr><w:pStyle w:val=\"Normal\"/></w:pPr><w:r><w:t xml:space=\"preserve\">Paragraph {at} &amp; some words.</w:t></w:r></w:p>"
        )
    };
    document(&(0..count).map(one).collect::<String>())
}

fn runs(count: usize) -> String {
    let run = "<w:r><w:rPr><w:rFonts w:ascii=\"Arial\" w:hAnsi=\"Arial\" w:cs=\"Arial\"/><w:b/><w:color w:val=\"1F3864\"/><w:sz w:val=\"22\"/></w:rPr><w:t>word</w:t></w:r>";
    document(&format!("<w:p>{}</w:p>", run.repeat(4)).repeat(count))
}

fn cells(count: usize) -> String {
    let cell = "<w:tr><w:tc><w:tcPr><w:tcW w:w=\"2310\" w:type=\"dxa\"/></w:tcPr><w:p><w:r><w:t>12.5</w:t></w:r></w:p></w:tc></w:tr>";
    document(&format!("<w:tbl>{}</w:tbl>", cell.repeat(count)))
}
