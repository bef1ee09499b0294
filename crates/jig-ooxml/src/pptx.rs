//! PowerPoint presentations.
