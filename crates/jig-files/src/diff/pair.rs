//! Which old thing became which new one, where neither is the same: pairs by likeness that keep their order.

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
