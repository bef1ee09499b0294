//! The theme of the template: colours, fonts, and plain effects.

use super::HEAD;
use crate::pptx::edit::markup::{Dialect, percent};

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
