//! Text extraction from PDF files with `jig worker`, compared with other tools on the same files.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::json;

use crate::figures::milliseconds;
use crate::office::{Jig, Measured, Peers, Target, head, print_row};

/// The rounds of Jig and pdftotext; pypdf gets fewer, as each takes half a minute.
const ROUNDS: usize = 9;
const PEER_ROUNDS: usize = 3;
const METHOD: &str = "PdfExtractText";

/// Prints the tables.
pub(crate) fn measure(peers: &Peers, files: &Path) {
    let jig = Jig::new(files);
    let by_size = [1, 4, 16].map(|size| jig.cold(&name(size), METHOD, &json!({}), ROUNDS));
    let [_, _, whole] = &by_size;
    let file = files.join(name(16));
    println!("\n## PDF files, compared with other tools\n");
    println!("Milliseconds, medians of {ROUNDS} rounds of Jig and pdftotext and {PEER_ROUNDS} of pypdf, on the same");
    println!(
        "files, made by reportlab: text in one column and in two, in standard and embedded fonts, and tables. Jig"
    );
    println!(
        "is `jig worker`, restarted for each round, from the request to the complete answer. pypdf is called in a Python"
    );
    println!(
        "process with its import done, from the path to the last page's text. pdftotext is a process from its start"
    );
    println!("to its end, with its text discarded. Memory is the peak of the entire process (MiB).\n");
    head();
    let words = "pdf text, 500 pages";
    print_row(words, whole, "pypdf", &peers.python("pypdf-text", &file, PEER_ROUNDS), Target::Times(15.0));
    print_row(words, whole, "pdftotext", &pdftotext(&file), Target::Times(1.0));
    println!("\n## PDF files, by size\n");
    println!("The same at 31, 125 and 500 pages, in milliseconds.\n");
    println!("| work | 1× | 4× | 16× | growth |\n|---|---:|---:|---:|---:|");
    growth("pdf text", &by_size);
    growth("pdf map", &[1, 4, 16].map(|size| jig.cold(&name(size), "PdfGetMap", &json!({}), ROUNDS)));
}

fn growth(words: &str, measured: &[Measured; 3]) {
    let times = measured.each_ref().map(Measured::median);
    let growth = times[2].as_secs_f64() / times[0].as_secs_f64();
    println!("| {words} | {} | {growth:.1}× |", times.map(milliseconds).join(" | "));
}

fn name(size: usize) -> String {
    format!("manual-{size}.pdf")
}

fn pdftotext(file: &Path) -> Measured {
    let round = || {
        let begin = Instant::now();
        let status = Command::new("pdftotext").arg(file).arg("-").stdout(Stdio::null()).status();
        let status = status.unwrap_or_else(|error| panic!("pdftotext (Debian: poppler-utils): {error}"));
        assert!(status.success(), "pdftotext failed");
        begin.elapsed()
    };
    Measured { times: (0..ROUNDS).map(|_| round()).collect(), memory_kib: 0 }
}
