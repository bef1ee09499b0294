//! The structure of the route table, and data derived from it once.

use std::sync::LazyLock;

use axum::routing::MethodFilter;
use jig_contract::{OpSpec, find};
use serde_json::Value;

use super::params::{Member, Shape, members};
use super::table::TABLE;

/// A resource route: a path, and the operation behind it.
///
/// The row alone defines where parameters come from. Names in the path are parameters. All others come from the query
/// if the method has no body, and otherwise from the body, a JSON object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Route {
    pub(super) verb: Verb,
    /// The path, with parameter names in braces.
    pub(super) path: &'static str,
    pub(super) operation: &'static str,
    pub(super) form: Form,
    /// Parameters implied by the path.
    pub(super) fixed: &'static [(&'static str, &'static str)],
}

/// The HTTP methods of resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Verb {
    /// The method as in OpenAPI.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Post => "post",
            Self::Put => "put",
            Self::Patch => "patch",
            Self::Delete => "delete",
        }
    }

    pub(super) const fn filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET,
            Self::Post => MethodFilter::POST,
            Self::Put => MethodFilter::PUT,
            Self::Patch => MethodFilter::PATCH,
            Self::Delete => MethodFilter::DELETE,
        }
    }

    /// Whether its parameters are in the body.
    pub(super) const fn has_body(self) -> bool {
        matches!(self, Self::Post | Self::Put | Self::Patch)
    }
}

/// Special handling of input and output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// None.
    Plain,
    /// Creates something: 201 with its location. The location has names of output fields in braces; one that does not
    /// start with `/` is relative to the path.
    Made(&'static str),
    /// Writes a resource with revisions: 201 if it is new. The tag is at this JSON pointer of the output.
    Kept(&'static str),
    /// Reads a resource with revisions. The tag is at this JSON pointer of the output.
    Revised(&'static str),
    /// A page of a list: the parameter for the next page, and the output field with its value.
    Page(&'static str, &'static str),
    /// A page of the journal, which is listed backwards.
    Backwards,
    /// The bytes of a file.
    FileBytes,
    /// The bytes of an asset.
    AssetBytes,
    /// The bytes of a new asset, raw or as a file in a form.
    Upload,
    /// The raw bytes of a file. The operation itself takes host paths, which are not available here.
    FileUpload,
    /// Removes a file; the operation takes several.
    FileRemoval,
    /// A stream of events.
    Events,
}

impl Form {
    /// Whether the path names a file that the operation takes under another parameter name.
    pub(super) const fn names_file(self) -> bool {
        matches!(self, Self::FileUpload | Self::FileRemoval)
    }
}

/// A row with everything that can be computed in advance.
pub(super) struct Ready {
    pub(super) route: Route,
    pub(super) op: &'static OpSpec,
    /// The operation's parameters that are not in the path, with the shape of their values.
    pub(super) members: Vec<Member>,
    /// Path parameters that are numbers rather than strings.
    pub(super) in_path: Vec<Member>,
    /// Whether the operation accepts a base revision, through `If-Match`.
    pub(super) takes_base: bool,
}

/// All routes, prepared.
pub(super) static ROUTES: LazyLock<Vec<Ready>> = LazyLock::new(|| TABLE.iter().filter_map(ready).collect());

fn ready(route: &Route) -> Option<Ready> {
    let op = find(route.operation)?;
    let schema = (op.params_schema)().to_value();
    let in_path = members(&schema, |name| !names(route.path).any(|known| known == name));
    let in_path = in_path.into_iter().filter(|member| member.shape == Shape::Whole).collect();
    let members = members(&schema, |name| {
        let fixed = route.fixed.iter().any(|(known, _)| *known == name);
        fixed || names(route.path).any(|known| known == name)
    });
    let takes_base = route.verb != Verb::Get && members.iter().any(|member| member.name == "base_revision");
    Some(Ready { route: *route, op, members, in_path, takes_base })
}

/// The names in the braces of a path.
pub(super) fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|rest| rest.split('}').next()).map(|name| name.trim_start_matches('*'))
}

/// Fills the names of a location with values of an output.
pub(super) fn fill(place: &str, answer: &Value) -> Option<String> {
    let mut filled = String::new();
    for (n, piece) in place.split('{').enumerate() {
        let Some((name, rest)) = piece.split_once('}').filter(|_| n > 0) else {
            filled.push_str(piece);
            continue;
        };
        let value = answer.pointer(&format!("/{}", name.replace('.', "/")))?;
        filled.push_str(&super::query::encode(value.as_str()?));
        filled.push_str(rest);
    }
    Some(filled)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    #[test]
    fn every_row_names_an_operation_of_this_door_and_its_parameters() {
        for route in TABLE {
            let op = find(route.operation).unwrap_or_else(|| panic!("{} is not an operation", route.operation));
            assert!(op.surfaces.http || route.form == Form::FileUpload, "{} is not for this door", op.name);
            let schema = (op.params_schema)().to_value();
            for name in names(route.path).chain(route.fixed.iter().map(|(name, _)| *name)) {
                let file = name == "path" && route.form.names_file();
                assert!(file || schema["properties"].get(name).is_some(), "{}: {name} is not a parameter", route.path);
            }
        }
        assert_eq!(ROUTES.len(), TABLE.len());
    }

    #[test]
    fn no_route_is_there_twice_and_reading_changes_nothing() {
        let mut seen = BTreeSet::new();
        for ready in ROUTES.iter() {
            let route = ready.route;
            assert!(seen.insert((route.path, route.verb.word())), "{} {}", route.verb.word(), route.path);
            let reads = ready.op.effect == jig_contract::Effect::Read;
            assert!(route.verb != Verb::Get || reads, "GET {} changes something", route.path);
        }
    }

    #[test]
    fn places_are_filled_and_made_safe() {
        let answer = json!({ "id": "a b", "entry": { "role": "brand" } });
        assert_eq!(fill("/api/x/{id}/{entry.role}", &answer).as_deref(), Some("/api/x/a%20b/brand"));
        assert_eq!(fill("/api/x/{none}", &answer), None);
        assert_eq!(names("/a/{b}/c/{*d}").collect::<Vec<_>>(), ["b", "d"]);
    }
}
