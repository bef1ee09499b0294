//! Packaging from end to end with scripts in place of the executables.

use std::process::Command;

use jiff::Timestamp;
use serde_json::json;

use super::release::{Completions, Documents, Program, Target};
use super::*;

/// Answers everything that `dist` asks of `jig`.
const JIG: &str = r##"#!/bin/sh
case "$1" in
    --version) echo "jig 1.2.3" ;;
    --no-such-option) exit 2 ;;
    demo) echo '{"session_id": "s1"}' ;;
    query) "$(dirname "$(readlink -f "$0")")/jig-sql" ;;
    completions) echo "# completions for $2" ;;
    man-pages) printf '.TH jig 1\n.SH NAME\njig \\- workbench\n' >"$2/jig.1" ;;
    mcp)
        while read -r line; do
            case "$line" in
                *'"id":1,'*) echo '{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"jig"}}}' ;;
                *'"cursor"'*) echo '{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"b","description":"B"}]}}' ;;
                *'"id":2,'*)
                    echo '{"jsonrpc":"2.0","method":"notifications/message"}'
                    echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a","description":"A"}],"nextCursor":"x"}}' ;;
            esac
        done ;;
esac
"##;

/// Found by `jig` in its own folder.
const JIG_SQL: &str = "#!/bin/sh\necho '{\"rows\": [[3]]}'\n";

pub(super) fn sample_workspace() -> Workspace {
    let package = |name: &str, version: &str, ours: bool, license: &str| {
        let source = (!ours).then_some("registry+https://github.com/rust-lang/crates.io-index");
        json!({ "id": name, "name": name, "version": version, "source": source, "license": license })
    };
    let edge = |name: &str, kind: Option<&str>| json!({ "pkg": name, "dep_kinds": [{ "kind": kind, "target": null }] });
    let metadata = json!({
        "packages": [
            package("jig", "1.2.3", true, "Apache-2.0"),
            package("jig-tables", "1.2.3", true, "Apache-2.0"),
            package("jig-testkit", "1.2.3", true, "Apache-2.0"),
            package("serde", "1.0.0", false, "MIT/Apache-2.0"),
            package("libduckdb-sys", "1.1.0", false, "MIT"),
            package("cc", "1.0.0", false, "MIT"),
            package("proptest", "1.0.0", false, "MIT"),
            json!({ "id": "derive", "name": "derive", "targets": [{ "kind": ["proc-macro"] }] }),
        ],
        "resolve": { "nodes": [
            { "id": "jig", "deps": [edge("serde", None), edge("derive", None), edge("proptest", Some("dev"))] },
            { "id": "jig-tables", "deps": [edge("libduckdb-sys", None)] },
            { "id": "jig-testkit", "deps": [edge("proptest", None)] },
            { "id": "libduckdb-sys", "deps": [edge("cc", Some("build"))] },
        ]},
    });
    let lock = "[[package]]\nname = \"serde\"\nversion = \"1.0.0\"\nchecksum = \"aa11\"\n\n\
                [[package]]\nname = \"libduckdb-sys\"\nversion = \"1.1.0\"\nchecksum = \"bb22\"\n";
    Workspace {
        version: "1.2.3".to_owned(),
        target: sample_target(),
        time: Timestamp::from_second(1_700_000_000).unwrap(),
        metadata,
        lock: lock.to_owned(),
        duckdb: "1.5.5".to_owned(),
        build_folder: PathBuf::new(),
    }
}

fn sample_target() -> Target {
    Target {
        triple: "x86_64-unknown-linux-gnu".to_owned(),
        arch: release::Arch::X86_64,
        system: release::System::Linux,
    }
}

/// A release without files on disk.
pub(super) fn sample_release() -> Release {
    let program = |name: &str, text: &str| Program { name: name.to_owned(), bytes: text.into(), path: name.into() };
    Release {
        version: "1.2.3".to_owned(),
        target: sample_target(),
        time: Timestamp::from_second(1_700_000_000).unwrap(),
        programs: vec![program("jig", JIG), program("jig-sql", JIG_SQL)],
        needs: elf::Needs::default(),
        manuals: vec![("jig.1".to_owned(), b".TH jig 1\n".to_vec())],
        completions: Completions { bash: "b\n".to_owned(), zsh: "z\n".to_owned(), fish: "f\n".to_owned() },
        sbom: "{}\n".to_owned(),
        notices: "N\n".to_owned(),
        documents: Documents { license: "L\n".to_owned(), readme: "R\n".to_owned(), changelog: "C\n".to_owned() },
    }
}

/// Writes the scripts into a folder and collects a release from them, as `--binaries` does.
fn collected(folder: &Path) -> Release {
    for (name, text) in [("jig", JIG), ("jig-sql", JIG_SQL), ("libduckdb.so", "not a library"), ("other", "")] {
        fs::write(folder.join(name), text).unwrap();
        assert!(Command::new("chmod").arg("755").arg(folder.join(name)).status().unwrap().success());
    }
    Release::collect(&sample_workspace(), folder).unwrap()
}

#[test]
fn a_release_is_collected_from_prebuilt_executables() {
    let scratch = Scratch::new("collect").unwrap();
    let release = collected(scratch.path());
    let names: Vec<&str> = release.programs.iter().map(|program| program.name.as_str()).collect();
    assert_eq!(names, ["jig", "jig-sql", "libduckdb.so"]);
    assert_eq!(release.completions.zsh, "# completions for zsh\n");
    let manuals: Vec<&str> = release.manuals.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(manuals, ["jig-sql.1", "jig.1"]);
}

#[test]
fn a_missing_executable_is_named() {
    let scratch = Scratch::new("missing").unwrap();
    let error = Release::collect(&sample_workspace(), scratch.path()).err().unwrap();
    assert!(error.starts_with("could not read ") && error.contains("/jig: "), "{error}");
}

/// The packages that need nothing but a shell and tar are installed and pass the same checks as real ones.
#[test]
fn the_archive_and_the_debian_package_pass_their_own_tests() {
    let scratch = Scratch::new("packages").unwrap();
    let release = collected(scratch.path());
    let write = |artifact: Artifact| {
        let file = scratch.path().join(&artifact.name);
        fs::write(&file, &artifact.bytes).unwrap();
        file
    };
    let tarball = write(tarball::make(&release).unwrap());
    assert!(tarball.ends_with("jig-1.2.3-x86_64-unknown-linux-gnu.tar.gz"), "{}", tarball.display());
    assert_eq!(tarball::test(&release, &tarball), Ok("install.sh into an empty prefix".to_owned()));
    let deb = write(deb::make(&release).unwrap());
    assert!(deb.ends_with("jig_1.2.3_amd64.deb"), "{}", deb.display());
    deb::test_in_place(&release, &deb, scratch.path()).unwrap();
}

#[test]
fn packages_are_reproducible() {
    for make in [tarball::make, deb::make, wheel::make, npm::make] {
        let [first, second] = [make(&sample_release()).unwrap(), make(&sample_release()).unwrap()];
        assert_eq!(first.name, second.name);
        assert!(first.bytes == second.bytes, "{} differs between two runs", first.name);
    }
}

#[test]
fn names_follow_the_rules_of_each_format() {
    let name = |artifact: Result<Artifact, String>| artifact.unwrap().name;
    let release = sample_release();
    assert_eq!(name(wheel::make(&release)), "jig_workbench-1.2.3-py3-none-manylinux_2_17_x86_64.whl");
    assert_eq!(name(npm::make(&release)), "jig-workbench-1.2.3.tgz");
    assert_eq!(name(sbom::make(&release)), "jig-1.2.3.cdx.json");
}

#[test]
fn the_checks_notice_what_is_wrong() {
    let scratch = Scratch::new("smoke").unwrap();
    let jig = |script: String| {
        let path = scratch.path().join("jig");
        fs::write(&path, script).unwrap();
        fs::write(scratch.path().join("jig-sql"), JIG_SQL).unwrap();
        assert!(
            Command::new("chmod").arg("755").arg(&path).arg(scratch.path().join("jig-sql")).status().unwrap().success()
        );
        smoke::Installed::new([path], scratch.path()).unwrap()
    };
    let check = |script: String| smoke::check(&jig(script), "1.2.3");
    assert_eq!(check(JIG.to_owned()), Ok(()));
    let error = |from: &str, to: &str| check(JIG.replace(from, to)).unwrap_err();
    assert!(error("jig 1.2.3", "jig 1.2.4").contains("expected `jig 1.2.3`"));
    assert!(error("\"s1\"", "null").contains("reported no session"));
    assert!(error("jig-sql\" ;;", "jig-none\" ;;").starts_with("`jig query"));
    assert!(error("serverInfo", "other").contains("names no server"));
    assert!(error("\"result\":{\"serverInfo\"", "\"error\":{\"serverInfo\"").contains("initialize failed"));
    let tools = jig(JIG.to_owned()).mcp_tools(&["mcp"]).unwrap();
    assert_eq!(tools.len(), 2, "all pages are read");
}

#[test]
fn options_are_read_in_any_order() {
    let options = Options::parse(&["--no-test", "--only", "deb,tarball", "--out", "/tmp/x"]).unwrap();
    assert_eq!(options.kinds, [Kind::Tarball, Kind::Deb]);
    assert_eq!((options.out, options.test), (Some(PathBuf::from("/tmp/x")), Test::Skip));
    assert_eq!(Options::parse(&[]).unwrap().kinds.len(), KINDS.len());
    assert_eq!(
        Options::parse(&["--only", "rpm"]),
        Err("unknown package `rpm`: expected one of sbom, tarball, deb, wheel, npm, mcpb, oci".to_owned())
    );
    assert_eq!(Options::parse(&["--out"]), Err("--out needs a value".to_owned()));
    assert!(Options::parse(&["--fast"]).is_err());
}

#[test]
fn a_placeholder_without_a_value_is_an_error() {
    assert_eq!(fill("a @X@ @Y_Z@ @system-service", &[("X", "1"), ("Y_Z", "2")]).unwrap(), "a 1 2 @system-service");
    assert!(fill("a @X@", &[]).unwrap_err().contains("@X@"));
}

#[test]
fn the_table_shows_size_time_and_result() {
    let row = |name: &str, size, outcome| Row {
        name: name.to_owned(),
        size,
        sha256: None,
        outcome,
        time: Duration::from_millis(1_500),
    };
    let rows = [
        row("a.tar.gz", Some(5_242_880), Outcome::Passed("by hand".to_owned())),
        row("b.whl", Some(10), Outcome::NotTested),
        row("oci", None, Outcome::Failed("no root".to_owned())),
    ];
    let expected = "
package        size  seconds  test
a.tar.gz    5.0 MiB      1.5  passed (by hand)
b.whl          10 B      1.5  not tested (--no-test)
oci               -      1.5  FAILED: no root
";
    assert_eq!(table(&rows), expected);
}

#[test]
fn checksums_of_earlier_packages_are_kept_while_they_exist() {
    let scratch = Scratch::new("sums").unwrap();
    let out = scratch.path();
    fs::write(out.join("old.deb"), "").unwrap();
    fs::write(out.join("SHA256SUMS"), "11  old.deb\n22  gone.deb\n33  new.whl\n").unwrap();
    let new = Row {
        name: "new.whl".to_owned(),
        size: Some(1),
        sha256: Some("44".to_owned()),
        outcome: Outcome::NotTested,
        time: Duration::ZERO,
    };
    fs::write(out.join("new.whl"), "").unwrap();
    write_checksums(out, &[new]).unwrap();
    assert_eq!(fs::read_to_string(out.join("SHA256SUMS")).unwrap(), "44  new.whl\n11  old.deb\n");
}
