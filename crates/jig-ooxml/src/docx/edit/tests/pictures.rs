//! Inserting images.

use serde_json::json;

use super::support::{body, document, options, part, refused, run};
use crate::docx::edit::apply;
use crate::edit::ApplyOptions;

/// A GIF of one by two pixels.
const GIF: &str = "R0lGODlhAQACAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAIAAAICBAoAOw==";

#[test]
fn a_picture_comes_with_part_relationship_and_type() {
    let source = document(r#"<w:p><w:r><w:drawing><x:docPr xmlns:x="y" id="41" name="a"/></w:drawing></w:r></w:p>"#);
    let ops =
        json!([{"op": "insert_image", "data_base64": GIF, "height": 1, "alt_text": "A <dot>", "alignment": "center"}]);
    let applied = run(&source, ops).unwrap();
    assert_eq!(applied.warnings, Vec::<String>::new());
    let change = serde_json::to_value(&applied.changes[0]).unwrap();
    let wanted = json!({"index": 0, "op": "insert_image", "summary": "Inserted an image of 0.5 by 1 inches at the end.",
        "rel_id": "rId6", "width": 0.5, "height": 1.0});
    assert_eq!(change, wanted);
    let out = body(&applied.bytes);
    let new = &out[out.find("</w:p>").unwrap() + 6..];
    assert!(new.starts_with(r#"<w:p><w:pPr><w:jc w:val="center"/></w:pPr><w:r><w:drawing><wp:inline "#), "{new}");
    for piece in
        [r#"cx="457200" cy="914400""#, r#"id="42" name="Picture 42" descr="A &lt;dot&gt;""#, r#"r:embed="rId6""#]
    {
        assert!(new.contains(piece), "{piece}");
    }
    assert!(part(&applied.bytes, "word/_rels/document.xml.rels").contains(r#"Id="rId6" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image" Target="media/image1.gif""#));
    assert!(
        part(&applied.bytes, "[Content_Types].xml").contains(r#"<Default Extension="gif" ContentType="image/gif"/>"#)
    );
}

#[test]
fn a_picture_can_be_a_file_of_the_workbench() {
    // The size of the header follows the 14 bytes of the file's own.
    let bmp = [b"BM".as_slice(), &[0; 12], &[40, 0, 0, 0, 96, 0, 0, 0, 192, 0, 0, 0]].concat();
    let files = |path: &str| (path == "dot.bmp").then(|| bmp.clone());
    let options = ApplyOptions { files: &files, ..options() };
    let source = document("");
    let applied = apply(Some(source.clone()), &json!([{"op": "insert_image", "path": "dot.bmp"}]), &options).unwrap();
    assert_eq!(applied.changes[0].summary, "Inserted an image of 1 by 2 inches at the end.");
    let missing = apply(Some(source), &json!([{"op": "insert_image", "path": "../x.png"}]), &options).unwrap_err();
    assert_eq!(missing.to_string(), "ops[0].path: cannot read the file `../x.png`");
}

#[test]
fn what_is_no_picture_is_refused() {
    let image = |field: &str, value: &str| refused("", json!([{"op": "insert_image", field: value}]));
    assert_eq!(
        image("data_base64", "PHN2Zy8+"),
        "ops[0].data_base64: unsupported image format; expected png, jpeg, gif or bmp"
    );
    assert!(image("data_base64", "?").starts_with("ops[0].data_base64: invalid Base64"));
    assert_eq!(image("alt_text", "x"), "ops[0].path: missing: `path` of an image, or `data_base64`");
}
