//! Ops on slides as a whole: sections, visibility, layout, background.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Hide a slide in the slide show
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct HideSlide {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
}

/// Show a hidden slide again
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ShowSlide {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
}

/// Begin a section at a slide
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct AddSection {
    /// Its name.
    #[schemars(extend("x-aliases" = ["section", "title", "section_name"]))]
    pub name: String,
    /// Its first slide, from 0; without it, an empty section at the end.
    #[schemars(extend("x-aliases" = ["slide_index", "at"], "x-one-based" = ["slide", "slide_number", "first_slide"]))]
    pub index: Option<usize>,
}

/// Rename a section
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct RenameSection {
    /// The section, by name or number from 1.
    #[schemars(extend("x-aliases" = ["old_name", "from", "section_name"]))]
    pub section: Value,
    /// Its new name.
    #[schemars(extend("x-aliases" = ["new_name", "to", "title"]))]
    pub name: String,
}

/// Delete a section; its slides stay
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(extend("x-removes" = true))]
pub struct DeleteSlideSection {
    /// The section, by name or number from 1.
    #[schemars(extend("x-aliases" = ["name", "section_name"]))]
    pub section: Value,
    /// Delete its slides too.
    #[schemars(extend("x-aliases" = ["with_slides", "slides"]))]
    pub delete_slides: Option<bool>,
}

/// Set the background colour of a slide
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetBackground {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: Option<usize>,
    /// Set it on every slide.
    #[schemars(extend("x-aliases" = ["all"]))]
    pub all_slides: Option<bool>,
    /// The colour, or a theme colour such as `accent1`.
    #[schemars(extend("x-aliases" = ["colour", "fill_color", "background", "background_color"]))]
    pub color: Option<String>,
    /// Remove it, so that the layout's background shows.
    #[schemars(extend("x-aliases" = ["inherit", "reset"]))]
    pub clear: Option<bool>,
}

/// Give a slide another layout
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct SetSlideLayout {
    /// The slide, from 0.
    #[schemars(extend("x-aliases" = ["slide_index"], "x-one-based" = ["slide", "slide_number"]))]
    pub index: usize,
    /// The layout, by name, key or its index in the map.
    #[schemars(extend("x-aliases" = ["layout_name", "layout_index"]))]
    pub layout: Value,
    /// The master of the layout, by its number in the map or the name of its theme.
    pub master: Option<Value>,
}
