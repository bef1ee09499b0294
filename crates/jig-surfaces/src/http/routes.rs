//! What a row of the table of routes says, and what is made from it once.

use std::sync::LazyLock;

use axum::routing::MethodFilter;
use jig_contract::{OpSpec, find};
use serde_json::Value;

use super::params::{Member, Shape, members};
use super::table::TABLE;

/// One resource route: an address, and the operation behind it.
///
/// Where the parameters come from follows from the row alone. Names in the path are parameters. All others are taken
/// from the query where a request has no body, and from the body, a JSON object, where it has one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Route {
    pub(super) verb: Verb,
    /// The address, with names of parameters in braces.
    pub(super) path: &'static str,
    pub(super) operation: &'static str,
    pub(super) form: Form,
    /// Parameters that the address itself says.
    pub(super) fixed: &'static [(&'static str, &'static str)],
}

/// The methods of resources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Verb {
    /// As OpenAPI writes it.
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

    /// Whether its parameters come in a body.
    pub(super) const fn has_body(self) -> bool {
        matches!(self, Self::Post | Self::Put | Self::Patch)
    }
}

/// What goes in and comes out beside JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Nothing.
    Plain,
    /// Something new is made: 201, and where it is. The place has names of the answer's members in braces; one that does
    /// not begin with `/` is below the address itself.
    Made(&'static str),
    /// A thing with revisions is written: 201 when it is new. The revision is at this place in the answer.
    Kept(&'static str),
    /// A thing with revisions is read. The revision is at this place in the answer.
    Revised(&'static str),
    /// One page of a list: with which parameter, and which member of the answer, to go on.
    Page(&'static str, &'static str),
    /// One page of the journal, which goes backwards.
    Backwards,
    /// The bytes of a file.
    FileBytes,
    /// The bytes of an asset.
    AssetBytes,
    /// The bytes of a new asset come as they are, or as a form's file.
    Upload,
    /// The bytes of a file come as they are. The operation itself takes places on the machine, which nobody names here.
    FileUpload,
    /// A file goes; the operation takes several.
    FileRemoval,
    /// Events, as they happen.
    Events,
}

impl Form {
    /// Whether the address names a file that the operation takes by another name.
    pub(super) const fn names_file(self) -> bool {
        matches!(self, Self::FileUpload | Self::FileRemoval)
    }
}

/// A row with all that can be known before a request comes.
pub(super) struct Ready {
    pub(super) route: Route,
    pub(super) op: &'static OpSpec,
    /// The operation's parameters that are not in the path, with what their text means.
    pub(super) members: Vec<Member>,
    /// Those in the path that are no texts: numbers.
    pub(super) in_path: Vec<Member>,
    /// Whether a revision can be asked for, by `If-Match`.
    pub(super) takes_base: bool,
}

/// All routes, ready.
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

/// A place with its names filled in from an answer.
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
            let op = find(route.operation).unwrap_or_else(|| panic!("{} is no operation", route.operation));
            assert!(op.surfaces.http || route.form == Form::FileUpload, "{} is not for this door", op.name);
            let schema = (op.params_schema)().to_value();
            for name in names(route.path).chain(route.fixed.iter().map(|(name, _)| *name)) {
                let file = name == "path" && route.form.names_file();
                assert!(file || schema["properties"].get(name).is_some(), "{}: {name} is no parameter", route.path);
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
