//! A reader for objects that collects all errors instead of stopping at the first.

use serde_json::{Map, Value};

use super::Problem;
use crate::document::nearest;

/// The fields of an object, taken one by one. Fields that are left at the end are unknown.
pub(crate) struct Members<'a> {
    place: String,
    members: Map<String, Value>,
    known: Vec<&'static str>,
    problems: &'a mut Vec<Problem>,
}

impl<'a> Members<'a> {
    /// Reads the fields of a value that must be an object.
    pub(crate) fn of(value: &Value, place: &str, problems: &'a mut Vec<Problem>) -> Option<Self> {
        let Value::Object(members) = value else {
            let what = if place.is_empty() { "the definition" } else { "this" };
            problems.push(Problem::new(place, format!("{what} must be a map of names and values")));
            return None;
        };
        Some(Self { place: place.to_owned(), members: members.clone(), known: Vec::new(), problems })
    }

    /// The location of a field.
    pub(crate) fn at(&self, name: &str) -> String {
        if self.place.is_empty() { name.to_owned() } else { format!("{}.{name}", self.place) }
    }

    /// Records an error at a field.
    pub(crate) fn complain(&mut self, name: &str, message: impl Into<String>) {
        let place = if name.is_empty() { self.place.clone() } else { self.at(name) };
        self.problems.push(Problem::new(place, message));
    }

    /// The list that errors are added to.
    pub(crate) fn problems(&mut self) -> &mut Vec<Problem> {
        self.problems
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.members.get(name).is_some_and(|value| !value.is_null())
    }

    /// Takes a field; `null` counts as missing.
    pub(crate) fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.members.shift_remove(name).filter(|value| !value.is_null())
    }

    /// A text.
    pub(crate) fn text(&mut self, name: &'static str, chars_max: usize) -> Option<String> {
        match self.take(name)? {
            Value::String(text) if text.chars().count() <= chars_max => Some(text),
            Value::String(text) => {
                let chars = text.chars().count();
                self.complain(name, format!("it has {chars} characters; at most {chars_max} are allowed"));
                None
            }
            // YAML parses `version: 2` as a number, which is not accepted as text.
            _ => {
                self.complain(name, "it must be a text; put it in quotes");
                None
            }
        }
    }

    /// A nonblank text.
    pub(crate) fn needed_text(&mut self, name: &'static str, chars_max: usize) -> Option<String> {
        let there = self.has(name);
        let text = self.text(name, chars_max);
        let blank = text.as_ref().is_some_and(|text| text.trim().is_empty());
        if !there || blank {
            self.complain(name, "it is missing or empty");
            return None;
        }
        text
    }

    /// A boolean.
    pub(crate) fn flag(&mut self, name: &'static str, default: bool) -> bool {
        match self.take(name) {
            None => default,
            Some(Value::Bool(flag)) => flag,
            Some(_) => {
                self.complain(name, "it must be true or false");
                default
            }
        }
    }

    /// An integer within a range.
    pub(crate) fn number(&mut self, name: &'static str, least: u32, most: u32) -> Option<u32> {
        let value = self.take(name)?;
        let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
        let number = number.filter(|number| (least..=most).contains(number));
        if number.is_none() {
            self.complain(name, format!("it must be a whole number from {least} to {most}"));
        }
        number
    }

    /// One of several keywords.
    pub(crate) fn word(&mut self, name: &'static str, words: &[&'static str]) -> Option<&'static str> {
        let text = self.text(name, 100)?;
        let found = words.iter().find(|word| **word == text).copied();
        if found.is_none() {
            let message = format!("`{}` is none of {}", crate::document::shown(&text), words.join(", "));
            let problem = Problem::new(self.at(name), message).suggest(nearest(&text, words.iter().copied()));
            self.problems.push(problem);
        }
        found
    }

    /// A list; empty if it is missing.
    pub(crate) fn list(&mut self, name: &'static str, most: usize) -> Vec<Value> {
        match self.take(name) {
            None => Vec::new(),
            Some(Value::Array(values)) if values.len() <= most => values,
            Some(Value::Array(values)) => {
                self.complain(name, format!("it has {} values; at most {most} are allowed", values.len()));
                Vec::new()
            }
            Some(_) => {
                self.complain(name, "it must be a list");
                Vec::new()
            }
        }
    }

    /// A list of distinct, nonblank texts.
    pub(crate) fn texts(&mut self, name: &'static str, most: usize) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for value in self.list(name, most) {
            match value {
                Value::String(text) if !text.trim().is_empty() && !texts.contains(&text) => texts.push(text),
                Value::String(text) if text.trim().is_empty() => self.complain(name, "a text in the list is empty"),
                Value::String(text) => self.complain(name, format!("`{text}` is there twice")),
                _ => self.complain(name, "every value of the list must be a text; put it in quotes"),
            }
        }
        texts
    }

    /// Reports all remaining fields as unknown.
    pub(crate) fn end(self) {
        for name in self.members.keys() {
            let place = self.at(name);
            let problem = Problem::new(place, "there is no such member");
            self.problems.push(problem.suggest(nearest(name, self.known.iter().copied())));
        }
    }
}
