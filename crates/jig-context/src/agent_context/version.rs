//! The version of a context.

use jig_contract::Timestamp;
use jig_contract::ops::{ContextLevel, StageProgress};

/// What a context showed, as far as needed to compute later changes. Serialised as one opaque word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// The slug of the current artifact.
    pub artifact: String,
    /// Its id, which differs if the artifact was deleted and created again.
    pub id: String,
    /// Its revision.
    pub revision: u64,
    /// How many of its sections are done.
    pub done: u64,
    /// How many sections it has.
    pub total: u64,
    /// The number of the newest message.
    pub message: u64,
    /// Counts for the stage: artifacts, finalized artifacts, done sections, sections.
    pub stage_counts: [u64; 4],
    /// The level.
    pub level: ContextLevel,
    /// The stage at the time.
    pub stage: String,
    /// When the context was built.
    pub built_at: Timestamp,
}

/// An invalid version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid `context_version`: pass the one from an earlier answer unchanged")]
pub struct BadVersion;

impl Version {
    /// The counts of a stage.
    pub const fn counts_of(progress: &StageProgress) -> [u64; 4] {
        [progress.artifacts_total, progress.artifacts_finalized, progress.sections_complete, progress.sections_total]
    }

    /// Parses what `Display` writes; other versions of the format are refused.
    pub fn parse(text: &str) -> Result<Self, BadVersion> {
        let pieces: Vec<&str> = text.trim().split(':').collect();
        let ["1", artifact, id, revision, done, total, message, counts, level, stage, built] = pieces.as_slice() else {
            return Err(BadVersion);
        };
        let number = |text: &str| text.parse::<u64>().map_err(|_| BadVersion);
        let counts: Vec<u64> = counts.split('.').map(number).collect::<Result<_, _>>()?;
        if artifact.is_empty() {
            return Err(BadVersion);
        }
        Ok(Self {
            artifact: (*artifact).to_owned(),
            id: (*id).to_owned(),
            revision: number(revision)?,
            done: number(done)?,
            total: number(total)?,
            message: number(message)?,
            stage_counts: counts.try_into().map_err(|_| BadVersion)?,
            level: level_of(level).ok_or(BadVersion)?,
            stage: (*stage).to_owned(),
            built_at: Timestamp::from_millis(built.parse().map_err(|_| BadVersion)?),
        })
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [artifacts, finalized, complete, sections] = self.stage_counts;
        write!(
            f,
            "1:{}:{}:{}:{}:{}:{}:{artifacts}.{finalized}.{complete}.{sections}:{}:{}:{}",
            self.artifact,
            self.id,
            self.revision,
            self.done,
            self.total,
            self.message,
            level_word(self.level),
            self.stage,
            self.built_at.as_millis(),
        )
    }
}

pub(super) const fn level_word(level: ContextLevel) -> &'static str {
    match level {
        ContextLevel::Minimal => "minimal",
        ContextLevel::Standard => "standard",
        ContextLevel::Full => "full",
    }
}

fn level_of(word: &str) -> Option<ContextLevel> {
    [ContextLevel::Minimal, ContextLevel::Standard, ContextLevel::Full]
        .into_iter()
        .find(|level| level_word(*level) == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_as_it_was_written_and_nothing_else_is() {
        let text = "1:concept:a7:12:3:6:17:4.2.9.17:standard:discovery:1767225600000";
        let version = Version::parse(text).unwrap();
        assert_eq!((version.revision, version.stage_counts, version.message), (12, [4, 2, 9, 17], 17));
        assert_eq!(version.to_string(), text);
        for bad in [
            "",
            "1",
            "2:concept:a7:12:3:6:17:4.2.9.17:standard:discovery:1",
            "1:concept:a7:x:3:6:17:4.2.9.17:full:d:1",
            "1::a7:12:3:6:17:4.2.9.17:standard:discovery:1",
            "1:concept:a7:12:3:6:17:4.2.9:standard:discovery:1",
            "1:concept:a7:12:3:6:17:4.2.9.17:auto:discovery:1",
        ] {
            assert_eq!(Version::parse(bad), Err(BadVersion), "{bad}");
        }
    }
}
