//! Clock and id generator are injected, so that everything else is reproducible.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A point in time in UTC, to the millisecond. On the wire: RFC 3339, `2026-11-15T09:30:00.000Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

/// A text that is not an RFC 3339 timestamp.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid timestamp: use RFC 3339, for example 2026-11-15T09:30:00Z")]
pub struct BadTimestamp;

impl Timestamp {
    /// Milliseconds since 1970, clamped to the range of the calendar.
    pub fn from_millis(millis: i64) -> Self {
        // Whole seconds, because the very last milliseconds of the calendar do not round-trip.
        let bound = |t: jiff::Timestamp| t.as_second() * 1_000;
        Self(millis.clamp(bound(jiff::Timestamp::MIN), bound(jiff::Timestamp::MAX)))
    }

    /// Milliseconds since 1970.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The milliseconds since `earlier`; never negative.
    pub const fn since(self, earlier: Self) -> i64 {
        if self.0 > earlier.0 { self.0 - earlier.0 } else { 0 }
    }
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let moment = jiff::Timestamp::from_millisecond(self.0).unwrap_or_default();
        write!(f, "{moment:.3}")
    }
}

impl std::str::FromStr for Timestamp {
    type Err = BadTimestamp;
    fn from_str(text: &str) -> Result<Self, BadTimestamp> {
        let moment: jiff::Timestamp = text.parse().map_err(|_| BadTimestamp)?;
        Ok(Self(moment.as_millisecond()))
    }
}

impl From<Timestamp> for String {
    fn from(moment: Timestamp) -> Self {
        moment.to_string()
    }
}

impl TryFrom<String> for Timestamp {
    type Error = BadTimestamp;
    fn try_from(text: String) -> Result<Self, BadTimestamp> {
        text.parse()
    }
}

impl JsonSchema for Timestamp {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "date-time" })
    }
}

/// The source of time and ids. The binary creates it; tests use fixed values.
#[derive(Clone)]
pub struct Env {
    clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    ids: Arc<dyn Fn() -> Uuid + Send + Sync>,
}

impl Env {
    /// Creates an environment with these sources.
    pub fn new(
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
        ids: impl Fn() -> Uuid + Send + Sync + 'static,
    ) -> Self {
        Self { clock: Arc::new(clock), ids: Arc::new(ids) }
    }

    /// The system time, and random ids that sort by time.
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]
    pub fn system() -> Self {
        let clock = || {
            let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            Timestamp::from_millis(since.map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX)))
        };
        Self::new(clock, Uuid::now_v7)
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// A fresh id.
    pub fn fresh_id(&self) -> Uuid {
        (self.ids)()
    }
}

impl std::fmt::Debug for Env {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Env")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_to_the_millisecond_in_utc() {
        let moment = Timestamp::from_millis(1_763_199_000_123);
        assert_eq!(moment.to_string(), "2025-11-15T09:30:00.123Z");
        assert_eq!(moment.to_string().parse(), Ok(moment));
        assert_eq!("2025-11-15T10:30:00.123+01:00".parse(), Ok(moment));
        assert_eq!("yesterday".parse::<Timestamp>(), Err(BadTimestamp));
        assert_eq!(Timestamp::from_millis(i64::MAX).to_string(), "9999-12-30T22:00:00.000Z");
    }
}
