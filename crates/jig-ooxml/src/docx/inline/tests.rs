//! Pieces and the places they come from.

use super::*;
use crate::limits::Limits;
use crate::xml::Tree;

#[test]
fn pieces_name_their_runs_and_changes() {
    let text = format!(
        concat!(
            r#"<w:p xmlns:w="{}"><w:r><w:t>a</w:t><w:br/></w:r><w:ins><w:del><w:r><w:delText>b</w:delText></w:r></w:del>"#,
            "</w:ins><w:r><w:delText>stray</w:delText></w:r></w:p>",
        ),
        Ns::W.uri()
    );
    let tree = Tree::parse("p", &text, &Limits::default()).unwrap();
    let pieces = pieces(tree.root());
    let seen: Vec<_> = pieces
        .iter()
        .map(|piece| (piece.text(), piece.is_plain(), piece.mark.inserted.is_some(), piece.mark.deleted.is_some()))
        .collect();
    let wanted =
        [("a", true, false, false), ("\n", false, false, false), ("b", true, true, true), ("stray", true, false, true)];
    assert_eq!(seen, wanted);
    assert_eq!(pieces[0].run, pieces[1].run);
    assert_ne!(pieces[1].run, pieces[2].run);
    assert_eq!(
        [View::Final, View::Original, View::Markup].map(|view| super::text(&pieces, view)),
        ["a\n", "a\nstray", "a\nbstray"]
    );
}

#[test]
fn mathematics_on_one_line() {
    let run = |text: &str| format!("<m:r><m:t>{text}</m:t></m:r>");
    let inner = [
        format!("<m:sSup><m:e>{}</m:e><m:sup>{}</m:sup></m:sSup>", run("x"), run("2")),
        run("="),
        format!("<m:rad><m:radPr/><m:deg/><m:e>{}</m:e></m:rad>", run("y")),
        run("+"),
        format!(
            r#"<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{}</m:sub><m:sup>{}</m:sup><m:e>{}</m:e></m:nary>"#,
            run("i=1"),
            run("n"),
            run("i")
        ),
    ];
    let text = format!(r#"<m:oMath xmlns:m="{}">{}</m:oMath>"#, Ns::M.uri(), inner.concat());
    let tree = Tree::parse("m", &text, &Limits::default()).unwrap();
    assert_eq!(math::linear(tree.root()), "x^2=sqrt(y)+∑_(i=1)^n i");
}
