//! Where things are: the checkout, the build folder, programs on `PATH`.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Why nothing can be stored in Jig's cache folder.
pub(crate) const NO_CACHE: &str = "no cache folder: neither XDG_CACHE_HOME nor HOME is set";

/// The root of the checkout, independent of the folder the command was started in.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().find(|folder| folder.join("Cargo.lock").is_file()).unwrap_or(manifest).to_path_buf()
}

/// Jig's folder in the user's cache. It is outside the checkout, so all checkouts share it.
pub(crate) fn cache() -> Option<PathBuf> {
    crate::duckdb::cache()
}

/// The value of an environment variable; an empty one counts as unset.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// The build folder that cargo has to be given; `None` leaves cargo's own choice.
pub(crate) fn target_setting() -> Option<PathBuf> {
    let set = variable("CARGO_TARGET_DIR").map(PathBuf::from);
    choose_target(set, cache().map(|cache| cache.join("target")))
}

/// A relative folder is relative to where the user typed the command, but cargo is started in the root.
fn choose_target(set: Option<PathBuf>, shared: Option<PathBuf>) -> Option<PathBuf> {
    let set = set.map(|folder| std::path::absolute(&folder).unwrap_or(folder));
    set.or_else(|| shared.filter(|folder| folder.is_dir()))
}

/// The build folder.
pub(crate) fn target() -> PathBuf {
    let own = || env::current_exe().ok().and_then(|program| build_folder_of(&program));
    target_setting().or_else(own).unwrap_or_else(|| root().join("target"))
}

/// The build folder that a program was built in. It is the one cargo uses by default, also where the user's
/// configuration moves it.
fn build_folder_of(program: &Path) -> Option<PathBuf> {
    let profile = program.parent()?;
    let is_profile = profile.file_name().is_some_and(|name| name == "debug" || name == "release");
    is_profile.then(|| profile.parent().map(Path::to_path_buf))?
}

/// A program that cargo built.
pub(crate) fn built(profile: &str, name: &str) -> PathBuf {
    target().join(profile).join(name).with_extension(env::consts::EXE_EXTENSION)
}

/// The first file of this name in the folders of `PATH`.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    find_program(program, &env::var_os("PATH")?)
}

/// The first file of this name in the folders of a search path.
pub(crate) fn find_program(program: &str, path: &OsStr) -> Option<PathBuf> {
    env::split_paths(path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_target_wins_and_the_shared_one_must_exist() {
        let here = Some(root());
        let missing = Some(root().join("no-such-folder"));
        let set = Some(root().join("set"));
        assert_eq!(choose_target(set.clone(), here.clone()), set);
        assert_eq!(choose_target(None, here.clone()), here);
        assert_eq!(choose_target(None, missing), None);
        assert_eq!(choose_target(None, None), None);
    }

    #[test]
    fn a_relative_target_is_made_absolute() {
        let chosen = choose_target(Some(PathBuf::from("build")), None).unwrap();
        assert_eq!(chosen, env::current_dir().unwrap().join("build"));
    }

    #[test]
    fn the_build_folder_is_two_levels_above_the_program() {
        let folder = |program| build_folder_of(Path::new(program));
        assert_eq!(folder("/b/debug/xtask"), Some(PathBuf::from("/b")));
        assert_eq!(folder("/b/release/xtask"), Some(PathBuf::from("/b")));
        assert_eq!(folder("/b/debug/deps/xtask-0123"), None);
    }

    #[test]
    fn the_root_contains_the_workspace() {
        assert!(root().join("xtask/src/paths.rs").is_file());
    }
}
