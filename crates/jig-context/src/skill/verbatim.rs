//! The frontmatter of a `SKILL.md` with its YAML types, for clients that compare it.

use serde_json::{Map, Value};

use super::Unreadable;

/// All fields of the frontmatter, parsed as YAML 1.2.
pub fn frontmatter(text: &str) -> Result<Map<String, Value>, Unreadable> {
    let wrong = |message: String| Unreadable { message };
    let text = text.replace("\r\n", "\n");
    let rest = text.strip_prefix("---\n").ok_or_else(|| wrong("SKILL.md must begin with `---`".to_owned()))?;
    let lines = rest.lines().take_while(|line| line.trim_end_matches([' ', '\t']) != "---");
    let yaml: Vec<&str> = lines.collect();
    let options = serde_saphyr::options! { with_snippet: false, strict_booleans: true };
    let value = serde_saphyr::from_str_with_options(&yaml.join("\n"), options);
    match value.map_err(|error| wrong(format!("the frontmatter is not valid: {error}")))? {
        Value::Object(members) => Ok(members),
        _ => Err(wrong("the frontmatter must be a list of `key: value` lines".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_member_keeps_its_type() {
        let text = "---\nname: a-b\ndescription: \"x: y\"\nmetadata:\n  version: \"1\"\n  count: 2\n  on: yes\n---\n# Body\n---\n";
        let expected = json!({
            "name": "a-b", "description": "x: y", "metadata": { "version": "1", "count": 2, "on": "yes" }
        });
        assert_eq!(Value::Object(frontmatter(text).unwrap()), expected);
        for wrong in ["# no frontmatter", "---\n- a\n---\n", "---\na: [\n---\n"] {
            assert!(frontmatter(wrong).is_err(), "{wrong}");
        }
    }
}
