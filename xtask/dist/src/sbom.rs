//! The software bill of materials: every crate that is compiled into the executables, and DuckDB, in CycloneDX 1.6.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::Artifact;
use super::archive::sha256;
use super::release::{LICENSE, Release, SUMMARY, Workspace};

/// The packages of the two executables.
const ROOTS: [&str; 2] = ["jig", "jig-tables"];

/// The crate that compiles and links DuckDB.
const DUCKDB_CRATE: &str = "libduckdb-sys";

pub(super) fn make(release: &Release) -> Result<Artifact, String> {
    let name = format!("jig-{}.cdx.json", release.version);
    Ok(Artifact { name, bytes: release.sbom.clone().into_bytes() })
}

/// Checks that the document can be read and leaves no third-party component without license and checksum.
pub(super) fn test(bytes: &[u8]) -> Result<String, String> {
    let document: Value = serde_json::from_slice(bytes).map_err(|error| format!("invalid JSON: {error}"))?;
    let components = document["components"].as_array().ok_or("no components")?;
    for component in components {
        let purl = component["purl"].as_str().unwrap_or_default();
        let ours = purl.contains("download_url=file:");
        let (licensed, hashed) = (component["licenses"].is_array(), component["hashes"].is_array());
        // DuckDB's source is inside its crate, whose checksum covers it.
        if !licensed || !(hashed || ours || purl.starts_with("pkg:github/")) {
            return Err(format!("component without license or checksum: {}", component["name"]));
        }
    }
    Ok(format!("{} components, each with license and checksum", components.len()))
}

/// The whole document. The same sources give the same text.
pub(super) fn document(workspace: &Workspace) -> Result<String, String> {
    let graph = Graph::read(&workspace.metadata)?;
    let checksums = checksums(&workspace.lock);
    let reached = graph.reach(&ROOTS)?;
    let main = graph.root("jig")?;
    let mut components: Vec<Value> =
        reached.iter().filter(|id| **id != main).map(|id| component(graph.packages[id], &checksums)).collect();
    let duckdb = duckdb(&workspace.duckdb);
    let mut dependencies = Vec::new();
    for id in &reached {
        let mut uses: BTreeSet<String> = graph.uses(id).map(|used| reference(graph.packages[used])).collect();
        if *id == main {
            // `jig` starts the SQL engine as a program and does not link it.
            uses.insert(reference(graph.packages[graph.root("jig-tables")?]));
        }
        if graph.packages[id]["name"] == DUCKDB_CRATE {
            uses.extend(duckdb["bom-ref"].as_str().map(str::to_owned));
            components.push(duckdb.clone());
            dependencies.push(json!({ "ref": duckdb["bom-ref"] }));
        }
        dependencies.push(json!({ "ref": reference(graph.packages[id]), "dependsOn": uses }));
    }
    let by = |key: &'static str| move |value: &Value| value[key].as_str().unwrap_or_default().to_owned();
    components.sort_by_key(by("bom-ref"));
    dependencies.sort_by_key(by("ref"));
    let serial = serial_number(&format!("{}{components:?}", workspace.version));
    let document = json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": serial,
        "version": 1,
        "metadata": {
            "timestamp": workspace.time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            "lifecycles": [{ "phase": "build" }],
            "tools": { "components": [{ "type": "application", "name": "cargo xtask dist" }] },
            "component": {
                "type": "application",
                "bom-ref": reference(graph.packages[main]),
                "name": "jig",
                "version": workspace.version,
                "description": SUMMARY,
                "licenses": [{ "expression": LICENSE }],
                "purl": reference(graph.packages[main]),
                "properties": [{ "name": "jig:target", "value": workspace.target.triple }],
            },
        },
        "components": components,
        "dependencies": dependencies,
    });
    Ok(format!("{document:#}\n"))
}

/// The crates of others that are compiled into the executables, by name and version.
pub(super) fn third_party(metadata: &Value) -> Result<Vec<&Value>, String> {
    let graph = Graph::read(metadata)?;
    let reached = graph.reach(&ROOTS)?;
    let mut packages: Vec<&Value> =
        reached.iter().map(|id| graph.packages[id]).filter(|package| !package["source"].is_null()).collect();
    packages.sort_by_key(|package| reference(package));
    Ok(packages)
}

/// Packages and the normal dependencies between them. Build and test dependencies and procedural macros are not part of
/// an executable.
struct Graph<'a> {
    packages: BTreeMap<&'a str, &'a Value>,
    edges: BTreeMap<&'a str, Vec<&'a str>>,
}

impl<'a> Graph<'a> {
    fn read(metadata: &'a Value) -> Result<Self, String> {
        let by_id = |package: &'a Value| Some((package["id"].as_str()?, package));
        let packages: BTreeMap<_, _> =
            list(&metadata["packages"]).filter(|package| !is_macro(package)).filter_map(by_id).collect();
        let normal = |edge: &&Value| list(&edge["dep_kinds"]).any(|kind| kind["kind"].is_null());
        let node = |node: &'a Value| {
            let uses = list(&node["deps"]).filter(normal).filter_map(|edge| edge["pkg"].as_str());
            Some((node["id"].as_str()?, uses.filter(|used| packages.contains_key(used)).collect()))
        };
        let edges: BTreeMap<_, _> = list(&metadata["resolve"]["nodes"]).filter_map(node).collect();
        if edges.is_empty() {
            return Err("cargo metadata has no dependency graph".to_owned());
        }
        Ok(Self { packages, edges })
    }

    fn root(&self, name: &str) -> Result<&'a str, String> {
        let found = self.packages.iter().find(|(_, package)| package["name"] == name && package["source"].is_null());
        found.map(|(id, _)| *id).ok_or_else(|| format!("cargo metadata has no package `{name}`"))
    }

    fn uses(&self, id: &str) -> impl Iterator<Item = &'a str> {
        self.edges.get(id).into_iter().flatten().copied()
    }

    /// Every package that the roots use, directly or through others, and the roots themselves.
    fn reach(&self, roots: &[&str]) -> Result<BTreeSet<&'a str>, String> {
        let mut open = roots.iter().map(|name| self.root(name)).collect::<Result<Vec<_>, _>>()?;
        let mut reached = BTreeSet::new();
        while let Some(id) = open.pop() {
            if reached.insert(id) {
                open.extend(self.uses(id));
            }
        }
        Ok(reached)
    }
}

fn list(value: &Value) -> std::slice::Iter<'_, Value> {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

fn is_macro(package: &Value) -> bool {
    list(&package["targets"]).any(|target| list(&target["kind"]).any(|kind| kind == "proc-macro"))
}

/// The package URL, which is also the component's reference inside the document.
fn reference(package: &Value) -> String {
    let text = |key: &str| package[key].as_str().unwrap_or_default();
    let (name, version) = (text("name"), text("version"));
    if package["source"].is_null() {
        // Not on a registry: the qualifier keeps scanners from matching a published crate of the same name.
        let folder = if name == "jig" || name.starts_with("jig-") { format!("crates/{name}") } else { name.to_owned() };
        return format!("pkg:cargo/{name}@{version}?download_url=file://{folder}");
    }
    format!("pkg:cargo/{name}@{version}")
}

fn component(package: &Value, checksums: &BTreeMap<(String, String), String>) -> Value {
    let text = |key: &str| package[key].as_str().unwrap_or_default();
    let reference = reference(package);
    let mut component = json!({
        "type": "library",
        "bom-ref": reference,
        "name": text("name"),
        "version": text("version"),
        "scope": "required",
        "licenses": [license(package)],
        "purl": reference,
    });
    if let Some(checksum) = checksums.get(&(text("name").to_owned(), text("version").to_owned())) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    if let Some(repository) = package["repository"].as_str() {
        component["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
    }
    component
}

fn license(package: &Value) -> Value {
    match package["license"].as_str() {
        // Older crates write `MIT/Apache-2.0`.
        Some(expression) => json!({ "expression": expression.replace(" / ", "/").replace('/', " OR ") }),
        None => json!({ "license": { "name": "see the license file of the crate" } }),
    }
}

fn duckdb(version: &str) -> Value {
    let purl = format!("pkg:github/duckdb/duckdb@v{version}");
    json!({
        "type": "library",
        "bom-ref": purl,
        "name": "duckdb",
        "version": version,
        "description": "C++ source bundled with the crate libduckdb-sys",
        "scope": "required",
        "licenses": [{ "expression": "MIT" }],
        "cpe": format!("cpe:2.3:a:duckdb:duckdb:{version}:*:*:*:*:*:*:*"),
        "purl": purl,
    })
}

/// Name and version of each locked package, and the checksum of its archive.
fn checksums(lock: &str) -> BTreeMap<(String, String), String> {
    let field = |block: &str, name: &str| {
        let value = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \""));
        value.and_then(|rest| rest.strip_suffix('"')).map(str::to_owned)
    };
    let blocks = lock.split("[[package]]");
    blocks
        .filter_map(|block| Some(((field(block, "name")?, field(block, "version")?), field(block, "checksum")?)))
        .collect()
}

/// A UUID that depends only on the contents (version 8: defined by the application).
fn serial_number(contents: &str) -> String {
    let hash = sha256(contents.as_bytes());
    format!("urn:uuid:{}-{}-8{}-a{}-{}", &hash[..8], &hash[8..12], &hash[12..15], &hash[15..18], &hash[18..30])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample_workspace;

    fn parsed() -> Value {
        serde_json::from_str(&document(&sample_workspace()).unwrap()).unwrap()
    }

    #[test]
    fn only_normal_dependencies_of_the_executables_are_listed() {
        let document = parsed();
        let names: Vec<&str> =
            document["components"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["jig-tables", "libduckdb-sys", "serde", "duckdb"]);
    }

    #[test]
    fn components_have_purl_license_and_checksum() {
        let document = parsed();
        let find = |name: &str| {
            document["components"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap().clone()
        };
        let serde = find("serde");
        assert_eq!(serde["purl"], "pkg:cargo/serde@1.0.0");
        assert_eq!(serde["licenses"], json!([{ "expression": "MIT OR Apache-2.0" }]));
        assert_eq!(serde["hashes"], json!([{ "alg": "SHA-256", "content": "aa11" }]));
        assert_eq!(find("duckdb")["version"], "1.5.5");
        assert_eq!(find("jig-tables")["purl"], "pkg:cargo/jig-tables@1.2.3?download_url=file://crates/jig-tables");
        assert!(test(document.to_string().as_bytes()).unwrap().starts_with("4 components"));
    }

    #[test]
    fn dependencies_connect_the_engine_and_duckdb() {
        let document = parsed();
        let uses = |reference: &str| {
            let rows = document["dependencies"].as_array().unwrap();
            rows.iter().find(|row| row["ref"] == reference).unwrap()["dependsOn"].clone()
        };
        let tables = "pkg:cargo/jig-tables@1.2.3?download_url=file://crates/jig-tables";
        assert_eq!(
            uses("pkg:cargo/jig@1.2.3?download_url=file://crates/jig"),
            json!([tables, "pkg:cargo/serde@1.0.0"])
        );
        assert_eq!(uses(tables), json!(["pkg:cargo/libduckdb-sys@1.1.0"]));
        assert_eq!(uses("pkg:cargo/libduckdb-sys@1.1.0"), json!(["pkg:github/duckdb/duckdb@v1.5.5"]));
    }

    #[test]
    fn a_component_without_a_checksum_fails_the_test() {
        let mut document = parsed();
        for component in document["components"].as_array_mut().unwrap() {
            component.as_object_mut().unwrap().remove("hashes");
        }
        assert!(test(document.to_string().as_bytes()).unwrap_err().contains("libduckdb-sys"));
    }

    #[test]
    fn the_serial_number_is_a_uuid_of_the_contents() {
        let serial = serial_number("x");
        assert_eq!(serial, serial_number("x"));
        assert_ne!(serial, serial_number("y"));
        assert_eq!(serial.len(), "urn:uuid:00000000-0000-8000-a000-000000000000".len());
    }
}
