//! A schema in the form that normalizing needs: which values a place takes, and the fields of objects.

use serde_json::{Map, Value};

use super::value_type::{ValueType, value_type};

/// What a place of an op takes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Shape {
    /// Anything: it is not looked into.
    pub(crate) any: bool,
    pub(crate) null: bool,
    pub(crate) boolean: bool,
    pub(crate) integer: bool,
    pub(crate) number: bool,
    pub(crate) text: bool,
    /// A list of these.
    pub(crate) list: Option<Box<Shape>>,
    /// An object with these fields.
    pub(crate) fields: Option<Vec<Field>>,
    /// An invalid value is left out with a warning.
    pub(crate) cosmetic: bool,
    /// What turns the usual ways to write a value into one.
    pub(crate) value_type: Option<ValueType>,
    pub(crate) minimum: Option<f64>,
    pub(crate) maximum: Option<f64>,
    pub(crate) max_chars: Option<usize>,
    /// A list of texts becomes one text with line breaks.
    pub(crate) joins: bool,
    /// A text given for the object is the value of this field.
    pub(crate) text_field: Option<String>,
    /// The op replaces all content, so unknown fields are refused in every profile.
    pub(crate) replaces_all: bool,
    /// The op deletes or replaces a part, so unknown fields are refused in every profile.
    pub(crate) removes: bool,
    /// Objects with these fields belong to another op.
    pub(crate) refused: Option<Refused>,
    /// The fields of an item that is written as `key: value`, or as a pair.
    pub(crate) entry: Option<[String; 2]>,
    /// A list of values is one row of this list of rows.
    pub(crate) one_row: bool,
    /// A number out of range becomes the nearest one with a warning.
    pub(crate) clamps: bool,
    /// The words that a text must be one of, in any case.
    pub(crate) words: Vec<String>,
}

/// Fields which show that the caller intended another op.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refused {
    pub(crate) fields: Vec<String>,
    pub(crate) op: String,
    pub(crate) why: String,
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) aliases: Vec<String>,
    /// Names under which the value counts from 1 and not from 0.
    pub(crate) one_based: Vec<String>,
    pub(crate) required: bool,
    /// Null is a value and does not mean "not given".
    pub(crate) keeps_null: bool,
    /// Fields of this object may also be given beside it.
    pub(crate) inline: bool,
    /// Not shown in signatures of objects that hold it.
    pub(crate) hidden: bool,
    /// An empty text or list leaves what is there: it is what clients send for a field that they do not use.
    pub(crate) keeps_on_empty: bool,
    /// Names of the values that this one is built from: columns, then rows of an address.
    pub(crate) parts: Option<[Vec<String>; 2]>,
    /// An object given for it holds fields of the object around it.
    pub(crate) hoists: bool,
    /// An empty text is a value and does not mean "not given".
    pub(crate) keeps_empty: bool,
    /// What it is, from its documentation.
    pub(crate) about: String,
    pub(crate) shape: Shape,
}

impl Field {
    /// Whether a name without case and separators is one of this field.
    pub(crate) fn answers_to(&self, squashed_name: &str) -> bool {
        let names = std::iter::once(&self.name).chain(&self.aliases).chain(&self.one_based);
        names.into_iter().any(|name| crate::nearest::squashed(name) == squashed_name)
    }
}

/// Deeper schemas are not looked into.
const DEEPEST: usize = 12;

impl Shape {
    /// Reads a schema.
    pub(crate) fn read(schema: &Value, definitions: &Map<String, Value>) -> Self {
        let mut shape = Self::default();
        shape.add(schema, definitions, 0);
        shape
    }

    fn anything() -> Self {
        Self { any: true, ..Self::default() }
    }

    fn add(&mut self, schema: &Value, definitions: &Map<String, Value>, depth: usize) {
        let Some(object) = schema.as_object().filter(|_| depth < DEEPEST) else {
            self.any = true;
            return;
        };
        if is_set(object.get("x-opaque")) {
            self.any = true;
            return;
        }
        let mut constrained = false;
        if let Some(name) = object.get("$ref").and_then(Value::as_str) {
            constrained = true;
            match name.rsplit('/').next().and_then(|name| definitions.get(name)) {
                Some(target) => self.add(target, definitions, depth + 1),
                None => self.any = true,
            }
        }
        let types: Vec<&str> = match object.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        constrained |= !types.is_empty();
        for one in types {
            match one {
                "null" => self.null = true,
                "boolean" => self.boolean = true,
                "integer" => self.integer = true,
                "number" => self.number = true,
                "string" => self.text = true,
                "array" => self.add_list(object, definitions, depth),
                "object" => self.add_fields(object, definitions, depth),
                _ => self.any = true,
            }
        }
        for key in ["anyOf", "oneOf", "allOf"] {
            for alternative in object.get(key).and_then(Value::as_array).into_iter().flatten() {
                constrained = true;
                self.add(alternative, definitions, depth + 1);
            }
        }
        if object.contains_key("enum") || object.contains_key("const") {
            constrained = true;
            self.text = true;
        }
        self.any |= !constrained;
        self.add_keys(object);
    }

    fn add_list(&mut self, object: &Map<String, Value>, definitions: &Map<String, Value>, depth: usize) {
        let item = match object.get("items") {
            Some(items) if !object.contains_key("prefixItems") => {
                let mut item = Self::default();
                item.add(items, definitions, depth + 1);
                item
            }
            _ => Self::anything(),
        };
        self.list = Some(Box::new(item));
    }

    fn add_fields(&mut self, object: &Map<String, Value>, definitions: &Map<String, Value>, depth: usize) {
        let Some(properties) = object.get("properties").and_then(Value::as_object) else {
            self.any = true;
            return;
        };
        // Two kinds of objects in one place: which one it is, only the reader of the value can tell.
        if self.fields.is_some() {
            self.any = true;
            return;
        }
        let required: Vec<&str> =
            object.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let field = |(name, schema): (&String, &Value)| {
            let mut shape = Self::default();
            shape.add(schema, definitions, depth + 1);
            Field {
                name: name.clone(),
                aliases: texts(schema.get("x-aliases")),
                one_based: texts(schema.get("x-one-based")),
                required: required.contains(&name.as_str()),
                keeps_null: is_set(schema.get("x-null")),
                inline: is_set(schema.get("x-inline")),
                hidden: is_set(schema.get("x-hidden")),
                keeps_on_empty: is_set(schema.get("x-keep-on-empty")),
                parts: schema.get("x-parts").map(|parts| [texts(parts.get("column")), texts(parts.get("row"))]),
                hoists: is_set(schema.get("x-hoist")),
                keeps_empty: is_set(schema.get("x-empty")),
                about: about(schema),
                shape,
            }
        };
        self.fields = Some(properties.iter().map(field).collect());
    }

    fn add_keys(&mut self, object: &Map<String, Value>) {
        let number = |key: &str| object.get(key).and_then(Value::as_f64);
        self.cosmetic |= is_set(object.get("x-cosmetic"));
        self.joins |= is_set(object.get("x-join"));
        self.replaces_all |= is_set(object.get("x-replaces-all"));
        self.removes |= is_set(object.get("x-removes"));
        self.one_row |= is_set(object.get("x-one-row"));
        self.clamps |= is_set(object.get("x-clamp"));
        self.words.extend(texts(object.get("enum")));
        if let [key, value] = texts(object.get("x-entry")).as_slice() {
            self.entry = Some([key.clone(), value.clone()]);
        }
        self.minimum = self.minimum.or_else(|| number("minimum"));
        self.maximum = self.maximum.or_else(|| number("maximum"));
        let chars = object.get("maxLength").and_then(Value::as_u64).and_then(|most| usize::try_from(most).ok());
        self.max_chars = self.max_chars.or(chars);
        let named = object.get("x-type").and_then(Value::as_str).and_then(value_type);
        self.value_type = self.value_type.or(named);
        let text_field = object.get("x-text-field").and_then(Value::as_str);
        self.text_field = self.text_field.take().or_else(|| text_field.map(str::to_owned));
        if let Some(refused) = object.get("x-refused") {
            let text = |key: &str| refused.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let fields = texts(refused.get("fields"));
            self.refused = Some(Refused { fields, op: text("op"), why: text("why") });
        }
    }

    /// What the place takes, in words.
    pub(crate) fn expected(&self) -> String {
        if let Some(value_type) = &self.value_type {
            return value_type.expected();
        }
        let range = match (self.minimum, self.maximum) {
            (Some(least), Some(most)) => format!(" from {least} to {most}"),
            (Some(least), None) => format!(" of at least {least}"),
            (None, Some(most)) => format!(" of at most {most}"),
            (None, None) => String::new(),
        };
        let item = self.list.as_ref().map(|item| match item.expected() {
            item if item == "any value" => "a list".to_owned(),
            item => format!("a list of {}", plural(&item)),
        });
        if !self.words.is_empty() {
            return format!("one of {}", self.words.join(", "));
        }
        let mut kinds: Vec<String> = Vec::new();
        kinds.extend(self.text.then(|| "a text".to_owned()));
        kinds.extend((self.number && !self.integer).then(|| format!("a number{range}")));
        kinds.extend(self.integer.then(|| format!("a whole number{range}")));
        kinds.extend(self.boolean.then(|| "true or false".to_owned()));
        kinds.extend(item);
        kinds.extend(self.fields.is_some().then(|| "an object".to_owned()));
        match kinds.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) if !self.any => format!("{} or {last}", others.join(", ")),
            _ => "any value".to_owned(),
        }
    }
}

fn plural(item: &str) -> String {
    match item {
        "a text" => "texts".to_owned(),
        "an object" => "objects".to_owned(),
        "a list" => "lists".to_owned(),
        "a text or an object" => "texts or objects".to_owned(),
        other => format!("values, each {other}"),
    }
}

/// The first line of a field's documentation, as it reads inside a sentence.
fn about(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    let line = text.lines().next().unwrap_or_default().trim().trim_end_matches('.');
    let mut chars = line.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

fn is_set(value: Option<&Value>) -> bool {
    value == Some(&Value::Bool(true))
}

fn texts(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}
