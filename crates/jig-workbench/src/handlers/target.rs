//! Targeting: resolves what a message is about.

use jig_context::agent_context::target_info;
use jig_context::target::{DocumentHow, Match, Missing, Resolution, Target, resolve_beside};
use jig_contract::ops::*;
use jig_contract::{Code, OpError};

use crate::{CallContext, Handle, Workbench};

/// The maximum size of an analysed message, in bytes.
pub(crate) const TEXT_BYTES_MAX: usize = 256 << 10;

impl Handle<TargetResolve> for Workbench {
    async fn handle(&self, _: &CallContext, params: TargetResolveParams) -> Result<TargetResolveOutput, OpError> {
        check_text(&params.text)?;
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let state = session.head.state;
        let current = match &params.current_artifact {
            Some(slug) => Some(self.known_slug(&session.id, state, slug).await?),
            None => None,
        };
        let catalog = self.catalog_at(state).await?;
        Ok(shown(resolve_beside(&params.text, &catalog, current.as_deref(), &params.commands)))
    }
}

pub(super) fn check_text(text: &str) -> Result<(), OpError> {
    if text.len() <= TEXT_BYTES_MAX {
        return Ok(());
    }
    let words = format!("the message has {} bytes; at most {TEXT_BYTES_MAX} are looked through", text.len());
    Err(OpError::new(Code::LimitExceeded, words).hint("put long texts into an artifact or a file, and name that"))
}

fn shown(resolution: Resolution) -> TargetResolveOutput {
    let infos = |targets: &[Target]| targets.iter().map(target_info).collect::<Vec<_>>();
    let nothing = TargetResolveOutput {
        outcome: TargetOutcome::NotFound,
        target: None,
        rest: None,
        how: None,
        question: None,
        choices: Vec::new(),
        total: None,
        alternatives: Vec::new(),
        error: None,
        message: None,
        command: None,
    };
    match resolution {
        Resolution::Found { target, rest, how, alternatives } => TargetResolveOutput {
            outcome: TargetOutcome::Found,
            target: Some(target_info(&target)),
            rest: Some(rest),
            how: Some(TargetHow {
                artifact: document_how(how.document),
                matched: matched(how.matched),
                score: how.score,
            }),
            alternatives: infos(&alternatives),
            ..nothing
        },
        Resolution::Several { targets, question } => TargetResolveOutput {
            outcome: TargetOutcome::Several,
            question: Some(question),
            choices: infos(&targets),
            ..nothing
        },
        Resolution::Ambiguous { question, choices, total } => TargetResolveOutput {
            outcome: TargetOutcome::Ambiguous,
            question: Some(question),
            total: Some(total as u64).filter(|_| total > choices.len()),
            choices: infos(&choices),
            ..nothing
        },
        Resolution::DidYouMean { question, suggestions } => TargetResolveOutput {
            outcome: TargetOutcome::DidYouMean,
            question: Some(question),
            choices: infos(&suggestions),
            ..nothing
        },
        Resolution::NotFound { missing, message, suggestions } => TargetResolveOutput {
            error: code_of(&missing),
            message: Some(message),
            choices: infos(&suggestions),
            ..nothing
        },
        Resolution::Command { name, rest } => {
            TargetResolveOutput { outcome: TargetOutcome::Command, command: Some(name), rest: Some(rest), ..nothing }
        }
    }
}

/// The error code that an operation on the missing target would return; `None` if the message names nothing.
const fn code_of(missing: &Missing) -> Option<Code> {
    match missing {
        Missing::Nothing => None,
        Missing::Document { .. } | Missing::Current { .. } => Some(Code::ArtifactNotFound),
        Missing::Part { .. } => Some(Code::SectionNotFound),
    }
}

const fn document_how(how: DocumentHow) -> TargetDocumentHow {
    match how {
        DocumentHow::Explicit => TargetDocumentHow::Explicit,
        DocumentHow::Current => TargetDocumentHow::Current,
        DocumentHow::Inferred => TargetDocumentHow::Inferred,
    }
}

const fn matched(by: Match) -> TargetMatch {
    match by {
        Match::Reference => TargetMatch::Reference,
        Match::Title => TargetMatch::Title,
        Match::Near => TargetMatch::Near,
        Match::OtherWords => TargetMatch::OtherWords,
        Match::Alias => TargetMatch::Alias,
        Match::Words => TargetMatch::Words,
        Match::Prefix => TargetMatch::Prefix,
        Match::Fuzzy => TargetMatch::Fuzzy,
    }
}
