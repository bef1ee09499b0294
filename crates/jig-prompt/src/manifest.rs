//! The files section: every file is listed, with as much of its content as fits.
//!
//! A file is shown in the fullest form that fits: its entire text (below the chunk threshold), its entire map, its map
//! down to some level, or a line that states what was left out and how to get it. Path, type and size are always
//! included.

use std::borrow::Cow;

use serde_json::Value;

use crate::budget::{Budgets, Component, Limits};
use crate::count::as_count;
use crate::defaults::FILES_GUIDE;
use crate::input::{FileBody, FileEntry, FileMap};
use crate::left_out::LeftOut;
use crate::map::{LEVELS, shorten};
use crate::piece::{Maker, Piece, SectionKind, Source, SourceKind};
use crate::room::{Allowance, Room, Short};
use crate::words;
use crate::write;

/// The section while it is being filled.
pub(crate) struct Files<'a> {
    open: Piece,
    guide: Piece,
    close: Piece,
    files: Vec<Shown<'a>>,
}

/// A file and its current form.
struct Shown<'a> {
    entry: &'a FileEntry,
    piece: Piece,
}

/// A form in which a file can be shown.
struct Form<'a> {
    shows: &'static str,
    data: Cow<'a, str>,
}

impl<'a> Files<'a> {
    /// Every file in its shortest form, by path.
    pub(crate) fn new(entries: &'a [FileEntry], maker: Maker<'_>) -> Self {
        let mut sorted: Vec<&FileEntry> = entries.iter().collect();
        sorted.sort_by(|a, b| a.path.cmp(&b.path));
        let size = sorted.iter().fold(0u64, |sum, entry| sum.saturating_add(entry.size));
        let count = words::count(as_count(sorted.len()), "file", "files");
        let open = write::open("workbench-files", &[("count", &count), ("size", &words::size(size))]);
        let guide = write::block("workbench-files-guide", &[], FILES_GUIDE);
        Self {
            open: maker.frame(SectionKind::Files, "files", open),
            guide: maker.piece(SectionKind::Files, Source::new(SourceKind::Guide, "files"), guide),
            close: maker.frame(SectionKind::Files, "files", write::close("workbench-files")),
            files: sorted.into_iter().map(|entry| Shown { entry, piece: piece(entry, &bare(entry), maker) }).collect(),
        }
    }

    /// The current pieces, in order.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &Piece> {
        let files = self.files.iter().map(|file| &file.piece);
        [&self.open, &self.guide].into_iter().chain(files).chain([&self.close])
    }

    /// Shows more of the files while there is space, by priority and then by path.
    pub(crate) fn fill(
        &mut self,
        budgets: &Budgets,
        limits: Limits<'_>,
        room: &mut Room,
        maker: Maker<'_>,
    ) -> Vec<LeftOut> {
        let mut allowance = Allowance::new(Component::Files, limits.of(Component::Files));
        let mut order: Vec<&mut Shown<'_>> = self.files.iter_mut().collect();
        order.sort_by(|a, b| {
            a.entry.need.rank().cmp(&b.entry.need.rank()).then_with(|| a.entry.path.cmp(&b.entry.path))
        });
        let mut left_out = Vec::new();
        for file in order {
            let mut filler = Filler { file, limits, room: &mut *room, allowance: &mut allowance, maker, wanted: None };
            filler.fill(budgets);
            left_out.extend(filler.missed());
        }
        left_out
    }
}

/// Finds the fullest form of a file that fits.
struct Filler<'f, 'a, 'r, 'm> {
    file: &'f mut Shown<'a>,
    limits: Limits<'r>,
    room: &'r mut Room,
    allowance: &'r mut Allowance,
    maker: Maker<'m>,
    /// The tokens of the first form that did not fit, and why.
    wanted: Option<(u64, Short)>,
}

impl Filler<'_, '_, '_, '_> {
    fn fill(&mut self, budgets: &Budgets) {
        let entry = self.file.entry;
        let FileBody::Readable { map, text } = &entry.body else { return };
        if let Some(text) = text.as_ref().filter(|text| is_small(text, budgets))
            && self.place(&Form { shows: "content", data: text.into() }, None)
        {
            return;
        }
        let most = Some(self.limits.one_map());
        match map {
            Some(FileMap::Text(text)) => {
                self.place(&Form { shows: "map", data: text.into() }, most);
            }
            Some(FileMap::Json(map)) => self.fill_map(map, most),
            None => {}
        }
    }

    fn fill_map(&mut self, map: &Value, most: Option<u64>) {
        if self.place(&Form { shows: "map", data: map.to_string().into() }, most) {
            return;
        }
        for level in LEVELS {
            let Some(shorter) = shorten(map, level) else { continue };
            let note = format!(
                "This map is shortened to its first {}. Get all of it with get_file_map.",
                words::count(as_count(level), "level", "levels")
            );
            if self.place(&Form { shows: "shortened map", data: format!("{note}\n{shorter}").into() }, most) {
                return;
            }
        }
    }

    /// Shows the file in this form if it fits both its own limit and the remaining space.
    fn place(&mut self, form: &Form<'_>, most: Option<u64>) -> bool {
        let piece = piece(self.file.entry, form, self.maker);
        let more = piece.counted.saturating_sub(self.file.piece.counted);
        let fits = if most.is_some_and(|most| more > most) {
            Err(Short::Budget(Component::Files))
        } else {
            self.room.take_within(self.allowance, more)
        };
        match fits {
            Ok(()) => self.file.piece = piece,
            Err(short) => {
                self.wanted.get_or_insert((piece.counted, short));
            }
        }
        fits.is_ok()
    }

    /// What could not be shown.
    fn missed(&self) -> Option<LeftOut> {
        let (tokens, short) = self.wanted?;
        Some(LeftOut {
            section: SectionKind::Files,
            source: self.file.piece.source.clone(),
            tokens: tokens.saturating_sub(self.file.piece.counted),
            why: short.words(),
            how: "get its map with get_file_map, or read a region of it with read_file".to_owned(),
        })
    }
}

fn is_small(text: &str, budgets: &Budgets) -> bool {
    text.len() < budgets.chunk_chars.saturating_mul(4)
        && text.chars().count() < budgets.chunk_chars
        && text.lines().count() <= budgets.chunk_lines
}

/// The shortest form: a line in place of the content.
fn bare(entry: &FileEntry) -> Form<'static> {
    let data = match &entry.body {
        FileBody::Opaque { why } => format!("The file is here, but its content cannot be read: {why}").into(),
        FileBody::Readable { map: None, text: None } => "It has no map. Read it with read_file.".into(),
        FileBody::Readable { .. } => "Its map is left out for want of room. Get it with get_file_map.".into(),
    };
    Form { shows: "nothing", data }
}

fn piece(entry: &FileEntry, form: &Form<'_>, maker: Maker<'_>) -> Piece {
    let access = match entry.body {
        FileBody::Readable { .. } => "readable",
        FileBody::Opaque { .. } => "opaque",
    };
    let size = words::size(entry.size);
    let attributes = [
        ("path", entry.path.as_str()),
        ("type", entry.file_type.as_str()),
        ("size", &size),
        ("access", access),
        ("shows", form.shows),
    ];
    let text = write::block("workbench-file", &attributes, &form.data);
    maker.piece(SectionKind::Files, Source::new(SourceKind::File, &entry.path), text)
}
