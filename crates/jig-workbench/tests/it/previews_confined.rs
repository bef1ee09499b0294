//! Previews of hostile documents with the real LibreOffice: nothing outside a document is read, fetched or shown.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use jig_testkit::{ID, TestHome};
use jig_workbench::Renderer;
use serde_json::{Value, json};

/// The path of LibreOffice, if it is installed.
fn office() -> Option<PathBuf> {
    let found = ["/usr/bin/soffice", "/usr/local/bin/soffice", "/usr/bin/libreoffice"].map(PathBuf::from);
    let found = found.into_iter().find(|path| path.exists());
    if found.is_none() {
        println!("skipped: LibreOffice is not installed");
    }
    found
}

async fn home(program: PathBuf) -> TestHome {
    let home = TestHome::with(|config| {
        config.renderer = Renderer { program: Some(program), ..Renderer::default() };
    })
    .await;
    home.ok("WorkbenchCreate", json!({ "name": "Test", "id": ID })).await;
    home
}

fn file(path: &str, mut more: Value) -> Value {
    more["workbench_id"] = ID.into();
    more["path"] = path.into();
    more
}

/// Unpacks a package, changes its parts and packs it again.
fn patched(package: &[u8], change: impl FnOnce(&mut BTreeMap<String, String>)) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(package)).unwrap();
    let mut parts = BTreeMap::new();
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).unwrap();
        let name = entry.name().unwrap().into_owned();
        let mut text = String::new();
        entry.read_to_string(&mut text).unwrap();
        parts.insert(name, text);
    }
    change(&mut parts);
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

const IMAGE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image";
const NAMESPACES: &str = "xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" \
    xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";

/// Adds an external relationship to a part.
fn relate(parts: &mut BTreeMap<String, String>, rels: &str, kind: &str, target: &str) {
    let empty =
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"></Relationships>";
    let text = parts.entry(rels.to_owned()).or_insert_with(|| empty.to_owned());
    let relationship =
        format!("<Relationship Id=\"rId99\" Type=\"{kind}\" Target=\"{target}\" TargetMode=\"External\"/>");
    *text = text.replace("</Relationships>", &format!("{relationship}</Relationships>"));
}

/// A harmless document of each format, created by Jig.
async fn ordinary() -> BTreeMap<&'static str, Vec<u8>> {
    let home = TestHome::with_workbench().await;
    let words = json!([{ "op": "set_paragraphs", "paragraphs": ["All is well."] }]);
    home.ok("DocxApplyOps", file("a.docx", json!({ "create_new": true, "ops": words }))).await;
    let slide = json!([{ "op": "add_slide", "title": "Plan", "body": "One" }]);
    home.ok("PptxApplyOps", file("a.pptx", json!({ "create_new": true, "ops": slide }))).await;
    let cells = json!([{ "op": "set_cells", "sheet": "Sheet1", "cells": [{ "cell": "A1", "value": "one" }] }]);
    home.ok("XlsxApplyOps", file("a.xlsx", json!({ "create_new": true, "ops": cells }))).await;
    ["docx", "pptx", "xlsx"]
        .into_iter()
        .map(|kind| (kind, std::fs::read(home.view(&format!("draft/a.{kind}"))).unwrap()))
        .collect()
}

/// Documents that refer to this target in every way that their format supports.
async fn hostile(target: &str) -> Vec<(String, Vec<u8>)> {
    let base = ordinary().await;
    let mut documents = Vec::new();
    for (name, kind) in [
        ("linked", IMAGE),
        ("disguised", "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"),
    ] {
        let deck = patched(&base["pptx"], |parts| {
            relate(parts, "ppt/slides/_rels/slide1.xml.rels", kind, target);
            let slide = parts.get_mut("ppt/slides/slide1.xml").unwrap();
            let at = slide.find("<p:cSld").unwrap();
            let at = at + slide[at..].find('>').unwrap() + 1;
            let background = format!(
                "<p:bg><p:bgPr {NAMESPACES}><a:blipFill><a:blip r:link=\"rId99\"/><a:stretch><a:fillRect/></a:stretch>\
                 </a:blipFill><a:effectLst/></p:bgPr></p:bg>"
            );
            slide.insert_str(at, &background);
        });
        documents.push((format!("{name}.pptx"), deck));
        let text = patched(&base["docx"], |parts| {
            relate(parts, "word/_rels/document.xml.rels", kind, target);
            let document = parts.get_mut("word/document.xml").unwrap();
            let at = document.find("<w:body>").unwrap() + "<w:body>".len();
            let shapes = format!(
                "<w:p><w:r><w:pict xmlns:v=\"urn:schemas-microsoft-com:vml\" {NAMESPACES}>\
                 <v:rect style=\"width:200pt;height:100pt\"><v:fill r:id=\"rId99\" type=\"frame\"/></v:rect></w:pict></w:r></w:p>\
                 <w:p><w:r><w:pict xmlns:v=\"urn:schemas-microsoft-com:vml\"><v:shape style=\"width:200pt;height:100pt\">\
                 <v:imagedata src=\"{target}\"/></v:shape></w:pict></w:r></w:p>\
                 <w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText xml:space=\"preserve\"> INCLUDE</w:instrText></w:r>\
                 <w:r><w:instrText xml:space=\"preserve\">PICTURE \"{target}\" \\d </w:instrText></w:r>\
                 <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>old</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>\
                 <w:p><w:fldSimple w:instr=\" INCLUDEPICTURE &quot;{target}&quot; \"><w:r><w:t>old</w:t></w:r></w:fldSimple></w:p>\
                 <w:p><w:r><w:drawing><wp:inline xmlns:wp=\"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing\">\
                 <wp:extent cx=\"2000000\" cy=\"1000000\"/><wp:docPr id=\"77\" name=\"p\"/><a:graphic {NAMESPACES}>\
                 <a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/picture\">\
                 <pic:pic xmlns:pic=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"><pic:nvPicPr><pic:cNvPr id=\"0\" name=\"p\"/><pic:cNvPicPr/></pic:nvPicPr>\
                 <pic:blipFill><a:blip r:link=\"rId99\"/><a:stretch><a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/>\
                 <a:ext cx=\"2000000\" cy=\"1000000\"/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData></a:graphic>\
                 </wp:inline></w:drawing></w:r></w:p>"
            );
            document.insert_str(at, &shapes);
        });
        documents.push((format!("{name}.docx"), text));
    }
    let book = patched(&base["xlsx"], |parts| {
        relate(parts, "xl/worksheets/_rels/sheet1.xml.rels", IMAGE, target);
        let sheet = parts.get_mut("xl/worksheets/sheet1.xml").unwrap();
        let cells = format!("<row r=\"9\"><c r=\"A9\"><f>_xlfn.WEBSERVICE (\"{target}\")</f></c></row></sheetData>");
        *sheet = sheet
            .replace("</sheetData>", &cells)
            .replace("</worksheet>", &format!("<picture {NAMESPACES} r:id=\"rId99\"/></worksheet>"));
    });
    documents.push(("web.xlsx".to_owned(), book));
    documents.push(("flat.fodt".to_owned(), flat(target).into_bytes()));
    documents.push(("text.odt".to_owned(), open_document(target)));
    documents
}

/// A flat OpenDocument text with every reference that LibreOffice is known to follow.
fn flat(target: &str) -> String {
    let names = "xmlns:office=\"urn:oasis:names:tc:opendocument:xmlns:office:1.0\" xmlns:style=\"urn:oasis:names:tc:opendocument:xmlns:style:1.0\" \
        xmlns:text=\"urn:oasis:names:tc:opendocument:xmlns:text:1.0\" xmlns:draw=\"urn:oasis:names:tc:opendocument:xmlns:drawing:1.0\" \
        xmlns:fo=\"urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
        xmlns:svg=\"urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0\"";
    let link = format!("xlink:type=\"simple\" xlink:show=\"embed\" xlink:actuate=\"onLoad\" xlink:href=\"{target}\"");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><office:document {names} office:version=\"1.3\" office:mimetype=\"application/vnd.oasis.opendocument.text\">\
         <office:styles><draw:fill-image draw:name=\"F\" {link}/></office:styles>\
         <office:automatic-styles>\
         <style:style style:name=\"P1\" style:family=\"paragraph\"><style:paragraph-properties fo:padding=\"1cm\"><style:background-image {link}/></style:paragraph-properties></style:style>\
         <style:style style:name=\"G1\" style:family=\"graphic\"><style:graphic-properties draw:fill=\"bitmap\" draw:fill-image-name=\"F\"/></style:style>\
         <text:list-style style:name=\"L1\"><text:list-level-style-image text:level=\"1\" {link}/></text:list-style>\
         </office:automatic-styles>\
         <office:body><office:text><text:p text:style-name=\"P1\">All is well.</text:p>\
         <text:list text:style-name=\"L1\"><text:list-item><text:p>Item</text:p></text:list-item></text:list>\
         <text:p><draw:rect draw:style-name=\"G1\" svg:width=\"5cm\" svg:height=\"3cm\" text:anchor-type=\"as-char\"/></text:p>\
         <text:p><draw:frame text:anchor-type=\"as-char\" svg:width=\"5cm\" svg:height=\"3cm\"><draw:image {link}/></draw:frame></text:p>\
         <text:p><draw:frame text:anchor-type=\"as-char\" svg:width=\"5cm\" svg:height=\"3cm\"><draw:object {link}/></draw:frame></text:p>\
         <text:section text:name=\"S\"><text:section-source {link}/><text:p>old</text:p></text:section>\
         </office:text></office:body></office:document>"
    )
}

/// The same document as a package.
fn open_document(target: &str) -> Vec<u8> {
    let base = include_bytes!("../../../jig-files/tests/data/text.odt");
    patched(base, |parts| {
        let text = flat(target)
            .replace("office:document ", "office:document-content ")
            .replace("</office:document>", "</office:document-content>");
        let from = text.find("<office:styles>").unwrap();
        let to = text.find("<office:automatic-styles>").unwrap();
        let text = format!("{}{}", &text[..from], &text[to..])
            .replace(" office:mimetype=\"application/vnd.oasis.opendocument.text\"", "");
        parts.insert("content.xml".to_owned(), text);
    })
}

/// The number of pixels in the colour of the planted files.
fn magenta(png: &[u8]) -> usize {
    let image = image::load_from_memory(png).unwrap().to_rgb8();
    image.pixels().filter(|pixel| pixel[0] > 200 && pixel[1] < 80 && pixel[2] > 200).count()
}

/// Files that must not be read, and a server that must not be called.
struct Bait {
    address: std::net::SocketAddr,
    calls: Arc<AtomicUsize>,
    folder: tempfile::TempDir,
}

impl Bait {
    fn new(home: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let image = image::RgbImage::from_pixel(64, 64, image::Rgb([255, 0, 255]));
        let other = home.join("workbenches/other/published");
        std::fs::create_dir_all(&other).unwrap();
        for place in [folder.path(), &other] {
            image.save(place.join("secret.png")).unwrap();
            let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='64' height='64'><rect width='64' height='64' fill='#f0f'/></svg>";
            std::fs::write(place.join("secret.svg"), svg).unwrap();
        }
        let png = std::fs::read(folder.path().join("secret.png")).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                counted.fetch_add(1, Ordering::SeqCst);
                let _ = stream.read(&mut [0; 4_096]);
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    png.len()
                );
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&png));
            }
        });
        Self { address, calls, folder }
    }

    fn targets(&self) -> Vec<String> {
        let address = self.address;
        let host = self.folder.path().display();
        vec![
            format!("http://{address}/secret.png"),
            format!("file://{host}/secret.png"),
            format!("{host}/secret.svg"),
            "../../../workbenches/other/published/secret.png".to_owned(),
        ]
    }

    fn was_called(&self) -> bool {
        self.calls.swap(0, Ordering::SeqCst) > 0
    }
}

/// Whether a document reaches the bait if LibreOffice gets it unprotected.
fn leaks(program: &Path, home: &Path, name: &str, document: &[u8], bait: &Bait) -> bool {
    let work = home.join("cache/previews/bare");
    let _ = std::fs::remove_dir_all(&work);
    std::fs::create_dir_all(&work).unwrap();
    let input = work.join(name);
    std::fs::write(&input, document).unwrap();
    let profile = format!("-env:UserInstallation=file://{}/profile", work.display());
    let mut command = std::process::Command::new("timeout");
    command
        .arg("60")
        .arg(program)
        .args(["--headless", &profile, "--convert-to", "png", "--outdir"])
        .arg(&work)
        .arg(&input);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).status().unwrap();
    let png = std::fs::read(input.with_extension("png")).unwrap_or_default();
    bait.was_called() || (!png.is_empty() && magenta(&png) > 0)
}

#[tokio::test]
async fn nothing_outside_a_document_is_fetched_or_shown() {
    let Some(program) = office() else { return };
    let home = home(program.clone()).await;
    let bait = Bait::new(&home.home());
    let (mut dangerous, mut rendered) = (Vec::new(), 0);
    for (number, target) in bait.targets().into_iter().enumerate() {
        // Each document targets the network and another workbench; some also target other parts of the host.
        let all = number % 3 == 0;
        let documents = hostile(&target).await.into_iter();
        for (name, document) in
            documents.filter(|(name, _)| all || ["linked.pptx", "flat.fodt"].contains(&name.as_str()))
        {
            if all && leaks(&program, &home.home(), &name, &document, &bait) {
                dangerous.push(format!("{name}: {target}"));
            }
            let path = format!("{number}-{name}");
            home.add(&path, &document).await;
            // A flat file is XML for the general preview, and a document for the ODT preview.
            let method = if name.ends_with(".fodt") { "OdtRenderPage" } else { "FileGetPreview" };
            let shown = home.ok(method, file(&path, json!({ "scale": 0.5 }))).await;
            assert_eq!(shown["renderer"], "libreoffice", "{path}: {}", shown["notice"]);
            let png = BASE64_STANDARD.decode(shown["bytes_base64"].as_str().unwrap()).unwrap();
            assert_eq!(magenta(&png), 0, "{path} shows what {target} is");
            assert!(!bait.was_called(), "{path} called {target}");
            rendered += 1;
        }
    }
    println!("{rendered} hostile documents were drawn; bare, {} of them reach out: {dangerous:?}", dangerous.len());
    assert!(dangerous.len() >= 3, "the documents are not dangerous enough to prove anything: {dangerous:?}");
}

#[tokio::test]
async fn ordinary_documents_look_as_before() {
    let Some(program) = office() else { return };
    let home = home(program).await;
    let mut documents: Vec<(String, Vec<u8>)> =
        ordinary().await.into_iter().map(|(kind, bytes)| (format!("a.{kind}"), bytes)).collect();
    documents.push(("text.odt".to_owned(), include_bytes!("../../../jig-files/tests/data/text.odt").to_vec()));
    // An embedded image is not an external reference.
    let image = image::RgbImage::from_pixel(64, 64, image::Rgb([255, 0, 255]));
    let mut png = Cursor::new(Vec::new());
    image.write_to(&mut png, image::ImageFormat::Png).unwrap();
    let maker = TestHome::with_workbench().await;
    maker.add("logo.png", png.into_inner()).await;
    let ops =
        json!([{ "op": "set_paragraphs", "paragraphs": ["A picture:"] }, { "op": "insert_image", "path": "logo.png" }]);
    maker.ok("DocxApplyOps", file("pictured.docx", json!({ "create_new": true, "ops": ops }))).await;
    documents.push(("pictured.docx".to_owned(), std::fs::read(maker.view("draft/pictured.docx")).unwrap()));
    for (name, document) in &documents {
        home.add(name, document).await;
        let shown = home.ok("FileGetPreview", file(name, json!({ "scale": 0.5 }))).await;
        assert_eq!(
            (&shown["renderer"], shown["page_count"].as_u64().unwrap() > 0),
            (&json!("libreoffice"), true),
            "{name}: {}",
            shown["notice"]
        );
        let png = BASE64_STANDARD.decode(shown["bytes_base64"].as_str().unwrap()).unwrap();
        let dark = image::load_from_memory(&png).unwrap().to_luma8().pixels().filter(|pixel| pixel[0] < 128).count();
        assert!(dark > 20, "{name} is empty");
        assert_eq!(magenta(&png) > 0, name == "pictured.docx", "{name}");
    }
    // Nothing may be left in the shared temporary folder.
    let left = std::fs::read_dir("/tmp")
        .unwrap()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("OSL_PIPE_"));
    assert!(left.count() <= 2, "sockets are left behind");
}

#[tokio::test]
async fn libreoffice_is_not_run_on_what_our_own_reader_refuses() {
    let Some(program) = office() else { return };
    let home = home(program).await;
    let base = ordinary().await;
    let deep = patched(&base["pptx"], |parts| {
        let slide = parts.get_mut("ppt/slides/slide1.xml").unwrap();
        let groups =
            format!("{}{}</p:spTree>", "<p:grpSp><p:nvGrpSpPr/><p:grpSpPr/>".repeat(200), "</p:grpSp>".repeat(200));
        *slide = slide.replacen("</p:spTree>", &groups, 1);
    });
    let entities = patched(&base["docx"], |parts| {
        let document = parts.get_mut("word/document.xml").unwrap();
        let at = document.find("<w:document").unwrap();
        document.insert_str(at, "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\">]>");
    });
    let bomb = include_bytes!("../../../jig-files/tests/data/bomb.docx").to_vec();
    for (name, document) in [("deep.pptx", deep), ("entities.docx", entities), ("bomb.docx", bomb)] {
        home.add(name, &document).await;
        // Shown as text with the reason, or refused by Jig's own reader: LibreOffice never sees it.
        match home.call("FileGetPreview", file(name, json!({ "scale": 0.25 }))).await {
            Ok(shown) => assert_eq!(shown["renderer"], "plain", "{name}"),
            Err(error) => {
                assert!(["FILE_READ_FAILED", "VALIDATION_FAILED"].contains(&error.code().as_str()), "{name}: {error}");
            }
        }
        assert_eq!(home.workbench.preview_conversions(), 0, "{name}");
    }
}
