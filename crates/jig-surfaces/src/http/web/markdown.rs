//! Renders Markdown safely. The output only contains a few elements: HTML in the source is shown as text, images by
//! their alt text, and links only lead to safe schemes.

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// How many bytes of a text are rendered.
const DRAWN: usize = 256 << 10;

pub(super) fn markdown(text: &str) -> Markup {
    let mut cut = text.len().min(DRAWN);
    while !text.is_char_boundary(cut) {
        cut -= 1;
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut page = Page::default();
    Parser::new_ext(&text[..cut], options).for_each(|event| page.take(event));
    html! {
        div class="md" dir="auto" { (PreEscaped(page.html)) }
        @if cut < text.len() { p class="muted" { "The first " (super::units::bytes(cut as u64)) " of " (super::units::bytes(text.len() as u64)) " are shown." } }
    }
}

#[derive(Default)]
struct Page {
    html: String,
    /// Whether a table row is the header.
    heading: bool,
    /// The closing tags of open links; empty for links that are not rendered.
    links: Vec<&'static str>,
}

impl Page {
    fn say(&mut self, text: &str) {
        self.html.push_str(&html! { (text) }.into_string());
    }

    /// A comment about the text: templates use comments to explain what belongs there.
    fn hint(&mut self, text: &str) {
        let words = text.trim().trim_start_matches("<!--").trim_end_matches("-->").trim();
        self.html.push_str(&html! { em class="muted" { (words) } }.into_string());
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Html(text) | Event::InlineHtml(text) if is_comment(&text) => self.hint(&text),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.say(&text),
            Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.html.push_str(&html! { code { (&*text) } }.into_string());
            }
            Event::FootnoteReference(name) => self.say(&format!("[{name}]")),
            Event::SoftBreak => self.html.push('\n'),
            Event::HardBreak => self.html.push_str("<br>"),
            Event::Rule => self.html.push_str("<hr>"),
            Event::TaskListMarker(done) => self.html.push_str(if done {
                "<span class=\"task\">☑<span class=\"sr\"> done: </span></span> "
            } else {
                "<span class=\"task\">☐<span class=\"sr\"> open: </span></span> "
            }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let opening = match tag {
            Tag::Paragraph => "<p>",
            // The page has its own headings; those of the text get a class instead.
            Tag::Heading { .. } => "<p class=\"md-head\">",
            Tag::BlockQuote(_) => "<blockquote>",
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => "<pre class=\"text\" tabindex=\"0\">",
            Tag::List(None) => "<ul>",
            Tag::List(Some(first)) => {
                self.html.push_str(&format!("<ol start=\"{first}\">"));
                return;
            }
            Tag::Item => "<li>",
            Tag::Table(_) => "<div class=\"table\" role=\"region\" aria-label=\"Table\" tabindex=\"0\"><table>",
            Tag::TableHead => {
                self.heading = true;
                "<thead><tr>"
            }
            Tag::TableRow => "<tr>",
            Tag::TableCell if self.heading => "<th>",
            Tag::TableCell => "<td>",
            Tag::Emphasis => "<em>",
            Tag::Strong => "<strong>",
            Tag::Strikethrough => "<del>",
            Tag::Link { dest_url, .. } => return self.link(&dest_url),
            Tag::HtmlBlock => "<p>",
            _ => "",
        };
        self.html.push_str(opening);
    }

    fn link(&mut self, to: &str) {
        let fine = ["https://", "http://", "mailto:"].iter().any(|start| to.to_ascii_lowercase().starts_with(start));
        self.links.push(if fine { "</a>" } else { "" });
        if fine {
            let opening = html! { a href=(to) rel="noopener noreferrer nofollow" {} }.into_string();
            self.html.push_str(opening.trim_end_matches("</a>"));
        }
    }

    fn end(&mut self, tag: TagEnd) {
        let closing = match tag {
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::HtmlBlock => "</p>",
            TagEnd::BlockQuote(_) => "</blockquote>",
            TagEnd::CodeBlock => "</pre>",
            TagEnd::List(false) => "</ul>",
            TagEnd::List(true) => "</ol>",
            TagEnd::Item => "</li>",
            TagEnd::Table => "</tbody></table></div>",
            TagEnd::TableHead => {
                self.heading = false;
                "</tr></thead><tbody>"
            }
            TagEnd::TableRow => "</tr>",
            TagEnd::TableCell if self.heading => "</th>",
            TagEnd::TableCell => "</td>",
            TagEnd::Emphasis => "</em>",
            TagEnd::Strong => "</strong>",
            TagEnd::Strikethrough => "</del>",
            TagEnd::Link => self.links.pop().unwrap_or_default(),
            _ => "",
        };
        self.html.push_str(closing);
    }
}

/// Whether a text is a single complete comment.
fn is_comment(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("<!--") && text.ends_with("-->") && text.matches("<!--").count() == 1
}

#[cfg(test)]
mod tests {
    use super::markdown;

    #[test]
    fn a_text_is_drawn_and_nothing_of_it_runs() {
        let text = "# T\n\n- [x] *done* `a<b`\n\n<script>alert(1)</script>\n\n[x](javascript:alert(1)) [y](https://a.example/?q=\"x) \
                    ![p](https://b.example/p.png) <img src=x onerror=alert(1)>\n\n<!-- say <why> -->\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
        let drawn = markdown(text).into_string();
        for kept in [
            "<p class=\"md-head\">T</p>",
            "☑",
            "<em>done</em>",
            "<code>a&lt;b</code>",
            "&lt;script&gt;",
            "<th>a</th>",
            "<td>2</td>",
        ] {
            assert!(drawn.contains(kept), "{kept}: {drawn}");
        }
        for gone in ["<script", "<img", "javascript:", "b.example"] {
            assert!(!drawn.contains(gone), "{gone}: {drawn}");
        }
        assert!(
            drawn.contains("<a href=\"https://a.example/?q=&quot;x\" rel=\"noopener noreferrer nofollow\">y</a>"),
            "{drawn}"
        );
    }
}
