//! Where things are: the checkout, the cache folder, the shared build folder.

use std::env;
use std::path::{Path, PathBuf};

/// The checkout's root, whatever folder the command was started in.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().unwrap_or(manifest).to_path_buf()
}

/// Jig's folder in the user's cache, outside the checkout so that all checkouts share it.
pub(crate) fn cache() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty());
    let base = match set("XDG_CACHE_HOME") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(set("HOME")?).join(".cache"),
    };
    Some(base.join("jig"))
}

/// The build folder to hand to cargo; `None` leaves cargo's own default.
pub(crate) fn target() -> Option<PathBuf> {
    let set = env::var_os("CARGO_TARGET_DIR").filter(|value| !value.is_empty());
    choose_target(set.map(PathBuf::from), cache().map(|cache| cache.join("target")))
}

fn choose_target(set: Option<PathBuf>, shared: Option<PathBuf>) -> Option<PathBuf> {
    set.or_else(|| shared.filter(|folder| folder.is_dir()))
}

/// The first file of this name in the folders of `$PATH`.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_target_wins_and_the_shared_one_must_exist() {
        let here = Some(root());
        let nowhere = Some(root().join("no-such-folder"));
        let set = Some(PathBuf::from("set"));
        assert_eq!(choose_target(set.clone(), here.clone()), set);
        assert_eq!(choose_target(None, here.clone()), here);
        assert_eq!(choose_target(None, nowhere), None);
        assert_eq!(choose_target(None, None), None);
    }

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().join("xtask/src/paths.rs").is_file());
    }
}
