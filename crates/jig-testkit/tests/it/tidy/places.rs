//! Nothing in the repository refers to the machine it was written on.

use super::{File, assert_tidy, files};

/// Folders that only exist on one machine. Split, so that this file passes its own check.
const FOLDERS: [&str; 3] = [concat!("/", "work/"), concat!("/", "root/"), concat!("/", "home/")];

/// Settings that point package managers to a private mirror.
const MIRRORS: [&str; 4] =
    [concat!("replace-", "with"), concat!("index-", "url"), concat!("find-", "links"), concat!("_auth", "Token")];

/// The only permitted source of a locked Rust dependency.
const CRATES_IO: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

#[test]
fn no_file_names_a_machine_or_a_mirror() {
    let complaints: Vec<String> = files().iter().flat_map(check).collect();
    assert_tidy(&complaints);
}

fn check(file: &File) -> Vec<String> {
    let lines = (1..).zip(file.text.lines());
    lines.filter_map(|(number, line)| Some(format!("{}:{number}: {}", file.path, fault(file, line)?))).collect()
}

fn fault(file: &File, line: &str) -> Option<String> {
    if let Some(folder) = FOLDERS.iter().find(|folder| names_folder(line, folder)) {
        return Some(format!("a path of one machine ({folder}…)"));
    }
    if let Some(mirror) = MIRRORS.iter().find(|mirror| line.contains(*mirror)) {
        return Some(format!("a setting for a package mirror ({mirror})"));
    }
    let foreign = file.path.ends_with("Cargo.lock") && line.starts_with("source = ") && line != CRATES_IO;
    foreign.then(|| "a dependency that is not from crates.io".to_owned())
}

/// Whether an absolute path starts here: a folder with that name in a relative path does not count, nor does the bare
/// name.
fn names_folder(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + folder.len()..].chars().next();
        let begins = before.is_none_or(|c| !c.is_alphanumeric() && !"_-.~}>$*".contains(c));
        begins && after.is_some_and(|c| c.is_alphanumeric() || c == '.' || c == '_')
    })
}

#[test]
fn machine_paths_are_caught() {
    let [work, root, home] = FOLDERS;
    for line in
        [format!("see {work}main"), format!("\"{root}.cache\""), format!("{home}ann/x"), format!("file://{home}ann")]
    {
        assert_eq!(check(&File::new("a.md", &line)).len(), 1, "{line}");
    }
    for line in [
        format!("crates{work}main"),
        format!("~{work}x"),
        format!("<home>{work}x"),
        format!("`{home}`"),
        format!("net{}ing", work.trim_end_matches('/')),
    ] {
        assert_eq!(check(&File::new("a.md", &line)), Vec::<String>::new(), "{line}");
    }
}

#[test]
fn mirrors_are_caught() {
    for mirror in MIRRORS {
        let file = File::new("a.toml", &format!("x = 1\n{mirror} = 'x'\n"));
        assert_eq!(check(&file), [format!("a.toml:2: a setting for a package mirror ({mirror})")]);
    }
}

#[test]
fn foreign_sources_are_caught() {
    let foreign = "source = \"registry+https://crates.example.com/index\"";
    let lock = File::new("Cargo.lock", &format!("{CRATES_IO}\n{foreign}\n"));
    assert_eq!(check(&lock), ["Cargo.lock:2: a dependency that is not from crates.io"]);
}
