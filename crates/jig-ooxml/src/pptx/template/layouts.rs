//! The layouts of the template, drawn in EMU on 13.333 by 7.5 inches.

use super::HEAD;
use super::parts::{NUMBER_FIELD, shape, transform, tree};
use crate::pptx::markup::Dialect;

/// A layout: its name, its kind, and its placeholders besides date, footer and number.
pub(super) struct LayoutPlan {
    name: &'static str,
    kind: &'static str,
    holders: &'static [Holder],
}

/// A placeholder of a layout.
struct Holder {
    name: &'static str,
    /// Attributes of `p:ph`.
    ph: &'static str,
    /// Left, top, width, height; none when it stands as in the master.
    place: Option<[i64; 4]>,
    style: Style,
}

/// How the text of a placeholder differs from the master's.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    AsMaster,
    /// Large, centred, at the bottom of its frame.
    Cover,
    /// Centred lines without bullets.
    Subtitle,
    /// At the bottom of its frame, of a size in points.
    Bottom(u32),
    /// Lines without bullets, of a size in points.
    Plain(u32),
    /// Bold lines without bullets at the bottom of the frame.
    Heading,
    /// Text that runs from top to bottom.
    Vertical,
}

const fn holder(name: &'static str, ph: &'static str, place: Option<[i64; 4]>, style: Style) -> Holder {
    Holder { name, ph, place, style }
}

const TITLE: Holder = holder("Title", r#"type="title""#, None, Style::AsMaster);
const CONTENT: Holder = holder("Content Placeholder", r#"idx="1""#, None, Style::AsMaster);
const CAPTION_TITLE: Holder =
    holder("Title", r#"type="title""#, Some([839_788, 457_200, 3_932_237, 1_600_200]), Style::Bottom(32));
const CAPTION_TEXT: Holder = holder(
    "Text Placeholder",
    r#"type="body" sz="half" idx="2""#,
    Some([839_788, 2_057_400, 3_932_237, 3_811_588]),
    Style::Plain(16),
);
const BESIDE: Option<[i64; 4]> = Some([5_183_188, 987_425, 6_172_200, 4_873_625]);

/// The usual eleven, in the usual order.
pub(super) const LAYOUTS: &[LayoutPlan] = &[
    LayoutPlan {
        name: "Title Slide",
        kind: "title",
        holders: &[
            holder("Title", r#"type="ctrTitle""#, Some([1_524_000, 1_122_363, 9_144_000, 2_387_600]), Style::Cover),
            holder(
                "Subtitle",
                r#"type="subTitle" idx="1""#,
                Some([1_524_000, 3_602_038, 9_144_000, 1_655_762]),
                Style::Subtitle,
            ),
        ],
    },
    LayoutPlan { name: "Title and Content", kind: "obj", holders: &[TITLE, CONTENT] },
    LayoutPlan {
        name: "Section Header",
        kind: "secHead",
        holders: &[
            holder("Title", r#"type="title""#, Some([831_850, 1_709_738, 10_515_600, 2_852_737]), Style::Bottom(60)),
            holder(
                "Text Placeholder",
                r#"type="body" idx="1""#,
                Some([831_850, 4_589_463, 10_515_600, 1_500_187]),
                Style::Plain(24),
            ),
        ],
    },
    LayoutPlan {
        name: "Two Content",
        kind: "twoObj",
        holders: &[
            TITLE,
            holder(
                "Content Placeholder",
                r#"sz="half" idx="1""#,
                Some([838_200, 1_825_625, 5_181_600, 4_351_338]),
                Style::AsMaster,
            ),
            holder(
                "Content Placeholder",
                r#"sz="half" idx="2""#,
                Some([6_172_200, 1_825_625, 5_181_600, 4_351_338]),
                Style::AsMaster,
            ),
        ],
    },
    LayoutPlan {
        name: "Comparison",
        kind: "twoTxTwoObj",
        holders: &[
            holder("Title", r#"type="title""#, Some([839_788, 365_125, 10_515_600, 1_325_563]), Style::AsMaster),
            holder(
                "Text Placeholder",
                r#"type="body" idx="1""#,
                Some([839_788, 1_681_163, 5_157_787, 823_912]),
                Style::Heading,
            ),
            holder(
                "Content Placeholder",
                r#"sz="half" idx="2""#,
                Some([839_788, 2_505_075, 5_157_787, 3_684_588]),
                Style::AsMaster,
            ),
            holder(
                "Text Placeholder",
                r#"type="body" sz="quarter" idx="3""#,
                Some([6_172_200, 1_681_163, 5_183_188, 823_912]),
                Style::Heading,
            ),
            holder(
                "Content Placeholder",
                r#"sz="quarter" idx="4""#,
                Some([6_172_200, 2_505_075, 5_183_188, 3_684_588]),
                Style::AsMaster,
            ),
        ],
    },
    LayoutPlan { name: "Title Only", kind: "titleOnly", holders: &[TITLE] },
    LayoutPlan { name: "Blank", kind: "blank", holders: &[] },
    LayoutPlan {
        name: "Content with Caption",
        kind: "objTx",
        holders: &[CAPTION_TITLE, holder("Content Placeholder", r#"idx="1""#, BESIDE, Style::AsMaster), CAPTION_TEXT],
    },
    LayoutPlan {
        name: "Picture with Caption",
        kind: "picTx",
        holders: &[
            CAPTION_TITLE,
            holder("Picture Placeholder", r#"type="pic" idx="1""#, BESIDE, Style::Plain(32)),
            CAPTION_TEXT,
        ],
    },
    LayoutPlan {
        name: "Title and Vertical Text",
        kind: "vertTx",
        holders: &[
            TITLE,
            holder("Vertical Text Placeholder", r#"type="body" orient="vert" idx="1""#, None, Style::Vertical),
        ],
    },
    LayoutPlan {
        name: "Vertical Title and Text",
        kind: "vertTitleAndTx",
        holders: &[
            holder(
                "Vertical Title",
                r#"type="title" orient="vert""#,
                Some([8_724_900, 365_125, 2_628_900, 5_811_838]),
                Style::Vertical,
            ),
            holder(
                "Vertical Text Placeholder",
                r#"type="body" orient="vert" idx="1""#,
                Some([838_200, 365_125, 7_734_300, 5_811_838]),
                Style::Vertical,
            ),
        ],
    },
];

impl LayoutPlan {
    pub(super) fn markup(&self, dialect: Dialect, size: (i64, i64)) -> String {
        let mut shapes = String::new();
        let holders = self.holders.iter().chain(&FURNITURE);
        for (number, holder) in holders.enumerate() {
            shapes.push_str(&holder.markup(number + 2, size));
        }
        format!(
            r#"{HEAD}<p:sldLayout {} type="{}" preserve="1"><p:cSld name="{}">{}</p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sldLayout>"#,
            dialect.declarations(),
            self.kind,
            self.name,
            tree(&shapes)
        )
    }
}

const FURNITURE: [Holder; 3] = [
    holder("Date Placeholder", r#"type="dt" sz="half" idx="10""#, None, Style::AsMaster),
    holder("Footer Placeholder", r#"type="ftr" sz="quarter" idx="11""#, None, Style::AsMaster),
    holder("Slide Number Placeholder", r#"type="sldNum" sz="quarter" idx="12""#, None, Style::AsMaster),
];

impl Holder {
    fn markup(&self, id: usize, size: (i64, i64)) -> String {
        let place = self.place.map(|place| transform(place, size)).unwrap_or_default();
        let (body, list) = self.style.markup();
        let text = if self.ph.contains("sldNum") {
            NUMBER_FIELD.to_owned()
        } else if self.ph.contains("title") || self.ph.contains("Title") {
            r#"<a:p><a:r><a:rPr lang="en-US"/><a:t>Click to edit the title</a:t></a:r></a:p>"#.to_owned()
        } else if self.ph.contains("dt") || self.ph.contains("ftr") {
            r#"<a:p><a:endParaRPr lang="en-US"/></a:p>"#.to_owned()
        } else {
            r#"<a:p><a:pPr lvl="0"/><a:r><a:rPr lang="en-US"/><a:t>Click to edit the text</a:t></a:r></a:p>"#.to_owned()
        };
        shape(id, &format!("{} {}", self.name, id - 1), self.ph, &place, &body, &list, &text)
    }
}

impl Style {
    /// The body properties and the list style.
    fn markup(self) -> (String, String) {
        let plain = |size: u32, more: &str, format: &str| -> String {
            let levels = (1..=9).map(|level| {
                let size = size.saturating_sub(2 * (level - 1)).max(12) * 100;
                let margin = (level - 1) * 457_200;
                format!(r#"<a:lvl{level}pPr marL="{margin}" indent="0"{more}><a:buNone/><a:defRPr sz="{size}"{format}/></a:lvl{level}pPr>"#)
            });
            levels.collect()
        };
        let one = |size: u32, more: &str| format!(r#"<a:lvl1pPr{more}><a:defRPr sz="{}"/></a:lvl1pPr>"#, size * 100);
        let fit = "<a:normAutofit/>";
        let (body, list) = match self {
            Self::AsMaster => (String::new(), String::new()),
            Self::Cover => (format!(r#"<a:bodyPr anchor="b">{fit}</a:bodyPr>"#), one(60, r#" algn="ctr""#)),
            Self::Subtitle => (String::new(), plain(24, r#" algn="ctr""#, "")),
            Self::Bottom(size) => (format!(r#"<a:bodyPr anchor="b">{fit}</a:bodyPr>"#), one(size, "")),
            Self::Plain(size) => (String::new(), plain(size, "", "")),
            Self::Heading => (r#"<a:bodyPr anchor="b"/>"#.to_owned(), plain(24, "", r#" b="1""#)),
            Self::Vertical => (r#"<a:bodyPr vert="eaVert"/>"#.to_owned(), String::new()),
        };
        (if body.is_empty() { "<a:bodyPr/>".to_owned() } else { body }, list)
    }
}
