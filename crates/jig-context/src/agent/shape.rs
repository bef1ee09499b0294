//! The types of template variables: which names are valid below a variable.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The type of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    /// A string, number or boolean.
    Plain,
    /// A list whose items have one type.
    List(Box<Self>),
    /// A map with arbitrary keys whose values have one type.
    Named(Box<Self>),
    /// An object with known fields.
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

    /// The type of a field.
    pub(super) fn member(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.get(name),
            Self::Named(value) => Some(value),
            Self::List(_) | Self::Plain => None,
        }
    }

    /// The names of its fields.
    pub(super) fn names(&self) -> Vec<&'static str> {
        if let Self::Object(members) = self { members.keys().copied().collect() } else { Vec::new() }
    }

    /// Fits a value to this type: missing fields become empty, unknown ones are dropped.
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

    /// An empty value of this type.
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
