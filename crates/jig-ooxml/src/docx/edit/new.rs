//! The document that a new file starts from, with its styles, theme and settings.

use crate::error::Error;
use crate::limits::Limits;
use crate::package::Package;

use super::markup::Dialect;
use super::styles::{BUILTINS, List};

/// A zip without entries.
const EMPTY_ZIP: &[u8] = b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

/// A4 with margins of 2.54 cm.
const PAGE: &str = concat!(
    r#"<w:sectPr><w:pgSz w:w="11906" w:h="16838"/>"#,
    r#"<w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="708" w:footer="708" w:gutter="0"/>"#,
    r#"<w:cols w:space="708"/><w:docGrid w:linePitch="360"/></w:sectPr>"#
);

const CONTENT_TYPES: &str = concat!(
    r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">"#,
    r#"<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>"#,
    r#"<Default Extension="xml" ContentType="application/xml"/>"#,
    r#"<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>"#,
    r#"<Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/>"#,
    r#"<Override PartName="/word/numbering.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.numbering+xml"/>"#,
    r#"<Override PartName="/word/settings.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.settings+xml"/>"#,
    r#"<Override PartName="/word/fontTable.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.fontTable+xml"/>"#,
    r#"<Override PartName="/word/theme/theme1.xml" ContentType="application/vnd.openxmlformats-officedocument.theme+xml"/>"#,
    r#"<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>"#,
    r#"<Override PartName="/docProps/app.xml" ContentType="application/vnd.openxmlformats-officedocument.extended-properties+xml"/>"#,
    "</Types>"
);

const ROOT_RELS: &str = concat!(
    r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">"#,
    r#"<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>"#,
    r#"<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/>"#,
    r#"<Relationship Id="rId3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/extended-properties" Target="docProps/app.xml"/>"#,
    "</Relationships>"
);

const DOCUMENT_RELS: &str = concat!(
    r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">"#,
    r#"<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/>"#,
    r#"<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/numbering" Target="numbering.xml"/>"#,
    r#"<Relationship Id="rId3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/settings" Target="settings.xml"/>"#,
    r#"<Relationship Id="rId4" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/fontTable" Target="fontTable.xml"/>"#,
    r#"<Relationship Id="rId5" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/theme" Target="theme/theme1.xml"/>"#,
    "</Relationships>"
);

const SETTINGS: &str = concat!(
    r#"<w:zoom w:percent="100"/><w:defaultTabStop w:val="720"/><w:characterSpacingControl w:val="doNotCompress"/><w:compat>"#,
    r#"<w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="15"/>"#,
    r#"<w:compatSetting w:name="overrideTableStyleFontSizeAndJustification" w:uri="http://schemas.microsoft.com/office/word" w:val="1"/>"#,
    r#"<w:compatSetting w:name="enableOpenTypeFeatures" w:uri="http://schemas.microsoft.com/office/word" w:val="1"/>"#,
    r#"<w:compatSetting w:name="doNotFlipMirrorIndents" w:uri="http://schemas.microsoft.com/office/word" w:val="1"/></w:compat>"#,
    r#"<w:decimalSymbol w:val="."/><w:listSeparator w:val=","/>"#
);

const DEFAULTS: &str = concat!(
    r#"<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:asciiTheme="minorHAnsi" w:eastAsiaTheme="minorEastAsia" w:hAnsiTheme="minorHAnsi" w:cstheme="minorBidi"/>"#,
    r#"<w:kern w:val="2"/><w:sz w:val="22"/><w:szCs w:val="22"/><w:lang w:val="en-US" w:eastAsia="en-US" w:bidi="ar-SA"/></w:rPr></w:rPrDefault>"#,
    r#"<w:pPrDefault><w:pPr><w:spacing w:after="160" w:line="278" w:lineRule="auto"/></w:pPr></w:pPrDefault></w:docDefaults>"#,
    r#"<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/><w:qFormat/></w:style>"#,
    r#"<w:style w:type="character" w:default="1" w:styleId="DefaultParagraphFont"><w:name w:val="Default Paragraph Font"/><w:uiPriority w:val="1"/><w:semiHidden/><w:unhideWhenUsed/></w:style>"#,
    r#"<w:style w:type="table" w:default="1" w:styleId="TableNormal"><w:name w:val="Normal Table"/><w:uiPriority w:val="99"/><w:semiHidden/><w:unhideWhenUsed/>"#,
    r#"<w:tblPr><w:tblInd w:w="0" w:type="dxa"/><w:tblCellMar><w:top w:w="0" w:type="dxa"/><w:left w:w="108" w:type="dxa"/><w:bottom w:w="0" w:type="dxa"/><w:right w:w="108" w:type="dxa"/></w:tblCellMar></w:tblPr></w:style>"#,
    r#"<w:style w:type="numbering" w:default="1" w:styleId="NoList"><w:name w:val="No List"/><w:uiPriority w:val="99"/><w:semiHidden/><w:unhideWhenUsed/></w:style>"#
);

/// The list numbers that the template's list styles use.
const BULLETS: u32 = 1;
const NUMBERS: u32 = 2;

/// An empty document.
pub(super) fn package(limits: Limits, now: Option<&str>) -> Result<Package, Error> {
    let mut package = Package::open(EMPTY_ZIP, limits)?;
    let mut set = |name: &str, body: &str| package.set(name, format!("{HEAD}{body}").as_bytes());
    set("[Content_Types].xml", CONTENT_TYPES);
    set("_rels/.rels", ROOT_RELS);
    set("word/document.xml", &document());
    set("word/_rels/document.xml.rels", DOCUMENT_RELS);
    set("word/styles.xml", &styles());
    set("word/numbering.xml", &numbering());
    set("word/settings.xml", &format!(r#"<w:settings xmlns:w="{W}">{SETTINGS}</w:settings>"#));
    set("word/fontTable.xml", &fonts());
    set("word/theme/theme1.xml", include_str!("new/theme.xml").trim());
    set("docProps/core.xml", &core(now));
    set(
        "docProps/app.xml",
        r#"<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"><Application>Jig</Application></Properties>"#,
    );
    Ok(package)
}

fn document() -> String {
    let r = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    format!(r#"<w:document xmlns:w="{W}" xmlns:r="{r}"><w:body>{PAGE}</w:body></w:document>"#)
}

fn styles() -> String {
    let dialect = Dialect::usual();
    let builtins: String = BUILTINS
        .iter()
        .map(|style| {
            let list = style.list.map(|list| if list == List::Bullet { BULLETS } else { NUMBERS });
            style.markup(style.id, Some("Normal"), list, &dialect)
        })
        .collect();
    format!(r#"<w:styles xmlns:w="{W}">{DEFAULTS}{builtins}</w:styles>"#)
}

fn numbering() -> String {
    let dialect = Dialect::usual();
    let lists = [
        List::Bullet.definition(0, &dialect),
        List::Number.definition(1, &dialect),
        List::instance(BULLETS, 0, &dialect),
        List::instance(NUMBERS, 1, &dialect),
    ];
    format!(r#"<w:numbering xmlns:w="{W}">{}</w:numbering>"#, lists.concat())
}

fn fonts() -> String {
    let font = |name: &str, family: &str| {
        format!(
            r#"<w:font w:name="{name}"><w:charset w:val="00"/><w:family w:val="{family}"/><w:pitch w:val="variable"/></w:font>"#
        )
    };
    format!(r#"<w:fonts xmlns:w="{W}">{}{}</w:fonts>"#, font("Aptos", "swiss"), font("Aptos Display", "swiss"))
}

fn core(now: Option<&str>) -> String {
    let stamp = |name: &str| {
        let time = now.map(crate::xml::escape_text);
        time.map_or_else(String::new, |time| {
            format!(r#"<dcterms:{name} xsi:type="dcterms:W3CDTF">{time}</dcterms:{name}>"#)
        })
    };
    format!(
        r#"<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:creator>Jig</dc:creator>{}{}</cp:coreProperties>"#,
        stamp("created"),
        stamp("modified")
    )
}
