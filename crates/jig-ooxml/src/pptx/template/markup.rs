//! The small parts of the template.

use super::HEAD;
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
