//! `cargo xtask dist`: builds the release packages.

pub(crate) fn run(_args: &[&str]) -> Result<(), String> {
    Err("`cargo xtask dist` is not available yet".to_owned())
}
