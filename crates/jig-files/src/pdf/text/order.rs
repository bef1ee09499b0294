//! The order in which blocks of a page are read: what is above before what is below it, and columns from
//! left to right, unless something runs across between them (the rules that Breuel gives).

use super::layout::Block;

/// Beyond so many blocks the rules cost too much, and blocks are read from top to bottom.
const MOST: usize = 700;

/// As far as any page goes.
const FREE: f32 = 100_000.0;

/// The position of a block, y down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) x0: f32,
    pub(super) x1: f32,
    pub(super) y0: f32,
    pub(super) y1: f32,
    /// Whether it is a single line.
    pub(super) one_line: bool,
}

impl Area {
    fn shares_columns(&self, other: &Self) -> bool {
        self.x0 < other.x1 && other.x0 < self.x1
    }

    fn shares_rows(&self, other: &Self) -> bool {
        self.y0 < other.y1 && other.y0 < self.y1
    }

    /// A single line with nothing beside it counts as wide as the page is free: a heading, a label, a line of its own.
    fn stretched(&self, all: &[Self]) -> Self {
        if !self.one_line {
            return *self;
        }
        let beside = || all.iter().filter(|one| *one != self && one.shares_rows(self));
        let left = beside().filter(|one| one.x1 <= self.x0).map(|one| one.x1).fold(-FREE, f32::max);
        let right = beside().filter(|one| one.x0 >= self.x1).map(|one| one.x0).fold(FREE, f32::min);
        // Half of the distance, so that two neighbours do not overlap.
        Self { x0: (self.x0 + left) / 2.0, x1: (self.x1 + right) / 2.0, ..*self }
    }

    /// Whether this block is read before another, given all blocks.
    fn is_before(&self, other: &Self, all: &[Self]) -> bool {
        if self.shares_columns(other) {
            return self.y0 < other.y0;
        }
        if self.x1 > other.x0 {
            return false;
        }
        let (top, bottom) = (self.y0.min(other.y0), self.y1.max(other.y1));
        let between = |one: &Self| {
            one != self
                && one != other
                && one.y0 >= top
                && one.y1 <= bottom
                && one.shares_columns(self)
                && one.shares_columns(other)
        };
        // A block that runs across both parts the page: what is above it is read first, in both columns.
        !all.iter().any(|one| between(one) && (self.y0 > one.y0) != (other.y0 > one.y0))
    }
}

/// Blocks in the order they are read.
pub(super) fn reading(blocks: Vec<Block>) -> Vec<Block> {
    let mut blocks: Vec<(Area, Option<Block>)> = blocks.into_iter().map(|block| (block.area(), Some(block))).collect();
    blocks.sort_by(|(a, _), (b, _)| a.y0.total_cmp(&b.y0).then(a.x0.total_cmp(&b.x0)));
    if blocks.len() > MOST {
        return blocks.into_iter().filter_map(|(_, block)| block).collect();
    }
    let areas: Vec<Area> = blocks.iter().map(|(area, _)| *area).collect();
    let areas: Vec<Area> = areas.iter().map(|area| area.stretched(&areas)).collect();
    let order = sequence(&areas);
    order.into_iter().filter_map(|at| blocks.get_mut(at)?.1.take()).collect()
}

/// The indexes of areas, which come sorted from top to bottom, in the order they are read.
fn sequence(areas: &[Area]) -> Vec<usize> {
    let mut visited = vec![false; areas.len()];
    let mut order = Vec::with_capacity(areas.len());
    for start in 0..areas.len() {
        visit(start, areas, &mut visited, &mut order);
    }
    order
}

/// Depth first, with a stack of its own: each block after all that come before it.
fn visit(start: usize, areas: &[Area], visited: &mut [bool], order: &mut Vec<usize>) {
    let mut stack = Vec::new();
    if enter(start, visited) {
        stack.push((start, 0));
    }
    while let Some((here, from)) = stack.pop() {
        let earlier = |other: &usize| match (areas.get(*other), areas.get(here)) {
            (Some(area), Some(here)) => area.is_before(here, areas),
            _ => false,
        };
        let open = |other: &usize| *other != here && visited.get(*other) == Some(&false);
        match (from..areas.len()).filter(open).find(earlier) {
            Some(next) => {
                stack.push((here, next + 1));
                if enter(next, visited) {
                    stack.push((next, 0));
                }
            }
            None => order.push(here),
        }
    }
}

/// Marks a block as visited, and says whether it was not.
fn enter(at: usize, visited: &mut [bool]) -> bool {
    visited.get_mut(at).is_some_and(|visited| !std::mem::replace(visited, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn area(x0: f32, x1: f32, y0: f32, y1: f32) -> Area {
        Area { x0, x1, y0, y1, one_line: false }
    }

    fn order(areas: &[Area]) -> Vec<usize> {
        let areas: Vec<Area> = areas.iter().map(|area| area.stretched(areas)).collect();
        sequence(&areas)
    }

    #[test]
    fn columns_are_read_one_after_another_below_a_heading() {
        let heading = area(0.0, 100.0, 0.0, 10.0);
        let (left, right) = (area(0.0, 45.0, 20.0, 90.0), area(55.0, 100.0, 20.0, 90.0));
        let left_end = area(0.0, 45.0, 92.0, 99.0);
        assert_eq!(order(&[heading, left, right, left_end]), [0, 1, 3, 2]);
    }

    #[test]
    fn a_block_across_parts_the_columns() {
        let (left, right) = (area(0.0, 45.0, 0.0, 40.0), area(55.0, 100.0, 0.0, 40.0));
        let across = area(0.0, 100.0, 50.0, 60.0);
        let (left2, right2) = (area(0.0, 45.0, 70.0, 90.0), area(55.0, 100.0, 70.0, 90.0));
        assert_eq!(order(&[left, right, across, left2, right2]), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_line_of_its_own_comes_before_what_is_below_it_on_either_side() {
        let line = |x0, x1, y0: f32| Area { one_line: true, ..area(x0, x1, y0, y0 + 5.0) };
        let (right, left) = (line(60.0, 100.0, 0.0), line(0.0, 40.0, 10.0));
        assert_eq!(order(&[right, left]), [0, 1]);
        // The value stands a little higher than its label, and the next label has no value.
        let (value, label, next) = (line(60.0, 90.0, 0.0), line(0.0, 30.0, 1.0), line(0.0, 30.0, 10.0));
        assert_eq!(order(&[value, label, next]), [1, 0, 2]);
    }

    #[test]
    fn the_right_column_may_begin_higher() {
        let right = area(55.0, 100.0, 0.0, 40.0);
        let left = area(0.0, 45.0, 10.0, 40.0);
        assert_eq!(order(&[right, left]), [1, 0]);
    }
}
