//! Every way to DuckDB's library, with fake programs on a search path of their own.

use super::*;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

const CONTENT: &str = "the library\n";

/// A machine in a temporary folder: `bin` is its whole search path.
struct Machine {
    folder: TempDir,
    host: Host,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["bin", "cache", "target", "package"] {
            fs::create_dir(at(name)).unwrap();
        }
        fs::write(at("package/libduckdb.so"), CONTENT).unwrap();
        let pinned = sha256(&at("package/libduckdb.so")).unwrap();
        let library = Library {
            os: "linux",
            arch: "x86_64",
            package: "@duckdb/fake",
            file: "libduckdb.so",
            sha256: Box::leak(pinned.into_boxed_str()),
        };
        let host = Host {
            library: Some(library),
            lib_dir: None,
            cache: Some(at("cache")),
            target: at("target"),
            path: at("bin").into(),
            cxx: None,
        };
        Self { folder, host }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A program as a shell script. Another process writes it: a file that this one has open for writing cannot be
    /// executed, and a child that another test starts right now would keep it open.
    fn program(&self, name: &str, script: &str) {
        let mut write = Command::new("sh");
        write.args(["-c", "cat >\"$0\" && chmod +x \"$0\""]).arg(self.at("bin").join(name)).stdin(Stdio::piped());
        let mut child = write.spawn().unwrap();
        child.stdin.take().unwrap().write_all(format!("#!/bin/sh\n{script}\n").as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
    }

    /// Programs of the real machine.
    fn real(&self, names: &[&str]) {
        for name in names {
            symlink(paths::on_path(name).unwrap(), self.at("bin").join(name)).unwrap();
        }
    }

    /// An npm that notes each call and packs what is in `package/`.
    fn npm(&self) {
        self.real(&["tar", "gzip"]);
        let folder = self.folder.path().display();
        self.program("npm", &format!("echo \"$@\" >>{folder}/calls\ntar -C {folder} -czf fake.tgz package"));
    }

    fn calls(&self) -> String {
        fs::read_to_string(self.at("calls")).unwrap_or_default()
    }

    fn cached(&self) -> PathBuf {
        self.host.library.unwrap().folder(&self.at("cache"))
    }

    /// The names below a folder, without the library's own folder.
    fn names(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.at(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn environment(duckdb: &DuckDb) -> (Vec<String>, Vec<(String, String)>) {
    let mut cargo = Command::new("cargo");
    duckdb.configure(&mut cargo);
    let words = |text: &OsStr| text.to_str().unwrap().to_owned();
    let variables = cargo.get_envs().map(|(name, value)| (words(name), words(value.unwrap()))).collect();
    (cargo.get_args().map(words).collect(), variables)
}

fn bundled_by(compiler: &str, via_env: bool) -> DuckDb {
    DuckDb::Bundled { compiler: compiler.to_owned(), via_env }
}

#[test]
fn npm_is_asked_once_and_the_cache_needs_no_setting() {
    let machine = Machine::new();
    machine.npm();
    let expected = DuckDb::Shared { folder: machine.cached(), via_env: false };
    assert_eq!(machine.host.forecast(false), Forecast::Fetched("npm"));
    assert_eq!(machine.host.prepare(), Ok(expected));
    assert_eq!(fs::read_to_string(machine.cached().join("libduckdb.so")).unwrap(), CONTENT);
    let second = machine.host.prepare().unwrap();
    assert_eq!(machine.calls().lines().count(), 1, "{}", machine.calls());
    assert!(machine.calls().trim_end().ends_with("@duckdb/fake@1.5.5-r.5"), "{}", machine.calls());
    assert_eq!(environment(&second), (vec![], vec![]));
    assert_eq!(machine.host.forecast(false), Forecast::Stored(machine.cached()));
    // Nothing is left of the download.
    assert_eq!(machine.names("cache/duckdb"), ["1.5.5-x86_64-linux"]);
    assert_eq!(machine.names("cache/duckdb/1.5.5-x86_64-linux"), ["libduckdb.so", "libduckdb.so.sha256"]);
}

#[test]
fn the_recorded_checksum_replaces_hashing() {
    let machine = Machine::new();
    let (library, folder) = (machine.host.library.unwrap(), machine.cached());
    fs::create_dir_all(&folder).unwrap();
    assert!(!is_stored(&library, &folder));
    // Without a record the file is hashed once.
    fs::write(folder.join("libduckdb.so"), CONTENT).unwrap();
    assert!(is_stored(&library, &folder));
    assert_eq!(fs::read_to_string(folder.join("libduckdb.so.sha256")).unwrap(), record(&library));
    // With it the content is not read again.
    fs::write(folder.join("libduckdb.so"), "changed").unwrap();
    assert!(is_stored(&library, &folder));
    // A record for another version does not count, and neither does a wrong file.
    fs::write(folder.join("libduckdb.so.sha256"), "0000  libduckdb.so\n").unwrap();
    assert!(!is_stored(&library, &folder));
}

#[test]
fn a_damaged_file_in_the_cache_is_replaced() {
    let machine = Machine::new();
    machine.npm();
    fs::create_dir_all(machine.cached()).unwrap();
    fs::write(machine.cached().join("libduckdb.so"), "half a lib").unwrap();
    machine.host.prepare().unwrap();
    assert_eq!(fs::read_to_string(machine.cached().join("libduckdb.so")).unwrap(), CONTENT);
}

#[test]
fn lib_dir_wins_and_must_contain_the_library() {
    let mut machine = Machine::new();
    machine.npm();
    let folder = machine.at("mine");
    fs::create_dir(&folder).unwrap();
    machine.host.lib_dir = Some(folder.clone());
    let file = library_file();
    let expected = format!("DUCKDB_LIB_DIR is set to {}, which does not contain {file}", folder.display());
    assert_eq!(machine.host.shared(), Err(Unavailable::Refused(expected.clone())));
    let error = machine.host.prepare().unwrap_err();
    assert!(error.starts_with(&expected) && error.contains("unset DUCKDB_LIB_DIR"), "{error}");
    fs::write(folder.join(file), "").unwrap();
    let found = machine.host.prepare().unwrap();
    assert_eq!(found, DuckDb::Shared { folder: folder.clone(), via_env: true });
    assert_eq!(environment(&found), (vec![], vec![("DUCKDB_LIB_DIR".to_owned(), folder.display().to_string())]));
    assert_eq!(machine.calls(), "");
}

#[test]
fn without_npm_duckdb_is_compiled() {
    let machine = Machine::new();
    machine.program("c++", "");
    assert_eq!(machine.host.shared(), Err(Unavailable::NoClient));
    assert_eq!(machine.host.forecast(false), Forecast::Compiled);
    assert_eq!(machine.host.forecast(true), Forecast::Fetched("npm"));
    let bundled = machine.host.prepare().unwrap();
    assert_eq!(bundled, bundled_by("c++", false));
    assert_eq!(environment(&bundled), (vec!["--features".to_owned(), "jig-tables/bundled".to_owned()], vec![]));
    let ways = machine.host.ways_to_library().join("\n");
    assert!(ways.contains("install npm") && ways.contains("DUCKDB_LIB_DIR"), "{ways}");
}

#[test]
fn without_npm_and_compiler_both_are_named() {
    let machine = Machine::new();
    let error = machine.host.prepare().unwrap_err();
    for expected in [
        "cannot fetch DuckDB 1.5.5: npm is not installed",
        "no C++ compiler found (looked for c++, g++ and clang++)",
        "apt-get install g++",
        "apt-get install npm",
        "set DUCKDB_LIB_DIR",
    ] {
        assert!(error.contains(expected), "{expected}: {error}");
    }
    assert!(!error.contains("compile DuckDB from source: `"), "{error}");
    assert_eq!(machine.host.forecast(false), Forecast::Missing("install npm or a C++ compiler".to_owned()));
}

#[test]
fn another_compiler_than_cxx_is_named_to_cargo() {
    let mut machine = Machine::new();
    machine.program("clang++", "");
    let bundled = machine.host.bundled().unwrap();
    assert_eq!(environment(&bundled).1, [("CXX".to_owned(), "clang++".to_owned())]);
    // A compiler that the user names is taken as it is.
    machine.host.cxx = Some("clang++ -v".into());
    assert_eq!(machine.host.bundled(), Ok(bundled_by("clang++ -v", false)));
    machine.host.cxx = Some("lathe++".into());
    let error = machine.host.bundled().unwrap_err();
    assert_eq!(error, "CXX names a compiler that is not installed: `lathe++`");
}

#[test]
fn without_a_network_the_end_of_the_error_is_shown() {
    let machine = Machine::new();
    machine.program(
        "npm",
        "echo 'npm error code ENOTFOUND' >&2\n\
         echo 'npm error network request to the registry failed, reason: getaddrinfo ENOTFOUND' >&2\n\
         echo 'npm error     at process.processTicksAndRejections (node:internal:83:21) {' >&2\n\
         echo 'npm error   code: 1,' >&2\n\
         echo 'npm error }' >&2\n\
         echo 'npm error A complete log of this run can be found in: x' >&2\n\
         exit 1",
    );
    let error = machine.host.shared().unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot fetch DuckDB 1.5.5: npm failed:\n  npm error code ENOTFOUND\n  \
         npm error network request to the registry failed, reason: getaddrinfo ENOTFOUND"
    );
    // With a compiler the build goes another way; without one the error names both.
    let error = machine.host.prepare().unwrap_err();
    assert!(error.contains("ENOTFOUND") && error.contains("no C++ compiler"), "{error}");
    assert!(error.contains("working connection"), "{error}");
    machine.program("g++", "");
    assert_eq!(machine.host.prepare(), Ok(bundled_by("g++", true)));
    assert_eq!(machine.names("cache/duckdb"), Vec::<String>::new());
}

#[test]
fn the_next_client_is_tried_when_one_fails() {
    let machine = Machine::new();
    machine.real(&["mkdir", "cp"]);
    machine.program("npm", "exit 1");
    let folder = machine.folder.path().display();
    let install = format!("mkdir -p node_modules/@duckdb && cp -R {folder}/package node_modules/@duckdb/fake");
    machine.program("pnpm", &install);
    assert_eq!(machine.host.prepare(), Ok(DuckDb::Shared { folder: machine.cached(), via_env: false }));
}

#[test]
fn a_wrong_checksum_is_refused_and_nothing_is_kept() {
    let machine = Machine::new();
    machine.npm();
    machine.program("c++", "");
    fs::write(machine.at("package/libduckdb.so"), "something else").unwrap();
    let actual = sha256(&machine.at("package/libduckdb.so")).unwrap();
    // Even with a compiler: another library than the pinned one may be an attack.
    let error = machine.host.prepare().unwrap_err();
    assert!(error.starts_with("wrong checksum: libduckdb.so of @duckdb/fake@1.5.5-r.5"), "{error}");
    assert!(error.contains(&format!("expected SHA-256 {}", machine.host.library.unwrap().sha256)), "{error}");
    assert!(error.contains(&format!("actual   SHA-256 {actual}")), "{error}");
    assert!(error.contains("--features jig-tables/bundled") && error.contains("DUCKDB_LIB_DIR"), "{error}");
    assert_eq!(machine.names("cache/duckdb"), Vec::<String>::new());
}

#[test]
fn a_package_without_the_library_is_an_error() {
    let machine = Machine::new();
    machine.real(&["tar", "gzip", "mkdir"]);
    machine.program("npm", "mkdir package && tar -czf fake.tgz package");
    let error = machine.host.shared().unwrap_err().to_string();
    assert!(error.starts_with("cannot fetch DuckDB 1.5.5: tar failed:"), "{error}");
    machine.program("npm", "exit 0");
    let error = machine.host.shared().unwrap_err().to_string();
    assert_eq!(error, "cannot fetch DuckDB 1.5.5: npm pack left no archive");
}

#[test]
fn a_cache_that_cannot_be_written_is_replaced_by_the_build_folder() {
    let mut machine = Machine::new();
    machine.npm();
    // Works for root too, whom permissions do not stop: a file where the folder should be.
    fs::write(machine.at("file"), "").unwrap();
    machine.host.cache = Some(machine.at("file"));
    let folder = machine.host.library.unwrap().folder(&machine.at("target"));
    let found = machine.host.prepare().unwrap();
    assert_eq!(found, DuckDb::Shared { folder: folder.clone(), via_env: true });
    assert_eq!(environment(&found).1, [("DUCKDB_LIB_DIR".to_owned(), folder.display().to_string())]);
    // The second run finds it.
    assert_eq!(machine.host.prepare(), Ok(found));
    assert_eq!(machine.calls().lines().count(), 1);
}

#[test]
fn without_a_cache_folder_the_build_folder_is_used() {
    let mut machine = Machine::new();
    machine.npm();
    machine.host.cache = None;
    let folder = machine.host.library.unwrap().folder(&machine.at("target"));
    assert_eq!(machine.host.prepare(), Ok(DuckDb::Shared { folder, via_env: true }));
}

#[test]
fn where_nothing_can_be_stored_both_folders_are_named() {
    let mut machine = Machine::new();
    machine.npm();
    fs::write(machine.at("file"), "").unwrap();
    (machine.host.cache, machine.host.target) = (None, machine.at("file"));
    let error = machine.host.shared().unwrap_err().to_string();
    assert!(error.contains(paths::NO_CACHE) && error.contains("file/duckdb"), "{error}");
}

#[test]
fn other_platforms_compile() {
    let mut machine = Machine::new();
    machine.npm();
    machine.program("c++", "");
    machine.host.library = None;
    assert_eq!(machine.host.shared(), Err(Unavailable::Platform));
    assert_eq!(machine.host.prepare(), Ok(bundled_by("c++", false)));
    assert_eq!(machine.host.forecast(true), Forecast::Compiled);
    assert_eq!(machine.calls(), "");
}

#[test]
fn only_old_temporary_folders_are_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let day_before = fs::metadata(folder.path()).unwrap().modified().unwrap() - Duration::from_secs(25 * 60 * 60);
    for name in [".fetch-1", ".fetch-2", "1.5.5-x86_64-linux"] {
        fs::create_dir(at(name)).unwrap();
        if name != ".fetch-2" {
            File::open(at(name)).unwrap().set_modified(day_before).unwrap();
        }
    }
    let staging = Staging::create(folder.path()).unwrap();
    assert!(!at(".fetch-1").exists() && at(".fetch-2").exists() && at("1.5.5-x86_64-linux").exists());
    let own = staging.folder().to_path_buf();
    drop(staging);
    assert!(!own.exists());
}

#[test]
fn the_pinned_checksums_are_complete() {
    for library in duckdb::LIBRARIES {
        let is_hex = library.sha256.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c));
        assert!(library.sha256.len() == 64 && is_hex, "{library:?}");
    }
}
