//! A cache of the parts that an edit has parsed, so that the ops of one list parse a part only once.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::error::{Error, InternalError, PackageError};
use crate::package::Package;
use crate::xml::{ParsedPart, Splice};

/// Limit of cached parts: the ops of one list mostly edit the same few parts, and a deck has hundreds.
const MOST_PARTS: usize = 8;

/// Parsed parts, the most recently used first. Each is valid for the version of the part it was made from.
#[derive(Debug, Default)]
pub(crate) struct ParsedParts {
    recent: VecDeque<(u64, Rc<ParsedPart>)>,
}

impl ParsedParts {
    /// A part as it is in the package now.
    pub(crate) fn get(&mut self, package: &Package, name: &str) -> Result<Rc<ParsedPart>, PackageError> {
        let name = package.spelled(name).unwrap_or(name);
        // A part that does not exist has no version; reading it gives the error.
        let Some(version) = package.version(name) else { return Ok(Rc::new(ParsedPart::new(package.xml(name)?))) };
        let known = self.recent.iter().position(|(of, part)| *of == version && part.name() == name);
        let part = match known.and_then(|at| self.recent.remove(at)) {
            Some((_, part)) => part,
            None => Rc::new(ParsedPart::new(package.xml(name)?)),
        };
        self.put(version, Rc::clone(&part));
        Ok(part)
    }

    /// Applies a splice to a part and puts the result into the package.
    pub(crate) fn splice(&mut self, package: &mut Package, part: &ParsedPart, splice: Splice<'_>) -> Result<(), Error> {
        if splice.is_empty() {
            return Ok(());
        }
        let text = splice.finish().map_err(|error| InternalError::overlap(part.name(), &error))?;
        let edited = part.with_text(text);
        package.set_xml(&edited);
        // So the next op need not inflate the text again.
        let version = package.version(&edited.name).unwrap_or_default();
        self.put(version, Rc::new(ParsedPart::new(edited)));
        Ok(())
    }

    fn put(&mut self, version: u64, part: Rc<ParsedPart>) {
        self.recent.retain(|(_, known)| known.name() != part.name());
        self.recent.push_front((version, part));
        self.recent.truncate(MOST_PARTS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::xml::XmlPart;

    #[test]
    fn a_part_is_parsed_again_only_when_it_was_set() {
        let mut package = Package::open(*b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", Limits::default()).unwrap();
        package.set_xml(&XmlPart::new("a.xml", "<a/>"));
        let mut parts = ParsedParts::default();
        let first = parts.get(&package, "/A.xml").unwrap();
        assert!(Rc::ptr_eq(&first, &parts.get(&package, "a.xml").unwrap()));
        let mut splice = Splice::new(first.text());
        splice.append(first.tree(package.limits()).unwrap().root(), "b");
        parts.splice(&mut package, &first, splice).unwrap();
        assert_eq!((parts.get(&package, "a.xml").unwrap().text(), first.text()), ("<a>b</a>", "<a/>"));
        package.set("a.xml", b"<c/>");
        assert_eq!(parts.get(&package, "a.xml").unwrap().text(), "<c/>");
        package.remove("a.xml");
        assert!(parts.get(&package, "a.xml").is_err());
    }
}
