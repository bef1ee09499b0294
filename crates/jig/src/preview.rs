//! `jig preview`: renders a page of a file to an image file.

use std::path::PathBuf;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use jig_contract::ops::{FileGetPreview, Picture, ReviewGetPreview};
use jig_contract::{Code, OpError, Operation};
use serde::Deserialize as _;
use serde_json::{Value, json};

use crate::app::App;
use crate::operation;
use crate::stop::Stop;

pub(crate) fn command() -> Command {
    Command::new("preview")
        .about("Render a page of a file as an image")
        .after_help("Office files are rendered by LibreOffice if it is installed; otherwise their text is shown.")
        .arg(Arg::new("path").value_name("PATH").required(true).help("The file"))
        .arg(
            Arg::new("page")
                .long("page")
                .value_name("NUMBER")
                .value_parser(clap::value_parser!(u64))
                .help("The page, from 1 [default: 1]"),
        )
        .arg(
            Arg::new("out")
                .long("out")
                .short('o')
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("The image file to write [default: named after the file and page, in this folder]"),
        )
        .arg(
            Arg::new("scale")
                .long("scale")
                .value_name("NUMBER")
                .value_parser(clap::value_parser!(f64))
                .help("The scale, from 0.25 to 2 [default: 1]"),
        )
        .arg(
            Arg::new("thumbnail")
                .long("thumbnail")
                .action(ArgAction::SetTrue)
                .conflicts_with("side")
                .help("Render a thumbnail"),
        )
        .arg(
            Arg::new("side")
                .long("side")
                .value_name("SIDE")
                .value_parser(["reference", "published", "draft"])
                .help("The version of a file that the Draft changes"),
        )
        .arg(
            Arg::new("workbench_id")
                .short('w')
                .long("workbench")
                .value_name("ID")
                .help("The workbench [default: the current one]"),
        )
}

pub(crate) async fn run(app: &App, matches: &ArgMatches) -> Result<(), Stop> {
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let path = text("path").unwrap_or_default();
    let mut params = json!({ "workbench_id": app.workbench()?, "path": path });
    if let Some(page) = matches.get_one::<u64>("page") {
        params["page"] = json!(page);
    }
    if let Some(scale) = matches.get_one::<f64>("scale") {
        params["scale"] = json!(scale);
    }
    let name = match text("side") {
        Some(side) => {
            params["side"] = side.into();
            ReviewGetPreview::NAME
        }
        None => {
            params["thumbnail"] = matches.get_flag("thumbnail").into();
            FileGetPreview::NAME
        }
    };
    let workbench = app.open().await?;
    let mut output = operation::call(app, &workbench, name, params).await?;
    let picture = Picture::deserialize(&output)
        .map_err(|e| OpError::new(Code::Internal, "unexpected response format").because(e))?;
    let to = app.environment.folder.join(text("out").map_or_else(|| default_name(path, &picture), PathBuf::from));
    write(&to, &picture)?;
    if app.terminal.json {
        // The file has the image; the output is the metadata.
        if let Some(members) = output.as_object_mut() {
            members.remove("bytes_base64");
            members.insert("written_to".to_owned(), Value::String(to.display().to_string()));
        }
        app.terminal.print_json(&output)?;
        return Ok(());
    }
    app.terminal.print(&summary(&picture, &to.display().to_string()))?;
    if let Some(notice) = &picture.notice {
        app.terminal.note(notice);
    }
    Ok(())
}

fn summary(picture: &Picture, to: &str) -> String {
    let Picture { page, page_count, width, height, .. } = picture;
    let smaller = if picture.scaled_down { ", reduced to stay within the size limit" } else { "" };
    format!("page {page} of {page_count}, {width} × {height} pixels{smaller}: {to}\n")
}

/// A name built from the file, its page and the image format. An image that is small enough is returned in its original
/// format.
fn default_name(path: &str, picture: &Picture) -> PathBuf {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let ending = match picture.mime_type.strip_prefix("image/") {
        Some(ending @ ("gif" | "webp")) => ending,
        Some("jpeg") => "jpg",
        _ => "png",
    };
    format!("{stem}-page-{}.{ending}", picture.page).into()
}

fn write(to: &std::path::Path, picture: &Picture) -> Result<(), OpError> {
    let bytes = BASE64_STANDARD
        .decode(&picture.bytes_base64)
        .map_err(|e| OpError::new(Code::Internal, "the image is not in base64").because(e))?;
    std::fs::write(to, bytes).map_err(|e| {
        OpError::new(Code::FileWriteFailed, format!("{} could not be written: {e}", to.display()))
            .hint("specify another file with --out")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_named_after_their_file_and_page() {
        let picture = |page, mime_type: &str| Picture {
            bytes_base64: String::new(),
            mime_type: mime_type.to_owned(),
            page,
            page_count: 9,
            width: 1,
            height: 1,
            scaled_down: false,
            renderer: "pdf".to_owned(),
            notice: None,
        };
        let named = |path, page, mime_type| default_name(path, &picture(page, mime_type));
        assert_eq!(named("sub/Q1 report.v2.docx", 3, "image/png"), PathBuf::from("Q1 report.v2-page-3.png"));
        assert_eq!(named("plain", 1, "image/png"), PathBuf::from("plain-page-1.png"));
        assert_eq!(named("photo.jpeg", 1, "image/jpeg"), PathBuf::from("photo-page-1.jpg"));
    }
}
