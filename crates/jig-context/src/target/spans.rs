//! Finds the spans of a message that are not the person's own words: code, quotations, pasted text, links.

use std::ops::Range;

/// The special spans of a message, as byte ranges.
#[derive(Debug, Default)]
pub(super) struct Spans {
    /// Ignored spans: code, quoted mails, pasted text, links, mail addresses.
    pub(super) hidden: Vec<Range<usize>>,
    /// Text between quotation marks, without the marks.
    pub(super) quoted: Vec<Range<usize>>,
    /// Text in backticks on one line, without them: code, or the name of a section.
    pub(super) ticked: Vec<Range<usize>>,
}

impl Spans {
    pub(super) fn of(text: &str) -> Self {
        let mut spans = Self::default();
        spans.lines(text);
        spans.ticks(text);
        spans.chunks(text);
        spans.merge();
        spans.quotes(text);
        spans
    }

    fn merge(&mut self) {
        self.hidden.sort_by_key(|range| range.start);
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(self.hidden.len());
        for range in std::mem::take(&mut self.hidden) {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        self.hidden = merged;
    }

    pub(super) fn is_hidden(&self, at: usize) -> bool {
        within(&self.hidden, at).is_some()
    }

    /// Finds fenced code, quoted lines, headings, and everything below a line that ends with a colon.
    fn lines(&mut self, text: &str) {
        let mut start = 0;
        let mut fence = None;
        for line in text.split_inclusive('\n') {
            let range = start..start + line.len();
            let trimmed = line.trim();
            let is_fence = trimmed.starts_with("```") || trimmed.starts_with("~~~");
            match (is_fence, fence) {
                (true, None) => fence = Some(start),
                (true, Some(opened)) => {
                    self.hidden.push(opened..range.end);
                    fence = None;
                }
                (false, Some(_)) => {}
                (false, None) if trimmed.starts_with('>') || is_heading(trimmed) => self.hidden.push(range.clone()),
                (false, None) if trimmed.ends_with([':', '：']) && range.end < text.len() => {
                    self.hidden.push(range.end..text.len());
                    return;
                }
                (false, None) => {}
            }
            start = range.end;
        }
        self.hidden.extend(fence.map(|opened| opened..text.len()));
    }

    fn ticks(&mut self, text: &str) {
        let mut opened = None;
        for (at, c) in text.char_indices().filter(|(at, _)| within(&self.hidden, *at).is_none()) {
            match (c, opened) {
                ('`', None) => opened = Some(at + 1),
                ('`', Some(start)) => {
                    self.ticked.push(start..at);
                    opened = None;
                }
                ('\n', _) => opened = None,
                _ => {}
            }
        }
    }

    /// Finds links, mail addresses and paths.
    fn chunks(&mut self, text: &str) {
        for chunk in chunks(text) {
            let word = text[chunk.clone()].trim_start_matches(['(', '<', '[', '"', '\'']);
            let mail = word.find('@').is_some_and(|at| at > 0 && word[..at].ends_with(char::is_alphanumeric));
            let path = word.starts_with('/') && word.matches('/').count() > 1 || word.starts_with("~/");
            if word.contains("://") || word.starts_with("www.") || mail || path {
                self.hidden.push(chunk);
            }
        }
    }

    fn quotes(&mut self, text: &str) {
        const PAIRS: &[(char, &[char])] = &[
            ('"', &['"']),
            ('“', &['”', '“']),
            ('„', &['“', '”']),
            ('«', &['»']),
            ('»', &['«']),
            ('‹', &['›']),
            ('「', &['」']),
            ('『', &['』']),
            ('《', &['》']),
            ('‘', &['’']),
            ('\'', &['\'']),
        ];
        let mut open: Option<(usize, &[char])> = None;
        let mut before = ' ';
        let mut rest = text.char_indices().peekable();
        while let Some((at, c)) = rest.next() {
            let after = rest.peek().map_or(' ', |(_, next)| *next);
            match open {
                Some((start, close)) if close.contains(&c) && !(is_apostrophe(c) && after.is_alphanumeric()) => {
                    self.quoted.push(start..at);
                    open = None;
                }
                Some(_) if c == '\n' => open = None,
                Some(_) => {}
                None => {
                    let close = PAIRS.iter().find(|(mark, _)| *mark == c).map(|(_, close)| *close);
                    let opens = !is_apostrophe(c) || !before.is_alphanumeric();
                    open = close.filter(|_| opens && !self.is_hidden(at)).map(|close| (at + c.len_utf8(), close));
                }
            }
            before = c;
        }
    }
}

/// The range that contains a position. Ranges must be sorted and disjoint.
pub(super) fn within(ranges: &[Range<usize>], at: usize) -> Option<usize> {
    let number = ranges.partition_point(|range| range.end <= at);
    ranges.get(number).filter(|range| range.contains(&at)).map(|_| number)
}

/// The spans between whitespace.
pub(super) fn chunks(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    text.split_whitespace().map(|chunk| {
        let start = chunk.as_ptr().addr() - text.as_ptr().addr();
        start..start + chunk.len()
    })
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

fn is_heading(line: &str) -> bool {
    let marks = line.chars().take_while(|c| *c == '#').count();
    (1..=6).contains(&marks) && line.chars().nth(marks).is_none_or(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::Spans;

    fn hidden(text: &str) -> Vec<&str> {
        Spans::of(text).hidden.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn code_quoted_mails_and_pasted_texts_are_not_looked_into() {
        assert_eq!(hidden("a\n```\ncode\n```\nb"), ["```\ncode\n```\n"]);
        assert_eq!(hidden("a\n```\ncode"), ["```\ncode"]);
        assert_eq!(hidden("> mail\nb"), ["> mail\n"]);
        assert_eq!(hidden("## Heading\nb"), ["## Heading\n"]);
        assert_eq!(hidden("Use this:\n\ntext"), ["\ntext"]);
        assert_eq!(
            hidden("jess@example.md https://x.y/z /usr/bin/env"),
            ["jess@example.md", "https://x.y/z", "/usr/bin/env"]
        );
        assert_eq!(hidden("ends with a colon:"), Vec::<&str>::new());
    }

    #[test]
    fn quotations_are_found_and_apostrophes_are_none() {
        let quoted =
            |text: &'static str| -> Vec<&str> { Spans::of(text).quoted.into_iter().map(|r| &text[r]).collect() };
        assert_eq!(quoted("a \"b c\" 'd' „e“ «f» 「g」 “h”"), ["b c", "d", "e", "f", "g", "h"]);
        assert_eq!(quoted("the brand's voice isn't ours'"), Vec::<&str>::new());
        assert_eq!(quoted("say 'it's fine' now"), ["it's fine"]);
        assert_eq!(quoted("an \"open end"), Vec::<&str>::new());
    }
}
