//! Which element of one list became which of the other, in bounded time: [`align`] pairs equal elements, [`pair`] pairs
//! those that differ by likeness.
//!
//! The work of a search for the best alignment grows faster than the lists. Small lists are searched completely. Large
//! ones are first cut at elements that occur exactly once on each side, and the pieces searched within a budget; a piece
//! beyond it is shown as replaced, and [`Alignment::Coarse`] reports it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Lines, old and new together, that may be searched in large pieces.
const BUDGET: usize = 100_000;
/// Pieces up to this many lines are always searched: many of them cost no more than they are long.
const SMALL: usize = 2_000;

/// How well equal lines were paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alignment {
    /// Changes are shown line by line.
    Fine,
    /// The texts are too large and too different: in some places a whole block is shown as removed
    /// and added although lines in it may be equal. The result is still right, but longer.
    Coarse,
}

/// The steps that turn `old` into `new`, in order and covering both.
pub(super) fn align(old: &[usize], new: &[usize]) -> (Vec<DiffOp>, Alignment) {
    let head = common(old.iter(), new.iter());
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = common(old_rest.iter().rev(), new_rest.iter().rev());
    let mut script = Script::new(old, new);
    script.equal(head);
    script.changed(old.len() - tail, new.len() - tail);
    script.equal(tail);
    (script.ops, script.alignment)
}

/// Numbers for the elements of two lists, the same for equal ones, as [`align`] takes them.
pub(super) fn intern<K: std::hash::Hash + Eq>(
    old: impl Iterator<Item = K>,
    new: impl Iterator<Item = K>,
) -> (Vec<usize>, Vec<usize>) {
    let mut known: HashMap<K, usize> = HashMap::new();
    let mut number = |key: K| {
        let next = known.len();
        *known.entry(key).or_insert(next)
    };
    let old = old.map(&mut number).collect();
    (old, new.map(number).collect())
}

fn common<'a>(old: impl Iterator<Item = &'a usize>, new: impl Iterator<Item = &'a usize>) -> usize {
    old.zip(new).take_while(|(old, new)| old == new).count()
}

struct Script<'a> {
    old: &'a [usize],
    new: &'a [usize],
    /// How far both sides are covered.
    at: (usize, usize),
    ops: Vec<DiffOp>,
    budget: usize,
    alignment: Alignment,
}

impl<'a> Script<'a> {
    fn new(old: &'a [usize], new: &'a [usize]) -> Self {
        Self { old, new, at: (0, 0), ops: Vec::new(), budget: BUDGET, alignment: Alignment::Fine }
    }

    fn equal(&mut self, len: usize) {
        if len == 0 {
            return;
        }
        let (old_index, new_index) = self.at;
        self.at = (old_index + len, new_index + len);
        if let Some(DiffOp::Equal { len: last, .. }) = self.ops.last_mut() {
            *last += len;
            return;
        }
        self.ops.push(DiffOp::Equal { old_index, new_index, len });
    }

    /// Covers everything up to the given ends, cutting at anchors if there is too much of it.
    fn changed(&mut self, old_end: usize, new_end: usize) {
        if old_end - self.at.0 + new_end - self.at.1 > BUDGET {
            for (old_anchor, new_anchor) in anchors(self.old, self.at.0..old_end, self.new, self.at.1..new_end) {
                self.piece(old_anchor, new_anchor);
                self.equal(1);
            }
        }
        self.piece(old_end, new_end);
    }

    fn piece(&mut self, old_end: usize, new_end: usize) {
        let (old_start, new_start) = self.at;
        let (old, new) = (&self.old[old_start..old_end], &self.new[new_start..new_end]);
        let lines = old.len() + new.len();
        if old.is_empty() || new.is_empty() || disjoint(old, new) {
            return self.replace(old.len(), new.len());
        }
        if lines > SMALL && lines > self.budget {
            self.alignment = Alignment::Coarse;
            return self.replace(old.len(), new.len());
        }
        if lines > SMALL {
            self.budget -= lines;
        }
        for op in capture_diff_slices(Algorithm::Myers, old, new) {
            match op {
                DiffOp::Equal { len, .. } => self.equal(len),
                op => self.replace(op.old_range().len(), op.new_range().len()),
            }
        }
    }

    fn replace(&mut self, old_len: usize, new_len: usize) {
        let (old_index, new_index) = self.at;
        self.at = (old_index + old_len, new_index + new_len);
        match (old_len, new_len) {
            (0, 0) => {}
            (_, 0) => self.ops.push(DiffOp::Delete { old_index, old_len, new_index }),
            (0, _) => self.ops.push(DiffOp::Insert { old_index, new_index, new_len }),
            _ => self.ops.push(DiffOp::Replace { old_index, old_len, new_index, new_len }),
        }
    }
}

fn disjoint(old: &[usize], new: &[usize]) -> bool {
    let known: HashSet<_> = old.iter().collect();
    !new.iter().any(|line| known.contains(line))
}

/// Lines that occur once on each side, as many as keep their order: pairs of positions, ascending.
fn anchors(old: &[usize], old_range: Range<usize>, new: &[usize], new_range: Range<usize>) -> Vec<(usize, usize)> {
    let in_new = once(new, new_range);
    let mut pairs: Vec<_> =
        once(old, old_range).into_iter().filter_map(|(line, old_at)| Some((old_at, *in_new.get(&line)?))).collect();
    pairs.sort_unstable();
    longest_ascending(&pairs)
}

/// The place of each line that occurs once in the range.
fn once(lines: &[usize], range: Range<usize>) -> HashMap<usize, usize> {
    let mut places: HashMap<usize, Option<usize>> = HashMap::new();
    for at in range {
        places.entry(lines[at]).and_modify(|place| *place = None).or_insert(Some(at));
    }
    places.into_iter().filter_map(|(line, place)| Some((line, place?))).collect()
}

/// The longest run of pairs (sorted by the first) that also ascends in the second.
pub(super) fn longest_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // `ends[n]` is the pair at which the best run of length n + 1 ends; `before` links runs back.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, &(_, second)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < second);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut run: Vec<_> = std::iter::successors(ends.last().copied(), |&at| before[at]).map(|at| pairs[at]).collect();
    run.reverse();
    run
}

/// Old times new things that are compared with each other; beyond it they are paired as they stand.
pub(super) const COMPARISONS: usize = 40_000;
/// Less alike than this, one thing went and another came.
const ALIKE: f64 = 0.4;

/// One step through two lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// An old thing became a new one.
    Both(usize, usize),
    /// An old thing is gone.
    Old(usize),
    /// A new thing came.
    New(usize),
}

/// Pairs `old` things with `new` ones so that the whole is most alike. `likeness` is from 0 to 1.
pub(super) fn pair(old: usize, new: usize, likeness: impl Fn(usize, usize) -> f64) -> Vec<Step> {
    if old == 0 || new == 0 {
        return (0..old).map(Step::Old).chain((0..new).map(Step::New)).collect();
    }
    if old.saturating_mul(new) > COMPARISONS {
        return as_they_stand(old, new);
    }
    let width = new + 1;
    let mut best = vec![0.0_f64; (old + 1) * width];
    let mut like = vec![0.0_f64; old * new];
    let get = |table: &[f64], at: usize| table.get(at).copied().unwrap_or(0.0);
    for i in (0..old).rev() {
        for j in (0..new).rev() {
            let alike = likeness(i, j);
            set(&mut like, i * new + j, alike);
            let both = if alike >= ALIKE { alike + get(&best, (i + 1) * width + j + 1) } else { 0.0 };
            let skip = get(&best, (i + 1) * width + j).max(get(&best, i * width + j + 1));
            set(&mut best, i * width + j, both.max(skip));
        }
    }
    let (mut i, mut j, mut steps) = (0, 0, Vec::with_capacity(old + new));
    while i < old && j < new {
        let alike = get(&like, i * new + j);
        let here = get(&best, i * width + j);
        if alike >= ALIKE && here <= alike + get(&best, (i + 1) * width + j + 1) + 1e-12 {
            steps.push(Step::Both(i, j));
            (i, j) = (i + 1, j + 1);
        } else if get(&best, (i + 1) * width + j) >= get(&best, i * width + j + 1) {
            steps.push(Step::Old(i));
            i += 1;
        } else {
            steps.push(Step::New(j));
            j += 1;
        }
    }
    steps.extend((i..old).map(Step::Old));
    steps.extend((j..new).map(Step::New));
    steps
}

fn set(table: &mut [f64], at: usize, value: f64) {
    if let Some(place) = table.get_mut(at) {
        *place = value;
    }
}

/// Pairs the first with the first, the second with the second and so on.
pub(super) fn as_they_stand(old: usize, new: usize) -> Vec<Step> {
    let both = old.min(new);
    let pairs = (0..both).map(|at| Step::Both(at, at));
    pairs.chain((both..old).map(Step::Old)).chain((both..new).map(Step::New)).collect()
}

#[cfg(test)]
mod tests {
    use similar::DiffTag;

    use super::*;

    /// Numbers that look random and are the same on every run.
    fn noise(seed: usize, count: usize, below: usize) -> Vec<usize> {
        let step = |state: &usize| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        let states = std::iter::successors(Some(seed), step).skip(1).take(count);
        states.map(|state| (state >> 33) % below).collect()
    }

    /// Follows the steps and checks that they cover both sides and that equal parts are equal.
    fn check(old: &[usize], new: &[usize], ops: &[DiffOp]) {
        let (mut old_at, mut new_at) = (0, 0);
        for op in ops {
            assert_eq!((op.old_range().start, op.new_range().start), (old_at, new_at));
            (old_at, new_at) = (op.old_range().end, op.new_range().end);
            if let DiffOp::Equal { .. } = op {
                assert_eq!(old[op.old_range()], new[op.new_range()]);
            }
        }
        assert_eq!((old_at, new_at), (old.len(), new.len()));
    }

    #[test]
    fn a_large_text_that_is_all_new_is_one_exact_step() {
        let old: Vec<usize> = (0..150_000).collect();
        let new: Vec<usize> = (150_000..300_000).collect();
        let (ops, alignment) = align(&old, &new);
        check(&old, &new, &ops);
        assert_eq!((ops.len(), alignment), (1, Alignment::Fine));
    }

    #[test]
    fn a_large_text_with_scattered_changes_stays_fine() {
        let old: Vec<usize> = (0..150_000).collect();
        let mut new = old.clone();
        for at in (0..150_000).step_by(1_000) {
            new[at] = 1_000_000 + at;
        }
        let (ops, alignment) = align(&old, &new);
        check(&old, &new, &ops);
        assert_eq!((ops.len(), alignment), (300, Alignment::Fine));
    }

    #[test]
    fn a_large_text_without_anchors_is_coarse_and_still_right() {
        let (old, new) = (noise(1, 100_000, 50), noise(2, 100_000, 50));
        let (ops, alignment) = align(&old, &new);
        check(&old, &new, &ops);
        assert_eq!(alignment, Alignment::Coarse);
    }

    #[test]
    fn many_hard_pieces_use_up_the_budget() {
        let pieces = |seed: usize| -> Vec<usize> {
            let piece = |number: usize| noise(seed + number, 2_000, 50).into_iter().chain([100 + number]);
            (0..60).flat_map(piece).collect()
        };
        let (old, new) = (pieces(1_000), pieces(2_000));
        let (ops, alignment) = align(&old, &new);
        check(&old, &new, &ops);
        assert_eq!(alignment, Alignment::Coarse);
        // The anchors hold all the same.
        let equal = |at: &usize| ops.iter().any(|op| op.tag() == DiffTag::Equal && op.old_range().contains(at));
        let anchors = (0..old.len()).filter(|&at| old[at] >= 100);
        assert_eq!(anchors.filter(equal).count(), 60);
    }

    #[test]
    fn a_reversed_text_is_right() {
        let old: Vec<usize> = (0..120_000).collect();
        let new: Vec<usize> = old.iter().rev().copied().collect();
        let (ops, _) = align(&old, &new);
        check(&old, &new, &ops);
    }
}

#[cfg(test)]
mod pair_tests {
    use super::*;

    fn steps(old: &[&str], new: &[&str]) -> Vec<Step> {
        let word = |list: &[&str], at: usize| list.get(at).map(|text| (*text).to_owned()).unwrap_or_default();
        pair(old.len(), new.len(), |i, j| super::super::words::likeness(&word(old, i), &word(new, j)))
    }

    #[test]
    fn the_most_alike_are_paired_and_keep_their_order() {
        let found = steps(&["a b c d", "x y z"], &["new here", "a b c e", "x y w"]);
        assert_eq!(found, [Step::New(0), Step::Both(0, 1), Step::Both(1, 2)]);
    }

    #[test]
    fn strangers_are_not_paired() {
        assert_eq!(steps(&["one two"], &["three four"]), [Step::Old(0), Step::New(0)]);
    }

    #[test]
    fn too_many_are_paired_as_they_stand() {
        let found = pair(300, 301, |_, _| 0.0);
        assert_eq!((found.first(), found.last()), (Some(&Step::Both(0, 0)), Some(&Step::New(300))));
    }
}
