//! Who reads which rows: intervals that are found by row and taken out when found, so that spreading a
//! change costs each interval once however many cells change.

/// Intervals of rows with their owners.
#[derive(Debug, Default)]
pub(crate) struct Intervals {
    entries: Vec<Entry>,
    // A heap-shaped tree over `entries`: each node has the largest end below it; 0 means all taken.
    largest_end: Vec<u32>,
    leaves: usize,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    start: u32,
    end: u32,
    owner: usize,
}

impl Intervals {
    /// Adds rows that an owner reads. Call [`seal`](Self::seal) before taking.
    pub(crate) fn add(&mut self, start: u32, end: u32, owner: usize) {
        self.entries.push(Entry { start, end, owner });
    }

    /// Makes the intervals searchable.
    pub(crate) fn seal(&mut self) {
        self.entries.sort_by_key(|entry| entry.start);
        self.leaves = self.entries.len().next_power_of_two();
        self.largest_end = vec![0; self.leaves * 2];
        for (index, entry) in self.entries.iter().enumerate() {
            if let Some(leaf) = self.largest_end.get_mut(self.leaves + index) {
                *leaf = entry.end;
            }
        }
        for node in (1..self.leaves).rev() {
            self.refresh(node);
        }
    }

    /// Takes out every interval that meets these rows and gives the owners.
    pub(crate) fn take(&mut self, start: u32, end: u32, owners: &mut Vec<usize>) {
        let candidates = self.entries.partition_point(|entry| entry.start <= end);
        self.take_below(Below { node: 1, first: 0, width: self.leaves }, candidates, start, owners);
    }

    fn take_below(&mut self, at: Below, candidates: usize, start: u32, owners: &mut Vec<usize>) {
        if at.first >= candidates || self.end_below(at.node) < start {
            return;
        }
        if at.width <= 1 {
            owners.extend(self.entries.get(at.first).map(|entry| entry.owner));
            if let Some(leaf) = self.largest_end.get_mut(at.node) {
                *leaf = 0;
            }
            return;
        }
        let width = at.width / 2;
        self.take_below(Below { node: at.node * 2, first: at.first, width }, candidates, start, owners);
        self.take_below(Below { node: at.node * 2 + 1, first: at.first + width, width }, candidates, start, owners);
        self.refresh(at.node);
    }

    fn end_below(&self, node: usize) -> u32 {
        self.largest_end.get(node).copied().unwrap_or(0)
    }

    fn refresh(&mut self, node: usize) {
        let end = self.end_below(node * 2).max(self.end_below(node * 2 + 1));
        if let Some(slot) = self.largest_end.get_mut(node) {
            *slot = end;
        }
    }
}

/// A node of the tree and the entries below it.
#[derive(Clone, Copy)]
struct Below {
    node: usize,
    first: usize,
    width: usize,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn taking_finds_each_meeting_interval_once(
            intervals in prop::collection::vec((1..60_u32, 0..20_u32), 0..40),
            takes in prop::collection::vec((1..80_u32, 0..9_u32), 1..12),
        ) {
            let mut tree = Intervals::default();
            let mut left: Vec<(u32, u32, usize)> = Vec::new();
            for (owner, (start, length)) in intervals.iter().enumerate() {
                tree.add(*start, start + length, owner);
                left.push((*start, start + length, owner));
            }
            tree.seal();
            for (start, length) in takes {
                let end = start + length;
                let mut expected: Vec<usize> =
                    left.iter().filter(|(s, e, _)| *s <= end && *e >= start).map(|(_, _, owner)| *owner).collect();
                left.retain(|(s, e, _)| !(*s <= end && *e >= start));
                let mut found = Vec::new();
                tree.take(start, end, &mut found);
                found.sort_unstable();
                expected.sort_unstable();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
