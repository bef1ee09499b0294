//! Which row of a sheet became which: rows are known by what is in them, so that an inserted row does
//! not make all below it look changed.

use std::collections::{BTreeSet, HashMap};

use jig_ooxml::xlsx::address::MAX_ROW;
use jig_ooxml::xlsx::formula::{Axis, Edit, EditKind};
use jig_ooxml::xlsx::{FormulaKind, RowView, markup_text, sheet_rows};
use jig_ooxml::xml::{Node, Tree};
use jig_ooxml::{Limits, PackageError};
use similar::DiffOp;

use super::super::align::align;
use super::side::{Content, Masters, Shared, Side, bare_formula};
use super::styles::is_true;

/// A sheet in outline: what each row comes to, and all that is around the rows.
pub(super) struct Outline {
    pub(super) rows: Vec<Sketch>,
    pub(super) masters: Masters,
    /// The part without its rows.
    pub(super) frame: String,
    /// Formats of columns: from, to, and the number of the format.
    columns: Vec<(u32, u32, u32)>,
}

impl Outline {
    /// The format of cells of a column that are not written.
    pub(super) fn column_style(&self, column: u32) -> Option<u32> {
        self.columns.iter().find(|(first, last, _)| (*first..=*last).contains(&column)).map(|(_, _, style)| *style)
    }
}

fn column_styles(part: &str, frame: &str, limits: &Limits) -> Result<Vec<(u32, u32, u32)>, PackageError> {
    let tree = Tree::parse(part, frame, limits)?;
    let columns = tree.root().elements().filter(|node| node.local() == "cols").flat_map(Node::elements);
    let run = |node: Node<'_>| {
        let number = |name: &str| node.attr(name)?.trim().parse::<u32>().ok();
        Some((number("min")?, number("max")?, number("style").filter(|style| *style > 0)?))
    };
    Ok(columns.filter_map(run).collect())
}

/// What a row comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sketch {
    pub(super) number: u32,
    /// What a reader sees of its content, places of formulas left out; 0 without any.
    content: u128,
    /// Everything: values, formulas, formats.
    exact: u128,
    /// Its first cell with a content.
    first: u128,
    /// Height and the like.
    attributes: u128,
    has_formulas: bool,
}

/// Places where rows came or went; beyond, rows are compared by their numbers.
const SHIFTS_MAX: usize = 200;

/// What a row says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct RowFacts {
    /// In points, as it is written; programs also write the height that they measured.
    pub(super) height: Option<f64>,
    /// Whether a person set the height.
    pub(super) own_height: bool,
    pub(super) hidden: bool,
    pub(super) level: u32,
    /// The format of cells that are not written.
    pub(super) style: Option<u32>,
}

impl RowFacts {
    pub(super) fn of(row: &RowView<'_>) -> Self {
        let text = |name: &str| row.attr(name).map(markup_text);
        let on = |name: &str| text(name).is_some_and(|value| is_true(&value));
        Self {
            height: text("ht").and_then(|height| height.trim().parse().ok()),
            own_height: on("customHeight"),
            hidden: on("hidden"),
            level: text("outlineLevel").and_then(|level| level.trim().parse().ok()).unwrap_or(0),
            style: text("s").filter(|_| on("customFormat")).and_then(|style| style.trim().parse().ok()),
        }
    }

    /// The height that was set, in tenths of a point; none when it follows from the content.
    pub(super) fn set_height(&self) -> Option<f64> {
        self.height.filter(|_| self.own_height).map(|height| (height * 10.0).round() / 10.0)
    }
}

/// Reads a sheet once.
pub(super) fn outline(side: &Side<'_>, part: &str, shared: &mut Shared) -> Result<Outline, PackageError> {
    let mut rows = Vec::new();
    let mut masters = Masters::default();
    let mut sketcher = Sketcher { side, content: Vec::new(), exact: Vec::new() };
    let frame = sheet_rows(side.package, part, &mut |row| {
        // Beyond the grid no program reads anything.
        if !(1..=MAX_ROW).contains(&row.number()) {
            return Ok(());
        }
        rows.push(Sketch { attributes: attributes(row), ..sketcher.sketch(row, shared, &mut masters) });
        Ok(())
    })?;
    let columns = column_styles(part, &frame, side.package.limits())?;
    Ok(Outline { rows, masters, frame, columns })
}

/// Height and the like; 0 when a row says nothing.
fn attributes(row: &RowView<'_>) -> u128 {
    let facts = RowFacts::of(row);
    if facts.set_height().is_none() && !facts.hidden && facts.level == 0 {
        return 0;
    }
    digest(format!("{:?} {} {}", facts.set_height(), facts.hidden, facts.level).as_bytes())
}

struct Sketcher<'s, 'p> {
    side: &'s Side<'p>,
    content: Vec<u8>,
    exact: Vec<u8>,
}

impl Sketcher<'_, '_> {
    fn sketch(&mut self, row: &RowView<'_>, shared: &mut Shared, masters: &mut Masters) -> Sketch {
        self.content.clear();
        self.exact.clear();
        let (mut first, mut has_formulas) = (0, false);
        for raw in row.cell_markup() {
            if let Some(found) = raw.formula {
                has_formulas = true;
                let text = found.text();
                if let (FormulaKind::Shared(group), false) = (found.kind, text.is_empty()) {
                    masters.shared.entry(group).or_insert((raw.at, text.clone()));
                }
                if let Some(range) = found.range.filter(|_| found.fills_range()) {
                    masters.areas.push(range);
                }
            }
            let cell = self.side.cell(&raw, shared, masters);
            let formula = cell.formula.as_deref().map(bare_formula);
            let column = cell.col.to_le_bytes();
            let begin = self.content.len();
            if let Some(formula) = &formula {
                // Numbers in formulas shift with rows; values follow from them.
                self.content.extend_from_slice(&column);
                self.content.push(b'=');
                self.content.extend(formula.bytes().filter(|byte| !byte.is_ascii_digit()));
                self.content.push(0);
            } else if cell.content != Content::Empty {
                self.content.extend_from_slice(&column);
                put(&mut self.content, &cell.content);
            }
            if first == 0 && self.content.len() > begin {
                first = digest(self.content.get(begin..).unwrap_or_default());
            }
            self.exact.extend_from_slice(&column);
            self.exact.extend_from_slice(&cell.format.to_le_bytes());
            put(&mut self.exact, &cell.content);
            if let (Some(found), Some(text)) = (raw.formula, &formula) {
                self.exact.extend_from_slice(format!("={text}").as_bytes());
                self.exact.push(u8::from(found.fills_range()));
            }
        }
        let content = if self.content.is_empty() { 0 } else { digest(&self.content) };
        Sketch { number: row.number(), content, exact: digest(&self.exact), first, attributes: 0, has_formulas }
    }
}

fn put(out: &mut Vec<u8>, content: &Content) {
    match content {
        Content::Empty => out.push(0),
        Content::Number(bits) => {
            out.push(1);
            // The last digits may be lost when a program rewrites a number; the cells are compared for that.
            out.extend_from_slice(&(bits.wrapping_add(1 << 5) >> 6).to_le_bytes());
        }
        Content::Text(number) => {
            out.push(2);
            out.extend_from_slice(&number.to_le_bytes());
        }
        Content::Bool(value) => out.extend_from_slice(&[3, u8::from(*value)]),
        Content::Error(text) | Content::Date(text) => {
            out.push(4);
            out.extend_from_slice(&(text.len() as u64).to_le_bytes());
            out.extend_from_slice(text.as_bytes());
        }
    }
}

/// A sum that nobody can make two rows share on purpose.
fn digest(bytes: &[u8]) -> u128 {
    let hash = blake3::hash(bytes);
    let half: [u8; 16] = std::array::from_fn(|at| hash.as_bytes().get(at).copied().unwrap_or(0));
    u128::from_le_bytes(half)
}

/// Rows that came in or went out at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shift {
    /// The first row, in the numbers of the new sheet for rows that came, of the old one for those that went.
    pub(super) at: u32,
    pub(super) count: u32,
    pub(super) came: bool,
    /// Where rows that went would stand in the new sheet.
    pub(super) place: u32,
}

/// Which row became which.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct RowMap {
    pub(super) shifts: Vec<Shift>,
}

/// A row on both sides, or on one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) old: Option<u32>,
    pub(super) new: Option<u32>,
    /// Whether only height and the like may differ.
    pub(super) same_cells: bool,
    pub(super) same_attributes: bool,
}

impl RowMap {
    /// Finds the map under which the fewest rows differ; without rows that came or went if that is as good.
    pub(super) fn between(old: &[Sketch], new: &[Sketch]) -> Self {
        let plain = Self::default();
        let straight = plain.cost(old, new);
        if straight == 0 {
            return plain;
        }
        let shifted = Self { shifts: shifts(old, new) };
        // Every formula is followed through every one of them.
        let many = shifted.shifts.len() > SHIFTS_MAX;
        if many || shifted.shifts.is_empty() || shifted.cost(old, new) >= straight { plain } else { shifted }
    }

    fn cost(&self, old: &[Sketch], new: &[Sketch]) -> usize {
        let by_number: HashMap<u32, u128> = old.iter().map(|row| (row.number, row.content)).collect();
        let came: usize = self.shifts.iter().map(|shift| shift.count as usize).sum();
        let mut seen = 0;
        let differ = new.iter().filter(|row| {
            let Some(number) = self.old_number(row.number) else { return false };
            let content = by_number.get(&number).copied();
            seen += usize::from(content.is_some_and(|content| content != 0));
            content.unwrap_or(0) != row.content
        });
        let differ = differ.count();
        let gone: usize = self.shifts.iter().filter(|shift| !shift.came).map(|shift| shift.count as usize).sum();
        let filled = old.iter().filter(|row| row.content != 0).count();
        came + differ + filled.saturating_sub(seen + gone)
    }

    /// The old number of a new row; none for one that came in.
    pub(super) fn old_number(&self, new: u32) -> Option<u32> {
        let mut offset = 0_i64;
        for shift in &self.shifts {
            let begins = if shift.came { shift.at } else { shift.place };
            if new < begins {
                break;
            }
            if shift.came {
                if new < shift.at + shift.count {
                    return None;
                }
                offset -= i64::from(shift.count);
            } else {
                offset += i64::from(shift.count);
            }
        }
        u32::try_from(i64::from(new) + offset).ok()
    }

    /// All rows in the order of the new sheet, those that went where they were.
    pub(super) fn pairs(&self, old: &[Sketch], new: &[Sketch]) -> Vec<Pair> {
        let by_number: HashMap<u32, &Sketch> = old.iter().map(|row| (row.number, row)).collect();
        let mut used: BTreeSet<u32> = BTreeSet::new();
        let mut pairs: Vec<(u32, Pair)> = Vec::with_capacity(new.len());
        for row in new {
            let number = self.old_number(row.number);
            let before = number.and_then(|number| by_number.get(&number));
            used.extend(before.map(|row| row.number));
            let same = before
                .is_some_and(|before| before.exact == row.exact && (before.number == row.number || !row.has_formulas));
            let pair = Pair {
                old: before.map(|row| row.number).or(number),
                new: Some(row.number),
                same_cells: same,
                // A row that is not written says nothing of itself.
                same_attributes: number.is_none() || before.map_or(0, |before| before.attributes) == row.attributes,
            };
            pairs.push((row.number, pair));
        }
        for row in old.iter().filter(|row| !used.contains(&row.number)) {
            let place = self.new_place(row.number);
            let new = if self.went(row.number) { None } else { Some(place) };
            let same_attributes = new.is_none() || row.attributes == 0;
            pairs.push((place, Pair { old: Some(row.number), new, same_cells: false, same_attributes }));
        }
        pairs.extend(self.empty(&by_number, new));
        pairs.sort_by_key(|(place, pair)| (*place, pair.new.is_some(), pair.old));
        pairs.into_iter().map(|(_, pair)| pair).collect()
    }

    /// Rows that came or went with nothing in them, which no side writes: all below them moved.
    fn empty(&self, old: &HashMap<u32, &Sketch>, new: &[Sketch]) -> Vec<(u32, Pair)> {
        let written: BTreeSet<u32> = new.iter().map(|row| row.number).collect();
        let mut pairs = Vec::new();
        for shift in &self.shifts {
            for number in shift.at..shift.at.saturating_add(shift.count) {
                let pair = |old, new| Pair { old, new, same_cells: false, same_attributes: true };
                if shift.came && !written.contains(&number) {
                    pairs.push((number, pair(None, Some(number))));
                } else if !shift.came && !old.contains_key(&number) {
                    pairs.push((shift.place, pair(Some(number), None)));
                }
            }
        }
        pairs
    }

    /// Whether an old row went out.
    pub(super) fn went(&self, old: u32) -> bool {
        self.shifts.iter().any(|shift| !shift.came && (shift.at..shift.at + shift.count).contains(&old))
    }

    /// Where an old row stands now, or where it would.
    pub(super) fn new_place(&self, old: u32) -> u32 {
        let mut place = i64::from(old);
        for shift in &self.shifts {
            if shift.came {
                if place >= i64::from(shift.at) {
                    place += i64::from(shift.count);
                }
            } else if old >= shift.at + shift.count {
                place -= i64::from(shift.count);
            } else if old >= shift.at {
                return shift.place;
            }
        }
        u32::try_from(place).unwrap_or(1)
    }

    /// The edits of a sheet that do the same, one after the other.
    pub(super) fn edits(&self, sheet: &str) -> Vec<Edit> {
        let edit = |shift: &Shift| Edit {
            sheet: sheet.to_owned(),
            axis: Axis::Rows,
            kind: if shift.came { EditKind::Insert } else { EditKind::Delete },
            at: if shift.came { shift.at } else { shift.place },
            count: shift.count,
        };
        self.shifts.iter().map(edit).collect()
    }
}

/// Places where the rows that are the same on both sides move against each other.
fn shifts(old: &[Sketch], new: &[Sketch]) -> Vec<Shift> {
    let filled = |rows: &[Sketch]| -> Vec<Sketch> { rows.iter().filter(|row| row.content != 0).copied().collect() };
    let (old, new) = (filled(old), filled(new));
    let mut ids: HashMap<u128, usize> = HashMap::new();
    let mut number = |rows: &[Sketch]| -> Vec<usize> {
        let mut id = |row: &Sketch| {
            let next = ids.len();
            *ids.entry(row.content).or_insert(next)
        };
        rows.iter().map(&mut id).collect()
    };
    let (old_ids, new_ids) = (number(&old), number(&new));
    let (ops, _) = align(&old_ids, &new_ids);
    let mut found = Vec::new();
    let mut last = (0_u32, 0_u32);
    for op in ops {
        let DiffOp::Equal { old_index, new_index, len } = op else { continue };
        for step in 0..len {
            let (Some(a), Some(b)) = (old.get(old_index + step), new.get(new_index + step)) else { continue };
            found.extend(gap(&old, &new, last, (a.number, b.number)));
            last = (a.number, b.number);
        }
    }
    found
}

/// What came or went between two pairs of equal rows.
fn gap(old: &[Sketch], new: &[Sketch], from: (u32, u32), to: (u32, u32)) -> Option<Shift> {
    let (old_len, new_len) = (to.0.checked_sub(from.0)?, to.1.checked_sub(from.1)?);
    let count = old_len.abs_diff(new_len);
    let kept = old_len.min(new_len).checked_sub(1)?;
    if count == 0 {
        return None;
    }
    let came = new_len > old_len;
    // Of all places for the rows that came or went, the one at which the first cells of the others agree most.
    let first = |rows: &[Sketch], number: u32| {
        let at = rows.binary_search_by_key(&number, |row| row.number).ok();
        at.and_then(|at| rows.get(at)).map(|row| row.first)
    };
    let agrees = |step: u32, shifted: u32| {
        let (more_old, more_new) = if came { (0, shifted) } else { (shifted, 0) };
        let old_first = first(old, from.0 + step + more_old);
        i32::from(old_first == first(new, from.1 + step + more_new))
    };
    let bounded = kept.min(1_000);
    let mut score: i32 = (1..=bounded).map(|step| agrees(step, count)).sum();
    let (mut best, mut best_score) = (0, score);
    for step in 1..=bounded {
        score += agrees(step, 0) - agrees(step, count);
        if score > best_score {
            (best, best_score) = (step, score);
        }
    }
    let (old_at, new_at) = (from.0 + best + 1, from.1 + best + 1);
    Some(Shift { at: if came { new_at } else { old_at }, count, came, place: new_at })
}
