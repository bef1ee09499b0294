//! Strict Handlebars templates: all names are checked against the declared variables before a template is used.

use handlebars::template::{HelperTemplate, Parameter, Template, TemplateElement};
use handlebars::{Handlebars, Path, no_escape};

use super::shape::Shape;
use super::variables::{Variables, shape};
use crate::document::nearest;

/// The block helpers that a template may use.
const BLOCKS: [&str; 4] = ["each", "if", "unless", "with"];
/// The local variables inside `each`.
const LOCALS: [&str; 4] = ["index", "first", "last", "key"];

/// The errors of a template, with their line.
pub(super) fn problems(text: &str) -> Vec<(String, String)> {
    let template = match Template::compile(text) {
        Ok(template) => template,
        Err(error) => {
            let place = error.pos().map(|(line, _)| format!("line {line}")).unwrap_or_default();
            return vec![(place, format!("invalid Handlebars template: {}", error.reason()))];
        }
    };
    let root = shape();
    let mut check = Check { found: Vec::new() };
    check.template(&template, &[Scope { shape: root, each: false }]);
    check.found
}

/// Renders a template.
pub fn render(text: &str, variables: &Variables) -> Result<String, String> {
    let mut handlebars = Handlebars::new();
    handlebars.set_strict_mode(true);
    // HTML escaping is off because a prompt is not HTML. Data is escaped later by the prompt's own rules.
    handlebars.register_escape_fn(no_escape);
    handlebars.render_template(text, variables.value()).map_err(|error| error.to_string())
}

/// A scope of name lookup.
#[derive(Clone, Copy)]
struct Scope<'s> {
    shape: &'s Shape,
    each: bool,
}

struct Check {
    found: Vec<(String, String)>,
}

impl Check {
    fn template(&mut self, template: &Template, scopes: &[Scope<'_>]) {
        for (at, element) in template.elements.iter().enumerate() {
            let line = template.mapping.get(at).map(|place| format!("line {}", place.0)).unwrap_or_default();
            self.element(element, scopes, &line);
        }
    }

    fn complain(&mut self, line: &str, message: String) {
        self.found.push((line.to_owned(), message));
    }

    fn element(&mut self, element: &TemplateElement, scopes: &[Scope<'_>], line: &str) {
        match element {
            TemplateElement::RawString(_) | TemplateElement::Comment(_) => {}
            TemplateElement::Expression(inner) | TemplateElement::HtmlExpression(inner) => {
                self.expression(inner, scopes, line);
            }
            TemplateElement::HelperBlock(block) => self.block(block, scopes, line),
            _ => self.complain(line, "partials and decorators are not allowed here".to_owned()),
        }
    }

    fn expression(&mut self, inner: &HelperTemplate, scopes: &[Scope<'_>], line: &str) {
        if !inner.params.is_empty() || !inner.hash.is_empty() {
            return self
                .complain(line, "only variables and the blocks each, if, unless and with are allowed".to_owned());
        }
        match &inner.name {
            Parameter::Literal(_) => {}
            name => match self.resolve(name, scopes, line) {
                Some(Shape::List(_)) => self.complain(line, format!("{} is a list; use {{{{#each}}}}", named(name))),
                Some(Shape::Object(_) | Shape::Named(_)) => {
                    self.complain(line, format!("{} has members; name one of them", named(name)));
                }
                Some(Shape::Plain) | None => {}
            },
        }
    }

    fn block(&mut self, block: &HelperTemplate, scopes: &[Scope<'_>], line: &str) {
        let name = raw(&block.name).unwrap_or_default();
        if !BLOCKS.contains(&name.as_str()) {
            let near = nearest(&name, BLOCKS).into_iter().next();
            let meant = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return self.complain(line, format!("there is no block `{name}`{meant}"));
        }
        if block.block_param.is_some() || !block.hash.is_empty() {
            return self.complain(line, format!("`{name}` takes one variable and nothing else"));
        }
        let [param] = block.params.as_slice() else {
            return self.complain(line, format!("`{name}` takes exactly one variable"));
        };
        let shape = self.resolve(param, scopes, line).cloned();
        let inside = match (name.as_str(), shape) {
            (_, None) => None,
            ("each", Some(Shape::List(value) | Shape::Named(value))) => Some((*value, true)),
            ("each", Some(_)) => {
                self.complain(line, format!("{} is not a list", named(param)));
                None
            }
            ("with", Some(shape @ Shape::Object(_))) => Some((shape, false)),
            ("with", Some(_)) => {
                self.complain(line, format!("{} has no members", named(param)));
                None
            }
            _ => {
                // Unlike `each` and `with`, `if` and `unless` do not open a scope.
                for part in [&block.template, &block.inverse].into_iter().flatten() {
                    self.template(part, scopes);
                }
                return;
            }
        };
        if let (Some((shape, each)), Some(body)) = (inside, &block.template) {
            let mut inner = scopes.to_vec();
            inner.push(Scope { shape: &shape, each });
            self.template(body, &inner);
        }
        if let Some(inverse) = &block.inverse {
            self.template(inverse, scopes);
        }
    }

    /// Resolves a name to its type, or reports an error.
    fn resolve<'s>(&mut self, parameter: &Parameter, scopes: &[Scope<'s>], line: &str) -> Option<&'s Shape> {
        static PLAIN: Shape = Shape::Plain;
        let text = match parameter {
            Parameter::Subexpression(_) => {
                self.complain(line, "calls inside of calls are not allowed here".to_owned());
                return None;
            }
            Parameter::Literal(_) => return Some(&PLAIN),
            other => raw(other).unwrap_or_default(),
        };
        if let Some(local) = text.strip_prefix('@') {
            if LOCALS.contains(&local) && scopes.last().is_some_and(|scope| scope.each) {
                return Some(&PLAIN);
            }
            self.complain(line, format!("`@{local}` is not known here"));
            return None;
        }
        let mut up = 0;
        let mut rest = text.as_str();
        while let Some(outer) = rest.strip_prefix("../").or_else(|| rest.strip_prefix("..").filter(|r| r.is_empty())) {
            (up, rest) = (up + 1, outer);
        }
        let Some(mut shape) = scopes.len().checked_sub(up + 1).and_then(|at| scopes.get(at)).map(|scope| scope.shape)
        else {
            self.complain(line, format!("`{text}` leads out of the variables"));
            return None;
        };
        for name in rest.split(['.', '/']).filter(|name| !matches!(*name, "" | "this")) {
            let name = name.trim_start_matches('[').trim_end_matches(']');
            let Some(inner) = shape.member(name) else {
                let names = shape.names();
                let near = nearest(name, names.iter().copied()).into_iter().next();
                let meant = near.map_or_else(
                    || if names.is_empty() { String::new() } else { format!("; there are {}", names.join(", ")) },
                    |near| format!("; did you mean `{near}`?"),
                );
                self.complain(line, format!("there is no variable `{text}`{meant}"));
                return None;
            };
            shape = inner;
        }
        Some(shape)
    }
}

fn raw(parameter: &Parameter) -> Option<String> {
    match parameter {
        Parameter::Name(name) | Parameter::Path(Path::Relative((_, name)) | Path::Local((_, _, name))) => {
            Some(name.clone())
        }
        _ => None,
    }
}

fn named(parameter: &Parameter) -> String {
    format!("`{}`", raw(parameter).unwrap_or_default())
}
