//! What a message refers to, and the context level that it needs.

use jig_contract::ops::{ContextLevel, WantedLevel};

use crate::target::{Catalog, Class, Resolution, Target, compares, resolve};

/// What a message refers to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Named {
    /// The unambiguous targets.
    pub targets: Vec<Target>,
    /// A clarifying question, if the target is ambiguous.
    pub question: Option<String>,
    /// Whether the message compares things.
    pub compares: bool,
}

/// Analyses a message.
pub fn named_in(message: Option<&str>, catalog: &Catalog, current: Option<&str>) -> Named {
    let Some(message) = message else { return Named::default() };
    let (targets, question) = match resolve(message, catalog, current) {
        Resolution::Found { target, .. } => (vec![target], None),
        Resolution::Several { targets, .. } => (targets, None),
        Resolution::Ambiguous { question, .. } | Resolution::DidYouMean { question, .. } => {
            (Vec::new(), Some(question))
        }
        Resolution::NotFound { .. } | Resolution::Command { .. } => (Vec::new(), None),
    };
    Named { targets, question, compares: compares(message) }
}

impl Named {
    /// The requested level. `Auto` means full for a comparison or several targets, standard for a section, else
    /// minimal.
    pub(super) fn level(&self, wanted: WantedLevel) -> ContextLevel {
        match wanted {
            WantedLevel::Minimal => ContextLevel::Minimal,
            WantedLevel::Standard => ContextLevel::Standard,
            WantedLevel::Full => ContextLevel::Full,
            WantedLevel::Auto if self.compares || self.targets.len() > 1 => ContextLevel::Full,
            WantedLevel::Auto if self.targets.iter().any(|target| target.part.is_some()) => ContextLevel::Standard,
            WantedLevel::Auto => ContextLevel::Minimal,
        }
    }

    /// Whether the message refers to this artifact.
    pub(super) fn has(&self, slug: &str) -> bool {
        self.targets.iter().any(|target| target.class == Class::Artifact && target.document == slug)
    }

    /// Whether the message refers to this section.
    pub(super) fn has_section(&self, artifact: &str, section: &str) -> bool {
        let is = |target: &Target| target.part.as_ref().is_some_and(|part| part.slug == section);
        self.targets.iter().any(|target| target.class == Class::Artifact && target.document == artifact && is(target))
    }
}
