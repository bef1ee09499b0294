//! The small parts of the template, and the pieces that its pages are made of.

use super::{HEAD, SIZE};
use crate::pptx::edit::markup::Dialect;

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
