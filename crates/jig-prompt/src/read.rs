//! Parses a prompt back into its sections.
//!
//! Proves the rule in [`crate::escape`]: what is read is what was written, whatever the data contains. Pages that show
//! what a model saw use it too.

use crate::escape::{CONTEXT, PREFIX, unescape};

/// An element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Element {
    /// Its name.
    pub name: String,
    /// Its attributes in order, unescaped.
    pub attributes: Vec<(String, String)>,
    /// Its data, unescaped.
    pub data: Option<String>,
    /// Its child elements.
    pub children: Vec<Element>,
}

impl Element {
    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Why a text is not a valid prompt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at byte {at}: {expected} was expected")]
pub struct BadPrompt {
    /// The byte offset.
    pub at: usize,
    /// What was expected there.
    pub expected: &'static str,
}

/// Parses an entire prompt or some of its sections.
pub fn read(text: &str) -> Result<Vec<Element>, BadPrompt> {
    let mut reader = Reader { text, at: 0 };
    let mut elements = Vec::new();
    while !reader.rest().is_empty() {
        elements.push(reader.section()?);
    }
    Ok(elements)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn bad(&self, expected: &'static str) -> BadPrompt {
        BadPrompt { at: self.at, expected }
    }

    fn take(&mut self, token: &str, expected: &'static str) -> Result<(), BadPrompt> {
        if !self.rest().starts_with(token) {
            return Err(self.bad(expected));
        }
        self.at += token.len();
        Ok(())
    }

    fn section(&mut self) -> Result<Element, BadPrompt> {
        let mut element = self.open()?;
        self.take("\n", "the end of a line")?;
        if element.name == CONTEXT {
            element.children = self.children(&element.name, Self::document)?;
        } else {
            element.data = self.data()?;
            element.children = self.children(&element.name, Self::section)?;
        }
        Ok(element)
    }

    fn document(&mut self) -> Result<Element, BadPrompt> {
        let mut element = self.open()?;
        self.take("\n", "the end of a line")?;
        element.children = self.children(&element.name, Self::part)?;
        Ok(element)
    }

    fn part(&mut self) -> Result<Element, BadPrompt> {
        let mut element = self.open()?;
        let end = format!("</{}>\n", element.name);
        let length = self.rest().find(&end).ok_or_else(|| self.bad("the end of a part"))?;
        element.data = self.rest().get(..length).map(|data| unescape(data).into_owned());
        self.at += length + end.len();
        Ok(element)
    }

    /// The elements up to the closing tag of their parent, and that tag.
    fn children(
        &mut self,
        parent: &str,
        child: fn(&mut Self) -> Result<Element, BadPrompt>,
    ) -> Result<Vec<Element>, BadPrompt> {
        let end = format!("</{parent}>\n");
        let mut children = Vec::new();
        while !self.rest().starts_with("</") {
            children.push(child(self)?);
        }
        self.take(&end, "the end of this tag")?;
        Ok(children)
    }

    /// The lines up to the next tag; `None` if it follows immediately.
    fn data(&mut self) -> Result<Option<String>, BadPrompt> {
        let rest = self.rest();
        if is_tag(rest) {
            return Ok(None);
        }
        let ends = rest.match_indices('\n').find(|(at, _)| is_tag(rest.get(at + 1..).unwrap_or_default()));
        let (length, _) = ends.ok_or_else(|| self.bad("a tag after the data"))?;
        self.at += length + 1;
        Ok(rest.get(..length).map(|data| unescape(data).into_owned()))
    }

    fn open(&mut self) -> Result<Element, BadPrompt> {
        self.take("<", "a tag")?;
        let name = self.name()?.to_owned();
        let mut attributes = Vec::new();
        while self.rest().starts_with(' ') {
            self.at += 1;
            let name = self.name()?.to_owned();
            self.take("=\"", "a value in quotes")?;
            let (value, _) = self.rest().split_once('"').ok_or_else(|| self.bad("the end of a value"))?;
            self.at += value.len() + 1;
            attributes.push((name, unescape(value).into_owned()));
        }
        self.take(">", "the end of a tag")?;
        Ok(Element { name, attributes, data: None, children: Vec::new() })
    }

    fn name(&mut self) -> Result<&'a str, BadPrompt> {
        let rest = self.rest();
        let length = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')).count();
        if length == 0 {
            return Err(self.bad("a name"));
        }
        self.at += length;
        Ok(rest.get(..length).unwrap_or_default())
    }
}

/// Whether the tag of a section starts or ends here.
fn is_tag(rest: &str) -> bool {
    let name = rest.strip_prefix("</").or_else(|| rest.strip_prefix('<')).unwrap_or_default();
    name.starts_with(PREFIX) || name.strip_prefix(CONTEXT).is_some_and(|rest| rest.starts_with('>'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_and_tags_are_told_apart() {
        let read = read("<workbench-a x=\"1 ⟦U+22⟧2\">\none\n\n<workbench-b>\n</workbench-b>\n</workbench-a>\n<workbench-c>\n\n</workbench-c>\n").unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!(read[0].attribute("x"), Some("1 \"2"));
        assert_eq!(read[0].data.as_deref(), Some("one\n"));
        assert_eq!((read[0].children[0].name.as_str(), &read[0].children[0].data), ("workbench-b", &None));
        assert_eq!(read[1].data.as_deref(), Some(""));
    }

    #[test]
    fn what_is_not_whole_is_refused() {
        for text in
            ["x", "<workbench-a>", "<workbench-a>\nx", "<workbench-a>\nx\n</workbench-b>\n", "<workbench-a x=1>\n"]
        {
            assert!(read(text).is_err(), "{text}");
        }
        assert_eq!(read("<>").unwrap_err().to_string(), "at byte 1: a name was expected");
    }
}
