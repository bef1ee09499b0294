//! The license texts of the crates and of the data in the executables, which their licenses ask to be passed on with
//! every copy.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::release::Workspace;
use super::sbom;

const INTRODUCTION: &str = "\
Jig contains the following software, each under its own license. Crates with the same license text share a section.
The SBOM lists where each one comes from.
";

/// Names that license files start with.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];

/// The project's NOTICE, which names data of other projects, then one section for each different text, and a list of the
/// crates that come without one.
pub(super) fn document(workspace: &Workspace, notice: &str) -> Result<String, String> {
    let mut sections: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut without = Vec::new();
    for package in sbom::third_party(&workspace.metadata)? {
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        let crate_name = format!("{} {}", text("name"), text("version"));
        let texts = license_texts(package);
        if texts.is_empty() {
            without.push(format!("{crate_name}: {}", text("license")));
        }
        for license in texts {
            sections.entry(license).or_default().push(crate_name.clone());
        }
    }
    let mut sections: Vec<(String, String)> =
        sections.into_iter().map(|(license, crates)| (crates.join(", "), license)).collect();
    sections.sort();
    let mut document = format!("{}\n\n{}\n{INTRODUCTION}", notice.trim(), "-".repeat(80));
    for (crates, license) in sections {
        document.push_str(&format!("\n{}\n{crates}\n\n{license}\n", "-".repeat(80)));
    }
    if !without.is_empty() {
        let list = without.join("\n");
        document.push_str(&format!("\n{}\nWithout a license file of their own:\n\n{list}\n", "-".repeat(80)));
    }
    Ok(document)
}

/// The license files at the top of a crate's source, without differences in line ends.
fn license_texts(package: &Value) -> Vec<String> {
    let folder = package["manifest_path"].as_str().and_then(|manifest| Path::new(manifest).parent());
    let Some(Ok(entries)) = folder.map(fs::read_dir) else { return Vec::new() };
    let mut texts: Vec<String> = entries
        .flatten()
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy().to_uppercase();
            NAMES.iter().any(|start| name.starts_with(start))
        })
        .filter_map(|entry| fs::read(entry.path()).ok())
        .map(|bytes| String::from_utf8_lossy(&bytes).replace('\r', "").trim().to_owned())
        .filter(|text| !text.is_empty())
        .collect();
    texts.sort();
    texts.dedup();
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scratch;
    use crate::tests::sample_workspace;
    use serde_json::json;

    #[test]
    fn equal_texts_share_a_section_and_missing_ones_are_listed() {
        let scratch = Scratch::new("notices").unwrap();
        let mut workspace = sample_workspace();
        let packages = workspace.metadata["packages"].as_array_mut().unwrap();
        packages.push(json!({ "id": "b", "name": "b", "version": "2.0.0", "source": "registry", "license": "ISC" }));
        for (name, file) in [("serde", "LICENSE-MIT"), ("libduckdb-sys", "license")] {
            let folder = scratch.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join(file), "Permission is granted\r\n").unwrap();
            fs::write(folder.join("README.md"), "not a license").unwrap();
            let package = packages.iter_mut().find(|package| package["name"] == name).unwrap();
            package["manifest_path"] = folder.join("Cargo.toml").to_string_lossy().into();
        }
        let nodes = workspace.metadata["resolve"]["nodes"].as_array_mut().unwrap();
        nodes[1]["deps"].as_array_mut().unwrap().push(json!({ "pkg": "b", "dep_kinds": [{ "kind": null }] }));
        let document = document(&workspace, "Rules of another project\n").unwrap();
        assert!(document.starts_with("Rules of another project\n"), "{document}");
        assert_eq!(document.matches("Permission is granted").count(), 1);
        assert!(document.contains("\nlibduckdb-sys 1.1.0, serde 1.0.0\n"), "{document}");
        assert!(document.ends_with("own:\n\nb 2.0.0: ISC\n"), "{document}");
        assert!(!document.contains("not a license"));
    }
}
