//! The closing summary: a table of steps, what is missing, and one line that counts.

use std::fmt;
use std::time::Duration;

/// Tests that ran, as their harness counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tests {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl Tests {
    /// Adds a line such as `test result: ok. 3 passed; 0 failed; …`; other lines count nothing.
    pub(crate) fn add_line(&mut self, line: &str) {
        let Some((_, counts)) = line.split_once("test result:") else {
            return;
        };
        self.passed += number_before(counts, " passed");
        self.failed += number_before(counts, " failed");
    }
}

fn number_before(counts: &str, word: &str) -> u64 {
    let before = counts.split_once(word).map_or("", |(before, _)| before);
    before.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
    Failed(String),
    /// Not run, for the reason given, and not needed for a good result.
    Skipped(String),
}

/// One row of the table.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) outcome: Outcome,
    pub(crate) time: Duration,
    pub(crate) tests: Tests,
}

/// Everything that a run has to say at its end.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    pub(crate) steps: Vec<Step>,
    /// Tools that are not there, so that the tests that need them did not run.
    pub(crate) missing: Vec<String>,
}

impl Summary {
    /// A failed step that has no failed test to show for it counts as one failure, so that
    /// `0 failed` means what it says.
    pub(crate) fn total(&self) -> Tests {
        let mut total = Tests::default();
        for step in &self.steps {
            total.passed += step.tests.passed;
            total.failed += match step.outcome {
                Outcome::Failed(_) => step.tests.failed.max(1),
                Outcome::Passed | Outcome::Skipped(_) => step.tests.failed,
            };
        }
        total
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\n{:<14} {:>9}  result", "step", "seconds")?;
        for step in &self.steps {
            let seconds = step.time.as_secs_f64();
            writeln!(f, "{:<14} {seconds:>9.1}  {}", step.name, result(step))?;
        }
        if !self.missing.is_empty() {
            writeln!(f, "\nMissing, so the tests that need it did not run:")?;
        }
        for missing in &self.missing {
            writeln!(f, "- {missing}")?;
        }
        let Tests { passed, failed } = self.total();
        writeln!(f, "\n{passed} passed, {failed} failed")
    }
}

fn result(step: &Step) -> String {
    match &step.outcome {
        Outcome::Passed if step.tests == Tests::default() => "ok".to_owned(),
        Outcome::Passed => format!("ok ({} tests)", step.tests.passed),
        Outcome::Failed(why) => format!("FAILED: {why}"),
        Outcome::Skipped(why) => format!("skipped: {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &'static str, outcome: Outcome, passed: u64, failed: u64) -> Step {
        Step { name, outcome, time: Duration::from_millis(1500), tests: Tests { passed, failed } }
    }

    #[test]
    fn counts_are_summed_over_the_result_lines() {
        let mut tests = Tests::default();
        for line in [
            "running 3 tests",
            "test tidy::arrows ... ok",
            "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "test result: FAILED. 12 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out",
            "I said 5 passed and 5 failed",
        ] {
            tests.add_line(line);
        }
        assert_eq!(tests, Tests { passed: 15, failed: 2 });
    }

    #[test]
    fn every_failed_step_shows_in_the_count() {
        let failed = || Outcome::Failed("why".to_owned());
        let summary = Summary {
            steps: vec![
                step("format", failed(), 0, 0),
                step("tests", failed(), 7, 2),
                step("docs", Outcome::Passed, 0, 0),
            ],
            missing: Vec::new(),
        };
        assert_eq!(summary.total(), Tests { passed: 7, failed: 3 });
    }

    #[test]
    fn the_summary_reads_as_a_table_and_ends_with_the_count() {
        let summary = Summary {
            steps: vec![
                step("tests", Outcome::Passed, 7, 0),
                step("dependencies", Outcome::Skipped("not installed".to_owned()), 0, 0),
            ],
            missing: vec!["Lathe: not here".to_owned()],
        };
        let expected = "
step             seconds  result
tests                1.5  ok (7 tests)
dependencies         1.5  skipped: not installed

Missing, so the tests that need it did not run:
- Lathe: not here

7 passed, 0 failed
";
        assert_eq!(summary.to_string(), expected);
    }
}
