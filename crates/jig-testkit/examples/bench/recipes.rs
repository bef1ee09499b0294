//! The savings of recipes: the token count of their contexts compared with all fields and with flat text.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use crate::bench::{Hand, call, filled};
use crate::figures::{median, milliseconds};

/// Realistic entries of a small company.
const ENTRIES: &str = include_str!("entries.json");
/// Additional content that other recipes need.
const MORE: &str = include_str!("recipes.json");
const ROUNDS: usize = 51;
const OTHERS: usize = 10_000;

/// Prints the tables.
pub(crate) async fn measure() {
    println!("\n## Recipes\n");
    println!(
        "The shipped recipes over the entries of a small company, with a vision, three trends, two insights and two references"
    );
    println!("in addition. Tokens are counted exactly, by OpenAI's o200k.\n");
    println!(
        "| recipe | all entries as flat text | these entries, all fields | projected fields | than flat text | than all fields |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    let home = tempfile::tempdir().expect("a folder");
    let workbench = filled(home.path(), 1, 64, Hand::Store).await;
    for text in [ENTRIES, MORE] {
        let entries: Vec<Value> = serde_json::from_str(text).expect("entries");
        for entry in entries {
            call(&workbench, "EntryPut", entry).await;
        }
    }
    let recipes = call(&workbench, "RecipeList", json!({})).await;
    for recipe in recipes["recipes"].as_array().expect("recipes") {
        let name = &recipe["recipe"];
        let made = call(&workbench, "RecipeAssemble", json!({ "recipe": name })).await;
        let tokens = &made["report"]["tokens"];
        println!(
            "| `{}` | {} | {} | {} | {}× | {}× |",
            name.as_str().unwrap_or_default(),
            tokens["flat_text"],
            tokens["all_fields"],
            tokens["projected"],
            tokens["times_smaller_than_flat_text"],
            tokens["times_smaller_than_all_fields"],
        );
    }
    times(home.path(), &workbench).await;
}

/// The cost of reading two fields and assembling, alone and next to many other entries.
async fn times(home: &Path, workbench: &jig_workbench::Workbench) {
    let mut rows = vec![
        ("`EntryGet`, two fields", Vec::new()),
        ("`EntryList` of one kind, two fields", Vec::new()),
        ("`RecipeAssemble`", Vec::new()),
    ];
    for others in [0, OTHERS] {
        if others > 0 {
            crate::entries::add(home, None, ("reference", "interviews"), 0..others).await;
        }
        let asked = [
            ("EntryGet", json!({ "role": "brand", "fields": ["name", "voice"] })),
            ("EntryList", json!({ "role": "competitor", "fields": ["name", "strengths"] })),
            ("RecipeAssemble", json!({ "recipe": "weekly-content-calendar" })),
        ];
        for ((_, times), (name, params)) in rows.iter_mut().zip(asked) {
            call(workbench, name, params.clone()).await;
            let mut all = Vec::new();
            for _ in 0..ROUNDS {
                let begin = Instant::now();
                call(workbench, name, params.clone()).await;
                all.push(begin.elapsed());
            }
            times.push(median(all));
        }
    }
    println!(
        "\nMedians of {ROUNDS} rounds in milliseconds, on SQLite, warm; and with {OTHERS} other entries in the workbench.\n"
    );
    println!("| operation | alone | with {OTHERS} others |");
    println!("|---|---:|---:|");
    for (name, times) in rows {
        println!("| {name} | {} |", times.into_iter().map(milliseconds).collect::<Vec<_>>().join(" | "));
    }
}
