//! Command-line arguments, and how a command fails.

/// Why a command ends without success.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Wrong arguments: exit code 2.
    Usage(String),
    /// Exit code 1.
    Failed(String),
    /// Exit code 1; the command has printed a report that says why.
    Reported,
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self::Failed(message)
    }
}

/// Refuses all arguments.
pub(crate) fn none(args: &[&str]) -> Result<(), Failure> {
    args.first().map_or(Ok(()), |argument| Err(unexpected(argument)))
}

pub(crate) fn unexpected(argument: &str) -> Failure {
    Failure::Usage(format!("unexpected argument `{argument}`"))
}

/// The value of an option: the argument after it.
pub(crate) fn value<'a>(option: &str, rest: &mut impl Iterator<Item = &'a str>) -> Result<&'a str, Failure> {
    rest.next().ok_or_else(|| Failure::Usage(format!("`{option}` needs a value")))
}

/// The value of an option that is a number from `least` on.
pub(crate) fn number<'a>(option: &str, least: u32, rest: &mut impl Iterator<Item = &'a str>) -> Result<u32, Failure> {
    let value = value(option, rest)?;
    let number = value.parse().ok().filter(|number| *number >= least);
    number
        .ok_or_else(|| Failure::Usage(format!("invalid value `{value}` for `{option}`: not a number from {least} on")))
}

/// The name that a mistyped one is nearest to, if it is near enough to be the likely intention.
pub(crate) fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = |name: &str| name.len().max(typed.len()) / 3 + 1;
    let distances = names.into_iter().map(|name| (distance(typed, name), name));
    distances.filter(|(distance, name)| *distance <= near(name)).min().map(|(_, name)| name)
}

/// How many letters have to be inserted, deleted or replaced (Levenshtein).
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_single_letters() {
        assert_eq!(distance("test", "test"), 0);
        assert_eq!(distance("tset", "test"), 2);
        assert_eq!(distance("bench", "benches"), 2);
        assert_eq!(distance("", "fuzz"), 4);
    }

    #[test]
    fn only_a_near_name_is_suggested() {
        let names = ["test", "bench", "install"];
        assert_eq!(nearest("tests", names), Some("test"));
        assert_eq!(nearest("instal", names), Some("install"));
        assert_eq!(nearest("publish", names), None);
    }

    #[test]
    fn values_and_numbers_are_checked() {
        let usage = |message: &str| Err(Failure::Usage(message.to_owned()));
        assert_eq!(number("--port", 0, &mut ["80"].into_iter()), Ok(80));
        assert_eq!(number("--port", 0, &mut [].into_iter()), usage("`--port` needs a value"));
        let message = "invalid value `0` for `--minutes`: not a number from 1 on";
        assert_eq!(number("--minutes", 1, &mut ["0"].into_iter()), usage(message));
        assert_eq!(none(&["-x"]), Err(unexpected("-x")));
        assert_eq!(none(&[]), Ok(()));
    }
}
