//! Writes small PDF files of plain text: what the plain rendering is drawn from.

use std::fmt::Write as _;

/// A page to be written.
pub(super) struct Sheet {
    pub(super) width: f32,
    pub(super) height: f32,
    pub(super) lines: Vec<Line>,
}

/// A line of text and where it stands, from the top left, in points.
pub(super) struct Line {
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) size: f32,
    pub(super) bold: bool,
    /// In Windows-1252.
    pub(super) bytes: Vec<u8>,
}

/// A PDF file with these pages.
pub(super) fn write(sheets: &[Sheet]) -> Vec<u8> {
    // Objects: 1 catalog, 2 pages, 3 and 4 fonts, then a page and its content each.
    let mut objects: Vec<Vec<u8>> = Vec::with_capacity(4 + 2 * sheets.len());
    let kids: String = (0..sheets.len()).fold(String::new(), |mut kids, at| {
        let _ = write!(kids, "{} 0 R ", 5 + 2 * at);
        kids
    });
    let font = |name: &str| {
        format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>").into_bytes()
    };
    objects.push(b"<< /Type /Catalog /Pages 2 0 R >>".to_vec());
    objects.push(format!("<< /Type /Pages /Count {} /Kids [ {kids}] >>", sheets.len()).into_bytes());
    objects.push(font("Helvetica"));
    objects.push(font("Helvetica-Bold"));
    for (at, sheet) in sheets.iter().enumerate() {
        let page = format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {}] /Contents {} 0 R \
             /Resources << /Font << /F0 3 0 R /F1 4 0 R >> >> >>",
            sheet.width,
            sheet.height,
            6 + 2 * at
        );
        objects.push(page.into_bytes());
        objects.push(content(sheet));
    }
    file(&objects)
}

fn content(sheet: &Sheet) -> Vec<u8> {
    let mut body = String::new();
    for line in &sheet.lines {
        let hex = line.bytes.iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        let (font, y) = (u8::from(line.bold), sheet.height - line.y);
        let _ = writeln!(body, "BT /F{font} {} Tf 1 0 0 1 {} {y} Tm <{hex}> Tj ET", line.size, line.x);
    }
    format!("<< /Length {} >>\nstream\n{body}endstream", body.len()).into_bytes()
}

fn file(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut offsets = Vec::with_capacity(objects.len());
    for (at, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        file.extend(format!("{} 0 obj\n", at + 1).bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let table = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for offset in offsets {
        file.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    let trailer = format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1);
    file.extend(trailer.bytes());
    file
}
