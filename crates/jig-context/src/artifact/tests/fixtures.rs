//! Shared test fixtures.

use jig_contract::ops::ArtifactOp;
use jig_contract::{Actor, Timestamp};
use serde_json::Value;
use uuid::Uuid;

use super::super::*;
use crate::document::{DocumentId, KindName};

pub(super) const CONCEPT: &str = "# Project Concept: ACK\n\nIntro.\n\n## What Is It?\n\nACK (Agent Context Kit) is a planning layer.\n\n## Problem Being Solved\n\n## Core Features\n\n- one\n- two\n";

pub(super) fn agent(name: &str) -> Author {
    Author { actor: Actor::agent(name), ..person() }
}

pub(super) fn person() -> Author {
    Author { actor: Actor::person(), at: Timestamp::from_millis(1_000), reason: String::new(), overrides: false }
}

pub(super) fn made(text: &str) -> Artifact {
    let new = New {
        id: DocumentId(Uuid::from_u128(7)),
        slug: KindName::new("concept").unwrap(),
        title: "Concept".to_owned(),
        stage: "discovery".to_owned(),
        template: None,
        content: text.to_owned(),
    };
    create(new, person()).unwrap()
}

pub(super) fn ops(value: Value) -> Vec<ArtifactOp> {
    serde_json::from_value(value).unwrap()
}

pub(super) fn run(
    artifact: &Artifact,
    base: Option<u64>,
    author: Author,
    value: Value,
) -> Result<Applied, ArtifactError> {
    let ops = ops(value);
    let batch = Batch { ops: ops.iter().enumerate().collect(), base_revision: base, author, previous: None };
    apply(artifact, batch).map_err(|(_, error)| error)
}

pub(super) fn applied(artifact: &Artifact, value: Value) -> Artifact {
    run(artifact, None, person(), value).unwrap().artifact.unwrap()
}

pub(super) fn slugs(artifact: &Artifact) -> Vec<&str> {
    artifact.document.parts.iter().map(|part| part.name.as_str()).collect()
}

pub(super) fn rewritten(artifact: &Artifact, text: &str) -> Artifact {
    let new = Put { content: Some(text.to_owned()), title: None, stage: None, base_revision: None };
    put(artifact, new, person(), None).unwrap()
}
