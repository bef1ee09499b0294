//! Changes of documents and presentations taken back: old markup spliced in, parts put back, slides restored.

use std::collections::BTreeMap;
use std::sync::Arc;

use jig_ooxml::xml::Splice as XmlSplice;
use jig_ooxml::{Limits, Package};
use serde_json::Value;

use super::super::Diff;
use super::super::change::{Change, Splice, Undo};
use super::super::inside::InsideFormat;
use super::{Versions, alone, slides};
use crate::engine::{EditOptions, Engine, FileError, Format};

type Outcome = Result<(Vec<u8>, Vec<String>), FileError>;

pub(super) fn revert(engine: &Engine, versions: &Versions<'_>, chosen: &[&Change]) -> Outcome {
    let old = Package::open(versions.old.clone(), Limits::default())?;
    let mut new = Package::open(versions.new.clone(), Limits::default())?;
    let first = chosen.first().map_or("", |change| change.id.as_str());
    splices(&mut new, chosen.iter().flat_map(|change| of(change)), first)?;
    for change in chosen {
        if let Undo::Part { name } = &change.undo {
            new.set(name, &old.read(name)?);
        }
    }
    let bytes = new.save()?;
    let format = match versions.diff {
        Diff::Inside(inside) if inside.format == InsideFormat::Pptx => Format::Pptx,
        _ => Format::Docx,
    };
    let (bytes, warnings) = ops(engine, format, bytes, chosen)?;
    if !chosen.iter().any(|change| matches!(change.undo, Undo::Slide { .. })) {
        return Ok((bytes, warnings));
    }
    let mut new = Package::open(Arc::<[u8]>::from(bytes), Limits::default())?;
    slides::put(&old, &mut new, chosen)?;
    Ok((new.save()?, warnings))
}

fn of(change: &Change) -> &[Splice] {
    match &change.undo {
        Undo::Splices(splices) => splices,
        _ => &[],
    }
}

/// Puts markup into parts of a package, all of it at once.
pub(super) fn splices<'c>(
    package: &mut Package,
    all: impl Iterator<Item = &'c Splice>,
    first: &str,
) -> Result<(), FileError> {
    let mut by_part: BTreeMap<&str, Vec<&Splice>> = BTreeMap::new();
    for splice in all {
        by_part.entry(&splice.part).or_default().push(splice);
    }
    for (part, list) in by_part {
        let mut content = package.xml(part)?;
        let mut splice = XmlSplice::new(&content.text);
        for one in list {
            splice.replace(one.range.clone(), one.markup.as_str());
        }
        let text = splice.finish().map_err(|_| alone(first, "two changes fall on the same place"))?;
        content.text = text;
        // What does not parse is not written.
        content.tree(&Limits::default())?;
        package.set_xml(&content);
    }
    Ok(())
}

/// Carries out the ops of changes, the highest rank first.
pub(super) fn ops(engine: &Engine, format: Format, bytes: Vec<u8>, chosen: &[&Change]) -> Outcome {
    let mut ranked: Vec<(u64, &Vec<Value>)> = chosen
        .iter()
        .filter_map(|change| match &change.undo {
            Undo::Ops { rank, ops } => Some((*rank, ops)),
            _ => None,
        })
        .collect();
    if ranked.is_empty() {
        return Ok((bytes, Vec::new()));
    }
    ranked.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    let ops: Vec<Value> = ranked.into_iter().flat_map(|(_, ops)| ops.iter().cloned()).collect();
    apply(engine, format, bytes, ops)
}

/// Carries out ops.
pub(super) fn apply(engine: &Engine, format: Format, bytes: Vec<u8>, ops: Vec<Value>) -> Outcome {
    let options = EditOptions { allow_outside_formulas: true, ..EditOptions::default() };
    let edited = engine.apply(format, Some(bytes.into()), &Value::Array(ops), &options)?;
    Ok((edited.bytes, edited.warnings))
}
