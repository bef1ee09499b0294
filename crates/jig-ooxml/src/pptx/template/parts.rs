//! The parts of the template besides its layouts: presentation, theme, masters and the small ones, and the pieces that pages
//! consist of.

use super::{HEAD, SIZE};
use crate::pptx::markup::{Dialect, percent};

/// The presentation part, without masters and slides.
pub(super) fn presentation((width, height): (i64, i64)) -> String {
    let spaces = Dialect::default().declarations();
    let levels: String = (1..=9)
        .map(|level| {
            format!(
                r#"<a:lvl{level}pPr marL="{}" algn="l" defTabSz="914400" rtl="0" eaLnBrk="1" latinLnBrk="0" hangingPunct="1"><a:defRPr sz="1800" kern="1200">{}</a:defRPr></a:lvl{level}pPr>"#,
                (level - 1) * 457_200,
                text_face("tx1", "mn")
            )
        })
        .collect();
    format!(
        r#"{HEAD}<p:presentation {spaces} saveSubsetFonts="1"><p:sldSz cx="{width}" cy="{height}"/><p:notesSz cx="6858000" cy="9144000"/><p:defaultTextStyle><a:defPPr><a:defRPr lang="en-US"/></a:defPPr>{levels}</p:defaultTextStyle></p:presentation>"#
    )
}

/// Colour and typefaces of text: a colour of the theme, and its major (`mj`) or minor (`mn`) fonts.
pub(super) fn text_face(color: &str, fonts: &str) -> String {
    format!(
        r#"<a:solidFill><a:schemeClr val="{color}"/></a:solidFill><a:latin typeface="+{fonts}-lt"/><a:ea typeface="+{fonts}-ea"/><a:cs typeface="+{fonts}-cs"/>"#
    )
}

/// A part that says nothing.
pub(super) fn bare(name: &str) -> String {
    format!("{HEAD}<p:{name} {}/>", Dialect::default().declarations())
}

/// The table styles: none of our own, and the usual one as the default.
pub(super) fn table_styles() -> String {
    let uri = crate::xml::Ns::A.uri();
    format!(r#"{HEAD}<a:tblStyleLst xmlns:a="{uri}" def="{{5C22544A-7EE6-4342-B048-85BDC9FD1C3A}}"/>"#)
}

/// The number of the slide.
pub(super) const NUMBER_FIELD: &str = r#"<a:p><a:fld id="{5B1C7A52-3D0E-4E7B-9A51-6F0C2D8E4B17}" type="slidenum"><a:rPr lang="en-US"/><a:t>‹#›</a:t></a:fld><a:endParaRPr lang="en-US"/></a:p>"#;

/// A tree of shapes.
pub(super) fn tree(shapes: &str) -> String {
    format!(
        r#"<p:spTree><p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="0" cy="0"/><a:chOff x="0" y="0"/><a:chExt cx="0" cy="0"/></a:xfrm></p:grpSpPr>{shapes}</p:spTree>"#
    )
}

/// A placeholder: its number, name, attributes of `p:ph`, properties, body properties, list style and text.
pub(super) fn shape(id: usize, name: &str, ph: &str, properties: &str, body: &str, list: &str, text: &str) -> String {
    format!(
        r#"<p:sp><p:nvSpPr><p:cNvPr id="{id}" name="{name}"/><p:cNvSpPr><a:spLocks noGrp="1"/></p:cNvSpPr><p:nvPr><p:ph {ph}/></p:nvPr></p:nvSpPr><p:spPr>{properties}</p:spPr><p:txBody>{body}<a:lstStyle>{list}</a:lstStyle>{text}</p:txBody></p:sp>"#
    )
}

/// A place of the template on a slide of another size.
pub(super) fn transform([x, y, width, height]: [i64; 4], (wide, high): (i64, i64)) -> String {
    let across = |value: i64| value.saturating_mul(wide) / SIZE.0;
    let down = |value: i64| value.saturating_mul(high) / SIZE.1;
    format!(
        r#"<a:xfrm><a:off x="{}" y="{}"/><a:ext cx="{}" cy="{}"/></a:xfrm>"#,
        across(x),
        down(y),
        across(width),
        down(height)
    )
}

/// Colours by their place in the scheme.
const COLORS: [(&str, &str); 10] = [
    ("dk2", "1F2A44"),
    ("lt2", "EEF1F6"),
    ("accent1", "1F5FBF"),
    ("accent2", "E07A1F"),
    ("accent3", "2E8B6F"),
    ("accent4", "7A4FB5"),
    ("accent5", "C23B4A"),
    ("accent6", "5B7083"),
    ("hlink", "0B57D0"),
    ("folHlink", "6B3FA0"),
];

pub(super) fn theme(dialect: Dialect) -> String {
    let colors: String =
        COLORS.iter().map(|(name, rgb)| format!(r#"<a:{name}><a:srgbClr val="{rgb}"/></a:{name}>"#)).collect();
    let fill = r#"<a:solidFill><a:schemeClr val="phClr"/></a:solidFill>"#;
    let line = |width: u32| {
        format!(
            r#"<a:ln w="{width}" cap="flat" cmpd="sng" algn="ctr">{fill}<a:prstDash val="solid"/><a:miter lim="{}"/></a:ln>"#,
            percent(800.0)
        )
    };
    let lines = [line(6_350), line(12_700), line(19_050)].concat();
    let effects = "<a:effectStyle><a:effectLst/></a:effectStyle>".repeat(3);
    let (fills, spaces) = (fill.repeat(3), dialect.declaration_a());
    format!(
        r#"{HEAD}<a:theme {spaces} name="Jig"><a:themeElements><a:clrScheme name="Jig"><a:dk1><a:sysClr val="windowText" lastClr="000000"/></a:dk1><a:lt1><a:sysClr val="window" lastClr="FFFFFF"/></a:lt1>{colors}</a:clrScheme><a:fontScheme name="Jig"><a:majorFont><a:latin typeface="Aptos Display"/><a:ea typeface=""/><a:cs typeface=""/></a:majorFont><a:minorFont><a:latin typeface="Aptos"/><a:ea typeface=""/><a:cs typeface=""/></a:minorFont></a:fontScheme><a:fmtScheme name="Jig"><a:fillStyleLst>{fills}</a:fillStyleLst><a:lnStyleLst>{lines}</a:lnStyleLst><a:effectStyleLst>{effects}</a:effectStyleLst><a:bgFillStyleLst>{fills}</a:bgFillStyleLst></a:fmtScheme></a:themeElements><a:objectDefaults/><a:extraClrSchemeLst/></a:theme>"#
    )
}

/// The slide master.
pub(super) fn master(dialect: Dialect, size: (i64, i64), layout_ids: &str) -> String {
    let insets = r#"vert="horz" lIns="91440" tIns="45720" rIns="91440" bIns="45720" rtlCol="0""#;
    let body = |anchor: &str| format!(r#"<a:bodyPr {insets} anchor="{anchor}"><a:normAutofit/></a:bodyPr>"#);
    let small = |align: &str| {
        format!(
            r#"<a:lvl1pPr algn="{align}"><a:defRPr sz="1200"><a:solidFill><a:schemeClr val="tx1"><a:tint val="{}"/></a:schemeClr></a:solidFill></a:defRPr></a:lvl1pPr>"#,
            percent(75.0)
        )
    };
    let levels: String = (0..5)
        .map(|level| {
            format!(
                r#"<a:p><a:pPr lvl="{level}"/><a:r><a:rPr lang="en-US"/><a:t>Text of level {}</a:t></a:r></a:p>"#,
                level + 1
            )
        })
        .collect();
    let empty = r#"<a:p><a:endParaRPr lang="en-US"/></a:p>"#;
    let title = r#"<a:p><a:r><a:rPr lang="en-US"/><a:t>Click to edit the title</a:t></a:r></a:p>"#;
    let at = |place| format!("{}{RECTANGLE}", transform(place, size));
    let shapes = [
        shape(
            2,
            "Title Placeholder 1",
            r#"type="title""#,
            &at([838_200, 365_125, 10_515_600, 1_325_563]),
            &body("ctr"),
            "",
            title,
        ),
        shape(
            3,
            "Text Placeholder 2",
            r#"type="body" idx="1""#,
            &at([838_200, 1_825_625, 10_515_600, 4_351_338]),
            &body("t"),
            "",
            &levels,
        ),
        shape(
            4,
            "Date Placeholder 3",
            r#"type="dt" sz="half" idx="2""#,
            &at([838_200, 6_356_350, 2_743_200, 365_125]),
            &body("ctr"),
            &small("l"),
            empty,
        ),
        shape(
            5,
            "Footer Placeholder 4",
            r#"type="ftr" sz="quarter" idx="3""#,
            &at([4_038_600, 6_356_350, 4_114_800, 365_125]),
            &body("ctr"),
            &small("ctr"),
            empty,
        ),
        shape(
            6,
            "Slide Number Placeholder 5",
            r#"type="sldNum" sz="quarter" idx="4""#,
            &at([8_610_600, 6_356_350, 2_743_200, 365_125]),
            &body("ctr"),
            &small("r"),
            NUMBER_FIELD,
        ),
    ]
    .concat();
    format!(
        r#"{HEAD}<p:sldMaster {}><p:cSld><p:bg><p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef></p:bg>{}</p:cSld>{COLOR_MAP}<p:sldLayoutIdLst>{layout_ids}</p:sldLayoutIdLst><p:txStyles>{}</p:txStyles></p:sldMaster>"#,
        dialect.declarations(),
        tree(&shapes),
        text_styles()
    )
}

const COLOR_MAP: &str = r#"<p:clrMap bg1="lt1" tx1="dk1" bg2="lt2" tx2="dk2" accent1="accent1" accent2="accent2" accent3="accent3" accent4="accent4" accent5="accent5" accent6="accent6" hlink="hlink" folHlink="folHlink"/>"#;
const RECTANGLE: &str = r#"<a:prstGeom prst="rect"><a:avLst/></a:prstGeom>"#;

fn text_styles() -> String {
    let ninety = percent(90.0);
    let spacing = format!(r#"<a:lnSpc><a:spcPct val="{ninety}"/></a:lnSpc>"#);
    let common = r#"algn="l" defTabSz="914400" rtl="0" eaLnBrk="1" latinLnBrk="0" hangingPunct="1""#;
    let title = format!(
        r#"<a:lvl1pPr {common}>{spacing}<a:spcBef><a:spcPct val="{}"/></a:spcBef><a:buNone/><a:defRPr sz="4400" kern="1200">{}</a:defRPr></a:lvl1pPr>"#,
        percent(0.0),
        text_face("tx1", "mj")
    );
    let sizes = [2800, 2400, 2000, 1800, 1800, 1800, 1800, 1800, 1800];
    let levels = sizes.iter().enumerate().map(|(level, points)| {
        let (number, margin) = (level + 1, 228_600 + level * 457_200);
        let before = if level == 0 { 1000 } else { 500 };
        format!(
            r#"<a:lvl{number}pPr marL="{margin}" indent="-228600" {common}>{spacing}<a:spcBef><a:spcPts val="{before}"/></a:spcBef><a:buFont typeface="Arial"/><a:buChar char="•"/><a:defRPr sz="{points}" kern="1200">{}</a:defRPr></a:lvl{number}pPr>"#,
            text_face("tx1", "mn")
        )
    });
    let body: String = levels.collect();
    let other: String = (1..=9)
        .map(|number| {
            let margin = (number - 1) * 457_200;
            format!(
                r#"<a:lvl{number}pPr marL="{margin}" {common}><a:defRPr sz="1800" kern="1200">{}</a:defRPr></a:lvl{number}pPr>"#,
                text_face("tx1", "mn")
            )
        })
        .collect();
    format!(
        r#"<p:titleStyle>{title}</p:titleStyle><p:bodyStyle>{body}</p:bodyStyle><p:otherStyle><a:defPPr><a:defRPr lang="en-US"/></a:defPPr>{other}</p:otherStyle>"#
    )
}

/// The notes master, on a page of 7.5 by 10 inches.
pub(super) fn notes_master(dialect: Dialect) -> String {
    let page = SIZE;
    let image = format!(
        r#"<p:sp><p:nvSpPr><p:cNvPr id="2" name="Slide Image Placeholder 1"/><p:cNvSpPr><a:spLocks noGrp="1" noRot="1" noChangeAspect="1"/></p:cNvSpPr><p:nvPr><p:ph type="sldImg" idx="2"/></p:nvPr></p:nvSpPr><p:spPr>{}{RECTANGLE}<a:noFill/><a:ln w="12700"><a:solidFill><a:prstClr val="black"/></a:solidFill></a:ln></p:spPr></p:sp>"#,
        transform([685_800, 1_143_000, 5_486_400, 3_086_100], page)
    );
    let place = format!("{}{RECTANGLE}", transform([685_800, 4_400_550, 5_486_400, 3_600_450], page));
    let text = r#"<a:p><a:pPr lvl="0"/><a:r><a:rPr lang="en-US"/><a:t>Click to edit the notes</a:t></a:r></a:p>"#;
    let notes = shape(3, "Notes Placeholder 2", r#"type="body" sz="quarter" idx="3""#, &place, "<a:bodyPr/>", "", text);
    let levels: String = (1..=9)
        .map(|number| {
            let margin = (number - 1) * 457_200;
            format!(
                r#"<a:lvl{number}pPr marL="{margin}" algn="l" defTabSz="914400" rtl="0" eaLnBrk="1" latinLnBrk="0" hangingPunct="1"><a:defRPr sz="1200" kern="1200">{}</a:defRPr></a:lvl{number}pPr>"#,
                text_face("tx1", "mn")
            )
        })
        .collect();
    format!(
        r#"{HEAD}<p:notesMaster {}><p:cSld><p:bg><p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef></p:bg>{}</p:cSld>{COLOR_MAP}<p:notesStyle>{levels}</p:notesStyle></p:notesMaster>"#,
        dialect.declarations(),
        tree(&format!("{image}{notes}"))
    )
}
