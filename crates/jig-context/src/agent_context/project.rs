//! The project, within its budget.

use jig_contract::ops::{ContextLevel, ProjectContext};

use super::budget::Component;
use super::build::{Fitted, Work};
use super::error::ContextError;
use super::text;

/// Name and stage are always included; description and progress from level `standard` on.
pub(super) fn fit(work: &mut Work<'_>) -> Result<Fitted<ProjectContext>, ContextError> {
    let info = work.sources.project;
    let mut project = ProjectContext {
        id: info.id.clone(),
        name: info.name.clone(),
        description: String::new(),
        current_stage: info.current_stage.clone(),
        stages: serde_json::Map::new(),
        created_at: info.created_at,
        updated_at: info.updated_at,
    };
    if work.level != ContextLevel::Minimal {
        project.description.clone_from(&info.description);
        project.stages.clone_from(&info.stages);
    }
    let limit = work.limit(Component::Project);
    let whole = size(work, &project);
    if whole <= limit {
        return Ok(Fitted { value: project, tokens: whole, summarized: false });
    }
    // Dropped in this order until it fits: counts of other stages, descriptions, all counts.
    let current = project.current_stage.clone();
    let others = project.stages.len();
    project.stages.retain(|stage, _| *stage == current);
    if project.stages.len() < others {
        let rest = size(work, &project);
        work.leave_out(
            "how far the other stages are",
            whole.saturating_sub(rest),
            Component::Project,
            "`ProjectGet` tells it",
        );
    }
    for part in [Part::Description, Part::Stages] {
        let before = size(work, &project);
        if before <= limit {
            break;
        }
        let what = match part {
            Part::Description => {
                project.description.clear();
                "what the work is about"
            }
            Part::Stages => {
                project.stages.clear();
                "how far the stage is"
            }
        };
        let tokens = before.saturating_sub(size(work, &project));
        if tokens > 0 {
            work.leave_out(what, tokens, Component::Project, "`ProjectGet` tells it");
        }
    }
    let tokens = size(work, &project);
    if tokens > limit {
        let window = work.request.window;
        return Err(ContextError::TooLarge { component: Component::Project, tokens, limit, window, sizes: Vec::new() });
    }
    Ok(Fitted { value: project, tokens, summarized: false })
}

#[derive(Clone, Copy)]
enum Part {
    Description,
    Stages,
}

fn size(work: &Work<'_>, project: &ProjectContext) -> u64 {
    work.size(project, &text::project(project))
}
