//! What every shim expands to: a target of `jig_testkit::fuzz`, with the mutator that knows its shape.

pub use jig_testkit;
pub use libfuzzer_sys;

use jig_testkit::fuzz::{self, Rng};

/// The entry points of one target by its name.
#[macro_export]
macro_rules! target {
    ($name:literal) => {
        use $crate::libfuzzer_sys::{self, fuzz_mutator, fuzz_target};

        fuzz_target!(|bytes: &[u8]| $crate::jig_testkit::fuzz::run($name, bytes));

        fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
            $crate::mutated($name, data, size, most, seed)
        });
    };
}

/// Mutates in place and gives the new size. One time in four libFuzzer's own way, which learns from comparisons.
pub fn mutated(name: &str, data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    let Some(target) = fuzz::find(name).filter(|_| seed % 4 != 0) else {
        return libfuzzer_sys::fuzzer_mutate(data, size, most);
    };
    let input = data.get(..size).unwrap_or_default().to_vec();
    let made = fuzz::mutate(target.shape, &input, &input, &mut Rng::new(seed.into()));
    let length = made.len().min(most).min(data.len());
    data[..length].copy_from_slice(&made[..length]);
    length
}
