//! Model ids: `provider:model`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The maximum length of a model id, in bytes.
const MAX: usize = 200;

/// `provider:model`, for example `openai:gpt-5.2`. The part after the first colon may contain colons.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModelId {
    text: String,
    colon: usize,
}

/// An invalid model id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid model id: use `provider:model`, such as openai:gpt-5.2, with letters, digits and . _ - / : @ +")]
pub struct BadModelId;

impl ModelId {
    /// The provider's id.
    pub fn provider(&self) -> &str {
        &self.text[..self.colon]
    }

    /// The provider's name of the model.
    pub fn model(&self) -> &str {
        &self.text[self.colon + 1..]
    }

    /// The complete id.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl std::str::FromStr for ModelId {
    type Err = BadModelId;

    fn from_str(text: &str) -> Result<Self, BadModelId> {
        let (provider, model) = text.split_once(':').ok_or(BadModelId)?;
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        let named = |c: char| c.is_ascii_alphanumeric() || "._-/:@+".contains(c);
        // The name becomes part of a URL path, so no segment may lead elsewhere.
        let leads_away = model.split('/').any(|piece| piece.is_empty() || piece.starts_with('.'));
        let good = !provider.is_empty() && provider.chars().all(plain) && model.chars().all(named) && !leads_away;
        let good = good && text.len() <= MAX;
        good.then(|| Self { text: text.to_owned(), colon: provider.len() }).ok_or(BadModelId)
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<ModelId> for String {
    fn from(id: ModelId) -> Self {
        id.text
    }
}

impl TryFrom<String> for ModelId {
    type Error = BadModelId;
    fn try_from(text: String) -> Result<Self, BadModelId> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_at_the_first_colon() {
        let id: ModelId = "ollama:library/qwen3:8b".parse().unwrap();
        assert_eq!((id.provider(), id.model()), ("ollama", "library/qwen3:8b"));
        assert_eq!(id.to_string(), "ollama:library/qwen3:8b");
        assert_eq!(serde_json::to_value(&id).unwrap(), "ollama:library/qwen3:8b");
    }

    #[test]
    fn what_could_change_an_address_is_refused() {
        let long = format!("a:{}", "x".repeat(200));
        for bad in ["", "gpt", ":x", "a:", "A:x", "a:x?key=1", "a:x#y", "a:../x", "a:x/../y", "a:/x", "a:x y", &long] {
            assert_eq!(bad.parse::<ModelId>(), Err(BadModelId), "{bad}");
        }
    }
}
