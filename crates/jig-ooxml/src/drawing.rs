//! What the formats share of drawings: images and charts.

pub(crate) mod chart;
pub(crate) mod image;
