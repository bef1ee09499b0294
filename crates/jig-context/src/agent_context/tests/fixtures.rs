//! Test fixtures: a project with a few artifacts and a conversation.

use jig_contract::ops::{Message, MessageRole, ProjectInfo, StageProgress, WantedLevel};
use jig_contract::{Actor, Timestamp};
use serde_json::{Map, json};
use uuid::Uuid;

use super::super::{Built, ContextError, Request, Sources, build};
use crate::artifact::{Artifact, Author, New, create};
use crate::document::{DocumentId, KindName};
use crate::target::Catalog;

pub(super) const NOW: i64 = 1_767_225_600_000;

pub(super) fn author(actor: Actor) -> Author {
    Author { actor, at: Timestamp::from_millis(NOW - 60_000), reason: String::new(), overrides: false }
}

pub(super) fn artifact(number: u128, slug: &str, stage: &str, text: &str) -> Artifact {
    let new = New {
        id: DocumentId(Uuid::from_u128(number)),
        slug: KindName::new(slug).unwrap(),
        title: slug.to_owned(),
        stage: stage.to_owned(),
        template: None,
        content: text.to_owned(),
    };
    create(new, author(Actor::person())).unwrap()
}

pub(super) fn message(seq: u64, artifact: Option<&str>, text: &str) -> Message {
    Message {
        id: format!("m{seq}"),
        seq,
        at: Timestamp::from_millis(NOW - 30_000),
        actor: Actor::person(),
        role: MessageRole::User,
        artifact: artifact.map(str::to_owned),
        text: text.to_owned(),
        private: false,
        operation: None,
        journal_seq: None,
        session: None,
        run: None,
        undone: false,
        undone_after: None,
    }
}

/// A workbench in a stage.
pub(super) struct World {
    pub(super) project: ProjectInfo,
    pub(super) artifacts: Vec<Artifact>,
    pub(super) messages: Vec<Message>,
    pub(super) window: u64,
}

pub(super) const CONCEPT: &str = "# Project Concept: ACK\n\n## What Is It?\n\nACK (Agent Context Kit) is a planning layer...\n\n## Problem Being Solved\n\n## Core Features\n\nSearch, see @architecture.\n";

impl World {
    pub(super) fn new() -> Self {
        let discovery = StageProgress {
            artifacts_total: 4,
            artifacts_finalized: 2,
            sections_complete: 9,
            sections_total: 17,
            progress_pct: 52.9,
        };
        let mut stages = Map::new();
        stages.insert("discovery".to_owned(), serde_json::to_value(discovery).unwrap());
        stages.insert("design".to_owned(), json!(StageProgress::default()));
        let research = "## Market Landscape\n\nLarge.\n\n## Competitive Analysis\n\nCursor costs 20.\n";
        Self {
            project: ProjectInfo {
                id: "abc123".to_owned(),
                name: "ack-demo".to_owned(),
                description: "A planning layer".to_owned(),
                current_stage: "discovery".to_owned(),
                stages,
                created_at: Timestamp::from_millis(NOW - 9_000_000),
                updated_at: Timestamp::from_millis(NOW - 1_000),
                etag: None,
            },
            artifacts: vec![
                artifact(1, "concept", "discovery", CONCEPT),
                artifact(2, "research", "discovery", research),
                artifact(3, "architecture", "design", "## System Context\n\nOne binary.\n"),
                artifact(4, "data-model", "design", "## Entities\n\nBuilds on concept.md.\n"),
                artifact(5, "notes", "workflow", "## Loose Ends\n\nUnrelated.\n"),
            ],
            messages: vec![
                message(1, None, "Hello to all."),
                message(2, Some("concept"), "The concept is too long."),
                message(3, Some("research"), "Prices are missing."),
            ],
            window: 200_000,
        }
    }

    pub(super) fn catalog(&self) -> Catalog {
        Catalog::new(self.artifacts.iter().map(crate::target::of_artifact).collect())
    }

    pub(super) fn build(
        &self,
        artifact: Option<&str>,
        level: WantedLevel,
        message: Option<&str>,
    ) -> Result<Built, ContextError> {
        let (catalog, artifacts) = (self.catalog(), self.all());
        build(self.sources(&catalog, &artifacts), Request { artifact, level, message, ..self.request() })
    }

    pub(super) fn all(&self) -> Vec<&Artifact> {
        self.artifacts.iter().collect()
    }

    pub(super) fn sources<'a>(&'a self, catalog: &'a Catalog, artifacts: &'a [&'a Artifact]) -> Sources<'a> {
        Sources {
            project: &self.project,
            artifacts,
            messages: &self.messages,
            last_message: self.messages.last().map_or(0, |message| message.seq),
            catalog,
        }
    }

    pub(super) fn request(&self) -> Request<'static> {
        Request {
            artifact: None,
            level: WantedLevel::Auto,
            message: None,
            window: self.window,
            tokenizer: "o200k",
            count: &count,
            now: Timestamp::from_millis(NOW),
        }
    }
}

/// Counts with the tokenizer of current models.
pub(super) fn count(text: &str) -> u64 {
    bpe_openai::o200k_base().count(text) as u64
}
