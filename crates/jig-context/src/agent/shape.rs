//! The shape of a template's variables: what a name may lead to.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// What a variable is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    /// Words, a number, yes or no.
    Plain,
    /// Values of one shape.
    List(Box<Self>),
    /// Values of one shape, by names that are not known beforehand.
    Named(Box<Self>),
    /// Members of known names.
    Object(BTreeMap<&'static str, Self>),
}

impl Shape {
    pub(super) fn object<const N: usize>(members: [(&'static str, Self); N]) -> Self {
        Self::Object(BTreeMap::from(members))
    }

    pub(super) fn plain<const N: usize>(names: [&'static str; N]) -> Self {
        Self::Object(names.into_iter().map(|name| (name, Self::Plain)).collect())
    }

    pub(super) fn with<const N: usize>(self, members: [(&'static str, Self); N]) -> Self {
        match self {
            Self::Object(mut all) => {
                all.extend(members);
                Self::Object(all)
            }
            other => other,
        }
    }

    /// What a member is.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.get(name),
            Self::Named(value) => Some(value),
            Self::List(_) | Self::Plain => None,
        }
    }

    /// The names of its members.
    pub(super) fn names(&self) -> Vec<&'static str> {
        if let Self::Object(members) = self { members.keys().copied().collect() } else { Vec::new() }
    }

    /// A value in this shape: what it lacks says nothing, and what the shape does not know is dropped.
    pub(super) fn filled(&self, value: Value) -> Value {
        match (self, value) {
            (_, Value::Null) => self.blank(),
            (Self::Plain, value) => value,
            (Self::List(inside), Value::Array(values)) => {
                Value::Array(values.into_iter().map(|value| inside.filled(value)).collect())
            }
            (Self::Named(inside), Value::Object(values)) => {
                Value::Object(values.into_iter().map(|(name, value)| (name, inside.filled(value))).collect())
            }
            (Self::Object(members), Value::Object(mut values)) => {
                let member = |(name, shape): (&&'static str, &Self)| {
                    ((*name).to_owned(), shape.filled(values.remove(*name).unwrap_or_default()))
                };
                Value::Object(members.iter().map(member).collect())
            }
            (Self::List(_) | Self::Named(_) | Self::Object(_), _) => self.blank(),
        }
    }

    /// A value of this shape that says nothing.
    pub(super) fn blank(&self) -> Value {
        match self {
            Self::Plain => Value::String(String::new()),
            Self::List(_) => Value::Array(Vec::new()),
            Self::Named(_) => Value::Object(Map::new()),
            Self::Object(members) => {
                Value::Object(members.iter().map(|(name, shape)| ((*name).to_owned(), shape.blank())).collect())
            }
        }
    }
}
