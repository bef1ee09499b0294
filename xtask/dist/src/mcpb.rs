//! The MCP bundle for desktop clients, validated and packed by the reference tool.

use std::fs;
use std::io::{Cursor, Read as _};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::archive::Tree;
use super::release::{AUTHOR, Release};
use super::{Artifact, Scratch, fill, smoke};
use crate::{paths, shell};

const MANIFEST: &str = include_str!("../../../packaging/mcpb/manifest.json");
const TOOL: &str = "@anthropic-ai/mcpb";
const TOOL_VERSION: &str = "2.1.2";

pub(super) fn make(release: &Release) -> Result<Artifact, String> {
    let tool = tool()?;
    let scratch = Scratch::new("mcpb")?;
    let folder = scratch.path().join("bundle");
    let jig = smoke::Installed::new([&release.programs[0].path], scratch.path())?;
    let manifest = manifest(release, &jig.mcp_tools(&["mcp"])?)?;
    write(&folder.join("manifest.json"), format!("{manifest:#}\n").as_bytes())?;
    write(&folder.join("LICENSE"), release.documents.license.as_bytes())?;
    write(&folder.join("THIRD-PARTY-LICENSES"), release.notices.as_bytes())?;
    for program in &release.programs {
        let path = folder.join("bin").join(&program.name);
        write(&path, &program.bytes)?;
        let mut chmod = shell::command("chmod");
        chmod.arg("755").arg(&path);
        shell::output(chmod)?;
    }
    mcpb(&tool, &[Path::new("validate"), &folder.join("manifest.json")])?;
    let name = format!("jig-{}-{}.mcpb", release.version, release.target.triple);
    let packed = scratch.path().join(&name);
    mcpb(&tool, &[Path::new("pack"), &folder, &packed])?;
    let bytes = fs::read(&packed).map_err(|error| format!("`mcpb pack` wrote no bundle: {error}"))?;
    Ok(Artifact { name, bytes: with_time(&bytes, release)? })
}

/// `mcpb pack` stores the current time; the release's own makes the bundle reproducible.
fn with_time(bundle: &[u8], release: &Release) -> Result<Vec<u8>, String> {
    let cannot = |error: &dyn std::fmt::Display| format!("could not read the bundle of `mcpb pack`: {error}");
    let mut zip = zip::ZipArchive::new(Cursor::new(bundle)).map_err(|error| cannot(&error))?;
    let mut tree = Tree::default();
    for index in 0..zip.len() {
        let mut file = zip.by_index(index).map_err(|error| cannot(&error))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| cannot(&error))?;
        let name = file.name().map_err(|error| cannot(&error))?.into_owned();
        match file.unix_mode() {
            Some(mode) if mode & 0o111 != 0 => tree.program(name, bytes),
            _ => tree.file(name, bytes),
        }
    }
    tree.zip(release.time)
}

/// The template with the version, the platform and the tools that `jig mcp` itself lists.
fn manifest(release: &Release, tools: &[Value]) -> Result<Value, String> {
    let platform = release.target.node_platform();
    let values = [("VERSION", release.version.as_str()), ("AUTHOR", AUTHOR), ("PLATFORM", platform)];
    let text = fill(MANIFEST, &values)?;
    let mut manifest: Value = serde_json::from_str(&text)
        .map_err(|error| format!("packaging/mcpb/manifest.json is not valid JSON: {error}"))?;
    let tool = |tool: &Value| json!({ "name": tool["name"], "description": tool["description"] });
    manifest["tools"] = tools.iter().map(tool).collect();
    Ok(manifest)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let cannot = |error| format!("could not write {}: {error}", path.display());
    path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, bytes)).map_err(cannot)
}

/// The reference tool's script, installed once per version in the cache folder.
fn tool() -> Result<PathBuf, String> {
    let cache = paths::cache().ok_or("neither XDG_CACHE_HOME nor HOME is set")?;
    let folder = cache.join(format!("mcpb-{TOOL_VERSION}"));
    let script = folder.join("node_modules").join(TOOL).join("dist/cli/cli.js");
    if script.is_file() {
        return Ok(script);
    }
    if paths::on_path("npm").is_none() {
        return Err(format!("{TOOL} needs npm; Debian: `apt-get install npm` as root"));
    }
    fs::create_dir_all(&folder).map_err(|error| format!("could not create {}: {error}", folder.display()))?;
    let mut npm = shell::command("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--save-exact", "--ignore-scripts", "--prefix"]).arg(&folder);
    npm.arg(format!("{TOOL}@{TOOL_VERSION}"));
    shell::output(npm)?;
    if script.is_file() {
        Ok(script)
    } else {
        Err(format!("npm installed {TOOL}, but {} is missing", script.display()))
    }
}

fn mcpb(tool: &Path, args: &[&Path]) -> Result<String, String> {
    let mut node = shell::command("node");
    node.arg(tool).args(args);
    shell::output(node)
}

/// Unpacks with the reference tool and starts the server as the manifest says.
pub(super) fn test(release: &Release, file: &Path) -> Result<String, String> {
    let scratch = Scratch::new("mcpb-test")?;
    let folder = scratch.path().join("bundle");
    mcpb(&tool()?, &[Path::new("unpack"), file, &folder])?;
    let text =
        fs::read_to_string(folder.join("manifest.json")).map_err(|error| format!("no manifest.json: {error}"))?;
    let manifest: Value = serde_json::from_str(&text).map_err(|error| format!("invalid manifest.json: {error}"))?;
    let home = scratch.path().join("home").to_string_lossy().into_owned();
    let variables = variables(&manifest, &folder.to_string_lossy(), &home);
    let config = &manifest["server"]["mcp_config"];
    let expanded = |value: &Value| expand(value.as_str().unwrap_or_default(), &variables);
    let mut jig = smoke::Installed::new([expanded(&config["command"])], scratch.path())?;
    for (name, value) in config["env"].as_object().into_iter().flatten() {
        jig = jig.variable(name, expanded(value));
    }
    let args: Vec<String> = config["args"].as_array().into_iter().flatten().map(expanded).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    smoke::check_mcp_with(&jig, &release.version, &args)?;
    Ok("unpacked, run by the manifest's command".to_owned())
}

/// What a client substitutes when the user leaves every setting at its default.
fn variables(manifest: &Value, folder: &str, home: &str) -> Vec<(String, String)> {
    let settings = manifest["user_config"].as_object().into_iter().flatten();
    let default = |(name, setting): (&String, &Value)| {
        let value = setting["default"].as_str().unwrap_or_default();
        (format!("user_config.{name}"), value.to_owned())
    };
    let mut variables: Vec<(String, String)> = settings.map(default).collect();
    // Last, because a default may contain them.
    variables.push(("__dirname".to_owned(), folder.to_owned()));
    variables.push(("HOME".to_owned(), home.to_owned()));
    variables
}

fn expand(text: &str, variables: &[(String, String)]) -> String {
    let replace = |text: String, (name, value): &(String, String)| text.replace(&format!("${{{name}}}"), value);
    variables.iter().fold(text.to_owned(), replace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample_release;

    #[test]
    fn the_manifest_lists_the_tools_of_the_server() {
        let tools = [json!({ "name": "file_read", "description": "Read a file", "inputSchema": {} })];
        let manifest = manifest(&sample_release(), &tools).unwrap();
        assert_eq!(manifest["version"], "1.2.3");
        assert_eq!(manifest["tools"], json!([{ "name": "file_read", "description": "Read a file" }]));
        assert_eq!(manifest["compatibility"]["platforms"], json!(["linux"]));
    }

    #[test]
    fn defaults_are_expanded_as_a_client_does() {
        let manifest = manifest(&sample_release(), &[]).unwrap();
        let variables = variables(&manifest, "/b", "/h");
        let config = &manifest["server"]["mcp_config"];
        assert_eq!(expand(config["command"].as_str().unwrap(), &variables), "/b/bin/jig");
        assert_eq!(expand(config["env"]["JIG_HOME"].as_str().unwrap(), &variables), "/h/.local/share/jig");
        assert_eq!(expand(config["env"]["JIG_WORKBENCH"].as_str().unwrap(), &variables), "");
    }
}
