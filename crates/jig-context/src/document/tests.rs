//! Tests of documents, one for each rule of writing, resolving, measuring, history and staleness.

use jig_contract::{Actor, Code, OpError, Timestamp};
use serde_json::{Value, json};

use super::*;

const HOUR: i64 = 3_600_000;

fn at(hour: i64) -> Timestamp {
    Timestamp::from_millis(hour * HOUR)
}

fn rule(name: &str, need: Need) -> PartRule {
    PartRule { name: PartName::new(name).unwrap(), title: name.to_uppercase(), need }
}

fn brand() -> Kind {
    Kind {
        name: KindName::new("brand").unwrap(),
        title: "Brand".into(),
        slots: Slots::Singleton,
        parts: vec![rule("name", Need::Required), rule("voice", Need::Required), rule("colors", Need::Optional)],
        extra: Extra::Refused,
        ttl_hours: Some(24),
    }
}

/// A kind that allows any sections.
fn concept() -> Kind {
    Kind {
        name: KindName::new("concept").unwrap(),
        title: "Concept".into(),
        slots: Slots::Singleton,
        parts: Vec::new(),
        extra: Extra::Allowed,
        ttl_hours: None,
    }
}

fn competitor() -> Kind {
    Kind { name: KindName::new("competitor").unwrap(), slots: Slots::Keyed, ..brand() }
}

fn write(hour: i64, changes: impl IntoIterator<Item = Change>) -> Write {
    let changes = changes.into_iter().collect();
    Write { author: Actor::person(), reason: "test".into(), at: at(hour), changes }
}

fn set(part: &str, value: impl Into<Value>) -> Change {
    Change::Set { part: part.into(), value: value.into(), origin: Origin::default() }
}

fn add(title: &str, text: &str, place: Place) -> Change {
    Change::Add { title: title.into(), name: None, value: text.into(), origin: Origin::default(), place }
}

fn new(kind: &Kind, key: &str, changes: impl IntoIterator<Item = Change>) -> Document {
    let id = DocumentId(uuid::Uuid::from_u128(7));
    Document::create(kind, id, Key::new(key).unwrap(), "A title", write(0, changes)).unwrap()
}

fn next(document: &Document, kind: &Kind, hour: i64, changes: impl IntoIterator<Item = Change>) -> Document {
    document.write(kind, document.revision.number, write(hour, changes)).unwrap()
}

fn names(document: &Document) -> Vec<&str> {
    document.parts.iter().map(|part| part.name.as_str()).collect()
}

#[test]
fn the_key_must_fit_the_kind() {
    let create = |kind: &Kind, key: &str| {
        Document::create(kind, DocumentId(uuid::Uuid::nil()), Key::new(key).unwrap(), "", write(0, [])).map(|_| ())
    };
    assert_eq!(create(&brand(), ""), Ok(()));
    assert_eq!(create(&competitor(), "acme"), Ok(()));
    let refusal = create(&brand(), "acme").unwrap_err();
    assert_eq!(refusal.to_string(), "there is only one brand: it has no key, but `acme` was given");
    assert!(create(&competitor(), "").unwrap_err().to_string().contains("say which one by a key"));
    assert_eq!(refusal.code(), Code::ValidationFailed);
}

#[test]
fn two_writes_on_one_base_give_one_conflict_with_the_newer_revision() {
    let first = new(&brand(), "", [set("name", "Acme")]);
    let base = first.revision.number;
    let second = first.write(&brand(), base, write(1, [set("name", "ACME")])).unwrap();
    assert_eq!((second.revision.number, second.revision.parent), (RevisionNumber(2), Some(RevisionNumber(1))));
    let error = second.write(&brand(), base, write(2, [set("name", "acme")])).unwrap_err();
    assert_eq!(error.to_string(), "@brand was changed since revision 1: revision 2 is newer");
    let told = OpError::from(error);
    assert_eq!(told.code(), Code::Conflict);
    let detail = told.info.detail.unwrap();
    assert_eq!((&detail["base_revision"], &detail["newer_revision"]["number"]), (&json!(1), &json!(2)));
    let ahead = second.write(&brand(), RevisionNumber(9), write(2, [])).unwrap_err();
    assert_eq!(ahead.to_string(), "@brand has no revision 9; its newest is 2");
}

#[test]
fn a_write_happens_whole_or_not_at_all() {
    let first = new(&brand(), "", [set("name", "Acme")]);
    let error = first.write(&brand(), first.revision.number, write(1, [set("name", "B"), set("voise", "x")]));
    assert_eq!(error.unwrap_err().to_string(), "@brand has no part `voise`; did you mean voice?");
    assert_eq!(first.part("name").unwrap().text(), Some("Acme"));
}

#[test]
fn parts_of_the_kind_keep_its_order_and_others_are_refused() {
    let document = new(&brand(), "", [set("colors", json!(["red"])), set("name", "Acme")]);
    assert_eq!(names(&document), ["name", "colors"]);
    let document = next(&document, &brand(), 1, [set("voice", "calm")]);
    assert_eq!(names(&document), ["name", "voice", "colors"]);
    let error = document.write(&brand(), document.revision.number, write(2, [add("More", "", Place::Last)]));
    assert_eq!(error.unwrap_err().to_string(), "@brand takes no other parts than those of its kind");
}

#[test]
fn sections_are_added_moved_renamed_and_removed() {
    let kind = concept();
    let document = new(&kind, "", [add("Overview", "a", Place::Last), add("Overview", "b", Place::Last)]);
    assert_eq!(names(&document), ["overview", "overview-2"]);
    let document = next(&document, &kind, 1, [add("Why", "c", Place::After("overview".into()))]);
    assert_eq!(names(&document), ["overview", "why", "overview-2"]);
    let move_to = |part: &str, place| Change::Move { part: part.into(), place };
    let document = next(&document, &kind, 2, [move_to("overview", Place::After("why".into()))]);
    assert_eq!(names(&document), ["why", "overview", "overview-2"]);
    let document = next(&document, &kind, 3, [move_to("overview-2", Place::First)]);
    assert_eq!(names(&document), ["overview-2", "why", "overview"]);
    let document = next(&document, &kind, 4, [Change::Remove { part: "overview".into() }]);
    assert_eq!((names(&document), document.changed), (vec!["overview-2", "why"], RevisionNumber(5)));
    let document = next(&document, &kind, 5, [add("New", "d", Place::First)]);
    assert_eq!(document.parts[0].id, PartId(4), "an id is never given twice");
    let taken = Change::Add {
        title: "x".into(),
        name: Some(PartName::new("why").unwrap()),
        value: Value::Null,
        origin: Origin::default(),
        place: Place::Last,
    };
    let error = document.write(&kind, document.revision.number, write(6, [taken])).unwrap_err();
    assert_eq!(error.to_string(), "@concept has a part `why` already");
}

#[test]
fn a_renamed_part_keeps_its_done_mark_and_its_old_name() {
    let kind = concept();
    let done = Change::MarkDone { part: "problem".into() };
    let document = new(&kind, "", [add("Problem", "a", Place::Last), done]);
    let rename = |part: &str, title: &str| Change::Rename { part: part.into(), title: title.into() };
    let document = next(&document, &kind, 1, [rename("problem", "Problem being solved")]);
    let FoundPart::Part(part) = find_part(&kind, &document, "problem").unwrap() else { panic!("not a part") };
    assert_eq!((part.name.as_str(), part.is_done(), part.changed_since_done()), ("problem-being-solved", true, false));
    let back = next(&document, &kind, 2, [rename("problem", "Problem")]);
    assert_eq!((names(&back), back.parts[0].aliases.len()), (vec!["problem"], 1));
    let other = next(&document, &kind, 2, [add("Problem", "b", Place::Last)]);
    assert_eq!(names(&other), ["problem-being-solved", "problem-2"], "an old name is not given to another part");
}

#[test]
fn fields_of_a_kind_keep_their_name_when_they_are_retitled() {
    let document = new(&brand(), "", [set("voice", "calm")]);
    let rename = Change::Rename { part: "voice".into(), title: "How we sound".into() };
    let document = next(&document, &brand(), 1, [rename, Change::Retitle { title: "Our brand".into() }]);
    assert_eq!((names(&document), document.parts[0].title.as_str()), (vec!["voice"], "How we sound"));
    assert_eq!((document.title.as_str(), document.changed), ("Our brand", RevisionNumber(1)));
}

#[test]
fn the_three_numbers_are_counted_apart() {
    let kind = brand();
    let document = new(&kind, "", [set("name", "Acme"), set("voice", " \u{200b}\n"), set("colors", json!(["", " "]))]);
    let found = measure(&kind, &document);
    assert_eq!((found.filled, found.parts, found.completeness, found.no_requirements), (1, 3, 0.5, false));
    assert_eq!((found.done, found.done_suggested, found.changed_since_done), (0, 0, 0));
    let document = next(&document, &kind, 1, [set("voice", "calm"), Change::MarkDone { part: "name".into() }]);
    let document = next(&document, &kind, 2, [set("name", "ACME")]);
    let found = measure(&kind, &document);
    assert_eq!((found.completeness, found.done, found.changed_since_done), (1.0, 1, 1));
    let empty = measure(&concept(), &new(&concept(), "", []));
    assert_eq!((empty.completeness, empty.no_requirements, empty.parts), (1.0, true, 0));
    assert_eq!(measure(&kind, &new(&kind, "", [])).completeness, 0.0);
}

#[test]
fn only_a_person_says_that_a_part_is_done() {
    let kind = concept();
    let document = new(&kind, "", [add("A", "a", Place::Last)]);
    let by_agent = Write { author: Actor::agent("x"), ..write(1, [Change::MarkDone { part: "a".into() }]) };
    let document = document.write(&kind, document.revision.number, by_agent).unwrap();
    let found = measure(&kind, &document);
    assert_eq!((found.done, found.done_suggested), (0, 1));
    let document = next(&document, &kind, 2, [Change::UnmarkDone { part: "a".into() }]);
    assert_eq!(measure(&kind, &document).done_suggested, 0);
}

#[test]
fn blank_is_not_filled() {
    for blank in [json!(null), json!(""), json!(" \t\n\u{a0}\u{feff}"), json!([]), json!(["", [" "]]), json!({"a": ""})]
    {
        assert!(!is_filled(&blank), "{blank}");
    }
    for filled in [json!(false), json!(0), json!("."), json!(["", "a"]), json!({"a": 0})] {
        assert!(is_filled(&filled), "{filled}");
    }
}

fn shelf() -> (Vec<Kind>, Vec<Document>) {
    let kinds = vec![brand(), concept(), competitor()];
    let rival = |key: &str| new(&competitor(), key, [set("name", key)]);
    (kinds, vec![new(&brand(), "", [set("name", "Acme")]), rival("acme"), rival("apex")])
}

fn found(address: &str) -> Result<String, DocumentError> {
    let (kinds, documents) = shelf();
    let found = resolve(&Address::parse(address).unwrap(), &kinds, &documents)?;
    Ok(match found.part {
        FoundPart::Whole => found.document.address().to_string(),
        FoundPart::Part(part) => found.document.address_of(&part.name).to_string(),
        FoundPart::Unwritten(rule) => format!("{} (unwritten)", found.document.address_of(&rule.name)),
    })
}

#[test]
fn addresses_mean_one_thing_or_are_asked_back() {
    assert_eq!(found("@brand").unwrap(), "@brand");
    assert_eq!(found("@brand#NAME").unwrap(), "@brand#name");
    assert_eq!(found("@brand#voice").unwrap(), "@brand#voice (unwritten)");
    assert_eq!(found("@brand#Voice").unwrap(), "@brand#voice (unwritten)");
    assert_eq!(found("@competitor:apex#name").unwrap(), "@competitor:apex#name");
    let refused = |address: &str| {
        let error = found(address).unwrap_err();
        (error.to_string(), error.code(), error.suggestions())
    };
    let (words, code, meant) = refused("@brnd");
    assert_eq!((words.as_str(), code), ("there is no kind `brnd`; did you mean brand?", Code::ArtifactNotFound));
    assert_eq!(meant, ["brand"]);
    let (words, code, choices) = refused("@competitor#name");
    assert_eq!(words, "@competitor can mean @competitor:acme or @competitor:apex; say which");
    assert_eq!((code, choices.len()), (Code::ValidationFailed, 2));
    let (words, code, _) = refused("@competitor:acmee");
    assert_eq!(code, Code::ArtifactNotFound);
    assert!(words.starts_with("there is no @competitor:acmee; did you mean @competitor:acme"), "{words}");
    assert_eq!(refused("@concept").0, "there is no @concept");
    let (words, code, meant) = refused("@brand#vioce");
    assert_eq!((words.as_str(), code), ("@brand has no part `vioce`; did you mean voice?", Code::SectionNotFound));
    assert_eq!(meant, ["voice"]);
}

#[test]
fn the_only_document_of_a_kind_needs_no_key() {
    let documents = [new(&competitor(), "acme", [])];
    let kinds = [competitor()];
    let address = Address::parse("@competitor").unwrap();
    assert_eq!(resolve(&address, &kinds, &documents).unwrap().document.key.as_str(), "acme");
}

#[test]
fn names_that_differ_in_case_only_are_not_guessed() {
    let named = |name: &str| Change::Add {
        title: name.into(),
        name: Some(PartName::new(name).unwrap()),
        value: Value::Null,
        origin: Origin::default(),
        place: Place::Last,
    };
    let kind = concept();
    let document = new(&kind, "", [named("Why"), named("why")]);
    let found = |name: &str| find_part(&kind, &document, name);
    assert!(matches!(found("why"), Ok(FoundPart::Part(part)) if part.name.as_str() == "why"));
    assert_eq!(found("WHY").unwrap_err().to_string(), "@concept#WHY can mean @concept#Why or @concept#why; say which");
}

#[test]
fn a_projection_has_the_parts_that_were_asked_for() {
    let kind = brand();
    let document = new(&kind, "", [set("name", "Acme"), set("colors", json!(["red"]))]);
    let found = project(&kind, &document, &["colors", "voice", "Colors", "voice"]).unwrap();
    let names = |parts: &[&Part]| parts.iter().map(|part| part.name.to_string()).collect::<Vec<_>>();
    assert_eq!((names(&found.parts), names(&found.left_out)), (vec!["colors".into()], vec!["name".to_owned()]));
    assert_eq!(found.unwritten.iter().map(|rule| rule.name.as_str()).collect::<Vec<_>>(), ["voice"]);
    let error = project(&kind, &document, &["name", "colour", "zzz"]).unwrap_err();
    assert_eq!(error.to_string(), "@brand has no part `colour`; did you mean colors?, and no part `zzz`");
    assert_eq!((error.code(), error.suggestions()), (Code::SectionNotFound, vec!["colors".to_owned()]));
}

#[test]
fn every_part_says_where_it_came_from() {
    let source = Source::File { name: "deck.pptx".into() };
    let origin = Origin { model_id: Some("openai:gpt-5.2".into()), sources: vec![source] };
    let by_model = Change::Set { part: "voice".into(), value: "calm".into(), origin: origin.clone() };
    let document = new(&brand(), "", [set("name", "Acme")]);
    let written = Write { author: Actor::agent("importer"), ..write(3, [by_model]) };
    let document = document.write(&brand(), document.revision.number, written).unwrap();
    let voice = &document.part("voice").unwrap().provenance;
    assert_eq!(*voice, Provenance { by: Actor::agent("importer"), at: at(3), origin });
    assert_eq!(document.part("name").unwrap().provenance.by, Actor::person());
    let kept = serde_json::to_value(&document).unwrap();
    assert_eq!(kept["parts"][1]["provenance"]["sources"], json!([{ "type": "file", "name": "deck.pptx" }]));
    assert_eq!(serde_json::from_value::<Document>(kept).unwrap(), document);
}

fn three_states() -> History {
    let kind = concept();
    let first = new(&kind, "", [add("A", "one", Place::Last), add("B", "two", Place::Last)]);
    let second = next(&first, &kind, 1, [set("a", "ONE"), Change::Remove { part: "b".into() }]);
    let rename = Change::Rename { part: "a".into(), title: "Alpha".into() };
    let third = next(&second, &kind, 2, [rename, add("C", "three", Place::Last)]);
    let mut history = History::new(first);
    history.push(second).unwrap();
    history.push(third).unwrap();
    history
}

#[test]
fn a_history_tells_what_each_write_changed() {
    let name = |text: &str| PartName::new(text).unwrap();
    let changes: Vec<Vec<PartDiff>> = three_states().lines().into_iter().map(|line| line.changes).collect();
    assert_eq!(
        changes,
        [
            vec![PartDiff::Renamed { from: name("a"), to: name("alpha") }, PartDiff::Added(name("c"))],
            vec![PartDiff::Changed(name("a")), PartDiff::Removed(name("b"))],
            vec![PartDiff::Added(name("a")), PartDiff::Added(name("b"))],
        ]
    );
}

#[test]
fn a_state_comes_back_as_a_new_revision() {
    let mut history = three_states();
    let restored = history.restore(RevisionNumber(1), Actor::person(), at(9)).unwrap();
    assert_eq!(names(&restored), ["a", "b"]);
    assert_eq!((restored.revision.number, restored.revision.parent), (RevisionNumber(4), Some(RevisionNumber(3))));
    assert_eq!(restored.revision.reason, "restored revision 1");
    assert_eq!((restored.changed, restored.parts[0].changed), (RevisionNumber(4), RevisionNumber(4)));
    assert_eq!(restored.next_part, history.head().next_part);
    history.push(restored).unwrap();
    assert_eq!(history.lines().len(), 4);
    assert!(history.at(RevisionNumber(3)).is_some());
    let error = history.restore(RevisionNumber(8), Actor::person(), at(9)).unwrap_err();
    assert_eq!(error.to_string(), "@concept has no revision 8; its newest is 4");
}

#[test]
fn a_state_on_an_old_base_does_not_enter_the_history() {
    let mut history = three_states();
    let late = history.at(RevisionNumber(2)).unwrap().clone();
    let late = next(&late, &concept(), 5, [set("a", "late")]);
    let error = history.push(late).unwrap_err();
    assert_eq!((error.code(), history.lines().len()), (Code::Conflict, 3));
}

#[test]
fn content_expires_after_its_hours_and_not_at_them() {
    let kind = brand();
    let document = new(&kind, "", [set("name", "Acme")]);
    assert_eq!(expired(&kind, &document, at(24)), None);
    let over = expired(&kind, &document, Timestamp::from_millis(24 * HOUR + 1)).unwrap();
    assert_eq!((over.content_changed_at, over.ttl_hours, over.hours_over), (at(0), 24, 0));
    assert_eq!(expired(&kind, &document, at(30)).unwrap().hours_over, 6);
    let touched =
        next(&document, &kind, 20, [Change::Retitle { title: "B".into() }, Change::MarkDone { part: "name".into() }]);
    assert!(expired(&kind, &touched, at(30)).is_some(), "a new title does not make content younger");
    let written = next(&document, &kind, 20, [set("name", "Acme")]);
    assert!(expired(&kind, &written, at(30)).is_some(), "nor does saving it as it is");
    assert_eq!(written.changed, RevisionNumber(1));
    let renewed = next(&document, &kind, 20, [set("name", "Acme Ropes")]);
    assert_eq!(expired(&kind, &renewed, at(30)), None, "new content does");
    assert_eq!(expired(&concept(), &document, at(9_999)), None);
    assert_eq!(expired(&kind, &new(&kind, "", []), at(9_999)), None);
}

#[test]
fn a_reader_is_told_when_their_view_is_old() {
    let document = next(&new(&brand(), "", []), &brand(), 1, [set("name", "Acme")]);
    let view = OutdatedView { seen: RevisionNumber(1), newest: RevisionNumber(2) };
    assert_eq!(outdated(&document, RevisionNumber(1)), Some(view));
    assert_eq!(outdated(&document, RevisionNumber(2)), None);
    let all = |seen, now| staleness(&brand(), &document, RevisionNumber(seen), &[], now);
    assert_eq!(all(1, at(2)), Staleness { outdated_view: Some(view), ..Staleness::default() });
    assert!(all(1, at(2)).is_stale() && all(2, at(26)).is_stale() && !all(2, at(2)).is_stale());
}

#[test]
fn what_was_made_from_changed_content_is_old() {
    let kind = brand();
    let made_from = |address: &str, revision| {
        let address = Address::parse(address).unwrap();
        let sources = vec![Source::Document { address, revision: RevisionNumber(revision) }];
        let origin = Origin { model_id: None, sources };
        new(
            &concept(),
            "",
            [Change::Add { title: "A".into(), name: None, value: "x".into(), origin, place: Place::Last }],
        )
    };
    let source = new(&kind, "", [set("name", "Acme"), set("voice", "calm")]);
    let source = next(&source, &kind, 1, [set("voice", "loud")]);
    let documents = [source.clone()];
    assert_eq!(newer_sources(&made_from("@brand#name", 1), &documents), []);
    assert_eq!(newer_sources(&made_from("@brand", 2), &documents), []);
    let newer = newer_sources(&made_from("@brand#voice", 1), &documents);
    assert_eq!((newer[0].used, newer[0].changed_in), (RevisionNumber(1), Some(RevisionNumber(2))));
    assert_eq!(newer_sources(&made_from("@brand", 1), &documents).len(), 1);
    assert_eq!(newer_sources(&made_from("@vision", 1), &documents)[0].changed_in, None);
    let cut = next(&source, &kind, 2, [Change::Remove { part: "name".into() }]);
    assert_eq!(newer_sources(&made_from("@brand", 2), &[cut]).len(), 1, "a part that went is a change");
}
