//! The steps of a run with their times, and the summary at its end.

use std::fmt;
use std::time::{Duration, Instant};

use crate::libtest::TestCount;

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed(String),
    /// Not run, for the reason given, and not needed for success.
    Skipped(String),
}

impl From<Result<(), String>> for Outcome {
    fn from(result: Result<(), String>) -> Self {
        result.map_or_else(Self::Failed, |()| Self::Passed)
    }
}

/// One row of the summary.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) outcome: Outcome,
    pub(crate) time: Duration,
    pub(crate) tests: TestCount,
}

impl Step {
    /// Runs a step and prints its time.
    pub(crate) fn run(name: &'static str, work: impl FnOnce(&mut TestCount) -> Outcome) -> Self {
        println!("\n== {name}");
        let start = Instant::now();
        let mut tests = TestCount::default();
        let outcome = work(&mut tests);
        let step = Self { name, outcome, time: start.elapsed(), tests };
        println!("== {name}: {} ({})", step.result(), duration(step.time));
        step
    }

    fn result(&self) -> String {
        match &self.outcome {
            Outcome::Passed if self.tests.passed == 0 => "ok".to_owned(),
            Outcome::Passed => format!("ok ({} tests)", self.tests.passed),
            Outcome::Failed(why) => format!("FAILED: {why}"),
            Outcome::Skipped(why) => format!("skipped: {why}"),
        }
    }
}

/// What a run prints at its end.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    pub(crate) steps: Vec<Step>,
    /// Tools that are missing, with the way to install them.
    pub(crate) missing: Vec<String>,
}

impl Summary {
    /// Passed and failed. A failed step without a failed test counts as one failure, so that `0 failed` is always true
    /// success.
    pub(crate) fn total(&self) -> (u64, u64) {
        let failed = |step: &Step| match step.outcome {
            Outcome::Failed(_) => step.tests.failed.max(1),
            Outcome::Passed | Outcome::Skipped(_) => step.tests.failed,
        };
        (self.steps.iter().map(|step| step.tests.passed).sum(), self.steps.iter().map(failed).sum())
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n{:<14} {:>12}  result", "step", "time")?;
        for step in &self.steps {
            writeln!(f, "{:<14} {:>12}  {}", step.name, duration(step.time), step.result())?;
        }
        writeln!(f, "{:<14} {:>12}", "total", duration(self.steps.iter().map(|step| step.time).sum()))?;
        if !self.missing.is_empty() {
            writeln!(f, "\nMissing tools; the tests that need them did not run:")?;
        }
        for missing in &self.missing {
            writeln!(f, "- {missing}")?;
        }
        let failures: Vec<_> = self.steps.iter().flat_map(|step| step.tests.failures()).collect();
        if !failures.is_empty() {
            writeln!(f, "\nFailed tests:")?;
        }
        for failure in failures {
            writeln!(f, "- {failure}")?;
        }
        let (passed, failed) = self.total();
        writeln!(f, "\n{passed} passed, {failed} failed")
    }
}

/// A time for people: `4.2 s`, `3 min 12 s`.
pub(crate) fn duration(time: Duration) -> String {
    match time.as_secs() {
        0..60 => format!("{:.1} s", time.as_secs_f64()),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &'static str, outcome: Outcome, lines: &[&str]) -> Step {
        let mut tests = TestCount::default();
        lines.iter().for_each(|line| tests.add_line(line));
        Step { name, outcome, time: Duration::from_millis(61_500), tests }
    }

    #[test]
    fn every_failed_step_shows_in_the_count() {
        let failed = || Outcome::Failed("why".to_owned());
        let result = "test result: FAILED. 7 passed; 2 failed; 0 ignored";
        let steps =
            vec![step("format", failed(), &[]), step("tests", failed(), &[result]), step("docs", Outcome::Passed, &[])];
        assert_eq!(Summary { steps, missing: Vec::new() }.total(), (7, 3));
    }

    #[test]
    fn the_summary_is_a_table_and_ends_with_the_count() {
        let lines = [
            "test web::opens ... FAILED",
            "test result: FAILED. 7 passed; 1 failed; 0 ignored",
            "error: test failed, to rerun pass `-p jig --test it`",
        ];
        let summary = Summary {
            steps: vec![
                step("tests", Outcome::Failed("`cargo test` failed".to_owned()), &lines),
                step("dependencies", Outcome::Skipped("not installed".to_owned()), &[]),
            ],
            missing: vec!["Lathe: not installed".to_owned()],
        };
        let expected = "
step                   time  result
tests             1 min 1 s  FAILED: `cargo test` failed
dependencies      1 min 1 s  skipped: not installed
total             2 min 3 s

Missing tools; the tests that need them did not run:
- Lathe: not installed

Failed tests:
- web::opens (-p jig --test it)

7 passed, 1 failed
";
        assert_eq!(summary.to_string(), expected);
    }

    #[test]
    fn times_are_readable() {
        assert_eq!(duration(Duration::from_millis(4_240)), "4.2 s");
        assert_eq!(duration(Duration::from_secs(192)), "3 min 12 s");
    }
}
