//! Compares trees with a plain map.

use std::collections::BTreeMap;

use jig_contract::BlobHash;
use jig_store::{Store, TreeChange, TreeEdit, hash_of};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::setup::Setup;

type Model = BTreeMap<String, u8>;

#[derive(Clone, Debug)]
enum Step {
    Put(String, u8),
    Remove(String),
    Graft(String, String),
}

fn a_path() -> impl Strategy<Value = String> {
    prop::collection::vec("[abc]", 1..4).prop_map(|names| names.join("/"))
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        5 => (a_path(), any::<u8>()).prop_map(|(path, value)| Step::Put(path, value)),
        3 => a_path().prop_map(Step::Remove),
        1 => (a_path(), a_path()).prop_map(|(from, to)| Step::Graft(from, to)),
    ];
    prop::collection::vec(step, 0..12)
}

fn below<'a>(model: &'a Model, folder: &str) -> impl Iterator<Item = (String, u8)> + use<'a> {
    let prefix = format!("{folder}/");
    let inside = model.range(prefix.clone()..).take_while(move |(path, _)| path.starts_with(&prefix));
    let cut = folder.len() + 1;
    inside.map(move |(path, value)| (path[cut..].to_owned(), *value))
}

/// Whether a file or folder blocks this path.
fn blocked(model: &Model, path: &str, folder: bool) -> bool {
    let above = path.char_indices().filter(|(_, c)| *c == '/').any(|(at, _)| model.contains_key(&path[..at]));
    above || if folder { model.contains_key(path) } else { below(model, path).next().is_some() }
}

/// Applies a step to the model; `None` if it must be refused.
fn apply(model: &Model, step: &Step) -> Option<Model> {
    let mut model = model.clone();
    match step {
        Step::Put(path, value) => {
            if blocked(&model, path, false) {
                return None;
            }
            model.insert(path.clone(), *value);
        }
        Step::Remove(path) => {
            let prefix = format!("{path}/");
            model.retain(|known, _| known != path && !known.starts_with(&prefix));
        }
        Step::Graft(from, to) => {
            let inside: Vec<(String, u8)> = below(&model, from).collect();
            if inside.is_empty() || blocked(&model, to, true) {
                return None;
            }
            let prefix = format!("{to}/");
            model.retain(|known, _| !known.starts_with(&prefix));
            model.extend(inside.into_iter().map(|(path, value)| (format!("{to}/{path}"), value)));
        }
    }
    Some(model)
}

async fn edit_of(store: &Store, state: BlobHash, step: &Step) -> Option<TreeEdit> {
    Some(match step {
        Step::Put(path, value) => file(path, *value),
        Step::Remove(path) => TreeEdit::Remove { path: path.clone() },
        Step::Graft(from, to) => {
            let node = store.lookup(state, from).await.unwrap().filter(|node| node.file().is_none())?;
            TreeEdit::Folder { path: to.clone(), node }
        }
    })
}

fn file(path: &str, value: u8) -> TreeEdit {
    TreeEdit::File { path: path.to_owned(), hash: hash_of(&[value]), bytes: u64::from(value) }
}

async fn read(store: &Store, state: BlobHash) -> BTreeMap<String, (BlobHash, u64)> {
    store.files(state, "").await.unwrap().into_iter().map(|(path, file)| (path, (file.hash, file.bytes))).collect()
}

fn expected(model: &Model) -> BTreeMap<String, (BlobHash, u64)> {
    model.iter().map(|(path, value)| (path.clone(), (hash_of(&[*value]), u64::from(*value)))).collect()
}

/// The edits that lead from one state to another.
fn edits(changes: &[TreeChange]) -> Vec<TreeEdit> {
    let gone = changes.iter().filter(|change| change.after.is_none());
    let gone = gone.map(|change| TreeEdit::Remove { path: change.path.clone() });
    let there = changes.iter().filter_map(|change| {
        change.after.map(|file| TreeEdit::File { path: change.path.clone(), hash: file.hash, bytes: file.bytes })
    });
    gone.chain(there).collect()
}

/// Applies the steps one by one, and then all accepted ones in a single edit.
async fn walk(store: &Store, steps: &[Step]) -> (BlobHash, Model) {
    let empty = store.empty_tree().await.unwrap();
    let (mut state, mut model, mut accepted) = (empty, Model::new(), Vec::new());
    for step in steps {
        let Some(edit) = edit_of(store, state, step).await else { continue };
        match (store.edit(state, std::slice::from_ref(&edit)).await, apply(&model, step)) {
            (Ok(after), Some(expected)) => {
                (state, model) = (after, expected);
                accepted.push(edit);
            }
            (Err(_), None) => {}
            (got, wanted) => panic!("{step:?} on {model:?}: {got:?}, not {wanted:?}"),
        }
        assert_eq!(read(store, state).await, expected(&model), "{steps:?}");
    }
    assert_eq!(store.edit(empty, &accepted).await.unwrap(), state, "all at once is the same as one by one");
    (state, model)
}

#[test]
fn edits_do_what_they_do_to_a_map_and_differences_lead_from_one_to_the_other() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let setup = runtime.block_on(Setup::local());
    let store = runtime.block_on(setup.open());
    let mut runner = TestRunner::new(Config { failure_persistence: None, cases: 96, ..Config::default() });
    let check = |(first, second): (Vec<Step>, Vec<Step>)| {
        runtime.block_on(async {
            let (a, model_a) = walk(&store, &first).await;
            let (b, model_b) = walk(&store, &second).await;
            assert_eq!(a == b, model_a == model_b, "equal folders have equal hashes, others do not");
            let changes = store.diff(Some(a), Some(b)).await.unwrap();
            assert_eq!(store.edit(a, &edits(&changes)).await.unwrap(), b);
            assert!(changes.iter().all(|change| change.before != change.after), "{changes:?}");
        });
        Ok(())
    };
    runner.run(&(steps(), steps()), check).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_files_are_edited_at_once() {
    let setup = Setup::local().await;
    let store = setup.open().await;
    let empty = store.empty_tree().await.unwrap();
    let many: Vec<TreeEdit> = (0..10_000).map(|n| file(&format!("published/File {n}.txt"), (n % 200) as u8)).collect();
    let state = store.edit(empty, &many).await.unwrap();
    assert_eq!(store.files(state, "published").await.unwrap().len(), 10_000);
    let again = store.edit(state, &[file("published/File 9999.txt", 250), file("published/new", 1)]).await.unwrap();
    let changed: Vec<String> =
        store.diff(Some(state), Some(again)).await.unwrap().into_iter().map(|c| c.path).collect();
    assert_eq!(changed, ["published/File 9999.txt", "published/new"]);
}
