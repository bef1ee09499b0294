//! Which names in the folder are valid in a workbench, and which of two conflicting names wins.

use std::collections::HashMap;

use jig_contract::{WorkbenchPath, fold_case};
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

/// A name in the form of a state: Unicode NFC.
pub(super) fn composed(name: &str) -> String {
    if name.is_ascii() || is_nfc(name) { name.to_owned() } else { name.nfc().collect() }
}

/// Why a new path cannot be imported, if so.
pub(super) fn refused(path: &str) -> Option<String> {
    WorkbenchPath::new(path).err().map(|bad| bad.rule.to_owned())
}

/// Whether a file with this name belongs to a program, temporarily or permanently.
pub(super) fn is_program_file(name: &str) -> bool {
    let lower = name.to_lowercase();
    let between = |start: &str, end: &str| {
        lower.len() > start.len() + end.len() && lower.starts_with(start) && lower.ends_with(end)
    };
    // Owner files and partial copies of office programs.
    between("~$", "") || between(".~lock.", "#") || between("~", ".tmp")
        // Swap files and backups of text editors.
        || [".swp", ".swo", ".swx"].iter().any(|end| lower.ends_with(end))
        || between("", "~") || between("#", "#") || between(".#", "") || between(".goutputstream-", "")
        // Unfinished downloads.
        || between("", ".crdownload") || between("", ".part")
        // Leftovers of file managers and network file systems.
        || matches!(lower.as_str(), ".ds_store" | "thumbs.db" | "desktop.ini")
        || between("._", "") || between(".fuse_hidden", "") || between(".nfs", "")
}

/// The decision about a name in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// It can be used.
    Free,
    /// Another name differs from it only in case.
    Case,
    /// Another name is the same in another Unicode form.
    Form,
}

/// A name in a folder on disk.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<'a> {
    /// The name on disk.
    pub disk: &'a str,
    /// The name as a state would have it.
    pub name: &'a str,
    /// Whether the index has a file or folder with that name here.
    pub known: bool,
}

/// Resolves conflicts among the names of a folder: a known name wins over a new one.
pub(super) fn claims(names: &[Candidate<'_>]) -> Vec<Claim> {
    // Known names come from a state, which has no conflicts.
    if names.iter().all(|candidate| candidate.known && candidate.disk == candidate.name) {
        return vec![Claim::Free; names.len()];
    }
    let mut groups: HashMap<String, Vec<usize>> = HashMap::with_capacity(names.len());
    for (at, candidate) in names.iter().enumerate() {
        groups.entry(folded(candidate.name)).or_default().push(at);
    }
    let mut claims = vec![Claim::Free; names.len()];
    for group in groups.into_values().filter(|group| group.len() > 1) {
        settle(names, &group, &mut claims);
    }
    claims
}

fn settle(names: &[Candidate<'_>], group: &[usize], claims: &mut [Claim]) {
    for &at in group {
        let mine = &names[at];
        let twin = |&other: &usize| other != at && names[other].name == mine.name;
        // Of two forms of one name, the one that is in NFC on disk wins.
        if mine.disk != mine.name && group.iter().any(twin) {
            claims[at] = Claim::Form;
        } else if !mine.known && group.iter().any(|&other| names[other].name != mine.name) {
            claims[at] = Claim::Case;
        }
    }
}

/// The form in which names that differ only in case are equal.
pub(super) fn folded(name: &str) -> String {
    // Same result; most names are ASCII, and this is faster.
    if name.is_ascii() { name.to_ascii_lowercase() } else { fold_case(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claimed(names: &[(&str, bool)]) -> Vec<Claim> {
        let composed: Vec<String> = names.iter().map(|(disk, _)| composed(disk)).collect();
        let all = names.iter().zip(&composed).map(|(&(disk, known), name)| Candidate { disk, name, known });
        claims(&all.collect::<Vec<_>>())
    }

    #[test]
    fn of_names_that_differ_in_case_only_a_known_one_stands() {
        use Claim::{Case, Free};
        assert_eq!(claimed(&[("a", false), ("b", false)]), [Free, Free]);
        assert_eq!(claimed(&[("a", false), ("A", false), ("b", false)]), [Case, Case, Free]);
        assert_eq!(claimed(&[("a", true), ("A", false)]), [Free, Case]);
        assert_eq!(claimed(&[("straße", false), ("STRASSE", true)]), [Case, Free]);
        assert_eq!(claimed(&[("É", true), ("e\u{301}", false)]), [Free, Case]);
    }

    #[test]
    fn of_two_unicode_forms_the_composed_one_stands() {
        use Claim::{Form, Free};
        assert_eq!(claimed(&[("e\u{301}", false)]), [Free]);
        assert_eq!(claimed(&[("e\u{301}", true), ("é", true)]), [Form, Free]);
        assert_eq!(claimed(&[("é", false), ("e\u{301}", false)]), [Free, Form]);
    }

    #[test]
    fn plain_names_fold_as_the_contract_folds_them() {
        for name in ["", "A b-C_9.TXT", "~$x", "\u{7f}[\\]^"] {
            assert_eq!(folded(name), fold_case(name));
        }
    }

    #[test]
    fn files_of_programs_are_told_from_files_of_people() {
        let programs = [
            "~$report.docx",
            ".~lock.x.ods#",
            "~WRD0001.tmp",
            ".notes.txt.swp",
            "notes.SWO",
            "notes.txt~",
            "#notes#",
            ".#notes",
            ".goutputstream-ABC",
            "big.zip.crdownload",
            "film.part",
            ".DS_Store",
            "Thumbs.db",
            "desktop.ini",
            "._photo.jpg",
            ".fuse_hidden0001",
            ".nfs0001",
        ];
        for name in programs {
            assert!(is_program_file(name), "{name}");
        }
        for name in
            ["report.docx", "~", "#", "##", "a.tmp", "swp", ".gitignore", "lock#", "party", "$5.txt", "DS_Store", "~x"]
        {
            assert!(!is_program_file(name), "{name}");
        }
    }
}
