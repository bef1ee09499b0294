//! Makes DuckDB's shared library available: `DUCKDB_LIB_DIR`, else the user's cache, else fetched once from the npm
//! registry, else DuckDB is compiled from source.
//!
//! `crates/jig-tables/build.rs` looks in the same places and links what it finds there.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};

use crate::args::{self, Failure};
use crate::duckdb::{self, Library, PACKAGE_VERSION, VERSION};
use crate::summary::duration;
use crate::{paths, shell};

pub(crate) const HELP: &str = "\
Usage: cargo xtask duckdb

Makes DuckDB's shared library available to cargo and prints its folder. In this order:

  1. DUCKDB_LIB_DIR, if it is set
  2. the user's cache, where an earlier run stored it
  3. the npm registry: npm, pnpm, bun or yarn fetches about 25 MB once; the library's
     SHA-256 must match the pinned one

Without any of them the command fails. Commands that build Jig then compile DuckDB from
source, which needs a C++ compiler and takes 10 to 30 minutes on 2 cores.
";

/// `cargo xtask duckdb`
pub(crate) fn run(args: &[&str]) -> Result<(), Failure> {
    args::none(args)?;
    let host = Host::current();
    match host.shared() {
        Ok(DuckDb::Shared { folder, via_env }) => {
            println!("DuckDB {VERSION}: {}", folder.display());
            if via_env && host.lib_dir.is_none() {
                println!("Cargo finds it there only with DUCKDB_LIB_DIR={}", folder.display());
            }
            Ok(())
        }
        Ok(DuckDb::Bundled { .. }) => Ok(()),
        Err(why) => Err(Failure::Failed(format!("{why}\n{}", host.ways_out()))),
    }
}

/// How a build gets DuckDB.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DuckDb {
    /// The shared library is in this folder. `via_env`: cargo finds it only by `DUCKDB_LIB_DIR`.
    Shared { folder: PathBuf, via_env: bool },
    /// Compiled from source and linked statically. `via_env`: cargo finds the compiler only by `CXX`.
    Bundled { compiler: String, via_env: bool },
}

impl DuckDb {
    /// Prepares a cargo command that links `jig-sql`. Arguments after `--` have to be added later.
    pub(crate) fn configure(&self, cargo: &mut Command) {
        self.set_environment(cargo);
        if matches!(self, Self::Bundled { .. }) {
            cargo.args(["--features", "jig-tables/bundled"]);
        }
    }

    /// Sets the variables alone, for commands that check without linking. All commands of a run have to agree about
    /// them: cargo runs the build scripts that watch them again after every change.
    pub(crate) fn set_environment(&self, cargo: &mut Command) {
        match self {
            Self::Shared { folder, via_env: true } => cargo.env("DUCKDB_LIB_DIR", folder),
            Self::Bundled { compiler, via_env: true } => cargo.env("CXX", compiler),
            Self::Shared { via_env: false, .. } | Self::Bundled { via_env: false, .. } => cargo,
        };
    }
}

/// Why the shared library is not available.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unavailable {
    /// DuckDB publishes no library for this system.
    Platform,
    /// No registry client is installed.
    NoClient,
    /// Every client failed; one paragraph each.
    Fetch(Vec<String>),
    /// Nothing can be stored, neither in the cache nor in the build folder.
    Storage(String),
    /// A setting or a download that is wrong. Building something else instead would hide it.
    Refused(String),
}

impl std::fmt::Display for Unavailable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use std::env::consts::{ARCH, OS};
        match self {
            Self::Platform => write!(f, "DuckDB's shared library is not published for {OS} on {ARCH}"),
            Self::NoClient => write!(f, "cannot fetch DuckDB {VERSION}: npm is not installed"),
            Self::Fetch(failures) => write!(f, "cannot fetch DuckDB {VERSION}: {}", failures.join("\n")),
            Self::Storage(why) => write!(f, "cannot store DuckDB {VERSION}: {why}"),
            Self::Refused(why) => f.write_str(why),
        }
    }
}

/// What will happen on `Host::prepare`, without doing any of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Forecast {
    Stored(PathBuf),
    Fetched(&'static str),
    Compiled,
    Missing(String),
}

/// Everything about this machine that decides where DuckDB comes from.
pub(crate) struct Host {
    library: Option<Library>,
    /// `DUCKDB_LIB_DIR`
    lib_dir: Option<PathBuf>,
    cache: Option<PathBuf>,
    target: PathBuf,
    /// `PATH`
    path: OsString,
    /// `CXX`
    cxx: Option<OsString>,
}

impl Host {
    pub(crate) fn current() -> Self {
        use std::env::consts::{ARCH, OS};
        // The published library needs glibc.
        let library = Library::find(OS, ARCH).filter(|_| !cfg!(target_env = "musl"));
        Self {
            library: library.copied(),
            // Build scripts run in the folder of their package, where a relative path would name something else.
            lib_dir: paths::variable("DUCKDB_LIB_DIR").and_then(|folder| std::path::absolute(folder).ok()),
            cache: duckdb::cache(),
            target: paths::target(),
            path: paths::variable("PATH").unwrap_or_default(),
            cxx: paths::variable("CXX"),
        }
    }

    /// The shared library, or after a warning the bundled build. The error names the ways out.
    pub(crate) fn prepare(&self) -> Result<DuckDb, String> {
        let why = match self.shared() {
            Ok(duckdb) => return Ok(duckdb),
            Err(why @ Unavailable::Refused(_)) => return Err(format!("{why}\n{}", self.ways_out())),
            Err(why) => why,
        };
        let no_compiler = |missing| format!("{why}\n{missing}\n{}", self.ways_out());
        let (compiler, via_env) = self.compiler().map_err(no_compiler)?;
        eprintln!(
            "warning: {why}\n\
             DuckDB {VERSION} will be compiled from source with `{compiler}`.\n\
             This takes 10 to 30 minutes on 2 cores the first time. To avoid it, press Ctrl-C and choose one of:\n{}",
            self.ways_to_library().join("\n")
        );
        Ok(DuckDb::Bundled { compiler, via_env })
    }

    /// The shared library: found, or fetched.
    pub(crate) fn shared(&self) -> Result<DuckDb, Unavailable> {
        match self.find()? {
            Some(duckdb) => Ok(duckdb),
            None => self.fetch(&self.library.ok_or(Unavailable::Platform)?),
        }
    }

    /// The bundled build, if a C++ compiler is installed.
    pub(crate) fn bundled(&self) -> Result<DuckDb, String> {
        self.compiler().map(|(compiler, via_env)| DuckDb::Bundled { compiler, via_env })
    }

    /// The C++ compiler, and whether cargo has to be given it.
    fn compiler(&self) -> Result<(String, bool), String> {
        if let Some(cxx) = &self.cxx {
            // It may have arguments, or a launcher such as ccache before it.
            let cxx = cxx.to_string_lossy().into_owned();
            let program = cxx.split_whitespace().next().unwrap_or_default();
            if Path::new(program).is_file() || paths::find_program(program, &self.path).is_some() {
                return Ok((cxx, false));
            }
            return Err(format!("CXX names a compiler that is not installed: `{cxx}`"));
        }
        // Visual Studio's compiler is not on the path; the `cc` crate looks it up in the registry.
        if cfg!(windows) {
            return Ok(("cl".to_owned(), false));
        }
        let installed = |name: &&str| paths::find_program(name, &self.path).is_some();
        match ["c++", "g++", "clang++"].into_iter().find(installed) {
            // The `cc` crate starts `c++` without any setting.
            Some(compiler) => Ok((compiler.to_owned(), compiler != "c++")),
            None => Err("cannot compile DuckDB from source: no C++ compiler found (looked for c++, g++ and clang++)\n\
                         hint: install one (Debian: `apt-get install g++`; Fedora: `dnf install gcc-c++`; \
                         macOS: `xcode-select --install`)"
                .to_owned()),
        }
    }

    /// What `prepare` would do, for the list of tools. `npm_follows`: npm will be installed before.
    pub(crate) fn forecast(&self, npm_follows: bool) -> Forecast {
        match self.find() {
            Ok(Some(DuckDb::Shared { folder, .. })) => return Forecast::Stored(folder),
            Ok(_) => {}
            Err(why) => return Forecast::Missing(why.to_string()),
        }
        let client = CLIENTS.iter().find(|client| paths::find_program(client.program, &self.path).is_some());
        match client.map(|client| client.program).or(npm_follows.then_some("npm")) {
            Some(client) if self.library.is_some() => Forecast::Fetched(client),
            _ if self.bundled().is_ok() => Forecast::Compiled,
            _ => Forecast::Missing("install npm or a C++ compiler".to_owned()),
        }
    }

    /// The library where nothing has to be done for it.
    fn find(&self) -> Result<Option<DuckDb>, Unavailable> {
        if let Some(folder) = &self.lib_dir {
            let file = library_file();
            if folder.join(file).is_file() {
                return Ok(Some(DuckDb::Shared { folder: folder.clone(), via_env: true }));
            }
            return Err(Unavailable::Refused(format!(
                "DUCKDB_LIB_DIR is set to {}, which does not contain {file}",
                folder.display()
            )));
        }
        let Some(library) = &self.library else { return Ok(None) };
        let stored = |folder: &PathBuf| is_stored(library, folder.as_path());
        let cached = self.cache.as_deref().map(|cache| library.folder(cache)).filter(stored);
        if let Some(folder) = cached {
            return Ok(Some(DuckDb::Shared { folder, via_env: false }));
        }
        let in_target = Some(library.folder(&self.target)).filter(stored);
        Ok(in_target.map(|folder| DuckDb::Shared { folder, via_env: true }))
    }

    /// Fetches the library with the first client that can.
    fn fetch(&self, library: &Library) -> Result<DuckDb, Unavailable> {
        let installed: Vec<(&Client, PathBuf)> = CLIENTS
            .iter()
            .filter_map(|client| Some((client, paths::find_program(client.program, &self.path)?)))
            .collect();
        if installed.is_empty() {
            return Err(Unavailable::NoClient);
        }
        let (staging, folder, via_env) = self.staging(library)?;
        let mut failures = Vec::new();
        for (client, program) in installed {
            eprintln!("Fetching DuckDB {VERSION} with {} (about 25 MB)", client.program);
            let start = Instant::now();
            match client.fetch(&program, library, staging.folder(), &self.path) {
                Ok(file) => {
                    verify(library, &file)?;
                    store(library, &file, &folder).map_err(|error| Unavailable::Storage(error.to_string()))?;
                    eprintln!("Stored in {} ({})", folder.display(), duration(start.elapsed()));
                    return Ok(DuckDb::Shared { folder, via_env });
                }
                Err(why) => failures.push(why),
            }
        }
        Err(Unavailable::Fetch(failures))
    }

    /// A temporary folder on the file system of the folder that the library goes to, that folder, and whether cargo has
    /// to be given it: the cache, or the build folder where the cache cannot be written to.
    fn staging(&self, library: &Library) -> Result<(Staging, PathBuf, bool), Unavailable> {
        let why = match &self.cache {
            None => paths::NO_CACHE.to_owned(),
            Some(cache) => match Staging::create(&cache.join("duckdb")) {
                Ok(staging) => return Ok((staging, library.folder(cache), false)),
                Err(error) => format!("cannot write to {}: {error}", cache.join("duckdb").display()),
            },
        };
        let parent = self.target.join("duckdb");
        let staging = Staging::create(&parent).map_err(|error| {
            Unavailable::Storage(format!("{why}, and cannot write to {}: {error}", parent.display()))
        })?;
        eprintln!("warning: {why}");
        eprintln!("DuckDB will be stored in {} instead, and DUCKDB_LIB_DIR set for this build.", parent.display());
        Ok((staging, library.folder(&self.target), true))
    }

    /// What a user can do to get the shared library after all, one line each.
    fn ways_to_library(&self) -> Vec<String> {
        let mut ways = Vec::new();
        if self.lib_dir.is_some() {
            ways.push("  - unset DUCKDB_LIB_DIR, so that the library is fetched".to_owned());
        } else if self.library.is_some() {
            let installed = CLIENTS.iter().any(|client| paths::find_program(client.program, &self.path).is_some());
            ways.push(match installed {
                true => "  - run the command again with a working connection to the npm registry".to_owned(),
                false => "  - install npm (Debian: `apt-get install npm`) and run the command again".to_owned(),
            });
        }
        let file = library_file();
        ways.push(format!("  - set DUCKDB_LIB_DIR to a folder that contains {file} of DuckDB {VERSION}"));
        ways
    }

    /// What a user can do when the library is not available.
    pub(crate) fn ways_out(&self) -> String {
        let mut ways = self.ways_to_library();
        if self.bundled().is_ok() {
            let build = "cargo build -p jig -p jig-tables --features jig-tables/bundled";
            ways.push(format!("  - compile DuckDB from source: `{build}`"));
        }
        format!("Choose one of:\n{}", ways.join("\n"))
    }
}

/// What the linker looks for in `DUCKDB_LIB_DIR`.
fn library_file() -> &'static str {
    match std::env::consts::OS {
        "windows" => "duckdb.lib",
        "macos" => "libduckdb.dylib",
        _ => "libduckdb.so",
    }
}

/// A program that can fetch a package of the npm registry into a folder, without touching the user's configuration,
/// caches or other projects.
struct Client {
    program: &'static str,
    args: &'static [&'static str],
    /// Where the client puts the content of the package.
    layout: Layout,
}

enum Layout {
    /// An archive, with everything below `package/`.
    Archive,
    /// Installed below `node_modules/`.
    Installed,
}

/// The caches are below the temporary folder, in which the client is started.
const CLIENTS: [Client; 4] = [
    Client {
        program: "npm",
        args: &["pack", "--ignore-scripts", "--loglevel=error", "--cache=client-cache"],
        layout: Layout::Archive,
    },
    Client {
        program: "pnpm",
        args: &[
            "add",
            "--ignore-scripts",
            "--ignore-workspace",
            "--store-dir=client-store",
            "--cache-dir=client-cache",
        ],
        layout: Layout::Installed,
    },
    Client {
        program: "bun",
        args: &["add", "--ignore-scripts", "--no-save", "--cache-dir=client-cache"],
        layout: Layout::Installed,
    },
    // Version 1 and the later ones share no options, but each ignores the variables of the other.
    Client { program: "yarn", args: &["add"], layout: Layout::Installed },
];

const CLIENT_ENVIRONMENT: [(&str, &str); 9] = [
    // Without a network a client should fail after seconds, not after minutes.
    ("npm_config_fetch_retries", "1"),
    ("npm_config_fetch_retry_mintimeout", "1000"),
    ("npm_config_ignore_scripts", "true"),
    ("COREPACK_ENABLE_DOWNLOAD_PROMPT", "0"),
    ("YARN_CACHE_FOLDER", "client-cache"),
    ("YARN_GLOBAL_FOLDER", "client-store"),
    ("YARN_ENABLE_SCRIPTS", "0"),
    ("YARN_ENABLE_TELEMETRY", "0"),
    ("YARN_NODE_LINKER", "node-modules"),
];

impl Client {
    /// Fetches the package into a folder of the client's own; the library's file in it.
    fn fetch(&self, program: &Path, library: &Library, staging: &Path, path: &OsStr) -> Result<PathBuf, String> {
        let failed = |error: io::Error| format!("{}: {error}", self.program);
        let folder = staging.join(self.program);
        fs::create_dir(&folder).map_err(failed)?;
        // Otherwise a client would look for a project in the folders above.
        fs::write(folder.join("package.json"), "{ \"private\": true }\n").map_err(failed)?;
        if self.program == "yarn" {
            fs::write(folder.join("yarn.lock"), "").map_err(failed)?;
        }
        let run = |program: &Path, args: &[&str]| {
            let mut command = shell::command(program);
            command.args(args).current_dir(&folder).env("PATH", path).envs(CLIENT_ENVIRONMENT);
            run_quietly(command)
        };
        let package = format!("{}@{PACKAGE_VERSION}", library.package);
        let args: Vec<&str> = self.args.iter().copied().chain([package.as_str()]).collect();
        run(program, &args).map_err(|why| format!("{} failed:\n{why}", self.program))?;
        let file = match self.layout {
            Layout::Archive => {
                let archive = find_archive(&folder).ok_or("npm pack left no archive")?;
                let file = format!("package/{}", library.file);
                let tar = paths::find_program("tar", path).ok_or("npm needs tar, which is not installed")?;
                run(&tar, &["-xzf", &archive, &file]).map_err(|why| format!("tar failed:\n{why}"))?;
                folder.join(file)
            }
            Layout::Installed => folder.join("node_modules").join(library.package).join(library.file),
        };
        if file.is_file() { Ok(file) } else { Err(format!("{}: {package} has no {}", self.program, library.file)) }
    }
}

fn find_archive(folder: &Path) -> Option<String> {
    let names = fs::read_dir(folder).ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names.into_iter().find(|name| name.ends_with(".tgz"))
}

/// Runs a client or tar; the error is the end of what it printed.
fn run_quietly(mut command: Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    // Some clients print their errors to standard output.
    let printed = if output.stderr.trim_ascii().is_empty() { output.stdout } else { output.stderr };
    let excerpt = last_lines(&String::from_utf8_lossy(&printed));
    Err(if excerpt.is_empty() { format!("  {}", output.status) } else { excerpt })
}

/// The last lines of an error, indented, without stack traces and details of error objects, which npm prints last.
fn last_lines(printed: &str) -> String {
    const LINES: usize = 5;
    let is_telling = |line: &&str| {
        let text = line.strip_prefix("npm error").unwrap_or(line);
        let text = text.strip_prefix(' ').unwrap_or(text);
        !text.trim().is_empty() && !text.starts_with([' ', '}']) && !text.contains("A complete log of this run")
    };
    let lines: Vec<&str> = printed.lines().filter(is_telling).collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    last.iter().map(|line| format!("  {}", line.trim_end())).collect::<Vec<_>>().join("\n")
}

/// Compares a download with the pinned checksum, and deletes it if they differ.
fn verify(library: &Library, file: &Path) -> Result<(), Unavailable> {
    let actual = sha256(file).map_err(|error| Unavailable::Storage(error.to_string()))?;
    if actual == library.sha256 {
        return Ok(());
    }
    // The temporary folder is deleted anyway; the file must not survive even if that fails.
    let _ = fs::remove_file(file);
    Err(Unavailable::Refused(format!(
        "wrong checksum: {} of {}@{PACKAGE_VERSION} is not the pinned file, so it was deleted\n  \
         expected SHA-256 {}\n  actual   SHA-256 {actual}",
        library.file, library.package, library.sha256
    )))
}

fn sha256(file: &Path) -> io::Result<String> {
    let mut file = File::open(file)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            read => hasher.update(&buffer[..read]),
        }
    }
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Moves a verified library into its folder. Each file is renamed into place, so that a second run at the same time
/// sees a complete one or none.
fn store(library: &Library, file: &Path, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::rename(file, folder.join(library.file))?;
    let temporary = file.with_extension("sha256");
    fs::write(&temporary, record(library))?;
    fs::rename(temporary, folder.join(record_file(library)))
}

/// Whether the verified library is in a folder. The checksum was recorded when it was stored: hashing 70 MB again would
/// slow down every start.
fn is_stored(library: &Library, folder: &Path) -> bool {
    let file = folder.join(library.file);
    if !file.is_file() {
        return false;
    }
    let record_file = folder.join(record_file(library));
    if fs::read_to_string(&record_file).is_ok_and(|text| text == record(library)) {
        return true;
    }
    // A run may have been interrupted before it wrote the record, or the file was copied here.
    let matches = sha256(&file).is_ok_and(|actual| actual == library.sha256);
    if matches {
        let _ = fs::write(record_file, record(library));
    }
    matches
}

fn record_file(library: &Library) -> String {
    format!("{}.sha256", library.file)
}

/// In the format of `sha256sum`.
fn record(library: &Library) -> String {
    format!("{}  {}\n", library.sha256, library.file)
}

/// A temporary folder, deleted at the end.
struct Staging(PathBuf);

impl Staging {
    const PREFIX: &'static str = ".fetch-";

    fn create(parent: &Path) -> io::Result<Self> {
        fs::create_dir_all(parent)?;
        delete_abandoned(parent);
        let folder = parent.join(format!("{}{}", Self::PREFIX, std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder)?;
        Ok(Self(folder))
    }

    fn folder(&self) -> &Path {
        &self.0
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Deletes what interrupted runs left. A day is more than any run needs.
fn delete_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let age = entry.metadata().and_then(|metadata| metadata.modified()).ok().and_then(|time| time.elapsed().ok());
        let old = age.is_some_and(|age| age > Duration::from_secs(24 * 60 * 60));
        if old && name.to_string_lossy().starts_with(Staging::PREFIX) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
