//! The container image as an OCI image layout in one tar archive: a Debian layer, and Jig on top of it.

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::archive::{Effort, Tree, gzip, sha256};
use super::release::{LICENSE, Release, SUMMARY};
use super::root::{self, Chroot, SUITE, USER};
use super::{Artifact, Scratch, smoke};
use crate::shell;

const PORT: u16 = 7357;

const MANIFEST_TYPE: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG_TYPE: &str = "application/vnd.oci.image.config.v1+json";
const LAYER_TYPE: &str = "application/vnd.oci.image.layer.v1.tar+gzip";

pub(super) fn make(release: &Release) -> Result<Artifact, String> {
    let base = root::prepare(&release.target)?;
    let base = fs::read(&base).map_err(|error| format!("could not read {}: {error}", base.display()))?;
    let image = image(release, &base)?;
    Ok(Artifact { name: format!("jig-{}-oci.tar", release.version), bytes: image })
}

fn image(release: &Release, base: &[u8]) -> Result<Vec<u8>, String> {
    let jig = layer(release)?;
    let mut blobs = Vec::new();
    let mut layers = Vec::new();
    for (tar, effort) in [(base, Effort::Usual), (jig.as_slice(), Effort::Best)] {
        layers.push(add(&mut blobs, LAYER_TYPE, gzip(tar, effort)?));
    }
    let config = config(release, &[base, &jig]);
    let config = add(&mut blobs, CONFIG_TYPE, config.to_string().into_bytes());
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST_TYPE,
        "config": config,
        "layers": layers,
        "annotations": labels(release),
    });
    let mut manifest = add(&mut blobs, MANIFEST_TYPE, manifest.to_string().into_bytes());
    manifest["platform"] = json!({ "architecture": release.target.debian_arch(), "os": "linux" });
    manifest["annotations"] = json!({ "org.opencontainers.image.ref.name": release.version });
    let index = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [manifest],
    });
    let mut tree = Tree::default();
    tree.file("oci-layout", br#"{"imageLayoutVersion":"1.0.0"}"#.as_slice());
    tree.file("index.json", index.to_string().into_bytes());
    for (digest, bytes) in blobs {
        tree.file(format!("blobs/sha256/{digest}"), bytes);
    }
    tree.tar("", release.time)
}

/// Stores a blob and returns its descriptor.
fn add(blobs: &mut Vec<(String, Vec<u8>)>, media_type: &str, bytes: Vec<u8>) -> Value {
    let digest = sha256(&bytes);
    let descriptor = json!({ "mediaType": media_type, "digest": format!("sha256:{digest}"), "size": bytes.len() });
    blobs.push((digest, bytes));
    descriptor
}

/// What the image has beyond Debian.
fn layer(release: &Release) -> Result<Vec<u8>, String> {
    let mut tree = Tree::default();
    release.add_programs(&mut tree, "usr/local/bin");
    tree.file("usr/local/share/doc/jig/LICENSE", release.documents.license.as_bytes());
    tree.file("usr/local/share/doc/jig/THIRD-PARTY-LICENSES", release.notices.as_bytes());
    tree.file("usr/local/share/doc/jig/jig.cdx.json", release.sbom.as_bytes());
    tree.folder("data", 0o700, USER);
    tree.tar("", release.time)
}

fn config(release: &Release, layers: &[&[u8]]) -> Value {
    let created = rfc3339(release.time);
    let diff_ids: Vec<String> = layers.iter().map(|layer| format!("sha256:{}", sha256(layer))).collect();
    json!({
        "created": created,
        "architecture": release.target.debian_arch(),
        "os": "linux",
        "config": {
            // By number, so that a cluster can verify that it is not root.
            "User": format!("{USER}:{USER}"),
            "ExposedPorts": { format!("{PORT}/tcp"): {} },
            "Env": [
                "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "HOME=/data",
                "JIG_HOME=/data",
            ],
            "Entrypoint": ["jig"],
            "Cmd": ["serve", "--bind", format!("0.0.0.0:{PORT}")],
            "Volumes": { "/data": {} },
            // Not /data: settings of the current folder are trusted less than those of the home folder.
            "WorkingDir": "/",
            "StopSignal": "SIGTERM",
            "Labels": labels(release),
        },
        "rootfs": { "type": "layers", "diff_ids": diff_ids },
        "history": [
            { "created": created, "created_by": format!("mmdebstrap {SUITE}") },
            { "created": created, "created_by": "cargo xtask dist" },
        ],
    })
}

fn labels(release: &Release) -> Value {
    json!({
        "org.opencontainers.image.title": "jig",
        "org.opencontainers.image.description": SUMMARY,
        "org.opencontainers.image.version": release.version,
        "org.opencontainers.image.licenses": LICENSE,
        "org.opencontainers.image.created": rfc3339(release.time),
    })
}

fn rfc3339(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Unpacks the layers as a container runtime does and runs the image's entry point as its user.
pub(super) fn test(release: &Release, file: &Path) -> Result<String, String> {
    let scratch = Scratch::new("oci")?;
    let layout = scratch.path().join("layout");
    fs::create_dir(&layout).map_err(|error| format!("could not create {}: {error}", layout.display()))?;
    root::unpack(file, &layout, &[])?;
    let chroot = Chroot::new(scratch.path().join("root"))?;
    let index = read_json(&layout.join("index.json"))?;
    let manifest: Value = parse(&blob(&layout, &index["manifests"][0])?)?;
    for layer in manifest["layers"].as_array().into_iter().flatten() {
        blob(&layout, layer)?;
        apply_layer(&blob_path(&layout, layer), chroot.folder())?;
    }
    let config: Value = parse(&blob(&layout, &manifest["config"])?)?;
    let config = &config["config"];
    match root::chroot_obstacle() {
        None => {
            let mut launch = chroot.enter(config["User"].as_str().unwrap_or_default());
            launch.extend(
                config["Entrypoint"].as_array().into_iter().flatten().filter_map(Value::as_str).map(Into::into),
            );
            let mut jig = smoke::Installed::with_home(launch, chroot.folder().join("data"), "/data".to_owned());
            for variable in config["Env"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                let (name, value) = variable.split_once('=').unwrap_or((variable, ""));
                jig = jig.variable(name, value);
            }
            smoke::check(&jig, &release.version)?;
            Ok("layers unpacked in order, entry point run in a chroot".to_owned())
        }
        Some(why) => {
            let program = chroot.folder().join("usr/local/bin/jig");
            smoke::check(&smoke::Installed::new([program], scratch.path())?, &release.version)?;
            Ok(format!("layers unpacked in order, run in place, because {why}"))
        }
    }
}

fn blob_path(layout: &Path, descriptor: &Value) -> std::path::PathBuf {
    let digest = descriptor["digest"].as_str().unwrap_or_default().trim_start_matches("sha256:");
    layout.join("blobs/sha256").join(digest)
}

/// A blob whose size and digest are those of its descriptor.
fn blob(layout: &Path, descriptor: &Value) -> Result<Vec<u8>, String> {
    let path = blob_path(layout, descriptor);
    let bytes = fs::read(&path).map_err(|error| format!("could not read {}: {error}", path.display()))?;
    let digest = format!("sha256:{}", sha256(&bytes));
    if descriptor["digest"] != digest || descriptor["size"] != bytes.len() {
        return Err(format!("the blob {digest} differs from its descriptor {descriptor}"));
    }
    Ok(bytes)
}

/// Deletes what the layer's whiteouts name, then unpacks its files.
fn apply_layer(layer: &Path, root: &Path) -> Result<(), String> {
    let mut list = shell::command("tar");
    list.arg("--list").arg("--file").arg(layer);
    for path in shell::output(list)?.lines() {
        let path = Path::new(path);
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let folder = root.join(path.parent().unwrap_or(Path::new("")));
        let removed = match name.strip_prefix(".wh.") {
            Some(".wh..opq") => clear(&folder),
            Some(name) => remove(&folder.join(name)),
            None => Ok(()),
        };
        removed.map_err(|error| format!("could not apply the whiteout {}: {error}", path.display()))?;
    }
    root::unpack(layer, root, &["--exclude=.wh.*"])
}

fn clear(folder: &Path) -> std::io::Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    fs::read_dir(folder)?.try_for_each(|entry| remove(&entry?.path()))
}

fn remove(path: &Path) -> std::io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(file) if file.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    }
}

fn read_json(path: &Path) -> Result<Value, String> {
    let bytes = fs::read(path).map_err(|error| format!("could not read {}: {error}", path.display()))?;
    parse(&bytes)
}

fn parse(bytes: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(bytes).map_err(|error| format!("invalid JSON in the image: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample_release;

    #[test]
    fn the_config_runs_the_server_as_an_ordinary_user() {
        let config = config(&sample_release(), &[b"base", b"jig"]);
        assert_eq!(config["config"]["Entrypoint"], json!(["jig"]));
        assert_eq!(config["config"]["Cmd"], json!(["serve", "--bind", "0.0.0.0:7357"]));
        assert_eq!(config["config"]["User"], "10001:10001");
        assert_eq!(config["rootfs"]["diff_ids"].as_array().unwrap().len(), 2);
        assert_eq!(config["architecture"], "amd64");
    }

    #[test]
    fn every_blob_matches_its_descriptor() {
        let scratch = Scratch::new("oci-blobs").unwrap();
        let base = Tree::default().tar("", sample_release().time).unwrap();
        let file = scratch.path().join("image.tar");
        fs::write(&file, image(&sample_release(), &base).unwrap()).unwrap();
        root::unpack(&file, scratch.path(), &[]).unwrap();
        let index = read_json(&scratch.path().join("index.json")).unwrap();
        let manifest = parse(&blob(scratch.path(), &index["manifests"][0]).unwrap()).unwrap();
        assert_eq!(manifest["layers"].as_array().unwrap().len(), 2);
        let mut layer = manifest["layers"][1].clone();
        assert!(blob(scratch.path(), &layer).is_ok());
        layer["size"] = json!(1);
        assert!(blob(scratch.path(), &layer).unwrap_err().contains("differs from its descriptor"));
    }

    #[test]
    fn whiteouts_delete_what_lower_layers_brought() {
        let scratch = Scratch::new("oci-whiteouts").unwrap();
        let root = scratch.path().join("root");
        fs::create_dir(&root).unwrap();
        let apply = |paths: &[&str]| {
            let mut tree = Tree::default();
            paths.iter().for_each(|path| tree.file(*path, b"".as_slice()));
            let file = scratch.path().join("layer.tar");
            fs::write(&file, tree.tar("", sample_release().time).unwrap()).unwrap();
            apply_layer(&file, &root).unwrap();
        };
        apply(&["etc/a", "etc/b", "var/c", "var/sub/d"]);
        apply(&["etc/.wh.a", "var/.wh..wh..opq", "var/new"]);
        let exists = |path: &str| root.join(path).exists();
        assert_eq!(["etc/a", "etc/b", "var/c", "var/sub", "var/new"].map(exists), [false, true, false, false, true]);
        assert!(!exists("etc/.wh.a"));
    }
}
