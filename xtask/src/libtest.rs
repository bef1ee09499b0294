//! Reads the output of `cargo test`: how many tests passed, and which failed in which test program.

use std::fmt;

/// The tests of one `cargo test`, counted line by line.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TestCount {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    failures: Vec<FailedTest>,
    /// Failed tests of the program whose output is being read. Cargo names the program only after its output.
    pending: Vec<String>,
    /// The names below the most recent `failures:`. Only the last such list of a program is its summary: the first
    /// has the tests' output, which may contain anything.
    listed: Vec<String>,
    in_list: bool,
    /// A program that failed, until the next line says why it did without a failed test.
    crashed: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FailedTest {
    name: String,
    /// The arguments that run the program again: `-p jig --test it`.
    rerun: String,
}

impl fmt::Display for FailedTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.rerun)
    }
}

impl TestCount {
    /// Adds a line of standard output or standard error.
    pub(crate) fn add_line(&mut self, line: &str) {
        if self.in_list {
            match line.strip_prefix("    ") {
                Some(name) => return self.listed.push(name.trim().to_owned()),
                None => self.in_list = false,
            }
        }
        if line == "failures:" {
            self.listed.clear();
            self.in_list = true;
        } else if let Some(name) = failed_test(line) {
            self.pending.push(name.to_owned());
        } else if let Some(counts) = line.strip_prefix("test result: ") {
            self.passed += number_before(counts, " passed");
            self.failed += number_before(counts, " failed");
            // The list is complete; a `... FAILED` line can be torn apart by a test's own output.
            if !self.listed.is_empty() {
                self.pending = std::mem::take(&mut self.listed);
            }
        } else if let Some(rerun) = rerun_arguments(line) {
            self.end_program(rerun);
        } else if let Some(reason) = line.trim_start().strip_prefix("process didn't exit successfully: ")
            && let Some(index) = self.crashed.take()
        {
            self.failures[index].name = format!("test program crashed {}", status(reason));
        }
    }

    /// The failed tests, in the order in which they ran.
    pub(crate) fn failures(&self) -> &[FailedTest] {
        &self.failures
    }

    fn end_program(&mut self, rerun: &str) {
        let rerun = rerun.to_owned();
        if self.pending.is_empty() {
            // No test was counted as failed, and still the program failed.
            self.failed += 1;
            self.crashed = Some(self.failures.len());
            self.pending.push("test program crashed".to_owned());
        }
        let pending = std::mem::take(&mut self.pending);
        self.failures.extend(pending.into_iter().map(|name| FailedTest { name, rerun: rerun.clone() }));
    }
}

/// `test web::opens ... FAILED`, or `test name - should panic ... FAILED`.
fn failed_test(line: &str) -> Option<&str> {
    let (name, result) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    // Programs with a test for each case pad the names to a column.
    let name = name.trim_end();
    let name = name.strip_suffix(" - should panic").unwrap_or(name);
    result.starts_with("FAILED").then_some(name)
}

/// ``error: test failed, to rerun pass `-p jig --test it` ``
fn rerun_arguments(line: &str) -> Option<&str> {
    let (start, rest) = line.split_once("failed, to rerun pass `")?;
    start.starts_with("error: ").then(|| rest.split('`').next())?
}

/// ``…/it-0123 --nocapture` (signal: 9, SIGKILL: kill)`` → `(signal: 9, SIGKILL: kill)`
fn status(reason: &str) -> &str {
    reason.rfind("` (").map_or(reason, |at| &reason[at + 2..])
}

fn number_before(counts: &str, word: &str) -> u64 {
    let before = counts.split_once(word).map_or("", |(before, _)| before);
    before.rsplit(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> TestCount {
        let mut tests = TestCount::default();
        text.lines().for_each(|line| tests.add_line(line));
        tests
    }

    fn failures(tests: &TestCount) -> Vec<String> {
        tests.failures().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn counts_are_summed_over_the_result_lines() {
        let tests = count(
            "running 3 tests\n\
             test tidy::arrows ... ok\n\
             test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\
             test result: FAILED. 12 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out\n\
             I said 5 passed and 5 failed; test result: 9 passed\n",
        );
        assert_eq!((tests.passed, tests.failed), (15, 2));
    }

    /// As cargo and libtest print it; the second program has a test whose output looks like theirs.
    #[test]
    fn failed_tests_are_named_with_their_program() {
        let tests = count(
            "     Running unittests src/lib.rs (target/debug/deps/jig_store-0123)\n\
             running 2 tests\n\
             test blobs::kept ... ok\n\
             test blobs::lost - should panic ... FAILED\n\
             \n\
             failures:\n\
             \n\
             ---- blobs::lost stdout ----\n\
             note: test did not panic as expected\n\
             \n\
             failures:\n    blobs::lost\n\
             \n\
             test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
             \n\
             error: test failed, to rerun pass `-p jig-store --lib`\n     \
             Running tests/it/main.rs (target/debug/deps/it-4567)\n\
             test web::opens ... said by another process\nFAILED\n\
             \n\
             failures:\n\
             \n\
             ---- web::opens stdout ----\n\
             failures:\n    not::a::test\n\
             \n\
             failures:\n    web::opens\n\
             \n\
             test result: FAILED. 5 passed; 1 failed; 0 ignored\n\
             \n\
             error: test failed, to rerun pass `-p jig --test it`\n   \
             Doc-tests jig_text\n\
             test crates/jig-text/src/lib.rs - Lines (line 12) ... FAILED\n\
             test result: FAILED. 0 passed; 1 failed; 0 ignored\n\
             error: doctest failed, to rerun pass `-p jig-text --doc`\n\
             error: 3 targets failed:\n    `-p jig-store --lib`\n    `-p jig --test it`\n    `-p jig-text --doc`\n",
        );
        assert_eq!((tests.passed, tests.failed), (6, 3));
        assert_eq!(
            failures(&tests),
            [
                "blobs::lost (-p jig-store --lib)",
                "web::opens (-p jig --test it)",
                "crates/jig-text/src/lib.rs - Lines (line 12) (-p jig-text --doc)",
            ]
        );
    }

    /// As programs with a test for each case print it, which use libtest-mimic. The list after their output is missing
    /// here, so that only the padded line names the test.
    #[test]
    fn padded_names_of_cases_are_trimmed() {
        let tests = count(
            "running 2 tests\n\
             test xlsx/grid      ... ok\n\
             test xlsx/set-cells ... FAILED\n\
             test docx/styles    ... FAILED\n\
             test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s\n\
             error: test failed, to rerun pass `-p jig-files --test cases`\n",
        );
        assert_eq!((tests.passed, tests.failed), (1, 2));
        assert_eq!(
            failures(&tests),
            ["xlsx/set-cells (-p jig-files --test cases)", "docx/styles (-p jig-files --test cases)"]
        );
    }

    #[test]
    fn a_crashed_program_is_a_failure_of_its_own() {
        let tests = count(
            "running 2 tests\n\
             test one ... ok\n\
             error: test failed, to rerun pass `-p jig-files --test it`\n\
             \n\
             Caused by:\n  \
             process didn't exit successfully: `target/debug/deps/it-4567` (signal: 6, SIGABRT: process abort signal)\n",
        );
        assert_eq!(tests.failed, 1);
        assert_eq!(
            failures(&tests),
            ["test program crashed (signal: 6, SIGABRT: process abort signal) (-p jig-files --test it)"]
        );
    }

    #[test]
    fn a_passing_run_has_no_failures() {
        let tests = count("test one ... ok\ntest result: ok. 1 passed; 0 failed; 0 ignored\n");
        assert_eq!((tests.passed, tests.failed, tests.failures().len()), (1, 0, 0));
    }
}
