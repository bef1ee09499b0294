//! Work on many parts by a few threads at once.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle, available_parallelism};

/// More threads would only compete for memory.
const MOST: usize = 4;
/// With fewer pieces a thread costs more than it saves.
const PIECES: usize = 16;
/// The size of the main thread's stack.
const STACK: usize = 8 << 20;

/// Calls a function for each number below `count`, on several threads; returns the results in order.
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
                // The thread could not be started.
                Err(_) => results.extend(numbers.map(work)),
            }
        }
        results
    })
}

/// A value that another thread computes. Reading it waits for it.
pub(crate) struct Later<T> {
    made: OnceLock<T>,
    maker: Mutex<Option<JoinHandle<T>>>,
    work: Arc<dyn Fn() -> T + Send + Sync>,
}

impl<T: Send + 'static> Later<T> {
    /// Starts to compute it.
    pub(crate) fn begin(work: impl Fn() -> T + Send + Sync + 'static) -> Self {
        let later = Self::when_asked(work);
        let work = Arc::clone(&later.work);
        let maker = thread::Builder::new().stack_size(STACK).spawn(move || work());
        // Without a thread it is computed when it is first read.
        *later.maker.lock().unwrap_or_else(PoisonError::into_inner) = maker.ok();
        later
    }

    /// Computes it when it is first read.
    pub(crate) fn when_asked(work: impl Fn() -> T + Send + Sync + 'static) -> Self {
        Self { made: OnceLock::new(), maker: Mutex::new(None), work: Arc::new(work) }
    }

    pub(crate) fn get(&self) -> &T {
        self.made.get_or_init(|| {
            let maker = self.maker.lock().unwrap_or_else(PoisonError::into_inner).take();
            match maker.map(JoinHandle::join) {
                Some(made) => made.unwrap_or_else(|panic| resume_unwind(panic)),
                None => (self.work)(),
            }
        })
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Later<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Later").field(&self.made.get()).finish()
    }
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
    fn what_is_made_later_is_made_once() {
        let later = Later::begin(|| String::from("made"));
        assert_eq!((later.get(), later.get().as_ptr()), (&"made".to_owned(), later.get().as_ptr()));
        assert_eq!(*Later::when_asked(|| 7).get(), 7);
    }
}
