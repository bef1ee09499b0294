//! Work on many parts by a few threads at once.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::thread::{self, available_parallelism};

/// More than so many threads wait for each other's memory.
const MOST: usize = 4;
/// Below so many pieces a thread costs more than it saves.
const PIECES: usize = 16;
/// As much as the first thread of a process has.
const STACK: usize = 8 << 20;

/// Does something for each number up to `count`; gives the results in their order.
pub(crate) fn each<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let cores = available_parallelism().map_or(1, NonZero::get);
    let threads = cores.min(MOST).min(count / PIECES).max(1);
    let share = count.div_ceil(threads).max(1);
    thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> = (1..threads)
            .map(|number| {
                let numbers = (number * share).min(count)..((number + 1) * share).min(count);
                let builder = thread::Builder::new().stack_size(STACK);
                (numbers.clone(), builder.spawn_scoped(scope, move || numbers.map(work).collect::<Vec<T>>()))
            })
            .collect();
        let mut results: Vec<T> = (0..share.min(count)).map(work).collect();
        for (numbers, other) in others {
            match other {
                Ok(other) => results.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic))),
                // No thread was to be had.
                Err(_) => results.extend(numbers.map(work)),
            }
        }
        results
    })
}

/// Does two things at once.
pub(crate) fn both<A, B: Send>(first: impl FnOnce() -> A, second: impl Fn() -> B + Sync) -> (A, B) {
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(STACK);
        let other = builder.spawn_scoped(scope, &second);
        let first = first();
        let second = match other {
            Ok(other) => other.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => second(),
        };
        (first, second)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_for_any_count() {
        for count in (0..70).chain([1_000, 1_001]) {
            let expected: Vec<usize> = (0..count).map(|number| number * 3).collect();
            assert_eq!(each(count, |number| number * 3), expected);
        }
    }

    #[test]
    fn both_are_done() {
        assert_eq!(both(|| "a", || 7), ("a", 7));
    }
}
