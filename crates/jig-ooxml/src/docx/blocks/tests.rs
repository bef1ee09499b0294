//! Blocks through everything they can be wrapped in.

use super::*;
use crate::limits::Limits;

#[test]
fn wrappers_are_entered_and_indexes_count_on() {
    let text = format!(
        concat!(
            r#"<w:document xmlns:w="{w}" xmlns:mc="{mc}"><w:body><w:p/>"#,
            "<w:sdt><w:sdtPr/><w:sdtContent><w:p/><w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl></w:sdtContent></w:sdt>",
            "<w:customXml><w:p/></w:customXml><w:del><w:p/></w:del><w:ins><w:p/></w:ins>",
            "<mc:AlternateContent><mc:Choice><w:p/></mc:Choice><mc:Fallback><w:p/><w:p/></mc:Fallback></mc:AlternateContent>",
            "<w:tbl/><w:sectPr/></w:body></w:document>",
        ),
        w = Ns::W.uri(),
        mc = Ns::Mc.uri(),
    );
    let tree = Tree::parse("d", &text, &Limits::default()).unwrap();
    let found: Vec<_> = blocks(body(&tree, "d").unwrap())
        .into_iter()
        .map(|block| match block {
            Block::Paragraph(p) => ('p', p.index, p.mark.inserted.is_some(), p.mark.deleted.is_some()),
            Block::Table(t) => ('t', t.index, t.mark.inserted.is_some(), t.mark.deleted.is_some()),
        })
        .collect();
    let plain = |kind, index| (kind, index, false, false);
    let wanted = [
        plain('p', 0),
        plain('p', 1),
        plain('t', 0),
        plain('p', 2),
        ('p', 3, false, true),
        ('p', 4, true, false),
        plain('p', 5),
        plain('t', 1),
    ];
    assert_eq!(found, wanted);
}
