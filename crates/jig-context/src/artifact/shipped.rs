//! The built-in stages and the templates of their artifacts.

use std::sync::LazyLock;

use jig_contract::ops::{StageDefinition, TemplateDefinition};

type Template = (&'static str, &'static str, &'static str, &'static str);

macro_rules! template {
    ($slug:literal, $title:literal, $words:literal) => {
        ($slug, $title, $words, include_str!(concat!("templates/", $slug, ".md")))
    };
}

const DISCOVERY: &[Template] = &[
    template!("concept", "Concept", "What it is, for whom, and what it is not"),
    template!("research", "Research", "What is out there, and how this differs"),
    template!("validation", "Validation", "Who was asked, and what they said"),
    template!("scope", "Scope", "What the first version has, and what it leaves out"),
];
const DESIGN: &[Template] = &[
    template!("stack", "Stack", "What it is built with, and why"),
    template!("architecture", "Architecture", "The parts and how they meet"),
    template!("data-model", "Data model", "What is kept, and what must always be true of it"),
    template!("context-schema", "Context schema", "What agents see, and what they may change"),
];
const ENVIRONMENT: &[Template] = &[
    template!("repo-init", "Repository", "Where the work lives, and its first state"),
    template!("dependencies", "Dependencies", "What is relied on, and how it is kept"),
    template!("scaffolding", "Scaffolding", "The empty frame that everything goes into"),
];
const WORKFLOW: &[Template] = &[
    template!("agent-rules", "Agent rules", "What agents do, and what they leave to people"),
    template!("dev-workflow", "Way of working", "How a change gets from an idea to users"),
    template!("operations", "Operations", "How it runs, and what is done when it does not"),
];
const IMPLEMENTATION: &[Template] = &[
    template!("phases", "Phases", "The order of the work"),
    template!("milestones", "Milestones", "What must be true, and when"),
    template!("tasks", "Tasks", "What is to be done, and where it stands"),
];

const STAGES: &[(&str, &str, &str, &[Template])] = &[
    ("discovery", "Discovery", "Find out what is worth making", DISCOVERY),
    ("design", "Design", "Decide how it is made", DESIGN),
    ("environment", "Environment", "Prepare the place where it is made", ENVIRONMENT),
    ("workflow", "Workflow", "Agree how people and agents work on it", WORKFLOW),
    ("implementation", "Implementation", "Make it", IMPLEMENTATION),
];

static SHIPPED: LazyLock<Vec<StageDefinition>> = LazyLock::new(|| {
    let template = |(slug, title, description, content): &Template| TemplateDefinition {
        slug: (*slug).to_owned(),
        title: (*title).to_owned(),
        description: (*description).to_owned(),
        content: (*content).to_owned(),
    };
    let stage =
        |(order, (stage, title, description, artifacts)): (u32, &(&str, &str, &str, &[Template]))| StageDefinition {
            stage: (*stage).to_owned(),
            title: (*title).to_owned(),
            description: (*description).to_owned(),
            order: Some(order),
            artifacts: artifacts.iter().map(template).collect(),
        };
    (1..).zip(STAGES).map(stage).collect()
});

/// All built-in stages, in order.
pub fn shipped_stages() -> &'static [StageDefinition] {
    &SHIPPED
}

/// The built-in stage with this name.
pub fn shipped_stage(name: &str) -> Option<&'static StageDefinition> {
    SHIPPED.iter().find(|stage| stage.stage == name)
}
