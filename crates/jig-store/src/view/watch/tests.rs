//! Which events leave a doubt, and which count as Jig's own.

use std::path::PathBuf;

use super::*;

const TOP: Place = 1;
const PUBLISHED: Place = 2;
const DEEP: Place = 3;
const DRAFT: Place = 4;

fn state() -> State {
    let mut places = Places::new(TOP);
    for (disk, place) in [("published", PUBLISHED), ("published/deep", DEEP), ("draft", DRAFT), ("meta", 5)] {
        assert!(places.add(Path::new(disk), place));
    }
    places.calm("draft");
    State { places, acts: HashSet::new(), moving: HashSet::new(), removed: HashSet::new(), sure: true }
}

fn file(place: Place, what: What, name: &str) -> Event<'_> {
    Event { place, what, folder: false, name: Some(name) }
}

fn folder(place: Place, what: What, name: &str) -> Event<'_> {
    Event { folder: true, ..file(place, what, name) }
}

fn act(place: Place, what: &'static str, name: &str) -> Act {
    Act { place, what, name: name.to_owned() }
}

#[test]
fn what_happens_to_files_is_to_be_looked_at_once() {
    let mut state = state();
    for (place, name) in [(PUBLISHED, "a"), (DEEP, "b"), (DEEP, "c"), (DEEP, "b"), (TOP, "mine.txt"), (5, "x")] {
        state.happened(file(place, What::Changed, name));
    }
    assert!(state.places.look_again("draft/x"));
    let names = [("published", vec!["a"]), ("published/deep", vec!["b", "c"])];
    let names = names.map(|(at, names)| (PathBuf::from(at), names.into_iter().map(str::to_owned).collect()));
    assert_eq!(state.places.take_dirt(), Dirt { names: names.into(), folders: [PathBuf::from("draft")].into() });
    assert_eq!(state.places.take_dirt(), Dirt::default());
    assert!(state.sure);
}

#[test]
fn what_leaves_everything_open_is_a_doubt() {
    let none = |what| Event { place: PUBLISHED, what, folder: true, name: None };
    let doubts = [
        none(What::Doubt),
        none(What::Over),
        none(What::Moved),
        none(What::Changed),
        Event { place: -1, ..none(What::Doubt) },
        Event { folder: false, ..none(What::Made) },
        folder(PUBLISHED, What::Made, "new"),
        folder(PUBLISHED, What::Came, "new"),
        folder(PUBLISHED, What::Left, "deep"),
        folder(PUBLISHED, What::Removed, "deep"),
        folder(PUBLISHED, What::Changed, "deep"),
        folder(TOP, What::Left, "draft"),
        file(TOP, What::Made, "draft"),
        file(5, What::Made, "context"),
        file(99, What::Changed, "of a folder that is not watched"),
    ];
    for event in doubts {
        let mut state = state();
        state.happened(event);
        assert!(!state.sure, "{event:?}");
    }
    let harmless = [folder(TOP, What::Made, "notes"), folder(5, What::Made, "documents"), file(TOP, What::Came, "x")];
    for event in harmless {
        let mut state = state();
        state.happened(event);
        assert!(state.sure, "{event:?}");
    }
}

#[test]
fn an_act_of_jig_s_own_has_one_echo() {
    let mut state = state();
    state.acts.extend([act(DRAFT, "file came", "a"), act(DRAFT, "file removed", "b")]);
    state.happened(file(DRAFT, What::Came, "a"));
    state.happened(file(DRAFT, What::Removed, "b"));
    assert!(state.acts.is_empty() && state.places.is_calm("draft"));
    assert_eq!(state.places.take_dirt(), Dirt::default());
    state.happened(file(DRAFT, What::Came, "a"));
    assert!(state.sure && !state.places.is_calm("draft"), "the second is a person's");
    assert_eq!(state.places.take_dirt().names.len(), 1);
}

#[test]
fn other_things_at_the_same_name_are_not_jig_s_own() {
    for what in [What::Changed, What::Made, What::Removed, What::Left] {
        let mut state = state();
        state.acts.insert(act(DRAFT, "file came", "a"));
        state.happened(file(DRAFT, what, "a"));
        assert_eq!((state.acts.len(), state.places.take_dirt().names.len()), (1, 1), "{what:?}");
    }
}

#[test]
fn a_root_takes_along_what_is_in_it() {
    let mut state = state();
    assert!(state.places.add(Path::new("draft/sub"), 6));
    assert_eq!(state.places.rename(Path::new("draft"), Path::new(".jig/spare")), Some(DRAFT));
    assert_eq!(state.places.find(Path::new(".jig/spare/sub")), Some(6));
    assert_eq!(state.places.find(Path::new("draft")), None);
    assert!(state.places.is_calm(".jig/spare"));
    state.happened(file(6, What::Changed, "x"));
    assert!(state.sure && !state.places.is_calm(".jig/spare"));
    assert_eq!(state.places.take_dirt(), Dirt::default(), "the spare is not shown");
}

#[test]
fn what_is_still_told_of_a_folder_that_jig_removed_means_nothing() {
    let mut state = state();
    assert_eq!(state.places.remove(Path::new("published/deep")), Some((PUBLISHED, DEEP, "deep".to_owned())));
    state.removed.insert(DEEP);
    let end = |what| Event { place: DEEP, what, folder: false, name: None };
    state.happened(end(What::Doubt));
    state.happened(end(What::Over));
    assert!(state.sure && state.removed.is_empty());
}

#[cfg(all(target_os = "linux", not(jig_portable)))]
mod real {
    use super::*;

    fn watch(folder: &Path) -> Watch {
        std::fs::create_dir_all(folder.join("published")).unwrap();
        let workbench = Folder::open(folder).unwrap();
        let watch = Watch::begin(&workbench).expect("a watch");
        watch.enter(Path::new("published"), &workbench.child("published".as_ref()).unwrap());
        assert!(watch.drain());
        watch
    }

    #[test]
    fn a_queue_that_ran_over_is_a_doubt() {
        let folder = tempfile::tempdir().unwrap();
        let watch = watch(folder.path());
        let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
        let limit: usize = limit.trim().parse().unwrap();
        let files = ["a", "b"].map(|name| std::fs::File::create(folder.path().join("published").join(name)).unwrap());
        // Alternating, because identical consecutive events are merged.
        for n in 0..=limit {
            files[n % 2].set_modified(std::time::UNIX_EPOCH).unwrap();
        }
        assert!(!watch.drain());
        assert!(!watch.holds());
    }

    #[test]
    fn a_watch_is_believed_for_a_while() {
        let folder = tempfile::tempdir().unwrap();
        let mut watch = watch(folder.path());
        assert!(watch.holds());
        watch.since = Instant::now().checked_sub(FULL_LOOK).expect("a time");
        assert!(!watch.holds());
    }

    #[test]
    fn an_announced_act_that_never_came_is_a_doubt() {
        let folder = tempfile::tempdir().unwrap();
        let watch = watch(folder.path());
        watch.will_put(watch.place(Path::new("published")), "a");
        assert!(!watch.settle());
    }

    #[test]
    fn a_file_system_that_may_not_tell_everything_is_not_watched() {
        let Ok(proc) = Folder::open(Path::new("/proc")) else { return println!("skipped: /proc is missing") };
        assert!(Watch::begin(&proc).is_none());
    }
}
