//! Tests of the canonical encoding.

use proptest::prelude::*;

use super::*;

const ZERO: &str = "0000000000000000000000000000000000000000000000000000000000000000";

fn hash(fill: u8) -> BlobHash {
    BlobHash::from_bytes([fill; 32])
}

#[test]
fn a_folder_is_written_as_documented() {
    let tree: Tree = [
        ("b.txt".to_owned(), Node::File { hash: hash(0), bytes: 12 }),
        ("a b".to_owned(), Node::Folder { hash: hash(0x11), bytes: 7, files: 2 }),
    ]
    .into_iter()
    .collect();
    let ones = "11".repeat(32);
    let text = format!("jig-tree 1\nd {ones} 7 2 a b\nf {ZERO} 12 b.txt\n");
    assert_eq!(tree.encode(), text);
    assert_eq!(Tree::decode(text.as_bytes()), Ok(tree.clone()));
    assert_eq!(tree.node(hash(9)), Node::Folder { hash: hash(9), bytes: 19, files: 3 });
    assert_eq!(Tree::decode(b"jig-tree 1\n"), Ok(Tree::default()));
}

#[test]
fn every_other_way_of_writing_is_refused() {
    let good = format!("f {ZERO} 1 a");
    let lines = |lines: &[&str]| format!("jig-tree 1\n{}\n", lines.join("\n"));
    let upper = ZERO.replace('0', "A");
    let two = format!("f {ZERO} 1 b");
    let cases: Vec<(String, &str)> = vec![
        (String::new(), "it does not have the header of a folder"),
        ("jig-tree 2\n".into(), "it does not have the header of a folder"),
        ("jig-tree 1".into(), "it does not have the header of a folder"),
        (format!("jig-tree 1\n{good}"), "its last line is truncated"),
        (lines(&[&good, ""]), "a line is truncated"),
        (lines(&[&two, &good]), "its names are not sorted, or one is duplicated"),
        (lines(&[&good, &good]), "its names are not sorted, or one is duplicated"),
        (lines(&[&format!("x {ZERO} 1 a")]), "a line is not a file or folder"),
        (lines(&[&format!("f {upper} 1 a")]), "a hash is malformed"),
        (lines(&[&format!("f {ZERO} 01 a")]), "a number is malformed"),
        (lines(&[&format!("f {ZERO} +1 a")]), "a number is malformed"),
        (lines(&[&format!("f {ZERO} -1 a")]), "a number is malformed"),
        (lines(&[&format!("f {ZERO} 18446744073709551616 a")]), "a number is malformed"),
        (lines(&[&format!("f  {ZERO} 1 a")]), "a hash is malformed"),
        (lines(&[&format!("d {ZERO} 0 0 a")]), "it contains an empty folder"),
        (lines(&[&format!("f {ZERO} 1 ..")]), "`.` and `..` are not names"),
        (lines(&[&format!("f {ZERO} 1 a/b")]), "a name contains a slash"),
        (lines(&[&format!("f {ZERO} 1 a\r")]), "a name must not contain control characters"),
        (lines(&[&format!("f {ZERO} 1 e\u{301}")]), "a name is not in Unicode NFC"),
        (lines(&[&format!("f {ZERO} 1 ")]), "a path must not be empty"),
    ];
    for (text, why) in cases {
        assert_eq!(Tree::decode(text.as_bytes()), Err(why), "{text:?}");
    }
    assert_eq!(Tree::decode(b"jig-tree 1\n\xff\n"), Err("it is not UTF-8"));
}

#[test]
fn names_that_differ_only_in_case_are_found() {
    let tree = |names: &[&str]| -> Tree {
        names.iter().map(|name| ((*name).to_owned(), Node::File { hash: hash(1), bytes: 1 })).collect()
    };
    assert_eq!(tree(&["Straße", "STRASSE"]).case_collision(), Some(("STRASSE", "Straße")));
    assert_eq!(tree(&["a", "b"]).case_collision(), None);
}

fn a_node() -> impl Strategy<Value = Node> {
    prop_oneof![
        (any::<[u8; 32]>(), any::<u64>())
            .prop_map(|(hash, bytes)| Node::File { hash: BlobHash::from_bytes(hash), bytes }),
        (any::<[u8; 32]>(), any::<u64>(), 1..u64::MAX).prop_map(|(hash, bytes, files)| Node::Folder {
            hash: BlobHash::from_bytes(hash),
            bytes,
            files
        }),
    ]
}

proptest! {
    #[test]
    fn encoding_and_decoding_are_inverse(entries in prop::collection::btree_map("[a-zA-Z0-9 äß日._-]{0,6}[a-z]", a_node(), 0..20)) {
        let entries: Vec<_> = entries.into_iter().filter(|(name, _)| check_name(name).is_ok()).collect();
        let tree: Tree = entries.into_iter().collect();
        prop_assert_eq!(Tree::decode(tree.encode().as_bytes()), Ok(tree));
    }

    #[test]
    fn what_decodes_was_encoded_so(text in "jig-tree 1\n(([fd] [01]{64} [0-9]{1,3} ([0-9]{1,2} )?[ab/.]{1,2}\n){0,3})") {
        if let Ok(tree) = Tree::decode(text.as_bytes()) {
            prop_assert_eq!(tree.encode(), text);
        }
    }
}
