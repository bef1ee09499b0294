//! Finds the local files that a call names, and those in named folders.
//!
//! In a folder, ignore files apply as in git (`.gitignore`, `.ignore` and `.jigignore` in every folder, the
//! repository's and the user's own excludes). Version control, generated folders and files for keys are left out. A
//! file that is named directly is always added. Links are not followed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{Match, overrides::Override, overrides::OverrideBuilder};
use jig_contract::ops::{LeftAlone, SkippedCount};
use jig_contract::{Code, OpError, WorkbenchPath};
use serde_json::json;

/// How many skipped names are listed; all are counted.
const LISTED_MAX: usize = 1_000;
/// Ignore files, the strongest last.
const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", ".jigignore"];
/// Folders and files of version control systems.
const VERSION_CONTROL: [&str; 12] =
    [".git", ".hg", ".svn", ".jj", ".bzr", "_darcs", ".pijul", ".sl", "CVS", ".fslckout", "_FOSSIL_", ".repo"];
/// Folders that package managers and build tools generate.
const TOOL_FOLDERS: [&str; 27] = [
    "node_modules",
    "bower_components",
    "jspm_packages",
    "__pycache__",
    "site-packages",
    ".venv",
    ".tox",
    ".nox",
    ".eggs",
    ".gradle",
    ".terraform",
    ".yarn",
    ".pnpm-store",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".parcel-cache",
    ".turbo",
    ".angular",
    ".dart_tool",
    ".bundle",
    "elm-stuff",
    ".stack-work",
    "dist-newstyle",
    ".cargo-home",
    ".mypy_cache",
    ".pytest_cache",
];
/// A folder with this name is generated if this file is next to it.
const MADE_BESIDE: [(&str, &str); 8] = [
    ("target", "Cargo.toml"),
    ("target", "pom.xml"),
    ("target", "build.sbt"),
    ("_build", "mix.exs"),
    ("deps", "mix.exs"),
    ("Pods", "Podfile"),
    ("build", "build.gradle"),
    ("build", "build.gradle.kts"),
];
/// A folder is generated if it contains one of these files.
const MADE_WITH: [&str; 5] = ["pyvenv.cfg", "modules.txt", "autoload.php", "project.assets.json", ".package-lock.json"];
/// The signature of a cache folder (<https://bford.info/cachedir/>).
const CACHE_TAG: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";
/// Files of the operating system.
const SYSTEM_FILES: [&str; 4] = [".DS_Store", "Thumbs.db", "desktop.ini", ".Spotlight-V100"];

const IGNORED: &str = "ignored by";
const REASON_VCS: &str = "version control";
const REASON_TOOLS: &str = "dependencies or build output";
const REASON_SYSTEM: &str = "file of the operating system";
const REASON_SECRET: &str = "likely holds secrets";
const REASON_EXCLUDED: &str = "excluded by `exclude`";

/// A local file to add.
pub(super) struct Found {
    pub(super) source: PathBuf,
    pub(super) bytes: u64,
}

/// The files to add, and those that are skipped.
#[derive(Default)]
pub(super) struct Finds {
    pub(super) files: BTreeMap<WorkbenchPath, Found>,
    pub(super) left_alone: Vec<LeftAlone>,
    /// Directly named files whose names suggest that they contain keys.
    pub(super) for_secrets: Vec<WorkbenchPath>,
    skipped: BTreeMap<String, u64>,
}

/// Options for searching folders.
#[derive(Default)]
pub(super) struct Choice {
    /// Disables ignore files and the detection of generated folders.
    pub(super) no_ignore: bool,
    /// Patterns to exclude.
    pub(super) exclude: Vec<String>,
}

/// Finds the named files, and the files in named folders.
pub(super) fn find(paths: &[String], folder: Option<&WorkbenchPath>, choice: &Choice) -> Result<Finds, OpError> {
    let mut finds = Finds::default();
    if paths.is_empty() {
        return Err(OpError::new(Code::ValidationFailed, "no file is named").hint("name the files to add"));
    }
    for given in paths {
        let source = Path::new(given);
        let meta = std::fs::symlink_metadata(source).map_err(|e| unreadable(given, &e))?;
        if meta.is_dir() {
            Walk::new(source, choice)?.run(source, folder, &mut finds)?;
        } else if meta.is_file() {
            let name = source.file_name().and_then(|name| name.to_str()).ok_or_else(|| not_utf8(given))?;
            let path = inside(folder, name)?;
            if holds_secrets(name) {
                finds.for_secrets.push(path.clone());
            }
            finds.add(path, Found { source: source.to_owned(), bytes: meta.len() })?;
        } else {
            return Err(OpError::new(Code::SandboxViolation, format!("`{given}` is {}", special(&meta)))
                .hint("only regular files and folders can be added; name the file itself"));
        }
    }
    if finds.files.is_empty() {
        let hint = match finds.skipped.is_empty() {
            true => "name a folder that has files",
            false => "name a file itself to add it, or use `no_ignore`; `detail` lists what was skipped and why",
        };
        let (left_alone, skipped) = (finds.left_alone.clone(), finds.counts());
        return Err(OpError::new(Code::ValidationFailed, "there is no file to add in what is named")
            .hint(hint)
            .detail(json!({ "left_alone": left_alone, "skipped": skipped })));
    }
    Ok(finds)
}

/// Finds the files of one folder, by path inside it.
pub(super) fn find_inside(top: &Path) -> Result<Finds, OpError> {
    let (mut finds, choice) = (Finds::default(), Choice::default());
    Walk::new(top, &choice)?.run_inside(top, None, &mut finds)?;
    Ok(finds)
}

/// The paths of a folder's files that are added, imported or pushed.
pub fn paths_in_folder(top: &Path) -> Result<std::collections::BTreeSet<String>, OpError> {
    Ok(find_inside(top)?.files.into_keys().map(String::from).collect())
}

impl Finds {
    fn add(&mut self, path: WorkbenchPath, found: Found) -> Result<(), OpError> {
        if self.files.contains_key(&path) {
            return Err(OpError::new(Code::FileExists, format!("two of the files would both become `{path}`"))
                .hint("add them one by one, into different folders (`--folder`)"));
        }
        self.files.insert(path, found);
        Ok(())
    }

    fn leave(&mut self, path: &Path, reason: impl Into<String>) {
        let reason = reason.into();
        *self.skipped.entry(reason.clone()).or_default() += 1;
        if self.left_alone.len() < LISTED_MAX {
            self.left_alone.push(LeftAlone { path: path.display().to_string(), reason });
        }
    }

    /// The number of skipped files, by reason.
    pub(super) fn counts(&self) -> Vec<SkippedCount> {
        let count = |(reason, count): (&String, &u64)| SkippedCount { reason: reason.clone(), count: *count };
        self.skipped.iter().map(count).collect()
    }
}

/// A search through one folder.
struct Walk<'a> {
    choice: &'a Choice,
    exclude: Override,
    /// Rules from outside the folder, strongest first: ignore files of the enclosing repository, the repository's
    /// excludes, the user's.
    above: Vec<Arc<Gitignore>>,
}

/// A folder that has not been searched yet.
struct Open {
    dir: PathBuf,
    prefix: Option<WorkbenchPath>,
    /// The ignore files that apply in it, the strongest last.
    rules: Vec<Arc<Gitignore>>,
}

impl<'a> Walk<'a> {
    fn new(top: &Path, choice: &'a Choice) -> Result<Self, OpError> {
        let mut exclude = OverrideBuilder::new(top);
        for pattern in &choice.exclude {
            // In an override list, a plain pattern includes and one with `!` excludes.
            exclude.add(&format!("!{pattern}")).map_err(|e| bad_pattern(pattern, &e))?;
        }
        let exclude = exclude.build().map_err(|e| bad_pattern(&choice.exclude.join(", "), &e))?;
        let above = if choice.no_ignore { Vec::new() } else { above(top) };
        Ok(Self { choice, exclude, above })
    }

    fn run(&self, top: &Path, folder: Option<&WorkbenchPath>, finds: &mut Finds) -> Result<(), OpError> {
        // A folder keeps its name; `.` and `..` have none, so their files go to the top.
        let prefix = match top.file_name() {
            Some(name) => Some(inside(folder, name.to_str().ok_or_else(|| not_utf8(&top.display().to_string()))?)?),
            None => folder.cloned(),
        };
        self.run_inside(top, prefix, finds)
    }

    fn run_inside(&self, top: &Path, prefix: Option<WorkbenchPath>, finds: &mut Finds) -> Result<(), OpError> {
        let mut open = vec![Open { dir: top.to_owned(), prefix, rules: Vec::new() }];
        while let Some(Open { dir, prefix, mut rules }) = open.pop() {
            if !self.choice.no_ignore {
                rules.extend(own_rules(&dir));
            }
            let entries = std::fs::read_dir(&dir).map_err(|e| unreadable(&dir.display().to_string(), &e))?;
            for entry in entries {
                let entry = entry.map_err(|e| unreadable(&dir.display().to_string(), &e))?;
                let source = entry.path();
                let meta = match entry.metadata() {
                    Ok(meta) => meta,
                    Err(e) => {
                        finds.leave(&source, format!("it cannot be read ({})", e.kind()));
                        continue;
                    }
                };
                let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
                    finds.leave(&source, "its name is not valid UTF-8");
                    continue;
                };
                if let Some(reason) = self.reason(&source, &name, meta.is_dir(), &rules) {
                    finds.leave(&source, reason);
                    continue;
                }
                match inside(prefix.as_ref(), &name) {
                    Err(error) => finds.leave(&source, error.to_string()),
                    Ok(path) if meta.is_dir() => {
                        open.push(Open { dir: source, prefix: Some(path), rules: rules.clone() });
                    }
                    Ok(path) if meta.is_file() => finds.add(path, Found { source, bytes: meta.len() })?,
                    Ok(_) => finds.leave(&source, format!("it is {}", special(&meta))),
                }
            }
        }
        Ok(())
    }

    /// Why a file or folder is skipped; `None` if it is added.
    fn reason(&self, source: &Path, name: &str, is_dir: bool, rules: &[Arc<Gitignore>]) -> Option<String> {
        if VERSION_CONTROL.contains(&name) {
            return Some(REASON_VCS.to_owned());
        }
        if self.exclude.matched(source, is_dir).is_ignore() {
            return Some(REASON_EXCLUDED.to_owned());
        }
        if SYSTEM_FILES.contains(&name) {
            return Some(REASON_SYSTEM.to_owned());
        }
        if !self.choice.no_ignore {
            for one in rules.iter().rev().chain(&self.above) {
                match one.matched(source, is_dir) {
                    Match::Ignore(glob) => {
                        let file =
                            glob.from().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
                        return Some(format!("{IGNORED} {}", file.as_deref().unwrap_or("an ignore file")));
                    }
                    Match::Whitelist(_) => break,
                    Match::None => {}
                }
            }
            if is_dir && is_made_by_tools(source, name) {
                return Some(REASON_TOOLS.to_owned());
            }
        }
        (!is_dir && holds_secrets(name)).then(|| REASON_SECRET.to_owned())
    }
}

/// The ignore files of a folder, the strongest last.
fn own_rules(dir: &Path) -> Vec<Arc<Gitignore>> {
    let files = IGNORE_FILES.iter().map(|name| dir.join(name)).filter(|path| path.is_file());
    // An invalid line is skipped, as in git; the others apply.
    files.map(|path| built(GitignoreBuilder::new(dir), &[path])).collect()
}

fn built(mut builder: GitignoreBuilder, files: &[PathBuf]) -> Arc<Gitignore> {
    for path in files {
        if let Some(error) = builder.add(path) {
            tracing::debug!("a line of an ignore file is skipped: {error}");
        }
    }
    Arc::new(builder.build().unwrap_or_else(|_| Gitignore::empty()))
}

/// The rules from above a folder: ignore files up to the root of its repository, strongest first.
fn above(top: &Path) -> Vec<Arc<Gitignore>> {
    let Ok(whole) = std::path::absolute(top) else { return Vec::new() };
    let mut rules = Vec::new();
    let repository = whole.ancestors().find(|dir| dir.join(".git").exists());
    if let Some(repository) = repository {
        for dir in whole.ancestors().skip(1).take_while(|dir| dir.starts_with(repository)) {
            rules.extend(own_rules(dir).into_iter().rev());
        }
        let own = repository.join(".git/info/exclude");
        if own.is_file() {
            rules.push(built(GitignoreBuilder::new(repository), &[own]));
        }
    }
    rules.push(Arc::new(GitignoreBuilder::new(repository.unwrap_or(&whole)).build_global().0));
    rules
}

/// Whether a package manager or build tool generated a folder.
fn is_made_by_tools(dir: &Path, name: &str) -> bool {
    let beside = |file: &str| dir.parent().is_some_and(|parent| parent.join(file).is_file());
    TOOL_FOLDERS.contains(&name)
        || MADE_BESIDE.iter().any(|(folder, file)| *folder == name && beside(file))
        || MADE_WITH.iter().any(|file| dir.join(file).is_file() && (*file == "pyvenv.cfg" || is_packages(name)))
        || has_cache_tag(dir)
}

/// Names that people use for their own folders too, so that another sign is required.
fn is_packages(name: &str) -> bool {
    matches!(name, "vendor" | "obj" | "bin" | "packages")
}

fn has_cache_tag(dir: &Path) -> bool {
    use std::io::Read as _;
    let Ok(mut file) = std::fs::File::open(dir.join("CACHEDIR.TAG")) else { return false };
    let mut head = [0; CACHE_TAG.len()];
    file.read_exact(&mut head).is_ok() && head == CACHE_TAG
}

/// Whether a file's name suggests that it contains keys. Sample files are excepted, because they are meant to be
/// shared.
fn holds_secrets(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let sample = ["example", "sample", "template", "dist", "defaults", "schema"];
    if lower == ".env" || lower.starts_with(".env.") || lower.ends_with(".env") {
        return !lower.split('.').any(|part| sample.contains(&part));
    }
    let whole = [
        ".netrc",
        "_netrc",
        ".pgpass",
        ".htpasswd",
        ".npmrc",
        ".pypirc",
        ".git-credentials",
        ".vault-token",
        ".dockercfg",
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
        "id_ecdsa_sk",
        "id_ed25519_sk",
        ".my.cnf",
        ".s3cfg",
        ".boto",
        "terraform.tfstate",
        "terraform.tfstate.backup",
        "master.key",
        "credentials.json",
        "service-account.json",
    ];
    let endings =
        [".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".kdb", ".ppk", ".pkcs12", ".key", ".tfstate", ".ovpn"];
    whole.contains(&lower.as_str()) || endings.iter().any(|ending| lower.ends_with(ending))
}

fn bad_pattern(pattern: &str, error: &ignore::Error) -> OpError {
    OpError::new(Code::ValidationFailed, format!("invalid pattern `{pattern}`: {error}"))
        .hint("patterns are written as in a .gitignore, such as `*.log` or `drafts/`")
}

fn inside(folder: Option<&WorkbenchPath>, name: &str) -> Result<WorkbenchPath, OpError> {
    let path = folder.map_or_else(|| WorkbenchPath::new(name), |folder| folder.join(name));
    path.map_err(|e| OpError::new(Code::SandboxViolation, e.to_string()).hint("rename the file, or leave it out"))
}

pub(super) fn special(meta: &std::fs::Metadata) -> &'static str {
    if meta.is_symlink() { "a symbolic link" } else { "a device, a socket or a pipe, not a file" }
}

pub(super) fn unreadable(given: &str, error: &std::io::Error) -> OpError {
    match error.kind() {
        std::io::ErrorKind::NotFound => OpError::new(Code::FileNotFound, format!("there is no file `{given}`"))
            .hint("check the path; it is relative to the current folder"),
        kind => OpError::new(Code::FileReadFailed, format!("`{given}` cannot be read: {kind}"))
            .hint("check the file's rights"),
    }
}

pub(super) fn not_utf8(given: &str) -> OpError {
    OpError::new(Code::SandboxViolation, format!("the name of `{given}` is not valid UTF-8")).hint("rename the file")
}
