//! The variables of templates. The list is the same in every phase, so an unknown name is an error when a workspace is
//! synced, not when a template is used.

use std::sync::LazyLock;

use serde_json::Value;

use super::shape::Shape;

/// The types of all variables.
pub(super) fn shape() -> &'static Shape {
    static SHAPE: LazyLock<Shape> = LazyLock::new(declare);
    &SHAPE
}

fn declare() -> Shape {
    let plain = || Shape::Plain;
    let counts =
        Shape::plain(["artifacts_total", "artifacts_finalized", "sections_complete", "sections_total", "progress_pct"]);
    let section = Shape::plain(["slug", "title", "is_done", "is_collapsed", "order", "preview"]);
    let artifact = Shape::plain([
        "id",
        "name",
        "slug",
        "stage",
        "status",
        "content",
        "sections_complete",
        "sections_total",
        "updated_at",
    ])
    .with([("sections", Shape::List(Box::new(section)))]);
    let project = Shape::plain(["id", "name", "description", "current_stage", "created_at", "updated_at"])
        .with([("stages", Shape::Named(Box::new(counts)))]);
    Shape::object([
        ("userMessage", plain()),
        ("researchQuery", plain()),
        ("targetSection", plain()),
        ("mode", plain()),
        ("phase", plain()),
        ("today", plain()),
        ("research", plain()),
        ("plan", plain()),
        ("failure", plain()),
        ("item", Shape::plain(["number", "total", "label", "attempt"])),
        ("manifest", Shape::List(Box::new(Shape::plain(["path", "kind", "size"])))),
        ("project", project),
        ("currentArtifact", artifact.clone()),
        ("relatedArtifacts", Shape::List(Box::new(artifact))),
        ("chatHistory", Shape::List(Box::new(Shape::plain(["role", "content"])))),
        ("systemState", Shape::plain(["draft", "model", "time"])),
    ])
}

/// The names of all top-level variables.
pub fn declared() -> Vec<&'static str> {
    shape().names()
}

/// Values for all variables; those that are not set are empty.
#[derive(Debug, Clone, PartialEq)]
pub struct Variables(Value);

impl Default for Variables {
    fn default() -> Self {
        Self(shape().blank())
    }
}

impl Variables {
    /// Sets a variable by its path, for example `project.name`. An undeclared path changes nothing; fields that a value
    /// lacks are empty.
    #[must_use]
    pub fn set(mut self, path: &str, value: impl Into<Value>) -> Self {
        let (mut place, mut shape) = (&mut self.0, shape());
        for name in path.split('.') {
            match (place.get_mut(name), shape.member(name)) {
                (Some(inner), Some(member)) => (place, shape) = (inner, member),
                _ => return self,
            }
        }
        *place = shape.filled(value.into());
        self
    }

    pub(super) fn value(&self) -> &Value {
        &self.0
    }
}
