//! The conversation: ordered numbers, private notes, retracted messages, and immutability.

use jig_contract::Actor;
use jig_contract::ops::{Message, MessageRole};
use jig_store::{Change, Commit, MessageQuery, MessagesFrom, NewMessage, Reader, Repair, Store, StoreError};

use super::conformance;
use crate::setup::{Setup, id, made, me};

conformance! { messages_are_numbered_and_read_in_pages, private_notes_are_their_authors, messages_are_never_changed,
a_later_message_takes_earlier_ones_back, messages_go_with_a_change_or_not_at_all, messages_go_where_the_workbench_goes,
many_write_at_once }

fn new(text: &str) -> NewMessage {
    NewMessage::new(Actor::Person { name: Some("ada".to_owned()) }, MessageRole::User, None, text)
}

fn query(reader: Reader) -> MessageQuery {
    MessageQuery { reader, artifact: None, include_undone: true, from: MessagesFrom::Before(None), limit: 100 }
}

async fn all(store: &Store, name: &str, reader: Reader) -> Vec<Message> {
    store.messages(&id(name), &query(reader)).await.unwrap().0
}

fn ada() -> Reader {
    Reader::Person("ada".to_owned())
}

async fn messages_are_numbered_and_read_in_pages(setup: Setup) {
    let store = setup.open().await;
    let head = made(&store, "deck").await;
    for n in 0..5 {
        let about = (n % 2 == 0).then(|| "concept".to_owned());
        let actor = Actor::Agent { name: None, session: Some("s".into()), run: Some("r".into()), step: None };
        let message = NewMessage::new(actor, MessageRole::Assistant, about, format!("n{n}\0"));
        let written = store.add_message(&head.id, &message).await.unwrap();
        assert_eq!((written.seq, written.session.as_deref(), written.run.as_deref()), (n + 1, Some("s"), Some("r")));
    }
    let read = async |artifact: Option<&str>, from, limit| {
        let wanted = MessageQuery { artifact: artifact.map(str::to_owned), from, limit, ..query(Reader::Nobody) };
        let (messages, more, last) = store.messages(&head.id, &wanted).await.unwrap();
        assert_eq!(last, 5);
        (messages.iter().map(|message| message.seq).collect::<Vec<_>>(), more)
    };
    assert_eq!(read(None, MessagesFrom::Before(None), 2).await, (vec![4, 5], true));
    assert_eq!(read(None, MessagesFrom::Before(Some(4)), 9).await, (vec![1, 2, 3], false));
    assert_eq!(read(None, MessagesFrom::After(2), 2).await, (vec![3, 4], true));
    assert_eq!(read(Some("concept"), MessagesFrom::After(0), 9).await, (vec![1, 3, 5], false));
    assert_eq!(read(Some("nothing"), MessagesFrom::After(0), 9).await, (vec![], false));
    let first = all(&store, "deck", Reader::Nobody).await.remove(0);
    assert_eq!((first.text.as_str(), first.role, first.private), ("n0\u{fffd}", MessageRole::Assistant, false));
    let gone = store.add_message(&id("nobody"), &new("x")).await;
    assert!(matches!(gone, Err(StoreError::WorkbenchNotFound { .. })), "{gone:?}");
}

async fn private_notes_are_their_authors(setup: Setup) {
    let store = setup.open().await;
    let head = made(&store, "deck").await;
    store.add_message(&head.id, &new("for all")).await.unwrap();
    let private = NewMessage { private_to: Some("ada".to_owned()), ..new("secret") };
    assert!(store.add_message(&head.id, &private).await.unwrap().private);
    let texts = async |reader| -> Vec<String> {
        all(&store, "deck", reader).await.into_iter().map(|message| message.text).collect()
    };
    assert_eq!(texts(ada()).await, ["for all", "secret"]);
    for reader in [Reader::Person("bob".to_owned()), Reader::Person(String::new()), Reader::Nobody] {
        assert_eq!(texts(reader).await, ["for all"]);
    }
}

async fn messages_are_never_changed(setup: Setup) {
    let store = setup.open().await;
    let head = made(&store, "deck").await;
    store.add_message(&head.id, &new("x")).await.unwrap();
    for sql in [
        "UPDATE messages SET text = 'y'",
        "DELETE FROM messages",
        "INSERT INTO messages (workbench_id, seq, id, at, actor, role, text)
         SELECT workbench_id, 2, 'b', at, actor, 'king', text FROM messages",
        "INSERT INTO messages (workbench_id, seq, id, at, actor, role, text, undone_after)
         SELECT workbench_id, 2, 'b', at, actor, role, text, 2 FROM messages",
    ] {
        assert!(sqlx::raw_sql(sql).execute(&mut setup.raw().await).await.is_err(), "{sql}");
    }
    assert_eq!(all(&store, "deck", Reader::Nobody).await[0].text, "x");
    store.delete_workbench(&head.id).await.unwrap();
}

async fn a_later_message_takes_earlier_ones_back(setup: Setup) {
    let store = setup.open().await;
    let head = made(&store, "deck").await;
    for text in ["a", "b", "c"] {
        store.add_message(&head.id, &new(text)).await.unwrap();
    }
    let back = NewMessage { undone_after: Some(1), ..new("back to the first") };
    assert_eq!(store.add_message(&head.id, &back).await.unwrap().undone_after, Some(1));
    store.add_message(&head.id, &new("d")).await.unwrap();
    let undone: Vec<bool> = all(&store, "deck", Reader::Nobody).await.iter().map(|message| message.undone).collect();
    assert_eq!(undone, [false, true, true, false, false]);
    let wanted = MessageQuery { include_undone: false, limit: 2, ..query(Reader::Nobody) };
    let (messages, more, _) = store.messages(&head.id, &wanted).await.unwrap();
    assert_eq!((messages.iter().map(|message| message.seq).collect::<Vec<_>>(), more), (vec![4, 5], true));
}

async fn messages_go_with_a_change_or_not_at_all(setup: Setup) {
    let store = setup.open().await;
    let head = made(&store, "deck").await;
    let change = || Change::new(me(), "Test", "did it", head.state).with_messages(vec![new("one"), new("two")]);
    assert!(matches!(store.commit(&head, change()).await.unwrap(), Commit::Done(..)));
    assert!(matches!(store.commit(&head, change()).await.unwrap(), Commit::Moved), "too late");
    let told: Vec<(u64, Option<u64>)> =
        all(&store, "deck", Reader::Nobody).await.iter().map(|message| (message.seq, message.journal_seq)).collect();
    assert_eq!(told, [(1, Some(2)), (2, Some(2))]);
}

async fn messages_go_where_the_workbench_goes(setup: Setup) {
    let store = setup.open().await;
    let head = made(&store, "deck").await;
    let change = Change::new(me(), "Test", "did it", head.state).with_messages(vec![new("done")]);
    store.commit(&head, change).await.unwrap();
    store.add_message(&head.id, &NewMessage { private_to: Some("ada".to_owned()), ..new("secret") }).await.unwrap();
    store.add_message(&head.id, &NewMessage { undone_after: Some(0), ..new("back") }).await.unwrap();
    store.clone_workbench(&head.id, id("copy"), "Copy".into(), me()).await.unwrap();
    assert_eq!(all(&store, "copy", ada()).await, all(&store, "deck", ada()).await);
    let file = setup.folder.path().join("deck.jig");
    store.export(&head.id, &file).await.unwrap();
    let elsewhere = Setup::local().await;
    let other = elsewhere.open().await;
    other.import(&file, None, None, me()).await.unwrap();
    assert_eq!(all(&other, "deck", ada()).await, all(&store, "deck", Reader::Nobody).await, "private notes stay");
    assert_eq!(other.check(None, Repair::No).await.unwrap().problems, []);
    assert_eq!(other.add_message(&id("deck"), &new("on")).await.unwrap().seq, 4, "numbering continues");
}

async fn many_write_at_once(setup: Setup) {
    let store = setup.open().await;
    let head = made(&store, "deck").await;
    let tasks: Vec<_> = (0..20)
        .map(|n| {
            let (store, id) = (store.clone(), head.id.clone());
            tokio::spawn(async move { store.add_message(&id, &new(&n.to_string())).await.unwrap().seq })
        })
        .collect();
    let mut numbers = Vec::new();
    for task in tasks {
        numbers.push(task.await.unwrap());
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=20).collect::<Vec<_>>());
}
