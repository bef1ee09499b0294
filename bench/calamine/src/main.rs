//! Measures how long calamine takes to read all values of a workbook: `bench-calamine FILE ROUNDS`.
//!
//! Prints the milliseconds of each round and, at the end, the most memory it held in KiB, as `peers.py` does.

use std::time::Instant;

use calamine::{Reader, Xlsx, open_workbook};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let rounds: usize = arguments[2].parse().expect("a number of rounds");
    for _ in 0..rounds {
        let begin = Instant::now();
        let mut book: Xlsx<_> = open_workbook(&arguments[1]).expect("a workbook");
        let cells: usize = book.worksheets().iter().map(|(_, range)| range.get_size().0 * range.get_size().1).sum();
        let took = begin.elapsed();
        assert!(cells > 0, "calamine read nothing");
        println!("{:.3}", took.as_secs_f64() * 1_000.0);
    }
    let status = std::fs::read_to_string("/proc/self/status").expect("the status of this process");
    let memory = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("the memory of this process");
    println!("{}", memory.trim().trim_end_matches(" kB"));
}
