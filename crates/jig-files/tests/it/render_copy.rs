//! The copy of a document that LibreOffice gets: nothing in it leads out of it, and ordinary documents keep their parts.

use std::io::{Cursor, Read as _, Write as _};
use std::sync::Arc;

use jig_files::engine::{Engine, FileError, Format};

/// A target that must not be in any copy.
const BAIT: &str = "bait.example";

fn package(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn parts(package: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut archive = zip::ZipArchive::new(Cursor::new(package)).unwrap();
    (0..archive.len())
        .map(|at| {
            let mut entry = archive.by_index(at).unwrap();
            let name = entry.name().unwrap().into_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            (name, bytes)
        })
        .collect()
}

/// An OpenDocument text with one more part.
fn with_part(name: &str, content: &[u8]) -> Vec<u8> {
    let mut all = parts(include_bytes!("../data/text.odt"));
    all.push((name.to_owned(), content.to_vec()));
    let all: Vec<(&str, &[u8])> = all.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
    package(&all)
}

fn copy(format: Format, bytes: Vec<u8>) -> Result<Vec<u8>, FileError> {
    Engine::default().render_copy(format, Arc::<[u8]>::from(bytes))
}

/// The part of the copy of a document that has it; none when it was left out.
fn copied(content: &str) -> Option<String> {
    let name = "Object 1/content.xml";
    let copy = copy(Format::Odt, with_part(name, content.as_bytes())).unwrap();
    let found = parts(&copy).into_iter().find(|(known, _)| known == name);
    found.map(|(_, bytes)| String::from_utf8(bytes).unwrap())
}

#[test]
fn references_out_of_the_file_are_removed_however_they_are_written() {
    let hostile = [
        // Attributes of every vocabulary, in any spelling.
        "<x href='http://bait.example/a'/>",
        "<x xlink:href='HTTP://bait.example/a' xmlns:xlink='http://www.w3.org/1999/xlink'/>",
        "<x xlink:href='&#104;ttp&#x3a;//bait.example' xmlns:xlink='http://www.w3.org/1999/xlink'/>",
        "<x xlink:href=' \n../bait.example' xmlns:xlink='http://www.w3.org/1999/xlink'/>",
        "<x xlink:href='a/%2e%2e/%2E%2E/bait.example' xmlns:xlink='http://www.w3.org/1999/xlink'/>",
        "<x xlink:href='/bait.example' xmlns:xlink='http://www.w3.org/1999/xlink'/>",
        "<x xlink:href='\\\\bait.example\\a' xmlns:xlink='http://www.w3.org/1999/xlink'/>",
        "<v:fill src='bait.example' xmlns:v='urn:schemas-microsoft-com:vml'/>",
        "<x image-data='ftp://bait.example'/>",
        "<x anything='smb://bait.example/a'/>",
        "<x style='fill:url(http://bait.example)'/>",
        "<x draw:formula='of:=[&apos;file:///bait.example&apos;#$a.A1]' xmlns:draw='d'/>",
        "<text:a xlink:href='https://bait.example' xmlns:text='t' xmlns:xlink='l'>click</text:a>",
        "<x dde-topic='bait.example'/>",
        // Relationships in all disguises.
        "<Relationship Id='1' Type='image' Target='http://bait.example' TargetMode='External'/>",
        "<p:Relationship xmlns:p='r' Id='1' Type='x/hyperlink' Target='http://bait.example' TargetMode='External'/>",
        "<Relationship Id='1' Type='x/hyperlink' Target='bait.example'/>",
        "<Relationship Id='1' Type='image' Target='bait.example' TargetMode=' external '/>",
        "<Relationship Id='1' Type='image' Target='file:///bait.example'/>",
        "<Relationship Id='1' Type='image' Target='../../bait.example'/>",
        // Fields, whole and in pieces.
        "<w:p xmlns:w='w'><w:fldSimple w:instr=' INCLUDETEXT \"bait.example\" '/></w:p>",
        "<w:p xmlns:w='w'><w:fldChar w:fldCharType='begin'/><w:instrText>INCL</w:instrText><w:instrText>UDEPICTURE bait.example</w:instrText><w:fldChar w:fldCharType='end'/></w:p>",
        "<w:p xmlns:w='w'><w:fldChar w:fldCharType='begin'/><w:instrText>DDEAUTO bait.example</w:instrText></w:p>",
        "<w:p xmlns:w='w'><w:instrText>LINK bait.example</w:instrText></w:p>",
        // Formulas.
        "<c><f>_xlfn.WEBSERVICE (\"bait.example\")</f></c>",
        "<c><f>cmd|'/c bait.example'!A1</f></c>",
        "<c><f>'file:///bait.example'#$Sheet1.A1</f></c>",
        "<definedName>webservice( \"bait.example\" )</definedName>",
        // What runs or styles.
        "<svg xmlns='http://www.w3.org/2000/svg'><script>fetch('bait.example')</script></svg>",
        "<svg xmlns='http://www.w3.org/2000/svg'><style>@import 'bait.example';</style></svg>",
        "<svg xmlns='http://www.w3.org/2000/svg'><style>a{b:url(http://bait.example)}</style></svg>",
        "<?xml-stylesheet href='http://bait.example'?><x/>",
        "<!DOCTYPE x SYSTEM 'http://bait.example'><x/>",
        "<!-- http://bait.example --><x/>",
    ];
    for content in hostile {
        let copied = copied(content).expect("the part stays");
        assert!(!copied.contains(BAIT), "{content}\n{copied}");
    }
}

#[test]
fn what_stays_in_the_file_stays_as_it_is() {
    let harmless = [
        "<x xlink:href=\"Pictures/a.png\" xmlns:xlink=\"http://www.w3.org/1999/xlink\">text &amp; more</x>",
        "<x href=\"#there\" name=\"a &lt; b\"/>",
        "<x xlink:href=\"./Object 1\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"/>",
        "<a:ext uri=\"http://schemas.microsoft.com/office\" xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"/>",
        "<w:p xmlns:w=\"w\"><w:fldChar w:fldCharType=\"begin\"/><w:instrText> PAGE </w:instrText><w:fldChar w:fldCharType=\"end\"/></w:p>",
        "<c><f>SUM(A1:B2)*1.5</f><v>7</v></c>",
        "<x>see http://www.example.org</x>",
        "<Relationship Id=\"1\" Type=\"image\" Target=\"../content.xml\"/>",
    ];
    for content in harmless {
        assert_eq!(copied(content).unwrap().split_once('\n').unwrap().1, content);
    }
}

#[test]
fn only_xml_images_and_fonts_are_copied() {
    let png = include_bytes!("../data/dot.png");
    let kept = |name: &str, content: &[u8]| {
        let copy = copy(Format::Odt, with_part(name, content)).unwrap();
        parts(&copy).iter().any(|(known, _)| known == name)
    };
    assert!(kept("Pictures/a.png", png));
    assert!(kept("Pictures/any", include_bytes!("../data/dot.jpg")));
    assert!(kept("Fonts/a.ttf", b"\0\x01\0\0font"));
    for (name, content) in [
        ("Pictures/a.svgz", include_bytes!("../data/hello.gz").to_vec()),
        ("Pictures/a.pdf", include_bytes!("../data/policy.pdf").to_vec()),
        ("Object 1", include_bytes!("../data/legacy.doc").to_vec()),
        ("embeddings/a.xlsx", include_bytes!("../data/openpyxl.xlsx").to_vec()),
        ("Fonts/b.ttf", include_bytes!("../data/policy.pdf").to_vec()),
        ("word/vbaProject.bin", b"macro".to_vec()),
        ("Basic/Standard/Module1.xml", b"<script/>".to_vec()),
        ("page.html", b"text <img src='http://bait.example'>".to_vec()),
    ] {
        assert!(!kept(name, &content), "{name}");
    }
}

#[test]
fn what_cannot_be_understood_completely_is_refused() {
    let deep = format!("{}{}", "<g>".repeat(101), "</g>".repeat(101));
    for content in [
        deep.as_str(),
        "<a><b></a></b>",
        "<a>",
        "<a b=1/>",
        "<a>&unknown;</a>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
        "<a b='1' b='2'/>",
    ] {
        let refused = copy(Format::Odt, with_part("Object 1/content.xml", content.as_bytes()));
        assert!(refused.is_err(), "{content:.60}");
    }
    let wide: Vec<u8> = "\u{feff}<x href='http://bait.example'/>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let copied = copy(Format::Odt, with_part("Object 1/content.xml", &wide)).unwrap();
    let text: Vec<u8> = parts(&copied).into_iter().flat_map(|(_, content)| content).collect();
    assert!(!String::from_utf8_lossy(&text).contains(BAIT));
    for (format, bytes) in [
        (Format::Docx, include_bytes!("../data/bomb.docx").to_vec()),
        (Format::Docx, b"{\\rtf1 hello}".to_vec()),
        (Format::Xlsx, b"<html><img src='http://bait.example'></html>".to_vec()),
        (Format::Pdf, include_bytes!("../data/policy.pdf").to_vec()),
    ] {
        assert!(copy(format, bytes).is_err(), "{format:?}");
    }
}

#[test]
fn ordinary_documents_can_be_copied() {
    for (format, bytes) in [
        (Format::Docx, &include_bytes!("../data/word.docx")[..]),
        (Format::Docx, include_bytes!("../data/macros.docm")),
        (Format::Xlsx, include_bytes!("../data/openpyxl.xlsx")),
        (Format::Xlsx, include_bytes!("../data/xlsxwriter.xlsx")),
        (Format::Xlsx, include_bytes!("../data/macros.xlsm")),
        (Format::Pptx, include_bytes!("../data/deck.pptx")),
        (Format::Odt, include_bytes!("../data/text.odt")),
        (Format::Odt, include_bytes!("../data/odt/page.fodt")),
    ] {
        let copied = copy(format, bytes.to_vec()).unwrap_or_else(|error| panic!("{format:?}: {error}"));
        // It is a file of the same kind, to our own reader too.
        assert!(copy(format, copied).is_ok(), "{format:?}");
    }
}
