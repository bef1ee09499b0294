//! The kind that a file's name promises, and whether the content agrees.

use super::{Format, office};
use crate::kind::FileKind::{self, *};

/// The promise of a name with a known ending.
#[derive(Debug)]
pub(super) struct Claim {
    /// The ending as a person would write it: `.docx`, or all of a name like `Makefile`.
    shown: String,
    pub(super) format: Format,
}

/// The promise in a name, if its ending is known.
pub(super) fn claim(name: &str) -> Option<Claim> {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name).to_lowercase();
    if let Some(format) = well_known(&file) {
        return Some(Claim { shown: file, format });
    }
    let (_, ending) = file.rsplit_once('.')?;
    let format = office::by_ending(ending).or_else(|| by_ending(ending))?;
    let shown = format!(".{ending}");
    Some(Claim { shown, format })
}

impl Claim {
    /// A sentence, if `found` is not what the name promised.
    pub(super) fn mismatch(&self, found: Format) -> Option<String> {
        if self.keeps(found) {
            return None;
        }
        let shown = &self.shown;
        Some(match found.kind {
            Empty => format!("The name ends in {shown}, but the file is empty."),
            _ => format!("The name ends in {shown}, but the content is {}.", found.words),
        })
    }

    fn keeps(&self, found: Format) -> bool {
        let named = self.format;
        match found.kind {
            Empty => named.kind.is_text() && named.kind != Svg,
            // The name tells what is behind the password; nothing in the content contradicts it.
            EncryptedOffice => named.kind.is_ooxml() || matches!(named.kind, Doc | Xls | Ppt),
            // Any text may have any textual name, but a drawing program needs a drawing.
            kind if kind.is_text() && named.kind.is_text() => named.kind != Svg || kind == Svg,
            kind => kind == named.kind && found.media_type == named.media_type,
        }
    }
}

fn well_known(file: &str) -> Option<Format> {
    let code = [
        "makefile",
        "dockerfile",
        "justfile",
        "gemfile",
        "rakefile",
        "vagrantfile",
        "jenkinsfile",
        "procfile",
        "cmakelists.txt",
    ];
    code.contains(&file).then(|| Format::plain(Code, "text/plain"))
}

fn by_ending(ending: &str) -> Option<Format> {
    let listed = |list: &[&str]| list.contains(&ending);
    if let Some((_, kind, media_type)) = ENDINGS.iter().find(|(known, ..)| *known == ending) {
        return Some(Format::plain(*kind, media_type));
    }
    if listed(TEXT_ENDINGS) {
        return Some(Format::plain(Text, "text/plain"));
    }
    listed(CODE_ENDINGS).then(|| Format::plain(Code, "text/plain"))
}

const ENDINGS: &[(&str, FileKind, &str)] = &[
    ("odt", Odt, office::ODT),
    ("ott", Odt, office::OTT),
    ("ods", Zip, office::ODS),
    ("odp", Zip, office::ODP),
    ("epub", Zip, office::EPUB),
    ("zip", Zip, "application/zip"),
    ("doc", Doc, "application/msword"),
    ("dot", Doc, "application/msword"),
    ("xls", Xls, "application/vnd.ms-excel"),
    ("xlt", Xls, "application/vnd.ms-excel"),
    ("ppt", Ppt, "application/vnd.ms-powerpoint"),
    ("pps", Ppt, "application/vnd.ms-powerpoint"),
    ("pot", Ppt, "application/vnd.ms-powerpoint"),
    ("pdf", Pdf, "application/pdf"),
    ("png", Png, "image/png"),
    ("jpg", Jpeg, "image/jpeg"),
    ("jpeg", Jpeg, "image/jpeg"),
    ("jpe", Jpeg, "image/jpeg"),
    ("gif", Gif, "image/gif"),
    ("webp", Webp, "image/webp"),
    ("svg", Svg, "image/svg+xml"),
    ("bmp", Image, "image/bmp"),
    ("tif", Image, "image/tiff"),
    ("tiff", Image, "image/tiff"),
    ("ico", Image, "image/vnd.microsoft.icon"),
    ("heic", Image, "image/heic"),
    ("avif", Image, "image/avif"),
    ("psd", Image, "image/vnd.adobe.photoshop"),
    ("gz", Binary, "application/gzip"),
    ("tgz", Binary, "application/gzip"),
    ("xz", Binary, "application/x-xz"),
    ("bz2", Binary, "application/x-bzip2"),
    ("zst", Binary, "application/zstd"),
    ("7z", Binary, "application/x-7z-compressed"),
    ("tar", Binary, "application/x-tar"),
    ("sqlite", Binary, "application/vnd.sqlite3"),
    ("parquet", Binary, "application/vnd.apache.parquet"),
    ("wasm", Binary, "application/wasm"),
    ("csv", Csv, "text/csv"),
    ("tsv", Tsv, "text/tab-separated-values"),
    ("tab", Tsv, "text/tab-separated-values"),
    ("md", Markdown, "text/markdown"),
    ("markdown", Markdown, "text/markdown"),
    ("mdx", Markdown, "text/markdown"),
    ("json", Json, "application/json"),
    ("geojson", Json, "application/geo+json"),
    ("ipynb", Json, "application/json"),
    ("jsonl", Text, "application/x-ndjson"),
    ("ndjson", Text, "application/x-ndjson"),
    ("xml", Xml, "application/xml"),
    ("xsd", Xml, "application/xml"),
    ("xsl", Xml, "application/xml"),
    ("xslt", Xml, "application/xslt+xml"),
    ("rss", Xml, "application/rss+xml"),
    ("atom", Xml, "application/atom+xml"),
    ("html", Html, "text/html"),
    ("htm", Html, "text/html"),
    ("xhtml", Html, "application/xhtml+xml"),
    ("yaml", Yaml, "application/yaml"),
    ("yml", Yaml, "application/yaml"),
    ("rtf", Text, "application/rtf"),
    ("ics", Text, "text/calendar"),
    ("vcf", Text, "text/vcard"),
    ("css", Code, "text/css"),
    ("js", Code, "text/javascript"),
    ("mjs", Code, "text/javascript"),
    ("toml", Code, "application/toml"),
    ("sql", Code, "application/sql"),
];

const TEXT_ENDINGS: &[&str] = &["txt", "text", "log", "rst", "adoc", "tex", "srt", "eml"];

/// Languages and settings without a media type in common use.
const CODE_ENDINGS: &[&str] = &[
    "astro",
    "bash",
    "bat",
    "c",
    "cc",
    "cfg",
    "cjs",
    "clj",
    "cmd",
    "conf",
    "cpp",
    "cs",
    "cxx",
    "dart",
    "diff",
    "env",
    "erl",
    "ex",
    "exs",
    "fish",
    "fs",
    "gitignore",
    "go",
    "gradle",
    "graphql",
    "groovy",
    "h",
    "hcl",
    "hpp",
    "hs",
    "ini",
    "java",
    "jl",
    "jsx",
    "kt",
    "kts",
    "less",
    "lua",
    "m",
    "ml",
    "nix",
    "patch",
    "php",
    "pl",
    "pm",
    "properties",
    "proto",
    "ps1",
    "py",
    "pyi",
    "r",
    "rb",
    "rs",
    "sass",
    "scala",
    "scss",
    "sh",
    "svelte",
    "swift",
    "tf",
    "ts",
    "tsx",
    "vb",
    "vue",
    "zig",
    "zsh",
];
