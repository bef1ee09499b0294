//! Tests of the registry.

use super::*;

fn id(text: &str) -> ModelId {
    text.parse().unwrap()
}

#[test]
fn every_built_in_model_is_complete() {
    let registry = Registry::built_in().unwrap();
    let models: Vec<Model> = registry.models().collect();
    assert!(models.len() > 20);
    for model in &models {
        assert!(model.price.is_some() && model.window >= u64::from(model.max_output), "{model:?}");
        assert!(model.tokenizer != Tokenizer::Other && !model.abilities.is_empty(), "{model:?}");
    }
    for provider in ["openai", "anthropic", "google", "mistral"] {
        let info = registry.provider(provider).unwrap();
        assert!(info.base_url.starts_with("https://") && info.key_env.is_some(), "{info:?}");
        assert!(models.iter().any(|model| model.id.provider() == provider));
    }
    for offline in ["offline:extract", "offline:demo"] {
        assert_eq!(registry.model(&id(offline)).unwrap().format, Format::None);
    }
}

#[test]
fn a_user_overrides_single_fields_and_adds_models_and_providers() {
    let own = r#"
        [[provider]]
        id = "office"
        format = "compatible"
        base_url = "https://models.example.com/v1"

        [[model]]
        id = "openai:gpt-5.2"
        window = 100_000

        [[model]]
        id = "office:qwen"
        window = 32_000
        abilities = ["tools"]
    "#;
    let registry = Registry::built_in().unwrap().with(own, "models.toml").unwrap();
    let known = registry.model(&id("openai:gpt-5.2")).unwrap();
    assert_eq!((known.window, known.max_output), (100_000, 128_000));
    let own = registry.model(&id("office:qwen")).unwrap();
    assert_eq!((own.max_output, own.format, own.price), (16_000, Format::Compatible, None));
    assert!(own.can(Ability::Tools) && !own.can(Ability::Images));
}

#[test]
fn mistakes_in_a_users_file_are_named() {
    let broken = |text: &str| Registry::built_in().unwrap().with(text, "models.toml").unwrap_err();
    assert!(broken("x = 1").to_string().contains("models.toml, line 1"));
    assert!(broken("[[model]]\nid = \"unknown:x\"").to_string().contains("an unknown provider"));
    assert!(broken("[[provider]]\nid = \"x\"").to_string().contains("needs a format"));
    assert_eq!(broken("[[model]]\nid = \"gpt\"").code(), Code::SettingsInvalid);
}

#[test]
fn an_unknown_model_is_an_error_except_where_the_provider_takes_any() {
    let registry = Registry::built_in().unwrap();
    let error = registry.model(&id("openai:gpt-0")).unwrap_err();
    assert_eq!(error.code(), Code::ProviderNotConfigured);
    assert!(error.hints()[0].contains("openai:gpt-5.2"), "{error:?}");
    assert_eq!(registry.model(&id("unknown:x")).unwrap_err().code(), Code::ProviderNotConfigured);
    let local = registry.model(&id("ollama:qwen3:8b")).unwrap();
    assert_eq!((local.id.model(), local.window), ("qwen3:8b", UNKNOWN_WINDOW));
}
