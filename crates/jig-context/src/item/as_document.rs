//! An item as a document: its files are parts, so that it can be addressed as `@company-context#summary`.

use jig_contract::Actor;

use super::Item;
use super::category::Category;
use super::source::SourceInput;
use crate::document::{
    Document, DocumentId, Extra, Key, Kind, KindName, Need, Origin, Part, PartId, PartName, PartRule, Provenance,
    Revision, Slots, Source,
};

/// The document kind of a category.
pub fn kind(category: Category) -> Kind {
    let files =
        [Some((category.main_file(), Need::Required)), category.detail_file().map(|path| (path, Need::Optional))];
    let rule = |(path, need)| PartRule { name: part_name(category, path), title: String::from(path), need };
    Kind {
        name: kind_name(category),
        title: category.label().to_owned(),
        slots: Slots::Singleton,
        parts: files.into_iter().flatten().map(rule).collect(),
        extra: Extra::Allowed,
        ttl_hours: None,
    }
}

/// Valid for all four categories, as the test below checks.
fn kind_name(category: Category) -> KindName {
    KindName::known(category.as_str())
}

/// The name of a file in addresses: `skill`, `context`, `summary`. A nested file keeps its folders in the name.
pub fn part_name(category: Category, path: &str) -> PartName {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let short = if path == category.main_file() { stem } else { stem.strip_prefix("references/").unwrap_or(stem) };
    PartName::suggest(short)
}

impl Item {
    /// The item as a document at this revision. Its parts are in prompt order, with the main file first.
    pub fn to_document(&self, id: DocumentId, revision: Revision) -> Document {
        let mut document = Document {
            id,
            kind: kind_name(self.category),
            key: Key::singleton(),
            title: self.category.label().to_owned(),
            changed: revision.number,
            parts: Vec::new(),
            next_part: 1,
            revision,
        };
        let main = self.category.main_file();
        let main_first = self.files.iter().filter(|(path, _)| path.as_str() == main);
        for (path, text) in main_first.chain(self.files.iter().filter(|(path, _)| path.as_str() != main)) {
            let part = self.part(path, text, &document);
            document.next_part += 1;
            document.parts.push(part);
        }
        document
    }

    fn part(&self, path: &str, text: &str, before: &Document) -> Part {
        let suggested = part_name(self.category, path);
        let free = |name: &PartName| before.part(name.as_str()).is_none();
        let numbered = std::iter::once(suggested.clone()).chain((2..).map(|number| suggested.numbered(number)));
        Part {
            id: PartId(before.next_part),
            name: numbered.into_iter().find(free).unwrap_or(suggested),
            aliases: PartName::new(path).into_iter().collect(),
            title: path.to_owned(),
            value: text.into(),
            changed: before.revision.number,
            provenance: self.provenance(),
            done: None,
        }
    }

    /// The same for all files, because `source.json` records that an item was edited, not which file.
    fn provenance(&self) -> Provenance {
        let source = match &self.source.input {
            SourceInput::Text { .. } => Source::Text,
            SourceInput::File { original_filename, .. } => Source::File { name: original_filename.clone() },
        };
        Provenance {
            by: if self.source.has_direct_edits { Actor::person() } else { Actor::System },
            at: self.source.last_direct_edit_at.unwrap_or(self.source.last_processed_at),
            origin: Origin { model_id: Some(self.source.model_id.clone()), sources: vec![source] },
        }
    }
}

#[cfg(test)]
mod tests {
    use jig_contract::Timestamp;

    use super::super::input::Input;
    use super::super::source;
    use super::*;
    use crate::document::{Address, RevisionNumber, measure, resolve};

    fn item(category: Category, paths: &[&str]) -> Item {
        let input = Input::file("deck.pptx", vec![1], "raw".into(), None).unwrap();
        let source = source::Source::processed(&input, None, "m", Timestamp::from_millis(1));
        let files = paths.iter().map(|path| ((*path).to_owned(), format!("text of {path}"))).collect();
        Item { category, files, source, source_file: None }
    }

    fn document(item: &Item) -> Document {
        let revision = Revision {
            number: RevisionNumber(3),
            parent: None,
            author: Actor::person(),
            reason: String::new(),
            at: Timestamp::from_millis(1),
        };
        item.to_document(DocumentId(uuid::Uuid::nil()), revision)
    }

    #[test]
    fn every_category_is_a_kind() {
        for category in Category::ALL {
            let kind = kind(category);
            assert_eq!(KindName::new(category.as_str()), Ok(kind.name));
            assert_eq!(kind.parts.len(), if category.is_skill() { 2 } else { 1 });
        }
    }

    #[test]
    fn files_are_reached_by_short_names_and_by_their_paths() {
        let company = Category::CompanyContext;
        let documents =
            [document(&item(company, &["SKILL.md", "references/skill.md", "references/summary.md", "scripts/x.py"]))];
        let kinds = Category::ALL.map(kind);
        let found = |address: &str| {
            let found = resolve(&Address::parse(address).unwrap(), &kinds, &documents).unwrap();
            match found.part {
                crate::document::FoundPart::Part(part) => part.title.clone(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(found("@company-context#skill"), "SKILL.md");
        assert_eq!(found("@company-context#summary"), "references/summary.md");
        assert_eq!(found("@company-context#references/summary.md"), "references/summary.md");
        assert_eq!(found("@company-context#SKILL.md"), "SKILL.md");
        assert_eq!(found("@company-context#skill-2"), "references/skill.md");
        assert_eq!(found("@company-context#scripts-x"), "scripts/x.py");
        assert_eq!(documents[0].next_part, 5);
    }

    #[test]
    fn provenance_and_numbers_come_with_it() {
        let situation = item(Category::Situation, &["context.md"]);
        let made = document(&situation);
        let provenance = &made.parts[0].provenance;
        assert_eq!((&provenance.by, provenance.origin.model_id.as_deref()), (&Actor::System, Some("m")));
        assert_eq!(provenance.origin.sources, [Source::File { name: "deck.pptx".into() }]);
        let numbers = measure(&kind(Category::Situation), &made);
        assert_eq!((numbers.filled, numbers.completeness, numbers.done), (1, 1.0, 0));
        let edited = Item { source: situation.source.edited(Timestamp::from_millis(9)), ..situation };
        let provenance = &document(&edited).parts[0].provenance;
        assert_eq!((&provenance.by, provenance.at), (&Actor::person(), Timestamp::from_millis(9)));
    }
}
